"""A folder as people leave it after years: thousands of files of any kind, and everything that trips programs which tidy.

`make` says what it made, so that a test knows what must come out.
"""

from __future__ import annotations

import os
import random
import stat
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from templates.pay_invoices.cii_papers import cii_xml
from templates.pay_invoices.compose_sample import HALDEN, MERIDIAN
from templates.pay_invoices.papers import ubl_xml
from templates.tidy_folder import made_files as made

SCRIPTS = (
    "Rechnung Öl",
    "счёт за ноябрь",
    "発票 十一月",
    "فاتورة نوفمبر",
    "חשבונית",
    "बिल नवंबर",
    "ใบแจ้งหนี้",
    "🧾 bill",
    "e\u0301te\u0301 cafe\u0301",
)
FOLDERS = (
    "",
    "Telekom",
    "2024",
    "2024/Stadtwerke Köln",
    "Reise/Fotos",
    "Post/Ärzte",
    "a/b/c/d/e/f/g/h",
    "مستندات",
    "Steuer 2023/Belege",
)
START = date(2019, 1, 1)


@dataclass
class Made:
    """What lies in the folder now: how many of each sort, and the files that must stay as they are."""

    count: Counter[str] = field(default_factory=Counter)
    untouched: list[str] = field(default_factory=list)


class Maker:
    """Writes files with times of their own."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root = root
        self.made = Made()
        self.chance = random.Random(seed)
        self._number = 0

    def put(self, sort: str, path: str, data: bytes, day: date | None = None) -> Path:
        """Write one file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        assert not file.exists(), path
        file.write_bytes(data)
        when = datetime.combine(day or self.day(), datetime.min.time(), UTC) + timedelta(hours=9, seconds=self._number)
        os.utime(file, (when.timestamp(), when.timestamp()))
        self.made.count[sort] += 1
        return file

    def alone(self, sort: str, path: str, data: bytes) -> None:
        """Write one file that nobody may touch."""
        self.put(sort, path, data)
        self.made.untouched.append(path)

    def day(self) -> date:
        """A day of the last years."""
        return START + timedelta(days=self.chance.randrange(2500))

    def name(self) -> str:
        """A name of its own, in some script, in some folder."""
        self._number += 1
        folder = self.chance.choice(FOLDERS)
        word = self.chance.choice(SCRIPTS)
        return f"{folder}/{word} {self._number}".lstrip("/")


def make(root: Path, files: int = 5_000, seed: int = 7) -> Made:
    """Fill a folder with so many files, links and pipes included."""
    maker = Maker(root, seed)
    _odd_ones(maker)
    sorts = _SORTS
    while sum(maker.made.count.values()) < files:
        sorts[maker.chance.randrange(len(sorts))](maker)
    return maker.made


def _picture(maker: Maker) -> None:
    taken = maker.day()
    data = made.jpeg(maker.name(), taken, big_endian=maker.chance.random() < 0.5)
    maker.put("new name", f"{maker.name()}.JPG", data)


def _plain_picture(maker: Maker) -> None:
    maker.put("by time", f"{maker.name()}.png", made.png(maker.name()))


def _dated_name(maker: Maker) -> None:
    name, day = maker.name(), maker.day()
    maker.put("new name", f"{name} IMG_{day:%Y%m%d}_101112.png", made.png(name))


def _letter(maker: Maker) -> None:
    name = maker.name()
    sender = f"Lieferant {maker.chance.randrange(20)} <post@lieferant.example>"
    maker.put("new name", f"{name}.eml", made.mail(sender, maker.day(), name))


def _document(maker: Maker) -> None:
    name = maker.name()
    top, ending = maker.chance.choice((("word", "docx"), ("xl", "xlsx"), ("ppt", "pptx")))
    maker.put("new name", f"{name}.{ending}", made.office(top, name, maker.day()))


def _open_document(maker: Maker) -> None:
    name = maker.name()
    kind, ending = maker.chance.choice((("text", "odt"), ("spreadsheet", "ods"), ("presentation", "odp")))
    maker.put("by time", f"{name}.{ending}", made.open_document(kind, name))


def _music(maker: Maker) -> None:
    name = maker.name()
    maker.put("by time", f"{name}.mp3", made.MP3 + name.encode())


def _table(maker: Maker) -> None:
    name = maker.name()
    maker.put("fine", f"{name}.csv", f"name;amount\n{name};1\n".encode())


def _notes(maker: Maker) -> None:
    name = maker.name()
    maker.put("fine", f"{name}.txt", f"Notes on {name}\nand more of them\n".encode())


def _archive(maker: Maker) -> None:
    name = maker.name()
    maker.put("fine", f"{name}.zip", made.zipped({"a.txt": name}))


def _copies(maker: Maker) -> None:
    name, day = maker.name(), maker.day()
    data = made.png(name, size=40)
    maker.put("by time", f"{name} copied.png", data, day)
    for number in range(maker.chance.randrange(1, 4)):
        later = day + timedelta(days=number + 1)
        maker.put("duplicate", f"{maker.name()} copy {number}.png", data, later)


