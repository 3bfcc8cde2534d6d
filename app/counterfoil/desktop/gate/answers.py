"""“Needs your answer”: a row per thing that must be judged, its evidence inline, a choice without a default, a reason where one is due."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.gate.facts import AnswerRow
from counterfoil.desktop.gate.facts_grid import FactsGrid
from counterfoil.desktop.gate.reading import Reading
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.parts.boxes import Box, Rule
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import LineEdit
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.parts.segmented import Segmented
from counterfoil.desktop.words.choices import choice_tone, choice_words
from counterfoil.desktop.words.numbers import count

_PORTION = 2  # rows made at once, so that no frame waits
_AT_FIRST = 30  # rows shown before a person asks for more


class AnswerRowBox(QWidget):
    """One row.

    Signals:
        chosen(str, str): key and choice.
        reasoned(str, str): name of the reason's field and what was typed.
        step_wanted(bool): Ctrl+Down or Ctrl+Up, to the next or previous row.
    """

    chosen = Signal(str, str)
    reasoned = Signal(str, str)
    step_wanted = Signal(bool)

    def __init__(self, answer: AnswerRow, session: Session) -> None:
        super().__init__()
        self.answer = answer
        self._session = session
        lines = column(self, gap=8, margins=(14, 12, 14, 12))
        head = row(gap=8)
        mark = Icon("info" if answer.default else "triangle-alert", "text3" if answer.default else "warn")
        texts = column(gap=2)
        put(texts, Prose(answer.title, "strong"))
        if answer.flag:
            put(texts, Prose(answer.flag, "body" if answer.default else "warn"))
        if answer.help:
            put(texts, Prose(answer.help, "small"))
        head.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        head.addLayout(texts, 1)
        put(lines, head)
        if answer.facts:
            facts = row(margins=(24, 0, 0, 0))
            put(facts, FactsGrid(answer.facts))
            put(lines, facts)
        line = row(gap=10, margins=(24, 2, 0, 0))
        options = [(choice, choice_words(choice), choice_tone(choice)) for choice in answer.choices]
        self.choice = Segmented(options, name=f"Answer for {answer.title}", numbered=True)
        self.choice.choose(session.choice(answer))
        self.choice.picked.connect(self._picked)
        put(line, self.choice)
        self.reason = LineEdit(f"Reason for {answer.title}")
        self.reason.setText(str(session.values.get(answer.reason, "")) if answer.reason else "")
        self.reason.textEdited.connect(self._typed)
        # All the room that the stretch behind it would share, to the edge of the facts.
        line.addWidget(self.reason, 1000)
        self._need = Label("", "small")
        put(line, self._need, None)
        put(lines, line)
        self.refresh()

    def refresh(self) -> None:
        """Show what this row still needs."""
        needs_reason = bool(self.answer.reason) and self._session.choice(self.answer) in self.answer.reasoned
        self.reason.setVisible(needs_reason)
        self.reason.setPlaceholderText("Reason (needed)" if needs_reason else "")
        missing = self._session.missing(self.answer)
        is_open = self._session.reading.open
        given = self.answer.field in self._session.values
        aside = "Unless you choose otherwise" if is_open and self.answer.default and not given else ""
        wanted = "Needs an answer" if is_open else "No answer"
        self._need.setText(wanted if missing == "choice" else aside)
        self._need.setVisible(bool(self._need.text()))

    def aim_of(self, here: QWidget) -> str:
        """What `focus_on` needs to come back to a part of this row."""
        return self.answer.reason if here is self.reason else self.answer.key

    def focus(self, aim: str) -> None:
        """Go to the reason where it is aimed at or missing, else to the choice."""
        aimed = aim == self.answer.reason and not self.reason.isHidden()
        if aimed or self._session.missing(self.answer) == "reason":
            self.reason.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.choice.first().setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.modifiers() == Qt.KeyboardModifier.ControlModifier and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.step_wanted.emit(event.key() == Qt.Key.Key_Down)
            return
        super().keyPressEvent(event)

    @Slot(str)
    def _picked(self, choice: str) -> None:
        self.chosen.emit(self.answer.key, choice)

    @Slot(str)
    def _typed(self, text: str) -> None:
        self.reasoned.emit(self.answer.reason, text)


class _Batch(QWidget):
    """Rows that are made and not shown yet."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()
        self.lines = column(self)


