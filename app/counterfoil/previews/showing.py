"""Files of a plan before and after, for people: on the command line and in the window alike.

Before is what lies in the workspace, read as a step reads it, without following links; once a set was applied it is the original in the
undo store. After is what was sealed. Where bytes are not to be had, or are no text, sizes and a sentence stand in their place.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from counterfoil.authoring.file_door import FileRefused, Files
from counterfoil.errors import Damaged, WrongUse
from counterfoil.facts import FILE_EFFECTS
from counterfoil.places import Home
from counterfoil.policy.boundaries import visible
from counterfoil.previews import texts
from counterfoil.previews.choosing import preview
from counterfoil.previews.csv_rows import Unfit, appended
from counterfoil.previews.preview import FileSeen, Preview
from counterfoil.store import file_ops, seals
from counterfoil.store.blobs import Blobs
from counterfoil.store.originals import original_of
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.asked import spec_of

LARGEST = 64_000_000  # bytes of a file that are loaded to be shown
PATIENCE = 20.0  # seconds for all files of a plan that are shown at once
_KEPT = 48  # previews
_CHANGED = "This file is not what it was when this was asked. Approving is refused until it has been asked again."

_WRITING = ("write_file", "append_rows")

Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Side:
    """What a file holds before or after: its bytes, or None with its length and a sentence where they are not shown."""

    data: bytes | None
    note: str = ""
    size: int | None = None
    sha: str | None = None

    @property
    def length(self) -> int | None:
        """Bytes, where that is known."""
        return self.size if self.data is None else len(self.data)

    @classmethod
    def of(cls, data: bytes) -> Side:
        """What holds these bytes."""
        return cls(data, sha=hashlib.sha256(data).hexdigest())

    @classmethod
    def too_large(cls, size: int, sha: str) -> Side:
        """What is told of a file by its length alone."""
        return cls(None, f"{size / 1e6:,.0f} MB are too much to show; the seal covers them.", size, sha)


def seen_of(path: str, before: Side, after: Side, *, op: str, words: str = "") -> FileSeen:
    """A file by its two sides, without a preview; `words` stand before what the sides say of themselves."""
    return FileSeen(
        path=visible(path),
        op=op,
        before=texts.text_of(before.data),
        after=texts.text_of(after.data),
        bytes_before=before.length,
        bytes_after=after.length,
        sha_before=before.sha,
        sha_after=after.sha,
        note=" ".join(filter(None, (words, before.note, after.note))),
    )


@dataclass(frozen=True, slots=True)
class Loaded:
    """One item of a plan as it is known before anything is compared; sides only where it writes one file."""

    seen: FileSeen
    path: str = ""
    before: Side | None = None
    after: Side | None = None


class PlanFiles:
    """Files that gates of one home touch."""

    def __init__(self, home: Home, blobs: Blobs) -> None:
        self._home = home
        self._blobs = blobs
        self._made: OrderedDict[tuple[str, str | None, str | None], Preview] = OrderedDict()

    def of_gate(self, conn: Connection, row: Row, workspace: str) -> list[FileSeen]:
        """Every effect on files of a gate's plan, in order; what would take too long together is told by its sizes."""
        until = time.monotonic() + PATIENCE
        found = []
        for item in spec_of(self._blobs, row).get("plan") or ():
            if _kind(item["body"]) in FILE_EFFECTS:
                loaded = self.load(conn, row, workspace, int(item["n"]))
                found.append(self.compared(loaded, patient=time.monotonic() < until))
        return found

    def load(self, conn: Connection, row: Row, workspace: str, n: int) -> Loaded:
        """What item `n` of a gate's plan does to its files, with the bytes before and after; nothing is compared yet.

        Raises:
            WrongUse: the item is no effect on files.
        """
        item = self._item(conn, row, n)
        args, kind = item["body"]["args"], _kind(item["body"])
        if kind in _LISTED:
            return Loaded(replace(_LISTED[kind](args), n=n))
        if kind not in FILE_EFFECTS:
            raise WrongUse("This effect is not one on files.")
        before, after = self._sides(conn, row, workspace, item)
        path = str(args["path"])
        seen = seen_of(path, before, after, op="append" if kind == "append_rows" else "write")
        return Loaded(replace(seen, n=n, executable=args.get("executable")), path, before, after)

    def compared(self, loaded: Loaded, *, patient: bool = True) -> FileSeen:
        """What was loaded, with its preview. Without `patient` nothing is compared that needs a reader of its own."""
        if loaded.after is None or loaded.before is None:
            return loaded.seen
        return replace(loaded.seen, preview=self._preview(loaded.path, loaded.before, loaded.after, patient))

    def _item(self, conn: Connection, row: Row, n: int) -> Item:
        """The plan's item; of a decided gate with the body that was sealed."""
        spec = spec_of(self._blobs, row)
        item = next((entry for entry in spec.get("plan") or () if entry["n"] == n), None)
        if item is None:
            raise WrongUse(f"There is no item {n} in this plan.")
        seal = seals.one(conn, row["gate_id"], n)
        return item if seal is None else {**item, "body": json.loads(seal["body"]), "base": json.loads(seal["base"])}

    # -------------------------------------------------------------------------------------------------- before and after

    def _sides(self, conn: Connection, row: Row, workspace: str, item: Item) -> tuple[Side, Side]:
        args = item["body"]["args"]
        path = str(args["path"])
        ops = [op for op in file_ops.of_gate(conn, row["gate_id"]) if op["n"] == item["n"]]
        earlier = self._left_by_an_item(conn, row, workspace, item)
        if earlier is not None:
            before = earlier
        elif any(op["state"] in ("applied", "undone") for op in ops):
            before = self._original(conn, row["gate_id"], path, ops[0]["before"])
        else:
            before = _in_folder(workspace, path, (item.get("base") or {}).get(path))
        if "data" in args:
            return before, self._content(args["data"])
        sha = ops[0]["after"] if ops else item.get("after_digest")
        return before, self._with_rows(before, args, sha, item.get("bytes"))

    def _left_by_an_item(self, conn: Connection, row: Row, workspace: str, item: Item) -> Side | None:
        """What an item before this one in the plan makes of the same file; None where this is the first that writes it."""
        writes = [one for one in spec_of(self._blobs, row).get("plan") or () if _kind(one["body"]) in _WRITING]
        earlier = [
            one
            for one in writes
            if one["n"] < item["n"] and one["body"]["args"]["path"] == item["body"]["args"]["path"]
        ]
        if not earlier:
            return None
        return self._sides(conn, row, workspace, self._item(conn, row, int(earlier[-1]["n"])))[1]

    def _original(self, conn: Connection, gate_id: str, path: str, sha: str | None) -> Side:
        """What an applied set displaced."""
        if sha is None:
            return Side(None)
        gone = Side(None, "The file as it was before is not kept any more.", sha=sha)
        kept = original_of(conn, self._home, gate_id, path)
        try:
            made = gone if kept is None else Side.of(kept.read_bytes())
        except OSError:
            return gone
        return made if made.sha == sha else gone

    def _content(self, value: Mapping[str, Any]) -> Side:
        if "$bytes" in value:
            return Side.of(base64.b64decode(value["$bytes"]))
        sha, size = str(value["$blob"]), int(value["size"])
        if size > LARGEST:
            return Side.too_large(size, sha)
        try:
            return Side(self._blobs.get(sha), sha=sha)
        except Damaged:
            return Side(None, "What was sealed is not kept any more.", size, sha)

    def _with_rows(self, before: Side, args: Mapping[str, Any], sha: str | None, size: int | None) -> Side:
        """A table with the rows at its end: kept once it was applied, else made again and proved by its seal."""
        if sha is not None:
            try:
                return Side(self._blobs.get(sha), sha=sha)
            except Damaged:
                pass
        try:
            data = appended(before.data, args["columns"], args["rows"])
        except Unfit:
            return Side(None, size=size, sha=sha)
        made = Side.of(data)
        return made if sha in (None, made.sha) else Side(None, size=size, sha=sha)

    def _preview(self, path: str, before: Side, after: Side, patient: bool) -> Preview | None:
        """None where one of the sides is not to be had."""
        if after.data is None or (before.data is None and before.sha is not None):
            return None
        key = (PurePosixPath(path).suffix.lower(), before.sha, after.sha)
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key]
        made = preview(path, before.data, after.data, patient=patient)
        if patient:
            self._made[key] = made
            while len(self._made) > _KEPT:
                self._made.popitem(last=False)
        return made


