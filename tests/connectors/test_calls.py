"""Calls of real servers in their sandboxes: what comes back, what is told of it, and that nobody calls what nobody has seen."""

import asyncio
from typing import Any

import pytest

from connectors.counter import Counter, body, declared
from counterfoil.engine.ports import EffectTrouble, OutcomeUnknown, Permission
from counterfoil.facts import DoubtPolicy, Risk
from counterfoil.views.connectors import tool_documents

KEY = "k" * 64


def test_an_honest_server(counter: Counter) -> None:
    """One of the protocol's own library: its tools with their pins, what they give, and many calls at once."""
    counter.add(declared("honest", settings={"REGION": "eu"}))
    found = counter.run(counter.connectors.tools(["desk"]))
    assert [tool["name"] for tool in found] == [f"desk__{name}" for name in ("add", "day", "environment", "refuse")]
    assert found[0] == {
        "connector": "desk",
        "tool": "add",
        "name": "desk__add",
        "title": "add",
        "description": "Add two numbers.",
        "parameters": found[0]["parameters"],
        "pin": counter.tool("add")["pin"],
    }
    assert found[0]["parameters"]["required"] == ["first", "second"]

    async def talk() -> list[Any]:
        asked: list[tuple[str, dict[str, Any]]] = [
            ("add", {"first": 1, "second": 2}),
            ("day", {"of": {"$date": "2026-11-30"}}),
            ("refuse", {}),
            ("environment", {}),
        ]
        effects = counter.effects
        return [await effects.perform(body(tool, args), KEY, str(counter.workspace)) for tool, args in asked]

    added, day, refused, told = counter.run(talk())
    assert added["data"] == {"total": 3}
    assert added["failed"] is False
    assert added["trouble"] is None
    assert day["text"] == "Monday"
    assert refused["failed"] is True
    assert "refuse" in refused["text"]
    assert told["data"]["REGION"] == "eu"
    assert not [name for name in told["data"] if name.startswith(("COUNTERFOIL", "VIRTUAL_ENV", "USER"))]

    async def together() -> list[int]:
        effects = counter.effects
        calls = [
            effects.perform(body("add", {"first": n, "second": 1}), KEY, str(counter.workspace)) for n in range(20)
        ]
        return [found["data"]["total"] for found in await asyncio.gather(*calls)]

    assert counter.run(together()) == list(range(1, 21))


def test_a_server_that_falls_leaves_a_doubt_and_is_blamed_when_it_falls_too_often(counter: Counter) -> None:
    counter.add(declared("fake", "falls"))

    async def fall() -> list[str]:
        said = []
        for _ in range(4):
            try:
                await counter.effects.perform(body("send", {"to": "ben"}), KEY, str(counter.workspace))
            except (OutcomeUnknown, EffectTrouble) as problem:
                said.append(f"{type(problem).__name__}: {problem}")
        return said

    *unknown, blamed = counter.run(fall())
    assert (
        unknown
        == ["OutcomeUnknown: desk was asked for send, and it ended in the middle; it may or may not have happened."] * 3
    )
    assert "desk has failed 3 times within ten minutes and is left alone for now" in blamed
    assert "counterfoil connector test desk" in blamed


def test_a_call_that_comes_late_with_its_loss_leaves_the_new_connection_alone(counter: Counter) -> None:
    given = declared("fake")
    counter.add(given)

    async def late() -> bool:
        lost = await counter.connectors.held(given, None)
        await counter.connectors.fell(given, None, "it ended", lost=lost)
        fresh = await counter.connectors.held(given, None)
        for _ in range(5):  # others that were on the lost one
            await counter.connectors.fell(given, None, "it ended", lost=lost)
            await counter.connectors.let_go(given, None, lost)
        return await counter.connectors.held(given, None) is fresh

    assert counter.run(late()), "one fall, told once"


def test_what_people_say_of_a_tool_decides(counter: Counter) -> None:
    counter.add(declared("fake"))
    send = body("send", {"to": "ben", "copies": 2})

    def judged(manifest: dict[str, Any]) -> Permission:
        return counter.rules.judge(send, str(counter.workspace), manifest).permission

    entry = counter.effects.prepare(send, str(counter.workspace))
    assert entry.summary == "desk: send, to ben, copies 2"
    assert entry.risk is Risk.SENDS
    assert entry.base == {"tool:desk/send": counter.tool("send")["pin"]}
    assert judged({"connectors": ["desk"]}) is Permission.ASK
    assert counter.effects.policy(send) is DoubtPolicy.ASK
    counter.say("send", "reads")
    assert counter.effects.prepare(send, str(counter.workspace)).risk is Risk.NORMAL
    assert judged({"connectors": ["desk"]}) is Permission.ALLOW
    assert judged({"connectors": ["other"]}) is Permission.ASK
    assert judged({"permissions": ["mail"], "connectors": ["desk"]}) is Permission.DENY
    assert counter.effects.policy(send) is DoubtPolicy.RETRY
    counter.say("send", "spends", repeatable=True)
    assert counter.effects.prepare(send, str(counter.workspace)).risk is Risk.SPENDS
    assert judged({"connectors": ["desk"]}) is Permission.ASK
    assert counter.effects.policy(send) is DoubtPolicy.RETRY


@pytest.mark.parametrize(
    "hint, claim, first",
    [("readOnlyHint", "only reads", "a-tool"), ("destructiveHint", "may destroy something", "send")],
)
def test_what_a_server_says_of_a_tool_words_and_sorts_and_allows_nothing(
    counter: Counter, hint: str, claim: str, first: str
) -> None:
    counter.add(declared("fake", f"hints={hint}"))
    send = body("send", {"to": "ben"})
    assert counter.effects.prepare(send, str(counter.workspace)).summary == f"desk: send (says that it {claim}), to ben"
    assert tool_documents(counter.database.reader, "desk")[0]["tool"] == first
    judged = counter.rules.judge(send, str(counter.workspace), {"connectors": ["desk"]})
    assert (judged.permission, counter.effects.policy(send)) == (Permission.ASK, DoubtPolicy.ASK)
    counter.say("send", "sends")
    assert counter.effects.prepare(send, str(counter.workspace)).summary == "desk: send, to ben"


def test_what_is_off_or_not_there_is_not_called(counter: Counter) -> None:
    async def asked(call: dict[str, Any]) -> str:
        with pytest.raises(EffectTrouble) as refused:
            await counter.effects.perform(call, KEY, str(counter.workspace))
        return str(refused.value)

    assert "There is no connector “desk”" in counter.run(asked(body("send")))
    counter.add(declared("fake"), on=False)
    assert "is off" in counter.run(asked(body("send")))
