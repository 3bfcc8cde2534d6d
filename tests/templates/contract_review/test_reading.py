"""What stands in a contract is read, with its place; what was struck out is not; what cannot be read says why."""

from __future__ import annotations

import io

import pytest
from docx import Document

from contract_review.papers import Contract, NoText, Passage
from contract_review.quotes import Searchable
from contract_review.reading import contract_of
from templates.contract_review.compose_contracts import Composed, contracts

ALL = {one.name: one for one in contracts()}
READABLE = [one for one in ALL.values() if one.readable]


@pytest.mark.parametrize("one", READABLE, ids=lambda one: one.name)
def test_every_word_that_is_known_is_found_where_it_stands(one: Composed) -> None:
    inside = Searchable(contract_of(one.name, one.data))
    for words, place in one.points.values():
        found = inside.find(words)
        assert found is not None, words
        assert found.place == place
    assert all(inside.find(words) for _, words in one.facts.values())


def test_what_is_struck_out_is_no_text_and_is_told() -> None:
    contract = contract_of("x", ALL["04 tracked.docx"].data)
    inside = Searchable(contract)
    assert inside.find("Notice is ninety days before the end.")
    assert inside.find("sixty days before the end.") is None
    assert contract.notes == [
        (
            "It has tracked changes that nobody has accepted: 1 added, 1 struck out. "
            "What is added was read as text, what is struck out was not."
        )
    ]


def test_a_quotation_over_two_pages_is_given_whole_and_placed_at_its_beginning() -> None:
    found = Searchable(contract_of("x", ALL["09 broken page.pdf"].data)).find(
        "The supplier is liable without limit for damage caused on purpose."
    )
    assert found is not None
    assert (found.place, found.text) == ("page 1", "The supplier is liable without limit for damage caused on purpose.")
    assert found.offset == len("Framework ")


def test_a_page_without_text_is_told_and_a_scan_is_refused() -> None:
    assert contract_of("x", ALL["10 annex.pdf"].data).notes == [
        "Page 2 of it has no text, so what stands there was not read."
    ]
    with pytest.raises(NoText, match="It is a scan"):
        contract_of("x", ALL["11 scan.pdf"].data)


@pytest.mark.parametrize(
    "data, why",
    [
        (b"", "damaged, or has a password"),
        (b"%PDF-1.7 nothing else", "damaged, or has a password"),
        (b"\xd0\xcf\x11\xe0" + bytes(512), "damaged, or has a password"),
        (b"PK\x05\x06" + bytes(18), "no Word document"),
    ],
    ids=["empty", "torn PDF", "old or encrypted Office file", "another zip"],
)
def test_what_is_no_contract_says_why(data: bytes, why: str) -> None:
    with pytest.raises(NoText, match=why):
        contract_of("x", data)


def test_a_document_without_words_is_refused() -> None:
    held = io.BytesIO()
    Document().save(held)
    with pytest.raises(NoText, match="no text"):
        contract_of("x", held.getvalue())


def test_a_quotation_must_be_long_enough_and_word_for_word() -> None:
    inside = Searchable(
        Contract("x", "0", [Passage("paragraph 1", "Liability is limited to ten thousand euros a year.")])
    )
    assert inside.find("LIABILITY is   limited to ten thousand euros")
    assert inside.find("Liability") is None, "a word alone could stand anywhere"
    assert inside.find("Liability is limited to twenty thousand euros") is None
    assert inside.find("Liability … a year.") is None, "an ellipsis would bridge anything"
