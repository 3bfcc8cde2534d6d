"""The next five firings of what is being written, and whether everything is there for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import TOP, column, empty, put, row
from counterfoil.desktop.schedule_facts import NextSeen
from counterfoil.desktop.words.schedules import dated


class AheadBox(Box):
    """“Next five”, always in sight; what a stroke has changed is tinted."""

    def __init__(self) -> None:
        super().__init__("card", gap=8)
        self._list = column(gap=6)
        self.put(Label("Next five", "h2"), self._list)
        self._shown: tuple[NextSeen, ...] = ()
        self.texts: list[str] = []
        self._empty()

    def show_next(self, ahead: Sequence[NextSeen]) -> None:
        """Show these."""
        before, wanted = {one.local for one in self._shown}, tuple(ahead)
        if wanted == self._shown:
            return
        self._shown = wanted
        empty(self._list)
        self.texts = []
        for one in wanted:
            self._put(one, new=bool(before) and one.local not in before)
        if not wanted:
            self._empty()

    def _empty(self) -> None:
        put(self._list, Prose("They stand here as soon as the rule is understood.", "small", tone="text3"))

    def _put(self, one: NextSeen, *, new: bool) -> None:
        at = datetime.fromisoformat(one.local)
        offset = f"{at:%z}"
        text = dated(at, year=True)
        self.texts.append(text)
        line = row(gap=8)
        line.addWidget(Icon("moon" if one.night else "clock", "info" if one.night else "text3", 14), 0, TOP)
        texts = column(gap=1)
        first = row(gap=6)
        put(
            first,
            Label(text, "strong", tone="accent" if new else ""),
            None,
            Label(f"UTC{offset[:3]}:{offset[3:]}", "caption"),
        )
        put(texts, first)
        for words in filter(None, (one.note, one.night)):
            put(texts, Prose(words, "small", tone="info"))
        line.addLayout(texts, 1)
        put(self._list, line)


class ReadyBox(Box):
    """“Ready?”: what has to be there when it fires, as a checklist."""

    def __init__(self) -> None:
        super().__init__("quiet", gap=6)
        self._list = column(gap=6)
        self.put(Label("Ready?", "h2"), self._list)
        self._shown: tuple[tuple[bool, str], ...] | None = None

    def show_ready(self, found: Sequence[tuple[bool, str]]) -> None:
        """Show these: whether it holds, and the sentence."""
        wanted = tuple(found)
        self.setVisible(bool(wanted))
        if wanted == self._shown:
            return
        self._shown = wanted
        empty(self._list)
        for holds, words in wanted:
            line = row(gap=8)
            line.addWidget(Icon("circle-check" if holds else "triangle-alert", "ok" if holds else "warn", 14), 0, TOP)
            line.addWidget(Prose(words, "small", tone="text2" if holds else "warn"), 1)
            put(self._list, line)
