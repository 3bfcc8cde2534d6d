"""The arithmetic of EN 16931: right invoices pass in every syntax, one wrong figure fails exactly the checks it breaks."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pay_invoices.accounts import grouped, iban_problem, in_sepa
from pay_invoices.checks import CHECKS, failed, run_checks
from pay_invoices.invoices import CREDIT_TYPES, INVOICE_TYPES, UNPAYABLE_TYPES, Invoice, TaxRow, money_shown, sums_shown
from pay_invoices.lines import Line, odd_lines
from pay_invoices.profiles import profile_name
from pay_invoices.reading import read_document
from templates.pay_invoices.cii_papers import cii_xml, zugferd_1_xml
from templates.pay_invoices.orders import BUYER, IBAN, SELLER, invoice, paper, priced
from templates.pay_invoices.papers import BASIC, PEPPOL, Extra, Item, Paper, ubl_xml

RATES = st.sampled_from([("S", "19"), ("S", "7"), ("S", "25.5"), ("S", "5.5"), ("Z", "0"), ("E", "0"), ("AE", "0")])
MONEY = st.decimals("0.01", "99999.99", places=2)


@st.composite
def items(draw: st.DrawFn) -> Item:
    category, rate = draw(RATES)
    quantity = draw(st.decimals("-50", "1000", places=3).filter(bool))
    return Item("Thing", quantity, "C62", draw(st.decimals("0", "999", places=4)), Decimal(rate), category)


@st.composite
def extras(draw: st.DrawFn) -> Extra:
    category, rate = draw(RATES)
    return Extra("Because", draw(MONEY), Decimal(rate), category, charge=draw(st.booleans()))


@st.composite
def papers(draw: st.DrawFn) -> Paper:
    return paper(
        items=tuple(draw(st.lists(items(), min_size=1, max_size=6))),
        extras=tuple(draw(st.lists(extras(), max_size=3))),
        prepaid=draw(st.just(Decimal(0)) | MONEY),
        rounding=draw(st.sampled_from([Decimal(0), Decimal("0.01"), Decimal("-0.02")])),
    )


def found_in(data: bytes) -> Invoice:
    found = read_document("a", data)
    assert isinstance(found, Invoice)
    return found


@given(papers())
def test_whatever_adds_up_passes_in_ubl_and_cii_with_the_same_figures(order: Paper) -> None:
    ubl, cii = found_in(ubl_xml(order)), found_in(cii_xml(order))
    assert failed(run_checks(ubl)) == failed(run_checks(cii)) == []
    assert (ubl.net, ubl.tax, ubl.gross, ubl.due) == (order.net, order.tax, order.gross, order.due)
    assert (cii.net, cii.tax, cii.gross, cii.due) == (order.net, order.tax, order.gross, order.due)
    assert ubl.taxes == cii.taxes


@given(papers().map(lambda order: replace(order, rounding=Decimal(0))))
def test_zugferd_1_gives_the_same_figures(order: Paper) -> None:
    old = found_in(zugferd_1_xml(order))
    assert failed(run_checks(old)) == []
    assert (old.net, old.tax, old.gross, old.due, old.iban) == (order.net, order.tax, order.gross, order.due, IBAN)


WRONG = {
    "net": ["Net amount", "Taxed amounts"],
    "tax": ["Tax amount"],
    "gross": ["Gross amount"],
    "due": ["Amount due"],
}


@given(papers(), st.sampled_from(sorted(WRONG)), MONEY, st.sampled_from([ubl_xml, cii_xml]))
def test_one_wrong_figure_fails_its_checks(order: Paper, name: str, off: Decimal, write) -> None:  # type: ignore[no-untyped-def]
    wrong = replace(order, stated={name: getattr(order, name) + off})
    assert [check.name for check in failed(run_checks(found_in(write(wrong))))] == WRONG[name]


def check(found: Invoice, name: str) -> bool | None:
    return CHECKS[name](found).passed


def test_names_are_recorded_and_never_renamed() -> None:
    assert list(CHECKS) == [
        "Required fields", "Document type", "Currency", "Profile", "Line amounts", "Sum of lines", "Net amount", "Tax per rate",
        "Taxed amounts", "Tax amount", "Gross amount", "Amount due", "Account", "Page total",
    ]  # fmt: skip
    assert [one.name for one in run_checks(invoice())] == list(CHECKS)


def test_a_failed_check_says_what_was_expected() -> None:
    found = CHECKS["Gross amount"](invoice(stated={"gross": Decimal("396.00")}))
    assert (found.expected, found.found) == ("€369.00", "€396.00")


def test_minimum_may_owe_less_than_its_gross() -> None:
    found = replace(
        invoice(), profile="MINIMUM", lines_total=None, lines_sum=None, line_count=0, taxes=[], due=Decimal(100)
    )
    assert failed(run_checks(found)) == []
    assert check(found, "Amount due") is None
    assert check(replace(found, profile="BASIC"), "Amount due") is False


def test_tax_may_differ_by_the_rounding_of_lines() -> None:
    rows = [TaxRow("S", Decimal(19), Decimal("100.00"), Decimal("19.03"))]
    few, many = replace(invoice(), taxes=rows, line_count=3), replace(invoice(), taxes=rows, line_count=6)
    assert (check(few, "Tax per rate"), check(many, "Tax per rate")) == (False, True)
    wild = replace(many, taxes=[TaxRow("S", Decimal(19), Decimal(100), Decimal("20.01"))], line_count=100_000)
    assert check(wild, "Tax per rate") is False


def test_tax_without_a_rate_is_judged_only_where_it_must_be_nothing() -> None:
    exempt = replace(invoice(), taxes=[TaxRow("E", None, Decimal(100), Decimal(0))])
    unclear = replace(invoice(), taxes=[TaxRow("S", None, Decimal(100), Decimal(19))])
    charged = replace(invoice(), taxes=[TaxRow("E", None, Decimal(100), Decimal(1))])
    assert [check(one, "Tax per rate") for one in (exempt, unclear, charged)] == [True, None, False]


def test_lines_may_differ_by_the_rounding_of_the_price() -> None:
    def line(total: str, price: str) -> Line:
        return Line("1", Decimal(total), Decimal(400), Decimal(price), None, Decimal(0))

    assert odd_lines([line("316.00", "0.79"), line("317.90", "0.79"), line("5.00", "0.0125")]) == []
    assert [odd.found for odd in odd_lines([line("318.10", "0.79"), line("5.10", "0.0125")])] == [
        Decimal("318.10"),
        Decimal("5.10"),
    ]


def test_prices_per_hundred_and_line_discounts_are_understood() -> None:
    per_hundred = Line("1", Decimal("7.90"), Decimal(10), Decimal("79.00"), Decimal(100), Decimal(0))
    discounted = Line("2", Decimal("90.00"), Decimal(1), Decimal("100.00"), Decimal(0), Decimal(-10))
    assert odd_lines([per_hundred, discounted]) == []


def test_huge_factors_do_not_overflow() -> None:
    big, small = Decimal("9" * 12 + "." + "9" * 10), Decimal("0.0000000001")
    assert len(odd_lines([Line("1", Decimal(1), big, big, small, big)])) == 1


def test_headings_of_extended_are_not_added_up() -> None:
    lines = cii_xml(paper(items=priced("100.00") + priced("50.00"))).decode()
    status = "<ram:LineID>2</ram:LineID><ram:LineStatusReasonCode>GROUP</ram:LineStatusReasonCode>"
    found = found_in(lines.replace("<ram:LineID>2</ram:LineID>", status).encode())
    assert (found.line_count, found.lines_sum) == (2, Decimal(100))
    child = "<ram:LineID>2</ram:LineID><ram:ParentLineID>1</ram:ParentLineID>"
    assert found_in(lines.replace("<ram:LineID>2</ram:LineID>", child).encode()).lines_sum == Decimal(100)


@pytest.mark.parametrize(
    "iban, words",
    [
        ("", "No IBAN"),
        ("50501055", "is not an IBAN"),
        ("DE89-3704-0044", "is not an IBAN"),
        ("XX89370400440532013000", "No country"),
        ("DE8937040044053201300", "wrong length"),
        ("DE88370400440532013000", "wrong check digit"),
        ("DE893704004405320130OO", "not built"),
    ],
)
def test_what_is_wrong_with_an_account(iban: str, words: str) -> None:
    assert words in iban_problem(iban)


@pytest.mark.parametrize(
    "iban",
    [
        "DE89370400440532013000", "GB94BARC10201530093459", "GB29NWBK60161331926819", "DE79000000001234567890",
        "FR1420041010050500013M02606", "NO9386011117947", "MT84MALT011000012345MTLCAST001S",
        "BE68539007547035", "FI2112345600000786", "IT61X0542811101000000123456",
    ],
)  # fmt: skip
def test_national_digits_are_never_judged(iban: str) -> None:
    body = iban[4:] + "".join(str(ord(letter) - 55) for letter in iban[:2]) + "00"
    digits = 98 - int("".join(str(int(letter, 36)) for letter in body)) % 97
    assert iban_problem(f"{iban[:2]}{digits:02}{iban[4:]}") == ""


def test_accounts_are_shown_whole() -> None:
    assert grouped("GB94BARC10201530093459") == "GB94 BARC 1020 1530 0934 59"
    assert [in_sepa(iban) for iban in ("DE89", "GB94", "RS35", "TR33", "US12")] == [True, True, True, False, False]


def test_type_codes_are_of_one_kind_each() -> None:
    assert not CREDIT_TYPES & INVOICE_TYPES
    assert not (CREDIT_TYPES | INVOICE_TYPES) & UNPAYABLE_TYPES.keys()
    assert {"380", "384", "386", "389", "326", "875", "877", "204", "387", "575"} <= INVOICE_TYPES
    assert check(invoice(type_code="999"), "Document type") is False


@pytest.mark.parametrize(
    "identifier, name",
    [
        ("urn:cen.eu:en16931:2017", "EN 16931"),
        (BASIC, "BASIC"),
        (PEPPOL, "Peppol BIS"),
        ("urn:factur-x.eu:1p0:minimum", "MINIMUM"),
        ("urn:zugferd.de:2p0:basicwl", "BASIC WL"),
        ("urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_9.9", "XRechnung"),
        ("urn:cen.eu:en16931:2017#conformant#urn:example.org:2030", "EN 16931 with an extension"),
        ("urn:cen.eu:en16931:2017:compliant:factur-x.eu:1p0:extended", ""),
        ("", ""),
    ],
)
def test_profiles_are_known_by_the_parts_of_their_urn(identifier: str, name: str) -> None:
    assert profile_name(identifier) == name


def test_money_is_shown_with_its_currency_and_never_added_across() -> None:
    assert money_shown(Decimal("14201.2"), "EUR") == "€14,201.20"
    assert money_shown(Decimal("-3.1"), "EUR") == "-€3.10"
    assert money_shown(Decimal("0.125"), "SEK") == "SEK 0.125"
    assert money_shown(None, "EUR") == "no amount"
    amounts = [(Decimal("14201.22"), "EUR"), (Decimal(3400), "SEK"), (Decimal("0.78"), "EUR")]
    assert sums_shown(amounts) == "€14,202.00 and SEK 3,400.00"


def test_dates_and_parties_come_through() -> None:
    found = invoice(reference="RF18539007547034", payee="Factor Bank", terms="30 days", note="Thank you")
    assert (found.issue_date, found.due_date) == (date(2026, 11, 2), date(2026, 12, 2))
    assert (found.seller, found.seller_vat_id, found.buyer) == (SELLER.name, SELLER.vat_id, BUYER.name)
    assert (found.payee, found.reference, found.terms, found.notes) == (
        "Factor Bank",
        "RF18539007547034",
        "30 days",
        ["Thank you"],
    )
