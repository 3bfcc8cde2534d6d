"""A run's own copy of its files, by the engine: what steps write, when it is brought up to date, and what a crash leaves of it.

| what | test |
|---|---|
| later steps see what is recorded, the folder does not change | test_what_a_step_writes_is_seen_by_later_steps_and_not_in_the_folder |
| a failed try leaves nothing; a child process writes as well | test_a_failed_try_leaves_nothing, test_a_child_process_writes |
| branches side by side that write one path | test_two_branches_must_not_write_one_path |
| a crash at every point of a writing step | test_a_crash_at_any_point_ends_as_if_there_was_none |
| fresh files after an answer, a sleep, a conflict, and only then | test_files_are_as_of_the_last_answer and its kin |
| what the run changed keeps its base | test_a_file_that_both_changed_keeps_its_base |
| approved effects are taken over | test_what_was_approved_is_taken_over |
| a stage that is lost, or torn by a power cut | test_a_lost_stage_is_made_again, test_a_tree_torn_by_a_power_cut_is_mended |
| a host that lies about what it wrote | test_lies_about_written_files_end_the_session |
| too much to copy is a question | test_too_much_is_a_question_with_parts |
"""

import asyncio
import json
import os
import shutil
import threading
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from counterfoil import (
    FilesChanged,
    append_rows,
    approve,
    ask,
    files,
    parallel,
    sleep,
    step,
    workflow,
    write_file,
)
from counterfoil.authoring.overlay import CHANGES, NOT_COPIED, Overlay
from counterfoil.engine import staging
from counterfoil.engine.holding import Breach
from counterfoil.engine.staging import beside
from counterfoil.facts import RunState
from counterfoil.stage import run_stage
from counterfoil.stage.manifest import Layout, layout_of
from counterfoil.stage.run_stage import RunStage
from counterfoil.store import gates, stage_rows
from counterfoil.testing import Crashed
from engine.doing import Nothing
from engine.power_cut import PowerCut


@step
def put(path: str, text: str) -> None:
    files().write(path, text.encode())


@step
def get(path: str) -> str | None:
    return files().read(path).decode() if files().exists(path) else None


@step
def seen() -> dict[str, str]:
    return {facts.path: files().read(facts.path).decode() for facts in files().walk()}


@step
def absent(folder: str) -> list[str]:
    return [f"{one.path}: {one.kind}" for one in files().left_out(folder)]


@step
def rearrange() -> None:
    door = files()
    door.move("in", "out")
    door.remove("out/a.txt")
    door.make_folder("empty/one")
    door.write("out/new.txt", b"new")


def layout(office: PowerCut) -> Layout:
    """Where the run's stage lies."""
    return layout_of(office.home, office.run_id)


def on_disk(office: PowerCut) -> dict[str, str]:
    """The folder itself."""
    return {
        place.relative_to(office.workspace).as_posix(): place.read_text()
        for place in office.workspace.rglob("*")
        if place.is_file()
    }


def fill(office: PowerCut) -> dict[str, str]:
    """Files to begin with."""
    (office.workspace / "in").mkdir()
    for path, text in {"in/a.txt": "a", "in/b.txt": "b", "c.txt": "c"}.items():
        (office.workspace / path).write_text(text)
    return on_disk(office)


@workflow("writes")
async def writes(p: Nothing) -> list[dict[str, str]]:
    await put("c.txt", "changed")
    first = await seen()
    await rearrange()
    second = await seen()
    await put("in", "a file now")
    return [first, second, await seen()]


EXPECTED = [
    {"c.txt": "changed", "in/a.txt": "a", "in/b.txt": "b"},
    {"c.txt": "changed", "out/b.txt": "b", "out/new.txt": "new"},
    {"c.txt": "changed", "in": "a file now", "out/b.txt": "b", "out/new.txt": "new"},
]


def test_what_a_step_writes_is_seen_by_later_steps_and_not_in_the_folder(office: PowerCut) -> None:
    before = fill(office)
    office.start(writes)
    assert office.advance() == RunState.DONE
    assert office.result() == EXPECTED
    assert on_disk(office) == before
    assert list(office.home.stages.iterdir()) == []  # the run has ended, so its stage is gone


POINTS = [
    ("after_claim", 1),
    *(("after_record", n) for n in range(1, 7)),
    *(("after_each_file", n) for n in range(1, 7)),
]


