"""What it takes to put back what a run did to files: made from the rows of its journals and the notes beside what they displaced.

A run may have changed files under several approvals, one on top of the other. What counts is where each file was before the first of
them and where it, or what was put in its place, lies after the last; files that can only go back together are one unit.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterfoil.places import Home
from counterfoil.store import file_ops
from counterfoil.store.originals import plain_of, set_of, slot_of, store_places
from counterfoil.store.transactions import Connection, Row


@dataclass(frozen=True, slots=True)
class Kept:
    """Where an original lies: the gate whose set displaced it, that set, its slot, and the SHA-256 of its bytes."""

    gate_id: str
    set_id: str
    slot: str
    sha: str


@dataclass(frozen=True, slots=True)
class Piece:
    """One file. `now` is where it lies and `sha` what it must hold (None for one that was deleted); `back` where it was before (None for
    one that the run has made). `kept` is the original, unless the file was only moved."""

    now: str | None
    sha: str | None
    back: str | None
    kept: Kept | None = None

    @property
    def names(self) -> list[str]:
        """The names it touches."""
        return [name for name in (self.back, self.now) if name is not None]

    @property
    def path(self) -> str:
        """What people know it by."""
        return self.names[0]


@dataclass(frozen=True, slots=True)
class Unit:
    """Files that go back together or not at all."""

    pieces: tuple[Piece, ...]

    @property
    def paths(self) -> list[str]:
        """The names people know them by."""
        return [piece.path for piece in self.pieces]


@dataclass(frozen=True, slots=True)
class UndoPlan:
    """A whole run: its units, folders that it made (outermost first), folders that it removed with their permission bits."""

    units: tuple[Unit, ...]
    made: tuple[str, ...]
    removed: tuple[tuple[str, int], ...]


@dataclass(slots=True)
class _Token:
    """A file on its way through the sets of a run: the people's own, by where it was, or one of ours, by where it was written."""

    born: str
    sha: str
    ours: bool


@dataclass(slots=True)
class _Story:
    """What has become of every name."""

    files: dict[str, _Token] = field(default_factory=dict)
    kept: dict[str, Kept] = field(default_factory=dict)
    made: dict[str, None] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)

    def take(self, path: str, before: str) -> _Token:
        """What lies at a name leaves it."""
        return self.files.pop(path, None) or _Token(path, before, ours=False)

    def displace(self, token: _Token, kept: Kept) -> None:
        """What was taken lies in a store from now on; of our own nobody asks."""
        if not token.ours:
            self.kept[token.born] = kept


def undo_plan(conn: Connection, home: Home, run_id: str) -> UndoPlan:
    """What it takes to put back everything that a run has applied and nobody has put back."""
    by_gate: dict[str, list[Row]] = {}
    for row in file_ops.of_run(conn, run_id):
        by_gate.setdefault(row["gate_id"], []).append(row)
    done = {gate: rows for gate, rows in by_gate.items() if any(row["state"] == "applied" for row in rows)}
    story = _Story()
    for gate_id, rows in sorted(done.items(), key=lambda entry: entry[1][0]["applied_at"] or 0):
        _tell(story, gate_id, rows, note_of(home, rows[0]["workspace"], gate_id, rows))
    left = {name for rows in done.values() for row in rows if row["state"] == "applied" for name in _names(row)}
    pieces = [piece for piece in _pieces(story) if left.intersection(piece.names)]
    return UndoPlan(tuple(_units(pieces, story)), tuple(sorted(story.made)), tuple(sorted(story.removed.items())))


def note_of(home: Home, workspace: str, gate_id: str, rows: Sequence[Row]) -> dict[str, Any]:
    """What a set noted of itself; empty where that is gone or damaged: what files must hold is told by the rows alone."""
    name = f"set-{set_of([plain_of(row) for row in rows])[:32]}.json"
    for folder in store_places(home, workspace, gate_id):
        try:
            handle = os.open(folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        with os.fdopen(handle, "rb") as file, contextlib.suppress(ValueError):
            found: dict[str, Any] = json.loads(file.read())
            return found
    return {}


def _names(row: Row) -> list[str]:
    path, target = file_ops.places(row)
    return [path] if target is None else [path, target]


def _tell(story: _Story, gate_id: str, rows: Sequence[Row], note: dict[str, Any]) -> None:
    """One set: what leaves first, then what is filled, then what arrives."""
    set_id = set_of([plain_of(row) for row in rows])
    alone = {(does, path) for does, path in note.get("left_alone", [])}
    story.made.update(dict.fromkeys(note.get("made", [])))
    arriving: dict[str, _Token] = {}
    written: dict[str, tuple[str | None, str]] = {}
    for row in rows:
        path, target = file_ops.places(row)
        match row["op"]:
            case "move" | "delete" if not alone & {("move", path), ("leave", path)}:
                token = story.take(path, row["before"])
                if target is not None:
                    arriving[target] = token
                else:
                    story.displace(token, Kept(gate_id, set_id, slot_of(set_id, path), row["before"]))
            case "write" | "append" if ("write", path) not in alone:
                written[path] = (written[path][0] if path in written else row["before"], row["after"])
            case "rmdir" if ("rmdir", path) not in alone:
                story.removed[path] = note.get("modes", {}).get(path, 0o755)
    for path, (before, after) in written.items():
        if before is not None:
            story.displace(story.take(path, before), Kept(gate_id, set_id, slot_of(set_id, path), before))
        story.files[path] = _Token(path, after, ours=True)
    story.files.update(arriving)


def _pieces(story: _Story) -> Iterator[Piece]:
    kept = dict(story.kept)
    for path, token in story.files.items():
        if token.ours:
            original = kept.pop(path, None)
            yield Piece(path, token.sha, None if original is None else path, original)
        elif token.born != path:
            yield Piece(path, token.sha, token.born)
    for path, original in kept.items():
        yield Piece(None, None, path, original)


def _units(pieces: Sequence[Piece], story: _Story) -> list[Unit]:
    """Pieces in groups: those that touch one name, those of one file, and a file where the folder of another was."""
    group = list(range(len(pieces)))
    by_name: dict[str, int] = {}

    def root(index: int) -> int:
        while group[index] != index:
            index = group[index]
        return index

    def join(one: int, other: int) -> None:
        group[root(one)] = root(other)

    for index, piece in enumerate(pieces):
        for name in _touched(piece, story):
            if name in by_name:
                join(index, by_name[name])
            by_name.setdefault(name, index)
    for name, index in list(by_name.items()):
        for folder in _above(name):
            if folder in by_name:
                join(index, by_name[folder])
    groups: dict[int, list[Piece]] = {}
    for index, piece in enumerate(pieces):
        groups.setdefault(root(index), []).append(piece)
    return [Unit(tuple(those)) for those in groups.values()]


def _touched(piece: Piece, story: _Story) -> Iterable[str]:
    """Its names, and where a file of ours that moved on was written."""
    token = story.files.get(piece.now) if piece.now is not None else None
    return [*piece.names, token.born] if token is not None and token.ours else piece.names


def _above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
