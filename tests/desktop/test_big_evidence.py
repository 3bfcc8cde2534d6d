"""Evidence of 5,000 rows and of 50 MB: there at once, whole where it matters, bounded where it is only looked at."""

import json
import threading
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QPlainTextEdit

from counterfoil.authoring.codec import canonical
from counterfoil.desktop.gate import looking
from counterfoil.desktop.gate.evidence import TableSection
from counterfoil.desktop.gate.files import FileCard, FilesSection
from counterfoil.desktop.gate.reading import Reading, read
from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.parts.portions import AT_FIRST
from counterfoil.desktop.real_office.long_texts import MOST, load, shortened
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.tables.cells import row_height
from counterfoil.desktop.theme import Theme
from counterfoil.desktop.words.plain import plain
from counterfoil.facts import Verdict
from counterfoil.inbox.deciding import Wish, decide
from desktop.real_home import RowsHome
from desktop.real_window import Seat
from views.rows import item, spec

ROWS = 5_000
MEGABYTE = 1_000_000
IBAN = "GB29 NWBK 6016 1331 9268 19"


def rows_of(count: int) -> dict[str, Any]:
    """A table of payments."""
    rows = [[n, f"Supplier {n} & Sons", IBAN, f"{n}.50", f"invoices/2026/{n:06}.pdf"] for n in range(1, count + 1)]
    rows[count - 3][1] = "The longest name of all suppliers, which stands near the end and needs two lines or three"
    data = {"columns": ["No.", "supplier", "account", "amount", "file"], "rows": rows, "flagged": [3, count - 1]}
    return {"kind": "table@1", "title": "Payments", "data": data, "source": None}


