"""Files that run later are confirmed one by one; files that are never changed are put before nobody."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from counterfoil import approve, move_files, workflow, write_file
from counterfoil.errors import CounterfoilError, NeedsConfirmation, WrongAnswer
from counterfoil.facts import RunState
from counterfoil.store import trail_rows
from counterfoil.testing import Harness
from counterfoil.views.gates import gate_document
from engine.doing import Nothing


@workflow("later")
async def later(p: Nothing) -> Any:
    plan = [write_file("Makefile", "x"), write_file("a.txt", "x"), move_files([("run.txt", "run.sh")])]
    return await (await approve("Write three", plan=plan, partial=True)).perform()


@workflow("never")
async def never(p: Nothing) -> Any:
    return await (await approve("Write a hook", plan=[write_file(".git/hooks/pre-commit", "x")])).perform()


@pytest.fixture
def harness(tmp_path: Path) -> Generator[Harness]:
    """A workspace with one file, and the real effects."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "run.txt").write_text("x")
    made = Harness(workspace, home=tmp_path / "home")
    yield made
    made.close()


def waiting(harness: Harness) -> None:
    """The run of `later` at its gate."""
    harness.start(later)
    assert harness.advance() == RunState.WAITING


def refused(harness: Harness, kind: type[CounterfoilError], **wish: Any) -> str:
    """An approval that is refused and changes nothing; what is said."""
    with pytest.raises(kind) as problem:
        harness.approve(**wish)
    assert harness.gate()["state"] == "open"
    return str(problem.value)


def test_each_is_confirmed_by_its_number(harness: Harness) -> None:
    waiting(harness)
    for confirmed in ((), (1,), (3,), (2,)):
        said = refused(harness, NeedsConfirmation, confirmed=confirmed)
        assert ("Item 1: “Makefile” runs later: " in said) is (1 not in confirmed)
        assert ("Item 3: “run.sh” runs later: " in said) is (3 not in confirmed)
        assert "--confirm 1,3" in said
    refused(harness, NeedsConfirmation, only=[1])
    refused(harness, WrongAnswer, confirmed=[1, 3, 9])
    harness.approve(confirmed=[3, 1])
    entry = [row for row in trail_rows.entries(harness.database.reader) if row["kind"] == "decision"][-1]
    assert json.loads(entry["after"])["confirmed"] == [1, 3]
    assert harness.advance() == RunState.DONE
    assert (harness.workspace / "Makefile").read_text() == "x"


def test_the_gate_says_which_and_why(harness: Harness) -> None:
    waiting(harness)
    document = gate_document(harness.database.reader, harness.blobs, harness.gate())
    assert [item["risk"] for item in document["plan"]] == ["runs_later", "normal", "runs_later"]
    assert document["plan"][0]["risk_reason"] == "“Makefile” runs later: builds and tests run it."
    assert document["plan"][0]["risk_reason"] in document["consequences"]
    assert harness.gate()["bulk"] == "changes files that run later"


def test_what_is_left_out_needs_no_confirmation(harness: Harness) -> None:
    waiting(harness)
    harness.approve(only=[2])
    harness.advance()
    assert (harness.workspace / "a.txt").exists()
    assert not (harness.workspace / "Makefile").exists()


def test_saying_no_needs_no_confirmation(harness: Harness) -> None:
    waiting(harness)
    harness.reject("no")
    assert harness.advance() == RunState.DONE


def test_a_file_that_is_never_changed_is_put_before_nobody(harness: Harness) -> None:
    harness.start(never)
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["kind"] == "failure"
    assert "“.git/hooks/pre-commit” is never changed" in harness.spec()["about"]["error"]["message"]
    assert not (harness.workspace / ".git").exists()
