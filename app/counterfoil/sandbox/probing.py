"""Measuring the level at start-up: a host is really started with everything it will have, and reports what it finds.

The answer is kept with what it depends on (kernel, boot, bubblewrap, security modules, account, program), so that a command need not
measure again. Only “isolated” is kept longer than a process: trouble of a moment must not lower the level for good. A wrong answer
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
from pathlib import Path
from typing import Any

from counterfoil import __version__
from counterfoil.engine.frames import Unpacker, pack
from counterfoil.places import Home
from counterfoil.sandbox import bwrap, landlock, seccomp
from counterfoil.sandbox.ending import end
from counterfoil.sandbox.launching import Cell, Slot, Unfit, interpreter, judge, prepare, request
from counterfoil.sandbox.levels import BY_CODE, ISOLATED, NONE, RESTRICTED, WEAK, Level, Measured

PATIENCE = 20.0  # seconds a probe may take
_DEPENDS_ON = """
    /proc/sys/kernel/random/boot_id /sys/kernel/security/lsm /proc/sys/kernel/unprivileged_userns_clone
    /proc/sys/user/max_user_namespaces /proc/sys/kernel/apparmor_restrict_unprivileged_userns
""".split()
_INSTALL = "Install bubblewrap with the package tool of your system (apt-get, dnf and pacman call it bubblewrap)."
_APPARMOR = (
    "Let an administrator allow user namespaces to /usr/bin/bwrap: on Ubuntu by the AppArmor profile bwrap-userns-restrict, "
    "else by user.max_user_namespaces."
)
_KERNEL = "It takes a Linux kernel with user namespaces or Landlock, on x86_64 or aarch64."

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
            NONE, f"Isolation is not built for {sys.platform} yet.", "Use Linux for templates you do not trust."
        )
    try:
        seccomp.architecture()
    except seccomp.UnknownArchitecture as problem:
        return Measured(NONE, f"There is no filter of system calls for {problem}.", _KERNEL, as_root=as_root)
    why, advice = bwrap.trusted() or "", _INSTALL
    if not why:
        for no_more_users in (True, False):
            why = _problem(Measured(ISOLATED, no_more_users=no_more_users))
            if not why:
                return Measured(ISOLATED, no_more_users=no_more_users, as_root=as_root)
        advice = _advice(why)
    why = f"It is not isolated because {why}."
    level = _of_landlock()
    if level is not None and not (other := _problem(Measured(level))):
        return Measured(level, why, advice, as_root=as_root)
    less = f" Restricting it fails too: {other}." if level is not None else " This kernel has no Landlock either."
    return Measured(NONE, why + less, advice, as_root=as_root)


def _of_landlock() -> Level | None:
    version = landlock.abi()
    if version == 0:
        return None
    return RESTRICTED if version >= 6 else WEAK


def _advice(why: str) -> str:
    signs = ("namespace", "uid map", "RTM_NEWADDR", "Permission denied", "Operation not permitted")
    return _APPARMOR if any(sign in why for sign in signs) else _KERNEL


def _problem(wanted: Measured) -> str:
    """Why a host at this level does not come up as it must; empty when it does."""
    with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder:
        apart = Home(Path(folder).resolve() / "home")
        workspace = Path(folder).resolve() / "workspace"
        workspace.mkdir()
        cell = Cell(wanted, Slot(apart), apart, workspace)
        try:
            judge(cell, _report_of(cell))
        except Unfit as problem:
            return str(problem)
        except (OSError, subprocess.SubprocessError) as problem:
            return f"it cannot be started ({problem})"
    return ""


def _report_of(cell: Cell) -> dict[str, Any]:
    """Start a host, ask it to confine itself, and end it; its report."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        frame = pack(request(cell, None))
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
            return _exchange(ours, frame)
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


def _place(home: Home) -> Path:
    return home.run / "protection.json"


def _read(home: Home, depends_on: list[str]) -> Measured | None:
    try:
        kept = json.loads(_place(home).read_bytes())
        if kept["depends_on"] != depends_on:
            return None
        level = BY_CODE[kept["level"]]
        return Measured(level, kept["why"], kept["next_step"], kept["no_more_users"], kept["as_root"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(home: Home, depends_on: list[str], found: Measured) -> None:
    """Keep “isolated”, or nothing; a data folder that is not there yet is not made for it."""
    text = {
        "depends_on": depends_on,
        "level": found.code,
        "why": found.why,
        "next_step": found.next_step,
        "no_more_users": found.no_more_users,
        "as_root": found.as_root,
    }
    if not home.run.is_dir():
        return
    with contextlib.suppress(OSError):
        if found.level is not ISOLATED:
            _place(home).unlink(missing_ok=True)
            return
        fresh = home.run / f".protection-{os.getpid()}"
        fresh.write_text(json.dumps(text), encoding="utf-8")
        fresh.replace(_place(home))
