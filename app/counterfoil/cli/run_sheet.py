"""A run as a person reads it in a terminal: result first, then steps, effects, files, the checkpoint and what it waits for."""

from __future__ import annotations

from typing import Any

from counterfoil.cli.gate_sheet import gate_line
from counterfoil.cli.tables import pairs, table
from counterfoil.cli.words import Cell, cell, clock, counted, person, run_state, size, step_words, took, waited_for
from counterfoil.facts import given_words
from counterfoil.policy.boundaries import visible
from counterfoil.stage.leaving_out import told

Document = dict[str, Any]


def run_sheet(run: Document, width: int, protection: str) -> list[str]:
    """Lines for the document of `show RUN`; `protection` is the sentence of the level that it was started with."""
    lines = _head(run, protection)
    lines += _outcome(run)
    if run["gates"]:
        lines += [f"Waits for {waited_for(run['gates'])} in", *(f"  {gate_line(gate)}" for gate in run["gates"]), ""]
    lines += ["Steps", *_steps(run["steps"], width), ""]
    if run["files"] or run["given"]:
        lines += ["Files", *_given(run["given"]), *_files(run["files"], width), ""]
    return [*lines, "Checkpoint", *_checkpoint(run["checkpoint"])]


def _head(run: Document, protection: str) -> list[str]:
    planned = f"planned {clock(run['planned_at'])}, " if run["planned_at"] else ""
    began = f"{planned}started {clock(run['created_at'])} by {person(run['started_by'])}"
    began += f": {run['start_reason']}" if run["start_reason"] else ""
    lasted = took(run["started_at"], run["ended_at"])
    facts = [("Template", f"{run['template']} (version {run['version'][:8]})"), ("Workspace", run["workspace"])]
    facts += [(name, cell(value).text) for name, value in (run["parameters"] or {}).items()]
    facts.append(("Protection", f"{protection} ({run['isolation']})"))
    facts += _copy(run["copy"]) if run["copy"] else []
    facts += _again(run["again_of"]) if run["again_of"] else []
    return [
        f"r-{run['number']}  {run['title']}",
        f"  {run_state(run, run['steps'])} · {began}{f' · took {lasted}' if lasted else ''}",
        "",
        *pairs(facts, indent=2),
        "",
    ]


def _again(before: Document) -> list[tuple[str, str]]:
    """The run that this one does again, and why."""
    part = "" if before["ordinal"] is None else f", from step {before['ordinal'] + 1}; what it did before that is kept"
    said = [("Again", f"r-{before['number']}{part}")]
    return [*said, ("Reason", before["reason"])] if before["reason"] else said


def _copy(copy: Document) -> list[tuple[str, str]]:
    """As of when the run's files are, and what of the workspace is not among them."""
    held = f"as of {clock(copy['files_as_of'])}: {counted(copy['files'], 'file', 'files')}, {size(copy['bytes'])}"
    left_out = told((one["path"], one["why"]) for one in copy["left_out"])
    return [("Files", held), *([("Left out", ", ".join(left_out))] if left_out else [])]


def _outcome(run: Document) -> list[str]:
    lines: list[str] = []
    if run["result"] is not None:
        lines += ["Result", *result_lines(run["result"]), ""]
    if run["error"]:
        lines += [f"Stopped: {run['error']['message']}", f"  {run['error']['next']}", ""]
    note = run["note"]
    return (
        [*lines, f"Noted by {person(note['by'])}, {clock(note['at'])}", f"  {cell(note['text']).text}", ""]
        if note
        else lines
    )


def result_lines(result: Any) -> list[str]:
    """A run's result as lines."""
    if isinstance(result, dict) and "currency" not in result:
        return pairs([(name.replace("_", " "), cell(value).text) for name, value in result.items()], indent=2)
    return [f"  {cell(result).text}"]


_GLYPHS = {
    "done": "✓",
    "failed": "✗",
    "running": "▸",
    "retrying": "↻",
    "waiting": "…",
    "unknown": "?",
    "skipped": "-",
}


