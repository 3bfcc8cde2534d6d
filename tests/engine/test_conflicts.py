"""Files that change between an approval and its performing: nothing is written that was not approved on what is there.

| what | test |
|---|---|
| a gate of its own, with what was, what is and what the run would make of it | test_a_changed_file_is_asked_about |
| each answer does what it said, for all or for one file | test_each_answer_does_what_it_says, test_files_are_answered_one_by_one |
| moves and deletions | test_moves_and_deletions |
| an answer is an approval of what was shown, and of nothing else | test_a_file_that_changes_again_is_asked_about_again |
| every verdict on it, whatever has become of the file | test_the_verdict_counts_whatever_lies_on_disk |
| another folder in the place of the one that was approved | test_another_folder_in_its_place |
| FilesChanged for the workflow, the old approval void | test_a_workflow_can_look_again_by_itself |
| claims of a void approval are free | test_a_void_approval_claims_nothing |
| crashes | test_crash_anywhere_around_the_answer |
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterfoil import (
    Effect,
    FilesChanged,
    Params,
    append_rows,
    approve,
    delete_files,
    move_files,
    table,
    workflow,
    write_file,
)
from counterfoil.errors import WrongAnswer
from counterfoil.facts import GateState, RunState, Verdict
from counterfoil.inbox.deciding import void
from counterfoil.store import seals, trail_rows
from counterfoil.testing import Crashed, Harness


class Nothing(Params):
    pass


@workflow("two-files")
async def two_files(p: Nothing) -> list[Any]:
    plan = [write_file("out.txt", "new"), append_rows("rows.csv", [{"a": 1}], columns=["a"])]
    decision = await approve(
        "Write both", plan=plan, evidence=[table([{"Total": 12}], title="Payments")], claims=["one"]
    )
    return await decision.perform()


@workflow("names")
async def names(p: Nothing) -> list[Any]:
    plan: list[Effect] = [
        move_files([("one.txt", "kept/one.txt"), ("two.txt", "kept/two.txt"), ("l.txt", "r.txt"), ("r.txt", "l.txt")]),
        delete_files(["old/a.txt", "old/b.txt", "old"]),
    ]
    return await (await approve("Tidy", plan=plan)).perform()


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


def held(folder: Path) -> dict[str, str]:
    """Every file of a folder."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def in_conflict(folder: Path, home: Path) -> Harness:
    harness = Harness(folder, home=home)
    harness.start(two_files)
    harness.advance()
    harness.approve()
    (folder / "rows.csv").write_text("a\n0\nsomebody\n")
    assert harness.advance() == RunState.WAITING
    return harness


def answered(harness: Harness, **answers: str) -> RunState:
    """Answer the gate and go on."""
    harness.decide(Verdict.ANSWERED, answers=answers)
    return harness.advance()


def test_a_changed_file_is_asked_about(files: Path, tmp_path: Path) -> None:
    harness = in_conflict(files, tmp_path / "home")
    spec, gate = harness.spec(), harness.gate()
    assert not (files / "out.txt").exists()
    assert gate["kind"] == "conflict"
    assert gate["title"] == "1 file changed in your folder. Nothing has been written."
    assert gate["why"] == "rows.csv is not as it was approved"
    assert [item["target"] for item in spec["plan"]] == ["out.txt", "rows.csv"]
    assert [piece["title"] for piece in spec["evidence"]] == ["Payments"]
    assert [(field["name"], field["choices"]) for field in spec["fields"]] == [
        ("choice", ["keep", "use", "both"]),
        ("choice.rows.csv", ["keep", "use", "both"]),
    ]
    (file,) = spec["about"]["files"]
    assert (file["why"], file["does"]) == ("changed since it was approved", "Add 1 row")
    assert file["made"]["both"]["file"]["path"] == "rows (run 1).csv"
    assert spec["about"]["approved"]["title"] == "Write both"
    harness.close()


