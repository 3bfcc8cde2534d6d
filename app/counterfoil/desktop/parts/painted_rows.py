"""Lists whose rows a delegate paints, each as high as its texts need."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemDelegate, QAbstractItemView, QListView


def paint_rows(view: QListView, delegate: QAbstractItemDelegate, name: str) -> None:
    """Let a delegate paint the rows of a list called `name`. They are measured anew in another width; nothing scrolls sideways."""
    view.setItemDelegate(delegate)
    view.setResizeMode(QListView.ResizeMode.Adjust)
    view.setWordWrap(True)
    view.setAccessibleName(name)
    view.setProperty("rows", "painted")
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
