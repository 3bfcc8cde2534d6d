"""Going on from a step of a run in a new one: what was done is kept and never repeated, what was approved is asked anew.

| what | test |
|---|---|
| steps do not run again, effects happened once, chance and time are as they were | test_what_was_done_before_a_step_is_kept |
| an approval under which nothing was done yet is asked again | test_a_step_after_an_approval_begins_at_the_approval |
| doing it again has a new key and a new approval | test_what_happened_can_be_done_again_after_a_new_approval |
| what was approved together stays together | test_what_was_approved_together_is_not_taken_apart |
| but for what never happened | test_the_rest_of_a_broken_plan_asks_by_itself |
| policy does not let through what was done already, by whichever of them | test_what_*_just_so_asks, test_what_another_run_* |
| files: the stage, what was put back | test_files_are_as_*, test_what_was_put_back_cannot_be_kept |
| branches, conversations, a fork of a fork, a doubt | test_branches_*, test_a_conversation_*, test_a_fork_*, test_a_doubt_* |
| a kill in the middle leaves no half run | test_a_kill_in_the_middle_leaves_nothing |
"""

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil import (
    Conversation,
    Field,
    Said,
    approve,
    ask,
    files,
    first,
    http,
    now,
    parallel,
    random,
    step,
    this_run,
    uuid,
    workflow,
    write_file,
)
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import Around, Judgement, Permission
from counterfoil.facts import RunState
from counterfoil.places import Home
from counterfoil.runner.forking import fork
from counterfoil.store import file_ops, gates, records, runs, tables
from counterfoil.store.database import open_database
from counterfoil.trail import verify
from counterfoil.views.fork_plan import ForkPlan, fork_plan
from effects.sets import killed_in_a_child
from engine.doing import Nothing, asking, keyed
from engine.power_cut import PowerCut, power_cut

RAN: list[str] = []


@step
def read(name: str) -> str:
    RAN.append(name)
    return f"{name} {len(RAN)}"


@step
def label(number: int, text: str) -> str:
    RAN.append("label")
    return f"{text} of run {number}"


@workflow("errands")
async def errands(p: Nothing) -> list[str]:
    text = await read("letter")  # 0
    chance = [str(now()), str(random().random()), str(uuid())]
    colour = await ask("Which colour?", [Field(name="colour")])  # 1
    chance.append(str(now()))
    text = await label(this_run().number, text)  # 2
    one = await approve("First", plan=[keyed(f"{text} one"), asking("two")])  # 3
    await one.perform()  # 4, 5
    await read("between")  # 6
    two = await approve("Second", plan=[asking("three")])  # 7
    await two.perform()  # 8
    return [*chance, str(colour["colour"]), await read("after")]  # 9


def done(harness: PowerCut) -> PowerCut:
    """The errands, run to their end."""
    RAN.clear()
    harness.start(errands)
    harness.advance()
    harness.answer(colour="red")
    for _ in range(2):
        assert harness.advance() == RunState.WAITING
        harness.approve()
    assert harness.advance() == RunState.DONE
    RAN.clear()
    return harness


def planned(harness: PowerCut, at: int, *, again: bool = False) -> ForkPlan:
    return fork_plan(harness.database.reader, harness.blobs, harness.run(), at, again=again)


def go_on_from(harness: PowerCut, at: int, *, again: bool = False) -> ForkPlan:
    """Let the harness hold a new run that goes on from a step of its run."""
    plan = planned(harness, at, again=again)
    assert plan.refusal == ""
    row = harness.database.transact(lambda txn: fork(txn, plan, by="user:test", reason="a typo", isolation="L0"))
    harness.run_id = row["run_id"]
    return plan


