"""Who sends the invoice and where the money goes: name, VAT id and account of the seller, kept apart from those of the buyer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pay_invoices.accounts import iban_problem
from pay_invoices.pdf_text.facts import Fact
from pay_invoices.pdf_text.labels import Label, below, right_of
from pay_invoices.pdf_text.layout import Box, Cell, Sheet, plain
from pay_invoices.pdf_text.search import Reading
from pay_invoices.picking import tidy

_LEGAL = re.compile(
    r"\b(?:gmbh(?: ?& ?co\.? ?kg)?|mbh|ag|kg|ohg|gbr|ug|e\.? ?k|e\.? ?v|kgaa|se|s\.? ?a\.? ?r\.? ?l|s\.?a\.?s\.?u?|s\.?a|e\.?u\.?r\.?l|s\.?n\.?c|b\.? ?v|n\.? ?v|v\.? ?o\.? ?f|"
    r"s\.? ?l\.? ?u?|s\.? ?r\.? ?l\.? ?s?|s\.? ?p\.? ?a|ltd|limited|plc|llp|llc|inc|corp|oy|ab|aps|a/s|lda|sp\. ?z ?o\. ?o)\b\.?\)?$"
)
_PARTING = re.compile(r"\s+[-–—]\s+|\s*[|·•●∙]\s*")
_POSTCODE = re.compile(r"\b(?:[a-z]{1,2}-)?\d{4,5}\b(?: ?[a-z]{2}\b)?")
_REGISTER = re.compile(r"\b(?:handelsregister|hrb|hra|amtsgericht|registergericht|kvk|siren|siret|rcs|registro mercantil|r\.?e\.?a\.?|company (?:no|number)|geschaftsfuhrer|vorstand)\b")
_NO_NAME = re.compile(
    r"[@:]|www\.|https?|\d{3}|^\W*$|^(?:tel|fax|telefon|phone|seite|page|pagina|(?:globale )?nummer|gln|id|kundennummer|anschrift|adresse|address|"
    r"handelsname|name|nom|naam|nombre|nome|firma|e-?mail)\b\W*$"
)
# Formats of Directive 2006/112/EC, article 215, country by country.
_VAT_ID = re.compile(
    r"(?:ATU\d{8}|BE[01]?\d{9}|BG\d{9,10}|CY\d{8}[A-Z]|CZ\d{8,10}|DE\d{9}|DK\d{8}|EE\d{9}|EL\d{9}|ES[A-Z0-9]\d{7}[A-Z0-9]|FI\d{8}|FR[A-Z0-9]{2}\d{9}|"
    r"HR\d{11}|HU\d{8}|IE\d[A-Z0-9+*]\d{5}[A-Z]{1,2}|IT\d{11}|LT(?:\d{9}|\d{12})|LU\d{8}|LV\d{11}|MT\d{8}|NL\d{9}B\d{2}|PL\d{10}|PT\d{9}|RO\d{2,10}|SE\d{12}|"
    r"SI\d{8}|SK\d{10}|GB(?:\d{9}|\d{12})|XI(?:\d{9}|\d{12})|CHE\d{9}(?:MWST|TVA|IVA)?)"
)
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


@dataclass(slots=True)
class Parties:
    """What the pages say about the seller; accounts in the order of the pages, valid ones first."""

    seller: Fact[str] = field(default_factory=Fact)
    holder: Fact[str] = field(default_factory=Fact)
    vat_id: Fact[str] = field(default_factory=Fact)
    ibans: list[Placed] = field(default_factory=list)
    broken_iban: Placed | None = None


def parties_of(reading: Reading) -> Parties:
    """Seller, account holder, VAT id and accounts."""
    found = Parties()
    found.ibans = accounts_of(reading)
    if not found.ibans:
        found.broken_iban = next(_broken_ibans(reading), None)
    found.holder = _agreed(_values(reading, "holder"), "account holder")
    found.seller = _seller(reading, [placed.cell for placed in found.ibans], found.holder)
    found.vat_id = _own_vat_id(reading, list(_vat_ids(reading)), found)
    return found


def accounts_of(reading: Reading) -> list[Placed]:
    """Every different valid IBAN in reading order, in one piece or in groups."""
    found: dict[str, Placed] = {}
    for placed in _ibans(reading):
        found.setdefault(placed.text, placed)
    return list(found.values())


def _seller(reading: Reading, accounts: list[Cell], holder: Fact[str]) -> Fact[str]:
    """The name a label gives, else the only name that stands as a sender's does and is confirmed by a second sign."""
    labelled = _agreed(_values(reading, "seller"), "seller")
    if labelled.value or labelled.doubt:
        return labelled
    if any(label.alone and label.first == 0 for _, label in reading.labelled("seller")):
        return Fact(doubt="it is not clear which words beside the label are the supplier's name")
    senders = list(_sender_lines(reading))
    buyers = {_key(placed.text) for placed in _values(reading, "buyer")}
    buyers |= {_key(cell.text) for sender in senders for cell in _addressed(reading, sender.cell)}
    signs: dict[str, set[str]] = {}
    places: dict[str, Placed] = {}
    for placed, sign in _signs(reading, accounts, senders):
        key = _key(placed.text)
        if key and key not in buyers:
            signs.setdefault(key, set()).add(sign)
            places.setdefault(key, placed)
    if holder.value and holder.box and _key(holder.value) in signs:
        signs[_key(holder.value)].add("holder")
    for key in signs:
        signs[key] |= {"again"} if _occurrences(reading, key) > 1 else set()
    able = [key for key, found in signs.items() if len(found) > 1 and found & {"sender", "account", "holder"}]
    able = [key for key in able if not any(other.startswith(f"{key} ") for other in able)]
    if len(able) == 1:
        placed = places[able[0]]
        return Fact(tidy(placed.text), placed.text, placed.box)
    if able:
        first = places[able[0]]
        return Fact(text=first.text, box=first.box, doubt="several names could be the supplier")
    held = _key(holder.value or "")
    if held and held not in buyers and _occurrences(reading, held) > 1:
        return holder
    return Fact(doubt="nothing plainly names the supplier")


