"""The index of a gate's parts: it scrolls with the page to the top and stays there, so that no part is lost below the fold.

Parts that find no room stand in a menu at its end; none is cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFrame, QMenu, QScrollArea, QWidget

from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.keys import keyless
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.theme import font

HEIGHT = 38
_LEFT, _RIGHT, _GAP = 28, 16, 6


class IndexBar(QFrame):
    """Links to the parts.

    Signals:
        wanted(str): go to the part with this key.
    """

    wanted = Signal(object)

    def __init__(self, parts: Sequence[tuple[str, str, int | None]], scroll: QScrollArea, place: QWidget) -> None:
        """`place` is the empty widget in the page that keeps the room for this bar."""
        super().__init__(scroll.viewport())
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Parts of this gate")
        self._scroll, self._place = scroll, place
        self._links: list[tuple[Label, Button, str]] = []
        for key, title, count in parts:
            words = f"{title} {count:,}" if count is not None else title
            dot = Label("·", "caption")
            link = Button(words, "link", key=key, name=f"Go to {words}")
            link.chosen.connect(self.wanted)
            for widget in (dot, link):
                widget.setParent(self)
            self._links.append((dot, link, words))
        self.more = Button("More", "link", icon="chevron-down", name="More parts of this gate")
        self.more.setParent(self)
        self.more.clicked.connect(self._open_menu)
        self._hidden: list[tuple[str, object]] = []
        scroll.verticalScrollBar().valueChanged.connect(self.follow)
        scroll.viewport().installEventFilter(self)
        place.installEventFilter(self)
        self.show()

    def retire(self) -> None:
        """Its page goes: let go of everything it watches, at once."""
        self._scroll.verticalScrollBar().valueChanged.disconnect(self.follow)
        self._scroll.viewport().removeEventFilter(self)
        self._place.removeEventFilter(self)
        self.hide()
        self.deleteLater()

    @Slot()
    def follow(self) -> None:
        """Stand where the place is, but never above the top."""
        if not self._scroll.viewport().isAncestorOf(self._place):
            return  # the page is not in its place yet, or is on its way out
        top = self._place.mapTo(self._scroll.viewport(), self._place.rect().topLeft()).y()
        width = self._scroll.viewport().width()
        changed = width != self.width()
        self.setGeometry(0, max(0, top), width, HEIGHT)
        if changed:
            self._fit(width)
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show):
            self.follow()
        return super().eventFilter(watched, event)

    def _fit(self, width: int) -> None:
        """Show the links that there is room for, the rest in the menu: a long one takes the place of no others."""
        widths = [dot.sizeHint().width() + link.sizeHint().width() + 2 * _GAP for dot, link, _ in self._links]
        room = width - _LEFT - _RIGHT
        whole = sum(widths) <= room
        if not whole:
            room -= self.more.sizeHint().width() + _GAP
        left, self._hidden = _LEFT, []
        for (dot, link, words), wide in zip(self._links, widths, strict=True):
            fits = left + wide <= room + _LEFT
            dot.setVisible(fits and left > _LEFT)
            link.setVisible(fits)
            if not fits:
                self._hidden.append((words, link.key))
                continue
            if left > _LEFT:
                left = _put(dot, left)
            left = _put(link, left)
        self.more.setVisible(not whole)
        _put(self.more, left + _GAP)

    @Slot()
    def _open_menu(self) -> None:
        menu = QMenu(self)
        menu.setFont(font())
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, key in self._hidden:
            action = QAction(keyless(words), menu)
            action.setData(key)
            menu.addAction(action)
        menu.triggered.connect(self._triggered)
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height())))

    @Slot(QAction)
    def _triggered(self, action: QAction) -> None:
        self.wanted.emit(action.data())


def _put(widget: QWidget, left: int) -> int:
    """Place a widget at this spot, in the middle of the bar; where the next one begins."""
    hint = widget.sizeHint()
    widget.setGeometry(left, (HEIGHT - 1 - hint.height()) // 2, hint.width(), hint.height())
    return left + hint.width() + _GAP
