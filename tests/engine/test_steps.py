"""Pure steps: tried again when that may help, else put before a person before the author sees an exception (engine.md 13, 16, 19, 22).

| number | test |
|---|---|
| 13 retry, this value, stop | test_a_failure_gate_can_be_retried, test_a_value_given…, test_a_value_that_does_not_fit…, test_stopping… |
| 13 on_failure="raise" | test_a_step_may_raise_instead, test_a_raised_failure_is_recorded |
| 16 retries, backoff, restarts | test_a_transient_failure…, test_retries_survive_restarts, test_how_often… |
| 16 timeouts | test_a_step_that_takes_too_long… |
| 19 in and out of a run | test_outside_a_run…, test_a_step_inside_a_step…, test_effects_and_gates_inside_a_step… |
| 19 process=True | test_a_step_in_a_child_process… |
| 22 live is the decoded copy | test_the_live_value_is_the_recorded_one |
"""

import asyncio
import errno
import json
import os
import urllib.error
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from counterfoil import RefusedUse, StepFailed, ask, now, parallel, report, sleep, step, workflow
from counterfoil.engine.describing import describe
from counterfoil.engine.failing import classify, may_retry, wait_us
from counterfoil.facts import FailureClass, RunState
from counterfoil.store import records, timers
from counterfoil.testing import Crashed
from engine.doing import Nothing, keyed
from engine.power_cut import PowerCut


@dataclass(frozen=True)
class Amount:
    value: Decimal
    note: str = ""


class Script:
    """A step's fate, try by try."""

    def __init__(self, *fate: Any) -> None:
        self.fate = list(fate)
        self.tries = 0

    def __call__(self) -> Any:
        self.tries += 1
        fate = self.fate.pop(0) if self.fate else "well"
        if isinstance(fate, BaseException):
            raise fate
        return fate


def start(harness: PowerCut, script: Script, **options: Any) -> None:
    """A run of one step with this fate; the step returns what the script says."""

    @step(**options)
    def fated() -> str:
        return str(script())

    @workflow("fated")
    async def flow(p: Nothing) -> str:
        return await fated()

    harness.start(flow)


# ------------------------------------------------------------------------------------------------------------- retries


def test_a_transient_failure_waits_on_a_timer_and_is_tried_again(harness: PowerCut) -> None:
    script = Script(ConnectionError("reset"), ConnectionError("reset"), "there")
    start(harness, script, retries=3)
    assert harness.advance() == RunState.WAITING
    assert script.tries == 1
    (timer,) = timers.pending(harness.database.reader, harness.run_id)
    assert 0.7e6 < timer["due_at"] - timer["set_at"] < 1.3e6
    harness.tick(timedelta(milliseconds=100))
    harness.wake()
    assert harness.advance() == RunState.WAITING  # too early
    assert script.tries == 1
    harness.tick(timedelta(seconds=2))
    assert harness.advance() == RunState.WAITING
    assert script.tries == 2
    (timer,) = timers.pending(harness.database.reader, harness.run_id)
    assert 1.4e6 < timer["due_at"] - timer["set_at"] < 2.6e6
    harness.tick(timedelta(seconds=5))
    assert harness.advance() == RunState.DONE
    assert harness.result() == "there"
    (record,) = harness.records()
    assert record["attempts"] == 3
    tries = records.attempts(harness.database.reader, harness.run_id)
    assert [(row["n"], row["state"], row["failure_class"]) for row in tries] == [
        (1, "failed", "transient"),
        (2, "failed", "transient"),
    ]


def test_retries_survive_restarts(harness: PowerCut) -> None:
    script = Script(*[ConnectionError("reset")] * 3)
    start(harness, script, retries=5)
    for tries in range(1, 4):
        harness.crash_at("after_record", 1)
        with pytest.raises(Crashed):
            harness.advance()
        assert harness.advance() == RunState.WAITING  # the timer holds after the crash, too
        assert script.tries == tries
        harness.tick(timedelta(minutes=1))
    assert harness.advance() == RunState.DONE
    assert script.tries == 4


