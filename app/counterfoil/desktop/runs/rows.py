"""Which runs a list shows: by state, by words. Plain functions of plain rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from counterfoil.desktop.office import RunRow, RunsLook

CHIP_STATES = {
    "running": ("running", "ready"),
    "waiting": ("waiting",),
    "done": ("done",),
    "cancelled": ("cancelled", "failed"),
}


def look(rows: Sequence[RunRow], chip: str, wanted: str, most: int) -> RunsLook:
    """What a list shows of these rows, newest first."""
    found = chosen(rows, chip, wanted)
    return RunsLook(tuple(found[:most]), counts(rows), more=len(found) > most)


def chosen(rows: Sequence[RunRow], chip: str, wanted: str) -> list[RunRow]:
    """The rows of a chip that hold the wanted words."""
    text = wanted.casefold().strip()
    return [row for row in rows if _in_chip(row, chip) and (not text or holds(row, text))]


def counts(rows: Sequence[RunRow]) -> dict[str, int]:
    """How many stand behind each chip."""
    states = Counter(row.state for row in rows)
    found = {chip: sum(states[state] for state in members) for chip, members in CHIP_STATES.items()}
    return {"all": len(rows), "care": sum(1 for row in rows if row.care), **found}


def holds(row: RunRow, text: str) -> bool:
    """Whether a row holds a folded text."""
    return text in f"{row.title} {row.template} {row.words} run {row.number} r-{row.number} {row.run_id}".casefold()


def _in_chip(row: RunRow, chip: str) -> bool:
    if chip == "all":
        return True
    if chip == "care":
        return bool(row.care)
    return row.state in CHIP_STATES[chip]
