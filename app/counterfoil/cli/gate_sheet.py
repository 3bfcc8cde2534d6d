"""A gate as a person reads it in a terminal: what is asked, what follows, everything that is proposed, how to decide.

Sentences of the product stand free; text of a document or an llm stands behind a bar with the name of whose words it is.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from enum import Enum
from typing import Any

from counterfoil.cli.call import harmless
from counterfoil.cli.file_sheet import SHOWN, file_lines
from counterfoil.cli.tables import pairs, table
from counterfoil.cli.words import Cell, cell, clock, counted, gate_title, handed, person, seal, size, waited_for
from counterfoil.facts import given_words, unproven
from counterfoil.policy.boundaries import visible
from counterfoil.previews.preview import FileSeen

Document = dict[str, Any]
_PASSED = "passed"  # what a check says of itself, in the first column
_LONG = 20  # rows


class Folding(Enum):
    """What of the evidence is told by a count instead of shown."""

    NOTHING = 0
    PASSED = 1  # checks that passed
    LONG = 2  # these, and long tables without amounts


_ODD_SHAPES = (
    KeyError,
    TypeError,
    IndexError,
    ValueError,
)  # an author's data may be anything: it is shown all the same


def gate_sheet(
    gate: Document,
    spec: Document,
    run: Document,
    width: int,
    folding: Folding,
    files: Sequence[FileSeen] = (),
    *,
    protection: str = "",
    before: Sequence[str] = (),
) -> list[str]:
    """Lines for one gate; `gate` and `run` are contract documents, `spec` holds the plain values behind them, `files` what the plan does
    to each file, `protection` is the sentence of the run's level, `before` what people answered to this before."""
    lines = _head(gate, run)
    for sentence in gate["consequences"]:
        lines.append(f"  {sentence}")
    lines.append("")
    if before:
        lines += ["Answered before", *(f"  {sentence}" for sentence in before), ""]
    figures = [(label, cell(value).text) for label, value in spec.get("figures") or []]
    if figures:
        lines.extend([*pairs(figures, indent=2), ""])
    if gate["flags"]:
        lines.extend(["Needs a look first", *(f"  ! {flag}" for flag in gate["flags"]), ""])
    shown = spec.get("evidence") or []
    known = gate["evidence"][: len(gate["evidence"]) - len(shown)]
    for piece in [*known, *shown]:
        lines.extend([*evidence(piece, width, folding, f"counterfoil show g-{gate['number']} --all"), ""])
    if gate["plan"]:
        lines.extend([*_plan(gate["plan"], width), ""])
    if files:
        most = {Folding.NOTHING: None, Folding.PASSED: SHOWN, Folding.LONG: 0}[folding]
        lines.extend(
            ["Files, before → after", *file_lines(files, most, f"counterfoil show g-{gate['number']} --all"), ""]
        )
    if gate["fields"]:
        lines.extend([*_fields(gate["fields"], spec.get("fields") or []), ""])
    if protection:
        lines.append(f"Protection of this run: {protection} ({run['isolation']})")
    return lines + _foot(gate)


def _head(gate: Document, run: Document) -> list[str]:
    asked = [f"asked {clock(gate['asked_at'])}", f"run r-{run['number']} “{run['title']}”"]
    if gate["files_as_of"]:
        asked.append(f"files as of {clock(gate['files_as_of'])}")
    if gate["round"] > 1:
        asked.append(f"round {gate['round']}")
    lines = [f"g-{gate['number']}  {gate_title(gate)}", f"  {' · '.join(asked)}"]
    given = gate["waits_for"]
    if given is not None and gate["state"] == "open":
        why = f": “{given['comment']}”" if given["comment"] else ""
        said = handed(given["who"], given["by"])
        lines.append(f"  {said[:1].upper()}{said[1:]}{why}")
    if gate.get("snoozed_until"):
        lines.append(f"  snoozed until {clock(gate['snoozed_until'])}; counterfoil snooze g-{gate['number']} --wake")
    return [*lines, ""]


