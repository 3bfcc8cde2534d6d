"""Pure steps at the desk: a result is recorded once, a failed try gets its row, and how long a try may take is the runner's to say."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.codec import canonical
from counterfoil.engine import failing, given_files, killpoints, staging, tainting
from counterfoil.engine.desk_failures import (
    RETRY,
    FailureDesk,
    choice_of,
    given_texts,
    open_failure,
    set_retry,
)
from counterfoil.engine.desk_gates import Answer, answer_of
from counterfoil.engine.holding import Breach, Hold, Identity
from counterfoil.engine.shapes import error_in, identity_in, line, name_in, seconds, truth, whole
from counterfoil.engine.silence import USUAL
from counterfoil.engine.stage_ports import TooMuchWritten
from counterfoil.engine.uploads import Uploads
from counterfoil.facts import AttemptState, FailureClass, GateState, Outcome, RunState, Slot, StepKind, person
from counterfoil.store import gates, records, timers
from counterfoil.store.transactions import Txn

Frame = dict[str, Any]
Reply = tuple[dict[str, Any], bytes]
LONGEST_TRY_US = 86_400_000_000  # what a session may claim that a try has taken
MOST_DEADLINES = 10_000


@dataclass(frozen=True, slots=True)
class Try:
    """One try of a step that has failed. `retries` and `raises` are the author's wish."""

    identity: Identity
    name: str
    args_digest: str
    error: dict[str, Any]
    retries: int
    raises: bool
    kind: StepKind = StepKind.STEP


