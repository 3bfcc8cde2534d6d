"""Five thousand mixed files, names in every script and everything that trips programs, with the real runner and its hosts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cli.speaking import Caller, caller
from templates.tidy_folder.mixed import Made, make, photographed

FILES = 5_000


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Caller:
    """The program on a home of the test's own."""
    return caller(capsys, tmp_path / "home")


def test_five_thousand_files_are_tidied_and_come_back(call: Caller, tmp_path: Path) -> None:
    workspace = tmp_path / "files"
    workspace.mkdir()
    made = make(workspace, FILES)
    before = photographed(workspace)
    words = ["run", "tidy-folder", "--workspace", str(workspace), "--set", "folder=.", "--wait", "--json"]
    held = call(*words)
    assert held.code == 3, held.err
    assert photographed(workspace) == before, "nothing has been changed yet"
    [gate] = held.document["gates"]
    rows = table(gate, "Changes")
    check_rows(made, rows)
    assert call("approve", gate["gate_id"]).code == 0
    assert call("runner", "--until-idle").code == 0
    shown = call("show", "r-1", "--json").document
    assert shown["state"] == "done"
    after = photographed(workspace)
    moved = {row["Before"]: row["After"] for row in rows}
    check_folder(made, moved, before, after)
    again = call(*words)
    assert again.code == 0, again.err
    assert again.document["result"]["summary"].startswith("Nothing to tidy: ")
    assert photographed(workspace) == after
    undone = call("undo", "r-1", "--json").document
    assert (undone["state"], len(undone["paths"])) == ("done", len(rows))
    assert photographed(workspace) == before, "every file is back, byte for byte"
    assert call("trail", "--verify").code == 0


def table(gate: dict[str, Any], title: str) -> list[dict[str, Any]]:
    """The rows of a gate's table, by column."""
    [found] = [piece for piece in gate["evidence"] if piece["title"] == title]
    return [dict(zip(found["data"]["columns"], row, strict=True)) for row in found["data"]["rows"]]


def check_rows(made: Made, rows: list[dict[str, Any]]) -> None:
    """Every file is in the group that it was made for."""
    groups = Counter(row["What"] for row in rows)
    count = made.count
    assert groups["Put aside: duplicate"] == count["duplicate"]
    assert groups["Put aside: not what it seems"] == count["disguised"]
    assert groups["Wrong ending"] == count["wrong ending"]
    assert groups["Name reads differently"] == count["unclear"] == 1
    assert groups["Names collide"] == count["twin"] - 1
    named = count["new name"] + count["companion"] + 1  # the first of the twins
    assert groups["New name"] == named
    assert groups["New name, day by the file's time"] == count["by time"]
    flagged = [
        row["No."] for row in rows if row["What"] in ("Put aside: not what it seems", "Wrong ending", "Names collide")
    ]
    assert max(flagged) < min(row["No."] for row in rows if row["What"] == "New name")


def check_folder(
    made: Made, moved: dict[str, str], before: dict[str, tuple[object, ...]], after: dict[str, tuple[object, ...]]
) -> None:
    """Every file is there with its bytes, times and permission bits, under the name that was shown; nothing else changed."""
    files = {path: facts for path, facts in before.items() if path in moved}
    turned = "gnp\\u202efdp.eciovni.png"  # as it is shown
    assert set(moved) - set(before) == {turned}
    assert {moved[path]: facts for path, facts in files.items()}.items() <= after.items()
    stayed = {path: facts for path, facts in before.items() if path not in moved and "\u202e" not in path}
    assert stayed.items() <= after.items()
    assert all(path in after and after[path] == before[path] for path in made.untouched)
    contents = Counter(facts[2] for facts in before.values())
    assert Counter(facts[2] for facts in after.values() if facts[2] is not None) == +Counter(
        {content: number for content, number in contents.items() if content is not None}
    )
