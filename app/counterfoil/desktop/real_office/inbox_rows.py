"""The inbox as rows. What a row shows of an open gate never changes, so it is read once; a fresh look reads the order of the open ones
from an index, and who has looked at what since."""

from __future__ import annotations

import functools
import json
from dataclasses import replace

from counterfoil.desktop.office import InboxRow
from counterfoil.desktop.words.people import person
from counterfoil.facts import unproven
from counterfoil.store.glance import Fields, Glance

SHOWN_CLOSED = 1_000  # the newest closed gates; older ones are in the trail and on their runs
_ENDED = {"expired": "Expired", "withdrawn": "Withdrawn"}
_VERDICTS = {"approved": "Approved", "rejected": "Rejected", "returned": "Sent back", "answered": "Answered"}
_CHANGED = "changed since it was first asked"


class InboxRows:
    """Rows of one person's inbox, kept between looks."""

    def __init__(self, glance: Glance, me: str) -> None:
        self._glance = glance
        self._me = me
        self._rows: dict[int, InboxRow] = {}
        self._numbers: dict[str, int] = {}
        self._rounds: dict[int, tuple[int, str]] = {}  # round, and why it cannot be decided with others
        self._drafts: frozenset[str] = frozenset()
        self._read_until: int | None = None
        self._order: list[int] = []

    def for_me(self, workspace: str | None) -> tuple[InboxRow, ...]:
        """Open gates, oldest question first."""
        self._look()
        rows = [self._rows[number] for number in self._order]
        return tuple(rows) if workspace is None else tuple(row for row in rows if row.workspace == workspace)

    def count(self, workspace: str | None) -> int:
        """How many gates are open."""
        if workspace is None:
            return self._glance.count_open()
        self._look()
        return sum(self._rows[number].workspace == workspace for number in self._order)

    def waits(self) -> dict[str, tuple[str, ...]]:
        """The kinds of open gates by run."""
        found: dict[str, tuple[str, ...]] = {}
        self._look()
        for number in self._order:
            row = self._rows[number]
            found[row.run_id] = (*found.get(row.run_id, ()), row.kind)
        return found

    def decided(self, workspace: str | None) -> tuple[InboxRow, ...]:
        """Closed gates, newest first."""
        found = self._glance.closed_gates(self._me, workspace, SHOWN_CLOSED)
        return tuple(self._closed(fields) for fields in found)

    def _look(self) -> None:
        until = self._glance.newest_reading()
        self._order = self._glance.open_numbers()
        unknown = [number for number in self._order if number not in self._rows]
        for fields in self._glance.open_gates(self._me, unknown) if unknown else ():
            self._add(fields)
        self._order = [number for number in self._order if number in self._rows]  # one may have closed in between
        self._take_readings(until)
        self._take_drafts()
        if len(self._rows) > 2 * len(self._order) + 1000:
            self._forget()

    def _add(self, fields: Fields) -> None:
        number, gate_id, round_, bulk = int(fields[0]), str(fields[1]), int(fields[8]), str(fields[7])
        self._numbers[gate_id] = number
        self._rounds[number] = (round_, bulk)
        row = _row(fields)
        self._rows[number] = replace(row, draft=True) if gate_id in self._drafts else row

    def _take_readings(self, until: int) -> None:
        """What was looked at since the last time; rows that were just read have it already."""
        if self._read_until is not None:
            for gate_id, digest, _ in self._glance.read_since(self._me, self._read_until):
                number = self._numbers.get(gate_id)
                row = self._rows.get(number) if number is not None else None
                if number is not None and row is not None and row.unread and digest == row.digest:
                    self._rows[number] = replace(row, unread=False, bulk=self._rounds[number][1])
        self._read_until = until

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
        said = _VERDICTS.get(str(verdict), "Decided") if state == "decided" else _ENDED[state]
        decided = state == "decided" and principal
        by = f" by {person(principal, self._me)}{unproven(str(signature))}" if decided else ""
        return _row(fields, closed=f"{said}{by}", closed_at=int(closed_at), verdict=str(verdict or ""))


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
        title=title,
        why=why,
        template=template,
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
