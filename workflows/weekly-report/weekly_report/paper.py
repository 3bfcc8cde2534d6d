"""What the report says, before it is a DOCX or a PDF: the same words and tables for both, and nothing that is not in a figure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from counterfoil.policy.boundaries import visible
from weekly_report.figures import DAY, FILE, TOTAL, Compared
from weekly_report.grids import sheet_name
from weekly_report.money import change_shown, money_shown
from weekly_report.reading import Count

_MOST_ROWS = 60  # dropped rows on paper; the gate shows more
_HEADINGS = {TOTAL: "Total", DAY: "By day", "salesperson": "By salesperson", FILE: "By file"}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within the report."""

    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """A paragraph; `quiet` for what explains rather than tells."""

    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """A table: `figures` says of each column whether it is set to the right, `shares` how wide the columns are beside each other."""

    columns: list[str]
    figures: list[bool]
    shares: list[int]
    rows: list[list[str]]


Block = Heading | Words | Rows


@dataclass(frozen=True, slots=True)
class Paper:
    """The whole report."""

    title: str
    subtitle: str
    blocks: list[Block]
    foot: str


def paper_of(
    title: str, count: Count, compared: Sequence[Compared], against: str, remarks: str, notes: Sequence[str], foot: str
) -> Paper:
    """The report; `against` says what it is compared with, a sentence."""
    blocks: list[Block] = [Words(sentence) for sentence in remarks.splitlines() if sentence.strip()]
    kinds = list(dict.fromkeys(one.figure.kind for one in compared))
    for kind in kinds:
        those = [one for one in compared if one.figure.kind == kind]
        if kind == FILE and len(those) < 2:
            continue
        blocks += [Heading(heading_of(kind)), _table(kind, those)]
        if kind == TOTAL:
            blocks.append(Words(against, quiet=True))
    blocks += _left_out(count)
    blocks += [Words(note, quiet=True) for note in notes]
    blocks += _sources(compared)
    return Paper(
        title, f"{count.period.words}, {counted(count.rows, 'row')} of {counted(_read(count), 'table')}", blocks, foot
    )


def heading_of(kind: str) -> str:
    """What figures of a kind stand under."""
    return _HEADINGS.get(kind, f"By {kind}")


def name_of(kind: str, of: str) -> str:
    """What a figure is about, for people."""
    if kind == TOTAL:
        return "Total"
    if kind == DAY:
        return date.fromisoformat(of).strftime("%a %d %b").replace(" 0", " ")
    return visible(of.rpartition("/")[2]) if kind == FILE else visible(of)


def _table(kind: str, those: Sequence[Compared]) -> Rows:
    with_earlier = any(one.earlier is not None for one in those)
    columns = ["", "Amount", *(["Before", "Change", ""] if with_earlier else []), "Rows"]
    rows = []
    for one in those:
        figure = one.figure
        row = [
            figure.currency if kind == TOTAL else name_of(kind, figure.of),
            money_shown(figure.amount, figure.currency),
        ]
        if with_earlier:
            row += ["–", "–", ""] if one.earlier is None or one.change is None else [
                money_shown(one.earlier, figure.currency), change_shown(one.change, figure.currency), one.percent,
            ]  # fmt: skip
        rows.append([*row, f"{figure.rows:,}"])
    return Rows(columns, [False] + [True] * (len(columns) - 1), [9, 6, *([6, 6, 5] if with_earlier else []), 3], rows)


def _left_out(count: Count) -> list[Block]:
    blocks: list[Block] = []
    if count.dropped_rows:
        blocks.append(Heading(f"{counted(count.dropped_rows, 'row')} not counted"))
        rows = [
            [sheet_name(one.file, one.sheet), str(one.row), visible(one.why), one.shows]
            for one in count.dropped[:_MOST_ROWS]
        ]
        blocks.append(
            Rows(["Where", "Row", "Why", "What stands there"], [False, True, False, False], [8, 3, 10, 10], rows)
        )
        if count.dropped_rows > len(rows):
            blocks.append(
                Words(f"{count.dropped_rows - len(rows):,} more were shown when this was approved.", quiet=True)
            )
    away = [one for one in count.sheets if one.left_out]
    if away:
        blocks.append(Heading("Left out as a whole"))
        blocks.append(
            Rows(
                ["Where", "Why"],
                [False, False],
                [4, 9],
                [[sheet_name(one.file, one.sheet), one.left_out] for one in away],
            )
        )
    return blocks


def _sources(compared: Sequence[Compared]) -> list[Block]:
    rows = []
    for one in compared:
        figure = one.figure
        if figure.kind == FILE:
            continue
        for source in figure.sources:
            name = f"{name_of(figure.kind, figure.of)}, {figure.currency}"
            rows.append([name, sheet_name(source.file, source.sheet), source.cells, f"{source.rows:,}"])
    if not rows:
        return []
    return [
        Heading("Where each figure comes from"),
        Rows(["Figure", "File and sheet", "Cells", "Rows"], [False, False, False, True], [8, 9, 10, 3], rows),
    ]


def reasons(count: Count) -> list[tuple[str, int]]:
    """Why rows were dropped, the most frequent first; what differs from row to row in a reason is left out."""
    plain = Counter(_plain_reason(one.why) for one in count.dropped)
    return plain.most_common()


def _plain_reason(why: str) -> str:
    for end in ("is no day.", "is no number."):
        if why.endswith(end):
            return f"What stands there {end}"
    if " holds #" in why:
        return "The cell holds an error."
    return "The formula was never worked out." if "never worked out" in why else why


def _read(count: Count) -> int:
    return sum(one.counted > 0 for one in count.sheets)


def counted(number: int, what: str) -> str:
    """A number with its noun: `1 row`, `1,200 rows`."""
    return f"1 {what}" if number == 1 else f"{number:,} {what}s"
