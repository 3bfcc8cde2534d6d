"""Text on the screen: one line labels, and prose that wraps anywhere it must, so that nothing is ever cut.

Labels never take rich text, since much of what they show was written by others. QLabel knows no line height and will not break a long
file name, so Prose lays its own lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from counterfoil.desktop import icons
from counterfoil.desktop.theme import colour, current, font

# role: (size, weight, tone, mono, tabular figures)
ROLES: dict[str, tuple[int, int, str, bool, bool]] = {
    "display": (24, 600, "text", False, False),
    "title": (20, 600, "text", False, False),
    "page": (20, 600, "text", False, False),
    "h2": (14, 600, "text", False, False),
    "figure": (16, 600, "text", False, True),
    "strong": (13, 600, "text", False, False),
    "medium": (13, 500, "text", False, False),
    "body": (13, 400, "text", False, False),
    "body2": (13, 400, "text2", False, False),
    "small": (12, 400, "text2", False, False),
    "small_strong": (12, 500, "text", False, False),
    "caption": (12, 400, "text3", False, True),
    "micro": (11, 500, "text3", False, True),
    "mono": (12, 400, "text", True, False),
    "warn": (13, 500, "warn", False, False),
    "bad": (12, 500, "bad", False, False),
    "ok": (13, 500, "ok", False, False),
    "chip": (12, 500, "text2", False, False),
}
# kind of chip: (ground, ink)
_GROUNDS = {"plain": ("hover", "text2"), **{kind: (f"{kind}_soft", kind) for kind in ("ok", "warn", "bad", "info")}}
_CHIP_SIDE, _CHIP_EDGE = 10, 1  # pixels beside and above the words of a long chip


def role_font(role: str) -> QFont:
    """The font of a role."""
    size, weight, _, mono, figures = ROLES[role]
    return font(size, weight, mono=mono, figures=figures)


class Label(QLabel):
    """One line, or wrapped at blanks."""

    def __init__(self, text: str = "", role: str = "body", *, wrap: bool = False, tone: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(role_font(role))
        self.setProperty("tone", tone or ROLES[role][2])
        self.setWordWrap(wrap)
        self.setText(text)

    def set_tone(self, tone: str) -> None:
        """Another colour."""
        if self.property("tone") != tone:
            self.setProperty("tone", tone)
            repolish(self)


class Chip(QLabel):
    """A word on a tinted ground: plain, ok, warn, bad, info, key."""

    def __init__(self, text: str, kind: str = "plain") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(font(11 if kind == "key" else 12, 500))
        self.setProperty("chip", kind)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_kind(self, kind: str) -> None:
        """Another ground."""
        if self.property("chip") != kind:
            self.setProperty("chip", kind)
            repolish(self)


class Icon(QLabel):
    """An icon in a tone; it says nothing to a screen reader, so a word always stands beside it."""

    def __init__(self, name: str, tone: str = "text2", size: int = 16) -> None:
        super().__init__()
        self._name, self._tone, self._size = name, tone, size
        self.setFixedSize(size, size)

    def show_icon(self, name: str, tone: str) -> None:
        """Another icon in another tone."""
        self._name, self._tone = name, tone
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        tone = getattr(current(), self._tone)
        painter.drawPixmap(0, 0, icons.pixmap(self._name, tone, self._size, self.devicePixelRatioF()))
        painter.end()


class Prose(QLabel):
    """Text that wraps at any sign when it must, with a line height; parts of it may be stronger.

    `strong` holds (start, length) of parts in weight 600.
    """

    def __init__(
        self,
        text: str = "",
        role: str = "body",
        *,
        tone: str = "",
        leading: float = 1.45,
        strong: Sequence[tuple[int, int]] = (),
    ) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._role = role
        self._tone = tone or ROLES[role][2]
        self._leading = leading
        self._strong = tuple(strong)
        self._heights: dict[
            tuple[int, int], int
        ] = {}  # by width and size: layouts ask for the same ones again and again
        self.setFont(role_font(role))
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._heights.clear()
        super().setText(text)

    def say(self, text: str, strong: Sequence[tuple[int, int]] = ()) -> None:
        """Another text."""
        self._strong = tuple(strong)
        self.setText(text)
        self.updateGeometry()
        self.update()

    def set_tone(self, tone: str) -> None:
        """Another colour."""
        self._tone = tone
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        key = width, self.font().pixelSize()
        if key not in self._heights:
            self._heights[key] = self._lay(width)[1]
        return self._heights[key]

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        widest = max((metrics.horizontalAdvance(line) for line in self.text().split("\n")), default=0)
        width = min(widest + 2, 640)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(40, self._line_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self._draw(painter, QPointF(), self.width())
        painter.end()

    def _draw(self, painter: QPainter, at: QPointF, width: int) -> None:
        painter.setPen(colour(getattr(current(), self._tone)))
        for layout, top in self._lay(width)[0]:
            layout.draw(painter, at + QPointF(0, top))

    def _line_height(self) -> int:
        return round(self.font().pixelSize() * self._leading)

    def _lay(self, width: int) -> tuple[list[tuple[QTextLayout, float]], int]:
        """The paragraphs laid out with where each begins, and the height of all."""
        step = self._line_height()
        inset = (step - QFontMetrics(self.font()).height()) / 2
        top, start = 0.0, 0
        laid: list[tuple[QTextLayout, float]] = []
        for paragraph in self.text().split("\n"):
            layout = QTextLayout(paragraph, self.font())
            option = QTextOption(self.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask)
            option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
            layout.setTextOption(option)
            layout.setFormats(self._formats(start, len(paragraph)))
            lines = _break(layout, max(width, 1), step, inset)
            laid.append((layout, top))
            top += lines * step
            start += len(paragraph) + 1
        return laid, round(top)

    def _formats(self, start: int, length: int) -> list[QTextLayout.FormatRange]:
        made = []
        for at, many in self._strong:
            if start <= at < start + length:
                part = QTextLayout.FormatRange()
                part.start, part.length = at - start, many
                style = QTextCharFormat()
                style.setFontWeight(600)
                part.format = style
                made.append(part)
        return made


class LongChip(Prose):
    """A chip whose words may be long, such as why a run stopped: they go on below rather than be cut. Kinds as of `Chip`, but no key."""

    def __init__(self, text: str = "", kind: str = "plain") -> None:
        super().__init__(text, "chip", leading=1.4)
        self._kind = ""
        self.set_kind(kind)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_kind(self, kind: str) -> None:
        """Another ground."""
        self._kind = kind
        self.set_tone(_GROUNDS[kind][1])

    def heightForWidth(self, width: int) -> int:
        return super().heightForWidth(width - 2 * _CHIP_SIDE) + 2 * _CHIP_EDGE

    def sizeHint(self) -> QSize:
        width = QFontMetrics(self.font()).horizontalAdvance(self.text()) + 2 * _CHIP_SIDE + 2
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(2 * _CHIP_SIDE + 20, self._line_height() + 2 * _CHIP_EDGE)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(getattr(current(), _GROUNDS[self._kind][0])))
        painter.drawRoundedRect(QRectF(self.rect()), 4, 4)
        self._draw(painter, QPointF(_CHIP_SIDE, _CHIP_EDGE), self.width() - 2 * _CHIP_SIDE)
        painter.end()


def _break(layout: QTextLayout, width: int, step: int, inset: float) -> int:
    """Break a paragraph into lines of `step` pixels; how many."""
    layout.beginLayout()
    count = 0
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, count * step + inset))
        count += 1
    layout.endLayout()
    return max(count, 1)


def repolish(widget: QWidget) -> None:
    """Have the style sheet look at a widget's properties anew."""
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.update()


def tint(base: QColor, share: float) -> QColor:
    """A colour made see-through: `share` 0 to 1 of its strength."""
    made = QColor(base)
    made.setAlphaF(share)
    return made