def test_a_used_up_retry_is_put_before_a_person(harness: PowerCut) -> None:
    script = Script(*[ConnectionError("reset")] * 3)
    start(harness, script, retries=2)
    for _ in range(3):
        assert harness.advance() == RunState.WAITING
        harness.tick(timedelta(hours=1))
    gate = harness.gate()
    about = harness.spec(gate)["about"]
    assert (gate["kind"], gate["slot"], gate["ordinal"]) == ("failure", "failure", 0)
    assert (about["step"], about["attempts"], about["error"]["message"]) == ("fated", 3, "reset")


def test_a_structural_failure_is_not_tried_again(harness: PowerCut) -> None:
    script = Script(ValueError("wrong"))
    start(harness, script, retries=5)
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["kind"] == "failure"
    assert timers.pending(harness.database.reader, harness.run_id) == []
    assert script.tries == 1


@pytest.mark.parametrize(
    "problem, wanted",
    [
        (ConnectionError("x"), "transient"),
        (ConnectionResetError("x"), "transient"),
        (ConnectionRefusedError("x"), "transient"),
        (BrokenPipeError("x"), "transient"),
        (TimeoutError("x"), "transient"),
        (TimeoutError(), "transient"),
        (InterruptedError("x"), "transient"),
        (BlockingIOError("x"), "transient"),
        (OSError(errno.EAGAIN, "x"), "transient"),
        (OSError(errno.ENOSPC, "x"), "transient"),
        (OSError(errno.EBUSY, "x"), "transient"),
        (OSError(errno.EMFILE, "x"), "transient"),
        (urllib.error.URLError("x"), "unknown"),
        (ValueError("x"), "structural"),
        (TypeError("x"), "structural"),
        (KeyError("x"), "structural"),
        (IndexError("x"), "structural"),
        (ZeroDivisionError("x"), "structural"),
        (AttributeError("x"), "structural"),
        (AssertionError("x"), "structural"),
        (NotImplementedError("x"), "structural"),
        (FileNotFoundError("x"), "structural"),
        (PermissionError("x"), "structural"),
        (IsADirectoryError("x"), "structural"),
        (ModuleNotFoundError("x"), "structural"),
        (json.JSONDecodeError("x", "x", 0), "structural"),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "x"), "structural"),
        (RecursionError("x"), "structural"),
        (RefusedUse("x"), "structural"),
        (OSError("x"), "unknown"),
        (RuntimeError("x"), "unknown"),
        (Exception("x"), "unknown"),
        (MemoryError("x"), "unknown"),
    ],
    ids=lambda value: (
        f"{type(value).__name__}{getattr(value, 'errno', None) or ''}" if not isinstance(value, str) else value
    ),
)
def test_what_a_failure_deserves(problem: BaseException, wanted: str) -> None:
    assert classify(describe(problem)) == wanted


def test_how_often_a_failure_is_tried_again() -> None:
    allowed = {failure: [tries for tries in range(1, 60) if may_retry(failure, tries, 100)] for failure in FailureClass}
    assert allowed[FailureClass.STRUCTURAL] == []
    assert len(allowed[FailureClass.UNKNOWN]) == 3  # few, whatever the author declares
    assert len(allowed[FailureClass.TRANSIENT]) == 50  # the author's wish is clamped
    assert [tries for tries in range(1, 9) if may_retry(FailureClass.TRANSIENT, tries, 0)] == []


def test_waits_double_with_a_jitter_that_is_the_same_each_time() -> None:
    waits = [wait_us(tries, "seed") for tries in range(1, 30)]
    assert waits == [wait_us(tries, "seed") for tries in range(1, 30)]
    assert all(0.75e6 * 2**n <= wait <= 1.25e6 * 2**n for n, wait in enumerate(waits[:8]))
    assert max(waits) <= 300e6 * 1.25
    assert wait_us(1, "seed", 7.5) == 7_500_000  # the other side has named a time
    assert wait_us(1, "seed", 10**9) == 86_400_000_000


# -------------------------------------------------------------------------------------------------------- failure gates


def test_a_failure_gate_can_be_retried(harness: PowerCut) -> None:
    script = Script(ValueError("wrong"), ValueError("still wrong"), "right")
    start(harness, script)
    harness.advance()
    harness.answer(choice="retry")
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["about"]["error"]["message"] == "still wrong"
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE
    assert harness.result() == "right"
    assert harness.records()[0]["attempts"] == 3


