"""Figures of the period: sums per currency, by day and by what rows are told apart by, each with the cells it was added up from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from weekly_report.counting import NOT_NAMED, Line
from weekly_report.vocabulary import GROUPS

TOTAL, DAY, FILE = "total", "day", "file"
MOST_OF_A_GROUP = 25  # the largest are told one by one
OTHERS = "all others"
_MOST_RANGES = 40  # of one figure and sheet that are told; the others are counted


@dataclass(frozen=True, slots=True)
class Source:
    """Cells of one sheet that a figure was added up from: `D5:D9, D12`."""

    file: str
    sheet: str
    cells: str
    rows: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A sum. `kind` is total, day, file or a group such as region; `of` names which one, "" for the total."""

    kind: str
    of: str
    currency: str
    amount: Decimal
    rows: int
    sources: list[Source]

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is compared by."""
        return self.kind, self.of, self.currency


def figures_of(lines: list[Line]) -> list[Figure]:
    """All figures, totals first; different currencies are never added."""
    found: list[Figure] = []
    for kind in (TOTAL, DAY, *GROUPS, FILE):
        sums: dict[tuple[str, str], list[Line]] = {}
        for line in lines:
            if (of := _of(kind, line)) is not None:
                sums.setdefault((of, line.currency), []).append(line)
        if any(of != NOT_NAMED for of, _ in sums):
            found += _ordered(kind, sums)
    return found


def _of(kind: str, line: Line) -> str | None:
    if kind == TOTAL:
        return ""
    if kind == DAY:
        return line.day.isoformat()
    return line.file if kind == FILE else line.groups.get(kind)


def _ordered(kind: str, sums: Mapping[tuple[str, str], list[Line]]) -> list[Figure]:
    made = [_figure(kind, of, currency, lines) for (of, currency), lines in sums.items()]
    if kind in (TOTAL, DAY, FILE):
        return sorted(made, key=lambda figure: (figure.of, figure.currency))
    made.sort(key=lambda figure: (figure.currency, -abs(figure.amount), figure.of))
    kept: list[Figure] = []
    for currency in sorted({figure.currency for figure in made}):
        those = [figure for figure in made if figure.currency == currency]
        kept += those[:MOST_OF_A_GROUP]
        if those[MOST_OF_A_GROUP:]:
            rest = [line for figure in those[MOST_OF_A_GROUP:] for line in sums[figure.of, currency]]
            kept.append(_figure(kind, OTHERS, currency, rest))
    return kept


def _figure(kind: str, of: str, currency: str, lines: list[Line]) -> Figure:
    places: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        places.setdefault((line.file, line.sheet), []).append(line)
    sources = [Source(file, sheet, ranges(those), len(those)) for (file, sheet), those in places.items()]
    return Figure(kind, of, currency, sum((line.amount for line in lines), Decimal(0)), len(lines), sources)


def ranges(lines: Iterable[Line]) -> str:
    """The cells of lines, runs of one column taken together: `D5:D9, D12`; of very many the first, and how many more there are."""
    columns: dict[str, list[int]] = {}
    for line in lines:
        columns.setdefault(line.cell.rstrip("0123456789"), []).append(line.row)
    found: list[str] = []
    for column, rows in columns.items():
        start = end = 0
        for row in [*sorted(set(rows)), 0]:
            if start and row == end + 1:
                end = row
                continue
            if start:
                found.append(f"{column}{start}" if start == end else f"{column}{start}:{column}{end}")
            start = end = row
    if len(found) <= _MOST_RANGES:
        return ", ".join(found)
    more = len(found) - _MOST_RANGES
    return f"{', '.join(found[:_MOST_RANGES])} and {more:,} more, the last of them {found[-1]}"


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure beside that of the period before; None where there is none to compare with."""

    figure: Figure
    earlier: Decimal | None

    @property
    def change(self) -> Decimal | None:
        """How much more or less it is."""
        return None if self.earlier is None else self.figure.amount - self.earlier

    @property
    def share(self) -> Decimal | None:
        """The change in percent of the earlier amount; None where it cannot be said."""
        if self.change is None or not self.earlier:
            return None
        return (self.change / abs(self.earlier) * 100).quantize(Decimal("0.1"))

    @property
    def percent(self) -> str:
        """The share for people, with its sign: `+2.4 %`; "" for none."""
        if self.share is None:
            return ""
        return f"{'+' if self.share > 0 else '−' if self.share < 0 else '±'}{abs(self.share)} %"


Earlier = Mapping[tuple[str, str, str], Decimal]


def compared(figures: list[Figure], earlier: Earlier | None, back: int) -> list[Compared]:
    """Each figure beside the earlier one, and those that are no more; `back` is how many days lie between a day and its match."""
    if earlier is None:
        return [Compared(figure, None) for figure in figures]
    found = [Compared(figure, _match(figure, earlier, back)) for figure in figures]
    known = {figure.key for figure in figures}
    cut = {(figure.kind, figure.currency) for figure in figures if figure.of == OTHERS}
    kinds = {figure.kind for figure in figures}
    for (kind, of, currency), amount in earlier.items():
        gone = kind in kinds and kind not in (DAY, FILE) and of != OTHERS and (kind, currency) not in cut
        if gone and (kind, of, currency) not in known:
            found.append(Compared(Figure(kind, of, currency, Decimal(0), 0, []), amount))
    order = (TOTAL, DAY, *GROUPS, FILE)
    return sorted(found, key=lambda one: order.index(one.figure.kind))


def _match(figure: Figure, earlier: Earlier, back: int) -> Decimal | None:
    """The earlier amount; zero where the kind is known and this one was not there."""
    kind, of, currency = figure.key
    if kind == FILE or of == OTHERS:
        return None
    if kind == DAY:
        of = date.fromordinal(date.fromisoformat(of).toordinal() - back).isoformat()
    if (kind, of, currency) in earlier:
        return earlier[kind, of, currency]
    if kind == TOTAL or (kind, OTHERS, currency) in earlier:
        return None
    return Decimal(0) if any(other == kind and same == currency for other, _, same in earlier) else None
