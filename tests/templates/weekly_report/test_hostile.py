"""Broken, locked and hostile files: each gives a sentence or a dropped row with its reason, and never a wrong figure."""

from __future__ import annotations

import io
import zipfile
from datetime import date
from pathlib import Path

import pytest

from previews.books import with_entities
from templates.weekly_report.counted import counted, dropped, left_out, totals
from templates.weekly_report.made_sheets import Error, Formula, book, sheet, text
from weekly_report import cell_marks

REAL = Path(__file__).resolve().parents[2] / "samples/spreadsheets/calamine"
MON = date(2026, 11, 23)
HEAD = ("Datum", "Kunde", "Betrag EUR")


def test_cells_without_a_value_say_so(tmp_path: Path) -> None:
    rows = [
        HEAD,
        (MON, "A", 5),
        (MON, "B", Error("#REF!")),
        (Error("#VALUE!"), "C", 7),
        (MON, "D", Formula("C2*2")),
        (MON, "E", "n/a"),
        (MON, "F", None),
        (None, "G", 9),
        (None, "only words", None),
    ]
    found = counted(tmp_path, {"a.xlsx": book({"S": rows})})
    assert totals(found) == {"EUR": "5"}
    assert dropped(found) == {
        3: "C3 holds #REF!.",
        4: "A4 holds #VALUE!.",
        5: "C5 is a formula that was never worked out: open the file in its program and save it.",
        6: "“n/a” in C6 is no number.",
        7: "It has no amount.",
        8: "It has no day.",
        9: "It has neither a day nor an amount.",
    }


def test_hidden_sheets_are_left_out_and_hidden_rows_are_told(tmp_path: Path) -> None:
    rows = sheet([HEAD, (MON, "A", 5), (MON, "B", 6)], hidden_rows=[3])
    found = counted(tmp_path, {"a.xlsx": book({"S": rows, "Secret": [HEAD, (MON, "A", 99)]}, hidden=["Secret"])})
    assert totals(found) == {"EUR": "11"}
    assert left_out(found)["Secret"].startswith("The sheet is hidden")
    assert found.notes == ["a.xlsx › S: 1 row is hidden and counted like the others."]


def test_merged_cells_give_their_day_to_each_row_and_their_amount_once(tmp_path: Path) -> None:
    rows = sheet([HEAD, (MON, "A", 5), (None, "B", 6), (None, "C", None)], merged=["A2:A4", "C3:C4"])
    found = counted(tmp_path, {"a.xlsx": book({"S": rows})})
    assert totals(found) == {"EUR": "11"}
    assert dropped(found) == {4: "Its amount is merged with C3, which is counted once."}


def test_formulas_in_texts_are_words(tmp_path: Path) -> None:
    found = counted(
        tmp_path,
        {
            "a.csv": text(
                [HEAD, ("23.11.2026", '=HYPERLINK("http://x")', "5"), ("23.11.2026", "+cmd|' /C calc'!A0", "6")]
            )
        },
    )
    assert totals(found) == {"EUR": "11"}
    assert {one.of for one in found.figures if one.kind == "customer"} == {
        '=HYPERLINK("http://x")',
        "+cmd|' /C calc'!A0",
    }


def test_a_million_empty_rows_and_one_far_away(tmp_path: Path) -> None:
    found = counted(tmp_path, {"a.xlsx": book({"S": sheet({1: HEAD, 2: (MON, "A", 5), 1_048_576: (MON, "B", 6)})})})
    assert totals(found) == {"EUR": "11"}
    assert found.figures[0].sources[0].cells == "C2, C1048576"
    wide = '<row r="1"><c r="XFD1"><v>1</v></c></row><row r="1048576"><c r="A1048576"><v>1</v></c></row>'
    xml = sheet([]).replace(b"</sheetData>", wide.encode() + b"</sheetData>")
    found = counted(tmp_path, {"a.xlsx": book({"S": xml})})
    assert left_out(found)["a.xlsx"].startswith(
        "Its sheet S spreads over 1,048,576 rows of 16,384 columns, more than is read."
    )


def test_entities_damage_and_what_is_no_table(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("top secret")
    cut = book({"S": [HEAD, (MON, "A", 5)]})[:-40]
    folder = tmp_path / "in"
    folder.mkdir()
    files = {
        "entities.xlsx": with_entities(str(secret)),
        "cut.xlsx": cut,
        "empty.csv": b"",
        "page.xls": b"\xef\xbb\xbf<html><table><tr><td>Datum</td></tr></table></html>",
        "paper.pdf": b"%PDF-1.7\n",
        "program.csv": b"MZ\x00\x00\x00",
        "prose.txt": b"A letter, and no table.\nIt goes on.\n",
        "false.csv": "\ufeffDatum;Betrag".encode("utf-16-le")[:-1],
    }
    found = counted(folder, files)
    said = left_out(found)
    assert said["cut.xlsx"] == "It is no spreadsheet that can be read, or it is damaged."
    assert said["page.xls"].startswith("It is a web page or XML, whatever its name says.")
    assert said["empty.csv"] == "It is empty."
    assert said["paper.pdf"] == "It is a PDF, not a spreadsheet."
    assert said["program.csv"] == "It is no text and no spreadsheet that is known."
    assert said["false.csv"] == "It says that it is UTF-16 and is not."
    assert found.rows == 0
    assert len(said) == len(files)
    assert "top secret" not in repr(found)


def test_zips_that_would_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = io.BytesIO(book({"S": [HEAD, (MON, "A", 5)]}))
    with zipfile.ZipFile(held, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/media/a.bin", b"\0" * 30_000_000)
    assert left_out(counted(tmp_path, {"a.xlsx": held.getvalue()}))["a.xlsx"].startswith("It is packed so tightly")
    monkeypatch.setattr(cell_marks, "LARGEST", 25 * 1024 * 1024)
    assert left_out(counted(tmp_path, {}))["a.xlsx"].startswith("Unpacked it would hold 28 MB; 25 MB are read.")


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("pass_protected.xlsx", "It is locked with a password. Save a copy without one."),
        ("pass_protected.ods", "It is locked with a password. Save a copy without one."),
        ("issue252.xlsx", "It is no spreadsheet that can be read, or it is damaged."),
        ("issue_594_dos.ods", "It is no spreadsheet that can be read, or it is damaged."),
        ("too_small.xls", "It holds no table: no line is divided into columns by ; , | or tabs."),
    ],
)
def test_real_files_that_give_nothing(tmp_path: Path, name: str, sentence: str) -> None:
    assert left_out(counted(tmp_path, {name: (REAL / name).read_bytes()})) == {name: sentence}


def test_every_real_spreadsheet_gives_rows_a_question_or_a_sentence(tmp_path: Path) -> None:
    found = counted(tmp_path, {path.name: path.read_bytes() for path in sorted(REAL.iterdir())})
    about = {one.where.partition(" › ")[0] for one in found.questions}
    silent = {one.file for one in found.sheets if not one.left_out and not one.counted and not one.outside} - about
    assert silent == set()
    assert len({one.file for one in found.sheets}) == len(list(REAL.iterdir()))


def test_what_is_open_in_another_program_is_told(tmp_path: Path) -> None:
    rows = text([HEAD, ("23.11.2026", "A", "5")])
    found = counted(tmp_path, {"a.csv": rows, "~$sales.xlsx": b"x", ".~lock.a.csv#": b"x"})
    assert found.open_elsewhere == ["a.csv is open in LibreOffice", "sales.xlsx is open in Excel"]
    assert totals(found) == {"EUR": "5"}
