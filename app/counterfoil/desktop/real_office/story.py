"""What a run did until a gate was asked, in at most seven lines, restarts included."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.people import capital, person
from counterfoil.desktop.words.plain import one_line
from counterfoil.desktop.words.runs import step_name
from counterfoil.facts import Outcome, StepKind, given_words
from counterfoil.store.gate_glance import GateGlance, Row

if TYPE_CHECKING:
    from counterfoil.store.transactions import Row as AnyRow

LINES = 7
_RESTARTED = "runner or host had ended"  # the reason that a claim after a crash is noted with
_ANSWERED = {"approved": "approved", "rejected": "rejected", "returned": "sent back", "answered": "answered"}

Line = tuple[int, str]  # instant, words


def titles_of(version: AnyRow | None) -> dict[str, str]:
    """What a template's author calls its steps, by their names."""
    steps = json.loads(version["manifest"]).get("steps") or [] if version is not None else []
    return {str(step["name"]): str(step["title"]) for step in steps if step.get("title")}


def story_of(
    look: GateGlance, run: Row, gate: Row, done: Sequence[Row], titles: Mapping[str, str], me: str
) -> tuple[str, ...]:
    """The lines, oldest first, out of the records of the run; where there are too many, the oldest steps are told as a number, and what
    people and crashes did is kept longest."""
    until = gate["asked_at"]
    restarts = _restarts(look, run["run_id"], until)
    tail = [f"Including {count(len(restarts), 'restart')}; nothing was done twice."] if restarts else []
    first = _told((run["created_at"], f"started by {person(run['started_by'], me)}"))
    steps, others = _steps(done, titles, until), _in_order([*_answers(look, run["run_id"], gate, me), *restarts])
    room, many = LINES - 1 - len(tail), len(steps) + len(others)
    if many <= room:
        return (first, *map(_told, _in_order([*steps, *others])), *tail)
    others = others[-(room - 1) :]
    steps = steps[len(steps) - (room - 1 - len(others)) :]
    kept = _in_order([*steps, *others])
    return (first, f"… {many - len(kept)} more …", *map(_told, kept), *tail)


def _in_order(lines: list[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: line[0])


def _told(line: Line) -> str:
    return f"{times.clock_seconds(line[0])} {capital(line[1])}"


def _steps(done: Sequence[Row], titles: Mapping[str, str], until: int) -> list[Line]:
    """What was recorded, except look-ups and decisions, which have lines of their own."""
    lines = []
    for record in done:
        if record["committed_at"] > until or record["kind"] in (StepKind.GATE, StepKind.LOOKUP, StepKind.RACE):
            continue
        said = one_line(record["summary"] or "")
        failed = " did not end well" if record["outcome"] == Outcome.FAILED else ""
        name = titles.get(record["name"]) or step_name(record["name"])
        lines.append((record["committed_at"], f"{name}{failed}: {said}" if said else f"{name}{failed}"))
    return lines


def _answers(look: GateGlance, run_id: str, gate: Row, me: str) -> list[Line]:
    lines = []
    for earlier in look.gates_of_run(run_id):
        if earlier["number"] >= gate["number"]:
            continue
        lines += [
            (made["at"], f"{person(made['principal'], me)} {_did(made, earlier['title'])}")
            for made in look.decisions(earlier["gate_id"])
        ]
    return lines


def _did(made: Row, title: str) -> str:
    """What a decision was, in words; a file that was given is named with its seal."""
    file = json.loads(made["answers"]).get("file")
    if isinstance(file, dict) and "in_place_of" in file:
        return f"gave {one_line(given_words(file))}"
    return f"{_ANSWERED.get(made['verdict'], 'decided')} ‘{one_line(title)}’"


def _restarts(look: GateGlance, run_id: str, until: int) -> list[Line]:
    lines = []
    for entry in look.carried_on(run_id, until):
        told = json.loads(entry["after"])
        if told.get("reason") == _RESTARTED:
            kept = int(told.get("from_step") or 1) - 1
            lines.append((entry["at"], f"restarted; {count(kept, 'step')} {'was' if kept == 1 else 'were'} kept"))
    return lines
