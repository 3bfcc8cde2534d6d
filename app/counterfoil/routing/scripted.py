"""Answers that were written beforehand, for tests of workflows and agents: no key, no network, the same rows as with a real llm.

A script is a list of answers in order, or a function from the request to an answer. An answer is a text; calls of tools
(`ToolCall`, or a list of them); any other value, which becomes JSON; or an exception, such as `LlmTrouble`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from counterfoil.authoring.llms import ToolCall
from counterfoil.engine.llm_ports import Book, LlmReply, LlmRequest, Llms, LlmTrouble
from counterfoil.facts import LlmEnd
from counterfoil.store.llm_calls import AttemptEnd, NewAttempt

Script = Sequence[Any] | Callable[[LlmRequest], Any]
PRICE = 1_000_000_000  # of every answer: 0.001 US dollars, in millionths of a millionth


class ScriptedLlms:
    """Speaks a script; `requests` is what it was asked. Each answer costs 0.001 US dollars."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[LlmRequest] = []

    async def ask(self, request: LlmRequest, book: Book) -> LlmReply:
        """The next answer of the script."""
        n = await book.begin(
            NewAttempt(
                "script", "script", "", "script", tokens=request.most_tokens, charge=PRICE, asked={"script": True}
            )
        )
        self.requests.append(request)
        said = self._next(request)
        if isinstance(said, BaseException):
            await book.end(n, AttemptEnd(LlmEnd.REJECTED, charge=0, tokens=0, told={"message": str(said)}))
            raise said
        text, calls = _parts(said, len(request.history))
        usage = {"input": 100, "output": 10}
        end = AttemptEnd(LlmEnd.OK, charge=PRICE, tokens=110, told={"usage": usage, "priced": "script"})
        cost = Decimal(PRICE).scaleb(-12).normalize()
        return LlmReply(n, text, calls, "calls" if calls else "stop", "script", end, usage, cost)

    def _next(self, request: LlmRequest) -> Any:
        if callable(self._script):
            return self._script(request)
        at = len(self.requests) - 1
        if at >= len(self._script):
            return LlmTrouble(f"The script has {len(self._script)} answers, and one more was asked for.", passing=False)
        return self._script[at]


def speaking(llms: Script | Llms | None) -> Llms | None:
    """A script as something that speaks it; anything else as it is."""
    if isinstance(llms, Sequence):
        return ScriptedLlms(llms)
    if llms is None or not callable(llms):
        return llms
    return ScriptedLlms(llms)


def _parts(said: Any, turn: int) -> tuple[str, tuple[tuple[str, str, str], ...]]:
    if isinstance(said, str):
        return said, ()
    calls = [said] if isinstance(said, ToolCall) else said
    if isinstance(calls, (list, tuple)) and calls and all(isinstance(call, ToolCall) for call in calls):
        return "", tuple(
            (call.id or f"call_{turn}_{n}", call.tool, json.dumps(call.args, ensure_ascii=False))
            for n, call in enumerate(calls)
        )
    return json.dumps(said, ensure_ascii=False, default=_plain), ()


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return str(value)
