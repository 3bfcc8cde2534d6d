"""Number, dates and currency: what labels name, agreed on by every label of the document. Dates are never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Generic, TypeVar

from pay_invoices.pdf_text.labels import Label, is_item_head
from pay_invoices.pdf_text.layout import Box, Cell, Sheet, plain
from pay_invoices.pdf_text.paper_names import CREDIT
from pay_invoices.pdf_text.search import Reading, day_reader
from pay_invoices.pdf_text.tokens import Amount, Day, currency_of, day_at
from pay_invoices.pdf_text.vocabulary import BEFORE_DUE_DATE, CURRENCY_CODES, CURRENCY_WORDS, STRONG, WEAK, one_of

_T = TypeVar("_T")
_WORD = re.compile(r"[^\W_][\w./+\-–]*", re.ASCII)
_PREFIX = re.compile(r"[A-Z]{1,6}")
# What stands behind "Invoice" and is no number of it: a year, a page, an id of the company.
_NO_NUMBER = re.compile(
    r"(?:19|20)\d{2}|(?:p\.?)?\d{1,2}/\d{1,2}|p\.?\d{1,3}|(?:abn|kvk|siret|siren|vat|tva|btw|iva|ust|nif|cif|uid|hrb|eori) .*",
    re.IGNORECASE,
)
_COUNTING = re.compile(r"(?:of|von|sur|van|di|no|nr|n°|#)[.:]?")
_PIECE = re.compile(r"[/\-–]|[A-Z0-9]+(?:[/\-–.][A-Z0-9]+)*")
_SKIPPED = re.compile(r"[#:.\-]?|nr\.?|no\.?|n°|nº|num\.?")
_PASSED = re.compile(r"(?:vom|von|du|of|dated|van|de|del|di|le|am|datum|date)")
_BEFORE_DUE = re.compile(f"{one_of(BEFORE_DUE_DATE)} ?:? ?$")
_DISCOUNT = re.compile(
    r"\W*(?:\S+ ){0,4}?\S*(?:%|skonto|discount|escompte|remise|korting|descuento|dto|pronto pago|sconto|abzgl|abzuglich|less|minus)"
)
_OFFER = re.compile(r"\d ?% [^.;]{0,60}$|(?<!no )(?<!ohne )\b(?:skonto|early payment)\b[^.;]{0,60}$")
_IN_FULL = re.compile(r"\W*(?:ohne|netto|rein netto|in full|net\b|without|sans|zonder|sin|senza)")
_CREDIT = re.compile(rf"{one_of(CREDIT)}\b")
_CURRENCY_WORD = re.compile(rf"\b{one_of(CURRENCY_WORDS)}\b")
_TERM = re.compile(r"\b(\d{1,3}) (?:tagen?|days?|jours?|dagen|dias?|giorni|gg)\b")


@dataclass(frozen=True, slots=True)
class Fact(Generic[_T]):
    """A value with its place; or why there is none, with the place of the doubt. Both empty: nothing is said."""

    value: _T | None = None
    text: str = ""
    box: Box | None = None
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class _Number:
    value: str
    clear: bool
    first: int
    last: int
    cell: Cell

    @property
    def box(self) -> Box:
        return self.cell.box(self.first, self.last)


def number_of(reading: Reading) -> Fact[str]:
    """The invoice number."""
    for level in (STRONG, WEAK):
        found = [
            number
            for sheet, label in reading.labelled("number")
            if (label.level == level or _names_credit(label)) and (number := _beside(reading, sheet, label)) is not None
        ]
        if found:
            different = {re.sub(r"\s", "", number.value).casefold() for number in found}
            first = found[0]
            if len(different) > 1:
                return Fact(text=first.value, box=first.box, doubt="the pages name several invoice numbers")
            if not first.clear:
                return Fact(text=first.value, box=first.box, doubt="it is not clear where the invoice number ends")
            return Fact(first.value, first.value, first.box)
    return Fact()


def _beside(reading: Reading, sheet: Sheet, label: Label) -> _Number | None:
    """The number a label names; under a heading such as "Invoice" anything may stand, so there it counts in rows of heads only."""
    whole = label.level == STRONG and not label.alone
    found = reading.beside(sheet, label, lambda cell, index: _number_at(cell, index, any_word=whole))
    if found is not None and _shares_a_name(label):
        found = replace(found, clear=False)
    if found is None or label.level == STRONG:
        return found
    if is_item_head(sheet.lines[label.cell.line], least=1):
        return None
    heading = found.cell.line != label.cell.line and len(sheet.lines[label.cell.line]) < 3
    return None if heading or _NO_NUMBER.fullmatch(found.value) or _counted(found) else found


def _names_credit(label: Label) -> bool:
    """Whether it is the title of a credit note, whose own number counts beside that of the invoice it is about."""
    return _CREDIT.match(label.cell.plain, label.cell.starts[label.first]) is not None


def _shares_a_name(label: Label) -> bool:
    """Whether two names stand before one value, as in "Customer no. / invoice no.: 77 / A-100"."""
    return label.first > 0 and label.cell.words[label.first - 1].text in (
        "/",
        "|",
        "&",
        "+",
        "und",
        "and",
        "et",
        "en",
        "y",
        "e",
    )


def _counted(number: _Number) -> bool:
    """Whether other words follow that make it no number: "Invoice 1 of 2", "Invoice 2026-11 no. A-100"."""
    after = [word.text.casefold() for word in number.cell.words[number.last : number.last + 1]]
    return bool(after) and _COUNTING.fullmatch(after[0]) is not None


def _number_at(cell: Cell, index: int, *, any_word: bool) -> _Number | None:
    """The number that begins at a word: one word with a digit, or pieces of it such as "F 1234/12" or "2026 / 118"."""
    words = [word.text.strip(",;:") for word in cell.words[index:]]
    while words and _SKIPPED.fullmatch(words[0].casefold()):
        words, index = words[1:], index + 1
    if not words or not _WORD.fullmatch(words[0]) or day_at(cell, index) is not None:
        return None
    digits = [any(letter.isdigit() for letter in word) for word in words]
    if not digits[0] and not (_PREFIX.fullmatch(cell.words[index].text) and any(digits[:2])):
        alone = any_word and len(words) == 1 and len(words[0]) > 2
        return _Number(words[0], True, index, index + 1, cell) if alone else None
    count = 1
    while count < len(words) and _goes_on(words, count, cell, index):
        count += 1
    while words[count - 1] in ("/", "-", "–"):
        count -= 1
    if not any(digits[:count]):
        return None
    clear = count == 1 or (not digits[0] and count == 2) or "/" in words[:count]
    return _Number(" ".join(words[:count]), clear, index, index + count, cell)


def _goes_on(words: list[str], count: int, cell: Cell, index: int) -> bool:
    word = words[count]
    if not _PIECE.fullmatch(word) or currency_of(word) or day_at(cell, index + count) is not None:
        return False
    before = words[count - 1]
    return any(letter.isdigit() for letter in word) or word in ("/", "-", "–") or before in ("/", "-", "–")


@dataclass(frozen=True, slots=True)
class Days:
    """The two dates of an invoice."""

    issued: Fact[date]
    due: Fact[date]


def days_of(reading: Reading, language: str) -> Days:
    """Issue and due date; whether the day or the month comes first is proved by the document or left open.

    Args:
        reading: its labels.
        language: the language of its labels, "" or "en" when it does not settle the order of day and month.
    """
    issued = [_days(reading, "issue_date", level) for level in (STRONG, WEAK)]
    issued[0] = _unique([*issued[0], *_after_number(reading)])
    due = _unique([*_days(reading, "due_date", STRONG), *_sentences(reading)])
    every = [day for sheet in reading.sheets for cell in sheet.cells for day in _all_days(cell)]
    order = _order(every, language) or _order_by_term(reading, issued[0] or issued[1], due)
    first = _settled(issued[0] or issued[1], order, "issue date")
    last = _settled(due, order, "due date")
    if first.value and last.value and last.value < first.value:
        last = Fact(text=last.text, box=last.box, doubt="it lies before the issue date")
    return Days(first, last)


def _days(reading: Reading, role: str, level: int) -> list[Day]:
    labels = [
        (sheet, label)
        for sheet, label in reading.labelled(role)
        if label.level == level and not (level == WEAK and is_item_head(sheet.lines[label.cell.line], least=1))
    ]
    found = (reading.beside(sheet, label, day_reader) for sheet, label in labels)
    return _unique(day for day in found if day is not None and not (role == "due_date" and _discounted(day)))


def _discounted(day: Day) -> bool:
    """Whether the words around it make it the day until which less is taken."""
    words = [plain(word.text) for word in day.cell.words]
    before, after = " ".join(words[: day.first])[-90:], " ".join(words[day.last : day.last + 7])
    offered = _OFFER.search(before.rpartition(". ")[2])
    return offered is not None or (_DISCOUNT.match(after) is not None and _IN_FULL.match(after) is None)


def _after_number(reading: Reading) -> list[Day]:
    """The date in "Rechnung Nr. 42 vom 31.01.2014"."""
    found: list[Day] = []
    for sheet, label in reading.labelled("number"):
        number = _beside(reading, sheet, label)
        if number is None:
            continue
        cells = [number.cell, *(cell for cell in sheet.lines[number.cell.line] if cell.x0 > number.cell.x1)]
        places = [
            (cell, at) for cell in cells for at in range(number.last if cell is number.cell else 0, len(cell.words))
        ]
        if places and _PASSED.fullmatch(places[0][0].words[places[0][1]].text.casefold()) and len(places) > 1:
            day = day_at(*places[1])
            found += [day] if day is not None else []
    return found


def _sentences(reading: Reading) -> list[Day]:
    """Dates inside sentences that ask for payment until then; the day of a discount is not meant."""
    found: list[Day] = []
    for sheet in reading.sheets:
        for cell in sheet.cells:
            for day in _all_days(cell):
                before = " ".join(cell.plain.split()[: day.first])
                if _BEFORE_DUE.search(before[-90:]) and not _discounted(day):
                    found.append(day)
    return found


def _all_days(cell: Cell) -> Iterable[Day]:
    if not any(letter.isdigit() for letter in cell.text):
        return []
    return [day for index in range(len(cell.words)) if (day := day_at(cell, index)) is not None]


def _unique(days: Iterable[Day]) -> list[Day]:
    return list({day.days: day for day in reversed(list(days))}.values())[::-1]


def _order(days: list[Day], language: str) -> str:
    """What comes first in this document's numeric dates, "day" or "month"; "" when nothing proves it."""
    open_days = [day for day in days if day.order]
    leading = {_leads(day) for day in open_days if len(day.days) == 1 and _leads(day)}
    if len(leading) == 1:
        return leading.pop()
    if len(leading) > 1:
        return ""
    # Nobody writes the month first in these languages; English is written both ways.
    return "day" if language in ("de", "fr", "nl", "es", "it") else ""


