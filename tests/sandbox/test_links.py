"""Links in a run's copy of its folder, and paths that are no paths: nothing outside is read or written through them (T5 to T8, T11).

| what | test |
|---|---|
| T5, T6: a link to a folder outside, inside a host | test_a_link_of_the_copy_leads_nowhere |
| T7: a link to nothing, a folder missing behind a link | test_nothing_is_made_behind_a_link |
| T8: /proc/self/fd and /dev/fd as paths, and links to them | test_paths_of_open_files_are_no_paths |
| T5: what a plan would write through such a link | test_a_plan_through_a_link_is_refused_and_nothing_is_written |
| T11: the folder is another one when what was approved is written | test_another_folder_in_its_place_is_not_written_into |
"""

from pathlib import Path

import pytest

from counterfoil import Params, approve, workflow, write_file
from counterfoil.facts import RunState
from counterfoil.testing import Harness
from sandbox.rooms import Room

DOOR = """
from counterfoil import FileRefused, files
def said(act, *arguments):
    try:
        return repr(act(*arguments))
    except FileRefused as refused:
        return "refused: " + refused.reason
door = files()
"""
LINK = "refused: It is a link; links are not followed."
BEHIND = "refused: It is a link or no folder; links are not followed."


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that is nobody's business, with a canary in it."""
    place = tmp_path / "outside"
    place.mkdir()
    (place / "canary").write_text("CANARY")
    return place


@pytest.fixture
def linked(tmp_path: Path, outside: Path) -> Path:
    """A workspace with links of every kind."""
    place = tmp_path / "linked"
    place.mkdir()
    (place / "in.txt").write_text("in")
    links: dict[str, str | Path] = {
        "out": outside,
        "canary": outside / "canary",
        "dangling": outside / "new.txt",
        "fd": "/proc/self/fd/3",
        "dev": "/dev/fd/3",
        "up": "..",
    }
    for name, target in links.items():
        (place / name).symlink_to(target)
    return place


def test_a_link_of_the_copy_leads_nowhere(room: Room, linked: Path, outside: Path) -> None:
    found = room.inside(
        DOOR
        + """
found = {
    "raw": [refusal(text, "out/canary"), refusal(text, "canary"), refusal(make, "out/x"), refusal(os.listdir, "out")],
    "read": [said(door.read, "canary"), said(door.read, "out/canary"), said(door.list, "out")],
    "write": [said(door.write, "canary", b"x"), said(door.write, "out/canary", b"x"), said(door.remove, "out/canary")],
    "move": [said(door.move, "in.txt", "out/in.txt"), said(door.move, "canary", "mine")],
    "walk": [one.path for one in door.walk() if not one.is_link],
}
""",
        workspace=linked,
    )
    assert set(found["raw"]) <= {"ENOENT", "EACCES"}
    assert found["read"] == [LINK, BEHIND, BEHIND]
    assert all(one.startswith("refused: ") and str(outside) not in one for one in (*found["write"], *found["move"]))
    assert found["walk"] == ["in.txt"]
    assert [(one.name, one.read_text()) for one in outside.iterdir()] == [("canary", "CANARY")]


def test_nothing_is_made_behind_a_link(room: Room, linked: Path, outside: Path) -> None:
    found = room.inside(
        DOOR
        + """
found = [
    said(door.write, "dangling", b"x"), said(door.write, "out/new/x", b"x"), said(door.make_folder, "out/new"),
    said(door.make_folder, "dangling"), said(door.write, "up/x", b"x"), said(door.move, "in.txt", "dangling"),
]
""",
        workspace=linked,
    )
    assert [one.partition(":")[0] for one in found] == ["refused"] * 6
    assert [one.name for one in outside.iterdir()] == ["canary"]
    assert not (linked.parent / "x").exists()


def test_paths_of_open_files_are_no_paths(room: Room, linked: Path) -> None:
    paths = ["/proc/self/fd/3", "/dev/fd/3", "proc/self/fd/3", "fd", "dev", "../in.txt", "in.txt/../../x", "in\0.txt"]
    found = room.inside(
        DOOR + f"found = [[said(door.read, one), said(door.write, one, b'x')] for one in {paths!r}]", workspace=linked
    )
    read, written = zip(*found, strict=True)
    assert {one.partition(":")[0] for one in read} == {"refused"}
    assert [
        one for one, path in zip(written, paths, strict=True) if not one.startswith("refused") and path[0] != "p"
    ] == []
    assert sorted(one.name for one in linked.iterdir()) == ["canary", "dangling", "dev", "fd", "in.txt", "out", "up"]


class Nothing(Params):
    """No parameters."""


@workflow("through")
async def through(p: Nothing) -> None:
    await (await approve("Write?", plan=[write_file("made/x.txt", "x")])).perform()


def test_a_plan_through_a_link_is_refused_and_nothing_is_written(tmp_path: Path, outside: Path) -> None:
    """The link comes while the plan is before a person."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    office = Harness(workspace, home=tmp_path / "home")
    office.start(through)
    assert office.advance() == RunState.WAITING
    (workspace / "made").symlink_to(outside)
    office.approve()
    assert office.advance() == RunState.WAITING
    assert [one.name for one in outside.iterdir()] == ["canary"]
    assert office.spec()["title"] == "1 file changed in your folder. Nothing has been written."


def test_another_folder_in_its_place_is_not_written_into(tmp_path: Path, outside: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    office = Harness(workspace, home=tmp_path / "home")
    office.start(through)
    assert office.advance() == RunState.WAITING
    workspace.rename(tmp_path / "away")
    workspace.symlink_to(outside)
    office.approve()
    assert office.advance() == RunState.WAITING
    assert [one.name for one in outside.iterdir()] == ["canary"]
    assert list((tmp_path / "away").iterdir()) == []
