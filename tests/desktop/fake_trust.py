"""Connectors and permissions of the fake office, one of each state; acts are logged and change what is shown."""

import dataclasses
from collections.abc import Callable
from typing import Any

from counterfoil.desktop.trust_facts import ConnectorSeen, PermissionSeen, ToolChanged

CHANGED = ToolChanged(
    "send_mail",
    "‘send_mail’ now also takes ‘bcc’. It asks again until you look.",
    '{\n  "to": "text",\n  "subject": "text"\n}',
    '{\n  "to": "text",\n  "subject": "text",\n  "bcc": "text"\n}',
)


class FakeTrust:
    """Everything the page can ask."""

    def __init__(self, log: list[tuple[str, Any]], changed: Callable[[], None]) -> None:
        self._log, self._changed = log, changed
        self.cards = [
            ConnectorSeen(
                "mail", "Read, draft and send mail", "Answers. Checked 09:10.", "ok", "At mail.example", on=True,
                tools=("list_mails", "read_mail", "send_mail"), changed=(CHANGED,),
            ),
            ConnectorSeen("tickets", "Read tickets", "Does not start: ‘npx’ is not on this computer.", "bad", "Isolated here", on=True),
            ConnectorSeen("calendar", "Read and write events", "Switched off.", "quiet", "At calendar.example", on=False),
        ]  # fmt: skip
        self.rules = [
            PermissionSeen(
                "p1", "Files", "Triage mail may move files in Post/ without asking.",
                "Granted by Anna 3 Nov, used 41 times, last today.",
            ),
            PermissionSeen(
                "p2", "Sending", "Weekly report may send mail to boss@larkfield.example without asking.",
                "Granted by you 12 Nov, never used.", trouble="Nothing it speaks of has been asked for in 30 days.",
            ),
        ]  # fmt: skip

    def _did(self, act: str, what: Any, sentence: str) -> str:
        self._log.append((act, what))
        self._changed()
        return sentence

    def connectors(self) -> tuple[ConnectorSeen, ...]:
        return tuple(self.cards)

    def test_connector(self, name: str) -> str:
        return self._did("test_connector", name, f"{name} answers with 3 tools.")

    def switch_connector(self, name: str, *, on: bool) -> str:
        self.cards = [dataclasses.replace(one, on=on) if one.name == name else one for one in self.cards]
        return self._did("switch_connector", (name, on), f"{name} is {'on' if on else 'off'}.")

    def accept_tools(self, name: str) -> str:
        self.cards = [dataclasses.replace(one, changed=()) if one.name == name else one for one in self.cards]
        return self._did("accept_tools", name, f"The tools of {name} are used as they are now.")

    def permissions(self, workspace: str | None) -> tuple[PermissionSeen, ...]:
        return tuple(self.rules)

    def take_back(self, rule_id: str) -> str:
        self.rules = [one for one in self.rules if one.rule_id != rule_id]
        return self._did("take_back", rule_id, "Taken back. It asks from now on.")
