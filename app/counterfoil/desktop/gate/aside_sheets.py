"""The sheets of what is not decided now: until when it is put off, and whom it is given to. Closing one does nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.clock import to_us
from counterfoil.desktop.gate_facts import Person
from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.combo import Combo
from counterfoil.desktop.parts.form import FieldEditor, LineEdit
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.words import times
from counterfoil.desktop.words.plain import one_line
from counterfoil.inbox.until import offered

_FOLLOWS = "It comes back to For me by itself. Nothing is decided, and its deadline stays."
_FOLLOW = "They come back to For me by themselves. Nothing is decided, and no deadline moves."
_TIME = 96  # pixels of a field for a time


class SnoozeSheet(Sheet):
    """Times that lie before the deadline, and fields for any other; of `many` gates the nearest deadline counts.

    Signals:
        chosen(int): until then (us).
    """

    chosen = Signal(object)

    def __init__(self, over: QWidget, now_us: int, due_us: int | None, many: int = 1) -> None:
        super().__init__("Snooze" if many == 1 else f"Snooze {many} gates", over)
        self._now, self._due = now_us, due_us
        self.choices: list[Button] = []
        told = _FOLLOWS if many == 1 else _FOLLOW
        self.body.addWidget(Box("quiet").put(Prose(told, "body2")))
        self.body.addSpacing(4)
        for choice in offered(now_us, due_us):
            if choice.why_not:
                self.body.addWidget(Prose(f"{choice.words}: {choice.why_not}.", "small"))
                continue
            button = Button(choice.words, "outline", key=choice.at, help=times.full(choice.at))
            button.chosen.connect(self._pick)
            self.choices.append(button)
            self.body.addWidget(button)
        self.body.addSpacing(6)
        self._put_other()
        leave = Button("Keep it here", "quiet")
        leave.clicked.connect(self.dismiss)
        put(self.foot, self.act, None, leave)
        self._edited()

    def _put_other(self) -> None:
        """A day and a time of one's own."""
        self.day = FieldEditor({"name": "day", "type": "date", "label": "Or a day", "required": True})
        self.day.edited.connect(self._edited)
        self.time = LineEdit("Time", "16:00")
        self.time.setText("08:00")
        self.time.setFixedWidth(_TIME)
        self.time.textEdited.connect(self._edited)
        self.body.addWidget(self.day)
        label = Label("Time", "small_strong")
        label.setBuddy(self.time)
        line, named = row(gap=8), column(gap=4)
        put(line, self.time, None)
        put(named, label, line)
        self.body.addLayout(named)
        self.act = Button("", "primary", icon="clock")
        self.act.clicked.connect(self._act)

    def _until(self) -> tuple[int | None, str]:
        """The instant that is filled in, and why it cannot be taken."""
        day, at = str(self.day.text()), self.time.text().strip()
        if not day:
            return None, "Choose a time, or give a day"
        try:
            found = to_us(datetime.strptime(f"{day} {at}", "%Y-%m-%d %H:%M").astimezone())
        except (ValueError, OverflowError):
            return None, "Write the day like 2026-12-31, the time like 16:00"
        if found <= self._now:
            return None, "That is past"
        if self._due is not None and found >= self._due:
            return None, f"After the deadline, {times.in_sentence(times.when(self._due, self._now))}"
        return found, ""

    @Slot()
    def _edited(self) -> None:
        until, missing = self._until()
        self.act.setEnabled(until is not None)
        named = times.in_sentence(times.when(until, self._now)) if until is not None else ""
        self.act.say(f"Snooze until {named}" if named else missing)

    @Slot()
    def _act(self) -> None:
        until, _ = self._until()
        if until is not None:
            self._pick(until)

    @Slot(object)
    def _pick(self, until: object) -> None:
        self.dismiss()
        self.chosen.emit(until)


class GiveSheet(Sheet):
    """Somebody who is known here, and a line for why.

    Signals:
        given(Person, str): to whom, and why.
    """

    given = Signal(object, str)

    def __init__(self, over: QWidget, people: Sequence[Person]) -> None:
        super().__init__("Give to somebody", over)
        self._able = [person for person in people if not person.why_not]
        self.act = Button("", "primary", icon="hand")
        self.act.clicked.connect(self._act)
        leave = Button("Keep it here", "quiet")
        leave.clicked.connect(self.dismiss)
        if not self._able:
            self._put_nobody()
        else:
            self._put_form()
        for person in people:
            if person.why_not:
                self.body.addWidget(Prose(one_line(person.why_not), "small"))
        put(self.foot, *([self.act] if self._able else []), None, leave)

    def _put_nobody(self) -> None:
        known = "Who has decided something here, or has an account on this computer, can be given a gate."
        self.body.addWidget(Prose("Nobody else who may decide this is known here.", "medium"))
        self.body.addWidget(Prose(known, "small"))

    def _put_form(self) -> None:
        label = Label("To whom?", "small_strong")
        self.who = Combo("To whom?")
        label.setBuddy(self.who)
        self.who.addItem("Choose…")
        for person in self._able:
            self.who.addItem(one_line(person.name), person.principal)
        self.who.currentIndexChanged.connect(self._edited)
        asked = Label("Why?", "small_strong")
        self.why = LineEdit("Why?", "kept in the trail; may be left empty")
        asked.setBuddy(self.why)
        follows = "The gate then waits for them. Nothing is decided; anyone who may decide it can take it back."
        for widget in (label, self.who, asked, self.why, Box("quiet").put(Prose(follows, "body2"))):
            self.body.addWidget(widget)
        self._edited()

    @Slot()
    def _edited(self) -> None:
        at = self.who.currentIndex()
        self.act.setEnabled(at > 0)
        self.act.say(f"Give to {one_line(self._able[at - 1].name)}" if at > 0 else "Choose somebody first")

    @Slot()
    def _act(self) -> None:
        person, why = self._able[self.who.currentIndex() - 1], self.why.text().strip()
        self.dismiss()
        self.given.emit(person, why)