def _leads(day: Day) -> str:
    """What comes first in a date that exists in one order only."""
    one, two = (int(part) for part in re.findall(r"\d+", day.text)[:2])
    if one == two:
        return ""
    return "day" if one > 12 else "month" if two > 12 else ""


def _order_by_term(reading: Reading, issued: list[Day], due: list[Day]) -> str:
    """The only order in which the due date is the issue date and the printed term in days."""
    if len(issued) != 1 or len(due) != 1:
        return ""
    terms = {int(found) for sheet in reading.sheets for cell in sheet.cells for found in _TERM.findall(cell.plain)}
    fitting = {
        order
        for position, order in enumerate(("day", "month"))
        if all(len(day.days) > position or not day.order for day in (issued[0], due[0]))
        and _reading(due[0], position) - _reading(issued[0], position) in {timedelta(days=term) for term in terms}
    }
    return fitting.pop() if len(fitting) == 1 else ""


def _reading(day: Day, position: int) -> date:
    return day.days[position if day.order and len(day.days) > position else 0]


def _settled(found: list[Day], order: str, name: str) -> Fact[date]:
    if not found:
        return Fact()
    first = found[0]
    text, box = first.text, first.box
    values = [_value(day, order) for day in found]
    if values[0] is None:
        return Fact(text=text, box=box, doubt=f"“{text}” can be two days, {first.days[0]} or {first.days[1]}")
    if len(set(values)) > 1:
        return Fact(text=text, box=box, doubt=f"the pages name several days as {name}")
    return Fact(values[0], text, box)


