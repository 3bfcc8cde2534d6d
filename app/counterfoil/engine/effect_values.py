"""One effect as the desk holds it, and how its tries and its outcome are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterfoil.engine import file_sets, staging, tainting
from counterfoil.engine.holding import Hold, Identity
from counterfoil.facts import AttemptState, Outcome, StepKind
from counterfoil.store import records, trail_rows
from counterfoil.store.stage_rows import StagedChange
from counterfoil.store.transactions import Txn


@dataclass(frozen=True, slots=True)
class Asked:
    """One effect that a session awaits. `seal` is the gate's identity and the item's number, as claimed by the session."""

    identity: Identity
    body: dict[str, Any]
    text: str
    digest: str
    key: str
    seal: tuple[str, int, int] | None
    raises: bool = False  # a conflict of files goes to the author, not to a person

    @property
    def kind(self) -> str:
        """The kind with its version."""
        return str(self.body["kind"])


@dataclass(frozen=True, slots=True)
class Ended:
    """How an effect ended, before or after it is committed; `payload` is canonical text, `origin` who says so.

    `voids`: the approval that covered it covers nothing any more. Of a command, `changes` are what it has made of the run's files,
    `read` the words of others that it could read.
    """

    outcome: Outcome
    payload: str
    origin: str | None = None
    voids: bool = False
    changes: tuple[StagedChange, ...] = ()
    read: tuple[str, ...] = ()


def note_attempt(txn: Txn, hold: Hold, asked: Asked) -> None:
    """A try begins: until its end is recorded nobody knows how it went."""
    records.note_attempt(
        txn, hold.run_id, *asked.identity, kind=StepKind.EFFECT, name=asked.kind, state=AttemptState.UNKNOWN
    )


def record_outcome(txn: Txn, hold: Hold, asked: Asked, ended: Ended) -> None:
    """Write how an effect ended, with its trail entry."""
    tries = records.attempts_of(txn.conn, hold.run_id, *asked.identity)
    if tries and tries[-1]["state"] == AttemptState.UNKNOWN:
        state = AttemptState.OK if ended.outcome is Outcome.OK else AttemptState.FAILED
        records.end_attempt(txn, hold.run_id, *asked.identity, state)
    if ended.voids:
        file_sets.void(txn, hold, asked.identity)
    kept, in_blob = hold.powers.blobs.keep_text(ended.payload)
    new = records.NewRecord(
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
    )
    head = records.append(txn, new)
    staging.keep(txn, hold, asked.identity, ended.changes)
    tainting.note_read(txn, hold, ended.read)
    after = {
        "key": asked.key,
        "digest": asked.digest,
        "outcome": str(ended.outcome),
        "origin": ended.origin,
        "head": head,
    }
    if ended.outcome is Outcome.OK:
        tainting.note_answer(txn, hold, asked.body)
    summary = f"{asked.kind} {'done' if ended.outcome is Outcome.OK else 'not done'}"
    trail_rows.append(txn, by="runner", kind="effect", subject=hold.run_id, summary=summary, after=after)
