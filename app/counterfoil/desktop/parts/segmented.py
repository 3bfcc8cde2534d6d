"""A choice of a few, side by side. Radio buttons underneath, so that arrow keys, Space and screen readers know what it is.

Nothing is chosen until a person chooses: a question about money has no default.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QButtonGroup, QFrame, QLayout, QRadioButton, QSizePolicy

from counterfoil.desktop.parts.layouts import Even, row
from counterfoil.desktop.theme import colour, current, font

_TONES = {
    "": ("panel", "text", "border_strong"),
    "ok": ("accent_soft", "accent_text", "accent"),
    "warn": ("warn_soft", "warn", "warn"),
    "bad": ("bad_soft", "bad", "bad"),
}


_BESIDE, _TIGHT = 12, 9  # pixels at both sides of a word; of one whose track may run out of room


class Segment(QRadioButton):
    """One of the choices; painted as a part of the track."""

    def __init__(self, words: str, key: str, tone: str, *, height: int = 28, beside: int = _BESIDE) -> None:
        super().__init__(words)
        self._beside = beside
        self.setShortcut(QKeySequence())  # an ampersand in an author's word makes no key
        self.setAccessibleName(words)
        self.key = key
        self._tone = tone
        self._height = height
        self.badge = ""
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.setFont(font(12, 500))

    def set_badge(self, badge: str) -> None:
        """A number behind the word."""
        if badge != self.badge:
            self.badge = badge
            self.setAccessibleName(f"{self.text()} {badge}".strip())
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        badge = metrics.horizontalAdvance(self.badge) + 6 if self.badge else 0
        return QSize(metrics.horizontalAdvance(self.text()) + badge + 2 * self._beside, self._height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, pos: object) -> bool:
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right go through all choices in order, also from one line to the next."""
        step, group = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(Qt.Key(event.key())), self.group()
        if step is None or group is None:
            super().keyPressEvent(event)
            return
        able = [one for one in group.buttons() if one.isVisible() and one.isEnabled()]
        at = able.index(self) + step
        if 0 <= at < len(able):
            able[at].setFocus(Qt.FocusReason.TabFocusReason if step > 0 else Qt.FocusReason.BacktabFocusReason)
            able[at].click()

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground, ink, edge = _TONES[self._tone]
        if self.isChecked():
            painter.setPen(QPen(colour(getattr(tokens, edge)), 1))
            painter.setBrush(colour(getattr(tokens, ground)))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
        painter.setFont(font(12, 600 if self.isChecked() else 500))
        quiet = tokens.text3 if not self.isEnabled() else tokens.text if self.underMouse() else tokens.text2
        painter.setPen(colour(getattr(tokens, ink) if self.isChecked() else quiet))
        words = f"{self.text()}  {self.badge}" if self.badge else self.text()
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, words)
        painter.end()


class Segmented(QFrame):
    """The track with its segments.

    Signals:
        picked(str): a person chose this key.
    """

    picked = Signal(str)

    def __init__(
        self, choices: Sequence[tuple[str, str, str]], *, name: str, numbered: bool = False, wraps: bool = False
    ) -> None:
        """`choices` are (key, words, tone); `numbered` lets 1, 2, 3 choose while a segment has the focus; one that `wraps` has lines
        that are alike where one is too short."""
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._numbered = numbered
        self._group = QButtonGroup(self)
        self.segments: dict[str, Segment] = {}
        line = self._flow() if wraps else row(self, gap=2, margins=(2, 2, 2, 2))
        for number, (key, words, tone) in enumerate(choices, 1):
            segment = Segment(words, key, tone, beside=_TIGHT if wraps else _BESIDE)
            hint = f"{name}. Press {number} to choose it." if numbered else name
            segment.setAccessibleDescription(hint)
            self.segments[key] = segment
            self._group.addButton(segment, number)
            line.addWidget(segment)
        self._group.idClicked.connect(self._clicked)

    def _flow(self) -> QLayout:
        made = Even(self, gap=2, line_gap=2)
        made.setContentsMargins(2, 2, 2, 2)
        policy = QSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        return made

    @property
    def chosen(self) -> str:
        """The chosen key, "" while there is none."""
        button = self._group.checkedButton()
        return button.key if isinstance(button, Segment) else ""

    def choose(self, key: str) -> None:
        """Show a choice without saying that a person made it."""
        if key in self.segments:
            self.segments[key].setChecked(True)
            return
        self._group.setExclusive(False)
        for segment in self.segments.values():
            segment.setChecked(False)
        self._group.setExclusive(True)

    def first(self) -> Segment:
        """Where the focus goes: the chosen one, else the first."""
        return self.segments[self.chosen] if self.chosen else next(iter(self.segments.values()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        typed = event.text()
        plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if self._numbered and plain and typed.isdigit() and 1 <= int(typed) <= len(self.segments):
            segment = list(self.segments.values())[int(typed) - 1]
            segment.setFocus(Qt.FocusReason.ShortcutFocusReason)
            segment.setChecked(True)
            self.picked.emit(segment.key)
            return
        super().keyPressEvent(event)

    @Slot(int)
    def _clicked(self, number: int) -> None:
        button = self._group.button(number)
        if isinstance(button, Segment):
            self.picked.emit(button.key)
