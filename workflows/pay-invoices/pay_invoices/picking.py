"""Picking values out of a document, each with the place it came from; what cannot be understood is noted, never guessed.

Elements are matched by local name: the dialects differ in namespaces only, and a wrong namespace version is no reason to refuse
an invoice whose figures are plain.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import cache

from lxml.etree import _Element

from pay_invoices.invoices import OddField, Source

TEXT_LIMIT = 500  # characters; no term of EN 16931 that is used here needs more
_AMOUNT = re.compile(r"[+-]?(?:[0-9]{1,12}(?:\.[0-9]{0,10})?|\.[0-9]{1,10})")  # xsd:decimal, bounded: no exponent
_ISO_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})?")
_CII_DATE = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})")


@cache
def _wild(path: str) -> str:
    return "/".join("{*}" + name for name in path.split("/"))


def find(element: _Element, path: str) -> _Element | None:
    """The first element at a path of local names, such as "PaymentMeans/PaymentID"."""
    return element.find(_wild(path))


def find_all(element: _Element, path: str) -> list[_Element]:
    """Every element at a path of local names, in document order."""
    return element.findall(_wild(path))


def text_at(element: _Element, path: str) -> str:
    """The text of the first element at a path, "" when there is none."""
    found = find(element, path)
    return "" if found is None else tidy(found.text)


def texts_at(element: _Element, path: str) -> list[str]:
    """The different texts at a path that are not empty, in document order."""
    return list(dict.fromkeys(text for text in (tidy(found.text) for found in find_all(element, path)) if text))


def tidy(text: str | None) -> str:
    """One line without invisible characters, at most 500 characters: names must not change how a screen reads."""
    if not text:
        return ""
    if not text.isascii():
        text = "".join(letter for letter in text if unicodedata.category(letter) != "Cf")
    return " ".join(text.split())[:TEXT_LIMIT].strip()


def path_of(element: _Element) -> str:
    """The place of an element for people: local names from the root, numbered from 1 where siblings share a name."""
    steps = [_step(part) for part in (element, *element.iterancestors())]
    return "/".join(reversed(steps))


def _step(element: _Element) -> str:
    name = local(element)
    parent = element.getparent()
    twins = [] if parent is None else [child for child in parent if child.tag == element.tag]
    return f"{name}[{twins.index(element) + 1}]" if len(twins) > 1 else name


def local(element: _Element) -> str:
    """The local name of an element."""
    return str(element.tag).rpartition("}")[2]


def number_in(text: str) -> Decimal | None:
    """A decimal as XML writes it, None for anything else: no exponent, no comma, no other script's digits."""
    return Decimal(text) if _AMOUNT.fullmatch(text) else None


class Picker:
    """Collects sources and odd fields while values are picked out of one document."""

    def __init__(self, root: _Element, currency: str) -> None:
        self.root = root
        self.currency = currency
        self.where: list[Source] = []
        self.odd: list[OddField] = []

    def text(self, field: str, *paths: str, within: _Element | None = None) -> str:
        """The first text that is not empty, trying the paths in order."""
        for element in self._candidates(paths, within):
            text = tidy(element.text)
            if text:
                self.where.append(Source(field, path_of(element)))
                return text
        return ""

    def money(self, field: str, *paths: str, within: _Element | None = None) -> Decimal | None:
        """The first amount, None when it is missing or cannot be understood."""
        for element in self._candidates(paths, within):
            amount = self.amount(field, element)
            if amount is not None:
                self.where.append(Source(field, path_of(element)))
            return amount
        return None

    def amount_at(self, field: str, path: str, within: _Element) -> Decimal | None:
        """An amount whose place is not kept, such as one of many alike."""
        element = find(within, path)
        return None if element is None else self.amount(field, element)

    def amount(self, field: str, element: _Element) -> Decimal | None:
        """The amount of one element; another currency than the invoice's is odd, and so is what is no number."""
        text = tidy(element.text)
        amount = number_in(text)
        if amount is None:
            self.note(field, element, text, f"“{text[:40]}” is not a number with a point as decimal separator")
        unit = tidy(element.get("currencyID"))
        if unit and self.currency and unit != self.currency:
            self.note("currency", element, unit, f"{field} is in {unit[:10]}, the invoice in {self.currency}")
        return amount

    def day(self, field: str, *paths: str, within: _Element | None = None) -> date | None:
        """The first date, None when it is missing or cannot be understood."""
        for element in self._candidates(paths, within):
            text = tidy(element.text)
            found = _date(text, element.get("format"))
            if found is None:
                self.note(field, element, text, f"“{text[:40]}” is not a date")
            else:
                self.where.append(Source(field, path_of(element)))
            return found
        return None

    def note(self, field: str, element: _Element, text: str, problem: str) -> None:
        """Write down a field that is there but cannot be understood."""
        self.odd.append(OddField(field, path_of(element), text[:100], problem))

    def _candidates(self, paths: tuple[str, ...], within: _Element | None) -> Iterator[_Element]:
        start = self.root if within is None else within
        for path in paths:
            found = find(start, path)
            if found is not None:
                yield found


def _date(text: str, kind: str | None) -> date | None:
    """ISO dates of UBL; CII writes format 102 (YYYYMMDD), and any other format is not guessed at."""
    pattern = _ISO_DATE if kind is None else _CII_DATE if kind == "102" else None
    matched = pattern.fullmatch(text) if pattern else None
    try:
        return date(*(int(part) for part in matched.groups())) if matched else None
    except ValueError:
        return None
