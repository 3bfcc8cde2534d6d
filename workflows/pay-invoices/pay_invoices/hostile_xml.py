"""XML nobody vouches for, parsed within limits: no entities, no document type, no network, bounded size and depth.

libxml2 already bounds entity expansion, text size and nesting; a document type is refused all the same, because an invoice has
none and refusing it makes the safety of the rest independent of the library's version.
"""

from __future__ import annotations

from lxml import etree
from lxml.etree import _Element

MAX_DEPTH = 200
# A tag costs about 120 bytes in memory: a million of them is a large invoice, ten million is an attack.
MAX_TAGS = 1_000_000

_TOO_DEEP = etree.XPath("boolean(" + "/".join(["", *["*"] * (MAX_DEPTH + 1)]) + ")")
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class XmlRefused(ValueError):
    """The bytes are not parsed, or not kept; `code` is one of the xml codes of `refusals.CODES`."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}{detail}")
        self.code = code
        self.detail = detail


def looks_like_xml(data: bytes) -> bool:
    """Whether the first character that is not blank is "<", in UTF-8 or UTF-16."""
    return _beginning(data).startswith(b"<")


def parse(data: bytes) -> _Element:
    """The root element of a document within the limits.

    Raises:
        XmlRefused: broken_xml, hostile_xml, too_deep or too_large.
    """
    if data.count(b"<") > MAX_TAGS:
        raise XmlRefused("too_large", f" (over {MAX_TAGS:,} tags)")
    try:
        root = etree.fromstring(data.lstrip(b" \t\r\n"), _parser())
    except etree.XMLSyntaxError as problem:
        raise _refusal(data, problem) from problem
    except ValueError as problem:  # an encoding that libxml2 does not know
        raise XmlRefused("broken_xml") from problem
    if root.getroottree().docinfo.internalDTD is not None:
        raise XmlRefused("hostile_xml")
    if _TOO_DEEP(root):
        raise XmlRefused("too_deep")
    return root


def _parser() -> etree.XMLParser:
    # One parser per document: a parser keeps its error log, and threads must not share it.
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )


def _refusal(data: bytes, problem: etree.XMLSyntaxError) -> XmlRefused:
    message = str(problem.msg or "")
    if b"<!DOCTYPE" in data[: 1 << 16].replace(b"\0", b""):
        return XmlRefused("hostile_xml")
    if "depth" in message.casefold():
        return XmlRefused("too_deep")
    if "too long" in message or "huge" in message.casefold():
        return XmlRefused("too_large", " (one value is over 10 MB)")
    line = problem.lineno or 0
    return XmlRefused("broken_xml", f" in line {line}" if line else "")


def _beginning(data: bytes) -> bytes:
    start = data[:4096]
    for mark in _BOMS:
        start = start.removeprefix(mark)
    return start.replace(b"\0", b"").lstrip()
