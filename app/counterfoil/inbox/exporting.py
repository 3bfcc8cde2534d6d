"""Exporting evidence of a run: a pack that appears whole or not at all, and an entry in the trail that names its seal."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

from counterfoil.errors import CounterfoilError, Damaged, DiskFull, NotExported
from counterfoil.facts import person, storable
from counterfoil.places import Home
from counterfoil.store import runs, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn
from counterfoil.views.evidence import Evidence, Member, evidence_of

KIND = "evidence"  # of entries in the trail
_WHEN = (1980, 1, 1, 0, 0, 0)  # the first instant a zip can hold; when it was exported stands on the first page
_PIECE = 1024 * 1024
_FULL = (errno.ENOSPC, errno.EDQUOT)


def look_at_evidence(database: Database, blobs: Blobs, home: Home, run_id: str) -> Evidence:
    """What a pack of a run would hold now.

    Raises:
        Damaged: what it would hold is not what its digest says.
    """
    with database.snapshot() as conn:
        return evidence_of(conn, blobs, home, runs.get(conn, run_id), database.clock.now_us())


def export_evidence(
    database: Database, blobs: Blobs, home: Home, run_id: str, target: Path, by: str, *, replace: bool = False
) -> Evidence:
    """Write the pack of a run to `target`; what it holds. `replace`: somebody has agreed to lose what is there.

    Raises:
        NotExported: something is there, or it cannot be written; the sentence says why.
        DiskFull: there is no room for it.
        Damaged: as `look_at_evidence`.
    """
    if not replace and os.path.lexists(target):
        raise NotExported(f"{target} is there already. Nothing was exported.", "Choose another name.")
    found = look_at_evidence(database, blobs, home, run_id)
    part: Path | None = None
    try:
        part = _written(found, target)
        _keep(database, run_id, by, found, part, target)
    except OSError as problem:
        raise _refusal(problem, target) from problem
    finally:
        if part is not None:
            part.unlink(missing_ok=True)
    return found


def _written(found: Evidence, target: Path) -> Path:
    """The whole pack beside its place, synced."""
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
                for member in found.members:
                    _put(archive, member)
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _keep(database: Database, run_id: str, by: str, found: Evidence, part: Path, target: Path) -> None:
    """Put it in its place with its entry in the trail, both or neither."""
    there = False

    def operation(txn: Txn) -> None:
        nonlocal there
        _note(txn, run_id, by, found, target.name)
        os.replace(part, target)
        there = True

    try:
        database.transact(operation)
    except BaseException:
        if there:
            target.unlink(missing_ok=True)
        raise


def _put(archive: zipfile.ZipFile, member: Member) -> None:
    entry = zipfile.ZipInfo(member.name, _WHEN)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o100600 << 16
    if isinstance(member.data, bytes):
        archive.writestr(entry, member.data)
        return
    digest = hashlib.sha256()
    with member.data.open("rb") as source, archive.open(entry, "w", force_zip64=True) as packed:
        while piece := source.read(_PIECE):
            digest.update(piece)
            packed.write(piece)
    if digest.hexdigest() != member.sha256:
        raise Damaged(
            f"The kept content {member.sha256[:12]} was changed on disk.", "Restore a backup of the data folder."
        )


def _refusal(problem: OSError, target: Path) -> CounterfoilError:
    if problem.errno in _FULL:
        room = shutil.disk_usage(target.parent)
        free = f"{room.free // 1_000_000:,} of {room.total // 1_000_000:,} MB free"
        return DiskFull(f"The disk is full ({free} at {target.parent}). Nothing was exported.", "Choose another place.")
    return NotExported(
        f"{target} cannot be written: {problem.strerror}. Nothing was exported.", "Choose another place."
    )


def _note(txn: Txn, run_id: str, by: str, found: Evidence, name: str) -> None:
    number = runs.get(txn.conn, run_id)["number"]
    seal = f"{found.seal[:4]} {found.seal[4:8]}"
    trail_rows.append(
        txn,
        by=by,
        kind=KIND,
        subject=run_id,
        summary=f"{person(by)} exported evidence of run {number}, seal {seal}",
        after={"run": number, "seal": found.seal, "file": storable(name), "members": len(found.members)},
    )
