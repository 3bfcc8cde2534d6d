"""Requirements of a template as `[packages]` of its manifest names them, and the lock beside it that says which files answer them.

The lock is a list in the form that pip writes and reads: releases pinned, with SHA-256 of every file that may be taken for each, and
nothing else. A lock may come from a stranger, so an option or an address in it is refused, and no client ever gets to see the file
itself: it is given what was understood of it.
"""

from __future__ import annotations

import hashlib
import re
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.authoring.codec import canonical
from counterfoil.catalogue.broken_file import BrokenFile

if TYPE_CHECKING:
    from packaging.requirements import Requirement

LOCK = "packages.lock"
# What comes with Counterfoil for templates to import: readers and writers of documents, which no room of its own uses.
OFFERED = frozenset(
    {"defusedxml", "docx", "lxml", "pypdf", "pypdfium2", "python_calamine", "reportlab", "schwifty", "sepaxml"}
)
_LONGEST = 4 * 1024 * 1024  # bytes
_MOST = 500  # releases
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_AGAIN = f"Make it anew with: counterfoil template lock, and write nothing into {LOCK} by hand."


@dataclass(frozen=True, slots=True)
class Release:
    """One release of a lock: canonical name, version, marker ("" for every computer), SHA-256 of its files, line from 1."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    line: int

    @property
    def pin(self) -> str:
        """`rapidfuzz==3.14.1`, with its marker."""
        return f"{self.name}=={self.version}" + (f" ; {self.marker}" if self.marker else "")


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock that was read, releases by name, and what the template asks for that they answer."""

    releases: tuple[Release, ...]
    requires: tuple[str, ...] = ()

    @property
    def here(self) -> list[Release]:
        """The releases that this computer needs."""
        return [release for release in self.releases if _applies(release.marker)]

    @property
    def digest(self) -> str:
        """What stands for the packages on this computer: the releases it needs, their files, and the kind of its Python."""
        needed = [[release.name, release.version, sorted(release.hashes)] for release in self.here]
        return hashlib.sha256(canonical([python_kind(), needed]).encode()).hexdigest()

    def text(self) -> str:
        """The lock as pip and uv read it."""
        return "".join(_written(release) for release in self.releases)


def python_kind() -> str:
    """Which files fit this Python: `cpython-311-x86_64-linux-gnu`."""
    return str(sysconfig.get_config_var("SOABI") or f"{sysconfig.get_python_version()}-{sysconfig.get_platform()}")


def requirement_trouble(text: str) -> str:
    """Why this is no requirement, as the end of a sentence; "" where it is one."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement as problem:
        return str(problem).partition("\n")[0].lower().rstrip(".")
    return "packages come by name, not from an address" if requirement.url else ""


def canonical_name(text: str) -> str:
    """The one spelling of a package's name: `ruamel-yaml` for `Ruamel.YAML`."""
    from packaging.utils import canonicalize_name

    return str(canonicalize_name(text))


def required_here(texts: Iterable[str]) -> list[Requirement]:
    """Requirements that were checked before, without those meant for other computers."""
    from packaging.requirements import Requirement

    found = [Requirement(text) for text in texts]
    return [requirement for requirement in found if requirement.marker is None or requirement.marker.evaluate()]


def lock_for(folder: Path, requires: Iterable[str], line: int | None = None) -> Lock | None:
    """The lock of a template that requires these packages; None where it requires none. `line` of the manifest names them.

    Raises:
        BrokenFile: there is no lock, it cannot be read, or it is not for these requirements.
    """
    texts = tuple(requires)
    if not texts:
        return None
    if not (folder / LOCK).is_file():
        advice = f"Run: counterfoil template lock {folder}"
        what = f"it requires packages, and there is no {LOCK}."
        raise BrokenFile(folder, "template.toml", line, what, advice)
    lock = read_lock(folder)
    pinned = {release.name: release for release in lock.here}
    for requirement in required_here(texts):
        release = pinned.get(canonical_name(requirement.name))
        if release is None or not requirement.specifier.contains(release.version, prereleases=True):
            has = f"pins {release.version}" if release else "does not pin it"
            what = f"the template requires {requirement}, and the lock {has}."
            advice = f"Run: counterfoil template lock {folder}"
            raise BrokenFile(folder, LOCK, release.line if release else None, what, advice)
    return Lock(lock.releases, texts)


def read_lock(folder: Path) -> Lock:
    """A template's lock.

    Raises:
        BrokenFile: it holds anything but pinned releases with their hashes.
    """
    try:
        with (folder / LOCK).open("rb") as source:
            data = source.read(_LONGEST + 1)
        text = data.decode("utf-8")
    except OSError as problem:
        raise BrokenFile(folder, LOCK, None, f"it cannot be read: {problem.strerror}.", _AGAIN) from problem
    except UnicodeDecodeError as problem:
        raise BrokenFile(folder, LOCK, None, "it is not UTF-8 text.", _AGAIN) from problem
    if len(data) > _LONGEST:
        raise BrokenFile(folder, LOCK, None, "it is longer than 4 MB.", _AGAIN)
    return lock_of_text(folder, text)


def lock_of_text(folder: Path, text: str) -> Lock:
    """A lock from its text; the folder is for messages.

    Raises:
        BrokenFile: as `read_lock`.
    """
    found: dict[str, Release] = {}
    for line, entry in _entries(text):
        release = _release(folder, line, entry)
        if release.name in found:
            raise BrokenFile(folder, LOCK, line, f"{release.name} is pinned twice.", _AGAIN)
        found[release.name] = release
        if len(found) > _MOST:
            raise BrokenFile(folder, LOCK, line, f"it pins more than {_MOST} packages.", "Require fewer.")
    return Lock(tuple(sorted(found.values(), key=lambda release: release.name)))


def _entries(text: str) -> Iterator[tuple[int, str]]:
    """Logical lines with the number of their first; a comment stands on a line of its own."""
    first, entry = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not entry and (not line.strip() or line.lstrip().startswith("#")):
            continue
        first = first if entry else number
        entry += line.removesuffix("\\") + " "
        if not line.endswith("\\"):
            yield first, entry.strip()
            entry = ""
    if entry:
        yield first, entry.strip()


def _release(folder: Path, line: int, entry: str) -> Release:
    from packaging.requirements import InvalidRequirement, Requirement

    pin, *hashes = re.split(r"\s+(?=--)", entry)
    try:
        requirement = Requirement(pin)
    except InvalidRequirement:
        what = f"‘{entry[:60]}’ is no pinned release."
        raise BrokenFile(folder, LOCK, line, what, _AGAIN) from None
    versions = [str(one.version) for one in requirement.specifier if one.operator == "=="]
    matches = [_HASH.fullmatch(text) for text in hashes]
    if requirement.url or len(requirement.specifier) != 1 or len(versions) != 1 or versions[0].endswith("*"):
        raise BrokenFile(folder, LOCK, line, f"{requirement.name} is not pinned to one release.", _AGAIN)
    if not hashes or not all(matches):
        what = f"{requirement.name} has no SHA-256, or something beside it."
        raise BrokenFile(folder, LOCK, line, what, _AGAIN)
    marker = str(requirement.marker) if requirement.marker else ""
    digests = tuple(match[1] for match in matches if match)
    return Release(canonical_name(requirement.name), versions[0], marker, digests, line)


def _applies(marker: str) -> bool:
    if not marker:
        return True
    from packaging.markers import Marker

    return bool(Marker(marker).evaluate())


def _written(release: Release) -> str:
    return " \\\n".join([release.pin, *(f"    --hash=sha256:{sha}" for sha in release.hashes)]) + "\n"
