"""The focus ring: two pixels around whatever the keyboard is on, with a gap, and nothing while a person uses the mouse.

A style sheet can only redraw a border, which moves what is inside it and shows on every click. QFocusFrame follows its widget by itself,
and Qt itself knows whether the focus was last moved by a key (WA_KeyboardFocusChange), so no event is looked at here.
"""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFocusFrame,
    QProxyStyle,
    QScrollArea,
    QStyle,
    QStyleOption,
    QWidget,
)

from counterfoil.desktop.theme import colour, current

_RING, _GAP = 2, 2  # pixels; without the gap a ring in the colour of a button would be no ring
_MARGINS = (QStyle.PixelMetric.PM_FocusFrameHMargin, QStyle.PixelMetric.PM_FocusFrameVMargin)


class _Around(QProxyStyle):
    """How far a focus frame stands off."""

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        return _RING + _GAP if metric in _MARGINS else super().pixelMetric(metric, option, widget)


class FocusRing(QFocusFrame):
    """Follows the focus of one window while keys are used."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._style = _Around()
        self.setStyle(self._style)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._moved)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour(current().focus), _RING))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 9, 9)
        painter.end()

    @Slot(QWidget, QWidget)
    def _moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        if not shiboken6.isValid(self._window) or not shiboken6.isValid(self):
            return  # the window is being taken apart, and its parts lose the focus one after the other
        by_key = self._window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        wanted = by_key and new is not None and self._window.isAncestorOf(new) and _takes_ring(new)
        self.setWidget(new if wanted else None)  # type: ignore[arg-type]


def _takes_ring(widget: QWidget) -> bool:
    """Lists mark their current row themselves; a scrolled page needs no ring around everything."""
    return not isinstance(widget, QScrollArea | QAbstractItemView) and not widget.property("ringless")
