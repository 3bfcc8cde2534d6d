"""Spreadsheets before and after, read by a child that may do nothing else; hostile ones cost a sentence and no more."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from counterfoil.previews.choosing import preview
from counterfoil.previews.confined import NoAnswer, answer_of
from counterfoil.previews.preview import Preview
from house.repository import ROOT
from previews.books import bomb, sheet, with_entities, xlsx

SAMPLES = Path(__file__).resolve().parents[1] / "samples/spreadsheets/calamine"
BOOK = xlsx(
    {"Payments": [["supplier", "amount"], ["Halden", 100.5], ["Okafor", 250], ["Total", ("SUM(B2:B3)", 350.5)]]}
)
UNREADABLE = {"issue252.xlsx", "issue_385.xls", "issue_594_dos.ods", "pass_protected.ods", "pass_protected.xlsx"}


def cells(made: Preview) -> list[tuple[str, str, str, str]]:
    return [(table.name, cell.at, cell.before, cell.after) for table in made.tables for cell in table.changed]


def test_a_value_and_the_total_that_follows_from_it() -> None:
    after = xlsx(
        {"Payments": [["supplier", "amount"], ["Halden", 100.5], ["Okafor", 999], ["Total", ("SUM(B2:B3)", 1099.5)]]}
    )
    made = preview("pay.xlsx", BOOK, after)
    assert (made.kind, made.words, made.note) == ("cells", "2 cells changed.", "")
    assert cells(made) == [
        ("Payments", "B3", "250", "999"),
        ("Payments", "B4", "350.5 (=SUM(B2:B3))", "1099.5 (=SUM(B2:B3))"),
    ]


def test_a_formula_that_gives_the_same_value_is_a_change() -> None:
    after = xlsx(
        {"Payments": [["supplier", "amount"], ["Halden", 100.5], ["Okafor", 250], ["Total", ("B2+250", 350.5)]]}
    )
    assert cells(preview("pay.xlsx", BOOK, after)) == [
        ("Payments", "B4", "350.5 (=SUM(B2:B3))", "350.5 (=B2+250)")
    ]  # fmt: skip


def test_a_formula_that_was_never_worked_out_is_shown_by_itself() -> None:
    made = preview("a.xlsx", xlsx({"S": [[1]]}), xlsx({"S": [[1], ["=A1*2"]]}))
    assert made.tables[0].added[0].cells == ("=A1*2",)


def test_rows_and_sheets_that_come_and_go() -> None:
    before = xlsx({"A": [["x", 1], ["y", 2], ["z", 3]], "Old": [[1]]})
    after = xlsx({"A": [["x", 1], ["new", 9], ["y", 2], ["z", 3]], "Secret": [["here", 1]]}, hidden=["Secret"])
    made = preview("a.xlsx", before, after)
    assert made.words == (
        "2 rows added, 1 row removed on 3 sheets, sheet “Secret (hidden)” is new, sheet “Old” is removed."
    )
    assert [(table.name, table.what, table.notes) for table in made.tables] == [
        ("A", "", ()),
        ("Secret (hidden)", "new", ("It is hidden.",)),
        ("Old", "removed", ()),
    ]


def test_true_is_not_one() -> None:
    assert cells(preview("a.xlsx", xlsx({"S": [["paid", True]]}), xlsx({"S": [["paid", 1]]}))) == [
        ("S", "B1", "TRUE", "1")
    ]


def test_bytes_that_differ_in_no_cell_are_said_so() -> None:
    made = preview("a.xlsx", xlsx({"S": [[1]]}), xlsx({"S": [[1]]}, more={"xl/styles.xml": b"<styleSheet/>"}))
    assert (made.words, made.tables) == ("No cell differs; formats or other parts of the file do.", ())


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLES.iterdir()))
def test_files_of_others_are_read_or_refused_with_a_sentence(name: str) -> None:
    data = (SAMPLES / name).read_bytes()
    made = preview(name, None, data)
    if name in UNREADABLE:
        assert made.kind == "bytes"
        assert made.note == "The new file is locked with a password, or is no spreadsheet that can be read."
    elif name == "too_small.xls":
        assert made.kind == "text"
    else:
        assert made.kind == "cells"
    changed = preview(name, data, data + b"\x00")
    assert changed.kind in ("cells", "bytes", "text")


@pytest.mark.parametrize("ending", ["csv", "txt", "png", "pdf", "xml", "docx", "", "XLSX "])
def test_a_workbook_under_another_name_is_told_by_what_it_holds(ending: str) -> None:
    """Every previewer is given every sample: the name says nothing of what the bytes are."""
    told = {}
    for sample in sorted(SAMPLES.iterdir()):
        data = sample.read_bytes()
        made = preview(f"{sample.stem}.{ending}", None, data)
        told[sample.name] = made.kind
        assert made.words
        assert made.kind in ("cells", "bytes", "text", "rows"), sample.name
    assert set(told.values()) != {"text"}


def test_a_file_that_unpacks_to_gigabytes_is_given_up() -> None:
    made = preview("bomb.xlsx", xlsx({"S": [[1]]}), bomb())
    assert made.kind == "bytes"
    assert made.note in (
        "It cannot be compared: it needs more memory or time than a preview is given.",
        "It needs more memory than a preview is given.",
    )


def test_entities_open_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("canary")
    made = preview("a.xlsx", xlsx({"S": [[1]]}), with_entities(str(secret)))
    assert "canary" not in str(made)
    assert "lollol" not in str(made)


def test_a_million_rows_are_compared_or_told() -> None:
    rows = b"".join(b'<row r="%d"><c r="A%d"><v>%d</v></c></row>' % (n, n, n) for n in range(1, 1_000_001))
    book = sheet([]).replace(b"<sheetData>", b"<sheetData>" + rows)
    before, after = xlsx({"S": book}), xlsx({"S": book.replace(b"<v>777777</v>", b"<v>5</v>")})
    made = preview("big.xlsx", before, after)
    assert cells(made) == [("S", "A777777", "777777", "5")] or made.note


def test_a_sheet_with_a_cell_in_the_last_corner_is_told_and_not_read() -> None:
    far = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    made = preview(
        "a.xlsx", xlsx({"S": [[1]]}), xlsx({"S": sheet([[1]]).replace(b"</sheetData>", far.encode() + b"</sheetData>")})
    )
    assert made.kind == "bytes" or "too many to compare" in str(made.tables[0].notes)


# ------------------------------------------------------------------------------------------------------- the child


def confined(code: str) -> subprocess.CompletedProcess[str]:
    """What code comes to in a process that has confined itself as the reader does."""
    script = f"import ctypes, os, socket, sys\nfrom counterfoil.previews.reader import confine\nconfine()\n{code}"
    env = {**os.environ, "PYTHONPATH": str(ROOT / "app")}
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=env)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are Linux's")
@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/hostname')",
        "os.listdir('/')",
        "open('/tmp/counterfoil-reader-was-here', 'w')",
        "os.execv('/bin/true', ['true'])",
        "socket.socket()",
        "socket.socket(socket.AF_UNIX)",
        "os.kill(os.getppid(), 0)",
    ],
)
def test_the_child_can_open_nothing_start_nothing_and_reach_nobody(code: str) -> None:
    done = confined(code)
    assert done.returncode == 1, done
    assert "PermissionError" in done.stderr or "OSError" in done.stderr, done.stderr
    assert not Path("/tmp/counterfoil-reader-was-here").exists()


def test_a_child_that_takes_too_much_ends() -> None:
    assert confined("x = bytearray(3_000_000_000)").returncode != 0


def test_a_child_without_an_answer_is_told() -> None:
    with pytest.raises(NoAnswer, match="more memory or time"):
        answer_of("counterfoil.previews.reader", ["workbook"], b"short")
