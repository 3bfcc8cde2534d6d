"""A folder is read and counted: every file that holds a table, what is open in another program, what is left out and why."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from counterfoil import FileFacts, FileRefused, Files, Period
from counterfoil.policy.boundaries import visible
from weekly_report.columns import Question
from weekly_report.counting import Dropped, Line, Sheet, SheetFacts, count_grid, shared_rows, without_copies
from weekly_report.figures import Figure, figures_of
from weekly_report.grids import Refusal, sheet_name
from weekly_report.opening import LARGEST, open_file
from weekly_report.spreadsheet_cells import lines_csv

REPORTS = "reports"
MOST_FILES = 500
MOST_LINES = 200_000  # of a period
MOST_SHOWN = 1_000  # lines, and as many dropped rows, that are shown one by one
ONCE, TWICE = "count them once", "count them in both"
COPIES = "copies"  # the kind of a question that is about these very files, so its answer is not kept


@dataclass(frozen=True, slots=True)
class Earlier:
    """A sum of the period before, out of the same files."""

    kind: str
    of: str
    currency: str
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that was used: what was asked, about which table, what was said."""

    kind: str
    file: str
    columns: str
    where: str
    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class Count:
    """What a folder says about a period."""

    period: Period
    files: int
    figures: list[Figure] = field(default_factory=list)
    before: list[Earlier] = field(default_factory=list)
    rows: int = 0
    shown: list[Line] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    dropped_rows: int = 0
    outside: int = 0
    sheets: list[SheetFacts] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    used: list[Answered] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    open_elsewhere: list[str] = field(default_factory=list)  # `sales.xlsx is open in Excel`
    all_rows: bytes = b""  # a CSV of every line with its cell, where there are more than are shown


def count_folder(
    door: Files,
    folder: str,
    period: Period,
    answers: Mapping[str, str],
    left_out: Sequence[str],
    say: Callable[[str], None],
) -> Count:
    """Read and count every file of a folder; `left_out` names files that a person does not want in it.

    Raises:
        FileRefused: the folder cannot be listed.
        ValueError: there is more than is counted.
    """
    root = "" if folder in (".", "") else folder.strip("/")
    found = [one for one in door.list(root) if not one.path.startswith(f"{REPORTS}/")]
    if len(found) > MOST_FILES:
        raise ValueError(
            f"The folder holds {len(found):,} files; up to {MOST_FILES:,} are read. Move older ones into a folder of their own."
        )
    sheets: list[Sheet] = []
    seen: dict[str, str] = {}
    for number, one in enumerate(found, start=1):
        say(f"Reading {number} of {len(found)}")
        sheets += _read(door, one, period, answers, left_out, seen)
    questions = _settle_copies(sheets, answers)
    lines = [line for sheet in sheets for line in sheet.lines]
    if len(lines) > MOST_LINES:
        raise ValueError(
            f"{len(lines):,} rows lie in {period.words}; up to {MOST_LINES:,} are reported. Choose fewer days."
        )
    dropped = [row for sheet in sheets for row in sheet.dropped]
    before = figures_of([line for sheet in sheets for line in sheet.before])
    said = "1 row" if len(lines) == 1 else f"{len(lines):,} rows"
    say(f"{said} of {period.words}, {len(dropped):,} not counted")
    return Count(
        period,
        len(found),
        figures_of(lines),
        [Earlier(one.kind, one.of, one.currency, one.amount) for one in before],
        len(lines),
        lines[:MOST_SHOWN],
        dropped[:MOST_SHOWN],
        len(dropped),
        sum(sheet.facts.outside for sheet in sheets),
        [sheet.facts for sheet in sheets],
        [*_once([question for sheet in sheets for question in sheet.questions]), *questions],
        list({one.key: _answered(one, answer) for sheet in sheets for one, answer in sheet.used}.values()),
        [note for sheet in sheets for note in sheet.notes],
        _open_elsewhere(door, root, found),
        lines_csv(lines) if len(lines) > MOST_SHOWN else b"",
    )


def _read(
    door: Files,
    one: FileFacts,
    period: Period,
    answers: Mapping[str, str],
    left_out: Sequence[str],
    seen: dict[str, str],
) -> list[Sheet]:
    """The tables of a file; a file that gives none as one table that is left out."""
    name = one.path.rpartition("/")[2]
    if name.startswith("~$"):
        return []  # what Excel keeps beside an open file; told in the notes
    if name in left_out:
        return [_nothing(one.path, "", "A person left it out.")]
    if one.is_link:
        return [_nothing(one.path, "", "It is a link; links are not followed.")]
    try:
        data = door.read(one.path, limit=LARGEST)
        digest = hashlib.sha256(data).hexdigest()
        if digest in seen:
            return [_nothing(one.path, "", f"It has the same content as {visible(seen[digest])}, which is counted.")]
        grids, unread = open_file(one.path, data)
    except FileRefused as problem:
        return [_nothing(one.path, "", problem.reason)]
    except Refusal as problem:
        return [_nothing(one.path, "", str(problem))]
    seen[digest] = name
    sheets = [sheet for grid in grids for sheet in count_grid(grid, period, answers)]
    return [*sheets, *(_nothing(one.path, sheet, why) for sheet, why in unread)]


def _nothing(file: str, sheet: str, why: str) -> Sheet:
    return Sheet(SheetFacts(file, sheet, left_out=why))


def _settle_copies(sheets: list[Sheet], answers: Mapping[str, str]) -> list[Question]:
    """Ask about rows that two tables have, or do what was answered."""
    questions: list[Question] = []
    with_lines = [sheet for sheet in sheets if sheet.lines]
    for at, later in enumerate(with_lines):
        for earlier in with_lines[:at]:
            shared = shared_rows(earlier, later)
            if not shared:
                continue
            question = _about_copies(earlier, later, shared)
            answer = answers.get(question.key)
            if answer == ONCE:
                without_copies(earlier, later)
            elif answer != TWICE:
                questions.append(question)
    return questions


def _about_copies(earlier: Sheet, later: Sheet, shared: int) -> Question:
    first, again = (sheet_name(one.facts.file, one.facts.sheet) for one in (earlier, later))
    are = "1 row stands" if shared == 1 else f"{shared:,} rows stand"
    sample = [[line.day.isoformat(), f"{line.amount:f}", line.currency, *line.says] for line in later.lines[:6]]
    return Question(
        COPIES,
        first,
        again,
        again,
        f"{are} in {first} and in {again}.",
        [ONCE, TWICE],
        [["Rows of the second"], *sample],
    )


def _once(questions: list[Question]) -> list[Question]:
    """Questions about tables of one kind are asked once."""
    return list({question.key: question for question in reversed(questions)}.values())[::-1]


def _answered(question: Question, answer: str) -> Answered:
    return Answered(question.kind, question.file, question.columns, question.where, question.text, answer)


def _open_elsewhere(door: Files, root: str, found: Sequence[FileFacts]) -> list[str]:
    """Files that Excel or LibreOffice has open, by what they leave beside them: `sales.xlsx is open in Excel`."""
    here = [one.path.rpartition("/")[2] for one in found]
    beside = [one.path.rpartition("/")[2] for one in door.left_out(root)]
    said = {f"{visible(name.removeprefix('~$'))} is open in Excel" for name in here if name.startswith("~$")}
    for name in beside:
        if name.startswith(".~lock.") and name.endswith("#"):
            said.add(f"{visible(name.removeprefix('.~lock.').removesuffix('#'))} is open in LibreOffice")
    return sorted(said)