class StepDesk:
    """Records what a session has worked out."""

    def __init__(self, hold: Hold, failures: FailureDesk, uploads: Uploads) -> None:
        self._hold = hold
        self._failures = failures
        self._uploads = uploads
        self._deadlines: dict[Identity, asyncio.TimerHandle] = {}

    def pure(self, frame: Frame) -> Identity:
        """An identity at which a pure step may stand: nothing is recorded, intended or asked there."""
        identity = identity_in(frame)
        if identity in self._hold.known:
            raise Breach(f"{identity[0]}#{identity[1]} is recorded already")
        if identity in self._hold.intended or identity in self._hold.gated:
            raise Breach(f"{identity[0]}#{identity[1]} belongs to an effect or a gate")
        return identity

    # --------------------------------------------------------------------------------------------------------- results

    async def step(self, frame: Frame, _: bytes) -> Reply:
        """Record a result."""
        identity = self.pure(frame)
        name, args_digest = name_in(frame)
        kind = _kind(frame)
        say, took = frame.get("say"), whole(frame["took"], "a duration")
        given = truth(frame.get("given", False), "a given")
        if say is not None and not isinstance(say, str):
            raise Breach("a line of progress that is no text")
        read = tainting.checked(frame.get("read"))
        self._hold.hearing.end(identity)
        text, in_blob = await self._uploads.value(frame)
        try:
            changes = await staging.collect(self._hold, frame)
        except TooMuchWritten as problem:
            return self._refused(identity, str(problem))
        self._hold.known.add(identity)
        self._forget_deadline(identity)

        def operation(txn: Txn) -> int:
            tried = identity in self._hold.tried
            origin = given_files.origin(txn.conn, self._hold, identity) if tried else None
            if given:
                origin = self._take_given(txn, identity, text)
            tries = len(records.attempts_of(txn.conn, self._hold.run_id, *identity)) if tried else 0
            new = records.NewRecord(
                run_id=self._hold.run_id,
                path=identity[0],
                ordinal=identity[1],
                kind=kind,
                name=name,
                args_digest=args_digest,
                outcome=Outcome.OK,
                payload=text,
                payload_blob=in_blob,
                summary=line(say, 300) if say else None,
                started_at=txn.now_us - min(took, LONGEST_TRY_US),
                attempts=tries + 1,
                origin=origin,
            )
            records.append(txn, new)
            staging.keep(txn, self._hold, identity, changes)
            tainting.note_read(txn, self._hold, read)
            return txn.now_us

        try:
            at = await self._hold.do(operation)
        except staging.Clash as problem:
            return self._refused(identity, str(problem))
        killpoints.reach("after_record")
        if changes:
            await staging.merge(self._hold)
        return {"k": "ok", "at": at}, b""

    def _refused(self, identity: Identity, message: str) -> Reply:
        """A result that is not recorded because of what the step has written; the session reports a failed try."""
        self._hold.known.discard(identity)
        return {"k": "refused", "message": message}, b""

    def _take_given(self, txn: Txn, identity: Identity, text: str) -> str:
        """Who gave this value in place of a step's own; a host cannot claim one that nobody gave."""
        answer = answer_of(txn, self._hold, identity, Slot.FAILURE)
        if answer is None or choice_of(answer) != "skip" or text not in given_texts(answer):
            raise Breach("a given value that nobody gave")
        gates.take(txn, answer["gate_id"])
        return f"given by {person(answer['by'])}"

    # -------------------------------------------------------------------------------------------------------- failures

    async def attempt(self, frame: Frame, _: bytes) -> Reply:
        """A try has failed: again after a while, recorded as a failure, or put before a person."""
        identity = self.pure(frame)
        name, args_digest = name_in(frame)
        failed = Try(identity, name, args_digest, error_in(frame), *_wishes(frame), _kind(frame))
        self._forget_deadline(identity)
        self._hold.hearing.end(identity)
        read = tainting.checked(frame.get("read"))
        files = await given_files.offered(self._hold, given_files.checked(frame.get("opened")))
        word, at = await self._hold.do(lambda txn: self._note(txn, failed, read, files))
        killpoints.reach("after_gate" if word == "ask" else "after_record")
        if word == "failed":
            self._hold.known.add(identity)
            return {"k": "failed", "message": self._message(failed), "at": at}, b""
        if word == "ask":
            return await self._answered(identity, name)
        return await self._when_due(identity, at)

    def _note(self, txn: Txn, failed: Try, read: Sequence[str] = (), files: Sequence[str] = ()) -> tuple[str, int]:
        """Write the try and what follows from it: a timer, a record, or a gate. What follows, and the instant that goes with it."""
        hold, identity = self._hold, failed.identity
        tainting.note_read(txn, hold, read)
        hold.tried.add(identity)
        answer = answer_of(txn, hold, identity, Slot.FAILURE)
        if answer is not None:  # the value that was given did not fit
            gates.take(txn, answer["gate_id"])
        failure = failing.classify(failed.error)
        before = records.attempts_of(txn.conn, hold.run_id, *identity)
        tries = sum(row["failure_class"] != FailureClass.RESTARTED for row in before) + 1
        again = failing.may_retry(failure, tries, failed.retries)
        next_at = txn.now_us + failing.wait_us(tries, f"{hold.run_id}{identity}") if again else None
        records.note_attempt(
            txn,
            hold.run_id,
            *identity,
            kind=failed.kind,
            name=failed.name,
            state=AttemptState.FAILED,
            failure_class=failure,
            message=failed.error["message"],
            detail=failed.error["traceback"],
            next_at=next_at,
        )
        if next_at is not None:
            return "again", set_retry(txn, hold, identity, next_at)
        if failed.raises:
            self._record_failure(txn, failed, tries)
            return "failed", txn.now_us
        open_failure(txn, hold, identity, failed.name, failed.error, tries, files=files)
        return "ask", txn.now_us

    @staticmethod
    def _message(failed: Try) -> str:
        return f"{failed.name}: {failed.error['message']}"

    def _record_failure(self, txn: Txn, failed: Try, tries: int) -> None:
        new = records.NewRecord(
            run_id=self._hold.run_id,
            path=failed.identity[0],
            ordinal=failed.identity[1],
            kind=failed.kind,
            name=failed.name,
            args_digest=failed.args_digest,
            outcome=Outcome.FAILED,
            payload=canonical({"message": self._message(failed)}),
            attempts=tries,
        )
        records.append(txn, new)

    async def _answered(self, identity: Identity, name: str) -> Reply:
        answer: Answer = await self._failures.answer(identity, name)
        if choice_of(answer) == "skip":
            return {"k": "value", "r": given_texts(answer)}, b""
        return {"k": "again"}, b""

    async def _when_due(self, identity: Identity, due_us: int) -> Reply:
        hold = self._hold
        await self._failures.until_due(identity, due_us)
        await hold.do(lambda txn: timers.reset(txn, hold.run_id, *identity, RETRY), durable=False)
        return {"k": "again"}, b""

    async def resume(self, frame: Frame, _: bytes) -> Reply:
        """A step that failed before the session began: wait for its timer or its gate before it is tried again."""
        identity = self.pure(frame)
        name, _digest = name_in(frame)
        conn = self._hold.powers.database.reader
        gate = gates.newest(conn, self._hold.run_id, *identity, Slot.FAILURE)
        if gate is not None and gate["taken_at"] is None and gate["state"] in (GateState.OPEN, GateState.DECIDED):
            return await self._answered(identity, name)
        timer = timers.get(conn, self._hold.run_id, *identity, RETRY)
        if timer is not None and timer["state"] == "pending":
            return await self._when_due(identity, timer["due_at"])
        return {"k": "again"}, b""

    # ------------------------------------------------------------------------------------------------------- deadlines

    def begin(self, frame: Frame) -> None:
        """A step starts: how long it may be silent, and its deadline if it has one, are kept here, since a stuck host cannot."""
        identity = self.pure(frame)
        name, args_digest = name_in(frame)
        limit = USUAL if frame["silent"] is None else seconds(frame["silent"])
        if len(self._hold.hearing.busy) >= MOST_DEADLINES:
            raise Breach("more steps at a time than a run may have")
        self._hold.hearing.begin(identity, name, _kind(frame), limit)
        if frame["for"] is None:
            return
        span = seconds(frame["for"])
        message = f"{name} took longer than {span:g} s and was stopped"
        error = {"type": "TimeoutError", "mro": ["TimeoutError"], "message": message, "errno": None, "traceback": ""}
        failed = Try(identity, name, args_digest, error, *_wishes(frame), _kind(frame))
        self._forget_deadline(identity)
        self._deadlines[identity] = asyncio.get_running_loop().call_later(span, self._too_long, failed)

    def _forget_deadline(self, identity: Identity) -> None:
        handle = self._deadlines.pop(identity, None)
        if handle is not None:
            handle.cancel()

    def _too_long(self, failed: Try) -> None:
        self._deadlines.pop(failed.identity, None)
        if not self._hold.over.is_set():
            self._hold.spawn(self._timed_out(failed))

    async def _timed_out(self, failed: Try) -> None:
        """Commit the try and let the host be killed; replay goes on from the rows."""
        hold = self._hold
        if failed.identity in hold.known:
            return
        await hold.do(lambda txn: self._note(txn, failed))
        await hold.quiet()
        hold.end(RunState.READY)


def _wishes(frame: Frame) -> tuple[int, bool]:
    """How often the author wants a step tried again, and whether a failure is to be raised; clamped when it is judged."""
    return whole(frame["retries"], "a number of retries", high=10**9), truth(frame["raise"], "a raise")


def _kind(frame: Frame) -> StepKind:
    """What the record of a step is about: a tool that an agent called has records of its own kind."""
    return StepKind.TOOL if truth(frame.get("tool", False), "a tool") else StepKind.STEP
