"""What people answered before to what a gate asks, so that nobody is asked twice without being shown the first answer."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from counterfoil.facts import GateKind, given_words
from counterfoil.views.plain import contract

if TYPE_CHECKING:
    from counterfoil.store.gate_glance import GateGlance, Row

MOST = 3  # earlier answers that are told
_VALUES, _LONGEST = 3, 200  # values of one answer, and their characters
_INCLUDED = "include"
_TROUBLE = {
    "retry": "try again",
    "skip": "go on with a value",
    "stop": "stop the run",
    "happened": "it happened",
    "not_happened": "it did not happen",
}


def prior(look: GateGlance, run: Row, gate: Row) -> list[tuple[Row, str]]:
    """Decisions on what is asked here, newest first: of this run, then of others of its template and folder; and what was answered, in
    words of the person. Each has `principal`, `verdict`, `comment`, `at`, `run_number`."""
    found = [*look.earlier_rounds(gate), *look.elsewhere(run, gate)]
    return [(made, _answered(made)) for made in found[:MOST]]


def _answered(made: Row) -> str:
    """What was filled in: a file by its name and seal, a few values by themselves, of more how many."""
    if made["verdict"] != "answered":
        return ""
    answers: dict[str, Any] = contract(json.loads(made["answers"]))
    trouble = made["kind"] in (GateKind.FAILURE, GateKind.DOUBT)
    given = [(name, value) for name, value in answers.items() if value not in (None, "", [], False)]
    words = [_INCLUDED if _includes(name, value) else _one(value, trouble=trouble) for name, value in given]
    told = [f"{word} {many} times" if many > 1 else word for word, many in Counter(filter(None, words)).items()]
    more = f" and {len(told) - _VALUES} more" if len(told) > _VALUES else ""
    return ", ".join(told[:_VALUES]) + more


def _includes(name: str, value: Any) -> bool:
    """Whether an answer takes a payment in: nothing is paid by answering, so it is not called so."""
    return name.startswith("choice.") and value == "pay"


def _one(value: Any, *, trouble: bool) -> str:
    if isinstance(value, dict):
        if "in_place_of" in value:
            return given_words(value)
        return f"{value['amount']} {value['currency']}" if {"amount", "currency"} <= value.keys() else ""
    if isinstance(value, list):
        return ", ".join(str(item) for item in value if not isinstance(item, dict | list))[:_LONGEST]
    text = "yes" if value is True else str(value)
    return _TROUBLE.get(text, text) if trouble else text[:_LONGEST]
