"""Going on after a wait, and the price of waiting: resuming, decisions, clicks, and a runner with nothing to do."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from pathlib import Path
from statistics import median

from benchmarks.in_process import BY, TEMPLATE, Office, office_in, seed_of
from benchmarks.measuring import NOT_HERE, Ground, Row, fresh, number, ratio, with_best
from benchmarks.processes import beneath, can_look, cpu_seconds, memory_mib, runner_process, threads, until
from benchmarks.raw_limit import RawLimit, raw_limit
from counterfoil.facts import RunState
from counterfoil.inbox.hinting import hint
from counterfoil.runner.running import advance_here
from counterfoil.runner.starting import start_run
from counterfoil.store import runs

RECORDS = 10_000
WAITING = 1_000


def _resumable(ground: Ground, stops: int = 5) -> Path:
    """An office with a run of 10,000 records that waits."""

    def fill(office: Office) -> None:
        office.advance(office.start(steps=RECORDS - 1, stops=stops))

    return seed_of(ground, "resumable", fill)


def _read_plainly(office: Office, run: str) -> float:
    """Seconds that plain sqlite3 takes to read the records of a run."""
    with contextlib.closing(sqlite3.connect(office.home.database)) as conn:
        began = time.perf_counter()
        conn.execute("SELECT * FROM record WHERE run_id = ? ORDER BY row", [run]).fetchall()
        return time.perf_counter() - began


def _resume_row(what: str, took: list[float], cpu: list[float], plain: list[float], target: float) -> Row:
    beside = f"reading them {number(median(plain) * 1000)} ms, {ratio(took, plain):.0f} times"
    measured = f"{with_best(took, 's')}, CPU {number(median(cpu))} s"
    return Row(what, measured, f"{target:g} s", beside, median(took) <= target)


def resume(ground: Ground) -> Row:
    """From the claim of a run of 10,000 records to its next wait, in this process."""
    took: list[float] = []
    cpu: list[float] = []
    plain: list[float] = []
    with office_in(ground, ground.fastest, "resume", _resumable(ground)) as office:
        run = office.only_run()
        for _ in range(ground.pick(2, 5)):
            plain.append(_read_plainly(office, run))
            office.approve(run)
            spent = office.advance([run])
            took.append(spent.wall)
            cpu.append(spent.cpu)
    return _resume_row(f"resume a run of {RECORDS:,} records, in process", took, cpu, plain, 0.15)


def resume_host(ground: Ground) -> Row:
    """From the decision to the next step of a run of 10,000 records, in a warm host of another process: imports are excluded."""
    what = f"resume a run of {RECORDS:,} records, in a warm host"
    if not can_look():
        return Row(what, NOT_HERE, "0.25 s")
    took: list[float] = []
    cpu: list[float] = []
    plain: list[float] = []
    with office_in(ground, ground.fastest, "resume-host", _resumable(ground)) as office:
        run = office.only_run()
        for _ in range(ground.pick(1, 3)):
            with runner_process(office.home) as runner:
                plain.append(_read_plainly(office, run))
                spent = runner.cpu()
                took.append(_decided(office, run) / 1000)
                cpu.append(runner.cpu() - spent)
                until(
                    lambda: _rests(office, run), "the run waits again"
                )  # or the next runner would carry it on at once
    return _resume_row(what, took, cpu, plain, 0.25)


def _latency(what: str, took: list[float], target: float, raw: str = "") -> Row:
    return Row(what, with_best(took, "ms"), f"{target:g} ms", raw, median(took) <= target)


# ------------------------------------------------------------------------------------------------------------ decisions


def _decided(office: Office, run: str) -> float:
    """Approve, wake the runner, and wait; milliseconds from the commit to the first line of the next step."""
    before = office.newest(run)
    committed = office.approve(run)
    hint(office.home)
    until(lambda: office.newest(run) != before and office.moment(run) > 0, "the next step after a decision")
    return (office.moment(run) - committed) / 1e6


def _beside_two_syncs(raw: RawLimit, took: list[float]) -> str:
    two = 2 * median(raw.seen.commit_ms)
    return f"2 syncs {number(two)} ms, {median(took) / two:.0f} times"


def decision_lingering(ground: Ground) -> Row:
    """A decision taken while the run's host still lingers."""
    what = "decision committed to next step, lingering host, p50"
    if not can_look():
        return Row(what, NOT_HERE, "10 ms")
    count, took = ground.pick(12, 60), []
    with (
        office_in(ground, ground.disk, "lingering") as office,
        raw_limit(fresh(ground.disk, "raw")) as raw,
        runner_process(office.home),
    ):
        run = office.start(stops=count)[0]
        hint(office.home)
        for _ in range(count):
            until(lambda: _rests(office, run), "the run waits")
            took.append(_decided(office, run))
            raw.block(20)
    return _latency(what, took, 10, _beside_two_syncs(raw, took))


