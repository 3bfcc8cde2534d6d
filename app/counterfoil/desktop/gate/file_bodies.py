"""What a change of a file looks like in the window, kind by kind: cells and rows as tables, texts with their words marked, names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from PySide6.QtWidgets import QVBoxLayout, QWidget

from counterfoil.desktop.gate.facts import Fact
from counterfoil.desktop.gate.facts_grid import FactsGrid
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.parts.text_page import TextPage
from counterfoil.desktop.tables.adapter import TableAdapter
from counterfoil.desktop.tables.diff_view import DiffView
from counterfoil.desktop.tables.table import from_texts
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.words.numbers import count, size
from counterfoil.desktop.words.people import capital
from counterfoil.desktop.words.plain import plain
from counterfoil.previews.grids import TableChange
from counterfoil.previews.preview import FileSeen, Preview
from counterfoil.previews.texts import compare

_EDGE = 10  # where the texts of a table begin, too
_SHOWN = 200_000  # signs of a file shown in the window
_LISTS = {"delete": ("file or folder", "is deleted"), "make": ("folder", "is made")}


def is_told_by_its_head(seen: FileSeen) -> bool:
    """Whether a card's two lines at the top say all of it: one name that moves, goes or comes."""
    return seen.op not in ("write", "append") and len(seen.moves) + len(seen.names) == 1 and not seen.note


def changes(seen: FileSeen, today: date) -> QWidget:
    """What changes, in the form that this kind of file is read in."""
    held = QWidget()
    lines = column(held)
    _say(lines, seen.note)
    if seen.op == "move":
        put(lines, _table(("from", "to"), seen.moves, today, f"{seen.path}, moves"))
    elif seen.op in _LISTS:
        column_name, does = _LISTS[seen.op]
        put(lines, _table((column_name,), [(name,) for name in seen.names], today, f"{seen.path}, {does}"))
    elif seen.preview is None:
        _say(lines, "The bytes before or after are not at hand, so only sizes and seals can be shown.")
    else:
        _preview(lines, seen, seen.preview, today)
    return held


def _preview(lines: QVBoxLayout, seen: FileSeen, made: Preview, today: date) -> None:
    _say(lines, " ".join(filter(None, (made.words, made.note))))
    for table in made.tables:
        for part in _parts(table, seen.path, today, made.words):
            put(lines, part)
    if made.lines:
        put(lines, DiffView(list(made.lines), f"{seen.path}, differences"))


def _parts(change: TableChange, path: str, today: date, said: str) -> list[QWidget]:
    """One table's change: its name and notes, changed cells, rows added, rows removed. What was `said` above is not said again."""
    made: list[QWidget] = []
    of = f"{path} {change.name}".strip()
    what = {"new": " · new", "removed": " · removed"}.get(change.what, "")
    heads = [f"{change.name}{what}"] if change.name else []
    made += [_line(words, "strong" if words in heads else "small") for words in (*heads, *change.notes)]
    if change.changed:
        rows = [(_place(cell.at, cell.column), cell.before, cell.after) for cell in change.changed]
        made.append(_table(("where", "before", "after"), rows, today, f"{of}, changed cells"))
    for words, lines in (("added", change.added), ("removed", change.removed)):
        if lines:
            rows_are = count(len(lines), "row")
            is_said = said in (f"{rows_are} {words}.", f"A new table of {rows_are}.")
            made += [] if is_said else [_line(f"{rows_are} {words}", "caption")]
            wide = max(len(change.columns), *(len(line.cells) for line in lines))
            columns = ("row", *change.columns, *(f"column {at + 1}" for at in range(len(change.columns), wide)))
            cells = [(str(line.number), *line.cells, *[""] * (wide - len(line.cells))) for line in lines]
            made.append(_table(columns, cells, today, f"{of}, rows {words}"))
    return made


def _place(at: str, column_name: str) -> str:
    return capital(at if column_name in ("", at.rstrip("0123456789")) else f"{at}, {column_name}")


def whole(seen: FileSeen) -> QWidget:
    """The text as it will be."""
    return TextPage(plain((seen.after or "")[:_SHOWN], lines=True), f"{seen.path}, whole")


def raw(seen: FileSeen, sides: tuple[str, str]) -> QWidget:
    """A text line by line; of anything else the seals and sizes. `sides` are what before and after are called."""
    if seen.after is not None and (seen.before is not None or seen.sha_before is None):
        return DiffView(compare(seen.before, seen.after), f"{seen.path}, differences")
    facts = [
        Fact(f"{name}, seal", sha, mark=mark)
        for name, sha, mark in zip(sides, (seen.sha_before, seen.sha_after), "−+", strict=True)
        if sha
    ]
    sizes = zip(sides, (seen.bytes_before, seen.bytes_after), strict=True)
    facts += [Fact(f"{name}, size", size(length)) for name, length in sizes if length is not None]
    held = QWidget()
    lines = column(held, margins=(_EDGE, 10, _EDGE, 12))
    put(lines, FactsGrid(facts))
    return held


def _table(columns: tuple[str, ...], rows: Sequence[Sequence[str]], today: date, name: str) -> QWidget:
    return TableView(TableAdapter(from_texts(columns, rows, today)), name).captioned()


def _say(lines: QVBoxLayout, words: str) -> None:
    if words:
        put(lines, _line(words, "small"))


def _line(words: str, role: str) -> QWidget:
    held = QWidget()
    said = row(held, margins=(_EDGE, 10, _EDGE, 6))
    put(said, Prose(plain(words), role))
    return held
