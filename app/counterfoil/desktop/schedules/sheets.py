"""Sheets of the Schedules page: what an act means, before it is done."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.act_sheet import ActSheet
from counterfoil.desktop.schedule_facts import ScheduleRow
from counterfoil.desktop.words.plain import quoted


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
