"""What is put before a person beside the plan: tables, fields, text, files. Values with a kind and a version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.codec import to_plain


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece: `kind` table, fields, text, file, diff or source; `source` names whose words it holds."""

    kind: str
    title: str
    data: Any
    source: str | None = None

    def to_json(self, blobs: dict[str, bytes]) -> dict[str, Any]:
        """The evidence entry of the contract; bytes over 64 KiB go into `blobs`."""
        return {
            "kind": f"{self.kind}@1",
            "title": self.title,
            "data": to_plain(self.data, blobs),
            "source": self.source,
        }


def table(
    rows: Sequence[Mapping[str, Any]],
    *,
    title: str,
    columns: Sequence[str] | None = None,
    total: Mapping[str, Any] | None = None,
    flagged: Sequence[int] = (),
    source: str | None = None,
) -> Evidence:
    """A table: rows as mappings, columns in order, an optional total row, and the indexes of rows that need a look."""
    names = list(columns) if columns is not None else list(rows[0]) if rows else []
    data = {
        "columns": names,
        "rows": [[row.get(name) for name in names] for row in rows],
        "total": [total.get(name) for name in names] if total else None,
        "flagged": list(flagged),
    }
    return Evidence("table", title, data, source)


def fields(values: Mapping[str, Any], *, title: str, source: str | None = None) -> Evidence:
    """Name and value pairs, in order."""
    return Evidence("fields", title, [[name, value] for name, value in values.items()], source)


def text(body: str, *, title: str, source: str | None = None) -> Evidence:
    """Plain text; `source` says whose words they are when they are not the author's."""
    return Evidence("text", title, body, source)


def file(path: str, *, title: str = "", page: int | None = None, boxes: Sequence[Sequence[float]] = ()) -> Evidence:
    """A file of the workspace, at a page, with boxes (x0, top, x1, bottom in points from the page's upper left)."""
    data = {"path": path, "page": page, "boxes": [list(box) for box in boxes]}
    return Evidence("file", title or path, data, path)
