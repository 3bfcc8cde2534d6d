"""A sheet slides over the right pane and leaves the list in view. No dialog, no loop of its own: it is a child of the pane.

Esc closes it and gives the focus back where it was; what was typed is kept by whoever opened it.
"""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QEasingCurve, QElapsedTimer, QEvent, QObject, QPoint, QPropertyAnimation, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QWidget

from counterfoil.desktop.parts.boxes import Pane, Rule
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.focus import give_back
from counterfoil.desktop.parts.labels import Label, tint
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.parts.scroller import Scroller
from counterfoil.desktop.theme import colour, current

WIDTH = 480
SLIDE = 140  # milliseconds


class Sheet(QFrame):
    """Title, body, footer; made, filled, then opened over a pane.

    Signals:
        closed(): it is gone, whatever the reason.
    """

    closed = Signal()

    def __init__(self, title: str, over: QWidget, *, width: int = WIDTH) -> None:
        super().__init__(over)
        self._scrim = _Scrim(over)
        self._scrim.pressed.connect(self.dismiss)
        self._over = over
        self._width = width
        self._back: QWidget | None = None
        self._stretched = False
        self._slide: QPropertyAnimation | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(title)
        lines = column(self)
        head = row(margins=(24, 18, 14, 12))
        self.title = Label(title, "h2", wrap=True)
        close = Button("", "icon", icon="x", name="Close (Esc)")
        close.clicked.connect(self.dismiss)
        head.addWidget(self.title, 1)
        head.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        scroll = Scroller()
        body = Pane("panel", gap=12, margins=(24, 4, 24, 20))
        self.body = body.lines
        scroll.setWidget(body)
        self.foot = row(gap=8, margins=(24, 12, 24, 14))
        put(lines, head)
        lines.addWidget(scroll, 1)
        put(lines, Rule(), self.foot)
        self.hide()
        over.installEventFilter(self)

    def open(self, focus: QWidget | None = None) -> None:
        """Slide in; the focus goes to `focus`, else to the first thing that takes it."""
        self._back = QApplication.focusWidget()
        if not self._stretched:
            self._stretched = True
            self.body.addStretch(1)
        self._place()
        self._scrim.show()
        self._scrim.raise_()
        self.show()
        self.raise_()
        self._animate()
        if focus is not None:
            focus.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            self.focusNextChild()

    def keep_focus(self, focus: QWidget) -> None:
        """Something below has taken the focus: it goes to `focus`, and back there when the sheet closes."""
        below = QApplication.focusWidget()
        if below is not None and below.window() is self.window() and not self.isAncestorOf(below):
            self._back = below
            focus.setFocus(Qt.FocusReason.OtherFocusReason)

    def go_back_to(self, instead: QWidget) -> None:
        """The pane was built anew below: where the place to go back to is gone, closing gives the focus to `instead`."""
        if self._back is None or not shiboken6.isValid(self._back):
            self._back = instead

    @Slot()
    def dismiss(self) -> None:
        """Close without doing anything."""
        if self.isHidden() and self._scrim.isHidden():
            return
        self._over.removeEventFilter(self)
        self.hide()
        self._scrim.hide()
        give_back(self._back)
        self.closed.emit()
        self._scrim.deleteLater()
        self.deleteLater()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
            return
        event.accept()  # nothing typed in a sheet reaches the page below it

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Keep Tab inside."""
        here = QApplication.focusWidget()
        stops = [child for child in self.findChildren(QWidget) if _is_stop(child)]
        if not stops:
            return False
        chain = _in_order(self, stops)
        at = chain.index(here) if here in chain else (-1 if forward else 0)
        chain[(at + (1 if forward else -1)) % len(chain)].setFocus(
            Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        )
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._over and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        area = self._over.rect()
        width = min(self._width, area.width())
        self._scrim.setGeometry(area)
        self.setGeometry(area.width() - width, 0, width, area.height())

    def _animate(self) -> None:
        if not QApplication.isEffectEnabled(Qt.UIEffect.UI_General):
            return
        end = self.pos()
        self._slide = QPropertyAnimation(self, b"pos", self)
        self._slide.setDuration(SLIDE)
        self._slide.setStartValue(end + QPoint(48, 0))
        self._slide.setEndValue(end)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._slide.start()


class _Scrim(QWidget):
    """Dims the pane behind a sheet; a click on it closes the sheet, unless it is the second half of the one that opened it."""

    pressed = Signal()

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._since = QElapsedTimer()
        self.hide()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._since.start()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._since.hasExpired(QApplication.doubleClickInterval()):
            self.pressed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), tint(colour(current().scrim), 0.28))
        painter.end()


def _is_stop(widget: QWidget) -> bool:
    takes = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return takes and widget.isVisible() and widget.isEnabled() and not isinstance(widget, QScrollArea)


def _in_order(sheet: QWidget, stops: list[QWidget]) -> list[QWidget]:
    """The stops in the order of the focus chain."""
    found: list[QWidget] = []
    at = sheet.nextInFocusChain()
    for _ in range(10_000):
        if at is sheet or at is None:
            break
        if at in stops:
            found.append(at)
        at = at.nextInFocusChain()
    return found
