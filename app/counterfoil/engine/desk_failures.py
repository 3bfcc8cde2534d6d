"""Failures at the desk: tried again when that may help, else put before a person before any exception reaches the author.

An answer is taken up in the transaction that acts on it: “stop” with the run's end, “go on with this value” with its record. So a crash
between the two asks nobody again and forgets nothing.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.authoring.overlay import LONGEST_TOLD
from counterfoil.authoring.parameters import Field
from counterfoil.engine import ending, given_files, killpoints, staging
from counterfoil.engine.desk_gates import Answer, GateDesk, answer_of, blank_spec, open_in
from counterfoil.engine.holding import Hold, Identity, Over, close_run, note_end
from counterfoil.engine.shapes import line
from counterfoil.facts import GateKind, RunState, Slot, person
from counterfoil.store import gates, intents, records, runs, timers
from counterfoil.store.transactions import Row, Txn

RETRY = "retry"  # the kind of a timer between two tries
_EFFECTS = {  # whose own name says too little
    "call": "call a connector",
    "command": "run a command",
    "http": "send a request",
    "mail": "send a mail",
}
LONGEST_ALARM = 30.0  # seconds; rows, not memory, keep time


class FailureDesk:
    """Waits between tries, waits for “Needs repair” gates, and stops a run when a person says so."""

    def __init__(self, hold: Hold, gate_desk: GateDesk) -> None:
        self._hold = hold
        self._gates = gate_desk

    async def until_due(self, identity: Identity, due_us: int) -> None:
        """Wait for the retry timer that is set at an identity."""
        hold = self._hold
        while hold.powers.clock.now_us() < due_us:
            alarm(hold, identity, RETRY, due_us)
            await hold.park(identity, RETRY)

    async def answer(self, identity: Identity, name: str) -> Answer:
        """Wait for the decision on the failure gate that stands. “retry” is taken up here, “skip” by its record.

        Raises:
            Over: a person chose to stop the run.
        """
        hold = self._hold

        def look(txn: Txn) -> Answer | None:
            answer = answer_of(txn, hold, identity, Slot.FAILURE)
            if answer is not None and choice_of(answer) == "retry":
                gates.take(txn, answer["gate_id"])
                given_files.take(txn, hold, identity, answer)
            return answer

        while True:
            answer = await hold.do(look)
            if answer is not None:
                break
            await hold.park(identity, Slot.FAILURE)
        if choice_of(answer) == "stop":
            await self.stop(name, answer)
        if "file" in answer["answers"]:
            await staging.merge(hold)
        return answer

    async def ask(self, identity: Identity, name: str, problem: str, *, is_effect: bool = False) -> None:
        """Put before a person what cannot be done on the world as it is; not a try that has failed."""
        error = {"type": "EffectTrouble", "message": problem, "traceback": ""}
        title = title_of_step(self._hold.manifest, name)
        spec = failure_spec(name, error, 0, title=title, is_effect=is_effect, can_skip=is_effect)
        await self._gates.open(identity, Slot.FAILURE, spec, asked_digest=digest(canonical([problem, 0])))

    async def stop(self, name: str, answer: Answer) -> None:
        """End the run as failed because a person chose so, once no effect is in progress.

        Raises:
            Over: always.
        """
        hold = self._hold
        await hold.quiet()

        def operation(txn: Txn) -> None:
            gates.take(txn, answer["gate_id"])
            stop_run(txn, runs.get(txn.conn, hold.run_id), name, answer["by"], answer["comment"])

        await hold.do(operation)
        hold.end(RunState.FAILED)
        raise Over

    async def set_aside(self, identity: Identity, spec: dict[str, Any], asked: str) -> None:
        """Open a failure gate for what ended the session, and leave the run waiting for it once no effect is in progress.

        Raises:
            Over: always.
        """
        hold = self._hold
        await hold.quiet()

        def operation(txn: Txn) -> None:
            open_in(txn, hold, identity, Slot.FAILURE, spec, asked)
            ending.set_aside(txn, hold.powers.blobs, hold.run_id)

        await hold.do(operation)
        killpoints.reach("after_gate")
        hold.end(RunState.WAITING)
        raise Over


def choice_of(answer: Answer) -> str:
    """What a person chose on a failure or doubt gate."""
    return str(answer["answers"].get("choice"))


def given_texts(answer: Answer) -> list[str]:
    """The value that a person gave in place of a result, as canonical texts: read as JSON where it is some, and as mere words."""
    given = answer["answers"].get("result")
    if not isinstance(given, str):
        return [canonical(given)]
    try:
        read = canonical(json.loads(given))
    except ValueError:
        return [canonical(given)]
    return [read, canonical(given)]


def alarm(hold: Hold, identity: Identity, slot: str, due_us: int) -> None:
    """Wake a parked identity at its time; never more than 30 s ahead."""
    wait = min(max(due_us - hold.powers.clock.now_us(), 0) / 1_000_000, LONGEST_ALARM)
    asyncio.get_running_loop().call_later(wait, hold.wake, identity, slot)


def stop_run(txn: Txn, run: Row, name: str, by: str, comment: str) -> None:
    """End a run as failed, with the reason and what is in doubt."""
    error = {
        "kind": "stopped",
        "message": comment or f"{person(by)} stopped the run at {name}.",
        "step": name,
        "next": f"counterfoil show r-{run['number']}",
        "in_doubt": [{"effect": row["kind"], "key": row["key"]} for row in intents.open_ones(txn.conn, run["run_id"])],
    }
    if close_run(txn, run, RunState.FAILED, f"The run was stopped by {person(by)}", error=canonical(error)):
        head = records.head(txn.conn, run["run_id"])
        note_end(txn, run, by, "run_failed", f"Stopped run {run['number']} at {name}", head, {"error": error})


def set_retry(txn: Txn, hold: Hold, identity: Identity, due_us: int) -> int:
    """Set the retry timer of an identity; the instant."""
    return timers.set_timer(txn, hold.run_id, *identity, RETRY, due_us, anew=True)


def open_failure(
    txn: Txn,
    hold: Hold,
    identity: Identity,
    name: str,
    error: dict[str, Any],
    tries: int,
    *,
    is_effect: bool = False,
    files: Sequence[str] = (),
) -> None:
    """Open the “Needs repair” gate of a step or an effect, in the transaction that notes its last try; `files` are those that it has read
    and a person may replace."""
    asked = digest(canonical([error["type"], error["message"], tries]))
    title = title_of_step(hold.manifest, name)
    spec = failure_spec(name, error, tries, is_effect=is_effect, title=title, files=files)
    open_in(txn, hold, identity, Slot.FAILURE, spec, asked)


def title_of_step(manifest: dict[str, Any], name: str) -> str:
    """What the author calls a step, else its name in words."""
    titles = {step["name"]: step.get("title") for step in manifest.get("steps") or ()}
    bare = name.partition("@")[0]
    return str(titles.get(name) or _EFFECTS.get(bare) or bare.replace("_", " "))


def failure_fields(
    *, can_skip: bool = True, skip_label: str = "Go on with this value", files: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """The answer form of a failure gate."""
    choices = ["retry", "skip", "stop"] if can_skip else ["retry", "stop"]
    fields = [Field(name="choice", type="choice", label="What now?", choices=choices, required=True)]
    if can_skip:
        fields.append(Field(name="result", label=skip_label))
    if files:
        fields.append(Field(name="file", label="Try again with another file", help=f"PLACE, or {files[0]}=PLACE."))
    return [field.to_json() for field in fields]


def failure_spec(
    name: str,
    error: dict[str, Any],
    tries: int,
    *,
    title: str,
    is_effect: bool = False,
    can_skip: bool = True,
    files: Sequence[str] = (),
) -> dict[str, Any]:
    """The gate “Needs repair” of one step, called as its author calls it, and by the file that it could not read where that is known."""
    about = {
        "why": "failed",
        "step": name,
        "is_effect": is_effect,
        "error": {key: error.get(key) for key in ("type", "message", "traceback")},
        "attempts": tries,
        "files": list(files),
    }
    fields = failure_fields(can_skip=can_skip, files=files)
    return blank_spec(
        GateKind.FAILURE, f"Needs repair: {title}{_about_file(title, error, files)}", fields=fields, about=about
    )


def _about_file(title: str, error: dict[str, Any], files: Sequence[str]) -> str:
    """The file that the trouble is about, as the end of a title; "" where that is not known, or said."""
    named = [file for file in files if file in str(error.get("message"))]
    known = files if len(files) == 1 else named
    if len(known) != 1 or known[0] in title:
        return ""
    file = line(known[0], LONGEST_TOLD)
    return f" ({file})" if " " in title else f" {file}"


def mismatch_spec(recorded: str, asked: str, error: dict[str, Any], *, can_keep: bool) -> dict[str, Any]:
    """The gate that shows both sides of a replay that did not meet its records."""
    about = {
        "why": "mismatch",
        "step": asked,
        "recorded": recorded,
        "asked": asked,
        "error": {key: error.get(key) for key in ("type", "message", "traceback")},
        "attempts": 0,
    }
    title = f"Needs repair: the workflow asks for {asked} where {recorded} was kept"
    fields = failure_fields(can_skip=can_keep, skip_label="Keep what was recorded")
    return blank_spec(GateKind.FAILURE, title, fields=fields, about=about)


def run_spec(why: str, title: str, error: dict[str, Any], attempts: int = 0, how: str = "") -> dict[str, Any]:
    """The gate for what concerns the run as a whole: an uncaught exception, a breach, a run set aside; `how` it can go on."""
    told = {key: error.get(key) for key in ("type", "message", "traceback")}
    about = {"why": why, "step": None, "error": told, "attempts": attempts, **({"how": how} if how else {})}
    return blank_spec(GateKind.FAILURE, title, fields=failure_fields(can_skip=False), about=about)
