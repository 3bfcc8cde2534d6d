"""Effects at the desk: judged, intended, performed, recorded; and when nobody knows how one ended, never guessed.

Authority is never position. An effect is performed only if policy allows it without asking, or an approved item (this run's gate, item
number) has exactly this digest and is unspent; and never what policy denies. Judging, spending and the intent are one transaction; the
outcome is another, and in a plan the outcome of one shares its transaction with the intent of the next.

Every look at an effect begins in `_judge`, whether it is new, waits, has failed or was in the middle of a crash: what is to be done is
read from the rows, so a replay goes on exactly where a live desk would. A person's answer is taken up in the transaction that acts on it.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.authoring.machine import root_of
from counterfoil.engine import by_rule, file_sets, judging, killpoints, replaced, staging
from counterfoil.engine.desk_failures import RETRY, FailureDesk, choice_of, given_texts, mismatch_spec
from counterfoil.engine.desk_gates import Answer, GateDesk, answer_of, blank_spec, recorded_reply
from counterfoil.engine.effect_trouble import EffectTroubles
from counterfoil.engine.effect_values import Asked, Ended, note_attempt, record_outcome
from counterfoil.engine.holding import Breach, Hold, Identity, Over
from counterfoil.engine.left_over import LeftOvers
from counterfoil.engine.moves import GO, RECORDED, Move, keep_still
from counterfoil.engine.ports import BadEffect, EffectTrouble, Judgement, Permission
from counterfoil.facts import AttemptState, GateKind, GateState, Outcome, Slot, person
from counterfoil.store import gates, intents, records, seals, standing, timers
from counterfoil.store.transactions import Row, Txn


@dataclass(frozen=True, slots=True)
class Cover:
    """The approval an effect is performed under: a gate and an item of it."""

    gate_id: str
    n: int


class Differs(Exception):
    """What is asked is not what was approved or intended at this identity."""

    def __init__(self, asked: Asked, recorded: str) -> None:
        super().__init__(asked.kind)
        self.asked = asked
        self.recorded = recorded


DOUBT, ASK = Move("doubt"), Move("ask")


class EffectDesk:
    """Performs what a session awaits."""

    def __init__(self, hold: Hold, gate_desk: GateDesk, failures: FailureDesk) -> None:
        self._hold = hold
        self._gates = gate_desk
        self._failures = failures
        self._troubles = EffectTroubles(hold, gate_desk, failures)
        self.left_overs = LeftOvers(hold, failures, self._troubles)

    # ------------------------------------------------------------------------------------------------------- asked

    def asked(self, identity: Identity, text: str, seal: Any, *, raises: bool = False) -> Asked:
        """Check what a session sent.

        Raises:
            Breach: it is no effect of the catalogue, or its seal is of no seal's shape.
        """
        body = json.loads(text)
        try:
            self._hold.powers.effects.check(body)
        except BadEffect as problem:
            raise Breach(f"an effect that is none: {problem}") from problem
        if canonical(body) != text:
            raise Breach("an effect whose text is not canonical")
        if seal is not None:
            good = isinstance(seal, list) and len(seal) == 3 and isinstance(seal[0], str)
            if not good or not all(type(number) is int and 0 <= number < 2**31 for number in seal[1:]):
                raise Breach("a seal of no seal's shape")
            seal = (seal[0], seal[1], seal[2])
        if identity in self._hold.gated:
            raise Breach(f"{identity[0]}#{identity[1]} belongs to a gate or a timer")
        self._hold.intended.add(identity)
        key = digest(f"{self._hold.run_id}/{identity[0]}/{identity[1]}")
        return Asked(identity, body, text, digest(text), key, seal, raises)

    async def perform(self, items: list[Asked]) -> list[dict[str, Any]]:
        """Perform effects in order and answer each with its record; the outcome of one is committed with the intent of the next."""
        try:
            with self._hold.working():
                return await self._perform(items)
        except Differs as differs:
            recorded, asked = differs.recorded, f"{differs.asked.kind} {differs.asked.digest[:8]}"
            words = f"{differs.asked.kind} is asked with other arguments than at the time it was approved or begun"
            error = {"type": "Mismatch", "message": words, "traceback": ""}
            spec = mismatch_spec(recorded, asked, error, can_keep=False)
            await self._failures.set_aside(differs.asked.identity, spec, digest(canonical([recorded, asked])))
            raise

    async def _perform(self, items: list[Asked]) -> list[dict[str, Any]]:
        replies: list[dict[str, Any]] = []
        waiting: tuple[Asked, Ended] | None = None
        for asked in items:
            ended = await self._one(asked, waiting)
            if waiting is not None:
                replies.append(await self._settled(*waiting))
            waiting = None
            if ended is None:
                replies.append(self._reply(asked))
            else:
                waiting = (asked, ended)
            failed = ended.outcome if ended is not None else replies[-1]["outcome"]
            if failed != Outcome.OK:
                break  # what stands behind a failed effect of a plan is not tried
        if waiting is not None:
            await self._commit(*waiting)
            replies.append(await self._settled(*waiting))
        return replies

    async def _settled(self, asked: Asked, ended: Ended) -> dict[str, Any]:
        """The reply once an outcome is committed; what a command has changed is in the run's files from now on."""
        if ended.changes:
            await staging.merge(self._hold)
        return self._reply(asked)

    def _reply(self, asked: Asked) -> dict[str, Any]:
        row = records.get(self._hold.powers.database.reader, self._hold.run_id, *asked.identity)
        if row is None:
            raise Over
        self._hold.known.add(asked.identity)
        return recorded_reply(self._hold, row)

    async def _commit(self, asked: Asked, ended: Ended) -> None:
        """Record an outcome by itself, also when the hold has ended while the effect was in progress."""
        await self._hold.do(lambda txn: record_outcome(txn, self._hold, asked, ended), late=True)
        killpoints.reach("after_outcome")

    # ------------------------------------------------------------------------------------------------------ one effect

    async def _one(self, asked: Asked, waiting: tuple[Asked, Ended] | None) -> Ended | None:
        """Bring one effect to its end; None when its record is committed already, else what the caller commits."""
        while True:
            move = await self._next(asked, waiting)
            waiting = None
            if move.word == "recorded":
                return None
            if move.word == "doubt":
                ended = await self._troubles.doubt(asked)
            elif move.word == "go":
                killpoints.reach("after_intent")
                ended = await self._troubles.act(asked)
            else:
                ended = None
                await self._wait(asked, move)
            if ended is not None:
                return ended

    async def _wait(self, asked: Asked, move: Move) -> None:
        with self._hold.pausing():
            if move.word == "ask":
                await self._ask(asked)
            else:
                await keep_still(self._hold, self._failures, asked.identity, asked.kind, move)

    async def _next(self, asked: Asked, waiting: tuple[Asked, Ended] | None) -> Move:
        """One transaction: the outcome before, then judge, spend and intend."""
        hold = self._hold

        def operation(txn: Txn) -> Move:
            if waiting is not None:
                record_outcome(txn, hold, *waiting)
            return self._judge(txn, asked)

        try:
            hold.refuse_over(asked.identity)
            move = await hold.do(operation)
        except (Over, Breach, Differs):
            if waiting is not None:  # what was done is recorded, whatever is wrong with what comes next
                await self._commit(*waiting)
            raise
        if waiting is not None:
            killpoints.reach("after_outcome")
        return move

    # --------------------------------------------------------------------------------------------------------- judging

    def _judge(self, txn: Txn, asked: Asked) -> Move:
        hold = self._hold
        if records.get(txn.conn, hold.run_id, *asked.identity) is not None:
            return RECORDED
        intent = intents.get(txn.conn, hold.run_id, *asked.identity)
        if intent is not None and intent["digest"] != asked.digest:
            raise Differs(asked, f"{intent['kind']} {intent['digest'][:8]}")
        if standing.get(txn.conn, standing.PAUSE) is not None:
            raise Over  # nothing is begun while everything is paused; the run is carried on from here
        heeded = self._standing_gate(txn, asked, intent)
        if heeded is not None:
            return heeded
        if intent is None:
            return self._judge_new(txn, asked)
        timer = timers.get(txn.conn, hold.run_id, *asked.identity, RETRY)
        if timer is not None:
            if timer["state"] == "pending" and timer["due_at"] > txn.now_us:
                return Move("pause", due_us=timer["due_at"])
            timers.reset(txn, hold.run_id, *asked.identity, RETRY)
        tries = records.attempts_of(txn.conn, hold.run_id, *asked.identity)
        known = tries[-1]["state"] == AttemptState.FAILED or hold.powers.effects.is_file(asked.body)
        if timer is None and not known:
            return DOUBT
        note_attempt(txn, hold, asked)
        return GO

    def _standing_gate(self, txn: Txn, asked: Asked, intent: Row | None) -> Move | None:
        """What the gates at this identity say that are open or newly answered; None where there is none to heed."""
        for gate in gates.untaken(txn.conn, self._hold.run_id, *asked.identity):
            slot = Slot(gate["slot"])
            if slot is Slot.GATE and intent is None:
                continue  # the effect's own approval, judged with the policy
            answer = answer_of(txn, self._hold, asked.identity, slot)
            if answer is None or answer["gate_id"] != gate["gate_id"]:
                return Move("wait", slot=slot)
            if slot is not Slot.INPUT and choice_of(answer) == "stop":
                return Move("stop", answer=answer)
            gates.take(txn, gate["gate_id"])
            return self._answered(txn, asked, intent, slot, answer)
        return None

    def _answered(self, txn: Txn, asked: Asked, intent: Row | None, slot: Slot, answer: Answer) -> Move | None:
        """Act on an answer that has just been taken up."""
        by, choice = person(answer["by"]), choice_of(answer)
        if slot is Slot.FAILURE and choice == "skip":
            ended = Ended(Outcome.OK, given_texts(answer)[0], origin=f"given by {by}")
        elif slot is Slot.DOUBT and choice == "happened":
            ended = Ended(Outcome.OK, given_texts(answer)[0], origin=f"said by {by}")
        elif slot is Slot.CONFLICT and answer["verdict"] != "approved":
            message = f"{asked.kind}: {by} did not approve it after the files had changed"
            words = {"kind": answer["verdict"], "message": message, "by": answer["by"], "comment": answer["comment"]}
            ended = Ended(Outcome.FAILED, canonical(words), voids=True)
        else:
            if slot is Slot.CONFLICT:
                file_sets.rebase(txn, self._hold, asked.identity, answer["gate_id"])
            if intent is None:
                return None
            note_attempt(txn, self._hold, asked)
            return GO
        record_outcome(txn, self._hold, asked, ended)
        return RECORDED

    def _judge_new(self, txn: Txn, asked: Asked) -> Move:
        """The first look: by policy, by a sealed item, or by the effect's own gate."""
        cover = self._sealed(txn, asked) if asked.seal is not None else None
        judgement = judging.judged(self._hold, asked.body, txn.conn)
        judging.note_in_force(txn, self._hold)
        asks = judgement.permission is Permission.ASK
        if cover is not None and asks and by_rule.decided(txn.conn, cover.gate_id):
            cover = None  # rules approved it, and they would not now: it asks by itself
        if cover is not None:
            self._spend(txn, asked, cover)  # whatever policy says, a forged seal is a breach
        else:
            judgement = replaced.refusal(txn.conn, self._hold, asked.digest) or judgement
        if judgement.permission is Permission.DENY:
            return self._deny(txn, asked, judgement.reason, "denied")
        if cover is None:
            ask = asks or self._hold.powers.effects.is_file(asked.body)
            own = self._own_gate(txn, asked, judgement) if ask else None
            if isinstance(own, Move):
                return own
            cover = own
            if cover is not None:
                self._spend(txn, asked, cover)
            by_rule.note_use(txn, self._hold, asked.identity, judgement)
        self._write_intent(txn, asked, cover)
        return GO

    @staticmethod
    def _spend(txn: Txn, asked: Asked, cover: Cover) -> None:
        row = seals.one(txn.conn, cover.gate_id, cover.n)
        if row is None or row["digest"] != asked.digest:
            raise Breach(f"{asked.kind} is not what was approved")
        if not seals.spend(txn, cover.gate_id, cover.n, *asked.identity):
            raise Breach(f"{asked.kind}: this approval is spent")

    def _sealed(self, txn: Txn, asked: Asked) -> Cover | None:
        """The approved item that a session points at; None where it was approved in another run, whose approvals do not count here."""
        path, ordinal, n = asked.seal or ("", 0, 0)
        if root_of(path, ordinal) < self._hold.carried:
            return None
        gate = gates.newest(txn.conn, self._hold.run_id, path, ordinal, Slot.OUTCOME)
        if gate is None or gate["state"] != GateState.DECIDED or gate["taken_at"] is None:
            raise Breach(f"{asked.kind}: nothing was approved at {path}#{ordinal}")
        return Cover(gate["gate_id"], n)

    def _own_gate(self, txn: Txn, asked: Asked, judgement: Judgement) -> Move | Cover:
        """The gate that the effect has opened by itself, once somebody has answered it."""
        own = gates.newest(txn.conn, self._hold.run_id, *asked.identity, Slot.GATE)
        if own is None or own["state"] in (GateState.SUPERSEDED, GateState.WITHDRAWN):
            return ASK
        if own["state"] == GateState.OPEN:
            return Move("wait", slot=Slot.GATE) if own["asked_digest"] == asked.digest else ASK
        answer = answer_of(txn, self._hold, asked.identity, Slot.GATE)
        if answer is None:
            return Move("wait", slot=Slot.GATE)
        if judgement.rule is None and by_rule.decided(txn.conn, own["gate_id"]):
            by_rule.void(txn, own["gate_id"])
            return ASK
        if own["asked_digest"] != asked.digest:
            raise Differs(asked, f"{asked.kind} {own['asked_digest'][:8]}")
        gates.take(txn, own["gate_id"])
        if answer["verdict"] != "approved":
            words = f": {answer['comment']}" if answer["comment"] else ""
            return self._deny(txn, asked, f"{person(answer['by'])} did not approve it{words}", "not_approved")
        return Cover(own["gate_id"], 1)

    def _write_intent(self, txn: Txn, asked: Asked, cover: Cover | None) -> None:
        hold = self._hold
        kept, in_blob = hold.powers.blobs.keep_text(asked.text)
        new = intents.NewIntent(
            run_id=hold.run_id,
            path=asked.identity[0],
            ordinal=asked.identity[1],
            kind=asked.kind,
            body=kept,
            body_blob=in_blob,
            digest=asked.digest,
            key=asked.key,
            policy=hold.powers.effects.policy(asked.body),
            gate_id=cover.gate_id if cover else None,
            item=cover.n if cover else None,
        )
        intents.add(txn, new)
        note_attempt(txn, hold, asked)

    def _deny(self, txn: Txn, asked: Asked, reason: str, kind: str) -> Move:
        ended = Ended(Outcome.FAILED, canonical({"kind": kind, "message": f"{asked.kind}: {reason}"}))
        record_outcome(txn, self._hold, asked, ended)
        return RECORDED

    async def _ask(self, asked: Asked) -> None:
        """Policy asks about an effect that no approval covers: it opens a gate by itself."""
        plan = [{"body": asked.body, "needs": [], "editable": []}]
        try:
            entry = await self._gates.entry(asked.body)
            spec = blank_spec(GateKind.APPROVAL, entry.summary, plan=plan)
            then = functools.partial(by_rule.decide, self._hold)
            await self._gates.open(asked.identity, Slot.GATE, spec, asked_digest=asked.digest, then=then)
        except EffectTrouble as trouble:
            await self._failures.ask(asked.identity, asked.kind, str(trouble), is_effect=True)
