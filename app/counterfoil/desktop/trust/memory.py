"""What a workspace remembers: facts with their source and who accepted them, each with the way to forget it."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.parts.boxes import Box, Nothing
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import TOP, column, put, row
from counterfoil.desktop.parts.loaded_tab import LoadedTab
from counterfoil.desktop.trust_facts import FactSeen
from counterfoil.desktop.words.plain import one_line


class MemoryTab(LoadedTab):
    """A card for each fact."""

    def __init__(self, bridge: Bridge) -> None:
        nothing = Nothing(
            "database",
            "Nothing is remembered.",
            "An agent may propose a fact at a gate. It is kept when a person accepts it, and stands here with its source.",
        )
        super().__init__(bridge, nothing, "Loading what is remembered")

    def load(self) -> None:
        """Look again."""
        workspace = self.workspace
        self.ask(lambda office: office.trust.memory(workspace), self._arrived)

    def _arrived(self, seen: tuple[FactSeen, ...]) -> None:
        self.fill([self._card(one) for one in seen], found=bool(seen))

    def _card(self, one: FactSeen) -> QWidget:
        card = Box("card")
        line = row(gap=12)
        texts = column(gap=3)
        told = [one_line(part) for part in (one.source, one.accepted) if part]
        put(texts, Prose(one_line(one.text), "body"), *[Prose(part, "small") for part in told])
        forget = Button("Forget", "danger", name=f"Forget: {one_line(one.text)}", key=one.fact_id)
        forget.chosen.connect(self._forget)
        line.addLayout(texts, 1)
        line.addWidget(forget, 0, TOP)
        card.put(line)
        return card

    @Slot(object)
    def _forget(self, fact_id: object) -> None:
        wanted = str(fact_id)
        self.act(lambda office: office.trust.forget(wanted))
