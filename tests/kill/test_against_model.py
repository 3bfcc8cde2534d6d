"""The engine under crashes, lost answers and failures comes to what the fault-free model comes to (DESIGN 8; durability.md 2).

Random small programs are run with the power cut at random named points, while the outside loses answers and fails for a while and a person
decides in some order. In the end the result and the records are the model's, each record is there once, and every effect has happened
once; wherever nobody could know, a person was asked, and answers by looking at the ledger.
"""

import asyncio
import json
import random
from collections.abc import Awaitable, Generator
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil import Effect, NotApproved, Rejected, approve, ask, parallel, sleep, step, workflow
from counterfoil.authoring.parameters import Field
from counterfoil.authoring.workflows import Workflow
from counterfoil.facts import ENDED, GateKind, RunState, Verdict
from counterfoil.store.transactions import Row
from counterfoil.testing import Crashed
from counterfoil.trail import verify
from engine.doing import Nothing
from engine.power_cut import PowerCut, blank_home, power_cut
from kill.model import Act, Fork, Nap, Plan, Program, Question, Work, answer_to, expected, name_of, says_no

POINTS = (
    "after_claim", "after_blob", "after_intent", "after_perform", "after_outcome", "after_record", "after_gate", "after_decision",
)  # fmt: skip
KINDS = st.sampled_from(["keyed@1", "asking@1", "looked_up@1"])
PARTS = st.one_of(
    st.builds(Work, st.integers(0, 9)),
    st.builds(Act, KINDS, st.sampled_from(["allow", "ask"])),
    st.builds(Plan, st.lists(KINDS, min_size=1, max_size=3).map(tuple)),
    st.just(Question()),
    st.builds(Nap, st.integers(1, 3)),
)
PROGRAMS = st.recursive(
    st.lists(PARTS, max_size=4).map(tuple),
    lambda inner: st.lists(
        st.one_of(PARTS, st.builds(Fork, st.lists(inner, min_size=1, max_size=3).map(tuple))), min_size=1, max_size=4
    ).map(tuple),
    max_leaves=4,
)
WEATHER = st.lists(
    st.sampled_from(["well", "transient", "unknown, not done", "unknown, done", "structural"]), max_size=3
)
CRASHES = st.lists(st.tuples(st.sampled_from(POINTS), st.integers(1, 4)), max_size=8)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Generator[PowerCut]:
    """One home for all programs; each is a run of its own."""
    made = power_cut(tmp_path_factory.mktemp("model"), blank_home(tmp_path_factory.mktemp("blank")))
    yield made
    made.close()


