"""What a file is by what it contains, and whether its ending says so too.

Only kinds that offices meet are known; everything else has no kind and is left alone. A kind never comes from a name.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from counterfoil.policy.file_classes import is_text

HEAD = 64 * 1024  # bytes that are enough for every kind but zips and compound files
_MOST_ENTRIES = 5_000  # of a zip that is looked into


class Nature(StrEnum):
    """What may be done with a kind."""

    DOCUMENT = "document"  # gets date and supplier
    MEDIA = "media"  # gets a date
    PLAIN = "plain"  # keeps its name, unless it goes with a file that gets another
    ACTIVE = "active"  # runs when it is opened


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind: the word people know, the endings it may have (the first is the usual one), its nature."""

    title: str
    endings: tuple[str, ...]
    nature: Nature


def _kind(title: str, endings: str, nature: Nature) -> Kind:
    return Kind(title, tuple(endings.split()), nature)


PDF = _kind("PDF", "pdf ai", Nature.DOCUMENT)
WORD = _kind("Word document", "docx dotx docm dotm", Nature.DOCUMENT)
SHEET = _kind("Excel workbook", "xlsx xltx xlsm xltm xlam", Nature.DOCUMENT)
SLIDES = _kind("PowerPoint presentation", "pptx potx ppsx pptm potm ppsm ppam", Nature.DOCUMENT)
PACKAGE = _kind("Office package", "docx xlsx pptx vsdx xps oxps dwfx 3mf xlsb", Nature.PLAIN)
OLD_WORD = _kind("Word document (old form)", "doc dot", Nature.DOCUMENT)
OLD_SHEET = _kind("Excel workbook (old form)", "xls xlt", Nature.DOCUMENT)
OLD_SLIDES = _kind("PowerPoint presentation (old form)", "ppt pot pps", Nature.DOCUMENT)
OUTLOOK = _kind("Outlook message", "msg oft", Nature.DOCUMENT)
LOCKED_OFFICE = _kind("Office file with a password", "docx xlsx pptx doc xls ppt docm xlsm pptm", Nature.DOCUMENT)
COMPOUND = _kind("compound file", "doc xls ppt msg msi vsd pub mpp db wps", Nature.PLAIN)
ODT = _kind("OpenDocument text", "odt ott", Nature.DOCUMENT)
ODS = _kind("OpenDocument spreadsheet", "ods ots", Nature.DOCUMENT)
ODP = _kind("OpenDocument presentation", "odp otp", Nature.DOCUMENT)
RTF = _kind("RTF document", "rtf doc", Nature.DOCUMENT)
MAIL = _kind("mail", "eml mht mhtml txt", Nature.DOCUMENT)
PNG = _kind("PNG picture", "png apng", Nature.MEDIA)
JPEG = _kind("JPEG picture", "jpg jpeg jpe jfif mpo", Nature.MEDIA)
GIF = _kind("GIF picture", "gif", Nature.MEDIA)
WEBP = _kind("WebP picture", "webp", Nature.MEDIA)
TIFF = _kind("TIFF picture", "tif tiff dng nef nrw arw cr2 pef orf rw2 srw", Nature.MEDIA)
BMP = _kind("BMP picture", "bmp dib", Nature.MEDIA)
HEIF = _kind("HEIF picture", "heic heif hif avif", Nature.MEDIA)
MP3 = _kind("MP3 audio", "mp3", Nature.MEDIA)
MP4 = _kind("MP4 or QuickTime", "mp4 m4v m4a m4b mov qt 3gp", Nature.MEDIA)
WAV = _kind("WAV audio", "wav wave", Nature.MEDIA)
AVI = _kind("AVI video", "avi", Nature.MEDIA)
OGG = _kind("Ogg", "ogg oga ogv opus", Nature.MEDIA)
FLAC = _kind("FLAC audio", "flac", Nature.MEDIA)
MATROSKA = _kind("Matroska or WebM", "mkv webm mka", Nature.MEDIA)
ASF = _kind("Windows Media", "wmv wma asf", Nature.MEDIA)
XML = _kind("XML", "xml xsd xsl xslt kml gpx rss atom plist xmp dae tmx xliff xbrl", Nature.PLAIN)
SVG = _kind("SVG drawing", "svg xml", Nature.PLAIN)
HTML = _kind("web page", "html htm xhtml mht mhtml", Nature.PLAIN)
CSV = _kind("table as text", "csv tsv tab txt", Nature.PLAIN)
TEXT = _kind(
    "text",
    "txt csv tsv tab log md rst json jsonl yaml yml ini cfg conf toml tex bib srt vtt ics vcf asc sta mt940 ofx qif sql diff",
    Nature.PLAIN,
)
EPUB = _kind("e-book", "epub", Nature.PLAIN)
ZIP = _kind(
    "zip archive", "zip cbz kmz 3mf sketch idml pages numbers key oxt whl ora kra vsdx dwfx xps oxps", Nature.PLAIN
)
SEVEN = _kind("7-Zip archive", "7z", Nature.PLAIN)
RAR = _kind("RAR archive", "rar cbr", Nature.PLAIN)
GZIP = _kind("gzip archive", "gz tgz svgz emz", Nature.PLAIN)
BZIP = _kind("bzip2 archive", "bz2 tbz", Nature.PLAIN)
XZ = _kind("xz archive", "xz txz", Nature.PLAIN)
ZSTD = _kind("Zstandard archive", "zst", Nature.PLAIN)
TAR = _kind("tar archive", "tar", Nature.PLAIN)
SQLITE = _kind("SQLite database", "sqlite sqlite3 db", Nature.PLAIN)
PROGRAM = _kind("program", "exe dll sys scr com ocx cpl so dylib bin run class msi", Nature.ACTIVE)
SCRIPT = _kind("script", "sh bash zsh py pl rb js php command", Nature.ACTIVE)
SHORTCUT = _kind("shortcut", "lnk", Nature.ACTIVE)
JAVA = _kind("Java or Android program", "jar war ear apk aar", Nature.ACTIVE)
MACROS = _kind("Office file with macros", "docm xlsm pptm dotm xltm xlam ppsm potm ppam", Nature.ACTIVE)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
_ENDINGS = {ending for kind in KINDS for ending in kind.endings}
_TEXTUAL = frozenset((TEXT, CSV, XML, SVG, HTML, MAIL))
_TEXT_ENDINGS = {ending for kind in (*_TEXTUAL, SCRIPT) for ending in kind.endings}
_EXPORTED = frozenset({"xls", "doc"})  # many programs write web pages and tables under these endings


