"""Sets across two devices, killed at every act; run by test_devices.py in a namespace of its own, where it may mount.

The workspace is the folder given, its `archive` a file system in memory; with "apart" the whole workspace is one, so that the undo store
has to lie in it.
"""

import shutil
import subprocess
from pathlib import Path

from counterfoil.authoring.effect_values import delete_files, move_files, write_file
from counterfoil.effects.applying import apply_files
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import Conflict, FileOp
from counterfoil.places import Home
from counterfoil.store.blobs import Blobs
from effects.sets import at_act, held, killed_in_a_child, seal

OLD = {
    "in/a.xml": b"A" * 3000,
    "in/b.xml": b"same",
    "archive/c.xml": b"C",
    "archive/d.xml": b"same",
    "archive/gone.xml": b"G",
    "archive/old.xml": b"old",
}
NEW = {
    "archive/a.xml": b"A" * 3000,
    "archive/d.xml": b"same",
    "in/b.xml": b"same",
    "c.xml": b"C",
    "archive/old.xml": b"new",
    "x.txt": b"x",
}
PLAN = [
    move_files([("in/a.xml", "archive/a.xml"), ("archive/c.xml", "c.xml")]),
    move_files([("in/b.xml", "archive/d.xml"), ("archive/d.xml", "in/b.xml")]),
    delete_files(["archive/gone.xml"]),
    write_file("archive/old.xml", "new"),
    write_file("x.txt", "x"),
]


def run(folder: Path, *, apart: bool) -> int:
    """Every kill and its aftermath; how many kills landed."""
    workspace = folder / "workspace"
    mounted = workspace if apart else workspace / "archive"
    mounted.mkdir(parents=True)
    subprocess.run(["mount", "-t", "tmpfs", "none", str(mounted)], check=True)
    assert mounted.stat().st_dev != folder.stat().st_dev
    number, landed = 1, 0
    while True:
        ops, undo = _anew(folder, workspace, f"carry-on-{number}")
        killed = _killed(ops, workspace, undo, number)
        apply_files(ops, str(workspace), undo)
        assert files_of(workspace) == NEW, (number, files_of(workspace))
        assert (workspace / ".counterfoil").exists() == apart
        assert {(workspace / path).stat().st_mode & 0o777 for path in NEW if path != "x.txt"} == {0o640}
        if not killed:
            return landed
        _stranger(folder, workspace, number)
        number, landed = number + 1, landed + 1


def _stranger(folder: Path, workspace: Path, number: int) -> None:
    """The same kill, with somebody's file in the way of the last change: everything is where it was."""
    ops, undo = _anew(folder, workspace, f"stranger-{number}")
    _killed(ops, workspace, undo, number)
    (workspace / "x.txt").write_bytes(b"theirs")
    stores = [Path(undo), workspace / ".counterfoil/undo" / Path(undo).name]
    notes = [note for store in stores for note in store.glob("set-*.json")]
    complete = '"complete": true' in "".join(note.read_text() for note in notes)
    try:
        apply_files(ops, str(workspace), undo)
        assert complete, number
        assert files_of(workspace) == {**NEW, "x.txt": b"theirs"}
    except Conflict:
        assert files_of(workspace) == {**OLD, "x.txt": b"theirs"}, (number, files_of(workspace))


def files_of(workspace: Path) -> dict[str, bytes]:
    """What the workspace holds for its people."""
    return {path: data for path, data in held(workspace).items() if not path.startswith(".counterfoil/")}


def _killed(ops: list[FileOp], workspace: Path, undo: str, number: int) -> bool:
    return killed_in_a_child(lambda: apply_files(ops, str(workspace), undo), at_act(number, after=number % 2 == 0))


def _anew(folder: Path, workspace: Path, name: str) -> tuple[list[FileOp], str]:
    for found in [*workspace.glob("*"), *workspace.glob("archive/*")]:
        if found.is_file():
            found.unlink()
        elif found.name != "archive":
            shutil.rmtree(found)
    shutil.rmtree(workspace / ".counterfoil", ignore_errors=True)
    for path, data in OLD.items():
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_bytes(data)
        (workspace / path).chmod(0o640)
    home = Home(folder / "home").create()
    return seal(EffectCatalogue(home, Blobs(home)), PLAN, workspace), str(home.undo / name)
