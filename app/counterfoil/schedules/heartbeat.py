"""The heartbeat of routines: a look every 20 seconds, however long the machine slept, and never two at once.

APScheduler does this much and no more: its job stores, misfire and coalescing rules are not what routines go by, its triggers compute no
instant of ours, and a wait is never longer than one beat, since some clocks stop while a computer sleeps.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC

from apscheduler.schedulers.asyncio import AsyncIOScheduler

EVERY = 20  # seconds


def begin(beat: Callable[[], None]) -> AsyncIOScheduler:
    """Call `beat` every 20 s on the running event loop until the scheduler that is returned is shut down."""
    scheduler = AsyncIOScheduler(timezone=UTC)
    scheduler.add_job(
        beat, "interval", seconds=EVERY, misfire_grace_time=None, coalesce=True, max_instances=1, executor="default"
    )
    scheduler.start()
    return scheduler
