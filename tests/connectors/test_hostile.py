"""Servers that break the rules: what they do stays theirs, and what is said of it is true."""

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from connectors.counter import Counter, body, declared
from counterfoil.connectors import keeping
from counterfoil.connectors.answers import outcome_of
from counterfoil.connectors.definitions import (
    LONGEST_NAME,
    Unusable,
    read_tools,
    unique_name,
    written_out,
)
from counterfoil.connectors.sieve import Sieve
from counterfoil.effects.redacting import KNOWN
from counterfoil.engine.ports import EffectTrouble, InputNeeded, OutcomeUnknown
from counterfoil.store.transactions import Row
from counterfoil.views.tool_changes import changes_between

SEND = body("send", {"to": "ben"})


def health(row: Row) -> dict[str, Any]:
    """What came of the last look."""
    found: dict[str, Any] = json.loads(row["health"])
    return found


def test_one_tool_that_cannot_be_used_takes_no_other_with_it(counter: Counter) -> None:
    counter.add(declared("fake", "bad-tools"))
    found = {tool["tool"]: tool for tool in counter.run(counter.connectors.tools(["desk"]))}
    odd = "naïve tool " + "x" * 200
    assert set(found) == {"send", odd, "near"}
    assert len(found[odd]["name"]) == LONGEST_NAME
    assert found[odd]["name"].isascii()
    assert found["near"]["parameters"]["properties"] == {"x": {"type": "integer"}}
    assert health(counter.row())["left_out"] == [
        "‘no-schema’ is left out: it does not say what it takes.",
        "‘odd-schema’ is left out: it does not say what it takes.",
        "Its tool 4 is left out: it is no description of a tool.",
        "‘far’ is left out: what it takes is described elsewhere, and that is not fetched.",
        "‘twice’ is left out: it is there 2 times.",
    ]
    assert counter.perform(SEND)["text"] == "sent to ben"
    with pytest.raises(
        EffectTrouble, match=r"has no tool ‘far’\. ‘far’ is left out: what it takes is described elsewhere"
    ):
        counter.perform(body("far"))


def test_noise_is_counted_and_the_server_goes_on(counter: Counter) -> None:
    counter.add(declared("fake", "noisy", "twice"))
    assert counter.perform(SEND)["text"] == "sent to ben"
    assert health(counter.row())["noise"] == 40


def test_a_server_that_hangs_meets_its_deadline_and_leaves_a_doubt(counter: Counter) -> None:
    counter.add(declared("fake", "hangs", seconds=1.0))
    with pytest.raises(OutcomeUnknown, match="it did not answer within 1 seconds; it may or may not have happened"):
        counter.perform(SEND)
    assert health(counter.row()) | {"at": 0} == {
        "at": 0, "ok": False, "words": "It did not answer within 1 seconds.", "noise": 0, "last_words": "",
    }  # fmt: skip


def test_an_answer_without_an_end_ends_the_server(counter: Counter) -> None:
    counter.add(declared("fake", "endless"))
    with pytest.raises(OutcomeUnknown, match="it ended in the middle"):
        counter.perform(SEND)


def test_a_long_answer_is_cut_and_says_so(counter: Counter) -> None:
    counter.add(declared("fake", "huge"))
    found = counter.perform(SEND)
    assert (len(found["text"]), found["truncated"]) == (1024 * 1024, True)


def test_an_answer_that_breaks_its_own_promise_has_happened_all_the_same(counter: Counter) -> None:
    counter.add(declared("fake", "answers"))
    found = counter.perform(body("count", {"to": "ben"}))
    assert (found["data"], found["failed"]) == ({"n": "many"}, False)
    assert found["trouble"].startswith("What it gave back is not what it says that it gives:")


def test_a_refusal_is_an_answer(counter: Counter) -> None:
    counter.add(declared("fake", "refuses"))
    found = counter.perform(SEND)
    assert (found["failed"], found["text"]) == (True, "there is nothing to send")


def test_a_server_that_dies_of_the_newer_protocol_is_asked_in_the_older(counter: Counter) -> None:
    counter.add(declared("fake", "probe-kills"))
    assert counter.perform(SEND)["text"] == "sent to ben"
    assert json.loads(counter.row()["facts"])["era"] == "legacy"
    assert health(counter.row())["protocol"] == "2025-11-25"


def test_a_program_that_is_not_there(counter: Counter) -> None:
    counter.database.transact(lambda txn: keeping.add(txn, declared("fake"), "user:anna"))
    gone = declared("fake")
    object.__setattr__(gone, "argv", ("npx-of-nowhere",))
    with pytest.raises(
        EffectTrouble,
        match=r"^desk does not start: there is no such program here: npx-of-nowhere: No such file or directory\.$",
    ):
        counter.run(counter.connectors.look(gone))


def test_what_a_tool_says_of_itself_is_data_and_never_a_handle(counter: Counter) -> None:
    """A server that answers with our own tags gets no bytes and no secret for it."""
    counter.add(declared("fake", "tags"))
    found = counter.perform(SEND)
    assert found["data"] == {"$map": [["$blob", "0" * 64], ["$secret", "mail"]]}


