"""The inbox as rows. What a row shows of an open gate never changes, so it is read once; a fresh look reads the order of the open ones
from an index, and who has looked at what since."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from operator import is_

from counterfoil.desktop.office import InboxRow, Tab
from counterfoil.desktop.real_office.asides import Aside, Asides, Mark
from counterfoil.desktop.words.gates import ENDED
from counterfoil.desktop.words.people import person
from counterfoil.desktop.words.plain import plain
from counterfoil.facts import unproven
from counterfoil.store.glance import Glance
from counterfoil.store.quick_look import Fields

SHOWN_CLOSED = 1_000  # the newest closed gates; older ones are in the trail and on their runs
_PORTION = 500  # rows that are read while other questions wait
_VERDICTS = {"approved": "Approved", "rejected": "Rejected", "returned": "Sent back", "answered": "Answered"}
_PLAIN = Mark()
_CHANGED = "changed since it was first asked"


class InboxRows:
    """Rows of one person's inbox, kept between looks."""

    def __init__(self, glance: Glance, me: str, asides: Asides) -> None:
        self._glance = glance
        self._me = me
        self._asides = asides
        self._aside = Aside()
        self._rows: dict[int, InboxRow] = {}
        self._numbers: dict[str, int] = {}
        self._rounds: dict[int, tuple[int, str]] = {}  # round, and why it cannot be decided with others
        self._drafts: frozenset[str] = frozenset()
        self._read_until: int | None = None
        self._order: list[int] = []
        self._shown: dict[Tab, tuple[InboxRow, ...]] = {}

    def open_ones(self, tab: Tab, workspace: str | None) -> tuple[InboxRow, ...]:
        """Open gates of a tab, oldest question first; the same tuple as before while nothing changes."""
        self._look()
        rows = [self._rows[number] for number in self._order]
        if self._aside.marks or tab is not Tab.FOR_ME:
            rows = [row for row in rows if _tab_of(row) is tab]
        if workspace is not None:
            rows = [row for row in rows if row.workspace == workspace]
        shown = self._shown.get(tab, ())
        if len(rows) != len(shown) or not all(map(is_, rows, shown)):
            shown = self._shown[tab] = tuple(rows)
        return shown

    def first(self, workspace: str | None, most: int) -> tuple[InboxRow, ...]:
        """The gates that the list shows first: those with the nearest deadline, then the oldest questions."""
        self._begin()
        self._take_asides()
        numbers = self._glance.first_open(workspace, most + self._aside.others + self._aside.snoozed)
        self._read(numbers)
        rows = [self._rows[number] for number in numbers if number in self._rows]
        return tuple([row for row in rows if _tab_of(row) is Tab.FOR_ME][:most])

    def warm(self) -> bool:
        """Read some more open gates; whether there are more."""
        self._begin()
        unknown = [number for number in self._glance.open_numbers() if number not in self._rows]
        self._read(unknown[:_PORTION])
        return len(unknown) > _PORTION

    def counts(self, workspace: str | None) -> tuple[int, int, int]:
        """How many open gates are for this person now, for others, and snoozed."""
        if workspace is None:
            self._take_asides()
            others, snoozed = self._aside.others, self._aside.snoozed
            return self._glance.count_open() - others - snoozed, others, snoozed
        self._look()
        here = Counter(_tab_of(self._rows[at]) for at in self._order if self._rows[at].workspace == workspace)
        return here[Tab.FOR_ME], here[Tab.FOR_OTHERS], here[Tab.SNOOZED]

    def decided(self, workspace: str | None, most: int | None = None) -> tuple[InboxRow, ...]:
        """Closed gates, newest first."""
        found = self._glance.closed_gates(self._me, workspace, most or SHOWN_CLOSED)
        return tuple(self._closed(fields) for fields in found)

    def _begin(self) -> None:
        """What is read from now on is as it was read; what is looked at later is told by `_take_readings`."""
        if self._read_until is None:
            self._read_until = self._glance.newest_reading()
            self._drafts = self._glance.drafts(self._me)

    def _read(self, numbers: Sequence[int]) -> None:
        unknown = [number for number in numbers if number not in self._rows]
        for fields in self._glance.open_gates(self._me, unknown) if unknown else ():
            if int(fields[0]) not in self._rows:
                self._add(fields)

    def _look(self) -> None:
        self._begin()
        self._take_asides()
        until = self._glance.newest_reading()
        self._order = self._glance.open_numbers()
        self._read(self._order)
        self._order = [number for number in self._order if number in self._rows]  # one may have closed in between
        self._take_readings(until)
        self._take_drafts()
        if len(self._rows) > 2 * len(self._order) + 1000:
            self._forget()

    def _add(self, fields: Fields) -> None:
        number, gate_id, round_, bulk = int(fields[0]), str(fields[1]), int(fields[8]), str(fields[7])
        self._numbers[gate_id] = number
        self._rounds[number] = (round_, bulk)
        row = replace(_row(fields), draft=gate_id in self._drafts)
        self._rows[number] = _marked(row, self._aside.marks[number]) if number in self._aside.marks else row

    def _take_readings(self, until: int) -> None:
        """What was looked at since the last time."""
        for gate_id, digest, _ in self._glance.read_since(self._me, self._read_until or 0):
            number = self._numbers.get(gate_id)
            row = self._rows.get(number) if number is not None else None
            if number is not None and row is not None and row.unread and digest == row.digest:
                self._rows[number] = replace(row, unread=False, bulk=self._rounds[number][1])
        self._read_until = until

    def _take_asides(self) -> None:
        """What was put off, woken, given or taken since the last time; a snoozed gate comes back by the clock alone."""
        before, self._aside = self._aside.marks, self._asides.look()
        for number in before.keys() | self._aside.marks.keys():
            mark, row = self._aside.marks.get(number, _PLAIN), self._rows.get(number)
            if row is not None and mark != before.get(number, _PLAIN):
                self._rows[number] = _marked(row, mark)

    def _take_drafts(self) -> None:
        drafts = self._glance.drafts(self._me)
        for gate_id in drafts ^ self._drafts:
            number = self._numbers.get(gate_id)
            if number is not None:
                self._rows[number] = replace(self._rows[number], draft=gate_id in drafts)
        self._drafts = drafts

    def _forget(self) -> None:
        """Let go of rows of gates that are closed."""
        open_ones = set(self._order)
        self._rows = {number: row for number, row in self._rows.items() if number in open_ones}
        self._rounds = {number: known for number, known in self._rounds.items() if number in open_ones}
        self._numbers = {gate_id: number for gate_id, number in self._numbers.items() if number in open_ones}

    def _closed(self, fields: Fields) -> InboxRow:
        state, closed_at, verdict, principal, signature = fields[17:22]
        said = _VERDICTS.get(str(verdict), "Decided") if state == "decided" else ENDED[state]
        decided = state == "decided" and principal
        by = f" by {person(principal, self._me)}{unproven(str(signature))}" if decided else ""
        return _row(fields, closed=f"{said}{by}", closed_at=int(closed_at), verdict=str(verdict or ""))


