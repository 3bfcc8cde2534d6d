"""What a person is shown of one file's change, whatever kind of file it is; plain values that a terminal, a window and a script can use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from counterfoil.previews.grids import TableChange
from counterfoil.previews.texts import DiffLine

Kind = Literal["cells", "rows", "text", "pages", "picture", "bytes"]


class Refused(ValueError):
    """A file cannot be shown as what it seems to be; the message is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Preview:
    """One change as people see it.

    `kind`: "cells" of a spreadsheet and "rows" of a text table (`tables`), "text" (`lines`; for "pages" those of the text on them),
    "pages" of a PDF, "picture", or "bytes" where only sizes can be told. `words` is what changed, in one sentence; `note` what is
    not shown and why. `pages` are how many there were and are.
    """

    kind: Kind
    words: str
    note: str = ""
    tables: tuple[TableChange, ...] = ()
    lines: tuple[DiffLine, ...] = ()
    pages: tuple[int | None, int | None] = (None, None)

    def noted(self, note: str) -> Preview:
        """The same with another sentence about what is not shown."""
        return replace(self, note=f"{self.note} {note}".strip())

    def to_json(self) -> dict[str, Any]:
        """As plain JSON: lines as `[sign, old, new, text, [[start, length], …]]`."""
        return {
            "kind": self.kind,
            "words": self.words,
            "note": self.note or None,
            "tables": [table.to_json() for table in self.tables],
            "lines": [
                [line.sign, line.old, line.new, line.text, [list(mark) for mark in line.marks]] for line in self.lines
            ],
            "pages": list(self.pages),
        }


@dataclass(frozen=True, slots=True)
class FileSeen:
    """What one effect of a plan does to files, as people see it.

    `op`: write, append, move, delete or make (folders). `moves` are (from, to), `names` what is deleted or made. Texts are those of the
    whole file, None where it is none or too long. Digests are SHA-256. `executable` says whether it becomes a program or is none any more,
    None where that stays as it is. `note` is a sentence about what is not as it should be.
    """

    path: str
    op: str
    target: str = ""
    n: int = 0
    preview: Preview | None = None
    moves: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()
    before: str | None = None
    after: str | None = None
    bytes_before: int | None = None
    bytes_after: int | None = None
    sha_before: str | None = None
    sha_after: str | None = None
    executable: bool | None = None
    note: str = ""

    def to_json(self) -> dict[str, Any]:
        """The data of an evidence entry of the kind diff (contract.md 4)."""
        nothing = Preview("bytes", "").to_json()
        return {
            "n": self.n,
            "op": self.op,
            "path": self.path,
            "target": self.target or None,
            "before": None if self.sha_before is None else {"sha256": self.sha_before, "bytes": self.bytes_before},
            "after": None if self.sha_after is None else {"sha256": self.sha_after, "bytes": self.bytes_after},
            "moves": [list(pair) for pair in self.moves],
            "names": list(self.names),
            **(nothing if self.preview is None else self.preview.to_json()),
            "note": " ".join(filter(None, (self.note, self.preview.note if self.preview else ""))) or None,
        }


@dataclass(frozen=True, slots=True)
class Touched:
    """A file by its path in the workspace: what it holds now (SHA-256, None where there is none), and since when, where that is known."""

    path: str
    sha: str | None
    at_us: int | None = None
