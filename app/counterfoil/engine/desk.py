"""The desk: the only thing a session can talk to. Everything a host says is judged here before any of it is written.

A host can lie about its own results and nothing else: it may record a pure step at a fresh identity, ask for an effect, a gate, a timer
or a look-up. What it may not do is refused as a breach, which ends the run's session without a trace in the records.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Awaitable, Callable, Collection, Iterator
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine import answers, listening, staging
from counterfoil.engine.desk_effects import EffectDesk
from counterfoil.engine.desk_failures import FailureDesk, mismatch_spec, run_spec
from counterfoil.engine.desk_gates import GateDesk
from counterfoil.engine.desk_llms import LlmDesk
from counterfoil.engine.desk_steps import StepDesk
from counterfoil.engine.desk_waits import WaitDesk
from counterfoil.engine.ending import cancel_held, finish, suspend
from counterfoil.engine.holding import RUN_ITSELF, Breach, Hold, Identity, Over
from counterfoil.engine.ports import EffectTrouble
from counterfoil.engine.shapes import error_in, identity_in, line, name_in, whole
from counterfoil.engine.uploads import Uploads
from counterfoil.errors import Damaged, StoreTrouble
from counterfoil.facts import RunState, Slot
from counterfoil.store import gates, runs
from counterfoil.store.runs import Stale
from counterfoil.store.transactions import Txn

Frame = dict[str, Any]
Reply = tuple[dict[str, Any], bytes]
CLOSE: Reply = ({"k": "close"}, b"")
IN_FLIGHT = 64  # unanswered frames per host
MOST_ITEMS = 500  # effects in one frame
_UNFORESEEN = "it was sent back, and its workflow does not foresee that"
_SHAPE = (KeyError, TypeError, ValueError, AttributeError, RecursionError, OverflowError)
_log = logging.getLogger(__name__)


class Desk:
    """One claimed run's desk."""

    def __init__(self, hold: Hold) -> None:
        self.hold = hold
        self._uploads = Uploads(hold)
        self._gates = GateDesk(hold)
        self._failures = FailureDesk(hold, self._gates)
        self._effects = EffectDesk(hold, self._gates, self._failures)
        self._steps = StepDesk(hold, self._failures, self._uploads)
        self._waits = WaitDesk(hold, self._uploads, self._steps.pure, self.poll)
        self._llms = LlmDesk(hold, self._gates, self._failures, self._uploads)
        self._sent = 0
        self._idle_at = -1
        self._in_flight = 0
        self._asked: set[Identity] = set()
        self._settling = False
        self._polling = 0  # an answer that is being taken up wakes a branch, so the run must not be suspended meanwhile
        self._cancelling = False
        hold.on_park = self._settle_soon
        self._calls: dict[str, Callable[[Frame, bytes], Awaitable[Reply]]] = {
            "step": self._steps.step,
            "attempt": self._steps.attempt,
            "resume": self._steps.resume,
            "effect": self._on_effect,
            "perform": self._on_perform,
            "gate": self._on_gate,
            "timer": self._on_timer,
            "lookup": self._on_lookup,
            "race": self._waits.race,
            "llm": self._llms.ask,
            "put": self._uploads.put,
            "fetch": self._uploads.fetch,
            "done": self._on_done,
            "fail": self._on_fail,
        }
        self._tells: dict[str, Callable[[Frame], None]] = {
            "idle": self._on_idle,
            "say": self._on_say,
            "begin": self._steps.begin,
        }

    # ------------------------------------------------------------------------------------------------------- dispatch

    async def handle(self, frame: Frame, tail: bytes) -> Reply | None:
        """Judge one frame and do what it asks; the reply, or None for a frame that has none."""
        kind = frame.get("t")
        if isinstance(kind, str) and kind in self._tells:
            self._tell(kind, frame)
            return None
        self.hold.hearing.stirred = True
        self._in_flight += 1
        try:
            reply = await self._guarded(kind, frame, tail)
        finally:
            self._in_flight -= 1
        self._sent += 1
        self.hold.hearing.stirred = True
        return reply

    def _tell(self, kind: str, frame: Frame) -> None:
        if self.hold.over.is_set() or self.hold.suspended.is_set():
            return  # a word that crossed with the end
        try:
            self._tells[kind](frame)
        except Breach as breach:
            self.refuse(str(breach))
        except _SHAPE as problem:
            self.refuse(f"a {kind} frame of another shape: {problem}")

    async def _guarded(self, kind: Any, frame: Frame, tail: bytes) -> Reply:
        hold = self.hold
        if hold.over.is_set():
            return CLOSE
        try:
            if not isinstance(kind, str) or kind not in self._calls:
                raise Breach("a frame of a kind that there is not")
            if self._in_flight > IN_FLIGHT:
                raise Breach(f"more than {IN_FLIGHT} frames without an answer")
            if hold.suspended.is_set():
                raise Breach("a frame from a session that said it was waiting")
            with self._alone(kind, frame):
                return await self._calls[kind](frame, tail)
        except Over:
            return CLOSE
        except Stale as stale:
            self.refuse(str(stale))
        except Breach as breach:
            self.refuse(str(breach))
        except _SHAPE as problem:
            self.refuse(f"a {kind} frame of another shape: {type(problem).__name__}: {problem}")
        except Damaged as damaged:
            await self._set_aside_damaged(damaged)
        except StoreTrouble:
            hold.end(RunState.READY)  # ours, not the step's: the run is carried on when the store can be used
        except Exception:  # noqa: BLE001 - a fault of ours is logged, and ends this hold only
            _log.exception("run %s: a %s frame met a fault of ours", hold.run_id[:8], kind)
            hold.end(RunState.RUNNING)
        return CLOSE

    @contextlib.contextmanager
    def _alone(self, kind: str, frame: Frame) -> Iterator[None]:
        """One call at a time for one identity: two at once could both find nothing there."""
        asked = _identities(kind, frame)
        if len(set(asked)) != len(asked) or not self._asked.isdisjoint(asked):
            raise Breach("two calls for one identity")
        self._asked.update(asked)
        try:
            yield
        finally:
            self._asked.difference_update(asked)

    def refuse(self, what: str) -> None:
        """The peer has sent what no honest session sends: the hold ends here."""
        if not self.hold.over.is_set():
            self.hold.breach = line(what, 300)
            self.hold.end(RunState.RUNNING)

    async def _set_aside_damaged(self, damaged: Damaged) -> None:
        error = {"type": "Damaged", "message": str(damaged), "traceback": ""}
        spec = run_spec("set_aside", "Needs repair: what was kept of this run is damaged", error)
        with contextlib.suppress(Over, Stale):
            await self._failures.set_aside(RUN_ITSELF, spec, digest(str(damaged)))

    # ------------------------------------------------------------------------------------------------ effects and gates

    async def _on_effect(self, frame: Frame, _: bytes) -> Reply:
        asked = await self._asked_effect(self._unrecorded(frame), frame)
        return (await self._effects.perform([asked]))[0], b""

    async def _on_perform(self, frame: Frame, _: bytes) -> Reply:
        items = frame["items"]
        if not isinstance(items, list) or not 0 < len(items) <= MOST_ITEMS:
            raise Breach("a plan that is no list, or too long for one frame")
        identities = [self._unrecorded({"p": frame["p"], "o": item["o"]}) for item in items]
        raises = frame.get("raise") is True
        asked = [
            await self._asked_effect(identity, item, raises=raises)
            for identity, item in zip(identities, items, strict=True)
        ]
        return {"k": "ok", "items": await self._effects.perform(asked)}, b""

    async def _asked_effect(self, identity: Identity, item: Frame, *, raises: bool = False) -> Any:
        return self._effects.asked(identity, await self._uploads.text(item), item["seal"], raises=raises)

    def _unrecorded(self, frame: Frame) -> Identity:
        identity = identity_in(frame)
        if identity in self.hold.known:
            raise Breach(f"{identity[0]}#{identity[1]} is recorded already")
        return identity

    def _waiting_identity(self, frame: Frame) -> Identity:
        """An identity at which a gate or a timer may stand; it belongs to it from now on."""
        identity = self._unrecorded(frame)
        if identity in self.hold.intended:
            raise Breach(f"{identity[0]}#{identity[1]} belongs to an effect")
        return identity

    async def _on_gate(self, frame: Frame, _: bytes) -> Reply:
        identity = self._waiting_identity(frame)
        name, _shape = name_in(frame)
        text = await self._uploads.text(frame)
        spec = self._gates.checked(name, text)
        self.hold.gated.add(identity)
        while True:
            if self._repairing(identity):
                await self._failures.answer(identity, name)
            try:
                return await self._gates.ask(identity, spec, digest(text)), b""
            except EffectTrouble as trouble:
                await self._failures.ask(identity, name, str(trouble))

    async def _on_lookup(self, frame: Frame, tail: bytes) -> Reply:
        """A look that cannot be taken is put before a person, who may mend the cause and have it tried again."""
        identity = self._unrecorded(frame)
        name, _shape = name_in(frame)
        while True:
            if self._repairing(identity):
                await self._failures.answer(identity, name)
            try:
                return await self._waits.lookup(frame, tail)
            except EffectTrouble as trouble:
                await self._failures.ask(identity, name, str(trouble))

    def _repairing(self, identity: Identity) -> bool:
        """Whether a failure gate stands at an identity, so that nothing is asked there before it is answered."""
        living = gates.untaken(self.hold.powers.database.reader, self.hold.run_id, *identity)
        return any(gate["slot"] == Slot.FAILURE for gate in living)

    async def _on_timer(self, frame: Frame, _: bytes) -> Reply:
        identity = self._waiting_identity(frame)
        self.hold.gated.add(identity)
        return await self._waits.timer(frame, identity)

    # --------------------------------------------------------------------------------------------------- idle and over

    def _on_idle(self, frame: Frame) -> None:
        self._idle_at = whole(frame["seen"], "a count")
        self._settle_soon()

    def _on_say(self, frame: Frame) -> None:
        self.hold.hearing.heard(identity_in(frame, whole_run=True))
        if not isinstance(frame["text"], str):
            raise Breach("a line of progress that is no text")
        self.hold.say(line(frame["text"], 300))

    def _all_wait(self) -> bool:
        """Whether the session is idle, has received all that was sent, and every frame it has in flight is parked."""
        hold = self.hold
        if hold.busy or hold.resting or self._polling or hold.over.is_set():
            return False
        parked = sum(1 for future in hold.parked.values() if not future.done())
        return self._idle_at == self._sent and self._in_flight == parked

    def _settle_soon(self) -> None:
        if self._all_wait() and not self._settling:
            self._settling = True
            self.hold.spawn(self._settle())

    async def _settle(self) -> None:
        """Suspend the run if its session has received all that was sent, nothing is in progress, and no answer is there."""
        hold = self.hold
        try:
            if not self._all_wait():
                return
            hold.resting = True
            waiting = frozenset(
                hold.parked
            )  # as of now: a hold that ends before the transaction has nothing parked any more
            over = await hold.do(functools.partial(self._suspend_or_take, waiting))
            if over is None:
                hold.suspended.set()
                return
            hold.resting = False
            if any(answers.is_outside(one) for one in over):
                await staging.refresh(hold)
            self._wake(over)
            hold.wake_all()  # what would have woken them while the run was being suspended has not
        finally:
            self._settling = False

    def _suspend_or_take(self, waiting: Collection[tuple[Identity, str]], txn: Txn) -> list[answers.Answered] | None:
        over = answers.take(txn, self.hold.powers.blobs, self.hold.run_id)
        if any(((answered.path, answered.ordinal), answered.slot) in waiting for answered in over):
            return over
        answers.drop(txn, self.hold.powers.blobs, self.hold.run_id)
        suspend(txn, self.hold.run_id)
        return None

    async def poll(self) -> None:
        """Something may have changed: take up answers and due timers, and a wish to cancel."""
        hold = self.hold
        if hold.over.is_set() or hold.resting:
            return
        self._polling += 1
        try:
            over = await hold.do(lambda txn: answers.take(txn, hold.powers.blobs, hold.run_id))
            if any(answers.is_outside(one) for one in over):
                self._polling += 1
                hold.spawn(self._go_on(over))
            else:
                self._wake(over)
            await listening.listen(hold, at_work=not self._all_wait())
            self._heed_wishes()
        except Over:
            hold.end(RunState.RUNNING)
        except Stale as stale:
            self.refuse(str(stale))
        finally:
            self._polling -= 1
        self._settle_soon()

    def _heed_wishes(self) -> None:
        """Somebody may want the run to end, or what it is in to begin anew."""
        hold = self.hold
        run = runs.get(hold.powers.database.reader, hold.run_id)
        wish = runs.restart_of(run)
        if run["cancel_by"] and not self._cancelling:
            self._cancelling = True
            hold.cancelling.set()
            hold.spawn(cancel_held(hold))
        elif wish is not None and not hold.restarting:
            hold.restarting = True
            hold.spawn(listening.restart_held(hold, wish))

    async def _go_on(self, over: list[answers.Answered]) -> None:
        """What waits goes on, with the files as they are now where it waited for the outside. Nobody else has to wait for that."""
        try:
            await staging.refresh(self.hold)
            self._wake(over)
        finally:
            self._polling -= 1
        self._settle_soon()

    def _wake(self, over: list[answers.Answered]) -> None:
        for answered in over:
            self.hold.wake((answered.path, answered.ordinal), answered.slot)

    def resumed(self) -> None:
        """A lingering hold was claimed again under a new fence. Its session has been told nothing since it said that it waits, so it still
        does: a call that is woken and waits again, without a reply, leaves the run to be suspended."""
        self.hold.resting = False
        self.hold.suspended.clear()

    async def _on_done(self, frame: Frame, _: bytes) -> Reply:
        text, in_blob = await self._uploads.value(frame)
        await self._effects.left_overs.settle()
        await finish(self.hold, text, in_blob)
        return CLOSE

    async def _on_fail(self, frame: Frame, _: bytes) -> Reply:
        error = error_in(frame)
        told = canonical([error["type"], error["message"]])
        if frame["kind"] == "mismatch":
            identity = identity_in(frame)
            recorded, asked = (line(str(frame[key]), 300) for key in ("recorded", "asked"))
            can_keep = recorded.split(" ")[0] == asked.split(" ")[0] and identity in self.hold.known
            spec = mismatch_spec(recorded, asked, error, can_keep=can_keep)
            await self._failures.set_aside(identity, spec, digest(canonical([recorded, asked, told])))
        if frame["kind"] != "error":
            raise Breach("a failure of a kind that there is not")
        reason = _UNFORESEEN if error["type"] == "Returned" else line(error["message"], 200) or error["type"]
        title = f"Needs repair: {reason}"
        await self._failures.set_aside(RUN_ITSELF, run_spec("failed", title, error), digest(told))
        return CLOSE


def _identities(kind: str, frame: Frame) -> list[Identity]:
    """The identities that a call is about."""
    if kind in ("put", "fetch", "done", "fail"):
        return []
    if kind != "perform":
        return [identity_in(frame)]
    items = frame["items"]
    if not isinstance(items, list) or len(items) > MOST_ITEMS:
        raise Breach("a plan that is no list, or too long for one frame")
    return [identity_in({"p": frame["p"], "o": item["o"]}) for item in items]
