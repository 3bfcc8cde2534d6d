"""What a file is by its contents; its name is never believed."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from templates.tidy_folder import made_files as made
from tidy_folder import kinds
from tidy_folder.kinds import HEAD, Kind, disguised, ending_of, fits, kind_of

SAMPLES = Path(__file__).parents[2] / "samples"
DAY = date(2024, 3, 15)
EVERY = {
    kinds.PDF: made.pdf("x"),
    kinds.WORD: made.office("word", "x"),
    kinds.SHEET: made.office("xl", "x"),
    kinds.SLIDES: made.office("ppt", "x"),
    kinds.MACROS: made.office("word", "x", macros=True),
    kinds.ODT: made.open_document("text", "x"),
    kinds.ODS: made.open_document("spreadsheet", "x"),
    kinds.ODP: made.open_document("presentation", "x"),
    kinds.EPUB: made.zipped({}, stored_first="application/epub+zip"),
    kinds.PACKAGE: made.zipped({"[Content_Types].xml": "", "visio/x.xml": ""}),
    kinds.JAVA: made.zipped({"META-INF/MANIFEST.MF": ""}),
    kinds.ZIP: made.zipped({"a.txt": "x"}),
    kinds.OLD_WORD: made.compound("WordDocument", "x"),
    kinds.OLD_SHEET: made.compound("Workbook", "x"),
    kinds.OLD_SLIDES: made.compound("PowerPoint Document", "x"),
    kinds.OUTLOOK: made.compound("__properties_version1.0", "x"),
    kinds.LOCKED_OFFICE: made.compound("EncryptedPackage", "x"),
    kinds.COMPOUND: made.compound("Something", "x"),
    kinds.PNG: made.png("x"),
    kinds.JPEG: made.jpeg("x"),
    kinds.GIF: made.GIF,
    kinds.WEBP: made.WEBP,
    kinds.TIFF: made.TIFF,
    kinds.BMP: made.BMP,
    kinds.HEIF: made.HEIC,
    kinds.MP3: made.MP3,
    kinds.MP4: made.MP4,
    kinds.WAV: made.WAV,
    kinds.RTF: made.RTF,
    kinds.SEVEN: made.SEVEN,
    kinds.GZIP: made.GZIP,
    kinds.SQLITE: made.SQLITE,
    kinds.SHORTCUT: made.SHORTCUT,
    kinds.PROGRAM: made.program("x"),
    kinds.SCRIPT: b"#!/bin/sh\necho\n",
    kinds.MAIL: made.mail("a@b.example", DAY, "x"),
    kinds.XML: b"<?xml version='1.0'?>\n<a/>",
    kinds.SVG: b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    kinds.HTML: b"\xef\xbb\xbf \n<!DOCTYPE html><p>x",
    kinds.CSV: made.XLS_EXPORT,
    kinds.TEXT: "Grüße\nund mehr".encode(),
}


@pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.title)
def test_every_kind_is_known_by_what_it_holds(kind: Kind) -> None:
    assert kind_of(EVERY[kind], whole=True) is kind


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x01\x02\x00\x03\xfe\xff\x00",
        b"\0" * 100,
        b"RIFF1234NONE",
        b"\xca\xfe\xba\xbe",
        b"\x80\x81\0" * 50,
    ],
)
def test_what_is_not_known_has_no_kind(data: bytes) -> None:
    assert kind_of(data, whole=True) is None


def test_of_a_large_zip_the_beginning_does_not_say_what_it_is() -> None:
    large = made.office("word", "x" * 2 * HEAD)
    assert kind_of(large[:HEAD], whole=False) is None
    assert kind_of(large, whole=True) is kinds.WORD
    assert kind_of(made.png("x" * 2 * HEAD)[:HEAD], whole=False) is kinds.PNG


@pytest.mark.parametrize(
    "text, kind",
    [
        (b"MZ is how this text begins\nand goes on\n", kinds.TEXT),
        (b"BM is the beginning\nof a text\n", kinds.TEXT),
        (b"name: x\ncolour: y\n", kinds.TEXT),
        (b"a;b\n1;2\n3;4\n", kinds.CSV),
        (b"a;b\n1;2;3\n", kinds.TEXT),
        ("a;b\n1;2\n".encode("utf-16"), kinds.CSV),
        ("Müller;1\nGröße;2\n".encode("cp1252"), kinds.CSV),
        (b"From a@b Mon\nReceived: x\nDate: y\nFrom: z\n\nx", kinds.MAIL),
        (b"Subject: a list of\nthings to do\n", kinds.TEXT),
    ],
)
def test_texts_are_told_apart(text: bytes, kind: Kind) -> None:
    assert kind_of(text, whole=True) is kind


@pytest.mark.parametrize(
    "kind, ending, fine, hides",
    [
        (kinds.PDF, "pdf", True, False),
        (kinds.PDF, "docx", False, False),
        (kinds.PDF, "", False, False),
        (kinds.PDF, "blob", True, False),
        (kinds.CSV, "log", True, False),
        (kinds.CSV, "xls", False, False),
        (kinds.XML, "txt", True, False),
        (kinds.HTML, "xls", False, False),
        (kinds.HTML, "pdf", False, True),
        (kinds.PROGRAM, "pdf", False, True),
        (kinds.PROGRAM, "exe", True, False),
        (kinds.PROGRAM, "", False, False),
        (kinds.SCRIPT, "jpg", False, True),
        (kinds.SCRIPT, "txt", False, True),
        (kinds.MACROS, "docx", False, True),
        (kinds.MACROS, "docm", True, False),
        (kinds.LOCKED_OFFICE, "xlsx", True, False),
        (kinds.RTF, "doc", True, False),
        (kinds.PNG, "jpg", False, False),
    ],
)
def test_endings(kind: Kind, ending: str, fine: bool, hides: bool) -> None:
    assert (fits(kind, ending), disguised(kind, ending)) == (fine, hides)


def test_what_counts_as_an_ending() -> None:
    assert [ending_of(name) for name in ("a.PDF", "a", ".hidden", "a.b.c", "a.", "v1.2 final", "a.größe", "x.tar.gz")] == [
        "pdf", "", "", "c", "", "", "", "gz",
    ]  # fmt: skip


def test_real_files_are_what_they_are_called() -> None:
    """Every sample of other people's that is not broken on purpose, or named wrongly by its maker."""
    wrong = {}
    for file in sorted(path for path in SAMPLES.rglob("*") if path.is_file()):
        data = file.read_bytes()
        kind = kind_of(data, whole=True)
        ending = ending_of(file.name)
        if data and kind is not None and not fits(kind, ending):
            wrong[file.name] = kind.title
    assert wrong == KNOWN_WRONG


KNOWN_WRONG = {"too_small.xls": "text", "test_swedebank_statement.xls": "text"}  # an error message; rows of a bank
