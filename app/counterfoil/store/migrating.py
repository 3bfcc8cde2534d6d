"""Bringing a database to this version: the file is copied aside, the copy is migrated and verified, then swapped in.

Alembic runs the revisions; PRAGMA user_version repeats which one is in force, so that opening a current database needs no Alembic.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import uuid
from pathlib import Path

import sqlalchemy as sa

from counterfoil.errors import StoreTrouble
from counterfoil.store import migrations
from counterfoil.store.blobs import sync_folder


def migrate(path: Path, found: int, wanted: int, application: int) -> None:
    """Migrate the file at `path` from data version `found` to `wanted`, and mark it as a file of ours.

    The old file stays beside it as `….before-N`; at every moment there is one whole file at `path`.

    Raises:
        StoreTrouble: another program has the file open, or the migrated copy does not pass SQLite's own check; nothing was changed.
    """
    copy = path.with_name(f"{path.name}.{uuid.uuid4().hex[:8]}.new")
    try:
        if found:
            _copy(path, copy)
        _upgrade(copy, wanted, application)
        _verify(copy)
        if found:
            _keep_aside(path, path.with_name(f"{path.name}.before-{wanted}"))
        _place(copy, path, replace=bool(found))
        sync_folder(path.parent)
    finally:
        copy.unlink(missing_ok=True)
        _drop_side_files(copy)


def _place(copy: Path, path: Path, *, replace: bool) -> None:
    if replace or (path.exists() and path.stat().st_size == 0):
        os.replace(copy, path)
        return
    with contextlib.suppress(FileExistsError):  # another process made it meanwhile: theirs is as good
        os.link(copy, path)


def _copy(source: Path, target: Path) -> None:
    with contextlib.closing(sqlite3.connect(source)) as old, contextlib.closing(sqlite3.connect(target)) as new:
        try:
            # out of WAL, so that all of it is in the one file: nothing may be left over that would be read into its successor
            old.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.OperationalError as problem:
            raise StoreTrouble(
                f"{source.name} has to be brought to a newer data version, but another program has it open.",
                "Stop the runner and close the window, then start again.",
            ) from problem
        old.backup(new)


def _keep_aside(path: Path, aside: Path) -> None:
    aside.unlink(missing_ok=True)
    os.link(path, aside)


def _drop_side_files(path: Path) -> None:
    for suffix in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _upgrade(path: Path, wanted: int, application: int) -> None:
    # Alembic costs 0.2 s and is needed once
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    engine = sa.create_engine(f"sqlite:///{path}", poolclass=sa.pool.NullPool)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    with contextlib.closing(sqlite3.connect(path)) as raw:
        raw.execute(f"PRAGMA application_id={application}")
        raw.execute(f"PRAGMA user_version={wanted}")
        raw.commit()


def _verify(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as raw:
        verdict = raw.execute("PRAGMA integrity_check").fetchone()[0]
        broken = raw.execute("PRAGMA foreign_key_check").fetchall()
    if verdict != "ok" or broken:
        raise StoreTrouble(
            f"The migrated copy of {path.name} did not pass its check ({verdict}).",
            "The old file is untouched; restore a backup.",
        )
