"""Going on with less protection than there was: never silently. A fall of level is asked about once, and running code that nothing
confines takes the folder's name, typed. What was agreed to is kept in the trail.

Templates that come with this program need no such agreement: their code is this program's own.
"""

from __future__ import annotations

from pathlib import Path

from counterfoil.catalogue.finding import is_bundled
from counterfoil.catalogue.manifest import read_manifest
from counterfoil.catalogue.packing import digest_of, read_code
from counterfoil.errors import LessProtection, NotIsolated, WrongUse
from counterfoil.places import Home
from counterfoil.policy import protection, unprotected
from counterfoil.policy.protection import NONE, NOTHING, Consent, is_lower
from counterfoil.sandbox.levels import Measured
from counterfoil.sandbox.probing import measured
from counterfoil.store import history, runs, trail_rows
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn


def refuse_unconfined(home: Home, found: Measured, name: str, version: str, workspace: Path, given: Consent) -> None:
    """Where nothing confines code, let only what a person allowed by typing the folder's name be run.

    Raises:
        NotIsolated: nobody allowed it for this folder in this session.
        WrongUse: another name was typed.
    """
    if found.level is not NONE or is_bundled(name, version):
        return
    if given.folder:
        if given.folder != workspace.name:
            raise WrongUse(f"‘{given.folder}’ is not the name of {workspace}.", f"It is ‘{workspace.name}’.")
        unprotected.confirm(home, workspace)
    if not unprotected.is_confirmed(home, workspace):
        raise NotIsolated(
            found.sentence,
            f"To allow it in this folder until your session ends: --unprotected ‘{workspace.name}’. {found.next_step}",
        )


def refuse_a_fall(found: Measured, before: str | None, what: str, given: Consent) -> bool:
    """Whether a person agreed to a lower level than `before` (a mark, None for none); `what` had that one.

    Raises:
        LessProtection: nobody agreed, and nothing was done.
    """
    if before is None or not is_lower(found.mark, before):
        return False
    if given.level != found.code and not (found.level is NONE and given.folder):
        raise LessProtection(
            f"{what} was “{protection.badge(before)}” ({protection.code_of(before)}). Now: {found.sentence}",
            f"Raise it again ({found.next_step}), or accept it: --protection {found.code}",
        )
    return True


def refuse_unasked(database: Database, home: Home, template: Path, workspace: Path) -> None:
    """Let nobody's wish to start a template, such as a routine's, lower the protection: it cannot agree to anything.

    Raises:
        NotIsolated, LessProtection: a person has to start it first.
    """
    found = measured(home)
    name, version = read_manifest(template).name, digest_of(read_code(template))
    refuse_unconfined(home, found, name, version, workspace, NOTHING)
    with database.connect() as conn:  # of its own: the runner starts routines on a thread
        before = history.isolation_in(conn, str(workspace))
    refuse_a_fall(found, before, "The last run in this folder", NOTHING)


def note_fall(txn: Txn, run: Row, by: str, before: str, found: Measured) -> None:
    """Keep in the trail that a run goes on with less, and who agreed."""
    trail_rows.append(
        txn,
        by=by,
        kind="protection",
        subject=run["run_id"],
        summary=f"Accepted for run {run['number']}: {found.level.badge} ({found.code}), before {protection.code_of(before)}",
        before={"isolation": before},
        after={"isolation": found.mark, "sentence": found.sentence},
    )


def go_on(database: Database, home: Home, run: Row, by: str, given: Consent) -> None:
    """Let a run that was started with more protection go on with what there is, where a person agreed.

    Raises:
        NotIsolated, LessProtection: nobody agreed, and nothing was changed.
    """
    found = measured(home)
    refuse_unconfined(home, found, run["template"], run["version"], Path(run["workspace"]), given)
    if not refuse_a_fall(found, run["isolation"], f"Run r-{run['number']}", given):
        return

    def operation(txn: Txn) -> None:
        runs.lower(txn, run["run_id"], found.mark)
        note_fall(txn, run, by, run["isolation"], found)

    database.transact(operation)
