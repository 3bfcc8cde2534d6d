"""Whatever is killed in the middle of an apply set, the second call ends wholly new; beside a stranger's change, wholly old.

The processes are real and die by SIGKILL: a child interpreter at the named points, forked children before and after every single act
(write, sync, rename, link, unlink, mkdir) that a set does.
"""

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil.authoring.effect_values import Effect, append_rows, move_files, write_file
from counterfoil.effects import kernel
from counterfoil.engine.ports import Conflict, FileOp
from effects.sets import Scene, every_kill, folders, is_complete, killed_in_a_child

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
CHILD = """
import base64, json, sys
from counterfoil.effects.applying import apply_files
from counterfoil.engine.ports import FileOp
ops, workspace, undo = json.load(sys.stdin)
for op in ops:
    op["content"] = None if op["content"] is None else base64.b64decode(op["content"])
apply_files([FileOp(**op) for op in ops], workspace, undo)
"""


def scene_in(folder: Path) -> Scene:
    """The set of these tests, sealed."""
    return Scene(folder, PLAN, OLD)


def carry_on(scene: Scene) -> None:
    """The second call finishes the set."""
    scene.apply()
    assert scene.held() == NEW
    assert folders(scene.workspace) == {"in", "archive", "archive/2026", "payments"}


@pytest.mark.parametrize("point", ["after_journal:1", *(f"after_each_file:{n}" for n in range(1, 6))])
def test_interpreter_killed_at_a_named_point(tmp_path: Path, point: str) -> None:
    scene = scene_in(tmp_path)
    plain = [
        {name: getattr(op, name) for name in ("n", "op", "path", "target", "before", "after")}
        | {"content": None if op.content is None else base64.b64encode(op.content).decode()}
        for op in scene.ops
    ]
    child = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=json.dumps([plain, str(scene.workspace), scene.undo]),
        text=True,
        capture_output=True,
        check=False,
        env={
            **os.environ,
            "COUNTERFOIL_UNDER_TEST": "1",
            "COUNTERFOIL_KILL": point,
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    assert child.returncode == -signal.SIGKILL, child.stderr
    changed = sum(scene.held().get(path) != data for path, data in OLD.items())
    assert changed == {"after_journal:1": 0, "after_each_file:1": 1, "after_each_file:5": 4}.get(point, changed)
    carry_on(scene)


def test_killed_at_every_act_and_carried_on(tmp_path: Path) -> None:
    assert every_kill(tmp_path, scene_in, carry_on) > 80


def test_killed_at_every_act_without_renameat2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "renameat2", lambda: None)
    assert every_kill(tmp_path, scene_in, carry_on, step=2) > 50


@pytest.mark.parametrize("path", ["ledger.csv", "old.txt", "in/a.xml", "payments/r-1.xml", "archive/2026/b.xml"])
def test_stranger_after_the_kill_makes_it_wholly_old(tmp_path: Path, path: str) -> None:
    def judge(scene: Scene) -> None:
        complete = is_complete(scene)
        arrived = (scene.workspace / "archive/2026/a.xml").exists()
        (scene.workspace / path).parent.mkdir(parents=True, exist_ok=True)
        (scene.workspace / path).write_bytes(b"theirs")
        if complete:
            scene.apply()
            assert scene.held() == {**NEW, path: b"theirs"}
            return
        with pytest.raises(Conflict) as refused:
            scene.apply()
        assert path in refused.value.paths
        expected = {**OLD, path: b"theirs"}
        if path == "in/a.xml" and arrived:  # their file took the name that ours had left; ours stays where it arrived
            expected["archive/2026/a.xml"] = OLD["in/a.xml"]
            assert "stayed as somebody left it" in str(refused.value)
        if path == "archive/2026/b.xml" and "in/b.xml" not in scene.held():  # they replaced ours where it had arrived
            del expected["in/b.xml"]
        assert scene.held() == expected
        again = scene.held()
        with pytest.raises(Conflict):
            scene.apply()
        assert scene.held() == again

    every_kill(tmp_path, scene_in, judge, step=3)