@pytest.mark.parametrize(
    "choice, after, outcome",
    [
        ("keep", {"rows.csv": "a\n0\nsomebody\n"}, {"kept": ["rows.csv"]}),
        ("use", {"rows.csv": "a\n0\nsomebody\n1\n"}, {"path": "rows.csv"}),
        (
            "both",
            {"rows.csv": "a\n0\nsomebody\n", "rows (run 1).csv": "a\n1\n"},
            {"path": "rows (run 1).csv", "beside": {"rows.csv": "rows (run 1).csv"}},
        ),
    ],
)
def test_each_answer_does_what_it_says(
    files: Path, tmp_path: Path, choice: str, after: dict[str, str], outcome: dict[str, Any]
) -> None:
    harness = in_conflict(files, tmp_path / "home")
    gate = harness.gate()
    shown = harness.spec()["about"]["files"][0]["made"].get(choice)
    harness.answer(choice=choice)
    sealed = seals.of_gate(harness.database.reader, gate["gate_id"])
    assert [row["n"] for row in sealed] == [1, 2]
    assert harness.advance() == RunState.DONE
    assert held(files) == {"out.txt": "new", **after}
    told = harness.result()[1]
    assert {key: told.get(key) for key in outcome} == outcome
    if shown is not None:
        assert told["sha256"] == shown["file"]["sha256"]
    entry = [row for row in trail_rows.entries(harness.database.reader) if row["kind"] == "decision"][-1]
    assert "changed in your folder" in entry["summary"]
    said = json.loads(entry["after"])
    assert (said["answers"]["choice"], said["digest"]) == (choice, gate["digest"])
    assert [item[1] for item in said["items"]] == [row["digest"] for row in sealed]
    harness.close()


def test_files_are_answered_one_by_one(files: Path, tmp_path: Path) -> None:
    (files / "out.txt").write_text("was there")
    harness = Harness(files, home=tmp_path / "home")
    harness.start(two_files)
    harness.advance()
    harness.approve()
    (files / "rows.csv").write_text("a\n7\n")
    (files / "out.txt").write_text("edited")
    harness.advance()
    assert harness.gate()["title"] == "2 files changed in your folder. Nothing has been written."
    with pytest.raises(WrongAnswer, match=r"rows\.csv has no answer"):
        harness.decide(Verdict.ANSWERED, answers={"choice.out.txt": "keep"})
    with pytest.raises(WrongAnswer, match="answered with a choice for the files"):
        harness.approve()
    assert answered(harness, choice="use", **{"choice.out.txt": "both"}) == RunState.DONE
    assert held(files) == {"out.txt": "edited", "out (run 1).txt": "new", "rows.csv": "a\n7\n1\n"}
    harness.close()


def test_a_decision_is_taken_back(files: Path, tmp_path: Path) -> None:
    harness = in_conflict(files, tmp_path / "home")
    gate = harness.gate()
    harness.decide(Verdict.ANSWERED, answers={"choice": "use"}, delay_us=5_000_000)
    void(harness.database, gate["gate_id"], "user:test")
    assert seals.of_gate(harness.database.reader, gate["gate_id"]) == []
    assert answered(harness, choice="keep") == RunState.DONE
    assert held(files) == {"out.txt": "new", "rows.csv": "a\n0\nsomebody\n"}
    harness.close()


def test_a_file_that_changes_again_is_asked_about_again(files: Path, tmp_path: Path) -> None:
    harness = in_conflict(files, tmp_path / "home")
    first = harness.gate()
    harness.answer(choice="use")
    (files / "rows.csv").write_text("a\n0\nsomebody\nagain\n")
    assert harness.advance() == RunState.WAITING
    assert held(files) == {"rows.csv": "a\n0\nsomebody\nagain\n"}
    second = harness.gate()
    assert (second["kind"], second["round"]) == ("conflict", 2)
    assert second["digest"] != first["digest"]
    assert answered(harness, choice="use") == RunState.DONE
    assert held(files) == {"out.txt": "new", "rows.csv": "a\n0\nsomebody\nagain\n1\n"}
    harness.close()


