"""Space in a list reads on in what is shown beside it, a page at a time, while the focus stays where it is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

_KEPT = 40  # pixels of the page before that stay in sight


def is_reading_on(event: QKeyEvent) -> bool:
    """Whether a key reads on (Space) or back (Shift+Space)."""
    return event.key() == Qt.Key.Key_Space and event.modifiers() in (
        Qt.KeyboardModifier.NoModifier,
        Qt.KeyboardModifier.ShiftModifier,
    )


def read_on(pane: QWidget, *, back: bool) -> None:
    """Scroll the largest thing of a pane that can be scrolled by a page."""
    areas = [
        area
        for area in pane.findChildren(QAbstractScrollArea)
        if area.isVisible() and area.verticalScrollBar().maximum() > 0
    ]
    if areas:
        bar = max(areas, key=lambda area: area.width() * area.height()).verticalScrollBar()
        bar.setValue(bar.value() + (bar.pageStep() - _KEPT) * (-1 if back else 1))
