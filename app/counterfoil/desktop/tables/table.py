"""A table as a plain object: columns, rows, a total, what is flagged. Filtering and sorting are functions of it; no Qt here."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from counterfoil.desktop.words.people import capital
from counterfoil.desktop.words.plain import plain
from counterfoil.desktop.words.values import is_amount, is_date, is_identifier, shown, sort_key

NUMBER = "No."  # a first column of this name numbers the rows: people say the number, the table does not show it
ABOUT = "What"  # a column of this name says what its rows are about, wherever it stands
RESULT = "Result"  # a first column of this name says how a check ended; passed ones are folded
_YEARS = frozenset({"year", "jahr"})  # numbers that are no amounts: written without groups
_SAMPLED = 120  # rows measured for widths; of the others the longest text counts
_ALIKE = 3  # rows from which on a column of one value is told once
_ACRONYMS = {
    word.lower().replace("-", ""): word for word in ("BIC", "CSV", "IBAN", "ID", "PDF", "SHA-256", "URL", "VAT", "XML")
}
_NOTES = frozenset({"warning", "warnings", "flag", "flags", "note", "notes", "problem", "problems"})


@dataclass(frozen=True, slots=True)
class Column:
    """`kind` is text, amount, number, date or identifier; texts and identifiers wrap, the others never. `right`: set to the right."""

    title: str
    kind: str = "text"
    right: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One row: texts as shown, plain values for sorting, and what is said below its first cell."""

    texts: tuple[str, ...]
    values: tuple[Any, ...]
    number: int  # what the row is called: its number column, else from 1 in the order of the document
    flagged: bool = False
    note: str = ""
    total: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and lines in the order of the document."""

    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    total: Line | None = None
    flagged: int = field(default=0)
    sample: tuple[
        Line, ...
    ] = ()  # rows that widths and heights are taken from: the first ones, and the longest of each column
    alike: frozenset[int] = frozenset()  # columns in which every row says the same

    def count_of(self, column: str, text: str) -> int:
        """How many rows have this text in the first column, where that is called so."""
        if not self.columns or self.columns[0].title != column:
            return 0
        return sum(line.texts[0] == text for line in self.lines)

    def arrange(self, wanted: str = "", by: int | None = None, *, descending: bool = False) -> list[Line]:
        """The lines to show: those that contain `wanted`, sorted by a column, else flagged ones first; the total stays last."""
        text = wanted.casefold().strip()
        tight = text.replace(" ", "").replace(",", "")
        kept = [line for line in self.lines if not text or _contains(line, text, tight)]
        if by is None:
            kept.sort(key=lambda line: not line.flagged)
        else:
            kept.sort(key=lambda line: sort_key(line.values[by]), reverse=descending)
        return [*kept, self.total] if self.total is not None and not text else kept


def from_evidence(data: Mapping[str, Any], today: date, *, numbers_shown: bool = True) -> Table:
    """The table of an evidence entry `table@1`: columns, rows, total, flagged. A column of warnings goes below the first cell;
    `numbers_shown` is off where rows are ticked and nobody has to say their number. Rows without columns say nothing: they are none."""
    titles = [plain(title) for title in data.get("columns") or ()]
    if not titles:
        return Table((), ())
    rows: Sequence[Sequence[Any]] = data.get("rows") or ()
    flagged = set(data.get("flagged") or ())
    note = _note_column(titles)
    numbered = titles[:1] == [NUMBER] and all(entry and isinstance(entry[0], int) for entry in rows)
    dropped = {note, 0 if numbered and not numbers_shown else None} | _empty_columns(rows, len(titles))
    kept = [at for at in range(len(titles)) if at not in dropped]
    kinds = {at: _kind([entry[at] for entry in rows if at < len(entry)]) for at in kept}
    years = {at for at in kept if titles[at].casefold() in _YEARS and kinds[at] == "number"}
    verdict = titles[:1] == [RESULT]
    lines = [
        _line(entry, kept, note, today, entry[0] if numbered else at, at - 1 in flagged, years=years, verdict=verdict)
        for at, entry in enumerate(rows, 1)
    ]
    total = data.get("total")
    last = _line(total, kept, None, today, 0, flagged=False, total=True) if total else None
    return Table(
        columns=tuple(
            Column(
                heading(titles[at]),
                kinds[at],
                right=kinds[at] == "amount" or (kinds[at] == "number" and at != kept[0] and at not in years),
            )
            for at in kept
        ),
        lines=tuple(lines),
        total=last,
        flagged=len(flagged),
        sample=_sample(lines, last, len(kept)),
        alike=_alike(lines, len(kept)),
    )


def from_texts(columns: Sequence[str], rows: Sequence[Sequence[str]], today: date) -> Table:
    """A table of texts, as a CSV file has them."""
    return from_evidence({"columns": columns, "rows": rows}, today)


def heading(title: str) -> str:
    """`pay_on` as a person reads it: Pay on; `supplier_id`: Supplier ID."""
    words = " ".join(_ACRONYMS.get(word, word) for word in title.replace("_", " ").split())
    return words[:1].upper() + words[1:]


def as_lines(columns: Sequence[Column], lines: Sequence[Line]) -> str:
    """For the clipboard: tab-separated, with the headings, in full."""
    written = ["\t".join(column.title for column in columns)]
    for line in lines:
        cells = [*line.texts, line.note] if line.note else line.texts
        written.append("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in cells))
    return "\n".join(written)


def _line(
    entry: Sequence[Any],
    kept: Sequence[int],
    note: int | None,
    today: date,
    number: int,
    flagged: bool,
    *,
    years: Collection[int] = (),
    total: bool = False,
    verdict: bool = False,
) -> Line:
    values = tuple(entry[at] if at < len(entry) else None for at in kept)
    texts = tuple(
        "" if total and value in (None, "") else str(value) if at in years else shown(value, today)
        for at, value in zip(kept, values, strict=True)
    )
    if verdict and texts:
        texts = (capital(texts[0]), *texts[1:])
    said = shown(entry[note], today) if note is not None and note < len(entry) and entry[note] else ""
    return Line(texts, values, number, flagged, said, total)


def _sample(lines: Sequence[Line], total: Line | None, columns: int) -> tuple[Line, ...]:
    """So many that measuring them takes no time, and none missing that would need more room."""
    rest = lines[_SAMPLED:]
    longest = [max(rest, key=lambda line: len(line.texts[at])) for at in range(columns)] if rest else []
    noted = [max(rest, key=lambda line: len(line.note))] if rest else []
    return (*lines[:_SAMPLED], *longest, *noted, *([total] if total is not None else []))


def _alike(lines: Sequence[Line], columns: int) -> frozenset[int]:
    """Columns, the first excepted, in which every row says the same; with three rows or more it can be told once."""
    if len(lines) < _ALIKE:
        return frozenset()
    first = lines[0]
    return frozenset(
        at
        for at in range(1, columns)
        if first.values[at] not in (None, "") and all(line.texts[at] == first.texts[at] for line in lines)
    )


def _empty_columns(rows: Sequence[Sequence[Any]], count: int) -> set[int | None]:
    """Columns without a single value, where there is more than one row to tell it by."""
    if len(rows) < 2:
        return set()
    return {at for at in range(1, count) if all(at >= len(row) or row[at] in (None, "") for row in rows)}


def _note_column(titles: Sequence[str]) -> int | None:
    for at, title in enumerate(titles):
        if at and title.casefold() in _NOTES:
            return at
    return None


def _kind(values: Sequence[Any]) -> str:
    present = [value for value in values if value not in (None, "")]
    if not present:
        return "text"
    if all(isinstance(value, int) and not isinstance(value, bool) for value in present):
        return "number"
    if all(is_amount(value) for value in present):
        return "amount"
    if all(is_date(value) for value in present):
        return "date"
    if sum(is_identifier(value) for value in present) * 2 >= len(present):
        return "identifier"
    return "text"


def _contains(line: Line, text: str, tight: str) -> bool:
    """Whether a cell holds the text, or what is left of it without blanks and commas; one search for all cells, as no text goes across."""
    folded = "\n".join((*line.texts, line.note)).casefold()
    return text in folded or (bool(tight) and tight in folded.replace(" ", "").replace(",", "").replace("\u00a0", ""))
