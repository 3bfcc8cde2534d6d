"""A decision that cannot be taken back any more: why, and the way to the run's files where they can be put back."""

from __future__ import annotations

import functools

import shiboken6
from PySide6.QtCore import QObject, Signal

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate.page import GatePage
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.run_facts import UndoLook


class TooLate(QObject):
    """Says so above the gate that a pane shows, for as long as that gate stands there.

    Signals:
        said(str, Banner, Trouble): put this above this gate, or tell it elsewhere where another one is shown by now.
        undo_wanted(str): put the files of this run back.
    """

    said = Signal(str, object, object)
    undo_wanted = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._told: tuple[str, Banner] | None = None  # what stands above which gate

    def tell(self, gate_id: str, run_id: str, trouble: Trouble) -> None:
        """Look whether files can be put back, then say why the decision stands, with the way to them where there is one."""
        show = functools.partial(self._show, gate_id, run_id, trouble)
        plain = functools.partial(self._plain, gate_id, trouble)
        self._bridge.ask(self, lambda office: office.look_at_undo(run_id), show, plain, slow=True)

    def stand(self, gate_id: str, page: GatePage, banner: Banner) -> None:
        """Put it above the gate."""
        self._told = (gate_id, banner)
        page.say(banner)

    def go_on(self, page: GatePage) -> None:
        """The page is built anew, as when the run has gone on: what was told of its gate stands above it again."""
        told, self._told = self._told, None
        if told is not None and told[0] == page.reading.seen.gate_id and shiboken6.isValid(told[1]):
            self.stand(told[0], page, told[1])

    def _plain(self, gate_id: str, trouble: Trouble, _why: Trouble) -> None:
        self.said.emit(gate_id, Banner("bad", trouble.message, detail=trouble.next_step), trouble)

    def _show(self, gate_id: str, run_id: str, trouble: Trouble, look: UndoLook) -> None:
        if look.refusal or not look.can:
            self._plain(gate_id, trouble, trouble)
            return
        undo = Button("Undo the files…", icon="undo-2", key=run_id)
        undo.chosen.connect(self.undo_wanted)
        self.said.emit(gate_id, Banner("bad", trouble.message, [undo]), trouble)
