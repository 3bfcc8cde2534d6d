"""Opening the one database: made, migrated, refused; how it is set up (DESIGN 4; STYLE habit 11)."""

import contextlib
import importlib
import os
import pkgutil
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from counterfoil import store
from counterfoil.errors import NewerDatabase, StoreTrouble
from counterfoil.places import Home, alone
from counterfoil.store import database as database_module
from counterfoil.store import runs, tables
from counterfoil.store.database import APPLICATION, SCHEMA, Database, filesystem_of, open_database
from counterfoil.store.migrating import migrate
from store.conftest import new_run, scalar


def schema_of(path: Path) -> list[tuple[Any, ...]]:
    """What SQLite knows of a file's tables: names, columns with their types and defaults, indexes, constraints."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        names = raw.execute(
            "SELECT type, name, tbl_name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name != 'alembic_version' "
            "AND tbl_name != 'alembic_version' ORDER BY 1, 2"
        ).fetchall()
        found: list[tuple[Any, ...]] = []
        for kind, name, table in names:
            found.append((kind, name, table))
            if kind == "table":
                found += [(name, *row[1:]) for row in raw.execute(f"PRAGMA table_xinfo({name})")]
                found += sorted(
                    (name, "->", row[2], row[3], row[4]) for row in raw.execute(f"PRAGMA foreign_key_list({name})")
                )
                found += sorted(
                    (name, "unique", row[2], row[3], row[4]) for row in raw.execute(f"PRAGMA index_list({name})")
                )
            if kind == "index":
                sql = raw.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()[0]
                found.append((name, " ".join((sql or "").split())))
        return found


def checks_of(path: Path) -> dict[str, list[str]]:
    """The CHECK constraints of each table, as written."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        rows = raw.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        name: sorted(part.partition(")")[0].replace(" ", "") for part in sql.split("CHECK (")[1:])
        for name, sql in rows
        if name != "alembic_version"
    }


def test_what_migrations_make_is_what_the_tables_declare(tmp_path: Path, home: Home) -> None:
    scratch = tmp_path / "scratch.db"
    engine = sa.create_engine(f"sqlite:///{scratch}")
    for module in pkgutil.iter_modules(store.__path__, "counterfoil.store."):  # some bring tables of their own
        importlib.import_module(module.name)
    tables.metadata.create_all(engine)
    engine.dispose()
    assert schema_of(home.database) == schema_of(scratch)
    assert checks_of(home.database) == checks_of(scratch)
    assert any(checks_of(scratch).values())


def test_threads_that_open_a_fresh_home_at_once_make_one_database(tmp_path: Path) -> None:
    home = Home(tmp_path / "fresh")
    with ThreadPoolExecutor(4) as threads:
        opened = list(threads.map(lambda _: open_database(home), range(4)))
    for one in opened:
        assert scalar(one, "PRAGMA user_version") == SCHEMA
        one.close()
    assert not list(home.root.glob("*.new*"))


def test_a_fresh_file_is_marked_as_ours_and_set_up_to_last(database: Database) -> None:
    assert scalar(database, "PRAGMA application_id") == APPLICATION
    assert scalar(database, "PRAGMA user_version") == SCHEMA
    assert scalar(database, "PRAGMA journal_mode") == "wal"
    assert scalar(database, "PRAGMA synchronous") == 2  # FULL
    assert scalar(database, "PRAGMA foreign_keys") == 1


def test_a_newer_database_is_refused_with_both_versions_named(database: Database) -> None:
    with database.connect() as conn:
        conn.exec_driver_sql("PRAGMA user_version=99")
    before = database.home.database.read_bytes()
    with pytest.raises(NewerDatabase, match=f"data version 99.*this one knows {SCHEMA}") as refused:
        open_database(database.home)
    assert "newer program" in refused.value.next_step
    assert database.home.database.read_bytes() == before


@pytest.mark.parametrize(
    "content", [b"not a database at all, but long enough to be read as one " * 50, b"x", b"SQLite format 3\0"]
)
def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path, content: bytes) -> None:
    home = Home(tmp_path).create()
    home.database.write_bytes(content)
    with pytest.raises(StoreTrouble, match=r"counterfoil\.db"):
        open_database(home)
    assert home.database.read_bytes() == content


def test_opening_keeps_the_locks_of_a_connection_that_is_there(home: Home) -> None:
    """A process that closes the file by itself loses all its locks, and the next writer takes its log away from under it."""
    writes = (
        "import sqlite3, sys; raw = sqlite3.connect(sys.argv[1]); raw.execute('CREATE TABLE seen (id)'); raw.close()"
    )
    with contextlib.closing(sqlite3.connect(home.database)) as looks:
        looks.execute("PRAGMA journal_mode=WAL")
        before = looks.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        open_database(home).close()
        subprocess.run([sys.executable, "-c", writes, home.database], check=True)
        assert looks.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == before + 1
        assert home.database.with_name("counterfoil.db-wal").exists()


@pytest.mark.parametrize("version", [0, 1, 7])
def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path, version: int) -> None:
    home = Home(tmp_path).create()
    with contextlib.closing(sqlite3.connect(home.database)) as raw:
        raw.execute("CREATE TABLE stamps (id INTEGER)")
        raw.execute(f"PRAGMA user_version={version}")
        raw.commit()
    before = home.database.read_bytes()
    with pytest.raises(StoreTrouble, match="another program"):
        open_database(home)
    assert home.database.read_bytes() == before


