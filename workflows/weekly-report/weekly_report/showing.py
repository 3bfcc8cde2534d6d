"""What a person sees at the two stops: open questions with the rows they are about, and every figure with the cells it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from counterfoil import Evidence, Field, Money, fields, table, text
from counterfoil.policy.boundaries import visible
from weekly_report.columns import Question
from weekly_report.figures import FILE, TOTAL, Compared
from weekly_report.grids import sheet_name
from weekly_report.money import change_shown, plain_amount, sums_shown
from weekly_report.paper import counted, heading_of, name_of, reasons
from weekly_report.reading import Answered, Count

_MOST_QUESTIONS = 12  # at one stop; the others follow
_MOST_SOURCES = 2_000
_MOST_CHOICES = 30  # files that can be left out by a tick


def questions_title(questions: Sequence[Question], days: str) -> str:
    """What is asked before the report."""
    number = len(asked_now(questions))
    return f"{'One question' if number == 1 else f'{number} questions'} before the report on {days}"


def asked_now(questions: Sequence[Question]) -> list[Question]:
    """The questions of one stop."""
    return list(questions[:_MOST_QUESTIONS])


def questions_form(questions: Sequence[Question]) -> list[Field]:
    """A field for each question, in their order."""
    return [
        Field(
            name=f"q{number}",
            type="choice",
            label=f"{number}. {one.where}: {one.text}",
            choices=one.choices,
            required=True,
        )
        for number, one in enumerate(asked_now(questions), start=1)
    ]


def questions_evidence(questions: Sequence[Question]) -> list[Evidence]:
    """The first rows of each table that a question is about."""
    found = []
    for number, one in enumerate(asked_now(questions), start=1):
        head, *rows = one.sample or [[]]
        columns = [f"{name}" if head.count(name) == 1 else f"{name} {at}" for at, name in enumerate(head, start=1)]
        width = max([len(columns), *map(len, rows)])
        columns += [f"+{at}" for at in range(1, width - len(columns) + 1)]
        made = [dict(zip(columns, [*row, *[""] * (width - len(row))], strict=True)) for row in rows]
        found.append(table(made, columns=columns, title=f"{number}. {one.where}", source=one.where))
    return found


def report_title(count: Count) -> str:
    """What is asked at the stop."""
    return f"Write the report on {count.period.words}"


def key_figures(count: Count, compared: Sequence[Compared]) -> dict[str, Any]:
    """The figures above everything else."""
    totals = [one for one in compared if one.figure.kind == TOTAL and one.figure.rows]
    first = totals[0]
    found: dict[str, Any] = {"Total": sums_shown((one.figure.amount, one.figure.currency) for one in totals)}
    if len(totals) == 1 and first.change is not None:
        found["Change"] = (
            f"{change_shown(first.change, first.figure.currency)}{f' ({first.percent})' if first.percent else ''}"
        )
    return {**found, "Rows counted": count.rows, "Rows not counted": count.dropped_rows}


def report_evidence(count: Count, compared: Sequence[Compared], against: str, remarks: str) -> list[Evidence]:
    """Figures with their change, where each comes from, what was not counted and why, how each table was understood."""
    found = [fields({"Days": str(count.period), "The period before": against}, title="Period")]
    if remarks:
        found.append(text(remarks, title="Remarks in the report"))
    kinds = dict.fromkeys(one.figure.kind for one in compared)
    found += [_figures(kind, [one for one in compared if one.figure.kind == kind]) for kind in kinds]
    found.append(_sources(compared))
    if count.dropped_rows:
        found.append(fields(dict(reasons(count)), title="Why rows are not counted"))
        title = (
            "Rows not counted"
            if count.dropped_rows == len(count.dropped)
            else f"Rows not counted: the first {len(count.dropped):,}"
        )
        rows = [
            {
                "File and sheet": sheet_name(one.file, one.sheet),
                "Row": one.row,
                "Why": visible(one.why),
                "What stands there": one.shows,
            }
            for one in count.dropped
        ]
        found.append(table(rows, title=title))
    found.append(_tables(count))
    found.append(_lines(count))
    if count.used:
        found.append(_answers(count.used))
    return found


def _figures(kind: str, those: Sequence[Compared]) -> Evidence:
    name = "Currency" if kind == TOTAL else kind.capitalize()
    rows = [
        {
            name: one.figure.currency if kind == TOTAL else name_of(kind, one.figure.of),
            "Amount": _money(one.figure.amount, one.figure.currency),
            "Before": None if one.earlier is None else _money(one.earlier, one.figure.currency),
            "Change": None if one.change is None else _money(one.change, one.figure.currency),
            "Change in %": None if one.share is None else str(one.share),
            "Rows": one.figure.rows,
        }
        for one in those
    ]
    columns = [name, "Amount", "Before", "Change", "Change in %", "Rows"]
    if all(one.earlier is None for one in those):
        columns = [name, "Amount", "Rows"]
    return table(rows, columns=columns, title=heading_of(kind))


def _sources(compared: Sequence[Compared]) -> Evidence:
    rows = [
        {
            "Figure": f"{name_of(one.figure.kind, one.figure.of)}, {one.figure.currency}",
            "File and sheet": sheet_name(source.file, source.sheet),
            "Cells": source.cells,
            "Rows": source.rows,
        }
        for one in compared
        if one.figure.kind != FILE
        for source in one.figure.sources
    ]
    cut = len(rows) > _MOST_SOURCES
    title = f"Where each figure comes from{f': the first {_MOST_SOURCES:,} of {len(rows):,}' if cut else ''}"
    return table(rows[:_MOST_SOURCES], title=title)


def _tables(count: Count) -> Evidence:
    rows = [
        {
            "File and sheet": sheet_name(one.file, one.sheet),
            "Header in row": one.header or None,
            "Days in": visible(one.day_column),
            "Amounts in": visible(one.amount_column),
            "Currency": one.currencies,
            "Counted": one.counted,
            "Other days": one.outside,
            "Not counted": one.dropped,
            "Left out, or a remark": visible(one.left_out or one.remark),
        }
        for one in count.sheets
    ]
    flagged = [at for at, one in enumerate(count.sheets) if one.left_out]
    return table(rows, title="How each table was read", flagged=flagged)


def _lines(count: Count) -> Evidence:
    groups = list(dict.fromkeys(group for line in count.shown for group in line.groups))
    rows = [
        {
            "File and sheet": sheet_name(line.file, line.sheet),
            "Cell": line.cell,
            "Day": line.day,
            **{group.capitalize(): line.groups.get(group, "") for group in groups},
            "Amount": _money(line.amount, line.currency),
        }
        for line in count.shown
    ]
    title = (
        "Rows counted"
        if count.rows == len(count.shown)
        else f"Rows counted: the first {len(count.shown):,}; all are in the CSV"
    )
    columns = ["File and sheet", "Cell", "Day", *(group.capitalize() for group in groups), "Amount"]
    return table(rows, columns=columns, title=title)


def _answers(used: Sequence[Answered]) -> Evidence:
    rows = [
        {"No.": number, "Table": one.where, "Question": one.text, "Answer": one.answer}
        for number, one in enumerate(used, start=1)
    ]
    return table(rows, title="Answers that were used")


def flags_of(count: Count, notes: Sequence[str]) -> list[str]:
    """Sentences on what deserves a look first."""
    open_now = [f"{one}: what is not saved there is not counted." for one in count.open_elsewhere]
    flags = [*notes, *count.notes, *open_now]
    if count.dropped_rows:
        flags.append(
            f"{counted(count.dropped_rows, 'row')} of the tables {_is(count.dropped_rows)} not counted; each says why."
        )
    away = [one for one in count.sheets if one.left_out]
    if away:
        names = ", ".join(sheet_name(one.file, one.sheet) for one in away[:3])
        more = f" and {len(away) - 3:,} more" if len(away) > 3 else ""
        flags.append(f"{counted(len(away), 'table')} {_is(len(away))} left out as a whole: {names}{more}.")
    return flags


def report_fields(count: Count, remarks: str, left_out: Sequence[str]) -> list[Field]:
    """What a person may fill in; each makes the report anew and asks again."""
    files = list(dict.fromkeys(one.file.rpartition("/")[2] for one in count.sheets if one.counted))
    help_ = (
        "They stand above the figures; - takes them out again."
        if remarks
        else "Your words; they stand above the figures."
    )
    found = [Field(name="remarks", label="Remarks in the report", help=help_, remakes=True)]
    if 1 < len(files) <= _MOST_CHOICES:
        found.append(
            Field(name="leave_out", type="list[text]", label="Leave these files out", choices=files, remakes=True)
        )
    if left_out:
        found.append(
            Field(
                name="take_in",
                type="list[text]",
                label="Take these files in again",
                choices=list(left_out),
                remakes=True,
            )
        )
    if count.used:
        numbers = [str(number) for number in range(1, len(count.used) + 1)]
        found.append(
            Field(
                name="ask_again",
                type="list[integer]",
                label="Ask these questions again",
                help="Numbers of “Answers that were used”.",
                choices=numbers,
                remakes=True,
            )
        )
    return found


def _money(amount: Decimal, currency: str) -> Money:
    return Money(Decimal(plain_amount(amount)), currency)


def _is(number: int) -> str:
    return "is" if number == 1 else "are"
