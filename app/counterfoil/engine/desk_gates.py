"""Gates at the desk: opened with exactly what will be shown, superseded when that changes, answered by a record."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Callable
from typing import Any

from counterfoil.authoring.codec import blob_shas, canonical, digest
from counterfoil.engine import answers, by_rule, killpoints
from counterfoil.engine.gate_lines import line_of
from counterfoil.engine.gate_shapes import checked_spec
from counterfoil.engine.holding import Breach, Hold, Identity
from counterfoil.engine.judging import judged
from counterfoil.engine.ports import BadEffect, EffectTrouble, Permission, PlanEntry
from counterfoil.facts import FailureClass, GateKind, GateState, Slot, storable
from counterfoil.store import gates, records, trail_rows
from counterfoil.store.transactions import Row, Txn

Answer = dict[str, Any]
INLINE_REPLY = 4096  # characters of a recorded value that go into a reply; a longer one is fetched
CHANGED = "What is asked has changed; a newer round is open"


class GateDesk:
    """Opens gates for a session and waits for their decisions."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold

    def checked(self, name: str, spec_text: str) -> dict[str, Any]:
        """The spec of approve() or ask().

        Raises:
            Breach: no honest door makes it.
        """
        spec = checked_spec(json.loads(spec_text), name)
        for item in spec["plan"]:
            try:
                self._hold.powers.effects.check(item["body"])
            except BadEffect as problem:
                raise Breach(f"a plan item that is no effect: {problem}") from problem
        if not set(blob_shas(spec)) <= self._hold.shas:
            raise Breach("a gate that names bytes which were never handed over")
        return spec

    async def ask(self, identity: Identity, spec: dict[str, Any], asked_digest: str) -> dict[str, Any]:
        """Open (or find) the gate of approve() or ask() and wait; the reply frame.

        Raises:
            EffectTrouble: an effect of the plan cannot be done on the world as it is.
        """
        then = functools.partial(by_rule.decide, self._hold)
        await self.open(identity, Slot.OUTCOME, spec, asked_digest=asked_digest, then=then)
        while True:
            row = records.get(self._hold.powers.database.reader, self._hold.run_id, *identity)
            if row is not None:
                self._hold.known.add(identity)
                return recorded_reply(self._hold, row)
            await self._hold.park(identity, Slot.OUTCOME)

    async def open(
        self,
        identity: Identity,
        slot: Slot,
        spec: dict[str, Any],
        *,
        asked_digest: str,
        then: Callable[[Txn, Row, dict[str, Any]], None] | None = None,
    ) -> None:
        """Open a gate unless one for the same question stands there; one whose question changed is superseded. `then` is done in the
        transaction that opens it, with its row and what it shows.

        Raises:
            EffectTrouble: an effect of the plan cannot be done on the world as it is.
        """
        hold = self._hold
        standing = gates.newest(hold.powers.database.reader, hold.run_id, *identity, slot)
        if standing is not None and stands(standing, asked_digest):
            return
        shown = bound(await self._shown(spec), hold.run_id, hold.workspace, identity, slot)
        text = canonical(shown)
        kept = await asyncio.to_thread(hold.powers.blobs.keep_text, text)

        def operation(txn: Txn) -> None:
            row = open_in(txn, hold, identity, slot, shown, asked_digest, kept)
            if row is not None and then is not None:
                then(txn, row, shown)

        await hold.do(operation)
        killpoints.reach("after_gate")

    async def entry(self, body: dict[str, Any]) -> PlanEntry:
        """How a person sees one effect.

        Raises:
            EffectTrouble: it cannot be done on the world as it is.
        """
        return (await asyncio.to_thread(self._hold.powers.effects.prepare_plan, [body], self._hold.workspace))[0]

    def _warnings(self, bodies: list[dict[str, Any]]) -> list[str]:
        """What whoever is asked has to know of a plan. One that policy forbids is not put before a person: nobody could approve it."""
        found = dict[str, None]()
        for body in bodies:
            judgement = judged(self._hold, body)
            if judgement.permission is Permission.DENY:
                raise EffectTrouble(judgement.reason, FailureClass.STRUCTURAL)
            if judgement.warning is not None:
                found[judgement.warning] = None
        return list(found)

    async def _shown(self, spec: dict[str, Any]) -> dict[str, Any]:
        """The spec with what the runner knows of the world added to each plan item: this is what is sealed."""
        bodies = [item["body"] for item in spec["plan"]]
        warnings = self._warnings(bodies)
        if spec["kind"] == GateKind.CONFLICT:
            return spec  # its plan was shown before, and what has become of the world since was compared with it
        entries: list[PlanEntry] = []
        if bodies:
            prepare = self._hold.powers.effects.prepare_plan
            entries = await asyncio.to_thread(prepare, bodies, self._hold.workspace)
        plan = [
            {**item, "n": n, **entry_json(entry)}
            for n, (item, entry) in enumerate(zip(spec["plan"], entries, strict=True), start=1)
        ]
        return {"about": {}, **spec, "plan": plan, "flags": [*spec["flags"], *warnings], "warnings": warnings}


