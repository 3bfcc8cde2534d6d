"""The runner's one writer: operations of concurrent runs share a transaction, and each is told only after the commit.

What runs submit in one turn of their loop is handed over together. A thread takes whatever has queued up, runs each operation
in a savepoint of its own, commits once with a sync, and answers them all. An operation that fails, in whatever way, rolls back
to its savepoint and fails alone; nothing ends the thread.
Batches in which nothing has to be durable yet (claims, suspensions, progress) commit with synchronous=NORMAL and are covered by
the next FULL commit on the same connection.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa

from counterfoil.store import runs
from counterfoil.store.database import Database, cause_of, translated
from counterfoil.store.transactions import Txn
from counterfoil.store.troubles import is_full

T = TypeVar("T")
BATCH = 500  # operations in one transaction: short enough for other processes' busy timeout
HEADS_KEPT = 10_000  # record hashes that chaining need not read again


@dataclass(slots=True)
class _Job:
    operation: Callable[[Txn], Any]
    run_id: str | None
    fence: int
    durable: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    problem: BaseException | None = None


class Writer:
    """A thread with the process's one writing connection."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._jobs: queue.SimpleQueue[list[_Job] | None] = queue.SimpleQueue()
        self._over: list[_Job] = []  # what one transaction had no room for
        self._gathered: dict[asyncio.AbstractEventLoop, list[_Job]] = {}  # in the present turn of each loop
        self._heads: dict[str, str] = {}
        self._conn: sa.Connection | None = None
        self._durable = True
        self.commits = 0
        self.syncs = 0  # commits that waited for the disk
        self._thread = threading.Thread(target=self._serve, name="counterfoil-writer", daemon=True)
        self._thread.start()

    def submit(
        self, operation: Callable[[Txn], T], *, run_id: str | None = None, fence: int = 0, durable: bool = True
    ) -> asyncio.Future[T]:
        """Queue an operation; the future is answered after the commit that holds it.

        With `run_id`, the run's fence is compared in the same transaction and a stale holder gets `runs.Stale`.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        gathered = self._gathered.get(loop)
        if gathered is None:
            gathered = self._gathered[loop] = []
            loop.call_soon(self._hand_over, loop)  # what other runs submit in this turn shares the transaction
        gathered.append(_Job(operation, run_id, fence, durable, loop, future))
        return future

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        gathered = self._gathered.pop(loop, [])
        for start in range(0, len(gathered), BATCH):
            self._jobs.put(gathered[start : start + BATCH])

    def close(self) -> None:
        """Finish what is queued and end the thread."""
        for loop in list(self._gathered):
            self._hand_over(loop)
        self._jobs.put(None)
        self._thread.join()

    def _serve(self) -> None:
        while True:
            over, self._over = self._over, []
            batch, last = self._collect(over or self._jobs.get())
            if batch:
                self._commit(batch)
            if last:
                break
        if self._conn is not None:
            self._connection(durable=True).close()  # the next who is given this connection commits in full

    def _collect(self, first: list[_Job] | None) -> tuple[list[_Job], bool]:
        """What has queued up, up to `BATCH` at once, and whether it is the last."""
        if first is None:
            return [], True
        batch = first
        while len(batch) < BATCH:
            try:
                more = self._jobs.get_nowait()
            except queue.Empty:
                return batch, False
            if more is None:
                return batch, True
            batch, self._over = [*batch, *more][:BATCH], [*batch, *more][BATCH:]
        return batch, False

    def _commit(self, batch: list[_Job]) -> None:
        try:
            with translated():
                self._run(batch)
        except BaseException as problem:  # noqa: BLE001 - whatever it is, every caller is told and the thread goes on
            self._forget()
            for job in batch:
                job.problem = job.problem or problem
        self._answer(batch)

    def _run(self, batch: list[_Job]) -> None:
        durable = any(job.durable for job in batch)
        conn = self._connection(durable=durable)
        raw = driver(conn)
        raw.execute("BEGIN IMMEDIATE")
        txn = Txn(conn, self._database.clock.now_us(), self._heads)
        for job in batch:
            self._perform(txn, job, raw)
        raw.execute("COMMIT")
        self.commits += 1
        self.syncs += durable
        if len(self._heads) > HEADS_KEPT:
            self._heads.clear()

    def _perform(self, txn: Txn, job: _Job, raw: Any) -> None:
        txn.touched.clear()
        raw.execute("SAVEPOINT job")
        try:
            if job.run_id is not None:
                runs.check_fence(txn, job.run_id, job.fence)
            job.result = job.operation(txn)
        except BaseException as problem:
            if is_full(cause_of(problem)):
                raise  # the whole transaction is gone
            job.problem = problem
            raw.execute("ROLLBACK TO job")
            for run_id in txn.touched:
                self._heads.pop(run_id, None)
                txn.fences.pop(run_id, None)
        raw.execute("RELEASE job")

    def _connection(self, *, durable: bool) -> sa.Connection:
        if self._conn is None:
            self._conn = self._database.connect()
            self._durable = True
        if durable != self._durable:
            driver(self._conn).execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._durable = durable
        return self._conn

    def _forget(self) -> None:
        """After a failed batch nothing learned in it holds: reconnect, forget the heads."""
        self._heads.clear()
        if self._conn is not None:
            conn, self._conn = self._conn, None
            conn.invalidate()
            conn.close()

    @staticmethod
    def _answer(batch: list[_Job]) -> None:
        per_loop: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
        for job in batch:
            per_loop.setdefault(job.loop, []).append(job)
        for loop, jobs in per_loop.items():
            if not loop.is_closed():
                loop.call_soon_threadsafe(_tell, jobs)


def driver(conn: sa.Connection) -> Any:
    """The driver's connection, for the statements around an operation: they return nothing, and are most of a small commit."""
    return conn.connection.driver_connection


def _tell(jobs: list[_Job]) -> None:
    for job in jobs:
        if job.future.done():
            continue
        if isinstance(job.problem, StopIteration):  # a future cannot carry it
            job.future.set_exception(RuntimeError(f"an operation raised {job.problem!r}"))
        elif job.problem is not None:
            job.future.set_exception(job.problem)
        else:
            job.future.set_result(job.result)
