"""A workflow to be killed: steps of every sort, gates in branches, a timer, effects that may be repeated, looked up, or only asked about.

Each step leaves a mark when it begins and when it ends, in a pipe that the engine knows nothing of, so that a test can see what was
performed whatever the database says. It lies among the packages, which are all that a host sees at its own place, and only to read.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from counterfoil import (
    Field,
    LookUp,
    Params,
    append_rows,
    approve,
    ask,
    http,
    mail,
    move_files,
    parallel,
    report,
    sleep,
    step,
    table,
    workflow,
    write_file,
)

WORK = 0.03  # seconds a step takes: long enough to be killed in, short enough to be killed often


class Errands(Params):
    ledger: str


@contextmanager
def marked(name: str) -> Iterator[None]:
    """Say outside that a step is being performed."""
    _mark(f"+ {name}")
    yield
    _mark(f"- {name}")


def _mark(line: str) -> None:
    marks = next(place for folder in sys.path if (place := Path(folder) / ".marks").exists())
    handle = os.open(marks, os.O_WRONLY)
    os.write(handle, f"{line}\n".encode())
    os.close(handle)


@step
def weigh(lot: int) -> int:
    """A step in a thread."""
    with marked(f"weigh {lot}"):
        time.sleep(WORK)
        report(f"weighed lot {lot}")
        return lot * 7


@step(process=True)
def press(lot: int) -> bytes:
    """A step in a forked child, whose value is too long for a row."""
    with marked(f"press {lot}"):
        time.sleep(WORK)
        return bytes([lot]) * 70_000


async def lot_of(p: Errands, lot: int) -> int:
    """A branch of its own: a step, a question, and a request that asks before it is sent and may be repeated."""
    weight = await weigh(lot)
    answers = await ask(f"How many of lot {lot}?", [Field(name="count", type="integer", label="Count")])
    count = int(answers["count"])
    await http("POST", f"{p.ledger}/keyed", json={"lot": lot, "count": count}, keyed=True)
    return weight * count


@workflow("errands")
async def errands(p: Errands) -> dict[str, int]:
    first = await weigh(1)
    sheet, third, fourth = await parallel(press(2), lot_of(p, 3), lot_of(p, 4))
    await sleep(timedelta(milliseconds=150))
    await http("POST", f"{p.ledger}/plain", json={"order": 1})
    label = await press(5)
    decision = await approve(
        "Send it off",
        plan=[
            http("POST", f"{p.ledger}/plain", json={"order": 2}),
            mail("anna@example.org", "Parcel", f"{len(sheet)} bytes are on their way."),
            http("POST", f"{p.ledger}/asked", json={"order": 3}, reconcile=LookUp(f"{p.ledger}/entries/{{key}}")),
            http("POST", f"{p.ledger}/keyed", json={"order": 4}, keyed=True),
            write_file("out/label.bin", label),
            append_rows("book.csv", [{"order": 4, "pieces": third + fourth}], columns=["order", "pieces"]),
            move_files([("in/a.txt", "done/a.txt"), ("in/b.txt", "done/b.txt")]),
        ],
        evidence=[table([{"lot": 3, "sum": third}, {"lot": 4, "sum": fourth}], title="Lots")],
    )
    await decision.perform()
    return {"total": first + third + fourth + await weigh(6)}
