"""Health: the list that `counterfoil doctor` gives, each line with what it means and the exact next step, and a text to give away."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.parts.boxes import Box, Rule
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import MIDDLE, TOP, column, put, row
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.settings.setting_tab import SettingTab
from counterfoil.desktop.settings_facts import CheckSeen, HealthSeen
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.plain import one_line, plain

_MARKS = {
    "ok": ("circle-check", "ok", "Fine"),
    "warn": ("triangle-alert", "warn", "Look at this"),
    "bad": ("octagon-alert", "bad", "Not in order"),
}


class HealthTab(SettingTab):
    """One card with all checks, those that want something first."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__(bridge, "Checking this computer")
        self._seen: HealthSeen | None = None
        self.again = Button("Check again", icon="repeat")
        self.again.clicked.connect(self.load)

    @Slot()
    def load(self) -> None:
        """Check everything anew."""
        self.again.setEnabled(False)
        self.again.say("Checking this computer…")
        self.ask(lambda office: office.settings.health(), self._arrived, slow=True)

    def failed(self, trouble: Trouble) -> None:
        """It could not be checked."""
        self._ready()
        super().failed(trouble)

    def _ready(self) -> None:
        self.again.setEnabled(True)
        self.again.say("Check again")

    def _arrived(self, seen: HealthSeen) -> None:
        self._seen = seen
        self._ready()
        wants = [one for one in seen.checks if one.state != "ok"]
        told = f"{count(len(seen.checks), 'check')}, {len(wants) or 'none'} of them to be looked at."
        line = row(gap=8)
        again = Button("Check again", icon="repeat")
        again.clicked.connect(self.load)
        self.again = again
        give = Button("Copy for support…", icon="copy")
        give.clicked.connect(self._give)
        line.addWidget(Prose(told, "medium"), 1, MIDDLE)
        put(line, again, give)
        card = Box("card", gap=10)
        card.put(line)
        for one in (*wants, *(one for one in seen.checks if one.state == "ok")):
            card.put(Rule(), self._line(one))
        self.fill([card], found=True)

    def _line(self, one: CheckSeen) -> QWidget:
        icon, tone, words = _MARKS[one.state]
        held = QWidget()
        held.setAccessibleName(f"{one.what}: {words}")
        line = row(held, gap=10)
        line.addWidget(Icon(icon, tone), 0, TOP)
        texts = column(gap=3)
        head = row(gap=8)
        put(head, Label(one_line(one.what), "strong"), Label(words, "small", tone=tone), None)
        put(texts, head, Prose(one_line(one.means), "body"))
        if one.next_step:
            put(texts, Prose(f"Next: {plain(one.next_step, lines=True)}", "small_strong"))
        line.addLayout(texts, 1)
        if one.next_step:
            copy = Button("", "icon", icon="copy", name=f"Copy the next step: {one.what}", key=one.next_step)
            copy.chosen.connect(self._copy)
            line.addWidget(copy, 0, MIDDLE)
        return held

    @Slot(object)
    def _copy(self, text: object) -> None:
        QGuiApplication.clipboard().setText(str(text))

    @Slot()
    def _give(self) -> None:
        if self._seen is not None:
            self.open(SupportSheet(self, self._seen.support))


class SupportSheet(Sheet):
    """What is copied, word for word, and the button that copies it."""

    def __init__(self, over: QWidget, text: str) -> None:
        super().__init__("Copy for support", over)
        self._text = text
        self.body.addWidget(Prose("This is copied, and nothing else.", "body"))
        shown = Box("quiet")
        shown.put(Prose(plain(text.strip(), lines=True), "small"))
        self.body.addWidget(shown)
        self.copy = Button("Copy", "primary", icon="copy")
        self.copy.clicked.connect(self._copy)
        leave = Button("Leave it", "quiet")
        leave.clicked.connect(self.dismiss)
        put(self.foot, self.copy, None, leave)

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text)
        self.copy.say("Copied")
