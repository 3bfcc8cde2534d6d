"""Skills as agents use them: those of the workspace's settings and of a template are offered, loaded on demand, and their scripts run as
commands, if they are what they were."""

from pathlib import Path

import pytest

from agents.conftest import Make
from agents.test_commands import _Allowing
from agents.test_loop import call, told
from counterfoil import agent, workflow
from counterfoil.agents import team
from counterfoil.agents.team import skills_of
from counterfoil.authoring.agents import telling
from counterfoil.authoring.agents.skill_files import digest_of, files_of
from counterfoil.authoring.agents.skills import skills_of_team
from counterfoil.authoring.effect_values import command
from counterfoil.catalogue.loading import load_workflow
from counterfoil.effects.commands import Commands
from counterfoil.engine.ports import BadEffect, Permission
from counterfoil.errors import WrongWorkspace
from counterfoil.facts import RunState
from counterfoil.policy.grants import Conditions, covers
from counterfoil.policy.reaching import reach_of
from counterfoil.sandbox.levels import Measured
from engine.doing import Nothing

HEAD = "---\nname: counting\ndescription: Counts the lines of files.\n---\n# Counting\n\nRun scripts/count.sh with the file.\n"
SCRIPT = """here=$(dirname "$0")
echo "$(cat "$here/words.txt") $(wc -l < "$1")"
echo yes > counted.txt
echo "beside the run's files" > "$here/mine.txt"
"""
WORKFLOW = """from pathlib import Path

from counterfoil import Params, agent, changes, workflow

class Nothing(Params):
    pass

@workflow("bringing")
async def bringing(p: Nothing) -> list[str]:
    said = await agent("Count a.txt.", tools=["read", "command"], skills=[Path(__file__).parent / "skills"], rules=False)
    return [said, *(effect.args["path"] for effect in await changes())]
"""
MANIFEST = 'name = "bringing"\ntitle = "T"\ndescription = "D"\nworks_without_llm = false\npermissions = ["command", "write_file"]\n'


def skill_in(place: Path) -> Path:
    """A skill with a script that needs the file beside it."""
    (place / "scripts").mkdir(parents=True)
    (place / "SKILL.md").write_text(HEAD)
    (place / "scripts" / "count.sh").write_text(SCRIPT)
    (place / "scripts" / "words.txt").write_text("Lines:")
    return place


@workflow("counting")
async def counting(p: Nothing) -> str:
    return await agent("Count a.txt.", tools=["read", "command"])


@pytest.fixture
def workspace(tmp_path: Path, office: Make) -> Path:
    folder = tmp_path / "workspace"
    (folder / "a.txt").write_text("one\ntwo\n")
    return folder


def counts(**more: str) -> object:
    """A call of the skill's script."""
    return call("run_command", argv=["sh", "scripts/count.sh", "a.txt"], skill="counting", **more)


def test_skills_of_the_workspace_are_offered_loaded_and_run(office: Make, workspace: Path, level: Measured) -> None:
    skill_in(workspace / ".counterfoil" / "skills" / "counting")
    harness = office(
        [call("read_skill", name="counting"), call("read_skill", name="counting", part="scripts/words.txt")],
        counts(),
        call("list_files"),
        "2 lines.",
    )
    harness.start(counting)
    assert harness.advance() == RunState.WAITING
    assert "- counting: Counts the lines of files." in harness.asked_llms()[0].system
    said = told(harness)
    assert "Run scripts/count.sh with the file." in said[1]
    assert 'give skill="counting"' in said[1]
    assert said[2].endswith("Lines:")
    (item,) = harness.spec()["plan"]
    assert "of the skill “counting” (workspace)" in item["summary"]
    assert item["body"]["args"]["argv"][1] == ".counterfoil-skills/counting/scripts/count.sh"
    harness.approve()
    assert harness.advance() == RunState.DONE
    said = told(harness)
    assert '"out": "Lines: 2\\n"' in said[3]
    assert '"changed": ["counted.txt"]' in said[3], "what lies beside the run's files is not of the run"
    assert said[4].splitlines()[1:] == ["a.txt  8", "counted.txt  4"]


def test_a_skill_that_was_changed_after_it_was_offered_is_not_run(
    office: Make, workspace: Path, level: Measured
) -> None:
    script = skill_in(workspace / ".counterfoil" / "skills" / "counting") / "scripts" / "count.sh"
    harness = office(counts(), "Not counted.")
    harness.start(counting)
    assert harness.advance() == RunState.WAITING
    script.write_text("echo something else")
    harness.approve()
    assert harness.advance() == RunState.WAITING
    assert "The skill “counting” is not as it was when it was offered" in harness.spec()["about"]["error"]["message"]


