"""What tests of the store share: a fresh database, and a run in it."""

import shutil
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.clock import FakeClock
from counterfoil.places import Home
from counterfoil.store import runs, versions
from counterfoil.store.database import Database, open_database
from counterfoil.store.transactions import Txn


@pytest.fixture(scope="session")
def blank_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh database file; copy it, do not use it."""
    home = Home(tmp_path_factory.mktemp("blank"))
    open_database(home, FakeClock()).close()
    return home.database


@pytest.fixture
def home(tmp_path: Path, blank_file: Path) -> Home:
    """A home with a database of its own."""
    made = Home(tmp_path / "home").create()
    shutil.copy(blank_file, made.database)
    return made


@pytest.fixture
def database(home: Home) -> Generator[Database]:
    """The database of the home."""
    made = open_database(home, FakeClock())
    yield made
    made.close()


def new_run(txn: Txn, title: str = "Sample") -> str:
    """A ready run; its id."""
    versions.add(
        txn, "user:test", digest="0" * 64, name="sample", title="Sample", manifest="{}", parameters="[]", source="",
        origin="test", program="0",
    )  # fmt: skip
    new = runs.NewRun("sample", "0" * 64, "here", title, "{}", "user:test", "0")
    return str(runs.create(txn, new)["run_id"])


@pytest.fixture
def run_id(database: Database) -> str:
    """A ready run."""
    return database.transact(new_run)


def scalar(database: Database, query: str) -> Any:
    """The first value of a query on a connection of its own."""
    with database.connect() as conn:
        return conn.exec_driver_sql(query).scalar()
