"""What a request to an llm can end in beside an answer, and what that means for the next one: a table, nothing else.

Written beside it stands why: whoever retries what cannot work, or leaves a healthy llm for a smaller one, spends other people's money.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from counterfoil.facts import LlmEnd


class Fault(StrEnum):
    """How a request can fail."""

    NOT_REACHED = "not_reached"  # no connection was made
    RATE = "rate"
    QUOTA = "quota"
    OVERLOADED = "overloaded"
    SERVER = "server"
    LOST = "lost"  # sent, and the connection or the time ran out
    CUT = "cut"  # an answer began and did not end
    TOO_LONG = "too_long"
    REFUSED = "refused"  # the request is wrong in itself
    KEY = "key"
    NO_SUCH_LLM = "no_such_llm"
    NO_KEY = "no_key"


@dataclass(frozen=True, slots=True)
class Failed:
    """A request that failed. `told` is what is known of it, `partial` the text that had come, `retry_after` seconds."""

    fault: Fault
    message: str
    retry_after: float | None = None
    partial: str = ""
    told: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rule:
    """What follows: how the row ends, how often the same llm is asked once more, whether the next may be, whether this counts against
    it (`strike`), how long it is left alone (`rest`, seconds), whether all may pass by itself."""

    end: LlmEnd
    again: int = 0
    next: bool = True
    strike: bool = False
    rest: float = 0.0
    passing: bool = True


RULES: dict[Fault, Rule] = {
    Fault.NOT_REACHED: Rule(LlmEnd.NOT_SENT, again=1, strike=True),
    Fault.RATE: Rule(LlmEnd.REJECTED, again=1, rest=5.0),
    Fault.QUOTA: Rule(LlmEnd.REJECTED, rest=3600.0, passing=False),
    Fault.OVERLOADED: Rule(LlmEnd.REJECTED, again=2, strike=True),
    Fault.SERVER: Rule(LlmEnd.REJECTED, again=1, strike=True),
    Fault.LOST: Rule(LlmEnd.UNKNOWN, strike=True),  # the next one is asked: this one may have been billed
    Fault.CUT: Rule(LlmEnd.CUT, again=1, strike=True),
    Fault.TOO_LONG: Rule(LlmEnd.REJECTED, passing=False),  # the llm is healthy; only one with a larger window is asked
    Fault.REFUSED: Rule(LlmEnd.REJECTED, next=False, passing=False),  # the next one would refuse it as well
    Fault.KEY: Rule(LlmEnd.REJECTED, next=False, rest=60.0, passing=False),
    Fault.NO_KEY: Rule(LlmEnd.NOT_SENT, next=False, passing=False),
    Fault.NO_SUCH_LLM: Rule(LlmEnd.REJECTED, rest=600.0, passing=False),
}
