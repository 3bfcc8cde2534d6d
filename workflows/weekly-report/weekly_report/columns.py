"""Which column is what. Where two could be it, or none says so, a person is asked; the answer is kept for the next report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from weekly_report.amounts import Mark, amount_of, convention_of, written
from weekly_report.days import Order, order_of, read_day
from weekly_report.grids import Cell, text_of
from weekly_report.tables import Table
from weekly_report.vocabulary import (
    CODES,
    CREDITS,
    CURRENCIES,
    DEBITS,
    DIRECTIONS,
    NOT_AMOUNTS,
    currency_in,
    group_of,
    speaks_of,
    speaks_of_amount,
    speaks_of_date,
)

DAY_FIRST, MONTH_FIRST = "day first", "month first"
LEAVE = "leave it out"
NONE_OF_THEM = "none of them"
COMMA, POINT = "the comma separates the decimals", "the point separates the decimals"


@dataclass(frozen=True, slots=True)
class Question:
    """Something that a sheet leaves open. `kind`, `file` and `columns` say what it is about, so that an answer holds next week, too."""

    kind: str
    file: str  # its name with # for each number
    columns: str
    where: str  # for people
    text: str
    choices: list[str]
    sample: list[list[str]] = field(default_factory=list)

    @property
    def key(self) -> str:
        """What an answer is found by."""
        return key_of(self.kind, self.file, self.columns)


def key_of(kind: str, file: str, columns: str) -> str:
    """What an answer to a question of this kind about such a table is found by."""
    return f"{kind}\n{file}\n{columns}"


def file_pattern(name: str) -> str:
    """A file's name with # for each number, so that next week's file has the same."""
    return re.sub(r"\d+", "#", name.rpartition("/")[2])


@dataclass(slots=True)
class Roles:
    """What the columns of a table are: `amounts` are pairs of column and sign; None for what is not known yet."""

    day: int | None = None
    amounts: list[tuple[int, int]] = field(default_factory=list)
    currency: int | None = None
    groups: dict[str, int] = field(default_factory=dict)
    takes_away: tuple[int, str] | None = None  # a column and what stands there where an amount is subtracted
    order: Order | None = None
    mark: Mark | None = None


class Understanding:
    """One table being understood: what was decided by itself, what was answered, what is to be asked."""

    def __init__(self, table: Table, answers: Mapping[str, str]) -> None:
        self.table = table
        self.answers = answers
        self.roles = Roles()
        self.questions: list[Question] = []
        self.left_out = ""
        self.used: list[tuple[Question, str]] = []
        self._cells: dict[int, list[Cell]] = {}

    def find_day(self) -> str:
        """Find the column of days; why the table is left out, "" where it is not or a person is asked."""
        columns = range(self.table.width)
        holding = [column for column in columns if self._holds_days(column)]
        named = [column for column in holding if speaks_of_date(self.table.names[column])]
        found = self._distinct(named or holding)
        if not found:
            return "No column holds days."
        self.roles.day = found[0] if len(found) == 1 else self._chosen("day", "Which column says when it was?", found)
        if self.roles.day is not None:
            self.roles.order = self._order(self.roles.day)
        return ""

    def find_amounts(self) -> str:
        """Find what is added up, and everything else; why the table is left out, "" where it is not or a person is asked."""
        others = [column for column in range(self.table.width) if column != self.roles.day]
        holding = [column for column in others if self._holds_numbers(column)]
        named = [column for column in holding if speaks_of_amount(self.table.names[column])]
        self._find_currency([column for column in others if column not in named])
        found = self._distinct(named)
        if len(found) == 1:
            self.roles.amounts = [(found[0], 1)]
        elif not found and (pair := self._debit_and_credit(others)):
            self.roles.amounts = [(pair[0], -1), (pair[1], 1)]
        else:
            possible = found or [column for column in holding if not speaks_of(self.table.names[column], NOT_AMOUNTS)]
            if not possible:
                return "No column holds amounts."
            chosen = self._chosen("amount", "Which column is the amount that the report adds up?", possible)
            self.roles.amounts = [] if chosen is None else [(chosen, 1)]
        self._find_groups([column for column in others if column not in holding])
        self._find_mark()
        self._find_direction([column for column in others if column not in holding])
        return ""

    def needs_order(self) -> str:
        """A cell that may be two days while nothing says which; "" for none."""
        if self.roles.day is None or self.roles.order is not None:
            return ""
        for cell in self._of(self.roles.day):
            found = read_day(cell)
            if found is not None and found.is_open:
                return text_of(cell)
        return ""

    def ask_order(self, example: str) -> None:
        """Ask whether the day or the month stands first."""
        if self.roles.day is None:
            return
        name = self.table.names[self.roles.day]
        text = f"“{name}” holds {example}: does the day or the month stand first?"
        answer = self._answer("order of days", text, [DAY_FIRST, MONTH_FIRST])
        self.roles.order = None if answer is None else "day" if answer == DAY_FIRST else "month"

    def ask_currency(self, kind: str, text: str, choices: list[str]) -> str | None:
        """Ask for the currency of amounts that name none; None until it is answered."""
        return self._answer(kind, text, choices)

    def _of(self, column: int) -> list[Cell]:
        if column not in self._cells:
            self._cells[column] = self.table.cells(column)
        return self._cells[column]

    def _holds_days(self, column: int) -> bool:
        """Whether half of what stands there are days; plain numbers count only where the name says that they are days."""
        cells = self._of(column)
        said = speaks_of_date(self.table.names[column]) and self.table.header > 0
        days = sum(
            read_day(cell) is not None and (said or (not isinstance(cell, float) and not _digits_only(cell)))
            for cell in cells
        )
        return days > 0 and 2 * days >= len(cells)

    def _holds_numbers(self, column: int) -> bool:
        cells = self._of(column)
        if self._holds_days(column):
            return False
        numbers = sum(_is_number(cell) for cell in cells)
        return numbers > 0 and 2 * numbers >= len(cells)

    def _distinct(self, columns: list[int]) -> list[int]:
        """The columns without those that say the same in every row as one before."""
        kept: list[int] = []
        seen: list[list[str]] = []
        for column in columns:
            said = [text_of(self.table.cell(row, column)) for row in self.table.body]
            if said not in seen:
                kept.append(column)
                seen.append(said)
        return kept

    def _debit_and_credit(self, columns: list[int]) -> tuple[int, int] | None:
        """A column of what went out and one of what came in, of which no row fills both."""
        names = self.table.names
        out = [
            column
            for column in columns
            if speaks_of(names[column], DEBITS) and not speaks_of(names[column], NOT_AMOUNTS)
        ]
        into = [
            column
            for column in columns
            if speaks_of(names[column], CREDITS) and not speaks_of(names[column], NOT_AMOUNTS)
        ]
        if len(out) != 1 or len(into) != 1 or out == into:
            return None
        if not all(_is_number(cell) for column in (out[0], into[0]) for cell in self._of(column)):
            return None
        both = any(
            text_of(self.table.cell(row, out[0])) and text_of(self.table.cell(row, into[0])) for row in self.table.body
        )
        return None if both else (out[0], into[0])

    def _find_currency(self, columns: list[int]) -> None:
        codes = [column for column in columns if self._holds_codes(column)]
        named = [column for column in codes if speaks_of(self.table.names[column], CURRENCIES)]
        found = named or codes
        self.roles.currency = found[0] if len(found) == 1 else None

    def _holds_codes(self, column: int) -> bool:
        cells = self._of(column)
        return bool(cells) and all(isinstance(cell, str) and _code(cell) for cell in cells)

    def _find_groups(self, columns: list[int]) -> None:
        for column in columns:
            group = group_of(self.table.names[column])
            if group and column != self.roles.currency and not speaks_of(self.table.names[column], NOT_AMOUNTS):
                self.roles.groups.setdefault(group, column)

    def _order(self, column: int) -> Order | None:
        return order_of(self._of(column))

    def _find_mark(self) -> None:
        cells = [cell for column, _ in self.roles.amounts for cell in self._of(column)]
        found = convention_of(cells)
        self.roles.mark = found.mark
        if found.is_asked:
            names = " and ".join(f"“{self.table.names[column]}”" for column, _ in self.roles.amounts)
            answer = self._answer(
                "decimals", f"{names} holds {found.example}: what separates the decimals?", [COMMA, POINT]
            )
            self.roles.mark = None if answer is None else "," if answer == COMMA else "."

    def _find_direction(self, columns: list[int]) -> None:
        """Where amounts have no sign and a column says which way they went, ask which of them take away."""
        amounts = [amount_of(cell, self.roles.mark) for column, _ in self.roles.amounts for cell in self._of(column)]
        if len(self.roles.amounts) != 1 or any(amount is not None and amount < 0 for amount in amounts):
            return
        for column in columns:
            said = sorted({text_of(cell).casefold() for cell in self._of(column)})
            if not said or len(said) > 2 or not DIRECTIONS.issuperset(said) or group_of(self.table.names[column]):
                continue
            values = [
                next(text_of(cell) for cell in self._of(column) if text_of(cell).casefold() == one) for one in said
            ]
            text = (
                f"“{self.table.names[column]}” says {' or '.join(values)} beside the amounts: which of them take away?"
            )
            answer = self._answer("direction", text, [*(f"{value} takes away" for value in values), NONE_OF_THEM])
            taken = (answer or "").removesuffix(" takes away").casefold()
            self.roles.takes_away = (column, taken) if taken in said else None
            return

    def _chosen(self, kind: str, text: str, columns: list[int]) -> int | None:
        names = [self.table.names[column] for column in columns]
        answer = self._answer(kind, text, names)
        return columns[names.index(answer)] if answer in names else None

    def _answer(self, kind: str, text: str, choices: list[str]) -> str | None:
        """What was answered before to such a question; asks it where nothing was."""
        grid = self.table.grid
        question = Question(
            kind, file_pattern(grid.file), self.table.signature, grid.name, text, [*choices, LEAVE], self._sample()
        )
        answer = self.answers.get(question.key)
        if answer == LEAVE:
            self.left_out = "A person left it out."
        if answer in question.choices:
            self.used.append((question, answer))
            return answer
        self.questions.append(question)
        return None

    def _sample(self) -> list[list[str]]:
        rows = self.table.body[:6]
        return [
            self.table.names,
            *([text_of(self.table.cell(row, at)) for at in range(self.table.width)] for row in rows),
        ]


def currency_around(table: Table, roles: Roles) -> str:
    """The currency that the names of the amounts say, else what stands above the table; "" for none."""
    said = {currency_in(table.names[column]) for column, _ in roles.amounts}
    return said.pop() if len(said) == 1 and "" not in said else currency_in(table.above)


def _is_number(cell: Cell) -> bool:
    return (isinstance(cell, float) and not isinstance(cell, bool)) or (
        isinstance(cell, str) and written(cell) is not None
    )


def _digits_only(cell: Cell) -> bool:
    return isinstance(cell, str) and cell.strip().replace(".", "", 1).isdigit() and len(cell.strip()) != 8


def _code(cell: str) -> bool:
    return cell.strip().upper() in CODES or (bool(currency_in(cell.strip())) and len(cell.strip()) <= 3)
