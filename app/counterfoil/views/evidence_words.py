"""The first page of a pack of evidence, in plain words: what it is about, what is in it, how it is checked, and what it cannot prove."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from counterfoil import __version__
from counterfoil.clock import from_us, to_us
from counterfoil.facts import person
from counterfoil.policy import protection
from counterfoil.policy.boundaries import visible
from counterfoil.store.transactions import Row

_VERDICTS = {
    "approved": "approved",
    "rejected": "rejected",
    "returned": "sent back",
    "answered": "answered",
    "expired": "let expire",
}
_ENDS = {"done": "Done", "failed": "Stopped", "cancelled": "Cancelled"}
_CHECK = """\
Unpack it and run, with Python 3.9 or later and nothing beside it:

    python -I verify.py

It computes every digest and every chain anew. Where something does not match, it says in which file and at which entry; what stands
before that entry in its chain is sound."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """What a pack has not: digests of longer values that are not kept any more, and members that could not be read."""

    gone: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()


def first_page(
    document: Mapping[str, Any],
    run: Row,
    gates: Sequence[Row],
    decisions: Sequence[Row],
    trail: Sequence[Row],
    newest: str,
    means: Mapping[str, str],
    lacking: Lacking,
    now_us: int,
) -> str:
    """The page as a text; `newest` is the seal of the newest entry of the home's trail."""
    title = f"Evidence of run {run['number']}: {run['title']}"
    parts = (
        ("", [title, "=" * len(title), f"Exported {_when(now_us)} by Counterfoil {__version__}."]),
        *([("What is missing", _missing(document, lacking))] if lacking.damaged or "unreadable" in document else []),
        ("The run", _run(document, run)),
        ("Decisions", _decisions(gates, decisions)),
        ("What it did outside", _effects(document)),
        (
            "What is in this pack",
            [f"{name:<16} {what}" for name, what in means.items() if name != "README.txt"] + _folders(),
        ),
        ("How to check it", _CHECK.splitlines()),
        ("What this pack cannot prove", _limits(run, decisions, trail, newest, lacking.gone)),
    )
    return "\n".join("\n".join([*_heading(head), *map(_line, lines), ""]) for head, lines in parts)


