"""A stage is what the workspace was, to the byte, and nothing of the workspace is changed by it (T9, T10, T47, T48)."""

import contextlib
import hashlib
import os
import resource
import shutil
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.errors import DiskFull, Stopped, WrongWorkspace
from counterfoil.stage import copying, refreshing
from counterfoil.stage.leaving_out import Choices
from counterfoil.stage.manifest import LeftOut, Manifest
from counterfoil.stage.survey import survey
from stage.folders import Place, fingerprint

ODD = os.fsdecode(b"caf\xe9-\xff.txt")
AS_ROOT = os.geteuid() == 0
MAY_MOUNT = (
    shutil.which("unshare") is not None
    and subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False).returncode == 0
)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """An empty workspace."""
    return Place(tmp_path)


def test_a_stage_holds_what_the_workspace_holds(place: Place) -> None:
    place.write("a.txt", "one")
    place.write("deep/down/b.bin", bytes(range(256)) * 9000)
    place.write(f"deep/{ODD}", "odd")
    place.write("empty", b"")
    (place.workspace / "nothing").mkdir()
    (place.workspace / "deep/link").symlink_to("../a.txt")
    before = fingerprint(place.workspace)
    made = place.make()
    assert fingerprint(place.workspace) == before
    assert place.staged() == {
        "a.txt": b"one", "deep": "/", "deep/down": "/", "deep/down/b.bin": bytes(range(256)) * 9000, f"deep/{ODD}": b"odd",
        "deep/link": "-> ../a.txt", "empty": b"", "nothing": "/",
    }  # fmt: skip
    assert set(made.entries) == set(place.staged())
    assert place.layout.manifest() == made
    assert not place.layout.incoming.exists()


def test_the_manifest_says_how_the_workspace_was(place: Place) -> None:
    file = place.write("a.txt", "one")
    file.chmod(0o4755)
    os.utime(file, ns=(1, 123_456_789))
    entry = place.make().entries["a.txt"]
    status = file.stat()
    assert entry.sha256 == hashlib.sha256(b"one").hexdigest()
    assert (entry.size, entry.mtime_ns, entry.ctime_ns, entry.inode) == copying.facts(status)
    assert entry.mode == 0o755
    copy = (place.layout.tree / "a.txt").stat()
    assert stat.S_IMODE(copy.st_mode) == 0o755  # setuid is dropped
    assert copy.st_mtime_ns == 123_456_789
    assert (entry.copy_inode, entry.copy_ctime_ns) == (copy.st_ino, copy.st_ctime_ns)
    root = place.workspace.stat()
    made = place.layout.manifest()
    assert (made.root_device, made.root_inode, made.taken_us) == (root.st_dev, root.st_ino, 1_000)


def test_extended_attributes_are_dropped(place: Place) -> None:
    file = place.write("a.txt", "one")
    try:
        os.setxattr(file, "user.note", b"secret")
    except OSError:
        pytest.skip("level any: this file system keeps no extended attributes")
    place.make()
    assert os.listxattr(place.layout.tree / "a.txt") == []


def test_writing_to_a_stage_never_reaches_the_workspace(place: Place) -> None:
    """T10, and T9 for names that share one file: a copy is a file of its own, never another name of the person's."""
    first = place.write("a.txt", "one")
    os.link(first, place.workspace / "b.txt")
    place.make()
    before = fingerprint(place.workspace)
    for name in ("a.txt", "b.txt"):
        copy = place.layout.tree / name
        assert copy.stat().st_nlink == 1
        with copy.open("r+b") as out:
            out.write(b"X")
    assert fingerprint(place.workspace) == before


def test_secrets_version_control_and_our_own_are_left_out_and_told(place: Place) -> None:
    for path in (
        ".git/config", "sub/.git", ".env", "sub/.env.local", "id_rsa", "sub/server.pem", "github_token.txt", ".counterfoil/workspace.toml",
        ".ssh/config", ".counterfoil-1234", "Sub/.GIT/x",
    ):  # fmt: skip
        place.write(path, "x")
    place.write("kept.txt", "x")
    place.write("keyboard.txt", "x")
    made = place.make()
    assert set(place.staged()) == {"kept.txt", "keyboard.txt", "sub", "Sub"}
    assert set(made.left_out) == {
        LeftOut(".git", "versions"), LeftOut("sub/.git", "versions"), LeftOut("Sub/.GIT", "versions"), LeftOut(".env", "secret"),
        LeftOut("sub/.env.local", "secret"), LeftOut(".ssh", "secret"), LeftOut("github_token.txt", "secret"), LeftOut("id_rsa", "key"),
        LeftOut("sub/server.pem", "key"), LeftOut(".counterfoil", "ours"), LeftOut(".counterfoil-1234", "ours"),
    }  # fmt: skip