def test_a_failure_is_not_tried_again_because_something_else_woke_the_run(harness: PowerCut) -> None:
    script = Script(ValueError("wrong"))

    @step
    def fated() -> str:
        return str(script())

    @workflow("fated")
    async def flow(p: Nothing) -> Any:
        return await parallel(fated(), ask("Why?", []))

    harness.start(flow)
    harness.advance()
    question = next(gate for gate in harness.gates() if gate["kind"] == "question")
    harness.answer(question)
    assert harness.advance() == RunState.WAITING
    assert script.tries == 1
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE
    assert script.tries == 2


@pytest.mark.parametrize(
    "given, expected", [("42", "42"), ('"42"', "42"), ("forty-two", "forty-two"), ("", ""), ("[1", "[1")]
)
def test_a_value_given_by_a_person_takes_the_steps_place(harness: PowerCut, given: str, expected: str) -> None:
    script = Script(ValueError("wrong"))
    start(harness, script)
    harness.advance()
    harness.answer(choice="skip", result=given)
    assert harness.advance() == RunState.DONE
    assert script.tries == 1
    assert harness.result() == expected
    assert harness.records()[0]["origin"] == "given by Test"


def test_a_value_given_is_a_whole_value_of_the_steps_type(harness: PowerCut) -> None:
    @step
    def amounts() -> list[Amount]:
        raise ValueError("unreadable")

    @workflow("amounts")
    async def flow(p: Nothing) -> str:
        return str(sum(amount.value for amount in await amounts()))

    harness.start(flow)
    harness.advance()
    harness.answer(choice="skip", result='[{"$type": "Amount", "value": {"$dec": "12.50"}, "note": ""}]')
    assert harness.advance() == RunState.DONE
    assert harness.result() == "12.50"


def test_a_value_that_does_not_fit_is_asked_for_again(harness: PowerCut) -> None:
    @step
    def number() -> int:
        raise ValueError("unreadable")

    @workflow("number")
    async def flow(p: Nothing) -> int:
        return await number()

    harness.start(flow)
    harness.advance()
    harness.answer(choice="skip", result="many")
    assert harness.advance() == RunState.WAITING
    assert "does not fit number" in harness.spec()["about"]["error"]["message"]
    assert harness.records() == []
    harness.answer(choice="skip", result="12")
    assert harness.advance() == RunState.DONE
    assert harness.result() == 12


@pytest.mark.parametrize("point", ["after_claim", "after_record"])
def test_a_given_value_outlives_a_crash(harness: PowerCut, point: str) -> None:
    script = Script(ValueError("wrong"))
    start(harness, script)
    harness.advance()
    harness.answer(choice="skip", result="given")
    harness.crash_at(point)
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.DONE
    assert (harness.result(), script.tries) == ("given", 1)


def test_stopping_at_a_failure_ends_the_run_and_withdraws_its_gates(harness: PowerCut) -> None:
    @workflow("two")
    async def flow(p: Nothing) -> Any:
        return await parallel(broken(1), broken(2))

    @step
    def broken(n: int) -> int:
        raise ValueError(str(n))

    harness.start(flow)
    harness.advance()
    first, second = harness.gates()
    harness.answer(first, choice="stop")
    assert harness.advance() == RunState.FAILED
    assert harness.gates() == []
    assert "Test stopped the run at" in harness.run()["error"]
    assert second["gate_id"] != first["gate_id"]


def test_a_step_may_raise_instead_of_asking(harness: PowerCut) -> None:
    script = Script(ConnectionError("reset"), ConnectionError("reset"))

    @step(retries=1, on_failure="raise")
    def fated() -> str:
        return str(script())

    @workflow("fated")
    async def flow(p: Nothing) -> str:
        try:
            return await fated()
        except StepFailed as problem:
            return f"caught {problem}"

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    harness.tick(timedelta(minutes=1))
    assert harness.advance() == RunState.DONE
    assert harness.result() == "caught fated: reset"