class Play:
    """A program as a workflow, with the weather it meets. Texts are unique within a play, so scripts are kept by text."""

    def __init__(self, world: PowerCut, program: Program, weather: list[str], tag: str) -> None:
        self.world = world
        self.program = program
        self.weather = weather
        self.tag = tag
        self._met: set[str] = set()

    def text(self, name: str) -> str:
        """A place's name as the outside knows it."""
        return f"{self.tag} {name}"

    def effect(self, kind: str, name: str, may: str = "allow") -> Effect:
        """An effect that meets the weather the first time it is made."""
        text = self.text(name)
        if text not in self._met:
            self._met.add(text)
            self.world.ledger.scripts[text] = list(self.weather)
        return Effect(kind, {"text": text, "may": may})

    def workflow(self) -> Workflow[Nothing, Any]:
        """The workflow function of the program."""
        failures: dict[str, int] = {}

        @step(retries=5)
        def work(name: str, n: int) -> int:
            failures[name] = failures.get(name, 0) + 1
            if failures[name] <= self.weather.count("transient"):
                raise ConnectionError("the weather")
            return 10 * n

        async def walk(program: Program, path: str) -> list[Any]:
            values: list[Any] = []
            ordinal = 0
            for part in program:
                name = name_of(path, ordinal)
                match part:
                    case Work(n):
                        values.append(await work(name, n))
                    case Act(kind, may):
                        values.append(await self.act(kind, name, may))
                    case Plan(kinds):
                        done = await self.plan(kinds, name)
                        values.append(done)
                        ordinal += len(kinds) if done != "rejected" else 0
                    case Question():
                        values.append(
                            (await ask(name, [Field(name="number", type="integer", required=True)]))["number"]
                        )
                    case Nap(hours):
                        await sleep(timedelta(hours=hours))
                        values.append("woke")
                    case Fork(branches):
                        prefix = f"{path}/{ordinal}" if path else str(ordinal)
                        values.append(await parallel(*[walk(b, f"{prefix}/{n}") for n, b in enumerate(branches)]))
                ordinal += 1
            return values

        @workflow("program")
        async def flow(p: Nothing) -> Any:
            return await walk(self.program, "")

        return flow

    async def act(self, kind: str, name: str, may: str) -> Any:
        """Await one effect; a refusal is a value."""
        try:
            return await self.effect(kind, name, may)
        except NotApproved:
            return "refused"

    async def plan(self, kinds: tuple[str, ...], name: str) -> Any:
        """Ask for a plan and perform it; a refusal is a value."""
        effects = [self.effect(kind, f"{name}/{n}") for n, kind in enumerate(kinds)]
        try:
            decision = await approve(name, plan=effects)
        except Rejected:
            return "rejected"
        return await decision.perform()

    # ---------------------------------------------------------------------------------------------------- the person

    def decide(self, gate: Row) -> None:
        """Answer one gate: plans and questions by their title, doubts by the ledger, failures by trying again."""
        spec = self.world.spec(gate)
        title = gate["title"].removeprefix(f"{self.tag} ")
        match GateKind(gate["kind"]):
            case GateKind.APPROVAL if says_no(title):
                self.world.reject("no", gate)
            case GateKind.APPROVAL:
                self.world.approve(gate)
            case GateKind.QUESTION:
                self.world.answer(gate, number=answer_to(title))
            case GateKind.DOUBT:
                text = dict(spec["about"]["facts"])["text"]
                happened = self.world.ledger.happened(text) > 0
                result = json.dumps({"kept": text}) if happened else None
                self.world.decide(
                    Verdict.ANSWERED,
                    gate,
                    answers={"choice": "happened" if happened else "not_happened", "result": result},
                )
            case GateKind.FAILURE:
                assert spec["about"]["why"] == "failed", spec["about"]
                self.world.answer(gate, choice="retry")

    def play(self, crashes: list[tuple[str, int]], order: random.Random) -> None:
        """Carry the run on over every crash until it has ended."""
        self.world.start(self.workflow())
        left = list(crashes)
        for _ in range(400):
            if left:
                self.world.crash_at(*left.pop(0))
            try:
                if self.world.advance() in ENDED:
                    return
                gates = self.world.gates()
                order.shuffle(gates)
                for gate in gates[: order.randint(1, 3)]:
                    self.decide(gate)
            except Crashed:
                continue
            self.world.tick(timedelta(hours=1))
        raise AssertionError(f"it has not ended: {[self.world.spec(gate) for gate in self.world.gates()]}")

    # --------------------------------------------------------------------------------------------------- the judgement

    def records(self) -> dict[tuple[str, int], tuple[str, str, Any]]:
        """The run's records, in the model's words."""
        found = {}
        for row in self.world.records():
            value = json.loads(row["payload"])
            match row["kind"]:
                case "gate":
                    value = "answered" if row["name"] == "ask" else value["verdict"]
                case "effect":
                    value = value["kind"] if row["outcome"] == "failed" else {"kept": self.place(value["kept"])}
            found[row["path"], row["ordinal"]] = (row["name"], row["outcome"], value)
        return found

    def place(self, text: str) -> str:
        """The place that a text of the ledger speaks of."""
        return text.removeprefix(f"{self.tag} ")

    def plain(self, value: Any) -> Any:
        """A result in the model's words."""
        if isinstance(value, dict):
            return {"kept": self.place(value["kept"])}
        return [self.plain(part) for part in value] if isinstance(value, list) else value

    def judge(self) -> None:
        """Compare the run with the model."""
        model = expected(self.program)
        assert self.world.run()["state"] == RunState.DONE
        assert self.plain(self.world.result()) == model.value
        assert self.records() == model.records
        happened = sorted(
            self.place(text) for _, _, text in self.world.ledger.lines() if text.startswith(f"{self.tag} ")
        )
        assert happened == sorted(model.happened)
        assert self.world.gates() == []


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(program=PROGRAMS, weather=WEATHER, crashes=CRASHES, seed=st.integers(0, 2**32))
def test_the_engine_under_faults_is_the_model(
    world: PowerCut, program: Program, weather: list[str], crashes: list[tuple[str, int]], seed: int
) -> None:
    play = Play(world, program, weather, tag=f"play-{len(world.ledger.lines())}-{world.clock.now_us()}")
    play.play(crashes, random.Random(seed))
    play.judge()


def test_the_chains_hold_after_all_of_it(world: PowerCut) -> None:
    found = verify(world.database.reader)
    assert found.ok, found.broken


@settings(max_examples=30)
@given(program=PROGRAMS)
def test_the_engine_without_faults_is_the_model(world: PowerCut, program: Program) -> None:
    play = Play(world, program, [], tag=f"calm-{world.clock.now_us()}")
    play.play([], random.Random(0))
    play.judge()


# -------------------------------------------------------------------------------------------------- the order of ends


def nine(seed: int) -> Workflow[Nothing, Any]:
    """Three branches of three steps each, side by side, whose ends come in an order that the seed permutes."""
    turns = random.Random(seed)

    @step
    async def cell(row: int, column: int) -> int:
        for _ in range(turns.randint(0, 12)):
            await asyncio.sleep(0)
        return 10 * row + column

    async def row(number: int) -> list[int]:
        return await parallel(*[cell(number, column) for column in range(3)])

    @workflow("nine")
    async def flow(p: Nothing) -> Any:
        rows: Awaitable[list[list[int]]] = parallel(*[row(number) for number in range(3)])
        return await rows

    return flow


@pytest.mark.parametrize("tens", range(20))
def test_two_hundred_orders_of_nine_steps_come_to_the_same(world: PowerCut, tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        chance = random.Random(f"crashes of {seed}")
        world.start(nine(seed))
        state = None
        while state is None:
            if chance.random() < 0.7:
                world.crash_at("after_record", chance.randint(1, 9))
            try:
                state = world.advance()
            except Crashed:
                continue
        assert state == RunState.DONE
        assert world.result() == [[0, 1, 2], [10, 11, 12], [20, 21, 22]]
        found = {(row["path"], row["ordinal"]): row["payload"] for row in world.records()}
        assert found == {(f"0/{r}/0/{c}", 0): str(10 * r + c) for r in range(3) for c in range(3)}
