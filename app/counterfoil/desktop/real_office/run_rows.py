"""Runs as rows, newest first. A run that has ended does not change any more, so it is read once; the rest is read at every look."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from counterfoil.clock import Clock
from counterfoil.desktop.office import RunRow
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.plain import one_line
from counterfoil.facts import ENDED
from counterfoil.store.glance import Fields, Glance

_CHUNK = 4_000  # rows read at a time while nobody waits for them
_CARE = {"failure": "Needs repair", "doubt": "Did this happen?"}
_NEWEST = 2**62

State = tuple[str, str, str]  # words, tone, care


class RunRows:
    """Rows of every run of a home, kept between looks."""

    def __init__(self, glance: Glance, clock: Clock) -> None:
        self._glance = glance
        self._clock = clock
        self._rows: dict[int, RunRow] = {}
        self._living: set[int] = set()
        self._top = 0
        self._floor = _NEWEST

    def rows(self, workspace: str | None, waits: Mapping[str, tuple[str, ...]]) -> tuple[RunRow, ...]:
        """Runs, newest first; `waits` are the kinds of open gates by run."""
        while self.warm():
            pass
        self._read_new()
        self._read_living(waits)
        ordered = [self._rows[number] for number in sorted(self._rows, reverse=True)]
        return tuple(ordered) if workspace is None else tuple(row for row in ordered if row.workspace == workspace)

    def warm(self) -> bool:
        """Read some more of what is not read yet, newest first; whether there was any."""
        if self._floor <= 1:
            return False
        if self._floor == _NEWEST:
            self._top = self._glance.newest_run()
        found = self._glance.runs_below(self._floor, _CHUNK)
        for fields in found:
            self._keep(fields, ("", "", ""))
        self._floor = int(found[-1][0]) if len(found) == _CHUNK else 1
        return True

    def _read_new(self) -> None:
        newest = self._glance.newest_run()
        if newest > self._top:
            for fields in self._glance.runs_below(_NEWEST, newest - self._top):
                self._keep(fields, ("", "", ""))
            self._top = newest

    def _read_living(self, waits: Mapping[str, tuple[str, ...]]) -> None:
        """Runs that are under way, those that have ended since, and those that wait for something else than before."""
        now = self._clock.now_us()
        timers = {str(run_id): (str(kind), int(due)) for run_id, kind, due in self._glance.timers()}
        moving = self._glance.runs_under_way()
        numbers = self._glance.numbers_waiting()
        said: dict[int, State] = {}
        became: list[int] = []
        for number in numbers:
            row = self._rows.get(number)
            if row is None:
                continue
            state = said[number] = waiting(waits.get(row.run_id, ()), timers.get(row.run_id), now)
            if row.state != "waiting":
                became.append(number)
            elif (row.words, row.tone, row.care) != state:
                self._rows[number] = replace(row, words=state[0], tone=state[1], care=state[2])
        over = self._living.difference(numbers, (int(fields[0]) for fields in moving))
        for fields in (*moving, *self._glance.runs_numbered([*became, *over])):
            self._keep(fields, said.get(int(fields[0]), ("Waiting", "quiet", "")))
        self._living = {*numbers, *(int(fields[0]) for fields in moving)}

    def _keep(self, fields: Fields, waiting: State) -> None:
        number, run_id, title, template, workspace, state, by, created_at, started_at, ended_at = fields[:10]
        if state not in ENDED:
            self._living.add(number)
        words, tone, care = waiting if state == "waiting" else state_of(fields)
        self._rows[number] = RunRow(
            run_id, number, title, template, workspace, state, words, tone, by, created_at, started_at, ended_at, care
        )


def state_of(fields: Fields) -> State:
    """A run's state for people, its colour, and what needs care, of one that does not wait; `fields` as `Glance` gives them."""
    state, started_at, activity, error, result, acted = fields[5], fields[8], *fields[10:14]
    match state:
        case "ready":
            return ("Starting" if started_at is None else "Carries on"), "info", ""
        case "running":
            return (f"Running: {one_line(activity)}" if activity else "Running"), "info", ""
        case "failed":
            reason = one_line(_loaded(error).get("message") or "")
            return (f"Stopped: {reason}" if reason else "Stopped"), "bad", ""
        case "cancelled":
            return _cancelled(_loaded(error))
    return _done(result, acted=bool(acted))


def waiting(kinds: tuple[str, ...], timer: tuple[str, int] | None, now_us: int) -> State:
    """What is said of a run that waits for gates of these kinds, else for a timer (its kind and instant)."""
    care = next((_CARE[kind] for kind in kinds if kind in _CARE), "")
    if kinds:
        return "Waiting for you", "warn", care
    if timer is not None:
        at = times.when(timer[1], now_us)
        at = f"{at[:1].lower()}{at[1:]}" if at.startswith(("Today", "Tomorrow", "Yesterday")) else at
        return (f"Trying again {at}" if timer[0] == "retry" else f"Waiting until {at}"), "quiet", ""
    return "Waiting", "quiet", ""


def _cancelled(error: dict[str, Any]) -> State:
    doubts = error.get("in_doubt") or []
    if not doubts:
        return "Cancelled", "quiet", ""
    effects = ", ".join(one_line(doubt.get("effect") or "an effect") for doubt in doubts)
    return f"Cancelled, {count(len(doubts), 'thing')} not undone", "warn", f"Perhaps it happened: {effects}"


def _done(result: str | None, *, acted: bool) -> State:
    """Only a run that did what it was for is green: one that was rejected, or found nothing to do, is not."""
    if result and result.startswith('{"by"') and '"verdict":"rejected"' in result:
        return "Done, rejected: nothing was written", "quiet", ""
    if not acted:
        return "Done, nothing was written or sent", "quiet", ""
    return "Done", "ok", ""


def _loaded(error: str | None) -> dict[str, Any]:
    found = json.loads(error) if error else {}
    return found if isinstance(found, dict) else {}
