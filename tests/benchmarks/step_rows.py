"""Pure steps in this process and through a host: CPU and rate, beside the raw limit in alternating blocks."""

from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.in_process import Office, office_in
from benchmarks.measuring import NOT_HERE, Ground, Row, fresh, number, ratio
from benchmarks.raw_limit import RawLimit, raw_limit
from counterfoil.runner.running import Runner
from counterfoil.store import records

CPU_IN_PROCESS, CPU_THROUGH_HOST = 0.35, 0.7  # milliseconds per step (DESIGN 7)
RATE_IN_PROCESS, RATE_THROUGH_HOST = 3000, 1500  # steps per second in memory (DESIGN 7)
AT_ONCE, AT_ONCE_STEPS, AT_ONCE_RATE, AT_ONCE_TIMES = 200, 10, 8000, 5  # DESIGN 7


@dataclass(frozen=True, slots=True)
class Block:
    """One measured block: steps per second between the first and the last record, CPU milliseconds per step."""

    rate: float
    cpu_ms: float


Advance = Callable[[Office, list[str]], None]


def _in_process(office: Office, run_ids: list[str]) -> None:
    office.advance(run_ids)


def _through_host(office: Office, run_ids: list[str]) -> None:
    for run_id in run_ids:
        Runner(office.database, office.home, only=run_id).run_until(run_id)


def _cpu() -> float:
    """Seconds of CPU of this process and of the hosts that have ended."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _block(office: Office, steps: int, advance: Advance, *, threads: bool = False) -> Block:
    """A run with steps; its CPU less that of a run without, so that starting a host is not counted."""
    empty, full = office.start(), office.start(steps=steps, threads=threads)
    began = _cpu()
    advance(office, empty)
    between = _cpu()
    advance(office, full)
    spent = (_cpu() - between) - (between - began)
    at = [row["committed_at"] for row in records.of_run(office.database.reader, full[0])]
    return Block((len(at) - 1) / (at[-1] - at[0]) * 1e6, spent / steps * 1000)


def _blocks(ground: Ground, folder: Path, advance: Advance, *, threads: bool = False) -> tuple[list[Block], RawLimit]:
    """Alternating blocks of the raw limit and of ours."""
    steps = ground.pick(300, 1500 if folder != ground.disk else 600)
    found: list[Block] = []
    with office_in(ground, folder, "steps") as office, raw_limit(fresh(folder, "raw")) as raw:
        for _ in range(ground.pick(2, 5)):
            raw.block(steps)
            found.append(_block(office, steps, advance, threads=threads))
    return found, raw


def _cpu_row(ground: Ground, what: str, target: float, advance: Advance, *, threads: bool = False) -> Row:
    blocks, raw = _blocks(ground, ground.fastest, advance, threads=threads)
    cpu = median(block.cpu_ms for block in blocks)
    beside = f"{number(median(raw.seen.cpu_ms))} ms, {ratio([b.cpu_ms for b in blocks], raw.seen.cpu_ms):.1f} times"
    return Row(what, f"{number(cpu)} ms", f"{target} ms", beside, cpu <= target)


def cpu_async(ground: Ground) -> Row:
    """CPU per recorded async step in process."""
    return _cpu_row(ground, "CPU per recorded step, in process, async step", CPU_IN_PROCESS, _in_process)


def cpu_thread(ground: Ground) -> Row:
    """CPU per recorded step that runs in a thread, in process."""
    return _cpu_row(
        ground, "CPU per recorded step, in process, step in a thread", CPU_IN_PROCESS, _in_process, threads=True
    )


def cpu_host(ground: Ground) -> Row:
    """CPU per recorded step of runner and host together."""
    return _cpu_row(ground, "CPU per recorded step, runner and host", CPU_THROUGH_HOST, _through_host)


def _rate_row(ground: Ground, what: str, folder: Path | None, advance: Advance, target: int | None) -> Row:
    if folder is None:
        return Row(what, NOT_HERE, f"{number(target)}/s" if target else "")
    blocks, raw = _blocks(ground, folder, advance)
    rate = median(block.rate for block in blocks)
    beside = f"{number(median(raw.seen.rates))}/s, {ratio([b.rate for b in blocks], raw.seen.rates):.2f} times"
    met = rate >= target if target else None
    return Row(what, f"{number(rate)}/s", f"{number(target)}/s" if target else "", beside, met)


def rate_memory(ground: Ground) -> Row:
    """Durable steps per second of one run in process, on a memory file system."""
    return _rate_row(ground, "durable steps, in process, tmpfs", ground.memory, _in_process, RATE_IN_PROCESS)


def rate_memory_host(ground: Ground) -> Row:
    """The same through a host."""
    return _rate_row(ground, "durable steps, through a host, tmpfs", ground.memory, _through_host, RATE_THROUGH_HOST)


def rate_disk(ground: Ground) -> Row:
    """Durable steps per second of one run in process, on the disk."""
    return _rate_row(ground, "durable steps, in process, disk", ground.disk, _in_process, None)


def rate_disk_host(ground: Ground) -> Row:
    """The same through a host."""
    return _rate_row(ground, "durable steps, through a host, disk", ground.disk, _through_host, None)


def at_once(ground: Ground) -> Row:
    """200 runs of 10 steps at once, in process, on the disk; starting and ending the runs included."""
    steps, rates = AT_ONCE * AT_ONCE_STEPS, []
    with office_in(ground, ground.disk, "at-once") as office, raw_limit(fresh(ground.disk, "raw")) as raw:
        for _ in range(ground.pick(2, 5)):
            raw.block(ground.pick(300, 1500))
            rates.append(steps / office.advance(office.start(AT_ONCE, steps=AT_ONCE_STEPS - 1)).wall)
    limit, rate = median(raw.seen.rates), median(rates)
    target = min(AT_ONCE_TIMES * limit, AT_ONCE_RATE)
    beside = f"{number(limit)}/s, {ratio(rates, raw.seen.rates):.2f} times"
    what = f"{AT_ONCE} runs of {AT_ONCE_STEPS} steps at once, in process, disk"
    return Row(what, f"{number(rate)}/s", f"{number(target)}/s", beside, rate >= target)
