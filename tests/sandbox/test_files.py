"""What a host cannot reach in the file system: T1 to T4, T9, T11 to T14, T25, T49, and what must still work (T73)."""

import hashlib
import os
import sys
from pathlib import Path

import pytest

from counterfoil.errors import WrongWorkspace
from counterfoil.facts import RunState
from counterfoil.sandbox import bwrap, launching
from counterfoil.sandbox.launching import Cell, Given, Slot, Unfit
from sandbox.rooms import Room

NOWHERE = {"ENOENT", "EACCES"}
UNWRITABLE = {"EROFS", "EACCES", "ENOENT", "EPERM"}


def test_files_of_others_cannot_be_read(room: Room, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("a canary that must not sing")
    wanted = [str(canary), "/etc/shadow", str(room.home.database), str(Path("~/.ssh/canary").expanduser())]
    found = room.inside(f"found = [refusal(text, path) for path in {wanted!r}]")
    assert set(found) <= NOWHERE
    assert not any(b"must not sing" in log.read_bytes() for log in room.home.logs.iterdir())


def test_folders_of_others_cannot_be_listed(room: Room, tmp_path: Path) -> None:
    found = room.inside(f"found = [refusal(os.listdir, path) for path in ['/var', '/sys', {str(tmp_path)!r}]]")
    assert set(found) <= NOWHERE


def test_nothing_outside_scratch_can_be_written(room: Room) -> None:
    places = ["/usr/x", "/x", f"{sys.base_prefix}/x", "/dev/x", "/etc/x", "x", str(room.workspace / "x")]
    found = room.inside(f"found = [refusal(make, path) for path in {places!r}]")
    assert set(found) <= UNWRITABLE
    pattern = room.inside("found = refusal(os.open, '/proc/sys/kernel/core_pattern', os.O_WRONLY)")
    assert pattern in UNWRITABLE
    assert not any(Path(path).exists() for path in places)


def test_dots_lead_nowhere(room: Room) -> None:
    away = f"{room.workspace}{'/..' * len(room.workspace.parts)}/etc/passwd"
    real = Path("/etc/passwd").read_text(encoding="utf-8")
    found = room.inside(f"found = [refusal(text, {away!r}), refusal(text, '../' * 30 + 'etc/passwd')]")
    assert real not in found


def test_links_of_proc_lead_to_the_same_root(isolated: Room) -> None:
    found = isolated.inside(
        "here = os.listdir('/')\n"
        "found = [refusal(os.listdir, '/proc/self/root') == here, refusal(os.listdir, '/proc/1/root'),"
        " refusal(os.listdir, '/proc/self/cwd/../../../../../../../..') == here]"
    )
    assert found[0] is True
    assert found[2] is True
    assert found[1] == "EACCES" or set(found[1]) == bwrap.top_level(isolated_mounts(isolated))


def isolated_mounts(room: Room) -> bwrap.Mounts:
    """What the hosts of a room see."""
    return bwrap.Mounts(launching.runtime(), room.home.run, room.home.run, room.home.run)


def test_links_of_proc_lead_nowhere_where_restricted(restricted: Room) -> None:
    places = ["/proc/self/root", "/proc/1/root", "/proc/self/cwd/../../../../../../../.."]
    assert set(restricted.inside(f"found = [refusal(os.listdir, path) for path in {places!r}]")) <= NOWHERE


def test_no_hard_link_into_the_workspace(room: Room) -> None:
    before = Path(sys.executable).stat().st_nlink
    targets = ["/usr/bin/env", os.path.realpath(sys.executable)]
    found = room.inside(f"found = [refusal(os.link, path, 'x') for path in {targets!r}]")
    assert set(found) <= {*UNWRITABLE, "EXDEV"}
    assert Path(sys.executable).stat().st_nlink == before


def test_the_interpreter_cannot_be_changed(room: Room) -> None:
    before = hashlib.sha256(Path(sys.executable).read_bytes()).hexdigest()
    found = room.inside(
        "found = [refusal(os.open, path, os.O_WRONLY) for path in ['/proc/self/exe', os.path.realpath('/proc/self/exe')]]"
    )
    assert set(found) <= {*UNWRITABLE, "ETXTBSY"}
    assert hashlib.sha256(Path(sys.executable).read_bytes()).hexdigest() == before


def test_planted_links_are_not_followed_by_the_set_up(isolated: Room, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    workspace = tmp_path / "planted"
    workspace.mkdir()
    for name in ("template", "usr", "tmp", "proc", ".git", "oldroot", "newroot"):
        (workspace / name).symlink_to(outside)
    assert isolated.inside("found = sorted(os.listdir('.'))", workspace=workspace)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("name", ["--bind", "--share-net", "new\nline", "--args", "ü \u202e x", "a\\b"])
def test_names_are_no_options(isolated: Room, tmp_path: Path, name: str) -> None:
    workspace = tmp_path / name
    workspace.mkdir()
    (workspace / "note.txt").write_text("here")
    seen = isolated.inside(
        "found = [text('note.txt'), os.listdir('/sys') if os.path.exists('/sys') else 0]", workspace=workspace
    )
    assert seen == ["here", 0]


def test_a_nul_is_refused() -> None:
    with pytest.raises(ValueError, match="NUL"):
        bwrap.encoded(["--ro-bind", "a\0b"])


def test_a_slot_that_became_a_link_is_not_bound(isolated: Room, tmp_path: Path) -> None:
    cell = Cell(isolated.measured, Slot(isolated.home), isolated.home)
    cell.slot.files.rmdir()
    cell.slot.files.symlink_to(tmp_path)
    with pytest.raises(Unfit, match="canonical"):
        launching.prepare(cell, 0)
    cell.slot.remove()


def test_another_folder_than_was_meant_is_noticed(isolated: Room) -> None:
    found = {"folders": {"/job-files": [1, 2]}, "root": [], "handles": [], "capabilities": [], "status": {}}
    cell = Cell(isolated.measured, Slot(isolated.home), isolated.home)
    with pytest.raises(Unfit, match="report"):
        launching.judge(cell, Given(), found, os.getpid())
    cell.slot.remove()


def test_a_workspace_that_became_a_link_is_put_before_a_person(room: Room, tmp_path: Path) -> None:
    """T11: between the start of a run and its first step."""
    workspace = tmp_path / "real"
    workspace.mkdir()
    run_id = room.start("found = os.listdir('.')", workspace=workspace)
    workspace.rename(tmp_path / "away")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/canary").write_text("x")
    workspace.symlink_to(tmp_path / "elsewhere")
    assert room.advance(run_id)["state"] == RunState.WAITING
    assert "leads through a link" in room.asked(run_id)


@pytest.mark.parametrize("folder, said", [("/", "own data"), ("/proc", "the system"), ("home", "own data")])
def test_workspaces_that_show_too_much_are_refused(isolated: Room, folder: str, said: str) -> None:
    workspace = isolated.home.root if folder == "home" else Path(folder)
    with pytest.raises(WrongWorkspace, match=said):
        isolated.start("found = 1", workspace=workspace)


def test_a_workspace_is_seen_as_it_was_and_not_where_it_lies(room: Room) -> None:
    (room.workspace / "note.txt").write_text("here")
    found = room.inside(
        f"found = [text('note.txt'), refusal(os.listdir, {str(room.workspace)!r}), refusal(make, 'x'), os.getcwd()]"
    )
    assert found[0] == "here"
    assert found[1] in NOWHERE
    assert found[2] in UNWRITABLE
    assert (found[3] == "/job-files/tree") == (room.level == "L3")


def test_a_step_writes_into_the_runs_own_copy_only(room: Room, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("here")
    before = list(room.home.stages.iterdir())
    found = room.inside(
        """
from counterfoil import files
files().write("deep/new.txt", b"new")
files().move("note.txt", "moved.txt")
found = [[facts.path for facts in files().walk()], files().read("moved.txt").decode()]
""",
        workspace=tmp_path,
    )
    assert found == [["deep/new.txt", "moved.txt"], "here"]
    assert [one.name for one in tmp_path.iterdir()] == ["note.txt"]
    assert list(room.home.stages.iterdir()) == before


def test_only_the_systems_own_bubblewrap(tmp_path: Path) -> None:
    fake = tmp_path / "bwrap"
    assert bwrap.trusted(fake) == f"{fake} is not installed"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o777)
    assert "can be changed" in (bwrap.trusted(fake) or "")
    linked = tmp_path / "linked"
    linked.symlink_to(fake)
    assert "no regular file" in (bwrap.trusted(linked) or "")
    if os.geteuid() == 0:
        fake.chmod(0o4755)
        assert "setuid" in (bwrap.trusted(fake) or "")
    assert bwrap.PROGRAM.is_absolute()


def test_no_setuid_file_can_be_made(room: Room) -> None:
    found = room.inside(
        """
path = os.environ["TMPDIR"] + "/s"
make(path)
def special(mode):
    return bool(os.stat(path).st_mode & mode)
changed = [refusal(os.chmod, path, 0o4755), refusal(os.chmod, path, 0o2755), special(0o6000)]
opened = refusal(os.open, path + "2", os.O_WRONLY | os.O_CREAT, 0o4755)
tmpfile = refusal(os.open, os.environ["TMPDIR"], os.O_WRONLY | 0o20200000, 0o4755)
node = refusal(os.mknod, path + "3", stat.S_IFREG | 0o4755)
found = [changed[2], opened, tmpfile, node, refusal(os.mkfifo, path + "4"), refusal(os.mknod, path + "5", stat.S_IFCHR | 0o600, 0)]
"""
    )
    assert found == [False, "EPERM", "EPERM", "EPERM", "EPERM", "EPERM"]


def test_modes_and_times_of_files_stay(restricted: Room) -> None:
    """Landlock does not cover these; the filter pretends that they work."""
    target = restricted.workspace / "mine.txt"
    target.write_text("mine")
    before = target.stat()
    told = restricted.inside(
        f"p = {str(target)!r}\nfound = [refusal(os.chmod, p, 0o777), refusal(os.utime, p, (1, 1)), refusal(os.chown, p, 1, 1),"
        " refusal(os.setxattr, p, 'user.x', b'1')]"
    )
    after = target.stat()
    assert told == [None] * 4
    assert (before.st_mode, before.st_mtime_ns, before.st_uid) == (after.st_mode, after.st_mtime_ns, after.st_uid)
    assert "user.x" not in os.listxattr(target)


def test_honest_work_still_works(room: Room) -> None:
    (room.workspace / "note.txt").write_text("hello")
    found = room.inside(
        """
import sqlite3, tempfile, threading, zoneinfo, datetime
with tempfile.TemporaryDirectory() as folder:
    base = sqlite3.connect(folder + "/x.db")
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("create table t (x)")
    base.execute("insert into t values (7)")
    base.commit()
    rows = base.execute("select x from t").fetchall()
    base.close()
    os.mkdir(folder + "/a")
    os.rename(folder + "/a", folder + "/b")
    os.symlink("b", folder + "/c")
said = []
thread = threading.Thread(target=lambda: said.append(1))
thread.start()
thread.join()
reading, writing = os.pipe()
if os.fork() == 0:
    os.write(writing, b"child")
    os._exit(0)
from counterfoil import files
import pypdf, lxml.etree, pypdfium2
found = [rows, said, os.read(reading, 9).decode(), str(zoneinfo.ZoneInfo("Europe/Berlin")), files().read("note.txt").decode()]
"""
    )
    assert found == [[[7]], [1], "child", "Europe/Berlin", "hello"]
