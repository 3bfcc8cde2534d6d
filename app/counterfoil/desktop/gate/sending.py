"""Decisions on their way to the disk. What came of one is told of its own gate, whatever is shown by then."""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject, Signal

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate_facts import Answer, DecisionMade


class Sending(QObject):
    """Commits decisions and takes them back.

    Signals:
        kept(DecisionMade): it is on the disk.
        undone(str): it was taken back; the gate.
        refused(str, Trouble): the gate, and why not.
        late(str, Trouble): it cannot be taken back any more.
    """

    kept = Signal(object)
    undone = Signal(str)
    refused = Signal(str, object)
    late = Signal(str, object)

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._gates: set[str] = set()
        self._taken_back: set[str] = set()  # those whose decision is being taken back

    def on_its_way(self, gate_id: str) -> bool:
        """Whether a decision on this gate has not been answered yet."""
        return gate_id in self._gates

    def decide(self, answer: Answer) -> None:
        """Commit it."""
        self._gates.add(answer.gate_id)
        refused = functools.partial(self._refused, answer.gate_id)
        self._bridge.ask(self, lambda office: office.decide(answer), self._kept, refused)

    def take_back(self, gate_id: str) -> None:
        """Take the decision back while that is possible; once, however often it is wished for."""
        if gate_id in self._taken_back:
            return
        self._taken_back.add(gate_id)
        self._bridge.ask(
            self,
            lambda office: office.void(gate_id),
            functools.partial(self._undone, gate_id),
            functools.partial(self._not_undone, gate_id),
        )

    def _kept(self, made: DecisionMade) -> None:
        self._gates.discard(made.gate_id)
        self.kept.emit(made)

    def _undone(self, gate_id: str, _nothing: object) -> None:
        self._taken_back.discard(gate_id)
        self.undone.emit(gate_id)

    def _not_undone(self, gate_id: str, trouble: Trouble) -> None:
        self._taken_back.discard(gate_id)
        (self.late if trouble.code == "gate_closed" else self.refused).emit(gate_id, trouble)

    def _refused(self, gate_id: str, trouble: Trouble) -> None:
        self._gates.discard(gate_id)
        self.refused.emit(gate_id, trouble)
