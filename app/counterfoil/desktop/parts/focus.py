"""The focus ring: two pixels around whatever the keyboard is on, with a gap, and nothing while a person uses the mouse.

A style sheet can only redraw a border, which moves what is inside it and shows on every click. QFocusFrame follows its widget by itself,
and Qt itself knows whether the focus was last moved by a key (WA_KeyboardFocusChange), so no event is looked at here.
"""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QObject, QRectF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFocusFrame,
    QProxyStyle,
    QScrollArea,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QWidget,
)

from counterfoil.desktop.theme import colour, current

_RING, _GAP = 2, 2  # pixels; without the gap a ring in the colour of a button would be no ring
_MARGINS = (QStyle.PixelMetric.PM_FocusFrameHMargin, QStyle.PixelMetric.PM_FocusFrameVMargin)


class _Around(QProxyStyle):
    """How far a focus frame stands off, and above what."""

    def pixelMetric(
        self, metric: QStyle.PixelMetric, option: QStyleOption | None = None, widget: QWidget | None = None
    ) -> int:
        return _RING + _GAP if metric in _MARGINS else super().pixelMetric(metric, option, widget)

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,  # noqa: N803 - Qt's name
    ) -> int:
        """Above everything, so that no row that is as high as its buttons cuts it."""
        above = hint == QStyle.StyleHint.SH_FocusFrame_AboveWidget
        return 1 if above else super().styleHint(hint, option, widget, returnData)


class _Frame(QFocusFrame):
    """The ring itself."""

    def __init__(self, window: QWidget, style: QStyle) -> None:
        super().__init__(window)
        self.setStyle(style)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colour(current().focus), _RING))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 9, 9)
        painter.end()


class FocusRing(QObject):
    """Follows the focus of one window while keys are used. A frame moves into the page that it is shown in and goes when that page
    goes, so another one is made then."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._style = _Around()
        self.frame: QFocusFrame | None = None
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._moved)

    def widget(self) -> QWidget | None:
        """What the ring is around, None while there is none."""
        return self.frame.widget() if self.frame is not None and shiboken6.isValid(self.frame) else None

    @Slot(QWidget, QWidget)
    def _moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        if not shiboken6.isValid(self._window) or not shiboken6.isValid(self):
            return  # the window is being taken apart, and its parts lose the focus one after the other
        by_key = self._window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        wanted = by_key and new is not None and self._window.isAncestorOf(new) and _takes_ring(new)
        if self.frame is None or not shiboken6.isValid(self.frame):
            self.frame = _Frame(self._window, self._style)
        self.frame.setWidget(new if wanted else None)  # type: ignore[arg-type]


def give_back(widget: QWidget | None) -> None:
    """Put the focus back where it was; what was taken away meanwhile, or is not to be seen, gets none."""
    if widget is not None and shiboken6.isValid(widget) and widget.isVisible():
        widget.setFocus(Qt.FocusReason.OtherFocusReason)


def _takes_ring(widget: QWidget) -> bool:
    """Lists mark their current row themselves; a scrolled page needs no ring around everything."""
    return not isinstance(widget, QScrollArea | QAbstractItemView) and not widget.property("ringless")
