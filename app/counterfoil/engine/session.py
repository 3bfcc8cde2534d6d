"""Replay, beside the author's code: records answer what was done before, the desk is asked for everything else.

A session trusts nobody and decides nothing: identities, digests and liveness are told to the desk, which judges. It speaks frames
through a port: a socket in a host process, direct calls in the Harness. Standard library only.

Liveness: a branch that waits for a person, a timer or an effect is not live. When none is, the session says so together with the
number of replies it has received; the desk suspends the run only when that is also the number it has sent.
"""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from counterfoil.authoring import machine
from counterfoil.authoring.codec import Unrecordable, blob_shas, canonical, decode, digest, encode
from counterfoil.authoring.effect_values import Effect
from counterfoil.authoring.machine import Branch, RunFacts
from counterfoil.authoring.steps import Step
from counterfoil.authoring.workflows import Workflow
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.engine.performing import StepThreads
from counterfoil.errors import Cancelled, Closed, EffectFailed, Mismatch, NotApproved, RefusedUse, Rejected, StepFailed
from counterfoil.facts import INLINE_LIMIT, Outcome, StepKind

CHUNK = 1024 * 1024
RUN_ITSELF = ("", -1)  # the identity of what concerns the run as a whole


class Port(Protocol):
    """The way to the desk."""

    async def call(self, header: dict[str, Any], tail: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """Send a frame and wait for its reply."""
        ...

    def tell(self, header: dict[str, Any]) -> None:
        """Send a frame that has no reply."""
        ...


@dataclass(slots=True)
class Recorded:
    """A record as a session sees it; `payload` is None while the text lies with the desk."""

    kind: str
    name: str
    args_digest: str
    outcome: str
    payload: str | None
    at_us: int


@dataclass(frozen=True, slots=True)
class Opening:
    """What a session starts from. `held` identities wait at the desk before they are tried; `kept` ones answer despite a mismatch."""

    run: RunFacts
    seed: str
    parameters: str
    records: dict[tuple[str, int], Recorded]
    held: frozenset[tuple[str, int]] = frozenset()
    kept: frozenset[tuple[str, int]] = frozenset()


class Session:
    """One replay of one run; a `Machine` to the author's verbs."""

    def __init__(self, port: Port, opening: Opening, loop: WorkflowLoop) -> None:
        self.run = opening.run
        self.seed = opening.seed
        self._port = port
        self._opening = opening
        self._records = opening.records
        self._met: set[tuple[str, int]] = set()
        self._high: dict[str, int] = {}
        for path, ordinal in self._records:
            self._high[path] = max(self._high.get(path, -1), ordinal)
        self._loop = loop
        self._threads = StepThreads(loop)
        self._live = 0
        self._seen = 0
        self._begun: tuple[str, int] | None = None
        self._said: dict[tuple[str, int], str] = {}

    # -------------------------------------------------------------------------------------------- the run as a whole

    async def play(self, workflow: Workflow[Any, Any], params: Any) -> None:
        """Run the workflow function to its end, or until the desk closes the session."""
        with self._loop.trusted():
            task = asyncio.current_task()
        root = Branch(self, "", self.run.created_us, task)
        token = machine.enter(root)
        self._live = 1
        try:
            await self._play(root, workflow, params)
        except Closed:
            return
        finally:
            machine.enter(None)
            del token
            self._threads.close()

    async def _play(self, root: Branch, workflow: Workflow[Any, Any], params: Any) -> None:
        blobs: dict[str, bytes] = {}
        try:
            result = await workflow.function(params)
            self._refuse_forgotten(root)
            text = encode(result, blobs)
        except Mismatch as problem:
            await self._fail(
                "mismatch", problem, at=(problem.path, problem.ordinal), recorded=problem.recorded, asked=problem.asked
            )
        except Rejected as problem:
            await self._finish({"verdict": "rejected", "by": problem.by, "comment": problem.comment})
        except Cancelled:
            raise Closed from None
        except Exception as problem:  # noqa: BLE001 - whatever the body raised is put before a person
            await self._fail("error", problem)
        else:
            await self._finish(None, text=text, blobs=blobs)

    def _refuse_forgotten(self, root: Branch) -> None:
        if root.pending:
            name = next(iter(root.pending.values()))
            raise RefusedUse(f"the step {name} was called but never awaited; write `await {name}(...)`")

    async def _finish(self, plain: Any, *, text: str | None = None, blobs: dict[str, bytes] | None = None) -> None:
        unmet = [identity for identity in self._records if identity not in self._met]
        if unmet:
            path, ordinal = min(unmet)
            record = self._records[(path, ordinal)]
            problem = Mismatch(
                f"the workflow ended, but {len(unmet)} recorded steps were not met again, first {record.name}",
                path,
                ordinal,
                record.name,
                "the end",
            )
            await self._fail(
                "mismatch", problem, at=(path, ordinal), recorded=record.name, asked="the end of the workflow"
            )
            return
        header = await self._with_text({"t": "done"}, text if text is not None else canonical(plain), blobs or {})
        await self._call(header)

    async def _fail(self, kind: str, problem: BaseException, at: tuple[str, int] = RUN_ITSELF, **more: str) -> None:
        await self._call({"t": "fail", "kind": kind, "p": at[0], "o": at[1], "error": describe(problem), **more})

    # ------------------------------------------------------------------------------------------------ asking the desk

    async def _call(self, header: dict[str, Any], tail: bytes = b"") -> dict[str, Any]:
        reply, more = await self._port.call(header, tail)
        self._seen += 1
        if reply["k"] == "close":
            raise Closed
        if more:
            reply["tail"] = more
        return reply

    async def _wait(self, header: dict[str, Any]) -> dict[str, Any]:
        """A call during which this branch is not live."""
        self._live -= 1
        if self._live == 0:
            self._loop.call_soon(self._say_idle)
        try:
            return await self._call(header)
        finally:
            self._live += 1

    def _say_idle(self) -> None:
        if self._live == 0:
            self._port.tell({"t": "idle", "seen": self._seen})

    async def _put(self, data: bytes) -> str:
        """Hand bytes to the desk ahead of the frame that names them; their digest as the desk computed it."""
        sha = ""
        for start in range(0, max(len(data), 1), CHUNK):
            last = start + CHUNK >= len(data)
            reply = await self._call({"t": "put", "last": last}, data[start : start + CHUNK])
            sha = reply.get("sha", "")
        return sha

    async def _with_text(self, header: dict[str, Any], text: str, blobs: dict[str, bytes]) -> dict[str, Any]:
        """A header with a value: inline up to 64 KiB, else put ahead and named."""
        for data in blobs.values():
            await self._put(data)
        raw = text.encode("utf-8", "surrogatepass")
        if len(raw) <= INLINE_LIMIT:
            header["r"] = text
        else:
            header["rb"] = await self._put(raw)
        return header

    async def _text_of(self, identity: tuple[str, int], record: Recorded) -> str:
        if record.payload is None:
            record.payload = (await self._fetch({"p": identity[0], "o": identity[1]})).decode("utf-8", "surrogatepass")
        return record.payload

    async def _fetch(self, what: dict[str, Any]) -> bytes:
        parts, start = [], 0
        while True:
            reply = await self._call({"t": "fetch", "from": start, **what})
            part = reply.get("tail", b"")
            parts.append(part)
            start += len(part)
            if start >= reply["size"]:
                return b"".join(parts)

    async def _blobs_in(self, text: str, held: dict[str, bytes]) -> dict[str, bytes]:
        if '"$blob"' in text:
            for sha in blob_shas(json.loads(text)):
                if sha not in held:
                    held[sha] = await self._fetch({"sha": sha})
        return held

    # ------------------------------------------------------------------------------------------------------ identity

    def check(self, branch: Branch, what: str) -> None:
        """Refuse a durable call from a raw task, a thread, or a generator that another task drives."""
        try:
            task = asyncio.current_task()
        except RuntimeError:
            task = None
        if task is not branch.task:
            raise RefusedUse(
                f"{what} was awaited in a raw task or thread, which cannot be replayed; write `await parallel(a, b)`"
            )

    def _take(
        self, branch: Branch, kind: StepKind, name: str, args_digest: str
    ) -> tuple[tuple[str, int], Recorded | None]:
        """The next identity of a branch and its record, if it has one.

        Raises:
            Mismatch: the record there is of something else, or later records exist where this call is new.
        """
        ordinal = branch.next_ordinal
        branch.next_ordinal += 1
        identity = (branch.path, ordinal)
        record = self._records.get(identity)
        if record is None:
            if self._high.get(branch.path, -1) > ordinal:
                raise Mismatch(
                    f"{name} is new here, but later steps of this branch were recorded already",
                    *identity,
                    "nothing",
                    name,
                )
            return identity, None
        same = record.kind == kind and record.name == name and record.args_digest == args_digest
        if not same and identity not in self._opening.kept:
            what = "with other arguments" if record.name == name else f"where {record.name} was recorded"
            raise Mismatch(
                f"{name} was called {what}",
                *identity,
                f"{record.name} {record.args_digest[:8]}",
                f"{name} {args_digest[:8]}",
            )
        self._met.add(identity)
        branch.at_us = record.at_us
        return identity, record

    # --------------------------------------------------------------------------------------------------------- steps

    async def step(self, branch: Branch, step: Step[Any, Any], arguments: dict[str, Any]) -> Any:
        """Perform a step until it is recorded, or answer from its record."""
        args_digest = digest(encode(arguments))
        identity, record = self._take(branch, StepKind.STEP, step.name, args_digest)
        if record is not None:
            return await self._answer(identity, record, step)
        if identity in self._opening.held:
            reply = await self._wait(
                {"t": "resume", "p": identity[0], "o": identity[1], "n": step.name, "d": args_digest}
            )
            handled = await self._after_failure(branch, identity, step, args_digest, reply)
            if handled is not None:
                return handled[0]
        while True:
            handled = await self._try(branch, identity, step, args_digest, arguments)
            if handled is not None:
                return handled[0]

    async def _try(
        self,
        branch: Branch,
        identity: tuple[str, int],
        step: Step[Any, Any],
        args_digest: str,
        arguments: dict[str, Any],
    ) -> tuple[Any] | None:
        """One attempt; the value in a tuple, or None when it is to be tried again."""
        header = {"p": identity[0], "o": identity[1], "n": step.name, "d": args_digest}
        begun = self._loop.time()
        self._begin(header, step)
        blobs: dict[str, bytes] = {}
        branch.in_step = True
        try:
            text = await self._threads.perform(branch, step, arguments, blobs)
            step.decoder  # noqa: B018 - an annotation that cannot be resolved is an error of this try
        except Exception as problem:  # noqa: BLE001 - what a step raised is judged by the desk
            branch.in_step = False
            return await self._report_failure(branch, identity, step, header, problem)
        finally:
            branch.in_step = False
        took = int((self._loop.time() - begun) * 1_000_000)
        said = self._said.pop(identity, None)
        reply = await self._call(await self._with_text({"t": "step", **header, "took": took, "say": said}, text, blobs))
        branch.at_us = reply["at"]
        return (decode(text, step.returns, blobs),)

    def _begin(self, header: dict[str, Any], step: Step[Any, Any]) -> None:
        if step.timeout is not None:
            self._port.tell({"t": "begin", **header, "for": step.timeout.total_seconds()})
        self._begun = (header["p"], header["o"])

    async def _report_failure(
        self,
        branch: Branch,
        identity: tuple[str, int],
        step: Step[Any, Any],
        header: dict[str, Any],
        problem: Exception,
    ) -> tuple[Any] | None:
        reply = await self._wait(
            {
                "t": "attempt",
                **header,
                "error": describe(problem),
                "retries": step.retries,
                "raise": step.on_failure == "raise",
            }
        )
        return await self._after_failure(branch, identity, step, header["d"], reply)

    async def _after_failure(
        self, branch: Branch, identity: tuple[str, int], step: Step[Any, Any], args_digest: str, reply: dict[str, Any]
    ) -> tuple[Any] | None:
        if reply["k"] == "again":
            return None
        if reply["k"] == "failed":
            branch.at_us = reply["at"]
            raise StepFailed(reply["message"])
        header = {"p": identity[0], "o": identity[1], "n": step.name, "d": args_digest}
        try:
            value = decode(reply["r"], step.returns)
        except (Unrecordable, ValueError, KeyError, TypeError) as problem:
            wrong = ValueError(f"the value given does not fit {step.name}: {problem}")
            return await self._report_failure(branch, identity, step, header, wrong)
        kept = await self._call({"t": "step", **header, "took": 0, "say": None, "given": True, "r": reply["r"]})
        branch.at_us = kept["at"]
        return (value,)

    async def _answer(self, identity: tuple[str, int], record: Recorded, step: Step[Any, Any]) -> Any:
        text = await self._text_of(identity, record)
        if record.outcome == Outcome.FAILED:
            raise StepFailed(json.loads(text)["message"])
        return decode(text, step.returns, await self._blobs_in(text, {}))

    def report(self, branch: Branch, text: str) -> None:
        """Keep the last line said by a step and pass it on as progress."""
        line = " ".join(str(text).split())[:300]
        identity = (branch.path, branch.next_ordinal - 1)
        self._said[identity] = line
        self._loop.call_soon_threadsafe(self._port.tell, {"t": "say", "p": identity[0], "o": identity[1], "text": line})

    # ------------------------------------------------------------------------------------- effects, gates and timers

    async def effect(self, branch: Branch, effect: Effect) -> Any:
        """Ask the runner to perform one effect."""
        identity, record = self._take(branch, StepKind.EFFECT, effect.kind, effect.digest)
        if record is None:
            header = await self._effect_header(effect)
            reply = await self._wait({"t": "effect", "p": identity[0], "o": identity[1], **header})
            record = self._recorded(branch, effect, reply)
        return await self._outcome(identity, record)

    async def perform(self, branch: Branch, effects: Sequence[Effect]) -> list[Any]:
        """Ask the runner to perform effects in order, as one plan: n + 1 syncs for n effects."""
        taken: list[tuple[tuple[str, int], Recorded | None]] = []
        for effect in effects:
            effect.refuse_if_left_out()
            taken.append(self._take(branch, StepKind.EFFECT, effect.kind, effect.digest))
        fresh = [
            (identity, effect) for (identity, record), effect in zip(taken, effects, strict=True) if record is None
        ]
        replies: dict[tuple[str, int], Recorded] = {}
        if fresh:
            items = [{"o": identity[1], **await self._effect_header(effect)} for identity, effect in fresh]
            reply = await self._wait({"t": "perform", "p": branch.path, "items": items})
            for (identity, effect), item in zip(fresh, reply["items"], strict=True):
                replies[identity] = self._recorded(branch, effect, item)
        return [await self._outcome(identity, record or replies[identity]) for identity, record in taken]

    async def _effect_header(self, effect: Effect) -> dict[str, Any]:
        seal = effect.seal
        header = {"seal": [seal.path, seal.ordinal, seal.n] if seal else None}
        return await self._with_text(header, canonical(effect.body), effect.blobs)

    @staticmethod
    def _recorded(branch: Branch, effect: Effect, reply: dict[str, Any]) -> Recorded:
        branch.at_us = reply["at"]
        return Recorded(StepKind.EFFECT, effect.kind, effect.digest, reply["outcome"], reply["r"], reply["at"])

    async def _outcome(self, identity: tuple[str, int], record: Recorded) -> Any:
        text = await self._text_of(identity, record)
        if record.outcome == Outcome.OK:
            return decode(text, Any, await self._blobs_in(text, {}))
        failure = json.loads(text)
        raise (
            NotApproved(failure["message"])
            if failure.get("kind") == "not_approved"
            else EffectFailed(failure["message"])
        )

    async def gate(self, branch: Branch, name: str, spec: dict[str, Any]) -> dict[str, Any]:
        """Open a gate and wait for its decision; `spec` holds the spec and the bytes it names."""
        asked = spec["spec"]
        shape = digest(canonical([asked["kind"], [item["body"]["kind"] for item in asked["plan"]]]))
        identity, record = self._take(branch, StepKind.GATE, name, shape)
        if record is None:
            header = {"t": "gate", "p": identity[0], "o": identity[1], "n": name, "d": shape}
            reply = await self._wait(await self._with_text(header, canonical(asked), spec["blobs"]))
            branch.at_us = reply["at"]
            record = Recorded(StepKind.GATE, name, shape, Outcome.OK, reply["r"], reply["at"])
        answer: dict[str, Any] = json.loads(await self._text_of(identity, record))
        return answer

    async def sleep(self, branch: Branch, for_us: int | None, until_us: int | None) -> None:
        """Wait on a timer row."""
        identity, record = self._take(branch, StepKind.TIMER, "sleep", digest(canonical([for_us, until_us])))
        if record is None:
            reply = await self._wait(
                {"t": "timer", "p": identity[0], "o": identity[1], "for": for_us, "until": until_us}
            )
            branch.at_us = reply["at"]

    async def lookup(self, branch: Branch, what: str, keys: Sequence[str]) -> Any:
        """Ask the runner what other runs hold; its answer is a record."""
        args_digest = digest(canonical([what, list(keys)]))
        identity, record = self._take(branch, StepKind.LOOKUP, what, args_digest)
        if record is None:
            header = {"t": "lookup", "p": identity[0], "o": identity[1], "n": what, "d": args_digest}
            reply = await self._call(await self._with_text(header, canonical(list(keys)), {}))
            branch.at_us = reply["at"]
            record = Recorded(StepKind.LOOKUP, what, args_digest, Outcome.OK, reply["r"], reply["at"])
        return json.loads(await self._text_of(identity, record))

    # -------------------------------------------------------------------------------------------------- side by side

    def _child(self, branch: Branch, ordinal: int, index: int) -> Branch:
        prefix = f"{branch.path}/" if branch.path else ""
        return Branch(self, f"{prefix}{ordinal}/{index}", branch.at_us)

    async def _branch(self, child: Branch, awaitable: Awaitable[Any], left: list[int]) -> Any:
        child.task = asyncio.current_task()
        machine.enter(child)
        try:
            return await awaitable
        finally:
            left[0] -= 1
            if left[0]:  # the last one to end hands its liveness back to the parent
                self._live -= 1
                if self._live == 0:
                    self._loop.call_soon(self._say_idle)

    def _start(
        self, branch: Branch, ordinal: int, awaitables: Sequence[Awaitable[Any]]
    ) -> tuple[list[Branch], list[asyncio.Task[Any]]]:
        left = [len(awaitables)]
        self._live += max(len(awaitables) - 1, 0)
        children = [self._child(branch, ordinal, index) for index in range(len(awaitables))]
        with self._loop.trusted():
            tasks = [
                self._loop.create_task(self._branch(child, awaitable, left))
                for child, awaitable in zip(children, awaitables, strict=True)
            ]
        return children, tasks

    async def parallel(self, branch: Branch, awaitables: Sequence[Awaitable[Any]]) -> list[Any]:
        """Run branches side by side and settle them all; then the failure with the lowest index speaks."""
        ordinal = branch.next_ordinal
        branch.next_ordinal += 1
        if not awaitables:
            return []
        children, tasks = self._start(branch, ordinal, awaitables)
        await self._settled(tasks)
        branch.at_us = max(child.at_us for child in children)
        problems = [task.exception() for task in tasks]
        raised = [problem for problem in problems if problem is not None]
        if raised:
            control = [problem for problem in raised if not isinstance(problem, Exception)]
            raise (control or raised)[0]
        return [task.result() for task in tasks]

    async def _settled(self, tasks: Sequence[asyncio.Task[Any]], *, one: bool = False) -> None:
        """Wait for all tasks, or for the first of them, without making tasks."""
        done = self._loop.create_future()
        left = 1 if one else len(tasks)

        def ended(_: asyncio.Task[Any]) -> None:
            nonlocal left
            left -= 1
            if left == 0 and not done.done():
                done.set_result(None)

        for task in tasks:
            task.add_done_callback(ended)
        await done

    async def first(self, branch: Branch, awaitables: Sequence[Awaitable[Any]]) -> tuple[int, Any]:
        """Run branches until one has ended; which one is a record, so replay runs only that one."""
        args_digest = digest(str(len(awaitables)))
        identity, record = self._take(branch, StepKind.RACE, "first", args_digest)
        if record is not None:
            return await self._replay_race(branch, identity, record, awaitables)
        children, tasks = self._start(branch, identity[1], awaitables)
        await self._settled(tasks, one=True)
        winner = next(index for index, task in enumerate(tasks) if task.done())
        if isinstance(problem := tasks[winner].exception(), (Closed, Mismatch, Cancelled)):
            raise problem
        reply = await self._call(
            {"t": "race", "p": identity[0], "o": identity[1], "d": args_digest, "winner": winner, "of": len(tasks)}
        )
        losers = [task for index, task in enumerate(tasks) if index != winner]
        for task in losers:
            task.cancel()
        if losers:
            await self._settled(losers)
        branch.at_us = reply["at"]
        return winner, tasks[winner].result()

    async def _replay_race(
        self, branch: Branch, identity: tuple[str, int], record: Recorded, awaitables: Sequence[Awaitable[Any]]
    ) -> tuple[int, Any]:
        winner = int(json.loads(await self._text_of(identity, record)))
        for index, awaitable in enumerate(awaitables):
            prefix = self._child(branch, identity[1], index).path
            if index != winner:
                self._met.update(key for key in self._records if key[0] == prefix or key[0].startswith(prefix + "/"))
                branch.pending.pop(id(awaitable), None)
                if asyncio.iscoroutine(awaitable):
                    awaitable.close()
        child = self._child(branch, identity[1], winner)
        with self._loop.trusted():
            task = self._loop.create_task(self._branch(child, awaitables[winner], [1]))
        await self._settled([task])
        branch.at_us = max(record.at_us, child.at_us)
        return winner, task.result()


def describe(problem: BaseException) -> dict[str, Any]:
    """An exception as data: type, its ancestors' names, message, errno, and a traceback of at most 8 KiB."""
    lines = traceback.format_exception(problem)
    return {
        "type": type(problem).__name__,
        "mro": [kind.__name__ for kind in type(problem).__mro__],
        "message": str(problem)[:2000],
        "errno": getattr(problem, "errno", None),
        "traceback": "".join(lines)[-8000:],
    }
