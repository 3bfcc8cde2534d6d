"""What stayed of two lists: always true, and never slow, whatever somebody makes of the lists."""

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from counterfoil.previews.aligning import Block, aligned

LETTERS = some.lists(some.sampled_from("abcde"), max_size=60)


def check(a: list[str], b: list[str]) -> list[Block]:
    """Blocks cover both lists in order, alternate, and say truly what stayed."""
    blocks = aligned(a, b)
    assert [item for block in blocks for item in a[block.a0 : block.a1]] == a
    assert [item for block in blocks for item in b[block.b0 : block.b1]] == b
    assert all(a[block.a0 : block.a1] == b[block.b0 : block.b1] for block in blocks if block.same)
    assert all(one.same != other.same for one, other in pairwise(blocks))
    return blocks


@given(LETTERS, LETTERS)
def test_blocks_tell_the_truth(a: list[str], b: list[str]) -> None:
    check(a, b)


@given(some.lists(some.integers(0, 300), max_size=400), some.integers(0, 2**32))
def test_long_lists_too(numbers: list[int], seed: int) -> None:
    a = [str(number) for number in numbers]
    chance = random.Random(seed)
    b = [item for item in a if chance.random() > 0.1]
    b.insert(chance.randint(0, len(b)), "new")
    check(a, b)


def test_one_line_more_is_one_block() -> None:
    a = [f"line {n % 7}" for n in range(5000)]
    blocks = check(a, [*a[:2500], "new", *a[2500:]])
    assert [(block.a1 - block.a0, block.b1 - block.b0) for block in blocks if not block.same] == [(0, 1)]


def test_the_least_change_is_found_where_the_gap_is_small() -> None:
    blocks = check(list("the quick brown fox"), list("the quiet brown cat"))
    assert sum(block.a1 - block.a0 for block in blocks if block.same) == 14


HOSTILE = {
    "all alike": (["x"] * 20_000, ["x"] * 19_999),
    "two signs": (["a", "b"] * 10_000, ["b", "a", "a"] * 6_000),
    "backwards": ([str(n) for n in range(20_000)], [str(n) for n in range(20_000)][::-1]),
    "one anchor a round": (
        [str(n // 2) for n in range(20_000)],
        [str(n // 2) for n in range(1, 20_001)],
    ),
    "nothing shared": ([f"a{n}" for n in range(20_000)], [f"b{n}" for n in range(20_000)]),
    "comb": ([f"k{n}" if n % 100 == 0 else "x" for n in range(20_000)], [f"k{n}" if n % 99 == 0 else "y" for n in range(20_000)]),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_no_lists_take_for_ever(name: str) -> None:
    """A bound of the order of work, not of speed: what grows with the square of these lengths takes minutes."""
    began = time.process_time()
    check(*HOSTILE[name])
    assert time.process_time() - began < 20
