"""A template from a folder or a zip takes its place among those that a name reaches: whole, or not at all.

What arrives is read with the limits of a template before anything is written, is put beside its place under a hidden name, and then
takes the place by renaming; what it replaces stays until all is done, and is put back when that fails.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.manifest import MANIFEST, Manifest, line_of, read_manifest
from counterfoil.catalogue.packing import LARGEST_WHOLE, NO_ZIP, files_in, is_left_out, pack, read_code, write_files
from counterfoil.catalogue.requirements import Lock, lock_for
from counterfoil.errors import Declined, UnknownTemplate

_ARRIVING, _ASIDE = ".arriving-", ".before"


@dataclass(slots=True)
class Arrival:
    """A template on its way to `place`: its manifest, version and lock, and the version that is there already (None: none)."""

    folder: Path
    place: Path
    manifest: Manifest
    version: str
    lock: Lock | None
    there: str | None
    same: bool
    _stands_in: Path | None = field(default=None)

    def take_place(self) -> None:
        """Be the template of its name; what was there is kept aside."""
        if self.same:
            return
        if self.place.exists():
            aside = self.folder.with_name(f"{self.folder.name}{_ASIDE}")
            self.place.rename(aside)
            self._stands_in = aside
        try:
            self.folder.rename(self.place)
        except BaseException:
            self.put_back()
            raise

    def put_back(self) -> None:
        """Undo `take_place`."""
        if not self.folder.exists() and not self.same:
            self.place.rename(self.folder)
        if self._stands_in is not None:
            self._stands_in.rename(self.place)
            self._stands_in = None


@contextlib.contextmanager
def arriving(source: Path, templates: Path, *, replace: bool) -> Iterator[Arrival]:
    """Read a template from a folder or a zip and put it beside its place in a folder of templates.

    Raises:
        UnknownTemplate: nothing is there.
        BrokenFile: it is no template that can be used.
        Declined: another one of its name is there, and it is not to be replaced.
    """
    with contextlib.ExitStack() as stack:
        if source.is_dir():
            folder = source.resolve()
            files = {} if folder.parent == templates.resolve() else read_code(folder, whole=True)
        else:
            files = _unzipped(source)
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="counterfoil-"))) / source.stem
            write_files(files, folder)
        manifest = read_manifest(folder)
        version, _ = pack(folder)
        lock = lock_for(folder, manifest.packages, line_of(folder, "requires") or None)
        place = templates / manifest.name
        if not files:  # it lies in its place already
            yield Arrival(folder, folder, manifest, version, lock, version, same=True)
            return
        templates.mkdir(mode=0o700, parents=True, exist_ok=True)
        stack.enter_context(_alone_in(templates))
        there, same = _there(place, files)
        if there and not (same or replace):
            what = f"‘{manifest.name}’ is among the templates in {templates} already, and it is another one."
            raise Declined(f"{what} Nothing was changed.", "To put this one in its place, add --replace.")
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=_ARRIVING, dir=templates)))
        fresh = scratch / manifest.name
        write_files(files, fresh)
        yield Arrival(fresh, place, manifest, version, lock, there, same)


def _there(place: Path, files: dict[str, bytes]) -> tuple[str | None, bool]:
    """The version in a place, "?" for one that cannot be read, None for none; and whether it is these very files."""
    if not os.path.lexists(place):
        return None, False
    try:
        return pack(place)[0], read_code(place, whole=True) == files
    except BrokenFile:
        return "?", False


def _unzipped(archive: Path) -> dict[str, bytes]:
    """The files of a template in a zip, which may hold them in one folder."""
    folder = Path(archive.stem or "archive")
    advice = "A template is added from its folder, or from a zip of it."
    try:
        with zipfile.ZipFile(archive) as source:
            files = files_in(source, LARGEST_WHOLE)
    except FileNotFoundError:
        raise UnknownTemplate(f"there is no folder and no archive ‘{archive}’.", advice) from None
    except NO_ZIP as problem:
        raise BrokenFile(folder, "", None, f"it is no zip of a template: {problem}.", advice) from problem
    tops = {name.partition("/")[0] for name in files}
    if MANIFEST not in files and len(tops) == 1:
        files = {name.partition("/")[2]: data for name, data in files.items() if "/" in name}
    if MANIFEST not in files:
        raise BrokenFile(folder, MANIFEST, None, "there is no such file in the archive.", advice)
    return {name: data for name, data in files.items() if not any(is_left_out(part) for part in name.split("/"))}


@contextlib.contextmanager
def _alone_in(templates: Path) -> Iterator[None]:
    """Wait for others who add to a folder of templates, and clear up after those that were killed."""
    handle = os.open(templates, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        for scratch in templates.glob(f"{_ARRIVING}*"):
            for aside in scratch.glob(f"*{_ASIDE}"):
                place = templates / aside.name.removesuffix(_ASIDE)
                if not place.exists():  # killed between the two acts of taking its place
                    aside.rename(place)
            shutil.rmtree(scratch, ignore_errors=True)
        yield
    finally:
        os.close(handle)
