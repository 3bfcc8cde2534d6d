"""PDFs in the confined child: how many pages, and the words on them. Only `reader` loads this module."""

from __future__ import annotations

import contextlib
from typing import Any

from counterfoil.previews.opening import opened
from counterfoil.previews.preview import Refused

MOST_PAGES = 100  # whose words are read
MOST_SIGNS = 400_000


def work(before: bytes | None, after: bytes) -> dict[str, Any]:
    """`{"before": {"pages", "text"} or null, "after": …}`.

    Raises:
        Refused: the new file cannot be read; one that cannot be read as it was counts as none.
    """
    was: dict[str, Any] | None = None
    if before is not None:
        with contextlib.suppress(Refused):
            was = _read(before)
    return {"before": was, "after": _read(after)}


def _read(data: bytes) -> dict[str, Any]:
    with contextlib.closing(opened(data)) as document:
        texts: list[str] = []
        for at in range(min(len(document), MOST_PAGES)):
            texts.append(f"— page {at + 1} —\n{_text(document[at])}")
            if sum(map(len, texts)) > MOST_SIGNS:
                break
        return {"pages": len(document), "text": "\n".join(texts)[:MOST_SIGNS]}


def _text(page: Any) -> str:
    text: str = page.get_textpage().get_text_range()
    return text.replace("\r\n", "\n")
