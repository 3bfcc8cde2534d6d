"""Documents about llms: what a run has paid, routes as they are set up, what was spent, and what a run may come to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from counterfoil.clock import from_us, iso
from counterfoil.facts import LlmEnd
from counterfoil.store import llm_budgets, llm_calls, llm_routes, trail_rows
from counterfoil.store.llm_money import dollars
from counterfoil.store.transactions import Connection, Row

Document = dict[str, Any]
Identity = tuple[str, int]
_DOUBTFUL = (str(LlmEnd.UNKNOWN), str(LlmEnd.CUT))
_NUMBERS = {2: "Two", 3: "Three", 4: "Four", 5: "Five"}


def money(units: int | None) -> Document | None:
    """Counted money in the contract's form."""
    return None if units is None else {"amount": format(dollars(units).normalize(), "f"), "currency": "USD"}


def costs_of(rows: Iterable[Row]) -> dict[Identity, Document | None]:
    """What each llm step has cost, from its requests; None where nobody knows the price of one that may have been billed."""
    sums: dict[Identity, int | None] = {}
    for row in rows:
        identity = (row["path"], row["ordinal"])
        before = sums.get(identity, 0)
        sums[identity] = None if before is None or row["charge"] is None else before + row["charge"]
    return {identity: money(units) for identity, units in sums.items()}


def paid_of(conn: Connection, run: Row, rows: Sequence[Row]) -> Document:
    """Who pays twice: `calls` answered, how many were answered from what is kept when the run was carried on, what that saved, and how many
    requests may have been billed without an answer."""
    answered = [row for row in rows if row["end"] == LlmEnd.OK]
    again = [row["at"] for row in trail_rows.entries(conn, subject=run["run_id"]) if _is_replay(row)]
    kept = [row for at in again for row in answered if row["ended_at"] <= at]
    saved = [row["charge"] for row in kept if row["charge"] is not None]
    perhaps = [row for row in rows if row["end"] in _DOUBTFUL or (row["end"] is None and run["state"] != "running")]
    return {
        "calls": len(answered),
        "answered_from_records": len(kept),
        "saved": money(sum(saved)) if saved else None,
        "perhaps_billed": len(perhaps),
    }


def _is_replay(row: Row) -> bool:
    """Whether a claim replayed the run; a host that still lingered goes on without that."""
    if row["kind"] != "claim" or not row["after"]:
        return False
    return not str(json.loads(row["after"]).get("reason") or "").endswith("at once")


# -------------------------------------------------------------------------------------------------------------- routes


def route_documents(conn: Connection) -> list[Document]:
    """Every route with its llms in order; keys by their names."""
    return [
        {
            "name": route["name"],
            "stays": route["stays"],
            "llms": [_entry(row) for row in llm_routes.entries(conn, route["name"])],
        }
        for route in llm_routes.routes(conn)
    ]


def _entry(row: Row) -> Document:
    return {
        "place": row["rank"],
        "provider": row["provider"],
        "address": row["address"],
        "llm": row["llm"],
        "key": row["key"],
        "window": row["window"],
        "priced": row["priced"],
        "price_in": row["price_in"],
        "price_out": row["price_out"],
    }


def limit_documents(conn: Connection) -> list[Document]:
    """The limits of spending that hold: those that people have set, and what holds where nobody did."""
    found = [
        {"scope": row["scope"], "subject": row["subject"], "most": money(row["most"]), "most_tokens": row["most_tokens"],
         "set_by": row["by"], "set_at": iso(row["at"])}
        for row in llm_budgets.all_set(conn)
    ]  # fmt: skip
    scopes = {(one["scope"], one["subject"]) for one in found}
    unset = [
        (llm_budgets.RUN, llm_budgets.MOST_RUN, llm_budgets.MOST_RUN_TOKENS),
        (llm_budgets.DAY, llm_budgets.MOST_DAY, llm_budgets.MOST_DAY_TOKENS),
    ]
    own = [
        {"scope": scope, "subject": "", "most": money(most), "most_tokens": tokens, "set_by": None, "set_at": None}
        for scope, most, tokens in unset
        if (scope, "") not in scopes
    ]
    return [*own, *found]


def spending_document(conn: Connection, now_us: int) -> list[Document]:
    """What each of the last 31 days came to, reserved money included; `unpriced_tokens` are those that nobody knows the price of."""
    return [
        {"day": day, "cost": money(spent.money), "unpriced_tokens": spent.tokens}
        for day, spent in llm_budgets.month_of(conn, now_us)
    ]


def perhaps_billed_document(conn: Connection, since_us: int) -> Document:
    """How many requests since an instant may have been billed without an answer, and what they come to at most."""
    number, most = llm_calls.perhaps_billed(conn, since_us)
    return {"calls": number, "most": money(most)}


def estimate_of(conn: Connection, template: str, workspace: str) -> Document | None:
    """What a run of a template may come to, as a range: of its last ten finished runs in that workspace; None where none asked an llm."""
    costs = [Decimal(dollars(units)) for units, _ in llm_calls.costs_of_runs(conn, template, workspace)]
    if not costs:
        return None
    low, high = (format(edge.normalize(), "f") for edge in (min(costs), max(costs)))
    return {
        "low": {"amount": low, "currency": "USD"},
        "high": {"amount": high, "currency": "USD"},
        "runs": len(costs),
    }


def down(tries: Sequence[Row], again_at: int | None) -> str | None:
    """`Two llms in the chain do not answer. The run waits and tries again 09:20. Nothing was billed.`; None where nothing is to be tried
    again. `tries` are the requests of one call so far, `again_at` when it is made once more."""
    if again_at is None:
        return None
    asked = {(row["provider"], row["host"], row["llm"]) for row in tries}
    number = _NUMBERS.get(len(asked), str(len(asked)))
    who = "One llm in the chain does" if len(asked) == 1 else f"{number} llms in the chain do"
    said = f"{who} not answer" if asked else "No llm in the chain may be asked yet"
    local = from_us(again_at).astimezone()
    doubts = sum(row["end"] is None or row["end"] in _DOUBTFUL for row in tries)
    billed = f"{doubts} request{'s' if doubts > 1 else ''} may have been billed" if doubts else "Nothing was billed"
    return f"{said}. The run waits and tries again {local:%H:%M}. {billed}."
