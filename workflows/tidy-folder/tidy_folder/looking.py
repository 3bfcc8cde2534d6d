"""Looking at one file: what it is, the day and the supplier that it tells, and where each was found. Nothing here raises."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from pay_invoices.invoices import PDF_TEXT, Invoice
from pay_invoices.reading import read_document
from tidy_folder.days import day_in_name, day_of_picture, day_of_properties, leading_day, letter_of
from tidy_folder.kinds import KINDS, MAIL, PDF, XML, Kind, Nature, ending_of, kind_of

FROM_NAME, FROM_FILE = "the file's name", "the file's time, since nothing else tells one"
_TITLES = {kind.title: kind for kind in KINDS}
# Folders called so say nothing of who sent what is in them.
_SAYS_NOTHING = frozenset(
    """archive archiv archives attachments bills bilder clients customers customer docs documents dokumente download downloads eingang
    export factures files fotos images import inbox incoming input invoices invoice kunden lieferanten mail mails misc neu new old
    other out outbox output papers pdf pdfs photos pictures post quarantine receipts rechnungen scan scanner scans sonstiges sent
    suppliers temp tmp unsorted untitled vendors various verschiedenes backup backups data
    january february march april may june july august september october november december
    januar februar märz mai juni juli oktober dezember jan feb mar apr jun jul aug sep oct okt nov dec dez""".split()
)


@dataclass(frozen=True, slots=True)
class Looked:
    """A file: path, size in bytes, the day it was changed last, the title of its kind ("" unknown), SHA-256 (only of those whose size
    another has, else ""), the day and the supplier it tells with their sources ("" and None where it tells none)."""

    path: str
    size: int
    changed: datetime
    kind: str
    sha256: str
    day: date | None
    day_from: str
    supplier: str
    supplier_from: str

    @property
    def known(self) -> Kind | None:
        """Its kind, where it is known."""
        return _TITLES.get(self.kind)

    @property
    def weak(self) -> bool:
        """Whether nothing but the file's time tells its day."""
        return self.day_from == FROM_FILE


def look_at(path: str, data: bytes, size: int, changed: datetime, *, root: str, shared: bool) -> Looked:
    """Look at a file.

    Args:
        path: relative to the workspace.
        data: all its bytes, or its beginning where it is too large to be read.
        size: in bytes.
        changed: when it was changed last.
        root: the folder that is tidied, relative to the workspace.
        shared: whether another file has its size.
    """
    whole = len(data) == size
    kind = kind_of(data, whole=whole)
    stem = path.rpartition("/")[2].removesuffix(f".{ending_of(path)}")
    told = _Told(path, data, stem, kind) if kind is not None else None
    day, day_from = (told.day(changed.date()) if told else None) or (None, "")
    supplier, supplier_from = (told.supplier(root) if told else None) or ("", "")
    sha = hashlib.sha256(data).hexdigest() if shared and whole and size else ""
    title = kind.title if kind else ""
    return Looked(path, size, changed, title, sha, day, day_from, supplier, supplier_from)


class _Told:
    """What a file of a known kind tells; its contents are read once."""

    def __init__(self, path: str, data: bytes, stem: str, kind: Kind) -> None:
        self._path, self._data, self._stem, self._kind = path, data, stem, kind
        self._invoice = _invoice(path, data) if kind in (PDF, XML) else None
        self._letter = letter_of(data) if kind is MAIL else None

    def day(self, changed: date) -> tuple[date, str] | None:
        """The day and its source, the surest first."""
        if self._kind.nature not in (Nature.DOCUMENT, Nature.MEDIA) and self._invoice is None:
            return None
        tidy = leading_day(self._stem)
        if tidy is not None:
            return tidy, FROM_NAME
        if self._invoice is not None and self._invoice.issue_date is not None:
            return self._invoice.issue_date, _words_of(self._invoice)
        if self._letter is not None and self._letter.day is not None:
            return self._letter.day, "the mail's Date"
        return self._first(
            (
                lambda: day_of_picture(self._data) if self._kind.nature is Nature.MEDIA else None,
                "the picture's own data",
            ),
            (lambda: found.day if (found := day_in_name(self._stem)) else None, FROM_NAME),
            (lambda: day_of_properties(self._data) if self._kind.nature is Nature.DOCUMENT else None, "its properties"),
            (lambda: changed, FROM_FILE),
        )

    @staticmethod
    def _first(*ways: tuple[Callable[[], date | None], str]) -> tuple[date, str] | None:
        for way, source in ways:
            found = way()
            if found is not None:
                return found, source
        return None

    def supplier(self, root: str) -> tuple[str, str] | None:
        """Who it is from, and the source; only documents have one."""
        if self._invoice is not None and self._invoice.seller:
            return self._invoice.seller, _words_of(self._invoice)
        if self._kind.nature is not Nature.DOCUMENT:
            return None
        if self._letter is not None and self._letter.sender:
            return self._letter.sender, "the mail's From"
        beneath = self._path.removeprefix(f"{root}/" if root else "").split("/")[:-1]
        for folder in reversed(beneath):
            words = _words(folder)
            if sum(map(len, words)) > 1 and not _SAYS_NOTHING.issuperset(words):
                return folder, "the folder's name"
        return None


def _words(folder: str) -> list[str]:
    """The words of a folder's name, years and numbers left out."""
    words = "".join(sign if sign.isalnum() else " " for sign in folder.casefold()).split()
    return [word for word in words if not word.isdigit()]


def _invoice(path: str, data: bytes) -> Invoice | None:
    found = read_document(path, data)
    return found if isinstance(found, Invoice) and (found.number or found.syntax != PDF_TEXT) else None


def _words_of(invoice: Invoice) -> str:
    return "the words on its pages" if invoice.syntax == PDF_TEXT else f"its invoice data ({invoice.syntax})"
