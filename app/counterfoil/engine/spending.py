"""The spending gate, and the question about calls that are made again and again: what they show, and what an answer means.

It stands before the call, so what was paid is kept, whatever is answered.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.authoring.parameters import Field
from counterfoil.engine.desk_gates import Answer, blank_spec
from counterfoil.engine.holding import Hold, Identity
from counterfoil.engine.llm_ports import Heard, Told
from counterfoil.facts import GateKind, GateState, Slot, person
from counterfoil.store import gates, llm_budgets, runs, trail_rows
from counterfoil.store.llm_budgets import Limit, Reached
from counterfoil.store.llm_money import dollars, units, words
from counterfoil.store.transactions import Connection, Row, Txn

REPEATS = 3  # the same call with the same arguments so often is asked about
_TWICE = "Only where the limit is raised; left empty, it becomes twice what it was."
_WHOSE = {
    llm_budgets.RUN: "this run",
    llm_budgets.AGENT: "this agent",
    llm_budgets.SCHEDULE: "this schedule this month",
    llm_budgets.WORKSPACE: "this workspace this month",
    llm_budgets.DAY: "all runs today",
}


def limit_spec(reached: Reached) -> dict[str, Any]:
    """The gate that opens where one more request would go over a limit."""
    limit = reached.limit
    spent, most = (
        (f"{limit.spent.tokens:,} tokens", f"{limit.most_tokens:,}")
        if reached.in_tokens
        else (words(dollars(limit.spent.money)), words(dollars(limit.most or 0)))
    )
    need = f"{reached.need:,} tokens" if reached.in_tokens else words(dollars(reached.need))
    title = f"{spent} of {most} spent for {_WHOSE[limit.scope]}. The next call may cost up to {need}."
    about = {
        "why": "limit",
        "scope": limit.scope,
        "subject": limit.subject,
        "llm": reached.llm,
        "in_tokens": reached.in_tokens,
        "spent": limit.spent.tokens if reached.in_tokens else _exact(limit.spent.money),
        "most": limit.most_tokens if reached.in_tokens else _exact(limit.most or 0),
        "need": reached.need if reached.in_tokens else _exact(reached.need),
        "need_units": reached.need,
    }
    unit = "tokens" if reached.in_tokens else "US dollars"
    fields = [
        _choice(["raise_once", "raise", "finish", "stop"]),
        Field(name="most", type="decimal", label=f"New limit, in {unit}", help=_TWICE).to_json(),
    ]
    return blank_spec(GateKind.BUDGET, title, fields=fields, about=about)


def _exact(counted: int) -> str:
    return format(dollars(counted).normalize(), "f")


def again_spec(tool: str, args: str, times: int) -> dict[str, Any]:
    """The question that opens where an llm asks for the same thing again and again; where it is asked it, `tool` is empty and `args` the
    question."""
    about = {"why": "again", "tool": tool, "args": args[:2000], "times": times}
    what = f"The llm asks for “{tool}” with the same arguments" if tool else "An llm is asked the same, word for word,"
    title = f"{what} for the {_nth(times)} time. Go on?"
    return blank_spec(GateKind.BUDGET, title, fields=[_choice(["go_on", "finish", "stop"])], about=about)


def _choice(choices: Sequence[str]) -> dict[str, Any]:
    return Field(name="choice", type="choice", label="What now?", choices=list(choices), required=True).to_json()


def _nth(times: int) -> str:
    return {3: "third", 6: "sixth", 9: "ninth"}.get(times, f"{times}th")


def repeated(history: Sequence[Heard | Told]) -> tuple[str, str, int] | None:
    """The call of the last answer that was made so often by now that a person is asked: tool, arguments, how often."""
    answers = [message for message in history if isinstance(message, Heard)]
    if not answers:
        return None
    counts = Counter((tool, _plain(args)) for heard in answers for _, tool, args in heard.calls)
    for _, tool, args in answers[-1].calls:
        times = counts[(tool, _plain(args))]
        if times >= REPEATS and times % REPEATS == 0:
            return tool, args, times
    return None


def _plain(args: str) -> str:
    try:
        return canonical(json.loads(args))
    except ValueError:
        return args


def asked_digest(about: Any) -> str:
    """What a gate is about, so that the same is not asked twice and something else is asked anew."""
    return digest(canonical(about))


def raised_once(conn: Connection, hold: Hold, identity: Identity) -> bool:
    """Whether a person has let this one call go over the limit."""
    decided = (gates.decisions(conn, gate["gate_id"]) for gate in _taken(conn, hold, identity))
    return any(made and json.loads(made[-1]["answers"]).get("choice") == "raise_once" for made in decided)


def settled_again(conn: Connection, hold: Hold, identity: Identity, about: Any) -> bool:
    """Whether the question about a repeated call was answered with going on."""
    wanted = asked_digest(about)
    return any(gate["asked_digest"] == wanted for gate in _taken(conn, hold, identity))


def _taken(conn: Connection, hold: Hold, identity: Identity) -> list[Row]:
    """The spending gates of one call whose answers count; more than one may have stood there."""
    place = (*identity, Slot.BUDGET)
    return [
        gate
        for gate in gates.of_run(conn, hold.run_id)
        if (gate["path"], gate["ordinal"], gate["slot"]) == place
        and gate["state"] == GateState.DECIDED
        and gate["taken_at"] is not None
    ]


def raise_limit(txn: Txn, hold: Hold, gate: Row, answer: Answer) -> None:
    """Set the limit anew that a gate is about: to what was filled in, else to twice what it was."""
    about = json.loads(hold.powers.blobs.text(gate["spec"], gate["spec_blob"]))["about"]
    scope, subject = about["scope"], about["subject"]
    most, most_tokens = _before(txn, hold, scope, subject)
    given = answer["answers"].get("most")
    given = given["$dec"] if isinstance(given, dict) else given
    if about["in_tokens"]:
        most_tokens = int(Decimal(given)) if given else 2 * int(about["most"]) + int(about["need"])
    else:
        most = units(Decimal(given)) if given else 2 * units(Decimal(about["most"])) + int(about["need_units"])
    llm_budgets.put(txn, scope, subject, most, most_tokens, answer["by"])
    new = f"{most_tokens:,} tokens" if about["in_tokens"] else words(dollars(most or 0))
    trail_rows.append(
        txn,
        by=answer["by"],
        kind="llm_limit",
        subject=hold.run_id,
        summary=f"{person(answer['by'])} raised the limit for {_WHOSE[scope]} to {new}",
        after={"scope": scope, "subject": subject, "most": most, "most_tokens": most_tokens},
    )


def _before(txn: Txn, hold: Hold, scope: str, subject: str) -> tuple[int | None, int | None]:
    """What stood before; a limit of one run that nobody set keeps its other unit."""
    if scope == llm_budgets.RUN:
        return llm_budgets.most_of_run(txn.conn, runs.get(txn.conn, hold.run_id))
    row = llm_budgets.get(txn.conn, scope, subject)
    if row is not None:
        return row["most"], row["most_tokens"]
    return (llm_budgets.MOST_DAY, llm_budgets.MOST_DAY_TOKENS) if scope == llm_budgets.DAY else (None, None)


def still_over(limits: Sequence[Limit], about: dict[str, Any]) -> bool:
    """Whether what a gate was opened for still does not fit: somebody may have raised the limit elsewhere."""
    for limit in limits:
        if (limit.scope, limit.subject) == (about["scope"], about["subject"]):
            spent, most = (
                (limit.spent.tokens, limit.most_tokens) if about["in_tokens"] else (limit.spent.money, limit.most)
            )
            return most is not None and spent + int(about["need_units"]) > most
    return False
