"""The path above a gate: template, run, step, on one line however narrow. The run's title is the part that gives way, since the title
of the gate below says it, too."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, role_font
from counterfoil.desktop.parts.layouts import put, row
from counterfoil.desktop.tables.fitting import shortened
from counterfoil.desktop.theme import colour, current
from counterfoil.desktop.words.plain import one_line

_WIDEST, _LEAST = 260, 44  # pixels of a part that gives way


class GivesWay(Label):
    """A line that is shortened to the room that is left; the whole of it is its text, and its tooltip."""

    def __init__(self, text: str) -> None:
        super().__init__(text, "small")
        self.setToolTip(text)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        whole = QFontMetrics(self.font()).horizontalAdvance(self.text()) + 1
        return QSize(min(whole, _WIDEST), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), _LEAST), super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(colour(current().text2))
        shown = shortened(self.text(), self.width(), QFontMetrics(role_font("small")).horizontalAdvance)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.end()


class GatePath(QWidget):
    """Template, what the run is called, the run, the step."""

    def __init__(self, seen: GateSeen) -> None:
        super().__init__()
        line = row(self, gap=4)
        template = one_line(seen.template)
        put(line, GivesWay(template))
        title = one_line(seen.run_title).removeprefix(template).lstrip(" ,:·–-")
        if title:
            put(line, *_below(GivesWay(title)))
        run_id = str(seen.document["run_id"])
        self.run = Button(f"Run {seen.run_number}", "link", key=run_id, help="Show every step of this run")
        put(line, *_below(self.run))
        if seen.step is not None:
            put(line, *_below(Label(f"Step {seen.step}", "small")))
        line.addStretch(1)


def _below(part: QWidget) -> tuple[QWidget, QWidget]:
    return Icon("chevron-right", "text3", 14), part
