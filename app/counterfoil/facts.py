"""The words that are persisted: states, kinds and their allowed arrows.

Every value here is written to the database, so it is a literal that a test pins. Two enums per concept were rejected:
one StrEnum serves Python, SQL and JSON alike. Standard library only: the author's door imports this module.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Any

_SPELLED = re.compile(r"\\u(d[89a-f][0-9a-f]{2})")


class RunState(StrEnum):
    """Where a run is. Trouble is not a state: it is a gate in the inbox."""

    READY = "ready"  # -> running (claimed), cancelled
    RUNNING = "running"  # -> waiting (every branch waits), ready (runner lost), done, failed, cancelled
    WAITING = "waiting"  # -> ready (a wait was answered), failed (a person stopped it), cancelled
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


RUN_ARROWS: dict[RunState, frozenset[RunState]] = {
    RunState.READY: frozenset({RunState.RUNNING, RunState.CANCELLED}),
    RunState.RUNNING: frozenset({RunState.WAITING, RunState.READY, RunState.DONE, RunState.FAILED, RunState.CANCELLED}),
    RunState.WAITING: frozenset({RunState.READY, RunState.FAILED, RunState.CANCELLED}),
    RunState.DONE: frozenset(),
    RunState.FAILED: frozenset(),
    RunState.CANCELLED: frozenset(),
}
ENDED = frozenset({RunState.DONE, RunState.FAILED, RunState.CANCELLED})


class GateKind(StrEnum):
    """Why a run waits for a person."""

    APPROVAL = "approval"
    QUESTION = "question"
    DOUBT = "doubt"
    FAILURE = "failure"
    CONFLICT = "conflict"
    BUDGET = "budget"


class GateState(StrEnum):
    """Where a gate is."""

    OPEN = "open"  # -> decided, withdrawn, expired, superseded
    DECIDED = "decided"  # -> open (the decision was voided before it took effect)
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"


class Slot(StrEnum):
    """What a gate is to its step: the step itself, or something that stands before its outcome."""

    OUTCOME = "outcome"  # approve() and ask(): the decision is the record
    GATE = "gate"  # an effect that policy asks about: the decision allows it
    DOUBT = "doubt"  # an intent without an outcome
    FAILURE = "failure"  # a used-up or structural failure, a mismatch, a run set aside
    CONFLICT = "conflict"  # files are not what the approval of a set was sealed to
    BUDGET = "budget"  # an llm call that would go over a limit, or goes round in circles
    INPUT = "input"  # the other side of an effect asks something before it goes on


class Verdict(StrEnum):
    """What a person answered."""

    APPROVED = "approved"
    REJECTED = "rejected"
    RETURNED = "returned"
    ANSWERED = "answered"


class StepKind(StrEnum):
    """What a record is about. `child` is in the contract and comes with its room."""

    STEP = "step"
    EFFECT = "effect"
    GATE = "gate"
    TIMER = "timer"
    RACE = "race"
    LOOKUP = "lookup"
    LLM = "llm"
    TOOL = "tool"


class Outcome(StrEnum):
    """How a step ended: a kind beside one payload, never two nullable columns."""

    OK = "ok"
    FAILED = "failed"
    CANCELLED = "cancelled"


class AttemptState(StrEnum):
    """How one try ended. `unknown`: an effect began and nobody recorded an end."""

    UNKNOWN = "unknown"
    OK = "ok"
    FAILED = "failed"


class LlmEnd(StrEnum):
    """How one request to an llm ended. What `unknown` and `cut` cost nobody can say: they may have been billed."""

    OK = "ok"
    REJECTED = "rejected"  # the other side refused it, or was in trouble: not billed
    NOT_SENT = "not_sent"
    UNKNOWN = "unknown"  # sent, and no answer came
    CUT = "cut"  # an answer began and did not end
    CANCELLED = "cancelled"


class FailureClass(StrEnum):
    """What a failure deserves."""

    TRANSIENT = "transient"
    STRUCTURAL = "structural"
    UNKNOWN = "unknown"
    RESTARTED = "restarted"  # none of its own: a person had the step begin anew


class DoubtPolicy(StrEnum):
    """What to do with an intent that has no outcome. It comes from the catalogue of effects, never from a host."""

    RETRY = "retry"
    RECONCILE = "reconcile"
    ASK = "ask"


class Risk(StrEnum):
    """What a plan entry does to the world."""

    NORMAL = "normal"
    RUNS_LATER = "runs_later"
    SENDS = "sends"
    SPENDS = "spends"
    DESTROYS = "destroys"


class FiringState(StrEnum):
    """What became of a due instant."""

    QUEUED = "queued"  # -> started, skipped, blocked
    STARTED = "started"
    SKIPPED = "skipped"
    MISSED = "missed"
    BLOCKED = "blocked"


class FiringOrigin(StrEnum):
    """Where a firing comes from: the rule's grid, a person beside it, or something else than time."""

    GRID = "grid"
    NOW = "now"  # run now
    AGAIN = "again"  # a missed one, run after all: its instant is the missed one's
    FOLDER = "folder"  # new files in a watched folder
    RUN = "run"  # the end of another run


