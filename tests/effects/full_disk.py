"""Sets on a disk that is full at every possible place, or that nobody may write; run by test_races.py where it may mount."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

from counterfoil.authoring.effect_values import append_rows, delete_files, move_files, write_file
from counterfoil.effects.applying import apply_files
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import EffectTrouble
from counterfoil.places import Home
from counterfoil.store.blobs import Blobs
from effects.sets import filled_with, held, seal

PAGE = 4096
_READ_ONLY = 1 | 32 | 4096  # MS_RDONLY, MS_REMOUNT, MS_BIND
OLD = {
    "in/a.xml": b"A" * 3 * PAGE,
    "in/b.xml": b"B",
    "ledger.csv": b"run\r\n" + b"1\r\n" * 3000,
    "old.txt": b"old",
    "gone": b"G",
}
PLAN = [
    write_file("payments/r-1.xml", "<pain/>" * PAGE),
    append_rows("ledger.csv", [{"run": "2"}], columns=["run"]),
    move_files([("in/a.xml", "archive/a.xml"), ("in/b.xml", "archive/b.xml")]),
    delete_files(["gone"]),
    write_file("old.txt", "new" * PAGE),
]


def run(folder: Path) -> tuple[int, int]:
    """The set with more and more room, until there is enough: how often it was put back for want of room, and how often it held."""
    workspace = folder / "workspace"
    workspace.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={64 * PAGE}", "none", str(workspace)], check=True)
    home = Home(folder / "home").create()
    filled_with(workspace, OLD)
    ops = seal(EffectCatalogue(home, Blobs(home)), PLAN, workspace)
    refused, said = 0, set()
    for room in range(40):
        fill(workspace / "filler", room)
        try:
            apply_files(ops, str(workspace), str(home.undo / f"gate-{room}"))
        except EffectTrouble as problem:
            said.add(str(problem))
            found = held(workspace)
            found.pop("filler")
            assert found == OLD, (room, found.keys() ^ OLD.keys())
            refused += 1
        else:
            assert said == {"The folder cannot be written (no space left on device); nothing was written."}
            return refused, room
    raise AssertionError("there was never room")


def read_only(folder: Path) -> str:
    """What is said of a file system that nobody may write any more; nothing of the folder has changed."""
    workspace = folder / "workspace"
    workspace.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", str(workspace)], check=True)
    home = Home(folder / "home").create()
    filled_with(workspace, OLD)
    ops = seal(EffectCatalogue(home, Blobs(home)), PLAN, workspace)
    _forbid_writing(workspace)
    try:
        apply_files(ops, str(workspace), str(home.undo / "gate"))
    except EffectTrouble as problem:
        assert held(workspace) == OLD
        return f"{problem.failure_class.value} {problem}"
    raise AssertionError("it was written all the same")


def _forbid_writing(place: Path) -> None:
    """By the call itself: mount(8) gives options along that an ordinary user may not repeat."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(None, os.fsencode(place), None, ctypes.c_ulong(_READ_ONLY), None) != 0:
        raise OSError(ctypes.get_errno(), "remounting failed")


def fill(filler: Path, room: int) -> None:
    """Take everything but a number of pages."""
    filler.unlink(missing_ok=True)
    with filler.open("wb", buffering=0) as out:
        try:
            while True:
                out.write(bytes(PAGE))
        except OSError:
            pass
    size = filler.stat().st_size
    assert size > room * PAGE
    with filler.open("r+b") as out:
        out.truncate(size - room * PAGE)


if __name__ == "__main__":
    print(read_only(Path(sys.argv[1])) if sys.argv[2:] else " ".join(map(str, run(Path(sys.argv[1])))))
