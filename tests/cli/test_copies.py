"""A run on the command line works on a copy: the folder changes only when somebody approves, and what the copy holds is said."""

import os
import time
from pathlib import Path

from cli.note_template import write_template
from cli.speaking import Caller
from stage.folders import fingerprint, held


def test_not_one_byte_or_time_of_ten_thousand_files_is_changed_before_approval(call: Caller, tmp_path: Path) -> None:
    workspace = tmp_path / "files"
    write_template(workspace)
    for number in range(10_000):
        folder = workspace / f"d{number // 250}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.txt").write_bytes(os.urandom(number % 40))
    (workspace / ".env").write_text("SECRET")
    call("doctor", "--workspace", str(workspace))  # a person looks at the folder; this is not the run
    settle(workspace)
    before = fingerprint(workspace)
    root = str(workspace)
    started = call("run", "note", "--workspace", root, "--set", "text=x", "--wait", "--json")
    assert started.document["state"] == "waiting"
    after = fingerprint(workspace)
    ours = {
        str(workspace / ".counterfoil"),
        str(workspace / ".counterfoil/workspace.toml"),
        root,
    }  # parameters are remembered
    assert {path: seen for path, seen in after.items() if path not in ours} == {
        path: seen for path, seen in before.items() if path not in ours
    }
    assert after[root][4] == before[root][4]
    shown = call("show", "r-1")
    assert "10,000 files" in shown.out
    assert "Left out" in shown.out
    assert ".env" in shown.out
    told = call("show", "r-1", "--json").document["copy"]
    assert (told["files"], told["left_out"]) == (10_000, [{"path": ".env", "why": "secret"}])
    gate = call("show", "g-1", "--json").document
    assert gate["files_as_of"] == told["files_as_of"]
    assert "files as of" in call("show", "g-1").out


REWRITE = '''"""Texts in capitals, a note of it, and order."""

from counterfoil import Params, approve, changes, files, step, workflow


class Nothing(Params):
    """No parameters."""


@step
def rewrite() -> None:
    door = files()
    for one in door.walk():
        if one.path.endswith(".txt"):
            door.write(one.path, door.read(one.path).upper())
    door.write("new/summary.md", b"done")
    door.remove("old.md")
    door.move("a.csv", "data/a.csv")


@step
def look() -> list[str]:
    return [one.path for one in files().walk()]


@workflow("rewrite")
async def rewritten(p: Nothing) -> list[str]:
    await rewrite()
    decision = await approve("Rewrite the texts?", plan=await changes())
    await decision.perform()
    return await look()
'''
MANIFEST = """name = "rewrite"
title = "Rewrite"
description = "Texts in capitals."
works_without_llm = true
permissions = ["write_file", "move_files", "delete_files", "make_folders"]
"""


def test_what_steps_have_written_is_shown_approved_written_and_put_back(call: Caller, tmp_path: Path) -> None:
    """The whole way of a run's copy with the real runner and an isolated host."""
    template, workspace = tmp_path / "rewrite", tmp_path / "files"
    for folder in (template, workspace):
        folder.mkdir()
    (template / "workflow.py").write_text(REWRITE, encoding="utf-8")
    (template / "template.toml").write_text(MANIFEST, encoding="utf-8")
    before = {"x.txt": b"hello", "old.md": b"old", "a.csv": b"a;b", ".env": b"SECRET"}
    for name, data in before.items():
        (workspace / name).write_bytes(data)
    started = call("run", str(template), "--workspace", str(workspace), "--wait", "--json").document
    gate = started["gates"][0]["gate_id"]
    assert held(workspace) == before
    shown = call("show", gate).out
    assert "+ 1  HELLO" in shown
    assert "1 file is deleted (old.md)" in shown
    (workspace / "meanwhile.md").write_bytes(b"mine")
    assert call("approve", gate).code == 0
    assert call("runner", "--until-idle").code == 0
    assert held(workspace) == {
        "x.txt": b"HELLO", "new": "/", "new/summary.md": b"done", "data": "/", "data/a.csv": b"a;b", ".env": b"SECRET",
        "meanwhile.md": b"mine",
    }  # fmt: skip
    ended = call("show", "r-1", "--json").document
    assert (ended["state"], ended["result"]) == ("done", ["data/a.csv", "meanwhile.md", "new/summary.md", "x.txt"])
    assert call("undo", "r-1", "--comment", "Try again").code == 0
    assert {path: data for path, data in held(workspace).items() if data != "/"} == before | {"meanwhile.md": b"mine"}


def settle(folder: Path) -> None:
    """Let a tick of the file system's clock go by, so that a change would be seen in a time."""
    probe = folder.parent / "tick"
    probe.write_text("x")
    began = probe.stat().st_mtime_ns
    while probe.stat().st_mtime_ns == began:
        time.sleep(0.001)
        probe.write_text("x")
