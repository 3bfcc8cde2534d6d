"""One invoice in two forms is one; a credit is no duplicate; a number used twice is told; nothing is dropped."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pay_invoices.duplicates import (
    SAME_FILE,
    SAME_INVOICE,
    claim_key,
    credits,
    identity_of,
    same_seller,
    seller_key,
    sort,
    supplier_id,
)
from templates.pay_invoices.cii_papers import cii_xml
from templates.pay_invoices.orders import IBAN, OTHER_IBAN, SELLER, invoice, priced
from templates.pay_invoices.papers import ubl_xml

UBL = invoice("invoices/b.xml")
CII = invoice("invoices/a.xml", cii_xml)


def test_the_same_invoice_in_two_syntaxes_is_one() -> None:
    found = sort([UBL, CII])
    assert found.originals == [CII]
    assert [(copy.invoice, copy.kind, copy.of) for copy in found.copies] == [(UBL, SAME_INVOICE, CII)]
    assert (found.reused, found.disagreeing) == ({}, {})
    assert claim_key(UBL) == claim_key(CII)


def test_the_document_people_can_read_is_the_original() -> None:
    pdf = replace(UBL, file="invoices/z.pdf", attachment="factur-x.xml", sha256="other")
    assert sort([CII, pdf]).originals == [pdf]


def test_the_same_file_twice_says_so() -> None:
    again = replace(CII, file="invoices/copy of a.xml")
    assert [copy.kind for copy in sort([CII, again]).copies] == [SAME_FILE]


@pytest.mark.parametrize("kind", ["204", "389", "384", "877"])
def test_a_type_that_a_syntax_changed_makes_no_second_invoice(kind: str) -> None:
    assert len(sort([CII, replace(UBL, type_code=kind)]).originals) == 1


def test_a_credit_note_with_the_same_number_is_a_credit_of_it() -> None:
    note = replace(UBL, type_code="381", file="invoices/credit.xml")
    found = sort([CII, note])
    assert found.originals == [CII, note]
    assert (found.copies, found.reused) == ([], {})
    assert credits(note, CII)
    assert not credits(CII, note)


def test_a_credit_note_that_names_the_invoice_credits_it() -> None:
    note = invoice(type_code="381", number="C-1", items=priced("10.00"), preceding="A-100")
    assert credits(note, CII)
    assert not credits(replace(note, preceding=[]), CII)
    assert not credits(replace(note, seller_vat_id="IE0000000X"), CII)


def test_a_negative_invoice_is_not_the_positive_one() -> None:
    negative = replace(UBL, gross=Decimal("-369.00"))
    assert set(sort([CII, negative]).reused) == {CII.file, negative.file}


def test_a_number_used_for_two_amounts_is_told_on_both_sides() -> None:
    dear = invoice("invoices/c.xml", items=priced("999.00"))
    found = sort([UBL, dear])
    assert found.originals == [UBL, dear]
    assert found.reused == {UBL.file: [dear], dear.file: [UBL]}


def test_two_forms_that_name_two_accounts_disagree() -> None:
    found = sort([CII, replace(UBL, iban=OTHER_IBAN)])
    assert list(found.disagreeing) == [CII.file]
    assert list(sort([CII, replace(UBL, due=Decimal(1))]).disagreeing) == [CII.file]


def test_a_form_without_an_account_neither_counts_nor_disagrees() -> None:
    minimum = replace(UBL, file="invoices/a.pdf", attachment="factur-x.xml", iban="", means_code="")
    found = sort([minimum, UBL])
    assert (found.originals, [copy.invoice for copy in found.copies]) == ([UBL], [minimum])
    assert found.disagreeing == {}
    assert list(sort([CII, replace(UBL, iban="", means_code="59")]).disagreeing) == [CII.file]


def test_numbers_are_compared_without_blanks_and_case_but_with_zeros() -> None:
    assert claim_key(replace(CII, number="a - 100")) == claim_key(replace(CII, number="A-100"))
    assert claim_key(replace(CII, number="0100")) != claim_key(replace(CII, number="100"))


def test_documents_without_a_number_are_never_one() -> None:
    blank = [replace(CII, number="", file=f"invoices/{n}.xml") for n in range(3)]
    assert len(sort(blank).originals) == 3


def test_a_seller_is_its_vat_id_else_its_other_ids_else_its_name() -> None:
    assert seller_key(CII) == "vat:ie7654321ab"
    without = replace(CII, seller_vat_id="")
    assert seller_key(without) == "id:99112"
    assert seller_key(replace(without, seller_ids=[])) == "name:arden & hale ltd"
    assert supplier_id(CII) == "IE7654321AB"
    assert supplier_id(replace(without, seller_ids=[])) == ""


@pytest.mark.parametrize(
    "other, same",
    [
        (("IE 7654321 AB", [], "Anybody"), True),
        (("IE0000000X", ["99112"], SELLER.name), False),
        (("", ["99112"], "Anybody"), True),
        (("", ["IE7654321AB"], "Anybody"), True),
        (("", [], "ARDEN  &  hale ltd"), True),
        (("", ["77"], "Somebody"), False),
        (("", [], ""), False),
    ],
)
def test_who_is_the_same_seller(other: tuple[str, list[str], str], same: bool) -> None:
    mine = identity_of("IE7654321AB", ["99112"], SELLER.name)
    assert same_seller(mine, identity_of(*other)) is same
    assert same_seller(identity_of(*other), mine) is same


def test_claims_of_different_things_differ() -> None:
    different = [
        CII,
        replace(CII, number="A-101"),
        replace(CII, gross=Decimal("369.01")),
        replace(CII, type_code="381"),
        replace(CII, currency="SEK"),
        replace(CII, seller_vat_id="IE0000000X"),
    ]
    assert len({claim_key(one) for one in different}) == len(different)
    assert claim_key(replace(CII, gross=Decimal("369.0"))) == claim_key(CII)


FORMS = [
    CII,
    UBL,
    replace(CII, file="invoices/again.xml"),
    replace(UBL, file="invoices/credit.xml", type_code="381"),
    invoice("invoices/c.xml", items=priced("999.00")),
    replace(UBL, file="invoices/d.xml", iban=IBAN, number="B-7"),
]


@given(st.permutations(FORMS))
def test_order_does_not_matter_and_nothing_is_lost(documents: list[object]) -> None:
    found = sort(list(documents))  # type: ignore[arg-type]
    assert found == sort(FORMS)
    assert {one.file for one in [*found.originals, *(copy.invoice for copy in found.copies)]} == {
        one.file for one in FORMS
    }


def test_ubl_and_cii_writers_describe_one_paper() -> None:
    assert invoice(write=ubl_xml).gross == invoice(write=cii_xml).gross == Decimal("369.00")
