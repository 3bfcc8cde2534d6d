"""Files of a plan before and after, for people: rows that are added, files that move, texts that change; never more than a cap.

Before is what lies in the workspace, read as a step reads it, without following links; once a set was applied it is the original in the
undo folder. After is what was sealed. Where bytes are not to be had, or are no text, sizes and a sentence stand in their place.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from counterfoil.authoring.file_door import FileRefused, Files
from counterfoil.desktop.office import FileSeen
from counterfoil.desktop.real_office import csv_texts
from counterfoil.desktop.real_office.access import Access, gate_row, run_row
from counterfoil.desktop.words.numbers import size
from counterfoil.errors import Damaged, WrongUse
from counterfoil.store import file_ops, gates
from counterfoil.store.originals import original_of
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.gates import spec_of

LARGEST_TEXT = 2_000_000  # bytes of a file that is shown
LARGEST_RUN = 8_000_000  # bytes of all texts of one run
SHOWN_ROWS = 5_000
_CHANGED = "This file is not what it was when this was asked. Approving is refused until it has been asked again."

Item = Mapping[str, Any]


class PlanFiles:
    """Files that gates and runs touch."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def of_gate(self, gate_id: str, n: int) -> FileSeen:
        """What item `n` of a gate's plan does to its file.

        Raises:
            WrongUse: the item is no effect on files.
        """
        with self._access.reading() as conn:
            row = gate_row(conn, gate_id)
            run = run_row(conn, row["run_id"])
            ops = [op for op in file_ops.of_gate(conn, gate_id) if op["n"] == n]
            return self._seen(conn, self._item(conn, row, n), ops, run["workspace"], gate_id)

    def of_run(self, conn: Connection, run: Row) -> tuple[FileSeen, ...]:
        """Everything a run's applied sets did, in order."""
        by_item: dict[tuple[str, int], list[Row]] = {}
        for op in file_ops.of_run(conn, run["run_id"]):
            by_item.setdefault((op["gate_id"], op["n"]), []).append(op)
        found: list[FileSeen] = []
        room = LARGEST_RUN
        for (gate_id, n), ops in by_item.items():
            seal = gates.seal_of(conn, gate_id, n)
            if seal is None:
                continue
            item = {"body": json.loads(seal["body"]), "base": json.loads(seal["base"])}
            seen = self._seen(conn, item, ops, run["workspace"], gate_id)
            room -= len(seen.before or "") + len(seen.after or "")
            found.append(seen if room > 0 else replace(seen, before=None, after=None, note="Too much to show here."))
        return tuple(found)

    def _item(self, conn: Connection, row: Row, n: int) -> Item:
        """The plan's item; of a decided gate with the body that was sealed."""
        spec = spec_of(self._access.blobs, row)
        item = next((entry for entry in spec.get("plan") or () if entry["n"] == n), None)
        if item is None:
            raise WrongUse(f"There is no item {n} in this plan.")
        seal = gates.seal_of(conn, row["gate_id"], n)
        return item if seal is None else {**item, "body": json.loads(seal["body"]), "base": json.loads(seal["base"])}

    def _seen(self, conn: Connection, item: Item, ops: Sequence[Row], workspace: str, gate_id: str) -> FileSeen:
        body = item["body"]
        args = body["args"]
        match str(body["kind"]).partition("@")[0]:
            case "move_files":
                return _moves([(str(source), str(target)) for source, target in args["moves"]])
            case "delete_files":
                return _listed("delete", [str(path) for path in args["paths"]])
            case "make_folders":
                return _listed("make", [str(path) for path in args["paths"]])
            case "write_file":
                before = self._before(conn, item, ops, workspace, gate_id)
                return _written(str(args["path"]), before, self._content(args["data"]))
            case "append_rows":
                before = self._before(conn, item, ops, workspace, gate_id)
                return self._appended(item, ops, before)
        raise WrongUse("This effect is not one on files.")

    # --------------------------------------------------------------------------------------------------------- before

    def _before(self, conn: Connection, item: Item, ops: Sequence[Row], workspace: str, gate_id: str) -> Before:
        path = str(item["body"]["args"]["path"])
        base = (item.get("base") or {}).get(path)
        if any(op["state"] == "applied" for op in ops):
            return self._original(conn, path, ops[0]["before"], gate_id)
        return _in_folder(workspace, path, base)

    def _original(self, conn: Connection, path: str, sha: str | None, gate_id: str) -> Before:
        """What an applied set displaced."""
        if sha is None:
            return Before(None, "")
        kept = original_of(conn, self._access.home, gate_id, path)
        try:
            data = None if kept is None else kept.read_bytes()
        except OSError:
            data = None
        if data is None or hashlib.sha256(data).hexdigest() != sha:
            return Before(None, "The file as it was before is not kept any more.", missing=True)
        return Before(data, "")

    # ---------------------------------------------------------------------------------------------------------- after

    def _content(self, value: Mapping[str, Any]) -> Content:
        if "$bytes" in value:
            data = base64.b64decode(value["$bytes"])
            return Content(len(data), data)
        length = int(value["size"])
        if length > LARGEST_TEXT:
            return Content(length, None)
        return Content(length, self._blob(str(value["$blob"])))

    def _blob(self, sha: str) -> bytes | None:
        try:
            return self._access.blobs.get(sha)
        except Damaged:
            return None

    def _appended(self, item: Item, ops: Sequence[Row], before: Before) -> FileSeen:
        args = item["body"]["args"]
        columns, rows = [str(name) for name in args["columns"]], [[str(cell) for cell in row] for row in args["rows"]]
        sha = ops[0]["after"] if ops else item.get("after_digest")
        data = self._blob(sha) if ops and sha else None
        if data is None and sha and not before.missing:
            data = csv_texts.appended(before.data, columns, rows, sha)
        note = before.note
        if len(rows) > SHOWN_ROWS:
            note = f"{note} The first {SHOWN_ROWS:,} of {len(rows):,} rows are shown.".strip()
        return FileSeen(
            path=str(args["path"]),
            op="append",
            before=text_of(before.data),
            after=text_of(data),
            columns=tuple(columns),
            added=tuple(tuple(row) for row in rows[:SHOWN_ROWS]),
            bytes_before=None if before.data is None else len(before.data),
            bytes_after=item.get("bytes") if data is None else len(data),
            note=note,
        )


