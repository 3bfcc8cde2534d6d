"""Rows become lines of the report: day, amount, currency, and the cell the amount stands in. A row that gives none says why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

from counterfoil import Period
from weekly_report.amounts import amount_of, written
from weekly_report.cell_marks import NOT_WORKED_OUT
from weekly_report.columns import Question, Understanding, currency_around
from weekly_report.days import day_of, read_day
from weekly_report.grids import Cell, Grid, is_blank, place, sheet_name, text_of
from weekly_report.tables import Table, tables_of
from weekly_report.vocabulary import BALANCES, CODES, SHARED_SIGNS, TOTALS, currency_in, is_total, words_of

NOT_NAMED = "(not named)"
_HEADER_AGAIN, _TOTAL, _NEITHER = (
    "It is the header again.",
    "It is a total of other rows.",
    "It has neither a day nor an amount.",
)
_CURRENCIES = ["EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "CAD", "AUD", "JPY"]


@dataclass(frozen=True, slots=True)
class Line:
    """One row that counts. `cell` is where its amount stands; `says` are its other cells, for telling copies."""

    file: str
    sheet: str
    row: int
    cell: str
    day: date
    amount: Decimal
    currency: str
    groups: dict[str, str]
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A row that is not counted, and why; `shows` is what stands in it."""

    file: str
    sheet: str
    row: int
    why: str
    shows: str


@dataclass(frozen=True, slots=True)
class SheetFacts:
    """How one table was understood, or why it was left out."""

    file: str
    sheet: str
    header: int = 0
    day_column: str = ""
    amount_column: str = ""
    currencies: str = ""
    counted: int = 0
    outside: int = 0
    dropped: int = 0
    left_out: str = ""
    remark: str = ""


