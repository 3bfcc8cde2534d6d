"""Hosts from outside: many at once, and nothing left behind (T72)."""

import asyncio

from counterfoil.sandbox.hosts import Host, HostPool
from sandbox.rooms import Room, beneath, lives


def test_fifty_hosts_at_once(isolated: Room) -> None:
    async def all_of_them() -> list[int]:
        hosts = []
        for _ in range(10):
            hosts += await asyncio.gather(
                *(Host.start(isolated.home, isolated.measured, isolated.workspace) for _ in range(5))
            )
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


def test_a_warm_host_is_for_one_workspace(isolated: Room) -> None:
    other = isolated.workspace.parent / "other"
    other.mkdir(exist_ok=True)

    async def taken() -> None:
        pool = HostPool(1, isolated.home, isolated.measured)
        pool.fill(isolated.workspace)
        assert pool._filling is not None
        await pool._filling
        (warm,) = pool._ready
        first = await pool.take(isolated.workspace)
        assert first is warm
        second = await pool.take(other)
        assert second.cell.workspace == other.resolve()
        for host in (first, second):
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
