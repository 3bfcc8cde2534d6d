"""What on the pages may ask for less than the total, or for it in parts: words that no plain invoice needs, and amounts in sentences.

Each word counts wherever it stands, because there are more ways to say a thing than anybody can list; only what was delivered, a denial
and the offer of a discount leave it without meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from pay_invoices.pdf_text import shortfall_words
from pay_invoices.pdf_text.layout import Cell
from pay_invoices.pdf_text.sayings import Saying, passages, place_of
from pay_invoices.pdf_text.search import Reading
from pay_invoices.pdf_text.tokens import Amount, currency_of
from pay_invoices.pdf_text.vocabulary import one_of

_IN_PARTS = re.compile(rf"\b{one_of(shortfall_words.IN_PARTS)}\b")
_TAKEN_OFF = re.compile(rf"\b{one_of(shortfall_words.TAKEN_OFF)}\b")
_DENIED_BEFORE = re.compile(
    rf"\b(?:{one_of(shortfall_words.DENIED_BEFORE)}\b[^.;,:]{{0,40}}|(?:without|ohne|sans|zonder|sin|senza)\b[^.;:]{{0,60}})$"
)
_DENIED_BEHIND = re.compile(rf"[^.;,:]{{0,40}}?\b{one_of(shortfall_words.DENIED_BEHIND)}\b")
_DISCOUNT = re.compile(one_of(shortfall_words.DISCOUNT))
_CONDITION = re.compile(rf"\b{one_of(shortfall_words.CONDITION)}\b")
_ALREADY = re.compile(r"\b(?:bereits|schon|already|deja|reeds|ya|gia)\b")
_UNTIL = re.compile(rf"\b{one_of(shortfall_words.UNTIL)}\b")
_BESIDE = re.compile(one_of(shortfall_words.BESIDE))
_ENDED = re.compile(r"[.;!?](?= )")
_PERCENT = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,2})?) ?%")
_THIRDS = re.compile(r"\b1/([2-4])\b.*\b[1-3]/\1\b")
_CENTS = Decimal("0.02")
_LUMP_SUM = Decimal(40)  # for being late, Article 6 of Directive 2011/7/EU
_WORDS = 3  # and more beside an amount make a sentence


def in_parts(reading: Reading) -> Saying | None:
    """Words that let the total be paid in parts: instalments, halves, shares that make up the whole."""
    for cells, text in _said(reading):
        for matched in (*_IN_PARTS.finditer(text), *_THIRDS.finditer(text)):
            if not _denied(text, matched):
                return place_of(cells, matched)
        shares = list(_PERCENT.finditer(text))
        if len(shares) > 1 and sum(Decimal(one[1].replace(",", ".")) for one in shares) == 100:
            return place_of(cells, shares[0])
    return None


def taken_off(reading: Reading) -> Saying | None:
    """Words of what was paid before, is kept back or set off."""
    for cells, text in _said(reading):
        for matched in _TAKEN_OFF.finditer(text):
            if not _denied(text, matched) and not _offers_discount(_sentence(text, matched)):
                return place_of(cells, matched)
    return None


def amount_told(reading: Reading, gross: Amount, explained: set[Decimal]) -> Amount | None:
    """An amount up to the total that a sentence tells and nothing explains: what is paid now, or was before.

    Args:
        reading: the amounts of the document.
        gross: the total.
        explained: values that mean something else.
    """
    for amount in reading.all_amounts:
        cell = amount.cell
        meant = amount.value in (0, _LUMP_SUM) or amount.value in explained or abs(amount.value) > abs(gross.value)
        if meant or (cell.page, cell.line) in reading.items or not _in_sentence(cell):
            continue
        if not _BESIDE.search(cell.plain) and not _offers_discount(cell.plain) and not _is_discount(amount, gross):
            return amount
    return None


def is_offered_discount(amount: Amount, gross: Amount) -> bool:
    """Whether a sentence offers to pay it instead of the total until some day, or to keep it, and its own per cent lead there."""
    said = amount.cell.plain
    return _offers_discount(said) and _UNTIL.search(said) is not None and _is_discount(amount, gross)


def _said(reading: Reading) -> Iterator[tuple[list[Cell], str]]:
    """Runs of text but for the lines of what was delivered."""
    for cells in passages(reading.sheets):
        kept = [cell for cell in cells if (cell.page, cell.line) not in reading.items]
        if kept:
            yield kept, " ".join(cell.plain for cell in kept)


def _denied(text: str, matched: re.Match[str]) -> bool:
    before, behind = text[max(0, matched.start() - 80) : matched.start()], text[matched.end() :]
    return _DENIED_BEFORE.search(before) is not None or _DENIED_BEHIND.match(behind) is not None


def _sentence(text: str, matched: re.Match[str]) -> str:
    start = max((end.end() for end in _ENDED.finditer(text, 0, matched.start())), default=0)
    end = _ENDED.search(text, matched.end())
    return text[start : end.start() if end else None]


def _offers_discount(sentence: str) -> bool:
    """Whether it says what the reader may take off, not what was taken off already."""
    if _ALREADY.search(sentence):
        return False
    return bool(_DISCOUNT.search(sentence) or ("%" in sentence and _CONDITION.search(sentence)))


def _in_sentence(cell: Cell) -> bool:
    words = [word.text for word in cell.words if any(map(str.isalpha, word.text)) and not currency_of(word.text)]
    return len(words) >= _WORDS


def _is_discount(amount: Amount, gross: Amount) -> bool:
    """Whether it is the total without as many per cent as its own cell offers, or those per cent."""
    rates = [Decimal(found.replace(",", ".")) for found in _PERCENT.findall(amount.cell.plain)]
    parts = [gross.value * rate / 100 for rate in rates if rate <= 5]
    return any(abs(abs(amount.value) - abs(one)) <= _CENTS for part in parts for one in (part, gross.value - part))
