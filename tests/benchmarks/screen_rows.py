"""What a person at the window waits for, measured in a real window in a process of its own, on years of use: opening it, going to another
page, seeing what another process has committed, and the longest moment in which it answers nobody while 50 runs advance."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.fill import fill
from benchmarks.in_process import Office
from benchmarks.measuring import NOT_HERE, Ground, Row, number, ratio, with_best
from benchmarks.processes import can_look, cpu_seconds, runner_process, until
from benchmarks.window_process import WindowProcess, bare_window, window_process
from counterfoil.desktop.bridge import ACTIVE
from counterfoil.facts import RunState
from counterfoil.places import Home
from counterfoil.store import runs
from counterfoil.store.transactions import Txn

OPEN_MS, SWITCH_MS, LIVE_MS, FRAME_MS, IDLE_PERCENT = 1_000, 100, 100, 50, 0.5
RUNS, STEPS = 50, 400
BEAT = 0.005  # seconds between two ticks of a watch, as in the window
_RUNS_PAGE = 2
_VISITED = ((2, "Runs"), (3, "Templates"), (4, "Schedules"), (6, "Trail"))


@functools.lru_cache(maxsize=2)
def _filled(place: Path, runs: int, gates: int) -> Path:
    folder = place / f"screen-{runs}"
    folder.mkdir()
    fill(Home(folder / "home"), runs=runs, per_run=10, open_gates=gates)
    return folder


@contextlib.contextmanager
def _office(ground: Ground) -> Iterator[Office]:
    """Years of use, and the measured template beside them."""
    with contextlib.closing(Office(_filled(ground.disk, *_sizes(ground)))) as office:
        yield office


def _sizes(ground: Ground) -> tuple[int, int]:
    return ground.pick(2_000, 100_000), ground.pick(200, 10_000)


def _said(ground: Ground) -> str:
    runs, gates = _sizes(ground)
    return f"{gates:,} open gates, {runs:,} runs"


def _kept(ground: Ground) -> Path:
    """Where compiled modules are kept, as an installed program has them."""
    return ground.disk / "compiled"


def opening(ground: Ground) -> Row:
    """From the start of the process until the next gate is there that a key asks for; the first start compiles and does not count."""
    painted: list[float] = []
    whole: list[float] = []
    cpu: list[float] = []
    bare: list[float] = []
    marks: dict[str, float] = {}
    with _office(ground) as office:
        for turn in range(ground.pick(3, 8)):
            empty = bare_window(_kept(ground))
            with window_process(office.home, _kept(ground)) as window:
                window.until("gate")
                window.do("down")
                window.until("next gate")
            if turn:
                marks = window.marks
                bare.append(empty)
                painted.append(marks["painted"])
                whole.append(marks["next gate"])
                cpu.append(window.cpu["next gate"])
    steps = ", ".join(f"{name} {number(marks[name])}" for name in ("painted", "rows", "gate", "next gate"))
    return Row(
        f"window: cold to interactive, {_said(ground)}",
        f"{with_best(whole, 'ms')}, painted {number(median(painted))}, CPU {number(median(cpu))}; last: {steps}",
        f"{OPEN_MS:,} ms",
        f"an empty window {number(median(bare))} ms, {ratio(whole, bare):.1f} times",
        median(whole) <= OPEN_MS,
    )


def switching(ground: Ground) -> Row:
    """From the key to the page with its rows, the first time and later; the first window compiles and does not count."""
    empty = bare_window(_kept(ground))
    visits: list[list[float]] = []
    later: list[float] = []
    with _office(ground) as office:
        for turn in range(ground.pick(3, 6)):
            with _interactive(office, ground) as window:
                went = [window.go_to(page) for page, _ in _VISITED]
                if turn:
                    visits.append(went)
                    later += [window.go_to(page) for page in (1, 2, 3, 4, 6)]
    first = [median(took) for took in zip(*visits, strict=True)]
    measured = f"{with_best(later, 'ms')}, worst {number(max(later))}; first time " + ", ".join(
        f"{name} {number(took)}" for (_, name), took in zip(_VISITED, first, strict=True)
    )
    slowest = max(*first, *later)
    limit = f"an empty window {number(empty)} ms, worst {slowest / empty:.1f} times"
    return Row("window: from a key to another page", measured, f"{SWITCH_MS} ms", limit, slowest <= SWITCH_MS)


@contextlib.contextmanager
def _interactive(office: Office, ground: Ground) -> Iterator[WindowProcess]:
    """A window that has been open for a moment."""
    with window_process(office.home, _kept(ground)) as window:
        window.until("gate")
        time.sleep(2)
        yield window


# ----------------------------------------------------------------------------------------------------------------- live


class _Poll:
    """A process that does nothing but look for commits as often as the window does: the least that a poll can take."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self.noticed: list[int] = []
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        with contextlib.closing(sqlite3.connect(self._home.database)) as conn:
            version = 0
            while not self._ends.wait(ACTIVE):
                found = int(conn.execute("PRAGMA data_version").fetchone()[0])
                if found != version:
                    version = found
                    self.noticed.append(time.monotonic_ns())

    def after(self, begun: int, committed: int) -> float:
        """Milliseconds from a commit until it noticed something; it may do so before whoever commits has looked at the clock."""
        until(lambda: any(noticed > begun for noticed in self.noticed), "the poll notices")
        return max(min(noticed for noticed in self.noticed if noticed > begun) - committed, 0) / 1e6

    def close(self) -> None:
        """Look no more."""
        self._ends.set()
        self._thread.join()


