"""Windows: what would be asked of the system for a sandbox (a less privileged AppContainer in a job), from the same description as
bubblewrap's arguments.

Written by what is published and held to golden files; no Windows has run it, so no level is claimed there and nothing is started by it.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import Literal

from counterfoil.sandbox import limits
from counterfoil.sandbox.bwrap import Mounts

# From winnt.h and winbase.h.
_EXTENDED_STARTUP, _NO_WINDOW, _UNICODE_ENVIRONMENT, _SUSPENDED = 0x00080000, 0x08000000, 0x00000400, 0x00000004
_HANDLE_LIST, _SECURITY_CAPABILITIES, _ALL_PACKAGES_POLICY = 0x00020002, 0x00020009, 0x0002000F
_KILL_ON_CLOSE, _ACTIVE_PROCESSES, _JOB_MEMORY, _DIE_ON_EXCEPTION = 0x2000, 0x0008, 0x0200, 0x0400
_UI_ALL = 0xFF  # no desktop, clipboard, atoms, handles or settings of others
_OPT_OUT = 1  # of what all application packages may, which makes it a less privileged one

Access = Literal["read and execute", "modify"]


@dataclass(frozen=True, slots=True)
class Request:
    """The calls' arguments in the order in which they are made: the profile, entries on folders for its identity, the job, the process
    (suspended until it is in the job)."""

    name: str
    capabilities: tuple[str, ...]
    entries: tuple[tuple[str, Access], ...]
    job: dict[str, int]
    attributes: dict[int, object]
    flags: int
    command_line: str
    environment: str


def request(name: str, mounts: Mounts, program: list[str], environment: dict[str, str], handles: list[int]) -> Request:
    """What would be asked for. `handles` are the only ones that the process inherits.

    Raises:
        ValueError: a name in the environment, or a word, has a NUL or an equals sign that would make it another.
    """
    if any("\0" in word for word in [*program, *environment, *environment.values()]) or any(
        "=" in key for key in environment
    ):
        raise ValueError("a word or a setting that would be read as another")
    entries: list[tuple[str, Access]] = [(str(path), "read and execute") for path in mounts.own]
    entries += [(str(source), "modify" if writable else "read and execute") for source, _, writable in mounts.placed]
    block = "".join(f"{key}={environment[key]}\0" for key in sorted(environment, key=str.upper))
    return Request(
        name=f"counterfoil.{name}",
        capabilities=(),  # none: no network, no documents, no devices
        entries=tuple(entries),
        job={
            "LimitFlags": _KILL_ON_CLOSE | _ACTIVE_PROCESSES | _JOB_MEMORY | _DIE_ON_EXCEPTION,
            "ActiveProcessLimit": limits.PROCESSES,
            "JobMemoryLimit": limits.MEMORY,
            "UIRestrictionsClass": _UI_ALL,
        },
        attributes={
            _SECURITY_CAPABILITIES: "the profile's identity, no capabilities",
            _ALL_PACKAGES_POLICY: _OPT_OUT,
            _HANDLE_LIST: tuple(handles),
        },
        flags=_EXTENDED_STARTUP | _NO_WINDOW | _UNICODE_ENVIRONMENT | _SUSPENDED,
        command_line=subprocess.list2cmdline(program),
        environment=block + "\0",
    )
