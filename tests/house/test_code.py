"""What ruff and mypy do not say about our code: sizes, openings, imports of our own, shared state."""

import ast

from house.repository import PACKAGE, functions, modules, tree, where

LONGEST_MODULE = 450  # lines; about 400 is the aim
LONGEST_FUNCTION = 60


def test_every_module_opens_with_why_it_exists() -> None:
    assert [where(file) for file in modules("app", "workflows", "tests") if not ast.get_docstring(tree(file))] == []


def test_modules_and_functions_stay_readable() -> None:
    long_modules = [
        where(file) for file in modules("app", "workflows") if len(file.read_text().splitlines()) > LONGEST_MODULE
    ]
    long_functions = [
        f"{where(file, node)} {node.name}"
        for file in modules("app", "workflows")
        if "versions" not in file.parts  # a migration is one list of statements
        for node in functions(file)
        if node.end_lineno is not None and node.end_lineno - node.lineno >= LONGEST_FUNCTION
    ]
    assert long_modules + long_functions == []


def test_nothing_is_global() -> None:
    found = [
        where(file, node)
        for file in modules("app", "workflows", "tests")
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Global)
    ]
    assert found == []


def test_our_own_rooms_are_imported_at_the_top() -> None:
    """A local import of our own hides a knot; only third parties are imported lazily."""
    found = [
        where(file, node)
        for file in modules("app")
        for function in functions(file)
        for node in ast.walk(function)
        if _imports_us(node)
    ]
    assert found == []


def test_rooms_do_not_enter_by_the_authors_door() -> None:
    """`counterfoil` itself is for templates; a room names the room it needs. The release number is excepted."""
    rooms = {place.stem for place in PACKAGE.iterdir()}
    found = [
        f"{where(file, node)} {name.name}"
        for file in modules("app")
        for node in ast.walk(tree(file))
        if isinstance(node, ast.ImportFrom) and node.module == "counterfoil"
        for name in node.names
        if name.name not in rooms | {"__version__"}
    ]
    assert found == []


def _imports_us(node: ast.AST) -> bool:
    match node:
        case ast.ImportFrom(module=str(module)):
            return module.split(".")[0] == "counterfoil"
        case ast.Import(names=names):
            return any(name.name.split(".")[0] == "counterfoil" for name in names)
    return False
