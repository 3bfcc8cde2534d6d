"""What the Connectors page may ask and do, and the facts it is handed: connectors and permissions. A part of `office`,
with the same rules for threads. Sentences are made where the facts are known; the page shows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class ToolChanged:
    """A tool whose definition is another one than somebody has looked at; `before` and `after` are its definition as text."""

    tool: str
    sentence: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ConnectorSeen:
    """A connector's card. `can` says in a few words what it does, `health` in a sentence how it is, `tone` is ok, warn, bad or quiet."""

    name: str
    can: str
    health: str
    tone: str
    where: str
    on: bool
    tools: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    changed: tuple[ToolChanged, ...] = ()


@dataclass(frozen=True, slots=True)
class PermissionSeen:
    """A rule as a sentence. `group` is what it protects, such as Files; `account` says who gave it and how often it was used."""

    rule_id: str
    group: str
    sentence: str
    account: str
    trouble: str = ""


class Connecting(Protocol):
    """Connectors."""

    def connectors(self) -> tuple[ConnectorSeen, ...]:
        """All connectors, by name."""

    def test_connector(self, name: str) -> str:
        """Start it, ask for its tools, end it; a sentence on what came of it."""

    def switch_connector(self, name: str, *, on: bool) -> str:
        """Let runs use it, or not."""

    def accept_tools(self, name: str) -> str:
        """Somebody has looked at what has changed: the definitions are pinned as they are now."""


class Permitting(Protocol):
    """Rules of people."""

    def permissions(self, workspace: str | None) -> tuple[PermissionSeen, ...]:
        """Rules that people have given, by what they protect."""

    def take_back(self, rule_id: str) -> str:
        """End a rule."""


class Trust(Connecting, Permitting, Protocol):
    """What is trusted with what. Every method may raise a CounterfoilError."""


class Trusts(Protocol):
    """What an office adds to its own methods for this page."""

    @property
    def trust(self) -> Trust:
        """Connectors and permissions."""
