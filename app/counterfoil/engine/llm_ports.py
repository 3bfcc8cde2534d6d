"""What the engine needs of the room that reaches llms: one answer to a conversation, with every request told before it is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Protocol

from counterfoil.store.llm_calls import AttemptEnd, NewAttempt
from counterfoil.store.llm_money import UNIT

ASK_ABOVE = UNIT // 2  # half a dollar: what may have been billed above it is not asked for again without a person
SLEPT_THROUGH = 5.0  # seconds that whoever asks may wait by itself; a longer wait is a timer


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that an llm may ask for; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]
    pin: str = ""


@dataclass(frozen=True, slots=True)
class Heard:
    """An earlier answer in a conversation. `kept` is it as its adapter reads it again; None where a person gave it. A call is
    (id, tool, arguments as JSON text)."""

    text: str
    calls: tuple[tuple[str, str, str], ...]
    kept: str | None


@dataclass(frozen=True, slots=True)
class Told:
    """Something said to the llm: by the workflow, or, where `call` is set, by a tool as the outcome of that call."""

    text: str
    call: str | None = None
    tool: str = ""
    outcome: str = "ok"


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """What is asked. `history` is the whole conversation in order; `output` the JSON schema of the answer, None for prose; `key` names the
    call for ever; `round` counts how often the route was tried in vain; `pressed` says that a person has just said to try again."""

    run_id: str
    workspace: str
    route: str | None
    system: str
    tools: Sequence[Tool]
    output: dict[str, Any] | None
    most_tokens: int
    history: Sequence[Heard | Told]
    key: str
    round: int = 0
    pressed: bool = False


@dataclass(frozen=True, slots=True)
class LlmReply:
    """An answer that is whole, to the request `n`; `end` is written with its record. `usage` counts tokens, where they were told."""

    n: int
    text: str
    calls: tuple[tuple[str, str, str], ...]
    finish: str
    llm: str
    end: AttemptEnd
    usage: dict[str, int] = field(default_factory=dict)
    cost: Decimal | None = None


class LlmTrouble(Exception):
    """No llm of the route gave an answer. `passing`: it may be tried again, `retry_after` seconds from now where somebody said when.
    `too_long`: the conversation fits none of them, which is told to the workflow.

    The message is a sentence for a person.
    """

    def __init__(
        self, message: str, *, passing: bool, retry_after: float | None = None, too_long: bool = False
    ) -> None:
        super().__init__(message)
        self.passing = passing
        self.retry_after = retry_after
        self.too_long = too_long


class Book(Protocol):
    """Where each request of one call is written down."""

    async def begin(self, new: NewAttempt) -> int:
        """Commit the row of a request before it is made; its number. Raises what stops it: a limit, or the end of the run's hold."""

    async def end(self, n: int, how: AttemptEnd) -> None:
        """Commit how a request ended that gave no whole answer."""

    def say(self, text: str) -> None:
        """Show a line of progress."""


class Llms(Protocol):
    """The way to llms."""

    async def ask(self, request: LlmRequest, book: Book) -> LlmReply:
        """Get one answer: over the llms of a route, each request begun in `book`.

        Raises:
            LlmTrouble: none gave one.
        """
