"""What stands where no run is shown: none is chosen, or why it cannot be, with the way to what can still be read of it."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot

from counterfoil.desktop.bridge import Trouble
from counterfoil.desktop.parts.boxes import Nothing
from counterfoil.desktop.parts.buttons import Button
from counterfoil.errors import RunDamaged


class NoRun(Nothing):
    """Says why.

    Signals:
        export_wanted(str): what is readable of this run.
    """

    export_wanted = Signal(str)

    def __init__(self) -> None:
        self.export = Button("Export what is readable…", "primary")
        super().__init__("play", "Choose a run to see its steps.", buttons=[self.export])
        self._run_id = ""
        self.export.hide()
        self.export.clicked.connect(self._export)

    def say(self, title: str, words: str = "") -> None:
        self.export.hide()
        super().say(title, words)

    def tell(self, trouble: Trouble, run_id: str) -> None:
        """Why a run cannot be shown."""
        damaged = trouble.code == RunDamaged.code
        self._run_id = run_id
        self.say(trouble.message, "" if damaged else trouble.next_step)
        self.export.setVisible(damaged)

    @Slot()
    def _export(self) -> None:
        self.export_wanted.emit(self._run_id)
