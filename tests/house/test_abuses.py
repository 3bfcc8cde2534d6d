"""The list of abuses is complete and its tests are there; where one is skipped, it says the level and the reason."""

import ast

from house.repository import ROOT, functions, tree, where
from sandbox.abuses import ABUSES, WHOLE

TESTS = ROOT / "tests"
NAMED = {name for _, *names in ABUSES.values() for name in names}
FILES = {TESTS / name.partition("::")[0] for name in NAMED}


def test_every_abuse_has_a_line() -> None:
    assert set(ABUSES) == WHOLE
    assert [number for number, (_, *names) in ABUSES.items() if not names] == []


def test_every_test_of_the_list_is_there() -> None:
    there = {
        f"{file.relative_to(TESTS).as_posix()}::{function.name}"
        for file in FILES
        if file.is_file()
        for function in functions(file)
    }
    assert sorted(NAMED - there) == []


def test_who_skips_says_the_level_and_why() -> None:
    """A test of an abuse that is not run must not look like one that held."""
    found = [
        where(file, node)
        for file in sorted({*FILES, *(TESTS / "sandbox").glob("*.py")})
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Call) and (reason := _reason(node)) is not None
        if not reason.startswith("level ")
    ]
    assert found == []


def _reason(node: ast.Call) -> str | None:
    """How the reason of a skip begins, or None where the call is no skip."""
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else ""
    given = next((word.value for word in node.keywords if word.arg == "reason"), None)
    if name == "skip" and node.args:
        given = node.args[0]
    if name not in ("skip", "skipif"):
        return None
    if isinstance(given, ast.JoinedStr) and given.values:
        given = given.values[0]
    return str(given.value) if isinstance(given, ast.Constant) else ""
