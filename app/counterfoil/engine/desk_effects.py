"""Effects at the desk: judged, intended, performed, recorded; and when nobody knows how one ended, never guessed.

Authority is never position. An effect is performed only if policy allows it without asking, or an approved item (this run's gate, item
number) has exactly this digest and is unspent. Judging, spending and the intent are one transaction; the outcome is another, and in
a plan the outcome of one shares its transaction with the intent of the next.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine import file_sets, killpoints
from counterfoil.engine.desk_failures import FailureDesk
from counterfoil.engine.desk_gates import GateDesk, blank_spec, entry_json, take_decided
from counterfoil.engine.failing import EFFECT_TRIES, wait_us
from counterfoil.engine.holding import Breach, Hold, Identity, Over
from counterfoil.engine.ports import BadEffect, Conflict, EffectTrouble, Finding, OutcomeUnknown, Permission
from counterfoil.facts import (
    AttemptState,
    DoubtPolicy,
    FailureClass,
    GateKind,
    GateState,
    Outcome,
    Slot,
    StepKind,
    person,
)
from counterfoil.store import gates, intents, records, trail_rows
from counterfoil.store.transactions import Row, Txn


@dataclass(frozen=True, slots=True)
class Asked:
    """One effect that a session awaits. `seal` is the gate's identity and the item's number, as claimed by the session."""

    identity: Identity
    body: dict[str, Any]
    text: str
    digest: str
    key: str
    seal: tuple[str, int, int] | None

    @property
    def kind(self) -> str:
        return str(self.body["kind"])


@dataclass(frozen=True, slots=True)
class Cover:
    """The approval an effect is performed under: a gate and an item of it."""

    gate_id: str
    n: int


@dataclass(slots=True)
class Ended:
    """How an effect ended, before or after it is committed."""

    outcome: Outcome
    payload: str
    origin: str | None = None


Before = Callable[[Txn], None] | None


class EffectDesk:
    """Performs what a session awaits."""

    def __init__(self, hold: Hold, gate_desk: GateDesk, failures: FailureDesk) -> None:
        self._hold = hold
        self._gates = gate_desk
        self._failures = failures

    # ------------------------------------------------------------------------------------------------------- asked

    def asked(self, identity: Identity, text: str, seal: Any) -> Asked:
        """Check what a session sent.

        Raises:
            Breach: it is no effect of the catalogue, or its seal is of no seal's shape.
        """
        try:
            body = json.loads(text)
            self._hold.powers.effects.check(body)
        except (BadEffect, ValueError, TypeError, KeyError) as problem:
            raise Breach(f"an effect that is none: {problem}") from problem
        if canonical(body) != text:
            raise Breach("an effect whose text is not canonical")
        if seal is not None:
            good = isinstance(seal, list) and len(seal) == 3 and isinstance(seal[0], str)
            if not good or type(seal[1]) is not int or type(seal[2]) is not int:
                raise Breach("a seal of no seal's shape")
            seal = (seal[0], seal[1], seal[2])
        key = digest(f"{self._hold.run_id}/{identity[0]}/{identity[1]}")
        return Asked(identity, body, text, digest(text), key, seal)

    async def perform(self, items: list[Asked]) -> list[dict[str, Any]]:
        """Perform effects in order and answer each with its record; the outcome of one is committed with the intent of the next."""
        replies: list[dict[str, Any]] = []
        pending: Before = None
        waiting: tuple[Asked, Ended] | None = None
        for asked in items:
            ended = await self._one(asked, pending)
            if waiting is not None:
                replies.append(await self._reply(waiting[0]))
            pending, waiting = None, None
            if ended is not None:
                pending, waiting = self._outcome(asked, ended), (asked, ended)
            else:
                replies.append(await self._reply(asked))
        if pending is not None and waiting is not None:
            await self._hold.do(pending)
            killpoints.reach("after_outcome")
            replies.append(await self._reply(waiting[0]))
        return replies

    async def _reply(self, asked: Asked) -> dict[str, Any]:
        with self._hold.powers.database.connect() as conn:
            row = records.get(conn, self._hold.run_id, *asked.identity)
        if row is None:
            raise Over
        self._hold.known.add(asked.identity)
        text = self._hold.powers.blobs.text(row["payload"], row["payload_blob"])
        return {"k": "ok", "outcome": row["outcome"], "r": text, "at": row["committed_at"]}

    # ------------------------------------------------------------------------------------------------------ one effect

    async def _one(self, asked: Asked, pending: Before) -> Ended | None:
        """Bring one effect to its end; None when its record is committed already, else what the caller commits."""
        while True:
            step = await self._intend(asked, pending)
            pending = None
            if step == "recorded":
                return None
            if step == "ask":
                settled = await self._ask(asked)
                if settled is not None:
                    return settled
                continue
            if step == "wait":
                await self._park(asked.identity, Slot.GATE)
                continue
            self._hold.intended.add(asked.identity)
            killpoints.reach("after_intent")
            ended = await self._act(asked, again=step == "again")
            if ended is not None:
                return ended

    async def _park(self, identity: Identity, slot: str) -> None:
        """Wait for a person or a timer: the effect is not in progress meanwhile, so the run may be suspended."""
        self._hold.busy -= 1
        try:
            await self._hold.park(identity, slot)
        finally:
            self._hold.busy += 1

    async def _intend(self, asked: Asked, pending: Before) -> str:
        """One transaction: the outcome before, then judge, spend and intend. What to do next."""

        def operation(txn: Txn) -> str:
            if pending is not None:
                pending(txn)
            return self._judge(txn, asked)

        step = await self._hold.do(operation)
        if pending is not None:
            killpoints.reach("after_outcome")
        return step

    def _judge(self, txn: Txn, asked: Asked) -> str:
        hold = self._hold
        if records.get(txn.conn, hold.run_id, *asked.identity) is not None:
            return "recorded"
        standing = intents.get(txn.conn, hold.run_id, *asked.identity)
        if standing is not None:
            if standing["digest"] != asked.digest:
                raise Breach(f"{asked.kind}: the intent here was for something else")
            return "again"
        cover = self._cover(txn, asked)
        if isinstance(cover, str):
            return cover
        self._write_intent(txn, asked, cover)
        return "go"

    def _cover(self, txn: Txn, asked: Asked) -> Cover | str | None:
        """The approval that covers an effect, None where policy allows it, or what has to happen first."""
        hold = self._hold
        if asked.seal is not None:
            return self._sealed(txn, asked, asked.seal)
        own = gates.newest(txn.conn, hold.run_id, *asked.identity, Slot.GATE)
        if own is None or own["state"] in (GateState.SUPERSEDED, GateState.WITHDRAWN):
            judgement = hold.powers.policy.judge(asked.body, hold.workspace, hold.manifest)
            if judgement.permission is Permission.DENY:
                self._deny(txn, asked, judgement.reason, "denied")
                return "recorded"
            return None if judgement.permission is Permission.ALLOW else "ask"
        decision = take_decided(txn, hold.run_id, asked.identity, Slot.GATE)
        if decision is None and own["taken_at"] is None:
            return "wait"
        if decision is not None and decision["verdict"] != "approved":
            words = f": {decision['comment']}" if decision["comment"] else ""
            self._deny(txn, asked, f"{person(decision['by'])} did not approve it{words}", "not_approved")
            return "recorded"
        return self._spend(txn, asked, own["gate_id"], 1)

    def _sealed(self, txn: Txn, asked: Asked, seal: tuple[str, int, int]) -> Cover:
        gate = gates.newest(txn.conn, self._hold.run_id, seal[0], seal[1], Slot.OUTCOME)
        if gate is None or gate["state"] != GateState.DECIDED or gate["taken_at"] is None:
            raise Breach(f"{asked.kind}: nothing was approved at {seal[0]}#{seal[1]}")
        return self._spend(txn, asked, gate["gate_id"], seal[2])

    def _spend(self, txn: Txn, asked: Asked, gate_id: str, n: int) -> Cover:
        row = gates.seal_of(txn.conn, gate_id, n)
        if row is None or row["digest"] != asked.digest:
            raise Breach(f"{asked.kind} is not what was approved")
        if not gates.spend(txn, gate_id, n, *asked.identity):
            raise Breach(f"{asked.kind}: this approval is spent")
        return Cover(gate_id, n)

    def _write_intent(self, txn: Txn, asked: Asked, cover: Cover | None) -> None:
        hold = self._hold
        kept, in_blob = hold.powers.blobs.keep_text(asked.text)
        policy = hold.powers.effects.policy(asked.body)
        intents.add(
            txn,
            intents.NewIntent(
                run_id=hold.run_id,
                path=asked.identity[0],
                ordinal=asked.identity[1],
                kind=asked.kind,
                body=kept,
                body_blob=in_blob,
                digest=asked.digest,
                key=asked.key,
                policy=policy,
                gate_id=cover.gate_id if cover else None,
                item=cover.n if cover else None,
            ),
        )
        self._note_attempt(txn, asked)

    def _note_attempt(self, txn: Txn, asked: Asked) -> None:
        records.note_attempt(
            txn, self._hold.run_id, *asked.identity, kind=StepKind.EFFECT, name=asked.kind, state=AttemptState.UNKNOWN
        )

    def _deny(self, txn: Txn, asked: Asked, reason: str, kind: str) -> None:
        ended = Ended(Outcome.FAILED, canonical({"kind": kind, "message": f"{asked.kind}: {reason}"}))
        self._outcome(asked, ended)(txn)

    # ------------------------------------------------------------------------------------------------------- performing

    async def _act(self, asked: Asked, *, again: bool) -> Ended | None:
        """Perform an intended effect, or find out how an earlier try ended; None to look again."""
        if self._hold.powers.effects.is_file(asked.body):
            return await self._files(asked)
        if again:
            settled = await self._doubt(asked)
            if settled is not None:
                return settled
        try:
            outcome = await self._hold.powers.effects.perform(asked.body, asked.key, self._hold.workspace)
        except EffectTrouble as trouble:
            return await self._trouble(asked, trouble)
        except OutcomeUnknown:
            return None  # the intent stays open: the next look is a doubt
        killpoints.reach("after_perform")
        return Ended(Outcome.OK, canonical(outcome))

    async def _files(self, asked: Asked) -> Ended | None:
        try:
            outcome = await file_sets.apply(self._hold, asked.identity)
        except Conflict as conflict:
            return await self._fresh_approval(asked, conflict)
        except EffectTrouble as trouble:
            return await self._trouble(asked, trouble)
        except (
            OutcomeUnknown
        ) as unknown:  # writing failed and so did putting back: the journal makes a further try safe
            return await self._trouble(asked, EffectTrouble(str(unknown), FailureClass.TRANSIENT))
        killpoints.reach("after_perform")
        return Ended(Outcome.OK, canonical(outcome))

    async def _doubt(self, asked: Asked) -> Ended | None:
        """An intent without an outcome: by the catalogue's policy, tried again, looked up, or put to a person."""
        effects = self._hold.powers.effects
        policy = effects.policy(asked.body)
        if policy is DoubtPolicy.RECONCILE:
            found = await effects.reconcile(asked.body, asked.key, self._hold.workspace)
            if found.finding is Finding.HAPPENED:
                return Ended(Outcome.OK, canonical(found.outcome), origin="looked up")
            if found.finding is Finding.NOT_HAPPENED:
                policy = DoubtPolicy.RETRY
        if policy is DoubtPolicy.RETRY or await self._last_try_failed(asked):
            await self._hold.do(lambda txn: self._note_attempt(txn, asked))
            return None
        return await self._ask_doubt(asked)

    async def _last_try_failed(self, asked: Asked) -> bool:
        """Whether the newest try is known not to have happened, so that a further one is no guess."""
        with self._hold.powers.database.connect() as conn:
            tries = records.attempts_of(conn, self._hold.run_id, *asked.identity)
        return bool(tries) and tries[-1]["state"] == AttemptState.FAILED

    async def _ask_doubt(self, asked: Asked) -> Ended | None:
        hold = self._hold
        with hold.powers.database.connect() as conn:
            began = records.attempts_of(conn, hold.run_id, *asked.identity)[-1]["started_at"]
        entry = await asyncio.to_thread(hold.powers.effects.prepare, asked.body, hold.workspace)
        spec = doubt_spec(asked, entry.summary, began)
        await self._gates.open(asked.identity, Slot.DOUBT, spec, asked_digest=digest(canonical([asked.digest, began])))
        while True:
            answer = await hold.do(lambda txn: take_decided(txn, hold.run_id, asked.identity, Slot.DOUBT))
            if answer is not None:
                break
            await self._park(asked.identity, Slot.DOUBT)
        choice = answer["answers"].get("choice")
        if choice == "happened":
            return Ended(
                Outcome.OK, canonical(answer["answers"].get("result")), origin=f"said by {person(answer['by'])}"
            )
        if choice == "stop":
            await self._failures.stop(asked.identity, asked.kind, answer["by"], "Nobody could tell whether it happened")
        await hold.do(lambda txn: self._note_attempt(txn, asked))
        return None

    async def _trouble(self, asked: Asked, trouble: EffectTrouble) -> Ended | None:
        """A try is known to have failed: once more after a while, or put before a person."""
        hold = self._hold

        def operation(txn: Txn) -> int:
            records.end_attempt(txn, hold.run_id, *asked.identity, AttemptState.FAILED, str(trouble))
            return len(records.attempts_of(txn.conn, hold.run_id, *asked.identity))

        tries = await hold.do(operation)
        if trouble.failure_class is FailureClass.TRANSIENT and tries < EFFECT_TRIES:
            await self._failures.pause(asked.identity, wait_us(tries, asked.key, trouble.retry_after), self._park)
            return None
        error = {"type": "EffectTrouble", "message": str(trouble), "traceback": ""}
        answer = await self._failures.ask(asked.identity, asked.kind, error, tries, park=self._park, is_effect=True)
        if answer["answers"].get("choice") == "skip":
            return Ended(
                Outcome.OK, canonical(answer["answers"].get("result")), origin=f"given by {person(answer['by'])}"
            )
        return None

    async def _fresh_approval(self, asked: Asked, conflict: Conflict) -> Ended | None:
        try:
            return await self._conflict(asked, conflict)
        except EffectTrouble as trouble:  # what is there now cannot even be planned for
            return await self._trouble(asked, trouble)

    async def _conflict(self, asked: Asked, conflict: Conflict) -> Ended | None:
        """The folder is not what was approved: nothing was written, and the set needs a fresh approval on what is there now."""
        hold = self._hold
        items = file_sets.items_of(hold, asked.identity)
        title = f"Files changed since the approval: {', '.join(conflict.paths[:3])}"
        plan = [{"body": body, "needs": [], "editable": []} for _, body, _ in items]
        spec = blank_spec(GateKind.APPROVAL, title, plan=plan, flags=[str(conflict)])
        spec["about"] = {"why": "conflict", "paths": conflict.paths}
        await self._gates.open(
            asked.identity, Slot.GATE, spec, asked_digest=digest(canonical([str(conflict), len(items)]))
        )
        while True:
            answer = await hold.do(lambda txn: take_decided(txn, hold.run_id, asked.identity, Slot.GATE))
            if answer is not None:
                break
            await self._park(asked.identity, Slot.GATE)
        if answer["verdict"] == "approved":
            await file_sets.rebase(hold, asked.identity, answer["gate_id"])
            return None
        message = f"{asked.kind}: {person(answer['by'])} did not approve it after the files had changed"
        return Ended(Outcome.FAILED, canonical({"kind": "not_approved", "message": message}))

    async def _ask(self, asked: Asked) -> Ended | None:
        """Policy asks about an effect that no approval covers: it opens a gate by itself."""
        try:
            entry = await asyncio.to_thread(self._hold.powers.effects.prepare, asked.body, self._hold.workspace)
        except EffectTrouble as trouble:
            return await self._trouble(asked, trouble)
        spec = blank_spec(
            GateKind.APPROVAL,
            entry.summary,
            plan=[{"body": asked.body, "needs": [], "editable": [], **entry_json(entry)}],
        )
        await self._gates.open(asked.identity, Slot.GATE, spec, asked_digest=asked.digest)
        await self._park(asked.identity, Slot.GATE)
        return None

    # --------------------------------------------------------------------------------------------------------- outcome

    def _outcome(self, asked: Asked, ended: Ended) -> Callable[[Txn], None]:
        hold = self._hold

        def operation(txn: Txn) -> None:
            tries: list[Row] = records.attempts_of(txn.conn, hold.run_id, *asked.identity)
            if tries:
                state = AttemptState.OK if ended.outcome is Outcome.OK else AttemptState.FAILED
                records.end_attempt(txn, hold.run_id, *asked.identity, state)
            kept, in_blob = hold.powers.blobs.keep_text(ended.payload)
            head = records.append(
                txn,
                records.NewRecord(
                    run_id=hold.run_id,
                    path=asked.identity[0],
                    ordinal=asked.identity[1],
                    kind=StepKind.EFFECT,
                    name=asked.kind,
                    args_digest=asked.digest,
                    outcome=ended.outcome,
                    payload=kept,
                    payload_blob=in_blob,
                    started_at=tries[0]["started_at"] if tries else txn.now_us,
                    attempts=max(len(tries), 1),
                    key=asked.key,
                    origin=ended.origin,
                ),
            )
            trail_rows.append(
                txn,
                by="runner",
                kind="effect",
                subject=hold.run_id,
                summary=f"{asked.kind} {'done' if ended.outcome is Outcome.OK else 'not done'}",
                after={
                    "key": asked.key,
                    "digest": asked.digest,
                    "outcome": str(ended.outcome),
                    "origin": ended.origin,
                    "head": head,
                },
            )

        return operation


def doubt_spec(asked: Asked, summary: str, began_us: int) -> dict[str, Any]:
    """The gate “Did this happen?”: what is known, how to find out, and the three answers."""
    facts = [
        [name, value] for name, value in asked.body["args"].items() if isinstance(value, (str, int, list)) and value
    ]
    how = {
        "mail@1": "Look in Sent items for this subject.",
        "http@1": "Ask the other side for the request with this key.",
    }.get(asked.kind, "Look at the other side.")
    choices = {
        "name": "choice",
        "type": "choice",
        "label": "Did it happen?",
        "choices": ["happened", "not_happened", "stop"],
    }
    result = {"name": "result", "type": "text", "label": "What came of it", "choices": None}
    return blank_spec(
        GateKind.DOUBT,
        f"Did this happen? {summary}",
        fields=[
            {**choices, "help": "", "default": None, "required": True, "remember": False, "remakes": False},
            {**result, "help": "", "default": None, "required": False, "remember": False, "remakes": False},
        ],
        about={"effect": asked.kind, "key": asked.key, "began_us": began_us, "facts": facts, "how": how},
    )
