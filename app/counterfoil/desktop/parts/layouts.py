"""Columns and rows in one line each, so that a page reads like its picture."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QSizePolicy, QVBoxLayout, QWidget

Margins = tuple[int, int, int, int]
NONE: Margins = (0, 0, 0, 0)
_CONTROL = 32  # pixels of a button or a field
Kind = TypeVar("Kind", bound=QBoxLayout)


def column(owner: QWidget | None = None, *, gap: int = 0, margins: Margins = NONE) -> QVBoxLayout:
    """A column from top to bottom."""
    made = QVBoxLayout(owner) if owner is not None else QVBoxLayout()
    return _set(made, gap, margins)


def row(owner: QWidget | None = None, *, gap: int = 0, margins: Margins = NONE) -> QHBoxLayout:
    """A row from left to right."""
    made = QHBoxLayout(owner) if owner is not None else QHBoxLayout()
    return _set(made, gap, margins)


def _set(made: Kind, gap: int, margins: Margins) -> Kind:
    made.setSpacing(gap)
    made.setContentsMargins(*margins)
    return made


def put(layout: QBoxLayout, *things: QWidget | QLayout | int | None) -> None:
    """Add in order: widgets, layouts, gaps (a number of pixels), or a stretch (None)."""
    for thing in things:
        if thing is None:
            layout.addStretch(1)
        elif isinstance(thing, int):
            layout.addSpacing(thing)
        elif isinstance(thing, QLayout):
            layout.addLayout(thing)
        else:
            layout.addWidget(thing)


def page_head(*things: QWidget | QLayout | int | None, list_pane: bool = False) -> QHBoxLayout:
    """The first line of a page or of its list: the same height whatever stands in it, so that titles of all pages are at one height."""
    made = row(gap=12, margins=(20, 18, 16, 10) if list_pane else (28, 18, 24, 10))
    made.addStrut(_CONTROL)
    put(made, *things)
    return made


def empty(layout: QLayout) -> None:
    """Take everything out and let it go."""
    while (item := layout.takeAt(0)) is not None:
        _let_go(item)


def _let_go(item: QLayoutItem) -> None:
    widget, inner = item.widget(), item.layout()
    if widget is not None:
        widget.hide()
        widget.deleteLater()  # its parent stays until then: a part that Python owns may be taken apart in any order
    elif inner is not None:
        empty(inner)
        inner.deleteLater()


def grow(widget: QWidget, *, across: bool = True, down: bool = False) -> QWidget:
    """Let a widget take the room there is."""
    wide = QSizePolicy.Policy.Expanding if across else QSizePolicy.Policy.Preferred
    high = QSizePolicy.Policy.Expanding if down else QSizePolicy.Policy.Preferred
    widget.setSizePolicy(wide, high)
    return widget


LEFT, RIGHT, TOP = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignTop
MIDDLE = Qt.AlignmentFlag.AlignVCenter


class Flow(QLayout):
    """Widgets side by side, going on below where the room ends; each line as high as its highest."""

    def __init__(self, owner: QWidget, *, gap: int = 4, line_gap: int = 4) -> None:
        super().__init__(owner)
        self.setContentsMargins(0, 0, 0, 0)
        self._gap, self._line_gap = gap, line_gap
        self._items: list[QLayoutItem] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        owner.setSizePolicy(policy)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        around = self.contentsMargins()
        room = width - around.left() - around.right()
        return self._arrange(QRect(0, 0, room, 0), move=False) + around.top() + around.bottom()

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect.marginsRemoved(self.contentsMargins()), move=True)

    def sizeHint(self) -> QSize:
        wide = sum(item.sizeHint().width() + self._gap for item in self._shown())
        return QSize(wide, max((item.sizeHint().height() for item in self._shown()), default=0)).grownBy(
            self.contentsMargins()
        )

    def minimumSize(self) -> QSize:
        hints = [item.minimumSize() for item in self._shown()]
        wide = max((hint.width() for hint in hints), default=0)
        return QSize(wide, max((hint.height() for hint in hints), default=0)).grownBy(self.contentsMargins())

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        left, top, high = rect.left(), rect.top(), 0
        line: list[tuple[QLayoutItem, QRect]] = []
        for item in self._shown():
            hint = item.sizeHint()
            if left > rect.left() and left + hint.width() > rect.left() + rect.width():
                _centre(line, high, move=move)
                line, left, top, high = [], rect.left(), top + high + self._line_gap, 0
            wide = min(hint.width(), max(rect.width(), 1))
            breaks = wide < hint.width() and item.hasHeightForWidth()
            size = QSize(wide, item.heightForWidth(wide) if breaks else hint.height())
            line.append((item, QRect(QPoint(left, top), size)))
            left += size.width() + self._gap
            high = max(high, size.height())
        _centre(line, high, move=move)
        return top + high - rect.top()


class Even(Flow):
    """A flow whose lines are alike once there is more than one: as many widgets in each as can be, filled from edge to edge."""

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        shown = self._shown()
        wide = [item.sizeHint().width() for item in shown]
        if not shown or sum(wide) + self._gap * (len(wide) - 1) <= rect.width():
            return super()._arrange(rect, move=move)
        most = next((many for many in range(len(shown), 1, -1) if self._fits(wide, many, rect.width())), 1)
        each = -(-len(shown) // -(-len(shown) // most))
        top = rect.top()
        for start in range(0, len(shown), each):
            top += self._fill(shown[start : start + each], QRect(rect.left(), top, rect.width(), 0), move=move)
        return top - self._line_gap - rect.top()

    def _fits(self, wide: list[int], many: int, room: int) -> bool:
        """Whether so many stand side by side, each as wide as the widest."""
        return max(wide) * many + self._gap * (many - 1) <= room

    def _fill(self, line: list[QLayoutItem], place: QRect, *, move: bool) -> int:
        """Give each of a line the same share of it; how far below the next line begins."""
        high = max(item.sizeHint().height() for item in line)
        room = place.width() - self._gap * (len(line) - 1)
        left = place.left()
        for at, item in enumerate(line):
            share = room // len(line) + (at < room % len(line))
            if move:
                item.setGeometry(QRect(left, place.top(), share, high))
            left += share + self._gap
        return high + self._line_gap


def _centre(line: list[tuple[QLayoutItem, QRect]], high: int, *, move: bool) -> None:
    if move:
        for item, box in line:
            item.setGeometry(box.translated(0, (high - box.height()) // 2))


def side_by_side(*widgets: QWidget, line_gap: int = 8) -> QWidget:
    """Widgets in a line that breaks where it is too short."""
    held = QWidget()
    line = Flow(held, gap=8, line_gap=line_gap)
    for widget in widgets:
        line.addWidget(widget)
    return held
