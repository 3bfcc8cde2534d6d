"""What a report leaves behind for the next one: its figures (reports/figures.csv) and what people answered (reports/answers.csv).

Both are plain CSV that people can read in a spreadsheet, and are only ever appended to. A table that was rewritten in another form is
refused with the line and the remedy. Texts that a spreadsheet would take for formulas get an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from counterfoil import Period
from weekly_report.columns import key_of
from weekly_report.figures import FILE, Figure
from weekly_report.money import plain_amount
from weekly_report.reading import REPORTS, Answered
from weekly_report.spreadsheet_cells import plain_cell, safe_cell

FIGURES, ANSWERS = f"{REPORTS}/figures.csv", f"{REPORTS}/answers.csv"
FIGURE_COLUMNS = ["run", "folder", "first_day", "last_day", "figure", "of", "currency", "amount", "rows", "report"]
ANSWER_COLUMNS = ["run", "about", "file", "columns", "answer", "by"]
_REMEDY = (
    "Put back the last good copy, or move it away: then there is nothing to compare with, and questions are asked anew."
)


@dataclass(frozen=True, slots=True)
class Reported:
    """A figure of an earlier report."""

    run: str
    folder: str
    first_day: str
    last_day: str
    figure: str
    of: str
    currency: str
    amount: Decimal
    report: str


@dataclass(frozen=True, slots=True)
class Records:
    """What earlier reports left: figures, answers by the question's key, and the names that the folder of reports holds."""

    figures: list[Reported]
    answers: dict[str, str]
    names: list[str]

    def of(self, period: Period, folder: str) -> list[Reported]:
        """The figures of the last report of a folder on these days; none where there is none."""
        days = (period.first.isoformat(), period.last.isoformat(), folder)
        found = [one for one in self.figures if (one.first_day, one.last_day, one.folder) == days]
        return [one for one in found if one.run == found[-1].run] if found else []


class DamagedTable(ValueError):
    """A table cannot be trusted; the message names file, line, what is wrong and what to do."""

    def __init__(self, file: str, line: int, problem: str) -> None:
        super().__init__(f"{file}, line {line}: {problem}. {_REMEDY}")


def read_figures(data: bytes | None) -> list[Reported]:
    """The figures of earlier reports, oldest first; none for a file that is missing (None) or empty.

    Raises:
        DamagedTable: it is no UTF-8 CSV with exactly `FIGURE_COLUMNS`, or an amount cannot be understood.
    """
    found = []
    for line, (run, folder, first, last, figure, of, currency, amount, _, report) in _rows(
        data, FIGURE_COLUMNS, FIGURES
    ):
        try:
            found.append(
                Reported(
                    run, plain_cell(folder), first, last, figure, plain_cell(of), currency, Decimal(amount), report
                )
            )
        except InvalidOperation:
            raise DamagedTable(FIGURES, line, f"“{amount[:40]}” is no amount such as 1320.00") from None
    return found


def read_answers(data: bytes | None) -> dict[str, str]:
    """What was answered, by the question's key; the last answer holds.

    Raises:
        DamagedTable: it is no UTF-8 CSV with exactly `ANSWER_COLUMNS`.
    """
    return {
        key_of(about, plain_cell(file), plain_cell(columns)): plain_cell(answer)
        for _, (_, about, file, columns, answer, _) in _rows(data, ANSWER_COLUMNS, ANSWERS)
    }


def figure_rows(
    figures: Iterable[Figure], *, run: str, folder: str, period: Period, report: str
) -> list[dict[str, str]]:
    """Rows for `append_rows` with `FIGURE_COLUMNS`."""
    return [
        {
            "run": run,
            "folder": safe_cell(folder),
            "first_day": period.first.isoformat(),
            "last_day": period.last.isoformat(),
            "figure": one.kind,
            "of": safe_cell(one.of),
            "currency": one.currency,
            "amount": plain_amount(one.amount),
            "rows": str(one.rows),
            "report": safe_cell(report),
        }
        for one in figures
        if one.kind != FILE
    ]


def answer_rows(answered: Sequence[tuple[Answered, str]], *, run: str) -> list[dict[str, str]]:
    """Rows for `append_rows` with `ANSWER_COLUMNS`, from answers and who gave them."""
    return [
        {
            "run": run,
            "about": one.kind,
            "file": safe_cell(one.file),
            "columns": safe_cell(one.columns),
            "answer": safe_cell(one.answer),
            "by": safe_cell(by),
        }
        for one, by in answered
    ]


def _rows(data: bytes | None, columns: list[str], file: str) -> list[tuple[int, list[str]]]:
    if not data:
        return []
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DamagedTable(file, 1, "it is not UTF-8") from None
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as problem:
        raise DamagedTable(file, reader.line_num, str(problem)) from problem
    if not rows or rows[0][1] != columns:
        raise DamagedTable(file, 1, f"the columns must be {', '.join(columns)}")
    for line, row in rows[1:]:
        if len(row) != len(columns):
            raise DamagedTable(file, line, f"it has {len(row)} cells instead of {len(columns)}")
    return rows[1:]
