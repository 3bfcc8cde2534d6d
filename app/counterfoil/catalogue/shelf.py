"""Where packages of templates lie in the home: `packages/<digest>`, one folder for each lock and kind of Python.

A folder appears whole or not at all, with a list of its contents inside, and is held against that list before anything is imported
from it. The list is read once a process for each folder, and again when a file's size or times have changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path

from counterfoil.catalogue.manifest import line_of, read_manifest
from counterfoil.catalogue.requirements import Lock, canonical_name, lock_for
from counterfoil.errors import Damaged, PackagesMissing
from counterfoil.places import Home

_CONTENTS = ".contents.json"
_FILLING = ".filling-"
_ABANDONED = 24 * 3600  # seconds after which a folder that nobody has finished is removed
_Look = list[tuple[str, int, int, int]]


class Shelf:
    """The packages of a home."""

    def __init__(self, home: Home) -> None:
        self._root = home.packages
        self._seen: dict[Path, _Look] = {}

    def place(self, lock: Lock) -> Path | None:
        """Where the packages of a lock lie or would lie; None where this computer needs none of them."""
        return self._root / lock.digest if lock.here else None

    def find(self, lock: Lock, name: str, advice: str) -> Path | None:
        """The packages of a lock, as they were put here; None where this computer needs none. `name` is the template's, `advice`
        names the command that brings them.

        Raises:
            PackagesMissing: they are not here, were changed, or do not go with what Counterfoil itself brings.
        """
        folder = self.place(lock)
        if folder is None:
            return None
        if not folder.is_dir():
            named = ", ".join(f"{release.name} {release.version}" for release in lock.here)
            raise PackagesMissing(f"the packages of ‘{name}’ are not on this computer: {named}.", advice)
        if not self._is_whole(folder):
            raise PackagesMissing(f"the packages of ‘{name}’ are not as they were put on this computer.", advice)
        trouble = clash(folder, lock.requires)
        if trouble:
            keeper = "Ask whoever keeps the template for one that goes with this Counterfoil."
            raise PackagesMissing(f"the packages of ‘{name}’ cannot be used: {trouble}", keeper)
        return folder

    def of_template(self, template: Path, advice: str) -> Path | None:
        """The packages of a template's folder.

        Raises:
            BrokenFile: its manifest or its lock cannot be used.
            PackagesMissing: as `find`.
        """
        manifest = read_manifest(template)
        lock = lock_for(template, manifest.packages, line_of(template, "requires") or None)
        return self.find(lock, manifest.name, advice) if lock else None

    def keep(self, lock: Lock, fill: Callable[[Path], None]) -> bool:
        """Put the packages of a lock here unless they are; whether anything was put. `fill` is given an empty folder.

        Raises:
            PackagesMissing: what was filled in does not go with what Counterfoil itself brings.
        """
        folder = self.place(lock)
        if folder is None or (folder.is_dir() and self._is_whole(folder)):
            return False
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._clear_abandoned()
        with tempfile.TemporaryDirectory(prefix=_FILLING, dir=self._root) as scratch:
            fresh = Path(scratch) / "new"
            fresh.mkdir(mode=0o700)
            fill(fresh)
            trouble = clash(fresh, lock.requires)
            if trouble:
                raise PackagesMissing(trouble, "Require releases that go with it, then: counterfoil template lock")
            _write_contents(fresh)
            if folder.exists() and not self._is_whole(folder):  # it was changed
                folder.rename(Path(scratch) / "old")
            try:
                fresh.rename(folder)
            except OSError:
                if not self._is_whole(folder):  # another process may have been first
                    raise
        return True

    def _is_whole(self, folder: Path) -> bool:
        try:
            look = sorted(_look(folder, ""))
            if self._seen.get(folder) != look:
                told = json.loads((folder / _CONTENTS).read_bytes())
                if told != {path: _sha(folder / path) for path, *_ in look}:
                    return False
                self._seen[folder] = look
        except (OSError, ValueError, Damaged):
            return False
        return True

    def _clear_abandoned(self) -> None:
        """Remove what processes have left that were killed while they filled a folder."""
        for scratch in self._root.glob(f"{_FILLING}*"):
            with contextlib.suppress(OSError):
                if time.time() - scratch.stat().st_mtime > _ABANDONED:
                    shutil.rmtree(scratch, ignore_errors=True)


def clash(folder: Path, requires: Iterable[str]) -> str:
    """Where the template or one of its packages needs another release of something that Counterfoil itself brings, a sentence;
    Counterfoil's own goes first. What a package needs that is hidden by Counterfoil's own does not count, since it is not used.
    """
    asked = [("the template", text) for text in requires]
    for one in metadata.distributions(path=[str(folder)]):
        if not _own(str(one.name)):
            asked += [(str(one.name), text) for text in one.requires or ()]
    for who, text in asked:
        name, allowed, allows = _bounds(text)
        has = _own(name) if name else ""
        if has and not allows(has):
            return f"{who} needs {name}{allowed}, and Counterfoil brings {name} {has}, which goes first."
    return ""


def _bounds(text: str) -> tuple[str, str, Callable[[str], bool]]:
    """Name, releases and test of a requirement; no name where it is not meant for this computer, or is none."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        found = Requirement(text)
    except InvalidRequirement:
        return "", "", bool
    if found.marker is not None and not found.marker.evaluate({"extra": ""}):
        return "", "", bool
    return found.name, str(found.specifier), lambda release: found.specifier.contains(release, prereleases=True)


def own_releases() -> dict[str, str]:
    """What this Counterfoil's Python brings: canonical names -> releases."""
    found = metadata.distributions()
    return {canonical_name(one.name): one.version for one in found if one.name}


def _own(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def _look(folder: Path, beneath: str) -> Iterator[tuple[str, int, int, int]]:
    """Path, size and times of every file; a link or anything else that is no file raises Damaged."""
    with os.scandir(folder / beneath) as found:
        entries = list(found)
    for entry in entries:
        path = f"{beneath}/{entry.name}" if beneath else entry.name
        if entry.is_symlink():
            raise Damaged(f"{path} is a link.")
        if entry.is_dir():
            yield from _look(folder, path)
        elif path != _CONTENTS:
            facts = entry.stat()
            yield path, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _write_contents(folder: Path) -> None:
    """List what is in a folder, and have all of it on the disk before its name says that it is whole."""
    contents = {}
    for path, *_ in sorted(_look(folder, "")):
        contents[path] = _sha(folder / path)
        with (folder / path).open("rb") as file:
            os.fsync(file.fileno())
    (folder / _CONTENTS).write_text(json.dumps(contents), encoding="utf-8")


def _sha(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()
