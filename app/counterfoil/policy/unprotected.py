"""Folders in which code that nothing confines may run: a person typed the folder's name, and that holds until their session ends.

A session is the process that leads it (a terminal's shell): when that is gone, or the computer was started again, so is the
permission. Where nobody can type, as in a container, COUNTERFOIL_UNPROTECTED names folders; that ends with the environment it stands in.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from counterfoil.places import Home

VARIABLE = "COUNTERFOIL_UNPROTECTED"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def confirm(home: Home, folder: Path) -> None:
    """Remember a folder for this session.

    Raises:
        OSError: it cannot be kept.
    """
    kept = {name: session for name, session in _kept(home).items() if _lives(session)}
    kept[str(folder)] = _session()
    fresh = home.run / f".unprotected-{os.getpid()}"
    fresh.write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")
    fresh.replace(_place(home))


def is_confirmed(home: Home, folder: Path) -> bool:
    """Whether a person allowed it for this folder, and their session lives."""
    named = [Path(entry) for entry in os.environ.get(VARIABLE, "").split(os.pathsep) if entry]
    return any(folder.is_relative_to(one) for one in named) or _lives(_kept(home).get(str(folder)))


def _place(home: Home) -> Path:
    return home.run / "unprotected.json"


def _kept(home: Home) -> dict[str, Any]:
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(_place(home).read_bytes())
        return found if isinstance(found, dict) else {}
    return {}


def _session() -> dict[str, Any]:
    """Who leads this process's session; in one whose leader cannot be seen, this process itself."""
    leader = os.getsid(0) if hasattr(os, "getsid") else 0
    pid = leader or os.getpid()
    return {"boot": _text(_BOOT), "pid": pid, "since": _since(pid)}


def _lives(session: Any) -> bool:
    if not isinstance(session, dict) or not isinstance(session.get("pid"), int):
        return False
    return session.get("boot") == _text(_BOOT) and session.get("since") == _since(session["pid"]) != ""


def _since(pid: int) -> str:
    """When a process was started, in the kernel's ticks; empty when it is gone. Elsewhere than on Linux only whether it is there."""
    if _BOOT.exists():
        fields = _text(Path(f"/proc/{pid}/stat")).rpartition(") ")[2].split()
        return fields[19] if len(fields) > 19 and fields[0] not in "ZX" else ""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            os.kill(pid, 0)
            return "there"
    return "there" if pid == os.getpid() else ""


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
