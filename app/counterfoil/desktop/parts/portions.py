"""A long list of boxes, made a few at a time so that no frame waits: the first ones at once, more of them when somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.words.numbers import count

AT_FIRST = 30  # boxes shown before a person asks for more
_PORTION = 2  # boxes made at once


class Portions(QWidget):
    """Boxes below each other; `what` is what each one is: a file, an effect."""

    def __init__(self, makers: Sequence[Callable[[], QWidget]], what: str, *, gap: int = 8) -> None:
        super().__init__()
        self._to_make, self._what = list(makers), what
        self._limit, self._made = AT_FIRST, 0
        self._asked = False  # the next box is what somebody asked to see
        self._lines = column(self, gap=gap)
        self.more = Button("", "link")
        self.more.clicked.connect(self._show_more)
        self._foot = QWidget()
        put(row(self._foot), self.more, None)
        put(self._lines, self._foot)
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._make_some)
        self._make_some()

    @Slot()
    def _make_some(self) -> None:
        for make in self._to_make[:_PORTION]:
            box = make()
            self._lines.insertWidget(self._lines.count() - 1, box)
            box.show()
            if self._asked and box.focusPolicy() != Qt.FocusPolicy.NoFocus:
                box.setFocus(Qt.FocusReason.OtherFocusReason)  # where reading goes on
            self._asked = False
        self._made += min(_PORTION, len(self._to_make))
        del self._to_make[:_PORTION]
        waits = self._made >= self._limit
        self._foot.setVisible(bool(self._to_make) and waits)
        self.more.say(f"Show {count(min(AT_FIRST, len(self._to_make)), f'more {self._what}')}")
        if self._to_make and not waits:
            self._next.start()

    @Slot()
    def _show_more(self) -> None:
        self._limit += AT_FIRST
        self._asked = True
        self._make_some()
