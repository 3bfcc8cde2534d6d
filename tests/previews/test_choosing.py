"""Every kind of file gets the preview that fits what it holds; whatever the bytes are, the answer is a preview and ends in time."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as some
from reportlab.pdfgen.canvas import Canvas

from counterfoil.previews import choosing
from counterfoil.previews.choosing import preview
from counterfoil.previews.confined import NoAnswer
from previews.books import xlsx

PNG = b"\x89PNG\r\n\x1a\n" + b"\x00" * 40


def pdf(*pages: str) -> bytes:
    """A PDF with a line on each page."""
    held = io.BytesIO()
    canvas = Canvas(held)
    for words in pages:
        canvas.drawString(72, 700, words)
        canvas.showPage()
    canvas.save()
    return held.getvalue()


@pytest.mark.parametrize(
    "path, before, after, kind, words",
    [
        ("a.txt", b"one\ntwo\n", b"one\n2\n", "text", "1 line added, 1 line removed."),
        ("a.txt", None, b"one\ntwo\n", "text", "A new text of 2 lines."),
        ("a.txt", b"one\n", None, "text", "The file is removed: 4 bytes."),
        ("a.txt", b"one\r\n", b"one\n", "text", "No line differs; only line endings or an encoding mark do."),
        ("a.csv", b"id,n\n1,2\n", b"id,n\n1,3\n4,5\n", "rows", "1 cell changed, 1 row added."),
        ("a.csv", None, b"id,n\n1,3\n", "rows", "A new table of 1 row."),
        ("a.csv", b"id,n\n1,2\n", b"id,n\r\n1,2\r\n", "rows", "No cell differs; only how the file is written does."),
        ("a.csv", None, b"just words\n", "text", "A new text of 1 line."),
        ("bank.xls", b"id;n\n1;2\n", b"id;n\n1;3\n", "rows", "1 cell changed."),
        ("a.xml", b"<a>1</a>", b"<a>2</a>", "text", "1 line added, 1 line removed."),
        ("a.png", None, PNG, "picture", "A new picture."),
        ("a.png", PNG, PNG + b"\x01", "picture", "The picture changed."),
        ("a.png", None, b"no picture\n", "text", "A new text of 1 line."),
        ("a.bin", b"\x00\x01", b"\x00\x02\x03", "bytes", "The bytes differ: 2 bytes before, 3 bytes now."),
        ("a.bin", None, b"\x00", "bytes", "A new file of 1 byte."),
        ("a.bin", b"\x00\x00", None, "bytes", "The file is removed: 2 bytes."),
        ("a", b"same", b"same", "bytes", "Every byte stays as it is."),
    ],
)
def test_a_preview_for_every_kind(path: str, before: bytes | None, after: bytes | None, kind: str, words: str) -> None:
    made = preview(path, before, after)
    assert (made.kind, made.words) == (kind, words)
    assert json.loads(json.dumps(made.to_json()))["kind"] == kind


def test_text_that_becomes_something_else_says_so() -> None:
    assert preview("a.txt", b"text\n", b"\x00\x01").note == "It was text and is not any more."


def test_pages_are_counted_and_their_words_compared() -> None:
    made = preview("a.pdf", pdf("Pay 100 EUR", "End"), pdf("Pay 900 EUR", "End", "More"))
    assert (made.kind, made.words, made.pages) == ("pages", "2 → 3 pages; words on them changed.", (2, 3))
    assert [line.text for line in made.lines if line.sign == "+"] == ["Pay 900 EUR", "— page 3 —", "More"]
    assert preview("a.pdf", None, pdf("x")).words == "A new PDF of 1 page."
    assert preview("a.pdf", pdf("x"), pdf("x") + b"\n").words == "1 page; the words on them are the same."
    assert preview("a.pdf", b"old text\n", pdf("x")).words == "A PDF of 1 page takes the place of something else."


def test_a_broken_pdf_is_bytes_with_a_reason() -> None:
    made = preview("a.pdf", None, b"%PDF-1.7\nnothing")
    assert (made.kind, made.note) == ("bytes", "It is no PDF, or a broken one.")


def test_what_is_too_large_is_not_even_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "LARGEST", 100)
    monkeypatch.setattr(choosing, "answer_of", None)
    made = preview("a.xlsx", None, xlsx({"S": [[1]]}))
    assert made.kind == "bytes"
    assert "are not compared" in made.note


@pytest.mark.parametrize(
    "said", [b"", b"[]", b"{}", b'{"tables": 3, "sheets": 1, "note": ""}', b'{"tables": [{}]}', b"\xff"]
)
def test_a_child_that_says_anything_else_is_not_believed(monkeypatch: pytest.MonkeyPatch, said: bytes) -> None:
    monkeypatch.setattr(choosing, "answer_of", lambda *_: said)
    made = preview("a.xlsx", None, xlsx({"S": [[1]]}))
    assert made.kind == "bytes"
    assert made.note.startswith("It cannot be compared")


def test_a_child_that_takes_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(*_: object) -> bytes:
        raise NoAnswer("it took longer than 30 s")

    monkeypatch.setattr(choosing, "answer_of", slow)
    assert preview("a.pdf", None, pdf("x")).note == "It cannot be compared: it took longer than 30 s."


@given(
    some.sampled_from(["a.csv", "a.txt", "a.tsv", "a", "a.png", "a.xls", "a.\udcff"]),
    some.none() | some.binary(max_size=400),
    some.none() | some.binary(max_size=400),
)
def test_no_bytes_make_it_raise(path: str, before: bytes | None, after: bytes | None) -> None:
    json.dumps(preview(path, before, after).to_json())


@given(
    some.text(alphabet=',;\t|"\n\r ab1\u202e', max_size=300), some.text(alphabet=',;\t|"\n\r ab1\u202e', max_size=300)
)
def test_no_text_makes_a_table_raise(before: str, after: str) -> None:
    made = preview("a.csv", before.encode(), after.encode())
    assert "\u202e" not in json.dumps(made.to_json(), ensure_ascii=False)
