"""A file that changed after its run: both sides as people compare them, or the sentence that says why there is nothing to compare."""

from pathlib import Path
from typing import Any

import pytest

from counterfoil import Params, approve, delete_files, move_files, workflow, write_file
from counterfoil.errors import WrongUse
from counterfoil.facts import RunState
from counterfoil.previews import since
from counterfoil.previews.showing import Loaded
from counterfoil.testing import Harness
from counterfoil.views.undoing import undo_view


class Nothing(Params):
    pass


@workflow("shapes")
async def shapes(p: Nothing) -> None:
    plan = [
        write_file("made.txt", "ours"),
        write_file("old.txt", "new"),
        move_files([("a.txt", "b.txt")]),
        delete_files(["gone.txt"]),
    ]
    await (await approve("All", plan=plan)).perform()


@pytest.fixture
def harness(tmp_path: Path) -> Any:
    folder = tmp_path / "files"
    folder.mkdir()
    for name in ("old", "a", "gone"):
        (folder / f"{name}.txt").write_text(name)
    made = Harness(folder, home=tmp_path / "home")
    made.start(shapes)
    made.advance()
    made.approve()
    assert made.advance() == RunState.DONE
    yield made
    made.close()


def loaded(harness: Harness, path: str) -> Loaded:
    with harness.database.snapshot() as conn:
        return since.load_since(conn, harness.home, harness.blobs, harness.run(), path)


def met(harness: Harness) -> set[str]:
    """What undoing says can be compared."""
    with harness.database.snapshot() as conn:
        view = undo_view(conn, harness.home, harness.run(), harness.clock.now_us())
    return {file.path for file in view.files if file.met}


@pytest.mark.parametrize(
    "path, at, before, words",
    [
        ("made.txt", "made.txt", b"ours", since.LEFT),
        ("old.txt", "old.txt", b"new", since.LEFT),
        ("a.txt", "b.txt", None, since.LEFT),
        ("a.txt", "a.txt", b"a", since.BACK),
        ("gone.txt", "gone.txt", b"gone", since.BACK),
    ],
)
def test_both_sides(harness: Harness, path: str, at: str, before: bytes | None, words: str) -> None:
    assert met(harness) == set()
    (harness.workspace / at).write_text("theirs")
    assert met(harness) == {path}
    made = loaded(harness, path)
    assert made.before is not None
    assert made.after is not None
    assert (made.seen.path, made.before.data, made.after.data) == (at, before, b"theirs")
    assert made.seen.note.startswith(words)
    assert ("only moved" in made.seen.note) == (before is None)


def test_what_is_not_kept_is_told_by_its_seal(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    (harness.workspace / "made.txt").write_text("theirs")
    (harness.workspace / "gone.txt").write_text("theirs")
    monkeypatch.setattr(since, "LARGEST", 3)
    for path in ("made.txt", "gone.txt"):
        with pytest.raises(WrongUse, match=rf"{path} cannot be compared: It holds"):
            loaded(harness, path)
    for name in ("made.txt", "gone.txt"):
        (harness.workspace / name).write_text("!")
        side = loaded(harness, name).before
        assert side is not None
        assert (side.data, side.size, len(side.sha or "")) == (None, 4, 64)
    monkeypatch.undo()
    for kept in [*harness.home.undo.rglob("*"), *harness.home.blobs.rglob("*")]:
        if kept.is_file():
            kept.write_bytes(b"damaged")
    for name in ("made.txt", "gone.txt"):
        made = loaded(harness, name)
        assert made.before is not None
        assert made.before.data is None
        assert "not kept any more" in made.seen.note


def test_where_there_is_nothing_to_compare(harness: Harness) -> None:
    with pytest.raises(WrongUse, match=r"made\.txt is as run r-1 left it"):
        loaded(harness, "made.txt")
    with pytest.raises(WrongUse, match=r"Run r-1 did nothing to other\.txt"):
        loaded(harness, "other.txt")
    (harness.workspace / "made.txt").unlink()
    (harness.workspace / "made.txt").symlink_to("old.txt")
    assert met(harness) == set()
    with pytest.raises(WrongUse, match=r"made\.txt cannot be compared: It is a link"):
        loaded(harness, "made.txt")
