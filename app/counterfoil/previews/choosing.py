"""Which preview a file gets: by what it holds first, then by its name. Whatever the bytes are, the answer is a Preview and no exception."""

from __future__ import annotations

import json
import logging
import struct
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import Any

from counterfoil.previews import delimited, texts
from counterfoil.previews.confined import NoAnswer, answer_of
from counterfoil.previews.grids import Cell, Line, TableChange
from counterfoil.previews.preview import Preview

LARGEST = 30_000_000  # bytes of a file that is given to a reader of its kind
_READER = "counterfoil.previews.reader"
_NOTHING = 2**64 - 1
_SHEETS = frozenset(".xlsx .xlsm .xltx .xltm .xlsb .xls .ods .fods".split())
_TABLES = frozenset({".csv", ".tsv", ".tab", ".psv"})
_PICTURES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"BM",
    b"RIFF",
    b"II*\x00",
    b"MM\x00*",
)
_PICTURE_NAMES = frozenset(".png .jpg .jpeg .gif .bmp .webp .tif .tiff".split())
_log = logging.getLogger(__name__)


def preview(path: str, before: bytes | None, after: bytes | None, *, patient: bool = True) -> Preview:
    """How a file's change looks to people; None is a file that is not there. Never raises, and ends within PATIENCE of `confined`.

    Without `patient` nothing is done that needs a reader of its own: spreadsheets and PDFs are told by their sizes.
    """
    if before == after:
        return Preview("bytes", "Every byte stays as it is.")
    try:
        return _preview(path, before, after, patient=patient)
    except Exception:  # noqa: BLE001 - a preview is never a reason not to show the rest
        _log.info("no preview of a file of %d bytes", len(after or b""), exc_info=True)
        return _bytes(before, after, "It could not be compared.")


def _preview(path: str, before: bytes | None, after: bytes | None, *, patient: bool) -> Preview:
    ending = PurePosixPath(path).suffix.lower()
    if after is None:
        return _removed(before or b"")
    is_pages, is_book = b"%PDF-" in after[:1024], ending in _SHEETS and not _is_plain(after)
    if (is_pages or is_book) and not patient:
        return _bytes(before, after, "It is not compared here, because there are many files. The window compares it.")
    if is_pages:
        return _asked("pages", before, after, _pages)
    if is_book:
        return _asked("workbook", before, after, _workbook)
    if ending in _PICTURE_NAMES and after.startswith(_PICTURES):
        return Preview("picture", "A new picture." if before is None else "The picture changed.")
    old = texts.text_of(before)
    new = _text(after)
    if new is None or (before is not None and old is None):
        note = "It was text and is not any more." if old is not None else ""
        return _bytes(before, after, note)
    if ending in _TABLES or (ending in _SHEETS and _is_plain(after)):
        table = delimited.compare_tables(old, new)
        if table is not None:
            return _rows(table)
    return _lines(old, new)


def _is_plain(data: bytes) -> bool:
    """Whether what is named like a spreadsheet is a text: some banks call their CSV files .xls."""
    return not data.startswith((b"PK", b"\xd0\xcf\x11\xe0")) and texts.text_of(data) is not None


def _text(data: bytes) -> str | None:
    return texts.text_of(data)


def _lines(old: str | None, new: str) -> Preview:
    lines = tuple(texts.compare(old, new))
    added, removed = texts.counts(old, new)
    if old is None:
        words = f"A new text of {_counted(added, 'line')}."
    elif not added and not removed:
        words = "No line differs; only line endings or an encoding mark do."
    else:
        words = f"{_counted(added, 'line')} added, {_counted(removed, 'line')} removed."
    note = (
        f"The first {texts.MOST_LINES:,} lines of the comparison are shown." if len(lines) >= texts.MOST_LINES else ""
    )
    return Preview("text", words, note, lines=lines)


def _rows(table: TableChange) -> Preview:
    if table.what == "new":
        rows = len(table.added) + table.more
        return Preview("rows", f"A new table of {_counted(rows, 'row')}.", _more([table]), (table,))
    words = _changes([table]) or "No cell differs; only how the file is written does."
    return Preview("rows", words, _more([table]), (table,))


def _removed(data: bytes) -> Preview:
    lines = tuple(texts.compare(texts.text_of(data), None))
    words = f"The file is removed: {_counted(len(data), 'byte')}."
    return Preview("text" if lines else "bytes", words, lines=lines)


