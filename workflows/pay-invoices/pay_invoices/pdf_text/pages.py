"""The words of a PDF with their places, as a person sees them: text that is hidden, covered or off the page does not count.

Read by pdfium, ten times faster than pdfplumber and better at keeping words whole (QualityHosting.pdf, coolblue1.pdf). Boxes are in points
from the upper left corner of the page as it is shown, its rotation and crop included.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import Any

from pay_invoices.pdf_text.font_tables import misread_pages
from pay_invoices.pdf_text.seeing import Box, Seen, as_drawn, text_objects
from pay_invoices.pdf_text.weight import TooHeavy, weigh

MAX_PAGES = 200
MAX_LETTERS = 1_000_000
SECONDS = 20.0
_SMALLEST = 3.6  # points from the highest to the lowest letter of a font; less is no text for people
_INVISIBLE = (3, 7)  # text rendering modes of ISO 32000-1, 9.3.6: neither filled nor stroked
_BLANKS = frozenset((0xA0, 0xAD, 0x2007, 0x2009, 0x202F, 0xFFFE, 0xFFFF))
_NO_BLANK, _MADE_UP_BLANK = 0.25, 0.14  # of the height: gaps that still lie inside a word
_UPRIGHT = (*range(46), *range(315, 360))  # degrees; slanted stamps are read
_LONGEST = 200  # letters; a longer run without a blank is no word


@dataclass(frozen=True, slots=True)
class Word:
    """One word and its box."""

    text: str
    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def height(self) -> float:
        """Of the box, in points."""
        return self.bottom - self.top


@dataclass(frozen=True, slots=True)
class Page:
    """One page: its number from 1, its size in points, its visible words in the order of the file."""

    number: int
    width: float
    height: float
    words: list[Word]


class PagesRefused(ValueError):
    """The pages cannot be read; `code` is encrypted_pdf, damaged_pdf, too_large, too_many_pages or too_slow."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}{detail}")
        self.code = code
        self.detail = detail


def read_pages(data: bytes, *, until: float | None = None, look: bool = True) -> list[Page]:
    """The visible words of every page.

    Args:
        data: the whole PDF.
        until: a monotonic instant; reading that is not done by then is given up between two pages.
        look: whether pages are drawn to see what shows; without it text in the colour of the paper counts.

    Raises:
        PagesRefused: the PDF is locked or damaged, has more than 200 pages, unpacks to too much, or takes too long.
    """
    import pypdfium2  # lazy: 60 ms, and most folders hold no PDF

    last = monotonic() + SECONDS if until is None else until
    try:
        return list(_pages(pypdfium2, data, last, look=look))
    except pypdfium2.PdfiumError as problem:
        locked = problem.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD
        raise PagesRefused("encrypted_pdf" if locked else "damaged_pdf") from problem


def _pages(pdfium: Any, data: bytes, until: float, *, look: bool) -> Iterator[Page]:
    document = pdfium.PdfDocument(data)
    if look:
        document.init_forms()  # what stands in fields covers what is printed there
    count = len(document)
    if count > MAX_PAGES:
        raise PagesRefused("too_many_pages", f" ({count} pages)")
    misread = _inspected(data)
    letters = 0
    for number in range(1, count + 1):
        try:
            page = document[number - 1]
        except pdfium.PdfiumError:
            continue  # a page the file promises and does not hold
        shapes = text_objects(pdfium.raw, page)
        as_drawn(pdfium.raw, shapes)
        text = page.get_textpage()
        letters += max(0, text.count_chars())
        if letters > MAX_LETTERS or monotonic() > until:
            raise PagesRefused("too_slow")
        found = _Letters(pdfium.raw, page, text)
        words = found.words(until)
        if look and words:
            seen = Seen(pdfium.raw, page, shapes)
            words = [word for word in words if seen.word(word.text, found.boxes[id(word)])]
        if number in misread:
            words = [word for word in words if not any(map(str.isdigit, word.text))]
        width, height = page.get_size()
        yield Page(number, width, height, [word for word in words if _on_page(word, width, height)])
        text.close()
        page.close()


def _inspected(data: bytes) -> frozenset[int]:
    """The numbers of the pages whose figures are not those that are drawn; refuses what unpacks to too much."""
    from pypdf import PdfReader

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted:
            reader.decrypt("")
        weigh(reader, MAX_PAGES)
        return misread_pages(reader, MAX_PAGES)
    except TooHeavy as problem:
        raise PagesRefused("too_large", " (unpacked)") from problem
    except Exception as problem:  # pypdf answers hostile input with nearly any exception
        raise PagesRefused("damaged_pdf") from problem