def test_five_thousand_rows_are_made_away_from_the_windows_thread_and_all_there(
    home: RowsHome, theme: Theme, seats: list[Seat], monkeypatch: pytest.MonkeyPatch
) -> None:
    home.ask(home.rows.run()["run_id"], 0, spec(title="Pay", evidence=[rows_of(ROWS)]))
    made_in: list[int] = []

    def watched(seen: GateSeen, today: date) -> Reading:
        made_in.append(threading.get_ident())
        return read(seen, today)

    monkeypatch.setattr(looking, "read", watched)
    seat = Seat(home.rows.home, theme)
    seats.append(seat)
    section = seat.until(
        lambda: next(one for one in seat.detail.page.boxes.values() if isinstance(one, TableSection)), "the table"
    )
    seat.rest(0.3)
    assert set(made_in) != set()
    assert threading.get_ident() not in made_in
    adapter, view = section.adapter, section.table
    assert adapter.rowCount() == ROWS
    assert [line.number for line in adapter.lines[:2]] == [4, ROWS]  # flagged ones first
    texts = {at: adapter.table.columns[at].title for at in range(len(adapter.table.columns))}
    account = next(at for at, title in texts.items() if title == "Account")
    assert {adapter.index(at, account).data() for at in range(0, ROWS, 97)} == {IBAN}
    needed = max(row_height(view.fit, line) for line in adapter.lines)
    assert min(view.rowHeight(at) for at in range(0, ROWS, 31)) >= needed  # also the longest is not cut
    assert view.height() < 1_500  # it scrolls in itself
    for at in (0, ROWS // 2, ROWS - 1):
        view.scrollTo(adapter.index(at, 0))
        view.grab()
        assert view.visualRect(adapter.index(at, 0)).intersects(view.viewport().rect())
    adapter.wanted("longest name of all")
    assert adapter.rowCount() == 1
    adapter.wanted("")
    assert adapter.rowCount() == ROWS


def test_fifty_megabytes_of_text_are_shown_by_their_beginning_and_decided_whole(
    home: RowsHome, theme: Theme, seats: list[Seat]
) -> None:
    line = "A line of a mail that goes “on” and on, \\ number 123456789.\n"
    body = line * (50 * MEGABYTE // len(line))
    big = [{"kind": "text@1", "title": "Mail", "data": body, "source": "mail.eml"}]
    gate = home.ask(home.rows.run()["run_id"], 0, spec(title="Read it", evidence=big))
    seat = Seat(home.rows.home, theme)
    seats.append(seat)
    page = seat.until(
        lambda: next(one for one in seat.detail.page.findChildren(QPlainTextEdit) if one.accessibleName() == "Mail"),
        "the beginning of the text",
    )
    assert page.toPlainText().startswith(line * 10)
    assert len(page.toPlainText()) <= MOST
    held = seat.detail.session.reading.seen.document["evidence"][0]["data"]
    assert len(held) < MOST + 200  # of the rest nothing is kept in memory
    assert "The seal covers all of them.]" in held
    assert seat.detail.session.reading.digest == gate["digest"]
    made = decide(home.rows.database, home.rows.blobs, gate["gate_id"], Wish(Verdict.APPROVED, "user:ben"))
    assert made.digest == gate["digest"]


@pytest.mark.parametrize(
    "piece, shown",
    [
        ("x", "x"),
        ("\x1b]52;c;QQ==\x07\x1b]0;own\x07", "␛]52;c;QQ==␇␛]0;own␇"),
        ("\x1b]8;;a\x07b\x9b2J\r", "␛]8;;a␇b‹U+009B›2J␍"),
    ],
)
def test_a_line_without_end_and_what_moves_terminals_are_shown_as_signs(
    home: RowsHome, theme: Theme, seats: list[Seat], piece: str, shown: str
) -> None:
    big = [{"kind": "text@1", "title": "Output", "data": piece * 100_000, "source": "the program"}]
    home.ask(home.rows.run()["run_id"], 0, spec(title="Read it", evidence=big))
    seat = Seat(home.rows.home, theme)
    seats.append(seat)
    page = seat.until(
        lambda: next(one for one in seat.detail.page.findChildren(QPlainTextEdit) if one.accessibleName() == "Output"),
        "the output",
    )
    lines = page.toPlainText().split("\n")
    assert lines[0].startswith(shown * 3)
    assert max(map(len, lines)) <= 2_002, "no line takes long to be laid out"
    told = lines[0] + "".join(line.removeprefix("↪ ") for line in lines[1:-1])
    assert told == (shown * 100_000)[: len(told)]


def test_a_text_of_which_only_the_beginning_is_shown_cannot_be_changed(home: RowsHome) -> None:
    args = {"to": ["a@b.example"], "subject": "Hello", "body": "x" * (5 * MOST)}
    plan = [{**item(1, "mail@1", args, summary="Send"), "editable": ["subject", "body"]}]
    gate = home.ask(home.rows.run()["run_id"], 0, spec(title="Send it", plan=plan))
    office = RealOffice(home.rows.home)
    assert office.gate(gate["gate_id"]).editable == {1: ("subject",)}
    office.close()


def test_of_many_files_the_first_are_shown_and_more_when_somebody_asks(
    home: RowsHome, theme: Theme, seats: list[Seat]
) -> None:
    sha = home.rows.blobs.put(b"x")
    data = {"$blob": sha, "size": 1}
    plan = [
        item(n, "write_file@1", {"path": f"{n:03}.txt", "data": data}, summary=f"Write {n:03}.txt")
        for n in range(1, 101)
    ]
    home.ask(home.rows.run()["run_id"], 0, spec(title="Write them", plan=plan))
    seat = Seat(home.rows.home, theme)
    seats.append(seat)
    seat.until(lambda: seat.detail.bar.primary.text().strip() == "Approve 100 files", "it can be decided")
    files = next(one for one in seat.detail.page.boxes.values() if isinstance(one, FilesSection)).portions
    assert len(files.findChildren(FileCard)) == AT_FIRST
    assert files.more.text() == "Show 30 more files"
    seat.click(files.more)
    seat.until(lambda: len(files.findChildren(FileCard)) == 2 * AT_FIRST, "more of them")
    assert files.findChildren(FileCard)[AT_FIRST].hasFocus()
    assert seat.detail.bar.primary.isEnabled()


def test_a_file_and_an_attachment_of_fifty_megabytes_are_told_by_name_and_size(
    home: RowsHome, theme: Theme, seats: list[Seat]
) -> None:
    data = b"x" * (50 * MEGABYTE)
    sha = home.rows.blobs.put(data)
    attached = {"name": "scan.tiff", "data": {"$blob": sha, "size": len(data)}}
    plan = [
        item(
            1, "write_file@1", {"path": "big.bin", "data": {"$blob": sha, "size": len(data)}}, summary="Write big.bin"
        ),
        item(
            2,
            "mail@1",
            {"to": ["a@b.example"], "subject": "Hello", "body": "Line\n" * 50_000, "attachments": [attached]},
        ),
    ]
    home.ask(home.rows.run()["run_id"], 0, spec(title="Send it", plan=plan))
    seat = Seat(home.rows.home, theme)
    seats.append(seat)
    seat.until(lambda: seat.detail.session and not seat.detail.session.loading, "the files are told")
    seat.until(seat.detail.bar.primary.isEnabled, "it can be decided")
    seat.listen()
    said = "\n".join(seat.said)
    assert "50.0 MB" in said
    assert "scan.tiff" in said
    letter = next(one for one in seat.detail.page.findChildren(QPlainTextEdit) if one.accessibleName() == "Body")
    assert letter.toPlainText().startswith("Line\nLine\n")


# -------------------------------------------------------------------------------------------------------- cutting texts


@given(
    st.recursive(
        st.text(max_size=60) | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_texts_that_are_short_enough_stay_what_they_are(value: Any) -> None:
    written = canonical(value)
    assert json.loads(shortened(written, 2_000)) == value
    assert json.loads(shortened(json.dumps(value), 2_000)) == value


@given(
    st.lists(
        st.text(alphabet=st.sampled_from(['"', "\\", "\n", "a", "é", "\U0001f3ed", "\u2028"]), max_size=80), max_size=6
    ),
    st.integers(20, 50),
)
def test_a_text_that_is_cut_is_a_beginning_and_the_rest_stays(texts: list[str], most: int) -> None:
    for written in (json.dumps(texts), canonical(texts)):
        cut = json.loads(shortened(written, most))
        assert len(cut) == len(texts)
        for now, before in zip(cut, texts, strict=True):
            beginning, mark, signs = now.rpartition("\ue0f0")
            assert now == before or (
                before.startswith(beginning) and mark and signs.isdigit() and len(beginning) <= most
            )


def test_what_was_cut_says_so_and_how_long_it_is() -> None:
    told = load(json.dumps({"a": "x" * (5 * MOST), "b": ["short", 1]}))
    assert told["b"] == ["short", 1]
    assert told["a"].startswith("x" * MOST)
    assert told["a"].endswith("\n[The first 200,000 of about 1,000,000 signs. The seal covers all of them.]")


def test_long_texts_are_made_safe_line_by_line() -> None:
    text = "\n".join(["fine\twith a tab" * 20, "turned\u202e", "x" * 300, "bell\x07"])
    safe = plain(text, lines=True)
    assert safe.split("\n") == ["fine\twith a tab" * 20, "turned‹U+202E›", "x" * 300, "bell␇"]
