"""Keys that work while the focus is inside one part of the window, and none that nobody has made."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget


def bind(inside: QWidget, *keys: tuple[str, Callable[[], object]], repeats: bool = False) -> None:
    """Have each key do something. Without `repeats`, one that is held down acts once: what it did for this gate must not be done to the
    next one."""
    for sequence, slot in keys:
        shortcut = QShortcut(QKeySequence(sequence), inside)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.setAutoRepeat(repeats)
        shortcut.activated.connect(slot)


def keyless(words: str) -> str:
    """Words for a button or a menu: Qt would take an ampersand away and make a key of the letter behind it."""
    return words.replace("&", "&&")
