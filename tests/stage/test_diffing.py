"""What a run has made of its copy, told from the outside: changes, moves, what is refused and why. The copy may hold anything."""

import hashlib
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from counterfoil.errors import TooMuchChanged
from counterfoil.places import Home
from counterfoil.stage import diffing
from counterfoil.stage.changed import Change, Diff
from counterfoil.stage.diffing import difference
from counterfoil.stage.ladder import Ladder
from counterfoil.store.blobs import Blobs
from counterfoil.store.intake import Intake
from stage.folders import Place


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    """Blobs of a home."""
    return Blobs(Home(tmp_path / "blobs home").create())


@pytest.fixture
def folders(tmp_path: Path) -> Place:
    """A workspace with some files, and its copy."""
    made = Place(tmp_path)
    for path, content in {
        "ledger.csv": "id,amount\n1,10\n",
        "in/a.xml": "<a/>",
        "in/b.xml": "<b/>",
        "docs/letter.txt": "Dear all\n",
        "docs/notes/one.txt": "one\n",
        "run.sh": "#!/bin/sh\n",
        ".env": "SECRET=1\n",
    }.items():
        target = made.workspace / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
    (made.workspace / "run.sh").chmod(0o755)
    (made.workspace / "short").symlink_to("docs/letter.txt")
    made.make()
    return made


@pytest.fixture
def tree(folders: Place) -> Path:
    """The copy, to be changed as a run would."""
    return folders.layout.tree


@pytest.fixture
def look(folders: Place, blobs: Blobs) -> Callable[[], Diff]:
    """The difference now."""
    return lambda: difference(folders.layout, folders.layout.manifest(), blobs)


def told(diff: Diff) -> dict[str, str]:
    """What happened to each path; "blocked" where it is not carried out."""
    return {change.path: "blocked" if change.blocked else change.what for change in diff.changes}


def why(diff: Diff, path: str) -> str:
    (change,) = [change for change in diff.changes if change.path == path]
    return change.blocked


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# ------------------------------------------------------------------------------------------------------------- changes


def test_an_untouched_copy_is_no_change(look: Callable[[], Diff]) -> None:
    assert look() == Diff()


def test_nothing_that_nobody_touched_is_opened(look: Callable[[], Diff], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Intake, "take", None)
    assert look() == Diff()


def test_new_changed_and_removed_files(tree: Path, look: Callable[[], Diff], blobs: Blobs) -> None:
    (tree / "ledger.csv").write_text("id,amount\n1,99\n")
    (tree / "out").mkdir()
    (tree / "out/new.txt").write_text("new")
    (tree / "in/a.xml").unlink()
    found = look()
    assert told(found) == {"ledger.csv": "changed", "out": "new", "out/new.txt": "new", "in/a.xml": "removed"}
    assert blobs.get(sha(b"new")) == b"new"
    assert blobs.get(sha(b"id,amount\n1,99\n")) == b"id,amount\n1,99\n"
    assert found.effects() == [
        {
            "kind": "write_file@1",
            "args": {"path": "ledger.csv", "data": {"$blob": sha(b"id,amount\n1,99\n"), "size": 15}},
        },
        {"kind": "write_file@1", "args": {"path": "out/new.txt", "data": {"$blob": sha(b"new"), "size": 3}}},
        {"kind": "delete_files@1", "args": {"paths": ["in/a.xml"]}},
    ]


def test_a_file_that_was_written_the_same_is_no_change(tree: Path, look: Callable[[], Diff], blobs: Blobs) -> None:
    (tree / "ledger.csv").write_text("id,amount\n1,10\n")
    os.utime(tree / "in/a.xml", (1, 1))
    assert look() == Diff()
    assert not blobs.path(sha(b"id,amount\n1,10\n")).exists()


