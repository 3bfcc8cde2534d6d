"""Weekly report: spreadsheets of a folder go in, approved figures with the cells they come from come out, as DOCX and PDF.

Reading, counting and making the papers are steps; the two stops for a person stand in the body, where one can read them. Every figure
is added up from cells; nothing is estimated, and what is not clear is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal

from counterfoil import (
    Decision,
    Effect,
    FilesChanged,
    Folder,
    Params,
    Period,
    Returned,
    append_rows,
    approve,
    ask,
    files,
    param,
    report,
    sleep,
    step,
    this_run,
    workflow,
    write_file,
)
from counterfoil.clock import from_us
from weekly_report.docx_paper import docx_of
from weekly_report.figures import TOTAL, Compared, compared
from weekly_report.memory import Memory
from weekly_report.money import sums_shown
from weekly_report.paper import Paper, counted, paper_of
from weekly_report.pdf_paper import pdf_of
from weekly_report.reading import REPORTS, Count, count_folder
from weekly_report.records import (
    ANSWER_COLUMNS,
    ANSWERS,
    FIGURE_COLUMNS,
    FIGURES,
    Records,
    answer_rows,
    figure_rows,
    read_answers,
    read_figures,
)
from weekly_report.showing import (
    flags_of,
    key_figures,
    questions_evidence,
    questions_form,
    questions_title,
    report_evidence,
    report_fields,
    report_title,
)

_PAUSE, _TRIES = timedelta(minutes=5), 6  # how long, and how often, a file that is open elsewhere is waited for


class WeeklyReport(Params):
    folder: Folder = param(
        label="Folder with spreadsheets", help="Its .xlsx, .xls, .ods and .csv files are read, never changed."
    )
    period: Period = param(
        label="Period",
        help="“last week”, “this month”, “last 7 days”, or two days: 2026-11-23 to 2026-11-29. Seen from the planned day.",
        default=Period("last week"),
    )
    open_files: Literal["count what is saved", "wait half an hour"] = param(
        label="Files open elsewhere",
        help="Excel and LibreOffice leave a mark beside a file that they have open.",
        default="count what is saved",
    )
    title: str = param(label="Title of the report", default="Weekly report")


@dataclass(frozen=True)
class Papers:
    """The report in both forms, and the names it gets."""

    docx_path: str
    docx: bytes
    pdf_path: str
    pdf: bytes
    csv_path: str  # for every row with its cell, where there are more than are shown


@dataclass(frozen=True)
class Receipt:
    """What came of a run; rows = those of the period that are counted, others = rows of other days."""

    summary: str
    period: Period
    files: int
    rows: int
    dropped: int
    others: int
    reports: list[str]


@step(title="Look at earlier reports")
def read_records() -> Records:
    """The figures and answers that earlier reports left, and which names are taken."""
    door = files()
    figures = read_figures(door.read(FIGURES) if door.exists(FIGURES) else None)
    answers = read_answers(door.read(ANSWERS) if door.exists(ANSWERS) else None)
    names = [one.path for one in door.list(REPORTS)] if door.is_folder(REPORTS) else []
    report(f"{counted(len(figures), 'earlier figure')}, {counted(len(answers), 'answer')}")
    return Records(figures, answers, names)


@step(process=True, title="Read and count the tables")
def count_tables(folder: Folder, period: Period, answers: dict[str, str], left_out: list[str]) -> Count:
    """Every table of the folder, its rows counted or dropped with a reason; what is not clear is a question."""
    return count_folder(files(), folder, period, answers, left_out, report)


@step(process=True, title="Make the DOCX and the PDF")
def make_papers(paper: Paper, name: str, at: datetime) -> Papers:
    """The bytes of both; the same report gives the same bytes."""
    papers = Papers(f"{name}.docx", docx_of(paper, at), f"{name}.pdf", pdf_of(paper), f"{name}.csv")
    report(f"{-(-len(papers.docx) // 1000):,} kB and {-(-len(papers.pdf) // 1000):,} kB")
    return papers


def earlier_of(
    count: Count, records: Records, folder: str
) -> tuple[Mapping[tuple[str, str, str], Decimal] | None, str, list[str]]:
    """What the figures are compared with, a sentence on it, and what deserves a look."""
    before = count.period.before
    counted = {(one.kind, one.of, one.currency): one.amount for one in count.before}
    kept = {(one.figure, one.of, one.currency): one.amount for one in records.of(before, folder)}
    if not kept:
        if not counted:
            return None, f"There is nothing on {before.words} to compare with.", []
        return counted, f"Compared with {before.words}, counted from the same files: no report on it is kept.", []
    notes = []
    now, then = _totals(counted), _totals(kept)
    if counted and now != then:
        notes = [
            f"The report on {before.words} said {sums_shown(then)}; its files now give {sums_shown(now)}. The change is told against it."
        ]
    return kept, f"Compared with the report on {before.words}.", notes


def _totals(figures: Mapping[tuple[str, str, str], Decimal]) -> list[tuple[Decimal, str]]:
    return sorted(
        ((amount, currency) for (kind, _, currency), amount in figures.items() if kind == TOTAL), key=lambda one: one[1]
    )


def free_name(title: str, period: Period, names: list[str]) -> str:
    """A name for the report that no earlier one has, without its ending."""
    plain = (
        " ".join("".join(sign if sign.isalnum() or sign in " -_" else " " for sign in title).split())[:60] or "Report"
    )
    name = f"{REPORTS}/{plain} {period.first.isoformat()} to {period.last.isoformat()}"
    taken = {path.casefold() for path in names}
    number = 1
    while any(f"{_numbered(name, number)}.{ending}".casefold() in taken for ending in ("docx", "pdf", "csv")):
        number += 1
    return _numbered(name, number)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} ({number})"


def plan_of(papers: Papers, count: Count, memory: Memory, folder: str) -> list[Effect]:
    """The two papers, and the rows that the next report is compared with and asks less by."""
    run = str(this_run().number)
    figures = figure_rows(count.figures, run=run, folder=folder, period=count.period, report=papers.docx_path)
    plan = [
        write_file(papers.docx_path, papers.docx),
        write_file(papers.pdf_path, papers.pdf),
        append_rows(FIGURES, figures, columns=FIGURE_COLUMNS),
    ]
    if count.all_rows:
        plan.insert(2, write_file(papers.csv_path, count.all_rows))
    if memory.given:
        plan.append(append_rows(ANSWERS, answer_rows(memory.given, run=run), columns=ANSWER_COLUMNS))
    return plan


async def ask_about(count: Count, memory: Memory) -> None:
    """Stop 1, only where a table leaves something open."""
    answers = await ask(
        questions_title(count.questions, count.period.words),
        questions_form(count.questions),
        evidence=questions_evidence(count.questions),
        flags=memory.notes,
    )
    memory.answered(count.questions, answers, answers.by)


async def approve_report(
    papers: Papers,
    count: Count,
    shown: list[Compared],
    against: str,
    notes: list[str],
    memory: Memory,
    folder: str,
    number: int,
) -> Decision:
    """Stop 2: every figure before a person, and the files as they will be."""
    return await approve(
        report_title(count),
        plan=plan_of(papers, count, memory, folder),
        evidence=report_evidence(count, shown, against, memory.remarks),
        figures=key_figures(count, shown),
        flags=flags_of(count, [*memory.told(count), *notes]),
        fields=report_fields(count, memory.remarks, memory.left_out),
        round=number,
    )


def nothing_to_report(count: Count) -> Receipt:
    """What a run says that found no row."""
    read = sum(not one.left_out for one in count.sheets)
    summary = (
        f"Nothing to report on {count.period.words}: {counted(count.files, 'file')}, {counted(read, 'table')}, "
        f"{counted(count.outside, 'row')} of other days, {counted(count.dropped_rows, 'row')} not counted. Nothing was written."
    )
    return Receipt(summary, count.period, count.files, 0, count.dropped_rows, count.outside, [])


def still_open(count: Count) -> Receipt:
    """What a run says that has waited in vain for a file to be closed."""
    minutes = _TRIES * int(_PAUSE.total_seconds()) // 60
    summary = (
        f"Nothing was counted: {' and '.join(count.open_elsewhere)}, tried for {minutes} minutes. Nothing was written."
    )
    return Receipt(summary, count.period, count.files, 0, 0, 0, [])


def receipt(count: Count, papers: Papers) -> Receipt:
    """What came of a run."""
    totals = [(one.amount, one.currency) for one in count.figures if one.kind == TOTAL]
    sums = f"{sums_shown(totals)} from {counted(count.rows, 'row')}"
    summary = f"The report on {count.period.words} is written: {sums}. It lies in {REPORTS}/."
    return Receipt(
        summary,
        count.period,
        count.files,
        count.rows,
        count.dropped_rows,
        count.outside,
        [papers.docx_path, papers.pdf_path, *([papers.csv_path] if count.all_rows else [])],
    )


@workflow("weekly-report")
async def weekly_report(p: WeeklyReport) -> Receipt:
    memory = Memory()
    folder = "" if p.folder in (".", "") else p.folder.strip("/")
    run = this_run()
    number = waited = 0  # the round at stop 2, and pauses for files that are open elsewhere
    while True:
        records = await read_records()
        count = await count_tables(p.folder, p.period, memory.known(records.answers), memory.left_out)
        if count.open_elsewhere and p.open_files == "wait half an hour":
            if waited == _TRIES:
                return still_open(count)
            waited += 1
            await sleep(_PAUSE)
            continue
        try:
            if count.questions:
                await ask_about(count, memory)
                continue
            if not count.rows:
                return nothing_to_report(count)
            earlier, against, notes = earlier_of(count, records, folder)
            shown = compared(count.figures, earlier, (p.period.last - p.period.before.last).days)
            foot = f"{p.title}, {p.period.words} · run {run.number}"
            paper = paper_of(p.title, count, shown, against, memory.remarks, [*count.notes, *notes], foot)
            papers = await make_papers(paper, free_name(p.title, p.period, records.names), from_us(run.created_us))
            number += 1
            decision = await approve_report(papers, count, shown, against, notes, memory, folder, number)
            await decision.perform(on_conflict="raise")
        except Returned as back:
            memory.returned(None if count.questions else count, back.answers, back.by, back.comment)
            continue
        except FilesChanged as changed:
            memory.changed(changed.paths)
            continue
        return receipt(count, papers)
