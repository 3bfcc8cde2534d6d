"""Measuring the level at start-up: a host is really started with everything it will have, and reports what it finds.

The answer is kept with what it depends on (kernel, boot, bubblewrap, security modules, account, program), so that a command need not
measure again. Only “isolated” is believed longer than a process: trouble of a moment must not lower the level for good. A wrong answer
kept would be noticed: every host is judged again before it is given a run.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterfoil import __version__
from counterfoil.engine.frames import Unpacker, pack
from counterfoil.places import Home
from counterfoil.policy import protection
from counterfoil.policy.protection import CAPPED, ISOLATED, NONE, RESTRICTED, WEAK
from counterfoil.sandbox import advising, bwrap, landlock, scopes, seccomp
from counterfoil.sandbox.ending import end
from counterfoil.sandbox.launching import Cell, Given, Slot, Unfit, interpreter, judge, prepare, request
from counterfoil.sandbox.levels import Measured

PATIENCE = 20.0  # seconds a probe may take
_DEPENDS_ON = """
    /proc/sys/kernel/random/boot_id /sys/kernel/security/lsm /proc/sys/kernel/unprivileged_userns_clone
    /proc/sys/user/max_user_namespaces /proc/sys/kernel/apparmor_restrict_unprivileged_userns
""".split()
_known: dict[str, Measured] = {}  # of this process


def measured(home: Home, *, afresh: bool = False) -> Measured:
    """The level that hosts have on this computer; measured now, or once before under the same circumstances."""
    depends_on = _circumstances()
    known = "\n".join(depends_on)
    kept = None if afresh else _known.get(known) or _read(home, depends_on)
    if kept is None:
        kept = _measure()
        _write(home, depends_on, kept)
    _known[known] = kept
    return kept


def _measure() -> Measured:
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if sys.platform != "linux":
        return Measured(
            NONE,
            f"Isolation for {sys.platform} is written but was never run, so it is not used.",
            advising.OTHER_SYSTEM.next_step,
        )
    try:
        seccomp.architecture()
    except seccomp.UnknownArchitecture as problem:
        return Measured(NONE, f"There is no filter of system calls for {problem}.", advising.KERNEL.next_step)
    why, advice = bwrap.trusted() or "", advising.INSTALL
    if not why:
        found, why = _walled(as_root)
        if found is not None:
            return found
        advice = advising.advice_on(why)
    return _without_walls(f"It is not isolated because {_unended(why)}.", advice, as_root)


def _walled(as_root: bool) -> tuple[Measured | None, str]:
    """The level with namespaces, capped where the system does that; or why there are none."""
    why = ""
    for no_more_users in (True, False):
        found = Measured(ISOLATED, no_more_users=no_more_users, as_root=as_root, tells=not landlock.can_hide())
        why = _problem(found)
        if why:
            continue
        capped = replace(found, level=CAPPED)
        return (capped if scopes.trouble() is None and not _problem(capped) else found), ""
    return None, why


def _without_walls(why: str, advice: advising.Advice, as_root: bool) -> Measured:
    version = landlock.abi()
    told = Measured(NONE, why, advice.next_step, as_root=as_root, landlock=version, profile=advice.profile)
    if version == 0:
        return replace(told, why=f"{why} This kernel has no Landlock either.")
    found = replace(told, level=RESTRICTED if version >= 6 else WEAK)
    other = _problem(found)
    return found if not other else replace(told, why=f"{why} Restricting it fails too: {_unended(other)}.")


def _unended(words: str) -> str:
    """Words of a program, to be the end of a sentence of ours."""
    return words.rstrip(". ")


def _problem(wanted: Measured) -> str:
    """Why a host at this level does not come up as it must; empty when it does."""
    with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder:
        apart = Home(Path(folder).resolve() / "home")
        cell = Cell(wanted, Slot(apart), apart)
        given = Given(files=cell.slot.files, work=cell.slot.work)
        try:
            with _started(cell, given) as (pid, found):
                judge(cell, given, found, pid)
        except Unfit as problem:
            return str(problem)
        except (OSError, subprocess.SubprocessError) as problem:
            return f"it cannot be started ({problem})"
    return ""


@contextlib.contextmanager
def _started(cell: Cell, given: Given) -> Iterator[tuple[int, dict[str, Any]]]:
    """Start a host, ask it to confine itself, and end it; its first process and its report."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        frame = pack(request(cell, given))
        launch = prepare(cell, theirs.fileno())
        try:
            process = subprocess.Popen(
                launch.command,
                env=launch.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(), *launch.handles),
                start_new_session=True,
            )
        finally:
            launch.close()
        theirs.close()
        try:
            yield process.pid, _exchange(ours, frame)
        except (OSError, EOFError) as problem:
            raise Unfit(_last_words(process) or f"it said nothing ({problem})") from problem
        finally:
            _last_words(process)


def _exchange(wire: socket.socket, frame: bytes) -> dict[str, Any]:
    wire.settimeout(PATIENCE)
    wire.sendall(frame)
    unpacker = Unpacker()
    while data := wire.recv(65_536):
        for header, _ in unpacker.feed(data):
            return header
    raise EOFError("its socket closed")


def _last_words(process: subprocess.Popen[bytes]) -> str:
    """End a process; the last line that it said."""
    end(process.pid)
    if process.stderr is None or process.stderr.closed:
        return ""
    _, said = process.communicate()
    lines = said.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else ""


# ----------------------------------------------------------------------------------------------------------- what is kept


def _circumstances() -> list[str]:
    found = [__version__, platform.release(), platform.machine(), str(interpreter())]
    found.append(str(os.geteuid()) if hasattr(os, "geteuid") else "")
    for path in _DEPENDS_ON:
        try:
            found.append(Path(path).read_text(encoding="ascii").strip())
        except (OSError, ValueError):
            found.append("")
    try:
        program = bwrap.PROGRAM.stat()
        found += [str(number) for number in (program.st_ino, program.st_size, program.st_mtime_ns, program.st_mode)]
    except OSError:
        found.append("no bubblewrap")
    return found


def _read(home: Home, depends_on: list[str]) -> Measured | None:
    """What was measured under the same circumstances, where it was the best there is to measure."""
    try:
        kept = json.loads(protection.place_of(home).read_bytes())
        level = protection.BY_CODE[kept["level"]]
        if kept["depends_on"] != depends_on or level not in (ISOLATED, CAPPED):
            return None
        return Measured(level, no_more_users=kept["no_more_users"], as_root=kept["as_root"], tells=kept["tells"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(home: Home, depends_on: list[str], found: Measured) -> None:
    """Keep what was measured, for the next time and for whoever shows it; a data folder that is not there yet is not made for it."""
    if not home.run.is_dir():
        return
    told = {
        "depends_on": depends_on,
        "level": found.code,
        "no_more_users": found.no_more_users,
        "as_root": found.as_root,
        "tells": found.tells,
    }
    shown = {"mark": found.mark, "why": found.why, "next": found.next_step, "profile": found.profile}
    with contextlib.suppress(OSError):
        fresh = home.run / f".protection-{os.getpid()}"
        fresh.write_text(json.dumps({**told, **shown}, ensure_ascii=False), encoding="utf-8")
        fresh.replace(protection.place_of(home))
