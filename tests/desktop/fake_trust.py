"""Connectors, routes, permissions and memory of the fake office, one of each state; acts are logged and change what is shown."""

import dataclasses
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

from counterfoil.desktop.trust_facts import (
    ConnectorSeen,
    FactSeen,
    LinkDraft,
    LinkSeen,
    PermissionSeen,
    Proposal,
    RouteSeen,
    RoutesSeen,
    Spend,
    ToolChanged,
)

CHANGED = ToolChanged(
    "send_mail",
    "‘send_mail’ now also takes ‘bcc’. It asks again until you look.",
    '{\n  "to": "text",\n  "subject": "text"\n}',
    '{\n  "to": "text",\n  "subject": "text",\n  "bcc": "text"\n}',
)
CLOUD = LinkSeen(
    "1", "claude-sonnet-5", "Anthropic", "$3.00 in, $15.00 out per million tokens; about $0.02 per contract read",
    "Key in the keyring of this account.", "Answers. Checked 09:10.", "ok",
)  # fmt: skip
LOCAL = LinkSeen(
    "2",
    "qwen3-14b",
    "Ollama on this computer",
    "No price.",
    "Needs no key.",
    "Answers. Checked 09:10.",
    "ok",
    stays=True,
)
BROKEN = LinkSeen(
    "3",
    "gpt-5-mini",
    "OpenAI",
    "$0.25 in, $2.00 out per million tokens",
    "No key.",
    "Cannot answer: it has no key.",
    "bad",
)


TALK = {
    "path": "2/0", "name": "read_contract", "tools": ["search", "read_file"], "sources": ["Mail from Brightwater.eml"],
    "turns": [
        {
            "ordinal": 0, "asked_at": "2026-11-30T08:41:00Z", "from_summary": False,
            "told": [{"tool": None, "outcome": None, "text": "Find the notice period."}],
            "said": "", "calls": [{"tool": "search", "args": {"for": "notice"}}], "llm": "gpt-5-mini",
            "usage": {}, "cost": {"amount": "0.0012", "currency": "USD"},
        },
        {
            "ordinal": 2, "asked_at": "2026-11-30T08:41:09Z", "from_summary": False,
            "told": [{"tool": "search", "outcome": "ok", "text": "paragraph 4: three months"}],
            "said": "Notice is three months.", "calls": [], "llm": "gpt-5-mini",
            "usage": {}, "cost": {"amount": "0.0008", "currency": "USD"},
        },
    ],
}  # fmt: skip


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
        self.spent: Spend | None = Spend(
            "$1.84 for 212 calls in November", "USD", tuple((date(2026, 11, day), Decimal(day % 7 * 11) / 100) for day in range(1, 31)),
            perhaps="1 call may have been billed without an answer (at most $0.01).",
        )  # fmt: skip
        self.chains = [RouteSeen("default", (CLOUD, LOCAL, BROKEN))]
        self.local = ""
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
        self.facts = [
            FactSeen(
                "1",
                "Halden Paper AS sends its invoices on the 28th.",
                "From Mail from Halden.eml, run 12.",
                "Accepted by Anna 14 Nov.",
            )
        ]

    def _did(self, act: str, what: Any, sentence: str) -> str:
        self._log.append((act, what))
        self._changed()
        return sentence

    def connectors(self) -> tuple[ConnectorSeen, ...]:
        return tuple(self.cards)

    def test_connector(self, name: str) -> str:
        return self._did("test_connector", name, f"{name} answers with 3 tools.")

    def sign_in(self, name: str) -> str:
        self.cards = [dataclasses.replace(one, signed_out=False) if one.name == name else one for one in self.cards]
        return self._did("sign_in", name, f"You are signed in to {name}.")

    def switch_connector(self, name: str, *, on: bool) -> str:
        self.cards = [dataclasses.replace(one, on=on) if one.name == name else one for one in self.cards]
        return self._did("switch_connector", (name, on), f"{name} is {'on' if on else 'off'}.")

    def accept_tools(self, name: str) -> str:
        self.cards = [dataclasses.replace(one, changed=()) if one.name == name else one for one in self.cards]
        return self._did("accept_tools", name, f"The tools of {name} are used as they are now.")

    def routes(self) -> RoutesSeen:
        without = "8 of 10 templates do not need one."
        return RoutesSeen(tuple(self.chains), self.spent if self.chains else None, without, self.local)

    def providers(self) -> tuple[tuple[str, str], ...]:
        return (
            ("anthropic", "Anthropic"),
            ("openai", "OpenAI"),
            ("openrouter", "OpenRouter"),
            ("ollama", "Ollama on this computer"),
            ("compatible", "Another address"),
        )

    def add_link(self, draft: LinkDraft) -> str:
        return self._did("add_link", draft, f"{draft.llm} is asked last in {draft.route}.")

    def order_route(self, name: str, links: tuple[str, ...]) -> str:
        by_id = {link.link_id: link for route in self.chains for link in route.links}
        self.chains = [
            dataclasses.replace(one, links=tuple(by_id[link] for link in links)) if one.name == name else one
            for one in self.chains
        ]
        return self._did("order_route", (name, links), "They are asked in this order from now on.")

    def pin_route(self, name: str, *, stays: bool) -> str:
        self.chains = [dataclasses.replace(one, stays=stays) if one.name == name else one for one in self.chains]
        return self._did("pin_route", (name, stays), "Nothing of it leaves this computer.")

    def remove_link(self, route: str, link_id: str) -> str:
        return self._did("remove_link", (route, link_id), "It is not asked any more.")

    def talk(self, run_id: str) -> tuple[dict[str, Any], ...]:
        return (TALK,)

    def test_route(self, name: str) -> str:
        return self._did("test_route", name, "2 of 3 llms answer. gpt-5-mini: it has no key.")

    def permissions(self, workspace: str | None) -> tuple[PermissionSeen, ...]:
        return tuple(self.rules)

    def take_back(self, rule_id: str) -> str:
        self.rules = [one for one in self.rules if one.rule_id != rule_id]
        return self._did("take_back", rule_id, "Taken back. It asks from now on.")

    def proposal(self, gate_id: str) -> Proposal:
        rule = "Supplier payments may write files in payments/ without asking."
        covered = (("Write payment file for 9 invoices", "approved"), ("Write payment file for 3 invoices", "rejected"))
        return Proposal((rule,), 40, covered, 1)

    def allow(self, gate_id: str) -> str:
        return self._did("allow", gate_id, "From now on it is allowed. This gate still waits for your answer.")

    def memory(self, workspace: str | None) -> tuple[FactSeen, ...]:
        return tuple(self.facts)

    def forget(self, fact_id: str) -> str:
        self.facts = [one for one in self.facts if one.fact_id != fact_id]
        return self._did("forget", fact_id, "Forgotten: no run that begins from now on is told it.")
