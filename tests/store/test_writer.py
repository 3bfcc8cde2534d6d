"""The one writer: concurrent operations share a commit, each is told after it, and none can harm another (engine.md 24, 26)."""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import sqlalchemy as sa

from counterfoil.clock import FakeClock
from counterfoil.errors import DiskFull, StoreTrouble
from counterfoil.facts import Outcome, RunState, StepKind
from counterfoil.places import Home
from counterfoil.store import records, runs, trail_rows
from counterfoil.store.database import Database
from counterfoil.store.runs import Stale
from counterfoil.store.transactions import Txn
from counterfoil.store.writer import BATCH, Writer
from counterfoil.trail import verify
from store.conftest import new_run, scalar


def record(run_id: str, ordinal: int, payload: str = "1") -> records.NewRecord:
    return records.NewRecord(run_id, "", ordinal, StepKind.STEP, "one", "0" * 64, Outcome.OK, payload)


def append(run_id: str, ordinal: int, payload: str = "1") -> Callable[[Txn], str]:
    return lambda txn: records.append(txn, record(run_id, ordinal, payload))


def with_writer(database: Database, act: Callable[[Writer], Awaitable[Any]]) -> Any:
    """Do something with a writer, in a loop of its own."""

    async def main() -> Any:
        writer = Writer(database)
        try:
            return await act(writer)
        finally:
            await asyncio.to_thread(writer.close)

    return asyncio.run(main())


async def outcome_of(future: asyncio.Future[Any]) -> Any:
    """What a future comes to, an exception included."""
    return (await asyncio.gather(future, return_exceptions=True))[0]


class Traced(Database):
    """A database whose connections note every statement."""

    def __init__(self, home: Home) -> None:
        super().__init__(home, FakeClock())
        self.statements: list[str] = []

    def _connect(self) -> sqlite3.Connection:
        raw = super()._connect()
        raw.set_trace_callback(self.statements.append)
        return raw


async def together(writer: Writer, operations: list[Callable[[Txn], Any]], **options: Any) -> list[Any]:
    """Submit operations so that they meet in one batch: the writer is kept busy until all have been queued."""
    async with busy(writer):
        waiting = [writer.submit(operation, **options) for operation in operations]
    return await asyncio.gather(*waiting, return_exceptions=True)


@contextlib.asynccontextmanager
async def busy(writer: Writer) -> AsyncIterator[None]:
    """The writer is in the middle of a transaction in this block."""
    begun, ready = threading.Event(), threading.Event()

    def operation(txn: Txn) -> None:
        begun.set()
        ready.wait(30)

    working = writer.submit(operation)
    await asyncio.to_thread(begun.wait, 30)
    try:
        yield
    finally:
        ready.set()
        await working


# --------------------------------------------------------------------------------------------------------- group commit


def test_operations_that_wait_together_share_one_commit(home: Home) -> None:
    database = Traced(home)
    run_ids = [database.transact(new_run) for _ in range(50)]
    database.statements.clear()

    async def act(writer: Writer) -> tuple[int, int]:
        await together(writer, [append(run_id, n) for run_id in run_ids for n in range(4)])
        return writer.commits, writer.syncs

    assert with_writer(database, act) == (2, 2)  # the busy one, and the two hundred
    assert sum(1 for text in database.statements if text.startswith("COMMIT")) == 2
    assert scalar(database, "SELECT count(*) FROM record") == 200
    assert scalar(database, "PRAGMA synchronous") == 2  # FULL
    database.close()


def test_a_batch_has_an_end(home: Home) -> None:
    database = Traced(home)
    run_id = database.transact(new_run)

    async def act(writer: Writer) -> int:
        await together(writer, [append(run_id, n) for n in range(2 * BATCH)])
        return writer.commits

    assert with_writer(database, act) == 3
    database.close()


def test_what_runs_submit_in_one_turn_of_the_loop_is_one_commit(database: Database, run_id: str) -> None:
    async def act(writer: Writer) -> list[int]:
        commits = []
        for turn in range(5):
            await asyncio.gather(*(writer.submit(append(run_id, 20 * turn + n)) for n in range(20)))
            commits.append(writer.commits)
        return commits

    assert with_writer(database, act) == [1, 2, 3, 4, 5]


def test_what_is_submitted_just_before_the_end_is_kept(database: Database, run_id: str) -> None:
    async def act(writer: Writer) -> list[Any]:
        waiting = [writer.submit(append(run_id, n)) for n in range(3)]
        writer.close()
        return await asyncio.gather(*waiting)

    assert len(with_writer(database, act)) == 3
    assert scalar(database, "SELECT count(*) FROM record") == 3


def test_an_operation_is_answered_after_its_commit(database: Database, run_id: str) -> None:
    async def act(writer: Writer) -> list[int]:
        seen: list[int] = []
        futures = []
        for n in range(20):
            future = writer.submit(append(run_id, n))
            future.add_done_callback(lambda _: seen.append(scalar(database, "SELECT count(*) FROM record")))
            futures.append(future)
        await asyncio.gather(*futures)
        await asyncio.sleep(0)
        return seen

    seen = with_writer(database, act)
    assert all(count >= n + 1 for n, count in enumerate(seen))


