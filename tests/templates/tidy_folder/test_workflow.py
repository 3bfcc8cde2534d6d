"""The workflow as people meet it: the sample, holding and taking in again, approving a part, and files that change meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from counterfoil.catalogue.checking import check_template
from counterfoil.catalogue.loading import load_workflow
from counterfoil.testing import Crashed, Harness
from templates.tidy_folder import made_files as made
from templates.tidy_folder.compose_sample import sample_files
from tidy_folder.proposals import Group

TEMPLATE = Path(__file__).resolve().parents[3] / "workflows/tidy-folder"
Start = Callable[..., Harness]


@pytest.fixture
def start(tmp_path: Path) -> Generator[Start]:
    """Start a run on a folder with these files, all of the same time."""
    running: list[Harness] = []
    workspace = tmp_path / "workspace"

    def begin(files: dict[str, bytes] | None = None, **parameters: Any) -> Harness:
        for path, data in (files or {}).items():
            target = workspace / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
            when = datetime(2024, 3, 15, 9, tzinfo=UTC).timestamp()
            os.utime(target, (when, when))
        harness = Harness(workspace, home=tmp_path / f"home-{len(running)}")
        running.append(harness)
        harness.start(load_workflow(TEMPLATE, "tidy-folder"), **{"folder": ".", **parameters})
        return harness

    yield begin
    for harness in running:
        harness.close()


def rows(harness: Harness, title: str = "Changes") -> dict[str, tuple[int, str]]:
    """The rows of a table of the open gate: before -> number and after."""
    tables = [piece for piece in harness.spec()["evidence"] if piece["title"] == title]
    return {row[2]: (row[0], row[3]) for piece in tables for row in piece["data"]["rows"]}


def lying(harness: Harness) -> set[str]:
    """Every file of the workspace now."""
    return {path.relative_to(harness.workspace).as_posix() for path in harness.workspace.rglob("*") if path.is_file()}


def test_the_committed_sample_is_what_its_composer_makes() -> None:
    sample = TEMPLATE / "sample"
    assert {
        path.relative_to(sample).as_posix(): path.read_bytes() for path in sample.rglob("*") if path.is_file()
    } == sample_files()


def test_the_template_is_in_order() -> None:
    assert check_template(TEMPLATE) == []


def test_the_sample_comes_out_as_its_readme_says(start: Start) -> None:
    harness = start(sample_files(), folder="papers")
    assert harness.advance() == "waiting"
    assert harness.gate()["title"] == "Rename 9 files and put 2 aside"
    spec = harness.spec()
    assert dict(spec["figures"]) == {"New names": 9, "Put aside": 2, "Fine as they are": 2, "Left alone": 2}
    assert {before: after for before, (_, after) in rows(harness).items()} == {
        "Lieferschein.pdf": "quarantine/Lieferschein.pdf",
        "Kopie von INV-20931.xml": "quarantine/Kopie von INV-20931.xml",
        "Logo.jpg": "2024-03-15 Logo.png",
        "Umsatz November.xls": "Umsatz November.csv",
        "Rechnung November.xml": "2026-11-16 Meridian Energy GmbH Rechnung November.xml",
        "INV-20931.xml": "2026-11-12 Halden Paper AS INV-20931.xml",
        "Angebot Regale.eml": "2026-11-09 Holzbau Brandt GmbH Angebot Regale.eml",
        "IMG_0417.jpg": "2026-11-21 IMG_0417.jpg",
        "IMG_0417.xmp": "2026-11-21 IMG_0417.xmp",
        "Scan 20261102.pdf": "2026-11-02 Scan.pdf",
        "Nordnetz/2026/Vertrag.docx": "Nordnetz/2026/2026-10-14 Nordnetz Vertrag.docx",
    }
    [changes] = [piece for piece in spec["evidence"] if piece["title"] == "Changes"]
    assert changes["data"]["flagged"] == [0, 1, 2], "what needs a look stands first"
    assert [row[0] for row in changes["data"]["rows"]] == list(range(1, 12))
    assert all(row[4] for row in changes["data"]["rows"]), "every row says why"
    assert spec["flags"] == [
        "1 file is not what it seems and moves to quarantine.",
        "2 files have wrong endings.",
        "This run has read from outside the team: papers/Angebot Regale.eml.",
    ]
    harness.approve()
    assert harness.advance() == "done"
    result = harness.result()
    assert result["summary"] == "9 files have new names, 2 lie in quarantine/. Nothing was deleted."
    assert [result[name] for name in ("files", "renamed", "put_aside", "held", "not_approved", "fine", "left_alone")] == [
        14, 9, 2, 0, 0, 2, 1,
    ]  # fmt: skip
    assert {
        "quarantine/Lieferschein.pdf",
        "papers/2026-11-02 Scan.pdf",
        "papers/Website/logo.png",
        "papers/Leer.pdf",
    } < lying(harness)
    again = start(folder="papers")
    assert again.advance() == "done"
    assert again.result()["summary"] == "Nothing to tidy: 12 files looked at, 11 fine as they are."


def test_rows_are_held_and_taken_in_again(start: Start) -> None:
    harness = start({"a.png": made.png("a"), "b.png": made.png("b"), "c.png": made.png("c")})
    harness.advance()
    harness.send_back("b has a good name", hold=[rows(harness)["b.png"][0]])
    assert harness.advance() == "waiting"
    assert list(rows(harness)) == ["a.png", "c.png"]
    assert rows(harness, "Held") == {"b.png": (3, "2024-03-15 b.png")}
    assert harness.spec()["flags"][0] == "Test holds b.png: “b has a good name”."
    harness.send_back("on second thoughts", include=[3], hold=[1])
    harness.advance()
    assert list(rows(harness)) == ["b.png", "c.png"]
    assert list(rows(harness, "Held")) == ["a.png"]
    harness.approve()
    assert harness.advance() == "done"
    assert lying(harness) == {"a.png", "2024-03-15 b.png", "2024-03-15 c.png"}
    result = harness.result()
    assert (result["renamed"], result["held"], result["files"]) == (2, 1, 3)


def test_everything_held_ends_with_nothing_to_do(start: Start) -> None:
    harness = start({"a.png": made.png("a")})
    harness.advance()
    harness.send_back("no", hold=[1])
    assert harness.advance() == "done"
    assert harness.result()["summary"] == "Nothing to tidy: 1 file looked at, 0 fine as they are."
    assert lying(harness) == {"a.png"}


def test_a_part_is_approved(start: Start) -> None:
    harness = start(
        {"a.png": made.png("a"), "copy.png": made.png("a"), "evil.pdf": made.program("x"), "b.jpg": made.png("b")}
    )
    harness.advance()
    bodies = [item["body"]["args"]["moves"] for item in harness.spec()["plan"]]
    assert [[source for source, _ in moves] for moves in bodies] == [["evil.pdf"], ["b.jpg"], ["copy.png"], ["a.png"]]
    harness.approve(only=[1, 3])
    assert harness.advance() == "done"
    assert lying(harness) == {"a.png", "b.jpg", "quarantine/copy.png", "quarantine/evil.pdf"}
    result = harness.result()
    assert (result["put_aside"], result["renamed"], result["not_approved"], result["files"]) == (2, 0, 2, 4)


def test_a_file_that_changes_after_the_approval_stops_everything(start: Start) -> None:
    harness = start({"a.png": made.png("a"), "b.png": made.png("b")})
    harness.advance()
    harness.approve()
    (harness.workspace / "b.png").write_bytes(made.png("another"))
    assert harness.advance() == "waiting"
    assert lying(harness) == {"a.png", "b.png"}
    assert harness.spec()["flags"][0] == "b.png changed since it was approved; nothing was moved."
    harness.approve()
    assert harness.advance() == "done"


def test_a_name_that_is_taken_meanwhile_is_not_overwritten(start: Start) -> None:
    harness = start({"a.png": made.png("a")})
    harness.advance()
    harness.approve()
    (harness.workspace / "2024-03-15 a.png").write_bytes(b"somebody's")
    assert harness.advance() == "waiting"
    assert rows(harness)["a.png"][1] == "2024-03-15 a (2).png"
    assert (harness.workspace / "2024-03-15 a.png").read_bytes() == b"somebody's"


def test_rejected_and_sent_back_without_a_wish(start: Start) -> None:
    harness = start({"a.png": made.png("a")})
    harness.advance()
    harness.send_back("look again")
    harness.advance()
    assert harness.spec()["flags"][0] == "Sent back by Test: “look again”."
    harness.reject("leave it")
    assert harness.advance() == "done"
    assert lying(harness) == {"a.png"}


@pytest.mark.parametrize("point", ["after_record", "after_gate", "after_journal", "after_each_file", "after_outcome"])
def test_the_power_goes_at_any_point(start: Start, point: str) -> None:
    harness = start({f"{n}.png": made.png(str(n)) for n in range(5)} | {"copy.png": made.png("1")})
    harness.crash_at(point)
    crashed = False
    while True:
        try:
            state = harness.advance()
        except Crashed:
            crashed = True
            continue
        if state == "done":
            break
        harness.approve()
    assert crashed
    assert lying(harness) == {*(f"2024-03-15 {n}.png" for n in (0, 2, 3, 4)), "2024-03-15 1.png", "quarantine/copy.png"}


@pytest.mark.parametrize(
    "folder, quarantine, said",
    [
        (".", "../elsewhere", "cannot be the folder that files are put aside into"),
        (".", "", "cannot be the folder that files are put aside into"),
        (".", ".hidden", "cannot be the folder that files are put aside into"),
        ("papers", "papers", "holds the folder that is tidied"),
        ("papers/new", "papers", "holds the folder that is tidied"),
    ],
)
def test_wishes_that_cannot_be_followed(start: Start, folder: str, quarantine: str, said: str) -> None:
    harness = start({"papers/new/a.png": made.png("a")}, folder=folder, quarantine=quarantine)
    assert harness.advance() == "done"
    assert said in harness.result()["summary"]
    assert harness.result()["summary"].endswith("Nothing was changed.")
    assert lying(harness) == {"papers/new/a.png"}


def test_the_quarantine_may_lie_in_the_folder_and_is_not_looked_at(start: Start) -> None:
    harness = start(
        {"papers/a.png": made.png("a"), "papers/b.png": made.png("a")}, folder="papers", quarantine="papers/aside/"
    )
    harness.advance()
    harness.approve()
    harness.advance()
    assert lying(harness) == {"papers/2024-03-15 a.png", "papers/aside/b.png"}
    again = start(folder="papers", quarantine="papers/aside")
    assert again.advance() == "done"


def test_other_wishes(start: Start) -> None:
    harness = start({"a.png": made.png("a"), "b.png": made.png("a")}, names="keep the names", duplicates="leave")
    assert harness.advance() == "done"
    assert harness.result()["fine"] == 2


def test_groups_are_told_in_the_order_of_their_weight() -> None:
    assert list(Group)[:4] == [Group.DISGUISED, Group.ENDING, Group.UNCLEAR, Group.COLLISION]
