"""The sample workspace of pay-invoices, made from its description: the committed files are this module's output, byte for byte.

Seventeen documents: fourteen euro invoices of fourteen suppliers (twelve clean ones over 41,208.90 EUR together, one with a changed
account, one with a broken sum), one of the twelve again in another syntax, a credit note, and an invoice in Swedish kronor.
All companies are invented; the accounts are the published example IBANs of their countries.

Run as `python -m templates.pay_invoices.compose_sample FOLDER` with `tests` on the path.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path

from pay_invoices.ledgers import VENDOR_COLUMNS, VendorRow, table_bytes, vendor_cells
from templates.pay_invoices.cii_papers import cii_xml, zugferd_1_xml
from templates.pay_invoices.hybrid_pdf import hybrid_pdf
from templates.pay_invoices.papers import BASIC, PEPPOL, XRECHNUNG, Extra, Item, Paper, Party, ubl_xml

TOTAL = Decimal("41208.90")
BUYER = Party("Larkfield Trading GmbH", "Ankerstraße 12", "50667", "Köln", "DE", "DE123456789")
OLD_BRIGHTWATER, NEW_BRIGHTWATER = "GB94BARC10201530093459", "GB29NWBK60161331926819"

MERIDIAN = Paper(
    "ME-55210-C",
    date(2026, 11, 16),
    date(2026, 12, 15),
    Party("Meridian Energy GmbH", "Turbinenweg 4", "20457", "Hamburg", "DE", "DE210987654", "HRB 55210"),
    BUYER,
    (
        Item("Electricity, October 2026", Decimal(30500), "KWH", Decimal("0.1980"), Decimal(19)),
        Item("Metering, October 2026", Decimal(1), "MON", Decimal("361.00"), Decimal(19)),
    ),
    iban="DE89370400440532013000",
    bic="COBADEFFXXX",
    reference="Contract 88-4410",
    profile=XRECHNUNG,
)
HALDEN = Paper(
    "INV-20931",
    date(2026, 11, 12),
    date(2026, 12, 12),
    Party("Halden Paper AS", "Tistedalsgata 30", "1772", "Halden", "NO", "NO987654321MVA", "987654321"),
    BUYER,
    (
        Item("Uncoated paper 80 g, A4", Decimal(1200), "XPK", Decimal("3.90"), Decimal(0), "G"),
        Item("Envelopes C5", Decimal(400), "XPK", Decimal("2.00"), Decimal(0), "G"),
    ),
    iban="NO9386011117947",
    profile=PEPPOL,
)
OKAFOR = Paper(
    "2026-118",
    date(2026, 11, 9),
    date(2026, 12, 9),
    Party("Okafor Catering B.V.", "Veerkade 7", "3016 DE", "Rotterdam", "NL", "NL123456789B01", "24567890"),
    BUYER,
    (
        Item("Lunch buffet, 5 November", Decimal(46), "C62", Decimal("31.50"), Decimal(9)),
        Item("Coffee and fruit", Decimal(46), "C62", Decimal("5.50"), Decimal(9)),
        Item("Delivery", Decimal(1), "C62", Decimal("8.92"), Decimal(9)),
    ),
    iban="NL91ABNA0417164300",
    profile=PEPPOL,
)
LINDQVIST = Paper(
    "F-0087",
    date(2026, 11, 11),
    date(2026, 12, 11),
    Party("Lindqvist Studio AB", "Södra Vägen 18", "411 35", "Göteborg", "SE", "SE556677889901", "556677-8899"),
    BUYER,
    (Item("Packaging design, autumn range", Decimal(36), "HUR", Decimal("95.00"), Decimal(0), "AE"),),
    iban="SE4550000000058398257466",
    note="Reverse charge: VAT is due by the customer.",
)
TALLOW = Paper(
    "T-3310",
    date(2026, 11, 12),
    date(2026, 12, 12),
    Party("Tallow & Sons Ltd", "8 Cooper's Quay", "T12 X4Y7", "Cork", "IE", "IE1234567FA", "345678"),
    BUYER,
    (
        Item("Candles, boxed", Decimal(420), "XPK", Decimal("3.96"), Decimal(23)),
        Item("Display stand", Decimal(1), "C62", Decimal("44.12"), Decimal(23)),
    ),
    iban="IE45BOFI90000112345678",
    profile=PEPPOL,
)
CUVIER = Paper(
    "FA-2026-1107",
    date(2026, 11, 7),
    date(2026, 12, 7),
    Party("Maison Cuvier SARL", "14 rue des Tonneliers", "21200", "Beaune", "FR", "FR40123456824", "123456824"),
    BUYER,
    (
        Item("Bourgogne 2023, case of 6", Decimal(25), "XPK", Decimal("84.00"), Decimal(20)),
        Item("Transport", Decimal(1), "C62", Decimal("250.00"), Decimal(20)),
    ),
    iban="FR1420041010050500013M02606",
    reference="CLIENT 4471",
    profile=BASIC,
)
BRANDI = Paper(
    "412/2026",
    date(2026, 11, 13),
    date(2026, 12, 13),
    Party("Officine Brandi S.r.l.", "Via dell'Artigiano 9", "41122", "Modena", "IT", "IT01234567890", "MO-312456"),
    BUYER,
    (
        Item("Bearing housing, turned", Decimal(50), "C62", Decimal("71.00"), Decimal(22)),
        Item("Surface treatment", Decimal(50), "C62", Decimal("12.00"), Decimal(22)),
    ),
    iban="IT60X0542811101000000123456",
    profile=PEPPOL,
)
PAPELES = Paper(
    "A/26/0931",
    date(2026, 11, 18),
    date(2026, 12, 18),
    Party("Papeles del Norte S.L.", "Calle Herrera 22", "48001", "Bilbao", "ES", "ESB12345674", "B12345674"),
    BUYER,
    (Item("Corrugated board", Decimal(500), "KGM", Decimal("2.00"), Decimal(21)),),
    iban="ES9121000418450200051332",
    extras=(
        Extra("Loyalty discount", Decimal("50.00"), Decimal(21)),
        Extra("Freight", Decimal("30.00"), Decimal(21), charge=True),
    ),
)
DONAU = Paper(
    "RE-26-2204",
    date(2026, 11, 10),
    date(2026, 12, 10),
    Party("Donau Druck GmbH", "Lände 3", "3500", "Krems", "AT", "ATU12345678", "FN 123456a"),
    BUYER,
    (
        Item("Catalogue, 48 pages", Decimal(1500), "C62", Decimal("1.00"), Decimal(20)),
        Item("Books", Decimal(80), "C62", Decimal("8.00"), Decimal(10)),
    ),
    iban="AT611904300234573201",
    bic="BKAUATWWXXX",
    means="42",
)
WOJCIK = Paper(
    "FV/2026/11/004",
    date(2026, 11, 20),
    date(2026, 12, 20),
    Party("Studio Wójcik sp. z o.o.", "ul. Żelazna 51", "00-841", "Warszawa", "PL", "PL1234563218", "0000123456"),
    BUYER,
    (Item("Translation German-Polish, catalogue", Decimal(24), "HUR", Decimal("115.00"), Decimal(0), "AE"),),
    iban="PL61109010140000071219812874",
    profile=PEPPOL,
)
VANTAAN = Paper(
    "70418",
    date(2026, 11, 6),
    date(2026, 11, 27),
    Party("Vantaan Siivous Oy", "Tikkurilantie 40", "01300", "Vantaa", "FI", "FI01234567", "0123456-7"),
    BUYER,
    (Item("Cleaning, Helsinki office, October", Decimal(40), "HUR", Decimal("31.00"), Decimal("25.5")),),
    iban="FI2112345600000785",
    reference="RF18539007547034",
    profile=PEPPOL,
)
LINDE = Paper(
    "VF26-01874",
    date(2026, 11, 14),
    date(2026, 12, 14),
    Party("Brouwerij De Linde BV", "Molenstraat 5", "9700", "Oudenaarde", "BE", "BE0123456749", "0123.456.749"),
    BUYER,
    (
        Item("Tripel, keg of 20 l", Decimal(42), "C62", Decimal("112.50"), Decimal(21)),
        Item("Glasses, box of 24", Decimal(6), "XPK", Decimal("16.77"), Decimal(21)),
    ),
    iban="BE68539007547034",
    reference="+++539/0075/47034+++",
    prepaid=Decimal("1000.00"),
    note="Deposit of 1,000.00 received on 2 November, thank you.",
)
BRIGHTWATER = Paper(
    "BW-7741",
    date(2026, 11, 23),
    date(2026, 12, 10),
    Party("Brightwater Logistics Ltd", "Unit 6, Dock Road", "L3 4BE", "Liverpool", "GB", "GB123456782", "07741774"),
    BUYER,
    (
        Item("Container haulage Liverpool-Köln", Decimal(5), "C62", Decimal("1722.50"), Decimal(0), "AE"),
        Item("Customs clearance", Decimal(5), "C62", Decimal("100.00"), Decimal(0), "AE"),
    ),
    iban=NEW_BRIGHTWATER,
    bic="NWBKGB2L",
    note="Please note our new bank details.",
)
QUINTA = Paper(
    "FT 2026/388",
    date(2026, 11, 19),
    date(2026, 12, 19),
    Party("Quinta da Serra Lda", "Rua da Fonte 3", "5130-321", "Pesqueira", "PT", "PT501964843", "501964843"),
    BUYER,
    (
        Item("Olive oil, 5 l", Decimal(40), "C62", Decimal("28.00"), Decimal(23)),
        Item("Delivery", Decimal(1), "C62", Decimal("60.00"), Decimal(23)),
    ),
    iban="PT50000201231234567890154",
    stated={"gross": Decimal("1541.40")},  # two digits of 1451.40 exchanged
)
TALLOW_CREDIT = replace(
    TALLOW,
    number="T-3288-C",
    type_code="381",
    issued=date(2026, 11, 17),
    due_on=None,
    items=(Item("Candles returned, broken in transit", Decimal(60), "XPK", Decimal("3.96"), Decimal(23)),),
    preceding="T-3201",
)
NORRSKEN = Paper(
    "NF-10452",
    date(2026, 11, 15),
    date(2026, 12, 15),
    Party("Norrsken Frakt AB", "Hamngatan 2", "972 34", "Luleå", "SE", "SE556601020301", "556601-0203"),
    BUYER,
    (Item("Freight Luleå-Köln", Decimal(1), "C62", Decimal("18400.00"), Decimal(0), "AE"),),
    iban="SE3550000000054910000003",
    currency="SEK",
    profile=PEPPOL,
)

CLEAN = (MERIDIAN, HALDEN, OKAFOR, LINDQVIST, TALLOW, CUVIER, BRANDI, PAPELES, DONAU, WOJCIK, VANTAAN, LINDE)


def _factur_x(paper: Paper) -> bytes:
    return hybrid_pdf(paper, cii_xml(paper), "factur-x.xml")


def _zugferd_1(paper: Paper) -> bytes:
    return hybrid_pdf(paper, zugferd_1_xml(paper), "ZUGFeRD-invoice.xml")


# Names as suppliers give them: they say nothing reliable about what is inside.
_FILES: tuple[tuple[str, Paper, Callable[[Paper], bytes]], ...] = (
    ("Meridian_ME-55210-C_xrechnung.xml", MERIDIAN, cii_xml),
    ("INV-20931.xml", HALDEN, ubl_xml),
    ("okafor catering 2026-118.xml", OKAFOR, ubl_xml),
    ("Lindqvist F-0087.pdf", LINDQVIST, _factur_x),
    ("Lindqvist F-0087 peppol.xml", LINDQVIST, ubl_xml),
    ("T-3310.xml", TALLOW, ubl_xml),
    ("T-3288-C.xml", TALLOW_CREDIT, ubl_xml),
    ("FA-2026-1107.PDF", CUVIER, _factur_x),
    ("brandi_412_2026.xml", BRANDI, ubl_xml),
    ("factura_A-26-0931.xml", PAPELES, cii_xml),
    ("RE-26-2204.pdf", DONAU, _zugferd_1),
    ("FV_2026_11_004.xml", WOJCIK, ubl_xml),
    ("lasku_70418.xml", VANTAAN, ubl_xml),
    ("VF26-01874.pdf", LINDE, _factur_x),
    ("BW-7741.pdf", BRIGHTWATER, _factur_x),
    ("quinta-FT388.xml", QUINTA, cii_xml),
    ("NF-10452.xml", NORRSKEN, ubl_xml),
)

# Paper, first and last payment before, and the invoice paid last; the studio in Warsaw was never paid.
_PAID_BEFORE: tuple[tuple[Paper, date, date, str], ...] = (
    (MERIDIAN, date(2024, 1, 18), date(2026, 11, 16), "ME-55210-B"),
    (HALDEN, date(2025, 3, 10), date(2026, 10, 14), "INV-20377"),
    (OKAFOR, date(2025, 9, 2), date(2026, 10, 9), "2026-097"),
    (LINDQVIST, date(2026, 2, 11), date(2026, 9, 11), "F-0071"),
    (TALLOW, date(2025, 11, 24), date(2026, 10, 12), "T-3201"),
    (CUVIER, date(2024, 12, 5), date(2026, 6, 8), "FA-2026-0512"),
    (BRANDI, date(2025, 5, 19), date(2026, 11, 2), "377/2026"),
    (PAPELES, date(2024, 4, 22), date(2026, 10, 19), "A/26/0815"),
    (DONAU, date(2025, 8, 11), date(2026, 9, 14), "RE-26-1790"),
    (VANTAAN, date(2026, 1, 30), date(2026, 10, 30), "69127"),
    (LINDE, date(2025, 6, 16), date(2026, 8, 17), "VF26-01210"),
    (replace(BRIGHTWATER, iban=OLD_BRIGHTWATER), date(2024, 7, 1), date(2026, 11, 12), "BW-7698"),
    (QUINTA, date(2025, 10, 7), date(2026, 10, 6), "FT 2026/341"),
    (NORRSKEN, date(2026, 3, 3), date(2026, 9, 15), "NF-10107"),
)


def sample_files() -> dict[str, bytes]:
    """Path relative to the workspace -> bytes, for the whole sample."""
    files = {f"invoices/{name}": write(paper) for name, paper, write in _FILES}
    rows = [
        VendorRow(paper.seller.name, paper.seller.vat_id, paper.iban, first, last, number, "")
        for paper, first, last, number in _PAID_BEFORE
    ]
    files["vendors.csv"] = table_bytes(VENDOR_COLUMNS, [vendor_cells(row) for row in rows])
    return files


def main(folder: str) -> None:
    """Write the sample into a folder."""
    for path, data in sample_files().items():
        target = Path(folder, path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1])
