"""Pulling the plug for real: the runner and its hosts are killed, the runner is started again, and rows tell what was repeated."""

from __future__ import annotations

import json
from typing import Protocol

from counterfoil.desktop.real_office import processes
from counterfoil.desktop.real_office.access import Access, run_row
from counterfoil.desktop.real_office.run_pages import step_named
from counterfoil.desktop.real_office.story import titles_of
from counterfoil.desktop.run_facts import Plug
from counterfoil.facts import ENDED, RunState
from counterfoil.store import history, leases, trail_rows, versions
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.steps import steps_of

_BACK_US = 30_000_000  # a runner that is not back by then needs a person


class Starter(Protocol):
    """Who starts the runner."""

    def start(self) -> None:
        """Start it unless it lives."""


class PlugPuller:
    """Ends the runner of one home the hard way, and watches."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def pull(self, run_id: str, starter: Starter) -> Plug:
        """Kill the runner and every host of it, then start the runner again."""
        with self._access.reading() as conn:
            run_row(conn, run_id)
            lease = leases.read(conn)
        if lease is None or not processes.is_ours(lease["pid"], lease["started_at"]):
            starter.start()
            return Plug(
                self._access.clock.now_us(), trouble="The runner was off, so there was nothing to end. It starts now."
            )
        processes.end(lease["pid"])
        ended_at = self._access.clock.now_us()
        starter.start()
        return Plug(ended_at)

    def after(self, run_id: str, ended_at: int) -> Plug:
        """What has happened since, from rows alone."""
        with self._access.reading() as conn:
            run = run_row(conn, run_id)
            lease = leases.read(conn)
            back_at, number = _carried_on(conn, run, lease, ended_at)
            if back_at is None:
                return Plug(ended_at, trouble=self._trouble(ended_at, lease))
            again = history.repeated(conn, run_id, ended_at)
            done = history.record_lines(conn, run_id)
            titles = titles_of(versions.get(conn, run["version"]))
            step = step_named(number, done, titles, steps_of(conn, self._access.blobs, run)) if number else ""
        effects = again.pop("effect", 0)
        return Plug(ended_at, back_at, step, sum(again.values()), effects)

    def _trouble(self, ended_at: int, lease: Row | None) -> str:
        late = self._access.clock.now_us() - ended_at > _BACK_US
        if not late:
            return ""
        if lease is not None and lease["started_at"] > ended_at:
            return "The runner is back and has not come to this run yet."
        return "The runner has not come back. Start it with the runner line; nothing is lost."


def _carried_on(conn: Connection, run: Row, lease: Row | None, ended_at: int) -> tuple[int | None, int | None]:
    """When the run went on after an instant, and from which step, counted from 1."""
    for entry in trail_rows.entries(conn, subject=run["run_id"]):
        if entry["kind"] == "claim" and entry["at"] > ended_at:
            return entry["at"], json.loads(entry["after"] or "{}").get("from_step")
    if lease is None or lease["started_at"] <= ended_at:
        return None, None
    if run["state"] == RunState.WAITING or run["state"] in ENDED:
        return lease["started_at"], None  # it held nothing, so there was nothing to carry on
    begun = run["started_at"]
    return (begun, 1) if begun is not None and begun > ended_at else (None, None)