def _wrong_ending(maker: Maker) -> None:
    name = maker.name()
    ending, data = maker.chance.choice(
        (
            ("jpg", made.png(name)),
            ("xls", made.XLS_EXPORT + name.encode() + b";;\r\n"),
            ("pdf", made.office("word", name)),
            ("docx", made.pdf(name)),
        )
    )
    maker.put("wrong ending", f"{name}.{ending}", data)


def _disguised(maker: Maker) -> None:
    name = maker.name()
    ending, data = maker.chance.choice(
        (
            ("pdf", made.program(name)),
            ("jpg", b"#!/bin/sh\n# " + name.encode() + b"\n"),
            ("pdf", b"<html><script>1</script>" + name.encode() + b"</html>"),
            ("docx", made.office("word", name, macros=True)),
        )
    )
    maker.put("disguised", f"{name}.{ending}", data)


def _unknown(maker: Maker) -> None:
    name = maker.name()
    maker.alone("unknown", f"{name}.dat", b"\x01\x02\x00\x03" + name.encode() + b"\0\xfe")


def _program(maker: Maker) -> None:
    name = maker.name()
    maker.alone("policy", f"{name}.exe", made.program(name))


def _empty(maker: Maker) -> None:
    maker.alone("empty", f"{maker.name()}.pdf", b"")


_OFTEN = {
    _picture: 6, _plain_picture: 4, _dated_name: 3, _letter: 3, _document: 4, _open_document: 2, _music: 2, _table: 3, _notes: 4,
    _archive: 1, _copies: 3, _wrong_ending: 1, _disguised: 1, _unknown: 1, _program: 1, _empty: 1,
}  # fmt: skip
_SORTS = [sort for sort, times in _OFTEN.items() for _ in range(times)]


def _odd_ones(maker: Maker) -> None:
    """What trips programs, once each."""
    root = maker.root
    maker.put("new name", "Invoices/one.xml", cii_xml(MERIDIAN))
    maker.put("new name", "Invoices/two.XML", ubl_xml(HALDEN))
    maker.put("new name", "letters/made.pdf", made.pdf("A letter", date(2024, 3, 15)))
    for name in ("Case.pdf", "case.pdf", "CASE.pdf"):  # twins that only differ in capitals
        maker.put("twin", f"twins/{name}", made.pdf(name, date(2024, 5, 6)))
    maker.put("unclear", "gnp\u202efdp.eciovni.png", made.png("turned"))
    maker.put("companion", "Reise/IMG 1.jpg", made.jpeg("one", date(2023, 7, 8)))
    maker.put("companion", "Reise/IMG 1.xmp", b"<?xml version='1.0'?><x:xmpmeta/>")
    maker.put("tidy", "2022-02-02 Telekom Rechnung.pdf", made.pdf("tidy"))
    maker.alone("long", f"{'x' * 247}.pdf", made.pdf("a name of 251 bytes"))
    maker.alone("long", f"{'ü' * 125}.pngx", b"\x89PNG of 255 bytes")
    maker.alone("bytes", os.fsdecode(b"caf\xe9 \xff.pdf"), made.pdf("bytes that are no text"))
    maker.alone("bytes", "back\\slash.pdf", made.pdf("backslash"))
    maker.alone("hidden", ".hidden.pdf", made.pdf("hidden"))
    maker.alone("hidden", ".folder/inside.pdf", made.pdf("inside"))
    maker.alone("project", "site/.git/HEAD", b"ref: refs/heads/main\n")
    maker.alone("project", "site/logo.png", made.png("logo"))
    maker.alone("project", "site/deep/er/logo copy.png", made.png("logo"))
    maker.alone("project", "app/package.json", b"{}")
    maker.alone("project", "app/icon.jpg", made.png("icon"))
    maker.alone("page", "saved/page.html", b"<!doctype html><html><img src='page_files/a.png'></html>")
    maker.alone("page", "saved/page_files/a.png", made.png("in a page"))
    maker.alone("policy", "Makefile.sh", b"#!/bin/sh\n")
    maker.alone("policy", "macros.xlsm", made.office("xl", "m", macros=True))
    deep = "/".join(["deep"] * 30)
    maker.put("by time", f"{deep}/at the end.png", made.png("deep"))
    (root / "link.pdf").symlink_to("letters/made.pdf")
    (root / "link to a folder").symlink_to("letters")
    (root / "dangling.pdf").symlink_to("nowhere.pdf")
    (root / "outside").symlink_to("/")
    os.mkfifo(root / "pipe.pdf")
    maker.made.count["special"] += 5
    (root / "an empty folder").mkdir()


def photographed(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything beneath a folder, by name and byte for byte: kind, permission bits, time, and content or where a link leads."""
    found: dict[str, tuple[object, ...]] = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(folder, name)
            status = path.lstat()
            content: object = None
            if path.is_symlink():
                content = path.readlink()
            elif stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
            when = 0 if name in folders else status.st_mtime_ns
            found[path.relative_to(root).as_posix()] = (status.st_mode, when, content)
    return found
