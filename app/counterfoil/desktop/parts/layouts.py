"""Columns and rows in one line each, so that a page reads like its picture."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QLayoutItem, QSizePolicy, QVBoxLayout, QWidget

Margins = tuple[int, int, int, int]
NONE: Margins = (0, 0, 0, 0)
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


def empty(layout: QLayout) -> None:
    """Take everything out and let it go."""
    while (item := layout.takeAt(0)) is not None:
        _let_go(item)


def _let_go(item: QLayoutItem) -> None:
    widget, inner = item.widget(), item.layout()
    if widget is not None:
        widget.hide()
        widget.setParent(None)
        widget.deleteLater()
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
