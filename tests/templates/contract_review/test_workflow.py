"""The workflow as people meet it: twelve contracts, an llm that reads them well, one that makes things up, and what is kept of both."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.catalogue.checking import check_template
from counterfoil.catalogue.loading import load_workflow
from counterfoil.catalogue.manifest import read_manifest
from counterfoil.engine.llm_ports import LlmRequest, Told
from counterfoil.testing import Harness
from templates.contract_review.compose_contracts import contracts

TEMPLATE = Path(__file__).resolve().parents[3] / "workflows/contract-review"
ALL = {one.name: one for one in contracts()}
Start = Callable[..., Harness]
NOTHING: dict[str, Any] = {
    "parties": [],
    "starts": None,
    "ends": None,
    "notice": None,
    "renewal": None,
    "law": None,
    "findings": [],
}


def name_of(request: LlmRequest) -> str:
    """The file that a request is about."""
    first = request.history[0]
    assert isinstance(first, Told)
    return first.text.partition("\n")[0].removeprefix("File: ").partition(", part")[0]


def reads_well(request: LlmRequest) -> dict[str, Any]:
    """An llm that finds everything that is there and adds one thing that is not."""
    one = ALL[name_of(request)]
    said: dict[str, Any] = dict(NOTHING)
    for fact, (value, words) in one.facts.items():
        quoted = {"says": value if fact in ("party", "law") else "as it says", "quote": words}
        if fact == "party":
            said["parties"] = [quoted]
        else:
            said[fact] = quoted
    said["findings"] = [
        {"point": point, "weight": "look at it", "says": "it says so", "quote": words}
        for point, (words, _) in one.points.items()
    ]
    said["findings"].append(
        {
            "point": "Liability",
            "weight": "must change",
            "says": "made up",
            "quote": "The supplier pays whatever the buyer likes.",
        }
    )
    return said


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder for all tests: making it takes longer than most of them."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def start(tmp_path: Path, home: Path) -> Generator[Start]:
    """Start a run on a folder with these contracts."""
    running: list[Harness] = []

    def begin(names: list[str], llms: Any = reads_well, **parameters: Any) -> Harness:
        folder = tmp_path / "workspace/contracts"
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            (folder / name).write_bytes(ALL[name].data)
        harness = Harness(tmp_path / "workspace", home=home, llms=llms)
        running.append(harness)
        harness.start(load_workflow(TEMPLATE, "contract-review"), **{"folder": "contracts", **parameters})
        return harness

    yield begin
    for harness in running:
        harness.close()


def kept(harness: Harness, name: str) -> list[dict[str, str]]:
    """The rows of one of the tables that are kept."""
    return list(csv.DictReader(io.StringIO((harness.workspace / name).read_text(encoding="utf-8"))))


def pieces(harness: Harness) -> dict[str, Any]:
    """The evidence of the open gate by title."""
    return {one["title"]: one for one in harness.spec()["evidence"]}


def test_the_template_is_in_order() -> None:
    assert check_template(TEMPLATE) == []


def test_twelve_contracts_come_out_as_they_are(start: Start) -> None:
    harness = start(list(ALL))
    assert harness.advance() == "waiting"
    spec = harness.spec()
    points = sum(len(one.points) for one in ALL.values())
    assert harness.gate()["title"] == f"Enter 11 contracts with {points} findings in the register"
    assert dict(spec["figures"])["Without a quotation, left out"] == 11
    assert pieces(harness)["Not reviewed"]["data"]["rows"] == [
        [
            "contracts/11 scan.pdf",
            "It is a scan: there is no text on its pages. Have it recognised, then put it here again.",
        ]
    ]
    found = pieces(harness)["01 plain.docx: findings"]
    assert found["source"] == "Written by the llm"
    assert found["data"]["rows"] == [
        ["Liability", "look at it", "it says so", ALL["01 plain.docx"].points["Liability"][0], "paragraph 5"]
    ]  # fmt: skip
    assert "04 tracked.docx: Notice has to be given by 1 Apr 2028: 90 days before 30 Jun 2028." in spec["flags"]
    told = [row[0] for row in pieces(harness)["01 plain.docx: what it says"]["data"]]
    assert told == ["Begins", "Ends", "Notice", "Law", "Party", "Notice by"], "no number stands there without a reason"
    assert any(flag.startswith("04 tracked.docx: It has tracked changes") for flag in spec["flags"])
    assert not (harness.workspace / "contracts.csv").exists()
    harness.approve()
    assert harness.advance() == "done"
    rows = {row["contract"].rpartition("/")[2]: row for row in kept(harness, "contracts.csv")}
    assert set(rows) == set(ALL) - {"11 scan.pdf"}
    for name, row in rows.items():
        facts = {("parties" if fact == "party" else fact): value for fact, (value, _) in ALL[name].facts.items()}
        assert {
            key: row[key] for key in ("parties", "starts", "ends", "notice", "renewal", "law") if row[key]
        } == facts, name
    findings = kept(harness, "contract-findings.csv")
    assert len(findings) == points
    assert all(row["quote"] != "The supplier pays whatever the buyer likes." for row in findings)


def test_an_llm_that_makes_everything_up_enters_nothing_but_names(start: Start) -> None:
    def makes_up(_request: LlmRequest) -> dict[str, Any]:
        quote = "This sentence stands in no contract at all."
        one = {"says": "2030-01-01", "quote": quote}
        return {
            **NOTHING,
            "parties": [{"says": "Evil Ltd", "quote": quote}],
            "starts": one, "ends": one, "notice": one, "renewal": one, "law": one,
            "findings": [{"point": "Liability", "weight": "fine", "says": "all is well", "quote": quote}],
        }  # fmt: skip

    harness = start(["01 plain.docx", "08 pages.pdf"], makes_up)
    assert harness.advance() == "waiting"
    assert not any(title.endswith(("findings", "what it says")) for title in pieces(harness))
    assert dict(harness.spec()["figures"])["Without a quotation, left out"] == 14
    harness.approve()
    assert harness.advance() == "done"
    rows = kept(harness, "contracts.csv")
    assert all(not row[name] for row in rows for name in ("parties", "starts", "ends", "notice", "renewal", "law"))
    assert not (harness.workspace / "contract-findings.csv").exists()


def test_a_contract_in_the_register_is_not_read_again(start: Start) -> None:
    first = start(["01 plain.docx"])
    first.advance()
    first.approve()
    first.advance()
    harness = start([])
    assert harness.advance() == "done"
    assert harness.result()["summary"] == "Nothing to enter: 1 in the register already, 0 not reviewed."
    assert harness.asked_llms() == []


def test_sent_back_it_is_read_once_more_with_the_wish(start: Start) -> None:
    harness = start(["01 plain.docx"])
    harness.advance()
    harness.send_back("as said", wish="Also look at who pays for travel.")
    assert harness.advance() == "waiting"
    assert "The team adds: Also look at who pays for travel." in harness.asked_llms()[-1].system


def test_sent_back_because_the_register_changed_it_asks_again_on_what_it_is_now(start: Start) -> None:
    harness = start(["01 plain.docx"])
    harness.advance()
    harness.approve()
    register = harness.workspace / "contracts.csv"
    register.write_text("Contract\n", encoding="utf-8")
    assert harness.advance() == "waiting"
    assert harness.gate()["kind"] == "conflict"
    register.unlink()
    harness.send_back("that one was mine")
    assert harness.advance() == "waiting"
    assert harness.gate()["kind"] == "approval"


def test_an_llm_without_a_usable_answer_leaves_the_contract_out(start: Start) -> None:
    harness = start(
        ["01 plain.docx", "08 pages.pdf"], lambda request: reads_well(request) if "pages" in name_of(request) else "no"
    )
    assert harness.advance() == "waiting"
    [row] = pieces(harness)["Not reviewed"]["data"]["rows"]
    assert row[0] == "contracts/01 plain.docx"
    assert row[1].startswith("No answer of the llm could be used:")


def test_one_contract_can_be_left_out_with_its_findings(start: Start) -> None:
    harness = start(["01 plain.docx", "02 table.docx"])
    harness.advance()
    plan = harness.spec()["plan"]
    assert [item["needs"] for item in plan] == [[], [1], [], [3]]
    harness.approve(only=[3, 4])
    assert harness.advance() == "done"
    assert [row["contract"] for row in kept(harness, "contracts.csv")] == ["contracts/02 table.docx"]
    assert {row["contract"] for row in kept(harness, "contract-findings.csv")} == {"contracts/02 table.docx"}


def test_without_an_llm_it_says_what_it_needs_and_enters_nothing(start: Start) -> None:
    harness = start(["01 plain.docx"], None)
    assert harness.advance() == "waiting"
    assert harness.gate()["title"] == "Needs repair: read contract"
    assert harness.spec()["about"]["error"]["message"] == "No llm is set up. Add one: counterfoil route add"
    assert not (harness.workspace / "contracts.csv").exists()
    assert "An llm: counterfoil route add" in read_manifest(TEMPLATE).needs
