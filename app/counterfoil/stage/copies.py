"""Implements `engine.stage_ports.Copies`: the stages of a home, asked what their runs have changed."""

from __future__ import annotations

from collections.abc import Mapping

from counterfoil.engine.stage_ports import CopyChanges
from counterfoil.places import Home
from counterfoil.stage.manifest import layout_of
from counterfoil.stage.offering import offered
from counterfoil.store.blobs import Blobs


class RunCopies:
    """Runs' private copies of their workspaces."""

    def __init__(self, home: Home, blobs: Blobs) -> None:
        self._home = home
        self._blobs = blobs

    def changes(self, run_id: str, workspace: str, given: Mapping[str, str]) -> CopyChanges:
        """What a run has changed in its copy beside what it was given; nothing for a run that has none. Blocking.

        Raises:
            CounterfoilError: it is too much to be compared, or the list of what was copied is damaged.
            OSError: the copy or the workspace cannot be read.
        """
        return offered(layout_of(self._home, run_id), self._blobs, workspace, given)
