"""Several gates at once: a table of them, sums per currency, what is left out and why, and one button that counts.

Gates with flags, doubts, more approvers still needed or an unseen change are never decided here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal, Slot

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate.aside_sheets import SnoozeSheet
from counterfoil.desktop.gate.session import lately
from counterfoil.desktop.gate_facts import Answer
from counterfoil.desktop.inbox.rows import bulk_choice
from counterfoil.desktop.office import InboxRow, Office
from counterfoil.desktop.parts.boxes import Banner, Box, Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import column, empty, page_head, put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.tables.adapter import TableAdapter
from counterfoil.desktop.tables.table import from_evidence
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count, is_money, moneys
from counterfoil.desktop.words.people import capital
from counterfoil.desktop.words.plain import quoted
from counterfoil.errors import CounterfoilError
from counterfoil.facts import as_sentence

_LOOK = "a closer look"  # how the reason ends that says no more than the sentence above the table


class BulkPanel(Pane, OneSheet[SnoozeSheet]):
    """The right pane while several gates are selected.

    Signals:
        decided(): decisions were committed.
    """

    decided = Signal()

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__("panel")
        self._bridge, self._clock = bridge, clock
        self._able: list[InboxRow] = []
        self._rows: list[InboxRow] = []  # those that can be snoozed
        self._put_off: list[InboxRow] = []  # those that were, and can be seen again
        self._deciding: list[InboxRow] = []  # those whose decisions are on their way, while they are what is shown
        self._all: list[InboxRow] = []
        self.stands = False  # it says what is done, or was, with what was selected, until a person selects otherwise
        self._settles = ""
        self._ends = QTimer(self, singleShot=True)  # until none of them can be taken back any more
        self._ends.timeout.connect(self._settled)
        self._shown_at = 0
        self._left = 0
        self._page = column(margins=(28, 18, 28, 18), gap=12)
        self.put(self._page, None)
        bar = Box("bar", margins=(28, 10, 24, 10))
        line = row(gap=12)
        self.act = Button("", "primary", icon="check")
        self.act.clicked.connect(self._act)
        self._said = Label("", "small", wrap=True)
        self.later = Button("Snooze…", icon="clock", help="Put all of them off until a time")
        self.later.clicked.connect(self._ask_until)
        self.undo = Button("Undo", icon="rotate-ccw", help="See them again now")
        self.undo.clicked.connect(self._wake)
        put(line, self.act, self.later, self.undo)
        line.addWidget(self._said, 1)
        bar.put(line)
        self.put(bar)

    def show_rows(self, rows: list[InboxRow]) -> None:
        """What is selected."""
        self.close_sheet()  # it was about others
        self._shown_at = self._clock.now_us()
        self._all, self.stands = rows, False
        self._ends.stop()
        able, left_out, why = bulk_choice(rows)
        self._able, self._deciding = able, []
        self._rows = [gate for gate in rows if not gate.closed and not gate.others and gate.asleep_until is None]
        self._put_off = []
        self.later.setVisible(bool(self._rows))
        self.undo.hide()
        empty(self._page)
        head = page_head(Label(f"{count(len(rows), 'gate')} selected", "page"), None)
        head.setContentsMargins(0, 0, 0, 0)  # the page has its margins
        put(self._page, head)
        sums = moneys([row.figure for row in able if is_money(row.figure)])
        if sums:
            put(self._page, Label(f"Together {sums}", "body2"))
        if why:
            put(self._page, Banner("warn", why))
        elif left_out:
            many = len(left_out) > 1
            ends = "need a closer look and are left out" if many else "needs a closer look and is left out"
            other = sorted({row.alone for row in left_out if not row.alone.endswith(_LOOK)})
            reasons = as_sentence(capital("; ".join(other))) if other else ""
            put(self._page, Banner("warn", f"{len(left_out)} of {len(rows)} {ends}.", detail=reasons))
        put(self._page, self._table(rows))
        self.act.say(f"Approve {count(len(able), 'gate')}" if able else "Nothing to decide together")
        self.act.set_kind("primary", "check" if able else "")
        self.act.setEnabled(bool(able))
        self.act.show()
        self._said.setText("Each is sealed to what its row was when you selected it." if able else "")

    def _table(self, rows: list[InboxRow]) -> Box:
        now = self._clock.now_us()
        labels = {row.figure_label for row in rows if row.figure is not None}
        figure = labels.pop() if len(labels) == 1 else "key figure"
        data = {
            "columns": ["gate", "template", "decide by", figure, "note"],
            "rows": [
                [
                    row.title,
                    row.template,
                    times.when(row.due_at, now) if row.due_at else None,
                    row.figure,
                    capital(_reason(row)) or None,
                ]
                for row in rows
            ],
        }
        table = TableView(TableAdapter(from_evidence(data, times.local(now).date())), "Selected gates")
        return Box("card", margins=(1, 1, 1, 1)).put(table)

    @Slot()
    def _act(self) -> None:
        if lately(self._shown_at, self._clock.now_us()) or not self._able:
            return
        able, self._able = self._able, []
        self._deciding, self.stands = able, True
        ends: list[int] = []
        self.act.setEnabled(False)
        self.act.say("Keeping your decisions…")
        self.later.hide()
        done = functools.partial(self._done, able, ends)
        self._bridge.ask(
            self, lambda office: _each(able, functools.partial(_approve, office, ends)), done, self._failed
        )

    @Slot()
    def _ask_until(self) -> None:
        """The nearest deadline of all bounds the choice."""
        if self.sheet is None and self._rows:
            due = min((gate.due_at for gate in self._rows if gate.due_at is not None), default=None)
            sheet = SnoozeSheet(self, self._clock.now_us(), due, len(self._rows))
            sheet.chosen.connect(functools.partial(self._snooze, self._rows))
            self.open_sheet(sheet)

    def _snooze(self, rows: list[InboxRow], until: int) -> None:
        self.stands = rows is self._rows
        done = functools.partial(self._snoozed, rows, until)
        self._bridge.ask(
            self, lambda office: _each(rows, lambda gate: office.snooze(gate.gate_id, until)), done, self._failed
        )

    def _failed(self, trouble: Trouble) -> None:
        """None of it may have been done: what is selected can be tried once more."""
        self._bridge.troubled.emit(trouble)
        if self.stands:
            self.show_rows(self._all)

    def _snoozed(self, rows: list[InboxRow], until: int, refused: list[str]) -> None:
        made = len(rows) - len(refused)
        self.stands = self.stands and made > 0
        if rows is self._rows and made:
            self._put_off = rows
            self.act.hide()
            self.later.hide()
            self.undo.show()
            at = times.in_sentence(times.when(until, self._clock.now_us()))
            self._said.setText(f"Snoozed {count(made, 'gate')} until {at}.")
        self._tell_refused(made, len(rows), "snoozed", refused)
        self.decided.emit()

    @Slot()
    def _wake(self) -> None:
        rows, self._put_off = self._put_off, []
        self.undo.hide()
        self._bridge.ask(self, lambda office: _each(rows, lambda gate: office.wake(gate.gate_id)), self._woken)

    def _woken(self, _refused: list[str]) -> None:
        self._said.setText("They are back in For me.")
        self.decided.emit()

    def _done(self, able: list[InboxRow], ends: list[int], refused: list[str]) -> None:
        """All were tried. What was refused is told over the page, because the list below moves on, and so may what is selected."""
        asked = len(able)
        made = asked - len(refused)
        if able is self._deciding:
            left = -(-(min(ends, default=0) - self._clock.now_us()) // times.SECOND)
            for_now = f" Each can be taken back in Decided for {left} s." if left > 0 else ""
            self._said.setText(f"Approved {count(made, 'gate')}.{for_now}")
            self._settles = f"Approved {count(made, 'gate')}."
            self._ends.start(max(left, 0) * 1000)
            self.act.say(f"Approved {made} of {asked}" if refused else "Approved")
        self._tell_refused(made, asked, "approved", refused)
        self.decided.emit()

    @Slot()
    def _settled(self) -> None:
        self._said.setText(self._settles)

    def _tell_refused(self, made: int, asked: int, what: str, refused: list[str]) -> None:
        if refused:
            said = f"{made} of {count(asked, 'gate')} {'was' if made == 1 else 'were'} {what}. Not {what}:"
            self._bridge.troubled.emit(Trouble(said, "\n".join(refused), "not_all"))


def _reason(gate: InboxRow) -> str:
    """Why it is decided by itself: what needs the closer look, where that is why."""
    return gate.why if gate.why and gate.alone.endswith(_LOOK) else gate.alone


def _approve(office: Office, ends: list[int], gate: InboxRow) -> None:
    """Approve it; until when it can be taken back goes into `ends`."""
    ends.append(office.decide(Answer(gate.gate_id, gate.digest, "approved")).effective_at)


def _each(rows: list[InboxRow], act: Callable[[InboxRow], object]) -> list[str]:
    """Do it to each; a sentence for each that was refused."""
    refused = []
    for gate in rows:
        try:
            act(gate)
        except CounterfoilError as problem:
            refused.append(f"{quoted(gate.title)}: {problem}")
    return refused
