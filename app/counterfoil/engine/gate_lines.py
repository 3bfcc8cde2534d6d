"""From a gate's spec to the line that a list shows of it: why it asks, its key figure, whether it may be decided with others, and the
words and amounts that a search finds it by."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from typing import Any

from counterfoil.authoring.codec import canonical
from counterfoil.facts import INLINE_LIMIT, GateKind, Risk, storable
from counterfoil.store.gate_lines import GateLine

Spec = dict[str, Any]
_NUMBERED = re.compile(r"\A\d+\.\s+")  # the number that a row has; one in the middle belongs to an account or a date
_LONGEST_WORD = 200  # characters; a longer cell is prose, which nobody looks a gate up by
_LONGEST_WHY = 300


def line_of(spec: Spec) -> GateLine:
    """The line of a gate that shows this spec."""
    why, search = storable(_short(_why(spec))), storable(_search(spec))
    return GateLine(why=why, figure=_figure(spec), bulk=_bulk(spec), search=search)


def _why(spec: Spec) -> str:
    about = spec.get("about") or {}
    warned = set(spec.get("warnings") or ())
    flags = [_NUMBERED.sub("", str(flag), count=1) for flag in spec["flags"] if flag not in warned]
    match spec["kind"]:
        case GateKind.DOUBT:
            return "No answer came. It has not been tried again."
        case GateKind.FAILURE:
            error = about.get("error") or {}
            return str(error.get("message") or error.get("type") or "It stopped.").strip().split("\n")[0]
        case GateKind.BUDGET:
            return "Nothing more is asked of an llm before you answer."
        case GateKind.CONFLICT:
            return _changed([str(path) for path in about.get("paths") or ()])
    if flags:
        more = len(flags) + len(warned) - 1
        return f"{flags[0]} And {more} more." if more else flags[0]
    if warned:
        return "It has read words from outside."
    return _of_plan(spec["plan"]) if spec["kind"] == GateKind.APPROVAL else "It goes on with your answer."


def _short(why: str) -> str:
    """As many of its words as a list keeps; that some are missing is seen."""
    return why if len(why) <= _LONGEST_WHY else f"{why[:_LONGEST_WHY].rsplit(' ', 1)[0]} …"


def _changed(paths: list[str]) -> str:
    if not paths:
        return "Another folder is in its place"
    if len(paths) == 1:
        return f"{paths[0]} is not as it was approved"
    return (
        f"{', '.join(paths[:2])}{f' and {len(paths) - 2} more' if len(paths) > 2 else ''} are not as they were approved"
    )


def _of_plan(plan: list[dict[str, Any]]) -> str:
    """What would be done, what leaves the house first."""
    written: set[str] = set()
    counts: Counter[str] = Counter()
    for item in plan:
        kind, args = str(item["body"]["kind"]).partition("@")[0], item["body"]["args"]
        if kind in ("write_file", "append_rows"):
            written.add(args["path"])
        elif kind in _LISTS:
            counts[kind] += len(args[_LISTS[kind]])
        else:
            counts[kind] += 1
    counts["write"] = len(written)
    said = [_COUNTED[kind](counts.pop(kind)) for kind in _COUNTED if counts.get(kind)]
    said += [f"{number} × {kind.replace('_', ' ')}" for kind, number in counts.items() if number]
    words = ", ".join(said)
    return f"{words[:1].upper()}{words[1:]}" if words else "Nothing is written or sent by it"


_COUNTED = {
    "mail": lambda n: f"sends {n} mail{'' if n == 1 else 's'}",
    "http": lambda n: f"sends {n} request{'' if n == 1 else 's'}",
    "call": lambda n: "makes 1 call to a connector" if n == 1 else f"makes {n} calls to connectors",
    "command": lambda n: f"runs {n} command{'' if n == 1 else 's'} in a sandbox",
    "remember": lambda n: f"remembers {n} fact{'' if n == 1 else 's'}",
    "delete_files": lambda n: f"deletes {n} file{'' if n == 1 else 's'}",
    "write": lambda n: f"writes {n} file{'' if n == 1 else 's'}",
    "move_files": lambda n: f"moves {n} file{'' if n == 1 else 's'}",
    "make_folders": lambda n: f"makes {n} folder{'' if n == 1 else 's'}",
}
_LISTS = {"move_files": "moves", "delete_files": "paths", "make_folders": "paths"}


def _figure(spec: Spec) -> str | None:
    """The first amount among the key figures, in the contract's form; a bare number says too little on its own."""
    for label, value in spec["figures"]:
        money = _money(value)
        if money is not None:
            return canonical([str(label), {"amount": money[0], "currency": money[1]}])
    return None


