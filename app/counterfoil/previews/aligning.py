"""Which parts of two lists stayed, in time that nobody can blow up.

difflib's time grows with the cube of what somebody hostile gives it. Here entries that stand once on both sides are anchors (patience
diff), small gaps between them are solved exactly, and what is left counts as replaced: more may be shown as changed than the least there
is, never less.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

_DEEPEST = 30  # rounds of anchors within gaps
_SMALL = 10_000  # pairs of entries in a gap that is solved exactly

Items = Sequence[Hashable]


@dataclass(frozen=True, slots=True)
class Block:
    """Entries `a0:a1` of the first list and `b0:b1` of the second: the same on both sides, or replaced by each other."""

    same: bool
    a0: int
    a1: int
    b0: int
    b1: int


def aligned(a: Items, b: Items) -> list[Block]:
    """The two lists as blocks, in order, that stayed and that were replaced, alternating."""
    blocks: list[Block] = []
    at_a = at_b = 0
    for start_a, start_b, length in _merged(sorted(_runs(a, b))):
        if start_a > at_a or start_b > at_b:
            blocks.append(Block(False, at_a, start_a, at_b, start_b))
        at_a, at_b = start_a + length, start_b + length
        blocks.append(Block(True, start_a, at_a, start_b, at_b))
    if at_a < len(a) or at_b < len(b):
        blocks.append(Block(False, at_a, len(a), at_b, len(b)))
    return blocks


def _merged(runs: list[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Runs that follow each other without a gap are one."""
    held: tuple[int, int, int] | None = None
    for start_a, start_b, length in runs:
        if held is not None and (held[0] + held[2], held[1] + held[2]) == (start_a, start_b):
            held = (held[0], held[1], held[2] + length)
            continue
        if held is not None:
            yield held
        held = (start_a, start_b, length)
    if held is not None:
        yield held


def _runs(a: Items, b: Items) -> Iterator[tuple[int, int, int]]:
    """What stayed: (start in a, start in b, length), in no order."""
    gaps = [(0, len(a), 0, len(b), 0)]
    while gaps:
        a0, a1, b0, b1, depth = gaps.pop()
        head = _shared(a, a0, a1, b, b0, b1)
        if head:
            yield a0, b0, head
            a0, b0 = a0 + head, b0 + head
        tail = _shared_from_the_end(a, a0, a1, b, b0, b1)
        if tail:
            a1, b1 = a1 - tail, b1 - tail
            yield a1, b1, tail
        if a0 == a1 or b0 == b1:
            continue
        if (a1 - a0) * (b1 - b0) <= _SMALL:
            yield from _exact(a, a0, a1, b, b0, b1)
        elif depth < _DEEPEST:
            anchors = _anchors(a, a0, a1, b, b0, b1)
            yield from ((at_a, at_b, 1) for at_a, at_b in anchors)
            ends = [(a0 - 1, b0 - 1), *anchors, (a1, b1)] if anchors else []
            gaps += [(i + 1, k, j + 1, m, depth + 1) for (i, j), (k, m) in pairwise(ends)]


def _shared(a: Items, a0: int, a1: int, b: Items, b0: int, b1: int) -> int:
    length, most = 0, min(a1 - a0, b1 - b0)
    while length < most and a[a0 + length] == b[b0 + length]:
        length += 1
    return length


def _shared_from_the_end(a: Items, a0: int, a1: int, b: Items, b0: int, b1: int) -> int:
    length, most = 0, min(a1 - a0, b1 - b0)
    while length < most and a[a1 - 1 - length] == b[b1 - 1 - length]:
        length += 1
    return length


def _anchors(a: Items, a0: int, a1: int, b: Items, b0: int, b1: int) -> list[tuple[int, int]]:
    """The longest rising sequence of entries that stand once on both sides."""
    once_b = _once(b, b0, b1)
    pairs = [(at, once_b[item]) for item, at in _once(a, a0, a1).items() if item in once_b]
    ends: list[int] = []  # the smallest end of a rising sequence of each length, as its place in b
    chain: list[int] = []  # the pair that stands there
    before: list[int] = []  # for each pair the one before it in its sequence, -1 for none
    for number, (_, at_b) in enumerate(pairs):
        length = bisect_left(ends, at_b)
        before.append(chain[length - 1] if length else -1)
        if length == len(ends):
            ends.append(at_b)
            chain.append(number)
        else:
            ends[length], chain[length] = at_b, number
    found: list[tuple[int, int]] = []
    number = chain[-1] if chain else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _once(items: Items, start: int, end: int) -> dict[Hashable, int]:
    """Entries that stand once in a range, with their place, in order."""
    places: dict[Hashable, int] = {}
    for at in range(start, end):
        places[items[at]] = -1 if items[at] in places else at
    return {item: at for item, at in places.items() if at >= 0}


def _exact(a: Items, a0: int, a1: int, b: Items, b0: int, b1: int) -> Iterator[tuple[int, int, int]]:
    """The longest common subsequence of a small gap."""
    width = b1 - b0 + 1
    longest = [[0] * width for _ in range(a1 - a0 + 1)]
    for i in range(a1 - a0 - 1, -1, -1):
        row, below = longest[i], longest[i + 1]
        for j in range(width - 2, -1, -1):
            row[j] = below[j + 1] + 1 if a[a0 + i] == b[b0 + j] else max(below[j], row[j + 1])
    i = j = 0
    while i < a1 - a0 and j < b1 - b0:
        if a[a0 + i] == b[b0 + j]:
            yield a0 + i, b0 + j, 1
            i, j = i + 1, j + 1
        elif longest[i + 1][j] >= longest[i][j + 1]:
            i += 1
        else:
            j += 1
