"""Time and chance inside a workflow: derived from the run, so replay sees the same values and no record is needed."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from counterfoil.authoring import machine
from counterfoil.clock import from_us, to_us

if TYPE_CHECKING:  # what most workflows never draw is imported when it is drawn
    from random import Random
    from uuid import UUID


def now() -> datetime:
    """The commit instant of the last record of this branch (UTC); the wall clock would differ on replay."""
    return from_us(machine.require("now()").at_us)


def _draw(branch: machine.Branch, what: str) -> bytes:
    branch.draws += 1
    return hashlib.sha256(f"{branch.machine.seed}/{branch.path}/{branch.draws}/{what}".encode()).digest()


def uuid() -> UUID:
    """A UUID derived from the run's seed, the branch and a counter."""
    from uuid import UUID

    raw = bytearray(_draw(machine.require("uuid()"), "uuid")[:16])
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    return UUID(bytes=bytes(raw))


def random() -> Random:
    """A generator seeded from the run's seed, the branch and a counter."""
    from random import Random

    return Random(int.from_bytes(_draw(machine.require("random()"), "random")))  # noqa: S311 - repeatable on purpose


@machine.durable
async def sleep(for_: timedelta) -> None:
    """Wait; the timer is a row, so it survives restarts and holds no process."""
    branch = machine.require("sleep()")
    await branch.machine.sleep(branch, for_ // timedelta(microseconds=1), None)


@machine.durable
async def sleep_until(at: datetime) -> None:
    """Wait until an aware instant; one that has passed does not wait."""
    branch = machine.require("sleep_until()")
    await branch.machine.sleep(branch, None, to_us(at))