def _bulk(spec: Spec) -> str:
    if spec["kind"] != GateKind.APPROVAL:
        return "needs an answer of its own"
    if any(item.get("risk") == Risk.RUNS_LATER for item in spec["plan"]):
        return "changes files that run later"
    if any(item.get("risk") == Risk.DESTROYS for item in spec["plan"]):
        return "deletes files"
    if spec["flags"]:
        return "has something that needs a closer look"
    if any(field.get("required") for field in spec["fields"]):
        return "asks for something to be filled in"
    return ""


def _search(spec: Spec) -> str:
    """Every short text and amount once, in the order they are shown; names of suppliers, files and invoices are among them."""
    seen: dict[str, None] = {}
    size = 0
    for word in _words(spec):
        folded = " ".join(word.split()).casefold()
        if len(folded) > 1 and folded not in seen:
            size += len(folded) + 1
            if size > INLINE_LIMIT:
                break
            seen[folded] = None
    return "\n".join(seen)


def _words(spec: Spec) -> Iterator[str]:
    yield spec["title"]
    yield from spec["flags"]
    for label, value in spec["figures"]:
        yield str(label)
        yield from _texts(value)
    for item in spec["plan"]:
        yield str(item.get("target") or "")
        yield from _texts([item["body"]["args"].get(name) for name in ("moves", "paths")])
        yield from _texts([item["body"]["args"].get(name) for name in ("to", "subject", "url")])
    for piece in spec["evidence"]:
        yield str(piece["title"])
        yield str(piece["source"] or "")
        yield from _of_evidence(piece)
    for field in spec["fields"]:
        yield str(field.get("label") or "")
    about = spec.get("about") or {}
    yield from _texts([about.get("step"), about.get("effect"), about.get("paths"), about.get("facts")])


def _of_evidence(piece: dict[str, Any]) -> Iterator[str]:
    data, kind = piece["data"], str(piece["kind"]).partition("@")[0]
    if kind == "table" and isinstance(data, dict):
        yield from _texts(data.get("rows"))
        yield from _texts(data.get("total"))
    elif kind == "fields":
        yield from _texts(data)
    elif kind in ("file", "source") and isinstance(data, dict):
        yield from _texts(data.get("path"))


def _texts(value: Any) -> Iterator[str]:
    """The short texts in a plain value; an amount as 1320.00 and as 1,320.00."""
    if isinstance(value, str):
        if len(value) <= _LONGEST_WORD:
            yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        yield from _of_mapping(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        yield str(value)


def _of_mapping(value: dict[str, Any]) -> Iterable[str]:
    money = _money(value)
    if money is not None:
        return [*_both_forms(money[0]), money[1]]
    if "$dec" in value:
        return _both_forms(str(value["$dec"]))
    for tag in ("$date", "$at", "$path"):
        if tag in value:
            return [str(value[tag])]
    return [text for part in value.values() for text in _texts(part)]


def _both_forms(amount: str) -> list[str]:
    try:
        return [amount, f"{Decimal(amount):,f}"]
    except InvalidOperation:
        return [amount]


def _money(value: Any) -> tuple[str, str] | None:
    """Amount and currency of a recorded Money."""
    if not isinstance(value, dict) or value.get("$type") != "Money":
        return None
    amount = value.get("amount")
    plain = amount.get("$dec") if isinstance(amount, dict) else amount
    return str(plain), str(value.get("currency"))
