"""An agent in an editor, over the real protocol on the streams of a real process: it starts and asks, and cannot decide."""

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp import Client, StdioServerParameters

from counterfoil.cli.call import Call
from counterfoil.cli.serving import Desk
from counterfoil.errors import WrongUse
from counterfoil.facts import Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.runner.running import Runner
from counterfoil.store import gates, runs, trail_rows
from counterfoil.store.database import open_database
from views.rows import Office

T = TypeVar("T")
TOOLS = ["ask_for_approval", "list_templates", "look_at_run", "start_run"]


def served(office: Office, talk: Callable[[Client], Awaitable[T]]) -> T:
    """Talk to `counterfoil mcp` as an editor does."""

    async def whole() -> T:
        words = ["-m", "counterfoil", "--home", str(office.home.root), "mcp", "--workspace", office.workspace]
        path = os.pathsep.join(sys.path)
        at = StdioServerParameters(command=sys.executable, args=[*words, "--name", "helper"], env={"PYTHONPATH": path})
        async with asyncio.timeout(180), Client(at) as client:
            return await talk(client)

    return asyncio.run(whole())


async def asked(client: Client, tool: str, **args: Any) -> tuple[bool, Any]:
    """Whether a call went well, and what it gave."""
    result = await client.call_tool(tool, args)
    text = "".join(getattr(part, "text", "") for part in result.content)
    return (False, text) if result.is_error else (True, json.loads(text))


def advance(office: Office, reference: str) -> None:
    """Be the runner until a run ends or waits."""
    database = open_database(office.home)
    try:
        run_id = runs.find(database.reader, reference)[0]["run_id"]
        Runner(database, office.home, only=run_id).run_until(run_id)
    finally:
        database.close()


def reject(office: Office) -> None:
    """Anna says no to the one open gate."""
    database = open_database(office.home)
    try:
        (gate,) = gates.inbox_page(database.reader)
        decide(database, office.blobs, gate["gate_id"], Wish(Verdict.REJECTED, "user:anna", comment="Not on a Friday."))
    finally:
        database.close()


def test_an_agent_asks_and_a_person_decides(office: Office) -> None:
    async def talk(client: Client) -> dict[str, Any]:
        heard: dict[str, Any] = {"tools": sorted(tool.name for tool in (await client.list_tools()).tools)}
        heard["started"] = await asked(
            client, "ask_for_approval", question="Push the branch?", details="3 files changed"
        )
        await asyncio.to_thread(advance, office, "r-1")
        heard["waiting"] = await asked(client, "look_at_run", run="r-1")
        heard["hostile"] = [
            await asked(client, "approve", gate="g-1"),
            await asked(client, "start_run", template="./evil"),
            await asked(client, "start_run", template="no-such-thing"),
            await asked(client, "look_at_run", run="r-99"),
            await asked(client, "look_at_run", run="r-1", verdict="approved"),
            await asked(client, "ask_for_approval", details="x"),
            await asked(
                client, "start_run", template="ask-approval", parameters={"question": "x", "asked_by": "Eva Meyer"}
            ),
        ]
        heard["templates"] = await asked(client, "list_templates")
        await asyncio.to_thread(reject, office)
        await asyncio.to_thread(advance, office, "r-1")
        heard["ended"] = await asked(client, "look_at_run", run="r-1")
        return heard

    heard = served(office, talk)
    assert heard["tools"] == TOOLS  # and none that decides
    started, ended = heard["started"][1], heard["ended"][1]
    assert (started["run"], started["state"], started["waits_for_a_person"]) == ("r-1", "ready", [])
    assert "runner, which is off now" in started["note"]
    title = "The agent ‘helper’ asks: Push the branch?"
    assert heard["waiting"][1]["waits_for_a_person"] == [{"gate": "g-1", "title": title}]
    assert [good for good, _ in heard["hostile"]] == [False] * 7
    assert {"pay-invoices", "triage-mail"} <= {one["name"] for one in heard["templates"][1]}
    assert ended["result"] == {"verdict": "rejected", "by": "user:anna", "comment": "Not on a Friday."}
    (row,) = runs.find(office.database.reader, "r-1")
    assert (row["started_by"], row["workspace"]) == ("agent:helper", office.workspace)
    deciders = {entry["by"] for entry in trail_rows.entries(office.database.reader) if entry["kind"] == "decision"}
    assert deciders == {"user:anna"}


@pytest.mark.parametrize("name", ["", "Anna Smith", "user:anna"])
def test_an_agent_is_called_what_no_person_is(call: Any, office: Office, name: str) -> None:
    said = call("mcp", "--workspace", office.workspace, "--name", name, "--json")
    assert (said.code, said.error["code"]) == (2, "wrong_use")


def test_a_run_of_another_folder_is_not_shown(office: Office, tmp_path: Path) -> None:
    row = office.run()
    with pytest.raises(WrongUse, match="belongs to another folder"):
        Desk(Call(office.home), tmp_path, "agent:helper").look({"run": f"r-{row['number']}"})