def test_what_was_done_before_a_step_is_kept(harness: PowerCut) -> None:
    before = done(harness).result()
    old = harness.run()
    plan = go_on_from(harness, 6)
    assert plan.sentences[0].startswith("2 effects of run 1 already happened and are not repeated: ")
    assert "asked about before it is done once more: three." in plan.sentences[1]
    assert harness.advance() == RunState.WAITING
    assert RAN == ["between"]
    assert harness.gate()["title"] == "Second"
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.result()[:-1] == before[:-1]
    assert [harness.ledger.happened(text) for text in ("letter 1 of run 1 one", "two", "three")] == [1, 1, 2]
    assert len({key for key, _, text in harness.ledger.lines() if text == "three"}) == 2
    kept = harness.records()[:6]
    assert all(row["origin"].startswith("happened in run 1, record ") for row in kept)
    assert [gate["title"] for gate in gates.of_run(harness.database.reader, harness.run_id)] == ["Second"]
    run = harness.run()
    assert (run["seed"], run["begun_at"], run["again_of"]) == (old["seed"], old["created_at"], old["run_id"])
    with harness.database.snapshot() as conn:
        assert verify(conn).ok


def test_a_step_after_an_approval_begins_at_the_approval(harness: PowerCut) -> None:
    plan = go_on_from(done(harness), 8)
    assert (plan.asked, plan.start) == (8, 7)
    assert plan.moved == "It begins at step 8: what was approved there is asked again."
    assert harness.advance() == RunState.WAITING
    assert (RAN, harness.gate()["title"]) == ([], "Second")
    assert harness.ledger.happened("three") == 1


def test_what_happened_can_be_done_again_after_a_new_approval(harness: PowerCut) -> None:
    plan = go_on_from(done(harness), 6, again=True)
    assert (plan.start, plan.kept, len(plan.again)) == (3, (), 3)
    assert harness.advance() == RunState.WAITING
    assert (RAN, harness.gate()["title"]) == ([], "First")
    assert harness.ledger.happened("two") == 1
    harness.approve()
    assert harness.advance() == RunState.WAITING
    assert harness.ledger.happened("two") == 2
    assert harness.ledger.happened("letter 1 of run 1 one") == 2  # its key is new, though the label is kept


def test_what_was_approved_together_is_not_taken_apart(harness: PowerCut) -> None:
    plan = planned(done(harness), 5)
    assert (
        plan.refusal == "Step 6 was approved together with steps before it, and they are kept or done again together."
    )
    assert plan.way == "Go on from step 7 to keep them all, or from step 4 to be asked about them again."
    assert planned(harness, 5, again=True).start == 3


def test_the_rest_of_a_broken_plan_asks_by_itself(harness: PowerCut) -> None:
    @workflow("broken")
    async def broken(p: Nothing) -> str:
        decision = await approve("Both", plan=[asking("one"), asking("two", may="ask")])  # 0
        await decision.perform()  # 1, 2
        return "done"

    harness.start(broken)
    harness.advance()
    harness.ledger.scripts["two"] = ["structural"]
    harness.approve()
    assert harness.advance() == RunState.WAITING
    harness.answer(choice="stop")
    assert harness.advance() == RunState.FAILED
    plan = go_on_from(harness, 2)
    assert (plan.start, len(plan.kept)) == (2, 1)
    assert harness.advance() == RunState.WAITING
    gate = harness.gate()
    assert (gate["slot"], gate["ordinal"]) == ("gate", 2)
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert [harness.ledger.happened(text) for text in ("one", "two")] == [1, 1]


class Heeding:
    """A policy that asks about what was done already, and about nothing else."""

    def judge(self, body: dict[str, Any], workspace: str, manifest: dict[str, Any], around: Around) -> Judgement:
        word = Permission.ASK if around.done else Permission.ALLOW
        return Judgement(word, "", warning=" ".join(around.done) or None)


def test_what_the_run_before_did_just_so_asks(harness: PowerCut) -> None:
    @workflow("free")
    async def free(p: Nothing) -> str:
        await read("first")  # 0
        await asking("sent")  # 1
        return "done"

    harness._policy = Heeding()  # what Rules do with it is tested in tests/policy
    harness.start(free)
    assert harness.advance() == RunState.DONE
    go_on_from(harness, 1)
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["flags"] == ["This was done already, in step 2 of run 1."]
    harness.reject("once is enough")
    harness.advance()
    assert harness.ledger.happened("sent") == 1


