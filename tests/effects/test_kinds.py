"""Deletions, folders, programs, and moves that take each other's names: what is shown, what is done, what is refused."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from counterfoil.authoring.effect_values import (
    Effect,
    append_rows,
    delete_files,
    make_folders,
    move_files,
    write_file,
)
from counterfoil.effects import kernel
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import Conflict, EffectTrouble, FileOp
from counterfoil.facts import Risk
from counterfoil.places import Home
from effects.sets import filled_with, folders, held, seal

OLD = {
    "a.txt": b"A",
    "b.txt": b"B",
    "c.txt": b"C",
    "same.txt": b"A",
    "drop/one.txt": b"1",
    "drop/two.txt": b"1",
    "box/x.txt": b"X",
    "box/deep/y.txt": b"Y",
    "run.sh": b"#!/bin/sh\n",
}


@pytest.fixture
def filled(workspace: Path) -> Path:
    """The workspace before."""
    (workspace / "bare").mkdir()
    (workspace / "box/empty").mkdir(parents=True)
    return filled_with(workspace, OLD)


@pytest.fixture
def undo(home: Home) -> str:
    """The undo folder of one gate."""
    return str(home.undo / "gate")


DROP = delete_files(["drop/one.txt", "drop/two.txt", "drop"])


@pytest.mark.parametrize(
    "effect, summary, target, risk",
    [
        (delete_files(["a.txt"]), "Delete a.txt (1 byte)", "a.txt", Risk.DESTROYS),
        (DROP, "Delete 2 files and 1 folder", "drop/, the workspace folder", Risk.DESTROYS),
        (delete_files(["bare"]), "Delete the empty folder bare", "bare", Risk.NORMAL),
        (make_folders(["new/deep"]), "Make the folder new/deep", "new/deep", Risk.NORMAL),
        (make_folders(["new", "bare"]), "Make 2 folders (1 there already)", "the workspace folder", Risk.NORMAL),
        (make_folders(["bare"]), "Make the folder bare (there already)", "bare", Risk.NORMAL),
        (make_folders([".vscode"]), "Make the folder .vscode", ".vscode", Risk.RUNS_LATER),
        (move_files([("box", "kept/box")]), "Move the folder box, 2 files, to kept/box", "kept/box", Risk.NORMAL),
        (
            move_files([("box", "kept/box"), ("a.txt", "kept/a.txt")]),
            "Move 3 files in 3 folders to kept/",
            "kept/",
            Risk.NORMAL,
        ),
        (move_files([("box", "hooks")]), "Move the folder box, 2 files, to hooks", "hooks", Risk.RUNS_LATER),
        (
            write_file("a.txt", "A", executable=True),
            "Write a.txt (1 byte, replaces 1 byte, becomes a program)",
            "a.txt",
            Risk.RUNS_LATER,
        ),
        (
            write_file("a.txt", "A", executable=False),
            "Write a.txt (1 byte, already as it shall be)",
            "a.txt",
            Risk.NORMAL,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_it_is_told_in_plain_words(
    catalogue: EffectCatalogue, filled: Path, effect: Effect, summary: str, target: str, risk: Risk
) -> None:
    catalogue.check(effect.body)
    entry = catalogue.prepare(effect.body, str(filled))
    assert (entry.summary, entry.target, entry.risk) == (summary, target, risk)
    if effect.kind == "write_file@1" and risk is Risk.RUNS_LATER:
        assert entry.risk_reason == "“a.txt” runs later: it becomes a program that can be started."


def test_everything_at_once(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    """Every kind in one set: names that change places, a folder that moves and gets a file, a file that becomes a folder."""
    plan: list[Effect] = [
        move_files([("a.txt", "b.txt"), ("b.txt", "a.txt"), ("c.txt", "c.txt/c.txt")]),
        DROP,
        move_files([("box", "kept/box")]),
        write_file("kept/box/new.txt", "N"),
        write_file("drop", "a file by now"),
        write_file("run.sh", "#!/bin/sh\n", executable=True),
        make_folders(["empty/inner"]),
        append_rows("rows.csv", [{"a": "1"}], columns=["a"]),
    ]
    ops = seal(catalogue, plan, filled)
    outcomes = catalogue.apply_files(ops, str(filled), undo)
    assert held(filled) == {
        "a.txt": b"B",
        "b.txt": b"A",
        "c.txt/c.txt": b"C",
        "same.txt": b"A",
        "kept/box/x.txt": b"X",
        "kept/box/deep/y.txt": b"Y",
        "kept/box/new.txt": b"N",
        "drop": b"a file by now",
        "run.sh": b"#!/bin/sh\n",
        "rows.csv": b"a\n1\n",
    }
    assert folders(filled) == {
        "bare",
        "c.txt",
        "empty",
        "empty/inner",
        "kept",
        "kept/box",
        "kept/box/deep",
        "kept/box/empty",
    }
    assert outcomes[2] == {"deleted": ["drop/one.txt", "drop/two.txt"], "folders": ["drop"]}
    assert outcomes[3]["moved"] == [
        ["box/deep/y.txt", "kept/box/deep/y.txt"],
        ["box/x.txt", "kept/box/x.txt"],
    ]
    assert outcomes[7] == {"made": ["empty/inner"]}
    assert stat.S_IMODE((filled / "run.sh").stat().st_mode) == 0o755
    assert catalogue.outcomes(ops) == outcomes


def test_order_of_the_lines_is_no_matter(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    """A difference may list what arrives before what makes room for it."""
    plan: list[Effect] = [
        move_files([("drop/one.txt", "one.txt")]),
        write_file("a.txt/new.txt", "N"),
        write_file("drop", "D"),
        make_folders(["b.txt"]),
        delete_files(["a.txt", "drop/two.txt", "drop", "b.txt"]),
    ]
    shown = catalogue.prepare_plan([effect.body for effect in plan], str(filled))
    assert [entry.effect for entry in shown] == [effect.kind for effect in plan]
    assert (shown[1].before_digest, shown[2].before_digest) == (None, None)
    ops = seal(catalogue, plan, filled)
    assert [op.n for op in ops] == sorted(op.n for op in ops)
    catalogue.apply_files(ops, str(filled), undo)
    found = held(filled)
    assert (found["one.txt"], found["a.txt/new.txt"], found["drop"]) == (b"1", b"N", b"D")
    assert (filled / "b.txt").is_dir()


def test_what_is_deleted_is_kept_as_it_was(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    before = (filled / "a.txt").stat()
    catalogue.apply_files(seal(catalogue, [delete_files(["a.txt"])], filled), str(filled), undo)
    kept = [file for file in Path(undo).iterdir() if not file.name.startswith("set-")]
    assert [file.read_bytes() for file in kept] == [b"A"]
    assert (kept[0].stat().st_ino, kept[0].stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_folder_without_leave_to_write_in_keeps_its_bits_when_it_is_put_back(
    catalogue: EffectCatalogue, filled: Path, undo: str
) -> None:
    (filled / "drop").chmod(0o2770)
    ops = seal(catalogue, [DROP, write_file("z.txt", "z")], filled)
    (filled / "z.txt").write_bytes(b"theirs")
    with pytest.raises(Conflict, match=r"z\.txt was not there when it was approved"):
        catalogue.apply_files(ops, str(filled), undo)
    assert held(filled) == {**OLD, "z.txt": b"theirs"}
    (filled / "z.txt").unlink()

    def arrives() -> None:
        (filled / "z.txt").write_bytes(b"theirs")

    _before_the_last_rename(catalogue, ops, filled, undo, arrives)
    assert held(filled) == {**OLD, "z.txt": b"theirs"}
    assert stat.S_IMODE((filled / "drop").stat().st_mode) == 0o2770


def _before_the_last_rename(
    catalogue: EffectCatalogue, ops: list[FileOp], filled: Path, undo: str, act: Callable[[], object]
) -> None:
    real, count = kernel.rename_with, [0]

    def rename(flag: int, from_folder: int, name: str, to_folder: int, new: str) -> bool:
        count[0] += 1
        if count[0] == 4:  # two deletions, the staging of z.txt, then its name
            act()
        return real(flag, from_folder, name, to_folder, new)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "rename_with", rename)
        with pytest.raises(Conflict):
            catalogue.apply_files(ops, str(filled), undo)


@pytest.mark.parametrize(
    "plan, words",
    [
        ([delete_files(["z"])], "There is no file “z” to delete."),
        ([delete_files(["drop"])], "The folder “drop” still holds “one.txt” and 1 more; name that, too."),
        ([delete_files(["drop/one.txt", "drop"])], "The folder “drop” still holds “two.txt”; name that, too."),
        ([delete_files([".git/config"])], "“.git/config” is never changed: it is data of a version control system"),
        ([make_folders([".git/hooks"])], "“.git/hooks” is never changed"),
        ([make_folders(["a.txt"])], "“a.txt” is a file, no folder."),
        ([make_folders(["a.txt/x"])], "“a.txt” is a link or no folder"),
        ([move_files([("box", "bare")])], "“bare” exists already, and moving never overwrites."),
        ([move_files([("box", "box/in")])], "The folder “box” cannot be moved into itself."),
        ([move_files([("a.txt", "b.txt"), ("c.txt", "a.txt")])], "“b.txt” exists already"),
        ([delete_files(["a.txt"]), write_file("a.txt", "x")], "Item 2 writes “a.txt”, which item 1 deletes; do that"),
        ([write_file("a.txt", "x"), delete_files(["a.txt"])], "Item 1 writes “a.txt”, which item 2 deletes; do that"),
        ([DROP, write_file("drop/new.txt", "x")], "Item 2 touches “drop/new.txt”, but item 1 removes “drop”."),
        ([write_file("bare/x", "x"), delete_files(["bare"])], "Item 1 touches “bare/x”, but item 2 removes “bare”."),
        ([make_folders(["bare"]), delete_files(["bare"])], "Item 1 makes the folder “bare”, which item 2 touches."),
        (
            [delete_files(["bare"]), delete_files(["bare"])],
            "Item 2 removes the folder “bare”, which item 1 removes, too",
        ),
        ([move_files([("bare", "b2")]), delete_files(["bare"])], "Item 1 removes the folder “bare”, which item 2"),
        ([write_file("n", "x"), write_file("n/x", "x")], "“n” cannot be a file and the folder that holds “n/x”."),
        ([write_file("n/x", "x"), write_file("n", "x")], "“n” cannot be a file and the folder that holds “n”."),
        ([make_folders(["n"]), write_file("n", "x")], "“n” cannot be a file and the folder"),
        ([make_folders(["n"]), make_folders(["n"])], "Item 2 makes the folder “n”, which item 1 touches."),
        (
            [move_files([("box", "kept")]), write_file("box/new.txt", "x")],
            "Item 2 touches “box/new.txt”, but item 1 removes “box”.",
        ),
        (
            [move_files([("box", "kept")]), delete_files(["box/x.txt"])],
            "Item 1 moves “box/x.txt”, which item 2 deletes; do that under another gate.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_done_is_said_before_anybody_is_asked(
    catalogue: EffectCatalogue, filled: Path, plan: list[Effect], words: str
) -> None:
    for effect in plan:
        catalogue.check(effect.body)
    with pytest.raises(EffectTrouble) as told:
        catalogue.prepare_plan([effect.body for effect in plan], str(filled))
    assert words in str(told.value)


@pytest.mark.parametrize("name", ["link", "pipe", ".git/HEAD"])
def test_folder_that_holds_what_is_never_moved_stays(catalogue: EffectCatalogue, filled: Path, name: str) -> None:
    place = filled / "box" / name
    if name == "link":
        place.symlink_to(filled / "a.txt")
    elif name == "pipe":
        os.mkfifo(place)
    else:
        place.parent.mkdir()
        place.write_bytes(b"x")
    with pytest.raises(EffectTrouble, match=f"“box/{name}” is"):
        catalogue.prepare(move_files([("box", "kept")]).body, str(filled))


def edited(folder: Path) -> None:
    (folder / "drop/one.txt").write_bytes(b"edited")


def came_in(folder: Path) -> None:
    (folder / "drop/late.txt").write_bytes(b"late")


def came_into_the_moved(folder: Path) -> None:
    (folder / "box/deep/late.txt").write_bytes(b"late")


def gone(folder: Path) -> None:
    (folder / "drop/two.txt").unlink()


def taken(folder: Path) -> None:
    (folder / "kept").write_bytes(b"a file")


def became_folder(folder: Path) -> None:
    (folder / "a.txt").unlink()
    (folder / "a.txt").mkdir()


@pytest.mark.parametrize(
    "change, paths",
    [
        (edited, ["drop/one.txt"]),
        (came_in, ["drop"]),
        (came_into_the_moved, ["box/deep"]),
        (gone, ["drop/two.txt"]),
        (taken, ["kept"]),
        (became_folder, ["a.txt"]),
    ],
)
def test_what_changed_since_the_approval_stops_the_whole_set(
    catalogue: EffectCatalogue, filled: Path, undo: str, change: Callable[[Path], None], paths: list[str]
) -> None:
    plan: list[Effect] = [
        DROP,
        move_files([("box", "kept/box")]),
        move_files([("a.txt", "b.txt"), ("b.txt", "a.txt")]),
    ]
    sealed = [
        (n, effect.body, entry.base)
        for n, (effect, entry) in enumerate(
            zip(plan, catalogue.prepare_plan([effect.body for effect in plan], str(filled)), strict=True), start=1
        )
    ]
    ops = catalogue.file_ops(sealed, str(filled))
    change(filled)
    before, before_folders = held(filled), folders(filled)
    with pytest.raises(Conflict) as refused:
        catalogue.apply_files(ops, str(filled), undo)
    assert set(paths) <= set(refused.value.paths)
    assert str(refused.value).endswith("; nothing was written.")
    with pytest.raises(Conflict):
        catalogue.file_ops(sealed, str(filled))
    assert (held(filled), folders(filled)) == (before, before_folders)


def test_edit_between_looking_and_renaming_is_given_back(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    ops = seal(catalogue, [delete_files(["a.txt", "b.txt"])], filled)
    real, count = kernel.rename_with, [0]

    def rename(flag: int, from_folder: int, name: str, to_folder: int, new: str) -> bool:
        count[0] += 1
        if count[0] == 2:
            (filled / "b.txt").write_bytes(b"edited just now")
        return real(flag, from_folder, name, to_folder, new)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "rename_with", rename)
        with pytest.raises(Conflict, match=r"b\.txt changed while it was being written; nothing was written\."):
            catalogue.apply_files(ops, str(filled), undo)
    assert held(filled) == {**OLD, "b.txt": b"edited just now"}


def test_name_in_another_case(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    catalogue.apply_files(seal(catalogue, [move_files([("a.txt", "A.TXT")])], filled), str(filled), undo)
    assert "A.TXT" in os.listdir(filled)
    assert held(filled) == {"A.TXT": b"A", **{path: data for path, data in OLD.items() if path != "a.txt"}}


def test_files_with_the_same_bytes_change_places(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    inodes = {name: (filled / name).stat().st_ino for name in ("a.txt", "same.txt")}
    swap = move_files([("a.txt", "same.txt"), ("same.txt", "a.txt")])
    catalogue.apply_files(seal(catalogue, [swap], filled), str(filled), undo)
    assert (filled / "a.txt").stat().st_ino == inodes["same.txt"]
    assert (filled / "same.txt").stat().st_ino == inodes["a.txt"]


def test_rotation(catalogue: EffectCatalogue, filled: Path, undo: str) -> None:
    rotate = move_files([("a.txt", "b.txt"), ("b.txt", "c.txt"), ("c.txt", "d.txt")])
    catalogue.apply_files(seal(catalogue, [rotate], filled), str(filled), undo)
    found = held(filled)
    assert [found.get(name) for name in ("a.txt", "b.txt", "c.txt", "d.txt")] == [None, b"A", b"B", b"C"]


@pytest.mark.parametrize(
    "was, executable, becomes",
    [
        (None, None, 0o644),
        (None, True, 0o755),
        (None, False, 0o644),
        (0o640, None, 0o640),
        (0o640, True, 0o750),
        (0o750, None, 0o750),
        (0o755, False, 0o644),
    ],
)
def test_permission_to_run_is_kept_or_declared(
    catalogue: EffectCatalogue, filled: Path, undo: str, was: int | None, executable: bool | None, becomes: int
) -> None:
    if was is not None:
        (filled / "x").write_bytes(b"old")
        (filled / "x").chmod(was)
    effect = write_file("x", "new", executable=executable)
    catalogue.apply_files(seal(catalogue, [effect], filled), str(filled), undo)
    assert stat.S_IMODE((filled / "x").stat().st_mode) == becomes


def test_large_contents_are_not_held_in_memory(
    catalogue: EffectCatalogue, filled: Path, undo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytes(range(256)) * 4096
    effect = write_file("big.bin", data)
    catalogue._files._blobs.put(data)
    ops = seal(catalogue, [effect], filled)
    assert (ops[0].content, ops[0].size) == (None, len(data))
    catalogue.apply_files(ops, str(filled), undo)
    assert (filled / "big.bin").read_bytes() == data
    catalogue._files._blobs.path(str(ops[0].after)).write_bytes(b"changed in the data folder")
    (filled / "big.bin").unlink()
    with pytest.raises(EffectTrouble, match=r"What big\.bin shall hold is not kept any more, or was changed"):
        catalogue.apply_files(ops, str(filled), undo + "2")
    assert held(filled) == OLD
