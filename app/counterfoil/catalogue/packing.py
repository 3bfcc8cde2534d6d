"""A template's version: its code by content, so that what a run executes can be kept and made anew exactly.

The digest is over the names and bytes of the files, not over the archive: a zip of the same files differs from one zlib to the
next. Left out is what a run never executes: `sample/`, `tests/`, hidden files, compiled Python. Links are refused, since what
they lead to can change without the digest. Modules of a bundled template that another one uses are kept with it, so that a run goes
on with the very ones it began with.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from counterfoil.authoring.codec import canonical, digest
from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.manifest import MANIFEST, line_of, read_manifest
from counterfoil.errors import Damaged, did_you_mean
from counterfoil.places import bundled

LARGEST = 20 * 1024 * 1024  # bytes of all files together
LARGEST_WHOLE = 200 * 1024 * 1024  # with sample and tests, which no version holds
MOST_FILES = 5_000
LEFT_OUT = frozenset({"sample", "samples", "tests"})  # directly in the template's folder
_MADE_BY_PYTHON = frozenset({"__pycache__"})
_WHEN = (1980, 1, 1, 0, 0, 0)  # the first instant a zip can hold
# what zipfile raises of bytes that are no archive, or none that it can read
NO_ZIP = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


def pack(folder: Path) -> tuple[str, bytes]:
    """A template's digest (64 hex digits) and its code as a zip, with the modules it uses of bundled templates.

    Raises:
        BrokenFile: a link or something that is no file is among the code, it is too large, or it cannot be read; or it uses what is
            not there.
    """
    files = read_code(folder)
    files |= used_code(folder, read_manifest(folder).uses, files)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.create_system = 3  # Unix, whatever this machine is
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, data)
    return digest_of(files), archive.getvalue()


def read_code(folder: Path, *, whole: bool = False) -> dict[str, bytes]:
    """The files of a version: path beneath the template with slashes -> bytes, by path; `whole` takes in sample and tests.

    Raises:
        BrokenFile: as `pack`.
    """
    files: dict[str, bytes] = {}
    size = 0
    room = LARGEST_WHOLE if whole else LARGEST
    for name in sorted(_names(folder, "", frozenset() if whole else LEFT_OUT)):
        files[name] = _read(folder, name, room, room - size)
        size += len(files[name])
        if len(files) > MOST_FILES:
            raise BrokenFile(folder, "", None, f"it has more than {MOST_FILES} files.", "Put data into sample/.")
    return files


def used_code(folder: Path, uses: Iterable[str], own: Iterable[str]) -> dict[str, bytes]:
    """The packages (folders with modules) of the bundled templates that a template uses; `own` are the paths it has itself.

    Raises:
        BrokenFile: there is no such bundled template, or it has modules of a name that the template has as well.
    """
    files: dict[str, bytes] = {}
    taken = {path.partition("/")[0] for path in own}
    for name in uses:
        theirs = bundled("workflows") / name
        if not (theirs / MANIFEST).is_file():
            known = sorted(found.parent.name for found in bundled("workflows").glob(f"*/{MANIFEST}"))
            advice = did_you_mean(name, known) or f"There are: {', '.join(known)}."
            raise BrokenFile(folder, MANIFEST, line_of(folder, "uses"), f"no bundled template ‘{name}’.", advice)
        found = {path: data for path, data in read_code(theirs).items() if "/" in path}
        packages = {path.partition("/")[0] for path in found if path.count("/") == 1 and path.endswith("/__init__.py")}
        for package in sorted(packages):
            if package in taken:
                what = f"it has a {package} of its own, and uses that of {name}."
                raise BrokenFile(folder, package, None, what, "Give its own another name.")
        files |= {path: data for path, data in found.items() if path.partition("/")[0] in packages}
        taken |= packages
    return files


def digest_of(files: dict[str, bytes]) -> str:
    """The digest of a version: SHA-256 over the canonical text of {path: SHA-256 of its bytes}."""
    return digest(canonical({name: hashlib.sha256(data).hexdigest() for name, data in files.items()}))


def unpack(archive: bytes, version: str, versions: Path) -> Path:
    """The folder `versions/<digest>` with a version's code, made now unless it is there as it must be.

    Everything is checked before anything is written, and the folder appears whole or not at all.

    Raises:
        Damaged: the archive is no version's, or not the one with this digest.
    """
    if not _is_digest(version):
        raise Damaged(f"‘{version}’ is no digest of a template version.")
    target = versions / version
    if _holds(target, version):
        return target
    files = files_of(archive, version)
    versions.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unpacking-", dir=versions) as scratch:
        fresh = Path(scratch) / "new"
        write_files(files, fresh)
        if target.exists() and not _holds(target, version):  # somebody changed it
            target.rename(Path(scratch) / "old")
        try:
            fresh.rename(target)
        except OSError:
            if not _holds(target, version):  # another process may have been first
                raise
    return target


def is_left_out(name: str) -> bool:
    """Whether a file or folder of this name belongs to no template: hidden, or made by Python."""
    return name.startswith(".") or name in _MADE_BY_PYTHON or name.endswith((".pyc", ".pyo"))


def _names(folder: Path, beneath: str, left_out: frozenset[str]) -> Iterator[str]:
    try:
        entries = list(os.scandir(folder / beneath))
    except OSError as problem:
        what = f"it cannot be read: {problem.strerror}."
        raise BrokenFile(folder, beneath, None, what, "Look at the folder.") from problem
    for entry in entries:
        if is_left_out(entry.name) or (not beneath and entry.name in left_out):
            continue
        name = f"{beneath}/{entry.name}" if beneath else entry.name
        _refuse_odd(folder, name, entry)
        if entry.is_dir(follow_symlinks=False):
            yield from _names(folder, name, left_out)
        else:
            yield name


def _refuse_odd(folder: Path, name: str, entry: os.DirEntry[str]) -> None:
    if entry.is_symlink():
        what, advice = "it is a link, and links are not kept with a version.", "Put the file itself there."
    elif not (entry.is_dir(follow_symlinks=False) or entry.is_file(follow_symlinks=False)):
        what, advice = "it is no regular file.", "Remove it from the template."
    elif not _is_fine(name):
        what, advice = "its name does not work on every computer.", "Rename it: no \\, :, control characters."
    else:
        return
    shown = name.encode("utf-8", "backslashreplace").decode()
    raise BrokenFile(folder, shown, None, what, advice)


def _is_fine(name: str) -> bool:
    parts = name.split("/")
    return (
        all(part not in ("", ".", "..") for part in parts)
        and not any(char in "\\:" or unicodedata.category(char) in ("Cc", "Cs") for char in name)
        and len(name.encode()) <= 1000
    )


def _read(folder: Path, name: str, most: int, room: int) -> bytes:
    try:
        with (folder / name).open("rb") as source:
            data = source.read(room + 1)
    except OSError as problem:
        what = f"it cannot be read: {problem.strerror}."
        raise BrokenFile(folder, name, None, what, "Allow this account to read it, or remove it.") from problem
    if len(data) > room:
        what = f"with it the {'code' if most == LARGEST else 'template'} is larger than {most // 1024 // 1024} MB."
        raise BrokenFile(folder, name, None, what, "Put data into sample/, or let a step read it from the workspace.")
    return data


def _is_digest(text: str) -> bool:
    return len(text) == 64 and set(text) <= set("0123456789abcdef")


def _holds(target: Path, version: str) -> bool:
    try:
        return target.is_dir() and not target.is_symlink() and digest_of(read_code(target)) == version
    except BrokenFile:
        return False


def files_of(archive: bytes, version: str) -> dict[str, bytes]:
    """The files of a version's archive: path -> bytes.

    Raises:
        Damaged: the archive is no version's, or not the one with this digest.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as source:
            files = files_in(source, LARGEST)
    except NO_ZIP as problem:
        raise Damaged(f"template version {version[:8]} cannot be unpacked: {problem}.") from problem
    if digest_of(files) != version:
        raise Damaged(f"template version {version[:8]} does not match its digest.", "Restore it from a backup.")
    return files


def files_in(source: zipfile.ZipFile, room: int) -> dict[str, bytes]:
    """The files of an archive, by path; folders are left out, since files name theirs.

    Raises:
        ValueError: a name or an entry that no template has, or more than `room` bytes.
    """
    files: dict[str, bytes] = {}
    for entry in source.infolist():
        if entry.is_dir():
            continue
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if not _is_fine(entry.filename) or kind not in (0, stat.S_IFREG) or entry.filename in files:
            raise ValueError(f"it holds {entry.filename!r}")
        with source.open(entry) as packed:
            files[entry.filename] = packed.read(room + 1)  # never more, whatever the entry says of its size
        room -= len(files[entry.filename])
        if room < 0 or len(files) > MOST_FILES:
            raise ValueError("it is too large")
    return files


def write_files(files: dict[str, bytes], folder: Path) -> None:
    """Write files beneath a folder that is not there yet."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_bytes(data)
