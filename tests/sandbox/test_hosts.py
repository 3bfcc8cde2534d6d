"""Hosts from outside: many at once, and nothing left behind (T72)."""

import asyncio
import contextlib
import subprocess
import sys
import time
from pathlib import Path

from counterfoil.sandbox.hosts import Host
from counterfoil.sandbox.launching import Cell, Slot, clear_slots
from counterfoil.sandbox.pool import HostPool
from sandbox.rooms import Room, beneath, lives


def test_fifty_hosts_at_once(isolated: Room) -> None:
    async def all_of_them() -> list[int]:
        hosts = []
        for _ in range(10):
            hosts += await asyncio.gather(*(Host.start(isolated.home, isolated.measured) for _ in range(5)))
        pids = [one for host in hosts for one in (host.pid, *beneath(host.pid))]
        assert all(lives(pid) for pid in pids)
        for host in hosts:
            host.kill()
        for host in hosts:
            await host.ended()
        return pids

    pids = asyncio.run(all_of_them())
    assert len(pids) >= 150
    assert not any(lives(pid) for pid in pids)
    assert list((isolated.home.run / "slots").iterdir()) == []


def test_a_warm_host_is_for_any_workspace_and_its_packages(isolated: Room) -> None:
    async def taken() -> None:
        pool = HostPool(1, isolated.home, isolated.measured)
        pool.fill()
        assert pool._filling is not None
        await pool._filling
        (warm,) = pool._ready
        first = await pool.take()
        assert first is warm
        second = await pool.take()
        assert second is not warm
        brought = isolated.home.packages / "some"
        brought.mkdir(parents=True, exist_ok=True)
        third = await pool.take(brought)
        assert third.cell.brought == brought.resolve()
        await pool._filling
        (warm,) = pool._ready
        fourth = await pool.take(brought)
        assert fourth is warm
        assert fourth.cell.brought == brought.resolve()
        for host in (first, second, third, fourth):
            host.kill()
            await host.ended()
        await pool.close()

    asyncio.run(taken())
    assert list((isolated.home.run / "slots").iterdir()) == []


def test_nothing_is_left_after_a_run(room: Room) -> None:
    before = set(room.workspace.rglob("*"))
    room.inside("make(os.environ['TMPDIR'] + '/left')\nfound = 1")
    assert list((room.home.run / "slots").iterdir()) == []
    assert set(room.workspace.rglob("*")) == before


def test_hosts_killed_while_they_are_set_up(isolated: Room) -> None:
    """Killed after less and less time, in the middle of bubblewrap's own work, nothing is left waiting."""

    async def killed_early() -> set[int]:
        seen: set[int] = set()
        for n in range(60):
            host = Host(Cell(isolated.measured, Slot(isolated.home), isolated.home))
            await host._launch()
            await asyncio.sleep(n / 10_000)
            seen |= {host.pid, *beneath(host.pid)}
            slot = host.cell.slot.root.name
            host.kill()
            await host.ended()
            assert waiting_for(slot) == []
        return seen

    assert len(asyncio.run(killed_early())) >= 60


def waiting_for(slot: str) -> list[int]:
    """Living processes that were started for a slot."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if slot.encode() in (entry / "cmdline").read_bytes().split(b"\0") and lives(int(entry.name)):
                found.append(int(entry.name))
    return found


def test_what_was_set_up_for_a_killed_runner_is_ended(isolated: Room) -> None:
    stale = isolated.home.run / "slots" / "999999999-gone"
    stale.mkdir(parents=True)
    waiting = subprocess.Popen([sys.executable, "-c", "input()", stale.name], stdin=subprocess.PIPE)
    while not Path(f"/proc/{waiting.pid}/cmdline").read_bytes():  # its words are not there before it has begun
        time.sleep(0.01)
    clear_slots(isolated.home)
    assert waiting.wait(60) == -9
    assert waiting.stdin is not None
    waiting.stdin.close()
    assert not stale.exists()
