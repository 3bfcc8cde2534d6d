"""Runs as rows, newest first, as many as a list shows. A run that has ended is read once: it changes only
when its files are put back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from counterfoil.clock import Clock, to_us
from counterfoil.desktop.office import RunRow, RunsLook
from counterfoil.desktop.run_facts import EVERY, Choices, Narrow
from counterfoil.desktop.runs.rows import CHIP_STATES, holds
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count, joined, money
from counterfoil.desktop.words.people import person
from counterfoil.desktop.words.plain import one_line, plain
from counterfoil.desktop.words.runs import step_name
from counterfoil.facts import ENDED, RunState
from counterfoil.store import aside_glance
from counterfoil.store.glance import Glance, Only
from counterfoil.store.llm_money import dollars
from counterfoil.store.quick_look import Fields
from counterfoil.views.silences import silence_in_state

_PORTION = 1_000  # runs that are searched through at a time
_KEPT = 5_000  # rows of ended runs that are kept
_CARE = {"failure": "Needs repair", "doubt": "Did this happen?"}
_NEWEST = 2**62
_DONE, _DONE_IDLE = "Done", "Done, nothing was written or sent"
_DONE_REJECTED = "Done, rejected: nothing was written"
UNDONE = {"wholly": "then undone", "partly": "then partly undone"}
_WAITS, _WAITS_FOR_YOU = "Waiting", "Waiting for you"

State = tuple[str, str, str]  # words, tone, care


class RunRows:
    """Rows of the runs of a home."""

    def __init__(self, glance: Glance, clock: Clock, me: str = "") -> None:
        self._me = me
        self._glance = glance
        self._clock = clock
        self._ended: dict[int, RunRow] = {}
        self._undone = (0, 0)  # how often files had been put back when those were read, and how many had a note
        self._care: tuple[object, dict[str | None, list[int]]] = (None, {})  # marks, and what was found under them

    def look(self, workspace: str | None, chip: str, wanted: str, most: int, narrow: Narrow = EVERY) -> RunsLook:
        """The newest runs of a chip that hold the wanted words, `most` of them, and how many stand behind each chip."""
        only = Only(narrow.template, narrow.schedule, self._first_since(narrow.days)) if narrow.on else None
        text = wanted.casefold().strip()
        rows: list[RunRow] = []
        for numbers in self._numbers(workspace, chip, text, _PORTION if text else most + 1, only):
            rows += [row for row in self._read(numbers) if not text or holds(row, text)]
            if len(rows) > most:
                break
        return RunsLook(
            tuple(rows[:most]),
            self._counts(workspace, only),
            more=len(rows) > most,
            templates=_choices(self._glance.template_titles()),
            schedules=_choices(self._glance.schedules_named()),
        )

    def _first_since(self, days: int) -> int:
        """The number of the first run of the last days; runs are numbered as they are made."""
        if not days:
            return 0
        today = times.local(self._clock.now_us()).replace(hour=0, minute=0, second=0, microsecond=0)
        since = to_us(today - timedelta(days=days - 1))
        low, high = 1, self._glance.newest_run() + 1
        while low < high:
            middle = (low + high) // 2
            if self._glance.begun_at(middle) < since:
                low = middle + 1
            else:
                high = middle
        return low

    def _numbers(
        self, workspace: str | None, chip: str, text: str, portion: int, only: Only | None
    ) -> Iterator[list[int]]:
        """Numbers of runs that may be meant, newest first, a portion at a time."""
        if chip == "care":
            yield self._care_numbers(workspace, only)
            return
        word = max(text.split(), key=len, default="")
        below = _NEWEST
        while True:
            newest: list[int] = []
            for state in CHIP_STATES.get(chip, ("",)):
                newest += self._glance.run_numbers(
                    below=below,
                    limit=portion,
                    workspace=workspace,
                    state=state,
                    word=word,
                    states=self._states_saying(word),
                    only=only,
                )
            newest = sorted(newest, reverse=True)[:portion]
            yield newest
            if len(newest) < portion:
                return
            below = newest[-1]

    def _counts(self, workspace: str | None, only: Only | None) -> dict[str, int]:
        if only is not None:
            states = self._glance.states_of(workspace, only)
            total = sum(states.values())
        elif workspace is None:
            states = {str(state): self._glance.runs_in_state(state) for state in RunState if state is not RunState.DONE}
            total = self._glance.newest_run()
            states["done"] = total - sum(states.values())
        else:
            states = self._glance.states_in(workspace)
            total = sum(states.values())
        chips = {chip: sum(states.get(state, 0) for state in members) for chip, members in CHIP_STATES.items()}
        return {"all": total, "care": len(self._care_numbers(workspace, only)), **chips}

    def _care_numbers(self, workspace: str | None, only: Only | None) -> list[int]:
        marks = self._glance.care_marks()
        if self._care[0] != marks:
            self._care = marks, {}
        known = self._care[1]
        if workspace not in known:
            known[workspace] = self._glance.care_numbers(workspace)
        if only is None:
            return known[workspace]
        meant = self._glance.among(known[workspace], only)
        return [number for number in known[workspace] if number in meant]

    def _read(self, numbers: Sequence[int]) -> list[RunRow]:
        undone = self._glance.changed_since_they_ended()
        if len(self._ended) > _KEPT or undone != self._undone:
            self._ended.clear()
            self._undone = undone
        living: dict[int, RunRow] = {}
        found = self._glance.runs_numbered([number for number in numbers if number not in self._ended])
        said = self._waiting([fields for fields in found if fields[5] == "waiting"])
        for fields in found:
            row = _row(fields, said.get(str(fields[1])) or state_of(fields), self._me)
            (self._ended if row.state in ENDED else living)[row.number] = row
        rows = (living.get(number) or self._ended.get(number) for number in numbers)
        return [row for row in rows if row is not None]

    def _waiting(self, found: Sequence[Fields]) -> dict[str, State]:
        """What is said of runs that wait, by run."""
        if not found:
            return {}
        now = self._clock.now_us()
        kinds = self._glance.open_kinds([str(fields[1]) for fields in found])
        timers = {str(run_id): (str(kind), int(due)) for run_id, kind, due in self._glance.timers()}
        ids = [str(fields[1]) for fields in found]
        asked = self._asked()
        return {
            run_id: waiting(kinds.get(run_id, ()), timers.get(run_id), now, asked.get(run_id, ())) for run_id in ids
        }

    def _states_saying(self, word: str) -> list[str]:
        """States whose words may hold this one; what is said of a run that is under way or was stopped is its own."""
        own = [RunState.READY, RunState.RUNNING, RunState.FAILED, RunState.CANCELLED]
        others = (f"for {name}" for names in self._asked().values() for name in names) if word else ()
        fixed = {
            RunState.DONE: (_DONE, _DONE_IDLE, _DONE_REJECTED, *UNDONE.values()),
            RunState.WAITING: (_WAITS, _WAITS_FOR_YOU, *others),
        }
        return [*own, *(state for state, said in fixed.items() if any(word in words.casefold() for words in said))]

    def _asked(self) -> dict[str, tuple[str, ...]]:
        """Whom else the gates of runs wait for, one name for each gate."""
        found: dict[str, tuple[str, ...]] = {}
        for _number, asked, _by, run_id in aside_glance.given(self._glance):
            if asked != self._me:
                found[run_id] = (*found.get(run_id, ()), person(asked))
        return found


def _choices(found: Sequence[Fields]) -> Choices:
    return tuple((str(key), plain(words)) for key, words in found)


def _row(fields: Fields, said: State, me: str) -> RunRow:
    number, run_id, title, template, workspace, state, by, created_at, started_at, ended_at = fields[:10]
    words, tone, care = said
    return RunRow(
        run_id,
        number,
        plain(title),
        plain(template),
        workspace,
        state,
        words,
        tone,
        by,
        created_at,
        started_at,
        ended_at,
        care,
        person(by, me),
        _cost(str(fields[17])),
    )


def _cost(counted: str) -> str:
    """`$0.84`, `at least $0.12`; "" where nothing was asked of an llm that has a price."""
    units = int(counted.removesuffix("+"))
    if not units:
        return ""
    return f"{'at least ' if counted.endswith('+') else ''}{money(dollars(units).normalize(), 'USD')}"


def state_of(fields: Fields) -> State:
    """A run's state for people, its colour, and what needs care, of one that does not wait; `fields` as `Glance` gives them."""
    state, started_at, activity, error, result, acted, undone, silent, noted = fields[5], fields[8], *fields[10:17]
    if undone:
        words, tone, care = state_of((*fields[:14], "", *fields[15:]))
        return f"{words}, {UNDONE[undone]}", "quiet" if tone == "ok" else tone, care
    match state:
        case "ready":
            return ("Starting" if started_at is None else "Carries on"), "info", ""
        case "running":
            return _running(activity, _loaded(silent).get("steps"))
        case "failed":
            return _stopped(_loaded(error)), "bad", ""
        case "cancelled":
            return _cancelled(_loaded(error), noted=bool(noted))
    return _done(result, acted=bool(acted))


