"""One day of the calendar in words: each firing with what became of it, and what can be done now."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.boxes import Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import TOP, column, put, row
from counterfoil.desktop.parts.scroller import Scroller
from counterfoil.desktop.schedule_facts import DaySeen, FiringSeen
from counterfoil.desktop.words import schedules as words
from counterfoil.desktop.words import times
from counterfoil.desktop.words.plain import one_line, quoted

_CLOCK = 40  # pixels of a time, so that names stand below each other


class DayPane(Pane):
    """The firings of a day.

    Signals:
        run_missed(FiringSeen): run this one after all.
        run_wanted(str), gate_wanted(str): show a run or its question.
    """

    run_missed = Signal(object)
    run_wanted = Signal(object)
    gate_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__("panel")
        self._area = Scroller()
        self.lines.addWidget(self._area, 1)
        self.buttons: list[Button] = []
        self._seen: DaySeen | None = None
        self._now = 0

    def show_day(self, seen: DaySeen | None, now_us: int) -> None:
        """Show a day."""
        if seen == self._seen and now_us // times.MINUTE == self._now // times.MINUTE:
            return
        focused = next((button.key for button in self.buttons if button.hasFocus()), None)
        self._seen, self._now = seen, now_us
        self._retire_page()
        self.buttons = []
        if seen is None:
            return
        page = Pane("panel", gap=6, margins=(28, 12, 24, 16))
        today = times.local(now_us).date()
        head = f"{seen.day:%A} {times.date_words(seen.day, today)}"
        page.put(Label(f"Today, {head}" if seen.day == today else head, "h2"))
        if seen.night:
            night = row(gap=8)
            night.addWidget(Icon("moon", "info", 14), 0, TOP)
            night.addWidget(Prose(seen.night, "small", tone="info"), 1)
            page.put(night)
        for firing in seen.firings:
            page.put(self._line(firing))
        if not seen.firings:
            page.put(Prose("Nothing is planned on this day." if seen.day >= today else "Nothing was planned.", "body2"))
        page.put(None)
        self._area.setWidget(page)  # whole, so that its height is known before it is shown: rows are never squeezed
        again = next((button for button in self.buttons if button.key == focused), None)
        if again is not None:
            again.setFocus(Qt.FocusReason.OtherFocusReason)

    def _retire_page(self) -> None:
        """The day before is let go of once whatever was pressed in it is over."""
        page = self._area.takeWidget()
        if page is not None:
            page.hide()
            page.deleteLater()

    def focus(self) -> None:
        """Go to the first thing that can be done here."""
        if self.buttons:
            self.buttons[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _line(self, firing: FiringSeen) -> QWidget:
        held = QWidget()
        line = row(held, gap=10, margins=(0, 2, 0, 2))
        tone = words.tone_of(firing)
        mark = column(margins=(0, 2, 0, 0))
        put(mark, Icon(words.icon_of(firing), tone, 16))
        line.addLayout(mark)
        line.setAlignment(mark, TOP)
        at = Label(times.clock_time(firing.due_at), "strong")
        at.setFixedWidth(_CLOCK)
        line.addWidget(at, 0, TOP)
        texts = column(gap=2)
        put(texts, Prose(one_line(firing.name), "medium"))
        said = Prose(words.firing_words(firing, self._now), "small", tone=tone)
        put(texts, said)
        line.addLayout(texts, 1)
        for button in self._keys(firing):
            line.addWidget(button, 0, TOP)
        return held

    def _keys(self, firing: FiringSeen) -> list[Button]:
        at = times.clock_time(firing.until or firing.due_at)
        name = quoted(firing.name)
        made = []
        if firing.may_run:
            made.append(self._key("Run it after all", "play", f"Run {name} of {at} after all", ("missed", firing)))
        if firing.gate_id:
            made.append(self._key("Go to its question", "", f"Go to the question of {name}", ("gate", firing.gate_id)))
        run = firing.run_id or firing.held_by
        if run:
            shown = "Show its run" if firing.run_id else f"Show run {firing.run_number}"
            made.append(self._key(shown, "", f"{shown}: {name} of {at}", ("run", run)))
        self.buttons += made
        return made

    def _key(self, text: str, icon: str, name: str, key: tuple[str, object]) -> Button:
        button = Button(text, "outline" if key[0] == "missed" else "link", icon=icon, name=name, key=key)
        button.chosen.connect(self._chosen)
        return button

    @Slot(object)
    def _chosen(self, key: object) -> None:
        if isinstance(key, tuple):
            act, what = key
            signal = {"missed": self.run_missed, "gate": self.gate_wanted, "run": self.run_wanted}[act]
            signal.emit(what)
