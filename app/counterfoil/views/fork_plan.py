"""What it takes to go on from a step of a run in a new one: what is taken over, what already happened outside and is not repeated, and
where the new run begins, since an approval is never carried over to another run.

What was approved and nothing was done under yet is asked anew, so the new run begins before it. Effects that were approved together and
happened are kept together, or done again together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterfoil.authoring.machine import root_of
from counterfoil.facts import GateState, Outcome, StepKind, Verdict, as_sentence
from counterfoil.store import file_ops, gates, intents, llm_calls, records, runs, timers, undoings
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.effect_names import does_nothing_outside, listed, named
from counterfoil.views.steps import effect_summaries

Identity = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ForkPlan:
    """A new run that goes on from a step of another. `asked` is the ordinal of that step in the root branch, `start` the one it begins at,
    `moved` the sentence that says why that is earlier.

    `kept` names what happened outside and is not repeated, `again` what happened from `start` on and would be asked about; `settled` are
    the paths that what is kept has brought into the workspace. `refusal` says in a sentence why it cannot be, "" where it can, and `way`
    what can be done then.
    """

    run: Row
    asked: int
    start: int
    records: tuple[Row, ...] = ()
    summaries: dict[Identity, str] = field(default_factory=dict)
    settled: frozenset[str] = frozenset()
    kept: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    moved: str = ""
    refusal: str = ""
    way: str = ""

    @property
    def sentences(self) -> tuple[str, ...]:
        """What of the outside world is not repeated, and what is asked about."""
        number = self.run["number"]
        told = []
        if self.kept:
            are = "1 effect" if len(self.kept) == 1 else f"{len(self.kept)} effects"
            verb = "is not repeated" if len(self.kept) == 1 else "are not repeated"
            told.append(as_sentence(f"{are} of run {number} already happened and {verb}: {listed(self.kept)}"))
        else:
            told.append(f"Nothing that run {number} did before this step changed anything outside it.")
        if self.again:
            again = f"Also done by run {number}, and asked about before it is done once more: {listed(self.again)}"
            told.append(as_sentence(again))
        return (*told, *([self.moved] if self.moved else []), APPROVALS)


APPROVALS = "Approvals are never carried over to another run."


@dataclass(frozen=True, slots=True)
class _Effect:
    """One that happened: where, in which gate it was approved, at which root ordinal that gate stands, what people call it."""

    identity: Identity
    gate_id: str | None
    gate_root: int
    name: str
    outside: bool
    put_back: bool = False
    paths: tuple[str, ...] = ()

    @property
    def root(self) -> int:
        return root_of(*self.identity)


def fork_plan(conn: Connection, blobs: Blobs, run: Row, asked: int, *, again: bool = False) -> ForkPlan:
    """Going on from the step at `asked`, an ordinal of the root branch. `again`: what happened before it is done again as well, each effect
    after a new approval."""
    rows = records.of_run(conn, run["run_id"])
    refusal, way = _trouble(conn, run, rows, asked)
    if refusal:
        return ForkPlan(run, asked, asked, refusal=refusal, way=way)
    summaries = effect_summaries(conn, blobs, run)
    effects = _happened(conn, blobs, run, rows, summaries)
    start = _start(blobs, rows, effects, asked, again=again)
    kept = [effect for effect in effects if effect.root < start]
    refusal, way = _cannot_keep(conn, run, rows, effects, start)
    return ForkPlan(
        run,
        asked,
        start,
        tuple(row for row in rows if root_of(row["path"], row["ordinal"]) < start),
        summaries,
        frozenset(path for effect in kept for path in effect.paths),
        tuple(effect.name for effect in kept if effect.outside),
        tuple(effect.name for effect in effects if effect.root >= start and effect.outside and not effect.put_back),
        "" if refusal or start == asked else _moved(start, again=again),
        refusal,
        way,
    )


def root_steps(conn: Connection, run: Row, rows: Sequence[Row]) -> set[int]:
    """The ordinals of the root branch at which a run has done, begun or asked something."""
    run_id = run["run_id"]
    sources: list[Iterable[Row]] = [
        rows,
        records.attempts(conn, run_id),
        intents.of_run(conn, run_id),
        llm_calls.of_run(conn, run_id),
        timers.pending(conn, run_id),
        [gate for gate in gates.of_run(conn, run_id) if gate["state"] in (GateState.OPEN, GateState.DECIDED)],
    ]
    found = {root_of(row["path"], row["ordinal"]) for source in sources for row in source}
    return {at for at in found if at >= 0}


def _trouble(conn: Connection, run: Row, rows: Sequence[Row], asked: int) -> tuple[str, str]:
    """Why a run cannot be gone on with from a step at all, and what can be done."""
    number, known = run["number"], root_steps(conn, run, rows)
    see = f"See: counterfoil show r-{number}"
    if records.first_broken(run["run_id"], records.links(conn, run["run_id"])) is not None:
        return (
            f"What was kept of run {number} is damaged, so nothing can go on from it.",
            "Run: counterfoil trail --verify",
        )
    if not known:
        return f"Run {number} has come to no step yet, so there is none to go on from.", see
    if asked not in known:
        last = max(known) + 1
        return f"Run {number} has no step {asked + 1}.", f"Its steps go from 1 to {last}. {see}"
    if any(wish["state"] == "asked" for wish in undoings.of_run(conn, run["run_id"])):
        return f"Files of run {number} are being put back right now.", "Go on from it once that has ended."
    doubts = [row for row in intents.open_ones(conn, run["run_id"]) if root_of(row["path"], row["ordinal"]) < asked]
    if doubts:
        at = root_of(doubts[0]["path"], doubts[0]["ordinal"]) + 1
        return (
            f"Whether step {at} of run {number} happened is not known yet.",
            f"Answer that first, or go on from step {at}.",
        )
    if any(row["outcome"] == Outcome.CANCELLED and root_of(row["path"], row["ordinal"]) < asked for row in rows):
        return f"Run {number} was cancelled before step {asked + 1}.", see
    return "", ""


def _happened(
    conn: Connection, blobs: Blobs, run: Row, rows: Sequence[Row], summaries: dict[Identity, str]
) -> list[_Effect]:
    """The effects of a run that happened, its own and those that it took over, in the order of its records."""
    begun = _intents(conn, run)
    found = []
    for row in rows:
        identity = (row["path"], row["ordinal"])
        given = str(row["origin"] or "").startswith("given by")  # a person gave its value instead
        if row["kind"] == StepKind.EFFECT and row["outcome"] == Outcome.OK and not given:
            said = summaries.get(identity) or row["summary"] or row["name"]
            found.append(_effect(conn, blobs, identity, begun.get(identity), said))
    return found


def _effect(conn: Connection, blobs: Blobs, identity: Identity, intent: Row | None, said: str) -> _Effect:
    """An effect that happened, as its intent tells it; `said` is what is known of it without."""
    if intent is None:
        return _Effect(identity, None, root_of(*identity), said, outside=True)
    body = json.loads(blobs.text(intent["body"], intent["body_blob"]))
    name, outside = named(body) or said, not does_nothing_outside(body)
    if intent["gate_id"] is None:
        return _Effect(identity, None, root_of(*identity), name, outside)
    gate = gates.get(conn, intent["gate_id"])
    ops = file_ops.of_item(conn, intent["gate_id"], intent["item"])
    places = [place for op in ops if op["state"] == "applied" for place in file_ops.places(op) if place is not None]
    back = any(op["state"] == "undone" for op in ops)
    root = root_of(gate["path"], gate["ordinal"])
    return _Effect(identity, intent["gate_id"], root, name, outside, back, tuple(places))


def _intents(conn: Connection, run: Row) -> dict[Identity, Row]:
    """The intents behind a run's effects: its own, and of what it took over those of the runs before it."""
    chain = [run]
    while chain[-1]["again_of"] and chain[-1]["again_from"] is not None:
        chain.append(runs.get(conn, chain[-1]["again_of"]))
    found: dict[Identity, Row] = {}
    for one in reversed(chain):
        found.update({(row["path"], row["ordinal"]): row for row in intents.of_run(conn, one["run_id"])})
    return found


