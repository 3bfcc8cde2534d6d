"""How is a run done again: as it was, with changes, or from one of its steps; what that comes to is said before anything starts."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QModelIndex, Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.parts.boxes import Banner, Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import LineEdit
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import column, empty, put
from counterfoil.desktop.parts.segmented import Segmented
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.parts.tick import Tick
from counterfoil.desktop.run_facts import ForkLook
from counterfoil.desktop.runs.steps import root_lines
from counterfoil.desktop.tables.adapter import TableAdapter
from counterfoil.desktop.tables.table import Column, Line, Table
from counterfoil.desktop.tables.view import TableView

SAME, CHANGED, STEP = "same", "changed", "step"
_WIDTH = 620
_WINDOW = 8  # rows of a long list that are in view
_MEASURED = 120  # rows that widths are taken from
_CHOICES = ((SAME, "Same parameters", ""), (CHANGED, "Changed…", ""), (STEP, "From a step…", ""))
_FOLLOWS = {
    SAME: "The same template starts again with the same parameters, on the folder as it is now. Approvals are never carried over to "
    "another run.",
    CHANGED: "Its form opens with the parameters of this run. Nothing starts before you press Run there.",
}


class AgainSheet(Sheet):
    """Asks how and why.

    Signals:
        same(str), changed(str): the reason.
        from_step(int, bool, str): the ordinal of a step in the root branch, whether what happened before it is done again, the reason.
    """

    same = Signal(str)
    changed = Signal(str)
    from_step = Signal(int, bool, str)

    def __init__(self, over: QWidget, bridge: Bridge, document: Mapping[str, Any]) -> None:
        super().__init__(f"Run {document['number']} again", over, width=_WIDTH)
        self._bridge, self._run_id = bridge, str(document["run_id"])
        self._latest = Latest()
        self._step = -1
        self._look: ForkLook | None = None
        self.how = Segmented(_CHOICES, name="How it is run again")
        self.how.choose(SAME)
        self.how.picked.connect(self._show)
        self.reason = LineEdit("Why?")
        self.reason.textEdited.connect(self._say)
        self._lines = root_lines(document)
        self.steps = _table(self._lines)
        self.steps.selectionModel().currentRowChanged.connect(self._chosen)
        self.repeat = Tick("Do again what this run did before that step. Each effect is asked about anew.")
        self.repeat.toggled.connect(self._ask)
        self._told = column(gap=8)
        self._list = Box("card", margins=(1, 1, 1, 1)).put(self.steps)
        self.act = Button("Run it again", "primary")
        self.act.clicked.connect(self._act)
        leave = Button("Leave it", "quiet")
        leave.clicked.connect(self.dismiss)
        put(self.foot, self.act, None, leave)
        self._asks = Label("Go on from which step?", "small_strong")
        put(self.body, self.how)
        self.body.addLayout(self._told)
        put(self.body, self.repeat, Label("Why?", "small_strong"), self.reason, self._asks, self._list)
        self._show(SAME)

    @Slot(str)
    def _show(self, how: str) -> None:
        """What belongs to one of the three ways, and nothing else."""
        from_step = how == STEP
        for part in (self._asks, self._list):
            part.setVisible(from_step)
        self.repeat.setVisible(from_step and self._look is not None and self._may_repeat())
        empty(self._told)
        if not from_step:
            put(self._told, Box("quiet").put(Prose(_FOLLOWS[how], "body2")))
        elif self._look is not None:
            self._tell(self._look)
        elif self._step < 0 and self._lines:
            self.steps.selectRow(len(self._lines) - 1)
        elif not self._lines:
            put(self._told, Banner("info", "This run has come to no step yet, so there is none to go on from."))
        self._say()

    @Slot(QModelIndex, QModelIndex)
    def _chosen(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self._step = self.steps.adapter.lines[now.row()].number - 1
            self.repeat.setChecked(False)
            self._ask()

    @Slot()
    def _ask(self) -> None:
        """What going on from the chosen step would come to."""
        run_id, step, again = self._run_id, self._step, self.repeat.isChecked()
        self._look = None
        self._say()
        ask = self._bridge.ask(
            self,
            lambda office: office.look_at_fork(run_id, step, again=again),
            functools.partial(self._looked, step),
            self._not_seen,
            slow=True,
        )
        self._latest.take(ask)

    def _looked(self, step: int, look: ForkLook) -> None:
        if step == self._step:
            self._look = look
            self._show(self.how.chosen)

    def _tell(self, look: ForkLook) -> None:
        if look.refusal:
            put(self._told, Banner("warn", look.refusal, detail=look.way))
        else:
            put(self._told, Box("quiet", gap=4).put(*[Prose(words, "body2") for words in look.words]))

    def _may_repeat(self) -> bool:
        """Whether there is something before the step that could be done again, or was said to be."""
        return self.repeat.isChecked() or (self._look is not None and (self._look.kept > 0 or bool(self._look.refusal)))

    def _not_seen(self, trouble: Trouble) -> None:
        empty(self._told)
        put(self._told, Banner("bad", trouble.message, detail=trouble.next_step))

    @Slot()
    def _say(self) -> None:
        """The button says what it does, or what is missing."""
        how, look = self.how.chosen, self._look
        words, able = {SAME: "Run it again", CHANGED: "Open its form", STEP: ""}[how], True
        if how == STEP:
            able = look is not None and not look.refusal
            words = f"Go on from step {look.start}" if look is not None and able else "Choose another step"
            if look is None:
                words = "Looking at what it did…" if self._step >= 0 else "Choose a step first"
        if able and not self.reason.text().strip():
            words, able = "Give a reason first", False
        self.act.say(words)
        self.act.setEnabled(able)

    @Slot()
    def _act(self) -> None:
        how, reason, step, again = self.how.chosen, self.reason.text().strip(), self._step, self.repeat.isChecked()
        self.dismiss()
        if how == SAME:
            self.same.emit(reason)
        elif how == CHANGED:
            self.changed.emit(reason)
        else:
            self.from_step.emit(step, again, reason)


def _table(lines: list[tuple[int, str, str]]) -> TableView:
    """The steps of the root branch: number, title, what came of it."""
    rows = tuple(
        Line((str(ordinal + 1), title, summary), (ordinal, title, summary), ordinal + 1)
        for ordinal, title, summary in lines
    )
    made = Table(
        (Column("Step", "number", right=True), Column("What"), Column("What came of it")), rows, sample=rows[:_MEASURED]
    )
    return TableView(TableAdapter(made), "Steps of this run", window=_WINDOW)
