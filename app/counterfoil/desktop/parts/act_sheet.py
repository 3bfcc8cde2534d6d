"""A sheet that says what follows and has one button; closing it does nothing."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import put
from counterfoil.desktop.parts.sheet import Sheet


class ActSheet(Sheet):
    """What follows, one button, and one that leaves things as they are.

    Signals:
        given(str): the button was pressed; carries the key.
        declined(): the other button was pressed.
    """

    given = Signal(str)
    declined = Signal()

    def __init__(
        self, over: QWidget, title: str, *, follows: Sequence[str], button: str, key: str, kind: str, other: str
    ) -> None:
        super().__init__(title, over)
        self._key = key
        told = Box("quiet", gap=6)
        for sentence in follows:
            told.put(Prose(sentence, "body"))
        self.body.addWidget(told)
        self.act = Button(button, kind)
        self.act.clicked.connect(self._act)
        self.other = Button(other, "quiet")
        self.other.clicked.connect(self._decline)
        put(self.foot, self.act, None, self.other)

    @Slot()
    def _act(self) -> None:
        key = self._key
        self.dismiss()
        self.given.emit(key)

    @Slot()
    def _decline(self) -> None:
        self.dismiss()
        self.declined.emit()
