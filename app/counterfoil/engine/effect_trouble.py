"""Trying an effect, and what becomes of a try that failed, that met other files, or whose end nobody knows.

Nothing here decides what happens next: rows are written (a timer, a gate, how the try ended) and the desk looks at the effect again.
"""

from __future__ import annotations

import json
import logging
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.authoring.parameters import Field
from counterfoil.engine import command_effects, desk_conflicts, fact_effects, file_sets, killpoints, silence, staging
from counterfoil.engine.desk_failures import FailureDesk, open_failure, set_retry
from counterfoil.engine.desk_gates import GateDesk, blank_spec
from counterfoil.engine.effect_values import Asked, Ended
from counterfoil.engine.failing import EFFECT_TRIES, wait_us
from counterfoil.engine.holding import Hold
from counterfoil.engine.ports import Conflict, EffectTrouble, Finding, InputNeeded, Moment, OutcomeUnknown, Reconciled
from counterfoil.engine.sampling import Sampler
from counterfoil.errors import SecretMissing
from counterfoil.facts import (
    CUT_OFF,
    AttemptState,
    DoubtPolicy,
    FailureClass,
    GateKind,
    Outcome,
    Slot,
    StepKind,
    Verdict,
)
from counterfoil.store import gates, intents, records, runs, seals
from counterfoil.store.transactions import Txn

HOW = {
    "mail@1": "Look in Sent items for this subject.",
    "http@1": "Ask the other side for the request with this key.",
    "call@1": "Look where the connector would have done it.",
}
_log = logging.getLogger(__name__)


