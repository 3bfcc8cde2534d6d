"""The payment file is valid, repeats byte for byte, and says what was approved when it is read back."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pay_invoices.bank_days import bank_day, bank_day_note
from pay_invoices.payment import (
    Payment,
    end_to_end_id,
    pay_on_problem,
    payment_of,
    payment_xml,
    read_back,
    remittance,
    schema_problems,
)
from pay_invoices.references import creditor_reference
from pay_invoices.sepa_text import is_sepa_id, sepa_id, sepa_text
from templates.pay_invoices.orders import IBAN, OTHER_IBAN, SELLER, invoice

ALLOWED = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-?:().,'+ ")
ONE = Payment("Arden & Hale Ltd", IBAN, "", Decimal("369.00"), "R12-1-A-100", "A-100")
TWO = Payment(
    "Brightwater Logistics Ltd", "GB29NWBK60161331926819", "NWBKGB2L", Decimal("9112.5"), "R12-2-BW-7741", "BW-7741"
)


def written(*payments: Payment, **changes: Any) -> bytes:
    arguments: dict[str, Any] = {
        "debtor_name": "Larkfield Trading GmbH",
        "debtor_iban": "DE89 3704 0044 0532 0130 00",
        "pay_on": date(2026, 12, 4),
        "message_id": "7c9e6679f7425140de944be07fc1f90a",
        "created_at": datetime(2026, 12, 3, 8, 55, 12, 204000, UTC),
    }
    return payment_xml(list(payments), **{**arguments, **changes})


def test_the_file_is_valid_and_says_what_was_asked() -> None:
    data = written(ONE, TWO)
    assert schema_problems(data) == []
    found = read_back(data)
    assert (found.count, found.control_sum) == (2, Decimal("9481.50"))
    assert [(one.iban, one.amount, one.end_to_end_id) for one in found.transfers] == [
        (IBAN, Decimal("369.00"), "R12-1-A-100"),
        ("GB29NWBK60161331926819", Decimal("9112.50"), "R12-2-BW-7741"),
    ]
    text = data.decode()
    for part in (
        "<CreDtTm>2026-12-03T08:55:12Z</CreDtTm>",
        "<Dt>2026-12-04</Dt>",
        "<Nm>Arden + Hale Ltd</Nm>",
        '<InstdAmt Ccy="EUR">9112.50</InstdAmt>',
        "<BICFI>NWBKGB2L</BICFI>",
        "<PmtInfId>7c9e6679f7425140de944be07fc1f90a-1</PmtInfId>",
    ):
        assert part in text
    assert text.count("<CtrlSum>9481.50</CtrlSum>") == text.count("<NbOfTxs>2</NbOfTxs>") == 2


def test_the_same_values_give_the_same_bytes() -> None:
    local = datetime(2026, 12, 3, 9, 55, 12, tzinfo=timezone(timedelta(hours=1)))
    assert written(ONE, TWO) == written(ONE, TWO) == written(ONE, TWO, created_at=local)


NAMES = st.text(min_size=1, max_size=90).filter(lambda text: bool(sepa_text(text, 70)))
PAYMENTS = st.builds(
    Payment,
    name=NAMES,
    iban=st.sampled_from([IBAN, OTHER_IBAN]),
    bic=st.just(""),
    amount=st.decimals("0.01", "999999999.99", places=2),
    end_to_end_id=st.text().map(lambda text: sepa_id(text) or "x"),
    remittance=st.text(max_size=200),
)


@given(st.lists(PAYMENTS, min_size=1, max_size=8, unique_by=lambda payment: payment.end_to_end_id), NAMES)
def test_any_text_gives_a_valid_file_with_the_right_sum(payments: list[Payment], debtor: str) -> None:
    data = written(*payments, debtor_name=debtor)
    found = read_back(data)
    assert schema_problems(data) == []
    assert found.control_sum == sum(payment.amount for payment in payments)
    assert [one.amount for one in found.transfers] == [payment.amount for payment in payments]


REFUSED: dict[str, tuple[list[Payment], dict[str, Any], str]] = {
    "nothing to pay": ([], {}, "no payment"),
    "a mistyped debtor account": ([ONE], {"debtor_iban": "DE88370400440532013000"}, "pay from.*check digit"),
    "no debtor account": ([ONE], {"debtor_iban": ""}, "No IBAN"),
    "a debtor outside SEPA": ([ONE], {"debtor_iban": "TR330006100519786457841326"}, "outside the SEPA"),
    "no debtor name": ([ONE], {"debtor_name": " "}, "set debtor_name"),
    "a long message id": ([ONE], {"message_id": "x" * 34}, "1 to 33"),
    "a message id with a blank": ([ONE], {"message_id": "run 12"}, "SEPA character set"),
    "a time without zone": ([ONE], {"created_at": datetime(2026, 12, 3)}, "no zone"),  # noqa: DTZ001 - that is the point
    "nothing due": ([replace(ONE, amount=Decimal(0))], {}, "not an amount"),
    "money back": ([replace(ONE, amount=Decimal(-5))], {}, "not an amount"),
    "a tenth of a cent": ([replace(ONE, amount=Decimal("1.001"))], {}, "not an amount"),
    "a thousand million": ([replace(ONE, amount=Decimal(10**9))], {}, "not an amount"),
    "a mistyped account": ([replace(ONE, iban="IE28AIBK93115212345678")], {}, "R12-1-A-100.*check digit"),
    "an account outside SEPA": ([replace(ONE, iban="TR330006100519786457841326")], {}, "outside the SEPA"),
    "no name": ([replace(ONE, name=" ")], {}, "no name"),
    "an id with an underscore": ([replace(ONE, end_to_end_id="a_b")], {}, "35 characters"),
    "an id of 36": ([replace(ONE, end_to_end_id="x" * 36)], {}, "35 characters"),
    "one id twice": ([ONE, replace(TWO, end_to_end_id=ONE.end_to_end_id)], {}, "same id"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_paid_is_refused_in_words(case: str) -> None:
    payments, changes, words = REFUSED[case]
    with pytest.raises(ValueError, match=words):
        written(*payments, **changes)


TAMPERED = {
    "an amount": (b">369.00<", b">396.00<", "batch states the control sum"),
    "a count": (b"<NbOfTxs>2</NbOfTxs>", b"<NbOfTxs>3</NbOfTxs>", "batch states 3 transfers"),
    "a currency": (b'Ccy="EUR"', b'Ccy="SEK"', "no amount in euro"),
    "the standard": (b"pain.001.001.09", b"pain.001.001.03", "not a pain.001.001.09"),
    "the XML": (b"</Document>", b"", "not valid XML"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_a_file_that_was_changed_does_not_read_back(case: str) -> None:
    old, new, words = TAMPERED[case]
    data = written(ONE, TWO)
    assert old in data
    with pytest.raises(ValueError, match=words):
        read_back(data.replace(old, new))


def test_the_header_is_compared_too() -> None:
    data = written(ONE, TWO)
    first = data.replace(b"<CtrlSum>9481.50</CtrlSum>", b"<CtrlSum>9481.51</CtrlSum>", 1)
    with pytest.raises(ValueError, match="file states the control sum"):
        read_back(first)


@pytest.mark.parametrize(
    "text, spelled",
    [
        ("Müller & Söhne", "Muller + Sohne"),
        ("Straße 5_a #7", "Strasse 5-a .7"),
        ("Łódź Ćwikła", "Lodz Cwikla"),
        ("Æther Ørsted Åkerlund", "Aether Orsted Akerlund"),
        ("Ελλάδα", "Ellada"),
        ("Ψυχή ΨΥΧΗ", "Psychi PsYChI"),
        ("Щастие Юрий", "Shtastie Yuriy"),
        ("l’été – n°5 ½", "l'ete - n.5 1.2"),
        ("ﬁne  \n ＡＢＣ", "fine ABC"),
        ("日本", ".."),
    ],
)
def test_letters_of_europe_are_spelled_not_dropped(text: str, spelled: str) -> None:
    assert sepa_text(text, 140) == spelled


@given(st.text(), st.integers(1, 140))
def test_text_is_always_in_the_set_and_within_its_limit(text: str, limit: int) -> None:
    found = sepa_text(text, limit)
    assert set(found) <= ALLOWED
    assert len(found) <= limit
    assert sepa_text(found, limit) == found
    assert sepa_text(unicodedata.normalize("NFD", text), 10**6) == sepa_text(unicodedata.normalize("NFC", text), 10**6)


@given(st.text(st.sampled_from("ab/ _-é"), max_size=60))
def test_ids_fulfil_the_rules_of_the_scheme(text: str) -> None:
    found = sepa_id(text)
    assert found == "" or is_sepa_id(found)
    assert len(found) <= 35
    assert not found.startswith("/")
    assert not found.endswith("/")
    assert "//" not in found


def test_ids_name_run_row_and_invoice() -> None:
    assert end_to_end_id("12", 3, "BW-7741") == "R12-3-BW-7741"
    assert end_to_end_id("12", 3, "FT 2026/388 (ü)") == "R12-3-FT2026/388(u)"
    assert end_to_end_id("12", 3, "") == "R12-3"
    long = end_to_end_id("12", 3, "N" * 80)
    assert len(long) == 35
    assert is_sepa_id(long)


def test_the_payee_reads_their_reference_and_the_number() -> None:
    assert remittance(invoice()) == "A-100"
    assert remittance(invoice(reference="Order 7")) == "Order 7 / A-100"
    assert remittance(invoice(reference="Invoice A-100")) == "Invoice A-100"
    assert remittance(invoice(reference="x" * 139)) == "A-100"


@pytest.mark.parametrize(
    "text, iban, found",
    [
        ("RF18 5390 0754 7034", IBAN, ("RF18539007547034", "")),
        ("rf18539007547034", IBAN, ("RF18539007547034", "")),
        ("RF19539007547034", IBAN, ("", "")),
        ("Our ref RF18539007547034", IBAN, ("", "")),
        ("+++090/9337/55493+++", IBAN, ("090933755493", "BBA")),
        ("***090/9337/55493***", IBAN, ("090933755493", "BBA")),
        ("+++090/9337/55494+++", IBAN, ("", "")),
        ("+++000/0000/09797+++", IBAN, ("000000009797", "BBA")),
        ("090933755493", IBAN, ("", "")),
        ("090933755493", "BE68539007547034", ("090933755493", "BBA")),
        ("", IBAN, ("", "")),
    ],
)
def test_structured_references_are_known_by_their_check_digits(text: str, iban: str, found: tuple[str, str]) -> None:
    assert creditor_reference(text, iban) == found


def test_a_structured_reference_is_sent_in_its_own_field() -> None:
    rf = payment_of(invoice(reference="RF18 5390 0754 7034"), IBAN, Decimal(1), "x")
    belgian = payment_of(invoice(reference="+++090/9337/55493+++"), IBAN, Decimal(1), "y")
    text = "".join(written(rf, belgian).decode().split())
    code = "<CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry>"
    assert f"<RmtInf><Strd><CdtrRefInf><Tp>{code}</Tp><Ref>RF18539007547034</Ref></CdtrRefInf></Strd></RmtInf>" in text
    assert f"<Tp>{code}<Issr>BBA</Issr></Tp><Ref>090933755493</Ref>" in text
    assert "Ustrd" not in text
    with pytest.raises(ValueError, match="its reference"):
        written(replace(ONE, reference="no_reference"))


@pytest.mark.parametrize(
    "day, executed, why",
    [
        (date(2026, 12, 4), date(2026, 12, 4), ""),
        (date(2026, 12, 5), date(2026, 12, 7), "is a Saturday"),
        (date(2026, 12, 6), date(2026, 12, 7), "is a Sunday"),
        (date(2026, 12, 25), date(2026, 12, 28), "is a bank holiday"),
        (date(2026, 4, 3), date(2026, 4, 7), "is a bank holiday"),
        (date(2027, 3, 29), date(2027, 3, 30), "is a bank holiday"),
        (date(2025, 5, 1), date(2025, 5, 2), "is a bank holiday"),
        (date(2026, 1, 1), date(2026, 1, 2), "is a bank holiday"),
    ],
)
def test_a_day_without_transfers_is_said(day: date, executed: date, why: str) -> None:
    assert bank_day(day) == executed
    assert why in bank_day_note(day)
    assert bool(bank_day_note(day)) == bool(why)


def test_a_bank_code_is_given_only_where_it_may_be_needed() -> None:
    inside, outside = invoice(bic="AIBKIE2D"), invoice(iban="GB29NWBK60161331926819", bic="NWBKGB2L")
    assert payment_of(inside, inside.iban, Decimal(1), "x").bic == ""
    assert payment_of(outside, outside.iban, Decimal(1), "x").bic == "NWBKGB2L"
    assert payment_of(replace(outside, bic="NWBK"), outside.iban, Decimal(1), "x").bic == ""
    assert payment_of(outside, OTHER_IBAN, Decimal(1), "x").bic == ""


def test_money_goes_to_the_payee_the_invoice_names() -> None:
    assert payment_of(invoice(), IBAN, Decimal(1), "x").name == SELLER.name
    assert payment_of(invoice(payee="Factor Bank"), IBAN, Decimal(1), "x").name == "Factor Bank"


def test_a_day_no_bank_would_take() -> None:
    today = date(2026, 12, 3)
    assert pay_on_problem(today, today) == ""
    assert pay_on_problem(date(2027, 12, 3), today) == ""
    assert "year" in pay_on_problem(date(2028, 1, 1), today)
