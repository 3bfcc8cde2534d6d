"""Turns of conversations with llms at the desk: what a session may ask, checked, and the history before it, read from rows.

The host sends only what is new. What was said before, the tools and the answers are what is kept: a host cannot change its own past.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from counterfoil.authoring.codec import canonical
from counterfoil.authoring.llms import digest_of_turn
from counterfoil.engine.holding import Breach, Hold, Identity
from counterfoil.engine.llm_ports import Heard, LlmRequest, Told, Tool
from counterfoil.engine.shapes import identity_in, line, whole
from counterfoil.facts import Outcome, StepKind, storable
from counterfoil.store import llm_budgets, llm_calls, records
from counterfoil.store.transactions import Row, Txn

Message = Heard | Told
MOST_TOOLS = 512
MOST_MESSAGES = 1000
MOST_TOKENS = 1_000_000
OUTCOMES = frozenset({"ok", "denied", "failed", "unknown"})


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as a session asks for it."""

    identity: Identity
    name: str
    digest: str
    after: Identity | None
    opening: dict[str, Any] | None
    delta: list[dict[str, Any]]
    compacted: list[Any] | None


def turn_in(hold: Hold, identity: Identity, name: str, given: str, asked: Any) -> Turn:
    """A turn out of a frame.

    Raises:
        Breach: it is of no turn's shape, does not follow an answer of this run, or has another digest.
    """
    if not isinstance(asked, dict) or asked.keys() != {"after", "open", "delta", "compacted"}:
        raise Breach("an llm call of no call's shape")
    after = None if asked["after"] is None else _identity(asked["after"])
    opening, delta = asked["open"], asked["delta"]
    if (after is None) != (opening is not None) or not isinstance(delta, list) or not 0 < len(delta) <= MOST_MESSAGES:
        raise Breach("an llm call that neither opens a conversation nor goes on with one")
    for message in delta:
        _check_message(message)
    if opening is not None:
        _check_opening(opening)
    before = "" if after is None else _digest_of(hold, after)
    if digest_of_turn(before, opening, delta) != given:
        raise Breach("an llm call with the digest of another")
    compacted = asked["compacted"]
    if compacted is not None and (opening is None or _identity(compacted) not in hold.known):
        raise Breach("a conversation that stands for one that there is not")
    return Turn(identity, name, given, after, opening, delta, compacted)


def _identity(pair: Any) -> Identity:
    if not isinstance(pair, list) or len(pair) != 2:
        raise Breach("a turn that is none")
    return identity_in({"p": pair[0], "o": pair[1]})


def _digest_of(hold: Hold, after: Identity) -> str:
    conn = hold.powers.database.reader
    record = records.get(conn, hold.run_id, *after)
    if record is None or record["kind"] != StepKind.LLM or record["outcome"] != Outcome.OK:
        raise Breach("a conversation that goes on after no answer")
    return str(record["args_digest"])


def _check_message(message: Any) -> None:
    if not isinstance(message, dict) or not all(isinstance(value, str) for value in message.values()):
        raise Breach("a message of no message's shape")
    if message.keys() != {"said"} and (
        message.keys() != {"id", "tool", "text", "outcome"} or message["outcome"] not in OUTCOMES
    ):
        raise Breach("a message of no message's shape")


def _check_opening(opening: Any) -> None:
    keys = {"system", "tools", "output", "route", "most_tokens", "budget"}
    if not isinstance(opening, dict) or opening.keys() != keys or not isinstance(opening["system"], str):
        raise Breach("a conversation of no conversation's shape")
    tools = opening["tools"]
    if not isinstance(tools, list) or len(tools) > MOST_TOOLS:
        raise Breach("tools that are no list, or too many")
    for tool in tools:
        if tool.keys() != {"name", "description", "parameters", "pin"} or not all(
            isinstance(value, str) for value in tool.values()
        ):
            raise Breach("a tool of no tool's shape")
        _schema(tool["parameters"])
    if len({tool["name"] for tool in tools}) != len(tools):
        raise Breach("two tools of one name")
    if opening["output"] is not None:
        _schema(opening["output"])
    whole(opening["most_tokens"], "a number of tokens", low=1, high=MOST_TOKENS)
    if opening["route"] is not None and not isinstance(opening["route"], str):
        raise Breach("a route that is no name")
    budget_in(opening)


def _schema(text: Any) -> dict[str, Any]:
    if not isinstance(text, str):
        raise Breach("a schema that is no text")
    schema = json.loads(text)
    if not isinstance(schema, dict):
        raise Breach("a schema that is none")
    return schema


def budget_in(opening: dict[str, Any]) -> Decimal | None:
    """The budget that a conversation opens with, in US dollars."""
    text = opening["budget"]
    if text is None:
        return None
    if not isinstance(text, str):
        raise Breach("a budget that is no text")
    try:
        budget = Decimal(text)
    except InvalidOperation as problem:
        raise Breach("a budget that is no amount") from problem
    if not budget.is_finite() or not 0 <= budget < 10**6:
        raise Breach("a budget of no sense")
    return budget


# ------------------------------------------------------------------------------------------------------ kept and read


