"""Which runs are shown: by state, by words. Plain functions of plain rows."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.desktop.office import RunRow

_STATES = {
    "running": frozenset({"running", "ready"}),
    "waiting": frozenset({"waiting"}),
    "done": frozenset({"done"}),
    "cancelled": frozenset({"cancelled", "failed"}),
}


def chosen(rows: Sequence[RunRow], chip: str, wanted: str) -> list[RunRow]:
    """The rows of a chip that contain the wanted words."""
    text = wanted.casefold().strip()
    return [row for row in rows if _in_chip(row, chip) and (not text or _contains(row, text))]


def counts(rows: Sequence[RunRow]) -> dict[str, int]:
    """How many stand behind each chip."""
    return {chip: sum(_in_chip(row, chip) for row in rows) for chip in ("all", "care", *_STATES)}


def _in_chip(row: RunRow, chip: str) -> bool:
    if chip == "all":
        return True
    if chip == "care":
        return bool(row.care)
    return row.state in _STATES[chip]


def _contains(row: RunRow, text: str) -> bool:
    return text in f"{row.title} {row.template} {row.words} run {row.number} r-{row.number} {row.run_id}".casefold()
