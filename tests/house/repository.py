"""Where the house tests look: the checkout, its tracked files, and the syntax trees of our own code."""

import ast
import functools
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "app/counterfoil"


def modules(*folders: str) -> list[Path]:
    """Every Python file below these folders of the checkout, samples excepted."""
    found = (file for folder in folders for file in (ROOT / folder).rglob("*.py"))
    return sorted(file for file in found if not {"sample", "samples", "__pycache__"} & set(file.parts))


@functools.cache
def tree(file: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


def where(file: Path, node: ast.AST | None = None) -> str:
    """How a finding is written: the path in the checkout, with the line."""
    line = getattr(node, "lineno", None)
    return f"{file.relative_to(ROOT)}:{line}" if line else str(file.relative_to(ROOT))


def words(name: str) -> set[str]:
    """The words of an identifier in lower case: `RunManager_v2` holds run, manager, v and 2."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)}


def tracked() -> list[Path]:
    """The files that git tracks or would track, or none where there is no git or no repository."""
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return []
    command = [git, "-c", f"safe.directory={ROOT}", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    names = {name for name in listed.decode().split("\0") if name}
    return sorted(ROOT / name for name in names if (ROOT / name).is_file())


def functions(file: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file, nested ones and methods included."""
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
