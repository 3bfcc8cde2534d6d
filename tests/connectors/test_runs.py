"""Whole runs that call connectors: doubts, questions that survive a restart, and approvals of a tool that has changed since."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from connectors.counter import Counter, body, declared
from counterfoil import approve, call, workflow
from counterfoil.authoring.parameters import Params
from counterfoil.connectors import supervising
from counterfoil.engine.ports import Moment
from counterfoil.facts import GateKind, RunState, Slot
from counterfoil.runner.running import Runner
from counterfoil.runner.starting import start_run
from counterfoil.sandbox.probing import measured
from counterfoil.store import connector_rows, gates, llm_calls, runs, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.testing import Crashed, Harness
from counterfoil.views.consequences import consequences

CALLS = Path(__file__).resolve().parent / "templates/calls"


class Nothing(Params):
    """No parameters."""


@workflow("calling")
async def calling(_: Nothing) -> Any:
    """One call."""
    return await call("desk", "send", to="ben@b.example")


@workflow("planned")
async def planned(_: Nothing) -> Any:
    """One call that is approved in a plan."""
    decision = await approve("Send it", plan=[call("desk", "send", to="ben@b.example")])
    return await decision.perform()


def harness(counter: Counter, **more: Any) -> Harness:
    """The real engine on the counter's home."""
    counter.run(counter.connectors.close())
    return Harness(
        counter.workspace,
        home=counter.home.root,
        effects=counter.effects,
        policy=counter.rules,
        connectors=counter.connectors,
        **more,
    )


def test_a_call_asks_and_its_answer_is_the_record(counter: Counter) -> None:
    counter.add(declared("fake"))
    room = harness(counter)
    room.start(calling)
    assert room.advance() is RunState.WAITING
    assert room.gate()["title"] == "desk: send, to ben@b.example"
    room.approve()
    assert room.advance() is RunState.DONE
    assert room.result()["text"] == "sent to ben@b.example"
    room.close()


@pytest.mark.parametrize("era", ["modern", "older"])
def test_a_question_of_a_server_waits_for_a_person_through_restarts(counter: Counter, era: str) -> None:
    counter.add(declared("fake", "asks", era))
    room = harness(counter)
    room.start(calling)
    room.advance()
    room.approve()
    assert room.advance() is RunState.WAITING
    gate = room.gate()
    assert (gate["slot"], gate["kind"]) == (Slot.INPUT, GateKind.QUESTION)
    spec = room.spec(gate)
    assert spec["evidence"][0]["data"] == "Really send it?"
    assert [(field["name"], field["type"], field["default"]) for field in spec["fields"]] == [
        ("sure", "boolean", None),
        ("copies", "integer", 2),
        ("price", "decimal", None),
        ("how", "choice", None),
    ]
    assert bool(spec["flags"]) is (era == "older")
    assert consequences(spec)[0].startswith("If you answer: your answers go to who asks, and the call goes on.")
    assert room.advance() is RunState.WAITING  # nothing is asked of the server meanwhile
    room.answer(gate, sure=True, copies=3, price={"$dec": "1.5"}, how="slow")
    counter.restart()
    assert room.advance() is RunState.DONE
    said = json.loads(room.result()["text"])
    given = {"action": "accept", "content": {"sure": True, "copies": 3, "price": 1.5, "how": "slow"}}
    assert said == ([given, "state-of-the-server"] if era == "modern" else given)
    assert [row["state"] for row in room.gates()] == []
    room.close()


def test_a_person_may_decline_what_a_server_asks(counter: Counter) -> None:
    counter.add(declared("fake", "asks", "modern"))
    room = harness(counter)
    room.start(calling)
    room.advance()
    room.approve()
    room.advance()
    room.reject("none of their business")
    assert room.advance() is RunState.DONE
    assert json.loads(room.result()["text"])[0] == {"action": "decline"}
    room.close()


def test_a_crash_while_a_question_waits_asks_nobody_twice(counter: Counter) -> None:
    counter.add(declared("fake", "asks", "modern"))
    room = harness(counter)
    room.start(calling)
    room.advance()
    room.approve()
    room.crash_at("after_gate")
    with pytest.raises(Crashed):
        room.advance()
    assert room.advance() is RunState.WAITING
    assert [row["slot"] for row in room.gates()] == [Slot.INPUT]
    room.answer(sure=True)
    assert room.advance() is RunState.DONE
    room.close()


