"""`doctor`: one list of what this program needs, how it stands, what that means for you, and the exact next step."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import zoneinfo
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from counterfoil import __version__
from counterfoil.catalogue.manifest import MANIFEST, read_manifest
from counterfoil.catalogue.packing import read_code
from counterfoil.cli.call import Call
from counterfoil.cli.opening import workspace_of
from counterfoil.cli.options import Context, OnlyThis, call_of
from counterfoil.cli.words import clock, size
from counterfoil.clock import SystemClock
from counterfoil.effects.secrets import Keyring, KeyringUnusable
from counterfoil.errors import CounterfoilError, SecretMissing
from counterfoil.inbox.home_settings import home_settings
from counterfoil.inbox.pausing import standstill
from counterfoil.places import bundled
from counterfoil.runner.at_login import AtLogin
from counterfoil.sandbox.probing import measured
from counterfoil.stage.leaving_out import choices_of, told
from counterfoil.stage.probing import probe
from counterfoil.stage.survey import refuse_too_much, survey
from counterfoil.store import leases
from counterfoil.store.database import SCHEMA, filesystem_of, integrity, open_database
from counterfoil.store.originals import size_of, undo_places
from counterfoil.store.transactions import Row
from counterfoil.views.support import support_text

_WORDS = {"ok": "fine", "warn": "look at this", "bad": "not in order"}
_LOW, _EMPTY = 1_000_000_000, 100_000_000  # bytes free
_PATIENCE = 10.0  # seconds a keyring may take here
_NOBODY = "doctor-asks-whether-you-answer"
_QT = "import PySide6.QtWidgets"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the list: `state` is ok, warn or bad; `next` is None where nothing is to be done."""

    what: str
    state: str
    means: str
    next: str | None = None


def doctor(
    context: Context,
    workspace: OnlyThis = None,
    support: Annotated[
        bool, typer.Option("--support", help="A text to give away: no names, no contents, no secrets.")
    ] = False,
) -> int:
    """Check that everything this program needs is in order."""
    call = call_of(context)
    checks = [found for check in _CHECKS for found in _tried(check, call)]
    if workspace is not None:
        place = workspace_of(workspace)

        def folder(call: Call) -> list[Check]:
            return _folder(place, call)

        checks += _tried(folder, call)
    bad = sum(check.state == "bad" for check in checks)
    documents = [asdict(check) for check in checks]
    if support:
        text = support_text(documents, call.home, SystemClock().now_us())
        call.document({"text": text})
        call.lines(text.splitlines())
        return 1 if bad else 0
    call.document(documents)
    for check in checks:
        call.line(f"{check.what}: {_WORDS[check.state]}. {check.means}")
        if check.next:
            first, *more = check.next.splitlines()
            call.lines([f"  next: {first}", *(f"    {line}" for line in more)])
    call.say(f"{len(checks)} checks, {bad} not in order." if bad else f"{len(checks)} checks, none of them bad.")
    return 1 if bad else 0


def _tried(check: Callable[[Call], list[Check]], call: Call) -> list[Check]:
    """A check that cannot even be made is a finding of its own."""
    try:
        return check(call)
    except CounterfoilError as problem:
        return [Check(_title(check), "bad", problem.message, problem.next_step or None)]
    except OSError as problem:
        return [Check(_title(check), "bad", f"It cannot be looked at: {problem}.", "Look at the data folder.")]


def _title(check: Callable[[Call], list[Check]]) -> str:
    return check.__name__.strip("_").replace("_", " ").capitalize()