def test_what_only_reads_holds_no_approval(office: PowerCut) -> None:
    @workflow("looking")
    async def looking(p: Nothing) -> str:
        decision = await approve("Write it", plan=[write_file("out.txt", b"out")])  # 0
        await http("GET", "https://nobody.invalid/")  # 1
        await read("between")  # 2
        await decision.perform()  # 3
        return "done"

    class Read(EffectCatalogue):
        async def perform(self, body: Any, *more: Any) -> Any:
            return {"status": 200} if body["kind"] == "http@1" else await super().perform(body, *more)

    office._effects = Read(office.home, office.blobs)
    office.start(looking)
    assert office.advance() == RunState.WAITING
    office.approve()
    assert office.advance() == RunState.WAITING  # the host is not declared
    office.approve()
    assert office.advance() == RunState.DONE
    assert planned(office, 3).start == 0  # the file was approved there, and the look at a page in between holds nothing


def test_what_another_run_that_goes_on_from_the_same_did_asks_too(harness: PowerCut) -> None:
    """Two go on from one step, and that run itself goes on as well: whoever comes later is asked."""

    @workflow("thrice")
    async def thrice(p: Nothing) -> str:
        await read("first")  # 0
        await ask("Go on?", [])  # 1
        await asking("sent")  # 2
        return "done"

    harness._policy = Heeding()
    harness.start(thrice)
    assert harness.advance() == RunState.WAITING
    eldest = harness.run_id
    for said in ([], ["This was done already, in step 3 of run 2."]):
        harness.run_id = eldest
        go_on_from(harness, 1)
        harness.advance()
        harness.answer()
        assert harness.advance() == (RunState.WAITING if said else RunState.DONE)
        assert not said or harness.spec()["flags"] == said
    harness.run_id = eldest
    harness.answer()
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["flags"] == ["This was done already, in step 3 of run 2."]
    assert harness.ledger.happened("sent") == 1


def test_branches_are_kept_with_the_step_that_opened_them(harness: PowerCut) -> None:
    @workflow("wide")
    async def wide(p: Nothing) -> list[str]:
        async def branch(name: str) -> str:
            text = await read(name)
            await asking(name)
            return text

        found = await parallel(branch("a"), branch("b"))  # 0
        return [*found, await read("last")]  # 1

    RAN.clear()
    harness.start(wide)
    assert harness.advance() == RunState.DONE
    go_on_from(harness, 1)
    assert harness.advance() == RunState.DONE
    assert (RAN.count("a"), RAN.count("last")) == (1, 2)
    assert [harness.ledger.happened(name) for name in "ab"] == [1, 1]
    assert planned(harness, 7).refusal == "Run 2 has no step 8."


def test_a_conversation_goes_on(tmp_path: Path, blank: Home) -> None:
    @workflow("talk")
    async def talk(p: Nothing) -> str:
        talk = Conversation(system="Be brief.", name="talk")
        await talk.say(Said("first"))  # 0
        await read("between")  # 1
        return (await talk.say(Said("second"))).text  # 2

    harness = power_cut(tmp_path, blank, llms=["One.", "Two.", "Three."])
    harness.start(talk)
    assert harness.advance() == RunState.DONE
    go_on_from(harness, 2)
    assert harness.advance() == RunState.DONE
    assert harness.result() == "Three."
    assert [part.text for part in harness.asked_llms()[2].history[:3]] == ["first", "One.", "second"]
    harness.close()


def test_a_fork_of_a_fork_knows_where_it_happened(harness: PowerCut) -> None:
    done(harness)
    go_on_from(harness, 6)
    harness.advance()
    plan = go_on_from(harness, 7)
    assert len(plan.kept) == 2
    assert [row["origin"].split(",")[0] for row in harness.records()] == ["happened in run 1"] * 6 + [
        "happened in run 2"
    ]
    assert planned(harness, 5).refusal.startswith("Step 6 was approved together")
    assert harness.advance() == RunState.WAITING
    assert (RAN, harness.gate()["title"]) == (["between"], "Second")


