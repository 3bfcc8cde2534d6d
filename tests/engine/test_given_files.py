"""“Use another file…”: a file of the computer that takes the place of one that a failed step had read, in the run's copy only.

| what | test |
|---|---|
| the step reads it, the folder is not touched, and everybody hears of it | test_the_step_is_tried_again_with_what_was_given |
| a crash at any point from the decision on | test_a_crash_at_any_point_keeps_what_was_given |
| a stage that is lost, a folder that changes later | test_it_outlives_the_stage_and_what_is_saved_later |
| it is no change by the run; what the run makes of it is one | test_it_is_no_change_by_the_run |
| what is approved at its path is what the run sees from then on | test_what_is_approved_there_is_seen_again |
| which files are offered | test_what_is_offered, test_a_child_process_tells_what_it_read, test_settings_that_cannot_be_read_offer_nothing |
| a host that lies about what it read | test_lies_about_what_was_read |
| what cannot take its place | test_what_cannot_take_its_place |
"""

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from counterfoil import approve, changes, files, parallel, step, workflow, write_file
from counterfoil.engine import given_files, staging
from counterfoil.engine.holding import Breach
from counterfoil.errors import WrongAnswer
from counterfoil.facts import RunState
from counterfoil.stage.manifest import layout_of
from counterfoil.store import stage_rows
from counterfoil.testing import Crashed, Harness
from counterfoil.views.evidence import evidence_of
from engine.doing import Nothing
from engine.power_cut import PowerCut

NAME = "statement-nov.csv"
NEW = b"\n3\n4\n"


@step
def total(path: str) -> int:
    rows = files().read(path).decode().splitlines()
    if rows[0] != "Amount":
        raise ValueError("the column ‘Amount’ is missing")
    return sum(map(int, rows[1:]))


@step
def told(path: str) -> str:
    return files().read(path).decode()


@workflow("books")
async def books(p: Nothing) -> list[Any]:
    found = await total(NAME)
    await approve("Book it")
    return [found, await told(NAME)]


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A file somewhere on this computer."""
    place = tmp_path / "statement-nov-fixed.csv"
    place.write_text("Amount\n3\n4\n")
    return place


def begun(office: Harness, flow: Any = books) -> None:
    """A run whose first step cannot read the team's file."""
    (office.workspace / NAME).write_text("Sum\n1\n")
    office.start(flow)
    assert office.advance() == RunState.WAITING


def test_the_step_is_tried_again_with_what_was_given(office: PowerCut, other: Path) -> None:
    begun(office)
    gate = office.gate()
    assert gate["title"] == f"Needs repair: total {NAME}"
    assert office.spec()["about"]["files"] == [NAME]
    office.answer(choice="retry", file=str(other))
    other.unlink()  # its bytes are kept
    assert office.advance() == RunState.WAITING
    assert (office.workspace / NAME).read_text() == "Sum\n1\n"
    record = next(one for one in office.records() if one["name"] == "total")
    assert (record["payload"], record["attempts"]) == ("7", 2)
    assert record["origin"].startswith("done with statement-nov-fixed.csv (seal ")
    assert record["origin"].endswith(f") in place of {NAME}, given by Test")
    entry = office.database.reader.exec_driver_sql("SELECT summary, after FROM trail WHERE kind = 'decision'").one()
    seal = record["origin"].split("(")[1].split(")")[0]
    assert f"Test gave statement-nov-fixed.csv ({seal}) in place of {NAME}" in entry[0]
    assert json.loads(entry[1])["answers"]["file"]["size"] == 11
    office.approve()
    assert office.advance() == RunState.DONE
    assert office.result() == [7, "Amount\n3\n4\n"]
    conn = office.database.reader
    pack = evidence_of(conn, office.blobs, office.home, office.run(), office.clock.now_us())
    assert f"kept/{sha256(b'Amount' + NEW).hexdigest()}" in [member.name for member in pack.members]


