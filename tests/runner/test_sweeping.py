"""What a sweep does first: runs that somebody waits for, then what nobody waits for, which is never put off twice in a row."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from counterfoil.places import Home
from counterfoil.runner import running
from counterfoil.runner.running import Runner
from counterfoil.store import leases
from counterfoil.store.database import open_database


@pytest.mark.parametrize(
    "begun, order",
    [
        (True, ["claim", "claim", "rest", "fire", "claim", "claim"]),
        (False, ["claim", "rest", "fire", "claim"] * 3),
    ],
)
def test_claiming_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, begun: bool, order: list[str]) -> None:
    home = Home(tmp_path / "home").create()
    database = open_database(home)
    runner, seen = Runner(database, home), []

    async def rest(powers: Any) -> None:
        seen.append("rest")

    def claim(powers: Any) -> bool:
        seen.append("claim")
        return begun

    async def sweep_thrice() -> bool:
        for _ in range(3):
            await runner._sweep(None)  # type: ignore[arg-type]  # nothing is performed
        async with asyncio.timeout(60):
            await runner._woken.wait()
        return True

    monkeypatch.setattr(leases, "held_by", lambda *_: True)
    monkeypatch.setattr(running, "AFTERWARDS", 0.0)
    monkeypatch.setattr(runner, "_claim", claim)
    monkeypatch.setattr(runner._unheld, "look", rest)
    monkeypatch.setattr(runner, "_fire", lambda: seen.append("fire"))
    if not begun:
        runner._woken.set()  # nothing that was begun asks for another look
    assert asyncio.run(sweep_thrice())
    assert seen == order
    database.close()


@pytest.mark.expects_log("a sweep failed; trying again")
def test_a_look_that_the_disk_refuses_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path / "home").create()
    database = open_database(home)
    runner, looks = Runner(database, home), []

    async def sweep(powers: Any) -> None:
        looks.append("look")
        if looks[1:]:
            runner._halt()
        else:
            raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(runner, "_sweep", sweep)
    monkeypatch.setattr(running, "SWEEP", 0.01)
    asyncio.run(runner._sweep_until(None, lambda: False, lambda: None))  # type: ignore[arg-type]  # nothing is performed
    assert len(looks) == 2
    database.close()