def _signs(reading: Reading, accounts: list[Cell], senders: list[Placed]) -> Iterator[tuple[Placed, str]]:
    """Names, each with one sign that it may be the sender's: the line above an address, a legal form, an account beside it."""
    for sender in senders:
        yield sender, "sender"
    for sheet in reading.sheets:
        for cell in sheet.cells:
            if not _LEGAL.search(cell.plain.rstrip(" ,")) or len(cell.text) > 70 or _NO_NAME.search(cell.plain):
                continue
            placed = Placed(cell.text.strip(" ,"), cell, 0, len(cell.words))
            yield placed, "legal"
            if _with_account(sheet, cell, accounts):
                yield placed, "account"
    for sender in senders:
        if _LEGAL.search(plain(sender.text)):
            yield sender, "legal"


def _with_account(sheet: Sheet, cell: Cell, accounts: list[Cell]) -> bool:
    """Whether a name belongs to the bank details: one block, one column, or the foot of the page that both stand in."""
    for account in accounts:
        if account.page != cell.page:
            continue
        away = account.top - cell.top
        column = abs(account.x0 - cell.x0) < 4 and 0 < away < 160
        foot = min(account.top, cell.top) > 0.7 * sheet.height and abs(away) < 80
        if account.block == cell.block or column or foot:
            return True
    return False


def _sender_lines(reading: Reading) -> Iterator[Placed]:
    """The names in lines such as "Name · Street 1 · 12345 Town" in the upper half of the first page."""
    for sheet in reading.sheets[:1]:
        for line in sheet.lines:
            if line[0].top > 0.5 * sheet.height:
                return
            for cells in (line, *([cell] for cell in line if len(line) > 1)):
                text = " ".join(cell.text for cell in cells)
                parts = [part for part in _PARTING.split(text) if part]
                name = parts[0].strip() if parts else ""
                address = len(parts) >= 3 and any(_POSTCODE.search(plain(part)) for part in parts[1:])
                if address and not _NO_NAME.search(plain(name)) and _section(reading, sheet, cells[0]) != "buyer":
                    yield Placed(name, cells[0], 0, min(len(name.split()), len(cells[0].words)))
                    break


def _addressed(reading: Reading, sender: Cell) -> list[Cell]:
    """The first line under a sender's line: the addressee."""
    sheet = next(sheet for sheet in reading.sheets if sheet.number == sender.page)
    return list(below(sheet, sender, 4.0))[:1]


def _values(reading: Reading, role: str) -> list[Placed]:
    """The names that the labels of a role give: behind, beside, or in the lines below."""
    found: list[Placed] = []
    for sheet, label in reading.labelled(role):
        placed = _beside(reading, sheet, label) or _in_lines_below(reading, sheet, label)
        if placed is not None:
            found.append(placed)
    return found


def _beside(reading: Reading, sheet: Sheet, label: Label) -> Placed | None:
    """The name in the label's own cell or in the next one to the right."""
    if not label.alone:
        return _name_at(label.cell, label.rest)
    return reading.on_line(sheet, label, _name_at)


def _in_lines_below(reading: Reading, sheet: Sheet, label: Label) -> Placed | None:
    """The first name under a label, past lines such as "Number: 549910"; or the one that "Name:" introduces there."""
    if not label.alone or label.first != 0:
        return None
    for line in sheet.lines[label.cell.line + 1 : label.cell.line + 7]:
        for cell in line:
            if not -4 < cell.x0 - label.cell.x0 < 12:
                continue
            inner = reading.labels(cell)
            if any(one.role in ("seller", "buyer") for one in inner):
                return None
            names = [one for one in inner if one.role == "name"]
            if names:
                return _whole(sheet, _beside(reading, sheet, names[0]))
            if not inner and (placed := _name_at(cell, 0)) is not None:
                return _whole(sheet, placed)
    return None


