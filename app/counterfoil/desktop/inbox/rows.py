"""The inbox as a plain list: groups by deadline, search, and how a fresh look is merged without moving what a person is looking at.

No Qt here. Rows keep their order while they live; new ones are held back while the list is in use, and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from counterfoil.desktop.office import InboxRow, Tab
from counterfoil.desktop.words import times


@dataclass(frozen=True, slots=True)
class Group:
    """A heading with how many stand below it."""

    title: str
    count: int


Entry = Group | InboxRow


def entry_id(entry: Entry) -> str:
    """What an entry is recognised by."""
    return f"group:{entry.title}" if isinstance(entry, Group) else entry.gate_id


class InboxList:
    """Rows of one tab and what of them is shown."""

    def __init__(self) -> None:
        self._rows: dict[str, InboxRow] = {}
        self._held_back: dict[str, InboxRow] = {}
        self.wanted = ""
        self.tab = Tab.FOR_ME

    @property
    def held_back(self) -> int:
        """How many new rows wait to be let in."""
        return len(self._held_back)

    def start(self, rows: Iterable[InboxRow], tab: Tab) -> None:
        """Another tab, or the first look."""
        self._rows = {row.gate_id: row for row in rows}
        self._held_back = {}
        self.tab = tab

    def merge(self, rows: Iterable[InboxRow], *, in_use: bool, keep: str = "") -> set[str]:
        """Take a fresh look in; ids of rows that changed. While `in_use` new rows are held back; `keep` stays though it is gone."""
        fresh = {row.gate_id: row for row in rows}
        changed = {
            gate_id for gate_id, row in fresh.items() if gate_id in self._rows and not _alike(self._rows[gate_id], row)
        }
        stay = {
            gate_id: fresh.get(gate_id) or replace(row, closed=row.closed or "Decided", draft=False, unread=False)
            for gate_id, row in self._rows.items()
            if gate_id in fresh or gate_id == keep
        }
        new = {gate_id: row for gate_id, row in fresh.items() if gate_id not in self._rows}
        if in_use and self._rows:
            self._rows, self._held_back = stay, new
        else:
            self._rows, self._held_back = {**stay, **new}, {}
        return changed

    def let_in(self) -> None:
        """Show what was held back."""
        self._rows |= self._held_back
        self._held_back = {}

    def row(self, gate_id: str) -> InboxRow | None:
        """One row."""
        return self._rows.get(gate_id) or self._held_back.get(gate_id)

    def of_run(self, run_id: str, *, but: str = "") -> InboxRow | None:
        """The newest row of a run."""
        rows = [
            row
            for row in (*self._rows.values(), *self._held_back.values())
            if row.run_id == run_id and row.gate_id != but
        ]
        return max(rows, key=lambda row: row.number, default=None)

    def entries(self, now_us: int) -> list[Entry]:
        """Groups and rows in the order they are shown."""
        found = [row for row in self._rows.values() if matches(row, self.wanted)]
        if self.tab == Tab.DECIDED:
            found.sort(key=lambda row: row.closed_at or row.asked_at, reverse=True)
            return _grouped(found, lambda row: times.day(*_days(row.closed_at or row.asked_at, now_us)))
        found.sort(key=lambda row: (row.due_at is None, row.due_at or 0, row.asked_at))
        by_group: dict[str, list[InboxRow]] = {}
        for row in found:
            by_group.setdefault(times.due_group(row.due_at, now_us), []).append(row)
        ordered = [row for title in times.DUE_GROUPS for row in by_group.get(title, ())]
        return _grouped(ordered, lambda row: times.due_group(row.due_at, now_us))


def matches(row: InboxRow, wanted: str) -> bool:
    """Whether search finds a row: by words, or by digits however the amount is written (“1320” finds €1,320.00)."""
    text = wanted.casefold().strip()
    if not text or text in row.search:
        return True
    tight = text.replace(" ", "").replace(",", "")
    return bool(tight) and tight in row.search.replace(" ", "").replace(",", "").replace("\u00a0", "")


def _alike(old: InboxRow, new: InboxRow) -> bool:
    """Whether nothing changed but what this person did: having read it, or filled something in."""
    return replace(old, unread=False, draft=False) == replace(new, unread=False, draft=False)


def bulk_choice(rows: Sequence[InboxRow]) -> tuple[list[InboxRow], list[InboxRow], str]:
    """Of several chosen rows: those that can be decided together, those that are left out, and why nothing can be done at all."""
    first = rows[0]
    if any((row.kind, row.template) != (first.kind, first.template) for row in rows):
        return [], list(rows), "These gates are of different kinds or templates. Decide them one by one."
    if first.kind != "approval":
        return [], list(rows), "Only approvals can be decided together."
    able = [row for row in rows if not row.bulk]
    return able, [row for row in rows if row.bulk], "" if able else "Each of these needs a look of its own."


def _days(us: int, now_us: int) -> tuple[date, date]:
    return times.local(us).date(), times.local(now_us).date()


def _grouped(rows: Sequence[InboxRow], title_of: Callable[[InboxRow], str]) -> list[Entry]:
    titles = [title_of(row) for row in rows]
    counts = Counter(titles)
    entries: list[Entry] = []
    last = None
    for title, row in zip(titles, rows, strict=True):
        if title != last:
            entries.append(Group(title, counts[title]))
            last = title
        entries.append(row)
    return entries
