"""Exporting evidence of a run: a pack that appears whole or not at all, and never without its entry in the trail, which names its seal."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import uuid
import zipfile
from pathlib import Path

from counterfoil.errors import CounterfoilError, Damaged, DiskFull, NotExported
from counterfoil.facts import person, storable
from counterfoil.inbox import exports_under_way
from counterfoil.places import Home
from counterfoil.store import runs
from counterfoil.store.blobs import Blobs, sync_folder
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn
from counterfoil.views.evidence import Evidence, Member, evidence_of

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
    exports_under_way.clear_away(database)
    found = look_at_evidence(database, blobs, home, run_id)
    part = target.with_name(f".{target.name}-{uuid.uuid4().hex[:8]}.part")
    database.transact(lambda txn: exports_under_way.begin(txn, part))
    try:
        _write(found, part)
        database.transact(lambda txn: _enter(txn, run_id, by, found, part, target))
        os.replace(part, target)
    except BaseException as problem:
        exports_under_way.give_up(database, part)
        if isinstance(problem, OSError):
            raise _refusal(problem, target) from problem
        raise
    # All is in its place. What fails here is left to the next who looks, as after a power cut.
    with contextlib.suppress(CounterfoilError, OSError):
        sync_folder(target.parent)
        database.transact(lambda txn: exports_under_way.end(txn, part))
    return found


def _write(found: Evidence, part: Path) -> None:
    """The whole pack, private to this account, synced."""
    with os.fdopen(
        os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), "wb"
    ) as out:
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for member in found.members:
                _put(archive, member)
        out.flush()
        os.fsync(out.fileno())
    sync_folder(part.parent)


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


def _enter(txn: Txn, run_id: str, by: str, found: Evidence, part: Path, target: Path) -> None:
    number = runs.get(txn.conn, run_id)["number"]
    summary = f"{person(by)} exported evidence of run {number}, seal {found.seal[:4]} {found.seal[4:8]}"
    after = {"run": number, "seal": found.seal, "file": storable(target.name), "members": len(found.members)}
    exports_under_way.enter(txn, part, by, run_id, summary, after)
