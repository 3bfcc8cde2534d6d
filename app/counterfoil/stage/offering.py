"""What a run has changed in its copy, as the engine hands it to the workflow: effects, and what is not among them and why."""

from __future__ import annotations

from collections.abc import Mapping

from counterfoil.engine.stage_ports import CopyChanges
from counterfoil.policy.boundaries import visible
from counterfoil.stage.diffing import difference
from counterfoil.stage.manifest import Layout
from counterfoil.stage.meeting import meet
from counterfoil.store.blobs import Blobs


def offered(layout: Layout, blobs: Blobs, workspace: str, given: Mapping[str, str] | None = None) -> CopyChanges:
    """Compare a run's copy with what was copied and what people gave (`given`: SHA-256 by path), and with the folder as it is now;
    nothing where there is no copy.

    Raises:
        CounterfoilError: it is too much to be compared, or the list of what was copied is damaged.
        OSError: the copy or the folder cannot be read.
    """
    try:
        manifest = layout.manifest()
    except FileNotFoundError:
        return CopyChanges([], [], {})
    found = meet(difference(layout, manifest, blobs, given or {}), manifest, workspace)
    sides = [change.after for change in found.changes if change.after is not None and not change.blocked]
    return CopyChanges(
        plan=found.effects(),
        left=[(visible(change.path), change.blocked) for change in found.blocked],
        sizes={side.sha256: side.size for side in sides if side.sha256 is not None},
    )
