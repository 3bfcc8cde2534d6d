"""Connectors: a card each, with what it can do, how it is and where it runs; what has changed in its tools stands on the card."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.parts.boxes import Banner, Box, Nothing
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Chip, Icon, Label, Prose
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.parts.loaded_tab import LoadedTab
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.tables.diff_view import DiffView
from counterfoil.desktop.trust_facts import ConnectorSeen
from counterfoil.desktop.words.plain import one_line, quoted
from counterfoil.previews.texts import compare

_ADD = "counterfoil connector add NAME -- PROGRAM"
_ICONS = {"ok": "circle-check", "warn": "triangle-alert", "bad": "octagon-alert", "quiet": "minus"}
_INKS = {"ok": "ok", "warn": "warn", "bad": "bad", "quiet": "text3"}


class ConnectorsTab(LoadedTab):
    """A card for each."""

    def __init__(self, bridge: Bridge) -> None:
        self.copy = Button("Copy the command", icon="copy")
        self.copy.clicked.connect(self._copy)
        nothing = Nothing(
            "link",
            "No connectors yet.",
            f"A connector lets a run reach one outside system, with permissions. Add one in a terminal: {_ADD}",
            [self.copy],
        )
        super().__init__(bridge, nothing, "Loading connectors")
        self._seen: tuple[ConnectorSeen, ...] = ()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(_ADD)
        self.copy.say("Copied")

    def load(self) -> None:
        """Look again."""
        self.ask(lambda office: office.trust.connectors(), self._arrived)

    def _arrived(self, seen: tuple[ConnectorSeen, ...]) -> None:
        self._seen = seen
        self.fill([self._card(one) for one in seen], found=bool(seen))

    def _card(self, one: ConnectorSeen) -> QWidget:
        card = Box("card", gap=8)
        name = one_line(one.name)
        head = row(gap=10)
        put(head, Label(name, "h2"), Chip(one.where), None)
        test = Button("Test", name=f"Test {name}", key=one.name)
        test.chosen.connect(self._test)
        switch = Button(
            "Switch off" if one.on else "Switch on",
            name=f"{'Switch off' if one.on else 'Switch on'} {name}",
            key=one.name,
        )
        switch.chosen.connect(self._switch)
        put(head, *([self._sign_in_key(one)] if one.signed_out else []), test, switch)
        state = row(gap=8)
        texts = column(gap=2)
        put(texts, Prose(one_line(one.health), "body", tone=_INKS[one.tone]))
        state.addWidget(Icon(_ICONS[one.tone], _INKS[one.tone], 14))
        state.addLayout(texts, 1)
        card.put(head, Prose(one_line(one.can), "body2"), state)
        if one.tools:
            card.put(Prose("Tools: " + ", ".join(map(one_line, one.tools)), "small"))
        for note in one.notes:
            card.put(Prose(one_line(note), "small"))
        if one.changed:
            look = Button("Compare", name=f"Compare the tools of {name}", key=one)
            look.chosen.connect(self._compare)
            first, *others = [one_line(changed.sentence) for changed in one.changed]
            card.put(Banner("warn", first, [look], more=others))
        card.setAccessibleName(f"{name}. {one_line(one.health)}")
        return card

    @Slot(object)
    def _test(self, name: object) -> None:
        wanted = str(name)
        self.act(lambda office: office.trust.test_connector(wanted), f"Testing {quoted(wanted)}…")

    def _sign_in_key(self, one: ConnectorSeen) -> Button:
        made = Button("Sign in", name=f"Sign in to {one_line(one.name)}", key=one.name)
        made.chosen.connect(self._sign_in)
        return made

    @Slot(object)
    def _sign_in(self, name: object) -> None:
        wanted = str(name)
        self.act(lambda office: office.trust.sign_in(wanted), "Opening the page to sign in…")

    @Slot(object)
    def _switch(self, name: object) -> None:
        wanted = str(name)
        on = not next((one.on for one in self._seen if one.name == wanted), False)
        self.act(lambda office: office.trust.switch_connector(wanted, on=on))

    @Slot(object)
    def _compare(self, seen: object) -> None:
        if isinstance(seen, ConnectorSeen):
            sheet = ToolSheet(seen, self)
            sheet.accept.chosen.connect(self._accept)
            self.open(sheet)

    @Slot(object)
    def _accept(self, name: object) -> None:
        self.close_sheet()
        wanted = str(name)
        self.act(lambda office: office.trust.accept_tools(wanted))


class ToolSheet(Sheet):
    """The tools of a connector that have changed: each as somebody has looked at it, and as it is now."""

    def __init__(self, seen: ConnectorSeen, over: QWidget) -> None:
        super().__init__(f"What has changed at {one_line(seen.name)}", over, width=640)
        words = "What a tool says of itself are its own words: they describe and prove nothing."
        self.body.addWidget(Prose(words, "small"))
        for changed in seen.changed:
            self.body.addWidget(Prose(one_line(changed.sentence), "strong"))
            self.body.addWidget(
                DiffView(compare(changed.before, changed.after), f"{one_line(changed.tool)} before and now")
            )
        self.accept = Button("Use them as they are now", "primary", key=seen.name)
        close = Button("Leave it", "quiet")
        close.clicked.connect(self.dismiss)
        put(self.foot, self.accept, None, close)
