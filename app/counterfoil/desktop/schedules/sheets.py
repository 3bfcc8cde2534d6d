"""Sheets of the Schedules page: what an act means, before it is done."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import put
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.schedule_facts import ScheduleRow
from counterfoil.desktop.words.plain import quoted


class ActSheet(Sheet):
    """What follows, and one button.

    Signals:
        given(str): the button was pressed; carries the key.
    """

    given = Signal(str)

    def __init__(
        self, over: QWidget, title: str, *, follows: tuple[str, ...], button: str, key: str, kind: str, other: str
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
        self.other.clicked.connect(self.dismiss)
        put(self.foot, self.act, None, self.other)

    @Slot()
    def _act(self) -> None:
        key = self._key
        self.dismiss()
        self.given.emit(key)


def remove_sheet(over: QWidget, row: ScheduleRow) -> ActSheet:
    """Take a schedule away?"""
    return ActSheet(
        over,
        f"Remove {quoted(row.name)}",
        follows=(
            "Nothing starts by it any more. A run that is under way goes on.",
            "Its runs, and what became of each firing, stay in Runs and in the Trail.",
        ),
        button=f"Remove {quoted(row.name)}",
        key=row.schedule_id,
        kind="danger",
        other="Keep it",
    )
