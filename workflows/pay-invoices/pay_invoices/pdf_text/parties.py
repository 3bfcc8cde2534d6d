"""Who sends the invoice and where the money goes: name, VAT id and account of the seller, kept apart from those of the buyer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pay_invoices.pdf_text.facts import Fact
from pay_invoices.pdf_text.identifiers import Placed, accounts_of, broken_accounts, vat_ids
from pay_invoices.pdf_text.labels import Label, below, right_of
from pay_invoices.pdf_text.layout import Cell, Sheet, plain
from pay_invoices.pdf_text.search import Reading
from pay_invoices.pdf_text.vocabulary import one_of
from pay_invoices.picking import tidy

_LEGAL_FORMS = r"""
gmbh(?: ?& ?co\.?(?: ?kg)?)?
mbh
ag
kg
ohg
gbr
ug
e\.? ?k
e\.? ?v
kgaa
se
s\.? ?a\.? ?r\.? ?l
s\.?a\.?s\.?u?
s\.?a
e\.?u\.?r\.?l
s\.?n\.?c
b\.? ?v
n\.? ?v
v\.? ?o\.? ?f
s\.? ?l\.? ?u?
s\.? ?r\.? ?l\.? ?s?
s\.? ?p\.? ?a
ltd
limited
plc
llp
llc
inc
corp
oy
ab
aps
a/s
lda
sp\. ?z ?o\. ?o
"""
_LEGAL = re.compile(rf"\b{one_of(_LEGAL_FORMS)}\b\.?\)?$")
_PARTING = re.compile(r"\s+[-–—]\s+|\s*[|·•●∙]\s*")
_POSTCODE = re.compile(r"\b(?:[a-z]{1,2}-)?\d{4,5}\b(?: ?[a-z]{2}\b)?")
_REGISTER = re.compile(
    r"\b(?:handelsregister|hrb|hra|amtsgericht|registergericht|geschaftsfuhrer|vorstand|kvk|siren|siret|rcs|registro mercantil|r\.?e\.?a|"
    r"company (?:no|number))\b"
)
_NO_NAME = re.compile(
    r"[@:]|www\.|https?|\d{3}|^\W*$|^(?:tel|fax|telefon|phone|seite|page|pagina|(?:globale )?nummer|gln|id|kundennummer|anschrift|"
    r"adresse|address|handelsname|name|nom|naam|nombre|nome|firma|e-?mail)\b\W*$"
)


@dataclass(slots=True)
class Parties:
    """What the pages say about the seller; accounts in the order of the pages, valid ones first."""

    seller: Fact[str] = field(default_factory=Fact)
    holder: Fact[str] = field(default_factory=Fact)
    vat_id: Fact[str] = field(default_factory=Fact)
    ibans: list[Placed] = field(default_factory=list)
    broken_iban: Placed | None = None


def parties_of(reading: Reading, *, collected: bool) -> Parties:
    """Seller, account holder, VAT id and accounts.

    Args:
        reading: the labels of the document.
        collected: whether it speaks of a direct debit: then account and holder may be the buyer's and say nothing about the seller.
    """
    found = Parties()
    theirs = _buyers_blocks(reading)
    found.ibans = [placed for placed in accounts_of(reading) if placed.cell.block not in theirs]
    if not found.ibans:
        found.broken_iban = next(broken_accounts(reading), None)
    if collected:
        found.seller = _seller(reading, [], Fact())
    else:
        found.holder = _agreed(_values(reading, "holder"), "account holder")
        found.seller = _seller(reading, [placed.cell for placed in found.ibans], found.holder)
    found.ibans = [placed for placed in found.ibans if not _in_address(reading, placed.cell, found.seller.value or "")]
    found.vat_id = _own_vat_id(reading, list(vat_ids(reading)), found)
    return found


def _buyers_blocks(reading: Reading) -> set[int]:
    """The paragraphs in which the reader's own name and address stand."""
    addressees = [cell for sender in _sender_lines(reading) for cell in _addressed(reading, sender.cell)]
    return {cell.block for cell in [*addressees, *(placed.cell for placed in _values(reading, "buyer"))]}


def _in_address(reading: Reading, account: Cell, seller: str) -> bool:
    """Whether an account stands in an address at the head of a page that is not the seller's."""
    sheet = next(sheet for sheet in reading.sheets if sheet.number == account.page)
    block = [cell for cell in sheet.cells if cell.block == account.block and cell.top < 0.5 * sheet.height]
    address = any(_POSTCODE.search(cell.plain) for cell in block if cell is not account)
    return address and not (seller and any(_key(seller) in _key(cell.text) for cell in block))


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
    able = [key for key, found in signs.items() if _enough(found)]
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


def _enough(signs: set[str]) -> bool:
    """A name beside the account may be that of a bank or of whoever collects the money, so it must stand elsewhere too."""
    if "sender" in signs:
        return len(signs) > 1
    return bool(signs & {"account", "holder"}) and bool(signs & {"again", "register"})


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
                if any(_REGISTER.search(other.plain) and abs(other.x0 - cell.x0) < 4 for other in sheet.cells):
                    yield placed, "register"
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
                return _whole(reading, sheet, _beside(reading, sheet, names[0]))
            if not inner and (placed := _name_at(cell, 0)) is not None:
                return _whole(reading, sheet, placed)
    return None


def _whole(reading: Reading, sheet: Sheet, placed: Placed | None) -> Placed | None:
    """The name, unless it may be longer: other words right above or under it that belong to no label of their own."""
    if placed is None:
        return None
    around = [placed.cell.line - 1]
    if not _LEGAL.search(plain(placed.text)):
        around.append(placed.cell.line + 1)  # a legal form ends a name
    longer = any(_may_belong(reading, sheet.lines[line], placed) for line in around if 0 <= line < len(sheet.lines))
    return None if longer else placed


def _may_belong(reading: Reading, line: list[Cell], placed: Placed) -> bool:
    """Whether a neighbouring line begins with words that could be part of a name: no address, no label, the same left edge."""
    first, cell = line[0], placed.cell
    if placed.first > 0 or abs(first.x0 - cell.x0) >= 6 or not _close(cell, first):
        return False
    return not re.search(r"[\d:@]", first.text) and not reading.labels(first)


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
    accounts = [placed.cell for placed in parties.ibans]
    if _section(reading, sheet, cell) == "seller" or _with_account(sheet, cell, accounts):
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
            if not -30 < cell.x0 - other.x0 < 200:
                continue
            roles = [label.role for label in reading.labels(other) if label.alone and label.role in ("seller", "buyer")]
            closer = any(0 < cell.x0 - rival.x0 < cell.x0 - other.x0 for rival in right_of(sheet, other))
            if roles and not closer:
                return roles[0]
    return ""