def _in_folder(workspace: str, path: str, base: str | None) -> Side:
    """A file of the workspace as it lies there now; `base` is its SHA-256 when the gate was asked, None for no file."""
    try:
        data = Files(workspace).read(path, limit=LARGEST)
    except FileRefused as problem:
        if base is None:
            return Side(None)
        return Side(None, f"The file cannot be shown: {problem.reason}", sha=base)
    side = Side.of(data)
    return side if side.sha == base else replace(side, note=_CHANGED)


def _kind(body: Mapping[str, Any]) -> str:
    return str(body["kind"]).partition("@")[0]


def _moves(args: Mapping[str, Any]) -> FileSeen:
    moves = [(visible(str(source)), visible(str(target))) for source, target in args["moves"]]
    return FileSeen(
        path=_where([source for source, _ in moves]),
        op="move",
        target=_where([target for _, target in moves]),
        moves=tuple(moves),
    )


def _names(op: str, args: Mapping[str, Any]) -> FileSeen:
    names = [visible(str(path)) for path in args["paths"]]
    return FileSeen(path=_where(names), op=op, names=tuple(names))


_LISTED: dict[str, Callable[[Mapping[str, Any]], FileSeen]] = {
    "move_files": _moves,
    "delete_files": lambda args: _names("delete", args),
    "make_folders": lambda args: _names("make", args),
}


def _where(paths: Sequence[str]) -> str:
    """One path by its name, several by their folders."""
    if len(paths) == 1:
        return paths[0]
    return ", ".join(sorted({_folder(str(PurePosixPath(path).parent)) for path in paths}))


def _folder(name: str) -> str:
    return "the workspace folder" if name == "." else f"{name}/"
