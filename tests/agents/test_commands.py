"""Commands of agents: in a real sandbox on a private copy; what they change is the work of their record, and nothing else is."""

from pathlib import Path
from typing import Any

import pytest

from agents.conftest import Make
from agents.test_loop import call, told
from counterfoil import EffectFailed, agent, approve, changes, files, step, workflow
from counterfoil.authoring.agents.skill_files import SkillFile, put
from counterfoil.authoring.agents.toolbox import run_command
from counterfoil.effects.commands import Commands
from counterfoil.engine.ports import BadEffect, Judgement, Permission
from counterfoil.facts import RunState
from counterfoil.policy.judging import Rules
from counterfoil.policy.protection import WEAK
from counterfoil.sandbox.levels import Measured
from counterfoil.stage.private_copy import PrivateCopy
from counterfoil.testing import Crashed, Harness
from engine.doing import Nothing

SCRIPT = "echo two >> a.txt; rm b.txt; mkdir -p new/empty; ln -s /etc/passwd link; cat a.txt; exit 3"


@workflow("running")
async def running(p: Nothing) -> str:
    answer = await agent("Run it.", tools=["read", "command"], rules=False)
    await (await approve("Take it over", plan=await changes())).perform()
    return answer


@pytest.fixture
def workspace(tmp_path: Path, office: Make) -> Path:
    folder = tmp_path / "workspace"
    (folder / "a.txt").write_text("one\n")
    (folder / "b.txt").write_text("b\n")
    return folder


def test_a_command_asks_and_its_changes_are_those_of_its_record(office: Make, workspace: Path, level: Measured) -> None:
    harness = office(
        call("run_command", argv=["sh", "-c", SCRIPT]), [call("read_file", path="a.txt"), call("list_files")], "Done."
    )
    harness.start(running)
    assert harness.advance() == RunState.WAITING
    (item,) = harness.spec()["plan"]
    assert item["summary"].startswith("Run sh -c 'echo two")
    harness.approve()
    assert harness.advance() == RunState.WAITING
    assert (workspace / "a.txt").read_text() == "one\n"
    said = told(harness)
    assert '"status": 3' in said[1]
    assert '"out": "one\\ntwo\\n"' in said[1]
    assert '"not_taken_over": ["link"]' in said[1]
    assert said[2].endswith("one\ntwo")
    assert "b.txt" not in said[3]
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert (workspace / "a.txt").read_text() == "one\ntwo\n"
    assert not (workspace / "b.txt").exists()
    assert not (workspace / "link").exists()
    assert [path.name for path in (harness.home.stages).iterdir()] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"argv": []},
        {"argv": [""]},
        {"argv": ["a\0b"]},
        {"argv": "rm -r"},
        {"folder": "../x"},
        {"folder": "/tmp"},
        {"seconds": 0},
        {"seconds": 10**6},
        {"given": None},
    ],
)
def test_a_command_of_no_commands_shape_is_none(wrong: dict[str, Any]) -> None:
    right = {"argv": ["true"], "folder": ".", "given": "", "seconds": 5}
    Commands().check(right)
    with pytest.raises(BadEffect):
        Commands().check({**right, **wrong})


class _Allowing(Rules):
    def judge(self, *args: object, **more: object) -> Judgement:
        return Judgement(Permission.ALLOW, "so the test says")


@workflow("counting")
async def counting(p: Nothing) -> list[str]:
    outcome = await run_command(["sh", "-c", "echo x >> count.txt"])
    return [str(outcome["status"]), await count()]


@step
def count() -> str:
    return files().read("count.txt").decode()


@pytest.mark.parametrize("point", ["after_intent", "after_perform", "after_outcome"])
def test_cut_off_anywhere_it_has_changed_its_files_once(
    office: Make, workspace: Path, level: Measured, point: str
) -> None:
    harness = office(policy=_Allowing())
    harness.start(counting)
    harness.crash_at(point)
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.DONE
    assert harness.result() == ["0", "x\n"]


def test_where_nothing_confines_programs_none_is_run(
    office: Make, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @workflow("weak")
    async def weak(p: Nothing) -> str:
        try:
            await run_command(["true"])
        except EffectFailed as problem:
            return str(problem)
        return "run"

    def commands(harness: Harness) -> None:
        monkeypatch.setattr(harness._commands, "_level", lambda: Measured(WEAK))

    harness = office(policy=_Allowing())
    commands(harness)
    harness.start(weak)
    assert harness.advance() == RunState.DONE
    assert "Commands are not run where the level of isolation is" in harness.result()
    agents = office(call("run_command", argv=["true"]), "Done.")
    commands(agents)
    agents.start(running)
    assert agents.advance() == RunState.WAITING  # at the gate of its changes, not of a command
    assert told(agents)[1].startswith("Denied: Commands are not run")


def test_a_copy_that_a_program_has_made_hard_to_read_is_read_and_dropped(tmp_path: Path) -> None:
    tree, overlays, outside = tmp_path / "tree", tmp_path / "overlays", tmp_path / "outside"
    for folder in (tree / "a", overlays, outside):
        folder.mkdir(parents=True)
    (tree / "a" / "one.txt").write_text("1")
    outside.chmod(0o500)
    copy = PrivateCopy.of(tree, tmp_path / "copy")
    (copy.folder / "a" / "two.txt").write_text("2")
    (copy.folder / "a" / "link").symlink_to(outside)
    (copy.folder / "a").chmod(0)
    written = copy.written(overlays)
    assert (written.paths, written.left) == (["a/two.txt"], ["a/link"])
    (copy.folder / "a").chmod(0)
    copy.drop()
    assert not copy.folder.exists()
    assert outside.stat().st_mode & 0o777 == 0o500  # nothing is done where a link leads
    assert (tree / "a" / "one.txt").read_text() == "1"


def test_the_folder_that_is_laid_beside_the_files_leads_nowhere_and_is_never_taken_away(tmp_path: Path) -> None:
    tree, overlays, outside = tmp_path / "tree", tmp_path / "overlays", tmp_path / "outside"
    for folder in (tree, overlays, outside):
        folder.mkdir()
    (tree / "beside").symlink_to(outside)
    put([SkillFile("run.sh", b"true", True)], PrivateCopy.of(tree, tmp_path / "a", "beside").folder / "beside" / "sk")
    assert list(outside.iterdir()) == []
    (tree / "beside").unlink()
    (tree / "beside").mkdir()
    (tree / "beside" / "kept.txt").write_text("1")
    assert PrivateCopy.of(tree, tmp_path / "b", "beside").written(overlays).token is None
