"""The door of the files: what a step writes is seen by it and lies in its overlay, and what was there before is never touched."""

import json
import os
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil import FileRefused, RefusedUse, files, step
from counterfoil.authoring.file_door import Files
from counterfoil.authoring.overlay import CHANGES, Overlay

NAMES = ["a", "b", "c", ".h"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)
ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), PATHS, st.binary(max_size=4)),
        st.tuples(st.just("remove"), PATHS),
        st.tuples(st.just("make_folder"), PATHS),
        st.tuples(st.just("move"), PATHS, PATHS),
    ),
    max_size=12,
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with files in it."""
    place = tmp_path / "tree"
    (place / "in/deep").mkdir(parents=True)
    (place / "a.txt").write_bytes(b"one")
    (place / "in/b.txt").write_bytes(b"two")
    (place / "in/deep/c.txt").write_bytes(b"three")
    (place / ".hidden").write_bytes(b"x")
    (place / "link").symlink_to("a.txt")
    (place / "away").symlink_to("in")
    return place


@pytest.fixture
def door(root: Path, tmp_path: Path) -> Files:
    """A door with a fresh overlay."""
    overlays = tmp_path / "overlays"
    overlays.mkdir()
    return Files(root, Overlay.beneath(overlays))


def seen(door: Files) -> dict[str, bytes]:
    """What is seen through a door, hidden and empty folders left out."""
    return {facts.path: door.read(facts.path) for facts in door.walk() if not facts.is_link}


def test_walking(door: Files) -> None:
    assert [facts.path for facts in door.walk()] == ["a.txt", "away", "in/b.txt", "in/deep/c.txt", "link"]
    assert [facts.path for facts in door.walk("in")] == ["in/b.txt", "in/deep/c.txt"]
    assert [facts.is_link for facts in door.walk()] == [False, True, False, False, True]
    with pytest.raises(FileRefused, match="not there"):
        door.walk("nowhere")
    with pytest.raises(FileRefused, match="links are not followed"):
        door.walk("away")


def test_a_step_sees_what_it_writes(door: Files, root: Path) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*.txt")}
    door.write("a.txt", b"changed")
    door.write("new/sub/d.txt", b"four")
    door.remove("in/b.txt")
    door.make_folder("empty/one")
    assert seen(door) == {"a.txt": b"changed", "in/deep/c.txt": b"three", "new/sub/d.txt": b"four"}
    assert door.is_folder("empty")
    assert door.is_folder("empty/one")
    assert door.is_folder("new/sub")
    assert not door.exists("in/b.txt")
    assert door.list("empty") == []
    assert [left.path for left in door.left_out()] == [".hidden", "empty", "in", "new"]
    assert {path: path.read_bytes() for path in root.rglob("*.txt")} == before
    assert sorted(os.listdir(root)) == [".hidden", "a.txt", "away", "in", "link"]


def test_moving_files_and_folders(door: Files) -> None:
    door.move("a.txt", "archive/2026/a.txt")
    door.move("in", "moved")
    door.write("moved/deep/e.txt", b"five")
    door.move("moved/deep", "deep")
    assert seen(door) == {
        "archive/2026/a.txt": b"one", "moved/b.txt": b"two", "deep/c.txt": b"three", "deep/e.txt": b"five",
    }  # fmt: skip
    assert not door.is_folder("in")


def test_what_is_removed_and_made_again_is_new(door: Files) -> None:
    door.remove("in")
    door.write("in/x.txt", b"new")
    assert seen(door) == {"a.txt": b"one", "in/x.txt": b"new"}
    door.remove("in")
    assert not door.is_folder("in")
    door.write("in", b"a file now")
    assert seen(door) == {"a.txt": b"one", "in": b"a file now"}
    assert not door.exists("in/deep/c.txt")


REFUSED: list[tuple[Callable[[Files], object], str]] = [
    (lambda door: door.write("in", b""), "It is a folder"),
    (lambda door: door.write("link", b""), "links are not followed"),
    (lambda door: door.write("away/x", b""), "“away” is no folder"),
    (lambda door: door.write("a.txt/x", b""), "“a.txt” is no folder"),
    (lambda door: door.write("../x", b""), "not lie beneath"),
    (lambda door: door.write("/x", b""), "not lie beneath"),
    (lambda door: door.write("", b""), "names no file"),
    (lambda door: door.write("x" * 256, b""), "longer than file systems take"),
    (lambda door: door.write("\x00", b""), "not lie beneath"),
    (lambda door: door.remove("nowhere"), "not there"),
    (lambda door: door.remove("in/nowhere/x"), "not there"),
    (lambda door: door.make_folder("a.txt"), "no folder"),
    (lambda door: door.make_folder("a.txt/x"), "“a.txt” is no folder"),
    (lambda door: door.move("a.txt", "in/b.txt"), "has that path already"),
    (lambda door: door.move("nowhere", "x"), "not there"),
    (lambda door: door.move("link", "x"), "links are not followed"),
    (lambda door: door.move("in", "in/deep/x"), "into itself"),
    (lambda door: door.move("in", "in"), "into itself"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_is_refused_says_why_and_changes_nothing(number: int, door: Files) -> None:
    act, said = REFUSED[number]
    before = seen(door)
    with pytest.raises(FileRefused, match=said):
        act(door)
    assert seen(door) == before


def test_a_folder_that_holds_a_link_is_not_moved_half(door: Files, root: Path) -> None:
    (root / "in/deep/link").symlink_to("c.txt")
    with pytest.raises(FileRefused, match="links are not followed"):
        door.move("in", "x")
    assert set(seen(door)) == {"a.txt", "in/b.txt", "in/deep/c.txt"}
    door.remove("in/deep/link")
    door.move("in", "x")
    assert set(seen(door)) == {"a.txt", "x/b.txt", "x/deep/c.txt"}


def test_modes_are_kept(door: Files, root: Path) -> None:
    (root / "a.txt").chmod(0o755)
    door.write("a.txt", b"x")
    door.move("a.txt", "b.txt")
    assert door._view.overlay is not None
    assert door._view.overlay.files["b.txt"].mode == 0o755


def test_text_is_not_bytes(door: Files) -> None:
    with pytest.raises(TypeError, match=r"text\.encode"):
        door.write("a.txt", "text")  # type: ignore[arg-type]


def test_nothing_is_left_behind_where_nothing_was_changed(door: Files, tmp_path: Path) -> None:
    seen(door)
    overlay = door._view.overlay
    assert overlay is not None
    overlay.close()
    assert overlay.token is None
    assert os.listdir(tmp_path / "overlays") == []


def test_what_was_written_is_written_down(door: Files) -> None:
    door.write("b", b"1")
    door.write("b", b"22")
    door.write("gone again", b"3")
    door.remove("gone again")
    door.remove("in/b.txt")
    door.make_folder("empty")
    overlay = door._view.overlay
    assert overlay is not None
    overlay.close()
    plain = json.loads((overlay.folder / CHANGES).read_text())
    assert (plain["gone"], plain["folders"]) == (["in/b.txt"], ["empty"])
    [[path, number, mode]] = plain["files"]
    assert (path, mode) == ("b", 0o644)
    assert (overlay.folder / str(number)).read_bytes() == b"22"
    assert sorted(os.listdir(overlay.folder)) == [str(number), CHANGES]
    overlay.discard()
    assert not overlay.folder.exists()


def test_threads_of_a_step_may_write_side_by_side(door: Files) -> None:
    def write(number: int) -> None:
        for round_ in range(30):
            door.write(f"t/{number}-{round_}", str(number).encode())

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(door.walk("t")) == 180
    assert all(door.read(f"t/{number}-7") == str(number).encode() for number in range(6))


@step
def tidy() -> list[str]:
    """Writes and looks."""
    files().write("out.txt", files().read("a.txt") + b"!")
    return [facts.path for facts in files().walk()]


def test_a_unit_test_of_a_step_needs_no_run(root: Path) -> None:
    with Files(root).bound() as door:
        assert tidy.plain() == ["a.txt", "away", "in/b.txt", "in/deep/c.txt", "link", "out.txt"]
        assert door.read("out.txt") == b"one!"
    assert not (root / "out.txt").exists()


def test_a_door_without_a_step_is_read_only(root: Path) -> None:
    acts: list[Callable[[], None]] = [
        lambda: Files(root).write("x", b""),
        lambda: Files(root).remove("a.txt"),
        lambda: Files(root).move("a.txt", "b"),
        lambda: Files(root).make_folder("x"),
    ]
    for act in acts:
        with pytest.raises(RefusedUse, match="only in a step"):
            act()


# ------------------------------------------------------------------------------------------ against a folder of its own


def _apply(place: Path, act: tuple[object, ...]) -> bool:
    """The same act on a real folder; False where it is refused."""
    kind, *paths = act
    here = place / str(paths[0])
    above = [parent for parent in here.parents if parent.is_relative_to(place)]
    if kind in ("write", "make_folder") and any(parent.exists() and not parent.is_dir() for parent in above):
        return False
    if kind == "write":
        if here.is_dir():
            return False
        here.parent.mkdir(parents=True, exist_ok=True)
        here.write_bytes(bytes(paths[1]))  # type: ignore[call-overload]
    elif kind == "make_folder":
        if here.is_file():
            return False
        here.mkdir(parents=True, exist_ok=True)
    elif kind == "remove":
        if not here.exists():
            return False
        shutil.rmtree(here) if here.is_dir() else here.unlink()
    else:
        to = place / str(paths[1])
        over = [parent for parent in to.parents if parent.is_relative_to(place)]
        taken = to.exists() or any(parent.exists() and not parent.is_dir() for parent in over)
        if not here.exists() or taken or to.is_relative_to(here):
            return False
        to.parent.mkdir(parents=True, exist_ok=True)
        here.rename(to)
    return True


def _whole(door: Files, folder: str = "") -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for name, status in door._view.entries(folder):
        path = f"{folder}/{name}" if folder else name
        if stat.S_ISDIR(status.st_mode):
            found[path] = None
            found |= _whole(door, path)
        else:
            found[path] = door.read(path)
    return found


def _on_disk(place: Path) -> dict[str, bytes | None]:
    return {one.relative_to(place).as_posix(): None if one.is_dir() else one.read_bytes() for one in place.rglob("*")}


@given(before=ACTS, acts=ACTS)
def test_an_overlay_is_like_a_folder_of_ones_own(
    before: list[tuple[object, ...]], acts: list[tuple[object, ...]]
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        root, twin, overlays = (Path(scratch) / name for name in ("root", "twin", "overlays"))
        for place in (root, overlays):
            place.mkdir()
        for act in before:
            _apply(root, act)
        shutil.copytree(root, twin)
        untouched = _on_disk(root)
        door = Files(root, Overlay.beneath(overlays))
        for act in acts:
            kind, *given_ = act
            try:
                getattr(door, str(kind))(*given_)
                done = True
            except FileRefused:
                done = False
            assert done == _apply(twin, act), act
            assert _whole(door) == _on_disk(twin), act
        assert _on_disk(root) == untouched