def _whole(sheet: Sheet, placed: Placed | None) -> Placed | None:
    """The name, unless it may be longer: other words right above or under it that belong to no label of their own."""
    if placed is None:
        return None
    legal = _LEGAL.search(plain(placed.text)) is not None
    cell = placed.cell
    for line, gap in ((cell.line - 1, 1), (cell.line + 1, -1)):
        if not 0 <= line < len(sheet.lines) or (legal and gap < 0):
            continue
        near = [other for other in sheet.lines[line] if abs(other.x0 - cell.x0) < 6 and _close(cell, other)]
        if near and sheet.lines[line][0] is near[0] and placed.first == 0 and not re.search(r"[\d:@]", near[0].text):
            return None
    return placed


def _close(one: Cell, other: Cell) -> bool:
    return max(one.top - other.bottom, other.top - one.bottom) < 0.9 * min(one.height, other.height)


def _name_at(cell: Cell, index: int) -> Placed | None:
    words = cell.words[index:]
    text = " ".join(word.text for word in words).strip(" ,:;")
    if not text or _NO_NAME.search(plain(text)) or not any(letter.isalpha() for letter in text) or len(text) > 100:
        return None
    return Placed(text, cell, index, len(cell.words))


def _agreed(values: list[Placed], name: str) -> Fact[str]:
    if not values:
        return Fact()
    first = values[0]
    if len({_key(value.text) for value in values}) > 1:
        return Fact(text=first.text, box=first.box, doubt=f"the pages name several names as {name}")
    return Fact(tidy(first.text), first.text, first.box)


def _key(text: str) -> str:
    return " ".join(re.findall(r"[\w&+]+", plain(text)))


def _occurrences(reading: Reading, key: str) -> int:
    """On how many places of one page a name stands; the same place on every page counts once."""
    if not key:
        return 0
    places = {
        (round(cell.x0 / 10), round(cell.top / 10))
        for sheet in reading.sheets
        for cell in sheet.cells
        if f" {key} " in f" {_key(cell.text)} "
    }
    return len(places)


def _ibans(reading: Reading) -> Iterator[Placed]:
    """Every valid IBAN, in one piece or in groups, in one cell or in neighbouring ones."""
    for sheet in reading.sheets:
        for line in sheet.lines:
            for position, cell in enumerate(line):
                for index, word in enumerate(cell.words):
                    if _IBAN_START.fullmatch(word.text.strip(",;.:()")):
                        yield from _iban_from(line, position, index)


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


def _broken_ibans(reading: Reading) -> Iterator[Placed]:
    """What stands behind the label "IBAN" and is none."""
    for sheet, label in reading.labelled("iban"):
        if not label.cell.plain[label.cell.starts[label.first] :].startswith("iban"):
            continue
        placed = reading.beside(sheet, label, _account_at)
        if placed is not None:
            yield placed


def _account_at(cell: Cell, index: int) -> Placed | None:
    pieces: list[str] = []
    for word in cell.words[index:]:
        if not re.fullmatch(r"[A-Za-z0-9]{2,34}", word.text) or len("".join(pieces)) + len(word.text) > 34:
            break
        pieces.append(word.text)
    text = "".join(pieces).upper()
    return Placed(text, cell, index, index + len(pieces)) if len(text) > 9 and _IBAN_START.match(text) else None


def _vat_ids(reading: Reading) -> Iterator[Placed]:
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


def _own_vat_id(reading: Reading, ids: list[Placed], parties: Parties) -> Fact[str]:
    """The VAT id that stands with the seller's name, account or register entry; "" rather than the buyer's."""
    own = [placed for placed in ids if not _under_buyer(reading, placed.cell)]
    values = {placed.text for placed in own}
    if len(values) != 1:
        return Fact()
    for placed in own:
        if _with_seller(reading, placed.cell, parties):
            return Fact(placed.text, placed.text, placed.box)
    return Fact()


def _with_seller(reading: Reading, cell: Cell, parties: Parties) -> bool:
    sheet = next(sheet for sheet in reading.sheets if sheet.number == cell.page)
    if _section(reading, sheet, cell) == "seller" or _with_account(sheet, cell, [placed.cell for placed in parties.ibans]):
        return True
    name = _key(parties.seller.value or "")
    company = [other for other in sheet.cells if other.block == cell.block or other.line == cell.line]
    return any((name and name in _key(other.text)) or _REGISTER.search(other.plain) for other in company)


def _under_buyer(reading: Reading, cell: Cell) -> bool:
    sheet = next(sheet for sheet in reading.sheets if sheet.number == cell.page)
    return _section(reading, sheet, cell) == "buyer"


def _section(reading: Reading, sheet: Sheet, cell: Cell) -> str:
    """The nearest label "seller" or "buyer" above a cell in its column, "" when there is none within 14 lines."""
    for line in reversed(sheet.lines[max(0, cell.line - 14) : cell.line]):
        for other in line:
            for label in reading.labels(other):
                if label.role in ("seller", "buyer") and label.level == 3 and label.alone and -30 < cell.x0 - other.x0 < 200:
                    closer = any(0 < cell.x0 - rival.x0 < cell.x0 - other.x0 for rival in right_of(sheet, other))
                    if not closer:
                        return label.role
    return ""
