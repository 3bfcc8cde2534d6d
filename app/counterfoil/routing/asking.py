"""From a request to an answer, over the llms of a route: which is asked next, which is left alone, when nobody is asked any more.

Each request is begun in the desk's book before its bytes leave, and settled in it. What may pass is left to the desk, whose timers are
rows; only short waits are slept through here.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path

from counterfoil.engine.llm_ports import ASK_ABOVE, SLEPT_THROUGH, Book, Heard, LlmReply, LlmRequest, LlmTrouble
from counterfoil.errors import SecretMissing, WrongWorkspace
from counterfoil.facts import LlmEnd
from counterfoil.routing import prices, wire
from counterfoil.routing.breakers import Breakers, Rest
from counterfoil.routing.entries import Entry, Secrets, entry_from, key_of
from counterfoil.routing.faults import RULES, Failed, Fault
from counterfoil.routing.wire import Answered, Deadlines
from counterfoil.settings.workspace import llms_stay
from counterfoil.store import llm_routes
from counterfoil.store.database import Database
from counterfoil.store.llm_calls import AttemptEnd, NewAttempt
from counterfoil.store.llm_money import dollars, words

SHORT = SLEPT_THROUGH  # longer waits are the desk's
CHARACTERS_A_TOKEN = 4  # at best; a request that does not fit even so is not sent
NO_LLM = "No llm is set up for the route ‘{name}’. Add one: counterfoil route add"


@dataclass(slots=True)
class _Walk:
    """One way along a route."""

    request: LlmRequest
    book: Book
    route: str
    failures: list[tuple[Entry, Failed]] = field(default_factory=list)
    resting: list[tuple[Entry, Rest]] = field(default_factory=list)
    window: int | None = None  # only llms with a larger one are of use


class Router:
    """The way to llms, for the runner."""

    def __init__(
        self,
        database: Database,
        secrets: Secrets,
        breakers: Breakers,
        deadlines: Deadlines | None = None,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self._database = database
        self._secrets = secrets
        self._breakers = breakers
        self._deadlines = deadlines or Deadlines()
        self._sleep = sleep or asyncio.sleep

    async def ask(self, request: LlmRequest, book: Book) -> LlmReply:
        """Get one answer.

        Raises:
            LlmTrouble: none of the route's llms gave one.
        """
        name = request.route or llm_routes.DEFAULT
        chain = await asyncio.to_thread(self.chain, name, request.workspace)
        walk = _Walk(request, book, name)
        if request.pressed:
            for entry in chain:
                self._breakers.well(_named(entry))
        for entry in chain:
            if not await self._fits(walk, entry):
                continue
            reply = await self._ask_one(walk, entry)
            if reply is not None:
                return reply
            if walk.failures and not RULES[walk.failures[-1][1].fault].next:
                break
        raise _trouble(walk)

    def chain(self, name: str, workspace: str) -> list[Entry]:
        """The llms of a route in their order; where the route or the workspace stays on this computer those that do, whatever else
        stands in it.

        Raises:
            LlmTrouble: there is no such route, or none of its llms may be asked.
        """
        with self._database.connect() as conn:
            route = llm_routes.route(conn, name)
            found = [entry_from(row) for row in llm_routes.entries(conn, name)]
        if route is None or not found:
            raise LlmTrouble(NO_LLM.format(name=name), passing=False)
        pinned = f"The route ‘{name}’" if route["stays"] else _pinned(workspace)
        staying = [entry for entry in found if entry.stays]
        if pinned and not staying:
            raise LlmTrouble(
                f"{pinned} stays on this computer, and none of the llms of its route is here. Nothing was sent.",
                passing=False,
            )
        return staying if pinned else found

    async def _fits(self, walk: _Walk, entry: Entry) -> bool:
        """Whether it may be asked now."""
        resting = self._breakers.closed_until(_named(entry))
        if resting is not None:
            walk.resting.append((entry, resting))
            return False
        if walk.window is not None and (entry.window or 0) <= walk.window:
            return False
        least = _characters(walk.request) // CHARACTERS_A_TOKEN
        if entry.window is not None and least + walk.request.most_tokens > entry.window:
            walk.failures.append(
                (entry, Failed(Fault.TOO_LONG, f"{entry.name} takes {entry.window:,} tokens at most."))
            )
            return False
        return True

    async def _ask_one(self, walk: _Walk, entry: Entry) -> LlmReply | None:
        """Ask one llm, once more where its rule says so; None when the next one is to be asked."""
        tries = 0
        while True:
            ended = await self._attempt(walk, entry)
            if isinstance(ended, LlmReply):
                self._breakers.well(_named(entry))
                return ended
            walk.failures.append((entry, ended))
            rule = RULES[ended.fault]
            if rule.strike:
                self._breakers.strike(_named(entry), ended.message)
            if ended.fault is Fault.TOO_LONG:
                walk.window = max(walk.window or 0, entry.window or _characters(walk.request) // CHARACTERS_A_TOKEN)
            wait = ended.retry_after if ended.retry_after is not None else _backoff(tries)
            tries += 1
            if tries > rule.again or wait > SHORT:
                rest = max(ended.retry_after or 0.0, rule.rest)
                if rest:
                    self._breakers.rest(_named(entry), rest, ended.message, passes=rule.passing)
                return None
            pause = self._sleep(wait)
            if asyncio.iscoroutine(pause):
                await pause

    async def _attempt(self, walk: _Walk, entry: Entry) -> LlmReply | Failed:
        """One request, from its row to its end."""
        try:
            key = await asyncio.to_thread(key_of, entry, self._secrets)
        except SecretMissing as missing:
            return Failed(Fault.NO_KEY, str(missing))
        await asyncio.to_thread(wire.load)  # before the row is written, whose time is that of the request
        new = await asyncio.to_thread(self._planned, walk, entry)
        n = await walk.book.begin(new)
        say = _Progress(walk.book, entry)
        try:
            ended = await wire.send(entry, key, walk.request, self._deadlines, say)
        except asyncio.CancelledError:
            await walk.book.end(n, AttemptEnd(LlmEnd.CANCELLED))
            raise
        if isinstance(ended, Answered):
            return await asyncio.to_thread(_settled, entry, n, new, ended)
        ended = _without(ended, key)
        rule = RULES[ended.fault]
        billed = rule.end in (LlmEnd.UNKNOWN, LlmEnd.CUT)
        settled = None if billed else 0  # what may have been billed stays reserved
        told = {**ended.told, "fault": str(ended.fault), "message": ended.message, "partial": ended.partial or None}
        if ended.retry_after is not None:
            told["retry_after"] = ended.retry_after
        await walk.book.end(n, AttemptEnd(rule.end, settled, settled, told))
        if billed and (new.charge or 0) > ASK_ABOVE:
            cost = words(dollars(new.charge or 0))
            raise LlmTrouble(
                f"{entry.name} gave no whole answer, and the request may have been billed (up to {cost}): {ended.message}",
                passing=False,
            )
        return ended

    def _planned(self, walk: _Walk, entry: Entry) -> NewAttempt:
        """The row of a request: the most it can come to is reserved for it."""
        request = walk.request
        tokens_in = prices.most_tokens_in(_characters(request), 16 * (len(request.history) + len(request.tools)) + 64)
        price = prices.price_of(entry, tokens_in, request.most_tokens)
        asked = {
            "place": entry.place,
            "key": entry.key_label,
            "most_tokens": request.most_tokens,
            "tools": [[tool.name, tool.pin] for tool in request.tools],
            "priced": price.source,
            "deadline": self._deadlines.whole,
            "library": f"pydantic-ai {version('pydantic-ai-slim')}",
            "round": request.round,
        }
        if walk.failures:
            asked["instead_of"] = walk.failures[-1][0].name
        return NewAttempt(
            walk.route, entry.provider, entry.host, entry.llm, tokens_in + request.most_tokens, price.units, asked
        )


def _pinned(workspace: str) -> str:
    """What is pinned to this computer, where the workspace says so; a file that cannot be read says so as well."""
    try:
        return "What this workspace asks" if workspace and llms_stay(Path(workspace)) else ""
    except WrongWorkspace as problem:
        raise LlmTrouble(
            f"Whether what is asked may leave this computer is not known: {problem}", passing=False
        ) from problem


def _settled(entry: Entry, n: int, new: NewAttempt, ended: Answered) -> LlmReply:
    """An answer with what it cost: as the vendor says, else by its price, else what was reserved, because nobody said."""
    usage = ended.usage
    vendor = getattr(ended.counted, "cost", None)
    if vendor is not None:
        price = prices.Price(vendor, "vendor")
    elif usage:
        price = prices.price_of(entry, usage["input"], usage["output"], ended.counted)
    else:
        reserved = None if new.charge is None else dollars(new.charge)
        price = prices.Price(reserved, f"{new.asked['priced']}, at most: no usage was told")
    tokens = usage["input"] + usage["output"] if usage else None
    told = {**ended.told, "usage": usage, "priced": price.source, "finish": ended.finish}
    end = AttemptEnd(LlmEnd.OK, price.units, tokens, told, ended.kept)
    return LlmReply(n, ended.text, ended.calls, ended.finish, entry.name, end, usage, price.cost)


class _Progress:
    """Says how far an answer has come."""

    def __init__(self, book: Book, entry: Entry) -> None:
        self._book = book
        self._name = entry.name

    def __call__(self, come: int) -> None:
        self._book.say(f"{self._name} answers: {come:,} characters")


def _trouble(walk: _Walk) -> LlmTrouble:
    """Why nobody answered, as one sentence, and whether that may pass by itself."""
    told = [f"{entry.name}: {failed.message}" for entry, failed in _last_of_each(walk.failures)]
    told += [
        f"{entry.name} is left alone{f' for {rest.seconds:.0f} s' if rest.passes else ''}: {rest.why}"
        for entry, rest in walk.resting
    ]
    faults = [failed.fault for _, failed in walk.failures]
    too_long = bool(faults) and all(fault is Fault.TOO_LONG for fault in faults) and not walk.resting
    passing = any(rest.passes for _, rest in walk.resting) or any(RULES[fault].passing for fault in faults)
    stopped = bool(faults) and not RULES[faults[-1]].next
    waits = [rest.seconds for _, rest in walk.resting if rest.passes]
    waits += [failed.retry_after for _, failed in walk.failures if failed.retry_after is not None]
    sentence = "No llm answered. " + " ".join(f"{one.rstrip('.')}." for one in told)
    if any(RULES[fault].end in (LlmEnd.UNKNOWN, LlmEnd.CUT) for fault in faults):
        sentence += " What was sent may have been billed."
    return LlmTrouble(
        sentence, passing=passing and not stopped, retry_after=min(waits) if waits else None, too_long=too_long
    )


def _last_of_each(failures: Sequence[tuple[Entry, Failed]]) -> list[tuple[Entry, Failed]]:
    return list({entry.place: (entry, failed) for entry, failed in failures}.values())


def _without(ended: Failed, key: str | None) -> Failed:
    """A vendor's words without the key, should they repeat it."""
    if not key or len(key) < 8:
        return ended
    return replace(ended, message=ended.message.replace(key, "[key]"), partial=ended.partial.replace(key, "[key]"))


def _named(entry: Entry) -> tuple[str, str, str | None]:
    return entry.address, entry.llm, entry.key


def _backoff(tries: int) -> float:
    return float(0.2 * 2**tries) * random.uniform(0.75, 1.25)  # noqa: S311 - so that many runs do not come back at once


def _characters(request: LlmRequest) -> int:
    """The bytes of all texts of a request."""
    size = len(request.system.encode()) + sum(
        len(str(tool.parameters)) + len(tool.description) for tool in request.tools
    )
    for message in request.history:
        size += len(message.text.encode("utf-8", "surrogatepass"))
        if isinstance(message, Heard):
            size += sum(len(args) + len(tool) for _, tool, args in message.calls)
    return size