class EffectTroubles:
    """The tries of effects."""

    def __init__(self, hold: Hold, gate_desk: GateDesk, failures: FailureDesk) -> None:
        self._hold = hold
        self._gates = gate_desk
        self._failures = failures

    async def act(self, asked: Asked) -> Ended | None:
        """Perform an intended effect once; its end, or None where the desk has to look again."""
        effects = self._hold.powers.effects
        # What leaves the house is stopped by no fence: a holder that slept past its lease looks once more before it acts.
        runs.confirm(self._hold.powers.database.reader, self._hold.run_id, self._hold.fence)
        limit, cut = silence.of_effect(asked.body), asked.kind in CUT_OFF
        try:
            with self._hold.hearing.during(asked.identity, asked.kind, StepKind.EFFECT, limit, cut=cut):
                if asked.kind == command_effects.KIND:
                    return await command_effects.act(self._hold, asked)
                if asked.kind == fact_effects.KIND:
                    return await fact_effects.act(self._hold, asked)
                if effects.is_file(asked.body):
                    outcome = await file_sets.apply(self._hold, asked.identity)
                else:
                    outcome = await effects.perform(asked.body, asked.key, self._hold.workspace, self._moment(asked))
                payload = canonical(outcome)
        except Conflict as conflict:
            if asked.raises:
                await staging.refresh(self._hold)  # the workflow is about to look again
                words = {"kind": "conflict", "message": str(conflict), "paths": conflict.paths}
                return Ended(Outcome.FAILED, canonical(words), voids=True)
            await self._conflict(asked, conflict)
        except InputNeeded as needed:
            await self._ask_input(asked, needed)
        except EffectTrouble as trouble:
            await self._trouble(asked, trouble)
        except SecretMissing as missing:
            await self._trouble(asked, EffectTrouble(str(missing), FailureClass.STRUCTURAL))
        except OutcomeUnknown as unknown:
            await self._unknown(asked, str(unknown))
        except Exception as fault:  # noqa: BLE001 - nobody knows how far it came
            _log.exception("%s ended in a way that its hands do not foresee", asked.kind)
            await self._unknown(asked, f"{type(fault).__name__}: {fault}")
        else:
            killpoints.reach("after_perform")
            return Ended(Outcome.OK, payload)
        return None

    def _moment(self, asked: Asked) -> Moment:
        """What an effect may need to know: its files, what its approval is bound to, and what a person said when it asked."""
        hold = self._hold
        conn = hold.powers.database.reader
        intent = intents.get(conn, hold.run_id, *asked.identity)
        gate_id = intent["gate_id"] if intent is not None else None
        seal = seals.one(conn, gate_id, intent["item"]) if intent is not None and gate_id is not None else None
        base = json.loads(seal["base"]) if seal is not None else {}
        stage = hold.stage.root if hold.stage is not None else None
        sample = Sampler(hold, asked.identity, asked.key)
        gate = gates.newest(conn, hold.run_id, *asked.identity, Slot.INPUT)
        if gate is None or gate["taken_at"] is None:
            return Moment(stage, base, sample=sample)
        spec = json.loads(hold.powers.blobs.text(gate["spec"], gate["spec_blob"]))
        decision = gates.decisions(conn, gate["gate_id"])[-1]
        declined = decision["verdict"] not in (Verdict.ANSWERED, Verdict.APPROVED)
        answers, by = json.loads(decision["answers"]), decision["principal"]
        return Moment(stage, base, spec["about"]["state"], answers, declined, by, sample)

    async def _ask_input(self, asked: Asked, needed: InputNeeded) -> None:
        """The other side asks something: how it stands is kept with the gate, and the try is over. In between nobody knows how it ended."""
        about = {"effect": asked.kind, "state": needed.state, "why": needed.why}
        parts = {"fields": needed.fields, "evidence": needed.evidence, "flags": needed.flags, "about": about}
        spec = blank_spec(GateKind.QUESTION, str(needed), **parts)
        asked_digest = digest(canonical([asked.digest, needed.state]))
        await self._gates.open(asked.identity, Slot.INPUT, spec, asked_digest=asked_digest)
        await self._ended_badly(asked, f"{needed}.")

    async def _unknown(self, asked: Asked, words: str) -> None:
        """Nobody knows how the try ended: the next look is a doubt. Of files the journal knows, so a further try is safe."""
        if self._hold.powers.effects.is_file(asked.body):
            await self._trouble(asked, EffectTrouble(words, FailureClass.TRANSIENT))

    async def doubt(self, asked: Asked) -> Ended | None:
        """A try without an end: by the catalogue's policy looked up, tried again, or put to a person."""
        policy = self._hold.powers.effects.policy(asked.body)
        if policy is DoubtPolicy.RECONCILE:
            found = await self.look_up(asked)
            if found.finding is Finding.HAPPENED:
                return Ended(Outcome.OK, canonical(found.outcome), origin="looked up")
            if found.finding is Finding.NOT_HAPPENED:
                policy = DoubtPolicy.RETRY
        tries = records.attempts_of(self._hold.powers.database.reader, self._hold.run_id, *asked.identity)
        if policy is DoubtPolicy.RETRY and len(tries) < EFFECT_TRIES:
            await self._again(asked, len(tries))
        else:
            await self.ask_doubt(asked)
        return None

    async def look_up(self, asked: Asked) -> Reconciled:
        """Ask the outside whether it happened; what stops the asking leaves it unknown."""
        try:
            with self._hold.hearing.during(asked.identity, asked.kind, StepKind.EFFECT, silence.USUAL):
                return await self._hold.powers.effects.reconcile(asked.body, asked.key, self._hold.workspace)
        except Exception as problem:  # noqa: BLE001 - whatever stops the asking, the answer is not known
            _log.info("%s could not be looked up: %s", asked.kind, problem)
            return Reconciled(Finding.UNKNOWN)

    async def _again(self, asked: Asked, tries: int) -> None:
        """A further try is safe: the first at once, as after a crash; later ones after a while."""
        hold = self._hold
        wait = 0 if tries == 1 else wait_us(tries - 1, asked.key)
        await hold.do(lambda txn: set_retry(txn, hold, asked.identity, txn.now_us + wait))

    async def ask_doubt(self, asked: Asked) -> None:
        """Put it to a person."""
        tries = records.attempts_of(self._hold.powers.database.reader, self._hold.run_id, *asked.identity)
        began_us = tries[-1]["started_at"]
        try:
            summary = (await self._gates.entry(asked.body)).summary
        except EffectTrouble:
            summary = asked.kind
        asked_digest = digest(canonical([asked.digest, began_us]))
        spec = doubt_spec(asked, summary, began_us)
        await self._gates.open(asked.identity, Slot.DOUBT, spec, asked_digest=asked_digest)

    async def _trouble(self, asked: Asked, trouble: EffectTrouble) -> None:
        """A try is known to have failed: once more after a while, or put before a person."""
        hold = self._hold

        def operation(txn: Txn) -> None:
            records.end_attempt(txn, hold.run_id, *asked.identity, AttemptState.FAILED, str(trouble))
            tries = len(records.attempts_of(txn.conn, hold.run_id, *asked.identity))
            if trouble.failure_class is FailureClass.TRANSIENT and tries < EFFECT_TRIES:
                set_retry(txn, hold, asked.identity, txn.now_us + wait_us(tries, asked.key, trouble.retry_after))
                return
            error = {"type": "EffectTrouble", "message": str(trouble), "traceback": ""}
            open_failure(txn, hold, asked.identity, asked.kind, error, tries, is_effect=True)

        await hold.do(operation, late=True)

    async def _conflict(self, asked: Asked, conflict: Conflict) -> None:
        """The folder is not what was approved: nothing was written, and a person says what shall become of each file."""
        hold = self._hold
        try:
            opened = await desk_conflicts.ask(hold, self._gates, asked)
        except EffectTrouble as trouble:
            await self._ended_badly(asked, str(conflict))
            await self._failures.ask(asked.identity, asked.kind, str(trouble), is_effect=True)
            return
        if opened:
            await self._ended_badly(asked, str(conflict))
        else:
            await self._trouble(asked, EffectTrouble(str(conflict), FailureClass.TRANSIENT))

    async def _ended_badly(self, asked: Asked, words: str) -> None:
        run_id, failed = self._hold.run_id, AttemptState.FAILED
        await self._hold.do(lambda txn: records.end_attempt(txn, run_id, *asked.identity, failed, words), late=True)


def doubt_spec(asked: Asked, summary: str, began_us: int) -> dict[str, Any]:
    """The gate “Did this happen?”: what is known, how to find out, and the three answers."""
    facts = [
        [name, value] for name, value in asked.body["args"].items() if isinstance(value, (str, int, list)) and value
    ]
    answers = ["happened", "not_happened", "stop"]
    choice = Field(name="choice", type="choice", label="Did it happen?", choices=answers, required=True)
    result = Field(name="result", label="What came of it")
    how = HOW.get(asked.kind, "Look at the other side.")
    about = {"effect": asked.kind, "key": asked.key, "began_us": began_us, "facts": facts, "how": how}
    return blank_spec(
        GateKind.DOUBT, _asked_of(asked, summary), fields=[choice.to_json(), result.to_json()], about=about
    )


def _asked_of(asked: Asked, summary: str) -> str:
    """The question of a doubt; a mail is known by its subject."""
    subject = asked.body["args"].get("subject") if asked.kind.partition("@")[0] == "mail" else None
    return f"Did this mail go out? {subject}" if subject else f"Did this happen? {summary}"
