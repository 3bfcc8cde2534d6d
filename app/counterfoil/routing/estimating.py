"""What one document of a template may cost, before anything is asked: as earlier runs did, else by the price of the llm that is asked first
and what the template says of its documents. A range, because nobody knows."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from counterfoil.catalogue.manifest import LlmUse
from counterfoil.routing import prices
from counterfoil.routing.entries import Entry, entry_from
from counterfoil.store import llm_calls, llm_routes
from counterfoil.store.llm_money import dollars, words
from counterfoil.store.transactions import Connection


@dataclass(frozen=True, slots=True)
class Each:
    """From `low` to `high` US dollars for each `per`; `runs` it was measured in, 0 where it is reckoned by the price of `llm`."""

    per: str
    low: Decimal
    high: Decimal
    runs: int = 0
    llm: str = ""

    @property
    def words(self) -> str:
        """As people read it: `about $0.02 per contract`."""
        low, high = words(self.low), words(self.high)
        return f"about {low if low == high else f'{low} to {high}'} per {self.per}"

    @property
    def source(self) -> str:
        """Where that is from."""
        if not self.runs:
            return f"by the price of {self.llm}"
        return "as the last such run did" if self.runs == 1 else f"as the last {self.runs} such runs did"


def each_of(
    conn: Connection, template: str, use: LlmUse, workspace: str, route: str = llm_routes.DEFAULT
) -> Each | None:
    """What one document may cost; None where no llm with a price is asked, so that no money is talked of. May import the price table, so
    call it in a thread."""
    entries = [entry_from(row) for row in llm_routes.entries(conn, route)]
    if not entries or entries[0].priced in prices.FREE:
        return None
    measured = llm_calls.costs_of_runs(conn, template, workspace) or llm_calls.costs_of_runs(conn, template, None)
    spent = [dollars(cost) / branches for cost, branches in measured if cost and branches]
    if spent:
        return Each(use.per, min(spent), max(spent), runs=len(spent))
    return reckoned(use, entries[0])


def reckoned(use: LlmUse, entry: Entry) -> Each | None:
    """What one document may cost with an llm by its price; None where nobody knows it or it is free."""
    low, high = (
        prices.price_of(entry, sent, answered).cost for sent, answered in zip(use.sent, use.answered, strict=True)
    )
    if not low or not high:
        return None
    return Each(use.per, low, high, llm=entry.name)


def per_million(entry: Entry) -> tuple[Decimal, Decimal] | None:
    """US dollars for a million tokens that are sent, and that are answered; None where nobody knows."""
    sent, answered = (prices.price_of(entry, *tokens).cost for tokens in ((1000, 0), (0, 1000)))
    return None if sent is None or answered is None else (sent * 1000, answered * 1000)
