"""“Pause everything”: what is in the middle now, what it will do, and one button; resuming needs no sheet."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.office import RunnerSeen
from counterfoil.desktop.parts.act_sheet import ActSheet
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.words.numbers import joined
from counterfoil.desktop.words.plain import quoted


class Pausing(QObject, OneSheet[ActSheet]):
    """Pauses and resumes everything for one window.

    Signals:
        done(): it was done; the runner line is to be looked at.
    """

    done = Signal()

    def __init__(self, bridge: Bridge, over: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge, self._over = bridge, over

    def ask(self, seen: RunnerSeen) -> None:
        """Show what a pause means now."""
        if self.sheet is None:
            sheet = ActSheet(
                self._over,
                "Pause everything",
                follows=sentences(seen),
                button="Pause everything",
                key="pause",
                kind="danger",
                other="Let it go on",
            )
            sheet.given.connect(self._pause)
            self.open_sheet(sheet, sheet.other)

    @Slot()
    def resume(self) -> None:
        """Let everything go on."""
        self._bridge.ask(self, lambda office: office.pause_everything(on=False), self._done)

    @Slot(str)
    def _pause(self, _key: str) -> None:
        self._bridge.ask(self, lambda office: office.pause_everything(on=True), self._done)

    def _done(self, _nothing: object) -> None:
        self.done.emit()


def sentences(seen: RunnerSeen) -> list[str]:
    """What a pause means, with what is in the middle now."""
    doing = joined(quoted(title) for title in seen.doing)
    middle = f"In the middle now: {doing}. What it is writing or sending is ended first." if doing else ""
    return [
        "No run starts or goes on, no schedule fires, nothing is written or sent until somebody resumes it.",
        middle or "Nothing is in the middle of something now.",
        "Decisions can still be given. They wait.",
    ]
