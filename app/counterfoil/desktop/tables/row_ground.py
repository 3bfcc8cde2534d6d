"""What lies beneath the words of a list's row: chosen, under the pointer, and the ring of the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyle

from counterfoil.desktop.theme import colour, current


def paint_ground(painter: QPainter, box: QRect, state: QStyle.StateFlag, tint: str = "") -> None:
    """Paint it. `tint` is the colour of a row that is marked and not chosen."""
    tokens = current()
    if state & QStyle.StateFlag.State_Selected:
        ground = tokens.accent_soft
    else:
        ground = tint or (tokens.hover if state & QStyle.StateFlag.State_MouseOver else "")
    if ground:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(ground))
        painter.drawRoundedRect(QRectF(box).adjusted(0, 1, 0, -1), 8, 8)
    if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour(tokens.focus), 2))
        painter.drawRoundedRect(QRectF(box).adjusted(1, 2, -1, -2), 7, 7)
