"""“Always allow…”: the narrowest rules that would have spared a gate, and which earlier decisions they would have covered.

Giving a rule decides nothing here: the gate still waits for its own answer.
"""

from __future__ import annotations

import functools

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.gate.reading import Reading
from counterfoil.desktop.parts.boxes import Banner, Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import put
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.trust_facts import Proposal
from counterfoil.desktop.words.plain import one_line

_SHOWN = 12  # decisions that are listed


def may_be_allowed(reading: Reading) -> bool:
    """Whether a gate asks about something that a rule could allow: a fact to remember is accepted by a person each time."""
    kinds = {str(body["kind"]).partition("@")[0] for body in reading.seen.bodies}
    return (
        reading.open
        and reading.kind == "approval"
        and bool(reading.seen.document.get("plan"))
        and reading.seen.may_decide
        and kinds != {"remember"}
    )


class Allowing(QObject, OneSheet["AllowSheet"]):
    """Opens the sheet of one pane, and gives what is proposed.

    Signals:
        said(Banner): what came of it.
    """

    said = Signal(object)

    def __init__(self, over: QWidget, bridge: Bridge) -> None:
        super().__init__(over)
        self._over, self._bridge = over, bridge
        self._latest = Latest()
        self._gate_id = ""

    def dismiss(self) -> None:
        """Another gate comes: close what is open, and show nothing of what was asked for; nothing is given."""
        self._gate_id = ""
        self._latest.take(None)
        self.close_sheet()

    def propose(self, gate_id: str) -> None:
        """Look for the narrowest rules, then show them."""
        self.dismiss()
        self._gate_id = gate_id
        failed = functools.partial(self._failed, gate_id)
        self._latest.take(
            self._bridge.ask(self._over, lambda office: office.trust.proposal(gate_id), self._show, failed, slow=True)
        )

    def _show(self, proposal: Proposal) -> None:
        sheet = AllowSheet(proposal, self._over)
        sheet.allow.clicked.connect(self._give)
        self.open_sheet(sheet)

    @Slot()
    def _give(self) -> None:
        gate_id = self._gate_id
        self.close_sheet()
        given, failed = functools.partial(self._given, gate_id), functools.partial(self._failed, gate_id)
        self._bridge.ask(self._over, lambda office: office.trust.allow(gate_id), given, failed, slow=True)

    def _given(self, gate_id: str, sentence: str) -> None:
        if gate_id == self._gate_id:
            self.said.emit(Banner("info", sentence))

    def _failed(self, gate_id: str, trouble: Trouble) -> None:
        """It is told at its gate, or over the page where another one is open by now."""
        if gate_id == self._gate_id:
            self.said.emit(Banner("bad", trouble.message, detail=trouble.next_step))
        else:
            self._bridge.troubled.emit(trouble)


class AllowSheet(Sheet):
    """What is proposed, and what it would have covered."""

    def __init__(self, proposal: Proposal, over: QWidget) -> None:
        super().__init__("Always allow?", over)
        rules = Box("quiet", gap=6)
        for sentence in proposal.rules:
            rules.put(Prose(one_line(sentence), "strong"))
        words = f"It would have covered {len(proposal.covered)} of your last {proposal.looked_at} decisions."
        self.body.addWidget(rules)
        self.body.addWidget(
            Prose(words if proposal.looked_at else "There are no earlier decisions to hold it against.", "body")
        )
        for title, answer in proposal.covered[:_SHOWN]:
            self.body.addWidget(Prose(f"{one_line(title)}: {answer}", "small"))
        if len(proposal.covered) > _SHOWN:
            self.body.addWidget(Label(f"and {len(proposal.covered) - _SHOWN} more", "caption"))
        if proposal.refused:
            were, they = ("was", "it") if proposal.refused == 1 else ("were", "they")
            words = f"{proposal.refused} of these {were} not approved. With this rule {they} would have been done."
            self.body.addWidget(Banner("warn", words))
        self.body.addWidget(
            Prose(
                "This gate still waits for your answer. The rule can be taken back on the page Connectors, under Permissions.",
                "small",
            )
        )
        self.allow = Button("Always allow it", "primary")
        close = Button("Leave it", "quiet")
        close.clicked.connect(self.dismiss)
        put(self.foot, self.allow, None, close)
