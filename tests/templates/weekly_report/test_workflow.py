"""The workflow as people meet it: the sample, questions that are asked once, what was sent back, last week, late starts."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Generator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from docx import Document

from counterfoil import Period
from counterfoil.catalogue.checking import check_template
from counterfoil.catalogue.loading import load_workflow
from counterfoil.testing import Crashed, Harness
from templates.weekly_report.compose_sample import sample_files
from templates.weekly_report.counted import WEEK
from templates.weekly_report.made_sheets import text

TEMPLATE = Path(__file__).resolve().parents[3] / "workflows/weekly-report"
NAME = "reports/Weekly report 2026-11-23 to 2026-11-29"
HEAD = ("Datum", "Kunde", "Betrag EUR")
SALES = [HEAD, ("23.11.2026", "A", "100,00"), ("24.11.2026", "B", "50,50"), ("17.11.2026", "A", "75,25")]
Start = Callable[..., Harness]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One data folder for all tests: making it takes longer than most of them."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def start(tmp_path: Path, home: Path) -> Generator[Start]:
    """Start a run on a folder with these files."""
    running: list[Harness] = []
    workspace = tmp_path / "workspace"

    def begin(files: Mapping[str, bytes] | None = None, *, period: Period = WEEK, **parameters: Any) -> Harness:
        for path, data in (files or {}).items():
            target = workspace / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        harness = Harness(workspace, home=home)
        running.append(harness)
        harness.start(load_workflow(TEMPLATE, "weekly-report"), **{"folder": "sales", "period": period, **parameters})
        return harness

    yield begin
    for harness in running:
        harness.close()


def piece(harness: Harness, title: str) -> list[list[Any]]:
    """The rows of a piece of evidence of the open gate."""
    [found] = [one for one in harness.spec()["evidence"] if one["title"] == title]
    data = found["data"]
    return list(data["rows"] if isinstance(data, dict) else data)


def written(harness: Harness) -> set[str]:
    """What lies in reports/."""
    folder = harness.workspace / "reports"
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def records(harness: Harness, name: str) -> list[dict[str, str]]:
    """The rows of one of the tables that are kept."""
    return list(csv.DictReader(io.StringIO((harness.workspace / f"reports/{name}").read_text(encoding="utf-8"))))


def test_the_committed_sample_is_what_its_composer_makes() -> None:
    sample = TEMPLATE / "sample"
    assert {
        path.relative_to(sample).as_posix(): path.read_bytes() for path in sample.rglob("*") if path.is_file()
    } == sample_files()


def test_the_template_is_in_order() -> None:
    assert check_template(TEMPLATE) == []


def test_the_sample_comes_out_as_its_readme_says(start: Start) -> None:
    harness = start(sample_files())
    assert harness.advance() == "waiting"
    assert harness.gate()["title"] == "One question before the report on 23–29 Nov 2026"
    [field] = harness.spec()["fields"]
    assert field["choices"] == ["Netto SEK", "Brutto SEK", "leave it out"]
    assert piece(harness, "1. Forsaljning v48.csv")[0] == ["2026-11-23", "Malmö", "4.200,00", "5.250,00"]
    harness.answer(q1="Netto SEK")
    assert harness.advance() == "waiting"
    spec = harness.spec()
    assert harness.gate()["title"] == "Write the report on 23–29 Nov 2026"
    assert dict(spec["figures"]) == {
        "Total": "€4,380.00, £1,555.60 and SEK 5,280.00", "Rows counted": 10, "Rows not counted": 4,
    }  # fmt: skip
    totals = [(row[1]["amount"]["$dec"], row[2] and row[2]["amount"]["$dec"]) for row in piece(harness, "Total")]
    assert totals == [("4380.00", "4275.75"), ("1555.60", None), ("5280.00", None)]
    assert piece(harness, "Where each figure comes from")[:2] == [
        ["Total, EUR", "Umsatz KW48.xlsx › KW 48", "B3:B5, B8", 4],
        ["Total, EUR", "Ventes Lyon novembre.csv", "C5:C6", 2],
    ]
    assert [row[:3] for row in piece(harness, "Rows not counted")] == [
        ["Umsatz KW48.xlsx › KW 48", 6, "B6 holds #REF!."],
        [
            "Umsatz KW48.xlsx › KW 48",
            7,
            "B7 is a formula that was never worked out: open the file in its program and save it.",
        ],
        ["Umsatz KW48.xlsx › KW 48", 9, "It is a total of other rows."],
        ["sales_uk_2026-48.csv", 4, "“pending” is no day."],
    ]
    assert piece(harness, "Period") == [
        ["Days", "2026-11-23/2026-11-29"],
        ["The period before", "Compared with 16–22 Nov 2026, counted from the same files: no report on it is kept."],
    ]
    assert spec["flags"] == [
        "4 rows of the tables are not counted; each says why.",
        "2 tables are left out as a whole: Kontakte.csv, Umsatz KW48.xlsx › Entwurf.",
    ]
    assert written(harness) == set(), "nothing is written before it is approved"
    harness.approve()
    assert harness.advance() == "done"
    assert harness.result()["summary"] == (
        "The report on 23–29 Nov 2026 is written: €4,380.00, £1,555.60 and SEK 5,280.00 from 10 rows. It lies in reports/."
    )
    assert written(harness) == {f"{NAME[8:]}.docx", f"{NAME[8:]}.pdf", "figures.csv", "answers.csv"}
    assert [row["answer"] for row in records(harness, "answers.csv")] == ["Netto SEK"]


def test_next_week_nothing_is_asked_again_and_the_change_is_told(start: Start) -> None:
    first = start(sample_files())
    first.advance()
    first.answer(q1="Brutto SEK")
    first.advance()
    first.approve()
    assert first.advance() == "done"
    rows = [("Datum", "Butik", "Netto SEK", "Brutto SEK"), ("2026-12-01", "Lund", "4.000,00", "5.500,00")]
    harness = start({"sales/Forsaljning v49.csv": text(rows)}, period=Period("2026-11-30/2026-12-06"))
    assert harness.advance() == "waiting"
    assert piece(harness, "Answers that were used")[0][3] == "Brutto SEK"
    total = {
        row[1]["currency"]: [cell and cell["amount"]["$dec"] for cell in row[1:4]] for row in piece(harness, "Total")
    }
    assert total["SEK"] == ["5500.00", "6600.00", "-1100.00"]
    assert piece(harness, "Period")[1][1] == "Compared with the report on 23–29 Nov 2026."
    assert ["Malmö", "0.00", "5250.00"] in [
        [row[0], row[1]["amount"]["$dec"], row[2] and row[2]["amount"]["$dec"]] for row in piece(harness, "By branch")
    ]


def test_a_report_whose_files_changed_since_is_told(start: Start) -> None:
    first = start({"sales/a.csv": text(SALES)})
    first.advance()
    first.approve()
    assert first.advance() == "done"
    late = [*SALES, ("25.11.2026", "C", "9,50"), ("30.11.2026", "A", "10,00")]
    harness = start({"sales/a.csv": text(late)}, period=Period("2026-11-30/2026-12-06"))
    harness.advance()
    assert harness.spec()["flags"][0] == (
        "The report on 23–29 Nov 2026 said €150.50; its files now give €160.00. The change is told against it."
    )
    assert dict(harness.spec()["figures"])["Change"] == "−€140.50 (−93.4 %)"


def test_sent_back_it_comes_again_with_what_is_otherwise(start: Start) -> None:
    harness = start({"sales/a.csv": text(SALES), "sales/b.csv": text([HEAD, ("25.11.2026", "C", "8,00")])})
    harness.advance()
    assert dict(harness.spec()["figures"])["Total"] == "€158.50"
    harness.send_back("b is not ours", leave_out=["b.csv"], remarks="A quiet week.\nTwo fairs.")
    assert harness.advance() == "waiting"
    spec = harness.spec()
    assert spec["round"] == 2
    assert spec["flags"][:2] == [
        "Test sent it back: “b is not ours”.",
        "The total was €158.50 from 3 rows at the last round and is €150.50 from 2 rows.",
    ]
    harness.send_back("on second thoughts", take_in=["b.csv"])
    harness.advance()
    assert dict(harness.spec()["figures"])["Total"] == "€158.50"
    harness.send_back("look again")
    harness.advance()
    assert harness.spec()["flags"][:2] == [
        "Test sent it back: “look again”.",
        "The totals are the same as at the last round.",
    ]
    harness.approve()
    assert harness.advance() == "done"
    words = [one.text for one in Document(str(harness.workspace / f"{NAME}.docx")).paragraphs]
    assert {"A quiet week.", "Two fairs."} <= set(words)


def test_an_answer_can_be_asked_again(start: Start) -> None:
    rows = [("Datum", "Netto EUR", "Brutto EUR"), ("23.11.2026", "100", "119")]
    harness = start({"sales/a.csv": text(rows)})
    harness.advance()
    harness.answer(q1="Netto EUR")
    harness.advance()
    harness.send_back("gross it is", ask_again=[1])
    harness.advance()
    harness.answer(q1="Brutto EUR")
    harness.advance()
    assert dict(harness.spec()["figures"])["Total"] == "€119.00"
    harness.approve()
    assert harness.advance() == "done"
    assert [row["answer"] for row in records(harness, "answers.csv")] == ["Brutto EUR"]


def test_a_file_that_changed_after_the_look_changes_the_report(start: Start) -> None:
    harness = start({"sales/a.csv": text(SALES)})
    harness.advance()
    (harness.workspace / "reports").mkdir()
    (harness.workspace / f"{NAME}.docx").write_bytes(b"somebody else's")
    harness.approve()
    assert harness.advance() == "waiting"
    assert "changed since it was approved; nothing was written." in harness.spec()["flags"][0]
    harness.approve()
    assert harness.advance() == "done"
    assert harness.result()["reports"] == [f"{NAME} (2).docx", f"{NAME} (2).pdf"]
    assert (harness.workspace / f"{NAME}.docx").read_bytes() == b"somebody else's"


def test_a_file_that_is_open_elsewhere_is_told_or_waited_for(start: Start) -> None:
    harness = start({"sales/a.csv": text(SALES), "sales/~$b.xlsx": b"x"})
    harness.advance()
    assert harness.spec()["flags"] == ["b.xlsx is open in Excel: what is not saved there is not counted."]
    mark = harness.workspace / "sales/~$b.xlsx"
    harness = start(open_files="wait half an hour")
    assert harness.advance() == "waiting"
    assert harness.gates() == []
    mark.unlink()
    harness.tick(timedelta(minutes=5))
    assert harness.advance() == "waiting"
    assert harness.gate()["title"] == "Write the report on 23–29 Nov 2026"
    mark.write_bytes(b"x")
    harness = start(open_files="wait half an hour")
    for _ in range(6):
        assert harness.advance() == "waiting"
        harness.tick(timedelta(minutes=5))
    assert harness.advance() == "done"
    assert harness.result()["summary"] == (
        "Nothing was counted: b.xlsx is open in Excel, tried for 30 minutes. Nothing was written."
    )


def test_of_very_many_rows_every_cell_is_in_a_csv(start: Start) -> None:
    rows = [("23.11.2026" if row % 2 else "24.11.2026", "-A" if row % 3 else "B", "1,00") for row in range(1_200)]
    harness = start({"sales/a.csv": text([HEAD, *rows])})
    assert harness.advance() == "waiting"
    assert len(piece(harness, "Rows counted: the first 1,000; all are in the CSV")) == 1_000
    harness.approve()
    assert harness.advance() == "done"
    assert harness.result()["reports"][2] == f"{NAME}.csv"
    written_rows = records(harness, f"{NAME[8:]}.csv")
    assert len(written_rows) == 1_200
    assert written_rows[1] == {
        "file": "sales/a.csv", "sheet": "", "cell": "C3", "day": "2026-11-23", "customer": "'-A", "amount": "1.00", "currency": "EUR",
    }  # fmt: skip


def test_nothing_to_report_says_so(start: Start) -> None:
    harness = start({"sales/a.csv": text(SALES)}, period=Period("2026-12-07/2026-12-13"))
    assert harness.advance() == "done"
    assert harness.result()["summary"] == (
        "Nothing to report on 7–13 Dec 2026: 1 file, 1 table, 3 rows of other days, 0 rows not counted. "
        "Nothing was written."
    )
    assert written(harness) == set()


def test_formulas_do_not_leave_through_the_records(start: Start) -> None:
    rows = [HEAD, ("23.11.2026", "=HYPERLINK(A1)", "-5,00"), ("23.11.2026", "'=quoted", "6,00")]
    harness = start({"sales/a.csv": text(rows)})
    harness.advance()
    harness.approve()
    harness.advance()
    customers = {row["of"]: row["amount"] for row in records(harness, "figures.csv") if row["figure"] == "customer"}
    assert customers == {"'=HYPERLINK(A1)": "-5.00", "''=quoted": "6.00"}
    harness = start(
        period=Period("2026-11-30/2026-12-06"),
        files={"sales/b.csv": text([HEAD, ("30.11.2026", "=HYPERLINK(A1)", "1")])},
    )
    harness.advance()
    assert ["=HYPERLINK(A1)", "-5.00"] in [[row[0], row[2]["amount"]["$dec"]] for row in piece(harness, "By customer")]


@pytest.mark.parametrize(
    "table, damage, sentence",
    [
        ("figures.csv", b"run;folder\r\n", "reports/figures.csv, line 1: the columns must be run, folder"),
        ("answers.csv", b"\xff\xfe", "reports/answers.csv, line 1: it is not UTF-8."),
    ],
)
def test_a_damaged_record_is_told_and_nothing_is_written(
    start: Start, table: str, damage: bytes, sentence: str
) -> None:
    harness = start({"sales/a.csv": text(SALES), f"reports/{table}": damage})
    assert harness.advance() == "waiting"
    assert harness.gate()["kind"] == "failure"
    assert sentence in str(harness.spec())
    (harness.workspace / f"reports/{table}").unlink()


@pytest.mark.parametrize("point", ["after_perform", "after_each_file", "after_outcome"])
def test_a_crash_while_it_is_written_writes_it_once(start: Start, point: str) -> None:
    harness = start({"sales/a.csv": text(SALES)})
    harness.advance()
    harness.approve()
    harness.crash_at(point)
    with pytest.raises(Crashed):
        harness.advance()
    while harness.advance() not in ("done", "waiting"):
        pass
    assert harness.result()["rows"] == 2
    assert len(records(harness, "figures.csv")) == 5
    assert written(harness) == {f"{NAME[8:]}.docx", f"{NAME[8:]}.pdf", "figures.csv"}
