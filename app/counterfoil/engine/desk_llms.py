"""Calls of llms at the desk: kept before they are made, paid once, recorded with the request that gave the answer.

As with effects every look begins in `_judge`, whatever came before: a crash, a pause between two rounds, a person's answer. A request
without an end is left as unknown, and it may have been billed; a new one has a row of its own.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine import killpoints, llm_turns, silence, spending
from counterfoil.engine.desk_failures import (
    RETRY,
    FailureDesk,
    choice_of,
    failure_spec,
    given_texts,
    set_retry,
    title_of_step,
)
from counterfoil.engine.desk_gates import Answer, GateDesk, answer_of, open_in, recorded_reply
from counterfoil.engine.failing import EFFECT_TRIES, wait_us
from counterfoil.engine.holding import Breach, Hold, Identity, Over
from counterfoil.engine.llm_book import RequestBook
from counterfoil.engine.llm_ports import ASK_ABOVE, SLEPT_THROUGH, Heard, LlmReply, LlmTrouble, Told
from counterfoil.engine.llm_turns import Turn
from counterfoil.engine.moves import GO, RECORDED, Move, keep_still
from counterfoil.engine.shapes import identity_in, name_in
from counterfoil.engine.uploads import Uploads
from counterfoil.facts import GateState, LlmEnd, Outcome, Slot, StepKind, person
from counterfoil.store import gates, llm_budgets, llm_calls, records, runs, standing, timers
from counterfoil.store.llm_budgets import Reached
from counterfoil.store.llm_calls import AttemptEnd
from counterfoil.store.llm_money import dollars, words
from counterfoil.store.transactions import Row, Txn

Frame = dict[str, Any]
Reply = tuple[dict[str, Any], bytes]
LOST = "The run ended while an llm was asked, and that request may have been billed (up to {cost}). Ask again?"
NO_LLM = "No llm is set up. Add one: counterfoil route add"


class LlmDesk:
    """Asks llms for a session."""

    def __init__(self, hold: Hold, gate_desk: GateDesk, failures: FailureDesk, uploads: Uploads) -> None:
        self._hold = hold
        self._gates = gate_desk
        self._failures = failures
        self._uploads = uploads
        self._talks = llm_turns.Talks(hold)
        self._stirs = self._woken = 0  # answers that concern what waits elsewhere in the run, so all of it looks again
        self._pressed: set[Identity] = set()  # a person has said to try again, so no llm is left alone any more

    async def ask(self, frame: Frame, _: bytes) -> Reply:
        """Bring one call to its record; the reply hands the record over."""
        hold = self._hold
        identity = identity_in(frame)
        if identity in hold.known:
            raise Breach(f"{identity[0]}#{identity[1]} is recorded already")
        if identity in hold.intended or identity in hold.gated:
            raise Breach(f"{identity[0]}#{identity[1]} belongs to an effect or a gate")
        name, given = name_in(frame)
        turn = llm_turns.turn_in(hold, identity, name, given, json.loads(await self._uploads.text(frame)))
        with hold.working():
            while True:
                hold.refuse_over(identity)
                seen = self._stirs
                move = await hold.do(lambda txn: self._judge(txn, turn))
                if self._stirs != self._woken:
                    self._woken = self._stirs
                    hold.wake_all()
                if move.word == "recorded":
                    break
                if move.word == "go":
                    with hold.hearing.during(identity, turn.name, StepKind.LLM, silence.LLM, cut=True):
                        await self._go(turn)
                elif (
                    move.word != "wait" or seen == self._stirs
                ):  # else it looks again: it was not parked yet to be woken
                    await self._wait(turn, move)
        row = records.get(hold.powers.database.reader, hold.run_id, *identity)
        if row is None:
            raise Over
        hold.known.add(identity)
        return recorded_reply(hold, row), b""

    async def _wait(self, turn: Turn, move: Move) -> None:
        with self._hold.pausing():
            await keep_still(self._hold, self._failures, turn.identity, turn.name, move)

    # --------------------------------------------------------------------------------------------------------- judging

    def _judge(self, txn: Txn, turn: Turn) -> Move:
        hold = self._hold
        if records.get(txn.conn, hold.run_id, *turn.identity) is not None:
            return RECORDED
        kept = llm_calls.get(txn.conn, hold.run_id, *turn.identity)
        if kept is not None and kept["digest"] != turn.digest:
            raise Breach("an llm call that was begun with other words")
        if standing.get(txn.conn, standing.PAUSE) is not None:
            raise Over  # nothing is begun while everything is paused; the run is carried on from here
        heeded = self._heed(txn, turn)
        if heeded is not None:
            return heeded
        timer = timers.get(txn.conn, hold.run_id, *turn.identity, RETRY)
        if timer is not None:
            if timer["state"] == "pending" and timer["due_at"] > txn.now_us:
                return Move("pause", due_us=timer["due_at"])
            timers.reset(txn, hold.run_id, *turn.identity, RETRY)
        tries = llm_calls.attempts_of(txn.conn, hold.run_id, *turn.identity)
        due = _asked_to_wait(tries)
        if timer is None and due > txn.now_us:
            return Move("pause", due_us=set_retry(txn, hold, turn.identity, due))
        llm_turns.keep(txn, hold, turn)
        llm_calls.leave_open_ones(txn, hold.run_id, *turn.identity)
        lost = max((row["charge"] or 0 for row in tries if row["end"] is None), default=0)
        if lost > ASK_ABOVE:
            self._open_failure(txn, turn, LOST.format(cost=words(dollars(lost))))
            return Move("wait", slot=Slot.FAILURE)
        return GO

    def _heed(self, txn: Txn, turn: Turn) -> Move | None:
        """What the gates here say that are open or newly answered."""
        for gate in gates.untaken(txn.conn, self._hold.run_id, *turn.identity):
            slot = Slot(gate["slot"])
            answer = answer_of(txn, self._hold, turn.identity, slot)
            if answer is None or answer["gate_id"] != gate["gate_id"]:
                if slot is Slot.BUDGET and self._is_raised(txn, turn, gate):
                    gates.close(txn, gate["gate_id"], GateState.SUPERSEDED, "The limit was raised elsewhere")
                    continue
                if slot is Slot.FAILURE and self._is_to_be_tried_again(txn, gate):
                    gates.close(txn, gate["gate_id"], GateState.SUPERSEDED, "Another gate about the same was answered")
                    self._pressed.add(turn.identity)
                    continue
                return Move("wait", slot=slot)
            if choice_of(answer) == "stop":
                return Move("stop", answer=answer)
            gates.take(txn, gate["gate_id"])
            if slot is Slot.FAILURE and choice_of(answer) == "skip":
                self._record_given(txn, turn, answer)
                return RECORDED
            if slot is Slot.FAILURE:
                self._pressed.add(turn.identity)
                self._stirs += 1
            if slot is Slot.BUDGET and choice_of(answer) == "raise":
                spending.raise_limit(txn, self._hold, gate, answer)
                self._stirs += 1
            elif slot is Slot.BUDGET and choice_of(answer) not in ("raise_once", "go_on"):
                by = person(answer["by"])
                limited = {"kind": "limit", "message": f"{by} chose to finish with what there is"}
                self._record(txn, turn, limited, outcome=Outcome.FAILED, origin=f"said by {by}")
                return RECORDED
        return None

    def _is_raised(self, txn: Txn, turn: Turn, gate: Row) -> bool:
        """Whether what a spending gate was opened for fits by now."""
        hold = self._hold
        about = json.loads(hold.powers.blobs.text(gate["spec"], gate["spec_blob"]))["about"]
        if about["why"] != "limit" or gate["state"] != GateState.OPEN:
            return False
        run = runs.get(txn.conn, hold.run_id)
        return not spending.still_over(llm_budgets.limits_of(txn.conn, run, turn.identity[0], txn.now_us), about)

    def _is_to_be_tried_again(self, txn: Txn, gate: Row) -> bool:
        """Whether a person has said so at another gate with the same reason; what may have been billed is asked about each time."""
        hold = self._hold
        about = json.loads(hold.powers.blobs.text(gate["spec"], gate["spec_blob"]))["about"]
        if gate["state"] != GateState.OPEN or "billed" in about["error"]["message"]:
            return False
        return any(
            other["asked_digest"] == gate["asked_digest"]
            and other["state"] == GateState.DECIDED
            and (other["taken_at"] or 0) >= gate["asked_at"]
            and [json.loads(made["answers"]).get("choice") for made in gates.decisions(txn.conn, other["gate_id"])][-1:]
            == ["retry"]
            for other in gates.of_run(txn.conn, hold.run_id)
        )

    def _record_given(self, txn: Txn, turn: Turn, answer: Answer) -> None:
        """A person answers in place of the llm."""
        by = person(answer["by"])
        text = json.loads(given_texts(answer)[-1])
        said = text if isinstance(text, str) else canonical(text)
        payload = {"text": said, "calls": [], "finish": "stop", "usage": {}, "cost": "0", "llm": by}
        self._record(txn, turn, payload, origin=f"given by {by}")

    # ---------------------------------------------------------------------------------------------------------- asking

    async def _go(self, turn: Turn) -> None:
        """Ask once over the whole route; what comes of it is in rows afterwards."""
        hold = self._hold
        talk = await asyncio.to_thread(self._talks.before, turn)
        kept = llm_calls.get(hold.powers.database.reader, hold.run_id, *turn.identity)
        # What leaves the house is stopped by no fence: a holder that slept past its lease looks once more before it asks.
        runs.confirm(hold.powers.database.reader, hold.run_id, hold.fence)
        if await self._asks_again(turn, talk.history):
            return
        once = spending.raised_once(hold.powers.database.reader, hold, turn.identity)
        try:
            if hold.powers.llms is None:
                raise LlmTrouble(NO_LLM, passing=False)
            request = llm_turns.request_of(hold, turn, talk, kept)
            if turn.identity in self._pressed:
                self._pressed.discard(turn.identity)
                request = replace(request, pressed=True)
            book = RequestBook(hold, turn.identity, unlimited=once)
            reply = await self._until_cancelled(hold.powers.llms.ask(request, book))
        except LlmTrouble as trouble:
            await self._trouble(turn, trouble)
            return
        except Reached as reached:
            spec = spending.limit_spec(reached)
            await self._gates.open(
                turn.identity, Slot.BUDGET, spec, asked_digest=spending.asked_digest([spec["about"], turn.digest])
            )
            return
        killpoints.reach("after_perform")
        await self._answered(turn, reply)
        kept_text = reply.end.response
        self._talks.answered(turn, talk, Heard(reply.text, reply.calls, kept_text))

    async def _until_cancelled(self, asking: Coroutine[Any, Any, LlmReply]) -> LlmReply:
        """The answer; a wish to cancel the run ends the waiting for it, since an answer may take minutes.

        Raises:
            Over: the run is to be cancelled.
        """
        loop = asyncio.get_running_loop()
        task, wish = loop.create_task(asking), loop.create_task(self._hold.cancelling.wait())
        try:
            await asyncio.wait((task, wish), return_when=asyncio.FIRST_COMPLETED)
        finally:
            wish.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait((task,))
        if task.cancelled():
            raise Over
        return task.result()

    async def _asks_again(self, turn: Turn, history: Sequence[Heard | Told]) -> bool:
        """Whether a person is asked first, because the llm goes round in circles."""
        found = spending.repeated(history) or self._put_again(turn)
        if found is None:
            return False
        hold, spec = self._hold, spending.again_spec(*found)
        if spending.settled_again(hold.powers.database.reader, hold, turn.identity, spec["about"]):
            return False
        asked = spending.asked_digest(spec["about"])
        await self._gates.open(turn.identity, Slot.BUDGET, spec, asked_digest=asked)
        return True

    def _put_again(self, turn: Turn) -> tuple[str, str, int] | None:
        """A question that a run has put to an llm so often by now, word for word; with an agent its calls are looked at."""
        if turn.opening is None or turn.opening["tools"]:
            return None
        hold = self._hold
        times = llm_calls.which_of_same(hold.powers.database.reader, hold.run_id, *turn.identity, turn.digest)
        if times < spending.REPEATS or times % spending.REPEATS:
            return None
        return "", str(turn.delta[-1].get("said", "")), times

    async def _answered(self, turn: Turn, reply: LlmReply) -> None:
        """The request's end and the record are one transaction, so each record has one request that was answered."""
        hold = self._hold
        payload = {
            "text": reply.text,
            "calls": [{"id": id_, "tool": tool, "args": args} for id_, tool, args in reply.calls],
            "finish": reply.finish,
            "usage": reply.usage,
            "cost": None if reply.cost is None else format(reply.cost, "f"),
            "llm": reply.llm,
        }
        response, in_blob = reply.end.response, False
        if response is not None:
            response, in_blob = await asyncio.to_thread(hold.powers.blobs.keep_text, response)
        how = AttemptEnd(LlmEnd.OK, reply.end.charge, reply.end.tokens, reply.end.told, response, in_blob)

        def operation(txn: Txn) -> None:
            if not llm_calls.end(txn, hold.run_id, *turn.identity, reply.n, how):
                raise Over
            self._record(txn, turn, payload, summary=llm_turns.summary_of(reply.text, reply.calls))

        await hold.do(operation, late=True)
        killpoints.reach("after_outcome")

    def _record(
        self,
        txn: Txn,
        turn: Turn,
        payload: dict[str, Any],
        *,
        outcome: Outcome = Outcome.OK,
        summary: str | None = None,
        origin: str | None = None,
    ) -> None:
        hold = self._hold
        tries = llm_calls.attempts_of(txn.conn, hold.run_id, *turn.identity)
        text, in_blob = hold.powers.blobs.keep_text(canonical(payload))
        new = records.NewRecord(
            run_id=hold.run_id,
            path=turn.identity[0],
            ordinal=turn.identity[1],
            kind=StepKind.LLM,
            name=turn.name,
            args_digest=turn.digest,
            outcome=outcome,
            payload=text,
            payload_blob=in_blob,
            summary=summary,
            started_at=tries[0]["started_at"] if tries else txn.now_us,
            attempts=max(len(tries), 1),
            origin=origin,
        )
        records.append(txn, new)

    async def _trouble(self, turn: Turn, trouble: LlmTrouble) -> None:
        """No llm answered: once more after a while, or put before a person."""
        hold = self._hold

        def operation(txn: Txn) -> None:
            if trouble.too_long:
                self._record(txn, turn, {"kind": "too_long", "message": str(trouble)}, outcome=Outcome.FAILED)
                return
            rounds = llm_calls.note_round(txn, hold.run_id, *turn.identity)
            if trouble.passing and rounds % EFFECT_TRIES:
                seed = f"{hold.run_id}/{turn.digest}"
                set_retry(txn, hold, turn.identity, txn.now_us + wait_us(rounds, seed, trouble.retry_after))
                return
            self._open_failure(txn, turn, str(trouble), rounds)

        await hold.do(operation, late=True)

    def _open_failure(self, txn: Txn, turn: Turn, message: str, rounds: int = 0) -> None:
        hold = self._hold
        error = {"type": "LlmTrouble", "message": message, "traceback": ""}
        spec = failure_spec(turn.name, error, rounds, title=title_of_step(hold.manifest, turn.name))
        open_in(txn, hold, turn.identity, Slot.FAILURE, spec, digest(canonical([message, rounds])))


def _asked_to_wait(tries: Sequence[Row]) -> int:
    """Until when the other side asked to be left alone, where whoever was to wait has died meanwhile; 0 where it did not.

    Longer waits have timers of their own, and other llms need not wait for this one.
    """
    told = json.loads(tries[-1]["told"] or "{}") if tries and tries[-1]["end"] == LlmEnd.REJECTED else {}
    seconds = float(told.get("retry_after") or 0)
    return int(tries[-1]["ended_at"] + seconds * 1_000_000) if 0 < seconds <= SLEPT_THROUGH else 0