@dataclass(slots=True)
class Sheet:
    """What one table gave for the period and for the one before."""

    facts: SheetFacts
    lines: list[Line] = field(default_factory=list)
    before: list[Line] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    used: list[tuple[Question, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def count_grid(grid: Grid, period: Period, answers: Mapping[str, str]) -> list[Sheet]:
    """What the tables of a sheet give."""
    tables = tables_of(grid)
    if not tables:
        why = "It is empty." if not grid.rows else "No row has a day and a number beside it."
        return [Sheet(SheetFacts(grid.file, grid.sheet, left_out=why))]
    found = [_Counting(table, period, answers).result() for table in tables]
    if grid.notes and any(sheet.lines for sheet in found):
        found[0].notes += [f"{grid.name}: {note}" for note in grid.notes]
    return found


class _Counting:
    """One table being counted."""

    def __init__(self, table: Table, period: Period, answers: Mapping[str, str]) -> None:
        self.table = table
        self.period = period
        self.before = period.before
        self.known = Understanding(table, answers)
        self.lines: list[Line] = []
        self.earlier: list[Line] = []
        self.dropped: list[Dropped] = []
        self.outside = 0

    def result(self) -> Sheet:
        """Count it, as far as it is understood."""
        left_out = self.known.find_day()
        if not left_out and not self._is_outside_whole():
            self._settle_order()
            left_out = self.known.find_amounts()
            if not left_out and not self.known.questions:
                self._count()
        left_out = left_out or self.known.left_out
        grid, questions = self.table.grid, self.known.questions
        if left_out:
            return Sheet(SheetFacts(grid.file, grid.sheet, self.table.header, left_out=left_out), used=self.known.used)
        facts = SheetFacts(
            grid.file,
            grid.sheet,
            self.table.header,
            self._named(self.known.roles.day),
            " and ".join(self._named(column) for column, _ in self.known.roles.amounts),
            ", ".join(sorted({line.currency for line in self.lines})),
            len(self.lines),
            self.outside,
            len(self.dropped),
            remark=grid.remark,
        )
        notes = _said_twice(grid.name, self.lines)
        return Sheet(facts, self.lines, self.earlier, self.dropped, questions, self.known.used, notes)

    def _named(self, column: int | None) -> str:
        return "" if column is None else self.table.names[column]

    def _wanted(self, day: date | None) -> bool:
        return day is not None and (day in self.period or day in self.before)

    def _is_outside_whole(self) -> bool:
        """Whether no row can lie in the periods, whatever is left open: then nothing need be asked about the table."""
        column = self.known.roles.day
        if column is None:
            return False
        found = [read_day(self.table.cell(row, column)) for row in self.table.body]
        days = [reading for reading in found if reading is not None]
        if any(self._wanted(day) for reading in days for day in (reading.day_first, reading.month_first)):
            return False
        self.outside = len(days)
        return True

    def _settle_order(self) -> None:
        """Ask which of day and month stands first, where the answer changes what lies in the periods."""
        example = self.known.needs_order()
        column = self.known.roles.day
        if not example or column is None:
            return
        for row in self.table.body:
            found = read_day(self.table.cell(row, column))
            if found and found.is_open and (self._wanted(found.day_first) or self._wanted(found.month_first)):
                self.known.ask_order(text_of(self.table.cell(row, column)))
                return
        self.known.roles.order = "day"  # either way these rows lie outside

    def _count(self) -> None:
        self.dropped += [self._drop(row, _HEADER_AGAIN) for row in self.table.repeated]
        for row in self.table.body:
            taken = self._row(row)
            if isinstance(taken, Dropped):
                self.dropped.append(taken)
            elif taken is None:
                self.outside += 1
            elif taken.day in self.period:
                self.lines.append(taken)
            else:
                self.earlier.append(taken)
        self.outside += len(self.earlier)
        if not self.lines:  # what is no sale in any week says nothing about this one
            self.dropped = [one for one in self.dropped if one.why not in (_HEADER_AGAIN, _TOTAL, _NEITHER)]

    def _row(self, row: int) -> Line | Dropped | None:
        """The line of a row, why it gives none, or None where it lies outside."""
        roles = self.known.roles
        if roles.day is None:
            return None
        stands = self.table.cell(row, roles.day)
        if why := self._broken(row, roles.day):
            return self._drop(row, why)
        if is_blank(stands):
            return self._drop(row, self._without_day(row))
        day = day_of(stands, roles.order)
        if day is None:
            return self._drop(row, _TOTAL if is_total(text_of(stands)) else f"“{text_of(stands)}” is no day.")
        if not self._wanted(day):
            return None
        found = self._no_sale(row) or self._amount(row)
        if isinstance(found, str):
            return self._drop(row, found) if day in self.period else None
        column, amount, currency = found
        grid = self.table.grid
        groups = {
            group: text_of(self.table.cell(row, at)) or NOT_NAMED for group, at in self.known.roles.groups.items()
        }
        return Line(
            grid.file, grid.sheet, row, place(row, column), day, amount, currency, groups, self._says(row, column)
        )

    def _no_sale(self, row: int) -> str:
        """Why a row with a day says nothing of its own: it is a sum or a balance; "" where it is not."""
        texts = self._texts(row)
        if any(is_total(text) for text in texts):
            return _TOTAL
        is_balance = any(" ".join(words_of(text)) in BALANCES for text in texts)
        return "It carries a balance or the sum of a statement." if is_balance else ""

    def _amount(self, row: int) -> tuple[int, Decimal, str] | str:
        """Where the amount stands, the amount, its currency; or why there is none."""
        roles = self.known.roles
        filled = [(column, sign) for column, sign in roles.amounts if not is_blank(self.table.cell(row, column))]
        for column, _ in roles.amounts:
            if why := self._broken(row, column):
                return why
        if not filled:
            return self._empty_amount(row)
        column, sign = filled[0]
        stands = self.table.cell(row, column)
        amount = amount_of(stands, roles.mark)
        if amount is None:
            return f"“{text_of(stands)}” in {place(row, column)} is no number."
        currency = self._currency(row, stands)
        if len(currency) != 3:
            return currency or f"The amount in {place(row, column)} has no currency."
        if roles.takes_away is not None:
            flag, value = roles.takes_away
            sign = -1 if text_of(self.table.cell(row, flag)).casefold() == value else sign
        return column, amount * sign, currency

    def _empty_amount(self, row: int) -> str:
        for column, _ in self.known.roles.amounts:
            first = self.table.grid.merged.get((row, column))
            if first is not None:
                return f"Its amount is merged with {place(*first)}, which is counted once."
        return "It has no amount."

    def _without_day(self, row: int) -> str:
        if any(TOTALS & set(words_of(text)) for text in self._texts(row)):
            return _TOTAL
        filled = [column for column, _ in self.known.roles.amounts if not is_blank(self.table.cell(row, column))]
        return "It has no day." if filled else _NEITHER

    def _texts(self, row: int) -> list[str]:
        """The short texts of a row."""
        return [cell for cell in self.table.grid.rows[row] if isinstance(cell, str) and 0 < len(cell.strip()) < 60]

    def _broken(self, row: int, column: int) -> str:
        what = self.table.grid.broken.get((row, column), "")
        if what == NOT_WORKED_OUT:
            return f"{place(row, column)} is {what}: open the file in its program and save it."
        if not what:
            stands = self.table.cell(row, column)
            what = stands.strip() if isinstance(stands, str) and _is_error(stands) else ""
        return f"{place(row, column)} holds {text_of(what)}." if what else ""

    def _currency(self, row: int, stands: Cell) -> str:
        """The code of the currency of a row; a sentence where two are named, "" while nobody knows it."""
        seen = written(stands) if isinstance(stands, str) else None
        beside = seen.currency if seen else ""
        column = self.known.roles.currency
        said = text_of(self.table.cell(row, column)).upper() if column is not None else ""
        own = said if said in CODES else currency_in(said)
        if own and beside and own != beside:
            return f"It names two currencies, {beside} and {own}."
        if own or beside:
            return own or beside
        if around := currency_around(self.table, self.known.roles):
            return around
        name = self.known.table.grid.name
        if seen and seen.shared:
            text = f"In which currency are the amounts with {seen.shared} in {name}?"
            return self._asked(f"currency of {seen.shared}", text, list(SHARED_SIGNS[seen.shared]))
        return self._asked("currency", f"In which currency are the amounts of {name}?", _CURRENCIES)

    def _asked(self, kind: str, text: str, choices: list[str]) -> str:
        if any(question.kind == kind for question in self.known.questions):
            return ""
        known = next((answer for question, answer in self.known.used if question.kind == kind), None)
        return known or self.known.ask_currency(kind, text, choices) or ""

    def _says(self, row: int, column: int) -> tuple[str, ...]:
        """What else stands in a row, whatever the order of its columns."""
        roles = self.known.roles
        left = {column, roles.day, roles.currency}
        others = [text_of(self.table.cell(row, at)).casefold() for at in range(self.table.width) if at not in left]
        return tuple(sorted(other for other in others if other))

    def _drop(self, row: int, why: str) -> Dropped:
        grid = self.table.grid
        cells = [text_of(cell) or grid.broken.get((row, at), "") for at, cell in enumerate(grid.rows[row])]
        return Dropped(grid.file, grid.sheet, row, why, " · ".join(cell for cell in cells if cell)[:300])


def _is_error(text: str) -> bool:
    """Whether a text is what a spreadsheet shows instead of a value."""
    plain = text.strip()
    return (
        plain.startswith("#")
        and len(plain) <= 12
        and plain.rstrip("!?").strip("#").replace("/", "").isalnum()
        and plain[-1] in "!?AL0"
    )


def shared_rows(earlier: Sheet, later: Sheet) -> int:
    """With how many rows of the period a table says again what an earlier one says; 0 where that may be chance: a single row of several."""
    again = Counter(_said(line) for line in later.lines)
    shared = sum((again & Counter(_said(line) for line in earlier.lines)).values())
    return shared if shared >= 2 or shared == len(later.lines) else 0


def without_copies(earlier: Sheet, later: Sheet) -> None:
    """Drop the rows of the later table that the earlier one has as well."""
    where = sheet_name(earlier.facts.file, earlier.facts.sheet)
    later.lines, again = _apart(later.lines, earlier.lines)
    later.before, _ = _apart(later.before, earlier.before)
    for line in again:
        shows = " · ".join([line.day.isoformat(), f"{line.amount:f}", line.currency, *line.says])
        later.dropped.append(Dropped(line.file, line.sheet, line.row, f"It stands in {where}, too.", shows[:300]))
    later.facts = replace(later.facts, counted=len(later.lines), dropped=len(later.dropped))


def _apart(lines: list[Line], others: list[Line]) -> tuple[list[Line], list[Line]]:
    """Lines that others do not say, and those they do, each as often as they say it."""
    left = Counter(_said(line) for line in others)
    kept: list[Line] = []
    again: list[Line] = []
    for line in lines:
        left[_said(line)] -= 1
        (kept if left[_said(line)] < 0 else again).append(line)
    return kept, again


def _said_twice(name: str, lines: list[Line]) -> list[str]:
    """A sentence where every row of the period stands in a table several times, as after pasting it again; all are counted."""
    often = Counter(_said(line) for line in lines)
    if len(often) < 2 or min(often.values()) < 2:
        return []
    return [f"{name}: each of its {len(lines):,} rows stands in it at least twice; all of them are counted."]


def _said(line: Line) -> tuple[date, Decimal, str, tuple[str, ...]]:
    return line.day, line.amount, line.currency, line.says
