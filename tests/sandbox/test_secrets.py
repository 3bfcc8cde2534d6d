"""A secret is used for a workflow and never given to it: not in its memory, its output, its files or anything that is kept (T69)."""

import json
from collections.abc import Generator
from pathlib import Path

import pytest

from counterfoil.effects.secrets import Keyring
from counterfoil.facts import RunState, Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.runner.starting import start_run
from counterfoil.store import gates, runs
from effects.conftest import MemoryKeyring, memory_keyring
from effects.web_server import Said, WebServer
from sandbox.rooms import Room

HALVES = ("Bearer-5f1c9a", "77-do-not-tell")
CONTROL = ("control-1b2e", "8f-is-found")
COURIER = Path(__file__).parent / "templates/courier"

__all__ = ["memory_keyring"]


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Generator[WebServer]:
    """A server that repeats what it was sent, and no proxy between it and us."""
    monkeypatch.setenv("NO_PROXY", "*")
    server = WebServer()
    yield server
    server.close()


def test_a_secret_that_is_used_is_nowhere_to_be_found(
    room: Room, web: WebServer, memory_keyring: MemoryKeyring, tmp_path: Path
) -> None:
    value = "".join(HALVES)
    Keyring(room.home).set("bank", value)
    web.says["/"] = Said(200, {"X-Echo": value}, f"you are {value}".encode())
    workspace = tmp_path / "files"
    workspace.mkdir()
    row = start_run(
        room.database,
        room.home,
        template=COURIER,
        workspace=workspace,
        parameters=lambda _: {"url": f"{web.url}/", "wanted": [*HALVES, *CONTROL]},
        started_by="user:anna",
    )
    while room.advance(row["run_id"])["state"] == RunState.WAITING:
        asked = gates.open_of_runs(room.database.reader, [row["run_id"]])
        assert [gate["kind"] for gate in asked] == ["approval"], room.asked(row["run_id"])
        decide(room.database, room.blobs, asked[0]["gate_id"], Wish(Verdict.APPROVED, "user:anna"))
    ended = runs.get(room.database.reader, row["run_id"])
    assert ended["state"] == RunState.DONE
    assert web.heard[0].headers["authorization"] == value
    (in_memory, control), answer = json.loads(json.loads(ended["result"]))
    assert control, "the search finds what is there"
    assert not in_memory
    assert answer.count("[secret bank]") == 2
    kept = [file for place in (room.home.root, workspace) for file in place.rglob("*") if file.is_file()]
    assert {"said.txt", f"r-{ended['number']}.log"} <= {file.name for file in kept}
    assert [
        file for file in kept if value.encode() in file.read_bytes() or HALVES[1].encode() in file.name.encode()
    ] == []