def _start(blobs: Blobs, rows: Sequence[Row], effects: Sequence[_Effect], asked: int, *, again: bool) -> int:
    """Where the new run begins: before what is done again, and before approvals that nothing was done under."""
    before = [min(effect.root, effect.gate_root) for effect in effects if effect.root < asked]
    start = min([asked, *before]) if again else asked
    kept = [effect for effect in effects if effect.root < start]
    last = max((effect.root for effect in kept if effect.outside), default=-1)  # reading once more harms nobody
    used = {effect.gate_root for effect in kept if effect.gate_id is not None}
    approvals = [
        root_of(row["path"], row["ordinal"])
        for row in rows
        if row["kind"] == StepKind.GATE and row["name"] == "approve" and _is_approved(blobs, row)
    ]
    return min([start, *(at for at in approvals if last < at and at not in used)])


def _is_approved(blobs: Blobs, row: Row) -> bool:
    answer: dict[str, Any] = json.loads(blobs.text(row["payload"], row["payload_blob"]))
    return answer.get("verdict") == Verdict.APPROVED


def _cannot_keep(
    conn: Connection, run: Row, rows: Sequence[Row], effects: Sequence[_Effect], start: int
) -> tuple[str, str]:
    """Why what happened before a step cannot be kept, and what can be done: it was put back, or belongs to what comes after it."""
    number = run["number"]
    kept = [effect for effect in effects if effect.root < start]
    back = next((effect for effect in kept if effect.put_back), None)
    if back is not None:
        return (
            as_sentence(f"What run {number} did was put back since, so it cannot be kept: {back.name}"),
            f"Go on from step {back.gate_root + 1}, so that it is asked about again.",
        )
    ours = {effect.gate_id for effect in kept} - {None}
    split = [effect for effect in effects if effect.root >= start and effect.gate_id in ours]
    if not split:
        return "", ""
    after = [at for at in root_steps(conn, run, rows) if at > max(effect.root for effect in split)]
    keeping = f"Go on from step {min(after) + 1} to keep them all, or from" if after else "Go on from"
    return (
        f"Step {start + 1} was approved together with steps before it, and they are kept or done again together.",
        f"{keeping} step {split[0].gate_root + 1} to be asked about them again.",
    )


def _moved(start: int, *, again: bool) -> str:
    if again:
        return f"It begins at step {start + 1}, so that all of it is done again."
    return f"It begins at step {start + 1}: what was approved there is asked again."