def test_killed_while_it_is_put_back(tmp_path: Path) -> None:
    """A set is killed half-way, finds a stranger, and is killed again at every act of putting back."""

    def scene_at(number: int, *, after: bool) -> tuple[Scene, bool]:
        scene = scene_in(tmp_path / f"{number}-{after}")
        assert killed_in_a_child(
            scene.apply,
            lambda end: _end_at_file(3, end),
        )
        (scene.workspace / "old.txt").write_bytes(b"theirs")
        return scene, scene.killed(number, after=after)

    number, landed = 1, 0
    while True:
        scene, was_killed = scene_at(number, after=number % 2 == 0)
        with pytest.raises(Conflict):
            scene.apply()
        assert scene.held() == {**OLD, "old.txt": b"theirs"}
        assert folders(scene.workspace) == {"in"}
        landed += was_killed
        if not was_killed:
            break
        number += 1
    assert landed > 20


def _end_at_file(visit: int, end: Callable[[], None]) -> None:
    from counterfoil.engine import killpoints

    killpoints.arm("after_each_file", visit, lambda _: end())


def test_killed_again_and_again(tmp_path: Path) -> None:
    """Every call is killed a little later than the one before, until there is nothing left to kill."""
    scene = scene_in(tmp_path)
    calls = 1
    while scene.killed(5 + calls, after=calls % 2 == 0):
        calls += 1
    assert calls > 15
    assert scene.held() == NEW


# ------------------------------------------------------------------------------------------------------ random sets

NAMES = ["a.txt", "b.txt", "d/c.txt", "d/e/f.txt", "g/h.txt"]
CSV = b"x,y\n1,2\n"


@st.composite
def situations(draw: st.DrawFn) -> tuple[dict[str, bytes], list[Effect], dict[str, bytes]]:
    """Files, a plan that can be done on them, and the files after it."""
    files = {name: draw(st.sampled_from([CSV, b"old", b""])) for name in NAMES if draw(st.booleans())}
    after, plan, free = dict(files), list[Effect](), list(NAMES)
    for _ in range(draw(st.integers(1, 4))):
        if not free:
            break
        name = draw(st.sampled_from(free))
        free.remove(name)
        kind = draw(st.sampled_from(["write", "append", "move"]))
        targets = [target for target in free if target not in files]
        if kind == "move" and name in files and targets:
            target = draw(st.sampled_from(targets))
            free.remove(target)
            plan.append(move_files([(name, target)]))
            after[target] = after.pop(name)
        elif kind == "append" and files.get(name, CSV) == CSV:
            plan += [append_rows(name, [{"x": "3", "y": "4"}], columns=["x", "y"])] * 2
            after[name] = files.get(name, b"x,y\n") + b"3,4\n3,4\n"
        else:
            content = draw(st.sampled_from(["new", "old", "", "n" * 5000]))
            plan.append(write_file(name, content))
            after[name] = content.encode()
    return files, plan, after


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(situation=situations(), number=st.integers(1, 60), after=st.booleans(), stranger=st.sampled_from([None, *NAMES]))
def test_random_sets_are_whole_after_a_random_kill(
    tmp_path_factory: pytest.TempPathFactory,
    situation: tuple[dict[str, bytes], list[Effect], dict[str, bytes]],
    number: int,
    after: bool,
    stranger: str | None,
) -> None:
    files, plan, new = situation
    scene = Scene(tmp_path_factory.mktemp("set"), plan, files)
    scene.killed(number, after=after)
    touched = {path for op in scene.ops for path in (op.path, op.target) if path is not None}
    complete, at_kill = is_complete(scene), scene.held()
    if stranger is not None:
        (scene.workspace / stranger).parent.mkdir(parents=True, exist_ok=True)
        (scene.workspace / stranger).write_bytes(b"theirs")
    theirs = {stranger: b"theirs"} if stranger is not None else {}
    if complete or stranger not in touched:
        scene.apply()
        assert scene.held() == {**new, **theirs}
        return
    with pytest.raises(Conflict):
        scene.apply()
    assert scene.held() == {**_put_back(scene.ops, files, at_kill, stranger), **theirs}


def _put_back(
    ops: list[FileOp], files: dict[str, bytes], at_kill: dict[str, bytes], stranger: str | None
) -> dict[str, bytes]:
    """The files before; of a move that had been made when a stranger came, what is possible."""
    expected = dict(files)
    for op in ops:
        if op.op == "move" and op.path not in at_kill:
            if op.path == stranger:  # their file took the name that ours had left; ours stays where it arrived
                expected[str(op.target)] = files[op.path]
            if op.target == stranger:  # they replaced ours where it had arrived
                del expected[op.path]
    return expected