def _running(activity: str | None, silent: list[dict[str, Any]] | None) -> State:
    """What it is in, and that nothing is heard of that."""
    if not silent:
        return (f"Running: {one_line(activity)}" if activity else "Running"), "info", ""
    return one_line(silence_in_state(silent)), "warn", ""


def waiting(kinds: tuple[str, ...], timer: tuple[str, int] | None, now_us: int, others: tuple[str, ...] = ()) -> State:
    """What is said of a run that waits for gates of these kinds, else for a timer (its kind and instant); `others` names whom else
    gates of it wait for."""
    care = next((_CARE[kind] for kind in kinds if kind in _CARE), "")
    if kinds and len(others) == len(kinds):
        return f"{_WAITS} for {joined(sorted(set(others)))}", "quiet", care
    if kinds:
        return _WAITS_FOR_YOU, "warn", care
    if timer is not None:
        at = times.when(timer[1], now_us)
        at = f"{at[:1].lower()}{at[1:]}" if at.startswith(("Today", "Tomorrow", "Yesterday")) else at
        return (f"Trying again {at}" if timer[0] == "retry" else f"Waiting until {at}"), "quiet", ""
    return _WAITS, "quiet", ""


def _stopped(error: dict[str, Any]) -> str:
    """Why it stopped; what a person gave as the reason stands as that person's words."""
    reason, step = one_line(error.get("message") or ""), str(error.get("step") or "")
    if error.get("kind") != "stopped":
        return f"Stopped: {reason}" if reason else "Stopped"
    if reason.endswith(f" stopped the run at {step}."):  # no reason was given
        return f"Stopped at ‘{step_name(step)}’"
    return f"Stopped: ‘{reason}’"


def _cancelled(error: dict[str, Any], *, noted: bool) -> State:
    doubts = error.get("in_doubt") or []
    if not doubts:
        return "Cancelled", "quiet", ""
    words = f"Cancelled, {count(len(doubts), 'thing')} not undone"
    if noted:
        return words, "quiet", ""
    effects = ", ".join(step_name(doubt.get("effect") or "an effect") for doubt in doubts)
    return words, "warn", f"Perhaps it happened: {effects}"


def _done(result: str | None, *, acted: bool) -> State:
    """Only a run that did what it was for is green: one that was rejected, or found nothing to do, is not."""
    if result and result.startswith('{"by"') and '"verdict":"rejected"' in result:
        return _DONE_REJECTED, "quiet", ""
    if not acted:
        return _DONE_IDLE, "quiet", ""
    return _DONE, "ok", ""


def _loaded(error: str | None) -> dict[str, Any]:
    try:
        found = json.loads(error) if error else {}
    except ValueError:  # damaged: its page tells it, and the list goes on
        return {}
    return found if isinstance(found, dict) else {}
