"""Opening a PDF in a process that may open nothing else."""

from __future__ import annotations

import pypdfium2

from counterfoil.previews.preview import Refused


def opened(data: bytes) -> pypdfium2.PdfDocument:
    """The document; close it.

    Raises:
        Refused: it is no PDF, or is locked.
    """
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as problem:
        locked = "password" in str(problem).lower()
        raise Refused("It is locked with a password." if locked else "It is no PDF, or a broken one.") from problem
