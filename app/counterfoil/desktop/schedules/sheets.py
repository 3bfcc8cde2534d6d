"""Sheets of the Schedules page: what an act means, before it is done."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from counterfoil.clock import from_us
from counterfoil.desktop.gate.sheets import WordsSheet
from counterfoil.desktop.parts.act_sheet import ActSheet
from counterfoil.desktop.parts.combo import Combo
from counterfoil.desktop.schedule_facts import FiringSeen, ScheduleRow
from counterfoil.desktop.words.plain import quoted
from counterfoil.desktop.words.schedules import dated


def remove_sheet(over: QWidget, row: ScheduleRow) -> ActSheet:
    """Take a schedule away?"""
    return ActSheet(
        over,
        f"Remove {quoted(row.name)}",
        follows=(
            "Nothing starts by it any more. A run that is under way goes on.",
            "Its runs, and what became of each firing, stay in Runs and in the Trail.",
        ),
        button=f"Remove {quoted(row.name)}",
        key=row.schedule_id,
        kind="danger",
        other="Keep it",
    )


def skip_sheet(over: QWidget, what: str) -> WordsSheet:
    """Let a firing pass? `what` is what the button says: Skip tomorrow."""
    return WordsSheet(
        over,
        what,
        question="Why?",
        follows="Nothing starts at that time. The firings after it stay. The reason is kept with it.",
        button=what,
        one_line=True,
        leave="Let it run",
    )


class SkippedSheet(ActSheet):
    """Which of those that were missed is to be run after all."""

    def __init__(self, over: QWidget, missed: Sequence[FiringSeen]) -> None:
        super().__init__(
            over,
            "Run a skipped one",
            follows=(
                "It runs as if it were on time: “last week” is the week before its planned day.",
                "It has a row of its own. The next firing stays where it is.",
            ),
            button="Run this one",
            key="skipped",
            kind="primary",
            other="Close",
        )
        self._missed = tuple(missed)
        self.which = Combo("Which one")
        for firing in self._missed:
            self.which.addItem(f"{quoted(firing.name)}, {dated(from_us(firing.due_at).astimezone(), year=True)}")
        self.body.insertWidget(0, self.which)

    @property
    def chosen(self) -> FiringSeen:
        """The one that stands there."""
        return self._missed[self.which.currentIndex()]


def login_sheet(over: QWidget) -> ActSheet:
    """Asked once, when the first schedule was saved."""
    return ActSheet(
        over,
        "Start it at login?",
        follows=("This computer has to be on and Counterfoil must run in the background. Start it at login?",),
        button="Start at login",
        key="login",
        kind="primary",
        other="Only while the window is open",
    )
