"""What README.md and ARCHITECTURE.md name is there: paths, names in modules, commands and their options."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from counterfoil.cli.commands import COMMANDS
from counterfoil.cli.entry import _app_of
from house.repository import PACKAGE, ROOT, modules

PAPERS = ("README.md", "ARCHITECTURE.md")
# folders of a sandbox, a workspace, a data folder; an identity
ELSEWHERE = ("/", "hello-approval/", ".counterfoil/", "undo/", "packages/", "<path>/")
# columns of rows, what a workflow says
OTHER_WORDS = frozenset({"gate.files_as_of", "run.restart", "seal.instead", "decision.perform"})
_FILES = re.compile(r".*\.(py|md|toml|csv|json|docx|pdf|xlsx|eml|txt|zip)")


def quoted(paper: str) -> list[str]:
    """What stands between back-quotes, without what stands in blocks."""
    text = re.sub(r"```.*?```", "", (ROOT / paper).read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.findall(r"`([^`\n]+)`", text)


def is_there(path: str) -> bool:
    """A path of the checkout or of the package, a module of it, or a name in one."""
    module, _, name = path.rpartition(".")
    if any((base / f"{path}{ending}").exists() for base in (ROOT, PACKAGE) for ending in ("", ".py")):
        return True
    return (PACKAGE / f"{module}.py").exists() and name in words_of(PACKAGE / f"{module}.py")


def words_of(file: Path) -> set[str]:
    return set(re.findall(r"\w+", file.read_text(encoding="utf-8")))


@pytest.mark.parametrize("paper", PAPERS)
def test_every_path_that_is_named_is_there(paper: str) -> None:
    named = {
        word.rstrip("/,")
        for one in quoted(paper)
        for word in one.split()
        if re.fullmatch(r"[\w./<>-]+/[\w./-]*,?", word)
    }
    missing = sorted(path for path in named if not f"{path}/".startswith(ELSEWHERE) and not is_there(path))
    assert not missing


def test_every_name_in_a_module_is_there() -> None:
    """`claiming.reclaim`: a module of that name has such a word."""
    by_name: dict[str, set[str]] = {}
    for file in modules("app", "tests", "workflows"):
        by_name.setdefault(file.stem, set()).update(words_of(file))
        by_name.setdefault(file.parent.name, set()).add(file.stem)
    found = {
        one for one in quoted("ARCHITECTURE.md") if re.fullmatch(r"[a-z_]+(\.\w+)+", one) and not _FILES.fullmatch(one)
    }
    missing = sorted(one for one in found - OTHER_WORDS if one.split(".")[-1] not in by_name.get(one.split(".")[0], ()))
    assert not missing


def test_every_command_in_the_readme_is_there_with_its_options() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line.partition(" #")[0] for line in re.findall(r"(?:packaging/start|`counterfoil) ([^`\n]+)", text)]
    assert len(lines) > 60
    for line in lines:
        command, *rest = shlex.split(line) or ["--help"]  # nothing: the window
        if command != "ARGS" and not command.startswith("--"):
            assert command in COMMANDS, line
            assert_options(get_command(_app_of(command)), rest, line)


def assert_options(found: Any, rest: list[str], line: str) -> None:
    """Every option that is written is one of the command; `--` ends them."""
    if hasattr(found, "commands") and rest and not rest[0].startswith("--"):
        assert rest[0] in found.commands, line
        found, rest = found.commands[rest[0]], rest[1:]
    known = {option for one in found.params for option in (*one.opts, *one.secondary_opts)} | {
        "--json",
        "--home",
        "--help",
    }
    written = rest[: rest.index("--")] if "--" in rest else rest
    assert {word.partition("=")[0] for word in written if word.startswith("--")} <= known, line
