"""One set of files changes as a whole: what is written, what is refused, and what is put back."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counterfoil.authoring.effect_values import Effect, append_rows, move_files, write_file
from counterfoil.effects import beneath, kernel, replacing
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import Conflict, EffectTrouble, FileOp, OutcomeUnknown
from counterfoil.facts import FailureClass
from counterfoil.store.originals import set_of, slot_of
from effects.sets import folders, held, seal, sha

OLD = {"ledger.csv": b"run;name\r\n1;a\r\n", "in/a.xml": b"A" * 3000, "in/b.xml": b"B", "old.txt": b"old"}
NEW = {
    "ledger.csv": b"run;name\r\n1;a\r\n2;b\r\n3;c\r\n",
    "archive/2026/a.xml": b"A" * 3000,
    "archive/2026/b.xml": b"B",
    "old.txt": b"new",
    "payments/r-1.xml": b"<pain/>",
}
PLAN: list[Effect] = [
    write_file("payments/r-1.xml", "<pain/>"),
    append_rows("ledger.csv", [{"run": "2", "name": "b"}], columns=["run", "name"]),
    append_rows("ledger.csv", [{"run": "3", "name": "c"}], columns=["run", "name"]),
    move_files([("in/a.xml", "archive/2026/a.xml"), ("in/b.xml", "archive/2026/b.xml")]),
    write_file("old.txt", "new"),
]


@pytest.fixture
def filled(workspace: Path) -> Path:
    """The workspace before."""
    for path, data in OLD.items():
        (workspace / path).parent.mkdir(exist_ok=True)
        (workspace / path).write_bytes(data)
    return workspace


@pytest.fixture
def undo(home: Any) -> str:
    """The undo folder of one gate."""
    return str(home.undo / "gate")


def test_whole_set_is_applied_and_the_originals_are_kept(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    ops = seal(catalogue, PLAN, filled)
    outcomes = catalogue.apply_files(ops, str(filled), undo)
    assert held(filled) == NEW
    assert outcomes == {
        1: {"path": "payments/r-1.xml", "sha256": sha(b"<pain/>"), "bytes": 7},
        2: {"path": "ledger.csv", "sha256": sha(b"run;name\r\n1;a\r\n2;b\r\n"), "bytes": 20},
        3: {"path": "ledger.csv", "sha256": sha(NEW["ledger.csv"]), "bytes": 25},
        4: {"moved": [["in/a.xml", "archive/2026/a.xml"], ["in/b.xml", "archive/2026/b.xml"]]},
        5: {"path": "old.txt", "sha256": sha(b"new"), "bytes": 3},
    }
    assert catalogue.outcomes(ops) == outcomes
    kept = {file.name: file.read_bytes() for file in Path(undo).iterdir() if not file.name.startswith("set-")}
    name = set_of([op.plain for op in ops])
    assert kept == {slot_of(name, path): OLD[path] for path in ("ledger.csv", "old.txt")}
    assert stat.S_IMODE(Path(undo).stat().st_mode) == 0o700


def test_applied_set_answers_again_and_leaves_later_changes_alone(
    catalogue: EffectCatalogue, filled: Path, undo: str
) -> None:
    ops = seal(catalogue, PLAN, filled)
    outcomes = catalogue.apply_files(ops, str(filled), undo)
    (filled / "ledger.csv").write_bytes(b"edited since")
    (filled / "archive/2026/a.xml").unlink()
    assert catalogue.apply_files(ops, str(filled), undo) == outcomes
    assert (filled / "ledger.csv").read_bytes() == b"edited since"


def test_permission_bits_of_the_old_file_are_kept(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    (filled / "old.txt").chmod(0o4750)
    (filled / "in/a.xml").chmod(0o600)
    catalogue.apply_files(seal(catalogue, PLAN, filled), str(filled), undo)
    modes = {path: stat.S_IMODE((filled / path).stat().st_mode) for path in NEW}
    assert modes["old.txt"] == 0o750
    assert modes["payments/r-1.xml"] == 0o644
    assert modes["archive/2026/a.xml"] == 0o600


def test_file_that_is_already_as_it_shall_be_is_not_touched(
    catalogue: EffectCatalogue, filled: Path, undo: str
) -> None:
    ops = seal(catalogue, [write_file("old.txt", "old"), write_file("x.txt", "x")], filled)
    inode = (filled / "old.txt").stat().st_ino
    catalogue.apply_files(ops, str(filled), undo)
    assert (filled / "old.txt").stat().st_ino == inode


@pytest.mark.parametrize("path", ["old.txt", "ledger.csv", "in/a.xml", "in/b.xml"])
@pytest.mark.parametrize("change", ["edited", "removed", "folder", "link"])
def test_file_that_changed_stops_the_whole_set(
    catalogue: EffectCatalogue, filled: Path, undo: str, path: str, change: str
) -> None:
    ops = seal(catalogue, PLAN, filled)
    (filled / path).unlink()
    made: dict[str, Callable[[], object]] = {
        "edited": lambda: (filled / path).write_bytes(b"edited"),
        "removed": lambda: None,
        "folder": (filled / path).mkdir,
        "link": lambda: (filled / path).symlink_to(filled / "elsewhere"),
    }
    made[change]()
    before, before_folders = held(filled), folders(filled)
    with pytest.raises(Conflict) as refused:
        catalogue.apply_files(ops, str(filled), undo)
    assert refused.value.paths == [path]
    clause = {
        "edited": "changed since it was approved",
        "removed": "is gone",
        "folder": "is a folder, no file",
        "link": "is a link, no file",
    }[change]
    assert str(refused.value) == f"{path} {clause}; nothing was written."
    assert (held(filled), folders(filled)) == (before, before_folders)


@pytest.mark.parametrize("path", ["payments/r-1.xml", "archive/2026/b.xml"])
def test_name_that_was_taken_meanwhile_is_never_overwritten(
    catalogue: EffectCatalogue, filled: Path, undo: str, path: str
) -> None:
    ops = seal(catalogue, PLAN, filled)
    (filled / path).parent.mkdir(parents=True)
    (filled / path).write_bytes(b"somebody's")
    with pytest.raises(Conflict) as refused:
        catalogue.apply_files(ops, str(filled), undo)
    assert refused.value.paths == [path]
    assert held(filled) == {**OLD, path: b"somebody's"}


TWINS = {  # what somebody makes: the name of the set that it is another spelling of
    "Payments": "payments",
    "Archive": "archive",
    "PAYMENTS/r-1.xml": "payments",
    "\uff50ayments": "payments",
    "p\u200bayments/x": "payments",
}


def make_twin(folder: Path, name: str) -> dict[str, bytes]:
    """A file, or a folder with nothing in it; the file."""
    (folder / name).parent.mkdir(exist_ok=True)
    if "/" not in name:
        (folder / name).mkdir()
        return {}
    (folder / name).write_bytes(b"theirs")
    return {name: b"theirs"}


@pytest.mark.parametrize("twin", TWINS)
def test_twin_that_came_meanwhile_stops_the_whole_set(
    catalogue: EffectCatalogue, filled: Path, undo: str, twin: str
) -> None:
    """T54, T61: what was approved had no name that some system takes for another, so what is written has none."""
    ops = seal(catalogue, PLAN, filled)
    theirs = make_twin(filled, twin)
    with pytest.raises(Conflict, match=r"some systems take for .*; nothing was written") as refused:
        catalogue.apply_files(ops, str(filled), undo)
    assert refused.value.paths == [TWINS[twin]]
    assert held(filled) == {**OLD, **theirs}


def test_twin_beside_a_file_is_seen_before_the_journal_is_made(catalogue: EffectCatalogue, filled: Path) -> None:
    plan = [write_file("in/new.xml", "new")]
    entries = catalogue.prepare_plan([effect.body for effect in plan], str(filled))
    (filled / "in/NEW.xml").write_bytes(b"theirs")
    with pytest.raises(Conflict, match=r"take for “NEW\.xml”; nothing was written") as refused:
        catalogue.file_ops([(1, plan[0].body, entries[0].base)], str(filled))
    assert refused.value.paths == ["in/new.xml"]


@pytest.mark.parametrize("number", range(1, 11))
def test_twin_that_comes_in_the_middle_stops_the_whole_set(
    catalogue: EffectCatalogue, filled: Path, undo: str, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    ops = seal(catalogue, PLAN, filled)
    count = during(monkeypatch, number, lambda: make_twin(filled, "Archive"))
    with pytest.raises(Conflict, match="take for “Archive”"):
        catalogue.apply_files(ops, str(filled), undo)
    assert count[0] >= number
    assert held(filled) == OLD


def test_names_that_stood_side_by_side_before_are_no_twins_of_a_set(
    catalogue: EffectCatalogue, filled: Path, undo: str
) -> None:
    (filled / "Old.txt").write_bytes(b"theirs")
    (filled / "in/A.xml").write_bytes(b"theirs")
    plan = [write_file("old.txt", "new"), move_files([("in/a.xml", "in/b.xml"), ("in/b.xml", "in/a.xml")])]
    catalogue.apply_files(seal(catalogue, plan, filled), str(filled), undo)
    assert held(filled) == {
        **OLD,
        "Old.txt": b"theirs",
        "in/A.xml": b"theirs",
        "old.txt": b"new",
        "in/a.xml": b"B",
        "in/b.xml": b"A" * 3000,
    }


def test_folder_that_became_a_link_leads_nowhere(
    catalogue: EffectCatalogue, filled: Path, undo: str, tmp_path: Path
) -> None:
    ops = seal(catalogue, PLAN, filled)
    (tmp_path / "outside").mkdir()
    (filled / "payments").symlink_to(tmp_path / "outside")
    with pytest.raises(Conflict, match="payments is a link or no folder"):
        catalogue.apply_files(ops, str(filled), undo)
    assert held(tmp_path / "outside") == {}
    assert held(filled) == OLD


def test_workspace_that_became_a_link_is_refused(
    catalogue: EffectCatalogue, filled: Path, undo: str, tmp_path: Path
) -> None:
    ops = seal(catalogue, PLAN, filled)
    filled.rename(tmp_path / "moved")
    filled.symlink_to(tmp_path / "moved")
    with pytest.raises(EffectTrouble, match="cannot be opened as a folder"):
        catalogue.apply_files(ops, str(filled), undo)
    assert held(tmp_path / "moved") == OLD


def during(monkeypatch: pytest.MonkeyPatch, number: int, act: Callable[[], object]) -> list[int]:
    """Let somebody act right before the n-th rename; the count of renames so far."""
    count = [0]
    real = kernel.rename_with

    def rename(*args: Any) -> bool:
        count[0] += 1
        if count[0] == number:
            act()
        return real(*args)

    monkeypatch.setattr(kernel, "rename_with", rename)
    return count


@pytest.mark.parametrize("number", range(1, 11))
@pytest.mark.parametrize("path", [*OLD, "payments/r-1.xml", "archive/2026/b.xml"])
def test_edit_in_the_middle_is_never_lost(
    catalogue: EffectCatalogue, filled: Path, undo: str, monkeypatch: pytest.MonkeyPatch, path: str, number: int
) -> None:
    """Whenever somebody saves a file, before, between or after our own renames, their bytes are there at the end."""
    ops = seal(catalogue, PLAN, filled)

    def save() -> None:
        (filled / path).parent.mkdir(parents=True, exist_ok=True)
        staged = filled / "their.tmp"
        staged.write_bytes(b"theirs")
        staged.replace(filled / path)

    count = during(monkeypatch, number, save)
    try:
        catalogue.apply_files(ops, str(filled), undo)
        expected = {**NEW, path: b"theirs"}
    except Conflict:
        expected = {**OLD, path: b"theirs"}
    assert count[0] >= number
    found = held(filled)
    assert found[path] == b"theirs" or path.startswith("in/")
    assert b"theirs" in found.values()
    if path.startswith("in/"):  # where their file took the old name after ours had left it, ours stays at the new one
        expected = {name: data for name, data in expected.items() if name not in found or found[name] == data}
        expected |= {name: found[name] for name in found if name in (path, path.replace("in/", "archive/2026/"))}
    assert found == expected


def test_full_disk_puts_everything_back(
    catalogue: EffectCatalogue, filled: Path, undo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ops = seal(catalogue, PLAN, filled)
    real = beneath.write_all

    def write(handle: int, data: bytes) -> None:
        if data == b"new":
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle, data)

    monkeypatch.setattr(replacing, "write_all", write)
    with pytest.raises(EffectTrouble) as told:
        catalogue.apply_files(ops, str(filled), undo)
    assert str(told.value) == "The folder cannot be written (no space left on device); nothing was written."
    assert told.value.failure_class is FailureClass.TRANSIENT
    assert (held(filled), folders(filled)) == (OLD, {"in"})
    monkeypatch.undo()
    catalogue.apply_files(ops, str(filled), undo)
    assert held(filled) == NEW


def test_what_cannot_be_put_back_is_not_called_whole(
    catalogue: EffectCatalogue, filled: Path, undo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ops = seal(catalogue, PLAN, filled)

    def fail(*_: Any) -> None:
        raise OSError(errno.EIO, "Input/output error")

    def break_down() -> None:
        monkeypatch.setattr(kernel, "rename_with", fail)

    during(monkeypatch, 9, break_down)  # the ledger is done, then the disk goes
    with pytest.raises(OutcomeUnknown, match="could not be put back; compare the folder with the plan"):
        catalogue.apply_files(ops, str(filled), undo)
    monkeypatch.undo()
    catalogue.apply_files(ops, str(filled), undo)
    assert held(filled) == NEW


def test_folder_that_may_not_be_written_is_a_lasting_trouble(
    catalogue: EffectCatalogue, filled: Path, undo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The account that runs tests may be root, to whom nothing is forbidden; so the answer of the system is played."""
    ops = seal(catalogue, PLAN, filled)

    real = os.mkdir

    def refuse(path: str, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        if dir_fd is not None:
            raise PermissionError(errno.EACCES, "Permission denied")
        real(path, mode)

    monkeypatch.setattr(os, "mkdir", refuse)
    with pytest.raises(EffectTrouble) as told:
        catalogue.apply_files(ops, str(filled), undo)
    assert str(told.value) == "The folder cannot be written (permission denied); nothing was written."
    assert told.value.failure_class is FailureClass.STRUCTURAL
    assert held(filled) == OLD


def test_systems_without_renameat2_do_the_same(
    catalogue: EffectCatalogue, filled: Path, undo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "renameat2", lambda: None)
    ops = seal(catalogue, PLAN, filled)
    catalogue.apply_files(ops, str(filled), undo)
    assert held(filled) == NEW
    more = seal(catalogue, [move_files([("old.txt", "x.txt")]), write_file("y.txt", "y")], filled)
    (filled / "y.txt").write_bytes(b"somebody's")
    with pytest.raises(Conflict):
        catalogue.apply_files(more, str(filled), undo)
    assert held(filled) == {**NEW, "y.txt": b"somebody's"}


def test_file_systems_without_second_names_never_overwrite(
    catalogue: EffectCatalogue, filled: Path, undo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(kernel, "renameat2", lambda: None)
    monkeypatch.setattr(os, "link", refuse)
    ops = seal(catalogue, PLAN, filled)
    catalogue.apply_files(ops, str(filled), undo)
    assert held(filled) == NEW
    with (
        beneath.Beneath(str(filled)) as ground,
        ground.folder_of("old.txt") as (folder, name),
        pytest.raises(FileExistsError),
    ):
        beneath.rename_new(folder, name, folder, "ledger.csv")
    assert held(filled) == NEW


def test_content_that_is_not_what_was_sealed_is_never_written(
    catalogue: EffectCatalogue, filled: Path, undo: str
) -> None:
    forged = FileOp(1, "write", "x.txt", None, None, sha(b"approved"), b"forged")
    with pytest.raises(ValueError, match="not what was sealed"):
        catalogue.apply_files([forged], str(filled), undo)
    assert held(filled) == OLD


def test_two_sets_share_a_folder_of_originals(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    for content in ("one", "two", "one"):
        catalogue.apply_files(seal(catalogue, [write_file("old.txt", content)], filled), str(filled), undo)
        assert (filled / "old.txt").read_text() == content