def test_what_need_not_be_durable_costs_no_sync_and_is_covered_by_the_next_that_does(home: Home) -> None:
    database = Traced(home)
    run_id = database.transact(new_run)

    async def act(writer: Writer) -> tuple[int, int]:
        for n in range(5):
            await writer.submit(append(run_id, n), durable=False)
        await writer.submit(append(run_id, 5))
        await writer.submit(append(run_id, 6), durable=False)
        return writer.commits, writer.syncs

    assert with_writer(database, act) == (7, 1)
    modes = [text for text in database.statements if text.startswith("PRAGMA synchronous=")][-4:]
    assert [mode.rpartition("=")[2] for mode in modes] == ["NORMAL", "FULL", "NORMAL", "FULL"]
    assert scalar(database, "PRAGMA synchronous") == 2  # whoever is given the connection next commits in full
    database.close()


# -------------------------------------------------------------------------------------------------------------- isolation


class Odd(BaseException):
    """What no operation should raise."""


@pytest.mark.parametrize(
    "problem",
    [ValueError("x"), KeyboardInterrupt(), SystemExit(1), Odd(), asyncio.CancelledError(), RecursionError("x")],
    ids=lambda problem: type(problem).__name__,
)
def test_an_operation_that_fails_fails_alone(database: Database, run_id: str, problem: BaseException) -> None:
    def failing(txn: Txn) -> None:
        records.append(txn, record(run_id, 1))
        trail_rows.append(txn, by="x", kind="x", subject="x", summary="x")
        raise problem

    async def act(writer: Writer) -> list[Any]:
        return await together(writer, [append(run_id, 0), failing, append(run_id, 2), append(run_id, 3)])

    first, failed, second, third = with_writer(database, act)
    assert failed is problem
    assert all(isinstance(head, str) for head in (first, second, third))
    rows = records.of_run(database.reader, run_id)
    assert [row["ordinal"] for row in rows] == [0, 2, 3]
    assert (
        records.first_broken(run_id, records.links(database.reader, run_id)) is None
    )  # the chain goes on from what was kept
    assert verify(database.reader).ok


def test_a_stop_of_an_iteration_cannot_silence_the_others(database: Database, run_id: str) -> None:
    def failing(txn: Txn) -> None:
        raise StopIteration

    async def act(writer: Writer) -> list[Any]:
        return await together(writer, [failing, append(run_id, 0)])

    failed, kept = with_writer(database, act)
    assert isinstance(failed, RuntimeError)
    assert isinstance(kept, str)


def test_a_second_record_of_one_identity_fails_and_the_first_stands(database: Database, run_id: str) -> None:
    async def act(writer: Writer) -> list[Any]:
        return await together(writer, [append(run_id, 0, "1"), append(run_id, 0, "2"), append(run_id, 1)])

    first, second, third = with_writer(database, act)
    assert isinstance(first, str)
    assert isinstance(third, str)
    assert isinstance(second, (sa.exc.IntegrityError, sqlite3.IntegrityError))
    rows = records.of_run(database.reader, run_id)
    assert [row["payload"] for row in rows] == ["1", "1"]
    assert records.first_broken(run_id, records.links(database.reader, run_id)) is None


def test_a_stale_holder_in_a_batch_writes_nothing_and_harms_nobody(database: Database, run_id: str) -> None:
    other = database.transact(new_run)
    database.transact(lambda txn: runs.claim(txn, run_id))
    database.transact(lambda txn: runs.claim(txn, other))

    async def act(writer: Writer) -> list[Any]:
        async with busy(writer):
            waiting: list[asyncio.Future[Any]] = [
                writer.submit(append(run_id, 0), run_id=run_id, fence=1),
                writer.submit(append(run_id, 1), run_id=run_id, fence=7),
                writer.submit(append(other, 0), run_id=other, fence=1),
                # the run is given back in the same batch: from here on its holder is stale
                writer.submit(lambda txn: runs.move(txn, run_id, RunState.READY, ready_at=1), run_id=run_id, fence=1),
                writer.submit(append(run_id, 2), run_id=run_id, fence=1),
            ]
        return await asyncio.gather(*waiting, return_exceptions=True)

    found = with_writer(database, act)
    assert [isinstance(one, Stale) for one in found] == [False, True, False, False, True]
    assert [row["ordinal"] for row in records.of_run(database.reader, run_id)] == [0]


def test_the_fence_is_read_once_per_run_and_batch(home: Home) -> None:
    database = Traced(home)
    run_id = database.transact(new_run)
    database.transact(lambda txn: runs.claim(txn, run_id))
    database.statements.clear()

    async def act(writer: Writer) -> None:
        await together(writer, [append(run_id, n) for n in range(50)], run_id=run_id, fence=1)

    with_writer(database, act)
    assert sum(1 for text in database.statements if text.startswith("SELECT run.fence")) == 1
    database.close()


