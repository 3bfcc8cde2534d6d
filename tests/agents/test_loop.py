"""The agent loop on the real engine with scripted llms: what it is told, what is recorded, what it may do and where it stops."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agents.conftest import Make, subjects
from counterfoil import (
    AgentStopped,
    Effect,
    EffectFailed,
    File,
    RefusedUse,
    ToolCall,
    agent,
    approve,
    changes,
    mail,
    parallel,
    step,
    workflow,
)
from counterfoil.authoring.agents import loop
from counterfoil.cli.talk_sheet import talk_sheet
from counterfoil.engine.llm_ports import Told
from counterfoil.facts import RunState, Verdict
from counterfoil.testing import Crashed, Harness
from counterfoil.views.conversations import conversations_of
from effects.post_office import PostOffice
from engine.doing import Nothing


def call(tool: str, **args: Any) -> ToolCall:
    """A call as an llm makes it."""
    return ToolCall("", tool, args)


def looks(count: int) -> list[ToolCall]:
    """Calls that change nothing, each another."""
    return [call("search_files", text=str(n)) for n in range(count)]


def told(harness: Harness, request: int = -1) -> list[str]:
    """What the llm had been told at a request, oldest first."""
    return [message.text for message in harness.asked_llms()[request].history if isinstance(message, Told)]


@workflow("tidy")
async def tidy(p: Nothing) -> str:
    answer = await agent("Correct the sum in a.txt.", name="tidier")
    await (await approve("Take it over", plan=await changes())).perform()
    return answer


def test_it_reads_edits_and_answers_and_the_folder_changes_only_by_approval(office: Make, tmp_path: Path) -> None:
    file = tmp_path / "workspace" / "a.txt"
    file.write_text("sum: 12\n")
    (tmp_path / "workspace" / "AGENTS.md").write_text("Sums are whole numbers.")
    harness = office(
        call("read_file", path="a.txt"),
        [call("edit_file", path="a.txt", old="12", new="13"), call("read_file", path="a.txt")],
        "The sum is 13 now.",
    )
    harness.start(tidy)
    assert harness.advance() == RunState.WAITING
    assert file.read_text() == "sum: 12\n"
    assert told(harness) == [
        "Correct the sum in a.txt.",
        "[“a.txt”, lines 1 to 1 of 1]\nsum: 12",
        "1 place was changed in “a.txt”.",
        "[“a.txt”, lines 1 to 1 of 1]\nsum: 13",
    ]
    assert "Sums are whole numbers." in harness.asked_llms()[0].system
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert file.read_text() == "sum: 13\n"
    assert harness.result() == "The sum is 13 now."
    kinds = [(row["path"], row["kind"], row["name"]) for row in harness.records()]
    assert kinds[:7] == [
        ("0/0", "lookup", "agents"), ("0/0", "step", "find_rules"), ("0/0", "step", "note_tools"), ("0/0", "llm", "tidier"),
        ("0/0", "tool", "read_file"), ("0/0", "llm", "tidier"), ("0/0", "tool", "edit_file"),
    ]  # fmt: skip


@pytest.mark.parametrize("point", ["after_record", "after_intent", "after_outcome"])
@pytest.mark.parametrize("visit", [1, 3])
def test_after_a_crash_nothing_that_was_answered_is_asked_again(
    office: Make, tmp_path: Path, point: str, visit: int
) -> None:
    (tmp_path / "workspace" / "a.txt").write_text("sum: 12\n")
    harness = office(call("read_file", path="a.txt"), call("edit_file", path="a.txt", old="12", new="13"), "Done.")
    harness.start(tidy)
    harness.crash_at(point, visit)
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.WAITING
    ended = [row for row in harness.records() if row["kind"] == "llm"]
    assert len(ended) == 3
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert (tmp_path / "workspace" / "a.txt").read_text() == "sum: 13\n"


# ----------------------------------------------------------------------------------------------------- bounds and shapes


@dataclass(frozen=True)
class Found:
    """What a test asks for."""

    name: str
    amount: Decimal


@workflow("reading")
async def reading(p: Nothing) -> Found | str:
    try:
        return await agent("Read it.", output=Found, tools=["read"], rules=False, turns=5)
    except AgentStopped as stopped:
        return f"{stopped} [{stopped.so_far}]"


def test_a_typed_answer_is_repaired_and_checked(office: Make) -> None:
    harness = office("Müller, 12.50", {"name": "Müller"}, {"name": "Müller", "amount": "12.50"})
    harness.start(reading)
    assert harness.advance() == RunState.DONE
    assert harness.result() == {"$type": "Found", "name": "Müller", "amount": {"$dec": "12.50"}}
    assert "it is not JSON" in told(harness)[1]
    assert "lacks the field ‘amount’" in told(harness)[2]


def test_repairs_have_an_end(office: Make) -> None:
    harness = office("a", "b", "c", "d")
    harness.start(reading)
    assert harness.advance() == RunState.DONE
    assert "no answer fits" in harness.result()
    assert harness.result().endswith("[d]")


def test_turns_have_an_end_and_the_last_one_is_announced(office: Make) -> None:
    harness = office(*looks(5))
    harness.start(reading)
    assert harness.advance() == RunState.DONE
    assert harness.result().startswith("agent: 5 turns were not enough")
    assert "last of 5 turns" in told(harness)[-1]
    assert sum(row["kind"] == "tool" for row in harness.records()) == 4  # the calls of the last turn are not done


def test_what_does_not_fit_is_told_and_nothing_is_done(office: Make) -> None:
    harness = office(
        [
            call("nonsense"),
            call("read_file", path=7),
            call("read_file", path="a", strange=1),
            call("read_file"),
            call("read_file", path="../a"),
            call("read_file", path="missing.txt"),
            call("write_file", path="a.txt", text="x"),
        ],
        {"name": "", "amount": 1},
    )
    harness.start(reading)
    assert harness.advance() == RunState.DONE
    said = told(harness)[1:]
    assert said[0].startswith("There is no tool “nonsense”; you have set_plan, list_files")
    assert "read.path" in said[1] or "path must be text" in said[1]
    assert "‘strange’" in said[2]
    assert "lacks the field ‘path’" in said[3]
    assert said[4] == "“../a”: The path does not lie beneath the workspace."
    assert said[5] == "“missing.txt”: It is not there any more."
    assert said[6].startswith("There is no tool “write_file”")
    assert {row["outcome"] for row in harness.records() if row["kind"] == "tool"} == {"failed"}


def test_a_long_conversation_goes_on_from_a_summary(
    office: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "workspace" / "a.txt").write_text("x" * 1500 + "\n")
    monkeypatch.setattr(loop, "COMPACT_AT", 4000)
    one, two, three, four = (call("read_file", path="a.txt", lines=n) for n in range(1, 5))
    harness = office(one, two, three, "So far I have read a.txt.", four, {"name": "a", "amount": 2})
    harness.start(reading)
    assert harness.advance() == RunState.DONE
    assert told(harness)[:2] == [
        "Read it.\n\nWhat has been done so far, in your own words:\nSo far I have read a.txt.",
        "Carry on from here.",
    ]
    assert len(harness.asked_llms()) == 6


def test_the_plan_is_readable_progress(office: Make) -> None:
    steps = [{"what": "Read", "state": "done"}, {"what": "Add up", "state": "doing"}, {"what": "Write"}]
    harness = office(call("set_plan", steps=steps), {"name": "", "amount": 1})
    harness.start(reading)
    assert harness.advance() == RunState.DONE
    (row,) = [row for row in harness.records() if row["name"] == "set_plan"]
    assert row["summary"] == "1 of 3 done: Add up"


# ------------------------------------------------------------------------------------------------------- tools of authors


@step
def double(number: int) -> int:
    """Twice a number."""
    return number * 2


@step
def named(file: File) -> str:
    """The name of a file."""
    return file.rpartition("/")[2]


@step
def broken() -> int:
    """Always fails."""
    raise ValueError("no luck")


def send(to: str, subject: str, body: str) -> Effect:
    """Send a mail."""
    return mail(to, subject, body, editable=["subject"])


@workflow("sending")
async def sending(p: Nothing) -> str:
    return await agent("Write to them.", tools=[double, named, broken, send, "ask"], rules=False, name="writer")


def letter(to: str) -> ToolCall:
    """A call that sends."""
    return call("send", to=f"{to}@example.org", subject=f"To {to}", body="Hello")


def test_steps_of_the_author_are_tools(office: Make) -> None:
    harness = office([call("double", number=21), call("broken"), call("named", file="a/b.txt")], "42")
    harness.start(sending)
    assert harness.advance() == RunState.DONE
    assert told(harness)[1:] == ["42", "no luck", "b.txt"]
    assert harness.asked_llms()[0].tools[1].description == "Twice a number."


def test_calls_of_one_turn_that_need_a_person_are_one_gate(office: Make, sent: PostOffice) -> None:
    harness = office(
        [
            letter("anna"),
            letter("ben"),
            call("double", number=1),
            letter("carl"),
            call("ask_person", question="Which one?"),
        ],
        "Done.",
    )
    harness.start(sending)
    assert harness.advance() == RunState.WAITING
    spec = harness.spec()
    assert spec["title"] == "Approve 3 calls of the agent ‘writer’"
    assert [item["target"] for item in spec["plan"]] == ["anna@example.org", "ben@example.org", "carl@example.org"]
    assert [field["label"] for field in spec["fields"]] == ["Which one?"]
    harness.decide(
        Verdict.APPROVED,
        only=[1, 2],
        edits={1: {"subject": "Dear Anna"}},
        comment="Carl has left.",
        answers={"answer_1": "The second"},
    )
    assert harness.advance() == RunState.DONE
    assert subjects(sent) == ["Dear Anna", "To ben"]
    said = told(harness)[1:]
    assert "changed this call before approving it; what was done is" in said[0]
    assert "Dear Anna" in said[0]
    assert "message_id" in said[1]
    assert said[2] == "2"
    assert said[3] == "Test did not approve it. They say: Carl has left."
    assert said[4] == "The second"
    outcomes = [message.outcome for message in harness.asked_llms()[-1].history if isinstance(message, Told)][1:]
    assert outcomes == ["ok", "ok", "ok", "denied", "ok"]


def test_what_a_person_changed_is_refused_as_it_was_for_the_rest_of_the_run(office: Make, sent: PostOffice) -> None:
    harness = office(letter("anna"), letter("anna"), letter("ben"), "Done.")
    harness.start(sending)
    assert harness.advance() == RunState.WAITING
    harness.decide(Verdict.APPROVED, edits={1: {"subject": "Dear Anna"}})
    assert harness.advance() == RunState.WAITING
    assert [item["target"] for item in harness.spec()["plan"]] == ["ben@example.org"]  # the original asks nobody again
    harness.reject("Not him.")
    assert harness.advance() == RunState.DONE
    assert subjects(sent) == ["Dear Anna"]
    said = told(harness)[1:]
    assert said[1].startswith("Denied: Test changed this before approving it")
    assert said[2] == "Test did not approve it. They say: Not him."


def test_the_engine_itself_refuses_the_original(office: Make, sent: PostOffice) -> None:
    @workflow("stubborn")
    async def stubborn(p: Nothing) -> str:
        original = send("anna@example.org", "Hi", "Hello")
        await (await approve("Send", plan=[original])).perform()
        try:
            await send("anna@example.org", "Hi", "Hello")
        except EffectFailed as problem:
            return str(problem)
        return "sent"

    harness = office()
    harness.start(stubborn)
    harness.advance()
    harness.decide(Verdict.APPROVED, edits={1: {"subject": "Dear Anna"}})
    assert harness.advance() == RunState.DONE
    assert "changed this before approving it" in harness.result()
    assert len(sent.mails) == 1


def test_arguments_that_no_effect_takes_are_denied_not_a_breach(office: Make) -> None:
    harness = office(call("send", to="no address\nBcc: x@y", subject="a\nb", body=""), "Done.")
    harness.start(sending)
    assert harness.advance() == RunState.DONE
    assert told(harness)[1].startswith("Denied: ")


# ------------------------------------------------------------------------------------------------------------ subagents


@workflow("leading")
async def leading(p: Nothing) -> str:
    return await agent("Lead.", tools=["files", "delegate"], rules=False, name="lead", turns=4)


def by_goal(answers: dict[str, list[Any]]) -> Any:
    """A script for agents side by side: each goes on in its own list."""
    return lambda request: answers[request.history[0].text][sum(not isinstance(one, Told) for one in request.history)]


def test_agents_beneath_work_side_by_side_and_their_stop_is_a_result(office: Make, tmp_path: Path) -> None:
    harness = office(
        ask=by_goal(
            {
                "Lead.": [
                    [call("delegate", goal="One"), call("delegate", goal="Two"), call("delegate", goal="?", to="nobody")],
                    "All done.",
                ],
                "One": [call("write_file", path="one.txt", text="1"), "One is written."],
                "Two": looks(9),
            }
        )
    )  # fmt: skip
    harness.start(leading)
    assert harness.advance() == RunState.DONE
    assert harness.result() == "All done."
    lead = next(request for request in reversed(harness.asked_llms()) if request.history[0].text == "Lead.")
    said = [message.text for message in lead.history if isinstance(message, Told)][1:]
    assert said[0] == "One is written."
    assert said[1].startswith("It stopped before its end: lead_1: 4 turns were not enough.")
    assert said[2].startswith("It could not work: there is no agent nobody")
    assert {row["path"] for row in harness.records()} >= {"0/0", "0/0/3/0", "0/0/3/1"}


def test_agents_of_the_team_are_found_and_told(office: Make, tmp_path: Path) -> None:
    place = tmp_path / "workspace" / ".counterfoil" / "agents"
    place.mkdir(parents=True)
    (place / "bookkeeper.md").write_text("---\ndescription: Books\ntools: read command\n---\nBook with care.")
    harness = office(
        ask=by_goal(
            {"Lead.": [call("delegate", goal="Book it", to="bookkeeper"), "Done."], "Book it": ["It is booked."]}
        )
    )
    harness.start(leading)
    assert harness.advance() == RunState.DONE
    first, below = harness.asked_llms()[:2]
    assert "- bookkeeper: Books" in first.system
    assert "Book with care." in below.system
    names = [tool.name for tool in below.tools]
    assert "read_file" in names
    assert "run_command" not in names  # never more than its caller has


def test_agents_nest_in_parallel_branches(office: Make) -> None:
    @workflow("both")
    async def both(p: Nothing) -> list[str]:
        return list(await parallel(agent("A", rules=False), agent("B", rules=False)))

    harness = office(ask=by_goal({"A": ["a"], "B": ["b"]}))
    harness.start(both)
    assert harness.advance() == RunState.DONE
    assert harness.result() == ["a", "b"]


def test_a_tool_that_a_definition_misspells_is_told(office: Make, tmp_path: Path) -> None:
    place = tmp_path / "workspace" / ".counterfoil" / "agents"
    place.mkdir(parents=True)
    (place / "clerk.md").write_text("---\ntools: reed\n---\nWork.")

    @workflow("clerking")
    async def clerking(p: Nothing) -> str:
        try:
            return await agent("Work.", like="clerk", rules=False)
        except RefusedUse as problem:
            return str(problem)

    harness = office("never asked")
    harness.start(clerking)
    assert harness.advance() == RunState.DONE
    assert harness.result().startswith(".counterfoil/agents/clerk.md wants the tools “reed”; there are read, write")


def test_what_was_said_can_be_read_turn_by_turn(office: Make, tmp_path: Path) -> None:
    (tmp_path / "workspace" / "a.eml").write_text("Subject: x\n\nHello\n")
    read = call("read_file", path="a.eml")
    harness = office(ask=by_goal({"Lead.": [[read, call("delegate", goal="One")], "Done."], "One": ["I have."]}))
    harness.start(leading)
    assert harness.advance() == RunState.DONE
    talks = conversations_of(harness.database.reader, harness.blobs, harness.run())
    assert [(talk["path"], talk["name"]) for talk in talks] == [("0/0", "lead"), ("0/0/4/0", "lead_1")]
    first, last = talks[0]["turns"]
    assert first["told"] == [{"tool": None, "outcome": None, "text": "Lead."}]
    assert first["calls"] == [
        {"tool": "read_file", "args": {"path": "a.eml"}}, {"tool": "delegate", "args": {"goal": "One"}},
    ]  # fmt: skip
    assert [one["tool"] for one in last["told"]] == ["read_file", "delegate"]
    assert last["told"][1]["text"] == "I have."
    assert (last["said"], last["cost"]) == ("Done.", {"amount": "0.001", "currency": "USD"})
    assert talks[0]["sources"] == ["file a.eml"]
    sheet = "\n".join(talk_sheet(talks))
    assert "lead → read_file" in sheet
    assert "Read from outside the team: file a.eml" in sheet