def live(ground: Ground) -> Row:
    """From a commit of another process to the painted row: what a run does, on the Runs page, one commit at a time."""
    took: list[float] = []
    polled: list[float] = []
    with _office(ground) as office:
        run = office.start()[0]
        office.database.transact(lambda txn: runs.claim(txn, run))
        with _interactive(office, ground) as window, contextlib.closing(_Poll(office.home)) as poll:
            window.go_to(_RUNS_PAGE)
            for n in range(ground.pick(12, 60)):
                time.sleep(0.3 + n % 7 * 0.013)  # nothing else happens, and no beat is kept
                words = f"Step {n} of many"
                begun = time.monotonic_ns()
                office.database.transact(lambda txn, words=words: runs.set_activity(txn, run, words))  # type: ignore[misc]
                committed = time.monotonic_ns()
                seen = window.hear(lambda told, words=words: words in str(told.get("rows")), words)  # type: ignore[misc]
                took.append((seen["at"] - committed) / 1e6)
                polled.append(poll.after(begun, committed))
            office.database.transact(lambda txn: runs.move(txn, run, RunState.CANCELLED))
    p95 = quantiles(took, n=20)[-1]
    return Row(
        f"window: commit of another process to the painted row, {_said(ground)}",
        f"p50 {number(median(took))}, p95 {number(p95)}, worst {number(max(took))} ms",
        f"p95 {LIVE_MS} ms",
        f"a bare poll p50 {number(median(polled))} ms, {median(took) / max(median(polled), 0.1):.1f} times",
        p95 <= LIVE_MS,
        {"shown": float(len(took))},
    )


# --------------------------------------------------------------------------------------------------------------- frames


class _Watch:
    """A watch beside the window that does nothing but tick: how long this computer leaves anybody waiting just now."""

    def __init__(self) -> None:
        self.worst = 0.0  # milliseconds
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._tick, daemon=True)
        self._thread.start()

    def _tick(self) -> None:
        last = time.perf_counter()
        while not self._ends.wait(BEAT):
            now = time.perf_counter()
            self.worst, last = max(self.worst, (now - last) * 1000), now

    def close(self) -> None:
        """Tick no more."""
        self._ends.set()
        self._thread.join()


def frames(ground: Ground) -> Row:
    """The longest moment in which the window answers nobody while a runner advances 50 runs beside it, whichever page is shown."""
    what = f"window: the longest frame while {RUNS} runs advance, {_said(ground)}"
    if not can_look():
        return Row(what, NOT_HERE, f"{FRAME_MS} ms")
    seen: dict[str, dict[str, Any]] = {}
    with _office(ground) as office:
        with runner_process(office.home, calm=False):
            before = _recorded(office)
            started = office.start(RUNS, steps=STEPS, stops=1)
            until(lambda: _recorded(office) > before, "a run advances")
            with _interactive(office, ground) as window, contextlib.closing(_Watch()) as watch:
                before, began = _recorded(office), time.perf_counter()
                for name, page in (("inbox", 1), ("runs", 2), ("trail", 6)):
                    window.go_to(page)
                    window.frames()
                    time.sleep(ground.pick(2, 10))
                    seen[name] = window.frames()
                rate = (_recorded(office) - before) / (time.perf_counter() - began)
        _end(office, started)
    said = ", ".join(f"{name} {number(one['worst'][0])} (CPU {number(one['worst'][1])})" for name, one in seen.items())
    over, ticks = (sum(one[what] for one in seen.values()) for what in ("over", "frames"))
    longest = max(float(one["worst"][0]) for one in seen.values())
    return Row(
        what,
        f"{said} ms; {over} of {ticks} ticks over; {number(rate)} steps/s",
        f"{FRAME_MS} ms",
        f"a bare watch {number(watch.worst)} ms, {longest / watch.worst:.1f} times",
        longest <= FRAME_MS,
    )


def _recorded(office: Office) -> int:
    """How many steps of the measured template are recorded."""
    return int(office.database.reader.exec_driver_sql("SELECT count(*) FROM record WHERE name = 'add'").scalar_one())


def _end(office: Office, run_ids: list[str]) -> None:
    """Runs that were only there to be looked at."""

    def operation(txn: Txn) -> None:
        for run_id in run_ids:
            runs.move(txn, run_id, RunState.CANCELLED)

    office.database.transact(operation)


def resting(ground: Ground) -> Row:
    """CPU of a window in which nothing happens."""
    what = f"window: CPU while nothing happens, {_said(ground)}"
    if not can_look():
        return Row(what, NOT_HERE, f"{IDLE_PERCENT} %")
    with _office(ground) as office, _interactive(office, ground) as window:
        window.do("rest")
        window.hear(lambda told: "rests" in told, "it rests")
        began, spent = time.perf_counter(), cpu_seconds(window.pid)
        time.sleep(ground.pick(3, 20))
        share = (cpu_seconds(window.pid) - spent) / (time.perf_counter() - began) * 100
    return Row(what, f"{share:.2f} % of a core", f"{IDLE_PERCENT} %", "", share <= IDLE_PERCENT)
