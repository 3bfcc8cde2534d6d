"""A folder that a person chose, measured without changing it: how much, what may be done there, what stays out, what will be in the way."""

from __future__ import annotations

import os
import stat
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from counterfoil.desktop.office import FolderFacts
from counterfoil.desktop.words.numbers import count
from counterfoil.places import Home

MOST_FILES = 200_000
MOST_SECONDS = 8.0
_SNIFFED = 400  # files whose beginning is read to see whether they are invoices
_BEGINNING = 4_096  # bytes
_PDF_READ = 400_000  # bytes of a PDF that are searched for an attached invoice
_BYTES_A_SECOND, _FILES_A_SECOND = 250_000_000, 4_000  # a copy on a plain disk, told as “about”
_NAMED = 1_000  # unreadable places that are listed

_LEFT_FOLDERS = {".git": ".git", ".hg": ".hg", ".svn": ".svn", ".ssh": ".ssh", ".gnupg": ".gnupg", ".counterfoil": ""}
_KEY_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".kdbx", ".ppk", ".gpg")
_KEY_NAMES = frozenset({"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".netrc", ".pgpass"})
_SYNCED = {
    "onedrive": "OneDrive",
    "dropbox": "Dropbox",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "icloud drive": "iCloud Drive",
    "com~apple~clouddocs": "iCloud Drive",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "pcloud": "pCloud",
    "box sync": "Box",
    "syncthing": "Syncthing",
    "seafile": "Seafile",
}
_SYNC_MARKS = {
    ".dropbox": "Dropbox",
    ".stfolder": "Syncthing",
    ".owncloudsync.log": "Nextcloud",
    ".sync": "Resilio Sync",
}
_INVOICE_WORDS = (b"CrossIndustryInvoice", b"oasis:names:specification:ubl:schema:xsd:Invoice", b"xsd:CreditNote-2",
                  b"CrossIndustryDocument")  # fmt: skip
_ATTACHED = (b"factur-x.xml", b"zugferd-invoice.xml", b"xrechnung.xml")


@dataclass
class _Found:
    files: int = 0
    octets: int = 0
    unreadable: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    candidates: list[Path] = field(default_factory=list)
    mark: str = ""
    cut: bool = False


def measure(path: str, home: Home) -> FolderFacts:
    """Facts of a folder; `refused` says why it cannot be a workspace."""
    try:
        root = Path(path).expanduser().resolve(strict=True)
    except (OSError, RuntimeError) as problem:
        return _refused(path, f"{path} cannot be used: {getattr(problem, 'strerror', None) or 'it leads in a circle'}.")
    refused = _why_not(root, home)
    if refused:
        return _refused(str(root), refused)
    found = _Found()
    _walk(root, found)
    if found.cut:
        why = (
            f"{root} holds more than Counterfoil looks through in {MOST_SECONDS:.0f} s ({found.files:,} files so far)."
        )
        return _refused(str(root), f"{why} Choose a folder for one kind of work.")
    writable = os.access(root, os.W_OK | os.X_OK)
    left_out = [
        name if number == 1 and name.startswith(".") else _plural(name, number)
        for name, number in found.left_out.items()
    ]
    return FolderFacts(
        path=str(root),
        files=found.files,
        octets=found.octets,
        copy_seconds=round(found.octets / _BYTES_A_SECOND + found.files / _FILES_A_SECOND, 1),
        allowed=("created", "renamed", "removed") if writable else (),
        left_out=tuple(left_out),
        unreadable=tuple(found.unreadable),
        synced_by=_synced(root) or found.mark,
        invoices=sum(_is_invoice(file) for file in found.candidates[:_SNIFFED]) or None,
    )


def _refused(path: str, why: str) -> FolderFacts:
    return FolderFacts(path=path, files=0, octets=0, copy_seconds=0.0, allowed=(), refused=why)


def _why_not(root: Path, home: Home) -> str:
    if not root.is_dir():
        return f"{root} is a file. Choose the folder it lies in."
    if not os.access(root, os.R_OK | os.X_OK):
        return f"This account may not look into {root}."
    data = home.root.resolve()
    if root == data or (root.is_relative_to(data) and not root.is_relative_to(data / "demo")):
        return "This is Counterfoil's own data folder. Choose the folder your files lie in."
    if data.is_relative_to(root):
        return f"{root} holds Counterfoil's own data. Choose a folder for one kind of work, like the one your invoices come into."
    if root == Path(root.anchor):
        return "This is the whole disk. Choose a folder for one kind of work."
    return ""


def _walk(root: Path, found: _Found) -> None:
    until = time.monotonic() + MOST_SECONDS
    folders = [root]
    while folders:
        folder = folders.pop()
        for entry in _entries(folder, root, found):
            if found.files >= MOST_FILES or time.monotonic() > until:
                found.cut = True
                return
            _take(entry, folders, root, found)


def _entries(folder: Path, root: Path, found: _Found) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from list(entries)
    except OSError:
        _cannot_read(folder, root, found)


def _take(entry: os.DirEntry[str], folders: list[Path], root: Path, found: _Found) -> None:
    name = entry.name.lower()
    found.mark = found.mark or _SYNC_MARKS.get(name, "")
    if entry.is_symlink():
        found.left_out["link"] += 1
        return
    if entry.is_dir(follow_symlinks=False):
        if name not in _LEFT_FOLDERS:
            folders.append(Path(entry.path))
        elif _LEFT_FOLDERS[name]:
            found.left_out[_LEFT_FOLDERS[name]] += 1
        return
    try:
        status = entry.stat(follow_symlinks=False)
    except OSError:
        _cannot_read(Path(entry.path), root, found)
        return
    if not stat.S_ISREG(status.st_mode):
        return
    if name == ".env" or name.startswith(".env."):
        found.left_out[".env"] += 1
    elif name in _KEY_NAMES or name.endswith(_KEY_ENDINGS):
        found.left_out["key file"] += 1
    else:
        found.files += 1
        found.octets += status.st_size
        if not os.access(entry.path, os.R_OK):
            _cannot_read(Path(entry.path), root, found)
        elif name.endswith((".xml", ".pdf")):
            found.candidates.append(Path(entry.path))


def _cannot_read(place: Path, root: Path, found: _Found) -> None:
    if len(found.unreadable) < _NAMED:
        found.unreadable.append(place.relative_to(root).as_posix())


def _plural(name: str, number: int) -> str:
    return f"{number} × {name}" if name.startswith(".") else count(number, name)


def _synced(root: Path) -> str:
    """Whose sync a folder lies in, by the names of the folders above it; OneDrive adds the company's name to its own."""
    for part in root.parts:
        name = part.lower()
        for known, words in _SYNCED.items():
            if name == known or name.startswith((f"{known} -", f"{known} (")):
                return words
    return ""


def _is_invoice(file: Path) -> bool:
    """A guess from a file's beginning, never by its name; nothing is parsed here."""
    try:
        with file.open("rb") as source:
            start = source.read(_BEGINNING)
            if start.lstrip().startswith(b"<"):
                return any(word in start for word in _INVOICE_WORDS)
            if not start.startswith(b"%PDF-"):
                return False
            return any(name in (start + source.read(_PDF_READ)).lower() for name in _ATTACHED)
    except OSError:
        return False
