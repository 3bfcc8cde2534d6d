"""A run on the command line works on a copy: the folder changes only when somebody approves, and what the copy holds is said."""

import os
import time
from pathlib import Path

from cli.note_template import write_template
from cli.speaking import Caller
from stage.folders import fingerprint


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


def settle(folder: Path) -> None:
    """Let a tick of the file system's clock go by, so that a change would be seen in a time."""
    probe = folder.parent / "tick"
    probe.write_text("x")
    began = probe.stat().st_mtime_ns
    while probe.stat().st_mtime_ns == began:
        time.sleep(0.001)
        probe.write_text("x")