def evidence(piece: Document, width: int, folding: Folding, whole: str) -> list[str]:
    """Lines for one piece of evidence, of whatever kind; `whole` is the command that shows what is folded."""
    kind = str(piece["kind"]).partition("@")[0]
    title = piece["title"] if not piece["source"] or kind == "file" else f"{piece['title']} (from {piece['source']})"
    data = piece["data"]
    try:
        body = _table(data, width, folding, whole) if kind == "table" else _BODIES.get(kind, _tree)(data)
    except _ODD_SHAPES:
        body = _tree(data)
    return [title, *body]


def _table(data: Any, width: int, folding: Folding, whole: str) -> list[str]:
    flagged = set(data.get("flagged") or [])
    rows = [
        [Cell("!" if at in flagged else ""), *(cell(value) for value in row)] for at, row in enumerate(data["rows"])
    ]
    if not rows:
        return ["  none"]
    rows = [rows[at] for at in sorted(range(len(rows)), key=lambda at: at not in flagged)]
    kept = _unfolded(rows, folding)
    note = [f"  {_folded(rows, kept)}: {whole}"] if len(kept) < len(rows) else []
    if data.get("total"):
        kept.append([Cell("="), *(cell(value) for value in data["total"])])
    names = ["", *map(str, data["columns"])]
    if not any(row[0].text for row in kept):
        names, kept = names[1:], [row[1:] for row in kept]
    return [*(table(names, kept, width, indent=2) if kept else []), *note]


def _unfolded(rows: list[list[Cell]], folding: Folding) -> list[list[Cell]]:
    """Rows that are shown: never fewer than those with a flag or with money in them."""
    if folding is Folding.NOTHING:
        return rows
    rows = [row for row in rows if row[0].text or row[1].text != _PASSED]
    if folding is Folding.LONG and len(rows) > _LONG and not any(entry.money for row in rows for entry in row):
        return [row for row in rows if row[0].text]
    return rows


def _folded(rows: list[list[Cell]], kept: list[list[Cell]]) -> str:
    passed = sum(row[1].text == _PASSED and not row[0].text for row in rows)
    more = len(rows) - len(kept) - passed
    words = [f"{passed} passed"] if passed else []
    return " and ".join([*words, *([counted(more, "row", "rows")] if more else [])])


def _pairs(data: Any) -> list[str]:
    return pairs([(str(name), cell(value).text) for name, value in data], indent=2)


def _text(data: Any) -> list[str]:
    return [f"  | {line}" for line in str(data).splitlines()]


def _file(data: Any) -> list[str]:
    page = f", page {data['page']}" if data.get("page") else ""
    return [f"  {data['path']}{page}"]


def _tree(data: Any) -> list[str]:
    return [f"  | {cell(data).text}"]


_BODIES = {"fields": _pairs, "text": _text, "diff": _text, "file": _file}


def _plan(plan: list[Document], width: int) -> list[str]:
    rows = [
        [
            Cell(str(item["n"]), figure=True),
            Cell(item["summary"] or item["effect"] or ""),
            Cell(item["target"] or ""),
            Cell(size(item["bytes"]), figure=True),
            Cell(_risk(item)),
        ]
        for item in plan
    ]
    return ["What would be done", *table(["", "effect", "target", "size", ""], rows, width, indent=2)]


def _risk(item: Document) -> str:
    words = {
        "sends": "is sent, cannot be taken back",
        "spends": "spends money",
        "destroys": "destroys what is there",
        "runs_later": "runs later, confirmed by itself",
    }
    return words.get(item["risk"], "")


def _fields(fields: list[Document], whole: list[Document]) -> list[str]:
    lines = ["What you can fill in"]
    for field, more in zip(fields, whole, strict=True):
        notes = [field["type"] if field["choices"] is None else " | ".join(field["choices"])]
        if field["required"]:
            notes.append("required")
        if field["default"] is not None:
            notes.append(f"else {cell(field['default']).text}")
        if more.get("remakes"):
            notes.append("makes the plan anew and asks again")
        lines.append(f"  --set {field['name']}=…  {field['label']} ({', '.join(notes)})")
        if more.get("help"):
            lines.append(f"      {more['help']}")
    return lines


