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
from counterfoil.desktop.words.plain import one_line, tip

_WIDEST = 260  # pixels of a part that gives way
_TEMPLATE, _TITLE = 150, 44  # pixels that are left to it
_GAP = 4  # pixels between two parts


class GivesWay(Label):
    """A line that is shortened to the room that is left; the whole of it is its tooltip and what a screen reader says."""

    def __init__(self, text: str, least: int) -> None:
        super().__init__(text, "small")
        self._whole, self._fitted, self._least = text, text, least
        self.setToolTip(tip(text))
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.give(self.most)

    @property
    def most(self) -> int:
        """Pixels of all of it, as far as it may go."""
        return min(self._wide(self._whole), _WIDEST)

    @property
    def least(self) -> int:
        """Pixels that are left to it."""
        return min(self.most, self._least)

    def give(self, room: int) -> int:
        """Take the room that is there, no wider than the words that are left, so that what follows stands next to them; pixels taken."""
        fitted = self._shortened(room)
        if fitted != self._fitted:
            self._fitted = fitted
            self.setText(fitted)
            self.updateGeometry()
        return self._wide(fitted)

    def sizeHint(self) -> QSize:
        return QSize(self._wide(self._fitted), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self._wide(self._fitted), self.least), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        short = self.width() < self._wide(self._fitted)
        self.setText(self._shortened(self.width()) if short else self._fitted)

    def _shortened(self, room: int) -> str:
        return shortened(self._whole, room, QFontMetrics(self.font()).horizontalAdvance)

    def _wide(self, text: str) -> int:
        return QFontMetrics(self.font()).horizontalAdvance(text) + 1


class GatePath(QWidget):
    """Template, what the run is called, the run, the step."""

    def __init__(self, seen: GateSeen) -> None:
        super().__init__()
        line = row(self, gap=_GAP)
        template = one_line(seen.template)
        self._giving = [GivesWay(template, _TEMPLATE)]
        put(line, self._giving[0])
        title = one_line(seen.run_title).removeprefix(template).lstrip(" ,:·–-")
        if title:
            self._giving.insert(0, GivesWay(title, _TITLE))
            put(line, *_below(self._giving[0]))
        run_id = str(seen.document["run_id"])
        self.run = Button(f"Run {seen.run_number}", "link", key=run_id, help="Show every step of this run")
        put(line, *_below(self.run))
        if seen.step is not None:
            put(line, *_below(Label(f"Step {seen.step}", "small")))
        line.addStretch(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The title gives way first."""
        super().resizeEvent(event)
        parts = [one for one in self.children() if isinstance(one, QWidget)]
        rest = sum(_GAP + one.sizeHint().width() for one in parts if one not in self._giving)
        room = self.width() - rest - _GAP * len(self._giving)
        wanted = sum(one.most for one in self._giving)
        for one in self._giving:
            wanted -= one.most
            room -= one.give(min(one.most, max(one.least, room - wanted)))


def _below(part: QWidget) -> tuple[QWidget, QWidget]:
    return Icon("chevron-right", "text3", 14), part
