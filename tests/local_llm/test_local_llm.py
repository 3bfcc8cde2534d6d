"""A real llm on this computer answers a real run: prose, a checked value, no price, and a replay when the server is gone.

It needs a server that is not among the project's packages: `tests/local_llm/run` brings it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

GIVEN = os.environ.get("COUNTERFOIL_LOCAL_LLM", "")
pytestmark = pytest.mark.skipif(not GIVEN, reason="a local llm is brought by tests/local_llm/run alone")
APP = Path(__file__).resolve().parents[2] / "app"

WORKFLOW = """
from typing import Literal

from counterfoil import Params, approve, llm, text, workflow, write_file


class HelloParams(Params):
    pass


@workflow("local-hello")
async def local_hello(p: HelloParams) -> str:
    greeting = await llm("Say hello to the team in one short sentence.", name="greet", most_tokens=60)
    mood = await llm(f"Is this friendly? {greeting}", output=Literal["friendly", "unfriendly"], name="judge", most_tokens=30)
    decision = await approve("Keep it", plan=[write_file("hello.txt", f"{greeting} ({mood})")], evidence=[text(greeting, title="It says")])
    await decision.perform()
    return mood
"""
MANIFEST = """
name = "local-hello"
title = "Hello"
description = "A greeting by a local llm."
works_without_llm = false
permissions = ["write_file"]
"""


@pytest.fixture
def server() -> Generator[tuple[str, subprocess.Popen[str]]]:
    python, port = GIVEN.rsplit(" ", 1)
    command = [python, str(Path(__file__).parent / "serve.py"), port]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        address = next((line.strip() for line in lines if line.startswith("http")), "")
        yield f"{address}/v1", process
        process.kill()


def test_a_real_run_with_a_real_llm(server: tuple[str, subprocess.Popen[str]], tmp_path: Path) -> None:
    address, process = server
    template, workspace, home = tmp_path / "local-hello", tmp_path / "ws", tmp_path / "home"
    template.mkdir()
    workspace.mkdir()
    (template / "workflow.py").write_text(WORKFLOW)
    (template / "template.toml").write_text(MANIFEST)

    def counterfoil(*words: str, code: int = 0) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "counterfoil", "--home", str(home), "--json", *words],
            env={**os.environ, "PYTHONPATH": str(APP)},
            cwd=workspace,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    counterfoil("route", "add", "smollm2", "--provider", "llamacpp", "--address", address)
    counterfoil("route", "pin", "default", "--stays")
    [tried] = counterfoil("route", "test")
    assert tried["well"]
    run = counterfoil("run", str(template), "--unprotected", tmp_path.name, "--wait", code=3)
    steps = {step["name"]: step for step in counterfoil("show", run["run_id"])["steps"]}
    assert (steps["greet"]["kind"], steps["judge"]["kind"]) == ("llm", "llm")
    assert not (workspace / "hello.txt").exists()
    process.kill()
    process.wait()
    [gate] = run["gates"]
    counterfoil("approve", gate["gate_id"])
    counterfoil("runner", "--until-idle")
    ended = counterfoil("show", run["run_id"])
    assert (ended["state"], ended["result"] in ("friendly", "unfriendly")) == ("done", True)
    assert ended["checkpoint"]["paid"]["perhaps_billed"] == 0
    assert (workspace / "hello.txt").read_text().endswith(f"({ended['result']})")
