"""How values are proved: figures by net + tax = gross, dates by their order, names and accounts by where they stand."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pay_invoices.invoices import Invoice
from pay_invoices.pdf_text.facts import days_of, number_of
from pay_invoices.pdf_text.invoice import invoice_of_pages
from pay_invoices.pdf_text.parties import parties_of
from pay_invoices.pdf_text.sayings import sayings_of
from pay_invoices.pdf_text.tokens import amounts_in
from pay_invoices.pdf_text.totals import Totals, totals_of
from pay_invoices.pdf_text.vocabulary import label_patterns
from templates.pay_invoices.page_words import page_of, reading_of

IBAN = "IE29 AIBK 9311 5212 3456 78"
HEAD = """
Arden & Hale Ltd                                 INVOICE
1 Mill Lane, Dublin
                                                 Invoice number:   A-100
                                                 Invoice date:     2 November 2026
"""
FOOT = f"""
Account name:   Arden & Hale Ltd
IBAN:           {IBAN}
"""


def totals(text: str, *, untaxed: bool = False) -> Totals:
    return totals_of(reading_of(text), untaxed=untaxed)


def proved(text: str) -> tuple[str, ...] | None:
    found = totals(text)
    return None if found.proof is None else tuple(f"{value:.2f}" for value in found.proof.values)


def doubt(text: str, name: str = "gross") -> str:
    return totals(text).doubts[name].why


def page(sums: str, more: str = "") -> Invoice:
    found = invoice_of_pages("a.pdf", [page_of(HEAD + sums + FOOT + more)], "")
    assert isinstance(found, Invoice), found
    return found


SUMS = """
Net total        1,000.00 EUR
VAT 23 %           230.00 EUR
Total            1,230.00 EUR
"""


def test_a_plain_page_is_accepted() -> None:
    found = page(SUMS)
    assert found.odd == []
    assert (found.number, found.seller, found.issue_date) == ("A-100", "Arden & Hale Ltd", date(2026, 11, 2))
    assert (found.net, found.tax, found.gross, found.due) == tuple(
        map(Decimal, ("1000.00", "230.00", "1230.00", "1230.00"))
    )
    assert (found.currency, found.iban) == ("EUR", IBAN.replace(" ", ""))


@pytest.mark.parametrize(
    "written,expected",
    [
        ("1.234,56", ("1234.56", ",")),
        ("1,234.56", ("1234.56", ".")),
        ("1 234,56", ("1234.56", ",")),
        ("12 345 678,90", ("12345678.90", ",")),
        ("1'234.56", ("1234.56", ".")),
        ("€399,00", ("399.00", ",")),
        ("-3,10", ("-3.10", ",")),
        ("3,10-", ("-3.10", ",")),
        ("− 3,10", ("-3.10", ",")),
        ("27,80", ("27.80", ",")),
    ],
)
def test_amounts_keep_their_decimal_sign(written: str, expected: tuple[str, str]) -> None:
    found = amounts_in(reading_of(written).sheets[0].lines[0][0])
    assert [(str(one.value), one.sign) for one in found] == [expected]


@pytest.mark.parametrize(
    "written", ["1.234", "9,9000", "19,00 %", "19,00%", "1.23.45", "01.05.14", "1,2 (12.00)", "12", "1,2"]
)
def test_what_is_no_amount_of_two_decimals_is_none(written: str) -> None:
    assert amounts_in(reading_of(written).sheets[0].lines[0][0]) == []


def test_thousands_that_stand_in_another_cell_are_never_lost() -> None:
    # "10" and "781,25" are further apart than words and nearer than columns: the figure is not read at all.
    text = "Net total     10  781,25\nVAT 19 %       2  048,44\nTotal         12  829,69"
    assert proved(text) is None


@given(
    st.integers(1, 99_999_999),
    st.sampled_from([Decimal(rate) for rate in ("4", "5.5", "7", "10", "19", "20", "21", "22", "23", "25")]),
    st.sampled_from([".,", ",.", " ,", "',"]),
)
def test_whatever_the_notation_the_figures_are_proved(cents: int, rate: Decimal, marks: str) -> None:
    net = Decimal(cents) / 100
    tax = (net * rate / 100).quantize(Decimal("0.01"))

    def written(value: Decimal) -> str:
        whole, _, rest = f"{value:,.2f}".partition(".")
        return whole.replace(",", marks[0]) + marks[1] + rest

    text = f"Nettobetrag   {written(net)}\nMwSt. {rate} %   {written(tax)}\nGesamtbetrag   {written(net + tax)}"
    found = totals(text, untaxed=False)
    if tax == 0:
        return  # nothing to prove it by
    assert found.proof is not None
    assert found.proof.values == (net, tax, net + tax)


@given(st.integers(1, 99_999_999), st.integers(-300, 300).filter(bool))
def test_figures_that_do_not_add_up_are_never_taken(cents: int, off: int) -> None:
    net = Decimal(cents) / 100
    tax = (net * Decimal("0.19")).quantize(Decimal("0.01"))
    gross = net + tax + Decimal(off) / 100
    assert proved(f"Net total   {net:,.2f}\nVAT 19 %   {tax:,.2f}\nTotal   {gross:,.2f}") is None


def test_two_signs_that_both_hold_are_no_answer() -> None:
    text = "Net total   100.00\nVAT 20 %   20.00\nTotal   120.00\nNetto   100,00\nMwSt. 19 %   19,00\nGesamtbetrag   119,00"
    assert totals(text).proof is None


def test_several_rates_add_up_and_keep_their_rows() -> None:
    text = """
    USt. Satz   Nettopreis   Ust.-Betrag
    7 %         160,00       11,20
    19 %        336,00       63,84
    Nettobetrag:   496,00
    Gesamtbetrag:  571,04
    """
    found = totals(text)
    assert found.proof is not None
    assert [(row.rate, row.basis, row.amount) for row in found.rows] == [
        (Decimal(7), Decimal("160.00"), Decimal("11.20")),
        (Decimal(19), Decimal("336.00"), Decimal("63.84")),
    ]
    assert found.proof.tax == Decimal("75.04")


def test_a_row_of_the_tax_table_is_not_the_total() -> None:
    text = """
    Rate   Net         VAT       Gross
    19 %   1,600.00    304.00    1,904.00
    0 %    -100.00     0.00      -100.00
    Net total      1,500.00
    VAT total        304.00
    Invoice total  1,804.00
    """
    assert proved(text) == ("1500.00", "304.00", "1804.00")


def test_another_total_on_the_page_is_a_contradiction() -> None:
    assert "also name" in doubt(SUMS + "Grand total   1,999.00 EUR")


def test_a_tax_of_more_than_any_rate_is_no_tax() -> None:
    assert proved("Net total   220.00\nVAT   220.00\nTotal   440.00") is None


def test_without_tax_the_page_must_say_why() -> None:
    text = "Net total   120.00 EUR\nTotal       120.00 EUR"
    assert totals(text).proof is None
    found = totals(text, untaxed=True).proof
    assert found is not None
    assert found.values == (Decimal(120), Decimal(0), Decimal(120))


@pytest.mark.parametrize(
    "rows,due",
    [
        ("Amount paid   -230.00 EUR\nAmount due    1,000.00 EUR", "1000.00"),
        ("Rounding   0.01 EUR\nAmount due   1,230.01 EUR", "1230.01"),
        ("Amount due   1,230.00 EUR", "1230.00"),
    ],
)
def test_what_is_due_follows_from_what_is_written(rows: str, due: str) -> None:
    found = totals(SUMS + rows).due
    assert found is not None
    assert found.value == Decimal(due)


@pytest.mark.parametrize(
    "rows",
    [
        "Amount due   1,000.00 EUR",
        "Amount paid   -230.00 EUR",
        "Amount paid   -200.00 EUR\nAmount due    1,000.00 EUR",
        "Amount due   1,230.00 EUR\nBalance due   900.00 EUR",
        "Voucher THANKS26   -50.00 EUR",
        "Bank transfer 3 Nov   230.00 EUR",
    ],
)
def test_what_is_due_is_doubted_when_the_page_does_not_explain_it(rows: str) -> None:
    found = totals(SUMS + rows)
    assert found.due is None
    assert "due" in found.doubts


def days(text: str, language: str = "en") -> tuple[date | None, date | None, str]:
    found = days_of(reading_of(text), language)
    return found.issued.value, found.due.value, found.issued.doubt or found.due.doubt


@pytest.mark.parametrize(
    "text,expected",
    [
        ("Invoice date: 2026-11-30", date(2026, 11, 30)),
        ("Rechnungsdatum 7. Mai 2014", date(2014, 5, 7)),
        ("Rechnungsdatum: 03.04.2026", date(2026, 4, 3)),
        ("Date de facture : 1er mars 2026", date(2026, 3, 1)),
        ("Factuurdatum: 19 april 2014", date(2014, 4, 19)),
        ("Fecha de factura: 4 de abril de 2016", date(2016, 4, 4)),
        ("Data fattura   19 aprile 2026", date(2026, 4, 19)),
        ("Invoice Date: Jan 31, 2022", date(2022, 1, 31)),
        ("Invoice date: 30/11/2026", date(2026, 11, 30)),
        ("Invoice Date: 03/20/2023", date(2023, 3, 20)),
        ("Rechnung Nr. 42 vom 31.01.2014", date(2014, 1, 31)),
    ],
)
def test_dates_of_six_languages(text: str, expected: date) -> None:
    assert days(text)[0] == expected


def test_a_date_that_can_be_two_days_is_never_guessed() -> None:
    issued, _, why = days("Invoice date: 03/04/2026")
    assert issued is None
    assert "can be two days" in why


def test_another_date_of_the_page_settles_the_order() -> None:
    assert days("Invoice date: 03/04/2026\nDelivery: 25/03/2026")[0] == date(2026, 4, 3)
    assert days("Invoice date: 03/04/2026\nDelivery: 03/25/2026")[0] == date(2026, 3, 4)
    assert days("Invoice date: 03/04/2026\nDelivery: 25/03/2026\nPaid: 03/25/2026")[0] is None


def test_the_printed_term_settles_the_order() -> None:
    text = "Invoice date: 03/04/2026\nDue date: 03/05/2026\nPayment terms: 30 days"
    assert days(text)[:2] == (date(2026, 4, 3), date(2026, 5, 3))


def test_languages_that_never_write_the_month_first_settle_the_order() -> None:
    assert days("Date de facture : 03/04/2026", "fr")[0] == date(2026, 4, 3)


def test_a_due_date_before_the_issue_date_is_doubted() -> None:
    _, due, why = days("Invoice date: 2026-11-30\nDue date: 2026-10-30")
    assert due is None
    assert "before the issue date" in why


def test_delivery_and_order_dates_are_not_the_date_of_issue() -> None:
    assert days("Orderdatum: 18 april 2014\nLieferdatum: 19 april 2014")[0] is None


@pytest.mark.parametrize(
    "text,expected",
    [
        ("Rechnungsnr. 30064443   Kundennr. 47774", "30064443"),
        ("Facture n° 562044387 du 02 Juillet 2015", "562044387"),
        ("Facture n° 2022089083 - Page 1/1", "2022089083"),
        ("Invoice INV/2023/03/0008", "INV/2023/03/0008"),
        ("Rechnungsnummer: F 1234K20/1234/12", "F 1234K20/1234/12"),
        ("Klant   Order   Factuur datum   Factuur\nS77     O55     8-9-2022        VF1005", "VF1005"),
        ("Rechnung # RE-20150613/503 von 13.06.2015", "RE-20150613/503"),
    ],
)
def test_invoice_numbers(text: str, expected: str) -> None:
    assert number_of(reading_of(text)).value == expected


@pytest.mark.parametrize(
    "text",
    [
        "Rechnung\nKundennummer: 100482",
        "Rechnungsnummer   Rechnungsnummer\nKundennummer      100482",
        "Rechnung 2026",
        "Rechnungsnummer: 100 200",
        "Rechnungsnummer: 100\nInvoice no.: 200",
        "Bitte geben Sie die Rechnungsnummer an.",
    ],
)
def test_what_is_not_plainly_the_invoice_number_is_not_taken(text: str) -> None:
    assert number_of(reading_of(text)).value is None


def seller(text: str) -> str | None:
    return parties_of(reading_of(text), collected=False).seller.value


def test_the_supplier_is_who_sends_not_who_receives_or_collects() -> None:
    letter = "QualityHosting AG - Uferweg 40 - 63571 Gelnhausen\nLarkfield Trading GmbH\nAnkerstraße 12\n50667 Köln"
    assert seller(letter) == "QualityHosting AG"
    assert seller("Verkäufer:   Lieferant GmbH\nKäufer:      Kunden AG") == "Lieferant GmbH"
    assert seller(f"Müller Elektro\n\nKontoinhaber: Sammel Factoring GmbH\nIBAN: {IBAN}") is None
    assert seller(f"Müller Elektro\n\nKontoinhaber: Müller Elektro\nIBAN: {IBAN}") == "Müller Elektro"
    assert seller("Bill to:   Kunden AG\n\nKunden AG\nKundenstraße 15") is None


def test_a_name_that_may_go_on_in_the_next_line_is_doubted() -> None:
    text = "Verkäufer\nMVM Musterhafter\nVersicherungsverein\nMusterstr. 12"
    assert seller(text) is None


def test_only_valid_accounts_count_and_broken_ones_are_shown() -> None:
    assert [one.text for one in parties_of(reading_of(f"IBAN: {IBAN}"), collected=False).ibans] == [
        IBAN.replace(" ", "")
    ]
    broken = parties_of(reading_of("IBAN: IE29 AIBK 9311 5212 3456 79"), collected=False)
    assert broken.ibans == []
    assert broken.broken_iban is not None
    assert broken.broken_iban.text == "IE29AIBK93115212345679"


def test_the_buyers_vat_id_is_not_the_sellers() -> None:
    text = f"Ihre USt-IdNr.: DE234567890\n\nHRB 13302   USt-IdNr. DE 232 446 240\nIBAN: {IBAN}"
    assert parties_of(reading_of(text), collected=False).vat_id.value == "DE232446240"


@pytest.mark.parametrize(
    "text",
    [
        "Der Betrag wurde bereits bezahlt.",
        "BEZAHLT",
        "Betrag dankend erhalten.",
        "PAID",
        "Paid in full - thank you!",
        "The direct debit was taken on 3 May 2026.",
        "Payment method: Credit card",
        "Facture acquittée le 3 mai",
        "Déjà payée",
        "Deze factuur is reeds betaald.",
        "Volgens onze administratie heeft u de factuur vooruitbetaald met Credit Card.",
        "''iDEAL'' op 21 april 2015",
        "Factura pagada",
        "Pagado con tarjeta",
        "La fattura è stata pagata.",
        "Già saldato",
    ],
)
def test_already_paid_in_six_languages(text: str) -> None:
    assert sayings_of(reading_of(text).sheets).paid is not None


@pytest.mark.parametrize(
    "text",
    [
        "Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum.",
        "Sollte der Betrag bereits bezahlt sein, betrachten Sie dies als gegenstandslos.",
        "Title passes when the goods have been paid in full.",
        "If already paid, please disregard.",
        "Les marchandises restent notre propriété jusqu'au paiement complet.",
        "Tot de factuur volledig is betaald blijven de goederen ons eigendom.",
        "La mercancía es del vendedor hasta que haya sido pagada.",
        "Bitte zahlen Sie bis zum 3. Mai.",
        "Dat betaal ik zelf wel.",
    ],
)
def test_conditions_about_paying_are_no_payment(text: str) -> None:
    assert sayings_of(reading_of(text).sheets).paid is None


@pytest.mark.parametrize(
    "title,name",
    [
        ("Gutschrift", "credit"),
        ("Credit note", "credit"),
        ("Avoir", "credit"),
        ("Creditnota 2026-12", "credit"),
        ("Nota de crédito", "credit"),
        ("Nota di credito n. 12", "credit"),
        ("Korrekturrechnung", "correction"),
        ("Factura rectificativa", "correction"),
        ("Pro-forma invoice", "pro_forma"),
        ("Mahnung", "other_paper"),
        ("Rappel de paiement", "other_paper"),
        ("Quotation", "other_paper"),
    ],
)
def test_titles_say_what_paper_it_is(title: str, name: str) -> None:
    assert getattr(sayings_of(reading_of(title).sheets), name) is not None


def test_a_reference_to_another_paper_is_no_title() -> None:
    said = sayings_of(
        reading_of("Bestellung: B-12\nBestellung   4711\nGutschrift auf unser Konto bei der Hafenbank").sheets
    )
    assert said.other_paper is None
    assert said.credit is None


def test_a_currency_sign_of_several_countries_is_doubted() -> None:
    assert [odd.field for odd in page(SUMS.replace("EUR", "$")).odd] == ["currency"]
    assert [odd.field for odd in page(SUMS.replace("1,230.00 EUR", "1,230.00 CHF")).odd] == ["currency"]


def test_labels_are_compiled_without_a_slip() -> None:
    roles = {role for role, _, _ in label_patterns()}
    assert {
        "number",
        "issue_date",
        "due_date",
        "net",
        "tax",
        "gross",
        "due",
        "prepaid",
        "seller",
        "vat_id",
        "iban",
    } <= roles
    assert not [
        pattern
        for _, _, pattern in label_patterns()
        if any(name in pattern for name in ("VAT", "NO ", "SUM", "INCL", "EXCL"))
    ]
