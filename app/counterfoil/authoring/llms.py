"""Asking an llm from a workflow: each answer is a record, so it is paid once and a replay needs no key and no network.

`llm` asks once and gives a checked value. A `Conversation` is what it and agents are made of: one `say` is one durable call. Its digest
is made of the digest of the turn before and of what is new, so that a long conversation is replayed in linear time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar, overload

from counterfoil.authoring import machine
from counterfoil.authoring.answer_shapes import Misfit, read_answer, schema_of
from counterfoil.authoring.codec import canonical, digest
from counterfoil.errors import LlmFailed, RefusedUse

T = TypeVar("T")
_FENCED = re.compile(r"```[a-z]*\s*(.*?)\s*```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool that the llm may ask for. `parameters` is a JSON schema; `pin` says which definition it is, where that may change."""

    name: str
    description: str
    parameters: dict[str, Any]
    pin: str = ""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What an llm asks a tool to do. Nothing has been done yet, and nothing is by itself. `unreadable` are arguments that are no JSON
    object; such a call cannot be made."""

    id: str
    tool: str
    args: dict[str, Any]
    unreadable: str = ""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call; `outcome` is ok, denied, failed or unknown."""

    id: str
    tool: str
    text: str
    outcome: str = "ok"


@dataclass(frozen=True, slots=True)
class Said:
    """What is said to the llm."""

    text: str


