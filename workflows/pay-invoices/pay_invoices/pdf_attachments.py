"""XML carried inside PDFs. Attachment names are not trusted: whatever is XML is handed on, the root element decides later."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from pay_invoices.hostile_xml import looks_like_xml
from pay_invoices.pdf_text.guarded import GaveNothing, in_child
from pay_invoices.pdf_text.pages import SECONDS

MAX_ATTACHMENTS = 100
MAX_BYTES = 50 * 1024 * 1024
# pypdf tells every oddity it repairs; what counts here is whether the attachment comes out.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class Attachment:
    """One embedded file that is XML."""

    name: str
    data: bytes


class EmbeddedFile(Protocol):
    """What is used of pypdf's embedded files, so that pypdf need not be imported for its types."""

    @property
    def name(self) -> str: ...

    @property
    def content(self) -> bytes: ...


class PdfRefused(ValueError):
    """The PDF gives no attachments; `code` is encrypted_pdf, damaged_pdf, too_large or too_slow."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}{detail}")
        self.code = code
        self.detail = detail


def looks_like_pdf(data: bytes) -> bool:
    """Whether the PDF header stands in the first 1024 bytes, as readers accept it."""
    return b"%PDF-" in data[:1024]


def xml_attachments(data: bytes, *, seconds: float = SECONDS) -> list[Attachment]:
    """Every different XML embedded in a PDF, in the order of its name tree.

    Args:
        data: the whole PDF.
        seconds: how long unpacking may take, in a child process of its own.

    Raises:
        PdfRefused: the PDF is encrypted, damaged, larger unpacked than is read, or takes too long.
    """
    import pypdf.filters  # noqa: F401  # lazy: 120 ms, and most folders hold no PDF; here, so that no child loads it again

    def work() -> list[Attachment] | tuple[str, str]:
        try:
            return _xml_attachments(data)
        except PdfRefused as refusal:
            return refusal.code, refusal.detail

    try:
        found = in_child(work, seconds)
    except GaveNothing as nothing:
        raise PdfRefused("too_slow" if nothing.late else "damaged_pdf") from nothing
    if isinstance(found, tuple):
        raise PdfRefused(*found)
    return found


def _xml_attachments(data: bytes) -> list[Attachment]:
    from pypdf import PdfReader
    from pypdf.errors import LimitReachedError

    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise PdfRefused("encrypted_pdf")
        return _collect(reader.attachment_list)
    except PdfRefused:
        raise
    except LimitReachedError as problem:
        raise PdfRefused("too_large", " (unpacked)") from problem
    except Exception as problem:
        # pypdf answers hostile input with nearly any exception, RecursionError and KeyError included.
        encrypted = b"/Encrypt" in data[-4096:] or type(problem).__name__ == "DependencyError"
        raise PdfRefused("encrypted_pdf" if encrypted else "damaged_pdf") from problem


def _collect(embedded: Iterable[EmbeddedFile]) -> list[Attachment]:
    found: dict[bytes, Attachment] = {}
    total = 0
    for index, item in enumerate(embedded):
        if index >= MAX_ATTACHMENTS:
            break
        content = bytes(item.content)
        total += len(content)
        if total > MAX_BYTES:
            raise PdfRefused("too_large", " (unpacked)")
        if looks_like_xml(content):
            found.setdefault(content, Attachment(str(item.name), content))
    return list(found.values())
