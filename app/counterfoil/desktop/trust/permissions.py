"""Permissions as sentences, grouped by what they protect, each with the way to take it back."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.parts.act_sheet import ActSheet
from counterfoil.desktop.parts.boxes import Box, Nothing, Rule
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import TOP, column, put, row
from counterfoil.desktop.parts.loaded_tab import LoadedTab
from counterfoil.desktop.trust_facts import PermissionSeen
from counterfoil.desktop.words.plain import one_line


class PermissionsTab(LoadedTab):
    """A card for each group that has a rule."""

    def __init__(self, bridge: Bridge) -> None:
        nothing = Nothing(
            "stamp",
            "Nothing is allowed without asking, beyond what always is.",
            "Runs may read their copy of the files. Whatever changes, sends or spends something asks. "
            "“Always allow…” on a gate proposes a rule, which then stands here.",
        )
        super().__init__(bridge, nothing, "Loading permissions")
        self._seen: tuple[PermissionSeen, ...] = ()

    def load(self) -> None:
        """Look again."""
        workspace = self.workspace
        self.ask(lambda office: office.trust.permissions(workspace), self._arrived)

    def _arrived(self, seen: tuple[PermissionSeen, ...]) -> None:
        self._seen = seen
        groups = dict.fromkeys(one.group for one in seen)
        self.fill([self._card(name, [one for one in seen if one.group == name]) for name in groups], found=bool(seen))

    def _card(self, name: str, those: list[PermissionSeen]) -> QWidget:
        card = Box("card", gap=10)
        card.put(Label(name, "h2"))
        for at, one in enumerate(those):
            if at:
                card.put(Rule())
            line = row(gap=12)
            texts = column(gap=3)
            put(
                texts,
                Prose(one_line(one.sentence), "body"),
                Prose(one_line(one.account), "small"),
            )
            if one.trouble:
                put(texts, Prose(one_line(one.trouble), "small", tone="warn"))
            back = Button("Take back…", "danger", name=f"Take back: {one_line(one.sentence)}", key=one.rule_id)
            back.chosen.connect(self._ask_back)
            line.addLayout(texts, 1)
            line.addWidget(back, 0, TOP)
            card.put(line)
        return card

    @Slot(object)
    def _ask_back(self, rule_id: object) -> None:
        found = next((one for one in self._seen if one.rule_id == rule_id), None)
        if found is None:
            return
        sheet = ActSheet(
            self,
            "Take this permission back?",
            follows=[one_line(found.sentence), "From now on it asks again. Runs under way ask at their next step."],
            button="Take it back",
            key=found.rule_id,
            kind="danger",
            other="Leave it",
        )
        sheet.given.connect(self._take_back)
        self.open(sheet)

    @Slot(str)
    def _take_back(self, rule_id: str) -> None:
        self.act(lambda office: office.trust.take_back(rule_id))
