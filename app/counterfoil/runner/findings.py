"""What the checks of a firing speak of: the firing to be, and what was found of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from counterfoil.places import Home
from counterfoil.runner.firing import RunStarter
from counterfoil.schedules.rules import Rule
from counterfoil.store.database import Database
from counterfoil.store.transactions import Connection, Row


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a firing needs: `check` names it for programs, `words` say how it stands, `next_step` what mends it; `sign_in` is the
    connector that wants somebody to sign in, where it is that."""

    check: str
    holds: bool
    words: str
    next_step: str = ""
    sign_in: str = ""

    def __str__(self) -> str:
        return f"{self.words} {self.next_step}".strip()

    def document(self) -> dict[str, Any]:
        """As the contract writes it."""
        return {**asdict(self), "next_step": self.next_step or None, "sign_in": self.sign_in or None}


@dataclass(frozen=True, slots=True)
class Planned:
    """A firing to be: the routine's row (or one that is not kept yet), and the manifest of its template, {} where it cannot be used.

    `is_near`: it comes within the hour, or somebody looks; what comes and goes in minutes, such as a network, is looked at then only.
    """

    database: Database
    conn: Connection
    home: Home
    row: Row
    rule: Rule
    planned_us: int
    starter: RunStarter
    manifest: Mapping[str, Any]
    is_near: bool = True

    @property
    def workspace(self) -> Path:
        """The folder it would run in."""
        return Path(self.row["workspace"])

    @property
    def effects(self) -> set[str]:
        """What its template may do to the outside, as its manifest names it."""
        return set(self.manifest.get("permissions", ()))