def _value(day: Day, order: str) -> date | None:
    if len(day.days) == 1:
        return day.days[0]
    if order:
        return day.days[0 if order == "day" else 1]
    return None


def currency_of_document(reading: Reading, amounts: list[Amount]) -> Fact[str]:
    """The currency beside the proved amounts, else the one a label names, else the only one the document knows."""
    beside = {amount.currency: amount for amount in amounts if amount.currency}
    if not beside:
        beside = dict(_named_currency(reading, amounts))
    if not beside:
        # In sentences stand the seller's capital and fees for paying late, so only figures alone in their cells count.
        beside = {amount.currency: amount for amount in reading.all_amounts if amount.currency and amount.fills_cell}
        others = _spoken_of(reading) - set(beside)
        if beside and others:
            code, amount = next(iter(beside.items()))
            return Fact(text=code, box=amount.box, doubt=f"the pages speak of {min(others)}, too")
    if not beside:
        return Fact(doubt="the pages do not say in which currency they are")
    code, amount = next(iter(beside.items()))
    if len(beside) > 1:
        return Fact(text=" / ".join(beside), box=amount.box, doubt="the amounts are in several currencies")
    if len(code) != 3 or not code.isascii():
        return Fact(text=code, box=amount.box, doubt=f"“{code}” is not the sign of one currency alone")
    return Fact(code, code, amount.box)


def _spoken_of(reading: Reading) -> set[str]:
    """Every currency that a word of the pages is the code, the sign or the name of; names stay names."""
    cells = [cell for sheet in reading.sheets for cell in sheet.cells]
    words = (word.text.strip("()[].:;,*") for cell in cells for word in cell.words)
    codes = {code for word in words if (word in CURRENCY_CODES or not word.isalpha()) and (code := currency_of(word))}
    return codes.union(*(_CURRENCY_WORD.findall(cell.plain) for cell in cells))


def _named_currency(reading: Reading, amounts: list[Amount]) -> Iterable[tuple[str, Amount]]:
    """Codes behind a label such as "Currency", and inside the labels of the proved amounts."""
    if not amounts:
        return
    for sheet, label in reading.labelled("currency"):
        code = reading.beside(sheet, label, _code_at)
        if code is not None:
            yield code.value, amounts[0]
    for one in reading.named:
        if one.amount in amounts:
            for word in one.label.cell.words[one.label.last : one.label.rest]:
                if code_in := currency_of(word.text):
                    yield code_in, one.amount


@dataclass(frozen=True, slots=True)
class _Code:
    value: str
    last: int


def _code_at(cell: Cell, index: int) -> _Code | None:
    for at in range(index, len(cell.words)):
        if code := currency_of(cell.words[at].text):
            return _Code(code, at + 1)
        if cell.words[at].text not in (":", "-"):
            break
    return None