class NoticeKind(StrEnum):
    """What people are told where no run is there to ask."""

    NOT_READY = "not_ready"  # a firing ahead cannot run as things are
    AWAY = "away"  # what was missed and what was done while this computer was off
    HELD_UP = "held_up"  # three skips in a row for one cause
    NOTHING = "nothing"  # five runs in a row found nothing to do
    ZONE = "zone"  # this computer's zone is another one than that of its routines
    CLOCK = "clock"  # this computer's clock jumped, and routines hold until somebody says that it is right
    MAIL = "mail"  # mails to people who are away do not go out
    HOLIDAYS = "holidays"  # the free days that a routine knows of end soon
    SILENT = "silent"  # a step of a run has said nothing for its limit


# Effects whose hands let go at once when they are told to: how one ended is not known then.
CUT_OFF = ("http@1", "call@1", "command@1")
# Effects on files: those of one gate are one set.
FILE_EFFECTS = ("write_file", "append_rows", "move_files", "delete_files", "make_folders")


@dataclasses.dataclass(frozen=True, slots=True)
class Money:
    """An amount with its currency; amounts of two currencies are never added."""

    amount: Decimal
    currency: str

    def __add__(self, other: Money) -> Money:
        """Sum of two amounts of one currency.

        Raises:
            ValueError: the currencies differ.
        """
        if other.currency != self.currency:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added")
        return Money(self.amount + other.amount, self.currency)

    def __str__(self) -> str:
        return f"{self.amount} {self.currency}"


def person(principal: str) -> str:
    """A principal (`user:ben`, `runner`, `schedule:ID`, `agent:NAME`) as people say it in a sentence: `Ben`, `the runner`."""
    kind, _, name = principal.partition(":")
    if kind == "user" and name:
        return name[:1].upper() + name[1:]
    if not kind:
        return "somebody"
    return f"the {kind} ‘{name}’" if name else f"the {kind}"


def either(names: Sequence[str]) -> str:
    """`Anna, Ben or Carla`; "" of nobody."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def as_sentence(words: str) -> str:
    """Words with the full stop of a sentence; what ends with a name like `Larkfield e. V.` or a sentence of its own has it already."""
    return words if words.endswith((".", "?", "!", "…")) else f"{words}."


def given_words(file: Mapping[str, Any]) -> str:
    """A file that was given at a gate: `statement-fixed.csv (seal 3f9a 2c71) in place of statement.csv`."""
    sha = str(file["sha256"])
    return f"{file['name']} (seal {sha[:4]} {sha[4:8]}) in place of {file['in_place_of']}"


def unproven(signature: str) -> str:
    """What is said after a person's act that nothing proves to be theirs: ` (unverified)`, else nothing."""
    return " (unverified)" if signature == "unverified" else ""


def storable(text: str) -> str:
    """A text that every database and screen can hold: undecodable bytes of a file's name are spelled out."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def unspelled(text: str) -> str:
    """A path as it was before `storable`; no path of ours holds a backslash of its own."""
    return _SPELLED.sub(lambda found: chr(int(found[1], 16)), text) if "\\u" in text else text


INLINE_LIMIT = 64 * 1024  # bytes of text kept in a row; anything longer is a content-addressed blob
