"""What a desk does next with an effect or a call of an llm, as one look at the rows has judged, and the part of it that is waiting."""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.engine.desk_failures import FailureDesk
from counterfoil.engine.desk_gates import Answer
from counterfoil.engine.holding import Hold, Identity


@dataclass(frozen=True, slots=True)
class Move:
    """The next move.

    `recorded` nothing; `go` perform, or ask the llm; `ask` open the gate of an effect; `doubt` find out about it; `wait` for the gate of
    `slot`; `pause` until `due_us`; `stop` the run, as `answer` says.
    """

    word: str
    slot: str = ""
    due_us: int = 0
    answer: Answer | None = None


RECORDED, GO = Move("recorded"), Move("go")


async def keep_still(hold: Hold, failures: FailureDesk, identity: Identity, name: str, move: Move) -> None:
    """What is not progress: a person or a timer is waited for, or the run is stopped at `name`."""
    if move.word == "wait":
        await hold.park(identity, move.slot)
    elif move.word == "pause":
        await failures.until_due(identity, move.due_us)
    elif move.answer is not None:
        await failures.stop(name, move.answer)