def _marked(row: InboxRow, mark: Mark) -> InboxRow:
    return replace(row, asleep_until=mark.asleep_until, handed=mark.handed, others=mark.others)


def _tab_of(row: InboxRow) -> Tab:
    """Where an open gate stands."""
    return Tab.FOR_OTHERS if row.others else Tab.FOR_ME if row.asleep_until is None else Tab.SNOOZED


def _row(fields: Fields, closed: str = "", closed_at: int | None = None, verdict: str = "") -> InboxRow:
    (number, gate_id, run_id, kind, title, why, figure, bulk, round_, asked_at, due_at, digest) = fields[:12]
    template, run_title, workspace, seen, search = fields[12:17]
    label, value = json.loads(figure) if figure else ("", None)
    unread = seen != digest and not closed
    return InboxRow(
        gate_id=gate_id,
        number=number,
        run_id=run_id,
        kind=kind,
        title=plain(title),
        why=plain(why),
        template=plain(template),
        workspace=workspace,
        asked_at=asked_at,
        digest=digest,
        figure=value,
        figure_label=label,
        due_at=due_at,
        unread=unread,
        closed=closed,
        closed_at=closed_at,
        verdict=verdict,
        bulk="it is decided" if closed else bulk or (_CHANGED if unread and round_ > 1 else ""),
        search=f"{search}\n{_folded(template)}\n{run_title.casefold()}\ng-{number}",  # its own text is folded already
    )


@functools.lru_cache(maxsize=512)
def _folded(text: str) -> str:
    return text.casefold()
