"""Days that a file tells of itself, each with where it says so: its name, its picture data, its mail headers, its properties."""

from __future__ import annotations

import email.parser
import email.policy
import email.utils
import io
import re
import zipfile
import zlib
from dataclasses import dataclass
from datetime import date
from email.header import decode_header, make_header

FIRST, LAST = date(1980, 1, 1), date(2099, 12, 31)  # what lies outside is no day of a file
_MOST_HEADERS = 256 * 1024
_MOST_PROPERTIES = 256 * 1024

# A day in a name: the year first, or day and month with dots, the one way they are written in one order only.
_ISO = re.compile(r"(?<!\d)(\d{4})([-_.])(\d{2})\2(\d{2})(?!\d)")
_RUN = re.compile(r"(?<!\d)(\d{4})(\d{2})(\d{2})(?!\d)")
_DOTTED = re.compile(r"(?<!\d)(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
_LEADING = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")


@dataclass(frozen=True, slots=True)
class InName:
    """A day that stands in a name, and where: from `start` to `end`."""

    day: date
    start: int
    end: int


def leading_day(stem: str) -> date | None:
    """The day that a tidy name begins with."""
    found = _LEADING.match(stem)
    return _day(*found.groups()) if found else None


def day_in_name(stem: str) -> InName | None:
    """The one day that a name tells; None where it tells none, or several."""
    found: list[InName] = []
    for pattern, order in ((_ISO, (1, 3, 4)), (_RUN, (1, 2, 3)), (_DOTTED, (3, 2, 1))):
        for match in pattern.finditer(stem):
            day = _day(*(match[group] for group in order))
            if day is not None:
                found.append(InName(day, *match.span()))
    return found[0] if len({one.day for one in found}) == 1 else None


def day_of_picture(data: bytes) -> date | None:
    """When a picture was taken, by its EXIF data; None where it has none."""
    block = _exif_block(data)
    return _exif_day(block) if block is not None else None


def _exif_block(data: bytes) -> bytes | None:
    """The EXIF data of a JPEG, WebP or PNG, which has the form of a TIFF; a TIFF is that itself."""
    if data.startswith((b"II*\0", b"MM\0*")):
        return data
    if data.startswith(b"\xff\xd8"):
        return _of_jpeg(data)
    if data.startswith(b"RIFF"):
        return _of_chunks(data, 12, b"EXIF", "little", name_first=True)
    if data.startswith(b"\x89PNG"):
        return _of_chunks(data, 8, b"eXIf", "big", name_first=False)
    return None


def _of_jpeg(data: bytes) -> bytes | None:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        mark, size = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if mark in (0xD9, 0xDA) or size < 2:
            return None
        if mark == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            return data[at + 10 : at + 2 + size]
        at += 2 + size
    return None


def _of_chunks(data: bytes, at: int, wanted: bytes, order: str, *, name_first: bool) -> bytes | None:
    """A chunk of a RIFF (name, size, data padded to even) or a PNG (size, name, data, four bytes of check)."""
    while at + 8 <= len(data):
        name = data[at : at + 4] if name_first else data[at + 4 : at + 8]
        told = data[at + 4 : at + 8] if name_first else data[at : at + 4]
        size = int.from_bytes(told, "little" if order == "little" else "big")
        if name == wanted:
            return data[at + 8 : at + 8 + size].removeprefix(b"Exif\0\0")
        at += 8 + size + (size % 2 if name_first else 4)
    return None


_TAKEN, _DIGITIZED, _CHANGED, _MORE = 0x9003, 0x9004, 0x0132, 0x8769


def _exif_day(block: bytes) -> date | None:
    """The day of the original, else of digitizing, else of the last change."""
    order = {b"II": "little", b"MM": "big"}.get(block[:2])
    if order is None or len(block) < 8:
        return None
    first = _entries(block, _whole(block, 4, 4, order), order)
    entries = _entries(block, first[_MORE][1], order) if _MORE in first else {}
    for tag, found in ((_TAKEN, entries), (_DIGITIZED, entries), (_CHANGED, first)):
        if tag in found:
            count, at = found[tag]
            text = block[at : at + min(count, 20)].decode("ascii", "replace")
            match = re.match(r"(\d{4}):(\d{2}):(\d{2})", text)
            day = _day(*match.groups()) if match else None
            if day is not None:
                return day
    return None


def _entries(block: bytes, at: int, order: str) -> dict[int, tuple[int, int]]:
    """Tag -> (count, value or place) of one directory."""
    number = min(_whole(block, at, 2, order), 1000)
    found: dict[int, tuple[int, int]] = {}
    for entry in range(at + 2, at + 2 + number * 12, 12):
        if entry + 12 > len(block):
            break
        found[_whole(block, entry, 2, order)] = _whole(block, entry + 4, 4, order), _whole(block, entry + 8, 4, order)
    return found


def _whole(block: bytes, at: int, size: int, order: str) -> int:
    return int.from_bytes(block[at : at + size], "little" if order == "little" else "big")


@dataclass(frozen=True, slots=True)
class Letter:
    """What the headers of a mail say: the day it was sent, and who sent it."""

    day: date | None
    sender: str


def letter_of(data: bytes) -> Letter:
    """Day and sender of a mail; whatever its headers are, this raises nothing."""
    head = data[:_MOST_HEADERS].replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    try:
        text = head.decode()
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    headers = email.parser.HeaderParser(policy=email.policy.compat32).parsestr(text)
    return Letter(_sent(_unfolded(str(headers.get("Date", "")))), _sender(_unfolded(str(headers.get("From", "")))))


def _sent(text: str) -> date | None:
    try:
        day = email.utils.parsedate_to_datetime(text).date()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return day if FIRST <= day <= LAST else None


def _sender(text: str) -> str:
    """The name in a From header, else the domain of its address."""
    name, address = email.utils.parseaddr(text)
    try:
        name = str(make_header(decode_header(name))).strip()
    except (ValueError, LookupError, UnicodeError):
        name = ""
    return name or address.rpartition("@")[2]


def _unfolded(text: str) -> str:
    return " ".join(text.split())


_MADE_PDF = re.compile(rb"/CreationDate\s*\(D:(\d{4})(\d{2})(\d{2})")
_MADE_XMP = re.compile(rb"<xmp:CreateDate>(\d{4})-(\d{2})-(\d{2})")
_MADE_OFFICE = re.compile(rb"<(?:dcterms:created|meta:creation-date)[^>]*>(\d{4})-(\d{2})-(\d{2})")


def day_of_properties(data: bytes) -> date | None:
    """When a PDF or an Office file says it was made."""
    if data.startswith(b"PK"):
        return _first_day(_MADE_OFFICE, _properties(data))
    return _first_day(_MADE_PDF, data) or _first_day(_MADE_XMP, data)


def _properties(data: bytes) -> bytes:
    """The properties inside an Office zip."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for name in ("docProps/core.xml", "meta.xml"):
                if name in archive.namelist():
                    with archive.open(name) as packed:
                        return packed.read(_MOST_PROPERTIES)
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError, RuntimeError, EOFError):
        pass
    return b""


def _first_day(pattern: re.Pattern[bytes], data: bytes) -> date | None:
    match = pattern.search(data)
    return _day(*(part.decode() for part in match.groups())) if match else None


def _day(year: str, month: str, day: str) -> date | None:
    try:
        found = date(int(year), int(month), int(day))
    except ValueError:
        return None
    return found if FIRST <= found <= LAST else None