@pytest.mark.parametrize("point, visit", POINTS)
def test_a_crash_at_any_point_ends_as_if_there_was_none(point: str, visit: int, office: PowerCut) -> None:
    before = fill(office)
    office.start(writes)
    office.crash_at(point, visit)
    with pytest.raises(Crashed):
        office.advance()
    assert office.advance() == RunState.DONE
    assert office.result() == EXPECTED
    assert on_disk(office) == before


@step(retries=1)
def writes_then_fails() -> str:
    door = files()
    door.write("half.txt", b"half")
    if not door.exists("go"):
        raise ConnectionError("not yet")
    return "done"


@workflow("fails")
async def fails(p: Nothing) -> list[Any]:
    first = await seen()
    await writes_then_fails()
    return [first, await seen()]


def test_a_failed_try_leaves_nothing(office: PowerCut) -> None:
    office.start(fails)
    assert office.advance() == RunState.WAITING
    office.tick(timedelta(minutes=1))
    assert office.advance() == RunState.WAITING  # the second try has failed as well: a person is asked
    assert os.listdir(layout(office).tree) == []
    assert os.listdir(layout(office).overlays) == []
    (office.workspace / "go").write_text("")
    office.answer(choice="retry")
    assert office.advance() == RunState.DONE
    assert office.result() == [{}, {"go": "", "half.txt": "half"}]


@step(process=True)
def in_a_child(text: str) -> list[str]:
    files().write("child.txt", text.encode())
    return [facts.path for facts in files().walk()]


@step(process=True)
def dies() -> None:
    files().write("dead.txt", b"x")
    os._exit(9)


@step
async def in_a_coroutine() -> None:
    files().write("async.txt", b"x")


def test_a_child_process_writes(office: PowerCut) -> None:
    @workflow("child")
    async def child(p: Nothing) -> Any:
        found = await in_a_child("hello")
        await in_a_coroutine()
        return [found, await seen()]

    office.start(child)
    assert office.advance() == RunState.DONE
    assert office.result() == [["child.txt"], {"async.txt": "x", "child.txt": "hello"}]


def test_a_child_that_dies_leaves_nothing(office: PowerCut) -> None:
    @workflow("dying")
    async def dying(p: Nothing) -> None:
        await dies()

    office.start(dying)
    assert office.advance() == RunState.WAITING
    assert os.listdir(layout(office).tree) == []
    assert os.listdir(layout(office).overlays) == []


# ------------------------------------------------------------------------------------------------- branches side by side


_both = threading.Barrier(2, timeout=60)


@step
def put_beside(path: str, text: str) -> None:
    """Written by the time that the other branch has written, too, so that neither sees the other's."""
    files().write(path, text.encode())
    _both.wait()


def test_two_branches_must_not_write_one_path(office: PowerCut) -> None:
    @workflow("clash")
    async def clash(p: Nothing) -> Any:
        await parallel(put_beside("one.txt", "left"), put_beside("one.txt", "right"))
        return await seen()

    office.start(clash)
    assert office.advance() == RunState.WAITING
    about = office.spec()["about"]
    assert about["error"]["message"] == (
        "“one.txt” was written by another branch that runs side by side with this one. Let one branch write it, or give each a file of "
        "its own."
    )
    [kept] = stage_rows.of_run(office.database.reader, office.run_id)
    assert (layout(office).tree / "one.txt").read_bytes() == office.blobs.get(str(kept.change.sha))


@pytest.mark.parametrize("other", ["folder", "folder/x/y"])
def test_a_folder_of_one_branch_is_no_file_of_another(other: str, office: PowerCut) -> None:
    @workflow("clash")
    async def clash(p: Nothing) -> None:
        await parallel(put_beside("folder/x", "left"), put_beside(other, "right"))

    office.start(clash)
    assert office.advance() == RunState.WAITING
    assert "runs side by side" in office.spec()["about"]["error"]["message"]


