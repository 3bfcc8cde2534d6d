"""`plan = await changes()`, `approve`, `perform`: what a run has made of its copy reaches the team's folder, and nothing else does."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from counterfoil import Params, approve, changes, workflow
from counterfoil.facts import RunState
from counterfoil.stage import diffing
from counterfoil.stage.leaving_out import Choices
from counterfoil.stage.manifest import Layout, layout_of
from counterfoil.stage.refreshing import Refresh
from counterfoil.testing import Crashed, Harness


class Nothing(Params):
    pass


@workflow("tidy")
async def tidy(p: Nothing) -> Any:
    plan = await changes()
    if not plan:
        return {"written": 0, "left": [one.path for one in plan.left]}
    decision = await approve("Bring the changes into the folder", plan=plan)
    done = await decision.perform()
    return {"written": len(done), "left": [one.path for one in plan.left]}


@workflow("twice")
async def twice(p: Nothing) -> Any:
    first = await changes()
    await (await approve("Once", plan=first)).perform()
    return len(await changes())


@pytest.fixture
def harness(tmp_path: Path) -> Generator[Harness]:
    """A workspace of a few files."""
    workspace = tmp_path / "workspace"
    for path in ("a.txt", "b.txt", "in/c.txt", "in/d.txt"):
        (workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (workspace / path).write_text(f"{path} as it was")
    made = Harness(workspace, home=tmp_path / "home")
    yield made
    made.close()


def copied(harness: Harness, flow: Any = tidy) -> Layout:
    """A started run with its copy, to be changed as its steps would."""
    run_id = harness.start(flow)
    layout = layout_of(harness.home, run_id)
    Refresh(str(harness.workspace), layout, Choices()).run(None, harness.clock.now_us())
    return layout


def change(layout: Layout) -> None:
    """A file written, one made, one moved, one removed, a folder made; and a link, which is left alone."""
    tree = layout.tree
    (tree / "a.txt").write_text("a new")
    (tree / "out").mkdir()
    (tree / "out/e.txt").write_text("e")
    (tree / "in/c.txt").rename(tree / "c.txt")
    (tree / "b.txt").unlink()
    (tree / "empty").mkdir()
    (tree / "link").symlink_to("/etc/passwd")


def held(folder: Path) -> dict[str, str]:
    """The files of a folder; our own are not counted."""
    return {
        file.relative_to(folder).as_posix(): file.read_text()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and ".counterfoil" not in file.parts
    }


AFTER = {"a.txt": "a new", "c.txt": "in/c.txt as it was", "in/d.txt": "in/d.txt as it was", "out/e.txt": "e"}


def test_what_a_run_has_changed_is_approved_and_then_done(harness: Harness) -> None:
    before = held(harness.workspace)
    change(copied(harness))
    assert harness.advance() == RunState.WAITING
    assert held(harness.workspace) == before
    spec = harness.spec()
    kinds = [item["body"]["kind"] for item in spec["plan"]]
    assert kinds == ["move_files@1", "write_file@1", "write_file@1", "make_folders@1", "delete_files@1"]
    (left,) = [piece for piece in spec["evidence"] if piece["title"] == "Left as it is in your folder"]
    assert left["data"]["rows"] == [["link", "“link” is a link to a place outside the workspace."]]
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert held(harness.workspace) == AFTER
    assert (harness.workspace / "empty").is_dir()
    assert not (harness.workspace / "link").is_symlink()
    assert harness.result() == {"written": 5, "left": ["link"]}


@pytest.mark.parametrize(
    "point", ["after_blob", "after_record", "after_gate", "after_decision", "after_intent", "after_outcome"]
)
def test_a_crash_changes_nothing_of_it(harness: Harness, point: str) -> None:
    change(copied(harness))
    harness.crash_at(point)
    for _ in range(6):
        try:
            state = harness.advance()
        except Crashed:
            continue
        if state == RunState.WAITING:
            try:
                harness.approve()
            except Crashed:
                continue
        if state == RunState.DONE:
            break
    assert harness.run()["state"] == RunState.DONE
    assert held(harness.workspace) == AFTER


def test_what_was_said_once_is_said_again_however_the_copy_goes_on(harness: Harness) -> None:
    """T60: the copy is written to after it was shown, and what is applied is what was shown."""
    layout = copied(harness)
    (layout.tree / "a.txt").write_text("shown")
    harness.advance()
    (layout.tree / "a.txt").write_text("changed later")
    (layout.tree / "b.txt").write_text("changed later")
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert (harness.workspace / "a.txt").read_text() == "shown"
    assert (harness.workspace / "b.txt").read_text() == "b.txt as it was"


def test_a_run_that_changed_nothing_asks_nobody(harness: Harness) -> None:
    copied(harness)
    assert harness.advance() == RunState.DONE
    assert harness.result() == {"written": 0, "left": []}


def test_a_run_without_a_copy_has_changed_nothing(harness: Harness) -> None:
    harness.start(tidy)
    assert harness.advance() == RunState.DONE


def test_what_is_done_is_not_asked_for_again(harness: Harness) -> None:
    change(copied(harness, twice))
    harness.advance()
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.result() == 0


def test_a_file_that_somebody_changed_meanwhile_is_left_to_them(harness: Harness) -> None:
    change(copied(harness))
    (harness.workspace / "a.txt").write_text("somebody's")
    harness.advance()
    harness.approve()
    harness.advance()
    assert (harness.workspace / "a.txt").read_text() == "somebody's"
    assert sorted(harness.result()["left"]) == ["a.txt", "link"]


def test_files_that_run_later_are_confirmed_here_too(harness: Harness) -> None:
    layout = copied(harness)
    (layout.tree / "Makefile").write_text("all:\n")
    (layout.tree / ".git").mkdir()
    (layout.tree / ".git/config").write_text("[core]\n")
    harness.advance()
    assert [item["risk"] for item in harness.spec()["plan"]] == ["runs_later"]
    harness.approve(confirmed=[1])
    assert harness.advance() == RunState.DONE
    assert (harness.workspace / "Makefile").exists()
    assert not (harness.workspace / ".git").exists()


def test_too_much_is_put_before_a_person_who_can_have_it_tried_again(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(copied(harness))
    with monkeypatch.context() as patch:
        patch.setattr(diffing, "LARGEST_SET", 1)
        assert harness.advance() == RunState.WAITING
    assert harness.gate()["kind"] == "failure"
    assert "so they are not compared" in harness.spec()["about"]["error"]["message"]
    harness.answer(choice="retry")
    assert harness.advance() == RunState.WAITING
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert held(harness.workspace) == AFTER