def test_a_template_brings_skills_whose_scripts_run(
    office: Make, workspace: Path, tmp_path: Path, level: Measured
) -> None:
    template = tmp_path / "bringing"
    skill_in(template / "skills" / "counting")
    (template / "template.toml").write_text(MANIFEST)
    (template / "workflow.py").write_text(WORKFLOW)
    harness = office(counts(folder="."), "2 lines.", policy=_Allowing())
    harness.start(load_workflow(template, "bringing"))
    assert harness.advance() == RunState.DONE
    assert '"out": "Lines: 2\\n"' in told(harness)[1]
    assert harness.result() == ["2 lines.", "counted.txt"]


def test_without_commands_no_script_can_be_run(office: Make, workspace: Path) -> None:
    @workflow("reading only")
    async def reading_only(p: Nothing) -> str:
        return await agent("Count a.txt.", tools=["read"])

    skill_in(workspace / ".counterfoil" / "skills" / "counting")
    harness = office(counts(), "No.")
    harness.start(reading_only)
    assert harness.advance() == RunState.DONE
    assert told(harness)[1].startswith("There is no tool “run_command”")


def test_a_rule_for_a_script_holds_for_the_script_as_it_was(tmp_path: Path) -> None:
    place = skill_in(tmp_path / "counting")

    def body() -> dict[str, object]:
        skill = {
            "name": "counting",
            "of": "template",
            "folder": "counting",
            "sha256": digest_of(files_of(tmp_path, "counting")),
        }
        args = command(["python3", "x.py"], skill=skill).args
        Commands().check(args)
        return {"kind": "command@1", "args": args}

    before = reach_of(body())
    rule = Conditions(effect="command", command="python3 x.py", pin=before.pin)
    assert covers(Permission.ALLOW, rule, before, "", "")
    (place / "scripts" / "count.sh").write_text("other")
    assert not covers(Permission.ALLOW, rule, reach_of(body()), "", "")
    assert not covers(Permission.ALLOW, Conditions(effect="command", command="python3 x.py"), before, "", "")


@pytest.mark.parametrize(
    "wrong",
    [
        *({"of": "web"}, {"folder": "../x"}, {"sha256": "1"}, {"name": ""}, {"more": "1"}),
        *({"name": name, "folder": f"skills/{name}"} for name in ("/tmp/x", "../x", "..", "x/../../y", "A")),
        *({"name": "b"}, {"of": "workspace"}, {"of": "workspace", "folder": ".counterfoil/agents/a"}),
    ],
)
def test_a_skill_of_another_shape_is_none(wrong: dict[str, str]) -> None:
    right = {"name": "a", "of": "template", "folder": "skills/a", "sha256": "0" * 64}
    Commands().check(command(["true"], skill=right).args)
    Commands().check(command(["true"], skill={**right, "of": "workspace", "folder": ".counterfoil/skills/a"}).args)
    with pytest.raises(BadEffect):
        Commands().check(command(["true"], skill={**right, **wrong}).args)


def test_skills_of_a_workspace_are_read_without_links_and_told_where_they_cannot_be_used(tmp_path: Path) -> None:
    place = skill_in(tmp_path / ".counterfoil" / "skills" / "counting")
    (place / "secret").symlink_to("/etc/passwd")
    (place / "picture.png").write_bytes(b"\x89PNG\xff")
    other = tmp_path / ".counterfoil" / "skills" / "other"
    other.mkdir()
    (other / "SKILL.md").write_text("no head")
    first, _ = skills_of(tmp_path)
    assert first["files"] == ["SKILL.md", "picture.png", "scripts/count.sh", "scripts/words.txt"]
    assert set(first["texts"]) == {"SKILL.md", "scripts/count.sh", "scripts/words.txt"}
    found, _ = skills_of_team(skills_of(tmp_path))
    assert found.names == {"counting"}
    assert "“.counterfoil/skills/other” cannot be used" in found.troubles[0]
    (place / "large").write_bytes(b"x" * (21 * 1024 * 1024))
    with pytest.raises(WrongWorkspace, match="more than 20 MB"):
        skills_of(tmp_path)


def test_skills_of_a_workspace_are_bounded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        place = skill_in(tmp_path / ".counterfoil" / "skills" / name)
        (place / "long.txt").write_text("x" * 3_000)
    monkeypatch.setattr(team, "MOST_TOGETHER", 8_000)
    assert len(skills_of(tmp_path)) == 2
    monkeypatch.setattr(team, "MOST_TOGETHER", 5_000)
    with pytest.raises(WrongWorkspace, match="of text together"):
        skills_of(tmp_path)


def test_a_run_that_waits_is_offered_what_it_was_offered(
    office: Make, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words of a newer program about the same tools are no other conversation."""

    @workflow("patient")
    async def patient(p: Nothing) -> str:
        return await agent("Ask.", tools=["read", "ask"], rules=False)

    harness = office(call("ask_person", question="Well?"), "Done.")
    harness.start(patient)
    assert harness.advance() == RunState.WAITING
    monkeypatch.setattr(telling, "_BASICS", "Newer words.")
    harness.answer(answer_1="yes")
    assert harness.advance() == RunState.DONE
    assert "Newer words." not in harness.asked_llms()[-1].system
