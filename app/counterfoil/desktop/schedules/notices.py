"""What stands above the schedules until a person has seen it: what was missed while nobody was there, and what cannot run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.boxes import Banner, Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import MIDDLE, TOP, Flow, column, empty, put, row
from counterfoil.desktop.parts.silent_rows import silent_keys
from counterfoil.desktop.run_facts import Silent
from counterfoil.desktop.schedule_facts import NoticeSeen
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.plain import one_line

_ASKED = {
    "away": "Got it",
    "nothing": "It is fine",
    "zone": "Got it",
    "clock": "The time is right",
}  # what a person may be done with
_FIRST = ("clock", "silent", "away")
_OF_ONE = ("not_ready", "held_up", "nothing", "holidays")
_CARDS = 2  # at a time: the calendar stays in sight


class NoticeCards(QWidget):
    """One card each.

    Signals:
        got_it(NoticeSeen): this card is done with.
        schedule_wanted(str): show this schedule; "" for the page.
        skipped_wanted(NoticeSeen): run one that was missed.
        sign_in_wanted(str): sign in to this connector, which a firing needs.
        skip_wanted(NoticeSeen): let the firing that cannot run pass.
        gate_wanted(str): go to the question that lets a schedule go on.
        wait_wanted(Silent), restart_wanted(Silent), run_wanted(str): about a step that is silent.
    """

    got_it = Signal(object)
    schedule_wanted = Signal(object)
    skipped_wanted = Signal(object)
    sign_in_wanted = Signal(object)
    skip_wanted = Signal(object)
    gate_wanted = Signal(object)
    wait_wanted = Signal(object)
    restart_wanted = Signal(object)
    run_wanted = Signal(object)

    def __init__(self, *, narrow: bool = False) -> None:
        """`narrow`: above a list, with the buttons below the words and a way to the Schedules page."""
        super().__init__()
        self._narrow = narrow
        whole = column(self, gap=8, margins=(16, 0, 16, 10) if narrow else (28, 14, 24, 0))
        self._lines, self._told = column(gap=8), column(gap=8)
        put(whole, self._told, self._lines)
        self._said = ""
        self._seen: tuple[NoticeSeen, ...] = ()
        self.hide()

    def show_notices(self, seen: Sequence[NoticeSeen]) -> None:
        """Show these; first what holds everything, then the one about an absence."""
        wanted = tuple(sorted(seen, key=lambda one: _FIRST.index(one.kind) if one.kind in _FIRST else len(_FIRST)))
        self.setVisible(bool(wanted or self._said))
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

    def say(self, words: str) -> None:
        """What came of a button, until the next one or until it is closed."""
        self._said = words
        empty(self._told)
        if words:
            close = Button("Close", name=f"Close: {words}")
            close.clicked.connect(self._close)
            put(self._told, Banner("info", words, [close]))
        self.setVisible(bool(words or self._seen))

    @Slot()
    def _close(self) -> None:
        self.say("")

    def _card(self, notice: NoticeSeen) -> Box:
        tone = "info" if notice.kind in _ASKED else "warn"
        card = Box(tone, gap=6, margins=(12, 8, 8, 8))
        line = row(gap=10)
        side = TOP if self._narrow else MIDDLE
        line.addWidget(Icon("info" if tone == "info" else "triangle-alert", tone), 0, side)
        line.addWidget(Prose(notice.words, "small" if self._narrow else "medium", tone=tone), 1)
        card.put(line)
        if self._narrow:
            below = QWidget()
            flow = Flow(below, gap=8, line_gap=6)
            for button in self._keys(notice):
                flow.addWidget(button)
            card.put(below)
        else:
            for button in self._keys(notice):
                line.addWidget(button, 0, MIDDLE)
        card.setAccessibleName(notice.words)
        return card

    def _keys(self, notice: NoticeSeen) -> list[Button]:
        if notice.silent is not None:
            return self._silent_keys(notice.silent)
        made = self._ahead_keys(notice)
        if notice.gate_id:
            question = Button("Go to its question", key=notice.gate_id, name=f"Go to its question: {notice.words}")
            question.chosen.connect(self.gate_wanted)
            made.append(question)
        if notice.kind in _OF_ONE or self._narrow:
            words = "Look" if notice.kind == "nothing" else "Show it" if notice.kind in _OF_ONE else "Details"
            key = notice.schedule_id if notice.kind in _OF_ONE else ""
            show = Button(words, key=key, name=f"{words}: {notice.words}")
            show.chosen.connect(self.schedule_wanted)
            made.append(show)
        if notice.missed:
            skipped = Button("Run a skipped one…", key=notice)
            skipped.chosen.connect(self.skipped_wanted)
            made.append(skipped)
        if notice.kind in _ASKED:
            done = Button(_ASKED[notice.kind], key=notice, name=f"{_ASKED[notice.kind]}: {notice.words}")
            done.chosen.connect(self.got_it)
            made.append(done)
        return made

    def _silent_keys(self, silent: Silent) -> list[Button]:
        show = Button("Show it", key=silent.run_id, name=f"Show it: {silent.words}")
        show.chosen.connect(self.run_wanted)
        keys = silent_keys(silent)
        if keys is None:
            return [show]
        keys[0].chosen.connect(self.wait_wanted)
        keys[1].chosen.connect(self.restart_wanted)
        return [*keys, show]

    def _ahead_keys(self, notice: NoticeSeen) -> list[Button]:
        """What can be done about a firing that cannot run."""
        made = []
        if notice.sign_in:
            sign_in = Button("Sign in", key=notice.sign_in, name=f"Sign in to {one_line(notice.sign_in)}")
            sign_in.chosen.connect(self.sign_in_wanted)
            made.append(sign_in)
        if notice.skip:
            skip = Button(f"{notice.skip}…", key=notice, name=f"{notice.skip}: {notice.words}")
            skip.chosen.connect(self.skip_wanted)
            made.append(skip)
        return made