@pytest.mark.parametrize("point, visit", [("after_claim", 1), ("after_each_file", 1), ("after_record", 1)])
def test_a_crash_at_any_point_keeps_what_was_given(point: str, visit: int, office: PowerCut, other: Path) -> None:
    begun(office)
    office.answer(choice="retry", file=str(other))
    other.unlink()
    office.crash_at(point, visit)
    with pytest.raises(Crashed):
        office.advance()
    assert office.advance() == RunState.WAITING
    assert office.gate()["title"] == "Book it"
    [(kept, _gate)] = stage_rows.given_to(office.database.reader, office.run_id)
    assert (kept.change.file, kept.given) == (NAME, True)
    assert [one["attempts"] for one in office.records() if one["name"] == "total"] == [2]


def test_a_crash_between_its_row_and_the_tree_keeps_it(
    office: PowerCut, other: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cut(_: object) -> None:
        office._cut("before the tree has it")

    begun(office)
    office.answer(choice="retry", file=str(other))
    with monkeypatch.context() as patch:
        patch.setattr(staging, "merge", cut)
        with pytest.raises(Crashed):
            office.advance()
    assert office.advance() == RunState.WAITING
    assert (office.gate()["title"], len(stage_rows.given_to(office.database.reader, office.run_id))) == ("Book it", 1)


def test_it_outlives_the_stage_and_what_is_saved_later(office: PowerCut, other: Path) -> None:
    begun(office)
    office.answer(choice="retry", file=str(other))
    assert office.advance() == RunState.WAITING
    shutil.rmtree(layout_of(office.home, office.run_id).root)
    (office.workspace / NAME).write_text("Amount\n99\n")
    office.approve()
    assert office.advance() == RunState.DONE
    assert office.result() == [7, "Amount\n3\n4\n"]


@step
def rewrite(path: str) -> None:
    files().write(path, files().read(path) + b"5\n")


@workflow("makes")
async def makes(p: Nothing) -> list[int]:
    await total(NAME)
    first = await changes()
    await rewrite(NAME)
    done = await (await approve("Write", plan=await changes())).perform()
    return [len(first), len(done), len(await changes())]


def test_it_is_no_change_by_the_run(tmp_path: Path, other: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    office = Harness(workspace, home=tmp_path / "home")
    try:
        begun(office, makes)
        office.answer(choice="retry", file=str(other))
        assert office.advance() == RunState.WAITING
        [item] = office.spec()["plan"]
        assert (item["target"], item["before_digest"]) == (NAME, sha256(b"Sum\n1\n").hexdigest())
        office.approve()
        assert office.advance() == RunState.DONE
        assert office.result() == [0, 1, 0]
        assert (workspace / NAME).read_text() == "Amount\n3\n4\n5\n"
    finally:
        office.close()


def test_what_is_approved_there_is_seen_again(office: PowerCut, other: Path) -> None:
    @workflow("writes_back")
    async def writes_back(p: Nothing) -> str:
        await total(NAME)
        decision = await approve("Write", plan=[write_file(NAME, b"Amount\n1\n")])
        await decision.perform()
        return await told(NAME)

    begun(office, writes_back)
    office.answer(choice="retry", file=str(other))
    assert office.advance() == RunState.WAITING
    office.approve()
    assert office.advance() == RunState.DONE
    assert (office.result(), (office.workspace / NAME).read_text()) == ("Amount\n1\n", "Amount\n1\n")


@step
def strict(path: str) -> None:
    door = files()
    door.exists("only-asked-for.csv")
    door.read("in/a.csv")
    door.write("own.csv", b"1")
    door.read("own.csv")
    try:
        door.read(".env")
    except OSError:
        door.read(path)
    raise ValueError("no good")


@step
def makes_one() -> None:
    files().write("made.csv", b"1")


@step
def wants(path: str) -> str:
    (files().read("made.csv"))
    return files().read(path).decode()


def test_what_is_offered(office: PowerCut, tmp_path: Path) -> None:
    @workflow("several")
    async def several(p: Nothing) -> Any:
        await makes_one()
        return await parallel(strict("in/b=c.csv"), wants("absent.csv"))

    (office.workspace / "in").mkdir()
    for path in ("in/a.csv", "in/b=c.csv", ".env"):
        (office.workspace / path).write_text("x")
    office.start(several)
    assert office.advance() == RunState.WAITING
    one, two = sorted(office.gates(), key=lambda gate: gate["path"])  # side by side, whichever failed first
    assert office.spec(one)["about"]["files"] == ["in/b=c.csv", "in/a.csv"]
    assert office.spec(two)["about"]["files"] == [
        "absent.csv"
    ]  # what is not there can be given, what the run made cannot
    assert (one["title"], two["title"]) == ("Needs repair: strict", "Needs repair: wants absent.csv")
    place = tmp_path / "new.csv"
    place.write_text("here")
    with pytest.raises(WrongAnswer, match=r"2 files, so say which one is replaced: in/b=c\.csv, in/a\.csv"):
        office.answer(one, choice="retry", file=str(place))
    office.answer(one, choice="retry", file=f"in/b=c.csv={place}")
    office.answer(two, choice="retry", file=str(place))
    assert office.advance() == RunState.WAITING
    given = [kept.change.file for kept, _ in stage_rows.given_to(office.database.reader, office.run_id)]
    assert sorted(given) == ["absent.csv", "in/b=c.csv"]
    assert [one["payload"] for one in office.records() if one["name"] == "wants"] == ['"here"']
    office.answer(choice="stop")
    assert office.advance() == RunState.FAILED


@step(process=True)
def in_a_child() -> None:
    Path(files().read(NAME).decode())
    raise ValueError("no good")


def test_a_child_process_tells_what_it_read(office: PowerCut) -> None:
    @workflow("child")
    async def child(p: Nothing) -> None:
        await in_a_child()

    begun(office, child)
    assert office.spec()["about"]["files"] == [NAME]


def test_settings_that_cannot_be_read_offer_nothing(office: PowerCut) -> None:
    settings = office.workspace / ".counterfoil/workspace.toml"

    @step
    def breaks() -> None:
        files().read(NAME)
        settings.parent.mkdir()
        settings.write_text("[")
        raise ValueError("no good")

    @workflow("broken")
    async def broken(p: Nothing) -> None:
        await breaks()

    begun(office, broken)
    assert office.spec()["about"]["files"] == []
    assert "file" not in [field["name"] for field in office.spec()["fields"]]


@pytest.mark.parametrize("opened", ["a.csv", [1], ["a.csv"] * 51])
def test_lies_about_what_was_read(opened: Any) -> None:
    with pytest.raises(Breach):
        given_files.checked(opened)


def test_paths_off_the_grammar_are_left_away() -> None:
    assert given_files.checked(["../x", "/etc/passwd", "", "a//b", "x" * 501, "a\0b", "a.csv"]) == ["a.csv"]
    assert given_files.checked(None) == []


def test_what_cannot_take_its_place(office: PowerCut, other: Path, tmp_path: Path) -> None:
    begun(office)
    (tmp_path / "empty.csv").touch()
    (tmp_path / "link.csv").symlink_to(other)
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "sheet.xlsx").write_text("x")
    with (tmp_path / "big.csv").open("wb") as big:
        big.truncate(50 * 1024 * 1024 + 1)
    (tmp_path / "odd\u202e.txt").write_text("x")
    for name, why in {
        "empty.csv": "is empty",
        "link.csv": "is a link",
        "folder.csv": "is a folder",
        "pipe.csv": "is no regular file",
        "absent.csv": "is not there",
        "big.csv": "holds more than 50 MB",
        "sheet.xlsx": r"the step reads a \.csv file, and this is a \.xlsx file",
        "odd\u202e.txt": r"“odd\\u202e\.txt” cannot take the place",
    }.items():
        with pytest.raises(WrongAnswer, match=why):
            office.answer(choice="retry", file=str(tmp_path / name))
    with pytest.raises(WrongAnswer, match="to have the step tried again"):
        office.answer(choice="stop", file=str(other))
    with pytest.raises(WrongAnswer, match="No file is named"):
        office.answer(choice="retry", file=" ")
    assert office.gate()["state"] == "open"
    hostile = os.fsdecode(b"fixed-\xff.csv")
    shutil.copy(other, tmp_path / hostile)
    office.answer(choice="retry", file=str(tmp_path / hostile))
    assert office.advance() == RunState.WAITING
    record = next(one for one in office.records() if one["name"] == "total")
    assert record["origin"].startswith("done with fixed-\\udcff.csv (seal ")
