"""Paints the inbox's rows from cached fonts and pixmaps: 84 pixels, three lines, the selected one on a flat fill."""

from __future__ import annotations

import functools

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from counterfoil.desktop import icons
from counterfoil.desktop.inbox.adapter import Index, Role
from counterfoil.desktop.inbox.rows import Group
from counterfoil.desktop.office import InboxRow
from counterfoil.desktop.tables.fitting import broken, shortened
from counterfoil.desktop.tables.row_ground import paint_ground
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.tokens import GROUP_ROW, INBOX_ROW, Tokens
from counterfoil.desktop.words import gates
from counterfoil.desktop.words.people import capital

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
INSET, INDENT = 10, 16
_LEAST_SHOWN = 0.7  # of a template's name that is shown, or none of it
_ENOUGH = 72  # pixels of a name that say something however long it is


class InboxDelegate(QStyledItemDelegate):
    """One row or one heading."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(200, GROUP_ROW if isinstance(index.data(Role.ENTRY), Group) else INBOX_ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry = index.data(Role.ENTRY)
        tokens = current()
        box = option.rect.adjusted(INSET, 0, -INSET, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if isinstance(entry, Group):
            _paint_group(painter, box, entry, tokens)
        elif isinstance(entry, InboxRow):
            paint_ground(painter, box, option.state, tokens.info_soft if index.data(Role.TINTED) else "")
            _paint_row(painter, box.adjusted(INDENT, 10, -12, -10), entry, index, tokens)
        painter.restore()


def _paint_group(painter: QPainter, box: QRect, group: Group, tokens: Tokens) -> None:
    line = box.adjusted(INDENT, 8, -12, 0)
    painter.setFont(font(12, 500, figures=True))
    painter.setPen(colour(tokens.bad if group.title == "Overdue" else tokens.text2))
    painter.drawText(line, _LEFT, group.title)
    painter.setPen(colour(tokens.text3))
    if group.count:
        painter.drawText(line, _RIGHT, f"{group.count:,}")


def _paint_row(painter: QPainter, box: QRect, row: InboxRow, index: Index, tokens: Tokens) -> None:
    step = 21
    figure = str(index.data(Role.FIGURE) or "")
    taken = _metrics(13, 600).horizontalAdvance(figure) + 12 if figure else 0
    weight = 600 if row.unread else 500
    lines = _title_lines(row.title, weight, box.width() - taken, box.width())
    why = capital(row.why).rstrip(".") if len(lines) == 1 else ""
    # Where nothing stands between the title and the foot, they keep together in the middle.
    alone = len(lines) == 1 and not why
    first = QRect(box.left(), box.top() + (step // 2 if alone else 0), box.width(), step)
    if row.unread:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(tokens.accent))
        painter.drawEllipse(QRectF(box.left() - 11, first.center().y() - 2.5, 6, 6))
    if figure:
        painter.setFont(font(13, 600, figures=True))
        painter.setPen(colour(tokens.text))
        painter.drawText(first, _RIGHT, figure)
    painter.setFont(font(13, weight))
    painter.setPen(colour(tokens.text))
    for number, line in enumerate(lines):
        painter.drawText(first.translated(0, number * step), _LEFT, line)
    if why:
        painter.setFont(font(12))
        painter.setPen(colour(tokens.text2))
        painter.drawText(first.translated(0, step), _LEFT, _short(why, 400, box.width()))
    foot = first.translated(0, step + 1 if alone else 2 * step + 1)
    _paint_foot(painter, foot, row, str(index.data(Role.STATE) or ""), tokens)


def _paint_foot(painter: QPainter, line: QRect, row: InboxRow, state: str, tokens: Tokens) -> None:
    """Kind, template at the left; what presses, or how it ended, at the right."""
    ratio = painter.device().devicePixelRatioF()
    tone = _state_tone(row, state, tokens)
    metrics = _metrics(12, 500)
    kind = gates.KIND_WORDS.get(row.kind, "")
    beside = metrics.horizontalAdvance(f"{kind}{row.template}{state}") + (60 if kind else 20)
    if state.startswith("Asked ") and beside > line.width():
        state = state[len("Asked ") :].capitalize()
    width = metrics.horizontalAdvance(state)
    painter.setFont(font(12, 500, figures=True))
    painter.setPen(colour(tone))
    painter.drawText(line, _RIGHT, state)
    if row.due_at is not None and not (row.closed or row.draft or row.others):
        spot = line.right() - width - 18
        painter.drawPixmap(spot, line.center().y() - 6, icons.pixmap("clock", tone, 14, ratio))
        width += 20
    left = line.left()
    if kind:
        ink = getattr(tokens, gates.KIND_TONES[row.kind])
        painter.drawPixmap(left, line.center().y() - 6, icons.pixmap(gates.KIND_ICONS[row.kind], ink, 14, ratio))
        left += 19
        painter.setPen(colour(ink))
        painter.drawText(QRect(left, line.top(), line.width(), line.height()), _LEFT, kind)
        left += metrics.horizontalAdvance(kind) + 8
    painter.setFont(font(12))
    painter.setPen(colour(tokens.text3))
    room = line.right() - width - 10 - left
    painter.drawText(QRect(left, line.top(), room, line.height()), _LEFT, name_shown(row.template, room))


@functools.lru_cache(maxsize=4096)
def name_shown(template: str, room: int) -> str:
    """A template's name in so many pixels: most of it, or enough of a long one, or nothing, since three letters say nothing."""
    metrics = _metrics(12, 400)
    if min(metrics.horizontalAdvance(template) * _LEAST_SHOWN, _ENOUGH) >= room:
        return ""
    return metrics.elidedText(template, Qt.TextElideMode.ElideRight, room)


def _state_tone(row: InboxRow, state: str, tokens: Tokens) -> str:
    if row.closed:
        return tokens.ok if row.verdict == "approved" else tokens.text2
    if state.startswith("Overdue"):
        return tokens.bad
    return tokens.warn if state.endswith("left") else tokens.text3


@functools.lru_cache(maxsize=4096)
def _title_lines(title: str, weight: int, first: int, rest: int) -> tuple[str, ...]:
    """The title on one line, or on two, whole; only what is longer than two lines ends in an ellipsis."""
    metrics = _metrics(13, weight)
    if metrics.horizontalAdvance(title) <= first:
        return (title,)
    lines = broken(title, first, metrics.horizontalAdvance)
    tail = title[len(lines[0]) :].strip()
    return (lines[0], shortened(tail, rest, metrics.horizontalAdvance))


@functools.lru_cache(maxsize=4096)
def _short(text: str, weight: int, room: int) -> str:
    return shortened(text, room, _metrics(12, weight).horizontalAdvance)


@functools.cache
def _metrics(size: int, weight: int) -> QFontMetrics:
    return QFontMetrics(font(size, weight, figures=True))
