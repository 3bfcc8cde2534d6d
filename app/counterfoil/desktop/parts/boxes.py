"""Cards, banners, quotes and what stands where nothing is."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QSizePolicy, QWidget

from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import TOP, Margins, column, put, row
from counterfoil.desktop.theme import colour, current, font

_MEASURE = 560  # pixels of a line that is read at one glance
_LONG = 3_000  # milliseconds after which rows without words are too little
_TONE_ICONS = {"warn": "triangle-alert", "bad": "octagon-alert", "ok": "circle-check", "info": "info", "quiet": "info"}


class Box(QFrame):
    """A surface with a column in it: card, quiet, quote, warn, bad, ok, info, answers, bar, popover, sheet."""

    def __init__(self, surface: str = "card", *, gap: int = 8, margins: Margins = (16, 14, 16, 14)) -> None:
        super().__init__()
        self.setProperty("surface", surface)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.lines: QBoxLayout = column(self, gap=gap, margins=margins)

    def put(self, *things: QWidget | QBoxLayout | int | None) -> Box:
        """Add to the column."""
        put(self.lines, *things)
        return self


class Pane(QWidget):
    """A plain ground: app, sidebar, panel."""

    def __init__(self, surface: str, *, gap: int = 0, margins: Margins = (0, 0, 0, 0)) -> None:
        super().__init__()
        self.setProperty("surface", surface)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.lines: QBoxLayout = column(self, gap=gap, margins=margins)

    def put(self, *things: QWidget | QBoxLayout | int | None) -> Pane:
        """Add to the column."""
        put(self.lines, *things)
        return self


class Popover(Box):
    """Stands over the page until it is closed; Esc closes it and decides nothing.

    Signals:
        closed(): a person is done with it.
    """

    closed = Signal()

    def __init__(self, over: QWidget, *, width: int) -> None:
        super().__init__("popover", gap=6, margins=(16, 14, 16, 14))
        self.setParent(over)
        self.setFixedWidth(width)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        event.accept()


class Rule(QFrame):
    """A hairline across, or down."""

    def __init__(self, *, down: bool = False) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        if down:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)


class Banner(Box):
    """A sentence on a tinted ground with the icon of its tone, and buttons below it."""

    def __init__(
        self,
        tone: str,
        words: str,
        buttons: Sequence[Button] = (),
        *,
        detail: str = "",
        more: Sequence[str] = (),
    ) -> None:
        """`more` sentences stand below the first, each by itself; `detail` is quieter."""
        super().__init__(tone, gap=6, margins=(12, 10, 12, 10))
        ink = tone if tone != "quiet" else "text2"
        line = row(gap=10)
        mark = Icon(_TONE_ICONS[tone], ink)
        line.addWidget(mark, 0, TOP)
        texts = column(gap=4)
        self.words = Prose(words, "medium", tone=ink)
        put(texts, self.words, *[Prose(sentence, "medium", tone=ink) for sentence in more])
        if detail:
            put(texts, Prose(detail, "small"))
        if buttons:
            keys = row(gap=8, margins=(0, 4, 0, 2))
            put(keys, *buttons, None)
            put(texts, keys)
        line.addLayout(texts, 1)
        self.put(line)
        self.setAccessibleName(" ".join((words, *more)))


class Quote(Box):
    """Words that are not the product's: bordered, with whose they are below."""

    def __init__(self, text: str, source: str) -> None:
        super().__init__("quote", gap=8, margins=(14, 12, 14, 10))
        self.put(Prose(text, "body"), Label(source, "caption", wrap=True))
        self.setAccessibleName(source)


class Nothing(QWidget):
    """An empty place: what is missing in one sentence, and the first step."""

    def __init__(self, icon: str, title: str, words: str = "", buttons: Sequence[Button] = ()) -> None:
        super().__init__()
        lines = column(self, gap=10, margins=(32, 32, 32, 32))
        put(lines, None)
        mark = Icon(icon, "text3", 28)
        lines.addWidget(mark, 0, Qt.AlignmentFlag.AlignHCenter)
        self.head, self.words = Prose(title, "h2"), Prose(words, "body2")
        for text in (self.head, self.words):
            text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            text.setMaximumWidth(_MEASURE)
            line = row()
            put(line, None, text, None)
            put(lines, line)
        self.words.setVisible(bool(words))
        if buttons:
            keys = row(gap=8, margins=(0, 6, 0, 0))
            put(keys, None, *buttons, None)
            put(lines, keys)
        put(lines, None)

    def say(self, title: str, words: str = "") -> None:
        """Another sentence."""
        self.head.say(title)
        self.words.say(words)
        self.words.setVisible(bool(words))


class Skeleton(QWidget):
    """Rows of the height that will come, so that nothing jumps when it does. One that stands for long says what is waited for."""

    def __init__(self, row_height: int, *, rows: int = 6, inset: int = 20, label: str = "Loading…") -> None:
        super().__init__()
        self._step, self._rows, self._inset = row_height, rows, inset
        self._long = QTimer(self, singleShot=True, interval=_LONG)
        self._long.timeout.connect(self.say)
        self._said = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(label)

    @Slot()
    def say(self) -> None:
        """Write what is waited for in the place of the first row."""
        self._said = f"{self.accessibleName().rstrip('…')}…"
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._said = ""
        self._long.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._long.stop()

    def sizeHint(self) -> QSize:
        return QSize(200, self._step * self._rows)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(current().hover))
        width = self.width() - 2 * self._inset
        shares = (0.62, 0.8, 0.4) if self._step > 60 else (0.7,)
        for number in range(1 if self._said else 0, self._rows):
            top = number * self._step + (14 if self._step > 60 else (self._step - 10) / 2)
            for line, share in enumerate(shares):
                box = QRectF(self._inset, top + line * 21, width * (share - 0.07 * (number % 3)), 10)
                painter.drawRoundedRect(box, 4, 4)
        if self._said:
            painter.setFont(font(13, 500))
            room = QRect(self._inset, 0, width, self._step)
            painter.setPen(colour(current().text2))
            painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self._said)
        painter.end()