def test_branches_write_side_by_side(office: PowerCut) -> None:
    async def branch(number: int) -> dict[str, str]:
        await put(f"of/{number}.txt", str(number))
        await put(f"of/{number}.txt", f"{number} again")
        return await seen()

    @workflow("side by side")
    async def side_by_side(p: Nothing) -> Any:
        await put("of/1.txt", "before")  # by the branch above, so it is over when they begin
        found = await parallel(*[branch(number) for number in range(5)])
        await parallel(put("of/0.txt", "later"))  # another parallel, after the first
        return [found[3]["of/3.txt"], await seen()]

    office.start(side_by_side)
    assert office.advance() == RunState.DONE
    assert office.result() == [
        "3 again", {"of/0.txt": "later", **{f"of/{number}.txt": f"{number} again" for number in range(1, 5)}},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "one, other, are",
    [
        ("", "", False),
        ("", "0/1", False),
        ("0/1", "0/2", True),
        ("0/1", "0/1", False),
        ("0/1", "3/2", False),
        ("0/1/4/0", "0/2", True),
        ("0/1/4/0", "0/1/4/1", True),
        ("0/1/4/0", "0/1/5/1", False),
        ("0/1/4/0", "0/1", False),
        ("0/10", "0/1", True),
    ],
)
def test_which_branches_run_side_by_side(one: str, other: str, *, are: bool) -> None:
    assert beside(one, other) == beside(other, one) == are


# ----------------------------------------------------------------------------------------------------- as of which moment


@workflow("asks")
async def asks(p: Nothing) -> list[Any]:
    found: list[Any] = [await get("c.txt")]
    await put("mine.txt", "mine")
    found.append(await get("c.txt"))
    await ask("Go on?", [])
    found.append(await get("c.txt"))
    found.append(await seen())
    return found


def test_files_are_as_of_the_last_answer(office: PowerCut) -> None:
    fill(office)
    office.start(asks)
    assert office.advance() == RunState.WAITING
    began = office.clock.now_us()
    gate = office.gate()
    assert office.run()["created_at"] < gate["files_as_of"] < began
    office.tick(timedelta(hours=1))
    (office.workspace / "c.txt").write_text("by a colleague")
    (office.workspace / "in/a.txt").unlink()
    (office.workspace / "new.txt").write_text("new")
    assert (layout(office).tree / "c.txt").read_text() == "c"
    office.answer(gate)
    assert office.advance() == RunState.DONE
    assert office.result() == [
        "c", "c", "by a colleague", {"c.txt": "by a colleague", "in/b.txt": "b", "mine.txt": "mine", "new.txt": "new"},
    ]  # fmt: skip
    row = stage_rows.of(office.database.reader, office.run_id)
    assert row is not None
    assert began < row["taken_at"] <= office.clock.now_us()


@pytest.mark.parametrize("visit", [1, 2])
def test_files_are_fresh_after_an_answer_whatever_crashes(visit: int, office: PowerCut) -> None:
    """The claim that takes an answer up may be cut off before the files are taken."""
    fill(office)
    office.start(asks)
    office.advance()
    office.tick(timedelta(hours=1))
    (office.workspace / "c.txt").write_text("by a colleague")
    office.answer()
    office.crash_at("after_claim", visit)
    try:
        state = office.advance()
    except Crashed:
        office.tick(timedelta(minutes=1))
        state = office.advance()
    assert state == RunState.DONE
    assert office.result()[2] == "by a colleague"


def test_nothing_is_fresh_without_an_answer(office: PowerCut) -> None:
    """A crash and the next claim are no reason to see other files than the steps before have seen."""
    fill(office)

    @workflow("two")
    async def two(p: Nothing) -> list[str | None]:
        return [await get("c.txt"), await get("c.txt")]

    office.start(two)
    office.crash_at("after_record", 1)
    with pytest.raises(Crashed):
        office.advance()
    office.tick(timedelta(hours=1))
    (office.workspace / "c.txt").write_text("by a colleague")
    assert office.advance() == RunState.DONE
    assert office.result() == ["c", "c"]


def test_files_are_fresh_after_a_sleep(office: PowerCut) -> None:
    fill(office)

    @workflow("sleeps")
    async def sleeps(p: Nothing) -> list[str | None]:
        first = await get("c.txt")
        await sleep(timedelta(days=2))
        return [first, await get("c.txt")]

    office.start(sleeps)
    assert office.advance() == RunState.WAITING
    (office.workspace / "c.txt").write_text("by a colleague")
    office.tick(timedelta(days=3))
    assert office.advance() == RunState.DONE
    assert office.result() == ["c", "by a colleague"]