def stands(row: Row, asked_digest: str) -> bool:
    """Whether a gate is the one for this question: decided and not taken up, or open for the same."""
    if row["state"] in (GateState.DECIDED, GateState.EXPIRED):
        return row["taken_at"] is None
    return bool(row["state"] == GateState.OPEN and row["asked_digest"] == asked_digest)


def bound(spec: dict[str, Any], run_id: str, workspace: str, identity: Identity, slot: Slot) -> dict[str, Any]:
    """A spec with whose it is: two gates that show the same have different seals."""
    whose = {"run_id": run_id, "workspace": workspace, "path": identity[0], "ordinal": identity[1], "slot": str(slot)}
    return {**spec, "run": whose}


def open_in(
    txn: Txn,
    hold: Hold,
    identity: Identity,
    slot: Slot,
    spec: dict[str, Any],
    asked_digest: str,
    kept: tuple[str, bool] | None = None,
) -> Row | None:
    """Open a gate in a transaction, unless one for the same question stands; `kept` is its text as a row keeps it. Its row."""
    if slot is Slot.OUTCOME and records.get(txn.conn, hold.run_id, *identity) is not None:
        return None  # the answer was taken up after the claim, so the session could not know of it
    standing = gates.newest(txn.conn, hold.run_id, *identity, slot)
    if standing is not None:
        if stands(standing, asked_digest):
            return None
        gates.close(txn, standing["gate_id"], GateState.SUPERSEDED, CHANGED)
    spec = bound(spec, hold.run_id, hold.workspace, identity, slot)
    text = canonical(spec)
    column, in_blob = kept or hold.powers.blobs.keep_text(text)
    expires_for = spec["expires_for"]
    new = gates.NewGate(
        run_id=hold.run_id,
        path=identity[0],
        ordinal=identity[1],
        slot=slot,
        kind=GateKind(spec["kind"]),
        title=storable(spec["title"]),
        spec=column,
        spec_blob=in_blob,
        asked_digest=asked_digest,
        digest=digest(text),
        round=spec["round"] + gates.rounds(txn.conn, hold.run_id, *identity, slot),
        due_at=txn.now_us + expires_for if expires_for else None,
        on_due="expires" if expires_for else None,
        claims=tuple(spec["claims"]),
        workspace=hold.workspace,
        files_as_of=hold.stage.sight.taken_us if hold.stage is not None else None,
        line=line_of(spec),
    )
    row = gates.open_gate(txn, new)
    trail_rows.append(
        txn,
        by="runner",
        kind="gate",
        subject=new.run_id,
        summary=f"Asked “{new.title}” (g-{row['number']})",
        after={"gate": row["gate_id"], "digest": row["digest"], "head": records.head(txn.conn, new.run_id)},
    )
    return row


def answer_of(txn: Txn, hold: Hold, identity: Identity, slot: Slot) -> Answer | None:
    """The decision in effect on the newest gate of a slot, not taken up yet; None while there is none. `gate_id` beside."""
    row = gates.answer_at(txn.conn, hold.run_id, *identity, slot, txn.now_us)
    return None if row is None else {**answers.payload_of(txn, row), "gate_id": row["gate_id"]}


def recorded_reply(hold: Hold, row: Row) -> dict[str, Any]:
    """A reply that hands over a record: its value when that is short, else the session fetches it."""
    reply: dict[str, Any] = {"k": "ok", "outcome": row["outcome"], "at": row["committed_at"]}
    if not row["payload_blob"] and len(row["payload"]) <= INLINE_REPLY:
        reply["r"] = row["payload"]
        if '"$blob"' in row["payload"]:
            hold.shas.update(blob_shas(json.loads(row["payload"])))
    return reply


def entry_json(entry: PlanEntry) -> dict[str, Any]:
    """A plan entry's facts as JSON."""
    return {
        "effect": entry.effect,
        "summary": entry.summary,
        "target": entry.target,
        "before_digest": entry.before_digest,
        "after_digest": entry.after_digest,
        "bytes": entry.bytes,
        "risk": str(entry.risk),
        "risk_reason": entry.risk_reason,
        "base": dict(entry.base),
    }


def blank_spec(kind: GateKind, title: str, **parts: Any) -> dict[str, Any]:
    """A gate of the runner's own: doubt, failure, or an effect that policy asks about."""
    return {
        "kind": str(kind),
        "title": title[:500],
        "plan": [],
        "evidence": [],
        "flags": [],
        "fields": [],
        "figures": [],
        "claims": [],
        "partial": False,
        "round": 1,
        "expires_for": None,
        "about": {},
        **parts,
    }
