"""Calls of real servers in their sandboxes: what comes back, what is told of it, and that nobody calls what nobody has seen."""

import asyncio
from typing import Any

import pytest

from connectors.counter import Counter, body, declared
from counterfoil.engine.ports import EffectTrouble, OutcomeUnknown, Permission
from counterfoil.facts import DoubtPolicy, Risk

KEY = "k" * 64


def test_what_a_tool_gives(counter: Counter) -> None:
    counter.add(declared("honest", settings={"REGION": "eu"}))

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


def test_a_server_that_falls_leaves_a_doubt_and_is_blamed_when_it_falls_too_often(counter: Counter) -> None:
    counter.add(declared("honest"))

    async def fall() -> list[str]:
        said = []
        for _ in range(4):
            try:
                await counter.effects.perform(body("fall"), KEY, str(counter.workspace))
            except (OutcomeUnknown, EffectTrouble) as problem:
                said.append(f"{type(problem).__name__}: {problem}")
        return said

    *unknown, blamed = counter.run(fall())
    assert (
        unknown
        == ["OutcomeUnknown: desk was asked for fall, and it ended in the middle; it may or may not have happened."] * 3
    )
    assert "desk has failed 3 times within ten minutes and is left alone for now" in blamed
    assert "counterfoil connector test desk" in blamed


def test_what_people_say_of_a_tool_decides(counter: Counter) -> None:
    counter.add(declared("honest"))
    add = body("add", {"first": 1, "second": 2})

    def judged(manifest: dict[str, Any]) -> Permission:
        return counter.rules.judge(add, str(counter.workspace), manifest).permission

    entry = counter.effects.prepare(add, str(counter.workspace))
    assert entry.summary == "desk: add, first 1, second 2"
    assert entry.risk is Risk.SENDS
    assert entry.base == {"tool:desk/add": counter.tool("add")["pin"]}
    assert judged({"connectors": ["desk"]}) is Permission.ASK
    assert counter.effects.policy(add) is DoubtPolicy.ASK
    counter.say("add", "reads")
    assert counter.effects.prepare(add, str(counter.workspace)).risk is Risk.NORMAL
    assert judged({"connectors": ["desk"]}) is Permission.ALLOW
    assert judged({"connectors": ["other"]}) is Permission.ASK
    assert judged({"permissions": ["mail"], "connectors": ["desk"]}) is Permission.DENY
    assert counter.effects.policy(add) is DoubtPolicy.RETRY
    counter.say("add", "spends", repeatable=True)
    assert counter.effects.prepare(add, str(counter.workspace)).risk is Risk.SPENDS
    assert judged({"connectors": ["desk"]}) is Permission.ASK
    assert counter.effects.policy(add) is DoubtPolicy.RETRY


def test_what_is_off_or_not_there_is_not_called(counter: Counter) -> None:
    async def asked(call: dict[str, Any]) -> str:
        with pytest.raises(EffectTrouble) as refused:
            await counter.effects.perform(call, KEY, str(counter.workspace))
        return str(refused.value)

    assert "There is no connector “desk”" in counter.run(asked(body("add")))
    counter.add(declared("honest"), on=False)
    assert "is off" in counter.run(asked(body("add")))


def test_the_tools_of_connectors_with_their_pins(counter: Counter) -> None:
    counter.add(declared("honest"))
    found = counter.run(counter.connectors.tools(["desk"]))
    assert [tool["name"] for tool in found] == [
        f"desk__{name}" for name in ("add", "day", "environment", "fall", "refuse")
    ]
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


def test_many_calls_at_once_go_over_one_connection(counter: Counter) -> None:
    counter.add(declared("honest"))

    async def together() -> list[int]:
        effects = counter.effects
        calls = [
            effects.perform(body("add", {"first": n, "second": 1}), KEY, str(counter.workspace)) for n in range(20)
        ]
        return [found["data"]["total"] for found in await asyncio.gather(*calls)]

    assert counter.run(together()) == list(range(1, 21))
