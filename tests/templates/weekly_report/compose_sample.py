"""The sample folder of weekly-report, made from its description: the committed files are this module's output, byte for byte.

Everything in it is invented. Run as `python -m templates.weekly_report.compose_sample FOLDER` with `tests` on the path.
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

from templates.weekly_report.made_sheets import Error, Formula, book, sheet, text

FOLDER = "sales"


def sample_files() -> dict[str, bytes]:
    """Path beneath the sample -> bytes."""
    files = {
        "Umsatz KW47.xlsx": _last_week(),
        "Umsatz KW48.xlsx": _this_week(),
        "sales_uk_2026-48.csv": _leeds(),
        "Ventes Lyon novembre.csv": _lyon(),
        "Forsaljning v48.csv": _malmo(),
        "Kontakte.csv": text([("Name", "Telefon"), ("Ada Lund", "+46 40 123 45"), ("Tom Reid", "+44 113 496 01")]),
    }
    return {f"{FOLDER}/{name}": data for name, data in files.items()}


def _last_week() -> bytes:
    rows = [
        ("Umsatzliste Berlin", None, None, None),
        ("Alle Beträge in EUR", None, None, None),
        (None,),
        ("Datum", "Kunde", "Region", "Betrag"),
        (date(2026, 11, 16), "Brandt GmbH", "Nord", 1840.5),
        (date(2026, 11, 18), "Meridian Energy", "Süd", 920),
        (date(2026, 11, 20), "Halden Paper", "Nord", 410.25),
        (None, "Summe", None, 3170.75),
    ]
    return book({"KW 47": rows})


def _this_week() -> bytes:
    """Other names in another order, a day merged over two rows, and what goes wrong in sheets."""
    rows = [
        ("Umsatzliste Berlin, Stand 30.11.2026",),
        ("Region", "Umsatz netto (EUR)", "Tag", "Auftraggeber / Kunde"),
        ("Nord", 2150, date(2026, 11, 23), "Brandt GmbH"),
        ("Süd", 780.4, None, "Meridian Energy"),
        ("Nord", 395.1, date(2026, 11, 25), "Halden Paper"),
        ("Süd", Error("#REF!"), date(2026, 11, 26), "Meridian Energy"),
        ("Nord", Formula("B5*1.19"), date(2026, 11, 26), "Brandt GmbH"),
        ("Süd", -120, date(2026, 11, 27), "Meridian Energy"),
        ("Gesamt", 3205.5, None, None),
        ("Nord", 640, date(2026, 11, 30), "Brandt GmbH"),
    ]
    draft = [("Datum", "Betrag"), (date(2026, 11, 24), 99999)]
    return book({"KW 48": sheet(rows, merged=["C3:C4"]), "Entwurf": draft}, hidden=["Entwurf"])


def _leeds() -> bytes:
    rows = [
        ("Order date", "Client", "Sales (GBP)"),
        ("24/11/2026", "Arden & Hale", "1,240.00"),
        ("27/11/2026", "Brightwater", "315.60"),
        ("pending", "Okafor Catering", "88.00"),
    ]
    return text(rows, delimiter=",")


def _lyon() -> bytes:
    rows = [
        ("Ventes du magasin de Lyon", "", ""),
        ("", "", ""),
        ("Date", "Client", "Montant HT (€)"),
        ("18 nov. 2026", "Quinta SARL", "1 105,00"),
        ("25 nov. 2026", "Quinta SARL", "1 250,00"),
        ("26 nov. 2026", "Atelier Noé", "(75,50)"),
    ]
    return text(rows, encoding="cp1252")


def _malmo() -> bytes:
    """Two columns could be the amount: a person is asked once."""
    rows = [
        ("Datum", "Butik", "Netto SEK", "Brutto SEK"),
        ("2026-11-23", "Malmö", "4.200,00", "5.250,00"),
        ("2026-11-28", "Lund", "1.080,00", "1.350,00"),
    ]
    return text(rows)


def main() -> None:
    """Write the sample beneath the folder named."""
    for path, data in sample_files().items():
        target = Path(sys.argv[1]) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


if __name__ == "__main__":
    main()
