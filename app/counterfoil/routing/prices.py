"""What a request may cost before it is made, and did cost after: exact decimals, and never zero because nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from counterfoil.routing.entries import Entry
from counterfoil.store.llm_money import units

BYTES_A_TOKEN = 2  # at worst: text in most scripts has three to four bytes a token
FREE = frozenset({"local", "flat"})


@dataclass(frozen=True, slots=True)
class Price:
    """A cost (None: nobody knows) and where it is from."""

    cost: Decimal | None
    source: str

    @property
    def units(self) -> int | None:
        """The cost as it is counted."""
        return None if self.cost is None else units(self.cost)


def price_of(entry: Entry, tokens_in: int, tokens_out: int, usage: Any = None) -> Price:
    """What so many tokens cost with an llm; `usage` is its own account of them, with its kinds apart, where it gave one.

    Imports the price table, so call it in a thread the first time.
    """
    if entry.priced in FREE:
        return Price(Decimal(0), entry.priced)
    if entry.priced == "set":
        million = Decimal(10**6)
        cost = ((entry.price_in or 0) * tokens_in + (entry.price_out or 0) * tokens_out) / million
        return Price(Decimal(cost), "set")
    if entry.priced != "table":
        return Price(None, "unknown")
    return _from_table(entry, tokens_in, tokens_out, usage)


def _from_table(entry: Entry, tokens_in: int, tokens_out: int, usage: Any) -> Price:
    import genai_prices

    counted = usage or genai_prices.Usage(input_tokens=tokens_in, output_tokens=tokens_out)
    provider = entry.provider if entry.provider in ("openai", "anthropic", "openrouter") else None
    try:
        found = genai_prices.calc_price(counted, entry.llm, provider_id=provider)
    except (LookupError, ValueError):
        return Price(None, "unknown")
    return Price(found.total_price, f"genai-prices {genai_prices.__version__}")


def most_tokens_in(characters: int, extra: int) -> int:
    """An upper bound of the tokens of a request, from the bytes of its text and a number of its parts."""
    return characters // BYTES_A_TOKEN + extra