def keep(txn: Txn, hold: Hold, turn: Turn) -> None:
    """Write what is asked, once, before anything is sent."""
    if llm_calls.get(txn.conn, hold.run_id, *turn.identity) is not None:
        return
    blobs = hold.powers.blobs
    opening, opening_blob = (None, False) if turn.opening is None else blobs.keep_text(canonical(turn.opening))
    delta, delta_blob = blobs.keep_text(canonical(turn.delta))
    compacted = None if turn.compacted is None else canonical(turn.compacted)
    new = llm_calls.NewCall(
        hold.run_id,
        *turn.identity,
        turn.name,
        turn.digest,
        turn.after,
        opening,
        opening_blob,
        delta,
        delta_blob,
        compacted,
    )
    llm_calls.add(txn, new)
    budget = None if turn.opening is None else budget_in(turn.opening)
    if budget is not None:
        llm_budgets.set_for_branch(txn, hold.run_id, turn.identity[0], budget)


@dataclass(slots=True)
class Talk:
    """A conversation so far: how it opened, and all messages."""

    opening: dict[str, Any]
    history: list[Message]


class Talks:
    """The conversations of one hold. Each is read from rows once, and grows with its answers."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold
        self._by_last: dict[Identity, Talk] = {}  # the answer it has come to

    def before(self, turn: Turn) -> Talk:
        """The conversation with what the turn says at its end."""
        if turn.after is None:
            talk = Talk(turn.opening or {}, [])
        else:
            held = self._by_last.get(turn.after)
            talk = self._read(turn.after) if held is None else Talk(held.opening, list(held.history))
        talk.history += [told(message) for message in turn.delta]
        return talk

    def answered(self, turn: Turn, talk: Talk, answer: Heard) -> None:
        """The turn has its answer; what it came after is not gone on with any more."""
        talk.history.append(answer)
        if turn.after is not None:
            self._by_last.pop(turn.after, None)
        self._by_last[turn.identity] = talk

    def _read(self, last: Identity) -> Talk:
        """Follow the turns back to the opening."""
        hold, conn = self._hold, self._hold.powers.database.reader
        pieces: list[list[Message]] = []
        at: Identity | None = last
        while at is not None:
            row = llm_calls.get(conn, hold.run_id, *at)
            if row is None:
                raise Breach("a conversation with a turn that was never kept")
            delta = json.loads(hold.powers.blobs.text(row["delta"], row["delta_blob"]))
            pieces.append([*(told(message) for message in delta), heard_at(hold, at)])
            at = None if row["after_path"] is None else (row["after_path"], row["after_ordinal"])
            if at is None:
                opening = json.loads(hold.powers.blobs.text(row["opening"], row["opening_blob"]))
                return Talk(opening, [message for piece in reversed(pieces) for message in piece])
        raise AssertionError("a conversation opens somewhere")


def told(message: dict[str, Any]) -> Told:
    """A message as it is told to an llm."""
    if "said" in message:
        return Told(message["said"])
    return Told(message["text"], message["id"], message["tool"], message["outcome"])


def heard_at(hold: Hold, identity: Identity) -> Heard:
    """The answer that is recorded at an identity."""
    conn, blobs = hold.powers.database.reader, hold.powers.blobs
    record = records.get(conn, hold.run_id, *identity)
    if record is None:
        raise Breach("a conversation that goes on after no answer")
    answer = json.loads(blobs.text(record["payload"], record["payload_blob"]))
    kept = llm_calls.response(conn, hold.run_id, *identity)
    text = None if kept is None or kept["response"] is None else blobs.text(kept["response"], kept["response_blob"])
    return Heard(answer["text"], tuple((c["id"], c["tool"], c["args"]) for c in answer["calls"]), text)


def request_of(hold: Hold, turn: Turn, talk: Talk, row: Row | None) -> LlmRequest:
    """What is asked of the room that reaches llms."""
    opening = talk.opening
    tools = [
        Tool(tool["name"], tool["description"], json.loads(tool["parameters"]), tool["pin"])
        for tool in opening["tools"]
    ]
    return LlmRequest(
        run_id=hold.run_id,
        workspace=hold.workspace,
        route=opening["route"],
        system=opening["system"],
        tools=tools,
        output=None if opening["output"] is None else json.loads(opening["output"]),
        most_tokens=opening["most_tokens"],
        history=talk.history,
        key=turn.digest,
        round=0 if row is None else row["rounds"],
    )


def summary_of(text: str, calls: tuple[tuple[str, str, str], ...]) -> str:
    """One line about an answer."""
    if calls:
        return line(", ".join(tool for _, tool, _ in calls), 200)
    return line(_said(storable(text)), 200)


def _said(text: str) -> str:
    """An answer in a form that was asked for, as names and plain values; what is nested in it is left to the record."""
    try:
        told = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        return text
    if not isinstance(told, dict):
        return text
    plain = {name: value for name, value in told.items() if isinstance(value, str | int | float) and value != ""}
    as_words = {True: "yes", False: "no"}
    return ", ".join(
        f"{name}: {as_words[value] if isinstance(value, bool) else value}" for name, value in plain.items()
    )