class Before:
    """What a file held before: bytes or None, and a sentence where they are not what they should be."""

    def __init__(self, data: bytes | None, note: str, *, missing: bool = False) -> None:
        self.data = data
        self.note = note
        self.missing = missing


class Content:
    """What a file will hold: its length, and the bytes unless there are too many to show."""

    def __init__(self, size: int, data: bytes | None) -> None:
        self.size = size
        self.data = data


def text_of(data: bytes | None) -> str | None:
    """The text of a file, or None for what is no text or too long."""
    if data is None or len(data) > LARGEST_TEXT or b"\x00" in data[:8192]:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    text = data.decode("cp1252", "replace")
    odd = sum(not (sign.isprintable() or sign in "\r\n\t") for sign in text[:8192])
    return text if odd * 50 < len(text[:8192]) else None


def _in_folder(workspace: str, path: str, base: str | None) -> Before:
    """A file of the workspace as it lies there now; `base` is its SHA-256 when the gate was asked, None for no file."""
    try:
        data = Files(workspace).read(path)
    except FileRefused as problem:
        if base is None:
            return Before(None, "")
        return Before(None, f"The file cannot be shown: {problem.reason}", missing=True)
    now = hashlib.sha256(data).hexdigest()
    return Before(data, "" if now == base else _CHANGED)


def _written(path: str, before: Before, after: Content) -> FileSeen:
    seen = FileSeen(
        path=path,
        op="write",
        before=text_of(before.data),
        after=text_of(after.data),
        bytes_before=None if before.data is None else len(before.data),
        bytes_after=after.size,
        note=before.note,
    )
    if after.data is None:
        return replace(seen, note=f"{seen.note} {size(after.size)} are too much to show; the seal covers them.".strip())
    if seen.before is None or seen.after is None or PurePosixPath(path).suffix.lower() not in (".csv", ".tsv"):
        return seen
    found = csv_texts.compare(seen.before, seen.after)
    return seen if found is None else replace(seen, columns=found.columns, added=found.added, changes=found.changed)


def _moves(moves: Sequence[tuple[str, str]]) -> FileSeen:
    folders = {str(PurePosixPath(source).parent) for source, _ in moves}
    targets = sorted({str(PurePosixPath(target).parent) for _, target in moves})
    return FileSeen(
        path=_folder(min(folders)) if folders else "",
        op="move",
        target=", ".join(_folder(name) for name in targets),
        changes=tuple((source, "", target) for source, target in moves),
    )


def _listed(op: str, paths: Sequence[str]) -> FileSeen:
    """Files that are deleted, or folders that are made, by name."""
    folders = sorted({str(PurePosixPath(path).parent) for path in paths})
    return FileSeen(
        path=paths[0] if len(paths) == 1 else ", ".join(_folder(name) for name in folders),
        op=op,
        changes=tuple((path, "", "") for path in paths),
    )


def _folder(name: str) -> str:
    return "the workspace folder" if name == "." else f"{name}/"
