"""An earlier database that was written over the later one, in whatever way, is noticed; a kill, a power cut and a new database are none."""

import asyncio
import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cli.note_template import write_template
from counterfoil.catalogue.loading import load_workflow
from counterfoil.inbox.pausing import pause_everything, pause_sentence, paused, resume_everything
from counterfoil.places import Home
from counterfoil.runner import high_water
from counterfoil.runner.running import Runner
from counterfoil.runner.tenure import Tenure
from counterfoil.store import standing, trail_rows
from counterfoil.store.database import Database, open_database
from counterfoil.store.writer import Writer
from counterfoil.testing import Harness

SIDE_FILES = ("-wal", "-shm")


@contextlib.contextmanager
def working(home: Home) -> Iterator[Database]:
    """A runner's time in a home."""
    database = open_database(home)
    tenure = Tenure(database, home)
    tenure.begin()
    yield database
    tenure.end()
    database.close()


def entry(database: Database) -> None:
    """Let the trail have one more entry at least; everything goes on afterwards."""
    database.transact(lambda txn: pause_everything(txn, "user:anna"))
    database.transact(lambda txn: resume_everything(txn, "user:anna"))


def overwrite(target: Path, source: Path) -> None:
    """As a plain copy does: the file stays the one it is."""
    before = target.stat().st_ino
    target.write_bytes(source.read_bytes())
    assert target.stat().st_ino == before


