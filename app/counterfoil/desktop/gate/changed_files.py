"""The rows of “Files changed”, without Qt: per file what it was, what it is in the folder now, what the run would make of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from counterfoil.desktop.gate.facts import AnswerRow, Fact
from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import seal, size
from counterfoil.desktop.words.plain import plain

_FOLDER = "Your folder is another one than the one that was approved"


def changed_rows(seen: GateSeen, fields: Sequence[Mapping[str, Any]], today: date) -> tuple[AnswerRow, ...]:
    """A row for each file; one for the folder itself where another one is in its place and all its files are as they were."""
    files = seen.about.get("files") or ()
    if files:
        return tuple(_row(file, today) for file in files)
    choices = next(field["choices"] for field in fields if field["name"] == "choice")
    return (AnswerRow(key="", title=_FOLDER, choices=tuple(str(one) for one in choices)),)


def _row(file: Mapping[str, Any], today: date) -> AnswerRow:
    now, run, both = file["now"], file["run"], file["both"]
    facts = [
        Fact("Before", _seal(file["before"]) or "not there", mark="−"),
        Fact("Yours now", _now(now, today) if now else "not there"),
        Fact("The run's", ". ".join([plain(file["does"]), *([_side(run)] if run else [])]), mark="+"),
    ]
    if both:
        facts.append(Fact("Both", f"Yours stays; the run's goes beside it as {plain(both['path'])}"))
    choices = tuple(str(choice) for choice in file["choices"])
    return AnswerRow(
        key=str(file["field"]).removeprefix("choice."),
        title=plain(file["path"]),
        choices=choices,
        flag=f"It {plain(file['why'])}.",
        facts=tuple(facts),
        default=choices[0] if len(choices) == 1 else "",
    )


def _now(now: Mapping[str, Any], today: date) -> str:
    at = int(now["changed_at"])
    return f"{_side(now)}, saved {times.in_sentence(times.day(times.local(at).date(), today))} {times.clock_time(at)}"


def _side(file: Mapping[str, Any]) -> str:
    return f"{size(int(file['size'] or 0))}, {_seal(file['sha256'])}"


def _seal(sha: object) -> str:
    text = str(sha or "")
    return f"seal {seal(text)}" if len(text) == 64 else text
