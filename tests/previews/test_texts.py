"""Texts before and after: lines, words, and signs that would hide something."""

import difflib

import pytest

from counterfoil.previews.texts import MOST_LINES, compare, counts, marks, shown, text_of, unified

OLD, NEW = "GB94 BARC 1020 1530 0934 59", "GB29 NWBK 6016 1331 9268 19"


def marked(line: str, found: tuple[tuple[int, int], ...]) -> list[str]:
    return [line[at : at + many] for at, many in found]


@pytest.mark.parametrize(
    "one, other, gone, added",
    [
        ("pay 100 EUR", "pay 900 EUR", ["100"], ["900"]),
        ("a b c", "a x c", ["b"], ["x"]),
        (
            "Total 1,320.00 on 2026-11-30",
            "Total 9,320.00 on 2026-12-30",
            ["1,320.00", "2026-11-30"],
            ["9,320.00", "2026-12-30"],
        ),
        (f"x;{OLD};y", f"x;{NEW};y", [OLD], [NEW]),
        ("IT60 X054 2811", "IT60 X999 2811", ["X054"], ["X999"]),
        ("from a to b, then c", "from a to z, then d", ["b", "c"], ["z", "d"]),
        ("one", "one two", [], [" two"]),
        ("Ärger über", "Ärger unter", ["über"], ["unter"]),
        ("all", "other", [], []),
    ],
)
def test_words_that_differ_are_marked(one: str, other: str, gone: list[str], added: list[str]) -> None:
    left, right = marks(one, other)
    assert (marked(one, left), marked(other, right)) == (gone, added)


def test_lines_keep_their_numbers_and_what_stayed_is_folded() -> None:
    before = "".join(f"line {n}\n" for n in range(1, 101))
    lines = compare(before, before.replace("line 50\n", "line fifty\n"))
    assert [(line.sign, line.old, line.new, line.text) for line in lines] == [
        ("…", None, None, "47 lines unchanged"),
        (" ", 48, 48, "line 48"),
        (" ", 49, 49, "line 49"),
        ("−", 50, None, "line 50"),
        ("+", None, 50, "line fifty"),
        (" ", 51, 51, "line 51"),
        (" ", 52, 52, "line 52"),
        ("…", None, None, "48 lines unchanged"),
    ]
    assert counts(before, before.replace("line 50\n", "")) == (0, 1)


def test_what_hides_or_reorders_is_spelled_out() -> None:
    (line,) = compare(None, "pay\u202e001 to\u200b x\tend \x1b]52;c;aGk=\x07")
    assert line.text == "pay\\u202e001 to\\u200b x\tend \\u001b]52;c;aGk=\\u0007"


def test_a_line_of_many_signs_is_cut_and_says_so() -> None:
    assert shown("x" * 5_000) == "x" * 2_000 + "… (3,000 more signs)"
    assert len(compare(None, "y\n" * 100_000)) == MOST_LINES


@pytest.mark.parametrize(
    "data, text",
    [
        (b"plain", "plain"),
        ("ünï".encode(), "ünï"),
        ("\ufeffmark".encode(), "mark"),
        ("Müller €".encode("cp1252"), "Müller €"),
        ("wide ü".encode("utf-16"), "wide ü"),
        (b"", ""),
        (b"\x00\x01\x02", None),
        (b"PK\x03\x04\x00", None),
        (b"x" * 2_000_001, None),
        (None, None),
    ],
)
def test_what_is_a_text(data: bytes | None, text: str | None) -> None:
    assert text_of(data) == text


def test_a_difference_of_diff_u_has_its_numbers_and_counts_what_it_leaves_out() -> None:
    before, after = [f"line {n}" for n in range(1, 31)], [f"line {n}" for n in range(1, 31)]
    after[4] = "--- new"
    after[25:25] = ["more"]
    lines = unified("\n".join(difflib.unified_diff(before, after, "a", "b", lineterm="", n=1)))
    assert [(line.sign, line.old, line.new, line.text) for line in lines] == [
        ("…", None, None, "3 lines unchanged"),
        (" ", 4, 4, "line 4"),
        ("−", 5, None, "line 5"),
        ("+", None, 5, "--- new"),
        (" ", 6, 6, "line 6"),
        ("…", None, None, "18 lines unchanged"),
        (" ", 25, 25, "line 25"),
        ("+", None, 26, "more"),
        (" ", 26, 27, "line 26"),
    ]


def test_a_difference_from_nothing_begins_at_one() -> None:
    lines = unified("\n".join(difflib.unified_diff([], ["one", "two"], lineterm="")))
    assert [(line.sign, line.new, line.text) for line in lines] == [("+", 1, "one"), ("+", 2, "two")]
