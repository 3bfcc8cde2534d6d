"""A data folder that was copied, moved to another disk or restored: what was approved and planned in it may have been done elsewhere since.

So the first runner that works on it pauses everything and says so; nothing starts until a person lets it go on. A folder knows its place by
the numbers that the file system has given to it and to its parts: a copy has other ones, renaming keeps them. An earlier database that was
written over the later one keeps them, too; it is known by the mark beside it (`high_water`).
"""

from __future__ import annotations

from typing import Any

from counterfoil.clock import from_us
from counterfoil.facts import RunState
from counterfoil.inbox.pausing import hold_everything
from counterfoil.places import Home
from counterfoil.runner.high_water import Mark, fallen_behind, reached
from counterfoil.store import runs, schedules, standing
from counterfoil.store.schema import SCHEMA
from counterfoil.store.transactions import Txn

_BY = "runner"
_UNDER_WAY = (RunState.READY, RunState.RUNNING, RunState.WAITING)


def settle(txn: Txn, home: Home, last_used_us: int | None) -> bool:
    """Hold everything where the folder is not where it was, or its database not what it was; whether it had to. `last_used_us`: the last
    sign of life of a runner in it."""
    here = _place(home)
    before = standing.value_of(standing.get(txn.conn, standing.PLACE))
    if before != here:
        standing.put(txn, standing.PLACE, here, _BY)
    come = reached(txn.conn)
    if come is not None and (mark := fallen_behind(txn.conn, home)) is not None:
        return hold_everything(txn, _BY, f"{_behind(come, mark)} {_would_go_on(txn)}")
    moved = before is not None and _is_another(before, here)
    return moved and hold_everything(txn, _BY, _sentence(txn, last_used_us))


def _place(home: Home) -> dict[str, int]:
    numbers = {name: path.stat().st_ino for name, path in (("home", home.root), ("blobs", home.blobs))}
    return {**numbers, "file": home.database.stat().st_ino, "schema": SCHEMA}


def _is_another(before: dict[str, Any], here: dict[str, int]) -> bool:
    """Whether a part is another one. An update puts a migrated file in the place of the old one."""
    names = ("home", "blobs") if before.get("schema") != here["schema"] else ("home", "blobs", "file")
    return any(before.get(name) != here[name] for name in names)


def _sentence(txn: Txn, last_used_us: int | None) -> str:
    last = f" It was last used {_instant(last_used_us)};" if last_used_us else ""
    since = f"{last} what was done elsewhere since then is not known here." if last else ""
    return f"This data folder was copied, moved or restored.{since} {_would_go_on(txn)}"


def _behind(come: Mark, mark: Mark) -> str:
    return (
        "The database of this data folder was restored, or has lost what was written to it last: "
        f"its trail ends with entry {come.seq:,} of {_instant(come.at)} and had come to entry {mark.seq:,} of {_instant(mark.at)}. "
        "What was done in between is not known here."
    )


def _instant(us: int) -> str:
    at = from_us(us).astimezone()
    return f"{at:%a} {at.day} {at:%b %Y, %H:%M}"


def _would_go_on(txn: Txn) -> str:
    """What would go on by itself."""
    waiting = len(runs.in_state(txn.conn, _UNDER_WAY))
    planned = sum(not row["paused"] for row in schedules.living(txn.conn))
    told = [_counted(waiting, "run is", "runs are"), _counted(planned, "schedule is", "schedules are")]
    return f"{told[0]} under way and {told[1]} on; nothing starts or goes on until somebody has looked."


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
