"""Absent and plain values of a call need no pydantic, and arrive exactly as typer would have handed them over."""

import subprocess
import sys
from collections.abc import Callable
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from counterfoil.cli.plain_values import taken_plainly
from house.repository import ROOT
from views.rows import Office

_LOOK = (
    "import sys; sys.path.insert(0, sys.argv[1]); from counterfoil.cli import main; code = main(sys.argv[2:]);"
    " sys.stderr.write(f'{code} {\"pydantic\" in sys.modules}')"
)


@pytest.mark.parametrize(
    "words", [["inbox", "--json"], ["runs", "--json"], ["show", "r-1"], ["trail"], ["inbox", "--help"]]
)
def test_a_look_imports_no_pydantic(office: Office, words: list[str]) -> None:
    office.run()
    command = [sys.executable, "-P", "-c", _LOOK, str(ROOT / "app"), "--home", str(office.home.root), *words]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert told.stderr.endswith("0 False"), told.stderr


def _program(seen: list[Any]) -> typer.Typer:
    """A command with a parameter of every kind that there is, below a group and not."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)

    def shouted(value: str | None) -> str | None:
        return value.upper() if value else value

    @app.command("one")
    def one(
        name: Annotated[str, typer.Argument()],
        rest: Annotated[list[str] | None, typer.Argument()] = None,
        text: Annotated[str | None, typer.Option("--text")] = None,
        known: Annotated[str, typer.Option("--known")] = "as it was",
        loud: Annotated[str | None, typer.Option("--loud", callback=shouted)] = None,
        many: Annotated[list[str] | None, typer.Option("--many")] = None,
        number: Annotated[int | None, typer.Option("--number", min=1)] = None,
        flag: Annotated[bool, typer.Option("--flag")] = False,
    ) -> None:
        seen.append((name, rest, text, known, loud, many, number, flag))

    @app.command("other")
    def other() -> None:
        seen.append(())

    return app


@pytest.mark.parametrize(
    "words",
    [
        ["one", "n"],
        [
            "one",
            "n",
            "a",
            "b",
            "--text",
            "t",
            "--known",
            "k",
            "--loud",
            "l",
            "--many",
            "x",
            "--many",
            "y",
            "--number",
            "3",
        ],
        ["one", "", "--text", "", "--flag"],
        ["other"],
        ["one"],
        ["one", "n", "--number", "0"],
        ["one", "n", "--number", "three"],
        ["one", "n", "--text"],
    ],
)
def test_values_arrive_as_from_typer_itself(words: list[str]) -> None:
    def answer(made: Callable[[Any], Any]) -> tuple[str, list[Any]]:
        seen: list[Any] = []
        try:
            made(get_command(_program(seen))).main(args=list(words), prog_name="p", standalone_mode=False)
        except typer.TyperException as problem:
            return problem.format_message(), seen
        return "", seen

    assert answer(taken_plainly) == answer(lambda command: command)
