"""A call that waits until somebody has signed in: the button that opens the page for it, and what came of that, above the question."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import put, row
from counterfoil.desktop.words.people import OPENING
from counterfoil.desktop.words.plain import one_line

DONE = "done"  # the field that says so


def wanted_by(seen: GateSeen) -> str:
    """The connector that wants somebody to sign in before a call goes on; "" for every other gate."""
    state = seen.about.get("state")
    return str(state.get("sign_in") or "") if seen.about.get("why") == "signed_out" and isinstance(state, dict) else ""


class SigningIn(Box):
    """What is wanted, and its button.

    Signals:
        signed_in(): somebody has signed in.
    """

    signed_in = Signal()

    def __init__(self, name: str, bridge: Bridge) -> None:
        super().__init__("answers", gap=8, margins=(14, 12, 14, 12))
        self._name, self._bridge = name, bridge
        shown = one_line(name)
        self.words = Prose(f"The sign-in to {shown} has ended. Nothing was called.", "strong")
        self.button = Button("Sign in", name=f"Sign in to {shown}")
        self.button.clicked.connect(self._sign_in)
        line = row()
        put(line, self.button, None)
        self.put(self.words, line)

    @Slot()
    def _sign_in(self) -> None:
        name = self._name
        self.button.setEnabled(False)
        self.button.say(OPENING)
        self._bridge.ask(self, lambda office: office.trust.sign_in(name), self._done, self._failed, slow=True)

    def _done(self, sentence: str) -> None:
        self.words.say(sentence)
        self.button.hide()
        self.signed_in.emit()

    def _failed(self, trouble: Trouble) -> None:
        self.words.say(f"{trouble.message} {trouble.next_step}".strip())
        self.button.setEnabled(True)
        self.button.say("Sign in")
