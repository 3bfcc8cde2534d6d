"""What a person sees of a page's text: pictures of it with and without its text differ where letters show.

So it counts nothing that is white on white, covered, clipped, transparent or in a layer that is off, whatever lies there beside it.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import sub
from typing import Any

_FINEST, _LARGEST = 1.5, 2400  # points become this many pixels, and a page at most so many
_FAINTEST = 24  # of 255 grey levels
_INSET = 0.15  # of a letter's width, where its neighbours may reach into its box
_THINNEST = 0.1  # of its height: letters set narrower than that are no text for people
_SPOKEN = b"ActualText"

Box = tuple[
    float, float, float, float
]  # x0, top, x1, bottom in points, from the upper left corner of the page as it is shown


def text_objects(raw: Any, page: Any) -> list[Any]:
    """The text of a page as pdfium's objects, those inside forms too."""
    return [shape.raw for shape in page.get_objects(filter=(raw.FPDF_PAGEOBJ_TEXT,), max_depth=15)]


def as_drawn(raw: Any, shapes: Iterable[Any]) -> None:
    """Take away the words that a file gives to be read in place of those it draws; it may give any others."""
    for shape in shapes:
        for index in range(max(0, raw.FPDFPageObj_CountMarks(shape))):
            mark = raw.FPDFPageObj_GetMark(shape, index)
            raw.FPDFPageObjMark_RemoveParam(shape, mark, _SPOKEN)


class Seen:
    """Two pictures of one page; its text is gone from the page afterwards, so it is read before."""

    def __init__(self, raw: Any, page: Any, shapes: Iterable[Any]) -> None:
        self._scale = min(_FINEST, _LARGEST / max(*page.get_size(), 1))
        self._whole, self.width, self.height, self._stride = self._picture(page)
        for shape in shapes:
            raw.FPDFPageObj_SetIsActive(shape, 0)
        self._bare = self._picture(page)[0]

    def _picture(self, page: Any) -> tuple[bytes, int, int, int]:
        bitmap = page.render(scale=self._scale, grayscale=True)
        try:
            return bytes(bitmap.buffer), bitmap.width, bitmap.height, bitmap.stride
        finally:
            bitmap.close()

    def word(self, text: str, letters: list[Box]) -> bool:
        """Whether a word shows: of one with figures every letter, since each changes what it says; of others most."""
        width = max(x1 for _, _, x1, _ in letters) - min(x0 for x0, _, _, _ in letters)
        height = max(bottom - top for _, top, _, bottom in letters)
        if width < _THINNEST * height * len(letters):
            return False
        if any(letter.isdigit() for letter in text):
            return all(map(self._letter, letters))
        return 2 * sum(map(self._letter, letters)) > len(letters)

    def _letter(self, box: Box) -> bool:
        x0, top, x1, bottom = (edge * self._scale for edge in box)
        inset = _INSET * (x1 - x0) if x1 - x0 > 4 else 0.0
        left, right = max(0, int(x0 + inset)), min(self.width, int(x1 - inset) + 1)
        first, last = max(0, int(top)), min(self.height, int(bottom) + 1)
        middle = (first + last) // 2  # most letters show there, and the first difference will do
        for row in (*range(middle, last), *range(middle - 1, first - 1, -1)):
            start, end = row * self._stride + left, row * self._stride + right
            whole, bare = self._whole[start:end], self._bare[start:end]
            if whole != bare and max(map(abs, map(sub, whole, bare))) >= _FAINTEST:
                return True
        return False
