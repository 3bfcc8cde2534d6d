"""What the workspace's files were when they were copied: the base that differences are told against, and that an apply must find.

Paths are relative to the workspace, with `/` between their names; bytes of a name that are no UTF-8 are kept (surrogateescape).
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Literal

from counterfoil.errors import Damaged
from counterfoil.places import Home
from counterfoil.stage.leaving_out import Why

FORM = 1  # of the JSON
Kind = Literal["file", "folder", "link"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One file, folder or link of the workspace as it was copied.

    `size` in bytes (files; 0 otherwise), `mtime_ns`, `ctime_ns`, `inode` and `mode` (permission bits, at most 0o777) are those of the
    workspace's own entry; its copy has the same size and `mtime_ns`, and the mode with reading allowed to its owner. `sha256` is of the
    bytes that were copied (files only), `target` the text of a link (links only). `copy_inode` and `copy_ctime_ns` are those of the copy
    of a file just after it was made: while both hold, nobody has touched it (0: unknown).
    """

    path: str
    kind: Kind
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    mode: int
    sha256: str | None = None
    target: str | None = None
    copy_inode: int = 0
    copy_ctime_ns: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What was not copied: a folder stands for all that is beneath it.

    `why`: "versions" (data of git and its kind), "secret" (.env files, tokens), "key" (key files), "special" (a pipe, a socket, a
    device), "unreadable" (this account may not read it), "changing" (it was written to all the time), "deep" (more folders in
    one another than are followed), "chosen" (a person said so), "ours" (Counterfoil's own settings and temporary files).
    """

    path: str
    why: Why


@dataclass(frozen=True, slots=True)
class Manifest:
    """The base of a stage: device and inode of the workspace's folder, when it was taken (UTC microseconds), and what was in it. `boot`
    names the start of the computer during which the tree was written: after a power cut the tree is looked through ("": unknown)."""

    root_device: int
    root_inode: int
    taken_us: int
    entries: Mapping[str, Entry] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    boot: str = ""

    def to_json(self) -> str:
        """As text; rows are lists, since there may be fifty thousand."""
        plain = {
            "form": FORM,
            "root": [self.root_device, self.root_inode],
            "taken_us": self.taken_us,
            "entries": [_ROW(entry) for entry in self.entries.values()],
            "left_out": [(one.path, one.why) for one in self.left_out],
            "boot": self.boot,
        }
        return json.dumps(plain, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Read back what `to_json` wrote.

        Raises:
            Damaged: it is not a manifest of this form.
        """
        try:
            plain = json.loads(text)
            if plain["form"] != FORM:
                raise ValueError(f"form {plain['form']}")
            return cls(
                root_device=plain["root"][0],
                root_inode=plain["root"][1],
                taken_us=plain["taken_us"],
                entries=_by_path(Entry(*row) for row in plain["entries"]),
                left_out=tuple(LeftOut(*row) for row in plain["left_out"]),
                boot=str(plain["boot"]),
            )
        except (ValueError, TypeError, LookupError, AttributeError) as problem:
            raise Damaged(
                f"The list of a run's copied files cannot be read ({problem}).", "Restore a backup of the data folder."
            ) from problem


_ROW = operator.attrgetter(*(one.name for one in fields(Entry)))


def _by_path(entries: Iterable[Entry]) -> dict[str, Entry]:
    return {entry.path: entry for entry in entries}


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a run's stage lies: `tree/` (the files), `base.json` (the manifest), `overlays/` (what its steps are writing).

    While a host has the run, tree and overlays lie in the slot of that host. `incoming/` is there while the tree is being changed. The
    folder is private to this account and has a neutral name: a sandbox can read its own mount points.
    """

    root: Path
    slot: Path | None = None

    @property
    def tree(self) -> Path:
        """The files as the run sees them now: copies of the workspace's, and what its recorded steps have written."""
        return self.root / "tree" if self.slot is None else self.slot / "files" / "tree"

    @property
    def lent(self) -> Path:
        """Says in which slot of a host the tree is, while it is there."""
        return self.root / "slot"

    @property
    def base(self) -> Path:
        """The manifest."""
        return self.root / "base.json"

    @property
    def incoming(self) -> Path:
        """Files on their way into the tree; it is there only while the tree is being changed."""
        return self.root / "incoming"

    @property
    def merging(self) -> Path:
        """Bytes of a recorded step on their way into the tree."""
        return self.root / "merging"

    @property
    def merged(self) -> Path:
        """How far recorded changes are in the tree: the number of the last row."""
        return self.root / "merged"

    @property
    def overlays(self) -> Path:
        """A folder for each try of a step that writes."""
        return self.root / "overlays" if self.slot is None else self.slot / "work"

    def manifest(self) -> Manifest:
        """The base of this stage.

        Raises:
            FileNotFoundError: there is no stage, or it is not complete.
            Damaged: it cannot be read.
        """
        return Manifest.from_json(self.base.read_text(encoding="utf-8"))


def layout_of(home: Home, run_id: str) -> Layout:
    """Where the stage of a run lies, whether or not it was made."""
    layout = Layout(home.stages / run_id)
    try:
        slot = Path(layout.lent.read_text(encoding="utf-8"))
    except OSError:
        return layout
    return layout if layout.tree.exists() else replace(layout, slot=slot)


def lend(layout: Layout, slot: Path) -> Layout:
    """Move the tree into a host's slot; where the stage lies then."""
    layout.lent.write_text(str(slot), encoding="utf-8")
    lent = replace(layout, slot=slot)
    layout.tree.rename(lent.tree)
    return lent


def take_back(layout: Layout) -> Layout:
    """Move the tree back from wherever a host had it, or a crash has left it; where the stage lies then."""
    home = replace(layout, slot=None)
    if layout.slot is not None and layout.tree.is_dir():
        layout.tree.rename(home.tree)
    home.lent.unlink(missing_ok=True)
    return home
