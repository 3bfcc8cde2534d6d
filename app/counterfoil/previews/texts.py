"""Texts as people compare them: line by line, and within a changed line word by word. What stayed is folded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from counterfoil.policy.boundaries import visible
from counterfoil.policy.file_classes import HEAD, is_text
from counterfoil.previews.aligning import aligned

LARGEST = 2_000_000  # bytes of a text that is compared
MOST_LINES = 4_000  # lines of a comparison that are shown
_AROUND = 2  # lines of what stayed around a change
_LONGEST_LINE = 2_000  # signs of a line that are shown
_WORDS = re.compile(r"\d+(?:[.,:/-]\d+)+|\w+|\s+|[^\w\s]")  # 1,320.00 and 2026-11-30 are words
_NO_GAP = re.compile(r"\s*[0-9A-Z]{0,4}\s*")  # a group of an account number that happens to be the same
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ENDINGS = re.compile(r"\r\n|\n|\r")  # not splitlines: a vertical tab or a U+2028 is no line of an editor


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line. `sign` is +, −, blank, or … for lines that are folded; `marks` are (start, length) of what differs in it."""

    sign: str
    old: int | None
    new: int | None
    text: str
    marks: tuple[tuple[int, int], ...] = ()


def text_of(data: bytes | None) -> str | None:
    """The text of a file, or None for what is no text or too long. Western code pages are read where it is no UTF-8."""
    if data is None or len(data) > LARGEST:
        return None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    if not is_text(data[:HEAD]):
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def compare(before: str | None, after: str | None) -> list[DiffLine]:
    """The differences of two texts, at most MOST_LINES of them; None is a file that is not there."""
    old, new = lines_of(before), lines_of(after)
    blocks = aligned(old, new)
    lines: list[DiffLine] = []
    for at, block in enumerate(blocks):
        if len(lines) >= MOST_LINES:
            break
        if block.same:
            lines += _stayed(old, block.a0, block.a1, block.b0, first=at == 0, last=at == len(blocks) - 1)
        else:
            lines += _changed(old[block.a0 : block.a1], new[block.b0 : block.b1], block.a0, block.b0)
    return lines[:MOST_LINES]


def unified(difference: str) -> list[DiffLine]:
    """A difference in the form of `diff -u`, line by line with its numbers; lines that it leaves out are counted."""
    lines: list[DiffLine] = []
    old = new = 1
    has_begun = False
    for line in difference.splitlines():
        hunk = _HUNK.match(line)
        if hunk is not None:
            begins = int(hunk[1]) + (hunk[2] == "0")  # an empty side names the line before it
            if begins > old:
                lines.append(_folded(begins - old))
            old, new, has_begun = begins, int(hunk[3]) + (hunk[4] == "0"), True
        elif has_begun or not line.startswith(("---", "+++")):
            sign = {"+": "+", "-": "−"}.get(line[:1], " ")
            lines.append(DiffLine(sign, old if sign != "+" else None, new if sign != "−" else None, line[1:]))
            old, new = old + (sign != "+"), new + (sign != "−")
    return lines[:MOST_LINES]


def counts(before: str | None, after: str | None) -> tuple[int, int]:
    """How many lines were added and how many removed."""
    blocks = [block for block in aligned(lines_of(before), lines_of(after)) if not block.same]
    return sum(block.b1 - block.b0 for block in blocks), sum(block.a1 - block.a0 for block in blocks)


def lines_of(text: str | None) -> list[str]:
    """The lines of a text, without their endings; an ending at the end begins no line."""
    lines = _ENDINGS.split(text or "")
    return lines if lines[-1] else lines[:-1]


def shown(line: str) -> str:
    """A line in which nothing hides: tabs stay, every other sign that is not drawn is spelled out; a very long one is cut and says so."""
    if len(line) > _LONGEST_LINE:
        line = f"{line[:_LONGEST_LINE]}… ({len(line) - _LONGEST_LINE:,} more signs)"
    return "\t".join(visible(part) for part in line.split("\t"))


def _stayed(old: Sequence[str], start: int, end: int, new: int, *, first: bool, last: bool) -> list[DiffLine]:
    shift = new - start
    numbers = range(start, end)
    head = numbers[:0] if first else numbers[:_AROUND]
    tail = numbers[:0] if last else numbers[max(len(head), len(numbers) - _AROUND) :]
    folded = len(numbers) - len(head) - len(tail)
    made = [DiffLine(" ", at + 1, at + 1 + shift, shown(old[at])) for at in head]
    if folded > 0:
        made.append(_folded(folded))
    return made + [DiffLine(" ", at + 1, at + 1 + shift, shown(old[at])) for at in tail]


def _folded(many: int) -> DiffLine:
    return DiffLine("…", None, None, "1 line unchanged" if many == 1 else f"{many:,} lines unchanged")


def _changed(gone: Sequence[str], added: Sequence[str], old: int, new: int) -> list[DiffLine]:
    gone, added = [shown(line) for line in gone[:MOST_LINES]], [shown(line) for line in added[:MOST_LINES]]
    before = [DiffLine("−", old + at + 1, None, line) for at, line in enumerate(gone)]
    after = [DiffLine("+", None, new + at + 1, line) for at, line in enumerate(added)]
    if len(gone) == len(added):
        for at, (one, other) in enumerate(zip(gone, added, strict=True)):
            left, right = marks(one, other)
            before[at] = DiffLine("−", old + at + 1, None, one, left)
            after[at] = DiffLine("+", None, new + at + 1, other, right)
    return before + after


def marks(left: str, right: str) -> tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]:
    """What differs inside two lines, in whole words, so that an account number is never marked in pieces; nothing where all differs."""
    one, other = _WORDS.findall(left), _WORDS.findall(right)
    blocks = aligned(one, other)
    if not any(block.same for block in blocks):
        return (), ()
    changed = [block for block in blocks if not block.same]
    return (
        _joined(left, _starts(one), [(block.a0, block.a1) for block in changed]),
        _joined(right, _starts(other), [(block.b0, block.b1) for block in changed]),
    )


def _joined(line: str, starts: Sequence[int], spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Spans of words as (start, length) of signs; those that only a blank or a short group parts are one."""
    made: list[tuple[int, int]] = []
    for first, end in spans:
        start, stop = starts[first], starts[end]
        if start == stop:
            continue
        if made and _NO_GAP.fullmatch(line, made[-1][0] + made[-1][1], start):
            start = made.pop()[0]
        made.append((start, stop - start))
    return tuple(made)


def _starts(words: Sequence[str]) -> list[int]:
    """Where each word begins, and where the line ends."""
    starts = [0]
    for word in words:
        starts.append(starts[-1] + len(word))
    return starts
