"""A step that has said nothing for its limit: its row with Wait and Restart, and the sheet that says what a restart comes to."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.act_sheet import ActSheet
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.run_facts import Silent

RESTARTS = "It is restarted as soon as what cannot be cut off has ended."


def silent_keys(silent: Silent) -> tuple[Button, Button] | None:
    """Wait and Restart, keyed by what is silent; None where a restart is on its way already."""
    if silent.asked:
        return None
    wait = Button("Wait", key=silent, name=f"Wait: {silent.words}")
    restart = Button("Restart this step…", key=silent, name=f"Restart this step: {silent.words}")
    return wait, restart


def silent_row(silent: Silent, keys: tuple[Button, Button] | None) -> Banner:
    """The row on the Steps tab."""
    return Banner("warn", silent.words, list(keys or ()), detail="" if keys else RESTARTS)


def restart_sheet(over: QWidget, silent: Silent) -> ActSheet:
    """What a restart comes to, and its button."""
    return ActSheet(
        over,
        "Restart this step",
        follows=silent.follows,
        button="Restart this step",
        key=silent.run_id,
        kind="danger",
        other="Let it run",
    )
