"""A decision that cannot be taken back any more: why, and the way to the run's files where they can be put back."""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject, Signal

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.run_facts import UndoLook


class TooLate(QObject):
    """Says so above the gate that a pane shows.

    Signals:
        said(Banner): put this above the gate.
        undo_wanted(str): put the files of this run back.
    """

    said = Signal(object)
    undo_wanted = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge

    def tell(self, run_id: str, trouble: Trouble) -> None:
        """Look whether files can be put back, then say why the decision stands, with the way to them where there is one."""
        show = functools.partial(self._show, run_id, trouble)
        plain = functools.partial(self._plain, trouble)
        self._bridge.ask(self, lambda office: office.look_at_undo(run_id), show, plain, slow=True)

    def _plain(self, trouble: Trouble, _why: Trouble) -> None:
        self.said.emit(Banner("bad", trouble.message, detail=trouble.next_step))

    def _show(self, run_id: str, trouble: Trouble, look: UndoLook) -> None:
        if look.refusal or not look.can:
            self.said.emit(Banner("bad", trouble.message, detail=trouble.next_step))
            return
        undo = Button("Undo the files…", icon="undo-2", key=run_id)
        undo.chosen.connect(self.undo_wanted)
        self.said.emit(Banner("bad", trouble.message, [undo]))
