"""A process that has everything imported and forks runners from itself, so that a restart costs milliseconds; run as a script.

It reads orders from its standard input, one JSON object a line, and answers each with one. What it forks is a process like any other: it
opens the home, takes the lease, starts its hosts, and is killed by its pid. When the input ends, it ends what it has forked.
"""

import contextlib
import importlib
import json
import logging
import os
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx  # noqa: F401 - warm, so that the first request of a forked runner costs no import

from counterfoil.engine import killpoints
from counterfoil.errors import CounterfoilError
from counterfoil.facts import Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.places import Home
from counterfoil.runner.running import Runner
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database

_children: set[int] = set()
_ended: dict[int, int] = {}


def _run(home: Home, order: dict[str, Any]) -> None:
    Runner(open_database(home), home).run_forever()


def _run_until_idle(home: Home, order: dict[str, Any]) -> None:
    Runner(open_database(home), home).run_until_idle()


def _decide(home: Home, order: dict[str, Any]) -> None:
    wish = dict(order["wish"])
    decide(open_database(home), Blobs(home), order["gate"], Wish(Verdict(wish.pop("verdict")), **wish))


JOBS: dict[str, Callable[[Home, dict[str, Any]], None]] = {
    "run": _run,
    "run_until_idle": _run_until_idle,
    "decide": _decide,
}


def _child(order: dict[str, Any]) -> int:
    home = Home(Path(order["home"]))
    _own_ears_and_mouth(home)
    os.environ.update(order.get("env", {}))
    sys.path += [order["aside"]] if "aside" in order else []
    importlib.reload(killpoints)  # it reads the environment when it is imported, as it would be in a fresh process
    for place, value in order.get("constants", {}).items():
        module, _, name = place.rpartition(".")
        setattr(importlib.import_module(module), name, value)
    if "stop" in order:
        _stop_at(home, *order["stop"])
    try:
        JOBS[order["job"]](home, order)
    except CounterfoilError as problem:
        print(problem, file=sys.stderr, flush=True)
        return 1
    finally:
        if "visits" in order:
            Path(order["visits"]).write_text(json.dumps(killpoints._visits), encoding="utf-8")
    return 0


def _own_ears_and_mouth(home: Home) -> None:
    """What the child says goes to a file of its home; the orders are not for its ears."""
    with Path(os.devnull).open("rb") as nothing, (home.logs / "process.log").open("ab") as log:
        os.dup2(nothing.fileno(), 0)
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    logging.basicConfig(level=logging.WARNING, format="%(process)d %(levelname)s %(name)s: %(message)s", force=True)


def _stop_at(home: Home, point: str, visit: int) -> None:
    """Stop this process at a visit of a point, as a laptop that is closed would, instead of ending it.

    Not in the middle of a transaction, though: then everybody else would have to wait, which is what a lock is for.
    """
    reached = 0

    def reach(name: str) -> None:
        nonlocal reached
        if name == point:
            reached += 1
            if reached == visit:
                with contextlib.closing(sqlite3.connect(home.database, isolation_level=None, timeout=60)) as raw:
                    raw.execute("BEGIN IMMEDIATE")
                    raw.execute("ROLLBACK")
                os.kill(os.getpid(), signal.SIGSTOP)

    killpoints.reach = reach


def _start(order: dict[str, Any]) -> dict[str, Any]:
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            status = _child(order)
        except BaseException:  # noqa: BLE001 - the last word of a process that is about to end
            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stderr.flush()
            os._exit(status)
    _children.add(pid)
    return {"pid": pid}


def _warm(order: dict[str, Any]) -> dict[str, Any]:
    """Have a module load what it loads at its first use; what is forked from now on has it."""
    importlib.import_module(order["module"]).load()
    return {}


def _status(order: dict[str, Any]) -> dict[str, Any]:
    """The exit status of a child (minus the signal that ended it), or None while it lives."""
    pid = order["pid"]
    if pid in _children:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            _children.discard(pid)
            _ended[pid] = os.waitstatus_to_exitcode(status)
    return {"status": _ended.get(pid)}


def main() -> None:
    """Take orders until there are no more."""
    orders = {"start": _start, "status": _status, "warm": _warm}
    for line in sys.stdin:
        order = json.loads(line)
        print(json.dumps(orders[order["do"]](order)), flush=True)
    for pid in _children:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in _children:
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main()
