"""Following one run until it has ended or a gate holds it, beside a living runner or as the runner for that run, with its progress
told on stderr."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from counterfoil.cli.call import Call, Interrupted, harmless
from counterfoil.cli.opening import Opened
from counterfoil.cli.words import step_words
from counterfoil.facts import ENDED, RunState
from counterfoil.inbox.hinting import hint
from counterfoil.inbox.pausing import refuse_paused
from counterfoil.runner.lease import runner_alive
from counterfoil.runner.running import advance_here, held_or_ended
from counterfoil.store import records, runs
from counterfoil.store.transactions import Connection, Row

_EVERY = 0.1  # seconds between two looks


def follow(call: Call, home: Opened, run_id: str) -> Row:
    """Wait until a run has ended or an open gate holds it, advancing it here where no runner lives; its row.

    Raises:
        Interrupted: Ctrl+C; the run is kept.
        EverythingPaused: somebody has paused everything; the run is kept.
    """
    hint(call.home)  # what was just committed is found at once where a runner lives
    with _progress(home, run_id):
        try:
            while not held_or_ended(home.database, run_id):
                refuse_paused(home.database.reader)
                if runner_alive(home.database):
                    time.sleep(_EVERY)
                elif advance_here(home.database, call.home, run_id) and not held_or_ended(home.database, run_id):
                    refuse_paused(home.database.reader)
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            number = runs.get(home.database.reader, run_id)["number"]
            raise Interrupted(
                f"Stopped watching. Run r-{number} is kept with every step it has done.",
                "It carries on with: counterfoil runner",
            ) from None
    return runs.get(home.database.reader, run_id)


def exit_code(row: Row) -> int:
    """What following a run to this point says to scripts (contract.md 3)."""
    if row["state"] not in ENDED:
        return 3
    return 0 if row["state"] == RunState.DONE else 1


@contextmanager
def _progress(home: Opened, run_id: str) -> Iterator[None]:
    """Tell from a thread what is recorded meanwhile."""
    done = threading.Event()
    teller = threading.Thread(target=_tell_until, args=(home, run_id, done), name="progress", daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _tell_until(home: Opened, run_id: str, done: threading.Event) -> None:
    teller = _Teller()
    with home.database.connect() as conn:
        teller.seen = records.count(conn, run_id)
        while not done.wait(_EVERY):
            teller.look(conn, run_id)
        teller.look(conn, run_id)
    teller.clear()


class _Teller:
    """Lines for what was recorded; on a terminal also, on one line that is written over, what is being done."""

    def __init__(self) -> None:
        self.seen = 0
        self._shown = ""
        self._live = sys.stderr.isatty()

    def look(self, conn: Connection, run_id: str) -> None:
        """Tell what is new."""
        if records.count(conn, run_id) > self.seen:
            fresh = records.of_run(conn, run_id)[self.seen :]
            self.seen += len(fresh)
            self.clear()
            for row in fresh:
                said = f": {row['summary']}" if row["summary"] else ""
                _put(f"  ✓ {step_words(row['name'])}{said}\n")
        activity = runs.get(conn, run_id)["activity"] or ""
        if self._live and activity != self._shown:
            self.clear()
            self._shown = activity
            _put(f"  … {activity}")

    def clear(self) -> None:
        """Take the line of the moment away."""
        if self._live and self._shown:
            sys.stderr.write("\r\x1b[K")
            self._shown = ""


def _put(text: str) -> None:
    ending = "\n" if text.endswith("\n") else ""
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(harmless(text.removesuffix("\n")).encode(encoding, "backslashreplace").decode(encoding) + ending)
    sys.stderr.flush()
