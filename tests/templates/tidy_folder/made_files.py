"""Small files of every kind, written by hand: real enough for whatever reads them, the same bytes on every machine."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from datetime import date

PIXEL = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
XLS_EXPORT = b"Date;Text;Amount\r\n2026-11-02;Rent;-1200,00\r\n2026-11-05;Sale;300,00\r\n"


def png(mark: str, size: int = 0) -> bytes:
    """A picture of one pixel; `mark` makes it differ from others."""
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        _chunk(name, data)
        for name, data in (
            (b"IHDR", PIXEL),
            (b"tEXt", b"Comment\0" + mark.encode() + b" " * size),
            (b"IDAT", zlib.compress(b"\0\xff\0\0")),
            (b"IEND", b""),
        )
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def jpeg(mark: str, taken: date | None = None, *, big_endian: bool = True) -> bytes:
    """A JPEG's beginning and end; with `taken` it has EXIF data."""
    parts = [b"\xff\xd8"]
    if taken is not None:
        block = b"Exif\0\0" + exif(taken, big_endian=big_endian)
        parts.append(b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block)
    note = mark.encode()
    parts.append(b"\xff\xfe" + struct.pack(">H", len(note) + 2) + note)
    return b"".join([*parts, b"\xff\xda\x00\x02", b"\0" * 16, b"\xff\xd9"])


def exif(taken: date, *, big_endian: bool = True) -> bytes:
    """EXIF data that says when a picture was taken, in either byte order."""
    sign = ">" if big_endian else "<"
    text = f"{taken:%Y:%m:%d} 10:11:12".encode() + b"\0"
    head = (b"MM\0*" if big_endian else b"II*\0") + struct.pack(f"{sign}I", 8)
    first = struct.pack(f"{sign}HHHIII", 1, 0x8769, 4, 1, 26, 0)
    second = struct.pack(f"{sign}HHHIII", 1, 0x9003, 2, len(text), 44, 0)
    return head + first + second + text


def pdf(mark: str, made: date | None = None) -> bytes:
    """A PDF with one page of words that are no invoice."""
    words = f"BT /F1 12 Tf 50 700 Td ({mark.encode('ascii', 'replace').decode()}) Tj ET".encode()
    info = f"<< /CreationDate (D:{made:%Y%m%d}101112Z) >>".encode() if made else b"<< >>"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(words), words),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        info,
    ]
    out, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    tail = b"trailer\n<< /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + tail


def zipped(files: dict[str, str], *, stored_first: str = "") -> bytes:
    """A zip; `stored_first` is the content of the entry `mimetype` that OpenDocument begins with."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        if stored_first:
            archive.writestr(zipfile.ZipInfo("mimetype"), stored_first)
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return target.getvalue()


def office(top: str, mark: str, made: date | None = None, *, macros: bool = False) -> bytes:
    """The outline of a Word ("word"), Excel ("xl") or PowerPoint ("ppt") file."""
    created = f"<dcterms:created xsi:type='dcterms:W3CDTF'>{made}T08:00:00Z</dcterms:created>" if made else ""
    files = {
        "[Content_Types].xml": "<Types/>",
        "docProps/core.xml": f"<cp:coreProperties>{created}</cp:coreProperties>",
        f"{top}/main.xml": f"<x>{mark}</x>",
    }
    return zipped(files | ({f"{top}/vbaProject.bin": "x"} if macros else {}))


def open_document(kind: str, mark: str) -> bytes:
    """The outline of an OpenDocument file: "text", "spreadsheet" or "presentation"."""
    return zipped({"content.xml": f"<x>{mark}</x>"}, stored_first=f"application/vnd.oasis.opendocument.{kind}")


def compound(stream: str, mark: str) -> bytes:
    """The outline of an old Office file, with the name of one stream."""
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504
    return head + stream.encode("utf-16-le") + b"\0" * 64 + mark.encode()


def mail(sender: str, day: date, subject: str) -> bytes:
    """A letter with its headers."""
    when = f"{day:%a, %d %b %Y} 09:10:11 +0100"
    lines = ["Received: from a by b", f"From: {sender}", "To: office@larkfield.example", f"Date: {when}"]
    return "\r\n".join([*lines, f"Subject: {subject}", "MIME-Version: 1.0", "", "Hello", ""]).encode("utf-8", "replace")


def program(mark: str) -> bytes:
    """The header of a program, which does nothing."""
    return b"MZ" + b"\0" * 58 + struct.pack("<I", 64) + b"PE\0\0" + mark.encode() + b"\0" * 32


MP3 = b"ID3\x03\0\0\0\0\0\x0a" + b"\0" * 10 + b"\xff\xfb\x90\x64" * 8
MP4 = b"\0\0\0\x18ftypisom\0\0\0\0isomiso2" + b"\0" * 32
HEIC = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 32
GIF = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
WEBP = b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0/\0\0\0\x10\x07\x10\x11\x11\x88\x88\xfe\x07\0"
TIFF = b"II*\0\x08\0\0\0\0\0\0\0"
BMP = b"BM" + struct.pack("<IHHI", 58, 0, 0, 54) + struct.pack("<IiiHH", 40, 1, 1, 1, 24) + b"\0" * 28
RTF = b"{\\rtf1\\ansi Hello}"
SHORTCUT = b"L\0\0\0\x01\x14\x02\0" + b"\0" * 60
SEVEN = b"7z\xbc\xaf'\x1c\0\x04" + b"\0" * 24
GZIP = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0"
WAV = b"RIFF$\0\0\0WAVEfmt " + b"\0" * 24
SQLITE = b"SQLite format 3\0" + b"\0" * 84