def kind_of(data: bytes, *, whole: bool) -> Kind | None:
    """The kind of a file; `data` are all its bytes where `whole` says so, else the first HEAD of them. None where it is not known."""
    if not data:
        return None
    for begins, rule in _SIGNS:
        if data.startswith(begins):
            found = rule(data) if callable(rule) else rule
            return found if whole or found not in (ZIP, COMPOUND) else None  # what is in them stands at their end
    if data[257:262] == b"ustar":
        return TAR
    if b"%PDF-" in data[:1024]:
        return PDF
    return _text_kind(data) if is_text(data[:8192]) else None


def ending_of(name: str) -> str:
    """The ending of a file name in small letters, without its dot; "" where there is none."""
    stem, dot, ending = name.rpartition(".")
    return ending.lower() if stem and dot and ending.isascii() and ending.isalnum() and len(ending) <= 8 else ""


def fits(kind: Kind, ending: str) -> bool:
    """Whether an ending does not deny a kind: it is one of its own, or one that is nobody's; texts go by any ending of a text."""
    if ending in kind.endings or (ending and ending not in _ENDINGS):
        return True
    return kind in _TEXTUAL and ending in _TEXT_ENDINGS


def disguised(kind: Kind, ending: str) -> bool:
    """Whether a file runs something when it is opened and carries the ending of one that does not."""
    if fits(kind, ending) or not ending:
        return False
    if kind is HTML:
        return ending not in _EXPORTED
    return kind.nature is Nature.ACTIVE


_Rule = Callable[[bytes], Kind | None]


def _zip_kind(data: bytes) -> Kind | None:
    if data[30:38] == b"mimetype":
        marks = data[38:110]
        for mark, kind in ((b"opendocument.text", ODT), (b"opendocument.spreadsheet", ODS)):
            if mark in marks:
                return kind
        return ODP if b"opendocument.presentation" in marks else EPUB if b"epub" in marks else ZIP
    names = _names_in(data)
    if "[Content_Types].xml" not in names:
        return JAVA if {"META-INF/MANIFEST.MF", "AndroidManifest.xml"} & names else ZIP
    if any(name.endswith("vbaProject.bin") for name in names):
        return MACROS
    parts = {part for name in names for part in (name.partition("/")[0], name.rpartition("/")[2])}
    return next((kind for marks, kind in _PARTS if not marks.isdisjoint(parts)), PACKAGE)


_PARTS = (
    ({"word", "document.xml"}, WORD),
    ({"xl", "workbook.xml"}, SHEET),
    ({"ppt", "presentation.xml"}, SLIDES),
)


