"""Loading runs the author's code and says where it fails; several templates and versions live in one process."""

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from catalogue.conftest import MANIFEST, WORKFLOW, MakeTemplate
from counterfoil import Field
from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.loading import describe, load_workflow, steps_of
from counterfoil.catalogue.packing import pack, unpack

WITH_ROWS = """\
from counterfoil import Params, step, workflow
from rows import Row, make_row


class P(Params):
    name: str


@step(title="Read the rows")
def read(name: str) -> list[Row]:
    return [make_row(name)]


@workflow("{name}")
async def run(p: P) -> Row:
    [row] = await read(p.name)
    return row
"""
ROWS = """\
from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    text: str


@dataclass(frozen=True)
class Row:
    cells: list[Cell]


def make_row(name: str) -> Row:
    return Row([Cell(name + "VERSION")])
"""
SAMPLES = Path(__file__).parents[1] / "samples/templates"


@pytest.fixture(autouse=True)
def clean_imports() -> Generator[None]:
    """What a test loads is gone for the next one."""
    path, modules = list(sys.path), dict(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - set(modules):
        del sys.modules[name]


def test_what_a_version_keeps_of_it(template: MakeTemplate) -> None:
    words = MANIFEST + '\n[parameters.folder]\nlabel = "Where the papers are"\n'
    folder = template(manifest=words)
    field = Field(name="folder", type="folder", label="Where the papers are", required=True)
    assert describe(folder, "tiny") == {
        "parameters": [field.to_json()],
        "steps": [{"name": "make", "title": "make"}],
    }
    assert not (folder / "__pycache__").exists()


def test_the_sample_of_the_readme() -> None:
    folder = SAMPLES / "hello-approval"
    assert describe(folder, "hello-approval")["steps"] == [{"name": "list_names", "title": "list names"}]
    lines = (folder / "workflow.py").read_text().splitlines()
    assert len(lines) < 30


def test_steps_of_all_modules(template: MakeTemplate) -> None:
    more = "from counterfoil import step\n\n\n@step\ndef total(x: int) -> int:\n    return x\n"
    folder = template(files={"more.py": more}, workflow=WORKFLOW + "\nfrom more import total\n")
    load_workflow(folder, "tiny")
    assert [step.name for step in steps_of(folder)] == ["make", "total"]


def test_two_versions_in_one_process(template: MakeTemplate, tmp_path: Path) -> None:
    loaded = []
    for version in ("1", "2"):
        rows = {"rows/__init__.py": ROWS.replace("VERSION", version)}
        source = template("rowing", rows, workflow=WITH_ROWS, parent=tmp_path / version)
        digest, archive = pack(source)
        folder = unpack(archive, digest, tmp_path / "versions")
        loaded.append((load_workflow(folder, "rowing"), steps_of(folder)))
    kinds = []
    for version, (_, [read]) in zip("12", loaded, strict=True):
        [row] = read.plain("row ")
        assert row.cells[0].text == f"row {version}"
        # decoding looks annotations up by name: the older version still finds its own
        [again] = read.decoder([{"$type": "Row", "cells": [{"$type": "Cell", "text": f"row {version}"}]}])
        assert again == row
        kinds.append(type(again))
    assert kinds[0] is not kinds[1]


def test_no_bytecode_is_written(template: MakeTemplate) -> None:
    folder = template("rowing", {"rows.py": ROWS}, workflow=WITH_ROWS)
    load_workflow(folder, "rowing")
    assert not list(folder.rglob("*.pyc"))


@pytest.mark.parametrize(
    "workflow,expected",
    [
        ("x = (\n", "tiny/workflow.py line 1: '(' was never closed."),
        ("x = 1\nprint(y)\n", "tiny/workflow.py line 2: NameError: name 'y' is not defined."),
        ("import nothing_like_it\n", "tiny/workflow.py line 1: there is no module ‘nothing_like_it’."),
        ("raise SystemExit\n", "tiny/workflow.py line 1: it ends the program when it is imported."),
        ("x = 1\n", "tiny/workflow.py: workflow.py must hold exactly one @workflow function; it holds 0."),
        (
            WORKFLOW.replace('@workflow("{name}")', '@workflow("other")'),
            "tiny/workflow.py: workflow.py names its workflow 'other', the template is called 'tiny'; make them equal.",
        ),
        (WORKFLOW.replace("p: P", "p: int"), "tiny/workflow.py: workflow 'tiny' must take one argument annotated"),
        (WORKFLOW.replace("folder: Folder\n\n\n@s", "folder: object\n\n\n@s"), "tiny/workflow.py: parameter 'folder'"),
        (
            WORKFLOW.replace("-> str:\n    return", "-> 'Gone':\n    return"),
            "tiny/workflow.py line 8: the result of the step ‘make’ cannot be recorded: name 'Gone' is not defined.",
        ),
        (
            "import threading\n" + WORKFLOW.replace("-> str:\n    return", "-> threading.Thread:\n    return"),
            "tiny/workflow.py line 9: the result of the step ‘make’ cannot be recorded: Thread has no recorded form",
        ),
    ],
)
def test_what_does_not_load_is_named_with_its_line(template: MakeTemplate, workflow: str, expected: str) -> None:
    with pytest.raises(BrokenFile) as caught:
        load_workflow(template(workflow=workflow), "tiny")
    assert str(caught.value).startswith(expected)
    assert caught.value.next_step


def test_an_annotation_deep_inside_is_resolved_at_load(template: MakeTemplate) -> None:
    rows = ROWS.replace("list[Cell]", "list[Sell]")
    folder = template("rowing", {"rows.py": rows}, workflow=WITH_ROWS)
    with pytest.raises(BrokenFile, match="the result of the step ‘read’ cannot be recorded: name 'Sell' is not"):
        load_workflow(folder, "rowing")


def test_a_failing_module_of_the_template_is_the_one_named(template: MakeTemplate) -> None:
    folder = template("rowing", {"rows.py": ROWS + "\nraise KeyError('x')\n"}, workflow=WITH_ROWS)
    line = len(ROWS.splitlines()) + 2
    with pytest.raises(BrokenFile, match=rf"rowing/rows\.py line {line}: KeyError: 'x'"):
        load_workflow(folder, "rowing")


def test_modules_that_hide_others(template: MakeTemplate) -> None:
    for name in ("json", "counterfoil"):
        with pytest.raises(BrokenFile, match=f"tiny/{name}: a module of that name hides"):
            load_workflow(template(files={f"{name}.py": ""}, parent=Path(template().parent, name)), "tiny")


def test_a_manifest_that_names_no_parameter(template: MakeTemplate) -> None:
    folder = template(manifest=MANIFEST.replace("{folder}", "{foldr}"))
    with pytest.raises(BrokenFile) as caught:
        describe(folder, "tiny")
    assert str(caught.value) == (
        "tiny/template.toml line 7: the workflow has no parameter ‘foldr’. Did you mean ‘folder’?"
    )
