"""What is higher than its place: it goes up and down, never sideways, and the keyboard goes to what is in it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea


class Scroller(QScrollArea):
    """A place to scroll in, of a surface's colour."""

    def __init__(self, surface: str = "panel") -> None:
        super().__init__()
        self.setProperty("surface", surface)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
