"""What changed since the last look. While nothing did, a look is one PRAGMA; else counters and newest rows say which parts."""

from __future__ import annotations

from typing import Any

from counterfoil.desktop.office import Changes, Part
from counterfoil.store.glance import Glance
from counterfoil.store.quick_look import Fields

_EVERYTHING = Changes(frozenset(Part))
_PARTS: dict[str, frozenset[Part]] = {
    "record": frozenset({Part.RUNS, Part.RUNNER}),
    "attempt": frozenset({Part.RUNS}),
    "trail": frozenset({Part.TRAIL, Part.RUNNER, Part.TRUST}),
    "llm": frozenset({Part.TRUST}),
    "run": frozenset({Part.RUNS}),
    "waiting": frozenset({Part.RUNS}),
    "gate": frozenset({Part.INBOX, Part.RUNS}),
    "open": frozenset({Part.INBOX, Part.RUNS}),
    "closed": frozenset({Part.INBOX}),
    "decision": frozenset({Part.INBOX}),
    "read": frozenset({Part.INBOX}),
    "drafts": frozenset({Part.INBOX}),
    "snooze": frozenset({Part.INBOX}),
    "giving": frozenset({Part.INBOX, Part.RUNS}),
    "version": frozenset({Part.TEMPLATES}),
    "schedule": frozenset({Part.SCHEDULES}),
    "notice": frozenset({Part.SCHEDULES, Part.RUNS}),
    "told": frozenset({Part.SCHEDULES, Part.RUNS}),
    "standing": frozenset({Part.RUNNER}),
    "undoing": frozenset({Part.RUNS}),
    "lease": frozenset({Part.RUNNER}),
}


class Pulse:
    """Remembers the last look of one connection."""

    def __init__(self, glance: Glance, me: str) -> None:
        self._glance = glance
        self._me = me
        self._version = 0
        self._marks: dict[str, Any] | None = None
        self._under_way: frozenset[tuple[Any, ...]] = frozenset()

    def begin(self) -> None:
        """Everything that is there now has been seen."""
        self._version = self._glance.data_version()
        if self._version:
            self._marks = self._glance.marks(self._me)
            self._under_way = _rows(self._glance.under_way())

    def look(self) -> Changes | None:
        """What changed; None for nothing a page shows."""
        version = self._glance.data_version()
        if version == self._version:
            return None
        before, under_way = self._marks, self._under_way
        self.begin()
        if before is None or self._marks is None:
            return _EVERYTHING
        parts = {part for name in before if before[name] != self._marks[name] for part in _PARTS[name]}
        moved = {str(row[0]) for row in self._under_way ^ under_way}
        if moved:
            parts |= {Part.RUNS, Part.RUNNER}
        if not parts:
            return None
        touched = self._glance.runs_since(int(before["record"] or 0), int(before["trail"] or 0)) | moved
        told = before["told"] != self._marks["told"]  # a notice may be about any run
        return Changes(frozenset(parts), frozenset() if told else frozenset(touched))


def _rows(fields: list[Fields]) -> frozenset[tuple[Any, ...]]:
    return frozenset(tuple(row) for row in fields)
