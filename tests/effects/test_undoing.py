"""What a run did to files is put back: whole, file by file refused with its reason, and carried on after a kill at every act."""

import itertools
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from counterfoil import (
    Effect,
    Params,
    append_rows,
    approve,
    delete_files,
    make_folders,
    move_files,
    workflow,
    write_file,
)
from counterfoil.effects.undoing import put_back, written_plan
from counterfoil.engine.ports import Conflict
from counterfoil.errors import NothingToUndo, UndoRefused
from counterfoil.facts import RunState
from counterfoil.inbox.undoing import ask_to_undo
from counterfoil.runner.undoing import carry_out, carry_out_here, expire
from counterfoil.store import file_ops, trail_rows, undoings
from counterfoil.testing import Harness
from counterfoil.views.undo_plan import undo_plan
from counterfoil.views.undoing import KEPT_FOR_US
from effects.sets import at_act, filled_with, folders, held, killed_in_a_child

OLD = {
    "ledger.csv": b"a\n0\n",
    "l.txt": b"L",
    "r.txt": b"R",
    "in/one.xml": b"1",
    "drop/x.txt": b"X",
    "notes": b"N",
    "run.sh": b"#!/bin/sh\n",
}


class Nothing(Params):
    pass


@workflow("everything")
async def everything(p: Nothing) -> None:
    first: list[Effect] = [
        append_rows("ledger.csv", [{"a": 1}], columns=["a"]),
        write_file("payments/r-1.xml", "<x/>"),
        move_files([("l.txt", "r.txt"), ("r.txt", "l.txt"), ("in/one.xml", "archive/one.xml"), ("notes", "notes/n")]),
        delete_files(["drop/x.txt", "drop"]),
        write_file("run.sh", "#!/bin/sh\n", executable=True),
        make_folders(["empty/inner"]),
    ]
    await (await approve("First", plan=first)).perform()
    second: list[Effect] = [
        append_rows("ledger.csv", [{"a": 2}], columns=["a"]),
        move_files([("archive/one.xml", "archive/2026/one.xml"), ("payments/r-1.xml", "sent/r-1.xml")]),
    ]
    await (await approve("Second", plan=second)).perform()


def done(folder: Path, home: Path) -> Harness:
    """The run, at its end."""
    filled_with(folder, OLD)
    harness = Harness(folder, home=home)
    harness.start(everything)
    for confirmed in ([5], []):
        harness.advance()
        harness.approve(confirmed=confirmed)
    assert harness.advance() == RunState.DONE
    return harness


@pytest.fixture
def harness(tmp_path: Path) -> Any:
    made = done(tmp_path / "files", tmp_path / "home")
    yield made
    made.close()


def undo(harness: Harness, *only: str) -> Any:
    """Ask, and carry it out."""
    wish = ask_to_undo(harness.database, harness.home, harness.run_id, "user:anna", only=only, comment="wrong month")
    carry_out(harness.database, harness.home)
    return undoings.get(harness.database.reader, wish["undo_id"])


def test_everything_is_as_it_was(harness: Harness) -> None:
    assert held(harness.workspace) != OLD
    wish = undo(harness)
    assert (wish["state"], wish["message"]) == ("done", "8 files are put back.")
    assert held(harness.workspace) == OLD
    assert folders(harness.workspace) == {"in", "drop"}
    assert (harness.workspace / "run.sh").stat().st_mode & 0o111 == 0
    assert {row["state"] for row in file_ops.of_run(harness.database.reader, harness.run_id)} == {"undone"}
    kinds = [row["kind"] for row in trail_rows.entries(harness.database.reader)]
    assert [kind for kind in kinds if kind.startswith("und")] == ["undo_asked", "undone"]
    asked = next(row for row in trail_rows.entries(harness.database.reader) if row["kind"] == "undo_asked")
    assert json.loads(asked["after"])["comment"] == "wrong month"
    with pytest.raises(NothingToUndo, match="was undone by Anna at"):
        undo(harness)


def test_a_file_that_changed_since_stops_it_and_the_others_can_be_put_back(harness: Harness) -> None:
    (harness.workspace / "ledger.csv").write_bytes(b"a\n0\n1\n2\n3\n")
    before = held(harness.workspace)
    with pytest.raises(
        UndoRefused, match=r"ledger\.csv was changed at \d\d:\d\d\. The other 7 files can be put back\."
    ):
        undo(harness)
    with pytest.raises(UndoRefused, match=r"ledger\.csv was changed"):
        undo(harness, "ledger.csv")
    assert held(harness.workspace) == before
    assert undo(harness, ".")["state"] == "done"
    assert held(harness.workspace) == {**OLD, "ledger.csv": b"a\n0\n1\n2\n3\n"}


def test_one_file_alone_and_then_the_rest(harness: Harness) -> None:
    assert undo(harness, "ledger.csv")["message"] == "1 file is put back."
    assert held(harness.workspace)["ledger.csv"] == OLD["ledger.csv"]
    assert (harness.workspace / "sent/r-1.xml").exists()
    assert undo(harness)["message"] == "7 files are put back."
    assert held(harness.workspace) == OLD


def test_files_that_changed_places_go_back_together(harness: Harness) -> None:
    wish = undo(harness, "l.txt")
    assert sorted(json.loads(wish["paths"])) == ["l.txt", "r.txt"]
    assert (harness.workspace / "l.txt").read_bytes() == b"L"


