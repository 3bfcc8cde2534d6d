"""The inbox as a plain list: groups by deadline, search, and how a fresh look is merged without moving what a person is looking at.

No Qt here. Rows keep their order while they live; new ones are held back while the list is in use, and counted.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter

from counterfoil.desktop.office import InboxRow, Tab
from counterfoil.desktop.words import asides, times


@dataclass(frozen=True, slots=True)
class Group:
    """A heading with how many stand below it; none where the one row below is over and stays only while it is looked at."""

    title: str
    count: int


Entry = Group | InboxRow
_BY_DUE, _BY_ASKED = attrgetter("due_at", "asked_at"), attrgetter("asked_at")


def entry_id(entry: Entry) -> str:
    """What an entry is recognised by."""
    return f"group:{entry.title}" if isinstance(entry, Group) else entry.gate_id


class InboxList:
    """Rows of one tab and what of them is shown. With thousands of rows a look that brings nothing new costs nothing."""

    def __init__(self) -> None:
        self._rows: dict[str, InboxRow] = {}
        self._held_back: dict[str, InboxRow] = {}
        self._merged: tuple[object, ...] = ()  # what the last look was, and how it was taken
        self._arranged: tuple[tuple[object, ...], list[Entry]] = ((), [])
        self._over: dict[str, str] = {}  # how the gate that is looked at has left, where nobody decided it
        self.wanted = ""
        self.tab = Tab.FOR_ME
        self.whole = True  # false while only the first rows are there

    @property
    def held_back(self) -> int:
        """How many new rows wait to be let in."""
        return len(self._held_back)

    def start(self, rows: Iterable[InboxRow], tab: Tab, *, whole: bool = True) -> None:
        """Another tab, or the first look; with only its first rows the next look brings the rest."""
        self._rows = {row.gate_id: row for row in rows}
        self._held_back = {}
        self._merged, self._arranged = (), ((), [])
        self.tab, self.whole = tab, whole

    def merge(self, rows: Collection[InboxRow], *, in_use: bool, keep: str = "") -> set[str]:
        """Take a fresh look in; ids of rows that changed. While `in_use` new rows are held back; `keep` stays though it is gone."""
        if self._merged and self._merged[0] is rows and self._merged[1:] == (in_use, keep):
            return set()
        known = self._rows
        # few, since a row that is as it was is the same object
        others = [row for row in rows if known.get(row.gate_id) is not row]
        new = {row.gate_id: row for row in others if row.gate_id not in known}
        anew = {row.gate_id: row for row in others if row.gate_id in known}
        changed = {gate_id for gate_id, row in anew.items() if not _alike(known[gate_id], row)}
        gone = len(known) + len(new) > len(rows)
        known.update(anew)
        if gone:
            self._drop({row.gate_id for row in rows}, keep)
        self._held_back = new if in_use and known and self.whole else {}
        if not self._held_back:
            known.update(new)
        if anew or gone or (new and not self._held_back):
            self._arranged = ((), [])
        self._merged, self.whole = (rows, in_use, keep), True
        return changed

    def _drop(self, there: Collection[str], keep: str) -> None:
        """Rows that are there no more go; `keep` stays and says that it is over."""
        for gate_id in [gate_id for gate_id in self._rows if gate_id not in there]:
            row = self._rows[gate_id]
            if gate_id == keep:
                gone = self._over.get(gate_id, "Decided")
                self._rows[gate_id] = replace(row, closed=row.closed or gone, draft=False, unread=False)
            else:
                del self._rows[gate_id]

    def say_over(self, gate_id: str, words: str) -> None:
        """Should this gate leave the list while it is looked at, its row says so; "" where it can only have been decided."""
        self._over = {gate_id: words} if words else {}
        row = self._rows.get(gate_id)
        if row is not None and words and row.closed == "Decided":
            self._rows[gate_id] = replace(row, closed=words)
            self._arranged = ((), [])

    def let_in(self) -> None:
        """Show what was held back."""
        self._rows |= self._held_back
        self._held_back = {}
        self._merged, self._arranged = (), ((), [])

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
        """Groups and rows in the order they are shown; the same list as before while nothing that shows has changed."""
        asked = (self.wanted, now_us // times.MINUTE)
        if self._arranged[0] != asked:
            self._arranged = asked, self._arrange(now_us)
        return self._arranged[1]

    def _arrange(self, now_us: int) -> list[Entry]:
        found = [row for row in self._rows.values() if not self.wanted or matches(row, self.wanted)]
        if self.tab == Tab.DECIDED:
            found.sort(key=lambda row: row.closed_at or row.asked_at, reverse=True)
            return _grouped(found, lambda row: times.day(*_days(row.closed_at or row.asked_at, now_us)))
        if self.tab == Tab.SNOOZED:
            found.sort(key=lambda row: row.asleep_until or 0)
            return _grouped(found, lambda row: asides.back(row.asleep_until or now_us, now_us))
        due = sorted((row for row in found if row.due_at is not None), key=_BY_DUE)
        others = sorted((row for row in found if row.due_at is None), key=_BY_ASKED)
        return _grouped([*due, *others], lambda row: times.due_group(row.due_at, now_us), waiting=True)


def matches(row: InboxRow, wanted: str) -> bool:
    """Whether search finds a row: by words, or by digits however the amount is written (“1320” finds €1,320.00)."""
    text = wanted.casefold().strip()
    if not text or text in row.search:
        return True
    tight = text.replace(" ", "").replace(",", "")
    return bool(tight) and tight in row.search.replace(" ", "").replace(",", "").replace("\u00a0", "")


def _alike(old: InboxRow, new: InboxRow) -> bool:
    """Whether nothing changed but what this person did: having read it, or filled something in."""
    if old is new or old == new:
        return True
    return replace(old, unread=False, draft=False) == replace(new, unread=False, draft=False)


def bulk_choice(rows: Sequence[InboxRow]) -> tuple[list[InboxRow], list[InboxRow], str]:
    """Of several chosen rows: those that can be decided together, those that are left out, and why nothing can be done at all."""
    first = rows[0]
    if any((row.kind, row.template) != (first.kind, first.template) for row in rows):
        return [], list(rows), "These gates are of different kinds or templates. Decide them one by one."
    if first.kind != "approval":
        return [], list(rows), "Only approvals can be decided together."
    able = [row for row in rows if not row.alone]
    return able, [row for row in rows if row.alone], "" if able else "Each of these needs a look of its own."


def _days(us: int, now_us: int) -> tuple[date, date]:
    return times.local(us).date(), times.local(now_us).date()


def _grouped(rows: Sequence[InboxRow], title_of: Callable[[InboxRow], str], *, waiting: bool = False) -> list[Entry]:
    """Headings put in; rows of one heading stand together, so its end is found by halving and not by asking each row. Headings of what
    is `waiting` count, as the tab does, no row that is over and stays while it is looked at."""
    entries: list[Entry] = []
    start = 0
    while start < len(rows):
        title = title_of(rows[start])
        end = bisect_left(rows, True, lo=start, key=lambda row: title_of(row) != title)
        together = rows[start:end]
        entries.append(Group(title, sum(not row.closed for row in together) if waiting else len(together)))
        entries.extend(together)
        start = end
    return entries
