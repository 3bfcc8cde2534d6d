"""A data folder that was copied, moved or restored opens paused: what was approved in it is not done once more by itself."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.note_template import write_template
from cli.speaking import caller
from counterfoil.catalogue.loading import load_workflow
from counterfoil.errors import EverythingPaused
from counterfoil.inbox.pausing import pause_everything, paused, refuse_paused, resume_everything
from counterfoil.places import Home
from counterfoil.runner.running import Runner
from counterfoil.runner.whereabouts import settle
from counterfoil.store import standing, trail_rows
from counterfoil.store.database import Database, open_database
from counterfoil.testing import Harness

LAST = 1_795_000_000_000_000


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A data folder that a runner has worked on."""
    made = Home(tmp_path / "home").create()
    database = open_database(made)
    assert settled(database, made) is False
    database.close()
    return made


@pytest.fixture
def copied(home: Home, tmp_path: Path) -> Iterator[tuple[Database, Home]]:
    """A copy of it."""
    shutil.copytree(home.root, tmp_path / "copy")
    there = Home(tmp_path / "copy")
    database = open_database(there)
    yield database, there
    database.close()


def settled(database: Database, home: Home) -> bool:
    return database.transact(lambda txn: settle(txn, home, LAST))


def test_a_folder_that_stays_or_is_renamed_is_the_same(home: Home, tmp_path: Path) -> None:
    for place in (home.root, home.root.rename(tmp_path / "renamed")):
        there = Home(tmp_path / "renamed")
        assert place.name in ("home", "renamed")
        database = open_database(there)
        assert settled(database, there) is False
        assert paused(database.reader) is None
        database.close()


def test_a_copy_holds_everything_once_and_says_why(copied: tuple[Database, Home]) -> None:
    database, there = copied
    assert settled(database, there) is True
    with pytest.raises(
        EverythingPaused, match=r"by the runner.* This data folder was copied, moved or restored\. It was last"
    ):
        refuse_paused(database.reader)
    newest = list(trail_rows.stream(database.reader))[-1]
    assert newest["summary"].endswith(
        "0 runs are under way and 0 schedules are on; nothing starts or goes on until somebody has looked."
    )
    assert database.transact(lambda txn: resume_everything(txn, "user:anna")) is True
    assert settled(database, there) is False  # it lies where it lies now
    assert paused(database.reader) is None


def test_a_pause_of_somebody_stays_theirs(copied: tuple[Database, Home]) -> None:
    database, there = copied
    database.transact(lambda txn: pause_everything(txn, "user:anna"))
    assert settled(database, there) is False
    row = paused(database.reader)
    assert row is not None
    assert row["by"] == "user:anna"


def test_the_file_that_an_update_has_put_in_its_place_is_no_copy(home: Home) -> None:
    database = open_database(home)
    here = standing.value_of(standing.get(database.reader, standing.PLACE))
    older = {**here, "schema": here["schema"] - 1, "file": here["file"] + 1}
    database.transact(lambda txn: standing.put(txn, standing.PLACE, older, "runner"))
    assert settled(database, home) is False
    restored = {**here, "file": here["file"] + 1}
    database.transact(lambda txn: standing.put(txn, standing.PLACE, restored, "runner"))
    assert settled(database, home) is True
    database.close()


def test_what_was_approved_is_not_done_in_a_copy_by_itself(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    workflow = load_workflow(write_template(folder), "note")
    harness = Harness(folder, home=tmp_path / "home")
    harness.start(workflow, text="hello")
    assert harness.advance() == "waiting"
    settled(harness.database, Home(tmp_path / "home"))
    harness.approve()
    harness.close()
    shutil.copytree(tmp_path / "home", tmp_path / "copy")
    before = sorted(str(path) for path in folder.rglob("*"))
    there = Home(tmp_path / "copy")
    database = open_database(there)
    runner = Runner(database, there)
    runner.run_until_idle()
    assert runner.advanced == {}
    assert sorted(str(path) for path in folder.rglob("*")) == before
    assert paused(database.reader) is not None
    database.close()


def test_the_command_says_why_it_does_nothing(
    copied: tuple[Database, Home], capsys: pytest.CaptureFixture[str]
) -> None:
    _, there = copied
    call = caller(capsys, there.root)
    refused = call("runner", "--until-idle")
    assert refused.code != 0
    assert "This data folder was copied, moved or restored." in refused.err
    assert call("runner", "resume").code == 0
    assert call("runner", "--until-idle").code == 0