def test_a_person_may_have_more_left_out_or_copied_anyway(place: Place) -> None:
    for path in (".env", "big/a", "big/b", "keep/c", ".counterfoil/x"):
        place.write(path, "x")
    made = place.make(Choices(leave_out=frozenset({"big"}), copy_anyway=frozenset({".env", ".counterfoil"})))
    assert set(place.staged()) == {".env", "keep", "keep/c"}
    assert LeftOut("big", "chosen") in made.left_out


def test_pipes_sockets_and_devices_are_listed_and_never_opened(place: Place) -> None:
    """T48: opening the pipe would wait for ever."""
    os.mkfifo(place.workspace / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        with _inside(place.workspace):
            listening.bind("sock")
        if AS_ROOT:
            os.mknod(place.workspace / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        place.write("a.txt", "one")
        made = _in_time(place)
    assert set(place.staged()) == {"a.txt"}
    assert {one.path for one in made.left_out if one.why == "special"} >= {"pipe", "sock"}
    assert len(made.left_out) == (3 if AS_ROOT else 2)


def test_a_file_that_becomes_a_pipe_is_not_waited_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place.write("a.txt", "one")

    def swap() -> None:
        file.unlink()
        os.mkfifo(file)

    swapped = _once(swap)
    monkeypatch.setattr(os, "open", _before_reading("a.txt", swapped, os.open))
    made = _in_time(place)
    assert place.staged() == {}
    assert made.left_out == (LeftOut("a.txt", "special"),)


@pytest.mark.skipif(AS_ROOT, reason="level any: root may read everything")
def test_what_may_not_be_read_is_left_out_and_told(place: Place) -> None:
    place.write("a.txt", "one").chmod(0)
    place.write("shut/b.txt", "two")
    (place.workspace / "shut").chmod(0)
    place.write("c.txt", "three")
    made = place.make()
    (place.workspace / "shut").chmod(0o755)
    assert set(place.staged()) == {"c.txt"}
    assert set(made.left_out) == {LeftOut("a.txt", "unreadable"), LeftOut("shut", "unreadable")}


def test_a_file_that_may_not_be_read_is_left_out_and_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for whoever runs the tests, root included."""
    place.write("a.txt", "one")
    place.write("c.txt", "three")
    monkeypatch.setattr(os, "open", _refusing("a.txt", PermissionError(13, "Permission denied"), os.open))
    made = place.make()
    assert set(place.staged()) == {"c.txt"}
    assert made.left_out == (LeftOut("a.txt", "unreadable"),)


def test_a_drive_that_fails_is_no_stage(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("a.txt", "one")
    monkeypatch.setattr(os, "open", _refusing("a.txt", OSError(5, "Input/output error"), os.open))
    with pytest.raises(WrongWorkspace, match=r"a\.txt cannot be read: input/output error\. Look at the drive"):
        place.make()
    assert not place.layout.base.exists()


# ------------------------------------------------------------------------------------------------- while it is copied


def test_a_file_that_changes_while_it_is_read_is_read_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place.write("a.txt", "one" * 1000)
    changed = _once(lambda: file.write_text("two"))
    monkeypatch.setattr(os, "read", _calling_first(changed, os.read))
    entry = place.make().entries["a.txt"]
    assert place.staged() == {"a.txt": b"two"}
    assert entry.sha256 == hashlib.sha256(b"two").hexdigest()
    assert entry.inode == file.stat().st_ino


def test_a_file_that_never_holds_still_is_left_out_and_told(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place.write("log", "x")
    place.write("a.txt", "one")
    monkeypatch.setattr(refreshing, "PAUSE", 0)

    def grow() -> None:
        with file.open("a") as out:
            out.write("more")

    monkeypatch.setattr(os, "read", _calling_first(grow, os.read, only=file))
    made = place.make()
    assert set(place.staged()) == {"a.txt"}
    assert made.left_out == (LeftOut("log", "changing"),)


def test_what_goes_away_while_it_is_copied_was_never_there(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place.write("a.txt", "one")
    place.write("b.txt", "two")
    monkeypatch.setattr(os, "open", _before_reading("a.txt", _once(file.unlink), os.open))
    assert set(place.make().entries) == {"b.txt"}
    assert set(place.staged()) == {"b.txt"}


def test_a_folder_that_becomes_a_link_is_not_followed(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T11, inside the workspace: the link is seen as a link at the next look."""
    place.write("in/a.txt", "one")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("canary")

    def swap() -> None:
        (place.workspace / "in").rename(tmp_path / "away")
        (place.workspace / "in").symlink_to(outside)

    once = _once(swap)
    taken = refreshing.Refresh._take

    def take(self: refreshing.Refresh, *given: Any) -> None:
        once()
        taken(self, *given)

    monkeypatch.setattr(refreshing.Refresh, "_take", take)
    place.make()
    assert place.staged() == {"in": f"-> {outside}"}


def test_stopping_leaves_no_stage(place: Place) -> None:
    for number in range(20):
        place.write(f"{number}.txt", "x")
    seen: list[tuple[int, int]] = []
    with pytest.raises(Stopped):
        place.make(tell=lambda done, of: seen.append((done, of)), stop=lambda: len(seen) >= 7)
    assert seen == [(number, 20) for number in range(1, 8)]
    assert not place.layout.base.exists()
    assert len(place.make().entries) == 20  # what is left of a try is no hindrance


def test_a_full_disk_is_told_and_nothing_is_half_made(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("a.txt", "x" * 100)
    monkeypatch.setattr(os, "write", lambda handle, data: len(data) - 1)
    with pytest.raises(DiskFull, match=r"no room for a copy of .*workspace: .*\. Make room"):
        place.make()
    assert not place.layout.root.exists()


ON_A_FULL_DISK = """
import pathlib, subprocess, sys
from counterfoil.errors import DiskFull
from stage.folders import Place, fingerprint
place = Place(pathlib.Path(sys.argv[1]))
stages = place.layout.root.parent
stages.mkdir()
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "none", stages], check=True)
place.write("a/big.bin", bytes(200_000))
place.write("b.txt", "b")
before = fingerprint(place.workspace)
try:
    place.make()
except DiskFull as full:
    print(full)
assert list(stages.iterdir()) == [], "half a copy is left"
assert fingerprint(place.workspace) == before
(place.workspace / "a/big.bin").unlink()
print(sorted(place.make().entries))
"""


@pytest.mark.skipif(not MAY_MOUNT, reason="level any: this account may not mount anything, not even for itself")
def test_a_disk_that_is_really_full_is_told_and_the_copy_is_made_once_there_is_room(tmp_path: Path) -> None:
    ran = subprocess.run(
        ["unshare", "-Urm", sys.executable, "-c", ON_A_FULL_DISK, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    said, made = ran.stdout.splitlines()
    assert said.startswith("There is no room for a copy of ")
    assert "no space left on device" in said
    assert "Make room" in said
    assert made == "['a', 'b.txt']"


# ------------------------------------------------------------------------------------------------------ brought up to date


def test_only_what_changed_is_copied_again(place: Place) -> None:
    for path in ("a.txt", "b.txt", "gone.txt", "old/x.txt", "folder/f.txt"):
        place.write(path, path)
    (place.workspace / "link").symlink_to("a.txt")
    first = place.make()
    place.write("b.txt", "changed")
    place.write("new/y.txt", "new")
    (place.workspace / "gone.txt").unlink()
    (place.workspace / "old/x.txt").unlink()
    (place.workspace / "old").rmdir()
    place.write("old", "a file now")
    (place.workspace / "link").unlink()
    (place.workspace / "link").symlink_to("b.txt")
    told: list[tuple[int, int]] = []
    second = place.make(tell=lambda done, of: told.append((done, of)))
    assert place.staged() == {
        "a.txt": b"a.txt", "b.txt": b"changed", "folder": "/", "folder/f.txt": b"folder/f.txt", "link": "-> b.txt", "new": "/",
        "new/y.txt": b"new", "old": b"a file now",
    }  # fmt: skip
    assert set(second.entries) == set(place.staged())
    assert second.entries["a.txt"] == first.entries["a.txt"]
    assert told[-1] == (4, 4)
    assert place.make().entries == second.entries
    copy = (place.layout.tree / "b.txt").stat()
    assert second.entries["b.txt"].copy_ctime_ns == copy.st_ctime_ns


def test_what_the_run_changed_keeps_its_base(place: Place) -> None:
    for path in ("written.txt", "removed.txt", "theirs.txt", "in/kept.txt", "in/other.txt"):
        place.write(path, "base")
    first = place.make()
    (place.layout.tree / "written.txt").write_text("by the run")
    (place.layout.tree / "removed.txt").unlink()
    (place.layout.tree / "made.txt").write_text("by the run")
    (place.layout.tree / "in/kept.txt").write_text("by the run")
    for path in ("written.txt", "removed.txt", "theirs.txt", "made.txt"):
        place.write(path, "by a colleague")
    for path in ("in/kept.txt", "in/other.txt"):
        (place.workspace / path).unlink()
    (place.workspace / "in").rmdir()
    ours = {"written.txt": True, "removed.txt": True, "made.txt": True, "in/kept.txt": True}
    second = place.make(ours=ours)
    assert place.staged() == {
        "written.txt": b"by the run", "theirs.txt": b"by a colleague", "made.txt": b"by the run", "in": "/", "in/kept.txt": b"by the run",
    }  # fmt: skip
    for path in ("written.txt", "removed.txt", "in/kept.txt"):
        assert second.entries[path] == first.entries[path]
    assert "made.txt" not in second.entries
    assert "in/other.txt" not in second.entries
    assert second.entries["theirs.txt"] != first.entries["theirs.txt"]


def test_beneath_a_folder_that_the_run_removed_nothing_comes_back(place: Place) -> None:
    place.write("archive/a.txt", "base")
    place.make()
    (place.layout.tree / "archive/a.txt").unlink()
    (place.layout.tree / "archive").rmdir()
    place.write("archive/new.txt", "by a colleague")
    made = place.make(ours={"archive": True})
    assert place.staged() == {}
    assert set(made.entries) == {"archive", "archive/a.txt"}


def test_a_step_that_reads_sees_old_or_new_and_nothing_between(place: Place) -> None:
    file = place.write("a.txt", b"A" * 3_000_000)
    place.make()
    seen: set[bytes] = set()
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            seen.add((place.layout.tree / "a.txt").read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for sign in (b"B", b"C", b"D"):
        file.write_bytes(sign * 2_000_000)
        place.make()
    over.set()
    reader.join()
    assert seen <= {b"A" * 3_000_000, b"B" * 2_000_000, b"C" * 2_000_000, b"D" * 2_000_000}


# --------------------------------------------------------------------------------------------------------- bad folders


def test_a_workspace_that_is_a_link_is_refused(place: Place, tmp_path: Path) -> None:
    """T11: the folder itself, and a folder above it."""
    for place.workspace in (tmp_path / "alias", tmp_path / "above/workspace"):
        if place.workspace.name == "alias":
            place.workspace.symlink_to(tmp_path / "workspace")
        else:
            (tmp_path / "above").symlink_to(tmp_path)
        with pytest.raises(WrongWorkspace, match=r"leads through a link\. Name the folder itself"):
            place.make()
        assert not place.layout.root.exists() or not place.layout.base.exists()


def test_a_workspace_that_is_gone_or_no_folder_is_told(place: Place) -> None:
    place.workspace.rmdir()
    with pytest.raises(WrongWorkspace, match=r"workspace is not there\. Put it back"):
        place.make()
    place.workspace.write_text("x")
    with pytest.raises(WrongWorkspace, match=r"is a link or no folder\."):
        place.make()


def test_deep_folders_and_long_names(place: Place) -> None:
    """T47: five hundred folders in one another, names of 255 bytes, whole paths of more than any program opens."""
    here = os.open(place.workspace, os.O_RDONLY)
    try:
        for number in range(500):
            name = "n" * 255 if number < 20 else "d"
            os.mkdir(name, dir_fd=here)
            below = os.open(name, os.O_RDONLY, dir_fd=here)
            os.close(here)
            here = below
            with os.fdopen(os.open("f.txt", os.O_WRONLY | os.O_CREAT, dir_fd=here), "w") as out:
                out.write(str(number))
    finally:
        os.close(here)
    place.write("a.txt", "one")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        made = place.make()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert {one.why for one in made.left_out} == {"deep"}
    files = [path for path, entry in made.entries.items() if entry.kind == "file"]
    assert "a.txt" in files
    assert len(files) > 15
    assert max(len(os.fsencode(path)) for path in made.entries) <= 4096


def test_two_hundred_folders_in_one_another_are_followed(place: Place) -> None:
    place.write("/".join(["d"] * 200) + "/f.txt", "deep")
    place.write("/".join(["d"] * 150) + "/side/g.txt", "side")
    place.write("/".join(["d"] * 3) + "/z/h.txt", "shallow")
    made = place.make()
    assert made.left_out == ()
    assert place.staged() == {path: (b"deep" if path.endswith("f.txt") else b"side" if path.endswith("g.txt") else b"shallow")
                              if made.entries[path].kind == "file" else "/" for path in made.entries}  # fmt: skip


def test_a_hundred_thousand_files_are_a_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T42, at copy. The limit is lowered, so that the test needs not a hundred thousand files to be sure of it."""
    monkeypatch.setattr("counterfoil.stage.survey.MOST_FILES", 50)
    place = Place(tmp_path)
    for number in range(60):
        place.write(f"many/{number}", "x")
    place.write("few/a", "x")
    with pytest.raises(WrongWorkspace) as refused:
        place.make()
    assert "workspace holds 61 files, 0 MB in 2 folders; a run works on a copy, and copies at most 50 files" in str(
        refused.value
    )
    assert "Its largest parts: many (60 files, 0 MB), few (1 file, 0 MB)." in str(refused.value)
    assert "--leave-out NAME" in refused.value.next_step
    assert not place.layout.base.exists()
    assert set(place.make(Choices(leave_out=frozenset({"many"}))).entries) == {"few", "few/a"}


def test_a_sparse_file_is_judged_by_its_size(place: Place) -> None:
    """T43, at copy: a terabyte of nothing is not read."""
    with (place.workspace / "sparse").open("wb") as out:
        try:
            out.truncate(2**40)
        except OSError:
            pytest.skip("level any: this file system has no file of a terabyte")
    with pytest.raises(WrongWorkspace, match=r"1,099\.5 GB.* Its largest parts: sparse"):
        place.make()
    found = survey(str(place.workspace), Choices())
    assert found.octets == 2**40


def _in_time(place: Place) -> Manifest:
    made: list[Manifest] = []
    worker = threading.Thread(target=lambda: made.append(place.make()), daemon=True)
    worker.start()
    worker.join(60)
    assert made, "it waits"
    return made[0]


@contextlib.contextmanager
def _inside(folder: Path) -> Generator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _once(act: Callable[[], object]) -> Callable[[], None]:
    left = [act]

    def call() -> None:
        if left:
            left.pop()()

    return call


def _before_reading(name: str, act: Callable[[], object], real: Callable[..., int]) -> Callable[..., int]:
    """os.open, with something done just before a file of that name is opened for reading."""

    def opened(path: object, flags: int, *given: object, **named: object) -> int:
        if path == name and not flags & os.O_CREAT:
            act()
        return real(path, flags, *given, **named)

    return opened


def _refusing(name: str, problem: OSError, real: Callable[..., int]) -> Callable[..., int]:
    def refuse() -> None:
        raise problem

    return _before_reading(name, refuse, real)


def _calling_first(
    act: Callable[[], object], real: Callable[[int, int], bytes], only: Path | None = None
) -> Callable[[int, int], bytes]:
    """os.read, with something done before each piece, of one file where it says so."""

    def read(handle: int, most: int) -> bytes:
        if only is None or os.fstat(handle).st_ino == only.stat().st_ino:
            act()
        return real(handle, most)

    return read
