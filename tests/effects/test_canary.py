"""A secret that is used is nowhere afterwards: not in the database, blobs, logs, prompts, gates, documents of any command, or the trail."""

import json
import logging
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from counterfoil import EffectFailed, Params, Secret, http, llm, secret, workflow
from counterfoil.cli.logs import keep_logs
from counterfoil.effects.secrets import Keyring
from counterfoil.facts import RunState
from counterfoil.store import gates, runs, trail_rows
from counterfoil.testing import Harness
from counterfoil.views.gates import gate_documents
from counterfoil.views.runs import run_document
from counterfoil.views.steps import steps_of
from effects.conftest import MemoryKeyring, memory_keyring
from effects.web_server import Said, WebServer

__all__ = ["memory_keyring"]
CANARY = "canary-7f3a91d2"


class Wanted(Params):
    """Where to ask."""

    url: str


@workflow("canary")
async def canary(p: Wanted) -> Any:
    """Sends it, hears it back, tells an llm what it heard, and fails with it."""
    sent: dict[str, str | Secret] = {"Authorization": secret("bank"), "X-Team": "a"}
    answer = await http("GET", f"{p.url}/", headers=sent)
    said = await llm(f"Sum up: {json.dumps(answer)} for {secret('bank')!r}")
    try:
        await http("POST", f"{p.url}/broken", headers=sent)
    except EffectFailed as problem:
        said += str(problem)
    return [answer, said]


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Generator[WebServer]:
    """A server that repeats what it was sent."""
    monkeypatch.setenv("NO_PROXY", "*")
    server = WebServer()
    server.says["/"] = Said(200, {"X-Echo": f"Bearer {CANARY}"}, f"you are {CANARY}".encode())
    server.says["/broken"] = Said(418, {}, f"no tea for {CANARY}".encode())
    yield server
    server.close()


@pytest.mark.expects_log("refused with")
def test_a_canary_is_found_nowhere(web: WebServer, memory_keyring: MemoryKeyring, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    harness = Harness(tmp_path / "files", home=tmp_path / "home", llms=["fine"])
    keep_logs(harness.home)
    Keyring(harness.home).set("bank", CANARY)
    harness.start(canary, url=web.url)
    while harness.advance() == RunState.WAITING:
        gate = harness.gate()
        if gate["kind"] == "approval":
            harness.approve()
        else:
            harness.answer(choice="stop")
    assert web.heard[0].headers["authorization"] == CANARY  # it was on the wire
    logging.getLogger("counterfoil.effects").error("refused with %s", CANARY)
    conn = harness.database.reader
    row = runs.get(conn, harness.run_id)
    documents = [
        run_document(conn, harness.blobs, row),
        steps_of(conn, harness.blobs, row),
        gate_documents(conn, harness.blobs, gates.of_run(conn, harness.run_id)),
        [dict(entry) for entry in trail_rows.entries(conn)],
        [[asked.system, [str(one) for one in asked.history]] for asked in harness.asked_llms()],
    ]
    assert "[secret bank]" in json.dumps(documents, default=str)
    assert CANARY not in json.dumps(documents, default=str)
    harness.close()
    kept = [file for file in (tmp_path / "home").rglob("*") if file.is_file()]
    assert {"counterfoil.db", "runner.log"} <= {file.name for file in kept}
    assert [file.name for file in kept if CANARY.encode() in file.read_bytes()] == []
