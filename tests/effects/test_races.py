"""Others act in the folder while a set is applied: links that flicker, a second set, a disk that is full. Whole or nothing, and nothing
outside."""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from counterfoil.authoring.effect_values import write_file
from counterfoil.effects import kernel
from counterfoil.effects.applying import apply_files
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import Conflict, EffectTrouble, FileOp, OutcomeUnknown
from effects.sets import filled_with, held, seal

FLIPS = 10_000
OLD = {"in/deep/a.txt": b"a", "b.txt": b"b"}
NEW = {"in/deep/a.txt": b"new", "b.txt": b"new", "in/deep/made.txt": b"made"}
PLAN = [write_file("in/deep/a.txt", "new"), write_file("in/deep/made.txt", "made"), write_file("b.txt", "new")]
MAY_MOUNT = (
    shutil.which("unshare") is not None
    and subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False).returncode == 0
)


class Flicker:
    """A folder that is a link to another place every other moment, until it was one as often as is asked."""

    def __init__(self, folder: Path, elsewhere: Path) -> None:
        self._folder, self._link = folder, folder.with_name("link")
        self._link.symlink_to(elsewhere)
        self.flips = 0
        self._enough = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        here = os.open(self._folder.parent, os.O_DIRECTORY)
        while not self._enough.is_set():
            kernel.rename_with(kernel.EXCHANGE, here, self._folder.name, here, "link")
            self.flips += 1
            time.sleep(0)
        if self._folder.is_symlink():
            kernel.rename_with(kernel.EXCHANGE, here, self._folder.name, here, "link")
        os.close(here)

    def end(self) -> None:
        """The folder is a folder again."""
        self._enough.set()
        self._thread.join()
        self._link.unlink()


def _anew(workspace: Path, deep: int) -> None:
    """Everything is old again, whatever the folder's name leads to at this moment."""
    (workspace / "b.txt").write_bytes(b"b")
    with contextlib.suppress(FileNotFoundError):
        os.unlink("made.txt", dir_fd=deep)
    handle = os.open("a.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644, dir_fd=deep)
    os.write(handle, b"a")
    os.close(handle)


def test_a_folder_that_flickers_leads_nowhere(catalogue: EffectCatalogue, workspace: Path, tmp_path: Path) -> None:
    """The link leads to a folder that looks the same, so whatever followed it would find what it expects."""
    elsewhere = filled_with(tmp_path / "elsewhere", {"deep/a.txt": b"a"})
    filled_with(workspace, OLD)
    ops = seal(catalogue, PLAN, workspace)
    deep = os.open(workspace / "in/deep", os.O_DIRECTORY)
    flicker, number, came_to = Flicker(workspace / "in", elsewhere), 0, set()
    try:
        while flicker.flips < FLIPS:
            number += 1
            came_to.add(_applied(ops, workspace, str(tmp_path / f"undo-{number}")))
            assert held(elsewhere) == {"deep/a.txt": b"a"}
            _anew(workspace, deep)
    finally:
        flicker.end()
        os.close(deep)
    assert came_to <= {"whole", "refused", "unsettled"}
    assert held(elsewhere) == {"deep/a.txt": b"a"}


def test_what_a_flickering_folder_left_open_is_settled_when_it_stands(
    catalogue: EffectCatalogue, workspace: Path, tmp_path: Path
) -> None:
    filled_with(workspace, OLD)
    ops = seal(catalogue, PLAN, workspace)
    for number in range(20):
        flicker = Flicker(workspace / "in", filled_with(tmp_path / f"elsewhere-{number}", {"deep/a.txt": b"a"}))
        try:
            _applied(ops, workspace, str(tmp_path / f"undo-{number}"))
        finally:
            flicker.end()
        came_to = _applied(ops, workspace, str(tmp_path / f"undo-{number}"))
        assert held(workspace) == (NEW if came_to == "whole" else OLD), came_to
        (workspace / "in/deep/made.txt").unlink(missing_ok=True)
        filled_with(workspace, OLD)


def _applied(ops: list[FileOp], workspace: Path, undo: str) -> str:
    try:
        apply_files(ops, str(workspace), undo)
    except (Conflict, EffectTrouble):
        return "refused"
    except OutcomeUnknown:
        return "unsettled"
    return "whole"


def test_two_sets_take_turns_in_one_folder(
    catalogue: EffectCatalogue, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second waits until the first has ended, and then finds that the file is not what it was approved on."""
    filled_with(workspace, OLD)
    first, second = seal(catalogue, PLAN, workspace), seal(catalogue, [write_file("b.txt", "second")], workspace)
    other = seal(catalogue, [write_file("other.txt", "other")], workspace)
    begun, go_on, order = threading.Event(), threading.Event(), []
    real = kernel.rename_with

    def rename(*args: Any) -> bool:
        if threading.current_thread().name == "first" and not begun.is_set():
            begun.set()
            assert go_on.wait(60)
        return real(*args)

    def act(ops: list[FileOp], name: str) -> None:
        order.append((name, _applied(ops, workspace, str(tmp_path / name))))

    monkeypatch.setattr(kernel, "rename_with", rename)
    threads = [threading.Thread(target=act, args=(first, "first"), name="first")]
    threads[0].start()
    assert begun.wait(60)
    threads += [threading.Thread(target=act, args=(ops, name)) for ops, name in ((second, "second"), (other, "other"))]
    for thread in threads[1:]:
        thread.start()
        thread.join(0.05)
        assert thread.is_alive(), "it has to wait for the first"
    assert order == []
    assert not (workspace / "other.txt").exists()
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert sorted(order) == [("first", "whole"), ("other", "whole"), ("second", "refused")]
    assert held(workspace) == {**NEW, "other.txt": b"other"}


def test_a_file_that_a_program_holds_open_is_replaced_and_what_it_goes_on_to_write_is_kept(
    catalogue: EffectCatalogue, workspace: Path, tmp_path: Path
) -> None:
    """The program goes on with the original, which lies among what was replaced; nothing of it gets into the new file."""
    filled_with(workspace, OLD)
    ops = seal(catalogue, PLAN, workspace)
    with (workspace / "b.txt").open("ab", buffering=0) as program:
        apply_files(ops, str(workspace), str(tmp_path / "undo"))
        program.write(b" and more")
    assert held(workspace) == NEW
    assert b"b and more" in held(tmp_path / "undo").values()


def _apart(*words: str) -> str:
    ran = subprocess.run(
        ["unshare", "-Urm", sys.executable, "-m", "effects.full_disk", *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@pytest.mark.skipif(not MAY_MOUNT, reason="level of this account: it may not mount anything, not even for itself")
def test_a_folder_that_nobody_may_write_any_more_is_named(tmp_path: Path) -> None:
    said = _apart(str(tmp_path), "read-only")
    assert said == "structural The folder cannot be written (read-only file system); nothing was written.\n"


@pytest.mark.skipif(not MAY_MOUNT, reason="level of this account: it may not mount anything, not even for itself")
def test_a_full_disk_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """A file system of its own that really has no room, with more of it at each try."""
    refused, room = map(int, _apart(str(tmp_path)).split())
    assert refused == room > 10
