"""Two texts compared line by line, as a plain list: what stayed is folded, what changed carries its sign and the words that differ."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

_AROUND = 2  # lines of what stayed around a change
_LONGEST = 4000  # lines compared; beyond it the comparison itself would hold things up


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line. `sign` is +, −, blank, or … for lines that are folded; `marks` are (start, length) of what differs in it."""

    sign: str
    old: int | None
    new: int | None
    text: str
    marks: tuple[tuple[int, int], ...] = ()


def compare(before: str | None, after: str | None) -> list[DiffLine]:
    """The differences of two texts; None is a file that is not there."""
    old, new = (before or "").splitlines()[:_LONGEST], (after or "").splitlines()[:_LONGEST]
    lines: list[DiffLine] = []
    codes = difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    for at, (tag, a0, a1, b0, b1) in enumerate(codes):
        if tag == "equal":
            lines.extend(_stayed(old, a0, a1, b0, first=at == 0, last=at == len(codes) - 1))
        else:
            lines.extend(_changed(old[a0:a1], new[b0:b1], a0, b0))
    return lines


def whole(text: str) -> list[DiffLine]:
    """A text without a comparison."""
    return [DiffLine(" ", None, number, line) for number, line in enumerate(text.splitlines()[:_LONGEST], 1)]


def _stayed(old: Sequence[str], start: int, end: int, new: int, *, first: bool, last: bool) -> list[DiffLine]:
    shift = new - start
    numbers = list(range(start, end))
    head = [] if first else numbers[:_AROUND]
    tail = [] if last else numbers[max(len(head), len(numbers) - _AROUND) :]
    folded = len(numbers) - len(head) - len(tail)
    made = [DiffLine(" ", at + 1, at + 1 + shift, old[at]) for at in head]
    if folded > 0:
        made.append(DiffLine("…", None, None, "1 line unchanged" if folded == 1 else f"{folded:,} lines unchanged"))
    return made + [DiffLine(" ", at + 1, at + 1 + shift, old[at]) for at in tail]


def _changed(gone: Sequence[str], added: Sequence[str], old: int, new: int) -> list[DiffLine]:
    pairs = min(len(gone), len(added)) if len(gone) == len(added) else 0
    before = [DiffLine("−", old + at + 1, None, line) for at, line in enumerate(gone)]
    after = [DiffLine("+", None, new + at + 1, line) for at, line in enumerate(added)]
    for at in range(pairs):
        left, right = _marks(gone[at], added[at])
        before[at] = DiffLine("−", old + at + 1, None, gone[at], left)
        after[at] = DiffLine("+", None, new + at + 1, added[at], right)
    return before + after


def _marks(left: str, right: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """What differs inside two lines, widened to whole words so that an account number is never marked in pieces."""
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return _widened(left, start, len(left) - end), _widened(right, start, len(right) - end)


def _widened(line: str, start: int, end: int) -> tuple[tuple[int, int], ...]:
    while start > 0 and line[start - 1].isalnum():
        start -= 1
    while end < len(line) and line[end].isalnum():
        end += 1
    return ((start, end - start),) if end > start else ()
