"""Gates as the contract writes them, read from the database."""

from __future__ import annotations

import json
from collections.abc import Sequence

from counterfoil.clock import iso
from counterfoil.errors import Damaged
from counterfoil.store import asides, gates
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.asked import Document, document_of, spec_of
from counterfoil.views.damage import without_stop
from counterfoil.views.plain import contract


def gate_document(conn: Connection, blobs: Blobs, row: Row) -> Document:
    """One gate (contract.md 4) from its row."""
    gate_id = row["gate_id"]
    return document_of(row, gates.decisions(conn, gate_id), spec_of(blobs, row), asides.giving(conn, gate_id))


def gate_documents(conn: Connection, blobs: Blobs, rows: Sequence[Row]) -> list[Document]:
    """Many gates, with one read for all their decisions. One whose question cannot be read says so and asks nothing."""
    ids = [row["gate_id"] for row in rows]
    decided, given = gates.decisions_on(conn, ids), asides.givings(conn, ids)
    return [_document(blobs, row, decided.get(row["gate_id"], []), given.get(row["gate_id"])) for row in rows]


def _document(blobs: Blobs, row: Row, decided: Sequence[Row], given: Row | None) -> Document:
    try:
        return document_of(row, decided, spec_of(blobs, row), given)
    except Damaged as problem:
        bare = document_of(row, decided, {"kind": "approval", "plan": []}, given)
        said = f"What this shows cannot be read, so it cannot be decided: {without_stop(problem)}."
        return {**bare, "consequences": [], "flags": [said]}


def inbox(conn: Connection, blobs: Blobs, *, workspace: str | None = None, limit: int | None = None) -> list[Document]:
    """Every open gate as a whole document, oldest question first."""
    rows = gates.inbox_page(conn, workspace=workspace, limit=limit)
    whole = gates.open_of_runs(conn, list(dict.fromkeys(row["run_id"] for row in rows)))
    by_id = {row["gate_id"]: row for row in whole}
    return gate_documents(conn, blobs, [by_id[row["gate_id"]] for row in rows if row["gate_id"] in by_id])


def inbox_rows(
    conn: Connection, *, workspace: str | None = None, limit: int | None = None, offset: int = 0
) -> list[Document]:
    """Open gates as a list shows them, without reading what they ask: ids, numbers, kind, title, instants, run and workspace."""
    found = gates.inbox_page(conn, workspace=workspace, limit=limit, offset=offset)
    return [{**row, "asked_at": iso(row["asked_at"]), "due_at": iso(row["due_at"])} for row in found]


def answers_on(conn: Connection, gate_id: str) -> list[Document]:
    """What was filled in with each decision that stands on a gate, by field name; the contract's decision does not hold it."""
    return [contract(json.loads(row["answers"])) for row in gates.decisions(conn, gate_id)]
