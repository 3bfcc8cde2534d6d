"""Failures at the desk: tried again when that may help, else put before a person before any exception reaches the author."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine.desk_gates import GateDesk, blank_spec, take_decided
from counterfoil.engine.holding import Hold, Identity, Over, close_run, note_end
from counterfoil.facts import GateKind, RunState, Slot, person
from counterfoil.store import gates, records, runs, timers
from counterfoil.store.transactions import Row, Txn

Park = Callable[[Identity, str], Awaitable[None]]
RETRY = "retry"  # the kind of a timer between two tries


class FailureDesk:
    """Waits between tries, opens “Needs repair” gates, and stops a run when a person says so."""

    def __init__(self, hold: Hold, gate_desk: GateDesk) -> None:
        self._hold = hold
        self._gates = gate_desk

    async def pause(self, identity: Identity, wait_us: int, park: Park) -> None:
        """Wait on a timer row until the next try."""
        hold = self._hold
        due = await hold.do(lambda txn: timers.set_timer(txn, hold.run_id, *identity, RETRY, txn.now_us + wait_us))
        await self.until_due(identity, due, park)

    async def until_due(self, identity: Identity, due_us: int, park: Park) -> None:
        """Wait for a retry timer that is set, then forget it so that the next try can set its own."""
        hold = self._hold
        while hold.powers.clock.now_us() < due_us:
            alarm(hold, identity, RETRY, due_us)
            await park(identity, RETRY)
        await hold.do(lambda txn: timers.reset(txn, hold.run_id, *identity, RETRY), durable=False)

    async def ask(
        self,
        identity: Identity,
        name: str,
        error: dict[str, Any],
        tries: int,
        *,
        park: Park,
        is_effect: bool = False,
        can_skip: bool = True,
    ) -> dict[str, Any]:
        """Open a failure gate and wait; the decision, unless it stops the run.

        Raises:
            Over: a person chose to stop the run.
        """
        spec = failure_spec(name, error, tries, is_effect=is_effect, can_skip=can_skip)
        asked = digest(canonical([error["type"], error["message"], tries]))
        await self._gates.open(identity, Slot.FAILURE, spec, asked_digest=asked)
        return await self.decided(identity, name, park)

    async def decided(self, identity: Identity, name: str, park: Park) -> dict[str, Any]:
        """Wait for the decision on a failure gate that stands."""
        hold = self._hold
        while True:
            answer = await hold.do(lambda txn: take_decided(txn, hold.run_id, identity, Slot.FAILURE))
            if answer is not None:
                break
            await park(identity, Slot.FAILURE)
        if answer["answers"].get("choice") == "stop":
            await self.stop(identity, name, answer["by"], answer["comment"])
        return answer

    async def stop(self, identity: Identity, name: str, by: str, comment: str) -> None:
        """End the run as failed because a person chose so.

        Raises:
            Over: always.
        """
        hold = self._hold
        await hold.do(lambda txn: stop_run(txn, runs.get(txn.conn, hold.run_id), name, by, comment))
        hold.end(RunState.FAILED)
        raise Over

    async def set_aside(self, identity: Identity, spec: dict[str, Any], asked: str) -> None:
        """Open a failure gate for what ended the session, and leave the run waiting for it.

        Raises:
            Over: always.
        """
        hold = self._hold
        await self._gates.open(identity, Slot.FAILURE, spec, asked_digest=asked)
        await hold.do(lambda txn: runs.move(txn, hold.run_id, RunState.WAITING, activity=None), durable=False)
        hold.end(RunState.WAITING)
        raise Over


def alarm(hold: Hold, identity: Identity, slot: str, due_us: int) -> None:
    """Wake a parked identity at its time; never more than 30 s ahead, since rows, not memory, keep time."""
    wait = min(max(due_us - hold.powers.clock.now_us(), 0) / 1_000_000, 30.0)
    asyncio.get_running_loop().call_later(wait, _ring, hold, identity, slot)


def _ring(hold: Hold, identity: Identity, slot: str) -> None:
    """A suspended run is not ours to move: the sweep finds its timer."""
    if not hold.suspended.is_set():
        hold.wake(identity, slot)


def stop_run(txn: Txn, run: Row, name: str, by: str, comment: str) -> None:
    """End a run as failed, with the reason; the answered gate that says so is taken up."""
    for row in gates.answered(txn.conn, run["run_id"], txn.now_us):
        gates.take(txn, row["gate_id"])
    error = {
        "kind": "stopped",
        "message": comment or f"{person(by)} stopped the run at {name}.",
        "step": name,
        "next": f"counterfoil show r-{run['number']}",
    }
    if close_run(txn, run, RunState.FAILED, f"The run was stopped by {person(by)}", error=canonical(error)):
        head = records.head(txn.conn, run["run_id"])
        note_end(txn, run, by, "run_failed", f"Stopped run {run['number']} at {name}", head, {"error": error})


def failure_fields(*, can_skip: bool = True, skip_label: str = "Go on with this value") -> list[dict[str, Any]]:
    """The answer form of a failure gate."""
    choices = ["retry", "skip", "stop"] if can_skip else ["retry", "stop"]
    blank = {"help": "", "default": None, "remember": False, "remakes": False}
    fields = [{**blank, "name": "choice", "type": "choice", "label": "What now?", "choices": choices, "required": True}]
    if can_skip:
        fields.append(
            {**blank, "name": "result", "type": "text", "label": skip_label, "choices": None, "required": False}
        )
    return fields


def failure_spec(
    name: str, error: dict[str, Any], tries: int, *, is_effect: bool = False, can_skip: bool = True
) -> dict[str, Any]:
    """The gate “Needs repair” of one step."""
    title = f"Needs repair: {name.replace('_', ' ')}"
    about = {
        "why": "failed",
        "step": name,
        "is_effect": is_effect,
        "error": {key: error.get(key) for key in ("type", "message", "traceback")},
        "attempts": tries,
    }
    return blank_spec(GateKind.FAILURE, title, fields=failure_fields(can_skip=can_skip), about=about)


def mismatch_spec(frame: dict[str, Any], *, can_keep: bool) -> dict[str, Any]:
    """The gate that shows both sides of a replay that did not meet its records."""
    about = {
        "why": "mismatch",
        "step": frame["asked"],
        "recorded": frame["recorded"],
        "asked": frame["asked"],
        "error": frame["error"],
        "attempts": 0,
    }
    title = f"Needs repair: the workflow asks for {frame['asked']} where {frame['recorded']} was kept"
    return blank_spec(
        GateKind.FAILURE,
        title,
        fields=failure_fields(can_skip=can_keep, skip_label="Keep what was recorded"),
        about=about,
    )


def run_spec(why: str, title: str, error: dict[str, Any], attempts: int = 0) -> dict[str, Any]:
    """The gate for what concerns the run as a whole: an uncaught exception, a breach, a run set aside."""
    about = {"why": why, "step": None, "error": error, "attempts": attempts}
    return blank_spec(GateKind.FAILURE, title, fields=failure_fields(can_skip=False), about=about)
