"""What agents are told in later runs, as documents: each fact with its source, its run, and who has accepted or taken it back."""

from __future__ import annotations

import json
from typing import Any

from counterfoil.clock import iso
from counterfoil.store import fact_rows
from counterfoil.store.transactions import Connection

Document = dict[str, Any]


def fact_documents(conn: Connection, workspace: str | None = None, *, taken_back: bool = False) -> list[Document]:
    """The facts of a workspace, or of all, oldest first; `read_before` is what their run had read from outside the team."""
    return [
        {
            "number": row["number"],
            "workspace": row["workspace"],
            "fact": row["fact"],
            "source": row["source"],
            "read_before": json.loads(row["sources"]),
            "run_id": row["run_id"],
            "run_number": row["run_number"],
            "accepted_by": row["accepted_by"],
            "accepted_at": iso(row["accepted_at"]),
            "revoked_by": row["revoked_by"],
            "revoked_at": iso(row["revoked_at"]),
        }
        for row in fact_rows.of_workspace(conn, workspace, taken_back=taken_back)
    ]
