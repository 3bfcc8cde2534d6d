"""What stands above the schedules until a person has seen it: what was missed while nobody was there, and what cannot run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import MIDDLE, column, empty, put, row
from counterfoil.desktop.schedule_facts import NoticeSeen
from counterfoil.desktop.words.numbers import count

_ASKED = {"away": "Got it", "nothing": "It is fine", "zone": "Got it"}  # what a person may be done with
_OF_ONE = ("not_ready", "held_up", "nothing")
_CARDS = 2  # at a time: the calendar stays in sight


class NoticeCards(QWidget):
    """One card each.

    Signals:
        got_it(): the card of what was missed is done with.
        schedule_wanted(str): show this schedule.
    """

    got_it = Signal()
    schedule_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._lines = column(self, gap=8, margins=(28, 14, 24, 0))
        self._seen: tuple[NoticeSeen, ...] = ()
        self.hide()

    def show_notices(self, seen: Sequence[NoticeSeen]) -> None:
        """Show these, the one about an absence first."""
        wanted = tuple(sorted(seen, key=lambda one: one.kind != "away"))
        self.setVisible(bool(wanted))
        if wanted == self._seen:
            return
        self._seen = wanted
        empty(self._lines)
        for notice in wanted[:_CARDS]:
            put(self._lines, self._card(notice))
        if len(wanted) > _CARDS:
            put(
                self._lines, Label(f"And {count(len(wanted) - _CARDS, 'notice')} more, one after the other.", "caption")
            )

    def _card(self, notice: NoticeSeen) -> Box:
        tone = "info" if notice.kind in _ASKED else "warn"
        card = Box(tone, margins=(12, 8, 8, 8))
        line = row(gap=10)
        line.addWidget(Icon("info" if tone == "info" else "triangle-alert", tone), 0, MIDDLE)
        line.addWidget(Prose(notice.words, "medium", tone=tone), 1)
        if notice.kind in _OF_ONE:
            show = Button("Show it", key=notice.schedule_id, name=f"Show it: {notice.words}")
            show.chosen.connect(self.schedule_wanted)
            line.addWidget(show, 0, MIDDLE)
        if notice.kind in _ASKED:
            done = Button(_ASKED[notice.kind], name=f"{_ASKED[notice.kind]}: {notice.words}")
            done.chosen.connect(self._seen_it)
            line.addWidget(done, 0, MIDDLE)
        card.put(line)
        card.setAccessibleName(notice.words)
        return card

    @Slot(object)
    def _seen_it(self, _key: object) -> None:
        self.got_it.emit()