def test_a_name_that_is_taken_is_never_overwritten(harness: Harness) -> None:
    (harness.workspace / "drop").mkdir()
    (harness.workspace / "drop/x.txt").write_bytes(b"theirs")
    with pytest.raises(UndoRefused, match=r"Something else is at drop/x\.txt by now"):
        undo(harness)
    assert (harness.workspace / "drop/x.txt").read_bytes() == b"theirs"


def test_a_folder_that_holds_something_new_stays(harness: Harness) -> None:
    (harness.workspace / "empty/inner/theirs.txt").write_bytes(b"theirs")
    assert undo(harness)["state"] == "done"
    assert held(harness.workspace) == {**OLD, "empty/inner/theirs.txt": b"theirs"}


def test_what_changes_between_the_wish_and_the_act_refuses_all_of_it(harness: Harness) -> None:
    wish = ask_to_undo(harness.database, harness.home, harness.run_id, "user:anna")
    (harness.workspace / "l.txt").write_bytes(b"edited")
    before = held(harness.workspace)
    carry_out(harness.database, harness.home)
    ended = undoings.get(harness.database.reader, wish["undo_id"])
    assert ended["state"] == "refused"
    assert ended["message"].startswith("l.txt was changed")
    assert held(harness.workspace) == before


def test_a_wish_is_asked_once(harness: Harness) -> None:
    first = ask_to_undo(harness.database, harness.home, harness.run_id, "user:anna")
    again = ask_to_undo(harness.database, harness.home, harness.run_id, "user:ben")
    assert again["undo_id"] == first["undo_id"]
    assert carry_out_here(harness.database, harness.home)
    assert held(harness.workspace) == OLD


def test_after_thirty_days_nothing_is_kept(harness: Harness) -> None:
    stores = [path for path in harness.home.undo.iterdir() if path.is_dir()]
    now = harness.clock.now_us()
    expire(harness.database, harness.home, now + KEPT_FOR_US - 1_000_000)
    assert all(path.exists() for path in stores)
    expire(harness.database, harness.home, now + KEPT_FOR_US + 60_000_000)
    assert not any(path.exists() for path in stores)
    with pytest.raises(UndoRefused, match="is not kept any more"):
        undo(harness)


class Undone:
    """One run and what it takes to put it back, had again for every kill."""

    def __init__(self, folder: Path) -> None:
        harness = done(folder / "files", folder / "home")
        self.workspace, self.home = harness.workspace, harness.home
        with harness.database.snapshot() as conn:
            plan = undo_plan(conn, self.home, harness.run_id)
        paths = [path for unit in plan.units for path in unit.paths]
        self.text = written_plan(plan, paths, self.home, str(self.workspace))
        harness.close()
        self.kept = {place: folder / f"{place.name}.kept" for place in (self.workspace, self.home.undo)}
        for place, kept in self.kept.items():
            shutil.copytree(place, kept)

    def again(self) -> None:
        """Folder and store as the run left them; the folder itself stays the one that it was."""
        for place, kept in self.kept.items():
            for inner in place.iterdir():
                shutil.rmtree(inner) if inner.is_dir() else inner.unlink()
            shutil.copytree(kept, place, dirs_exist_ok=True)

    def put_back(self) -> None:
        """Put back what is left to be put back."""
        put_back(self.text, self.home, str(self.workspace), "u" * 32)

    def killed(self, number: int, *, after: bool) -> bool:
        """The same in a process that ends at its n-th act; whether it did."""
        return killed_in_a_child(self.put_back, at_act(number, after=after))


@pytest.fixture(scope="module")
def undone(tmp_path_factory: pytest.TempPathFactory) -> Undone:
    """A run that has ended."""
    return Undone(tmp_path_factory.mktemp("undone"))


def test_killed_at_every_act_it_is_carried_on(undone: Undone) -> None:
    landed = 0
    for number in itertools.count(1):
        undone.again()
        was_killed = undone.killed(number, after=number % 2 == 0)
        undone.put_back()
        assert held(undone.workspace) == OLD, number
        assert folders(undone.workspace) == {"in", "drop"}, number
        landed += was_killed
        if not was_killed:
            break
    assert landed > 25


def test_killed_and_then_met_by_a_stranger_it_is_wholly_not(undone: Undone) -> None:
    refused = 0
    for number in range(1, 40, 4):
        undone.again()
        undone.killed(number, after=True)
        notes = list((undone.home.undo / ("u" * 32)).glob("set-*.json"))
        complete = any(json.loads(note.read_bytes())["complete"] for note in notes)
        (undone.workspace / "ledger.csv").write_bytes(b"theirs")
        if complete:
            undone.put_back()
            assert held(undone.workspace) == {**OLD, "ledger.csv": b"theirs"}
        else:
            with pytest.raises(Conflict):
                undone.put_back()
            found = held(undone.workspace)
            assert found.pop("ledger.csv") == b"theirs"
            assert found == {
                "archive/2026/one.xml": b"1",
                "sent/r-1.xml": b"<x/>",
                "l.txt": b"R",
                "r.txt": b"L",
                "notes/n": b"N",
                "run.sh": b"#!/bin/sh\n",
            }
            refused += 1
    assert refused > 3
