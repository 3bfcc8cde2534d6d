"""Replay, beside the author's code: records answer what was done before, the desk is asked for everything else.

A session trusts nobody and decides nothing: identities, digests and liveness are told to the desk, which judges. It speaks frames
through a port: a socket in a host process, direct calls in the Harness. Standard library only.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from counterfoil.authoring import machine
from counterfoil.authoring.codec import Unrecordable, canonical, decode, digest, encode
from counterfoil.authoring.effect_values import Effect
from counterfoil.authoring.machine import Branch
from counterfoil.authoring.overlay import Overlay
from counterfoil.authoring.steps import Step
from counterfoil.authoring.workflows import Workflow
from counterfoil.engine.asking import Line, Port
from counterfoil.engine.describing import describe
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.engine.performing import StepThreads
from counterfoil.engine.replaying import Identity, Opening, Recorded, Replay
from counterfoil.engine.side_by_side import SideBySide
from counterfoil.errors import (
    Cancelled,
    Closed,
    ConversationTooLong,
    EffectFailed,
    FilesChanged,
    LimitReached,
    LlmFailed,
    Mismatch,
    NotApproved,
    RefusedUse,
    Rejected,
    Returned,
    StepFailed,
    WorkflowError,
)
from counterfoil.facts import Outcome, StepKind

RUN_ITSELF: Identity = ("", -1)  # the identity of what concerns the run as a whole
_LLM_FAILURES = {"limit": LimitReached, "too_long": ConversationTooLong, "failed": LlmFailed}
PLAN_FRAME = 500  # effects of a plan in one frame
PLAN_ROOM = 96 * 1024  # bytes of their bodies that go into its header


class Session:
    """One replay of one run; a `Machine` to the author's verbs."""

    def __init__(self, port: Port, opening: Opening, loop: WorkflowLoop) -> None:
        self.run = opening.run
        self.seed = opening.seed
        self._held = opening.held
        self._loop = loop
        self._line = Line(port, loop)
        self._replay = Replay(opening)
        self._side_by_side = SideBySide(self, self._line, self._replay, loop)
        self._threads = StepThreads(loop)
        self._said: dict[Identity, str] = {}
        self._overlays, self._foreign = Path(opening.overlays), opening.foreign

    # -------------------------------------------------------------------------------------------- the run as a whole

    async def play(self, workflow: Workflow[Any, Any], params: Any) -> None:
        """Run the workflow function to its end, or until the desk closes the session."""
        root = Branch(self, "", self.run.created_us, asyncio.current_task())
        machine.enter(root)
        self._line.live = 1
        try:
            await self._play(root, workflow, params)
        except Closed:
            return
        finally:
            machine.enter(None)
            self._threads.close()

    async def _play(self, root: Branch, workflow: Workflow[Any, Any], params: Any) -> None:
        blobs: dict[str, bytes] = {}
        try:
            result = await workflow.function(params)
            root.refuse_forgotten()
            text = encode(result, blobs)
        except Mismatch as problem:
            await self._mismatch(problem)
        except Rejected as problem:
            await self._finish(canonical({"verdict": "rejected", "by": problem.by, "comment": problem.comment}), {})
        except Cancelled:
            raise Closed from None
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - whatever the body raised is put before a person
            await self._fail("error", problem)
        else:
            await self._finish(text, blobs)

    async def _finish(self, text: str, blobs: dict[str, bytes]) -> None:
        unmet = self._replay.unmet()
        if unmet:
            identity, record = unmet[0]
            words = f"the workflow ended, but {len(unmet)} recorded steps were not met again, first {record.name}"
            await self._mismatch(Mismatch(words, *identity, record.name, "the end of the workflow"))
            return
        await self._line.wait(await self._line.with_text({"t": "done"}, text, blobs))

    async def _mismatch(self, problem: Mismatch) -> None:
        at = (problem.path, problem.ordinal)
        await self._fail("mismatch", problem, at, recorded=problem.recorded, asked=problem.asked)

    async def _fail(self, kind: str, problem: BaseException, at: Identity = RUN_ITSELF, **more: str) -> None:
        await self._line.call({"t": "fail", "kind": kind, "p": at[0], "o": at[1], "error": describe(problem), **more})

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

    # --------------------------------------------------------------------------------------------------------- steps

    async def step(self, branch: Branch, step: Step[Any, Any], arguments: dict[str, Any]) -> Any:
        """Perform a step until it is recorded, or answer from its record."""
        args_digest = digest(encode(arguments))
        identity, record = self._replay.take(branch, step.kind, step.name, args_digest)
        if record is not None:
            return await self._answer(identity, record, step)
        header = {"p": identity[0], "o": identity[1], "n": step.name, "d": args_digest}
        if step.kind is StepKind.TOOL:
            header["tool"] = True
        if identity in self._held:
            reply = await self._line.wait({"t": "resume", **header})
            handled = await self._after_failure(branch, step, header, reply)
            if handled is not None:
                return handled[0]
        while True:
            handled = await self._try(branch, step, header, arguments)
            if handled is not None:
                return handled[0]

    async def _try(
        self, branch: Branch, step: Step[Any, Any], header: dict[str, Any], arguments: dict[str, Any]
    ) -> tuple[Any] | None:
        """One attempt; the value in a tuple, or None when it is to be tried again."""
        begun = self._loop.time()
        limits = {"for": _seconds(step.timeout), "silent": _seconds(step.silent_for)}
        self._line.tell({"t": "begin", **header, **_wishes(step), **limits})
        blobs: dict[str, bytes] = {}
        written = branch.overlay = Overlay.beneath(self._overlays, self._foreign)
        branch.in_step = True
        try:
            text = await self._threads.perform(branch, step, arguments, blobs)
            value = decode(text, step.returns, blobs)  # what does not fit the annotation is an error of this try
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - what a step raised is judged by the desk
            branch.in_step = False
            written.discard()
            return await self._report_failure(branch, step, header, problem, written)
        except asyncio.CancelledError:
            branch.in_step = False
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            written.discard()
            own = RuntimeError(f"{step.name} cancelled itself")
            return await self._report_failure(branch, step, header, own, written)
        finally:
            branch.in_step = False
            branch.overlay = None
        took = int((self._loop.time() - begun) * 1_000_000)
        said = self._said.pop((header["p"], header["o"]), None)
        frame = {"t": "step", **header, "took": took, "say": said}
        if written.token is not None:
            frame["files"] = written.token
        if written.heard:
            frame["read"] = list(written.heard)
        reply = await self._line.call(await self._line.with_text(frame, text, blobs))
        if reply["k"] == "refused":
            written.discard()
            return await self._report_failure(branch, step, header, RefusedUse(reply["message"]), written)
        branch.at_us = reply["at"]
        return (value,)

    async def _report_failure(
        self,
        branch: Branch,
        step: Step[Any, Any],
        header: dict[str, Any],
        problem: BaseException,
        written: Overlay | None = None,
    ) -> tuple[Any] | None:
        frame = {"t": "attempt", **header, **_wishes(step), "error": describe(problem)}
        if written is not None and written.heard:
            frame["read"] = list(written.heard)
        if written is not None and written.opened:
            frame["opened"] = list(written.opened)
        return await self._after_failure(branch, step, header, await self._line.wait(frame))

    async def _after_failure(
        self, branch: Branch, step: Step[Any, Any], header: dict[str, Any], reply: dict[str, Any]
    ) -> tuple[Any] | None:
        if reply["k"] == "again":
            return None
        if reply["k"] == "failed":
            branch.at_us = reply["at"]
            raise StepFailed(reply["message"])
        problem: Exception | None = None
        for text in reply["r"]:  # what a person gave, read as JSON and as mere words
            try:
                value = decode(text, step.returns)
            except (Unrecordable, ValueError, LookupError) as misfit:
                problem = misfit
                continue
            kept = await self._line.call({"t": "step", **header, "took": 0, "say": None, "given": True, "r": text})
            branch.at_us = kept["at"]
            return (value,)
        wrong = ValueError(f"the value given does not fit {step.name}: {problem}")
        return await self._report_failure(branch, step, header, wrong)

    async def _answer(self, identity: Identity, record: Recorded, step: Step[Any, Any]) -> Any:
        text = await self._line.text_of(identity, record) if record.payload is None else record.payload
        if record.outcome == Outcome.FAILED:
            raise StepFailed(json.loads(text)["message"])
        return decode(text, step.returns, await self._line.blobs_in(text) if '"$blob"' in text else None)

    def report(self, branch: Branch, text: str) -> None:
        """Keep the last line said by a step and pass it on as progress."""
        line = " ".join(str(text).split())[:300]
        identity = (branch.path, branch.next_ordinal - 1)
        if branch.in_step:
            self._said[identity] = line
        self._loop.call_soon_threadsafe(self._line.tell, {"t": "say", "p": identity[0], "o": identity[1], "text": line})

    # ------------------------------------------------------------------------------------- effects, gates and timers

    async def effect(self, branch: Branch, effect: Effect) -> Any:
        """Ask the runner to perform one effect."""
        identity, record = self._replay.take(branch, StepKind.EFFECT, effect.kind, effect.digest)
        if record is None:
            header = await self._effect_header(effect)
            reply = await self._line.wait({"t": "effect", "p": identity[0], "o": identity[1], **header})
            record = self._recorded(branch, effect, reply)
        return await self._outcome(identity, record)

    async def perform(self, branch: Branch, effects: Sequence[Effect], on_conflict: str) -> list[Any]:
        """Ask the runner to perform effects in order, as one plan: n + 1 syncs for n effects. One that fails is the last."""
        taken: list[tuple[Identity, Recorded | None, Effect]] = []
        for effect in effects:
            effect.refuse_if_left_out()
        for effect in effects:
            identity, record = self._replay.take(branch, StepKind.EFFECT, effect.kind, effect.digest)
            taken.append((identity, record, effect))
            if record is not None and record.outcome != Outcome.OK:
                branch.next_ordinal += len(effects) - len(taken)  # the identities behind it stay empty
                return [await self._outcome(identity, record)]
        fresh = [(identity, effect) for identity, record, effect in taken if record is None]
        made: dict[Identity, Recorded] = {}
        for start in range(0, len(fresh), PLAN_FRAME):
            part = fresh[start : start + PLAN_FRAME]
            answered = await self._perform(branch, part, on_conflict)
            made.update(answered)
            if len(answered) < len(part):
                break
        return [
            await self._outcome(identity, record or made[identity])
            for identity, record, _ in taken
            if record is not None or identity in made
        ]

    async def _perform(
        self, branch: Branch, fresh: list[tuple[Identity, Effect]], on_conflict: str
    ) -> dict[Identity, Recorded]:
        items: list[dict[str, Any]] = []
        room = PLAN_ROOM
        for identity, effect in fresh:
            item = {"o": identity[1], **await self._effect_header(effect, room)}
            room -= len(item.get("r", "").encode("utf-8", "surrogatepass"))
            items.append(item)
        reply = await self._line.wait(
            {"t": "perform", "p": branch.path, "items": items, "raise": on_conflict == "raise"}
        )
        return {
            identity: self._recorded(branch, effect, item)
            for (identity, effect), item in zip(fresh, reply["items"], strict=False)  # fewer when one has failed
        }

    async def _effect_header(self, effect: Effect, room: int = PLAN_ROOM) -> dict[str, Any]:
        seal = effect.seal
        header = {"seal": [seal.path, seal.ordinal, seal.n] if seal else None}
        return await self._line.with_text(header, canonical(effect.body), effect.blobs, room)

    @staticmethod
    def _recorded(branch: Branch, effect: Effect, reply: dict[str, Any]) -> Recorded:
        branch.at_us = reply["at"]
        return Recorded(StepKind.EFFECT, effect.kind, effect.digest, reply["outcome"], reply.get("r"), reply["at"])

    async def _outcome(self, identity: Identity, record: Recorded) -> Any:
        text = await self._line.text_of(identity, record)
        if record.outcome == Outcome.OK:
            return decode(text, Any, await self._line.blobs_in(text))
        raise failure_of(json.loads(text))

    async def gate(self, branch: Branch, name: str, spec: dict[str, Any]) -> dict[str, Any]:
        """Open a gate and wait for its decision; `spec` holds the spec and the bytes it names."""
        asked = spec["spec"]
        shape = digest(canonical([asked["kind"], [item["body"]["kind"] for item in asked["plan"]]]))
        identity, record = self._replay.take(branch, StepKind.GATE, name, shape)
        if record is None:
            header = {"t": "gate", "p": identity[0], "o": identity[1], "n": name, "d": shape}
            reply = await self._line.wait(await self._line.with_text(header, canonical(asked), spec["blobs"]))
            branch.at_us = reply["at"]
            record = Recorded(StepKind.GATE, name, shape, Outcome.OK, reply.get("r"), reply["at"])
        answer: dict[str, Any] = json.loads(await self._line.text_of(identity, record))
        return answer

    async def sleep(self, branch: Branch, for_us: int | None, until_us: int | None) -> None:
        """Wait on a timer row."""
        args_digest = digest(canonical([for_us, until_us]))
        identity, record = self._replay.take(branch, StepKind.TIMER, "sleep", args_digest)
        if record is None:
            frame = {"t": "timer", "p": identity[0], "o": identity[1], "for": for_us, "until": until_us}
            branch.at_us = (await self._line.wait(frame))["at"]

    async def lookup(self, branch: Branch, what: str, keys: Sequence[str]) -> Any:
        """Ask the runner what other runs hold, or what this one has changed; its answer is a record, and may need a person first."""
        args_digest = digest(canonical([what, list(keys)]))
        identity, record = self._replay.take(branch, StepKind.LOOKUP, what, args_digest)
        if record is None:
            header = {"t": "lookup", "p": identity[0], "o": identity[1], "n": what, "d": args_digest}
            reply = await self._line.wait(await self._line.with_text(header, canonical(list(keys)), {}))
            branch.at_us = reply["at"]
            record = Recorded(StepKind.LOOKUP, what, args_digest, Outcome.OK, reply.get("r"), reply["at"])
        return json.loads(await self._line.text_of(identity, record))

    async def llm(self, branch: Branch, name: str, asked: dict[str, Any], args_digest: str) -> dict[str, Any]:
        """Ask an llm for the next turn of a conversation; `args_digest` covers all turns before."""
        identity, record = self._replay.take(branch, StepKind.LLM, name, args_digest)
        if record is None:
            header = {"t": "llm", "p": identity[0], "o": identity[1], "n": name, "d": args_digest}
            reply = await self._line.wait(await self._line.with_text(header, canonical(asked), {}))
            branch.at_us = reply["at"]
            record = Recorded(StepKind.LLM, name, args_digest, reply["outcome"], reply.get("r"), reply["at"])
        answer: dict[str, Any] = json.loads(await self._line.text_of(identity, record))
        if record.outcome == Outcome.OK:
            return answer
        raise _LLM_FAILURES[answer["kind"]](answer["message"])

    async def parallel(self, branch: Branch, awaitables: Sequence[Awaitable[Any]]) -> list[Any]:
        """Run branches side by side and settle them all."""
        return await self._side_by_side.parallel(branch, awaitables)

    async def first(self, branch: Branch, awaitables: Sequence[Awaitable[Any]]) -> tuple[int, Any]:
        """Run branches side by side until one has ended; which one is recorded."""
        return await self._side_by_side.first(branch, awaitables)


def _wishes(step: Step[Any, Any]) -> dict[str, Any]:
    """How often a step may be tried again, and what is to become of it then: the author's wish, which the desk clamps."""
    return {"retries": step.retries, "raise": step.on_failure == "raise"}


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()


def failure_of(failure: dict[str, Any]) -> WorkflowError:
    """The exception that a recorded failure of an effect is for the author."""
    message = failure["message"]
    match failure.get("kind"):
        case "not_approved":
            return NotApproved(message)
        case "rejected":
            return Rejected(failure["comment"], failure["by"])
        case "returned":
            return Returned(failure["comment"], failure["by"])
        case "conflict":
            return FilesChanged(message, failure["paths"])
        case _:
            return EffectFailed(message)
