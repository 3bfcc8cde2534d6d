"""A cgroup of its own around a sandbox (level L4): asked of the account's service manager, believed only when the kernel shows it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from counterfoil.sandbox import limits

PROGRAM = Path("/usr/bin/systemd-run")
TREE = Path("/sys/fs/cgroup")
_NEEDED = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
_ASKED = {"memory.max": str(limits.MEMORY), "memory.swap.max": "0", "pids.max": str(limits.PROCESSES)}


def trouble(environment: Mapping[str, str] = os.environ) -> str | None:
    """Why no cgroup is asked for, or None where it is worth trying."""
    if not PROGRAM.is_file() or not environment.get("XDG_RUNTIME_DIR"):
        return "there is no service manager for this account"
    if not (TREE / "cgroup.controllers").is_file():
        return "this system has no unified control groups"
    return None


def words() -> list[str]:
    """What stands in front of a command that is to run in a scope of its own."""
    told = {"MemoryMax": limits.MEMORY, "MemorySwapMax": 0, "TasksMax": limits.PROCESSES, "CPUWeight": 50}
    properties = [word for name, value in told.items() for word in ("-p", f"{name}={value}")]
    return [str(PROGRAM), "--user", "--scope", "--collect", "--quiet", *properties, "--"]


def environment(given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What the service manager is found by."""
    return {name: given[name] for name in _NEEDED if name in given}


def wrong_with(pid: int, proc: Path = Path("/proc")) -> list[str]:
    """What is not capped as it was asked, by what the kernel says of the process's group."""
    try:
        lines = (proc / str(pid) / "cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ["its control group cannot be read"]
    path = next((line[3:] for line in lines if line.startswith("0::/")), None)
    if path is None:
        return ["it has no control group"]
    return [
        f"its {name} is not capped" for name, value in _ASKED.items() if _read(TREE / path.lstrip("/") / name) != value
    ]


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