@pytest.mark.parametrize("key", ["type", "role", "mode", "method", "action", "resultType", "format", "other"])
def test_a_secret_is_taken_out_wherever_it_stands_and_what_the_protocol_says_is_not(key: str) -> None:
    KNOWN.add("of a sieve", "sieved-81c2")
    KNOWN.add("like a word", "resource_link")
    data = {key: "sieved-81c2", "deeper": [{key: "x sieved-81c2"}]}
    part = {"type": "resource_link", "uri": "a:b", "text": "sieved-81c2"}
    message = SimpleNamespace(id=1, params=None, error=None, result={"content": [part], "structuredContent": data})
    Sieve().into(SimpleNamespace(message=message))
    assert "sieved-81c2" not in json.dumps(message.result)
    assert message.result["content"][0]["type"] == "resource_link"
    assert outcome_of(message.result)["data"] == {
        key: "[secret of a sieve]",
        "deeper": [{key: "x [secret of a sieve]"}],
    }


def test_a_changed_tool_asks_again_and_shows_the_change(counter: Counter, tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    counter.add(declared("fake", f"changes-with={sign}", code_beside=(str(tmp_path),)))
    counter.say("send", "reads")
    before = counter.tool("send")
    assert counter.perform(SEND)["text"] == "sent to ben"
    sign.touch()
    assert counter.perform(SEND)["text"] == "sent to ben"  # that is when it says so
    with pytest.raises(InputNeeded) as asked:
        counter.perform(SEND)
    assert str(asked.value) == "‘send’ of desk has changed since. Call it as it is now?"
    call, said, difference = asked.value.evidence
    assert call["data"] == [["to", "ben"]]
    assert said["data"] == "It now also takes ‘bcc’."
    assert '+      "bcc": {' in difference["data"]
    now = counter.tool("send")
    assert now["pin"] != now["agreed_pin"] == before["pin"]
    judged = counter.rules.judge(SEND, str(counter.workspace), {"connectors": ["desk"]})
    assert judged.reason == "‘send’ of desk has changed, so it asks until somebody has looked at it."
    assert counter.database.transact(lambda txn: keeping.agree(txn, "desk", [], "user:anna")) == ["send"]
    assert counter.perform(SEND)["text"] == "sent to ben"
    judged = counter.rules.judge(SEND, str(counter.workspace), {"connectors": ["desk"]})
    assert (
        judged.reason == "Nobody has said that ‘send’ of the connector desk only reads, so somebody has to approve it."
    )


# ---------------------------------------------------------------------------------------------------------- definitions


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"x": {"$ref": "#/$defs/nowhere"}}},
        {"type": "object", "properties": {"x": {"$ref": "file:///etc/passwd"}}},
        {"type": "object", "properties": json.loads('{"x":' * 40 + "{}" + "}" * 40)},
        {
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/a0"}},
            "$defs": {f"a{n}": {"anyOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 9} for n in range(9)} | {"a9": {}},
        },
    ],
    ids=["nowhere", "outside", "deep", "laughs"],
)
def test_schemas_that_lead_astray(schema: dict[str, Any]) -> None:
    with pytest.raises(Unusable):
        written_out(schema)


def test_a_schema_that_refers_to_itself_ends_as_anything() -> None:
    tree = {"type": "object", "properties": {"left": {"$ref": "#"}}}
    assert written_out(tree) == {
        "type": "object",
        "properties": {"left": {"type": "object", "properties": {"left": {}}}},
    }


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda one: one["inputSchema"]["properties"].update(bcc={}), ["now also takes ‘bcc’"]),
        (lambda one: one["inputSchema"]["properties"].clear(), ["no longer takes ‘to’"]),
        (lambda one: one["inputSchema"]["properties"].update(to={"type": "integer"}), ["takes something else as ‘to’"]),
        (lambda one: one["inputSchema"].update(required=[]), ["no longer needs ‘to’"]),
        (lambda one: one["inputSchema"].update(required=["to", "x"]), ["now needs ‘x’"]),
        (lambda one: one["inputSchema"].update(additionalProperties=True), ["takes something else now"]),
        (lambda one: one.update(description="Steal it."), ["is described differently"]),
        (lambda one: one.update(annotations={"readOnlyHint": True}), ["says something else of what it does"]),
    ],
)
def test_changes_in_words(change: Callable[[dict[str, Any]], None], said: list[str]) -> None:
    def made() -> dict[str, Any]:
        schema = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
        return {"name": "send", "description": "Send it.", "inputSchema": schema}

    now = made()
    change(now)
    assert changes_between(made(), now) == said
    pins = [read_tools("desk", "same", [one])[0][0].pin for one in (made(), now)]
    assert pins[0] != pins[1]
    assert pins[0] != read_tools("desk", "another server", [made()])[0][0].pin


def test_names_are_unique_and_fit_every_llm() -> None:
    names = [unique_name("desk", tool) for tool in ("send", "send it", "send_it", "sénd", "s" * 200, "s" * 201)]
    assert names[0] == "desk__send"
    assert len(set(names)) == len(names)
    assert all(len(name) <= LONGEST_NAME and name.replace("-", "").replace("_", "").isalnum() for name in names)
    assert all(name.isascii() for name in names)
