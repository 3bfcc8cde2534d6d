"""Pages that read as a plain invoice and are none, or ask for less than their total: each must be right or left to a person."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from pay_invoices.invoices import CORRECTION, Invoice
from pay_invoices.pdf_text.facts import days_of, number_of
from pay_invoices.pdf_text.invoice import invoice_of_pages
from pay_invoices.pdf_text.tokens import amounts_in
from templates.pay_invoices.page_words import page_of, reading_of

HEAD = """
Arden & Hale Ltd                                 {title}
1 Mill Lane, Dublin
                                                 Invoice number:   A-100
                                                 Invoice date:     2 November 2026
"""
SUMS = """
Net total        1,000.00 EUR
VAT 23 %           230.00 EUR
Total            1,230.00 EUR
"""
FOOT = """
Account name:   Arden & Hale Ltd
IBAN:           IE29 AIBK 9311 5212 3456 78
"""


def shown(sums: str = SUMS, *, title: str = "INVOICE", more: str = "", second: str = "") -> Invoice:
    pages = [page_of(HEAD.format(title=title) + sums + more + FOOT)]
    pages += [page_of(second, 2)] if second else []
    found = invoice_of_pages("a.pdf", pages, "")
    assert isinstance(found, Invoice), found
    return found


def doubted(found: Invoice) -> list[str]:
    """What keeps it from being paid as it is."""
    return [odd.field for odd in found.odd] + [box.field for box in found.boxes if box.field in ("paid", "collected")]


@pytest.mark.parametrize(
    "more",
    [
        "Voucher      (230.00)",
        "Voucher THANKS26: -50.00 EUR",
        "Retention 5 %: -61.50 EUR",
        "Withheld: 200.00 EUR",
        "Less 2 % discount: 24.60 EUR",
        "Less deposit      (230.00) EUR",
        "Please pay: 1,180.00 EUR",
        "Remaining   1,180.00 EUR",
        "Your advance of 50.00 EUR has been deducted.",
        "All prices include 23 % VAT. Your deposit has been deducted.",
        "We have already received 200.00 EUR from you.",
        "Part payment 600.00 EUR received, thank you",
        "Gutschein 50,00 EUR eingelöst",
        "Minus your credit of 50.00 EUR",
        "A retention of 10 % applies.",
        "Please transfer 1,030.00 EUR to the account below.",
        "Amount still to be paid 1,030.00",
        "Tell us if a deposit was deducted twice. Your deposit has been deducted.",
    ],
)
def test_what_may_be_taken_off_leaves_the_amount_due_open(more: str) -> None:
    found = shown(more=more)
    assert found.due is None
    assert "due" in doubted(found)


@pytest.mark.parametrize(
    "more",
    [
        "Zahlbar in drei Monatsraten.",
        "Die Hälfte ist sofort fällig, die andere Hälfte am 31.12.2026.",
        "30 % now, 70 % on completion",
        "Zahlbar: 1/3 bei Auftragserteilung, 2/3 nach Abnahme",
        "Der Restbetrag von 690,00 EUR ist bis 30.11.2026 zu zahlen.",
        "First instalment due 12 November 2026",
        "Le solde de 690,00 EUR est payable le 30 novembre.",
        "Payable en 3 fois sans frais.",
        "Nous avons déduit votre acompte.",
        "Aanbetaling 30 %, restant bij levering",
        "Betaling in drie termijnen.",
        "Pagadero en tres cuotas mensuales.",
        "Hemos recibido su anticipo.",
        "Pagabile in tre rate mensili.",
        "RB 30/60/90 gg",
        "Payable over 12 months",
        "Merci de ne régler que le solde.",
        "Provisión de fondos recibida",
        "Finanziato da Compass",
        "Skonto bereits abgezogen",
        "Ritenuta d'acconto 20 %",
    ],
)
def test_so_does_what_may_be_paid_in_parts_in_six_languages(more: str) -> None:
    assert doubted(shown(more=f"\n\n{more}")) == ["due"]


@pytest.mark.parametrize(
    "more",
    [
        "Ratenzahlung ist nicht möglich. Gutscheine sind vom Umtausch ausgeschlossen.",
        "Les acomptes ne sont pas remboursables. Pénalités : 3 fois le taux légal.",
        "Betaaltermijn: 14 dagen. Verrekening is niet toegestaan.",
        "Toute facture non payée à l'échéance entraîne des pénalités.",
        "Rechnungen, die verspätet bezahlt werden, unterliegen Verzugszinsen.",
        "Bei Zahlung innerhalb von 10 Tagen erhalten Sie 2 % Skonto.",
        "Account name of the payee: see below",
        "All sums are due without any set-off, counterclaim, deduction or withholding.",
        "Fees paid in advance are not refundable. Goods travel carriage paid.",
        "Zahlungen werden zunächst auf die älteste Schuld angerechnet.",
        "Les acomptes versés restent acquis au vendeur. La compensation n'est pas admise.",
        "El precio pagado no incluye portes.",
    ],
)
def test_denials_and_conditions_leave_nothing_open(more: str) -> None:
    assert doubted(shown(more=f"\n\n{more}")) == []


def test_a_deposit_among_what_was_delivered_is_no_deduction() -> None:
    items = "Description             Qty    Price\nDeposit for bottles     4      20.00\n"
    assert doubted(shown(items + SUMS)) == []


@pytest.mark.parametrize(
    "more",
    [
        "Thank you for your order. If you pay by 12 November 2026, 2 % is deducted.",
        "Please transfer 1,230.00 EUR to the account below.",
        "Please transfer 1,205.40 EUR within 10 days and take 2 % off.",
        "Abzüglich 2 % Skonto bei Zahlung bis 12.11.2026: 1,205.40 EUR",
        "Pay by 12 November 2026 with 2 % discount (24.60 EUR)",
        "Retention of title: goods stay ours until paid.",
        "For paying late a fee of 40.00 EUR is charged.",
    ],
)
def test_what_takes_nothing_off_leaves_nothing_open(more: str) -> None:
    found = shown(more=f"\n{more}")
    assert str(found.due) == "1230.00"
    assert doubted(found) == []


@pytest.mark.parametrize(
    "more",
    ["Net payable: € 1,030", "Less deposit   [230.00]", "Amount paid   1x230.00", "Deposit: EUR (1 229,19)"],
)
def test_so_does_a_figure_that_cannot_be_read(more: str) -> None:
    assert shown(more=more).due is None or doubted(shown(more=more))


def test_so_does_what_ends_a_row_of_sums() -> None:
    heads = "Net total    VAT       Invoice total   Store credit"
    found = shown(f"{heads}\n1,000.00 €   230.00 €  1,230.00 €      94.88- €")
    assert found.gross == Decimal("1230.00")
    assert doubted(found) == ["due"]


@pytest.mark.parametrize("vat", ["VAT 23 %", "VAT (23%)", "VAT"])
def test_a_row_of_sums_is_read_under_its_heads_and_rows_with_the_rate_in_brackets(vat: str) -> None:
    heads = f"Net total    {vat}       Invoice total\n1,000.00 €   230.00 €  1,230.00 €"
    assert shown(heads).due == Decimal("1230.00")
    assert shown(f"Net total   1,000.00 €\n{vat}   230.00 €\nTotal   1,230.00 €").due == Decimal("1230.00")


def test_sums_above_the_lines_are_read_as_well() -> None:
    lines = "\n\nDescription   Qty   Unit price   Amount\nDesk   1   700.00   700.00\nChair   1   300.00   300.00\n"
    found = shown(more=lines)
    assert found.due == Decimal("1230.00")
    assert doubted(found) == []


def test_so_does_an_amount_below_zero_on_a_later_page() -> None:
    assert doubted(shown(second="Credit from A-99    -230.00 EUR")) == ["due"]
    assert doubted(shown(second="Share capital: 250.00 EUR")) == []


@pytest.mark.parametrize(
    "rows",
    [
        "1   2 December 2026   615.00 EUR\n2   2 January 2027    615.00 EUR",
        "Late fee   25.00 EUR",
        "\nRetención de garantía 5 %",
    ],
)
def test_so_does_what_follows_an_amount_due_that_is_the_total(rows: str) -> None:
    assert doubted(shown(more=f"Amount due   1,230.00 EUR\n{rows}")) == ["due"]


@pytest.mark.parametrize(
    "written,value,currency",
    [
        ("1.234,56 -", "-1234.56", ""),
        ("(1,234.56)", "-1234.56", ""),
        ("1,234.56 CR", "-1234.56", ""),
        ("1,234.56CR", "-1234.56", ""),
        ("-€ 1.234,56", "-1234.56", "EUR"),
        ("(5 522,49)", "-5522.49", ""),
        ("Anzahlung: CHF (5 522,49)", "-5522.49", "CHF"),
        ("EUR(98.51)", "-98.51", "EUR"),
        ("(EUR 98.51)", "-98.51", "EUR"),
        ("CHF5 522,49", "5522.49", "CHF"),
        ("1.234,56*", "1234.56", ""),
        ("1 234,56 Kč", "1234.56", "CZK"),
        ("BRL 1,234.56", "1234.56", "BRL"),
        ("C$1,234.56", "1234.56", "C$"),
        ("1\u00a0234,56 €", "1234.56", "EUR"),
    ],
)
def test_signs_and_currencies_as_offices_write_them(written: str, value: str, currency: str) -> None:
    (found,) = amounts_in(reading_of(written.replace("\u00a0", " ")).sheets[0].lines[0][0])
    assert (str(found.value), found.currency) == (value, currency)


def test_no_amount_is_read_without_what_may_be_its_thousands() -> None:
    """Net, tax and total that all lose them can still add up."""
    assert amounts_in(reading_of("N5 522,49").sheets[0].lines[0][0]) == []


@pytest.mark.parametrize("written", ["Art. 7 200,00", "Artikelnr. 7 200,00", "n° 7 200,00"])
def test_the_number_of_an_article_is_not_its_thousands(written: str) -> None:
    assert amounts_in(reading_of(written).sheets[0].lines[0][0]) == []


@pytest.mark.parametrize("written", ["3*12.50", "1)23.50", "2(3)4.50"])
def test_figures_with_a_sign_between_them_are_not_one_amount(written: str) -> None:
    assert amounts_in(reading_of(written).sheets[0].lines[0][0]) == []


@pytest.mark.parametrize("again", ["(1,100.00 USD)", "(USD 1,100.00)"])
def test_an_amount_in_brackets_behind_another_says_it_once_more(again: str) -> None:
    found = amounts_in(reading_of(f"1,000.00 EUR {again}").sheets[0].lines[0][0])
    assert [str(one.value) for one in found] == ["1000.00"]


@pytest.mark.parametrize(
    "mark,more",
    [
        ("BRL ", "Late fee: 40.00 EUR"),
        ("C$ ", "Late fee: 40.00 EUR"),
        ("", "All prices are in SEK.\nFor late payment we charge a fee of 40.00 EUR."),
        ("", "Share capital 250,000.00 EUR"),
        ("", "All amounts in US dollars\nLate fee per letter   1,500.00 EUR"),
        ("", "Prices in $\nFor late payment we charge a fee of 40.00 EUR."),
    ],
)
def test_the_currency_of_other_amounts_is_not_taken_for_that_of_the_sums(mark: str, more: str) -> None:
    found = shown(f"Net total   {mark}1,000.00\nVAT 23 %   {mark}230.00\nTotal   {mark}1,230.00", more=f"\n\n{more}")
    assert found.currency != "EUR"


@pytest.mark.parametrize(
    "title",
    [
        "Credit note for invoice A-99",
        "Gutschrift zu Rechnung RE-99",
        "Gutschrift / Credit Note",
        "G U T S C H R I F T",
        "Avoir sur facture F-99",
        "Creditnota bij factuur 99",
        "Factura de abono 12",
        "Nota di credito su fattura 99",
    ],
)
def test_a_credit_note_is_one_whatever_it_is_about(title: str) -> None:
    assert shown(title=title).is_credit


@pytest.mark.parametrize(
    "title",
    [
        "Gutschriftsanzeige",
        "Sales credit note",
        "Stornierung der Rechnung RE-99",
        "Nota di variazione",
        "1. Mahnung zur Rechnung A-100",
        "Payment reminder for invoice A-100",
        "Rappel de facture n° A-100",
        "Herinnering factuur A-100",
        "Recordatorio factura A-100",
        "Sollecito di pagamento fattura A-100",
        "Statement of account as at 30 November 2026",
        "Draft invoice",
        "Overdue invoice",
        "Self-billed invoice",
        "Letzte Zahlungsaufforderung",
        "Offene Posten",
        "Deuxième rappel",
        "Relevé de factures",
        "Openstaande posten",
        "Conceptfactuur",
        "Estado de cuenta",
        "Resumen de cuenta",
        "Account balance",
        "Último aviso",
        "Situazione contabile",
        "Bozza",
        "STORNIERT",
        "VOID",
    ],
)
def test_a_title_that_may_mean_no_demand_is_left_to_a_person(title: str) -> None:
    assert "type_code" in doubted(shown(title=title, more="\n\nThis is about your invoice."))


@pytest.mark.parametrize(
    "more",
    [
        "Dieser Betrag wurde storniert.",
        "This invoice was cancelled by credit note 5.",
        "This is not a request for payment",
        "Deze factuur is geannuleerd.",
        "Factura anulada",
        "Ceci n'est pas une demande de paiement",
    ],
)
def test_a_paper_that_asks_for_nothing_any_more_is_left_to_a_person(more: str) -> None:
    assert doubted(shown(more=f"\n\n{more}")) == ["type_code"]


@pytest.mark.parametrize("more", ["This invoice replaces invoice A-99.", "Diese Rechnung ersetzt unsere Rechnung 99."])
def test_an_invoice_in_place_of_another_is_a_correction(more: str) -> None:
    assert shown(more=f"\n\n{more}").type_code == CORRECTION


def test_a_line_that_was_delivered_is_no_title() -> None:
    sums = f"Description                 Qty    Price\nStorno of a reservation     1      1,000.00\n{SUMS}"
    assert doubted(shown(sums)) == []


@pytest.mark.parametrize(
    "more",
    [
        "Payment status: PAID",
        "Zahlart: Kreditkarte",
        "Bitte nicht überweisen.",
        "Vielen Dank für Ihre Zahlung.",
        "Der Betrag ist nicht mehr fällig, da bereits beglichen.",
        "Your account will be debited.",
        "We have charged your card.",
        "Autopay is on",
        "Facture soldée",
        "Mode de règlement : CB",
        "U hoeft niets meer te betalen.",
        "Contant betaald",
        "Pagado en efectivo",
        "Se cargará en su cuenta",
        "Pagamento: carta di credito",
        "Ri.Ba. 30 gg",
        "Zahlungseingang: 03.11.2026",
        "Nothing to pay",
        "Merci pour votre règlement.",
        "U hoeft deze factuur niet te betalen.",
        "Factura saldada",
        "Importo incassato il 3 novembre",
        "Saldo: 0.00 EUR",
    ],
)
def test_paid_or_collected_in_other_words(more: str) -> None:
    assert doubted(shown(more=f"\n\n{more}"))


@pytest.mark.parametrize(
    "more",
    [
        "This invoice should be paid by bank transfer.",
        "Please ensure this is paid by 12 Dec 2026.",
        "La facture doit être payée par virement.",
        "Deze factuur dient te worden betaald op rekening IE29.",
        "La factura debe ser pagada por transferencia.",
        "La fattura deve essere pagata con bonifico.",
    ],
)
def test_asking_for_payment_is_no_payment(more: str) -> None:
    assert doubted(shown(more=f"\n\n{more}")) == []


@pytest.mark.parametrize(
    "words", ["Your account: IBAN", "Refunds go to your bank account", "Ihre Bankverbindung: IBAN"]
)
def test_the_readers_own_account_is_not_paid(words: str) -> None:
    other = "DE89 3704 0044 0532 0130 00"
    assert shown(more=f"\n\n{words} {other}").ibans == ["IE29AIBK93115212345678"]
    page = page_of(f"{HEAD.format(title='INVOICE')}{SUMS}\n{words} {other}")
    alone = invoice_of_pages("a.pdf", [page], "")
    assert isinstance(alone, Invoice)
    assert alone.ibans == []


def test_the_account_in_the_readers_address_is_not_paid() -> None:
    address = "Bill to:   Kunden AG\n           Kundenstraße 15\n           50667 Köln\n           IBAN: DE89 3704 0044 0532 0130 00"
    found = invoice_of_pages("a.pdf", [page_of(f"{HEAD.format(title='INVOICE')}\n{address}\n\n{SUMS}")], "")
    assert isinstance(found, Invoice)
    assert found.ibans == []


def test_two_invoices_in_one_file_are_not_one() -> None:
    second = "Invoice A-101\nNet total   2,000.00 EUR\nVAT 23 %   460.00 EUR\nTotal   2,460.00 EUR"
    assert "gross" in doubted(shown(second=second))


def test_sections_that_add_up_are_one_invoice() -> None:
    sections = "Net total   1,000.00 EUR\nVAT 23 %   230.00 EUR\nTotal   1,230.00 EUR\n"
    sections += "Net total   100.00 EUR\nVAT 23 %   23.00 EUR\nTotal   123.00 EUR\n"
    found = shown(f"{sections}\nNet amount   1,100.00 EUR\nTotal VAT   253.00 EUR\nInvoice total   1,353.00 EUR")
    assert found.gross == Decimal("1353.00")


@pytest.mark.parametrize(
    "text",
    [
        "Invoice 1 of 2",
        "Rechnung 1/2",
        "Invoice P.1/2",
        "Invoice 2026-11 no. A-100",
        "Tax invoice ABN 12345678901",
        "Customer no. / Invoice no.:  77 / A-100",
        "Credit note G-5\nInvoice number: A-100",
        "Nota di credito 5\nNumero fattura: A-100",
        "#     Description   Amount\n4711  Desk          12.50",
    ],
)
def test_what_stands_behind_the_word_invoice_is_not_always_its_number(text: str) -> None:
    assert number_of(reading_of(f"Arden\nDublin\nIreland\n{text}")).value is None


@pytest.mark.parametrize(
    "text,issued,due",
    [
        ("Rechnungsdatum: 26-11-03", None, None),
        ("Invoice date: 3-Nov-2026", date(2026, 11, 3), None),
        ("Invoice date: Tuesday, 3 November 2026", date(2026, 11, 3), None),
        ("Zahlbar bis 12.11.2026 mit 2 % Skonto, bis 02.12.2026 netto", None, None),
        ("Zahlbar bis 12.11.2026 abzgl. 2 % Skonto", None, None),
        ("Pay before 12 November 2026 for a 2 % discount", None, None),
        ("Escompte de 2 % si paiement avant le 12/11/2026.", None, None),
        ("Date          Description   Amount\n3 Nov 2026    Desk          12.50\n3 November 2026", None, None),
        ("Datum         Beschreibung   Betrag\n03.11.2026    Montage        12,50", None, None),
        ("Zahlbar bis 02.12.2026 ohne Abzug", None, date(2026, 12, 2)),
    ],
)
def test_days_that_mean_something_else_are_not_taken(text: str, issued: date | None, due: date | None) -> None:
    found = days_of(reading_of(text), "de")
    assert (found.issued.value, found.due.value) == (issued, due)
