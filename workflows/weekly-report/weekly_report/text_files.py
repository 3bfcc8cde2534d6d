"""Tables in text files: which letters the bytes mean, and what stands between the cells. Nothing is taken from this computer's settings."""

from __future__ import annotations

import csv
import io

from weekly_report.grids import Cell, Grid, Refusal
from weekly_report.vocabulary import known_words

DELIMITERS = (";", ",", "\t", "|")
MOST_ROWS = 100_000
_MOST_COLUMNS = 500
_SAMPLE = 200  # rows that tell the delimiter


def open_text(file: str, data: bytes) -> Grid:
    """The rows of a text file with delimiters.

    Raises:
        Refusal: it is no text, or no table.
    """
    text, note = _decoded(data)
    delimiter = _delimiter(text)
    if not delimiter:
        raise Refusal("It holds no table: no line is divided into columns by ; , | or tabs.")
    rows: dict[int, list[Cell]] = {}
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    before = 0  # lines of the file that earlier rows took
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                rows[line] = list[Cell](cells[:_MOST_COLUMNS])
            if len(rows) > MOST_ROWS:
                raise Refusal(f"It has more than {MOST_ROWS:,} rows. Divide it, for example by month.")
    except csv.Error as problem:
        raise Refusal(f"It cannot be read as a table from line {before + 1} on ({problem}).") from problem
    return Grid(file, "", rows, remark=note)


def _decoded(data: bytes) -> tuple[str, str]:
    """The text, and a sentence where its letters had to be guessed."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _strictly(data, "utf-16"), ""
    if b"\x00" in data[:4096]:
        raise Refusal("It is no text and no spreadsheet that is known.")
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        # the same bytes are other letters in the west and the middle of Europe; figures and dates are the same in both
        encoding = max(("cp1252", "cp1250"), key=lambda one: known_words(data[:20_000].decode(one, "replace")))
        return data.decode(encoding, "replace"), f"Its letters are not UTF-8; they are read as {encoding}."


def _strictly(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as problem:
        raise Refusal(f"It says that it is {encoding.upper()} and is not.") from problem


def _delimiter(text: str) -> str:
    """The one that divides the most lines into the same number of columns, counting columns; "" where none does."""
    found, most = "", 0
    for delimiter in DELIMITERS:
        widths: dict[int, int] = {}
        try:
            for number, row in enumerate(csv.reader(io.StringIO(text[:500_000], newline=""), delimiter=delimiter)):
                if 1 < len(row) <= _MOST_COLUMNS and any(row):
                    widths[len(row)] = widths.get(len(row), 0) + 1
                if number >= _SAMPLE:
                    break
        except csv.Error:
            continue
        score = max((lines * (width - 1) for width, lines in widths.items()), default=0)
        if score > most:
            found, most = delimiter, score
    return found
