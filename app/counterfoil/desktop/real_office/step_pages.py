"""What is kept of one step, read when somebody opens it. A secret is never among it: what stands there is its name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from counterfoil.desktop.real_office.access import Access, run_row
from counterfoil.desktop.real_office.long_texts import load
from counterfoil.desktop.run_facts import StepKept
from counterfoil.desktop.words import times
from counterfoil.desktop.words.plain import one_line
from counterfoil.store import intents, records
from counterfoil.store.transactions import Row
from counterfoil.views.plain import contract

PAGE = 2_000  # lines of a value that are shown at once


def step_kept(access: Access, run_id: str, path: str, ordinal: int, page: int) -> StepKept:
    """A step's record, the effect it stands for, and its tries; with the `page` of its value from 1.

    Raises:
        UnknownRun: there is no such run.
    """
    with access.reading() as conn:
        run_row(conn, run_id)
        record = records.get(conn, run_id, path, ordinal)
        intent = intents.get(conn, run_id, path, ordinal)
        tries = records.attempts_of(conn, run_id, path, ordinal)
        value = access.blobs.text(record["payload"], record["payload_blob"]) if record is not None else ""
        body = access.blobs.text(intent["body"], intent["body_blob"]) if intent is not None else ""
    lines = _told(value).split("\n")
    pages = -(-len(lines) // PAGE)
    page = min(max(page, 1), pages)
    return StepKept(
        given=_told(body),
        value="\n".join(lines[(page - 1) * PAGE : page * PAGE]),
        tries=tuple(_try(row) for row in tries if row["message"]),
        origin=one_line(record["origin"] or "") if record is not None else "",
        page=page,
        pages=pages,
    )


def _told(text: str) -> str:
    return json.dumps(_hidden(contract(load(text))), ensure_ascii=False, indent=2) if text else ""


def _hidden(value: Any) -> Any:
    """Secrets by name, as they stand in records."""
    if isinstance(value, list):
        return [_hidden(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    if set(value) == {"secret"}:
        return f"●● {value['secret']}"
    return {key: _hidden(item) for key, item in value.items()}


def _try(row: Row) -> str:
    return f"Try {row['n']}, {times.clock_exact(row['started_at'])}: {one_line(row['message'])}"
