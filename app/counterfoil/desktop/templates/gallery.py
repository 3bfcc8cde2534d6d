"""The gallery: cards with what comes out of a template, what it needs and what it does; chips come from the manifest."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.boxes import Box, Nothing, Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Chip, Icon, Label, Prose
from counterfoil.desktop.parts.layouts import TOP, Flow, empty, put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.scroller import Scroller
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.template_facts import TemplateCard
from counterfoil.desktop.words import times
from counterfoil.desktop.words.plain import one_line, plain, quoted

WIDTH, HEIGHT = 280, 184
_CHIPS = 4  # in two lines
_SECTIONS = (("used", "Used lately"), ("yours", "Yours"), ("bundled", "Bundled"))


class CardBox(Box):
    """One template.

    Signals:
        run_wanted(str): its path.
        looked_at(TemplateCard): Space on it.
    """

    run_wanted = Signal(object)
    looked_at = Signal(object)

    def __init__(self, card: TemplateCard, now_us: int) -> None:
        super().__init__("card", gap=6, margins=(16, 14, 14, 12))
        self.setFixedSize(WIDTH, HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._card = card
        title = one_line(card.title)
        self.put(Label(title, "h2", wrap=True))
        if card.trouble:
            line = row(gap=8)
            line.addWidget(Icon("triangle-alert", "bad", 14), 0, TOP)
            line.addWidget(Prose(one_line(card.trouble), "small", tone="bad"), 1)
            self.put(line)
        else:
            self.put(Prose(one_line(card.outcome), "body2"))
        self.put(None)
        held = QWidget()
        flow = Flow(held, gap=4, line_gap=4)
        for words in card.chips[:_CHIPS]:
            flow.addWidget(Chip(words, "ok" if words == "No llm needed" else "plain"))
        self.put(held)
        foot = row(gap=8)
        used = f"Last used {times.in_sentence(times.since(card.last_used, now_us))}" if card.last_used else ""
        put(foot, Label(used, "caption"), None)
        self.button = Button("Run…", "outline", icon="play", name=f"Run {title}…", key=card.path)
        self.button.setEnabled(not card.trouble)
        if card.trouble:
            self.button.say("Cannot run", f"{title} cannot run: {card.trouble}")
        self.button.chosen.connect(self.run_wanted)
        put(foot, self.button)
        self.put(foot)
        self.setAccessibleName(f"{title}. {card.trouble or card.outcome}. {', '.join(card.chips)}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            self.looked_at.emit(self._card)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.button.isEnabled():
            self.run_wanted.emit(self._card.path)
        else:
            super().keyPressEvent(event)


class CardSheet(Sheet):
    """All that a card says, whole; nothing is run from here by a key alone.

    Signals:
        run_wanted(str): its path.
    """

    run_wanted = Signal(object)

    def __init__(self, card: TemplateCard, over: QWidget) -> None:
        super().__init__(one_line(card.title), over)
        self._path = card.path
        told = Prose(one_line(card.trouble or card.outcome), "body", tone="bad" if card.trouble else "")
        held = QWidget()
        flow = Flow(held, gap=6, line_gap=6)
        for words in card.chips:
            flow.addWidget(Chip(words, "ok" if words == "No llm needed" else "plain"))
        put(self.body, told, held, Prose(f"Called {card.name}. {plain(card.path)}", "small"))
        run = Button("Run…", "primary", icon="play")
        run.clicked.connect(self._run)
        close = Button("Close", "outline")
        close.clicked.connect(self.dismiss)
        put(self.foot, *([] if card.trouble else [run]), None, close)

    @Slot()
    def _run(self) -> None:
        self.dismiss()
        self.run_wanted.emit(self._path)


class Gallery(Pane, OneSheet[CardSheet]):
    """Sections of cards.

    Signals:
        run_wanted(str): a template's path.
        every_wanted(): nothing matches, and the search is to be emptied.
    """

    run_wanted = Signal(object)
    every_wanted = Signal()

    def __init__(self) -> None:
        super().__init__("app")
        area = Scroller("app")
        self._page = Pane("app", gap=12, margins=(28, 8, 24, 28))
        area.setWidget(self._page)
        self.lines.addWidget(area, 1)
        self.cards: list[CardBox] = []
        self._wanted = ""
        self._all: Sequence[TemplateCard] = ()
        self._now = 0

    def show_cards(self, cards: Sequence[TemplateCard], now_us: int, wanted: str = "") -> None:
        """Show these that contain the wanted words."""
        if (list(cards), wanted) == (list(self._all), self._wanted) and self.cards:
            return
        self._all, self._now, self._wanted = cards, now_us, wanted
        empty(self._page.lines)
        self.cards = []
        text = wanted.casefold().strip()
        kept = [card for card in cards if text in f"{card.title} {card.outcome} {card.name}".casefold()]
        for section, title in _SECTIONS:
            found = [card for card in kept if card.section == section]
            if not found:
                continue
            held = QWidget()
            flow = Flow(held, gap=16, line_gap=16)
            boxes = [CardBox(card, now_us) for card in found]
            high = max(
                HEIGHT, *[box.heightForWidth(WIDTH) for box in boxes]
            )  # a long name makes all of them higher, and is not cut
            for box in boxes:
                box.setFixedHeight(high)
                box.run_wanted.connect(self.run_wanted)
                box.looked_at.connect(self._look_at)
                flow.addWidget(box)
            self.cards += boxes
            self._page.put(Label(title, "small_strong", tone="text2"), held, 8)
        if kept:
            self._page.put(None)
        else:
            self._page.lines.addWidget(self._nothing(wanted.strip()), 1)

    @Slot(object)
    def _look_at(self, card: TemplateCard) -> None:
        if self.sheet is None:
            sheet = CardSheet(card, self)
            sheet.run_wanted.connect(self.run_wanted)
            self.open_sheet(sheet)

    def _nothing(self, wanted: str) -> Nothing:
        if not wanted:
            return Nothing("layout-grid", "There are no templates here.")
        every = Button("Show every template")
        every.clicked.connect(self.every_wanted)
        return Nothing("layout-grid", f"No template matches {quoted(wanted)}.", buttons=[every])
