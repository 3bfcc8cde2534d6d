"""Which runs are shown: by state, by words. Plain functions of plain rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from counterfoil.desktop.office import RunRow

_STATES = {
    "running": frozenset({"running", "ready"}),
    "waiting": frozenset({"waiting"}),
    "done": frozenset({"done"}),
    "cancelled": frozenset({"cancelled", "failed"}),
}


@dataclass(frozen=True, slots=True)
class RunsLook:
    """What the page shows of all runs, worked out where the runs are read: with 100,000 of them that takes a moment."""

    rows: tuple[RunRow, ...]
    kept: list[RunRow]
    counts: dict[str, int]


def look(rows: tuple[RunRow, ...], chip: str, wanted: str) -> RunsLook:
    """The rows of a chip that contain the wanted words, and how many stand behind each chip."""
    return RunsLook(rows, chosen(rows, chip, wanted), counts(rows))


def chosen(rows: Sequence[RunRow], chip: str, wanted: str) -> list[RunRow]:
    """The rows of a chip that contain the wanted words."""
    text = wanted.casefold().strip()
    return [row for row in rows if _in_chip(row, chip) and (not text or _contains(row, text))]


def counts(rows: Sequence[RunRow]) -> dict[str, int]:
    """How many stand behind each chip."""
    states = Counter(row.state for row in rows)
    found = {chip: sum(states[state] for state in members) for chip, members in _STATES.items()}
    return {"all": len(rows), "care": sum(1 for row in rows if row.care), **found}


def _in_chip(row: RunRow, chip: str) -> bool:
    if chip == "all":
        return True
    if chip == "care":
        return bool(row.care)
    return row.state in _STATES[chip]


def _contains(row: RunRow, text: str) -> bool:
    return text in f"{row.title} {row.template} {row.words} run {row.number} r-{row.number} {row.run_id}".casefold()