def test_two_writers_of_two_processes_take_turns(database: Database, home: Home, run_id: str) -> None:
    """The window and the command line write their few rows while the runner writes its many."""
    desktop = Database(home, FakeClock())
    done: list[int] = []

    def decide() -> None:
        for _ in range(25):
            desktop.transact(lambda txn: trail_rows.append(txn, by="user:x", kind="x", subject="x", summary="x"))
            done.append(1)

    async def act(writer: Writer) -> None:
        thread = threading.Thread(target=decide)
        thread.start()
        for n in range(100):
            await writer.submit(append(run_id, n))
        await asyncio.to_thread(thread.join)

    with_writer(database, act)
    assert len(done) == 25
    assert records.count(database.reader, run_id) == 100
    assert verify(database.reader).ok
    desktop.close()


def test_a_head_is_not_remembered_over_a_claim(database: Database, run_id: str) -> None:
    """Another process may have written records of the run between two holds of this one."""

    async def act(writer: Writer) -> None:
        await writer.submit(lambda txn: runs.claim(txn, run_id))
        await writer.submit(append(run_id, 0), run_id=run_id, fence=1)
        await writer.submit(lambda txn: runs.make_ready(txn, run_id))
        database.transact(append(run_id, 1))  # another process
        await writer.submit(lambda txn: runs.claim(txn, run_id))
        await writer.submit(append(run_id, 2), run_id=run_id, fence=2)

    # a run that is ready is not given back by its holder, so the arrow is taken by hand
    with database.connect() as conn:
        assert runs.get(conn, run_id)["state"] == RunState.READY
    with_writer(database, act)
    assert records.first_broken(run_id, records.links(database.reader, run_id)) is None


# ------------------------------------------------------------------------------------------------------------- full disk


class Small(Database):
    """A database on a disk with room for so many pages."""

    pages = 2**30

    def _connect(self) -> sqlite3.Connection:
        raw = super()._connect()
        raw.execute(f"PRAGMA max_page_count={self.pages}")
        return raw


def test_a_full_disk_keeps_nothing_by_half_and_the_writer_goes_on_afterwards(home: Home) -> None:
    database = Small(home, FakeClock())
    run_id = database.transact(new_run)
    database.close()
    database.pages = scalar(database, "PRAGMA page_count") + 12
    database.close()

    def bulky(ordinal: int) -> Callable[[Txn], str]:
        def operation(txn: Txn) -> str:
            trail_rows.append(txn, by="x", kind="x", subject="x", summary=f"record {ordinal}")
            return records.append(txn, record(run_id, ordinal, f'"{"x" * 9000}"'))

        return operation

    async def act(writer: Writer) -> tuple[list[Any], list[Any]]:
        flat = [await outcome_of(writer.submit(bulky(n))) for n in range(20)]
        kept = sum(1 for outcome in flat if isinstance(outcome, str))
        assert 0 < kept < 20
        # a reader sees what was kept, and all of it
        assert records.count(database.reader, run_id) == kept
        assert scalar(database, "SELECT count(*) FROM trail WHERE by = 'x'") == kept
        assert scalar(database, "PRAGMA integrity_check") == "ok"
        database.pages = 2**30
        writer._connection(durable=True).exec_driver_sql(f"PRAGMA max_page_count={2**30}")
        after = [await writer.submit(bulky(n)) for n in range(100, 105)]
        return flat, after

    before, after = with_writer(database, act)
    assert {type(outcome) for outcome in before} == {str, DiskFull}
    assert all(isinstance(outcome, str) for outcome in after)
    assert records.first_broken(run_id, records.links(database.reader, run_id)) is None
    assert verify(database.reader).ok
    database.close()


def test_a_decision_on_a_full_disk_is_refused_loudly(home: Home) -> None:
    database = Small(home, FakeClock())
    run_id = database.transact(new_run)
    database.close()
    database.pages = scalar(database, "PRAGMA page_count") + 1
    database.close()

    def bulky(txn: Txn) -> None:
        for n in range(50):
            records.append(txn, record(run_id, n, f'"{"x" * 9000}"'))

    with pytest.raises(
        DiskFull, match=r"The disk is full \(.+ MB of .+ free\)\. Decisions cannot be kept, so none is accepted\."
    ):
        database.transact(bulky)
    assert records.count(database.reader, run_id) == 0
    database.close()


def test_a_database_that_is_locked_for_good_is_told_as_the_stores_trouble(database: Database, run_id: str) -> None:
    blocker = sqlite3.connect(database.home.database, isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")

    class Impatient(Database):
        def _connect(self) -> sqlite3.Connection:
            raw = super()._connect()
            raw.execute("PRAGMA busy_timeout=1")
            return raw

    impatient = Impatient(database.home, FakeClock())

    async def act(writer: Writer) -> Any:
        failed = await outcome_of(writer.submit(append(run_id, 0)))
        blocker.execute("ROLLBACK")
        await writer.submit(append(run_id, 0))
        return failed

    failed = with_writer(impatient, act)
    assert isinstance(failed, StoreTrouble)
    assert "locked" in str(failed)
    assert records.count(database.reader, run_id) == 1
    blocker.close()
    impatient.close()
