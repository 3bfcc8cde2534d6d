"""General: the look of this window, the time to take a decision back, and how far runs are confined on this computer."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.form import FieldEditor
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import empty, put, row
from counterfoil.desktop.settings.setting_tab import SettingTab, card, field
from counterfoil.desktop.settings_facts import GeneralSeen
from counterfoil.desktop.words.plain import plain

_LOOKS = {"system": "As the system does", "light": "Light", "dark": "Dark"}


class GeneralTab(SettingTab):
    """Signals:
    look_chosen(str): system, light or dark.
    """

    look_chosen = Signal(str)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__(bridge, "Loading what is set")
        self.look = FieldEditor(field("look", "choice", "Colours", "", list(_LOOKS)), called=_LOOKS)
        self.look.edited.connect(self._look)
        self.undo = FieldEditor(
            field(
                "undo",
                "integer",
                "Seconds to take one back",
                "0 to 60. A decision is kept at once, and takes effect when this time is over.",
            )
        )
        self.undo.finished.connect(self._undo)
        self._protection = Box("card", gap=8)

    def load(self) -> None:
        """Look again."""
        self.ask(lambda office: office.settings.general(), self._arrived)

    def show_look(self, mode: str) -> None:
        """What was chosen, wherever."""
        self.look.fill(mode)

    def _arrived(self, seen: GeneralSeen) -> None:
        if not self.made():
            cards = (
                card("Look", "Of this window alone.", self.look),
                card("Decisions", "For everybody who decides in a window of this data folder.", self.undo),
                self._protection,
            )
            self.fill(cards, found=True)
        self.stack.setCurrentIndex(1)
        self.show_kept(self.undo, seen.undo_seconds)
        self._show_protection(seen)

    def _show_protection(self, seen: GeneralSeen) -> None:
        empty(self._protection.lines)
        line = row(gap=8)
        put(line, Icon("shield"), Label(seen.badge or "Not measured yet", "medium"), None)
        self._protection.put(Label("Protection", "h2"), line)
        words = seen.sentence or "It is measured when the runner starts, and by Health."
        self._protection.put(Prose(plain(words), "small"))
        if seen.raising:
            self._protection.put(Prose(plain(seen.raising, lines=True), "small"))

    @Slot(str)
    def _look(self, _name: str) -> None:
        self.look_chosen.emit(str(self.look.text()))

    @Slot(str)
    def _undo(self, _name: str) -> None:
        typed = str(self.undo.text())
        if self.has_changed(self.undo):
            self.keep(self.undo, lambda office: office.settings.set_undo(typed))
