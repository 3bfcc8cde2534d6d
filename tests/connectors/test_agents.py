"""Agents call tools of connectors: those that were there at its start, as they were then, asked about as anybody's calls are."""

from collections.abc import Callable, Generator
from typing import Any

import pytest

from connectors.counter import Counter, declared
from counterfoil import Params, ToolCall, agent, workflow
from counterfoil.engine.llm_ports import Told
from counterfoil.facts import RunState, Verdict
from counterfoil.testing import Harness

Make = Callable[..., Harness]


class Nothing(Params):
    """No parameters."""


@workflow("sending")
async def sending(_: Nothing) -> str:
    """An agent with one tool of a connector."""
    return await agent("Send it to both.", tools=["connector:desk/send"], rules=False, name="clerk")


@pytest.fixture
def room(counter: Counter) -> Generator[Make]:
    """Makes the real engine on the counter's home, with llms that speak a script."""
    made: list[Harness] = []

    def make(*script: Any) -> Harness:
        counter.run(counter.connectors.close())
        made.append(
            Harness(
                counter.workspace,
                home=counter.home.root,
                effects=counter.effects,
                policy=counter.rules,
                connectors=counter.connectors,
                llms=list(script),
            )
        )
        return made[-1]

    yield make
    for harness in made:
        harness.close()


def to(*people: str) -> list[ToolCall]:
    """Calls of one turn."""
    return [ToolCall("", "desk__send", {"to": f"{who}@b.example"}) for who in people]


def told(harness: Harness) -> list[str]:
    """What the llm was told after its goal."""
    return [one.text for one in harness.asked_llms()[-1].history if isinstance(one, Told)][1:]


def test_calls_of_one_turn_are_one_gate_with_a_verdict_each(counter: Counter, room: Make) -> None:
    counter.add(declared("fake"))
    harness = room(to("anna", "ben"), "Sent.")
    harness.start(sending)
    assert harness.advance() is RunState.WAITING
    offer = next(tool for tool in harness.asked_llms()[0].tools if tool.name == "desk__send")
    assert offer.pin == counter.tool("send")["pin"]
    assert offer.description == "Send it. (tool of the connector desk)"
    assert len(harness.spec()["plan"]) == 2
    edit = {"args": {"to": "bert@b.example"}}
    harness.decide(Verdict.APPROVED, only=[2], edits={2: edit}, comment="Anna knows.")
    assert harness.advance() is RunState.DONE
    assert told(harness)[0] == "Test did not approve it. They say: Anna knows."
    assert "changed this call before approving it" in told(harness)[1]
    assert told(harness)[1].endswith("sent to bert@b.example")


def test_a_connector_that_is_not_there_is_put_before_a_person(counter: Counter, room: Make) -> None:
    harness = room("never asked")
    harness.start(sending)
    assert harness.advance() is RunState.WAITING
    assert harness.gate()["kind"] == "failure"
    assert "desk" in str(harness.spec())
    assert harness.asked_llms() == []
