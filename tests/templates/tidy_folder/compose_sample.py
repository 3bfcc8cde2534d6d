"""The sample folder of tidy-folder, made from its description: the committed files are this module's output, byte for byte.

Everything in it is invented. Run as `python -m templates.tidy_folder.compose_sample FOLDER` with `tests` on the path.
"""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

from templates.pay_invoices.cii_papers import cii_xml
from templates.pay_invoices.compose_sample import HALDEN, MERIDIAN
from templates.pay_invoices.papers import ubl_xml
from templates.tidy_folder import made_files as made


def sample_files() -> dict[str, bytes]:
    """Path beneath the sample -> bytes."""
    halden = ubl_xml(HALDEN)
    files = {
        "Rechnung November.xml": cii_xml(MERIDIAN),
        "INV-20931.xml": halden,
        "Kopie von INV-20931.xml": halden,
        "Angebot Regale.eml": made.mail(
            "Holzbau Brandt GmbH <angebote@brandt.example>", date(2026, 11, 9), "Angebot Regale"
        ),
        "IMG_0417.jpg": made.jpeg("the new shelves", date(2026, 11, 21)),
        "IMG_0417.xmp": b'<?xml version="1.0"?>\n<x:xmpmeta xmlns:x="adobe:ns:meta/"/>\n',
        "Logo.jpg": made.png("a logo"),
        "Umsatz November.xls": made.XLS_EXPORT,
        "Lieferschein.pdf": b"#!/bin/sh\necho this is no delivery note\n",
        "Scan 20261102.pdf": made.pdf("A letter without a day", date(2026, 11, 3)),
        "Nordnetz/2026/Vertrag.docx": made.office("word", "a contract", date(2026, 10, 14)),
        "2026-10-05 Stadtwerke Abschlag.pdf": made.pdf("An instalment"),
        "Notizen.txt": "Regale ausmessen\nAngebot prüfen\n".encode(),
        "Leer.pdf": b"",
        "Website/package.json": b'{"name": "website"}\n',
        "Website/logo.png": made.png("a logo on the web"),
    }
    return {f"papers/{path}": data for path, data in files.items()}


def main(folder: Path) -> None:
    """Write the sample."""
    for path, data in sample_files().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
