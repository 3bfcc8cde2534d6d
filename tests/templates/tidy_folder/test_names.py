"""New names: nothing is lost, nothing is said twice, every computer can keep them, and making them again changes nothing."""

from __future__ import annotations

import os
import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.policy.boundaries import trouble_with
from tidy_folder.names import deceives, fits_in, is_text, key_of, new_stem, numbered, safe

DAY = date(2024, 3, 15)
DAYS = st.none() | st.dates(date(1980, 1, 1), date(2099, 12, 31))


@pytest.mark.parametrize(
    "stem, supplier, expected",
    [
        ("BW-7741", "Brightwater Ltd", "2024-03-15 Brightwater Ltd BW-7741"),
        ("brightwater-ltd 7741", "Brightwater Ltd", "2024-03-15 brightwater-ltd 7741"),
        ("Rechnung 15.03.2024 Nr 5", "", "2024-03-15 Rechnung Nr 5"),
        ("IMG_20240315_101112", "", "2024-03-15 IMG 101112"),
        ("20240315", "ACME", "2024-03-15 ACME"),
        ("2023-01-02 Telekom", "Telekom", "2023-01-02 Telekom"),
        ("2023-01-02", "Telekom", "2023-01-02 Telekom"),
        ("scan 1.4.2023", "", "2024-03-15 scan 1.4.2023"),
        ('a/b:c*d?"<>|\\e', "", "2024-03-15 a-b-c-d-e"),
        ("e\u0301te\u0301", "", "2024-03-15 \u00e9t\u00e9"),
        ("gnp\u202efdp", "", "2024-03-15 gnpfdp"),
        ("...", "A / S", "2024-03-15 A - S file"),
        ("فاتورة", "شركة", "2024-03-15 شركة فاتورة"),
    ],
)
def test_new_names(stem: str, supplier: str, expected: str) -> None:
    assert new_stem(stem, DAY, supplier) == expected


def test_without_a_day_a_name_stays() -> None:
    assert new_stem("  odd  name ", None, "ACME") == "  odd  name "
    assert new_stem("2023-01-02 x", None, "ACME") == "2023-01-02 ACME x"


@given(st.text(min_size=1, max_size=80), DAYS, st.text(max_size=80))
def test_making_a_name_again_changes_nothing(stem: str, day: date | None, supplier: str) -> None:
    once = new_stem(stem, day, supplier)
    assert new_stem(once, day, supplier) == once
    if once != stem:
        again = new_stem(numbered(once, 2), day, supplier)
        assert again == numbered(once, 2)


@given(st.text(max_size=120))
def test_safe_names_are_safe(text: str) -> None:
    name = safe(text)
    assert trouble_with(f"{name}.pdf") is None or len(os.fsencode(name)) > 230
    assert safe(name) == name
    assert unicodedata.is_normalized("NFC", name)
    assert not deceives(name)


def test_keys_of_names_that_cannot_lie_side_by_side() -> None:
    twins = ["a/É.pdf", "A/e\u0301.PDF", "a/\u200bé.pdf"]
    assert len({key_of(path) for path in twins}) == 1
    assert key_of("a/b") != key_of("a/c")


def test_what_is_wrong_with_names() -> None:
    assert [deceives(name) for name in ("plain", "a\u202eb", "a\nb", "\u200f\u05d0", "🧑\u200d🌾")] == [
        False,
        True,
        True,
        False,
        False,
    ]
    assert [is_text(name) for name in ("ok", os.fsdecode(b"\xff"))] == [True, False]
    assert [fits_in(path) for path in ("a.pdf", "x" * 241, "/".join(["y" * 200] * 6))] == [True, False, False]
    assert [numbered("a", number) for number in (1, 2, 30)] == ["a", "a (2)", "a (30)"]
