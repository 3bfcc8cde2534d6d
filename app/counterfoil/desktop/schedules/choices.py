"""Fold-outs of a schedule, each a sentence with a default: `If this computer was off: [run once when it is back]`."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from counterfoil.desktop.parts.combo import Combo
from counterfoil.desktop.parts.form import LineEdit
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import put, row

_WIDE, _AMOUNT = 300, 110  # pixels
CHOICES = (
    (
        "missed",
        "If this computer was off:",
        (
            ("latest", "run once when it is back"),
            ("none", "do not run, and say so"),
            ("all", "run each one that was missed"),
        ),
    ),
    (
        "overlap",
        "If the last one is still open:",
        (
            ("skip", "skip and say so"),
            ("queue", "wait for it, then run once"),
            ("cancel", "cancel it, then run"),
            ("allow", "run beside it, two at most"),
        ),
    ),
    (
        "gap",
        "When clocks change:",
        (("shift", "run at the time it then is"), ("skip", "leave out a time that does not exist")),
    ),
    (
        "tell",
        "Tell me when:",
        (
            ("needs", "it needs someone or fails"),
            ("done", "it needs someone, fails or is done"),
            ("failures", "it fails, and only then"),
            ("nothing", "never: the inbox will do"),
        ),
    ),
)
_MOVES = (
    ("skip", "it does not run"),
    ("next", "the next working day"),
    ("previous", "the working day before"),
)
KEYS = ("missed", "overlap", "gap", "tell", "on_holiday")


class Choices(QWidget):
    """The sentences.

    Signals:
        edited(): a person chose something else.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        self._boxes: dict[str, Combo] = {}
        for number, (key, sentence, choices) in enumerate(CHOICES):
            box = Combo(sentence.rstrip(":"))
            box.setFixedWidth(_WIDE)
            for value, words in choices:
                box.addItem(words, value)
            box.activated.connect(self.edited)
            label = Label(sentence, "body2")
            label.setBuddy(box)
            grid.addWidget(label, number, 0)
            grid.addWidget(box, number, 1)
            self._boxes[key] = box
        self.holidays = LineEdit("Whose holidays", "DE-BY, ECB, 2026-12-24, days.ics")
        self.holidays.textChanged.connect(self.edited)
        self._moves = Combo("On a holiday")
        self._moves.setFixedWidth(_WIDE)
        for value, words in _MOVES:
            self._moves.addItem(words, value)
        self._moves.activated.connect(self.edited)
        self._boxes["on_holiday"] = self._moves
        label = Label("On a holiday of:", "body2")
        label.setBuddy(self.holidays)
        grid.addWidget(label, len(CHOICES), 0)
        self.holidays.setFixedWidth(_WIDE)
        grid.addWidget(self.holidays, len(CHOICES), 1)
        grid.addWidget(self._moves, len(CHOICES) + 1, 1)
        self._lay_out_spend(grid, len(CHOICES) + 2)
        grid.setColumnStretch(2, 1)

    def _lay_out_spend(self, grid: QGridLayout, at: int) -> None:
        self.spend = LineEdit("Spend at most, each time")
        self.spend.setFixedWidth(_AMOUNT)
        self.spend.textEdited.connect(self.edited)
        label, after = Label("Spend at most", "body2"), Label("each time", "body2")
        label.setBuddy(self.spend)
        self._spend_note = Prose("", "small", tone="bad")
        held = QWidget()
        line = row(held, gap=8)
        put(line, self.spend, after, None)
        grid.addWidget(label, at, 0)
        grid.addWidget(held, at, 1)
        grid.addWidget(self._spend_note, at + 1, 1)
        self._of_money = (label, held)
        self.say_spend("", "")

    def say_spend(self, most: str, wrong: str) -> None:
        """What holds where nothing is typed, "" where no money is talked of; and what is wrong with what is typed."""
        for part in self._of_money:
            part.setVisible(bool(most))
        self.spend.setPlaceholderText(most)
        self._spend_note.say(wrong)
        self._spend_note.setVisible(bool(wrong))

    def chosen(self, key: str) -> str:
        """What is chosen: missed, overlap, gap or tell."""
        return str(self._boxes[key].currentData())

    def fill_holidays(self, whose: str) -> None:
        """Show these without saying that a person typed them."""
        self.holidays.blockSignals(True)
        self.holidays.setText(whose)
        self.holidays.blockSignals(False)

    def choose(self, key: str, value: str) -> None:
        """Show a choice without saying that a person made it."""
        self._boxes[key].setCurrentIndex(max(0, self._boxes[key].findData(value)))
