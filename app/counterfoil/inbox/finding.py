"""What a person means by `g-81`, `r-12`, an id, or the beginning of one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from counterfoil.errors import UnknownGate, UnknownRun, WrongUse
from counterfoil.store import gates, runs
from counterfoil.store.transactions import Row

_ID = re.compile(r"[0-9a-f]{6,32}\Z")


def find_gate(conn: Any, reference: str) -> Row:
    """The gate that is meant.

    Raises:
        UnknownGate: there is none, or more than one begins like that.
    """
    return _find(conn, reference, "gate", "g", gates.find, UnknownGate, "counterfoil inbox")


def find_run(conn: Any, reference: str) -> Row:
    """The run that is meant.

    Raises:
        UnknownRun: there is none, or more than one begins like that.
    """
    return _find(conn, reference, "run", "r", runs.find, UnknownRun, "counterfoil runs")


def _find(
    conn: Any,
    reference: str,
    noun: str,
    letter: str,
    look: Callable[[Any, str], list[Row]],
    unknown: type[WrongUse],
    listing: str,
) -> Row:
    text = reference.strip().lower()
    numbered = text.startswith(f"{letter}-") and text[2:].isdigit() and len(text) < 12
    if not numbered and not _ID.match(text):
        raise unknown(
            f"‘{reference}’ is no {noun}: write {letter}-12, or six or more characters of its id.", f"See: {listing}"
        )
    found = look(conn, text)
    if not found:
        raise unknown(f"There is no {noun} ‘{reference}’.", f"See: {listing}")
    if len(found) > 1:
        raise unknown(f"More than one {noun} begins with ‘{reference}’.", "Write more of its id.")
    return found[0]