def test_name_that_was_free_when_it_was_shown_is_never_overwritten(files: Path, tmp_path: Path) -> None:
    harness = in_conflict(files, tmp_path / "home")
    harness.answer(choice="both")
    (files / "rows (run 1).csv").write_text("theirs")
    assert harness.advance() == RunState.WAITING
    assert harness.spec()["about"]["files"][0]["path"] == "rows (run 1).csv"
    assert answered(harness, choice="both") == RunState.DONE
    assert held(files) == {
        "out.txt": "new",
        "rows.csv": "a\n0\nsomebody\n",
        "rows (run 1).csv": "theirs",
        "rows (run 1) (run 1).csv": "a\n1\n",
    }
    harness.close()


def gone(folder: Path) -> None:
    (folder / "rows.csv").unlink()


def other_columns(folder: Path) -> None:
    (folder / "rows.csv").write_text("x,y\n1,2\n")


def a_folder(folder: Path) -> None:
    (folder / "rows.csv").unlink()
    (folder / "rows.csv").mkdir()


def second_name(folder: Path) -> None:
    (folder / "twin.csv").hardlink_to(folder / "rows.csv")


@pytest.mark.parametrize(
    "change, why, choices",
    [
        (gone, "is gone", ["keep", "use"]),
        (other_columns, "changed since it was approved", ["keep", "both"]),
        (a_folder, "is something else by now", ["keep", "both"]),
        (second_name, "has more than one name (hard links) by now", ["keep", "both"]),
    ],
)
def test_only_what_can_be_done_is_offered(
    files: Path, tmp_path: Path, change: Callable[[Path], None], why: str, choices: list[str]
) -> None:
    harness = Harness(files, home=tmp_path / "home")
    harness.start(two_files)
    harness.advance()
    harness.approve()
    change(files)
    harness.advance()
    (file,) = harness.spec()["about"]["files"]
    assert (file["why"], file["choices"]) == (why, choices)
    left = {"keep", "use", "both"} - set(choices)
    impossible = left.pop()
    with pytest.raises(WrongAnswer, match="is not among the choices"):
        harness.decide(Verdict.ANSWERED, answers={"choice.rows.csv": impossible})
    with pytest.raises(WrongAnswer, match=r"is not (possible for rows\.csv|among the choices)"):
        harness.answer(choice=impossible)
    assert answered(harness, choice=choices[-1]) == RunState.DONE
    assert (files / "out.txt").read_text() == "new"
    harness.close()


@pytest.mark.parametrize("choice, ours", [("keep", {}), ("both", {"out (run 1).txt": "new"})])
def test_a_twin_is_asked_about(files: Path, tmp_path: Path, choice: str, ours: dict[str, str]) -> None:
    """A name that some system takes for the run's own, made between the approval and the performing."""
    harness = Harness(files, home=tmp_path / "home")
    harness.start(two_files)
    harness.advance()
    harness.approve()
    (files / "OUT.txt").write_text("theirs")
    assert harness.advance() == RunState.WAITING
    assert held(files) == {"OUT.txt": "theirs", "rows.csv": "a\n0\n"}
    (file,) = harness.spec()["about"]["files"]
    assert file["path"] == "out.txt"
    assert file["why"] == "has a name that some systems take for “OUT.txt”, which is there by now"
    assert file["choices"] == ["keep", "both"]
    assert answered(harness, choice=choice) == RunState.DONE
    assert held(files) == {"OUT.txt": "theirs", "rows.csv": "a\n0\n1\n", **ours}
    harness.close()


