"""Work that takes its time: parallel steps, a step that holds on while the file `hold` is there, a timer."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

from counterfoil import Params, parallel, param, report, sleep, step, this_run, workflow


class Count(Params):
    until: str = param(label="Until", default="2026")
    wait: int = param(label="Hours to wait before it ends", default=0)


@step(process=True, title="Count a year")
def count_year(year: int) -> int:
    """Papers of one year."""
    report(f"{year}: {year % 97} papers")
    return year % 97


@step(process=True, title="Look through the boxes")
def boxes() -> int:
    """Goes on for as long as somebody holds it."""
    seen = 0
    while (Path(this_run().workspace) / "hold").exists():
        seen += 1
        report(f"Box {min(seen, 240)} of 240")
        time.sleep(0.5)
    return seen


@workflow("archive")
async def archive_count(p: Count) -> dict[str, str]:
    years = await parallel(*(count_year(year) for year in range(2023, 2026)))
    await boxes()
    if p.wait:
        await sleep(timedelta(hours=p.wait))
    return {"summary": f"{sum(years)} papers lie in the archive."}
