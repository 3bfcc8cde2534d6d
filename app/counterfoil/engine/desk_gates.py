"""Gates at the desk: opened with exactly what will be shown, superseded when that changes, answered by a record."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Any

from counterfoil.authoring.codec import blob_shas, canonical, digest
from counterfoil.engine import answers, killpoints
from counterfoil.engine.gate_lines import line_of
from counterfoil.engine.holding import Breach, Hold, Identity
from counterfoil.engine.ports import BadEffect, PlanEntry
from counterfoil.facts import GateKind, GateState, Slot, storable
from counterfoil.store import gates, records, trail_rows
from counterfoil.store.transactions import Row, Txn

_SPEC_KEYS = frozenset(
    {"kind", "title", "plan", "evidence", "flags", "fields", "figures", "claims", "partial", "round", "expires_for"}
)


class GateDesk:
    """Opens gates for a session and waits for their decisions."""

    def __init__(self, hold: Hold) -> None:
        self._hold = hold

    async def ask(self, identity: Identity, name: str, spec_text: str) -> dict[str, Any]:
        """Open (or find) the gate of approve() or ask() and wait; the reply frame."""
        spec = self._checked(json.loads(spec_text), name)
        await self.open(identity, Slot.OUTCOME, spec, asked_digest=digest(spec_text))
        self._hold.gated.add(identity)
        while True:
            row = self._record(identity)
            if row is not None:
                self._hold.known.add(identity)
                text = self._hold.powers.blobs.text(row["payload"], row["payload_blob"])
                return {"k": "ok", "r": text, "at": row["committed_at"]}
            await self._hold.park(identity, Slot.OUTCOME)

    def _record(self, identity: Identity) -> Row | None:
        with self._hold.powers.database.connect() as conn:
            return records.get(conn, self._hold.run_id, *identity)

    def _checked(self, spec: dict[str, Any], name: str) -> dict[str, Any]:
        """Refuse a spec that no honest door makes, whatever its parts look like."""
        kind = {"approve": GateKind.APPROVAL, "ask": GateKind.QUESTION}.get(name)
        if kind is None or set(spec) != _SPEC_KEYS or spec["kind"] != kind:
            raise Breach(f"a gate of a shape that {name} does not make")
        lists = ("plan", "evidence", "flags", "fields", "figures", "claims")
        if any(not isinstance(spec[key], list) for key in lists) or not isinstance(spec["title"], str):
            raise Breach("a gate whose parts are of another type")
        for item in spec["plan"]:
            try:
                self._hold.powers.effects.check(item["body"])
            except (BadEffect, KeyError, TypeError) as problem:
                raise Breach(f"a plan item that is no effect: {problem}") from problem
        try:
            line_of(spec)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as problem:
            raise Breach(f"a gate whose parts have another shape: {problem}") from problem
        missing = [sha for sha in blob_shas(spec) if sha not in self._hold.shas]
        if missing:
            raise Breach("a gate that names bytes which were never handed over")
        return spec

    async def open(self, identity: Identity, slot: Slot, spec: dict[str, Any], *, asked_digest: str) -> None:
        """Open a gate unless one for the same question stands there; one whose question changed is superseded."""
        hold = self._hold
        with hold.powers.database.connect() as conn:
            standing = gates.newest(conn, hold.run_id, *identity, slot)
        if standing is not None and self._stands(standing, asked_digest):
            return
        shown = await self._shown(spec)
        text = canonical(shown)
        kept, in_blob = await asyncio.to_thread(hold.powers.blobs.keep_text, text)
        new = gates.NewGate(
            run_id=hold.run_id,
            path=identity[0],
            ordinal=identity[1],
            slot=slot,
            kind=GateKind(spec["kind"]),
            title=storable(spec["title"][:500]),
            spec=kept,
            spec_blob=in_blob,
            asked_digest=asked_digest,
            digest=digest(text),
            round=int(spec["round"]),
            claims=tuple(str(key) for key in spec["claims"]),
            workspace=hold.workspace,
            line=line_of(shown),
        )
        await hold.do(lambda txn: self._open(txn, new, spec.get("expires_for")))
        killpoints.reach("after_gate")

    @staticmethod
    def _stands(row: Row, asked_digest: str) -> bool:
        if row["state"] in (GateState.DECIDED, GateState.EXPIRED):
            return row["taken_at"] is None
        return bool(row["state"] == GateState.OPEN and row["asked_digest"] == asked_digest)

    def _open(self, txn: Txn, new: gates.NewGate, expires_for: int | None) -> Row | None:
        standing = gates.newest(txn.conn, new.run_id, new.path, new.ordinal, new.slot)
        rounds = gates.rounds(txn.conn, new.run_id, new.path, new.ordinal, new.slot)
        if standing is not None:
            if self._stands(standing, new.asked_digest):
                return None
            gates.close(
                txn, standing["gate_id"], GateState.SUPERSEDED, "What is asked has changed; a newer round is open"
            )
        due_at = txn.now_us + expires_for if expires_for else None
        row = gates.open_gate(
            txn,
            dataclasses.replace(new, round=new.round + rounds, due_at=due_at, on_due="expires" if due_at else None),
        )
        trail_rows.append(
            txn,
            by="runner",
            kind="gate",
            subject=new.run_id,
            summary=f"Asked “{new.title}” (g-{row['number']})",
            after={"gate": row["gate_id"], "digest": row["digest"], "head": records.head(txn.conn, new.run_id)},
        )
        return row

    async def _shown(self, spec: dict[str, Any]) -> dict[str, Any]:
        """The spec with what the runner knows of the world added to each plan item: this is what is sealed."""
        effects, workspace = self._hold.powers.effects, self._hold.workspace

        def prepare() -> list[dict[str, Any]]:
            entries = effects.prepare_plan([item["body"] for item in spec["plan"]], workspace)
            numbered = enumerate(zip(spec["plan"], entries, strict=True), start=1)
            return [{**item, "n": n, **entry_json(entry)} for n, (item, entry) in numbered]

        return {"about": {}, **spec, "plan": await asyncio.to_thread(prepare)}


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
        "base": dict(entry.base),
    }


def blank_spec(kind: GateKind, title: str, **parts: Any) -> dict[str, Any]:
    """A gate of the runner's own: doubt, failure, or an effect that policy asks about."""
    return {
        "kind": str(kind),
        "title": title,
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


def take_decided(txn: Txn, run_id: str, identity: Identity, slot: Slot) -> dict[str, Any] | None:
    """The decision on the newest gate of a slot, taken up; None while it is open or not yet in effect."""
    for row in gates.answered(txn.conn, run_id, txn.now_us):
        if (row["path"], row["ordinal"]) == identity and row["slot"] == slot:
            gates.take(txn, row["gate_id"])
            return {**answers.payload_of(txn, row), "gate_id": row["gate_id"]}
    return None