def test_a_twin_of_a_folder_is_asked_about(files: Path, tmp_path: Path) -> None:
    """What would be beneath it can only be left; everything else goes on."""
    for name in ("one.txt", "two.txt", "l.txt", "r.txt"):
        (files / name).write_text(name)
    (files / "old").mkdir()
    (files / "old/a.txt").write_text("a")
    (files / "old/b.txt").write_text("b")
    harness = Harness(files, home=tmp_path / "home")
    harness.start(names)
    harness.advance()
    harness.approve()
    (files / "Kept").mkdir()
    assert harness.advance() == RunState.WAITING
    found = harness.spec()["about"]["files"]
    assert {(file["path"], tuple(file["choices"])) for file in found} == {
        ("one.txt", ("keep",)),
        ("two.txt", ("keep",)),
    }
    assert "kept has a name that some systems take for “Kept”" in found[0]["why"]
    assert answered(harness, choice="keep") == RunState.DONE
    assert held(files) == {
        "rows.csv": "a\n0\n",
        "one.txt": "one.txt",
        "two.txt": "two.txt",
        "l.txt": "r.txt",
        "r.txt": "l.txt",
    }
    harness.close()


def in_names(folder: Path, home: Path) -> Harness:
    for name in ("one", "two", "l", "r"):
        (folder / f"{name}.txt").write_text(name)
    (folder / "old").mkdir()
    (folder / "old/a.txt").write_text("a")
    (folder / "old/b.txt").write_text("b")
    harness = Harness(folder, home=home)
    harness.start(names)
    harness.advance()
    harness.approve()
    return harness


TIDY = {"kept/one.txt": "one", "kept/two.txt": "two", "l.txt": "r", "r.txt": "l"}


@pytest.mark.parametrize(
    "changed, paths, answers, after",
    [
        (
            {"one.txt": "edited"},
            {"one.txt": ["keep", "use"]},
            {"choice": "use"},
            {**TIDY, "kept/one.txt": "edited"},
        ),
        (
            {"one.txt": "edited"},
            {"one.txt": ["keep", "use"]},
            {"choice": "keep"},
            {"one.txt": "edited", **{k: v for k, v in TIDY.items() if k != "kept/one.txt"}},
        ),
        (
            {"kept/one.txt": "theirs"},
            {"one.txt": ["keep", "use", "both"]},
            {"choice": "both"},
            {**TIDY, "kept/one.txt": "theirs", "kept/one (run 1).txt": "one"},
        ),
        ({"kept/one.txt": "theirs"}, {"one.txt": ["keep", "use", "both"]}, {"choice": "use"}, TIDY),
        (
            {"l.txt": "edited"},
            {"l.txt": ["keep", "use"]},
            {"choice": "keep"},
            {"kept/one.txt": "one", "kept/two.txt": "two", "l.txt": "edited", "r.txt": "r"},
        ),
        ({"l.txt": "edited"}, {"l.txt": ["keep", "use"]}, {"choice": "use"}, {**TIDY, "r.txt": "edited"}),
        (
            {"old/a.txt": "edited"},
            {"old/a.txt": ["keep", "use"]},
            {"choice": "keep"},
            {**TIDY, "old/a.txt": "edited"},
        ),
        ({"old/a.txt": "edited"}, {"old/a.txt": ["keep", "use"]}, {"choice": "use"}, TIDY),
        ({"old/new.txt": "late"}, {"old": ["keep"]}, {}, {**TIDY, "old/new.txt": "late"}),
        ({"old/a.txt": None}, {"old/a.txt": ["keep"]}, {}, TIDY),
        ({"two.txt": None}, {"two.txt": ["keep"]}, {}, {k: v for k, v in TIDY.items() if k != "kept/two.txt"}),
    ],
)
def test_moves_and_deletions(
    files: Path,
    tmp_path: Path,
    changed: dict[str, str | None],
    paths: dict[str, list[str]],
    answers: dict[str, str],
    after: dict[str, str],
) -> None:
    (files / "rows.csv").unlink()
    harness = in_names(files, tmp_path / "home")
    for path, text in changed.items():
        (files / path).parent.mkdir(exist_ok=True)
        (files / path).write_text(text) if text is not None else (files / path).unlink()
    before = held(files)
    assert harness.advance() == RunState.WAITING
    assert held(files) == before
    spec = harness.spec()
    assert {file["path"]: file["choices"] for file in spec["about"]["files"]} == paths
    assert answered(harness, **answers) == RunState.DONE
    assert held(files) == after
    harness.close()