def test_a_server_that_falls_is_a_doubt_and_never_called_again_unasked(counter: Counter) -> None:
    counter.add(declared("fake", "falls"))
    room = harness(counter)
    room.start(calling)
    room.advance()
    room.approve()
    assert room.advance() is RunState.WAITING
    assert room.gate()["kind"] == GateKind.DOUBT
    assert "Look where the connector would have done it." in json.dumps(room.spec())
    room.answer(choice="happened", result="yes")
    assert room.advance() is RunState.DONE
    assert room.result() == "yes"
    room.close()


def test_an_approval_does_not_cover_a_tool_that_has_changed_since(counter: Counter) -> None:
    counter.add(declared("fake"))
    room = harness(counter)
    room.start(planned)
    room.advance()
    room.approve()
    facts = declared("fake", "changed").facts
    counter.database.transact(lambda txn: connector_rows.set_facts(txn, "desk", facts))
    assert room.advance() is RunState.WAITING
    gate = room.gate()
    assert (gate["slot"], gate["kind"]) == (Slot.INPUT, GateKind.QUESTION)
    assert [piece["kind"] for piece in room.spec()["evidence"]] == ["fields@1", "text@1", "diff@1"]
    assert consequences(room.spec())[0].startswith("If you answer yes: the call is made with the tool as it is now")
    room.answer(gate, accept=True)
    assert room.advance() is RunState.DONE
    assert room.result()[0]["text"] == "sent to ben@b.example"
    tool = counter.tool("send")
    assert tool["agreed_pin"] == tool["pin"], "who accepts it there has looked at it"
    [entry] = [row for row in trail_rows.entries(room.database.reader, subject="desk") if "bcc" in str(row["after"])]
    assert entry["summary"] == "Test looked at ‘send’ of desk"
    room.close()


def test_the_approval_of_a_tool_that_has_changed_says_how(counter: Counter) -> None:
    counter.add(declared("fake"))
    facts = declared("fake", "changed").facts
    counter.database.transact(lambda txn: connector_rows.set_facts(txn, "desk", facts))
    counter.run(counter.connectors.look(declared("fake", "changed")))
    room = harness(counter)
    room.start(calling)
    assert room.advance() is RunState.WAITING
    assert "Since somebody looked at it, ‘send’ of desk now also takes ‘bcc’." in consequences(room.spec())
    room.approve()
    assert room.advance() is RunState.DONE, "what was shown is what was approved"
    room.close()


@pytest.mark.parametrize("how", ["no", "reject"])
def test_a_changed_tool_that_nobody_accepts_is_not_called(counter: Counter, how: str, tmp_path: Path) -> None:
    counter.add(declared("fake"))
    room = harness(counter)
    room.start(planned)
    room.advance()
    room.approve()
    facts = declared("fake", "changed").facts
    counter.database.transact(lambda txn: connector_rows.set_facts(txn, "desk", facts))
    room.advance()
    room.answer(accept=False) if how == "no" else room.reject("not with bcc")
    assert room.advance() is RunState.WAITING
    spec = room.spec()
    assert (spec["kind"], spec["title"]) == (GateKind.FAILURE, "Needs repair: call a connector")
    assert "Test did not accept ‘send’ of desk as it is now, so it was not called." in json.dumps(
        spec, ensure_ascii=False
    )
    assert counter.tool("send")["agreed_pin"] != counter.tool("send")["pin"]
    room.close()


@pytest.mark.parametrize("era", ["modern", "older"])
def test_a_changed_tool_that_asks_is_accepted_once(counter: Counter, era: str) -> None:
    counter.add(declared("fake", "asks", era))
    room = harness(counter)
    room.start(planned)
    room.advance()
    room.approve()
    facts = declared("fake", "asks", era, "changed").facts
    counter.database.transact(lambda txn: connector_rows.set_facts(txn, "desk", facts))
    room.advance()
    room.answer(accept=True)
    assert room.advance() is RunState.WAITING
    assert room.gate()["title"] == "desk asks something before it goes on with send"
    room.answer(sure=True)
    assert room.advance() is RunState.DONE
    room.close()


