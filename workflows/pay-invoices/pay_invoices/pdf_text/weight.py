"""How much a PDF's pages unpack to, before they are drawn by a library that would take whatever memory that needs.

A host may start no process, so what a page swells to there would end the whole run, not the reading of one file.
"""

from __future__ import annotations

import re
from typing import Any

MOST_CONTENT = 16 * 1024**2  # bytes of drawing on one page, each form as often as it is drawn
MOST_PIXELS = 64_000_000  # of one picture
_DRAWN = re.compile(rb"\bDo\b")
_DEEPEST = 20  # forms inside forms


class TooHeavy(ValueError):
    """A page unpacks to more than is drawn."""


def weigh(reader: Any, pages: int) -> None:
    """Look at the first pages of a PDF that is open in pypdf, as many as are read.

    Raises:
        TooHeavy: one of them unpacks to more than is drawn.
        Exception: nearly any, when the file is damaged.
    """
    from pypdf.errors import LimitReachedError

    scale = _Scale()
    try:
        for number in range(min(pages, len(reader.pages))):
            if scale.page(reader.pages[number]) > MOST_CONTENT:
                raise TooHeavy
    except LimitReachedError as problem:
        raise TooHeavy from problem


class _Scale:
    """Weighs each form once, however often it is named."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def page(self, page: Any) -> int:
        """Bytes of drawing, what lies over it in notes and fields included."""
        content = page.get_contents()
        drawing = b"" if content is None else content.get_data()
        return self._drawing(drawing, page.get("/Resources"), 0) + sum(map(self._note, _got(page.get("/Annots")) or ()))

    def _drawing(self, drawing: bytes, resources: Any, depth: int) -> int:
        # Which name is drawn can be written in many ways, so each is counted as if it were the heaviest.
        shapes = _got((_got(resources) or {}).get("/XObject")) or {}
        heaviest = max((self._shape(_got(shape), resources, depth) for shape in shapes.values()), default=0)
        return len(drawing) + heaviest * len(_DRAWN.findall(drawing))

    def _shape(self, shape: Any, resources: Any, depth: int) -> int:
        if shape is None or shape.get("/Subtype") == "/Image":
            if shape is not None and int(shape.get("/Width", 0)) * int(shape.get("/Height", 0)) > MOST_PIXELS:
                raise TooHeavy
            return 0
        if depth > _DEEPEST:
            raise TooHeavy
        if id(shape) not in self._known:
            own = shape.get("/Resources", resources)
            self._known[id(shape)] = self._drawing(shape.get_data(), own, depth + 1)
        return self._known[id(shape)]

    def _note(self, note: Any) -> int:
        looks = _got((_got((_got(note) or {}).get("/AP")) or {}).get("/N"))
        return self._shape(looks, None, 0) if hasattr(looks, "get_data") else 0


def _got(value: Any) -> Any:
    """What a reference points to."""
    return value.get_object() if hasattr(value, "get_object") else value