def marks(home: Home) -> list[str]:
    return sorted(path.name for path in home.run.glob("trail-*"))


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home that a runner has worked in."""
    made = Home(tmp_path / "home").create()
    with working(made) as database:
        entry(database)
    return made


def database_alone(home: Home, aside: Path) -> Callable[[], None]:
    with contextlib.closing(sqlite3.connect(home.database)) as source, contextlib.closing(sqlite3.connect(aside)) as to:
        source.backup(to)
    return lambda: overwrite(home.database, aside)


def with_its_side_files(home: Home, aside: Path) -> Callable[[], None]:
    """As it was copied while it was open."""
    aside.mkdir()
    with working(home) as database:
        entry(database)
        files = [home.database.with_name(home.database.name + suffix) for suffix in ("", *SIDE_FILES)]
        assert all(file.stat().st_size for file in files)
        for file in files:
            shutil.copy(file, aside)

    def restore() -> None:
        overwrite(home.database, aside / home.database.name)
        for suffix in SIDE_FILES:
            shutil.copy(aside / (home.database.name + suffix), home.root)

    return restore


def the_whole_folder(home: Home, aside: Path) -> Callable[[], None]:
    """With the mark of its time."""
    shutil.copytree(home.root, aside)

    def restore() -> None:
        for source in aside.rglob("*"):
            target = home.root / source.relative_to(aside)
            if source.is_file():
                overwrite(target, source) if target.exists() else shutil.copy(source, target)

    return restore


@pytest.mark.parametrize("backup", [database_alone, with_its_side_files, the_whole_folder])
def test_an_earlier_database_in_the_place_of_the_later_is_held_once(
    home: Home, tmp_path: Path, backup: Callable[[Home, Path], Callable[[], None]]
) -> None:
    restore = backup(home, tmp_path / "aside")
    with working(home) as database:
        entry(database)
        assert paused(database.reader) is None
    assert len(marks(home)) == 1
    restore()
    with working(home) as database:
        said = pause_sentence(database.reader)
        assert (
            "The database of this data folder was restored, or has lost what was written to it last: its trail" in said
        )
        assert " and had come to entry " in said
        assert "0 runs are under way and 0 schedules are on; nothing starts or goes on" in said
        assert database.transact(lambda txn: resume_everything(txn, "user:anna")) is True
    with working(home) as database:
        assert paused(database.reader) is None, "it was looked at"


def test_what_was_done_is_not_done_again_from_a_restored_database(tmp_path: Path) -> None:
    folder, home = tmp_path / "files", Home(tmp_path / "home")
    folder.mkdir()
    harness = Harness(folder, home=home.root)
    harness.start(load_workflow(write_template(folder), "note"), text="hello")
    assert harness.advance() == "waiting"
    with working(home):
        harness.approve()
    harness.database.close()
    restore = database_alone(home, tmp_path / "aside")
    before = set(folder.rglob("*"))
    assert harness.advance() == "done"
    harness.close()
    with working(home):
        pass
    [written] = set(folder.rglob("*")) - before
    written.unlink()  # somebody has put it elsewhere
    restore()
    database = open_database(home)
    runner = Runner(database, home)
    runner.run_until_idle()
    assert runner.advanced == {}
    assert not written.exists()
    assert paused(database.reader) is not None
    database.close()


@pytest.mark.expects_log("how far the trail has come could not be marked")
def test_what_a_kill_leaves_is_no_alarm(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def not_held() -> None:
        with working(home) as database:
            assert paused(database.reader) is None
            entry(database)

    with monkeypatch.context() as patch:  # killed before the mark, or no room for it
        patch.setattr(high_water, "keep", lambda *_: (_ for _ in ()).throw(OSError("full")))
        not_held()
    not_held()
    with monkeypatch.context() as patch:  # killed before the mark that went before is gone
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        not_held()
    assert len(marks(home)) == 2
    not_held()
    assert len(marks(home)) == 1
    for torn in (b"", b"0" * 40, b"\xff" * 80):  # killed in the middle of the next
        (home.run / "trail-900").write_bytes(torn)
        not_held()
        assert len(marks(home)) == 1
    for path in home.run.glob("trail-*"):
        path.unlink()
    not_held()


def test_a_database_that_begins_anew_is_no_restored_one(home: Home) -> None:
    for suffix in ("", *SIDE_FILES):
        home.database.with_name(home.database.name + suffix).unlink(missing_ok=True)
    database = open_database(home)
    tenure = Tenure(database, home)
    tenure.begin()
    assert paused(database.reader) is None
    assert marks(home) == []
    entry(database)
    tenure.lease.release()  # and nothing more: killed before there is another mark
    database.close()
    with working(home) as database:
        assert paused(database.reader) is None


def test_one_of_before_the_first_runner_is_a_restored_one(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").create()
    database = open_database(home)
    entry(database)
    database.close()
    restore = database_alone(home, tmp_path / "aside")
    with working(home) as database:
        assert paused(database.reader) is None
        entry(database)
    restore()
    with working(home) as database:
        assert paused(database.reader) is not None


def test_a_database_that_an_update_has_migrated_has_its_trail(home: Home, tmp_path: Path) -> None:
    with working(home) as database:
        here = standing.value_of(standing.get(database.reader, standing.PLACE))
        older = {**here, "schema": here["schema"] - 1}
        database.transact(lambda txn: standing.put(txn, standing.PLACE, older, "runner"))
    migrated, backup = home.database.with_name("new.db"), tmp_path / "backup.db"
    database_alone(home, migrated)
    shutil.copy(migrated, backup)
    migrated.replace(home.database)
    with working(home) as database:
        assert paused(database.reader) is None
        entry(database)
    backup.replace(home.database)  # a backup of before the update
    with working(home) as database:
        assert paused(database.reader) is not None


def test_a_mark_waits_for_the_disk_and_nothing_waits_without_one(home: Home) -> None:
    database = open_database(home)
    tenure = Tenure(database, home)
    tenure.begin()
    writer = Writer(database)

    async def renewed_after(*, entries: int) -> int:
        for _ in range(entries):
            append = {"by": "runner", "kind": "runner", "subject": "home", "summary": "a claim"}
            await writer.submit(lambda txn, append=append: trail_rows.append(txn, **append), durable=False)  # type: ignore[misc]
        before = writer.syncs
        assert await tenure.renew_once(writer) is True
        newest = trail_rows.newest(database.reader)
        assert newest is not None
        assert marks(home) == [f"trail-{newest['seq']}"]
        return writer.syncs - before

    async def three() -> list[int]:
        return [await renewed_after(entries=0), await renewed_after(entries=2), await renewed_after(entries=0)]

    assert asyncio.run(three()) == [0, 1, 0]
    writer.close()
    tenure.end()
    database.close()


def test_a_runner_that_is_no_longer_the_one_of_its_home_marks_nothing(home: Home) -> None:
    with working(home) as database:
        late = Tenure(database, home)
        late.lease.holder = "somebody"  # as one whose computer slept while another took over
        entry(database)
        before = marks(home)
        late.end()
        assert marks(home) == before
