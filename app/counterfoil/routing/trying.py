"""Trying out the llms of a route: one short question each, outside of any run, so that nobody finds out in the middle of one."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from decimal import Decimal

from counterfoil.engine.llm_ports import LlmRequest, Told
from counterfoil.errors import SecretMissing
from counterfoil.routing import prices, wire
from counterfoil.routing.entries import Entry, Secrets, key_of
from counterfoil.routing.wire import Answered, Deadlines

_QUESTION = "Answer with the one word: ready"
DEADLINES = Deadlines(first_event=30.0, silence=30.0, whole=60.0)
MOST_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of it: `words` for people, `seconds` it took, `cost` in US dollars (None: nobody knows)."""

    entry: Entry
    well: bool
    words: str
    seconds: float
    cost: Decimal | None = None


def try_out(entry: Entry, secrets: Secrets) -> Tried:
    """Ask one llm; blocking."""
    begun = time.monotonic()
    try:
        key = key_of(entry, secrets)
    except SecretMissing as missing:
        return Tried(entry, well=False, words=str(missing), seconds=0.0)
    request = LlmRequest("", "", None, "", (), None, MOST_TOKENS, (Told(_QUESTION),), "")
    ended = asyncio.run(wire.send(entry, key, request, DEADLINES, lambda _: None))
    seconds = time.monotonic() - begun
    if not isinstance(ended, Answered):
        words = ended.message.replace(key, "[key]") if key else ended.message
        return Tried(entry, well=False, words=words, seconds=seconds)
    usage = ended.usage
    price = prices.price_of(entry, usage.get("input", 0), usage.get("output", 0), ended.counted)
    return Tried(entry, well=True, words="It answers.", seconds=seconds, cost=price.cost if usage else None)
