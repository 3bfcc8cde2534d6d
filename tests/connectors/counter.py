"""A counter for tests of connectors: a home with one connector, whose server really runs in its sandbox, and runs that call its tools."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import keyring.backend

from counterfoil.connectors import keeping
from counterfoil.connectors.calls import Calls
from counterfoil.connectors.declared import Declared
from counterfoil.connectors.ruling import reading_rule
from counterfoil.connectors.supervising import Connectors
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.ports import NO_MOMENT, Moment
from counterfoil.places import Home
from counterfoil.policy.judging import Rules
from counterfoil.sandbox.probing import measured
from counterfoil.store import connector_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database
from counterfoil.store.transactions import Row

T = TypeVar("T")
SERVERS = Path(__file__).resolve().parent / "servers"
ANNA = "user:anna"


def declared(server: str, *words: str, name: str = "desk", code_beside: tuple[str, ...] = (), **more: Any) -> Declared:
    """A connector whose program is one of the servers beside this file."""
    argv = (sys.executable, "-I", str(SERVERS / f"{server}.py"), *words)
    return Declared(
        name=name, argv=argv, code=(str(SERVERS), sys.prefix, *code_beside), by_hand=True, **{"seconds": 90.0, **more}
    )


class Drawer(keyring.backend.KeyringBackend):
    """A keyring in memory."""

    priority = 1

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class Counter:
    """One home."""

    def __init__(self, folder: Path) -> None:
        self.home = Home(folder / "home").create()
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.database = open_database(self.home)
        self.keyring = Keyring(self.home)
        self._loop = asyncio.Runner()
        self.connectors = self._made()

    def _made(self) -> Connectors:
        return Connectors(self.database, self.home, lambda: measured(self.home), self.keyring)

    def restart(self) -> None:
        """What happens when a runner ends and another one begins."""
        self.run(self.connectors.close())
        self.connectors = self._made()

    @property
    def calls(self) -> Calls:
        """The kind of effect."""
        return Calls(self.database, self.connectors)

    @property
    def effects(self) -> EffectCatalogue:
        """The catalogue that a runner assembles."""
        return EffectCatalogue(self.home, Blobs(self.home), self.keyring, calls=self.calls)

    @property
    def rules(self) -> Rules:
        """The policy that a runner assembles."""
        return Rules([reading_rule(self.database)])

    def clear(self) -> None:
        """Forget every connector, and whom to blame."""
        self.restart()
        for row in connector_rows.every(self.database.reader):
            self.database.transact(functools.partial(keeping.remove, name=row["name"], by=ANNA))

    def add(self, given: Declared, *, on: bool = True) -> None:
        """Keep a connector, look at it and switch it on."""
        self.database.transact(lambda txn: keeping.add(txn, given, ANNA))
        if on:
            self.run(self.connectors.look(given))
            self.database.transact(lambda txn: keeping.switch(txn, given.name, ANNA, on=True))

    def say(self, tool: str, does: str, *, repeatable: bool = False, name: str = "desk") -> None:
        """Anna says what a tool does."""
        self.database.transact(lambda txn: keeping.classify(txn, name, tool, does, ANNA, repeatable=repeatable))

    def row(self, name: str = "desk") -> Row:
        """The connector's row."""
        return keeping.connector(self.database.reader, name)

    def tool(self, tool: str, name: str = "desk") -> Row:
        """A tool's row."""
        return keeping.tool_row(self.database.reader, name, tool)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something that waits."""
        return self._loop.run(work)

    def perform(self, call: dict[str, Any], moment: Moment = NO_MOMENT) -> Any:
        """Perform one effect."""
        return self.run(self.effects.perform(call, "k" * 64, str(self.workspace), moment))

    def close(self) -> None:
        """End every server, and let go of the database."""
        self.run(self.connectors.close())
        self._loop.close()
        self.database.close()


def body(tool: str, args: dict[str, Any] | None = None, *, pin: str = "", name: str = "desk") -> dict[str, Any]:
    """The body of a call."""
    return {"kind": "call@1", "args": {"connector": name, "tool": tool, "pin": pin, "args": args or {}}}
