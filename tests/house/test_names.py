"""House words (DESIGN 2) and the known traps of the layout (DESIGN 3.2)."""

import ast
from pathlib import Path

import pytest

from house.repository import PACKAGE, ROOT, modules, tree, where, words

# Names that say nothing about what is inside.
EMPTY_WORDS = {
    "utils",
    "util",
    "common",
    "helpers",
    "helper",
    "base",
    "manager",
    "managers",
    "service",
    "services",
    "misc",
}
# pydantic reads this name; Qt's item models are called what Qt calls them.
FOREIGN_NAMES = {"model_config"}


@pytest.mark.parametrize("folder", ["app", "packaging", "workflows"])
def test_folders_that_are_not_packages_stay_so(folder: str) -> None:
    assert not (ROOT / folder / "__init__.py").exists()


def test_rooms_and_modules_are_named_for_what_they_hold() -> None:
    places = [*modules("app", "workflows", "tests", "packaging"), *(p for p in PACKAGE.rglob("*") if p.is_dir())]
    assert [where(place) for place in places if words(place.stem) & EMPTY_WORDS] == []


def test_no_module_hides_an_exported_name() -> None:
    import counterfoil

    here = {file.stem for file in PACKAGE.glob("*") if file.suffix in {"", ".py"}}
    assert here & set(counterfoil.__all__) == set()


def test_a_language_model_is_an_llm() -> None:
    found = [
        f"{where(file, node)} {name}"
        for file in modules("app")
        if "desktop" not in file.relative_to(PACKAGE).parts
        for node, name in _defined(file)
        if {"model", "models"} & words(name) and name not in FOREIGN_NAMES
    ]
    assert found == []


def _defined(file: Path) -> list[tuple[ast.AST, str]]:
    """The names that a file defines: functions, classes, arguments, variables, attributes."""
    named: list[tuple[ast.AST, str]] = []
    for node in ast.walk(tree(file)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                named.append((node, node.name))
            case ast.arg():
                named.append((node, node.arg))
            case ast.Name(ctx=ast.Store()):
                named.append((node, node.id))
            case ast.Attribute(ctx=ast.Store()):
                named.append((node, node.attr))
    return named
