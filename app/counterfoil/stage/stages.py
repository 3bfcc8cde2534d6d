"""Where the stages of runs lie: one folder each beneath the home, gone when its run has ended."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence

from counterfoil.clock import Clock
from counterfoil.places import Home
from counterfoil.stage.manifest import layout_of, take_back
from counterfoil.stage.run_stage import RunStage
from counterfoil.store.blobs import Blobs
from counterfoil.store.stage_rows import KeptChange


class StageFolder:
    """The stages of a home."""

    def __init__(self, home: Home, blobs: Blobs, clock: Clock) -> None:
        self._home = home
        self._blobs = blobs
        self._clock = clock

    def open(
        self,
        run_id: str,
        workspace: str,
        kept: Sequence[KeptChange],
        *,
        taken_us: int | None,
        since_us: int | None,
        tell: Callable[[int, int], None],
        stop: Callable[[], bool],
    ) -> RunStage:
        """The stage of a run that nobody else holds; see `engine.stage_ports.Stages`."""
        stage = RunStage(self._home, self._blobs, self._clock, run_id, workspace)
        stage.lay_out(kept, taken_us, since_us, tell, stop)
        return stage

    def remove(self, run_id: str) -> None:
        """The run has ended."""
        shutil.rmtree(layout_of(self._home, run_id).root, ignore_errors=True)

    def of_runs(self) -> list[str]:
        """The runs that have a stage."""
        return [folder.name for folder in self._home.stages.iterdir()]

    def take_back_all(self) -> None:
        """A runner has died: what its hosts had comes back to its own place."""
        for run_id in self.of_runs():
            take_back(layout_of(self._home, run_id))
