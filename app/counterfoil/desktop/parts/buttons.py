"""Buttons: verb, object, number. A button carries a key, so that one bound slot serves a row of them and no lambda is needed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy

from counterfoil.desktop import icons
from counterfoil.desktop.parts.keys import keyless
from counterfoil.desktop.parts.labels import repolish
from counterfoil.desktop.theme import current, font
from counterfoil.desktop.words.plain import tip

_TINTS = {
    "primary": "on_accent",
    "danger": "bad",
    "link": "accent_text",
    "quiet": "text2",
    "icon": "text2",
    "nav": "text2",
    "outline": "text2",
    "waiting": "text2",
    "switcher": "text2",
    "chip": "text2",
}


class Pressed(QPushButton):
    """A button that Enter presses as Space does: Enter alone, and only once while it is held down."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        alone = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and alone and not event.isAutoRepeat():
            self.click()
        else:
            super().keyPressEvent(event)


class Button(Pressed):
    """A button of a kind: primary, outline, danger, quiet, link, icon, nav, switcher, waiting, chip.

    Signals:
        chosen(object): it was pressed; carries the key it was made with.
    """

    chosen = Signal(object)

    def __init__(
        self,
        words: str = "",
        kind: str = "outline",
        *,
        icon: str = "",
        name: str = "",
        key: object = None,
        help: str = "",  # noqa: A002 - what it is
    ) -> None:
        super().__init__()
        self._icon = icon
        self._kind = kind
        self._tinted: tuple[str, ...] = ()
        self.key = key
        self.setProperty("kind", kind)
        self.setFont(font(12 if kind in ("link", "chip") else 13, 600 if kind == "primary" else 500))
        self.setIconSize(icons.square(16))
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.say(words, name)
        if help or (kind == "icon" and name):
            self.setToolTip(tip(help or name))
        if help:
            self.setAccessibleDescription(help)
        self._tint()
        self.clicked.connect(self._pressed)

    def say(self, words: str, name: str = "") -> None:
        """Other words; `name` is what a screen reader says when they differ."""
        text = keyless(words)
        self.setText(f" {text}" if self._icon and text else text)
        self.setAccessibleName(name or words)

    def set_kind(self, kind: str, icon: str | None = None) -> None:
        """Another kind, and another icon."""
        icon = self._icon if icon is None else icon
        if (kind, icon) == (self._kind, self._icon):
            return
        words = self.accessibleName()
        self._kind, self._icon = kind, icon
        self.setProperty("kind", kind)
        self.setFont(font(13, 600 if kind == "primary" else 500))
        self.say(words)
        self._tint()
        repolish(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.ApplicationPaletteChange):
            self._tint()

    def _tint(self) -> None:
        tokens = current()
        self._show_icon(getattr(tokens, _TINTS[self._kind]), tokens.text3)

    def _show_icon(self, tone: str, off: str) -> None:
        """Qt tells of a palette at each move to another parent; setting the same icon anew would lay out everything around."""
        wanted = (self._icon, tone, off) if self._icon else ()
        if wanted != self._tinted:
            self._tinted = wanted
            self.setIcon(icons.icon(*wanted) if wanted else QIcon())

    @Slot()
    def _pressed(self) -> None:
        self.chosen.emit(self.key)


class NavButton(Button):
    """A page in the sidebar, with its count at the right; it is a tab to a screen reader's ear by its name."""

    _chosen = False

    def __init__(self, words: str, icon: str, key: object) -> None:
        super().__init__(words, "nav", icon=icon, key=key)
        self._words = words
        self._count = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_count(self, count: int, spoken: str) -> None:
        """The number at the right; 0 shows none."""
        if count != self._count:
            self._count = count
            self.setAccessibleName(f"{self._words}, {spoken}" if count else self._words)
            self.update()

    def set_chosen(self, chosen: bool) -> None:
        """Whether its page is on the screen."""
        self._chosen = chosen
        self.setProperty("chosen", "true" if chosen else "false")
        self.setAccessibleDescription("current page" if chosen else "")
        self.setFont(font(13, 500))
        self._tint()
        repolish(self)

    def _tint(self) -> None:
        tokens = current()
        self._show_icon(tokens.accent if self._chosen else tokens.text2, tokens.text3)

    def sizeHint(self) -> QSize:
        return QSize(180, 34)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._count:
            painter = QPainter(self)
            painter.setFont(font(12, 500, figures=True))
            painter.setPen(current().text2)
            box = self.rect().adjusted(0, 0, -11, 0)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{self._count:,}")
            painter.end()
