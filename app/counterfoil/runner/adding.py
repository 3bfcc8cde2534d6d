"""Adding a template, with all that it needs: its packages are fetched now and never when it runs, and the trail says what came."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from counterfoil.catalogue.adding import arriving
from counterfoil.catalogue.fetching import client
from counterfoil.catalogue.manifest import read_manifest
from counterfoil.catalogue.packing import unpack
from counterfoil.catalogue.requirements import LOCK, Lock, lock_for, lock_of_text
from counterfoil.catalogue.shelf import Shelf
from counterfoil.errors import BrokenTemplate, UnknownTemplate
from counterfoil.places import Home
from counterfoil.store import trail_rows, versions
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn


@dataclass(frozen=True, slots=True)
class Added:
    """What came of adding: `added` the template, `fetched` its packages (either may have been there), `before` the version it replaced."""

    name: str
    folder: Path
    version: str
    added: bool
    fetched: bool
    before: str | None
    lock: Lock | None

    @property
    def packages(self) -> dict[str, str]:
        """Names and releases of the packages that this computer needs for it."""
        return {release.name: release.version for release in self.lock.here} if self.lock else {}


def add_template(
    database: Database,
    home: Home,
    source: Path,
    templates: Path,
    *,
    by: str,
    replace: bool = False,
    wheels: Path | None = None,
) -> Added:
    """Put a template (a folder or a zip) into a folder of templates and its packages into the home; both or neither.

    Raises:
        UnknownTemplate, BrokenTemplate, Declined: it is no template, or its place is taken.
        FetchFailed, PackagesMissing: its packages are not to be had.
    """
    with arriving(source, templates, replace=replace) as arrival:
        fetched = _fetch(home, arrival.lock, wheels)
        arrival.take_place()
        found = Added(
            arrival.manifest.name,
            arrival.place,
            arrival.version,
            not arrival.same,
            fetched,
            None if arrival.same else arrival.there,
            arrival.lock,
        )
        try:
            _note(database, found, source, by)
        except BaseException:
            arrival.put_back()
            raise
    return found


def fetch_again(database: Database, home: Home, version: str, *, by: str, wheels: Path | None = None) -> Added:
    """Fetch the packages of a version that is kept for its runs; `version` is its digest or the beginning of it.

    Raises:
        UnknownTemplate: no version is kept by that digest, or several are.
        FetchFailed, PackagesMissing: its packages are not to be had.
    """
    rows = versions.beginning_with(database.reader, version)
    if len(rows) != 1:
        what = "no version" if not rows else "more than one version"
        raise UnknownTemplate(f"{what} that begins with ‘{version}’ is kept.", "`counterfoil show RUN` tells a run's.")
    row = rows[0]
    folder = unpack(Blobs(home).get(row["source"]), row["digest"], home.versions)
    lock = lock_for(folder, read_manifest(folder).packages)
    found = Added(row["name"], folder, row["digest"], False, _fetch(home, lock, wheels), None, lock)
    _note(database, found, folder, by)
    return found


def lock_template(folder: Path, wheels: Path | None = None) -> tuple[Lock, bool]:
    """Write the lock of a template folder; what it says, and whether it fits every kind of computer.

    Raises:
        BrokenTemplate: the folder is no template, or it requires nothing.
        FetchFailed: no releases answer what it requires; a lock that was there is left as it was.
    """
    manifest = read_manifest(folder)
    if not manifest.packages:
        advice = 'Write [packages] and below it requires = ["name>=1"] into template.toml.'
        raise BrokenTemplate(f"{folder.name} requires no packages, so there is nothing to lock.", advice)
    asked = client()
    lock = lock_of_text(folder, asked.resolve(manifest.packages, wheels))
    fresh = folder / f".{LOCK}.new"
    fresh.write_text(lock.text(), encoding="utf-8")
    fresh.replace(folder / LOCK)
    return lock, asked.fits_everywhere


def _fetch(home: Home, lock: Lock | None, wheels: Path | None) -> bool:
    return lock is not None and Shelf(home).keep(lock, lambda into: client().fetch(lock, into, wheels))


def _note(database: Database, found: Added, source: Path, by: str) -> None:
    """The trail's entry; none where nothing came."""
    if not (found.added or found.fetched):
        return
    count = len(found.packages)
    packages = f"{count} package{'' if count == 1 else 's'}"
    version = f"“{found.name}” version {found.version[:8]}"
    summary = f"Fetched {packages} for template {version}"
    if found.added:
        summary = f"Added template {version}" + (f" with {packages}" if count else "")
    after = {
        "digest": found.version,
        "origin": str(source),
        "folder": str(found.folder),
        "packages": found.packages,
        "packages_digest": found.lock.digest if found.lock and found.packages else None,
    }

    def operation(txn: Txn) -> None:
        trail_rows.append(
            txn,
            by=by,
            kind="template",
            subject=found.name,
            summary=summary,
            before={"digest": found.before} if found.before else None,
            after=after,
        )

    database.transact(operation)
