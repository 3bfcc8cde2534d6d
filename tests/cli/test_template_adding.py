"""A template with packages, from its author's folder to a run: locked, added, run in a host that has nothing else, and refused with
the command to give wherever they are missing."""

import shutil
from pathlib import Path

import pytest

from catalogue.wheels import make_wheel
from cli.speaking import Caller
from counterfoil.sandbox import bwrap

MANIFEST = """\
name = "doubling"
title = "Doubling"
description = "Doubles a number with a package"
works_without_llm = true
asks = "once"
permissions = ["write_file"]

[packages]
requires = ["tinyone>=1"]
"""
WORKFLOW = '''\
"""Doubles a number."""

import json
import sys

import tinyone
from counterfoil import Params, approve, param, step, workflow, write_file


class P(Params):
    number: int = param(default=21)


@step
def double(number: int) -> str:
    where = tinyone.__file__
    try:
        open(where, "a").close()
        kept = "it can be written"
    except OSError:
        kept = "read only"
    assert sys.path[-1] == where.rpartition("/tinyone/")[0], sys.path
    return json.dumps([tinyone.double(number), where, kept])


@workflow("doubling")
async def doubling(p: P) -> str:
    found = await double(p.number)
    decision = await approve("Write it", plan=[write_file("double.txt", found)])
    await decision.perform()
    again = await double(p.number + 1)
    return again
'''
PACKAGE = {
    "tinyone/__init__.py": "from tinytwo import TWO\n\n\ndef double(number):\n    return TWO * number\n",
    # What must never be imported by anybody.
    "json.py": "raise SystemExit('a package passed for Python itself')\n",
    "counterfoil/__init__.py": "raise SystemExit('a package passed for Counterfoil')\n",
    "lxml/__init__.py": "raise SystemExit('a package passed for what Counterfoil brings')\n",
    "sitecustomize.py": "raise SystemExit('a package ran by itself')\n",
    "tiny.pth": "import nothing_like_it\n",
}


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """The folder that packages are taken from."""
    folder = tmp_path / "wheels"
    make_wheel(folder, "tinyone", "1.2", PACKAGE, needs=["tinytwo"])
    make_wheel(folder, "tinytwo", "2.0", {"tinytwo.py": "TWO = 2\n"})
    return folder


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """The author's folder."""
    folder = tmp_path / "work" / "doubling"
    folder.mkdir(parents=True)
    (folder / "template.toml").write_text(MANIFEST)
    (folder / "workflow.py").write_text(WORKFLOW)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The team's folder."""
    folder = tmp_path / "files"
    folder.mkdir()
    return folder


def test_from_the_authors_folder_to_a_run(
    call: Caller, template: Path, wheels: Path, workspace: Path, tmp_path: Path
) -> None:
    place = ["--workspace", str(workspace)]
    unlocked = call("run", str(template), *place, "--json")
    assert (unlocked.code, unlocked.error["code"]) == (2, "broken_template")
    assert unlocked.error["message"] == (
        "doubling/template.toml line 9: it requires packages, and there is no packages.lock."
    )
    assert unlocked.error["next"] == f"Run: counterfoil template lock {template}"
    made = call("template", "lock", str(template), "--wheels", str(wheels), "--json")
    assert made.code == 0
    assert made.document["packages"] == [
        {"name": "tinyone", "release": "1.2"},
        {"name": "tinytwo", "release": "2.0"},
    ]
    assert "://" not in (template / "packages.lock").read_text()
    assert str(wheels) not in (template / "packages.lock").read_text()
    missing = call("run", str(template), *place, "--json")
    assert (missing.code, missing.error["code"]) == (2, "packages_missing")
    assert missing.error["message"] == (
        "the packages of ‘doubling’ are not on this computer: tinyone 1.2, tinytwo 2.0."
    )
    assert missing.error["next"] == f"Run: counterfoil template add {template}"
    assert call("runs", "--json").document == []

    archive = shutil.make_archive(str(tmp_path / "doubling-1.0"), "zip", template.parent, "doubling")
    added = call("template", "add", archive, "--wheels", str(wheels), "--json").document
    assert (added["name"], added["added"], added["fetched"], added["replaced"]) == ("doubling", True, True, None)
    assert added["packages"] == [{"name": "tinyone", "release": "1.2"}, {"name": "tinytwo", "release": "2.0"}]
    entry = call("trail", "--json").document[-1]
    assert (entry["kind"], entry["subject"]) == ("template", "doubling")
    assert entry["summary"] == f"Added template “doubling” version {added['version'][:8]} with 2 packages"
    assert entry["after"]["packages"] == {"tinyone": "1.2", "tinytwo": "2.0"}
    again = call("template", "add", archive)
    assert again.code == 0
    assert "was there already." in again.out
    assert len(call("trail", "--json").document) == 1

    held = call("run", "doubling", *place, "--wait", "--json")
    assert held.code == 3, held.err
    assert held.document["version"] == added["version"]
    call("approve", "g-1")
    home = Path(added["folder"]).parents[1]
    shutil.rmtree(home / "packages")
    assert call("runner", "--until-idle").code == 3
    (gate,) = call("inbox", "--json").document
    assert (gate["kind"], gate["title"]) == ("failure", "Needs repair: its packages are missing")
    shown = call("show", "g-2").out
    fetch = f"counterfoil template add --version {added['version'][:12]}"
    assert f"Run: {fetch}, then answer retry." in shown
    assert call(*fetch.split()[1:], "--wheels", str(wheels)).code == 0
    assert call("answer", "g-2", "--set", "choice=retry").code == 0
    assert call("runner", "--until-idle").code == 0
    detail = call("show", "r-1", "--json").document
    assert (detail["state"], detail["result"].partition(",")[0]) == ("done", "[44")
    if detail["isolation"] == "L3":
        assert detail["result"].endswith('"read only"]')
    assert (workspace / "double.txt").read_text().startswith("[42, ")
    assert call("trail", "--verify").code == 0
    assert [one["summary"] for one in call("trail", "--json").document if one["summary"].startswith("Fetched")] == [
        f"Fetched 2 packages for template “doubling” version {added['version'][:8]}"
    ]


