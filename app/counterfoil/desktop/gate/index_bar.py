"""The index of a gate's parts: it scrolls with the page to the top and stays there, so that no part is lost below the fold."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import put, row

HEIGHT = 38


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
        line = row(self, gap=2, margins=(26, 0, 16, 0))
        for at, (key, title, count) in enumerate(parts):
            if at:
                put(line, Label("·", "caption"))
            words = f"{title} {count:,}" if count is not None else title
            button = Button(words, "link", key=key, name=f"Go to {words}")
            button.setFixedHeight(HEIGHT - 8)
            button.chosen.connect(self.wanted)
            put(line, button)
        line.addStretch(1)
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
        self.setGeometry(0, max(0, top), self._scroll.viewport().width(), HEIGHT)
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show):
            self.follow()
        return super().eventFilter(watched, event)