def test_a_change_that_puts_size_and_time_back_is_seen(tree: Path, look: Callable[[], Diff]) -> None:
    before = (tree / "ledger.csv").stat()
    (tree / "ledger.csv").write_text("id,amount\n1,90\n")
    os.utime(tree / "ledger.csv", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert told(look()) == {"ledger.csv": "changed"}


def test_a_file_that_went_elsewhere_is_a_move(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "archive").mkdir()
    (tree / "in/a.xml").rename(tree / "archive/a.xml")
    (tree / "in/b.xml").rename(tree / "archive/renamed.xml")
    found = look()
    assert told(found) == {"archive": "new", "archive/a.xml": "moved", "archive/renamed.xml": "moved"}
    assert found.effects()[0] == {
        "kind": "move_files@1",
        "args": {"moves": [["in/a.xml", "archive/a.xml"], ["in/b.xml", "archive/renamed.xml"]]},
    }


def test_empty_files_are_no_moves(folders: Place, tree: Path, look: Callable[[], Diff]) -> None:
    (folders.workspace / "empty").touch()
    folders.make()
    (tree / "empty").unlink()
    (tree / "other").touch()
    assert told(look()) == {"empty": "removed", "other": "new"}


def test_folders_come_and_go_with_what_is_in_them(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "docs/notes/one.txt").unlink()
    (tree / "docs/notes").rmdir()
    (tree / "a/b/c").mkdir(parents=True)
    found = look()
    assert told(found) == {
        "docs/notes": "removed",
        "docs/notes/one.txt": "removed",
        "a": "new",
        "a/b": "new",
        "a/b/c": "new",
    }
    assert found.effects() == [
        {"kind": "make_folders@1", "args": {"paths": ["a/b/c"]}},
        {"kind": "delete_files@1", "args": {"paths": ["docs/notes", "docs/notes/one.txt"]}},
    ]


def test_a_folder_that_holds_what_was_not_copied_stays(folders: Place, tree: Path, look: Callable[[], Diff]) -> None:
    (folders.workspace / "docs/notes/.env").write_text("x")
    folders.make()
    (tree / "docs/notes/one.txt").unlink()
    (tree / "docs/notes").rmdir()
    assert told(look()) == {"docs/notes/one.txt": "removed"}


def test_becoming_a_program_is_a_change_of_its_own(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "ledger.csv").chmod(0o755)
    (tree / "run.sh").chmod(0o644)
    (tree / "new.py").write_text("x")
    (tree / "new.py").chmod(0o755)
    found = look()
    assert told(found) == {"ledger.csv": "mode", "run.sh": "mode", "new.py": "new"}
    assert [effect["args"].get("executable") for effect in found.effects()] == [True, True, False]


def test_a_second_name_of_a_file_is_a_file(tree: Path, look: Callable[[], Diff]) -> None:
    os.link(tree / "ledger.csv", tree / "second.csv")
    assert told(look()) == {"second.csv": "new"}


# -------------------------------------------------------------------------------------------------- T56: types change


def test_file_becomes_folder(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "ledger.csv").unlink()
    (tree / "ledger.csv").mkdir()
    (tree / "ledger.csv/1.csv").write_text("x")
    found = look()
    assert told(found) == {"ledger.csv": "type", "ledger.csv/1.csv": "new"}
    change = found.changes[0]
    assert change.before is not None
    assert change.after is not None
    assert (change.before.kind, change.after.kind) == ("file", "folder")
    assert found.effects()[-1] == {"kind": "delete_files@1", "args": {"paths": ["ledger.csv"]}}


def test_folder_becomes_file(tree: Path, look: Callable[[], Diff]) -> None:
    for path in ("docs/notes/one.txt",):
        (tree / path).unlink()
    (tree / "docs/notes").rmdir()
    (tree / "docs/notes").write_text("a file now")
    found = look()
    assert told(found) == {"docs/notes": "type", "docs/notes/one.txt": "removed"}


def test_folder_becomes_link_and_nothing_beneath_is_removed(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "in/a.xml").unlink()
    (tree / "in/b.xml").unlink()
    (tree / "in").rmdir()
    (tree / "in").symlink_to("docs")
    found = look()
    assert told(found) == {"in": "blocked"}
    assert found.effects() == []


def test_link_becomes_file(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "short").unlink()
    (tree / "short").write_text("x")
    assert "takes the place of a link" in why(look(), "short")


# ------------------------------------------------------------------------------------------------ T47, T48: what hangs


def test_what_is_no_file_is_told_and_never_opened(tree: Path, look: Callable[[], Diff]) -> None:
    os.mkfifo(tree / "pipe")
    os.mkfifo(tree / "in/c.xml")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(tree)
        try:
            listening.bind("socket")
        finally:
            os.chdir(here)
    found = look()
    assert told(found) == {"pipe": "blocked", "in/c.xml": "blocked", "socket": "blocked"}
    assert why(found, "pipe") == "“pipe” is a pipe, a socket or a device."


def test_a_file_that_a_pipe_has_replaced(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "ledger.csv").unlink()
    os.mkfifo(tree / "ledger.csv")
    assert told(look()) == {"ledger.csv": "blocked"}


def test_five_hundred_folders_in_one_another(tree: Path, look: Callable[[], Diff]) -> None:
    handle = os.open(tree, os.O_RDONLY)
    for _ in range(500):
        os.mkdir("d" * 20, dir_fd=handle)
        below = os.open("d" * 20, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
    os.close(handle)
    found = look()
    assert len(found.blocked) == 1
    assert not any(effect["kind"] == "write_file@1" for effect in found.effects())


def test_names_of_every_length_and_encoding(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / ("x" * 255)).write_text("x")
    (tree / os.fsdecode(b"invalid \xff\xfe.txt")).write_text("x")
    (tree / "ok.txt").write_text("x")
    found = look()
    assert told(found) == {"x" * 255: "blocked", "invalid \udcff\udcfe.txt": "new", "ok.txt": "new"}


def test_a_terabyte_of_nothing_is_judged_by_its_size(tree: Path, look: Callable[[], Diff]) -> None:
    with (tree / "sparse.bin").open("wb") as out:
        out.truncate(2**40)
    with (tree / "ledger.csv").open("r+b") as out:
        out.truncate(2**40)
    found = look()
    assert told(found) == {"sparse.bin": "blocked", "ledger.csv": "blocked"}
    assert "holds more than 256 MB" in why(found, "sparse.bin")


def test_more_than_is_looked_through_is_refused(
    tree: Path, look: Callable[[], Diff], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        (tree / f"new-{number}").write_text("x" * 100)
    monkeypatch.setattr(diffing, "MOST_ENTRIES", 20)
    with pytest.raises(TooMuchChanged, match="more than 20 new entries"):
        look()
    monkeypatch.setattr(diffing, "MOST_ENTRIES", 1000)
    monkeypatch.setattr(diffing, "LARGEST_SET", 1000)
    with pytest.raises(TooMuchChanged, match="hold more than"):
        look()


def test_a_refused_look_leaves_nothing(
    tree: Path, look: Callable[[], Diff], blobs: Blobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "a").write_text("a")
    (tree / "b").write_text("b")
    monkeypatch.setattr(diffing, "LARGEST_SET", 1)
    with pytest.raises(TooMuchChanged):
        look()
    assert list(blobs.root.iterdir()) == []


# --------------------------------------------------------------------------------------------------- rights and links


@pytest.mark.parametrize("bit", [stat.S_ISUID, stat.S_ISGID, stat.S_ISVTX])
def test_rights_to_run_as_somebody_else(tree: Path, look: Callable[[], Diff], bit: int) -> None:
    (tree / "tool").write_text("x")
    (tree / "tool").chmod(0o755 | bit)
    assert "run as somebody else" in why(look(), "tool")


@pytest.mark.parametrize(
    "target, reason",
    [
        ("/etc/passwd", "outside the workspace"),
        ("../../etc/passwd", "leads out of the workspace"),
        ("docs/../../x", "leads out of the workspace"),
        ("docs/letter.txt", "links are not made"),
        ("gone", "links are not made"),
    ],
)
def test_new_links_are_shown_and_not_made(tree: Path, look: Callable[[], Diff], target: str, reason: str) -> None:
    (tree / "link").symlink_to(target)
    found = look()
    assert reason in why(found, "link")
    assert found.changes[0].after is not None
    assert found.changes[0].after.target == target


def test_a_link_that_leads_elsewhere_now(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "short").unlink()
    (tree / "short").symlink_to("/etc/passwd")
    assert told(look()) == {"short": "blocked"}


def test_a_link_that_is_gone_stays_in_the_folder(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "short").unlink()
    assert told(look()) == {"short": "blocked"}


def test_what_the_run_has_locked_is_told(tree: Path, look: Callable[[], Diff], monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the refusals of the system are made here."""
    (tree / "new").write_text("x")
    really = Ladder.at

    def at(ladder: Ladder, folder: str) -> int:
        if folder == "docs":
            raise PermissionError(13, "Permission denied")
        return really(ladder, folder)

    def take(*_: object) -> tuple[str, int]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Ladder, "at", at)
    monkeypatch.setattr(Intake, "take", take)
    found = look()
    assert told(found) == {"docs": "blocked", "new": "blocked"}
    assert why(found, "docs") == "“docs” cannot be looked into (permission denied)."


# ------------------------------------------------------------------------------------------- T50 to T54: what runs later


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/pre-commit", ".git/config", ".git", ".gitmodules", "a/.GIT/config", ".ｇit/hooks/x", ".g\u200cit/config",
        ".git /config", ".git./config", "GIT~1/config",
        ".bashrc", "a/b/c/d/e/f/.profile", ".ssh/config", "x.desktop", ".counterfoil/workspace.toml",
    ],
)  # fmt: skip
def test_files_that_are_never_changed(tree: Path, look: Callable[[], Diff], path: str) -> None:
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text("x")
    found = look()
    assert found.blocked
    assert not [effect for effect in found.effects() if effect["kind"] == "write_file@1"]


@pytest.mark.parametrize("folder", ["data", "in", "."])
def test_a_folder_that_becomes_a_repository(tree: Path, look: Callable[[], Diff], folder: str) -> None:
    for name in ("objects", "refs", "hooks"):
        (tree / folder / name).mkdir(parents=True)
    (tree / folder / "HEAD").write_text("ref: refs/heads/main\n")
    (tree / folder / "config").write_text("[core]\n\tfsmonitor = touch /tmp/canary\n")
    found = look()
    assert "makes its folder a git repository" in why(found, (Path(folder) / "config").as_posix())
    assert [effect for effect in found.effects() if effect["kind"] == "write_file@1"] == []


def test_a_secret_that_was_not_copied_is_not_overwritten(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / ".env").write_text("SECRET=stolen")
    (tree / ".ENV").write_text("SECRET=stolen")
    found = look()
    assert "was not copied" in why(found, ".env")
    assert "some systems take for “.env”" in why(found, ".ENV")


@pytest.mark.parametrize(
    "name",
    ["Ledger.CSV", "ｌedger.csv", "ledger.csv\u200d", "CON", "a:b", "LEDGER~1.CSV", "name.", "a\\b", "new\nline"],
)
def test_names_that_some_system_takes_for_others(tree: Path, look: Callable[[], Diff], name: str) -> None:
    (tree / name).write_text("x")
    assert told(look()) == {name: "blocked"}


def test_two_new_names_that_are_one_to_some_system(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "Report.txt").write_text("a")
    (tree / "report.txt").write_text("b")
    assert sorted(told(look()).values()) == ["blocked", "new"]


def test_a_new_spelling_of_a_name_is_a_move(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "ledger.csv").rename(tree / "Ledger.csv")
    assert told(look()) == {"Ledger.csv": "moved"}


def test_sentences_spell_out_what_hides(tree: Path, look: Callable[[], Diff]) -> None:
    (tree / "a\u202eb\nc").write_text("x")
    assert look().blocked[0].blocked.startswith("“a\\u202eb\\u000ac” ")


# --------------------------------------------------------------------------------------- T51: no tool is ever run on it


def test_nothing_is_run_on_what_a_run_has_written(tree: Path, look: Callable[[], Diff], tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    (tree / ".git/hooks").mkdir(parents=True)
    (tree / ".git/config").write_text(f"[core]\n\tfsmonitor = touch {canary}\n\thooksPath = .git/hooks\n")
    (tree / ".git/hooks/post-checkout").write_text(f"#!/bin/sh\ntouch {canary}\n")
    (tree / ".gitattributes").write_text("* filter=x\n")
    look()
    assert not canary.exists()


def test_what_is_shown_is_what_was_taken_in(tree: Path, look: Callable[[], Diff], blobs: Blobs) -> None:
    """T60, the part of the diff: a writer who is still at work changes nothing that was shown."""
    (tree / "ledger.csv").write_text("shown")
    found = look()
    (tree / "ledger.csv").write_text("changed later")
    (change,) = found.changes
    assert change.after is not None
    assert change.after.sha256 is not None
    assert blobs.get(change.after.sha256) == b"shown"


def test_order_is_the_same_whatever_the_disk_says(tree: Path, look: Callable[[], Diff]) -> None:
    for name in "zyxabc":
        (tree / name).write_text(name)
    assert [change.path for change in look().changes] == sorted("zyxabc")
    assert isinstance(look().changes[0], Change)