def test_a_doubt_is_answered_before_it_is_kept(harness: PowerCut) -> None:
    @workflow("doubtful")
    async def doubtful(p: Nothing) -> str:
        async def perhaps() -> None:
            await asking("perhaps")

        async def quick() -> str:
            return await read("quick")

        await first(perhaps(), quick())  # 0
        return await read("last")  # 1

    harness.ledger.scripts["perhaps"] = ["unknown, done"]
    harness.start(doubtful)
    assert harness.advance() == RunState.WAITING
    plan = planned(harness, 1)
    assert plan.refusal == "Whether step 1 of run 1 happened is not known yet."
    assert plan.way == "Answer that first, or go on from step 1."
    assert planned(harness, 0).refusal == ""


@step
def write(path: str, text: str) -> None:
    RAN.append(path)
    files().write(path, text.encode())


@step
def look() -> list[str]:
    return sorted(f"{name} {files().read(name).decode()}" for name in ("draft.txt", "out.txt"))


@workflow("drafting")
async def drafting(p: Nothing) -> list[str]:
    await write("draft.txt", "draft")  # 0
    decision = await approve("Write it", plan=[write_file("out.txt", b"out")])  # 1
    await decision.perform()  # 2
    return await look()  # 3


def drafted(office: PowerCut) -> PowerCut:
    RAN.clear()
    office.start(drafting)
    office.advance()
    office.approve()
    assert office.advance() == RunState.DONE
    RAN.clear()
    return office


def test_files_are_as_after_the_steps_that_are_kept(office: PowerCut) -> None:
    plan = go_on_from(drafted(office), 3)
    assert plan.sentences[0].startswith("1 effect of run 1 already happened and is not repeated: out.txt.")
    assert office.advance() == RunState.DONE
    assert office.result() == ["draft.txt draft", "out.txt out"]
    assert RAN == []
    assert not (office.workspace / "draft.txt").exists()
    assert file_ops.of_run(office.database.reader, office.run_id) == []  # undoing them belongs to the first run alone


def test_what_was_put_back_cannot_be_kept(office: PowerCut) -> None:
    conn = drafted(office).database.reader
    rows = [row["row"] for row in file_ops.of_run(conn, office.run_id)]
    office.database.transact(lambda txn: file_ops.set_state(txn, rows, "undone"))
    plan = planned(office, 3)
    assert plan.refusal == "What run 1 did was put back since, so it cannot be kept: out.txt."
    assert plan.way == "Go on from step 2, so that it is asked about again."
    go_on_from(office, 2)
    assert office.advance() == RunState.WAITING
    assert office.gate()["title"] == "Write it"


def test_a_damaged_run_is_not_gone_on_from(harness: PowerCut) -> None:
    run_id = done(harness).run_id
    rows = records.of_run(harness.database.reader, run_id)
    table = tables.record
    harness.database.transact(
        lambda txn: txn.do(table.update().where(table.c.row == rows[0]["row"]).values(payload=json.dumps("other")))
    )
    assert planned(harness, 6).refusal.startswith("What was kept of run 1 is damaged")


def test_a_kill_in_the_middle_leaves_nothing(harness: PowerCut, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(done(harness), 6)

    def stop(end: Any) -> None:
        monkeypatch.setattr("counterfoil.runner.forking.llm_calls.carry", lambda *_: end())

    def act() -> None:  # on a connection of its own: one of SQLite must not cross into a child
        own = open_database(harness.home, harness.clock)
        own.transact(lambda txn: fork(txn, plan, by="user:test", reason="", isolation="L0"))

    assert killed_in_a_child(act, stop)
    assert [row["number"] for row in runs.page(harness.database.reader)] == [1]
    go_on_from(harness, 6)
    assert harness.run()["number"] == 2