@dataclass(frozen=True, slots=True)
class LlmAnswer:
    """An answer. `finish` is stop, length, calls or filter; `usage` counts tokens where they were told; `cost` in US dollars, None where
    nobody knows the price; `llm` says who has answered."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    usage: dict[str, int] = field(default_factory=dict)
    cost: Decimal | None = None
    llm: str = ""


class Conversation:
    """A conversation with an llm, in one branch of a run. `most_tokens` limits one answer, `budget` (US dollars) all calls of its branch
    and the branches beneath it, and `output` is the JSON schema of an answer that is no prose."""

    def __init__(
        self,
        *,
        system: str,
        tools: Sequence[ToolOffer] = (),
        output: dict[str, Any] | None = None,
        route: str | None = None,
        name: str = "llm",
        most_tokens: int = 4096,
        budget: Decimal | None = None,
    ) -> None:
        self.name = name
        self._opening = {
            "system": system,
            "tools": [
                {"name": t.name, "description": t.description, "parameters": canonical(t.parameters), "pin": t.pin}
                for t in tools
            ],
            "output": None if output is None else canonical(output),
            "route": route,
            "most_tokens": most_tokens,
            "budget": None if budget is None else str(budget),
        }
        self._after: tuple[str, int] | None = None
        self._compacted: tuple[str, int] | None = None
        self._digest = ""
        self._ahead: list[Said] = []

    @machine.durable
    async def say(self, *messages: Said | ToolResult) -> LlmAnswer:
        """Say something, or what came of tools, and hear the answer: one durable call.

        Raises:
            LimitReached: it would go over a limit, and a person chose to finish with what there is.
            LlmFailed: no llm could answer, and a person chose to go on without one.
        """
        branch = machine.require("Conversation.say()")
        if self._after is not None and self._after[0] != branch.path:
            raise RefusedUse(
                "a conversation belongs to one branch: make a Conversation inside each branch of parallel()"
            )
        delta = [message_json(message) for message in (*self._ahead, *messages)]
        if not delta:
            raise RefusedUse("say() needs something to say")
        opening = self._opening if self._after is None else None
        asked = {
            "after": None if self._after is None else list(self._after),
            "open": opening,
            "delta": delta,
            "compacted": None if self._compacted is None else list(self._compacted),
        }
        turn_digest = digest_of_turn(self._digest, opening, delta)
        identity = (branch.path, branch.next_ordinal)
        answer = answer_from(await branch.machine.llm(branch, self.name, asked, turn_digest))
        self._after, self._digest, self._ahead, self._compacted = identity, turn_digest, [], None
        return answer

    def compacted(self, summary: str) -> None:
        """Go on with a summary in place of all that was said so far: the next call opens anew and says so in its record."""
        if self._after is None:
            raise RefusedUse("a conversation can be compacted once something was said in it")
        self._compacted, self._after, self._digest = self._after, None, ""
        self._ahead = [Said(summary)]


def message_json(message: Said | ToolResult) -> dict[str, Any]:
    """A message as a frame holds it."""
    if isinstance(message, Said):
        return {"said": message.text}
    return {"id": message.id, "tool": message.tool, "text": message.text, "outcome": message.outcome}


def digest_of_turn(before: str, opening: dict[str, Any] | None, delta: list[dict[str, Any]]) -> str:
    """The digest of a turn: of the digest of the turn before and of what is new."""
    return digest(canonical([before, opening, delta]))


def answer_from(plain: dict[str, Any]) -> LlmAnswer:
    """An answer out of its record. What a call holds travels as text, so that no tag of the codec is read into it."""
    calls = tuple(_call(call["id"], call["tool"], call["args"]) for call in plain["calls"])
    cost = None if plain["cost"] is None else Decimal(plain["cost"])
    return LlmAnswer(plain["text"], calls, plain["finish"], plain["usage"], cost, plain["llm"])


def _call(id_: str, tool: str, text: str) -> ToolCall:
    try:
        args = json.loads(text)
    except ValueError:
        args = None
    return ToolCall(id_, tool, args) if isinstance(args, dict) else ToolCall(id_, tool, {}, text or "nothing")


@overload
def llm(
    prompt: str,
    *,
    route: str | None = ...,
    system: str = ...,
    name: str = ...,
    repairs: int = ...,
    most_tokens: int = ...,
) -> machine.Durable[str]: ...
@overload
def llm(
    prompt: str,
    *,
    output: type[T],
    route: str | None = ...,
    system: str = ...,
    name: str = ...,
    repairs: int = ...,
    most_tokens: int = ...,
) -> machine.Durable[T]: ...
def llm(prompt: str, *, output: Any = str, **options: Any) -> machine.Durable[Any]:
    """Ask an llm once and get text, or a value of the type `output`: text, numbers, dates, Literal, lists, a dataclass of them.

    An answer that does not fit is told so and asked again, `repairs` times at most; each answer is a record of its own.

    Raises:
        LlmFailed: no answer fits, or it was cut off or refused.
        LimitReached: a spending limit was reached, and a person chose to finish with what there is.
    """
    return machine.Durable("llm()", lambda: _llm(prompt, output, **options))


async def _llm(
    prompt: str,
    output: Any,
    *,
    route: str | None = None,
    system: str = "",
    name: str = "llm",
    repairs: int = 2,
    most_tokens: int = 4096,
) -> Any:
    schema = None if output is str else schema_of(output)
    talk = Conversation(system=system, output=schema, route=route, name=name, most_tokens=most_tokens)
    answer = await talk.say(Said(prompt))
    for left in range(repairs, -1, -1):
        try:
            return read(answer, output)
        except Misfit as problem:
            if not left:
                raise LlmFailed(f"{name}: no answer fits after {repairs + 1} tries: {problem}") from problem
            words = f"That answer cannot be used: {problem}. Answer again, with nothing but what was asked for."
            answer = await talk.say(Said(words))
    raise AssertionError("a loop that returns or raises")


def read(answer: LlmAnswer, output: Any) -> Any:
    """The value in an answer that was asked for as `output`.

    Raises:
        Misfit: it does not fit; the llm may be told.
        LlmFailed: it is no whole answer.
    """
    if answer.finish == "length":
        raise LlmFailed("the answer was cut off at its limit of tokens; ask for less, or raise most_tokens")
    if answer.finish == "filter":
        raise LlmFailed(f"the llm refused to answer{f': {answer.text[:300]}' if answer.text else ''}")
    if output is str:
        if not answer.text.strip():
            raise Misfit("it is empty")
        return answer.text
    try:
        plain = json.loads(_unfenced(answer.text), parse_float=Decimal)
    except ValueError as problem:
        raise Misfit(f"it is not JSON ({problem})") from problem
    return read_answer(plain, output)


def _unfenced(text: str) -> str:
    """A text without the fence that many llms put around JSON."""
    found = _FENCED.fullmatch(text.strip())
    return found[1] if found else text
