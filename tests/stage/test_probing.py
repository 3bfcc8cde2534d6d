"""A folder is tried out and left as it was: read-only, full, on another drive, synced, without locks."""

import errno
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from counterfoil.effects import kernel
from counterfoil.places import Home
from counterfoil.stage import probing
from counterfoil.stage.probing import PREFIX, first_look, probe
from counterfoil.stage.synced import synced_by
from stage.folders import fingerprint

MAY_MOUNT = (
    shutil.which("unshare") is not None
    and subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False).returncode == 0
)
MOUNTED = """
import json, pathlib, subprocess, sys
from counterfoil.places import Home
from counterfoil.stage.probing import probe
folder = pathlib.Path(sys.argv[1])
place, home = folder / "place", Home(folder / "home").create()
place.mkdir()
subprocess.run(["mount", "-t", "tmpfs", "-o", sys.argv[2], "none", place], check=True)
(place / "a.txt").write_text("x")
for command in sys.argv[3:]:
    subprocess.run(command, shell=True, check=False, cwd=place, stderr=subprocess.DEVNULL)
found = probe(place, home)
left = sorted(one.name for one in place.iterdir())
print(json.dumps({"acts": found.acts, "notes": [[note.what, note.now] for note in found.notes], "left": left}))
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A data folder."""
    return Home(tmp_path / "home").create()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a file in it."""
    place = tmp_path / "work"
    place.mkdir()
    (place / "a.txt").write_text("x")
    return place


def test_an_ordinary_folder_has_nothing_to_be_told(folder: Path, home: Home) -> None:
    found = probe(folder, home)
    assert (found.acts, found.exchanges, found.locks, found.synced_by) == (
        ("created", "renamed", "removed"),
        True,
        True,
        "",
    )
    assert found.notes == ()


def test_trying_out_leaves_nothing(folder: Path, home: Home) -> None:
    os.utime(folder, ns=(5, 1_000_000_007))
    before = fingerprint(folder)
    probe(folder, home)
    after = fingerprint(folder)
    root = str(folder)
    assert before[root][4] == after[root][4] == 1_000_000_007
    del before[root], after[root]  # its own time of change is the system's and cannot be put back
    assert before == after
    assert list(home.stages.iterdir()) == []


def test_what_a_killed_probe_left_is_removed_later(folder: Path, home: Home) -> None:
    left, fresh = folder / f"{PREFIX}old", folder / f"{PREFIX}new"
    for place in (left, fresh):
        place.mkdir()
        (place / "a").write_text("x")
    os.utime(left, (0, 0))
    probe(folder, home)
    assert sorted(one.name for one in folder.iterdir()) == [fresh.name, "a.txt"]


def test_what_another_process_removes_meanwhile_is_nothing_to_be_told(
    folder: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "glob", lambda place, pattern: iter([place / f"{PREFIX}gone"]))
    assert probe(folder, home).acts == ("created", "renamed", "removed")


def _mounted(tmp_path: Path, options: str, *commands: str) -> dict[str, list[object]]:
    ran = subprocess.run(
        ["unshare", "-Urm", sys.executable, "-c", MOUNTED, str(tmp_path), options, *commands],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, list[object]] = json.loads(ran.stdout)
    return found


@pytest.mark.skipif(not MAY_MOUNT, reason="this account may not mount anything, not even for itself")
def test_another_drive_is_told(tmp_path: Path) -> None:
    found = _mounted(tmp_path, "size=300m")
    assert found["acts"] == ["created", "renamed", "removed"]
    assert found["notes"] == [
        [
            "This folder lies on another drive than Counterfoil's own data.",
            "That works; each run makes a full copy of it.",
        ]
    ]
    assert found["left"] == ["a.txt"]


@pytest.mark.skipif(not MAY_MOUNT, reason="this account may not mount anything, not even for itself")
def test_a_drive_that_can_only_be_read_is_told(tmp_path: Path) -> None:
    found = _mounted(tmp_path, "size=300m", "mount -o remount,ro $PWD")
    assert found["acts"] == []
    assert found["notes"][-1] == ["This folder can only be read: its drive is read-only.", probing._READ_ONLY]


@pytest.mark.skipif(not MAY_MOUNT, reason="this account may not mount anything, not even for itself")
def test_a_full_drive_is_told(tmp_path: Path) -> None:
    found = _mounted(tmp_path, "size=1m", "head -c 5000000 /dev/zero > filler")
    assert found["notes"][1:] == [
        ["The disk of this folder is full (0 MB free).",
         "Runs can read it; make room before you approve files that are written here."],
        ["Nothing can be written here: the disk is full.", probing._READ_ONLY],
    ]  # fmt: skip
    assert found["left"] == ["a.txt", "filler"]


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EIO])
def test_what_refuses_the_first_act_is_told(
    number: int, folder: Path, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> str:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    found = probe(folder, home)
    said = {
        errno.EACCES: f"This account may not write into {folder}.",
        errno.EIO: "Nothing can be written here: input/output error.",
    }
    assert (found.acts, found.clones) == ((), False)
    assert [note.what for note in found.notes] == [
        said.get(number, "This folder can only be read: its drive is read-only.")
    ]


def test_a_drive_without_locks_or_renaming_is_told(folder: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(Path, "rename", refuse)
    found = probe(folder, home)
    assert (found.acts, found.locks) == (("created", "removed"), False)
    assert [note.what for note in found.notes] == [
        "The drive of this folder knows no locks.",
        "Files here cannot be renamed.",
    ]


def test_a_drive_that_cannot_swap_files_is_told(folder: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "renameat2", lambda: None)
    found = probe(folder, home)
    assert (found.acts, found.exchanges) == (("created", "renamed", "removed"), False)
    assert [note.what for note in found.notes] == ["The drive of this folder cannot swap two files at once."]


@pytest.mark.parametrize(
    "path, mark, by",
    [
        ("OneDrive - Larkfield/Payables", None, "OneDrive"),
        ("Dropbox (Work)/x", None, "Dropbox"),
        ("nextcloud", None, "Nextcloud"),
        ("files/x/y", "files/.dropbox", "Dropbox"),
        ("files/x", "files/x/.stfolder", "Syncthing"),
        ("files/x", "files/.sync_ab12.db", "Nextcloud"),
        ("files/x", "files/.tmp.driveupload", "Google Drive"),
        ("onedrives/x", None, ""),
        ("files/x", "files/x/y/.dropbox", ""),
    ],
)
def test_a_synced_folder_is_known(path: str, mark: str | None, by: str, tmp_path: Path, home: Home) -> None:
    place = tmp_path / path
    place.mkdir(parents=True)
    if mark is not None:
        (tmp_path / mark).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / mark).write_text("")
    assert synced_by(place) == by
    notes = probe(place, home).notes
    assert [note.what for note in notes] == ([f"This folder is synced by {by}."] if by else [])


def test_the_first_look_is_told_once(folder: Path, home: Home) -> None:
    (folder / ".dropbox").write_text("")
    assert [note.what for note in first_look(folder, home)] == ["This folder is synced by Dropbox."]
    assert first_look(folder, home) == ()
    folder.rename(folder.parent / "away")
    folder.mkdir()
    (folder / ".dropbox").write_text("")
    assert len(first_look(folder, home)) == 1  # another folder of the same name