def _steps(steps: list[Document], width: int) -> list[str]:
    if not steps:
        return ["  none yet"]
    costs = any(step["cost"] is not None for step in steps)
    rows = [
        [
            Cell(_GLYPHS[step["state"]]),
            Cell(_place(step), figure=True),
            Cell(step_words(step["name"])),
            Cell(step["state"]),
            Cell(step["summary"] or ""),
            Cell(clock(step["ended_at"] or step["started_at"])),
            Cell(took(step["started_at"], step["ended_at"]), figure=True),
            Cell(str(step["attempts"]) if step["attempts"] > 1 else "", figure=True),
            *([cell(step["cost"])] if costs else []),
        ]
        for step in steps
    ]
    names = ["", "step", "name", "state", "", "at", "took", "tries", *(["cost"] if costs else [])]
    return table(names, rows, width, indent=2)


def _place(step: Document) -> str:
    """Where a step stands, counted from 1 as people do: 4.2.1 is step 1 in branch 2 of step 4."""
    parts = [int(part) for part in step["path"].split("/") if part]
    return ".".join(str(part + 1) for part in [*parts, step["ordinal"]])


def _given(given: list[Document]) -> list[str]:
    """Who gave which file in place of which, in the run's copy alone."""
    return [
        f"  {person(one['by'])} gave {visible(given_words({**one, 'in_place_of': one['path']}))}, {clock(one['at'])}. "
        "The file in your folder was not touched."
        for one in given
    ]


def _files(files: list[Document], width: int) -> list[str]:
    if not files:
        return []
    words = {"planned": "approved, not written yet", "applied": "done", "rolled_back": "put back", "undone": "undone"}
    rows = [
        [Cell(op["op"]), Cell(op["path"]), Cell(f"→ {op['target']}" if op["target"] else ""), Cell(words[op["state"]])]
        for op in files
    ]
    return table(["", "file", "", "state"], rows, width, indent=2)


def _checkpoint(checkpoint: Document) -> list[str]:
    where, middle = checkpoint["where"], checkpoint["middle"]
    row = f"row {where['row']:,}" if where["row"] is not None else "no record yet"
    again = checkpoint["resumptions"]
    carried = "never had to" if not again else f"{len(again)} times" if len(again) > 1 else "once"
    lines = pairs(
        [
            ("Where is it kept?", f"{where['file']}, {row}. Saved {clock(where['committed_at'])}, flushed to disk."),
            ("", f"{size(where['bytes'])}"),
            ("If it stops right now?", middle["would"] if middle else "Nothing is half done; nothing would run again."),
            ("Who pays twice?", who_pays(checkpoint["paid"])),
            ("Carried on?", carried),
        ],
        indent=2,
    )
    return lines + [f"    {_resumption(entry)}" for entry in again]


def who_pays(paid: Document) -> str:
    """What is paid twice, and what may have been."""
    if not paid["calls"] and not paid["perhaps_billed"]:
        return "Nobody: this run makes no paid calls."
    said = f"Nobody. {counted(paid['calls'], 'llm call', 'llm calls')} answered."
    if paid["answered_from_records"]:
        saved = f": {cell(paid['saved']).text} not spent again" if paid["saved"] else ""
        said += f" {paid['answered_from_records']:,} answered from what is kept when it was carried on{saved}."
    if paid["perhaps_billed"]:
        said += f" {counted(paid['perhaps_billed'], 'request', 'requests')} may have been billed without an answer."
    return said


def _resumption(entry: Document) -> str:
    parts = [clock(entry["at"]), entry["reason"] or "carried on"]
    if entry["from_step"]:
        parts.append(f"from {_text(entry['from_step'])}")
    reran = entry["reran"]
    count = len(reran) if isinstance(reran, list) else int(reran)
    parts.append(f"{counted(count, 'step', 'steps')} started again" if count else "nothing was done twice")
    if entry["doubts"]:
        parts.append(f"in doubt: {_text(entry['doubts'])}")
    return ", ".join(parts)


def _text(value: Any) -> str:
    return cell(value).text
