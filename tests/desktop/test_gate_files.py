"""Files of a gate as the window shows them: names that deceive, both pages of a document, both pictures."""

import base64
import dataclasses
import hashlib
import struct
from collections.abc import Generator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageWriter

from counterfoil.desktop.gate import file_bodies
from counterfoil.desktop.gate.files import describe
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.real_office.pages import NoPage, make_picture
from counterfoil.desktop.tables.view import TableView
from counterfoil.places import bundled
from counterfoil.previews.csv_rows import appended
from counterfoil.previews.grids import Line, TableChange
from counterfoil.previews.preview import FileSeen, Preview
from desktop.conftest import Desk
from desktop.real_home import RowsHome
from views.rows import item, spec

SAMPLE = bundled("workflows") / "pay-invoices" / "sample"


@pytest.fixture
def home(tmp_path: Path) -> Generator[RowsHome]:
    """A home of the test's own."""
    made = RowsHome(tmp_path)
    yield made
    made.close()


def plan_file(home: RowsHome, entry: dict[str, Any]) -> str:
    """A gate with this item as its plan; its id."""
    run = home.rows.run()
    return str(home.ask(run["run_id"], 0, spec(plan=[entry]))["gate_id"])


def write_item(path: str, data: bytes, base: bytes | None = None) -> dict[str, Any]:
    """A plan item that writes a file."""
    args = {"path": path, "data": {"$bytes": base64.b64encode(data).decode()}}
    return item(1, "write_file@1", args, base={path: None if base is None else hashlib.sha256(base).hexdigest()})


def test_names_that_deceive_are_spelled_out(home: RowsHome) -> None:
    """T55 in the window: what hides or turns a name around is seen."""
    moves = [["in/a\u202efdp.xml", "x/b\u200b.xml"], ["in/c\n.xml", "x/d.xml"]]
    seen = home.office.file_of_gate(plan_file(home, item(1, "move_files@1", {"moves": moves})), 1)
    assert seen.moves == (("in/a\\u202efdp.xml", "x/b\\u200b.xml"), ("in/c\\u000a.xml", "x/d.xml"))
    written = write_item("p\u202ey.csv", "id,na\u202eme\n1,\u2066x\n".encode())
    seen = home.office.file_of_gate(plan_file(home, written), 1)
    assert seen.path == "p\\u202ey.csv"
    assert "\u202e" not in str(seen.preview)
    assert "\u2066" not in str(seen.preview)


def test_both_pages_of_a_document_and_both_pictures(home: RowsHome) -> None:
    before = (SAMPLE / "invoices/BW-7741.pdf").read_bytes()
    (Path(home.rows.workspace) / "a.pdf").write_bytes(before)
    gate_id = plan_file(home, write_item("a.pdf", before + b"\n%more", before))
    seen = home.office.file_of_gate(gate_id, 1)
    assert seen.preview is not None
    assert (seen.preview.kind, seen.preview.pages) == ("pages", (1, 1))
    for after in (False, True):
        assert home.office.picture_of_gate(gate_id, 1, after=after, page=1).png.startswith(b"\x89PNG")
    with pytest.raises(NoPage, match="there is no page 2"):
        home.office.picture_of_gate(gate_id, 1, after=True, page=2)
    new = plan_file(home, write_item("b.pdf", before))
    with pytest.raises(NoPage, match="cannot be shown as it was"):
        home.office.picture_of_gate(new, 1, after=False, page=1)


def test_a_picture_is_made_anew_and_no_larger_than_is_looked_at() -> None:
    image = QImage(4000, 100, QImage.Format.Format_RGB32)
    image.fill(0x336699)
    for form in (b"png", b"jpeg", b"bmp"):
        held = QBuffer()
        held.open(QIODevice.OpenModeFlag.WriteOnly)
        assert QImageWriter(held, QByteArray(form)).write(image)
        seen = make_picture(bytes(held.data().data()), f"a.{form.decode()}")
        assert (seen.width, seen.height) == (4000, 100)
        assert QImage.fromData(seen.png).width() == 1600


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + b"\x00" * 100,
        b"\xff\xd8\xff" + b"\x01" * 5000,
        b"GIF89a" + b"\xff" * 20,
        b"BM" + struct.pack("<IHHIIiiHHIIiiII", 100, 0, 0, 54, 40, 2**30, 2**30, 1, 24, 0, 0, 0, 0, 0, 0),
        b"<svg/>",
        b"",
    ],
)
def test_what_is_no_picture_is_said(data: bytes) -> None:
    with pytest.raises(NoPage, match="cannot be shown"):
        make_picture(data, "a.png")


def test_a_card_says_nothing_twice(desk: Desk) -> None:
    """One name that goes or comes is told by the head of its card; rows that are added are counted once."""
    one = FileSeen("old.tmp", "delete", names=("old.tmp",))
    assert file_bodies.is_told_by_its_head(one)
    assert not file_bodies.is_told_by_its_head(dataclasses.replace(one, names=("old.tmp", "old2.tmp")))
    assert not file_bodies.is_told_by_its_head(dataclasses.replace(one, note="It is gone."))
    change = TableChange("", "changed", columns=("a",), added=(Line(2, ("b",)),))
    once = [(words, [words]) for words in ("1 row added.", "A new table of 1 row.")]
    for words, told in (*once, ("1 sheet.", ["1 sheet.", "1 row added"])):
        seen = FileSeen("a.csv", "write", preview=Preview("rows", words, tables=(change,)))
        body = file_bodies.changes(seen, date(2026, 11, 30))
        assert [prose.text() for prose in body.findChildren(Prose) if prose.text()] == told
        assert [table.accessibleName() for table in body.findChildren(TableView)] == ["a.csv, rows added"]
    program = FileSeen("run.sh", "write", bytes_after=19, executable=True)
    assert describe(program) == "New file · 19 B · can be started as a program"


def test_rows_added_twice_to_one_file_are_seen_twice(home: RowsHome) -> None:
    """The second item of a plan adds to what the first one makes, so it is shown after it, not as a file that nobody has."""
    columns = ["Contract", "Parties"]
    rows = [["01 plain.docx", "Brightwater Ltd"]], [["02 table.docx", "Okafor GmbH"], ["03.docx", "Halden AS"]]
    after = appended(appended(None, columns, rows[0]), columns, rows[1])
    plan = [
        item(n, "append_rows@1", {"path": "c.csv", "columns": columns, "rows": added}, base={"c.csv": None})
        for n, added in enumerate(rows, 1)
    ]
    plan[1]["after_digest"] = hashlib.sha256(after).hexdigest()
    run = home.rows.run()
    gate_id = str(home.ask(run["run_id"], 0, spec(plan=plan))["gate_id"])
    first, second = (home.office.file_of_gate(gate_id, n) for n in (1, 2))
    assert describe(first).startswith("New file · ")
    assert describe(second) == f"2 rows added at the end · {first.bytes_after} B before, {len(after)} B after"
    assert second.preview is not None
    assert [line.cells for line in second.preview.tables[0].added] == [tuple(row) for row in rows[1]]


def test_files_that_stay_in_their_folder_get_other_names() -> None:
    names = (("papers/a.jpg", "papers/2026 a.png"), ("papers/b.xls", "papers/b.csv"))
    assert describe(FileSeen("papers/", "move", moves=names, target="papers/")) == "2 files get other names"
    away = (("papers/a.jpg", "old/a.jpg"), *names[1:])
    assert describe(FileSeen("papers/", "move", moves=away, target="old/, papers/")) == "2 files move"
