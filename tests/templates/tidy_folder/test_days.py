"""Days and senders that files tell of themselves, and hostile ones that tell none."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templates.tidy_folder import made_files as made
from tidy_folder.days import day_in_name, day_of_picture, day_of_properties, leading_day, letter_of

DAY = date(2024, 3, 15)


@pytest.mark.parametrize(
    "stem",
    [
        "2024-03-15 Rechnung", "Rechnung 2024_03_15", "IMG_20240315_101112", "IMG-20240315-WA0001", "Scan 15.03.2024", "15.3.2024",
        "a 2024.03.15 b 2024-03-15", "PXL_20240315",
    ],
)  # fmt: skip
def test_a_day_in_a_name(stem: str) -> None:
    found = day_in_name(stem)
    assert found is not None
    assert found.day == DAY


@pytest.mark.parametrize(
    "stem",
    [
        "03-04-2024", "15/03/2024", "2024-13-40", "120240315", "202403159", "2024-03", "1850-01-01", "2024-03-15 to 2024-04-15", "", "٢٠٢٤",
        "31.02.2024", "2024-03_15",
    ],
)  # fmt: skip
def test_names_that_tell_no_day_or_not_one(stem: str) -> None:
    assert day_in_name(stem) is None


def test_the_day_a_name_begins_with() -> None:
    assert leading_day("2024-03-15 x") == DAY
    assert leading_day("2024-03-15") == DAY
    assert [leading_day(stem) for stem in ("x 2024-03-15", "2024-03-151", "2024-02-30 x", "20240315")] == [None] * 4


@pytest.mark.parametrize("big_endian", [True, False])
def test_pictures(big_endian: bool) -> None:
    block = made.exif(DAY, big_endian=big_endian)
    png = made.png("x")
    webp = b"RIFF\0\0\0\0WEBPVP8 \x03\0\0\0abc\0EXIF" + len(block).to_bytes(4, "little") + block
    in_png = png[:8] + len(block).to_bytes(4, "big") + b"eXIf" + block + b"\0" * 4 + png[8:]
    for data in (made.jpeg("x", DAY, big_endian=big_endian), block, webp, in_png):
        assert day_of_picture(data) == DAY
    assert day_of_picture(made.jpeg("x")) is None


@given(st.binary(max_size=200), st.integers(0, 60), st.integers(0, 255))
def test_no_picture_is_hostile_enough(noise: bytes, at: int, value: int) -> None:
    whole = bytearray(made.jpeg("x", DAY))
    whole[at % len(whole)] = value
    for data in (
        bytes(whole),
        b"\xff\xd8\xff\xe1\xff\xff" + noise,
        b"MM\0*" + noise,
        b"II*\0" + noise,
        b"RIFF" + noise,
    ):
        found = day_of_picture(data)
        assert found is None or isinstance(found, date)


@pytest.mark.parametrize(
    "sender, name",
    [
        ("Lieferant GmbH <a@b.example>", "Lieferant GmbH"),
        ("a@b.example", "b.example"),
        ("=?utf-8?b?TcO8bGxlcg==?= <a@b.example>", "Müller"),
        ('"Doe, Jane" <a@b.example>', "Doe, Jane"),
        ("=?x-unknown?q?abc?= <a@b.example>", "b.example"),
    ],
)
def test_letters(sender: str, name: str) -> None:
    found = letter_of(made.mail(sender, DAY, "x"))
    assert (found.day, found.sender) == (DAY, name)


@pytest.mark.parametrize(
    "head", [b"", b"From: a@b.example\nDate: yesterday\n\n", b"Date: Mon, 99 Foo 2024\nFrom: \xff\xfe\n\n"]
)
def test_broken_letters(head: bytes) -> None:
    assert letter_of(head).day is None


def test_properties() -> None:
    assert day_of_properties(made.pdf("x", DAY)) == DAY
    assert day_of_properties(b"%PDF-1.7 <xmp:CreateDate>2024-03-15T10:00:00Z</xmp:CreateDate>") == DAY
    assert day_of_properties(made.office("word", "x", DAY)) == DAY
    meta = "<meta:creation-date>2024-03-15T10:00:00</meta:creation-date>"
    assert day_of_properties(made.zipped({"meta.xml": meta})) == DAY
    assert [day_of_properties(data) for data in (made.pdf("x"), made.office("xl", "x"), b"PK\x03\x04broken", b"")] == [
        None
    ] * 4