def _bytes(before: bytes | None, after: bytes | None, note: str = "") -> Preview:
    now = _counted(len(after or b""), "byte")
    if before is None:
        return Preview("bytes", f"A new file of {now}.", note)
    return Preview("bytes", f"The bytes differ: {_counted(len(before), 'byte')} before, {now} now.", note)


# ------------------------------------------------------------------------------------------------- read by a child


def _asked(
    kind: str, before: bytes | None, after: bytes, rule: Callable[[Mapping[str, Any], bytes | None], Preview]
) -> Preview:
    """What the reader of a kind says of both files; sizes and its reason where it says nothing."""
    if max(len(before or b""), len(after)) > LARGEST:
        return _bytes(before, after, f"Files of more than {LARGEST // 1_000_000} MB are not compared.")
    lengths = struct.pack("<QQ", _NOTHING if before is None else len(before), len(after))
    try:
        said = json.loads(answer_of(_READER, [kind], lengths + (before or b"") + after))
        if "problem" in said:
            return _bytes(before, after, str(said["problem"]))
        return rule(said, before)
    except NoAnswer as problem:
        return _bytes(before, after, f"It cannot be compared: {problem}.")
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        return _bytes(before, after, f"It cannot be compared ({type(problem).__name__}).")


def _workbook(said: Mapping[str, Any], before: bytes | None) -> Preview:
    tables = [_table(one) for one in said["tables"]]
    if before is None:
        rows = sum(len(table.added) + table.more for table in tables)
        words = f"A new spreadsheet: {_counted(int(said['sheets']), 'sheet')}, {_counted(rows, 'row')}."
    else:
        words = _changes(tables) or "No cell differs; formats or other parts of the file do."
    return Preview("cells", words, f"{_more(tables)} {said['note']}".strip(), tuple(tables))


def _table(said: Mapping[str, Any]) -> TableChange:
    return TableChange(
        name=str(said["name"]),
        what=str(said["what"]),
        columns=tuple(map(str, said["columns"])),
        added=tuple(Line(int(number), tuple(map(str, cells))) for number, cells in said["added"]),
        removed=tuple(Line(int(number), tuple(map(str, cells))) for number, cells in said["removed"]),
        changed=tuple(Cell(*(str(one[key]) for key in ("at", "column", "before", "after"))) for one in said["changed"]),
        more=int(said["more"]),
        notes=tuple(map(str, said["notes"])),
    )


def _pages(said: Mapping[str, Any], before: bytes | None) -> Preview:
    was, now = said["before"], said["after"]
    text = str(now["text"])
    pages = (int(was["pages"]) if was else None, int(now["pages"]))
    lines = tuple(texts.compare(str(was["text"]) if was else None, text)) if before is not None and was else ()
    if before is None:
        return Preview("pages", f"A new PDF of {_counted(pages[1], 'page')}.", pages=pages)
    if was is None:
        return Preview(
            "pages", f"A PDF of {_counted(pages[1], 'page')} takes the place of something else.", pages=pages
        )
    same = all(line.sign in " …" for line in lines)
    count = f"{pages[0]} → {_counted(pages[1], 'page')}" if pages[0] != pages[1] else _counted(pages[1], "page")
    words = f"{count}; the words on them are the same." if same else f"{count}; words on them changed."
    return Preview("pages", words, lines=() if same else lines, pages=pages)


# ---------------------------------------------------------------------------------------------------------- in words


def _changes(tables: list[TableChange]) -> str:
    """`3 cells changed, 1 row added on 2 sheets.`; "" where nothing is to be told."""
    cells = sum(len(table.changed) for table in tables)
    added = sum(len(table.added) for table in tables)
    removed = sum(len(table.removed) for table in tables)
    more = sum(table.more for table in tables)
    parts = [f"{_counted(cells, 'cell')} changed"] if cells else []
    parts += [f"{_counted(added, 'row')} added"] if added else []
    parts += [f"{_counted(removed, 'row')} removed"] if removed else []
    parts += [f"{more:,} more changes"] if more else []
    sheets = len([table for table in tables if table.name and (table.changed or table.added or table.removed)])
    if parts and sheets > 1:
        parts[-1] += f" on {sheets} sheets"
    parts += [f"sheet “{table.name}” is {table.what}" for table in tables if table.what and table.name]
    if not parts:
        return " ".join(note for table in tables for note in table.notes)
    return f"{', '.join(parts)}."


def _more(tables: list[TableChange]) -> str:
    more = sum(table.more for table in tables)
    return f"{more:,} more changes are not shown one by one." if more else ""


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"