def test_a_raised_failure_is_recorded_and_replayed_in_the_same_words(harness: PowerCut) -> None:
    seen: list[str] = []

    @step(on_failure="raise")
    def broken() -> str:
        raise ValueError("wrong")

    @workflow("broken")
    async def flow(p: Nothing) -> str:
        try:
            await broken()
        except StepFailed as problem:
            seen.append(str(problem))
        await ask("Go on?", [])
        return "done"

    harness.start(flow)
    harness.advance()
    harness.answer()
    assert harness.advance() == RunState.DONE
    assert seen == ["broken: wrong", "broken: wrong"]
    assert [row["outcome"] for row in harness.records()] == ["failed", "ok"]


def test_a_raised_failure_that_nobody_catches_is_a_gate_on_the_run(harness: PowerCut) -> None:
    start(harness, Script(ValueError("wrong")), on_failure="raise")
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["ordinal"] == -1
    assert harness.spec()["about"]["error"]["type"] == "StepFailed"


def test_a_step_that_leaves_the_program_has_failed(harness: PowerCut) -> None:
    start(harness, Script(SystemExit(3)))
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["about"]["error"]["type"] == "SystemExit"


def test_a_step_that_cancels_itself_has_failed(harness: PowerCut) -> None:
    @step
    async def giving_up() -> None:
        raise asyncio.CancelledError

    @workflow("giving-up")
    async def flow(p: Nothing) -> None:
        await giving_up()

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    assert "cancelled itself" in harness.spec()["about"]["error"]["message"]


def test_an_exception_without_words_is_told_all_the_same(harness: PowerCut) -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    start(harness, Script(Mute()))
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["about"]["error"]["message"] == "a Mute without words"


# ------------------------------------------------------------------------------------------------------------- timeouts


def test_a_step_that_takes_too_long_is_stopped_and_tried_again(harness: PowerCut) -> None:
    tries: list[int] = []

    @step(retries=1, timeout=timedelta(milliseconds=200))
    async def slow() -> str:
        tries.append(1)
        if len(tries) == 1:
            await asyncio.Event().wait()
        return "quick"

    @workflow("slow")
    async def flow(p: Nothing) -> str:
        return await slow()

    harness.start(flow)
    assert harness.advance() == RunState.READY  # the host is ended; the run goes on from its rows
    (attempt,) = records.attempts(harness.database.reader, harness.run_id)
    assert "took longer than 0.2 s" in attempt["message"]
    assert harness.run()["recoveries"] == 0  # ending it was the runner's own doing
    assert harness.advance() == RunState.WAITING
    harness.tick(timedelta(minutes=1))
    assert harness.advance() == RunState.DONE
    assert harness.result() == "quick"


def test_a_step_that_takes_too_long_too_often_is_put_before_a_person(harness: PowerCut) -> None:
    @step(timeout=timedelta(milliseconds=200))
    async def stuck() -> str:
        await asyncio.Event().wait()
        return ""

    @workflow("stuck")
    async def flow(p: Nothing) -> str:
        return await stuck()

    harness.start(flow)
    assert harness.advance() == RunState.READY
    assert harness.gate()["title"] == "Needs repair: stuck"
    assert harness.advance() == RunState.WAITING
    harness.answer(choice="skip", result="never mind")
    assert harness.advance() == RunState.DONE
    assert harness.result() == "never mind"


def test_a_step_that_takes_too_long_may_raise(harness: PowerCut) -> None:
    @step(timeout=timedelta(milliseconds=200), on_failure="raise")
    async def stuck() -> str:
        await asyncio.Event().wait()
        return ""

    @workflow("stuck")
    async def flow(p: Nothing) -> str:
        try:
            return await stuck()
        except StepFailed as problem:
            return str(problem)

    harness.start(flow)
    assert harness.advance() == RunState.READY
    assert harness.advance() == RunState.DONE
    assert harness.result() == "stuck: stuck took longer than 0.2 s and was stopped"


# ---------------------------------------------------------------------------------------------------- what a step is


def test_outside_a_run_a_step_just_runs() -> None:
    @step
    def doubled(n: int) -> int:
        return 2 * n

    @step
    async def tripled(n: int) -> int:
        return 3 * n

    async def both() -> int:
        return await doubled(2) + await tripled(2)

    assert doubled.plain(21) == 42
    assert asyncio.run(both()) == 10