def _foot(gate: Document) -> list[str]:
    lines = [f"Sealed to what you see: {seal(gate['digest'])} (--digest {gate['digest']})"]
    if gate["state"] != "open":
        return [*lines, *closed_words(gate)]
    if gate["due_at"]:
        lines.insert(0, f"If nobody decides by {clock(gate['due_at'])}: nothing is done, this question expires.")
    else:
        who = waited_for([gate])
        lines.insert(0, f"No deadline. It waits until {'you decide' if who == 'you' else f'{who} decides'}.")
    return [*lines, *how_to_decide(gate)]


def how_to_decide(gate: Document) -> list[str]:
    """The commands that decide an open gate."""
    name = f"g-{gate['number']}"
    back = [f"  counterfoil return {name} --comment TEXT", f"  counterfoil reject {name} --comment TEXT"]
    if gate["kind"] == "approval":
        later = ",".join(str(item["n"]) for item in gate["plan"] if item["risk"] == "runs_later")
        return ["To decide:", f"  counterfoil approve {name}{f' --confirm {later}' if later else ''}", *back]
    if gate["kind"] == "conflict":
        return ["To decide:", *_conflict_commands(gate, name), *back]
    settings = " ".join(f"--set {field['name']}=…" for field in gate["fields"] if field["required"])
    return [
        "To decide:",
        f"  counterfoil answer {name} {settings}".rstrip(),
        *(back if gate["kind"] == "question" else []),
    ]


def _conflict_commands(gate: Document, name: str) -> list[str]:
    """One answer for every file, and the words for a single one."""
    every, *own = gate["fields"]
    lines = [f"  counterfoil answer {name} --set choice={'|'.join(every['choices'])}"]
    return lines + [
        f"  counterfoil answer {name} --set {shlex.quote(field['name'])}={'|'.join(field['choices'])}"
        for field in own[:3]
    ]


def closed_words(gate: Document) -> list[str]:
    """What became of a gate that is open no more, one line per decision."""
    lines = [
        f"{person(decision['by'])} {'decided' if decision['verdict'] == 'expired' else decision['verdict']} "
        f"at {clock(decision['at'])}{_said(decision)}"
        for decision in gate["decisions"]
    ]
    word = {
        "withdrawn": "This question was withdrawn: its run has ended.",
        "expired": "Nobody decided in time. Nothing was done.",
        "superseded": "What is asked has changed; a newer round is open.",
    }.get(gate["state"])
    return ([word] if word else []) + lines


def prior_lines(found: Sequence[tuple[Document, str]], run: int) -> list[str]:
    """What people answered before to what a gate asks, newest first; `run` is the number of its own run."""
    lines = []
    for made, answered in found:
        words = [f"“{harmless(text)}”" for text in (answered, made["comment"]) if text]
        where = "" if made["run_number"] == run else f", in run r-{made['run_number']}"
        said = f"{person(made['principal'])} {made['verdict']} at {clock(made['at'])}{where}"
        lines.append(f"{said}: {', '.join(words)}" if words else said)
    return lines


def answer_lines(answers: Document) -> list[str]:
    """What was filled in, one line per field; fields left empty are left out."""
    return [f"{name}: {_filled(value)}" for name, value in answers.items() if value not in (None, "", [])]


def _filled(value: Any) -> str:
    is_file = isinstance(value, dict) and "in_place_of" in value
    return visible(given_words(value)) if is_file else cell(value).text


def _said(decision: Document) -> str:
    return unproven(decision["signature"]) + (f": “{harmless(decision['comment'])}”" if decision["comment"] else "")


def gate_line(gate: Document) -> str:
    """One gate in one line, for lists under a run; with whom it was given to."""
    given = gate["waits_for"]
    note = f"  ({handed(given['who'], given['by'])})" if given is not None else ""
    return f"g-{gate['number']}  {gate_title(gate)}{note}"


def plan_words(gate: Document) -> str:
    """How much a gate proposes: `4 effects`."""
    return counted(len(gate["plan"]), "effect", "effects") if gate["plan"] else ""
