"""Statements of the hot path go to the driver directly, and give what SQLAlchemy would give."""

from collections.abc import Generator
from pathlib import Path

import pytest
import sqlalchemy as sa

from counterfoil.facts import Outcome, StepKind
from counterfoil.places import Home
from counterfoil.store import records, runs, tables, versions
from counterfoil.store.database import Database, open_database
from counterfoil.store.transactions import Prepared, Txn, any_of

RUN = tables.run


@pytest.fixture
def database(tmp_path: Path) -> Generator[Database]:
    database = open_database(Home(tmp_path / "home"))
    yield database
    database.close()


def make_run(database: Database, state: str = "ready") -> str:
    def operation(txn: Txn) -> str:
        names = ("digest", "name", "title", "manifest", "parameters", "source", "origin", "program")
        versions.add(txn, "user:anna", **dict.fromkeys(names, "v"))
        new = runs.NewRun("v", "v", "office", "A run", "{}", "user:anna", "0")
        return str(runs.create(txn, new)["run_id"])

    return database.transact(operation)


def test_rows_equal_those_of_sqlalchemy(database: Database) -> None:
    run_id = make_run(database)
    new = records.NewRecord(
        run_id, "", 0, StepKind.STEP, "add", "d" * 64, Outcome.OK, "b" * 64, payload_blob=True, origin="given"
    )
    database.transact(lambda txn: records.append(txn, new))
    (quick,) = records.of_run(database.reader, run_id)
    slow = database.reader.execute(sa.select(tables.record)).mappings().one()
    assert dict(quick) == dict(slow)
    assert quick["payload_blob"] is True
    (link,) = records.links(database.reader, run_id)
    assert link == tuple(quick[name] for name in records.Link._fields)
    assert records.first_broken(run_id, [link]) is None
    for name in records.FIELDS:
        at = records.FIELDS.index(name)
        changed = records.Link._make((*link[:at], 0 if name == "payload_blob" else "other", *link[at + 1 :]))
        assert records.first_broken(run_id, [changed]) == changed, name


def test_conditions_with_a_value_of_their_own_keep_it(database: Database) -> None:
    run_id = make_run(database)
    found = Prepared(lambda: sa.select(RUN.c.run_id).where(any_of(RUN.c.state, ["ready", "waiting"])))
    none = Prepared(lambda: sa.select(RUN.c.run_id).where(any_of(RUN.c.state, ["done"])))
    assert found.value(database.reader, {}) == run_id
    assert none.first(database.reader, {}) is None
    assert none.value(database.reader, {}) is None


def test_a_value_that_was_forgotten_is_an_error_and_not_null(database: Database) -> None:
    make_run(database)
    statement = Prepared(lambda: sa.update(RUN).values(title=sa.bindparam("words"), activity=None))
    with pytest.raises(KeyError, match="words"):
        statement.run(database.reader, {})
    assert statement.do(database.reader, {"words": "Another"}) == 1


def test_the_newest_record_is_that_of_this_run(database: Database) -> None:
    run_id, other = make_run(database), make_run(database)

    def operation(txn: Txn) -> list[str]:
        order = [(run_id, 1), (run_id, 0), (other, 0)]
        return [
            records.append(txn, records.NewRecord(run, "", at, StepKind.STEP, "add", "d" * 64, Outcome.OK, str(at)))
            for run, at in order
        ]

    heads = database.transact(operation)
    assert records.head(database.reader, run_id) == heads[1]
    assert records.head(database.reader, "nobody") == "nobody"
    assert [row["payload"] for row in records.of_run(database.reader, run_id)] == ["1", "0"]
    newest = records.last(database.reader, run_id)
    assert newest is not None
    assert newest["payload"] == "0"
    assert records.last(database.reader, "nobody") is None