def started(counter: Counter, to: str) -> str:
    """A run of the template beside this file, for a real runner and a real host."""
    (counter.workspace / "note.txt").write_text("here")
    row = start_run(
        counter.database,
        counter.home,
        template=CALLS,
        workspace=counter.workspace,
        parameters=lambda _: {"to": to},
        started_by="user:anna",
    )
    return str(row["run_id"])


def test_a_runner_lets_a_server_see_the_runs_files_and_asks_nobody_where_it_only_reads(counter: Counter) -> None:
    counter.add(declared("fake", "files", stage="read"))
    counter.say("send", "reads")
    counter.restart()
    run_id = started(counter, f"{'/job' if measured(counter.home).is_isolated else '.'}/note.txt")
    Runner(counter.database, counter.home, only=run_id).run_until(run_id)
    row = runs.get(counter.database.reader, run_id)
    asked = gates.open_of_runs(counter.database.reader, [run_id])
    blobs = Blobs(counter.home)
    assert row["state"] == RunState.DONE, [blobs.text(gate["spec"], gate["spec_blob"]) for gate in asked]
    assert json.loads(row["result"]) == {"read": "here", "said": "here"}


def test_a_crash_after_a_call_is_a_doubt_and_the_call_is_made_once(counter: Counter, tmp_path: Path) -> None:
    counter.add(declared("fake"))
    room = harness(counter)
    room.start(calling)
    room.advance()
    room.approve()
    room.crash_at("after_perform")
    with pytest.raises(Crashed):
        room.advance()
    assert room.advance() is RunState.WAITING
    assert room.gate()["kind"] == GateKind.DOUBT
    room.answer(choice="happened", result='{"text": "sent"}')
    assert room.advance() is RunState.DONE
    assert room.result() == {"text": "sent"}
    room.close()


@pytest.mark.parametrize("era", ["modern", "older"])
def test_roots_are_the_runs_files_and_nothing_else(counter: Counter, era: str, tmp_path: Path) -> None:
    counter.add(declared("fake", "roots", era, stage="read"))
    found = counter.perform(body("send", {"to": "x"}), Moment(str(tmp_path)))
    folder = "/job" if measured(counter.home).is_isolated else str(tmp_path)
    assert json.loads(found["text"]) == {"roots": [{"uri": f"file://{folder}", "name": "files"}]}


def test_a_server_that_nobody_asks_is_ended(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervising, "IDLE", 0.05)
    counter.add(declared("fake"))

    async def wait() -> bool:
        await counter.connectors.tools(["desk"])
        for _ in range(1000):
            if not counter.connectors.is_busy:
                break
            await asyncio.sleep(0.02)
        return counter.connectors.is_busy

    assert not counter.run(wait())
    assert counter.perform(body("send", {"to": "ben"}))["text"] == "sent to ben"


@pytest.mark.parametrize("era", ["modern", "older"])
def test_a_server_asks_an_llm_in_the_runs_name_and_the_run_pays(counter: Counter, era: str) -> None:
    counter.add(declared("fake", "samples", era, llms=True))
    room = harness(counter, llms=["yes"])
    room.start(calling)
    room.advance()
    room.approve()
    assert room.advance() is RunState.DONE
    said = json.loads(room.result()["text"])["result"]
    assert (said["content"]["text"], said["role"], said["model"]) == ("yes", "assistant", "script")
    rows = llm_calls.attempts(room.database.reader, room.run_id)
    assert [(row["path"], row["ordinal"], row["end"]) for row in rows] == [("0/0", 0, "ok")]
    assert llm_calls.cost_of(room.database.reader, room.run_id) == rows[0]["charge"] > 0
    room.close()


@pytest.mark.parametrize("llms, declares", [([], True), (None, True), (["yes"], False)])
def test_a_server_that_may_not_ask_llms_gets_no_answer(
    counter: Counter, llms: list[str] | None, declares: bool
) -> None:
    counter.add(declared("fake", "samples", "older", llms=declares))
    room = harness(counter, llms=llms)
    room.start(calling)
    room.advance()
    room.approve()
    assert room.advance() is RunState.DONE
    assert "error" in json.loads(room.result()["text"])
    room.close()
