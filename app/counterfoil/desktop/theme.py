"""Light, dark or as the system has it: one palette, one style sheet and the bundled fonts, all from the tokens.

The application's palette carries the choice, so a hand-painted row asks `current()` and needs no reference to anything. Fusion is
forced because the Windows style ignores parts of a style sheet, and the system's own palette is never trusted.
"""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from counterfoil.desktop.interpreter import uncollected
from counterfoil.desktop.stylesheet import stylesheet
from counterfoil.desktop.tokens import DARK, LIGHT, Tokens
from counterfoil.places import bundled

FONTS = ("Inter-Regular.otf", "Inter-Medium.otf", "Inter-SemiBold.otf", "JetBrainsMono-Regular.ttf")
SANS, MONO = "Inter", "JetBrains Mono"
_WEIGHTS = {400: QFont.Weight.Normal, 500: QFont.Weight.Medium, 600: QFont.Weight.DemiBold}
_MODES = ("system", "light", "dark")


def current() -> Tokens:
    """The tokens that are on the screen now."""
    return DARK if QGuiApplication.palette().color(QPalette.ColorRole.Window) == QColor(DARK.app) else LIGHT


@functools.cache
def font(size: int = 13, weight: int = 400, *, mono: bool = False, figures: bool = False) -> QFont:
    """A bundled font in pixels; `figures` makes digits equally wide, for columns and amounts."""
    made = QFont(MONO if mono else SANS)
    made.setPixelSize(size)
    made.setWeight(_WEIGHTS[weight])
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if mono:
        made.setFeature(QFont.Tag("calt"), 0)  # no two signs are drawn as one: what is shown is what stands in the file
    elif figures:
        made.setFeature(QFont.Tag("tnum"), 1)
    return made


@functools.cache
def colour(value: str) -> QColor:
    """A token as Qt's colour."""
    return QColor(value)


class Theme(QObject):
    """Keeps the application in the chosen look; `changed` after each change, so that caches can be dropped."""

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self._mode = "system"
        application.setStyle("Fusion")
        for name in FONTS:
            QFontDatabase.addApplicationFont(str(bundled("resources") / "fonts" / name))
        application.setFont(font())
        self._hints = QGuiApplication.styleHints()
        self._hints.colorSchemeChanged.connect(self._system_changed)
        self._apply()

    @property
    def mode(self) -> str:
        """What was chosen: system, light or dark."""
        return self._mode

    def choose(self, mode: str) -> None:
        """Take one of system, light, dark."""
        if mode in _MODES and mode != self._mode:
            self._mode = mode
            self._apply()

    def tokens(self) -> Tokens:
        """What the choice comes to now."""
        if self._mode == "system":
            return DARK if self._hints.colorScheme() == Qt.ColorScheme.Dark else LIGHT
        return DARK if self._mode == "dark" else LIGHT

    @Slot()
    def _system_changed(self) -> None:
        if self._mode == "system":
            self._apply()

    def _apply(self) -> None:
        tokens = self.tokens()
        if current() is tokens and self._application.styleSheet():
            return
        with uncollected():
            self._application.setPalette(palette(tokens))
            self._application.setStyleSheet(stylesheet(tokens))
        self.changed.emit()


def palette(tokens: Tokens) -> QPalette:
    """The palette of a look, for whatever the style sheet does not name."""
    made = QPalette()
    role = QPalette.ColorRole
    pairs = {
        role.Window: tokens.app,
        role.WindowText: tokens.text,
        role.Base: tokens.panel,
        role.AlternateBase: tokens.raised,
        role.Text: tokens.text,
        role.PlaceholderText: tokens.text3,
        role.Button: tokens.panel,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.bad,
        role.Highlight: tokens.accent_soft,
        role.HighlightedText: tokens.text,
        role.Link: tokens.accent_text,
        role.LinkVisited: tokens.accent_text,
        role.ToolTipBase: tokens.text,
        role.ToolTipText: tokens.panel,
        role.Light: tokens.raised,
        role.Midlight: tokens.border,
        role.Mid: tokens.border_strong,
        role.Dark: tokens.border_input,
        role.Shadow: tokens.scrim,
        role.Accent: tokens.accent,
    }
    for which, value in pairs.items():
        made.setColor(which, QColor(value))
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.text3))
    return made
