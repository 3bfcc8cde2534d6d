"""The focus ring: two pixels around whatever the keyboard is on, and nothing while a person uses the mouse.

A style sheet can only redraw a border, which moves what is inside it and shows on every click. QFocusFrame follows its widget by itself.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFocusFrame, QScrollArea, QWidget

from counterfoil.desktop.theme import colour, current

_MOVING = {
    Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_F6,
    Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Home, Qt.Key.Key_End,
}  # fmt: skip
_POINTING = {QEvent.Type.MouseButtonPress, QEvent.Type.TouchBegin}


class FocusRing(QFocusFrame):
    """Follows the focus of one window while keys are used."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._keys = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._moved)
            application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _POINTING and self._keys:
            self._keys = False
            self.setWidget(None)  # type: ignore[arg-type]
        elif (
            kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and not self._keys and event.key() in _MOVING
        ):
            self._keys = True
            self._moved(None, QApplication.focusWidget())
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour(current().focus), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 7, 7)
        painter.end()

    @Slot(QWidget, QWidget)
    def _moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        wanted = self._keys and new is not None and self._window.isAncestorOf(new) and _takes_ring(new)
        self.setWidget(new if wanted else None)  # type: ignore[arg-type]


def _takes_ring(widget: QWidget) -> bool:
    """Lists mark their current row themselves; a scrolled page needs no ring around everything."""
    return not isinstance(widget, QScrollArea | QAbstractItemView) and not widget.property("ringless")
