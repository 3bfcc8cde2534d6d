"""The connectors of a runner: started when they are asked, started again when they have fallen, and blamed when they fall too often.

A server that has fallen is started again by the next try of what was asked of it, and tries have pauses between them already. What is kept
here is the blame: after three falls it is not started again for a while, and people hear why.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from counterfoil.connectors.declared import Declared, declared_of
from counterfoil.connectors.definitions import Tool
from counterfoil.connectors.line import Line, LineLost, NoLine, NotReached
from counterfoil.connectors.reaching import Reach
from counterfoil.connectors.signing_in import PATIENCE as SIGN_IN
from counterfoil.connectors.signing_in import Granted, ShowPage, renewing, signing, waiting
from counterfoil.connectors.turns import Turn, taking
from counterfoil.effects.imagining import refusal
from counterfoil.effects.redacting import KNOWN
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.ports import EffectTrouble
from counterfoil.facts import FailureClass
from counterfoil.places import Home
from counterfoil.policy.boundaries import visible
from counterfoil.policy.protection import NONE
from counterfoil.sandbox.levels import Measured
from counterfoil.store import connector_rows
from counterfoil.store.connector_rows import SeenTool
from counterfoil.store.database import Database

FALLS = 3  # after which a server is left alone
FORGIVEN_AFTER = 600.0  # seconds
IDLE = 300.0  # seconds after which one that nobody asks is ended
Key = tuple[str, str]  # a connector, and the folder that it is given (empty for none)


@dataclass(slots=True)
class Held:
    """A connection that is open, with what its server was found to have."""

    line: Line
    reach: Reach
    tools: dict[str, Tool] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    users: int = 0
    used_at: float = 0.0


class SignedOut(Exception):
    """A connector wants somebody to sign in before anything else; the message says how."""

    def __init__(self, declared: Declared) -> None:
        super().__init__(f"{declared.shown} wants somebody to sign in: counterfoil connector sign-in {declared.name}")


class Connectors:
    """Implements `engine.ports.Connectors`."""

    def __init__(self, database: Database, home: Home, level: Callable[[], Measured], keyring: Keyring) -> None:
        self._database = database
        self._home = home
        self._level = level
        self._keyring = keyring
        self._held: dict[Key, Held] = {}
        self._opening: dict[Key, asyncio.Lock] = {}
        self._endings: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None
        self._falls: dict[Key, list[tuple[float, str]]] = {}

    # ------------------------------------------------------------------------------------------------------- the port

    async def tools(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """The tools of connectors as they are now, each with its pin.

        Raises:
            EffectTrouble: one of them is not there, is off, or does not answer.
        """
        found: list[dict[str, Any]] = []
        for name in names:
            declared = await asyncio.to_thread(self.declared, name)
            try:
                held = await self.held(declared, None)
            except SignedOut as problem:
                raise refusal(str(problem)) from problem
            found += [
                {
                    "connector": name,
                    "tool": tool.tool,
                    "name": tool.name,
                    "title": tool.title,
                    "description": tool.description,
                    "parameters": tool.parameters,
                    "pin": tool.pin,
                }
                for tool in held.tools.values()
            ]
        return found

    async def look(self, declared: Declared) -> Held:
        """Connect afresh and see what a connector has, whether it is on or not, and however often it has fallen.

        Raises:
            EffectTrouble: there is no connection; the message says why.
            SignedOut: somebody has to sign in first.
        """
        key = (declared.name, "")
        self._falls.pop(key, None)
        await self._drop(key)
        return await self.held(declared, None)

    # ----------------------------------------------------------------------------------------------------- connections

    def declared(self, name: str) -> Declared:
        """A connector that is on; blocking.

        Raises:
            EffectTrouble: there is none of that name, or it is off.
        """
        row = connector_rows.get(self._database.reader, name)
        if row is None:
            raise refusal(
                f"There is no connector “{visible(name[:60])}”. counterfoil connector list shows those there are."
            )
        if not row["is_on"]:
            raise refusal(f"The connector “{name}” is off. It is switched on by: counterfoil connector on {name}")
        return declared_of(row)

    async def held(self, declared: Declared, stage: Path | None) -> Held:
        """The connection to a connector, with its tools as they are now.

        Raises:
            EffectTrouble: there is none; the message says why.
            SignedOut: somebody has to sign in first.
        """
        stage = stage if declared.stage else None
        key = (declared.name, str(stage or ""))
        async with self._opening.setdefault(key, asyncio.Lock()):
            held = self._held.get(key)
            if held is not None and (not held.line.is_open or not _same(held.reach.declared, declared)):
                await self._drop(key)
                held = None
            if held is None:
                self._refuse_fallen(key, declared)
                held = await self._opened(key, declared, stage)
            elif held.line.changed:
                await self._listed(held)
            held.used_at = time.monotonic()
        self._look_for_idle()
        return held

    async def _opened(self, key: Key, declared: Declared, stage: Path | None) -> Held:
        level = await asyncio.to_thread(self._level)
        reach = Reach(declared, self._home, level, self._keyring, stage)
        if declared.url and not any(name.lower() == "authorization" for name in declared.headers):
            reach.auth = await renewing(declared.url, Granted(declared.name, self._keyring))
        with taking() as turn:
            return await self._reached(key, reach, turn)

    async def _reached(self, key: Key, reach: Reach, turn: Turn) -> Held:
        declared, stage = reach.declared, reach.stage
        try:
            held = Held(await self._connected(declared, reach), reach)
            try:
                await self._listed(held)
            except BaseException:
                await held.line.close()
                raise
        except (NoLine, LineLost) as problem:
            if turn.signed_out:
                raise await self.signed_out(declared) from problem
            why = KNOWN(f"does not start: {problem}")
            await self.fell(declared, stage, why, reach)
            raise EffectTrouble(f"{declared.shown} {why}.", FailureClass.TRANSIENT) from problem
        self._held[key] = held
        await self._tell(declared, True, "Answers.", reach, held)
        return held

    async def _connected(self, declared: Declared, reach: Reach) -> Line:
        """An open line; in the older protocol where being asked for the newer one ended the server."""
        roots = reach.roots if declared.stage else None
        line = Line(declared, reach.streams, roots)
        try:
            await line.open()
        except NotReached:
            raise
        except NoLine:
            if declared.era == "legacy":
                raise
            older = replace(declared, era="legacy")
            line = Line(older, reach.streams, roots)
            await line.open()
            await asyncio.to_thread(
                self._database.transact, lambda txn: connector_rows.set_facts(txn, declared.name, older.facts)
            )
        return line

    async def _listed(self, held: Held) -> None:
        tools, held.left_out = await held.line.tools()
        held.tools = {tool.tool: tool for tool in tools}
        seen = [SeenTool(tool.tool, tool.pin, tool.definition) for tool in tools]
        name = held.line.declared.name
        await asyncio.to_thread(self._database.transact, lambda txn: connector_rows.see(txn, name, seen))

    def _refuse_fallen(self, key: Key, declared: Declared) -> None:
        now = time.monotonic()
        recent = [fall for fall in self._falls.get(key, []) if now - fall[0] < FORGIVEN_AFTER]
        self._falls[key] = recent
        if len(recent) >= FALLS:
            raise refusal(
                f"{declared.shown} has failed {len(recent)} times within ten minutes and is left alone for now: {recent[-1][1]}. "
                f"Look at it with: counterfoil connector test {declared.name}"
            )

    async def signed_out(self, declared: Declared) -> SignedOut:
        """Nobody has signed in, or what was granted is over: that is its health until somebody does; what is to be raised."""
        health = {"ok": False, "words": "Nobody is signed in.", "signed_out": True}
        await asyncio.to_thread(
            self._database.transact, lambda txn: connector_rows.set_health(txn, declared.name, health)
        )
        return SignedOut(declared)

    async def fell(
        self, declared: Declared, stage: Path | None, why: str, reach: Reach | None = None, lost: Held | None = None
    ) -> None:
        """A connection was lost, or there never was one: note it once, and let go of what is left. `lost` is the one that a call was on;
        where another has taken its place since, that one stays."""
        key = (declared.name, str(stage or "") if declared.stage else "")
        held = self._held.get(key)
        if lost is not None and held is not lost:
            return
        self._falls.setdefault(key, []).append((time.monotonic(), why))
        reach = held.reach if reach is None and held is not None else reach
        await self._drop(key)
        await self._tell(declared, False, f"{why[:1].upper()}{why[1:]}.", reach)

    async def _tell(
        self, declared: Declared, ok: bool, words: str, reach: Reach | None, held: Held | None = None
    ) -> None:
        health: dict[str, Any] = {"ok": ok, "words": visible(KNOWN(words))}
        if reach is not None:
            health |= {"noise": reach.noise, "last_words": KNOWN(reach.last_words)}
        if held is not None:
            health |= {"protocol": held.line.protocol, "server": visible(held.line.server), "left_out": held.left_out}
        await asyncio.to_thread(
            self._database.transact, lambda txn: connector_rows.set_health(txn, declared.name, health)
        )

    async def let_go(self, declared: Declared, stage: Path | None, held: Held) -> None:
        """End a connection that nobody is to blame for, unless another has taken its place."""
        key = (declared.name, str(stage or "") if declared.stage else "")
        if self._held.get(key) is held:
            await self._drop(key)

    async def _drop(self, key: Key) -> None:
        held = self._held.pop(key, None)
        if held is not None:
            await held.line.close()

    @property
    def is_busy(self) -> bool:
        """Whether any server runs."""
        return bool(self._held or self._endings)

    def _look_for_idle(self) -> None:
        if self._idle is None and self._held:
            self._idle = asyncio.get_running_loop().call_later(IDLE, self._end_idle)

    def _end_idle(self) -> None:
        """Let go of what nobody has asked for long."""
        self._idle = None
        limit = time.monotonic() - IDLE
        for key, held in list(self._held.items()):
            if not held.users and held.used_at <= limit:
                del self._held[key]
                ending = asyncio.get_running_loop().create_task(held.line.close())
                self._endings.add(ending)
                ending.add_done_callback(self._endings.discard)
        self._look_for_idle()

    async def close(self) -> None:
        """End every server."""
        held, self._held, self._opening = self._held, {}, {}
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        await asyncio.gather(*(one.line.close() for one in held.values()), *self._endings, return_exceptions=True)


def _same(one: Declared, other: Declared) -> bool:
    """Whether two are reached alike; which protocol is spoken shows by itself."""
    return replace(one, era="auto") == replace(other, era="auto")


async def sign_in_here(declared: Declared, home: Home, keyring: Keyring, page: ShowPage) -> None:
    """Sign in to an address with somebody who looks at `page`; connecting is what makes it ask.

    Raises:
        NoLine: it did not let anybody in.
    """
    granted = Granted(declared.name, keyring)
    await granted.forget()
    async with waiting() as browser:
        auth = await signing(declared.url, granted, page, browser.answered, browser.back)
        patient = replace(
            declared, era="legacy", seconds=SIGN_IN
        )  # asking for the newer protocol has a deadline of its own
        line = Line(patient, Reach(patient, home, Measured(NONE), keyring, auth=auth).streams, patience=SIGN_IN)
        why = "it asks nobody to sign in"
        try:
            await line.open()
        except NoLine as problem:
            why = str(problem)
        finally:
            await line.close()
        if await granted.get_tokens() is None:
            raise NoLine(why)
