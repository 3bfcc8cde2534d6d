"""Above the steps of a run: the one that has said nothing for its limit, and what can be done about it."""

from __future__ import annotations

from PySide6.QtCore import Signal

from counterfoil.desktop.parts.boxes import Pane
from counterfoil.desktop.parts.layouts import empty
from counterfoil.desktop.parts.silent_rows import silent_keys, silent_row
from counterfoil.desktop.run_facts import Silent


class SilentStep(Pane):
    """Its row, or nothing.

    Signals:
        longer_wanted: it may go on being silent.
        restart_wanted: it is to begin anew.
    """

    longer_wanted = Signal()
    restart_wanted = Signal()

    def __init__(self) -> None:
        super().__init__("panel", margins=(8, 0, 24, 8))
        self.hide()

    def show_silent(self, silent: Silent | None) -> None:
        """Tell of a step that is silent; None where none is."""
        empty(self.lines)
        self.setVisible(silent is not None)
        if silent is None:
            return
        keys = silent_keys(silent)
        if keys is not None:
            keys[0].clicked.connect(self.longer_wanted)
            keys[1].clicked.connect(self.restart_wanted)
        self.put(silent_row(silent, keys))
