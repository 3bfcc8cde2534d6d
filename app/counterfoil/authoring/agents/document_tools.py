"""The text of a document, a page at a time: PDF, Word and mails. Read in a child of the host, because nobody vouches for the file.

Tracked changes of a Word document stand in the text as what they are, so that nobody takes deleted words for the contract.
"""

from __future__ import annotations

import email
import email.policy
import io
import re
from collections.abc import Iterator
from email.message import EmailMessage
from typing import Any

from counterfoil.authoring.agents.paging import Refused, page_of
from counterfoil.authoring.file_door import files

MOST_BYTES = 50 * 1024 * 1024
MOST_PAGES = 500
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def read_document(path: str, first_line: int = 1, lines: int = 300) -> str:
    """Read the text of a PDF (.pdf), a Word document (.docx) or a mail (.eml), line by line in its order. A long one comes in pages: the
    heading says where to go on. In a PDF each page begins with [page N]; in a Word document what was deleted or inserted with tracked
    changes is marked so; of a mail you see the headers, the text and the names of what is attached."""
    return page_of(document_lines(path), first_line, lines, what=f"“{path}”")


def document_lines(path: str) -> list[str]:
    """The lines of a document.

    Raises:
        Refused: it is no document that can be read.
        FileRefused: the file cannot be read.
    """
    kind = path.lower().rpartition(".")[2]
    reader = {"pdf": _pdf, "docx": _docx, "eml": _mail}.get(kind)
    if reader is None:
        raise Refused(
            f"“{path}” is no PDF, Word document or mail; for text files use read_file, for tables read_cells."
        )
    data = files().read(path, limit=MOST_BYTES)
    try:
        return reader(data, path)
    except Refused:
        raise
    except Exception as problem:
        raise Refused(f"“{path}” cannot be read: it is damaged or no real .{kind} file.") from problem


def _pdf(data: bytes, path: str) -> list[str]:
    import pypdfium2

    try:
        paper = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as problem:
        locked = problem.err_code == pypdfium2.raw.FPDF_ERR_PASSWORD
        raise Refused(f"“{path}” is {'locked with a password' if locked else 'no PDF that can be read'}.") from problem
    found, total = list[str](), len(paper)
    for number in range(min(total, MOST_PAGES)):
        text = paper[number].get_textpage().get_text_range()
        body = [line.rstrip() for line in text.splitlines()]
        found += [f"[page {number + 1} of {total}]", *(body or ["[no text on this page: it may be a picture]"])]
    if total > MOST_PAGES:
        found.append(f"[{total - MOST_PAGES} more pages are not read]")
    return found


def _docx(data: bytes, _: str) -> list[str]:
    from docx import Document

    paper = Document(io.BytesIO(data))
    found = list[str]()
    for name, part in _edges(paper):
        words = " / ".join(filter(None, (_words(paragraph) for paragraph in part.iter(f"{_W}p"))))
        if words and f"[{name}] {words}" not in found:
            found.append(f"[{name}] {words}")
    found += _block(paper.element.body)
    return found


def _edges(paper: Any) -> Iterator[tuple[str, Any]]:
    """Headers and footers that are the section's own."""
    for section in paper.sections:
        for name in ("header", "footer"):
            part = getattr(section, name)
            if not part.is_linked_to_previous:
                yield name, part.part.element


def _block(body: Any) -> list[str]:
    """Paragraphs and tables in their order; what lies in a content control is read through."""
    found = list[str]()
    for one in body:
        if one.tag == f"{_W}p":
            found.append(_words(one))
        elif one.tag == f"{_W}tbl":
            for row in one.iter(f"{_W}tr"):
                cells = (
                    " ".join(filter(None, (_words(p) for p in cell.iter(f"{_W}p")))) for cell in row.iter(f"{_W}tc")
                )
                found.append(f"| {' | '.join(cells)} |")
        elif one.tag in (f"{_W}sdt", f"{_W}sdtContent"):
            found += _block(one)
    return found


def _words(paragraph: Any) -> str:
    """The text of a paragraph with its tracked changes marked."""
    parts = list[str]()
    for one in paragraph.iter(f"{_W}t", f"{_W}delText", f"{_W}tab", f"{_W}br"):
        text = {"tab": "\t", "br": " "}.get(one.tag.rpartition("}")[2], one.text or "")
        above = {ancestor.tag for ancestor in one.iterancestors(f"{_W}ins", f"{_W}del")}
        if f"{_W}del" in above:
            text = f"[deleted: {text}]"
        elif f"{_W}ins" in above:
            text = f"[inserted: {text}]"
        parts.append(text)
    joined = "".join(parts)
    for mark in ("deleted", "inserted"):  # neighbours of one kind are one change
        joined = re.sub(rf"(\[{mark}: [^\]]*)\]\[{mark}: ", r"\1", joined)
    return joined


def _mail(data: bytes, path: str) -> list[str]:
    message = email.message_from_bytes(data, policy=email.policy.default)
    if not message.keys():
        if not re.match(rb"[A-Za-z-]+\s*:", data):
            raise Refused(f"“{path}” is no mail.")
        return data.decode("utf-8", "replace").splitlines()  # headers of a form that nobody writes any more
    named = ("From", "To", "Cc", "Date", "Subject")
    found = [f"{name}: {' '.join(str(message[name]).split())}" for name in named if message[name]]
    found += ["", *_body_of(message)]
    for part in message.iter_attachments():
        size = len(part.get_payload(decode=True) or b"")
        found.append(
            f"[attached: {part.get_filename() or 'without a name'}, {part.get_content_type()}, {size:,} bytes]"
        )
    return found


def _body_of(message: EmailMessage) -> list[str]:
    part = message.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ["[it has no text]"]
    data = part.get_payload(decode=True)
    raw = data if isinstance(data, bytes) else b""
    try:
        text = raw.decode(part.get_content_charset() or "utf-8", "replace")
    except LookupError:  # a charset that nobody knows
        text = raw.decode("utf-8", "replace")
    if part.get_content_subtype() == "html":
        text = re.sub(r"(?is)<(script|style)\b.*?</\1>", "", text)
        text = re.sub(r"(?s)<[^>]*>", " ", re.sub(r"(?i)<(br|/p|/div|/tr)\b[^>]*>", "\n", text))
        text = "\n".join(" ".join(line.split()) for line in text.splitlines())
    return text.splitlines()
