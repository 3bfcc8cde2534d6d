"""What else a session may ask of the desk: a timer, a look at other runs, the end of a race."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Awaitable, Callable
from typing import Any

from counterfoil.authoring.codec import canonical, digest, to_plain
from counterfoil.engine import judging, killpoints, staging
from counterfoil.engine.desk_failures import alarm
from counterfoil.engine.desk_gates import recorded_reply
from counterfoil.engine.holding import Breach, Hold, Identity
from counterfoil.engine.ports import EffectTrouble, Permission
from counterfoil.engine.shapes import LATEST_US, digest_in, line, name_in, whole
from counterfoil.engine.stage_ports import CopyChanges
from counterfoil.engine.uploads import Uploads
from counterfoil.errors import CounterfoilError, Damaged
from counterfoil.facts import FailureClass, Outcome, StepKind, either, person
from counterfoil.store import blob_rows, claims, gates, records, timers
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Row, Txn

Frame = dict[str, Any]
Reply = tuple[dict[str, Any], bytes]
MOST_KEYS = 100_000
MOST_BRANCHES = 10_000
MOST_CONNECTORS = 100


class WaitDesk:
    """Timers, look-ups and races. `poll` takes up answers; `pure` is an identity where nothing stands."""

    def __init__(
        self, hold: Hold, uploads: Uploads, pure: Callable[[Frame], Identity], poll: Callable[[], Awaitable[None]]
    ) -> None:
        self._hold = hold
        self._uploads = uploads
        self._pure = pure
        self._poll = poll

    async def timer(self, frame: Frame, identity: Identity) -> Reply:
        """Set a timer once and wait for it."""
        span, until = frame["for"], frame["until"]
        if (span is None) == (until is None):
            raise Breach("a timer of no timer's shape")
        whole(until if span is None else span, "a timer", low=-LATEST_US, high=LATEST_US)
        hold = self._hold
        args = digest(canonical([span, until]))

        def operation(txn: Txn) -> int:
            due = until if span is None else txn.now_us + span
            return timers.set_timer(txn, hold.run_id, *identity, "sleep", due, args)

        due = await hold.do(operation)
        asked_for = False
        while True:
            row = records.get(hold.powers.database.reader, hold.run_id, *identity)
            if row is not None:
                hold.known.add(identity)
                return recorded_reply(hold, row), b""
            if hold.powers.clock.now_us() >= due and not asked_for:
                asked_for = True
                await self._poll()
                continue
            asked_for = False
            alarm(hold, identity, "sleep", due)
            await hold.park(identity, "sleep")

    async def lookup(self, frame: Frame, _: bytes) -> Reply:
        """Say which claims other runs hold, what this run has made of its copy of the workspace, what policy says of effects, which
        tools connectors have, or what a team has for agents; what was said is a record.

        Raises:
            EffectTrouble: it cannot be said.
        """
        hold = self._hold
        identity = self._pure(frame)
        name, args_digest = name_in(frame)
        keys = json.loads(await self._uploads.text(frame))
        if not isinstance(keys, list) or len(keys) > MOST_KEYS or not all(isinstance(key, str) for key in keys):
            raise Breach("a look-up of what is no key")
        look = await self._look(name, keys)
        hold.known.add(identity)

        def operation(txn: Txn) -> None:
            found, summary = look(txn)
            kept, in_blob = hold.powers.blobs.keep_text(canonical(found))
            new = records.NewRecord(
                run_id=hold.run_id,
                path=identity[0],
                ordinal=identity[1],
                kind=StepKind.LOOKUP,
                name=name,
                args_digest=args_digest,
                outcome=Outcome.OK,
                payload=kept,
                payload_blob=in_blob,
                summary=summary,
            )
            records.append(txn, new)

        await hold.do(operation)
        killpoints.reach("after_record")
        row = records.get(hold.powers.database.reader, hold.run_id, *identity)
        return (recorded_reply(hold, row) if row is not None else {"k": "close"}), b""

    async def _look(self, name: str, keys: list[str]) -> Callable[[Txn], tuple[Any, str]]:
        """What is said in a transaction, and its summary."""
        if name == "claims":
            return functools.partial(self._claims, keys)
        if name == "judge":
            return judging.foreseen(self._hold, keys)
        if name == "tools" and len(keys) <= MOST_CONNECTORS:
            return await self._tools(keys)
        if name == "agents" and not keys:
            return await self._team()
        if name == "changes" and not keys:
            return await self._changes()
        raise Breach("a look-up that nobody offers")

    def _claims(self, keys: list[str], txn: Txn) -> tuple[Any, str]:
        """Which claims other runs hold, and how many."""
        hold = self._hold
        found: dict[str, str] = {}
        waits: dict[str, str] = {}  # by gate: what one shows is read once, however much it claims
        for row in claims.rivals(txn.conn, hold.workspace, keys, hold.run_id, held_only=False):
            gate_id = row["gate_id"]
            if not row["held"] and gate_id not in waits:
                waits[gate_id] = f"waiting for {_waited_for(hold.powers.blobs, row)}"
            state = "approved" if row["held"] else waits[gate_id]
            found.setdefault(row["key"], f"already in run {row['run_number']}, {state}")
        return found, f"{len(found)} of {len(keys)} held elsewhere"

    async def _tools(self, names: list[str]) -> Callable[[Txn], tuple[Any, str]]:
        """Which tools connectors have now, with their pins."""
        connectors = self._hold.powers.connectors
        if connectors is None and names:
            raise EffectTrouble("There are no connectors here.", FailureClass.STRUCTURAL)
        found = await connectors.tools(names) if connectors is not None else []
        return lambda _: (to_plain(found, {}), f"{len(found)} tools")

    async def _team(self) -> Callable[[Txn], tuple[Any, str]]:
        """What the workspace's people have written down and accepted for agents."""
        team = self._hold.powers.team
        found: dict[str, Any] = {"agents": [], "facts": [], "skills": []}
        if team is not None:
            try:
                found = await asyncio.to_thread(team.known, self._hold.workspace)
            except CounterfoilError as problem:
                raise EffectTrouble(str(problem), FailureClass.STRUCTURAL) from problem
        counted = ", ".join(f"{len(found[kind])} {kind}" for kind in ("agents", "skills", "facts"))
        return lambda _: (found, counted)

    async def _changes(self) -> Callable[[Txn], tuple[Any, str]]:
        """What the run has changed in its copy: looked at now, said in a transaction that notes its bytes."""
        hold = self._hold
        copies = hold.powers.copies
        found = CopyChanges([], [], {})
        if copies is not None:
            try:
                found = await staging.compared(hold, copies)
            except CounterfoilError as problem:
                raise EffectTrouble(str(problem), FailureClass.STRUCTURAL) from problem
            except OSError as problem:
                why = (problem.strerror or str(problem)).lower()
                raise EffectTrouble(f"The run's files cannot be compared: {why}.", FailureClass.STRUCTURAL) from problem
        killpoints.reach("after_blob")
        plan, left = self._permitted(found)
        said = {"plan": plan, "left": left}
        counted = f"{len(plan)} effects{f', {len(left)} left out' if left else ''}"

        def look(txn: Txn) -> tuple[Any, str]:
            for sha, size in found.sizes.items():
                blob_rows.note(txn, sha, size)
            return said, counted

        return look

    def _permitted(self, found: CopyChanges) -> tuple[list[dict[str, Any]], list[list[str]]]:
        """The plan without what policy forbids this template, which is told among what is left."""
        hold = self._hold
        plan, left = [], [list(one) for one in found.left]
        for body in found.plan:
            judgement = judging.judged(hold, body)
            if judgement.permission is Permission.DENY:
                left += [[line(path, 1000), judgement.reason] for path in _paths_of(body["args"])]
            else:
                plan.append(body)
        return plan, left

    async def race(self, frame: Frame, _: bytes) -> Reply:
        """Record who was first; what the others still wait for ends with it."""
        hold = self._hold
        identity = self._pure(frame)
        of = whole(frame["of"], "a race", low=1, high=MOST_BRANCHES)
        winner, args_digest = whole(frame["winner"], "a winner", high=of - 1), digest_in(frame)
        hold.known.add(identity)
        prefix = f"{identity[0]}/" if identity[0] else ""
        losers = [f"{prefix}{identity[1]}/{index}" for index in range(of) if index != winner]

        def operation(txn: Txn) -> int:
            for path in losers:
                gates.withdraw_below(txn, hold.run_id, path, "Another branch was first")
                timers.cancel_below(txn, hold.run_id, path)
            new = records.NewRecord(
                run_id=hold.run_id,
                path=identity[0],
                ordinal=identity[1],
                kind=StepKind.RACE,
                name="first",
                args_digest=args_digest,
                outcome=Outcome.OK,
                payload=str(winner),
                summary=f"branch {winner} was first",
            )
            records.append(txn, new)
            return txn.now_us

        at = await hold.do(operation)
        hold.lose(losers)
        killpoints.reach("after_record")
        return {"k": "ok", "at": at}, b""


def _waited_for(blobs: Blobs, claim: Row) -> str:
    """Whom the gate of a claim waits for: who was given it, else who alone may answer it, else whoever reads this."""
    if claim["asked"]:
        return person(claim["asked"])
    try:
        who = json.loads(blobs.text(claim["spec"], claim["spec_blob"])).get("who") or {}
    except Damaged:  # of another run, which will tell it itself
        return "a decision"
    return either([person(name) for name in who.get("from") or ()]) or "you"


def _paths_of(args: dict[str, Any]) -> list[str]:
    """The paths that a file effect brings something to or takes away."""
    if "path" in args:
        return [args["path"]]
    return [pair[1] for pair in args["moves"]] if "moves" in args else list(args["paths"])
