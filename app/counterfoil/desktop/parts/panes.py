"""A list at the left and what is chosen in it at the right. The line between them stays where a person has put it, also next time."""

from __future__ import annotations

from PySide6.QtCore import QSettings, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from counterfoil.desktop.tokens import LIST

LEAST_LIST, LEAST_DETAIL = 300, 480
_SHARE = 0.31  # of the width that the list has while nobody has moved the line


class ListAndDetail(QSplitter):
    """Two panes side by side. `page` is what they stand in: each move of what is full to another place has all of it styled anew."""

    def __init__(self, listed: QWidget, detail: QWidget, page: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, page)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        listed.setMinimumWidth(LEAST_LIST)
        detail.setMinimumWidth(LEAST_DETAIL)
        self.addWidget(listed)
        self.addWidget(detail)
        self.setStretchFactor(1, 1)
        self._placed = 0  # the width a person gave the list; 0 while nobody has
        self._settings: QSettings | None = None
        self._key = ""
        self.splitterMoved.connect(self._moved)

    def remember(self, settings: QSettings, key: str) -> None:
        """Put the line where it was left last time, and keep where it goes."""
        self._settings, self._key = settings, key
        self._placed = as_width(settings.value(key))
        self._arrange()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self._arrange()  # what Qt does here would lay both out for the share they had, and this once more

    def _arrange(self) -> None:
        wide = self._placed or min(LIST, max(LEAST_LIST, round(self.width() * _SHARE)))
        self.setSizes([wide, self.width() - wide])

    @Slot(int, int)
    def _moved(self, at: int, _handle: int) -> None:
        self._placed = at
        if self._settings is not None:
            self._settings.setValue(self._key, at)


def as_width(kept: object) -> int:
    """A width that was kept, in pixels; 0 where nothing usable is."""
    written = str(kept)
    return int(written) if written.isdecimal() and len(written) < 6 else 0
