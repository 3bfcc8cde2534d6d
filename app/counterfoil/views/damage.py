"""What is said of a run of which something that was kept cannot be read: which run, where, and whether the others can."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator

from counterfoil.errors import Damaged, RunDamaged
from counterfoil.store import records
from counterfoil.store.transactions import Connection, Row


@contextlib.contextmanager
def reading_run(conn: Connection, run: Row) -> Iterator[None]:
    """Read what is kept of one run.

    Raises:
        RunDamaged: something of it is gone, or is not what was kept.
    """
    try:
        yield
    except Damaged as problem:
        raise _told(conn, run, f": {without_stop(problem)}") from problem
    except (ValueError, KeyError, TypeError) as problem:
        broken = records.first_broken(run["run_id"], records.links(conn, run["run_id"]))
        if broken is None and not isinstance(problem, json.JSONDecodeError):
            raise  # a fault of this program, and none of what is kept
        raise _told(conn, run, f" (row {broken.row:,})" if broken is not None else "") from problem


def without_stop(problem: Exception) -> str:
    """Why something cannot be read, as the end of a sentence: `the kept content 3f9a2c71 was changed on disk`."""
    if not isinstance(problem, Damaged):
        return "it is not what was kept"
    said = problem.message.rstrip(".")
    return f"{said[:1].lower()}{said[1:]}"


def way_out(number: int) -> str:
    """What can be done with a run that cannot be read."""
    return f"Export what is readable: counterfoil trail --evidence r-{number} --out FILE.zip"


def _told(conn: Connection, run: Row, where: str) -> RunDamaged:
    number = run["number"]
    return RunDamaged(f"Run {number} cannot be read{where}.{_others(conn, run['run_id'])}", way_out(number))


def _others(conn: Connection, run_id: str) -> str:
    """How many other runs have records that all match their seals: looked at, since it is said."""
    others, broken = records.soundness(conn, run_id)
    if not others:
        return ""
    if broken:
        return f" {others - broken:,} of {others:,} other runs are fine."
    return f" {others:,} other {'run is' if others == 1 else 'runs are'} fine."