def test_files_are_fresh_after_a_conflict(office: PowerCut) -> None:
    fill(office)

    @workflow("looks again")
    async def looks_again(p: Nothing) -> str | None:
        while True:
            text = await get("c.txt")
            decision = await approve("Write", plan=[write_file("c.txt", f"{text}!")])
            try:
                await decision.perform(on_conflict="raise")
            except FilesChanged:
                continue
            return await get("c.txt")

    office.start(looks_again)
    office.advance()
    office.approve()
    office.clock.advance(timedelta(seconds=1))
    real = office._effects.apply_files

    def late(*given: Any) -> Any:
        (office.workspace / "c.txt").write_text("by a colleague")
        office._effects.apply_files = real  # type: ignore[method-assign]
        return real(*given)

    office._effects.apply_files = late  # type: ignore[method-assign, assignment]
    assert office.advance() == RunState.WAITING
    office.approve()
    assert office.advance() == RunState.DONE
    assert office.result() == "by a colleague!"


def test_a_file_that_both_changed_keeps_its_base(office: PowerCut) -> None:
    """The run's file stays, and so does what it was changed from: whoever applies it finds that the folder has another one."""
    fill(office)

    @workflow("both")
    async def both(p: Nothing) -> dict[str, str]:
        await put("c.txt", "by the run")
        await ask("Go on?", [])
        found = await seen()
        await ask("Go on?", [])
        return found

    office.start(both)
    office.advance()
    base = layout(office).manifest().entries["c.txt"]
    office.tick(timedelta(hours=1))
    (office.workspace / "c.txt").write_text("by a colleague")
    (office.workspace / "in/a.txt").write_text("by a colleague")
    office.answer()
    assert office.advance() == RunState.WAITING
    made = layout(office).manifest()
    assert made.entries["c.txt"] == base
    assert made.entries["in/a.txt"].size == len("by a colleague")
    office.answer()
    office.advance()
    assert office.result() == {"c.txt": "by the run", "in/a.txt": "by a colleague", "in/b.txt": "b"}


# ------------------------------------------------------------------------------------------------------- what was approved


@workflow("approved")
async def approved(p: Nothing) -> list[Any]:
    await put("made/x.txt", "x")
    plan = [write_file("made/x.txt", "x"), append_rows("rows.csv", [{"a": 1}], columns=["a"])]
    decision = await approve("Write", plan=plan)
    await decision.plan[0]
    first = await seen()
    await put("rows.csv", "by the run")
    await decision.plan[1]
    return [first, await seen()]


@pytest.mark.parametrize("point", [None, "after_journal", "after_each_file", "after_perform", "after_outcome"])
def test_what_was_approved_is_taken_over(point: str | None, office: PowerCut) -> None:
    office.start(approved)
    assert office.advance() == RunState.WAITING
    assert [kept.change.file for kept in stage_rows.of_run(office.database.reader, office.run_id)] == ["made/x.txt"]
    office.approve()
    if point is not None:
        office.crash_at(point)
        with pytest.raises(Crashed):
            office.advance()
    assert office.advance() == RunState.DONE
    first = {"made/x.txt": "x", "rows.csv": "a\n1\n"}
    assert office.result() == [first, {**first, "rows.csv": "by the run"}]
    assert on_disk(office) == first


def test_what_was_approved_is_the_base_from_then_on(office: PowerCut) -> None:
    @workflow("then asks")
    async def then_asks(p: Nothing) -> Any:
        await put("made/x.txt", "x")
        await put("left.txt", "left")
        decision = await approve("Write", plan=[write_file("made/x.txt", "x")])
        await decision.perform()
        await ask("Go on?", [])
        return await seen()

    office.start(then_asks)
    office.advance()
    assert dict(layout(office).manifest().entries) == {}
    office.approve()
    assert office.advance() == RunState.WAITING
    entries = layout(office).manifest().entries
    assert set(entries) == {"made", "made/x.txt"}
    assert entries["made/x.txt"].inode == (office.workspace / "made/x.txt").stat().st_ino
    kept = stage_rows.of_run(office.database.reader, office.run_id)
    assert [one.change.file for one in kept] == ["left.txt"]
    office.tick(timedelta(hours=1))
    (office.workspace / "made/x.txt").write_text("by a colleague")
    office.answer()
    assert office.advance() == RunState.DONE
    assert office.result() == {"left.txt": "left", "made/x.txt": "by a colleague"}