def _line(text: str) -> str:
    """A line in which nothing that somebody else has written moves, hides or ends it; folded where it is long."""
    return textwrap.fill(visible(text), 118, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _heading(head: str) -> list[str]:
    return [head, "-" * len(head)] if head else []


def _missing(document: Mapping[str, Any], lacking: Lacking) -> list[str]:
    """What could not be read where this was exported; everything else is in the pack."""
    told = [f"{document['unreadable']} run.json holds what its row tells."] if "unreadable" in document else []
    damaged = [f"{name} is not in this pack: it could not be read where this was exported." for name in lacking.damaged]
    return [*told, *damaged, "Everything else that is kept of this run is here."]


def _run(document: Mapping[str, Any], run: Row) -> list[str]:
    ended = (
        f"{_ENDS.get(run['state'], run['state'])} {_when(run['ended_at'])}." if run["ended_at"] else "It has not ended."
    )
    carried = document["checkpoint"]["resumptions"]
    lines = [
        f"Template {run['template']}, version {run['version']}",
        f"Workspace {run['workspace']}",
        f"Started by {person(run['started_by'])} {_when(run['created_at'])}. {ended}",
        f"{len(document['steps'])} steps are recorded. {_carried(len(carried))}"
        if "unreadable" not in document
        else "Its steps stand in records.jsonl as they are kept.",
    ]
    return lines + [f"  {_when(_us(one['at']))}: {one['reason'] or 'carried on'}" for one in carried]


def _carried(number: int) -> str:
    if not number:
        return "It has run in one go."
    return f"It was carried on { ({1: 'once', 2: 'twice'}.get(number) or f'{number} times') }:"


def _decisions(gates: Sequence[Row], decisions: Sequence[Row]) -> list[str]:
    asked = {row["gate_id"]: row for row in gates}
    lines = [_decision(row, asked[row["gate_id"]]) for row in decisions]
    open_ones = [row for row in gates if row["state"] == "open"]
    lines += [f"Nobody has decided yet: “{row['title']}” (g-{row['number']})." for row in open_ones]
    return lines or ["Nothing was asked of a person."]


def _decision(row: Row, gate: Row) -> str:
    behalf = f", for {person(row['on_behalf_of'])}" if row["on_behalf_of"] else ""
    entered = f", entered by {person(row['entered_by'])}" if row["entered_by"] else ""
    back = f" Taken back {_when(row['voided_at'])}." if row["voided_at"] else ""
    seal = f"{row['digest'][:4]} {row['digest'][4:8]}"
    what = f"{person(row['principal'])} {_VERDICTS.get(row['verdict'], row['verdict'])} “{gate['title']}” (g-{gate['number']})"
    return f"{_when(row['at'])}: {what}{behalf}{entered}, seal {seal}.{back}"


def _effects(document: Mapping[str, Any]) -> list[str]:
    begun = [step for step in document["steps"] if step["kind"] == "effect"]
    lines = [f"{step['summary'] or step['name']}: {step['state']}" for step in begun]
    files = [
        f"  {one['path']}{' to ' + one['target'] if one['target'] else ''}: "
        f"{_digest(one['before_digest'])} before, {_digest(one['after_digest'])} after"
        for one in document["files"]
    ]
    if "unreadable" in document:
        return [*files, "What was begun outside stands in effects.jsonl."]
    return [*lines, *files] or ["Nothing was begun outside."]


def _digest(sha: str | None) -> str:
    return sha[:16] if sha else "not there"


def _folders() -> list[str]:
    return [
        f"{'gates/':<16} What was shown at each gate, with exactly the bytes that its digest is over",
        f"{'kept/':<16} Longer values, each named by its digest",
        f"{'template/':<16} The code of the template that ran",
    ]


def _limits(run: Row, decisions: Sequence[Row], trail: Sequence[Row], newest: str, gone: Sequence[str]) -> list[str]:
    left_out = sum(max(0, after["seq"] - before["seq"] - 1) for before, after in itertools.pairwise(trail))
    named = sum(row["signature"] == "unverified" for row in decisions)
    lines = [
        "Time: every instant is what the clock of that computer said. Nobody else has vouched for it.",
        (
            "The newest entries: that some were removed shows only against a seal kept elsewhere. When this was exported, the "
            f"seal of the newest entry of the trail was {newest}. The export itself is an entry after it "
            "and names the seal of this pack (seal.txt)."
        ),
        (
            f"The entries between: {left_out:,} entries of the trail lie between those here and are about other matters. That none of them "
            "was changed can be checked where this was exported: counterfoil trail --verify"
        ),
        (
            "What no chain holds: this page, run.json, readings.jsonl, files.jsonl, rules.jsonl and verify.py are held by the seal of this "
            "pack alone. Compare the seal that verify.py prints with the one that the trail keeps where this was exported."
        ),
        f"Who: {_signed(len(decisions), named)}",
        (
            f"What the code could reach: {protection.sentence(run['isolation']) or protection.badge(run['isolation'])} "
            "Whoever could write to the data folder of that computer could have made all of this anew before the export."
        ),
        "Afterwards: what became of files and messages later, and what people did outside Counterfoil.",
        "Secrets: Counterfoil records none. Where one was used, its name stands instead.",
    ]
    if gone:
        lines.append(f"Longer values: {len(gone)} are not kept any more; their digests stand in contents.json.")
    return [f"- {line}" for line in lines]


def _signed(number: int, named: int) -> str:
    if not number:
        return "no decision was given."
    said = "no decision is signed with a key. Each names the account of that computer that it was given from."
    return f"{said} {named} of {number} were given in the name of somebody whose account it was not." if named else said


def _when(us: int) -> str:
    local = from_us(us).astimezone()
    return f"{local.day} {local:%b %Y %H:%M:%S} ({local:%z})"


def _us(text: str) -> int:
    return to_us(datetime.fromisoformat(text))
