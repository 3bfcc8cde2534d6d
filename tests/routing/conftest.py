"""What tests of the way to llms share: routes in a real database, a book of rows in memory, and llmock as the other side."""

import asyncio
from collections.abc import Generator
from functools import partial
from typing import Any

import pytest
from llmock.pytest_plugin import LLMock

from counterfoil.clock import FakeClock
from counterfoil.engine.llm_ports import Heard, LlmReply, LlmRequest, Told, Tool
from counterfoil.errors import SecretMissing
from counterfoil.places import Home
from counterfoil.routing.asking import Router
from counterfoil.routing.breakers import Breakers
from counterfoil.routing.wire import Deadlines
from counterfoil.store import llm_routes
from counterfoil.store.database import Database, open_database
from counterfoil.store.llm_calls import AttemptEnd, NewAttempt
from counterfoil.store.llm_routes import NewEntry
from counterfoil.store.transactions import Txn

KEY = "sk-canary-0123456789"


class Rows:
    """A book that remembers: per request what it was begun with, and how it ended."""

    def __init__(self) -> None:
        self.begun: list[NewAttempt] = []
        self.ends: dict[int, AttemptEnd] = {}
        self.said: list[str] = []

    async def begin(self, new: NewAttempt) -> int:
        self.begun.append(new)
        return len(self.begun)

    async def end(self, n: int, how: AttemptEnd) -> None:
        assert n not in self.ends
        self.ends[n] = how

    def say(self, text: str) -> None:
        self.said.append(text)

    @property
    def words(self) -> list[str]:
        """How each request ended; `open` where the desk ends it."""
        return [str(self.ends[n].end) if n in self.ends else "open" for n in range(1, len(self.begun) + 1)]


class Ways:
    """Routes, and what is asked over them."""

    def __init__(self, database: Database, server: LLMock) -> None:
        self.database = database
        self.server = server
        self.rows = Rows()
        self.slept: list[float] = []
        self.deadlines = Deadlines(first_event=60, silence=60, whole=120)  # a busy machine is slow
        self.breakers = Breakers(lambda: 0.0)

    def route(self, *entries: NewEntry, name: str = llm_routes.DEFAULT, stays: bool = False) -> None:
        def operation(txn: Txn) -> None:
            llm_routes.put_route(txn, name, stays=stays, by="user:test")
            for entry in entries:
                llm_routes.add_entry(txn, name, entry)

        self.database.transact(operation)

    def openai(self, llm: str = "gpt-4o-mini", **more: Any) -> NewEntry:
        return self._entry(llm, "openai", **{"provider": "compatible", **more})

    def anthropic(self, llm: str = "claude-haiku-4-5", **more: Any) -> NewEntry:
        return self._entry(llm, "anthropic", **{"provider": "anthropic", **more})

    def _entry(self, llm: str, served: str, **more: Any) -> NewEntry:
        facts: dict[str, Any] = {"key": "secret:one", "window": None, "priced": "table", **more}
        address = facts.pop("address", self.server.base_url(served))
        return NewEntry(facts.pop("provider"), address, llm, **facts)

    def ask(self, text: str = "Hello.", **more: Any) -> LlmReply:
        """Ask over the default route."""

        async def sleep(seconds: float) -> None:
            self.slept.append(seconds)
            await asyncio.sleep(min(seconds, 1.1))

        router = Router(self.database, _secret, self.breakers, self.deadlines, sleep)
        return asyncio.run(router.ask(request(text, **more), self.rows))

    @property
    def sent(self) -> int:
        """How many requests have reached the other side."""
        return len(self.server.requests)


def _secret(name: str) -> str:
    if name != "one":
        raise SecretMissing(f"The secret “{name}” is not in the keyring.", "")
    return KEY


def request(text: str = "Hello.", **more: Any) -> LlmRequest:
    """A request that opens a conversation."""
    parts: dict[str, Any] = {
        "run_id": "r", "workspace": "/w", "route": None, "system": "Be brief.", "tools": [], "output": None,
        "most_tokens": 50, "history": [Told(text)], "key": "k",
    }  # fmt: skip
    return LlmRequest(**{**parts, **more})


LOOK = Tool("look", "Look something up.", {"type": "object", "properties": {"what": {"type": "string"}}}, "pin-1")
CALLED = Heard("", (("c1", "look", '{"what": "x"}'), ("c2", "look", "{")), None)


@pytest.fixture(scope="session")
def routed(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """One database; each test has its own routes in it."""
    return open_database(Home(tmp_path_factory.mktemp("routes")).create(), FakeClock())


@pytest.fixture
def ways(routed: Database, llmock: LLMock) -> Generator[Ways]:
    """No routes yet, and llmock reset."""
    yield Ways(routed, llmock)
    for row in llm_routes.routes(routed.reader):
        routed.transact(partial(_remove, row["name"]))


def _remove(name: str, txn: Txn) -> None:
    llm_routes.remove_route(txn, name)
