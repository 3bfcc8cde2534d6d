"""Files that change between an approval and its performing: nothing is written that was not approved on what is there.

| what | test |
|---|---|
| a fresh gate for the whole plan, with what the first one showed | test_a_changed_file_is_asked_about_anew_with_the_whole_plan |
| every verdict on it, whatever has become of the file | test_the_verdict_counts_whatever_lies_on_disk |
| FilesChanged for the workflow, the old approval void | test_a_workflow_can_look_again_by_itself |
| claims of a void approval are free | test_a_void_approval_claims_nothing |
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from counterfoil import FilesChanged, Params, append_rows, approve, table, workflow, write_file
from counterfoil.facts import RunState
from counterfoil.store import gates
from counterfoil.testing import Harness


class Nothing(Params):
    pass


@workflow("two-files")
async def two_files(p: Nothing) -> str:
    plan = [write_file("out.txt", "new"), append_rows("rows.csv", [{"a": 1}], columns=["a"])]
    decision = await approve(
        "Write both", plan=plan, evidence=[table([{"Total": 12}], title="Payments")], claims=["one"]
    )
    await decision.perform()
    return "written"


@workflow("looks-again")
async def looks_again(p: Nothing) -> list[str]:
    notes: list[str] = []
    while True:
        decision = await approve("Write", plan=[write_file("out.txt", f"round {len(notes)}")], claims=["one"])
        try:
            await decision.perform(on_conflict="raise")
        except FilesChanged as changed:
            notes += changed.paths
            continue
        return notes


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "rows.csv").write_text("a\n0\n")
    return folder


def in_conflict(folder: Path, home: Path) -> Harness:
    harness = Harness(folder, home=home)
    harness.start(two_files)
    harness.advance()
    harness.approve()
    (folder / "rows.csv").write_text("a\n0\nsomebody\n")
    assert harness.advance() == RunState.WAITING
    return harness


def test_a_changed_file_is_asked_about_anew_with_the_whole_plan(files: Path, tmp_path: Path) -> None:
    harness = in_conflict(files, tmp_path / "home")
    spec = harness.spec()
    assert not (files / "out.txt").exists()
    assert "rows.csv" in spec["title"]
    assert "Write both" in spec["title"]
    assert [item["target"] for item in spec["plan"]] == ["out.txt", "rows.csv"]
    assert [piece["title"] for piece in spec["evidence"]] == ["Payments"]
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert (files / "rows.csv").read_text().split() == ["a", "0", "somebody", "1"]
    harness.close()


def restored(folder: Path) -> None:
    (folder / "rows.csv").write_text("a\n0\n")


def changed_again(folder: Path) -> None:
    (folder / "rows.csv").write_text("a\n7\n")


def gone(folder: Path) -> None:
    (folder / "rows.csv").unlink()


@pytest.mark.parametrize("state", [restored, changed_again, gone])
@pytest.mark.parametrize("verdict", ["reject", "return"])
def test_the_verdict_counts_whatever_lies_on_disk(
    files: Path, tmp_path: Path, verdict: str, state: Callable[[Path], None]
) -> None:
    harness = in_conflict(files, tmp_path / "home")
    (harness.reject if verdict == "reject" else harness.send_back)("not like this")
    state(files)
    before = {path.name: path.read_text() for path in files.iterdir()}
    ended = harness.advance()
    assert {path.name: path.read_text() for path in files.iterdir()} == before
    if verdict == "reject":
        assert ended == RunState.DONE
        assert harness.result() == {"verdict": "rejected", "by": "user:test", "comment": "not like this"}
    else:
        assert harness.gate()["kind"] == "failure"  # nobody caught Returned
    harness.close()


def test_a_workflow_can_look_again_by_itself(files: Path, tmp_path: Path) -> None:
    harness = Harness(files, home=tmp_path / "home")
    harness.start(looks_again)
    harness.advance()
    first = harness.gate()
    harness.approve()
    (files / "out.txt").write_text("somebody's")
    assert harness.advance() == RunState.WAITING
    assert gates.seals(harness.database.reader, first["gate_id"])[0]["spent_at_path"] == ""
    assert harness.gate()["gate_id"] != first["gate_id"]
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.result() == ["out.txt"]
    assert (files / "out.txt").read_text() == "round 1"
    harness.close()


def test_a_void_approval_claims_nothing(files: Path, tmp_path: Path) -> None:
    harness = in_conflict(files, tmp_path / "home")
    harness.reject("no")
    harness.advance()
    other = Harness(files, home=tmp_path / "home")
    other.start(two_files)
    other.advance()
    other.approve()
    assert other.advance() == RunState.DONE
    other.close()
    harness.close()