def test_a_step_inside_a_step_just_runs(harness: PowerCut) -> None:
    @step
    def inner(n: int) -> int:
        return n + 1

    @step
    async def outer(n: int) -> int:
        return await inner(n) + await inner(n)

    @workflow("nested")
    async def flow(p: Nothing) -> int:
        return await outer(1)

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert harness.result() == 4
    assert [row["name"] for row in harness.records()] == ["outer"]


@pytest.mark.parametrize("what", ["effect", "gate", "sleep", "now", "parallel"])
def test_effects_and_gates_inside_a_step_are_refused_with_advice(harness: PowerCut, what: str) -> None:
    async def act() -> None:
        match what:
            case "effect":
                await keyed("x")
            case "gate":
                await ask("Why?", [])
            case "sleep":
                await sleep(timedelta(seconds=1))
            case "now":
                now()
            case "parallel":
                await parallel()

    @step
    async def acting() -> None:
        await act()

    @workflow("acting")
    async def flow(p: Nothing) -> None:
        await acting()

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    error = harness.spec()["about"]["error"]
    assert error["type"] == "RefusedUse"
    assert "cannot stand inside a step" in error["message"]
    assert harness.ledger.lines() == []


def test_a_step_in_a_child_process_reports_results_progress_and_failures(harness: PowerCut) -> None:
    here = os.getpid()

    @step(process=True)
    def apart(n: int) -> list[int]:
        report(f"working on {n}")
        if n < 0:
            raise KeyError("negative")
        return [n, os.getpid()]

    @step(process=True)
    def dying() -> list[int]:
        os._exit(7)

    @workflow("apart")
    async def flow(p: Nothing) -> Any:
        n, pid = await apart(5)
        return [n, pid == here, await apart(-1), await dying()]

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    assert harness.records()[0]["summary"] == "working on 5"
    error = harness.spec()["about"]["error"]
    assert (error["type"], error["message"]) == ("KeyError", "'negative'")
    assert "negative" in error["traceback"]
    harness.answer(choice="skip", result="[]")
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["about"]["error"]["message"] == "dying ended its process with exit code 7 and gave no answer"
    harness.answer(choice="skip", result="[0]")
    assert harness.advance() == RunState.DONE
    assert harness.result() == [5, False, [], [0]]


def test_an_async_step_cannot_have_a_process() -> None:
    with pytest.raises(RefusedUse, match="plain `def`"):

        @step(process=True)
        async def wrong() -> None: ...


def test_the_live_value_is_the_recorded_one(harness: PowerCut) -> None:
    given = Amount(Decimal("1.50"))
    seen: list[Any] = []

    @step
    def make() -> dict[str, list[Amount]]:
        return {"b": [given], "a": []}

    @workflow("copies")
    async def flow(p: Nothing) -> None:
        seen.append(await make())
        await ask("Go on?", [])

    harness.start(flow)
    harness.advance()
    harness.answer()
    harness.advance()
    live, replayed = seen
    assert live == replayed == {"a": [], "b": [given]}
    assert live["b"][0] is not given
    assert list(live) == list(replayed) == ["a", "b"]


def test_a_result_that_does_not_fit_its_annotation_is_a_failure_of_the_step(harness: PowerCut) -> None:
    @step
    def lying() -> int:
        return "text"  # type: ignore[return-value]  # that is the test

    @workflow("lying")
    async def flow(p: Nothing) -> int:
        return await lying()

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    assert "annotation says int" in harness.spec()["about"]["error"]["message"]
    assert harness.records() == []


def test_a_name_that_is_no_utf8_is_recorded_like_any_other(harness: PowerCut) -> None:
    name = os.fsdecode(b"Rechnung-\xff.xml")

    @step
    def found() -> list[str]:
        report(f"found {name}")
        return [name]

    @workflow("names")
    async def flow(p: Nothing) -> bool:
        return await found() == [name]

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert harness.result() is True
    assert harness.records()[0]["summary"] == "found Rechnung-\\udcff.xml"
