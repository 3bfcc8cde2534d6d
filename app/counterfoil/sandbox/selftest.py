"""What a sandbox finds out about itself before any code of others runs in it, and what the outside makes of it.

The inside only reports; the outside compares with what it has asked for, and starts nothing in one that is not as it must be.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

WIRE = 3  # the descriptor of the one socket a host has
_FAMILIES = (1, 2, 10, 16, 40)  # Unix, internet, routing, and last that of virtual machines, which no namespace covers


def wire_of(handle: int) -> socket.socket:
    """The socket that a sandbox was given, at the one descriptor that it has in every one; no program started later inherits it."""
    if handle != WIRE:
        os.dup2(handle, WIRE, inheritable=False)
        os.close(handle)
    os.set_inheritable(WIRE, False)
    return socket.socket(fileno=WIRE)


def facts(written: Iterable[str] = (), known: Iterable[str] = ()) -> dict[str, Any]:
    """Report what this process has and can do. `written`: folders in which it is to try to make a file; `known`: those whose identity
    is asked for.

    Everything is tried, nothing is assumed; what cannot be looked at is None.
    """
    status = _status()
    return {
        "handles": _handles(),
        "root": _listing("/"),
        "status": {name: status.get(name) for name in ("NoNewPrivs", "Seccomp", "Seccomp_filters", "Threads")},
        "capabilities": [status.get(name) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")],
        "environment_of_first": _bytes("/proc/1/environ"),
        "mounts": _refusal(lambda: os.close(os.open("/proc/self/mountinfo", os.O_RDONLY))),
        "processes": [name for name in _listing("/proc") or () if name.isdigit()],
        "interfaces": _interfaces(),
        "routes": _routes(),
        "settings": _refusal(lambda: os.close(os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY))),
        "execute": _refusal(lambda: os.execv("/nonexistent", ["nonexistent"])),  # noqa: S606 - it must fail
        "sockets": [_refusal(lambda family=family: socket.socket(family).close()) for family in _FAMILIES],
        "writing": {folder: _refusal(lambda folder=folder: _write(folder)) for folder in written},
        "folders": {folder: _identity(folder) for folder in known},
    }


def isolated(
    found: dict[str, Any],
    *,
    root: set[str],
    unwritable: Iterable[str],
    known: Mapping[str, list[int]],
    programs: bool = False,
    tells: bool = False,
) -> list[str]:
    """What is wrong with a sandbox that should be isolated; nothing when all is as it must be.

    `root` are the names that / must have, `unwritable` folders that must not be written, `known` folders with the device and inode
    that they must have; with `programs` it is there to run some; where the kernel cannot hide where folders lie, it `tells`.
    """
    wrong = _common(found, programs=programs)
    if any(int(word or "1", 16) for word in found["capabilities"]):
        wrong.append("it has capabilities")
    if set(found["root"] or ()) != root:
        wrong.append(f"it sees other things than it should: {sorted(set(found['root'] or ()) ^ root)}")
    if found["environment_of_first"] not in ("", None):
        wrong.append("the environment of its first process can be read")
    if found["mounts"] is None and not tells:
        wrong.append("its mounts tell where its folders lie")
    if found["processes"] is None or len(found["processes"]) > 4:
        wrong.append("it sees processes of others")
    if found["interfaces"] not in (["lo"], []) or found["routes"]:
        wrong.append("it has a network")
    wrong += _written(found, unwritable, (errno.EROFS, errno.EACCES, errno.ENOENT))
    wrong += [
        f"{path} is not the folder that was meant" for path, seen in known.items() if found["folders"].get(path) != seen
    ]
    return wrong


def _written(found: dict[str, Any], folders: Iterable[str], refusals: tuple[int, ...]) -> list[str]:
    return [f"it can write to {folder}" for folder in folders if found["writing"].get(folder) not in refusals]


def restricted(found: dict[str, Any], *, hidden: Iterable[str], programs: bool = False) -> list[str]:
    """What is wrong with a sandbox that should be restricted; `hidden` are folders that must not be listed or written."""
    wrong = _common(found, programs=programs)
    if any(answer != errno.EPERM for answer in found["sockets"]):
        wrong.append("it can make sockets")
    inheritable, permitted, effective, _, ambient = found["capabilities"]  # the bounding set is an administrator's
    if any(int(word or "1", 16) for word in (inheritable, permitted, effective, ambient)):
        wrong.append("it has capabilities")
    if found["root"] is not None:
        wrong.append("it can list the whole file system")
    wrong += _written(found, hidden, (errno.EACCES, errno.EROFS))
    if found["status"]["Threads"] != "1":
        wrong.append("it had threads before it was restricted")
    return wrong


def _common(found: dict[str, Any], *, programs: bool) -> list[str]:
    wrong = []
    if found["handles"] != [0, 1, 2, WIRE]:
        wrong.append(f"it has other files open than it should: {found['handles']}")
    if found["status"]["NoNewPrivs"] != "1" or found["status"]["Seccomp"] != "2":
        wrong.append("its system calls are not filtered")
    if found["settings"] not in (errno.EROFS, errno.EACCES, errno.ENOENT):
        wrong.append("it can change settings of the kernel")
    if found["sockets"][-1] is None:
        wrong.append("it can speak to the machine beneath")
    if not programs and found["execute"] != errno.EPERM:
        wrong.append("it can start programs")
    if not programs and any(answer != errno.EPERM for answer in found["sockets"]):
        wrong.append("it can make sockets")
    return wrong


def _status() -> dict[str, str]:
    with contextlib.suppress(OSError):
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return {}


def _handles() -> list[int]:
    """Open descriptors, found by asking for each: /proc may not be there to list them."""
    found = []
    for number in range(1024):
        with contextlib.suppress(OSError):
            os.fstat(number)
            found.append(number)
    return found


def _listing(folder: str) -> list[str] | None:
    with contextlib.suppress(OSError):
        return sorted(os.listdir(folder))
    return None


def _bytes(path: str) -> str | None:
    with contextlib.suppress(OSError):
        return Path(path).read_bytes()[:200].decode("utf-8", "replace")
    return None


def _interfaces() -> list[str] | None:
    with contextlib.suppress(OSError):
        lines = Path("/proc/net/dev").read_text(encoding="utf-8").splitlines()[2:]
        return sorted(line.partition(":")[0].strip() for line in lines)
    return None


def _routes() -> list[str] | None:
    with contextlib.suppress(OSError):
        return Path("/proc/net/route").read_text(encoding="utf-8").splitlines()[1:]
    return None


def _refusal(act: Any) -> int | None:
    """The errno with which something is refused, or None when it worked."""
    try:
        act()
    except OSError as problem:
        return problem.errno
    return None


def _write(folder: str) -> None:
    path = Path(folder) / f".counterfoil-{os.getpid()}"
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    path.unlink()


def _identity(folder: str) -> list[int] | None:
    with contextlib.suppress(OSError):
        found = Path(folder).stat()
        return [found.st_dev, found.st_ino]
    return None