def restored(folder: Path) -> None:
    (folder / "rows.csv").write_text("a\n0\n")


def changed_again(folder: Path) -> None:
    (folder / "rows.csv").write_text("a\n7\n")


@pytest.mark.parametrize("state", [restored, changed_again, gone])
@pytest.mark.parametrize("verdict", ["reject", "return"])
def test_the_verdict_counts_whatever_lies_on_disk(
    files: Path, tmp_path: Path, verdict: str, state: Callable[[Path], None]
) -> None:
    harness = in_conflict(files, tmp_path / "home")
    (harness.reject if verdict == "reject" else harness.send_back)("not like this")
    state(files)
    before = held(files)
    ended = harness.advance()
    assert held(files) == before
    if verdict == "reject":
        assert ended == RunState.DONE
        assert harness.result() == {"verdict": "rejected", "by": "user:test", "comment": "not like this"}
    else:
        assert harness.gate()["kind"] == "failure"  # nobody caught Returned
    harness.close()


@pytest.mark.parametrize("choice", ["keep", "use"])
def test_another_folder_in_its_place(files: Path, tmp_path: Path, choice: str) -> None:
    harness = Harness(files, home=tmp_path / "home")
    harness.start(two_files)
    harness.advance()
    harness.approve()
    files.rename(tmp_path / "moved")
    files.mkdir()
    (files / "rows.csv").write_text("a\n0\n")
    assert harness.advance() == RunState.WAITING
    gate = harness.gate()
    assert gate["title"] == "Your folder is another one than the one that was approved. Nothing has been written."
    assert [(field["name"], field["choices"]) for field in harness.spec()["fields"]] == [("choice", ["keep", "use"])]
    with pytest.raises(WrongAnswer, match="has to be said"):
        harness.answer()
    assert answered(harness, choice=choice) == RunState.DONE
    used = {"out.txt": "new", "rows.csv": "a\n0\n1\n"}
    assert held(files) == (used if choice == "use" else {"rows.csv": "a\n0\n"})
    assert held(tmp_path / "moved") == {"rows.csv": "a\n0\n"}
    harness.close()


def test_a_workflow_can_look_again_by_itself(files: Path, tmp_path: Path) -> None:
    harness = Harness(files, home=tmp_path / "home")
    harness.start(looks_again)
    harness.advance()
    first = harness.gate()
    harness.approve()
    (files / "out.txt").write_text("somebody's")
    assert harness.advance() == RunState.WAITING
    assert seals.of_gate(harness.database.reader, first["gate_id"])[0]["spent_at_path"] == ""
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


@pytest.mark.parametrize(
    "point", ["after_claim", "after_intent", "after_blob", "after_journal", "after_each_file", "after_perform"]
)
def test_crash_anywhere_around_the_answer(files: Path, tmp_path: Path, point: str) -> None:
    harness = in_conflict(files, tmp_path / "home")
    harness.answer(choice="both")
    harness.crash_at(point)
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.DONE
    assert held(files) == {"out.txt": "new", "rows.csv": "a\n0\nsomebody\n", "rows (run 1).csv": "a\n1\n"}
    assert [row["state"] for row in harness.gates(GateState.DECIDED)] == ["decided", "decided"]
    harness.close()


def test_crash_before_the_gate_is_told(files: Path, tmp_path: Path) -> None:
    harness = Harness(files, home=tmp_path / "home")
    harness.start(two_files)
    harness.advance()
    harness.approve()
    (files / "rows.csv").write_text("a\n9\n")
    harness.crash_at("after_gate")
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.WAITING
    assert len(harness.gates()) == 1
    assert answered(harness, choice="use") == RunState.DONE
    assert (files / "rows.csv").read_text() == "a\n9\n1\n"
    harness.close()
