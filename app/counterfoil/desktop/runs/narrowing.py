"""Chips that narrow the list of runs: workspace, template, schedule, date. Each opens a menu and says what is chosen; nothing hides that
something is left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath

from PySide6.QtCore import QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.keys import keyless
from counterfoil.desktop.parts.labels import repolish
from counterfoil.desktop.parts.layouts import Flow
from counterfoil.desktop.run_facts import EVERY, Choices, Narrow
from counterfoil.desktop.theme import font
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.plain import one_line, tip

_ANY = {"workspace": "Any workspace", "template": "Any template", "schedule": "Any schedule", "days": "Any time"}
_SHORT = {
    "workspace": "Workspace",
    "template": "Template",
    "schedule": "Schedule",
    "days": "Time",
}  # on a chip while nothing is chosen: three stand in a line
_DAYS: Choices = (("1", "Today"), ("7", "Last 7 days"), ("30", "Last 30 days"), ("365", "Last 365 days"))
_LONGEST = 26  # signs of a name on a chip; the menu and the tooltip have it whole


def days_words(days: int) -> str:
    """How far back, in words."""
    return dict(_DAYS).get(str(days), f"Last {count(days, 'day')}")


class MenuChip(Button):
    """One of them.

    Signals:
        picked(str, str): which chip, and the key that was chosen; "" for any.
    """

    picked = Signal(str, str)

    def __init__(self, what: str) -> None:
        super().__init__(_ANY[what], "chip", icon="chevron-down")
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the arrow stands behind the words
        self.setIconSize(QSize(12, 12))
        self._what = what
        self._choices: Choices = ()
        self._chosen = ""
        self.clicked.connect(self.open_menu)
        self.show_chosen((), "")

    def show_chosen(self, choices: Choices, chosen: str) -> None:
        """What there is to choose, and what is chosen."""
        self._choices, self._chosen = choices, chosen
        whole = one_line(dict(choices).get(chosen, chosen)) if chosen else _ANY[self._what]
        short = whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 1].rstrip()}…"
        self.say(short if chosen else _SHORT[self._what], f"{whole}: choose which runs are shown")
        self.setToolTip(tip(whole) if short != whole else "")
        self.setProperty("chosen", bool(chosen))
        repolish(self)

    @Slot()
    def open_menu(self) -> None:
        """Everything there is to choose, with any first."""
        menu = QMenu(self)
        menu.setFont(font())
        menu.setLayoutDirection(QApplication.layoutDirection())  # not the chip's own, which is turned round
        group = QActionGroup(menu)
        for key, words in (("", _ANY[self._what]), *self._choices):
            action = QAction(keyless(one_line(words)), menu)
            action.setCheckable(True)
            action.setChecked(key == self._chosen)
            action.setData(key)
            group.addAction(action)
            menu.addAction(action)
        menu.triggered.connect(self._picked)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))

    @Slot(QAction)
    def _picked(self, action: QAction) -> None:
        self.picked.emit(self._what, str(action.data()))


class Narrowing(QWidget):
    """The chips together. A schedule's chip is there only where there are schedules, a workspace's where the list shows several.

    Signals:
        narrowed(): a person chose something else.
    """

    narrowed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.narrow = EVERY
        self._templates: Choices = ()
        self._schedules: Choices = ()
        self._workspaces: Choices = ()
        self.chips = {what: MenuChip(what) for what in _ANY}
        flow = Flow(self, gap=6, line_gap=6)
        for chip in self.chips.values():
            chip.picked.connect(self._picked)
            flow.addWidget(chip)
        self._say()

    def offer(self, templates: Choices, schedules: Choices, workspaces: Choices = ()) -> None:
        """What there is by now; no workspaces where the window shows one alone."""
        if (templates, schedules, workspaces) != (self._templates, self._schedules, self._workspaces):
            self._templates, self._schedules, self._workspaces = templates, schedules, workspaces
            self._say()

    def choose(self, narrow: Narrow) -> None:
        """Show this, without telling anybody."""
        self.narrow = narrow
        self._say()

    def words(self) -> list[str]:
        """What is chosen, in words."""
        return narrow_words(self.narrow, self._templates, self._schedules, self._workspaces)

    def _say(self) -> None:
        narrow = self.narrow
        self.chips["workspace"].show_chosen(self._workspaces, narrow.workspace)
        self.chips["workspace"].setVisible(bool(len(self._workspaces) > 1 or narrow.workspace))
        self.chips["template"].show_chosen(self._templates, narrow.template)
        self.chips["schedule"].show_chosen(self._schedules, narrow.schedule)
        self.chips["days"].show_chosen(_DAYS, str(narrow.days) if narrow.days else "")
        self.chips["schedule"].setVisible(bool(self._schedules or narrow.schedule))

    @Slot(str, str)
    def _picked(self, what: str, key: str) -> None:
        if what == "template":
            self.narrow = replace(self.narrow, template=key)
        elif what == "schedule":
            self.narrow = replace(self.narrow, schedule=key)
        elif what == "workspace":
            self.narrow = replace(self.narrow, workspace=key)
        else:
            self.narrow = replace(self.narrow, days=int(key or 0))
        self._say()
        self.narrowed.emit()


def narrow_words(narrow: Narrow, templates: Choices, schedules: Choices, workspaces: Choices) -> list[str]:
    """Workspace, template, schedule and days as a name for a view says them."""
    said = [
        dict(workspaces).get(narrow.workspace, PurePath(narrow.workspace).name),
        dict(templates).get(narrow.template, narrow.template),
        dict(schedules).get(narrow.schedule, "one schedule" if narrow.schedule else ""),
        days_words(narrow.days) if narrow.days else "",
    ]
    return [one_line(words) for words in said if words]