# --------------------------------------------------------------------------------------------- a stage that is not whole


@workflow("waits")
async def waits(p: Nothing) -> Any:
    await put("c.txt", "by the run")
    await rearrange()
    await ask("Go on?", [])
    return await seen()


AFTER = {"c.txt": "by the run", "out/b.txt": "b", "out/new.txt": "new"}


def _delete(place: Layout) -> None:
    shutil.rmtree(place.root)


def _no_manifest(place: Layout) -> None:
    place.base.unlink()


def _torn_manifest(place: Layout) -> None:
    place.base.write_text(place.base.read_text()[:-5])


def _cut_off(place: Layout) -> None:
    place.incoming.mkdir()
    (place.incoming / "1").write_text("half")


def _cut_off_merging(place: Layout) -> None:
    place.merging.mkdir()
    (place.merging / "1").write_text("half")
    place.merged.unlink()


@pytest.mark.parametrize("harm", [_delete, _no_manifest, _torn_manifest, _cut_off, _cut_off_merging])
def test_a_lost_stage_is_made_again(harm: Callable[[Layout], None], office: PowerCut) -> None:
    fill(office)
    office.start(waits)
    office.advance()
    harm(layout(office))
    office.answer()
    assert office.advance() == RunState.DONE
    assert office.result() == AFTER


