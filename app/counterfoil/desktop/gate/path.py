"""The path above a gate: template, run, step, on one line however narrow. The run's title is the part that gives way, since the title
of the gate below says it, too."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label
from counterfoil.desktop.parts.layouts import put, row
from counterfoil.desktop.tables.fitting import shortened
from counterfoil.desktop.words.plain import one_line

_WIDEST = 260  # pixels of a part that gives way
_TEMPLATE, _TITLE = 150, 44  # pixels that are left to it


class GivesWay(Label):
    """A line that is shortened to the room that is left; the whole of it is its tooltip and what a screen reader says."""

    def __init__(self, text: str, least: int) -> None:
        super().__init__("", "small")
        self._whole, self._least = text, least
        self.setToolTip(text)
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._show(_WIDEST)

    def sizeHint(self) -> QSize:
        whole = QFontMetrics(self.font()).horizontalAdvance(self._whole) + 1
        return QSize(min(whole, _WIDEST), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), self._least), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show(self.width())

    def _show(self, room: int) -> None:
        self.setText(shortened(self._whole, room, QFontMetrics(self.font()).horizontalAdvance))


class GatePath(QWidget):
    """Template, what the run is called, the run, the step."""

    def __init__(self, seen: GateSeen) -> None:
        super().__init__()
        line = row(self, gap=4)
        template = one_line(seen.template)
        put(line, GivesWay(template, _TEMPLATE))
        title = one_line(seen.run_title).removeprefix(template).lstrip(" ,:·–-")
        if title:
            put(line, *_below(GivesWay(title, _TITLE)))
        run_id = str(seen.document["run_id"])
        self.run = Button(f"Run {seen.run_number}", "link", key=run_id, help="Show every step of this run")
        put(line, *_below(self.run))
        if seen.step is not None:
            put(line, *_below(Label(f"Step {seen.step}", "small")))
        line.addStretch(1)


def _below(part: QWidget) -> tuple[QWidget, QWidget]:
    return Icon("chevron-right", "text3", 14), part