class NeedsAnswer(Box):
    """All rows, with how many are open.

    Signals:
        edited(): something was chosen or typed.
    """

    edited = Signal()

    def __init__(self, reading: Reading, session: Session, *, guided: bool = False) -> None:
        """`guided` says what this is for, on somebody's first run."""
        needed = _needing(reading) > 0 or not reading.open
        super().__init__("answers" if needed else "card", gap=0, margins=(0, 0, 0, 4))
        called = ("Needs your answer" if needed else "A verdict for each") if reading.open else "Answers"
        self._session, self._guided = session, guided
        self._head = head = row(gap=8, margins=(14, 12, 14, 2))
        self._count = Label("", "small")
        self._called = Label(called, "h2")
        put(head, self._called, self._count, None)
        self._hint = Label(_guide(_needing(reading)) if guided else _keys(reading), "caption")
        put(head, self._hint)
        self.put(head)
        self.rows: list[AnswerRowBox] = []
        self._to_build = list(reading.answers)
        self._limit = _AT_FIRST
        self._batch: _Batch | None = None  # each showing lays out the whole page
        self._gathers = False
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._go_on)
        self.more = Button("", "link")
        self.more.clicked.connect(self._show_more)
        self._foot = QWidget()
        put(row(self._foot, margins=(36, 0, 14, 10)), self.more, None)
        self.put(self._foot)
        self.setAccessibleName(called)
        self.build_some()
        self.refresh()

    def build_some(self) -> bool:
        """Make the next few rows; whether more are to be made now."""
        for answer in self._to_build[:_PORTION]:
            self._build(answer)
        del self._to_build[:_PORTION]
        waits = len(self.rows) >= self._limit and bool(self._to_build)
        if not self._gathers or waits or not self._to_build:
            self._show_batch()
        self._foot.setVisible(waits)
        self.more.say(f"Show {count(min(_AT_FIRST, len(self._to_build)), 'more row')}")
        return bool(self._to_build) and not waits

    def _build(self, answer: AnswerRow) -> None:
        if self._batch is None:
            self._batch = _Batch(self)
        if self.rows:
            self._batch.lines.addWidget(Rule())
        box = AnswerRowBox(answer, self._session)
        box.chosen.connect(self._chosen)
        box.reasoned.connect(self._reasoned)
        box.step_wanted.connect(self._step)
        self.rows.append(box)
        self._batch.lines.addWidget(box)

    def _show_batch(self) -> None:
        """Show what was made, all in one."""
        if self._batch is not None:
            self.lines.insertWidget(self.lines.count() - 1, self._batch)
            self._batch.show()
            self._batch = None

    @Slot()
    def _show_more(self) -> None:
        self._limit += _AT_FIRST
        self._gathers = True
        self._go_on()

    @Slot()
    def _go_on(self) -> None:
        if self.build_some():
            self._next.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._say_hint()

    def _say_hint(self) -> None:
        """What to do first is said until it is done, and where there is room."""
        done = self._guided and not self._session.open_rows()
        parts = (self._called, self._count, self._hint)
        wide = sum(part.sizeHint().width() + self._head.spacing() for part in parts) + 28  # its margins
        self._hint.setVisible(self._session.reading.open and self.width() > wide and not done)

    def refresh(self) -> None:
        """Say how many are open."""
        for box in self.rows:
            box.refresh()
        missing = len(self._session.open_rows())
        rows = sum(not row.default for row in self._session.reading.answers)
        is_open = self._session.reading.open
        self._count.setText(f"{missing} of {count(rows, 'row')} open" if missing else "All answered" if rows else "")
        self._count.setVisible(is_open)
        self._count.set_tone("warn" if missing else "ok")
        self._say_hint()

    def focus_on(self, aim: str) -> bool:
        """Go to a row by its key or by the name of its reason."""
        ahead = [at for at, answer in enumerate(self._to_build, 1) if aim in (answer.key, answer.reason)]
        if ahead:
            self._limit = max(self._limit, len(self.rows) + ahead[0])
            self._gathers = True
            while self.build_some():
                pass
        self._show_batch()
        found = next((box for box in self.rows if aim in (box.answer.key, box.answer.reason)), None)
        if found is not None:
            found.focus(aim)
        return found is not None

    @Slot(str, str)
    def _chosen(self, key: str, choice: str) -> None:
        self._session.choose(key, choice)
        self.refresh()
        self.edited.emit()

    @Slot(str, str)
    def _reasoned(self, name: str, text: str) -> None:
        self._session.fill(name, text)
        self.refresh()
        self.edited.emit()

    @Slot(bool)
    def _step(self, forward: bool) -> None:
        here = self.sender()
        at = self.rows.index(here) if isinstance(here, AnswerRowBox) else -1
        target = at + (1 if forward else -1)
        if 0 <= target < len(self.rows):
            self.rows[target].choice.first().setFocus(Qt.FocusReason.ShortcutFocusReason)


def _needing(reading: Reading) -> int:
    return sum(not row.default for row in reading.answers)


def _keys(reading: Reading) -> str:
    most = max(len(row.choices) for row in reading.answers)
    return f"{' '.join(str(n) for n in range(1, most + 1))} choose · Ctrl+↓ next row"


def _guide(rows: int) -> str:
    number = {1: "One thing needs", 2: "Two things need", 3: "Three things need"}.get(rows, f"{rows} things need")
    return f"{number} your answer first."