def test_a_tree_torn_by_a_power_cut_is_mended(office: PowerCut, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was not synced may be anything: empty files, names of a rename that was half undone."""
    fill(office)
    (office.workspace / "d.txt").write_text("d")
    office.start(waits)
    office.advance()
    tree = layout(office).tree
    (tree / "d.txt").write_bytes(b"")
    (tree / "c.txt").write_bytes(b"\0" * 10)
    (tree / "out/b.txt").unlink()
    (tree / "in").mkdir()
    (tree / "in/a.txt").write_text("a")
    (tree / "odd").write_text("odd")
    office.answer()
    monkeypatch.setattr(run_stage, "boot", lambda: "another start of the computer")
    assert office.advance() == RunState.DONE
    assert office.result() == {**AFTER, "d.txt": "d"}


# ------------------------------------------------------------------------------------------------------------- lies


def _link(folder: Path) -> None:
    (folder / "1").unlink()
    (folder / "1").symlink_to("/etc/passwd")


def _pipe(folder: Path) -> None:
    (folder / "1").unlink()
    os.mkfifo(folder / "1")


def _said(**parts: Any) -> Callable[[Path], None]:
    def say(folder: Path) -> None:
        plain = json.loads((folder / CHANGES).read_text())
        (folder / CHANGES).write_text(json.dumps({**plain, **parts}))

    return say


def _garbage(folder: Path) -> None:
    (folder / CHANGES).write_bytes(b"\xff" * 100)


def _no_list(folder: Path) -> None:
    (folder / CHANGES).unlink()


def _list_is_a_pipe(folder: Path) -> None:
    (folder / CHANGES).unlink()
    os.mkfifo(folder / CHANGES)


def _deep(folder: Path) -> None:
    (folder / CHANGES).write_text("[" * 100_000)


def _away(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.symlink_to("/etc")


LIES = [
    _link, _pipe, _garbage, _no_list, _list_is_a_pipe, _deep, _away,
    _said(files=[["../x", 1, 420]]), _said(files=[["/x", 1, 420]]), _said(files=[["a/../x", 1, 420]]), _said(files=[["", 1, 420]]),
    _said(files=[["x\x00", 1, 420]]), _said(files=[["x", 7, 420]]), _said(files=[["x", True, 420]]), _said(files=[["x", -1, 420]]),
    _said(files=[["x", "../1", 420]]), _said(files=[["x", 1]]), _said(files={"x": 1}), _said(files=[["x", 1, 420], ["x", 1, 420]]),
    _said(files=[["x", 1, 420], ["x/y", 1, 420]]), _said(gone=[".."]), _said(gone=["x", "x"]), _said(gone=[3]), _said(folders="abc"),
    _said(folders=["a//b"]), _said(files=[["\ud800", 1, 420]]), _said(files=[["n" * 256, 1, 420]]),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(LIES)))
def test_lies_about_written_files_end_the_session(
    number: int, office: PowerCut, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = fill(office)

    @workflow("lies")
    async def lies(p: Nothing) -> Any:
        await put("x", "x")
        return await seen()

    close = Overlay.close

    def lie(self: Overlay) -> None:
        close(self)
        if self.folder.exists():
            LIES[number](self.folder)

    monkeypatch.setattr(Overlay, "close", lie)
    office.start(lies)
    assert office.advance() == RunState.WAITING
    message = office.spec()["about"]["error"]["message"]
    assert message.startswith("The workflow's process broke the rules: written files that no step can write"), message
    assert office.records() == []
    assert on_disk(office) == before
    assert set(os.listdir(layout(office).tree)) == {"in", "c.txt"}


@pytest.mark.parametrize("token", ["../../etc", "x" * 32, "", 7, None, "A" * 32])
def test_a_name_that_no_session_gives(token: Any, office: PowerCut) -> None:
    frame = {"files": token}

    async def act() -> Any:
        hold: Any = None
        return await staging.collect(hold, frame)

    if token is None:
        assert asyncio.run(act()) == []
    else:
        with pytest.raises(Breach, match="no session gives"):
            asyncio.run(act())


@pytest.mark.parametrize(
    "limit, value, said",
    [
        ("LARGEST", 2, "“big.bin” is 0.0 GB; a step may write files of up to 0 MB."),
        ("MOST_BYTES", 2, "The step has written more than 0 GB."),
        ("MOST_FILES", 0, "The step has changed 1 files; at most 0 can be changed at a time."),
    ],
)
def test_a_step_that_writes_too_much_is_told(
    limit: str, value: int, said: str, office: PowerCut, monkeypatch: pytest.MonkeyPatch
) -> None:
    @workflow("big")
    async def big(p: Nothing) -> None:
        await put("big.bin", "12345")

    monkeypatch.setattr(f"counterfoil.stage.overlays.{limit}", value)
    office.start(big)
    assert office.advance() == RunState.WAITING
    assert office.spec()["about"]["error"]["message"] == said
    assert os.listdir(layout(office).overlays) == []


def test_a_sparse_file_is_judged_by_its_size(office: PowerCut, monkeypatch: pytest.MonkeyPatch) -> None:
    """T43: a terabyte of nothing in an overlay is not read."""

    @workflow("sparse")
    async def sparse(p: Nothing) -> None:
        await put("sparse.bin", "x")

    close = Overlay.close

    def grow(self: Overlay) -> None:
        close(self)
        if self.folder.exists():
            os.truncate(self.folder / "1", 2**40)

    monkeypatch.setattr(Overlay, "close", grow)
    office.start(sparse)
    assert office.advance() == RunState.WAITING
    assert office.spec()["about"]["error"]["message"].startswith("“sparse.bin” is 1,099.5 GB; a step may write files")


def test_our_own_names_are_not_written(office: PowerCut) -> None:
    @workflow("ours")
    async def ours(p: Nothing) -> None:
        await put(".counterfoil/workspace.toml", "x")

    office.start(ours)
    assert office.advance() == RunState.WAITING
    assert "belongs to Counterfoil itself" in office.spec()["about"]["error"]["message"]


# ------------------------------------------------------------------------------------------------- what cannot be copied


def test_too_much_is_a_question_with_parts(office: PowerCut, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(office)
    (office.workspace / "big").mkdir()
    for number in range(5):
        (office.workspace / f"big/{number}").write_text("x")
    monkeypatch.setattr("counterfoil.stage.survey.MOST_FILES", 6)
    office.start(writes)
    assert office.advance() == RunState.WAITING
    spec = office.spec()
    assert spec["title"] == "Needs repair: the folder's files cannot be copied"
    assert "holds 8 files" in spec["about"]["error"]["message"]
    field = next(field for field in spec["fields"] if field["name"] == "leave_out")
    assert field["choices"][0] == "big"
    office.answer(choice="retry")
    assert office.advance() == RunState.WAITING
    office.answer(choice="retry", leave_out=["big"])
    assert office.advance() == RunState.DONE
    assert office.result() == EXPECTED
    told = stage_rows.of(office.database.reader, office.run_id)
    assert told is not None
    assert json.loads(told["left_out"]) == {"counts": {"chosen": 1}, "paths": [["big", "chosen"]]}


def test_a_folder_that_is_gone_is_a_question(office: PowerCut) -> None:
    fill(office)
    office.workspace.rename(office.workspace.with_name("away"))
    office.start(writes)
    assert office.advance() == RunState.WAITING
    assert "is not there. Put it back" in office.spec()["about"]["error"]["message"]
    office.workspace.with_name("away").rename(office.workspace)
    office.answer(choice="retry")
    assert office.advance() == RunState.DONE
    assert office.result() == EXPECTED


def test_what_is_left_out_is_kept_with_the_run(office: PowerCut) -> None:
    fill(office)
    (office.workspace / ".env").write_text("SECRET")
    (office.workspace / ".git").mkdir()
    office.start(asks)
    office.advance()
    told = stage_rows.of(office.database.reader, office.run_id)
    assert told is not None
    assert (told["files"], told["octets"]) == (3, 3)
    assert json.loads(told["left_out"]) == {
        "counts": {"secret": 1, "versions": 1}, "paths": [[".env", "secret"], [".git", "versions"]],
    }  # fmt: skip
    assert gates.of_run(office.database.reader, office.run_id)[0]["files_as_of"] == told["taken_at"]


def test_steps_are_told_what_is_not_copied_as_of_the_last_answer(office: PowerCut) -> None:
    fill(office)
    (office.workspace / "in/.git").mkdir()
    (office.workspace / "in/server.key").write_text("KEY")
    os.mkfifo(office.workspace / "in/pipe")

    @workflow("told")
    async def tells(p: Nothing) -> list[list[str]]:
        first = await absent("in")
        await ask("Which?", [])
        return [first, await absent("in"), await absent("")]

    office.start(tells)
    assert office.advance() == RunState.WAITING
    (office.workspace / "in/server.key").unlink()
    (office.workspace / ".npmrc").write_text("token")
    office.answer()
    assert office.advance() == RunState.DONE
    assert office.result() == [
        ["in/.git: not copied", "in/pipe: special file", "in/server.key: not copied"],
        ["in/.git: not copied", "in/pipe: special file"],
        [".npmrc: not copied", "in: folder"],
    ]


def laid_out(office: PowerCut, run_id: str, taken_us: int | None = None, since_us: int | None = None) -> RunStage:
    """The stage of a run, as a claim finds or makes it."""
    stage = RunStage(office.home, office.blobs, office.clock, run_id, str(office.workspace))
    stage.lay_out([], taken_us, since_us, lambda done, of: None, lambda: False)
    return stage


def test_a_look_that_finds_nothing_new_writes_nothing_and_counts_all_the_same(office: PowerCut) -> None:
    """What changes between two waits is not seen before the next one, however often the run is claimed."""
    fill(office)
    run_id = uuid.uuid4().hex
    stage = laid_out(office, run_id)
    base = Path(stage.root).parent / "base.json"
    before = base.stat()
    made_us = stage.sight.taken_us
    office.tick(timedelta(seconds=5))
    stage.refresh([])
    assert (base.stat().st_ino, base.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    taken_us = stage.sight.taken_us
    assert taken_us > made_us + 1_000_000
    (office.workspace / "late.txt").write_text("late")
    again = laid_out(office, run_id, taken_us, taken_us - 1)
    assert not (Path(again.root) / "late.txt").exists()
    assert (Path(laid_out(office, run_id, taken_us, taken_us).root) / "late.txt").exists()


def test_a_host_that_wants_to_know_nothing_is_not_followed(office: PowerCut, tmp_path: Path) -> None:
    fill(office)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    plants: list[Callable[[Path], object]] = [lambda place: place.symlink_to(elsewhere), lambda place: place.mkdir()]
    for number, plant in enumerate(plants):
        stage = laid_out(office, uuid.uuid4().hex)
        told = Path(stage.overlays) / NOT_COPIED
        told.unlink(missing_ok=True)  # it is there only where something was left out
        plant(told)
        (office.workspace / f"{number}.key").write_text("secret")  # so that there is something to tell
        stage.refresh([])
        assert elsewhere.read_text() == "mine"
        assert not told.is_symlink()