def _program(_: Call) -> list[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    return [Check("Program", "ok", f"Counterfoil {__version__} on Python {version}, {sys.platform}.")]


def _data_folder(call: Call) -> list[Check]:
    root = call.home.root
    existing = next(folder for folder in (root, *root.parents) if folder.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        return [Check("Data folder", "bad", f"{root} cannot be written by this account.", "Choose another: --home DIR")]
    kind = filesystem_of(root)
    on = f" on {kind}" if kind else ""
    if existing != root:
        return [Check("Data folder", "ok", f"{root}{on} is made when the first run starts.")]
    return [Check("Data folder", "ok", f"{root}{on} can be written.")]


def _database(call: Call) -> list[Check]:
    if not call.home.database.exists():
        return [Check("Database", "ok", "There is none yet; it is made when the first run starts."), _runner(None)]
    database = open_database(call.home)
    try:
        with database.snapshot() as conn:
            verdict = integrity(conn)
            lease = leases.read(conn)
            paused = standstill(conn)
        alive = leases.alive(lease, database.clock.now_us())
    finally:
        database.close()
    length = size(_octets(call.home.database))
    if verdict != "ok":
        means = f"{call.home.database} is damaged: {verdict}."
        return [Check("Database", "bad", means, "Restore a backup of the data folder."), _runner(None)]
    means = f"{call.home.database}, data version {SCHEMA}, {length}, not damaged."
    found = [Check("Database", "ok", means), _runner(lease if alive else None)]
    if paused:
        found.append(Check("Pause", "warn", paused, "Go on: counterfoil runner resume"))
    return found


def _octets(database: Path) -> int:
    """Bytes of the database and of what it has not yet folded in, as the window's Storage counts them."""
    total = 0
    for file in database.parent.glob(f"{database.name}*"):
        with contextlib.suppress(FileNotFoundError):  # folded in meanwhile
            total += file.lstat().st_size
    return total


def _runner(lease: Row | None) -> Check:
    if lease is not None:
        return Check("Runner", "ok", f"Running since {clock(lease['started_at'])} (process {lease['pid']}).")
    means = "Off. Nothing starts or goes on; decisions are kept."
    return Check("Runner", "warn", means, "Start it: counterfoil runner")


def _keyring(call: Call) -> list[Check]:
    """Asking for a name that nobody keeps shows whether the keyring answers at all."""
    try:
        Keyring(call.home, _PATIENCE).get(_NOBODY)
    except KeyringUnusable as problem:
        means = f"{problem.message} Only templates that sign in somewhere need one."
        return [Check("Keyring", "warn", means, problem.next_step)]
    except SecretMissing:
        pass
    return [Check("Keyring", "ok", "It answers; passwords can be kept.")]


def _protection(call: Call) -> list[Check]:
    found = measured(call.home, afresh=True)
    means = f"{found.sentence} ({found.code})"
    if found.is_isolated:
        return [Check("Protection", "ok", means)]
    advice = f"{found.next_step} Until then, run only templates whose code you trust."
    return [Check("Protection", "warn", means, f"{advice}\n{found.profile}".rstrip())]


def _window(_: Call) -> list[Check]:
    try:
        tried = subprocess.run(
            [sys.executable, "-c", _QT], capture_output=True, text=True, timeout=60, check=False, cwd=os.sep
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return [Check("Window", "warn", f"Qt could not be tried: {problem}.", "The command line works without it.")]
    if tried.returncode == 0:
        return [Check("Window", "ok", "Qt can be loaded.")]
    last = (tried.stderr.strip().splitlines() or ["no reason was given"])[-1]
    return [Check("Window", "warn", f"Qt cannot be loaded: {last}.", "The command line works without it.")]


def _disk(call: Call) -> list[Check]:
    existing = next(folder for folder in (call.home.root, *call.home.root.parents) if folder.exists())
    usage = shutil.disk_usage(existing)
    means = f"{size(usage.free)} of {size(usage.total)} free where the data folder lies."
    if usage.free < _EMPTY:
        return [Check("Disk", "bad", f"{means} Soon no decision can be kept.", "Make room.")]
    if usage.free < _LOW:
        return [Check("Disk", "warn", means, "Make room before it is full.")]
    return [Check("Disk", "ok", means)]


def _undo_store(call: Call) -> list[Check]:
    """What runs displaced, in the data folder or, where that is another drive, in the workspaces."""
    places = [call.home.undo]
    if call.home.database.exists():
        database = open_database(call.home)
        try:
            places = undo_places(database.reader, call.home)
        finally:
            database.close()
    kept = size_of(places)
    if not kept:
        return [Check("Undo", "ok", "Nothing is kept: no run has displaced a file in the last 30 days.")]
    means = f"{size(kept)} of files as they were before runs changed them; each is kept for 30 days."
    return [Check("Undo", "ok", means)]


def _settings(call: Call) -> list[Check]:
    """Whether what people have set can be meant; a file that cannot is a finding by itself."""
    home_settings(call.home)
    return [Check("Settings", "ok", "What is set can be read.")]


def _templates(_: Call) -> list[Check]:
    """Those that come with the program: each can be read, and is whole."""
    folder = bundled("workflows")
    found = sorted(place.parent for place in folder.glob(f"*/{MANIFEST}"))
    for template in found:
        read_manifest(template)
        read_code(template)
    if not found:
        return [Check("Templates", "bad", f"{folder} holds none.", "Install Counterfoil anew.")]
    return [Check("Templates", "ok", f"{len(found)} come with this program, and each can be read.")]


def _start_at_login(call: Call) -> list[Check]:
    at_login = AtLogin(call.home)
    if not at_login.file.exists():
        return [Check("Start at login", "ok", "Nothing starts at login. To change that: counterfoil service install")]
    if not at_login.current():
        means = f"{at_login.file} would start another program than this one."
        return [Check("Start at login", "warn", means, "Mend it: counterfoil service install")]
    if at_login.active() is False:
        means = f"{at_login.file} is there, but the system does not run it now."
        return [Check("Start at login", "warn", means, "Start it again: counterfoil service install")]
    return [Check("Start at login", "ok", f"The runner starts at each login, by {at_login.file}.")]


def _folder(place: Path, call: Call) -> list[Check]:
    """A folder that is to be worked in: what of it is copied for a run, and what can be done there."""
    found = survey(str(place), choices_of(place, call.home), try_reading=True)
    refuse_too_much(found, str(place))
    files = sum(seen.kind == "file" for seen in found.seen.values())
    left_out = told((one.path, one.why) for one in found.left_out)
    means = f"{place}: {files:,} {'file' if files == 1 else 'files'}, {size(found.octets)}."
    means += f" Left out of copies: {', '.join(left_out)}." if left_out else ""
    able = probe(place, call.home)
    checks = [Check("Folder", "ok", f"{means} Files can be {', '.join(able.acts)}." if able.acts else means)]
    return checks + [Check("Folder", "warn", note.what, note.now) for note in able.notes]


def _time_zones(_: Call) -> list[Check]:
    try:
        zoneinfo.ZoneInfo("Europe/Berlin")
    except (zoneinfo.ZoneInfoNotFoundError, OSError):
        return [Check("Time zones", "bad", "There is no time zone data.", "Install the package tzdata.")]
    return [Check("Time zones", "ok", "Time zone data is there.")]


_CHECKS: tuple[Callable[[Call], list[Check]], ...] = (
    _program,
    _data_folder,
    _database,
    _keyring,
    _protection,
    _window,
    _disk,
    _undo_store,
    _settings,
    _templates,
    _start_at_login,
    _time_zones,
)
