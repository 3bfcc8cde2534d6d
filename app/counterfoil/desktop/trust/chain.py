"""A route's llms in their order: rows that are dragged, or moved by Alt+Up and Alt+Down."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QDropEvent, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from counterfoil.desktop import icons
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.tables.adapter import Index
from counterfoil.desktop.tables.fitting import stacked
from counterfoil.desktop.tables.row_ground import paint_ground
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.trust_facts import LinkSeen, RouteSeen
from counterfoil.desktop.words.plain import one_line

_ROW, _LINE = 66, 18
_BESIDE = 24 + 24 + 22  # pixels of the edges, of the number, and of the sign of what stays here
_FONTS = ((13, 600), (12, 400), (12, 400))  # of llm, price and state
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_LINK = int(Qt.ItemDataRole.UserRole)


class Chain(QWidget):
    """The list and what can be done with the chosen llm.

    Signals:
        ordered(str, tuple): the route's name and its links in their new order.
        remove_wanted(str, str): the route's name and a link.
    """

    ordered = Signal(str, object)
    remove_wanted = Signal(str, str)

    def __init__(self, route: RouteSeen) -> None:
        super().__init__()
        self._route = route
        self.view = ChainView(route)
        self.view.moved.connect(self._moved)
        self.view.currentRowChanged.connect(self._shown)
        self._remove = Button("Remove", name=f"Remove the chosen llm of {one_line(route.name)}")
        self._remove.clicked.connect(self._wants_remove)
        lines = column(self, gap=6)
        keys = row(gap=8)
        put(keys, self._remove, None)
        put(lines, self.view, keys)
        self.view.setCurrentRow(0)

    @Slot()
    def _moved(self) -> None:
        self.ordered.emit(self._route.name, tuple(link.link_id for link in self.view.links()))

    @Slot(int)
    def _shown(self, at: int) -> None:
        links = self.view.links()
        if 0 <= at < len(links):
            self._remove.say(f"Remove {one_line(links[at].llm)}")

    @Slot()
    def _wants_remove(self) -> None:
        if (link := self.view.chosen()) is not None:
            self.remove_wanted.emit(self._route.name, link.link_id)


class ChainView(QListWidget):
    """The rows.

    Signals:
        moved(): a person has put one at another place.
    """

    moved = Signal()

    def __init__(self, route: RouteSeen) -> None:
        super().__init__()
        self.setAccessibleName(f"Llms of {one_line(route.name)}, in the order in which they are asked")
        self.setItemDelegate(ChainDelegate(self))
        self.setProperty("rows", "painted")
        self.setMouseTracking(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setFixedHeight(_ROW * max(len(route.links), 1) + 2)  # until it knows how wide it is
        for link in route.links:
            item = QListWidgetItem(one_line(link.llm))
            item.setData(_LINK, link)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, ". ".join((one_line(link.llm), *_lines(link))))
            self.addItem(item)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        high = sum(self.sizeHintForRow(at) for at in range(self.count())) or _ROW
        if self.height() != high + 2:
            self.setFixedHeight(high + 2)

    def links(self) -> list[LinkSeen]:
        """In the order that is shown."""
        return [self.item(at).data(_LINK) for at in range(self.count())]

    def chosen(self) -> LinkSeen | None:
        """The current one."""
        links, at = self.links(), self.currentRow()
        return links[at] if 0 <= at < len(links) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() == Qt.KeyboardModifier.AltModifier:
            self.move_by(step)
            return
        super().keyPressEvent(event)

    def move_by(self, step: int) -> None:
        """Put the current one a place up (-1) or down (1)."""
        at = self.currentRow()
        if 0 <= at + step < self.count():
            item = self.takeItem(at)
            self.insertItem(at + step, item)
            self.setCurrentRow(at + step)
            self.moved.emit()

    def dropEvent(self, event: QDropEvent) -> None:
        before = self.links()
        super().dropEvent(event)
        if self.links() != before:
            self.moved.emit()


class ChainDelegate(QStyledItemDelegate):
    """Three lines: llm and provider, price, key and state."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        link, view = index.data(_LINK), option.widget
        if not isinstance(link, LinkSeen) or not isinstance(view, QListWidget):
            return QSize(200, _ROW)
        told = _stacked(link, view.viewport().width() - _BESIDE)
        return QSize(200, _ROW + (sum(map(len, told)) - len(told)) * _LINE)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        link = index.data(_LINK)
        if not isinstance(link, LinkSeen):
            return
        tokens = current()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = option.rect.adjusted(0, 0, 0, -2)
        paint_ground(painter, box, option.state)
        ratio = painter.device().devicePixelRatioF()
        inner = box.adjusted(12, 6, -12, -6)
        number = QRect(inner.left(), inner.top(), 18, _LINE)
        painter.setFont(font(12, 500, figures=True))
        painter.setPen(colour(tokens.text3))
        painter.drawText(number, _LEFT, str(index.row() + 1))
        ink = getattr(tokens, link.tone) if link.tone in ("ok", "warn", "bad") else tokens.text2
        line = QRect(inner.left() + 24, inner.top(), inner.width() - 24, _LINE)
        looks = zip(
            _FONTS, (tokens.text, tokens.text2, ink), _stacked(link, option.rect.width() - _BESIDE), strict=True
        )
        for (size, weight), tone, texts in looks:
            painter.setFont(font(size, weight, figures=True))
            painter.setPen(colour(tone))
            for text in texts:
                painter.drawText(line, _LEFT, text)
                line.translate(0, _LINE)
        if link.stays:
            painter.drawPixmap(inner.right() - 14, inner.top() + 2, icons.pixmap("shield-check", tokens.ok, 14, ratio))
        painter.restore()


def _stacked(link: LinkSeen, room: int) -> tuple[tuple[str, ...], ...]:
    """What a row says, on as many lines as it needs: a model's name or a price is never cut."""
    texts = (f"{one_line(link.llm)} · {one_line(link.provider)}", *_lines(link))
    fonts = (QFontMetrics(font(size, weight, figures=True)) for size, weight in _FONTS)
    return tuple(stacked(text, room, 4, held.horizontalAdvance) for text, held in zip(texts, fonts, strict=True))


def _lines(link: LinkSeen) -> tuple[str, str]:
    """What it costs; where its key is and how it does."""
    where = " Stays on this computer." if link.stays else ""
    return one_line(link.price), f"{one_line(link.key)} {one_line(link.state)}{where}".strip()
