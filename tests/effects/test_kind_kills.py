"""Deletions, folders, programs and names that change places, killed at every act: the second call ends wholly new, or wholly old.

The same for sets drawn at random, with a stranger who saves a file in between.
"""

import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil.authoring.effect_values import Effect, delete_files, make_folders, move_files, write_file
from counterfoil.effects import kernel
from counterfoil.engine.ports import Conflict
from effects.sets import Scene, every_kill, folders, is_complete

OLD = {
    "a.txt": b"A",
    "b.txt": b"B",
    "twin.txt": b"A",
    "notes": b"N",
    "README": b"R",
    "drop/one.txt": b"1",
    "drop/two.txt": b"1",
    "box/deep/y.txt": b"Y",
    "run.sh": b"#!/bin/sh\n",
}
PLAN: list[Effect] = [
    move_files([("a.txt", "b.txt"), ("b.txt", "twin.txt"), ("twin.txt", "a.txt"), ("notes", "notes/n.txt")]),
    move_files([("README", "readme")]),
    delete_files(["drop/one.txt", "drop/two.txt", "drop"]),
    move_files([("box", "kept/box")]),
    write_file("run.sh", "#!/bin/sh\n", executable=True),
    make_folders(["empty/inner"]),
]
NEW = {
    "a.txt": b"A",
    "b.txt": b"A",
    "twin.txt": b"B",
    "notes/n.txt": b"N",
    "readme": b"R",
    "kept/box/deep/y.txt": b"Y",
    "run.sh": b"#!/bin/sh\n",
}
OLD_FOLDERS = {"drop", "box", "box/deep"}
NEW_FOLDERS = {"notes", "kept", "kept/box", "kept/box/deep", "empty", "empty/inner"}


def scene_in(folder: Path) -> Scene:
    """The set of these tests, sealed."""
    return Scene(folder, PLAN, OLD)


def runs(scene: Scene) -> bool:
    """Whether the script may be started."""
    return bool(stat.S_IMODE((scene.workspace / "run.sh").stat().st_mode) & 0o100)


def carry_on(scene: Scene) -> None:
    """The second call finishes the set."""
    scene.apply()
    assert scene.held() == NEW
    assert folders(scene.workspace) == NEW_FOLDERS
    assert runs(scene)


def test_killed_at_every_act_and_carried_on(tmp_path: Path) -> None:
    assert every_kill(tmp_path, scene_in, carry_on) > 60


def test_killed_at_every_act_without_renameat2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "renameat2", lambda: None)
    assert every_kill(tmp_path, scene_in, carry_on, step=3) > 20


def test_killed_and_then_made_wholly_old_by_a_stranger(tmp_path: Path) -> None:
    def judge(scene: Scene) -> None:
        complete = is_complete(scene)
        (scene.workspace / "run.sh").write_bytes(b"theirs")
        if complete:
            scene.apply()
            assert scene.held() == {**NEW, "run.sh": b"theirs"}
            return
        with pytest.raises(Conflict):
            scene.apply()
        assert scene.held() == {**OLD, "run.sh": b"theirs"}
        assert folders(scene.workspace) == OLD_FOLDERS

    every_kill(tmp_path, scene_in, judge, step=2)


def test_killed_while_it_is_put_back(tmp_path: Path) -> None:
    number, landed, was_killed = 1, 0, True
    while was_killed:
        scene = scene_in(tmp_path / str(number))
        assert scene.killed(30, after=False)
        (scene.workspace / "run.sh").write_bytes(b"theirs")
        was_killed = scene.killed(number, after=number % 2 == 0)
        with pytest.raises(Conflict):
            scene.apply()
        assert scene.held() == {**OLD, "run.sh": b"theirs"}, number
        assert folders(scene.workspace) == OLD_FOLDERS
        landed += was_killed
        number += 1
    assert landed > 10


def test_file_that_takes_a_deleted_ones_name_meanwhile_is_left_alone(tmp_path: Path) -> None:
    """The deletion was done and is kept; whoever came after it is not stopped by it."""
    plan: list[Effect] = [delete_files(["a.txt"]), write_file("b.txt", "new"), write_file("notes", "new")]
    found = set()
    number, running = 1, True
    while running:
        scene = Scene(tmp_path / str(number), plan, OLD)
        running = scene.killed(number, after=True)
        if not (scene.workspace / "a.txt").exists():
            (scene.workspace / "a.txt").write_bytes(b"theirs")
            scene.apply()
            assert scene.held() == {**OLD, "a.txt": b"theirs", "b.txt": b"new", "notes": b"new"}
            found.add(number)
        number += 1
    assert len(found) > 3


# ------------------------------------------------------------------------------------------------------ random sets

NAMES = ["a", "b", "c", "d/e", "d/f", "g/h/i"]


@st.composite
def situations(draw: st.DrawFn) -> tuple[dict[str, bytes], list[Effect], dict[str, bytes]]:
    """Files with few different bytes, a plan that permutes, deletes and writes them, and the files after it."""
    files = {name: draw(st.sampled_from([b"1", b"2"])) for name in NAMES if draw(st.integers(0, 3))}
    after, plan = dict(files), list[Effect]()
    sources = draw(
        st.lists(st.sampled_from(NAMES), unique=True, max_size=4).map(lambda n: [x for x in n if x in files])
    )
    moves = []
    free = [name for name in NAMES if name not in files or name in sources]
    for source in sources:
        target = draw(st.sampled_from(free))
        free.remove(target)
        if target != source:
            moves.append((source, target))
    # Who stays where it is must not be a target of another.
    stays = set(sources) - {source for source, _ in moves}
    moves = [(source, target) for source, target in moves if target not in stays]
    moving = {source for source, _ in moves}
    while any(target in files and target not in moving for _, target in moves):
        moves = [(source, target) for source, target in moves if target not in files or target in moving]
        moving = {source for source, _ in moves}
    if moves:
        plan.append(move_files(moves))
        taken = {target: after.pop(source) for source, target in moves}
        after.update(taken)
    touched = {name for move in moves for name in move}
    left = [name for name in NAMES if name not in touched]
    deleted = [name for name in left if name in files and draw(st.booleans())]
    if deleted:
        plan.append(delete_files(deleted))
        for name in deleted:
            del after[name]
    written = [name for name in left if name not in deleted and draw(st.booleans())]
    for name in written or ([] if plan else ["z"]):
        content = draw(st.sampled_from(["1", "2", "3"]))
        plan.append(write_file(name, content, executable=draw(st.booleans())))
        after[name] = content.encode()
    return files, plan, after


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=120)
@given(situation=situations(), number=st.integers(1, 40), after=st.booleans(), again=st.integers(1, 20))
def test_random_sets_are_whole_after_two_random_kills(
    tmp_path_factory: pytest.TempPathFactory,
    situation: tuple[dict[str, bytes], list[Effect], dict[str, bytes]],
    number: int,
    after: bool,
    again: int,
) -> None:
    files, plan, new = situation
    scene = Scene(tmp_path_factory.mktemp("set"), plan, files)
    scene.killed(number, after=after)
    scene.killed(again, after=not after)
    scene.apply()
    assert scene.held() == new
