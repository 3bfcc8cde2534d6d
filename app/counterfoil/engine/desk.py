"""The desk: the only thing a session can talk to. Everything a host says is judged here before any of it is written.

A host can lie about its own results and nothing else: it may record a pure step at a fresh identity, ask for an effect, a gate, a timer
or a look-up. What it may not do is refused as a breach, which ends the run's session without a trace in the records.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

from counterfoil.authoring.codec import blob_shas, digest
from counterfoil.engine import answers, failing, killpoints
from counterfoil.engine.desk_effects import EffectDesk
from counterfoil.engine.desk_failures import RETRY, FailureDesk, alarm, mismatch_spec, run_spec
from counterfoil.engine.desk_gates import GateDesk
from counterfoil.engine.ending import cancel_held, finish, suspend
from counterfoil.engine.holding import RUN_ITSELF, Breach, Hold, Identity, Over
from counterfoil.engine.ports import EffectTrouble
from counterfoil.engine.uploads import Uploads
from counterfoil.facts import AttemptState, FailureClass, GateState, Outcome, RunState, Slot, StepKind, person, storable
from counterfoil.store import gates, records, timers
from counterfoil.store.runs import Stale
from counterfoil.store.transactions import Txn

Reply = tuple[dict[str, Any], bytes]
_PATH = re.compile(r"(\d{1,6}/\d{1,6}(/\d{1,6}/\d{1,6}){0,30})?\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
CLOSE: Reply = ({"k": "close"}, b"")
IN_FLIGHT = 64  # unanswered frames per host


class Desk:
    """One claimed run's desk."""

    def __init__(self, hold: Hold) -> None:
        self.hold = hold
        self._gates = GateDesk(hold)
        self._failures = FailureDesk(hold, self._gates)
        self._effects = EffectDesk(hold, self._gates, self._failures)
        self._uploads = Uploads(hold)
        self._sent = 0
        self._idle_at = -1
        self._in_flight = 0
        self._settling = False
        self._polling = 0  # an answer that is being taken up wakes a branch, so the run must not be suspended meanwhile
        hold.on_park = self._settle_soon
        self._deadlines: dict[Identity, asyncio.TimerHandle] = {}
        self._calls: dict[str, Callable[[dict[str, Any], bytes], Awaitable[Reply]]] = {
            "step": self._on_step,
            "attempt": self._on_attempt,
            "resume": self._on_resume,
            "effect": self._on_effect,
            "perform": self._on_perform,
            "gate": self._on_gate,
            "timer": self._on_timer,
            "lookup": self._on_lookup,
            "race": self._on_race,
            "put": self._uploads.put,
            "fetch": self._uploads.fetch,
            "done": self._on_done,
            "fail": self._on_fail,
        }
        self._tells: dict[str, Callable[[dict[str, Any]], None]] = {
            "idle": self._on_idle,
            "say": self._on_say,
            "begin": self._on_begin,
        }

    # ------------------------------------------------------------------------------------------------------- dispatch

    async def handle(self, frame: dict[str, Any], tail: bytes) -> Reply | None:
        """Judge one frame and do what it asks; the reply, or None for a frame that has none."""
        kind = frame.get("t")
        if not isinstance(kind, str):
            return self._breach("a frame without a kind")
        if kind in self._tells:
            try:
                self._tells[kind](frame)
            except (KeyError, TypeError, ValueError) as problem:
                return self._breach(f"a {kind} frame of another shape: {problem}")
            return None
        if kind not in self._calls or self._in_flight >= IN_FLIGHT:
            return self._breach(f"an unknown frame, or more than {IN_FLIGHT} unanswered")
        self._in_flight += 1
        try:
            reply = await self._guarded(kind, frame, tail)
        finally:
            self._in_flight -= 1
        self._sent += 1
        return reply

    async def _guarded(self, kind: str, frame: dict[str, Any], tail: bytes) -> Reply:
        try:
            return await self._calls[kind](frame, tail)
        except Over:
            return CLOSE
        except Stale as stale:
            self.hold.breach = str(stale)
            self.hold.end(RunState.RUNNING)
            return CLOSE
        except Breach as breach:
            return self._breach(str(breach))
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as problem:
            return self._breach(f"a {kind} frame of another shape: {type(problem).__name__}: {problem}")

    def refuse(self, what: str) -> None:
        """The peer sent what is no frame at all."""
        self._breach(what)

    def _breach(self, what: str) -> Reply:
        if not self.hold.over.is_set():
            self.hold.breach = what
            self.hold.end(RunState.RUNNING)
        return CLOSE

    def _identity(self, frame: dict[str, Any], *, fresh: bool = True) -> Identity:
        path, ordinal = frame["p"], frame["o"]
        if not isinstance(path, str) or not _PATH.match(path) or type(ordinal) is not int or not 0 <= ordinal < 10**6:
            raise Breach("an identity off the grammar")
        identity = (path, ordinal)
        if fresh and identity in self.hold.known:
            raise Breach(f"{path}#{ordinal} is recorded already")
        return identity

    @staticmethod
    def _name(frame: dict[str, Any]) -> tuple[str, str]:
        name, args_digest = frame["n"], frame["d"]
        if not isinstance(name, str) or not name.isidentifier() or len(name) > 200:
            raise Breach("a name that is no identifier")
        if not isinstance(args_digest, str) or not _DIGEST.match(args_digest):
            raise Breach("a digest that is none")
        return name, args_digest

    def _pure(self, frame: dict[str, Any]) -> Identity:
        """An identity at which a pure step may stand: nothing is intended or asked there."""
        identity = self._identity(frame)
        if identity in self.hold.intended or identity in self.hold.gated:
            raise Breach(f"{identity[0]}#{identity[1]} belongs to an effect or a gate")
        return identity

    # ---------------------------------------------------------------------------------------------------------- steps

    async def _on_step(self, frame: dict[str, Any], _: bytes) -> Reply:
        identity = self._pure(frame)
        name, args_digest = self._name(frame)
        text, in_blob = self._uploads.value(frame)
        say, took = frame.get("say"), frame["took"]
        if not isinstance(took, int) or not (say is None or isinstance(say, str)):
            raise Breach("a step whose parts are of another type")
        self.hold.known.add(identity)
        self._cancel_deadline(identity)
        given = bool(frame.get("given"))

        def operation(txn: Txn) -> int:
            tries = len(records.attempts_of(txn.conn, self.hold.run_id, *identity)) if identity in self._tried else 0
            new = records.NewRecord(
                run_id=self.hold.run_id,
                path=identity[0],
                ordinal=identity[1],
                kind=StepKind.STEP,
                name=name,
                args_digest=args_digest,
                outcome=Outcome.OK,
                payload=text,
                payload_blob=in_blob,
                summary=storable(say[:300]) if say else None,
                started_at=txn.now_us - min(max(took, 0), 86_400_000_000),
                attempts=tries + 1,
                origin=self._given_by(txn, identity) if given else None,
            )
            records.append(txn, new)
            return txn.now_us

        at = await self.hold.do(operation)
        killpoints.reach("after_record")
        return {"k": "ok", "at": at}, b""

    @property
    def _tried(self) -> set[Identity]:
        return self.hold.tried

    def _given_by(self, txn: Txn, identity: Identity) -> str:
        """Who gave a value in place of a step's own; a host cannot claim one that nobody gave."""
        gate = gates.newest(txn.conn, self.hold.run_id, *identity, Slot.FAILURE)
        decided = gates.decisions(txn.conn, gate["gate_id"]) if gate is not None else []
        if not decided or json.loads(decided[-1]["answers"]).get("choice") != "skip":
            raise Breach("a given value that nobody gave")
        return f"given by {person(decided[-1]['principal'])}"

    async def _on_attempt(self, frame: dict[str, Any], _: bytes) -> Reply:
        identity = self._pure(frame)
        name, args_digest = self._name(frame)
        error, retries = frame["error"], frame["retries"]
        if not isinstance(error["message"], str) or not isinstance(retries, int):
            raise Breach("an attempt whose parts are of another type")
        return await self._failed(identity, name, args_digest, error, retries, raises=frame.get("raise") is True)

    async def _failed(
        self, identity: Identity, name: str, args_digest: str, error: dict[str, Any], retries: int, *, raises: bool
    ) -> Reply:
        hold = self.hold
        self._cancel_deadline(identity)
        failure = failing.classify(error)
        hold.tried.add(identity)

        def operation(txn: Txn) -> tuple[int, int | None]:
            tries = len(records.attempts_of(txn.conn, hold.run_id, *identity)) + 1
            again = failing.may_retry(failure, tries, retries)
            next_at = txn.now_us + failing.wait_us(tries, f"{hold.run_id}{identity}") if again else None
            records.note_attempt(
                txn,
                hold.run_id,
                *identity,
                kind=StepKind.STEP,
                name=name,
                state=AttemptState.FAILED,
                failure_class=failure,
                message=error["message"][:2000],
                detail=str(error.get("traceback", ""))[:8000],
                next_at=next_at,
            )
            if next_at is not None:
                timers.set_timer(txn, hold.run_id, *identity, RETRY, next_at)
            elif raises:
                self._record_failure(txn, identity, name, args_digest, error, tries)
            return tries, next_at

        tries, next_at = await hold.do(operation)
        if next_at is not None:
            await self._failures.until_due(identity, next_at, hold.park)
            return {"k": "again"}, b""
        if raises:
            hold.known.add(identity)
            return {"k": "failed", "message": error["message"], "at": hold.powers.clock.now_us()}, b""
        answer = await self._failures.ask(identity, name, error, tries, park=hold.park)
        return self._by_choice(answer)

    def _record_failure(
        self, txn: Txn, identity: Identity, name: str, args_digest: str, error: dict[str, Any], tries: int
    ) -> None:
        payload = json.dumps({"message": f"{name}: {error['message'][:2000]}"}, ensure_ascii=False)
        records.append(
            txn,
            records.NewRecord(
                run_id=self.hold.run_id,
                path=identity[0],
                ordinal=identity[1],
                kind=StepKind.STEP,
                name=name,
                args_digest=args_digest,
                outcome=Outcome.FAILED,
                payload=payload,
                attempts=tries,
            ),
        )

    @staticmethod
    def _by_choice(answer: dict[str, Any]) -> Reply:
        if answer["answers"].get("choice") == "skip":
            given = answer["answers"].get("result")
            text = given if isinstance(given, str) else json.dumps(given)
            return {"k": "value", "r": text}, b""
        return {"k": "again"}, b""

    async def _on_resume(self, frame: dict[str, Any], _: bytes) -> Reply:
        """A step that failed before the session began: wait for its timer or its gate before it is tried again."""
        identity = self._pure(frame)
        name, _args = self._name(frame)
        hold = self.hold
        with hold.powers.database.connect() as conn:
            timer = timers.get(conn, hold.run_id, *identity, RETRY)
            gate = gates.newest(conn, hold.run_id, *identity, Slot.FAILURE)
        if gate is not None and gate["taken_at"] is None and gate["state"] in (GateState.OPEN, GateState.DECIDED):
            return self._by_choice(await self._failures.decided(identity, name, hold.park))
        if timer is not None and timer["state"] == "pending":
            await self._failures.until_due(identity, timer["due_at"], hold.park)
        return {"k": "again"}, b""

    # ---------------------------------------------------------------------------------------- effects, gates, waiting

    async def _on_effect(self, frame: dict[str, Any], _: bytes) -> Reply:
        replies = await self._perform([(self._identity(frame), frame)])
        return replies[0], b""

    async def _on_perform(self, frame: dict[str, Any], _: bytes) -> Reply:
        items = frame["items"]
        if not isinstance(items, list) or len(items) > 10_000:
            raise Breach("a plan that is no list")
        asked = [(self._identity({"p": frame["p"], "o": item["o"]}), item) for item in items]
        return {"k": "ok", "items": await self._perform(asked)}, b""

    async def _perform(self, items: list[tuple[Identity, dict[str, Any]]]) -> list[dict[str, Any]]:
        asked = [self._effects.asked(identity, self._uploads.text(item), item["seal"]) for identity, item in items]
        self.hold.busy += 1
        try:
            return await self._effects.perform(asked)
        finally:
            self.hold.busy -= 1
            self._settle_soon()

    async def _on_gate(self, frame: dict[str, Any], _: bytes) -> Reply:
        identity = self._pure_or_gate(frame)
        name, _shape = self._name(frame)
        text = self._uploads.text(frame)
        while True:
            try:
                return await self._gates.ask(identity, name, text), b""
            except EffectTrouble as trouble:  # the plan cannot be shown as the folder is now
                error = {"type": "EffectTrouble", "message": str(trouble), "traceback": ""}
                park = self.hold.park
                await self._failures.ask(identity, name, error, 1, park=park, is_effect=True, can_skip=False)

    def _pure_or_gate(self, frame: dict[str, Any]) -> Identity:
        identity = self._identity(frame)
        if identity in self.hold.intended:
            raise Breach(f"{identity[0]}#{identity[1]} belongs to an effect")
        return identity

    async def _on_timer(self, frame: dict[str, Any], _: bytes) -> Reply:
        identity = self._pure_or_gate(frame)
        wait_us, until = frame["for"], frame["until"]
        if not (isinstance(wait_us, int) and wait_us >= 0 and until is None) and not (
            wait_us is None and isinstance(until, int)
        ):
            raise Breach("a timer of no timer's shape")
        hold = self.hold
        args = digest(json.dumps([wait_us, until], separators=(",", ":")))

        def operation(txn: Txn) -> int:
            due = until if until is not None else txn.now_us + (wait_us or 0)
            return timers.set_timer(txn, hold.run_id, *identity, "sleep", due, args)

        due = await hold.do(operation)
        hold.gated.add(identity)
        while True:
            if hold.powers.clock.now_us() >= due:
                await self.poll()
            else:
                alarm(hold, identity, "sleep", due)
            with hold.powers.database.connect() as conn:
                row = records.get(conn, hold.run_id, *identity)
            if row is not None:
                hold.known.add(identity)
                return {"k": "ok", "at": row["committed_at"]}, b""
            await hold.park(identity, "sleep")

    async def _on_lookup(self, frame: dict[str, Any], _: bytes) -> Reply:
        identity = self._pure(frame)
        name, args_digest = self._name(frame)
        keys = json.loads(self._uploads.text(frame))
        if name != "claims" or not all(isinstance(key, str) for key in keys):
            raise Breach("a look-up that nobody offers")
        hold = self.hold
        hold.known.add(identity)

        def operation(txn: Txn) -> tuple[str, int]:
            found: dict[str, str] = {}
            for row in gates.rivals(txn.conn, hold.workspace, keys, hold.run_id, held_only=False):
                state = "approved" if row["held"] else f"waiting at g-{row['gate_number']}"
                found.setdefault(row["key"], f"already in run {row['run_number']}, {state}")
            text = json.dumps(found, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
            kept, in_blob = hold.powers.blobs.keep_text(text)
            records.append(
                txn,
                records.NewRecord(
                    run_id=hold.run_id,
                    path=identity[0],
                    ordinal=identity[1],
                    kind=StepKind.LOOKUP,
                    name=name,
                    args_digest=args_digest,
                    outcome=Outcome.OK,
                    payload=kept,
                    payload_blob=in_blob,
                    summary=f"{len(found)} of {len(keys)} held elsewhere",
                ),
            )
            return text, txn.now_us

        text, at = await hold.do(operation)
        return {"k": "ok", "r": text, "at": at}, b""

    async def _on_race(self, frame: dict[str, Any], _: bytes) -> Reply:
        identity = self._pure(frame)
        winner, of, args_digest = frame["winner"], frame["of"], frame["d"]
        if (
            type(winner) is not int
            or type(of) is not int
            or not 0 <= winner < of <= 10_000
            or not _DIGEST.match(args_digest)
        ):
            raise Breach("a race of no race's shape")
        hold = self.hold
        hold.known.add(identity)
        prefix = f"{identity[0]}/" if identity[0] else ""
        losers = [f"{prefix}{identity[1]}/{index}" for index in range(of) if index != winner]

        def operation(txn: Txn) -> int:
            for path in losers:
                gates.withdraw_below(txn, hold.run_id, path, "Another branch was first")
                timers.cancel_below(txn, hold.run_id, path)
            new = records.NewRecord(
                hold.run_id,
                *identity,
                StepKind.RACE,
                "first",
                args_digest,
                Outcome.OK,
                str(winner),
                summary=f"branch {winner} was first",
            )
            records.append(txn, new)
            return txn.now_us

        return {"k": "ok", "at": await hold.do(operation)}, b""

    # --------------------------------------------------------------------------------------------------- idle and over

    def _on_idle(self, frame: dict[str, Any]) -> None:
        self._idle_at = int(frame["seen"])
        self._settle_soon()

    def _all_wait(self) -> bool:
        """Whether the session is idle, has received all that was sent, and every frame it has in flight is parked."""
        hold = self.hold
        if hold.busy or self._polling or hold.over.is_set():
            return False
        parked = sum(1 for future in hold.parked.values() if not future.done())
        return self._idle_at == self._sent and self._in_flight == parked

    def _settle_soon(self) -> None:
        if self._all_wait() and not self._settling:
            self._settling = True
            self.hold.spawn(self._settle())

    async def _settle(self) -> None:
        """Suspend the run if its session has received all that was sent, nothing is in progress, and no answer is there."""
        try:
            if not self._all_wait():
                return
            hold = self.hold

            def operation(txn: Txn) -> list[answers.Answered]:
                over = answers.take(txn, hold.powers.blobs, hold.run_id)
                if not over:
                    suspend(txn, hold.run_id)
                return over

            over = await hold.do(operation)
            if over:
                self._wake(over)
            else:
                hold.suspended.set()
        except (Over, Stale):
            self.hold.end(RunState.RUNNING)
        finally:
            self._settling = False

    async def poll(self) -> None:
        """Something may have changed: take up answers and due timers, and a wish to cancel."""
        hold = self.hold
        if hold.over.is_set():
            return
        self._polling += 1
        try:
            over = await hold.do(lambda txn: answers.take(txn, hold.powers.blobs, hold.run_id))
            self._wake(over)
            await cancel_held(hold)
        except (Over, Stale):
            hold.end(RunState.RUNNING)
        finally:
            self._polling -= 1
        self._settle_soon()

    def _wake(self, over: list[answers.Answered]) -> None:
        for answered in over:
            self.hold.wake((answered.path, answered.ordinal), answered.slot)

    def resumed(self) -> None:
        """A lingering hold was claimed again under a new fence."""
        self._idle_at = -1
        self.hold.suspended.clear()

    def _on_say(self, frame: dict[str, Any]) -> None:
        text = storable(str(frame["text"])[:300])
        self.hold.say(text)

    def _on_begin(self, frame: dict[str, Any]) -> None:
        """A step with a timeout starts: the deadline is the runner's, since a stuck host cannot keep it."""
        identity = self._identity(frame)
        name, args_digest = self._name(frame)
        seconds = float(frame["for"])
        if not 0 < seconds <= 7 * 86_400:
            raise Breach("a timeout of no sense")
        loop = asyncio.get_running_loop()
        self._cancel_deadline(identity)
        self._deadlines[identity] = loop.call_later(seconds, self._too_long, identity, name, args_digest, seconds)

    def _cancel_deadline(self, identity: Identity) -> None:
        handle = self._deadlines.pop(identity, None)
        if handle is not None:
            handle.cancel()

    def _too_long(self, identity: Identity, name: str, args_digest: str, seconds: float) -> None:
        self._deadlines.pop(identity, None)
        if not self.hold.over.is_set():
            self.hold.spawn(self._timed_out(identity, name, seconds))

    async def _timed_out(self, identity: Identity, name: str, seconds: float) -> None:
        """Commit the attempt, then let the host be killed; replay tries the step again when its timer is due."""
        hold = self.hold
        message = f"{name} took longer than {seconds:g} s and was stopped"

        def operation(txn: Txn) -> None:
            tries = len(records.attempts_of(txn.conn, hold.run_id, *identity)) + 1
            next_at = txn.now_us + failing.wait_us(tries, f"{hold.run_id}{identity}")
            records.note_attempt(
                txn, hold.run_id, *identity, kind=StepKind.STEP, name=name, state=AttemptState.FAILED,
                failure_class=FailureClass.TRANSIENT, message=message, next_at=next_at,
            )  # fmt: skip
            if tries >= failing.UNKNOWN_TRIES:
                hold.timed_out = (identity, name, message, tries)
            else:
                timers.set_timer(txn, hold.run_id, *identity, RETRY, next_at)

        await hold.do(operation)
        hold.end(RunState.READY)

    async def _on_done(self, frame: dict[str, Any], _: bytes) -> Reply:
        text, in_blob = self._uploads.value(frame)
        await finish(self.hold, text, in_blob)
        return CLOSE

    async def _on_fail(self, frame: dict[str, Any], _: bytes) -> Reply:
        error = {key: str(frame["error"].get(key) or "") for key in ("type", "message", "traceback")}
        if frame["kind"] == "mismatch":
            identity = self._identity(frame, fresh=False)
            both = {key: str(frame[key])[:300] for key in ("recorded", "asked")}
            can_keep = both["recorded"].split(" ")[0] == both["asked"].split(" ")[0] and identity in self.hold.known
            spec = mismatch_spec({**both, "error": error}, can_keep=can_keep)
            await self._failures.set_aside(identity, spec, digest(json.dumps([both, error["message"]])))
        title = f"Needs repair: {error['type']} in the workflow"
        await self._failures.set_aside(RUN_ITSELF, run_spec("failed", title, error), digest(json.dumps(error)))
        return CLOSE


def names_in(text: str) -> list[str]:
    """Blob digests that a recorded text names."""
    return blob_shas(json.loads(text)) if '"$blob"' in text else []
