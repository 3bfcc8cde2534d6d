"""Account numbers and VAT ids on pages: known by their form and check digits, in one piece or in groups."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pay_invoices.accounts import iban_problem
from pay_invoices.pdf_text.layout import Box, Cell, plain
from pay_invoices.pdf_text.search import Reading
from pay_invoices.pdf_text.vocabulary import one_of

# Article 215 of Directive 2006/112/EC, in the forms each country gives out.
_VAT_IDS = r"""
ATU\d{8}
BE[01]?\d{9}
BG\d{9,10}
CY\d{8}[A-Z]
CZ\d{8,10}
(?:DE|EE|EL|PT)\d{9}
(?:DK|FI|HU|LU|MT|SI)\d{8}
ES[A-Z0-9]\d{7}[A-Z0-9]
FR[A-Z0-9]{2}\d{9}
(?:HR|IT|LV)\d{11}
IE\d[A-Z0-9+*]\d{5}[A-Z]{1,2}
LT(?:\d{9}|\d{12})
NL\d{9}B\d{2}
(?:PL|SK)\d{10}
RO\d{2,10}
SE\d{12}
(?:GB|XI)(?:\d{9}|\d{12})
CHE\d{9}(?:MWST|TVA|IVA)?
"""
_VAT_ID = re.compile(one_of(_VAT_IDS))
_IBAN_START = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{0,30}")
_IBAN_PIECE = re.compile(r"[A-Z0-9]{1,30}")


@dataclass(frozen=True, slots=True)
class Placed:
    """A text and its place."""

    text: str
    cell: Cell
    first: int
    last: int

    @property
    def box(self) -> Box:
        """Where it stands."""
        return self.cell.box(self.first, self.last)


# The reader's own account, which an invoice names for a direct debit or a refund.
_YOURS = re.compile(
    r"\b(?:your|ihr(?:e[mrs]?)?|votre|vos|uw|su|tu|vostro|suo|kunden|customer'?s?) ?(?:\w+ ){0,2}?"
    r"(?:account|konto|kontonummer|bankverbindung|compte|rekening|rekeningnummer|cuenta|conto|iban)\b[^.;]{0,40}$"
)


def accounts_of(reading: Reading) -> list[Placed]:
    """Every different valid IBAN in reading order, in one piece or in groups; none that the page calls the reader's own."""
    found: dict[str, Placed] = {}
    for placed in _ibans(reading):
        found.setdefault(placed.text, placed)
    return list(found.values())


def _ibans(reading: Reading) -> Iterator[Placed]:
    """Every valid IBAN, in one piece or in groups, in one cell or in neighbouring ones."""
    for sheet in reading.sheets:
        for line in sheet.lines:
            for position, cell in enumerate(line):
                for index, word in enumerate(cell.words):
                    if _IBAN_START.fullmatch(word.text.strip(",;.:()")) and not _yours(line, position, index):
                        yield from _iban_from(line, position, index)


def _yours(line: list[Cell], position: int, index: int) -> bool:
    left = [line[position - 1].plain] if position else []
    before = [plain(word.text) for word in line[position].words[:index]]
    return _YOURS.search(" ".join([*left, *before])) is not None


def _iban_from(line: list[Cell], position: int, index: int) -> Iterator[Placed]:
    cell = line[position]
    pieces = [word.text.strip(",;.:()") for word in cell.words[index:]]
    own = len(pieces)
    pieces += [word.text.strip(",;.:()") for other in line[position + 1 : position + 9] for word in other.words]
    text = ""
    for count, piece in enumerate(pieces[:10], 1):
        if not _IBAN_PIECE.fullmatch(piece) or len(text) + len(piece) > 34:
            return
        text += piece
        if len(text) >= 15 and _mod_97(text) and not iban_problem(text):
            yield Placed(text, cell, index, index + min(count, own))
            return


def _mod_97(text: str) -> bool:
    turned = text[4:] + text[:4]
    return int("".join(str(int(letter, 36)) for letter in turned)) % 97 == 1


def broken_accounts(reading: Reading) -> Iterator[Placed]:
    """What stands behind the label "IBAN" and is none."""
    for sheet, label in reading.labelled("iban"):
        if not label.cell.plain[label.cell.starts[label.first] :].startswith("iban"):
            continue
        placed = reading.beside(sheet, label, _account_at)
        if placed is not None and iban_problem(placed.text):
            yield placed


def _account_at(cell: Cell, index: int) -> Placed | None:
    pieces: list[str] = []
    for word in cell.words[index:]:
        if not re.fullmatch(r"[A-Za-z0-9]{2,34}", word.text) or len("".join(pieces)) + len(word.text) > 34:
            break
        pieces.append(word.text)
    text = "".join(pieces).upper()
    return Placed(text, cell, index, index + len(pieces)) if len(text) > 9 and _IBAN_START.match(text) else None


def vat_ids(reading: Reading) -> Iterator[Placed]:
    """Every VAT id that a label names as one; "Your VAT id" is no such label."""
    for sheet in reading.sheets:
        for cell in sheet.cells:
            for label in reading.labels(cell):
                if label.role in ("vat_id", "tax"):
                    placed = reading.beside(sheet, label, _vat_id_at)
                    if placed is not None:
                        yield placed


def _vat_id_at(cell: Cell, index: int) -> Placed | None:
    text = ""
    for last, word in enumerate(cell.words[index : index + 6], index + 1):
        text += re.sub(r"[\s.\-–:,]", "", word.text).upper()
        if _VAT_ID.fullmatch(text) and not _more_digits(cell, last):
            return Placed(text, cell, index, last)
    return None


def _more_digits(cell: Cell, last: int) -> bool:
    return last < len(cell.words) and cell.words[last].text[:1].isdigit()
