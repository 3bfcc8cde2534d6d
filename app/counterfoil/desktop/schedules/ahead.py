"""The next five firings of what is being written, and whether everything is there for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from PySide6.QtCore import Signal

from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import TOP, column, empty, put, row, side_by_side
from counterfoil.desktop.schedule_facts import NextSeen, ReadySeen
from counterfoil.desktop.words.plain import plain
from counterfoil.desktop.words.schedules import dated

_NOT_YET = "They stand here as soon as rule and zone are understood."
_UNPLANNED = "It has no times: it starts when what it waits for has come."


class AheadBox(Box):
    """“Next five”, always in sight; what a stroke has changed is tinted."""

    def __init__(self) -> None:
        super().__init__("card", gap=8)
        self._list = column(gap=6)
        self.put(Label("Next five", "h2"), self._list)
        self._shown: tuple[NextSeen, ...] = ()
        self._planned: bool | None = None
        self.texts: list[str] = []
        self.show_next(())

    def show_next(self, ahead: Sequence[NextSeen], *, planned: bool = True) -> None:
        """Show these; without `planned` the rule is one that has no times, such as files that come."""
        before, wanted = {one.local for one in self._shown}, tuple(ahead)
        if (wanted, planned) == (self._shown, self._planned):
            return
        self._shown, self._planned = wanted, planned
        empty(self._list)
        self.texts = []
        for one in wanted:
            self._put(one, new=bool(before) and one.local not in before)
        if not wanted:
            put(self._list, Prose(_NOT_YET if planned else _UNPLANNED, "small", tone="text3"))

    def _put(self, one: NextSeen, *, new: bool) -> None:
        at = datetime.fromisoformat(one.local)
        offset = f"{at:%z}"
        text = dated(at, year=True)
        self.texts.append(f"{text} {one.place}".rstrip())
        line = row(gap=8)
        line.addWidget(Icon("moon" if one.night else "clock", "info" if one.night else "text3", 14), 0, TOP)
        texts = column(gap=1)
        where = f"{plain(one.place)} · " if one.place else ""
        said = (
            Label(text, "strong", tone="accent" if new else ""),
            Label(f"{where}UTC{offset[:3]}:{offset[3:]}", "caption"),
        )
        put(texts, side_by_side(*said, line_gap=0))
        for words in filter(None, (one.note, one.night)):
            put(texts, Prose(words, "small", tone="info"))
        line.addLayout(texts, 1)
        put(self._list, line)


class ReadyBox(Box):
    """“Ready?”: what has to be there when it fires, as a checklist; what is missing has its button.

    Signals:
        again(): look again.
        mend(str): go where the thing of this name is mended.
        sign_in(str): sign in to the connector of this name.
    """

    again = Signal()
    mend = Signal(object)
    sign_in = Signal(object)

    def __init__(self) -> None:
        super().__init__("quiet", gap=6)
        self._list = column(gap=6)
        self._look = Button("Look again", "quiet", name="Look again at what it needs")
        self._look.clicked.connect(self.again)
        head = row(gap=6)
        put(head, Label("Ready?", "h2"), None, self._look)
        self.put(head, self._list)
        self._shown: tuple[ReadySeen, ...] | None = None
        self.texts: list[str] = []
        self.show_ready(())

    def show_looking(self) -> None:
        """It is being looked at; what was found before stays in sight."""
        self.setVisible(True)
        self._look.setEnabled(False)
        self._look.say("Looking…")

    def show_ready(self, found: Sequence[ReadySeen], *, folder: bool = True) -> None:
        """Show these; `folder`: another one can be chosen. Nothing to show is no box."""
        wanted = tuple(found)
        self.setVisible(bool(wanted))
        self._look.setEnabled(True)
        self._look.say("Look again")
        if wanted == self._shown:
            return
        self._shown = wanted
        empty(self._list)
        self.texts = []
        for one in wanted:
            mended = {**_MENDED, **({"folder": "Another folder…"} if folder else {})}
            self._put(one, "Sign in" if one.sign_in else mended.get(one.check, ""))

    def _put(self, one: ReadySeen, button: str) -> None:
        line = row(gap=8)
        tone = "ok" if one.holds else "warn"
        line.addWidget(Icon("circle-check" if one.holds else "triangle-alert", tone, 14), 0, TOP)
        texts = column(gap=2)
        put(texts, Prose(plain(one.words), "small", tone="text2" if one.holds else "warn"))
        if not one.holds:
            told = one.next_step and one.next_step.rstrip(".") != button.rstrip("…")
            put(texts, *([Prose(plain(one.next_step), "small")] if told else []))
            if button:
                mend = Button(button, key=one.sign_in or one.check)
                mend.chosen.connect(self.sign_in if one.sign_in else self.mend)
                there = row(gap=0)
                put(there, mend, None)
                texts.addLayout(there)
        self.texts.append(f"{'' if one.holds else 'Missing: '}{one.words}")
        line.addLayout(texts, 1)
        put(self._list, line)


_MENDED = {"parameters": "Fill it in"}
