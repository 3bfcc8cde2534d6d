"""Undoing on a disk that is full, and across two devices whatever is killed; run by test_devices.py in a namespace of its own, where it
may mount. One run of the engine does everything to files that can be done to them, and is put back again and again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from counterfoil import Effect, Params, approve, delete_files, make_folders, move_files, workflow, write_file
from counterfoil.effects.undoing import put_back, written_plan
from counterfoil.engine.ports import EffectTrouble
from counterfoil.facts import RunState
from counterfoil.testing import Harness
from counterfoil.views.undo_plan import undo_plan
from effects.full_disk import fill
from effects.sets import at_act, filled_with, held, killed_in_a_child

PAGE = 4096
OLD = {
    "in/a.xml": b"A" * 3 * PAGE,
    "in/b.xml": b"B",
    "archive/c.xml": b"C",
    "archive/gone.xml": b"G",
    "archive/old.xml": b"old" * PAGE,
}


class Nothing(Params):
    pass


@workflow("everything")
async def everything(p: Nothing) -> None:
    plan: list[Effect] = [
        move_files([("in/a.xml", "archive/a.xml"), ("archive/c.xml", "c.xml"), ("in/b.xml", "archive/2026/b.xml")]),
        delete_files(["archive/gone.xml"]),
        write_file("archive/old.xml", "new"),
        write_file("x.txt", "x" * PAGE),
        make_folders(["empty"]),
    ]
    await (await approve("All", plan=plan)).perform()


class Undone:
    """What the run left, had again for every try: the folders stay the ones they were, since one of them is a device."""

    def __init__(self, folder: Path, mounted: str, options: str = "mode=755") -> None:
        self.workspace, home = folder / "workspace", folder / "home"
        place = self.workspace / mounted
        place.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(place)], check=True)
        assert place.stat().st_dev != folder.stat().st_dev
        filled_with(self.workspace, OLD)
        harness = Harness(self.workspace, home=home)
        harness.start(everything)
        harness.advance()
        harness.approve()
        assert harness.advance() == RunState.DONE
        with harness.database.snapshot() as conn:
            plan = undo_plan(conn, harness.home, harness.run_id)
        paths = [path for unit in plan.units for path in unit.paths]
        self.home = harness.home
        self.text = written_plan(plan, paths, self.home, str(self.workspace))
        harness.close()
        self.new = files_of(self.workspace)
        assert self.new != OLD
        self.kept = {place: folder / f"{place.name}.kept" for place in (self.workspace, self.home.undo)}
        for place, kept in self.kept.items():
            shutil.copytree(place, kept)

    def again(self) -> None:
        """Files as the run left them."""
        for place, kept in self.kept.items():
            for inner in sorted(place.rglob("*"), reverse=True):
                if not inner.is_dir():
                    inner.unlink()
                elif not inner.is_mount():
                    inner.rmdir()
            shutil.copytree(kept, place, dirs_exist_ok=True)

    def put_back(self) -> None:
        """Put back what is left to be put back."""
        put_back(self.text, self.home, str(self.workspace), "u" * 32)

    def killed(self, number: int, *, after: bool) -> bool:
        """The same in a process that ends at its n-th act; whether it did."""
        return killed_in_a_child(self.put_back, at_act(number, after=after))


def files_of(workspace: Path) -> dict[str, bytes]:
    """What the workspace holds for its people."""
    return {path: data for path, data in held(workspace).items() if not path.startswith((".counterfoil/", "filler"))}


def across(folder: Path, mounted: str) -> int:
    """Kills at every third act, before and after it in turn, and their aftermath; how many landed."""
    undone = Undone(folder, mounted)
    for turn in range(1000):
        undone.again()
        was_killed = undone.killed(3 * turn + 1, after=turn % 2 == 0)
        undone.put_back()
        assert files_of(undone.workspace) == OLD, turn
        assert not (undone.workspace / "empty").exists()
        if not was_killed:
            return turn
    raise AssertionError("it never came to its end")


def full(folder: Path) -> tuple[int, int]:
    """Undoing with more and more room, until there is enough: how often nothing was put back for want of it, and how often it was tried."""
    undone = Undone(folder, ".", f"mode=755,size={64 * PAGE}")
    refused, said = 0, set()
    for room in range(40):
        undone.again()
        fill(undone.workspace / "filler", room)
        try:
            undone.put_back()
        except EffectTrouble as problem:
            said.add(str(problem))
            assert files_of(undone.workspace) == undone.new, room
            refused += 1
            (undone.workspace / "filler").unlink()
        else:
            assert files_of(undone.workspace) == OLD
            assert said <= {"The folder cannot be written (no space left on device); nothing was written."}
            return refused, room
    raise AssertionError("there was never room")


if __name__ == "__main__":
    os.umask(0o022)
    how, at = sys.argv[1], Path(sys.argv[2])
    print(*(full(at) if how == "full" else (across(at, sys.argv[3]),)))
