"""Effects that nobody awaits any more and whose outcome nobody has recorded: they were begun in a branch that then lost its race, and a
crash came between. A run does not end over them: each is found out, or put to a person, and none is begun again that did not happen.
"""

from __future__ import annotations

import json

from counterfoil.authoring.codec import canonical
from counterfoil.engine.desk_failures import FailureDesk, choice_of, given_texts
from counterfoil.engine.desk_gates import Answer, answer_of
from counterfoil.engine.effect_trouble import EffectTroubles
from counterfoil.engine.effect_values import Asked, Ended, note_attempt, record_outcome
from counterfoil.engine.failing import EFFECT_TRIES
from counterfoil.engine.holding import Hold
from counterfoil.engine.ports import Finding
from counterfoil.facts import AttemptState, DoubtPolicy, Outcome, Slot, person
from counterfoil.store import file_ops, gates, intents, records
from counterfoil.store.transactions import Row, Txn

NOT_DONE = Ended(Outcome.CANCELLED, "null")


class LeftOvers:
    """Settles what is left over before a run is done."""

    def __init__(self, hold: Hold, failures: FailureDesk, troubles: EffectTroubles) -> None:
        self._hold = hold
        self._failures = failures
        self._troubles = troubles

    async def settle(self) -> None:
        """Bring every intent without a record to an end.

        Raises:
            Over: a person chose to stop the run, or the hold has ended.
        """
        hold = self._hold
        await hold.quiet()
        hold.lost.clear()  # nothing can be begun any more, and what is left must be looked at
        for intent in intents.open_ones(hold.powers.database.reader, hold.run_id):
            await self._settle(self._asked(intent))

    def _asked(self, intent: Row) -> Asked:
        text = self._hold.powers.blobs.text(intent["body"], intent["body_blob"])
        identity = (intent["path"], intent["ordinal"])
        return Asked(identity, json.loads(text), text, intent["digest"], intent["key"], None)

    async def _settle(self, asked: Asked) -> None:
        hold = self._hold
        while True:
            word, answer = await hold.do(lambda txn: self._look(txn, asked))
            if word == "recorded":
                return
            if word == "wait":
                await hold.park(asked.identity, Slot.DOUBT)
            elif word == "stop" and answer is not None:
                await self._failures.stop(asked.kind, answer)
            else:
                with hold.working():
                    await self._end(asked, await (self._troubles.act(asked) if word == "go" else self._find_out(asked)))

    async def _end(self, asked: Asked, ended: Ended | None) -> None:
        if ended is not None:
            await self._hold.do(lambda txn: record_outcome(txn, self._hold, asked, ended), late=True)

    def _look(self, txn: Txn, asked: Asked) -> tuple[str, Answer | None]:
        """What the rows say is to be done: nothing, wait for a person, stop, carry on what is safe, or find out."""
        hold = self._hold
        if records.get(txn.conn, hold.run_id, *asked.identity) is not None:
            return "recorded", None
        for gate in gates.untaken(txn.conn, hold.run_id, *asked.identity):
            if gate["slot"] == Slot.DOUBT:
                return self._answered(txn, asked, gate)
        tries = records.attempts_of(txn.conn, hold.run_id, *asked.identity)
        all_failed = all(row["state"] == AttemptState.FAILED for row in tries)
        if all_failed or self._has_touched_nothing(txn, asked):
            record_outcome(txn, hold, asked, NOT_DONE)
            return "recorded", None
        if hold.powers.effects.policy(asked.body) is DoubtPolicy.RETRY and len(tries) < EFFECT_TRIES:
            note_attempt(txn, hold, asked)
            return "go", None
        return "doubt", None

    def _answered(self, txn: Txn, asked: Asked, gate: Row) -> tuple[str, Answer | None]:
        answer = answer_of(txn, self._hold, asked.identity, Slot.DOUBT)
        if answer is None or answer["gate_id"] != gate["gate_id"]:
            return "wait", None
        if choice_of(answer) == "stop":
            return "stop", answer
        gates.take(txn, gate["gate_id"])
        ended = NOT_DONE
        if choice_of(answer) == "happened":
            ended = Ended(Outcome.OK, given_texts(answer)[0], origin=f"said by {person(answer['by'])}")
        record_outcome(txn, self._hold, asked, ended)
        return "recorded", None

    def _has_touched_nothing(self, txn: Txn, asked: Asked) -> bool:
        """A set of files without a journal was not begun; one with a journal is carried on to its end."""
        if not self._hold.powers.effects.is_file(asked.body):
            return False
        intent = intents.get(txn.conn, self._hold.run_id, *asked.identity)
        return intent is None or not file_ops.of_gate(txn.conn, str(intent["gate_id"]))

    async def _find_out(self, asked: Asked) -> Ended | None:
        if self._hold.powers.effects.policy(asked.body) is DoubtPolicy.RECONCILE:
            found = await self._troubles.look_up(asked)
            if found.finding is Finding.HAPPENED:
                return Ended(Outcome.OK, canonical(found.outcome), origin="looked up")
            if found.finding is Finding.NOT_HAPPENED:
                return NOT_DONE
        await self._troubles.ask_doubt(asked)
        return None
