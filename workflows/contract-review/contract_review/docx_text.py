"""The text in force of a DOCX: body, tables, headers, footers, notes and text boxes; without what a tracked change has struck out.

Read from the parts of the package itself (ECMA-376, part 1, 17), because a library's paragraphs leave out tracked text and text boxes.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator

from lxml.etree import _Element

from contract_review.papers import NoText, Passage
from pay_invoices.hostile_xml import XmlRefused, parse

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LARGEST_PART = 40 * 1024 * 1024  # bytes of one part, unpacked
_OTHERS = (
    (re.compile(r"word/header\d*\.xml"), "header"),
    (re.compile(r"word/footer\d*\.xml"), "footer"),
    (re.compile(r"word/footnotes\.xml"), "footnote"),
    (re.compile(r"word/endnotes\.xml"), "endnote"),
)
_STRUCK = (f"{_W}del", f"{_W}moveFrom")
_ADDED = (f"{_W}ins", f"{_W}moveTo")


class Tracked:
    """How many changes and comments stand in a document that nobody has accepted or answered."""

    def __init__(self) -> None:
        self.inserted = self.deleted = self.comments = 0


def passages_of(data: bytes) -> tuple[list[Passage], Tracked]:
    """The passages of a document, in the order in which one reads.

    Raises:
        NoText: it is no DOCX, or cannot be read.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            names = package.namelist()
            if "word/document.xml" not in names:
                raise NoText("It is no Word document.")
            body = _part(package, "word/document.xml")
            others = [
                (place, _part(package, name)) for pattern, place in _OTHERS for name in names if pattern.fullmatch(name)
            ]
            tracked = Tracked()
            if "word/comments.xml" in names:
                tracked.comments = sum(1 for _ in _part(package, "word/comments.xml").iter(f"{_W}comment"))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as problem:
        raise NoText("It is damaged, or has a password.") from problem
    except XmlRefused as problem:
        raise NoText("Its XML cannot be read.") from problem
    found = list(_body(body))
    found += [Passage(place, text) for place, part in others for text in _paragraphs(part)]
    for root in [body, *(part for _, part in others)]:
        tracked.inserted += sum(1 for tag in _ADDED for one in root.iter(tag) if _words(one))
        tracked.deleted += sum(1 for tag in _STRUCK for one in root.iter(tag) if _struck_words(one))
    return found, tracked


def _part(package: zipfile.ZipFile, name: str) -> _Element:
    if package.getinfo(name).file_size > _LARGEST_PART:
        raise NoText(f"Its part {name} is larger than {_LARGEST_PART // 1024**2} MB.")
    return parse(package.read(name))


def _body(root: _Element) -> Iterator[Passage]:
    body = root.find(f"{_W}body")
    paragraphs = tables = 0
    for block in _blocks(body if body is not None else root):
        if block.tag == f"{_W}tbl":
            tables += 1
            for number, row in enumerate(block.iter(f"{_W}tr"), start=1):
                cells = [" ".join(_paragraphs(cell)) for cell in row.iterfind(f"{_W}tc")]
                if any(cells):
                    yield Passage(f"table {tables}, row {number}", " | ".join(cells))
            continue
        text = _words(block)
        if text:
            paragraphs += 1
            yield Passage(f"paragraph {paragraphs}", text)
        for box in block.iter(f"{_W}txbxContent"):
            if not any(above.tag == _FALLBACK for above in box.iterancestors()):
                for inner in _paragraphs(box):
                    yield Passage(f"text box at paragraph {max(paragraphs, 1)}", inner)


def _blocks(parent: _Element) -> Iterator[_Element]:
    """Paragraphs and tables in their order; content controls and the like are gone into."""
    for child in parent:
        if child.tag in (f"{_W}p", f"{_W}tbl"):
            yield child
        elif child.tag not in _STRUCK:
            yield from _blocks(child)


def _paragraphs(parent: _Element) -> list[str]:
    return [text for one in parent.iter(f"{_W}p") if (text := _words(one))]


def _words(root: _Element) -> str:
    """The text in force beneath an element, without text boxes, which are passages of their own."""
    parts: list[str] = []

    def walk(at: _Element) -> None:
        for child in at:
            if child.tag in _STRUCK or child.tag in (f"{_W}txbxContent", _FALLBACK):
                continue
            if child.tag == f"{_W}t":
                parts.append(child.text or "")
            elif child.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr"):
                parts.append(" ")
            elif child.tag == f"{_W}noBreakHyphen":
                parts.append("-")
            else:
                walk(child)

    walk(root)
    return " ".join("".join(parts).split())


def _struck_words(root: _Element) -> str:
    return "".join(one.text or "" for tag in ("delText", "t") for one in root.iter(f"{_W}{tag}")).strip()