def _names_in(data: bytes) -> set[str]:
    """The names in a zip; nothing is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {entry.filename.replace("\\", "/") for entry in archive.infolist()[:_MOST_ENTRIES]}
    except (zipfile.BadZipFile, zlib.error, ValueError, OSError, NotImplementedError, RuntimeError):
        return set()


def _compound_kind(data: bytes) -> Kind | None:
    """The program of a compound file, by the names of its streams, which stand in it as UTF-16."""
    for name, kind in _STREAMS:
        if name.encode("utf-16-le") in data:
            return kind
    return COMPOUND


_STREAMS = (
    ("EncryptedPackage", LOCKED_OFFICE),
    ("WordDocument", OLD_WORD),
    ("Workbook", OLD_SHEET),
    ("PowerPoint Document", OLD_SLIDES),
    ("__properties_version1.0", OUTLOOK),
)


def _riff_kind(data: bytes) -> Kind | None:
    return {b"WEBP": WEBP, b"WAVE": WAV, b"AVI ": AVI}.get(data[8:12])


def _executable(data: bytes) -> Kind | None:
    """What begins with MZ: a program has a header further on; a text that begins so has none."""
    at = int.from_bytes(data[60:64], "little") if len(data) >= 64 else 0
    has_header = data[at : at + 2] in (b"PE", b"NE", b"LE", b"LX") if 0 < at < len(data) - 2 else False
    return PROGRAM if has_header or not is_text(data[:8192]) else _text_kind(data)


def _class_file(data: bytes) -> Kind | None:
    return PROGRAM if len(data) > 8 else None


def _boxed_kind(data: bytes) -> Kind | None:
    """Files made of boxes, which begin with their kind."""
    if data[4:8] != b"ftyp":
        return None
    return HEIF if data[8:12] in (b"heic", b"heix", b"mif1", b"msf1", b"avif", b"heim", b"hevc") else MP4


def _plain_or_none(data: bytes) -> Kind | None:
    return _text_kind(data) if is_text(data[:8192]) else None


_SIGNS: tuple[tuple[bytes | tuple[bytes, ...], Kind | _Rule], ...] = (
    (b"%PDF-", PDF),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    ((b"GIF87a", b"GIF89a"), GIF),
    ((b"II*\0", b"MM\0*"), TIFF),
    (b"RIFF", _riff_kind),
    (b"PK\x03\x04", _zip_kind),
    (b"PK\x05\x06", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", _compound_kind),
    (b"{\\rtf", RTF),
    (b"7z\xbc\xaf'\x1c", SEVEN),
    (b"Rar!\x1a\x07", RAR),
    (b"\x1f\x8b", GZIP),
    (b"BZh", BZIP),
    (b"\xfd7zXZ\0", XZ),
    (b"\x28\xb5\x2f\xfd", ZSTD),
    (b"SQLite format 3\0", SQLITE),
    (b"ID3", MP3),
    ((b"\xff\xfb", b"\xff\xf3", b"\xff\xf2"), MP3),
    (b"OggS", OGG),
    (b"fLaC", FLAC),
    (b"\x1aE\xdf\xa3", MATROSKA),
    (b"0&\xb2u\x8ef\xcf\x11", ASF),
    (b"\x7fELF", PROGRAM),
    (b"MZ", _executable),
    ((b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf"), PROGRAM),
    (b"\xca\xfe\xba\xbe", _class_file),
    (b"L\0\0\0\x01\x14\x02\0", SHORTCUT),
    (b"#!", SCRIPT),
    (b"BM", lambda data: BMP if data[6:10] == b"\0\0\0\0" and len(data) > 26 else _plain_or_none(data)),
    (b"\0\0\0", _boxed_kind),
)


def _text_kind(data: bytes) -> Kind:
    head = data[:8192].replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").removeprefix(b"\xff\xfe").lstrip()
    low = head.lower()
    if low.startswith((b"<!doctype html", b"<html")):
        return HTML
    if low.startswith(b"<?xml") or (low.startswith(b"<") and low[1:2].isalpha() and b">" in low):
        body = low[low.find(b"?>") + 2 :] if low.startswith(b"<?xml") else low
        return HTML if b"<html" in body[:1024] else SVG if b"<svg" in body[:1024] else XML
    if _is_mail(low):
        return MAIL
    return CSV if _is_table(head) else TEXT


_MAIL_HEADERS = (
    b"from:",
    b"date:",
    b"subject:",
    b"to:",
    b"message-id:",
    b"mime-version:",
    b"received:",
    b"return-path:",
)


def _is_mail(low: bytes) -> bool:
    """Whether the first lines are headers, three kinds of them at the least."""
    head = low.replace(b"\r\n", b"\n").partition(b"\n\n")[0]
    lines = head.split(b"\n")
    if lines[0].startswith(b"from "):  # of an mbox
        lines = lines[1:]
    if not lines or b":" not in lines[0] or b" " in lines[0].partition(b":")[0]:
        return False
    return sum(any(line.startswith(name) for line in lines) for name in _MAIL_HEADERS) >= 3


def _is_table(head: bytes) -> bool:
    """Whether the first lines have one separator equally often."""
    lines = [line for line in head.splitlines()[:6] if line.strip()]
    lines = lines if len(head) < 8192 else lines[:-1]
    if len(lines) < 2:
        return False
    return any(
        len({line.count(sign) for line in lines}) == 1 and lines[0].count(sign) > 0
        for sign in (b";", b"\t", b",", b"|")
    )
