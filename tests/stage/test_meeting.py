"""A run's changes against the folder as it is now: done ones vanish, and what somebody else changed is never covered up."""

from pathlib import Path

import pytest

from counterfoil.places import Home
from counterfoil.stage.changed import Diff
from counterfoil.stage.diffing import difference
from counterfoil.stage.meeting import meet
from counterfoil.store.blobs import Blobs
from stage.folders import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A workspace of three files, and its copy."""
    made = Place(tmp_path)
    for name in ("a.txt", "b.txt", "in/c.txt"):
        made.write(name, f"{name} as copied")
    made.make()
    return made


def met(place: Place) -> dict[str, str]:
    """What is still to be done, by path; the reason where it is not."""
    manifest = place.layout.manifest()
    blobs = Blobs(Home(place.workspace.parent / "home").create())
    found: Diff = meet(difference(place.layout, manifest, blobs), manifest, str(place.workspace))
    return {change.path: change.blocked or change.what for change in found.changes}


THEIRS = "since the run copied it, so the run's version is left out"


def test_a_folder_that_stayed_as_it_was(place: Place) -> None:
    (place.layout.tree / "a.txt").write_text("new")
    (place.layout.tree / "b.txt").unlink()
    (place.layout.tree / "in/c.txt").rename(place.layout.tree / "c.txt")
    (place.layout.tree / "d").mkdir()
    assert met(place) == {"a.txt": "changed", "b.txt": "removed", "c.txt": "moved", "d": "new"}


def test_what_is_done_already_is_nothing_more_to_do(place: Place) -> None:
    (place.layout.tree / "a.txt").write_text("new")
    (place.layout.tree / "b.txt").unlink()
    (place.layout.tree / "in/c.txt").rename(place.layout.tree / "c.txt")
    (place.layout.tree / "d").mkdir()
    place.write("a.txt", "new")
    (place.workspace / "b.txt").unlink()
    (place.workspace / "in/c.txt").rename(place.workspace / "c.txt")
    (place.workspace / "d").mkdir()
    assert met(place) == {}


def test_what_somebody_changed_meanwhile_is_left_out(place: Place) -> None:
    for name in ("a.txt", "in/c.txt"):
        (place.layout.tree / name).write_text("the run's")
    (place.layout.tree / "b.txt").unlink()
    place.write("a.txt", "somebody's")
    place.write("b.txt", "somebody's")
    (place.workspace / "in/c.txt").unlink()
    found = met(place)
    assert sorted(found) == ["a.txt", "b.txt", "in/c.txt"]
    assert all(reason.endswith(f"{THEIRS}.") for reason in found.values())


def test_a_file_that_was_only_touched_is_as_it_was(place: Place) -> None:
    (place.layout.tree / "a.txt").write_text("the run's")
    place.write("a.txt", "a.txt as copied")
    assert met(place) == {"a.txt": "changed"}


def test_a_new_name_that_somebody_took_first(place: Place) -> None:
    (place.layout.tree / "new.txt").write_text("the run's")
    (place.layout.tree / "in/c.txt").rename(place.layout.tree / "c.txt")
    place.write("new.txt", "somebody's")
    place.write("c.txt", "somebody's")
    assert all("made by somebody else" in reason for reason in met(place).values())


@pytest.mark.parametrize("kind", ["link", "folder", "way"])
def test_something_else_in_its_place(place: Place, kind: str) -> None:
    (place.layout.tree / "in/c.txt").write_text("the run's")
    (place.workspace / "in/c.txt").unlink()
    if kind == "link":
        (place.workspace / "in/c.txt").symlink_to("../a.txt")
    elif kind == "folder":
        (place.workspace / "in/c.txt").mkdir()
    else:
        (place.workspace / "in").rmdir()
        place.write("in", "a file now")
    assert met(place)["in/c.txt"].endswith(f"{THEIRS}.")


def test_becoming_a_program_here_and_there(place: Place) -> None:
    (place.layout.tree / "a.txt").chmod(0o755)
    assert met(place) == {"a.txt": "mode"}
    (place.workspace / "a.txt").chmod(0o755)
    assert met(place) == {}
