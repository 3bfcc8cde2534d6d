"""What a row of the table is, where rows may measure, and how figures are written."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from counterfoil.store.database import filesystem_of

NOT_HERE = "not measured here"


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `raw` is what stands beside it; `met` whether the target is reached, None where there is none or nothing was measured.
    `counts` are the exact numbers that the tests look at."""

    what: str
    measured: str
    target: str = ""
    raw: str = ""
    met: bool | None = None
    counts: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ground:
    """Where rows measure: a folder on a disk, and one in memory where the system has that."""

    disk: Path
    memory: Path | None
    quick: bool

    @property
    def fastest(self) -> Path:
        """In memory if possible: for what should not depend on the disk."""
        return self.memory or self.disk

    def pick(self, quick: int, full: int) -> int:
        """A size by mode."""
        return quick if self.quick else full


Measure = Callable[[Ground], Row]


@contextlib.contextmanager
def ground(*, quick: bool, disk: Path | None = None) -> Iterator[Ground]:
    """Scratch folders for one table, removed at its end."""
    shared = Path("/dev/shm")
    with contextlib.ExitStack() as stack:
        on_disk = stack.enter_context(tempfile.TemporaryDirectory(prefix="counterfoil-", dir=disk))
        in_memory = None
        if filesystem_of(shared) == "tmpfs":
            in_memory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="counterfoil-", dir=shared)))
        yield Ground(Path(on_disk), in_memory, quick)


def fresh(folder: Path, name: str) -> Path:
    """An empty folder of this name."""
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    return target


def ratio(ours: Sequence[float], raw: Sequence[float]) -> float:
    """The median of the ratios of neighbouring blocks: what drifts in between falls out."""
    return median(mine / limit for mine, limit in zip(ours, raw, strict=True))


def number(value: float) -> str:
    """A figure with as many digits as mean something."""
    if value >= 1000:
        return f"{value:,.0f}"
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def with_best(values: Sequence[float], unit: str) -> str:
    """The median, and the best beside it: on a machine that others use too, the best says what the program itself takes."""
    return f"{number(median(values))} {unit} (best {number(min(values))})"


def lines(rows: Sequence[Row]) -> list[str]:
    """The table as text."""
    head = ("what", "measured", "target", "raw limit and ratio", "")
    mark = {True: "met", False: "missed", None: ""}
    cells = [head, *((row.what, row.measured, row.target, row.raw, mark[row.met]) for row in rows)]
    wide = [max(len(line[column]) for line in cells) for column in range(len(head))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, wide, strict=True)).rstrip() for line in cells]
    return [text[0], "  ".join("-" * width for width in wide), *text[1:]]
