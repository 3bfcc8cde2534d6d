"""Starting a run: the template's version is kept by content, its parameters are checked against it, and a ready run is committed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shlex
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from counterfoil import __version__
from counterfoil.authoring.codec import canonical
from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.manifest import manifest_json, read_manifest, title_of_run
from counterfoil.catalogue.packing import digest_of, pack, read_code, unpack
from counterfoil.catalogue.sent_back import sent_back
from counterfoil.catalogue.shelf import Shelf
from counterfoil.errors import BrokenTemplate
from counterfoil.places import Home
from counterfoil.policy.protection import NOTHING, Consent
from counterfoil.runner.consent import note_fall, refuse_a_fall, refuse_unconfined
from counterfoil.sandbox.hosts import Host
from counterfoil.sandbox.launching import Unfit
from counterfoil.sandbox.levels import Measured
from counterfoil.sandbox.probing import measured
from counterfoil.stage.grounds import refuse
from counterfoil.stage.leaving_out import choices_of
from counterfoil.stage.survey import refuse_too_much, survey
from counterfoil.store import blob_rows, history, runs, versions
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn

LOAD_LIMIT = 60.0  # seconds a template may take to load


def keep_version(database: Database, home: Home, folder: Path, by: str) -> Row:
    """Keep the template folder as it is now, if it is not kept already; the version's row.

    Raises:
        BrokenTemplate: the folder is no usable template.
        PackagesMissing: the packages it requires are not here.
    """
    manifest = read_manifest(folder)
    brought = Shelf(home).of_template(folder, f"Run: counterfoil template add {shlex.quote(str(folder))}")
    version, archive = pack(folder)
    with database.connect() as conn:  # of its own: the runner keeps versions on a thread
        known = versions.get(conn, version)
    if known is not None:
        return known
    unpacked = unpack(archive, version, home.versions)
    found = asyncio.run(_described(home, unpacked, manifest.name, brought))
    answers = sent_back(read_code(unpacked))
    source = Blobs(home).put(archive)

    def operation(txn: Txn) -> None:
        blob_rows.note(txn, source, len(archive))
        versions.add(
            txn,
            by,
            digest=version,
            name=manifest.name,
            title=manifest.title,
            manifest=canonical({**manifest_json(manifest), "steps": found["steps"], "sent_back": answers}),
            parameters=canonical(found["parameters"]),
            source=source,
            origin=str(folder),
            program=__version__,
        )

    database.transact(operation)
    with database.connect() as conn:
        row = versions.get(conn, version)
    if row is None:
        raise BrokenTemplate(f"Template ‘{manifest.name}’ could not be kept.", "Run: counterfoil doctor")
    return row


async def _described(home: Home, version: Path, name: str, brought: Path | None) -> dict[str, Any]:
    """Load the template in a host of its own, since loading runs its code; what was compiled on the way is kept with the version."""
    try:
        host = await Host.start(home, measured(home), brought, compiles=True)
    except (Unfit, OSError) as problem:
        raise BrokenTemplate(
            f"Template ‘{name}’ cannot be loaded safely: {problem}.", "Run: counterfoil doctor"
        ) from problem
    try:
        async with asyncio.timeout(LOAD_LIMIT):
            answer, compiled = await host.describe(version, name)
    except Unfit as problem:
        raise BrokenTemplate(
            f"Template ‘{name}’ cannot be loaded safely: {problem}.", "Run: counterfoil doctor"
        ) from problem
    except (ConnectionError, TimeoutError) as problem:
        raise BrokenFile(
            version,
            "workflow.py",
            None,
            "it ended its process, or did not load within a minute.",
            "Run: counterfoil template check",
        ) from problem
    finally:
        host.kill()
        await host.ended()
    if "problem" in answer:
        raise BrokenTemplate(*answer["problem"])
    _keep_compiled(version, compiled)
    found: dict[str, Any] = answer["found"]
    return found


def _keep_compiled(version: Path, compiled: dict[str, bytes]) -> None:
    """Put compiled modules beside a version's sources; without them loading is slower, not wrong."""
    with contextlib.suppress(OSError), tempfile.TemporaryDirectory(prefix=".compiled-", dir=version.parent) as scratch:
        for path, data in compiled.items():
            (version / path).parent.mkdir(mode=0o700, exist_ok=True)
            whole = Path(scratch) / "whole"  # another process may copy the version meanwhile
            whole.write_bytes(data)
            whole.replace(version / path)


def start_run(
    database: Database,
    home: Home,
    *,
    template: Path,
    workspace: Path,
    parameters: Callable[[list[dict[str, Any]]], dict[str, Any]],
    started_by: str,
    consent: Consent = NOTHING,
    again: runs.Again = runs.FRESH,
) -> Row:
    """Commit a ready run; its row. `parameters` is given the schema and returns checked values as plain JSON; `again` names the run that
    it does again.

    Raises:
        BrokenTemplate, WrongParameter, WrongWorkspace: nothing was started.
        NotIsolated, LessProtection: nobody agreed to the protection that there is; nothing was started.
    """
    name, digest = read_manifest(template).name, digest_of(read_code(template))
    found, fell_from = promised(database, home, name, digest, workspace, consent)
    version = keep_version(database, home, template, started_by)
    values = parameters(json.loads(version["parameters"]))
    manifest = json.loads(version["manifest"])
    new = runs.NewRun(
        template=version["name"],
        version=version["digest"],
        workspace=str(workspace),
        title=title_of_run(manifest["run_title"] or version["title"], values),
        parameters=canonical(values),
        started_by=started_by,
        program=__version__,
        isolation=found.mark,
        again=again,
    )

    def operation(txn: Txn) -> Row:
        row = runs.create(txn, new)
        if fell_from is not None:
            note_fall(txn, row, started_by, fell_from, found)
        return row

    return database.transact(operation)


def promised(
    database: Database, home: Home, name: str, version: str, workspace: Path, consent: Consent
) -> tuple[Measured, str | None]:
    """The protection that a new run in a folder gets, and the mark of the higher one before where a person has agreed to less.

    Raises:
        WrongWorkspace: no run can work on the folder.
        NotIsolated, LessProtection: nobody agreed.
    """
    found = measured(home)
    refuse_unconfined(home, found, name, version, workspace, consent)
    before = history.isolation_in(database.reader, str(workspace))
    fallen = refuse_a_fall(found, before, "The last run in this folder", consent)
    refuse(workspace, home)
    refuse_too_much(survey(str(workspace), choices_of(workspace, home)), str(workspace))
    return found, before if fallen else None