def test_where_hosts_are_only_restricted(
    call: Caller, template: Path, wheels: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bwrap, "PROGRAM", Path("/nonexistent/bwrap"))
    call("template", "lock", str(template), "--wheels", str(wheels))
    assert call("template", "add", str(template), "--wheels", str(wheels)).code == 0
    held = call("run", "doubling", "--workspace", str(workspace), "--wait", "--json")
    assert held.code == 3, held.err
    assert held.document["isolation"] in ("L0", "L1", "L2")


def test_a_wrong_file_leaves_nothing_behind(call: Caller, template: Path, wheels: Path, tmp_path: Path) -> None:
    assert call("template", "lock", str(template), "--wheels", str(wheels)).code == 0
    make_wheel(wheels, "tinytwo", "2.0", {"tinytwo.py": "TWO = 'evil'\n"})
    refused = call("template", "add", str(template), "--wheels", str(wheels), "--json")
    assert (refused.code, refused.error["code"]) == (1, "fetch_failed")
    assert "SHA-256 differs" in refused.error["message"]
    assert call("template", "show", "doubling", "--json").error["code"] == "unknown_template"
    assert call("trail", "--json").document == []
    home = tmp_path / "home"
    assert [path for path in home.rglob("*") if "tiny" in path.name or "doubling" in path.name] == []


def test_into_a_workspace_and_in_the_place_of_another(
    call: Caller, template: Path, wheels: Path, workspace: Path
) -> None:
    call("template", "lock", str(template), "--wheels", str(wheels))
    place = ["--workspace", str(workspace), "--wheels", str(wheels)]
    first = call("template", "add", str(template), *place, "--json").document
    assert Path(first["folder"]) == workspace / ".counterfoil/templates/doubling"
    (template / "README.md").write_text("# Doubling, mended")
    refused = call("template", "add", str(template), *place, "--json")
    assert (refused.code, refused.error["code"]) == (1, "refused")
    assert refused.error["next"] == "To put this one in its place, add --replace."
    second = call("template", "add", str(template), *place, "--replace", "--json").document
    assert (second["replaced"], second["fetched"]) == (first["version"], False)
    entry = call("trail", "--json").document[-1]
    assert (entry["before"], entry["after"]["digest"]) == ({"digest": first["version"]}, second["version"])
    assert "takes the place" not in call("template", "add", str(template), *place).out


def test_what_the_commands_cannot_use(call: Caller, template: Path, tmp_path: Path) -> None:
    assert call("template", "add", "--json").error["code"] == "wrong_use"
    assert call("template", "add", str(template), "--version", "0" * 12, "--json").error["code"] == "wrong_use"
    unknown = call("template", "add", "--version", "0" * 12, "--json")
    assert unknown.error["message"] == "no version that begins with ‘000000000000’ is kept."
    no_folder = call("template", "lock", str(template), "--wheels", str(tmp_path / "gone"), "--json")
    assert no_folder.error["code"] == "wrong_use"
    (template / "template.toml").write_text(MANIFEST.partition("[packages]")[0])
    nothing = call("template", "lock", str(template), "--json")
    assert nothing.error["message"] == "doubling requires no packages, so there is nothing to lock."


def test_check_names_imports_that_nobody_brings(call: Caller, template: Path, wheels: Path) -> None:
    (template / "template.toml").write_text(MANIFEST.partition("[packages]")[0])
    (finding,) = call("template", "check", str(template), "--json").document
    assert (finding["file"], finding["line"], finding["level"]) == ("workflow.py", 6, "error")
    assert finding["what"] == "it imports tinyone, and template.toml requires no package of that name."
    assert finding["instead"].startswith('packages.requires = ["tinyone"] at the top of template.toml')
    (template / "template.toml").write_text(f'packages.requires = ["tinyone"]\n{MANIFEST.partition("[packages]")[0]}')
    (unlocked,) = call("template", "check", str(template), "--json").document
    assert (unlocked["file"], unlocked["line"]) == ("template.toml", 1)
    call("template", "lock", str(template), "--wheels", str(wheels))
    assert call("template", "check", str(template), "--json").document == []