def test_an_empty_file_is_filled(tmp_path: Path) -> None:
    home = Home(tmp_path).create()
    home.database.touch()
    made = open_database(home)
    assert scalar(made, "PRAGMA user_version") == SCHEMA
    made.close()


OPENS = """
import sys
from pathlib import Path
from counterfoil.places import Home
from counterfoil.store.database import open_database
from store.conftest import new_run
made = open_database(Home(Path(sys.argv[1])))
print(made.transact(new_run))
made.close()
"""


def test_processes_that_open_a_fresh_home_at_once_get_one_database(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    command = [sys.executable, "-c", OPENS, str(home.root)]
    folders = os.pathsep.join(path for path in sys.path if path)
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": folders}) for _ in range(3)
    ]
    found = [process.communicate()[0].strip() for process in started]
    made = open_database(home)
    assert sorted(found) == sorted(row["run_id"] for row in runs.page(made.reader))
    assert sorted(row["number"] for row in runs.page(made.reader)) == [1, 2, 3]
    made.close()
    assert [file.name for file in home.root.glob("*.new*")] == []


def test_a_file_that_another_brings_into_wal_is_waited_for(database: Database) -> None:
    """A fresh file, or a backup that was put back, opened by two processes at once: SQLite refuses the second without waiting."""
    database.close()
    with contextlib.closing(sqlite3.connect(database.home.database, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=DELETE")
        other.execute("BEGIN IMMEDIATE")
        with (
            contextlib.closing(sqlite3.connect(database.home.database)) as second,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            second.execute("PRAGMA journal_mode=WAL")
        with ThreadPoolExecutor(1) as threads:
            opened = threads.submit(lambda: scalar(database, "PRAGMA journal_mode"))
            with pytest.raises(TimeoutError):
                opened.result(0.3)
            other.execute("COMMIT")
            assert opened.result() == "wal"


def test_a_file_that_stays_locked_is_told_in_words(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    database.close()
    monkeypatch.setattr(database_module, "BUSY_MS", 50)
    with contextlib.closing(sqlite3.connect(database.home.database, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode=DELETE")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreTrouble, match="locked by another program"):
            database.connect()


def test_a_migration_keeps_the_old_file_aside_and_everything_in_the_new_one(database: Database) -> None:
    run_id = database.transact(new_run)
    database.close()
    path = database.home.database
    assert path.with_name(path.name + "-wal").exists() or path.stat().st_size > 0
    migrate(path, SCHEMA, SCHEMA + 1, APPLICATION)
    aside = path.with_name(f"{path.name}.before-{SCHEMA + 1}")
    for file, version in ((path, SCHEMA + 1), (aside, SCHEMA)):
        with contextlib.closing(sqlite3.connect(file)) as raw:
            assert raw.execute("PRAGMA user_version").fetchone()[0] == version
            assert raw.execute("SELECT run_id FROM run").fetchone()[0] == run_id
    assert not path.with_name(path.name + "-wal").exists()


def test_of_two_processes_that_migrate_one_file_the_second_waits_and_finds_it_done(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where both replaced the file, what was written after the first had done so would be lost."""
    database.close()
    with contextlib.closing(sqlite3.connect(database.home.database)) as raw:
        raw.execute(f"PRAGMA user_version={SCHEMA - 1}")
    monkeypatch.setattr(database_module, "migrate", lambda *found: pytest.fail("migrated twice"))
    with ThreadPoolExecutor(1) as threads, alone(database.home.run / "migrating.lock"):
        opened = threads.submit(open_database, database.home)
        with pytest.raises(TimeoutError):
            opened.result(0.3)
        migrate(database.home.database, SCHEMA - 1, SCHEMA, APPLICATION)
    opened.result().close()


def test_a_migration_waits_for_nobody_and_harms_nobody_who_has_the_file_open(database: Database) -> None:
    run_id = database.transact(new_run)
    reader = sqlite3.connect(database.home.database, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM run").fetchall()
    with pytest.raises(StoreTrouble, match="another program has it open"):
        migrate(database.home.database, SCHEMA, SCHEMA + 1, APPLICATION)
    reader.close()
    assert runs.get(database.reader, run_id)["state"] == "ready"
    assert scalar(database, "PRAGMA user_version") == SCHEMA
    assert [file.name for file in database.home.root.glob("*.new*")] == []


def test_a_network_drive_is_refused_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "filesystem_of", lambda folder: "nfs4")
    with pytest.raises(StoreTrouble, match=r"network drive \(nfs4\)"):
        open_database(Home(tmp_path / "home"))
    assert not (tmp_path / "home").exists()


def test_the_file_system_of_a_folder_is_the_nearest_mount() -> None:
    assert filesystem_of(Path("/proc/self")) in ("proc", "")


@pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may write everywhere")
def test_a_home_that_may_not_be_written(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    with pytest.raises(StoreTrouble, match="cannot be made: this account may not write in"):
        open_database(Home(locked / "home"))


def test_a_home_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(StoreTrouble, match="is no folder, so it cannot be the data folder"):
        open_database(Home(tmp_path / "home"))


def test_reads_in_a_snapshot_see_one_moment(database: Database) -> None:
    database.transact(new_run)
    with database.snapshot() as conn:
        before = len(runs.page(conn))
        database.transact(new_run)
        assert len(runs.page(conn)) == before
    assert len(runs.page(database.reader)) == before + 1


def test_an_operation_that_raises_leaves_nothing(database: Database) -> None:
    def operation(txn: Any) -> None:
        new_run(txn)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        database.transact(operation)
    assert runs.page(database.reader) == []