def _rests(office: Office, run: str) -> bool:
    return bool(runs.get(office.database.reader, run)["state"] == RunState.WAITING)


def decision_pool(ground: Ground) -> Row:
    """A decision on a run that nothing holds any more: a warm host takes it up."""
    what = "decision committed to next step, from the pool, p50"
    if not can_look():
        return Row(what, NOT_HERE, "30 ms")
    took: list[float] = []
    with office_in(ground, ground.disk, "pool") as office, raw_limit(fresh(ground.disk, "raw")) as raw:
        waiting = office.start(ground.pick(5, 20), stops=1)
        office.advance(waiting)
        with runner_process(office.home) as runner:
            for run in waiting:
                took.append(_decided(office, run))
                raw.block(20)
                runner.calm()
    return _latency(what, took, 30, _beside_two_syncs(raw, took))


# --------------------------------------------------------------------------------------------------------------- clicks


def _click(office: Office) -> str:
    row = start_run(
        office.database,
        office.home,
        template=TEMPLATE,
        workspace=office.workspace,
        parameters=lambda _: {"steps": 0, "stops": 0, "threads": False},
        started_by=BY,
    )
    return str(row["run_id"])


def _first_line(office: Office, run: str) -> int:
    """Wait until workflow code has run; when it did, in nanoseconds."""
    until(lambda: office.moment(run) > 0, "the first step")
    return office.moment(run)


def click_warm(ground: Ground) -> Row:
    """From the click on Start to the first line of workflow code, with a warm host."""
    what = "click to first line of workflow code, warm"
    if not can_look():
        return Row(what, NOT_HERE, "20 ms")
    took: list[float] = []
    with office_in(ground, ground.disk, "warm") as office, runner_process(office.home) as runner:
        for n in range(1 + ground.pick(4, 15)):
            clicked = time.time_ns()
            run = _click(office)
            hint(office.home)
            first = _first_line(office, run)
            if n:  # until there has been a run nobody knows which workspace to stand by for
                took.append((first - clicked) / 1e6)
            runner.calm()
    return _latency(what, took, 20)


def click_cold(ground: Ground) -> Row:
    """The same when a host has to be started first."""
    took: list[float] = []
    with office_in(ground, ground.disk, "cold") as office:
        for _ in range(ground.pick(3, 8)):
            clicked = time.time_ns()
            run = _click(office)
            advance_here(office.database, office.home, run)
            took.append((office.moment(run) - clicked) / 1e6)
    return _latency("click to first line of workflow code, cold", took, 400)


# ----------------------------------------------------------------------------------------------------------------- idle


def waiting(ground: Ground) -> Row:
    """Threads that waiting runs hold in the process that advanced them, and what each takes on the disk."""
    with office_in(ground, ground.fastest, "waiting") as office:
        before = threading.active_count()
        size = _size(office)
        office.advance(office.start(WAITING, stops=1))
        held = threading.active_count() - before
        each = (_size(office) - size) / WAITING
    counts = {"threads": float(held)}
    what = f"{WAITING:,} waiting runs: threads / disk each"
    return Row(what, f"{held} / {each / 1024:.1f} KiB with their content", "0", met=held == 0, counts=counts)


def _size(office: Office) -> int:
    """Bytes of the database, its write-ahead log taken in."""
    office.database.reader.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return office.home.database.stat().st_size


def idle(ground: Ground) -> Row:
    """A runner with nothing to do but 1,000 runs that wait."""
    what = f"runner idle, {WAITING:,} waiting runs: memory / CPU"
    if not can_look():
        return Row(what, NOT_HERE, "100 MiB / 0.5 %")
    with office_in(ground, ground.disk, "idle") as office:
        office.advance(office.start(stops=1))  # with one run a warm host stands by, as with a thousand
        with runner_process(office.home) as runner:
            alone = threads(runner.pid), memory_mib(runner.pid)
        office.advance(office.start(WAITING, stops=1))
        with runner_process(office.home) as runner:
            began, spent = time.perf_counter(), cpu_seconds(runner.pid)
            time.sleep(ground.pick(2, 20))
            share = (cpu_seconds(runner.pid) - spent) / (time.perf_counter() - began) * 100
            memory, more = memory_mib(runner.pid), threads(runner.pid) - alone[0]
            warm = sum(memory_mib(pid) for pid in beneath(runner.pid))
    beside = f"{number(alone[1])} MiB without them; a warm host {number(warm)} MiB"
    met = memory <= 100 and share <= 0.5
    return Row(what, f"{number(memory)} MiB / {share:.2f} %", "100 MiB / 0.5 %", beside, met, {"threads": float(more)})
