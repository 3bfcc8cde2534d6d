"""The difference between a run's copy and what was copied: 50 changed files among 10,000, looked at and taken in."""

from __future__ import annotations

import time
from statistics import median

from benchmarks.measuring import Ground, Row, fresh, number, with_best
from counterfoil.places import Home
from counterfoil.stage.diffing import difference
from counterfoil.stage.leaving_out import Choices
from counterfoil.stage.manifest import Layout
from counterfoil.stage.refreshing import Refresh
from counterfoil.store.blobs import Blobs

TARGET = 300.0  # ms
CHANGED = 50


def changed(ground: Ground) -> Row:
    """Reading the manifest counts in; keeping the new bytes, synced, counts in once: later looks find them kept."""
    size = ground.pick(1_000, 10_000)
    folder = fresh(ground.disk, "diff")
    workspace, layout = folder / "workspace", Layout(folder / "stage")
    names = [f"d{n % 100}/s{n % 7}/{n}.txt" for n in range(size)]
    for name in names:
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(f"file {name}\n" * 40)
    Refresh(str(workspace), layout, Choices()).run(None, 0)
    for name in names[:CHANGED]:
        (layout.tree / name).write_text(f"changed {name}\n" * 40)
    took: list[float] = []
    found = 0
    for _ in range(ground.pick(2, 5)):
        blobs = Blobs(Home(fresh(folder, "home")).create())
        began = time.perf_counter()
        found = len(difference(layout, layout.manifest(), blobs).changes)
        took.append((time.perf_counter() - began) * 1000)
    return Row(
        f"diff of {CHANGED} changes in {size:,} files",
        with_best(took, "ms"),
        f"{number(TARGET)} ms",
        met=None if ground.quick else median(took) <= TARGET,
        counts={"changes": found},
    )
