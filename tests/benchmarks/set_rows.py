"""Sets of thousands of files, moved, replaced and deleted: in memory where a sync costs nothing, and on the disk where it does."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.measuring import Ground, Row, fresh, number, with_best
from benchmarks.sync_count import counted
from counterfoil.authoring.effect_values import Effect, delete_files, move_files, write_file
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import FileOp
from counterfoil.places import Home
from counterfoil.store.blobs import Blobs

WITHOUT_SYNC, WITH_SYNC = 1.0, 6.0  # ms a file
SIZE = 2000  # bytes of a file


def moves(ground: Ground) -> Row:
    """Files that move into another folder by one set; moving needs no copy, so it costs the same on the disk."""
    return _row(ground, ground.fastest, "moved", 5000, WITHOUT_SYNC, _moved)


def moves_on_disk(ground: Ground) -> Row:
    """The same on the disk."""
    return _row(ground, ground.disk, "moved", 5000, WITH_SYNC, _moved)


def deletions(ground: Ground) -> Row:
    """Files that are deleted by one set."""
    return _row(ground, ground.fastest, "deleted", 5000, WITHOUT_SYNC, _deleted)


def writes(ground: Ground) -> Row:
    """Files that are replaced by one set, where a sync costs nothing."""
    return _row(ground, ground.fastest, "replaced", 1000, WITHOUT_SYNC, _written)


def writes_on_disk(ground: Ground) -> Row:
    """The same with syncs that cost what they cost."""
    return _row(ground, ground.disk, "replaced", 1000, WITH_SYNC, _written)


Plan = Callable[[list[str]], list[Effect]]


def _moved(names: list[str]) -> list[Effect]:
    return [move_files([(name, f"archive/{name}") for name in names])]


def _deleted(names: list[str]) -> list[Effect]:
    return [delete_files(names)]


def _written(names: list[str]) -> list[Effect]:
    return [write_file(name, f"new {name} " * (SIZE // 20)) for name in names]


def _row(ground: Ground, place: Path, done: str, full: int, target: float, plan: Plan) -> Row:
    size = ground.pick(full // 20, full)
    took: list[float] = []
    shown: list[float] = []
    syncs = 0
    for _ in range(ground.pick(1, 3)):
        folder = fresh(place, "sets")
        home, workspace = Home(folder / "home").create(), folder / "workspace"
        (workspace / "in").mkdir(parents=True)
        names = [f"in/{number_of:05d}.txt" for number_of in range(size)]
        for name in names:
            (workspace / name).write_bytes(name.encode() * (SIZE // 12))
        catalogue = EffectCatalogue(home, Blobs(home))
        effects = plan(names)
        began = time.perf_counter()
        ops = _sealed(catalogue, effects, workspace)
        shown.append((time.perf_counter() - began) / size * 1000)
        with counted() as count:
            began = time.perf_counter()
            catalogue.apply_files(ops, str(workspace), str(home.undo / "gate"))
            took.append((time.perf_counter() - began) / size * 1000)
        syncs = count.files
    where = "disk" if place == ground.disk else "memory"
    return Row(
        f"{size:,} files {done} in one set, {where}",
        f"{with_best(took, 'ms')} a file, {syncs:,} syncs",
        f"{target:g} ms",
        f"shown and sealed before in {number(median(shown))} ms a file",
        met=median(took) <= target,
        counts={"syncs": syncs, "files": size},
    )


def _sealed(catalogue: EffectCatalogue, plan: list[Effect], workspace: Path) -> list[FileOp]:
    entries = catalogue.prepare_plan([effect.body for effect in plan], str(workspace))
    items = [(n, effect.body, entry.base) for n, (effect, entry) in enumerate(zip(plan, entries, strict=True), start=1)]
    return catalogue.file_ops(items, str(workspace))
