"""A server that quotes its secret in whatever it says: it is nowhere afterwards, and no llm and no document has it."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from cli.speaking import caller
from connectors.counter import Counter, Drawer, declared
from connectors.test_agents import sending
from connectors.test_runs import calling, harness
from counterfoil import ToolCall
from counterfoil.cli.logs import keep_logs
from counterfoil.facts import RunState
from counterfoil.testing import Harness

CANARY = "canary-7f3a91d2"


def played(counter: Counter, workflow: Any, *words: str, script: list[Any]) -> Harness:
    """A run with a server that leaks, to its end; whatever is asked is approved and answered."""
    counter.clear()
    given = {"TOKEN": {"$secret": "desk-token"}}
    counter.add(declared("fake", "leaks=TOKEN", *words, settings=given, llms=True))
    room = harness(counter, llms=script)
    room.start(workflow)
    while (state := room.advance()) is RunState.WAITING:
        gate = room.gate()
        room.approve() if gate["kind"] == "approval" else room.answer(sure=True)
    assert state is RunState.DONE
    return room


def test_a_canary_that_a_server_quotes_is_found_nowhere(
    counter: Counter, drawer: Drawer, capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keep_logs(counter.home)
    counter.keyring.set("desk-token", CANARY)
    call = caller(capsys, counter.home.root)
    script = [[ToolCall("", "desk__send", {"to": "ben"})], "Sent."]
    said: list[str] = []

    def note(room: Harness) -> None:
        said.extend(str((one.system, one.history, one.tools)) for one in room.asked_llms())
        for words in (("show", room.run_id), ("show", room.run_id, "--talk"), ("inbox",), ("trail",)):
            said.extend(shown.out + shown.err for shown in (call(*words), call(*words, "--json")))
        said.extend(call("connector", *words, "--json").out for words in (("list",), ("tools", "desk")))
        room.close()

    note(played(counter, sending, "asks", "modern", script=script))
    assert "state-of-the-server[secret desk-token]" in "".join(said), "the agent was told what its tool gave"
    note(played(counter, calling, "samples", script=["yes"]))
    last = played(counter, calling, "refuses", script=[])
    note(last)
    said.extend(call("doctor", *words).out for words in ((), ("--support",)))
    assert call("trail", "--evidence", last.run_id, "--out", str(tmp_path / "evidence.zip")).code == 0
    with zipfile.ZipFile(tmp_path / "evidence.zip") as pack:
        said.extend(pack.read(name).decode("utf-8", "replace") for name in pack.namelist())
    monkeypatch.setattr("counterfoil.cli.looking.run_detail", _broken)
    fault = call("show", last.run_id)
    said.append(fault.err)
    assert "[secret desk-token]" in fault.err
    assert all(CANARY not in one for one in said)
    kept = [file for file in counter.home.root.rglob("*") if file.is_file() and not file.is_symlink()]
    names = {file.name.partition("-")[0] for file in kept} | {file.suffix for file in kept}
    assert {"counterfoil.db", "fault"} <= names
    assert any("wal" in file.name for file in kept)
    assert [file.name for file in kept if CANARY.encode() in file.read_bytes()] == []


def test_a_tool_has_the_same_pin_whatever_else_a_process_knows(counter: Counter, drawer: Drawer) -> None:
    counter.add(declared("fake"))
    pin = counter.tool("send")["pin"]
    counter.keyring.set("of-another", "Send it.")
    counter.keyring.get("of-another")
    counter.restart()
    (found,) = counter.run(counter.connectors.tools(["desk"]))
    assert (found["pin"], found["description"]) == (pin, "Send it.")


def _broken(*_: object, **__: object) -> None:
    raise RuntimeError(f"no tea for {CANARY}")
