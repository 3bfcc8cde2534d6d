"""What the Connectors page may ask and do, and the facts it is handed: connectors, routes to llms, permissions, memory. A part of `office`,
with the same rules for threads. Sentences are made where the facts are known; the page shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ToolChanged:
    """A tool whose definition is another one than somebody has looked at; `before` and `after` are its definition as text."""

    tool: str
    sentence: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ConnectorSeen:
    """A connector's card. `can` says in a few words what it does, `health` in a sentence how it is, `tone` is ok, warn, bad or quiet;
    `signed_out`: it wants somebody to sign in."""

    name: str
    can: str
    health: str
    tone: str
    where: str
    on: bool
    tools: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    changed: tuple[ToolChanged, ...] = ()
    signed_out: bool = False


@dataclass(frozen=True, slots=True)
class LinkSeen:
    """One llm of a route. `key` says in words where its key is, `price` what it costs, `state` how it does."""

    link_id: str
    llm: str
    provider: str
    price: str
    key: str
    state: str
    tone: str
    stays: bool = False


@dataclass(frozen=True, slots=True)
class RouteSeen:
    """An ordered chain; what goes to one that `stays` goes to llms on this computer only."""

    name: str
    links: tuple[LinkSeen, ...]
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Spend:
    """What this month has cost so far, day by day, in one currency; `perhaps` is a sentence on calls that may have been billed."""

    words: str
    currency: str
    days: tuple[tuple[date, Decimal], ...]
    perhaps: str = ""


@dataclass(frozen=True, slots=True)
class RoutesSeen:
    """All routes. `without` says how many templates need none; `local` names an llm that answers on this computer and is not used."""

    routes: tuple[RouteSeen, ...] = ()
    spend: Spend | None = None
    without: str = ""
    local: str = ""


@dataclass(frozen=True, slots=True)
class LinkDraft:
    """An llm that is to be added: `provider` is one of `Trust.providers`, `secret` a key that goes into the keyring and nowhere else."""

    route: str
    provider: str
    llm: str
    address: str = ""
    secret: str = field(repr=False, default="")


@dataclass(frozen=True, slots=True)
class PermissionSeen:
    """A rule as a sentence. `group` is what it protects, such as Files; `account` says who gave it and how often it was used."""

    rule_id: str
    group: str
    sentence: str
    account: str
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """The narrowest rules that would have spared a gate. `covered` are earlier decisions (title, answer in words) that they would have
    covered, of `looked_at` ones; `refused` of those were answered otherwise than by approving."""

    rules: tuple[str, ...]
    looked_at: int = 0
    covered: tuple[tuple[str, str], ...] = ()
    refused: int = 0


@dataclass(frozen=True, slots=True)
class FactSeen:
    """A fact that agents of a workspace are told, where it comes from, and who has accepted it."""

    fact_id: str
    text: str
    source: str
    accepted: str


class Connecting(Protocol):
    """Connectors."""

    def connectors(self) -> tuple[ConnectorSeen, ...]:
        """All connectors, by name."""

    def test_connector(self, name: str) -> str:
        """Start it, ask for its tools, end it; a sentence on what came of it."""

    def sign_in(self, name: str) -> str:
        """Sign in to it in the browser, which may take minutes; a sentence on what came of it."""

    def switch_connector(self, name: str, *, on: bool) -> str:
        """Let runs use it, or not."""

    def accept_tools(self, name: str) -> str:
        """Somebody has looked at what has changed: the definitions are pinned as they are now."""


class Routing(Protocol):
    """Routes to llms."""

    def routes(self) -> RoutesSeen:
        """Routes, and what they cost."""

    def providers(self) -> tuple[tuple[str, str], ...]:
        """(key, words) of what an llm can be reached by."""

    def add_link(self, draft: LinkDraft) -> str:
        """Put an llm at the end of a route."""

    def order_route(self, name: str, links: tuple[str, ...]) -> str:
        """Another order of the chain."""

    def pin_route(self, name: str, *, stays: bool) -> str:
        """Let nothing of it leave this computer, or take that back."""

    def remove_link(self, route: str, link_id: str) -> str:
        """Take an llm out of a route."""

    def talk(self, run_id: str) -> tuple[Mapping[str, Any], ...]:
        """What was said between a run and its llms (`views.conversations`)."""

    def test_route(self, name: str) -> str:
        """Ask each llm of a route one short question; a sentence on what came of it."""


class Permitting(Protocol):
    """Rules of people."""

    def permissions(self, workspace: str | None) -> tuple[PermissionSeen, ...]:
        """Rules that people have given, by what they protect."""

    def take_back(self, rule_id: str) -> str:
        """End a rule."""

    def proposal(self, gate_id: str) -> Proposal:
        """What would have spared a gate."""

    def allow(self, gate_id: str) -> str:
        """Give what is proposed for a gate; the gate itself still waits."""


class Remembering(Protocol):
    """Memory of workspaces."""

    def memory(self, workspace: str | None) -> tuple[FactSeen, ...]:
        """What agents are told in later runs."""

    def forget(self, fact_id: str) -> str:
        """Take a fact back."""


class Trust(Connecting, Routing, Permitting, Remembering, Protocol):
    """What is trusted with what. Every method may raise a CounterfoilError."""


class Trusts(Protocol):
    """What an office adds to its own methods for this page."""

    @property
    def trust(self) -> Trust:
        """Connectors, routes, permissions, memory."""
