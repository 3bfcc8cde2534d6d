"""What is different from what was there before, marked on the page: gone on one ground, new on another; of many the first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.gate.difference import Change, Part
from counterfoil.desktop.gate.facts_grid import Changed
from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import TOP, column, put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.tables.adapter import TableAdapter
from counterfoil.desktop.tables.table import from_texts
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.words.numbers import count, number
from counterfoil.facts import as_sentence

FIRST = 6  # differences that stand on the page
_WIDE = 760  # pixels of the sheet


class Differences(Box, OneSheet[Sheet]):
    """Above the answers of a gate that took the place of another, or that changed while it was open."""

    def __init__(self, since: str, parts: Sequence[Part], again: Sequence[str], over: QWidget, today: date) -> None:
        """`since` says what it is compared with; `again` are rows whose answer was not kept; the sheet opens `over` a pane."""
        super().__init__("card", gap=10)
        self._parts, self._over, self._today = parts, over, today
        total = sum(len(part.changes) for part in parts)
        head = row(gap=8)
        head.addWidget(Icon("file-diff", "text2"), 0, TOP)
        words = (
            f"{count(total, 'thing')} {'is' if total == 1 else 'are'} different" if total else "Nothing is different"
        )
        self.words = Prose(f"{since} {words} now.", "medium")
        head.addWidget(self.words, 1)
        self.put(head)
        if again:
            self.put(Prose(as_sentence(f"Answered before, asked again: {'; '.join(again)}"), "small"))
        left = FIRST
        for part in parts:
            if left > 0:
                self._put_part(part.title, part.changes[:left])
                left -= len(part.changes)
        if total > FIRST:
            more = Button(f"Show all {number(total)}", "link", icon="chevron-right")
            more.clicked.connect(self._open)
            line = row()
            put(line, more, None)
            self.put(line)
        self.setAccessibleName(self.words.text())

    def _put_part(self, title: str, changes: Sequence[Change]) -> None:
        self.put(Label(title, "small_strong"))
        for change in changes:
            lines = column(gap=2)
            if change.what != title:
                put(lines, Prose(change.what, "small"))
            for text, sign in ((change.before, "−"), (change.after, "+")):
                if text:
                    put(lines, Changed(text, sign))
            self.put(lines)

    @Slot()
    def _open(self) -> None:
        """Every difference as a table that is as quick with thousands."""
        sheet = Sheet("What is different", self._over, width=_WIDE)
        for part in self._parts:
            rows = [(change.what, change.before, change.after) for change in part.changes]
            table = from_texts(("What", "Before", "Now"), rows, self._today)
            held = Box("card", gap=0, margins=(1, 1, 1, 1))
            held.put(TableView(TableAdapter(table), f"{part.title}, differences").captioned())
            put(sheet.body, Label(f"{part.title} · {number(len(rows))}", "small_strong"), held)
        close = Button("Close", "outline")
        close.clicked.connect(sheet.dismiss)
        put(sheet.foot, close, None)
        self.open_sheet(sheet)
