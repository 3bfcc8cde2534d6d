"""How wide columns are and where cells break: amounts keep one line, identifiers break at their groups, texts at blanks.

Pure arithmetic over a measure of text, so that it is tested without a window.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from counterfoil.desktop.tables.table import ABOUT, Column, Line
from counterfoil.desktop.words.values import NOTHING

Measure = Callable[[str], int]
PADDING = 20  # left and right of a cell together
_WIDEST_TEXT = 320
_NUMBERS = 64  # pixels of the columns before the head, where they hold no more than a number
_LEAST_HEAD, _LEAST_TEXT, _LEAST_IDENTIFIER = 190, 84, 190
_NARROWEST, _USUAL = 3, 7  # pixels of signs: a text of more narrow ones than fit in a line is not measured whole
_LONG_WORD = 0.6  # share of a line from which on a word of letters is parted rather than left out
_LEAST_SHARE = 0.55  # of its own width that a text keeps before other columns give way


@dataclass(frozen=True, slots=True)
class Fit:
    """Which columns stand side by side, how wide, and which are told in a line below the row because there is no room."""

    columns: tuple[Column, ...]
    kept: tuple[int, ...]
    widths: tuple[int, ...]
    folded: tuple[int, ...] = ()
    told_once: tuple[int, ...] = ()
    head: int = 0  # the column that says what a row is about

    @property
    def width(self) -> int:
        """All kept columns together."""
        return sum(self.widths)

    def once(self, line: Line) -> str:
        """What every row says alike, told once."""
        return " · ".join(f"{self.columns[at].title}: {line.texts[at]}" for at in self.told_once)

    @property
    def inset(self) -> int:
        """What stands below a row begins under what the row is about, not under its number."""
        before = sum(width for at, width in zip(self.kept, self.widths, strict=True) if at < self.head)
        return before if before <= _NUMBERS else 0

    def below(self, line: Line) -> list[str]:
        """What the folded columns hold, with their names."""
        told = [(self.columns[at].title, line.texts[at]) for at in self.folded]
        return [f"{title}: {text}" for title, text in told if text not in ("", NOTHING)]


def fit(
    columns: Sequence[Column],
    lines: Sequence[Line],
    room: int,
    measure: Measure,
    heading: Measure,
    alike: frozenset[int] = frozenset(),
) -> Fit:
    """Fit a table into the room there is. Columns that say the same in every row (`alike`) are told once below the table, and those
    that are empty in most rows go below the row where they say something. Then texts break, then identifiers at their groups, and at
    last whole columns go below each row, from the right: what an author put first is read first."""
    kept = list(range(len(columns)))
    texts = [at for at in kept if columns[at].kind == "text" and at not in alike]
    head = next((at for at in texts if columns[at].title == ABOUT), texts[0] if texts else 0)
    natural = [_natural(at, column, lines, measure, heading) for at, column in enumerate(columns)]
    least = [
        _least(at, column, lines, measure, heading, natural[at], head=at == head) for at, column in enumerate(columns)
    ]
    once: list[int] = []
    while sum(natural[at] for at in kept) > room and (same := [at for at in kept if at in alike]):
        once.append(max(same, key=lambda at: natural[at]))
        kept.remove(once[-1])
    while sum(natural[at] for at in kept) > room and (
        bare := [at for at in kept if at != head and _is_sparse(at, lines)]
    ):
        kept.remove(bare[-1])
    while sum(least[at] for at in kept) > room:
        able = [at for at in kept if at != head and columns[at].kind != "amount"]
        if not able:
            break
        kept.remove(able[-1])
    folded = tuple(at for at in range(len(columns)) if at not in kept and at not in once)
    chosen = [columns[at] for at in kept]
    fitted = [natural[at] for at in kept]
    if fitted and sum(fitted) <= room:
        fitted = _spread(chosen, fitted, room - sum(fitted))
    for kind in ("text", "identifier"):
        missing = sum(fitted) - room
        slack = [fitted[n] - least[at] if columns[at].kind == kind else 0 for n, at in enumerate(kept)]
        if missing > 0 and sum(slack) > 0:
            fitted = _shrink(fitted, slack, min(missing, sum(slack)))
    return Fit(tuple(columns), tuple(kept), tuple(fitted), folded, tuple(sorted(once)), head)


def placed(fitted: Fit, chosen: Mapping[str, int]) -> Fit:
    """The same columns with the widths a person gave some of them, by title. The others give and take, so that the whole is as wide as
    before; no column gets so narrow that what must stand whole in it would be cut."""
    kinds = [fitted.columns[at].kind for at in fitted.kept]
    titles = [fitted.columns[at].title for at in fitted.kept]
    least = [
        min(width, _LEAST_TEXT + PADDING) if kind in ("text", "identifier") else width
        for kind, width in zip(kinds, fitted.widths, strict=True)
    ]
    widths = [
        max(chosen.get(title, width), lowest) for title, width, lowest in zip(titles, fitted.widths, least, strict=True)
    ]
    spare = fitted.width - sum(widths)
    free = [title not in chosen for title in titles]
    for able in (free, [True] * len(widths)):
        slack = [width - lowest if takes else 0 for width, lowest, takes in zip(widths, least, able, strict=True)]
        if spare < 0 < sum(slack):
            given = min(-spare, sum(slack))
            widths = _shrink(widths, slack, given)
            spare += given
    if spare > 0:
        takers = [n for n, kind in enumerate(kinds) if kind == "text"] or [len(widths) - 1]
        widths[next((n for n in takers if free[n]), takers[-1])] += spare
    return replace(fitted, widths=tuple(widths))


def broken(text: str, width: int, measure: Measure) -> list[str]:
    """The lines of a text in a width: broken at blanks, and inside a word only where it alone is too wide: behind a hyphen, if any."""
    lines: list[str] = []
    rest = text.lstrip(" ")
    while rest:
        end = _whole_words(rest, width, measure) or _part_of_word(rest.split(" ", 1)[0], width, measure)
        lines.append(rest[:end])
        rest = rest[end:].lstrip(" ")
    return lines or [""]


def _whole_words(text: str, width: int, measure: Measure) -> int:
    """How many signs of a text are its first words that fit in a width, 0 where not even one does. Measuring is what costs, so the end is
    looked for from where a line usually ends."""
    if len(text) <= width // _NARROWEST and measure(text) <= width:  # as most do
        return len(text)
    end = max(text.rfind(" ", 0, width // _USUAL), 0)
    while end and measure(text[:end]) > width:
        end = max(text.rfind(" ", 0, end), 0)
    while end < len(text):
        after = text.find(" ", end + 1)
        after = len(text) if after < 0 else after
        if measure(text[:after]) > width:
            return end
        end = after
    return end


def _part_of_word(word: str, width: int, measure: Measure) -> int:
    """How many signs of a word that is too wide stand in a line."""
    fit = _fitting(word, width, measure)
    return word.rfind("-", 1, fit) + 1 or fit


def balanced(text: str, width: int, measure: Measure) -> list[str]:
    """As `broken`; an identifier that needs two lines is parted near its middle, not with one group left over."""
    lines = broken(text, width, measure)
    words = text.split(" ")
    if len(lines) != 2 or len(words) < 4:
        return lines
    for at in range((len(words) + 1) // 2, len(words)):
        head, tail = " ".join(words[:at]), " ".join(words[at:])
        if measure(head) <= width and measure(tail) <= width:
            return [head, tail]
    return lines


def shortened(text: str, width: int, measure: Measure) -> str:
    """The text, or as many of its first words as there is room for: a number or a name in it stands whole or not at all. Only a first
    word that is too long for the line is parted, or one of letters alone that fills most of a line."""
    if measure(text) <= width:
        return text
    room = width - measure("…")
    first, *rest = text.split(" ")
    if measure(first) > room:
        return f"{first[: _fitting(first, room, measure)]}…"
    kept = first
    for word in rest:
        tried = f"{kept} {word}"
        if measure(tried) > room:
            if word.replace("-", "").isalpha() and measure(word) > room * _LONG_WORD:
                kept = tried[: _fitting(tried, room, measure)]
            break
        kept = tried
    return f"{kept.rstrip(' ,;:.·–')}…"


def stacked(text: str, width: int, most: int, measure: Measure) -> tuple[str, ...]:
    """The text on as many lines as it needs, at most `most`: only what is longer ends in an ellipsis."""
    lines = broken(text, width, measure)
    if len(lines) <= most:
        return tuple(lines)
    kept = lines[: most - 1]
    rest = text
    for line in kept:
        rest = rest[len(line) :].lstrip(" ")
    return (*kept, shortened(rest, width, measure))


def packed(parts: Sequence[str], width: int, measure: Measure) -> list[str]:
    """Parts side by side while they fit, each on a new line where it does not; a part too long for a line is broken."""
    lines: list[str] = []
    for part in parts:
        tried = f"{lines[-1]}  ·  {part}" if lines else part
        if lines and measure(tried) <= width:
            lines[-1] = tried
        else:
            lines.extend(broken(part, width, measure))
    return lines


def _natural(at: int, column: Column, lines: Sequence[Line], measure: Measure, heading: Measure) -> int:
    widest = max((measure(text) for text in _texts(at, lines)), default=0)
    if column.kind == "text":
        widest = min(widest, _WIDEST_TEXT)
    return max(widest, heading(column.title)) + PADDING


def _least(
    at: int,
    column: Column,
    lines: Sequence[Line],
    measure: Measure,
    heading: Measure,
    natural: int,
    *,
    head: bool,
) -> int:
    if column.kind in ("amount", "number", "date"):
        return natural
    if column.kind == "text":
        least = max(_LEAST_HEAD if head else _LEAST_TEXT, heading(column.title), round(natural * _LEAST_SHARE))
        return min(natural, least + PADDING)
    halves = (_half(text) for text in _texts(at, lines))
    widest = min(max((measure(half) for half in halves), default=0), _LEAST_IDENTIFIER)
    return min(natural, max(widest, heading(column.title)) + PADDING)


def _is_sparse(at: int, lines: Sequence[Line]) -> bool:
    """Whether fewer than half of the rows say anything here; with two rows or less nothing is told by that."""
    filled = sum(line.values[at] not in (None, "") for line in lines if not line.total)
    rows = sum(not line.total for line in lines)
    return rows > 2 and filled * 2 < rows


def _half(text: str) -> str:
    """The longer part of an identifier that is broken in two at a blank."""
    words = text.split(" ")
    if len(words) == 1:
        return text
    middle = (len(words) + 1) // 2
    return max(" ".join(words[:middle]), " ".join(words[middle:]), key=len)


def _texts(at: int, lines: Sequence[Line]) -> list[str]:
    return [line.texts[at] for line in lines]


def _spread(columns: Sequence[Column], natural: list[int], spare: int) -> list[int]:
    """Room to spare goes to texts by how wide they are, longest first, else to the first column."""
    texts = [at for at, column in enumerate(columns) if column.kind == "text"]
    longest = [at for at in texts if natural[at] >= _WIDEST_TEXT]
    takers = longest or texts or [0]
    total = sum(natural[at] for at in takers)
    given = list(natural)
    for at in takers:
        given[at] += spare * natural[at] // total
    given[takers[0]] += spare - (sum(given) - sum(natural))
    return given


def _shrink(natural: list[int], slack: list[int], missing: int) -> list[int]:
    """Take what is missing from the columns that can break, in proportion."""
    total = sum(slack)
    taken = [give * missing // total for give in slack]
    short = missing - sum(taken)
    for at in sorted(range(len(slack)), key=lambda at: slack[at] - taken[at], reverse=True):
        extra = min(short, slack[at] - taken[at])
        taken[at] += extra
        short -= extra
    return [wide - less for wide, less in zip(natural, taken, strict=True)]


def _fitting(word: str, width: int, measure: Measure) -> int:
    low, high = 1, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if measure(word[:middle]) <= width else (low, middle - 1)
    return low
