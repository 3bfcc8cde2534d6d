"""Items of a plan that are decided one by one: a row for each, and in words of its own what it does, where its name says too little."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.desktop.gate.facts import AnswerRow
from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.office import Document
from counterfoil.desktop.words.choices import ALLOW, APPROVE, LEAVE, REFUSE
from counterfoil.desktop.words.plain import one_line, plain

_LISTED = 3  # rows or moves that are named, and values of a row
_DIGEST = re.compile(r"[0-9a-f]{24,}")


def to_confirm(document: Document) -> list[AnswerRow]:
    """A row for each item of the plan whose files run later: it is confirmed by itself, whatever else is approved."""
    return [
        AnswerRow(
            key=f"runs-later.{item['n']}",
            title=plain(item["summary"]),
            choices=(ALLOW, REFUSE),
            flag=plain(item.get("risk_reason") or "This runs later."),
            item=int(item["n"]),
        )
        for item in document.get("plan") or ()
        if item.get("risk") == "runs_later" and document["state"] == "open"
    ]


def item_by_item(document: Document, seen: GateSeen) -> list[AnswerRow]:
    """A verdict for each item of a plan that may be approved in part; without one it is approved with the rest."""
    if not seen.partial or document["state"] != "open" or document["kind"] != "approval":
        return []
    return [
        AnswerRow(
            key=f"item.{item['n']}",
            title=plain(item["summary"]),
            choices=(APPROVE, LEAVE),
            help=_more(seen.bodies[n - 1]) if n <= len(seen.bodies) else "",
            default=APPROVE,
            item=int(item["n"]),
        )
        for n, item in enumerate(document.get("plan") or (), 1)
        if item.get("risk") != "runs_later"
    ]


def _more(body: Mapping[str, Any]) -> str:
    """Which rows are added and which files get which names: items of one plan are often called alike."""
    args = body["args"]
    match str(body["kind"]).partition("@")[0]:
        case "append_rows":
            return _first([_values(row) for row in args["rows"]], "row")
        case "move_files" if len(args["moves"]) > 1:
            return _first([f"{one_line(source)} → {one_line(target)}" for source, target in args["moves"]], "file")
        case _:
            return ""


def _first(lines: Sequence[str], noun: str) -> str:
    """The first few, a line each, and how many stand below, among the files."""
    named = [line for line in lines if line]
    more = len(named) - _LISTED
    tail = [f"{more:,} more {noun}{'s' if more > 1 else ''} among the files below."] if more > 0 else []
    return "\n".join([*named[:_LISTED], *tail])


def _values(row: Sequence[Any]) -> str:
    """What tells a row from others: its first words; numbers and digests alone say nothing without their columns."""
    words = [one_line(cell) for cell in row if isinstance(cell, str) and cell.strip()]
    telling = [word for word in words if any(map(str.isalpha, word)) and not _DIGEST.fullmatch(word)]
    return " · ".join(telling[:_LISTED])