class _Letters:
    """Puts the letters of one page together to words."""

    def __init__(self, raw: Any, page: Any, text: Any) -> None:
        self._raw, self._text = raw, text
        self._turn = page.get_rotation()
        self._place = _placing(page.get_bbox(), self._turn)
        self._box = raw.FS_RECTF()
        self._words: list[Word] = []
        self._letters = ""
        self._reach = _NO_BLANK
        self._edges: Box = (0.0, 0.0, 0.0, 0.0)
        self._each: list[Box] = []
        self.boxes: dict[int, list[Box]] = {}  # of the letters, by the id of their word

    def words(self, until: float) -> list[Word]:
        """Every word in the order of the file."""
        raw, text = self._raw, self._text
        code_of, box_of = raw.FPDFText_GetUnicode, raw.FPDFText_GetLooseCharBox
        for index in range(max(0, raw.FPDFText_CountChars(text))):
            code = code_of(text, index)
            if code <= 32 or code in _BLANKS or 0xD800 <= code < 0xE000:
                # pdfium puts blanks between letters that are merely spaced: those count by the gap they stand for.
                if code == 32 and raw.FPDFText_IsGenerated(text, index) == 1:
                    self._reach = _MADE_UP_BLANK
                else:
                    self._end()
                continue
            if code > 0x10FFFF or not box_of(text, index, self._box):
                continue
            if index % 1000 == 0 and monotonic() > until:
                raise PagesRefused("too_slow")
            self._add(chr(code), index)
        self._end()
        return self._words

    def _add(self, letter: str, index: int) -> None:
        box = self._box
        x0, top, x1, bottom = self._place(box.left, box.bottom, box.right, box.top)
        if bottom - top < _SMALLEST:
            return
        if self._letters and (not self._goes_on(letter, x0, top, bottom) or _parts(self._letters, letter)):
            self._end()
        self._reach = _NO_BLANK
        if not self._letters:
            if self._invisible(index) or (letter.isdigit() and self._sideways(index)):
                return
            self._letters, self._edges, self._each = letter, (x0, top, x1, bottom), [(x0, top, x1, bottom)]
            return
        self._each.append((x0, top, x1, bottom))
        left, upper, right, lower = self._edges
        self._letters += letter
        self._edges = (min(left, x0), min(upper, top), max(right, x1), max(lower, bottom))

    def _goes_on(self, letter: str, x0: float, top: float, bottom: float) -> bool:
        """Whether a letter continues the word: on the same line, not far to the right, not back to the left."""
        _, upper, right, lower = self._edges
        height = lower - upper
        if self._reach == _MADE_UP_BLANK and not (letter.islower() and self._letters[-1].isalpha()):
            return False
        return abs((top + bottom) - (upper + lower)) < height and -0.5 * height < x0 - right < self._reach * height

    def _sideways(self, index: int) -> bool:
        """Whether a figure does not stand upright on the page as shown: single ones under one another read as anything."""
        angle = self._raw.FPDFText_GetCharAngle(self._text, index)
        return angle >= 0 and round(math.degrees(angle) + self._turn) % 360 not in _UPRIGHT

    def _invisible(self, index: int) -> bool:
        shape = self._raw.FPDFText_GetTextObject(self._text, index)
        return bool(shape) and self._raw.FPDFTextObj_GetTextRenderMode(shape) in _INVISIBLE

    def _end(self) -> None:
        if self._letters and len(self._letters) <= _LONGEST:
            word = Word(self._letters, *self._edges)
            self._words.append(word)
            self.boxes[id(word)] = self._each
        self._letters = ""


def _parts(before: str, letter: str) -> bool:
    """Whether a word ends here although no blank follows: "Kundennummer:2", "n°562", but not "10:30" or "http://"."""
    last = before[-1]
    if last in "°º#":
        return letter.isalnum()
    return last == ":" and letter.isalnum() and not (letter.isdigit() and before[:-1].isdigit())


def _placing(
    bounds: tuple[float, float, float, float], rotation: int
) -> Callable[[float, float, float, float], tuple[float, float, float, float]]:
    """From boxes of the page's own space (left, bottom, right, top) to boxes as shown (x0, top, x1, bottom)."""
    left, low, right, high = bounds
    if rotation == 90:
        return lambda x0, y0, x1, y1: (y0 - low, x0 - left, y1 - low, x1 - left)
    if rotation == 180:
        return lambda x0, y0, x1, y1: (right - x1, y0 - low, right - x0, y1 - low)
    if rotation == 270:
        return lambda x0, y0, x1, y1: (high - y1, right - x1, high - y0, right - x0)
    return lambda x0, y0, x1, y1: (x0 - left, high - y1, x1 - left, high - y0)


def _on_page(word: Word, width: float, height: float) -> bool:
    return word.x0 > -1 and word.top > -1 and word.x1 < width + 1 and word.bottom < height + 1
