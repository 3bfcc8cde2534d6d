"""macOS: what `sandbox-exec` would be told of a sandbox, from the same description as bubblewrap's arguments.

Written by what is published and held to golden files; no Mac has run it, so no level is claimed there and nothing is started by it.
There are no namespaces: programs of others can be seen, and memory is watched, not limited.
"""

from __future__ import annotations

import os
from pathlib import Path

from counterfoil.sandbox.bwrap import Mounts

PROGRAM = "/usr/bin/sandbox-exec"
_SYSTEM = """
    /usr/lib /usr/share /System/Library /System/Volumes/Preboot/Cryptexes /private/var/db/dyld /private/var/db/timezone
""".split()
_FILES = "/dev/null /dev/zero /dev/random /dev/urandom /private/etc/localtime".split()


def command(mounts: Mounts, scratch: Path, program: list[str], *, programs: bool = False) -> list[str]:
    """The whole command: profile and paths apart, so that no path is ever read as a rule.

    Raises:
        ValueError: a path is not in its resolved spelling, which rules compare with.
    """
    named = [*_named(mounts, scratch), ("PYTHON", Path(program[0]))]
    given = [word for name, path in named for word in ("-D", f"{name}={_resolved(path)}")]
    return [PROGRAM, "-p", profile(mounts, scratch, programs=programs), *given, *program]


def profile(mounts: Mounts, scratch: Path, *, programs: bool = False) -> str:
    """The rules: nothing but what is named. `programs`: it is there to run some, from what it may read of the system."""
    names = [name for name, _ in _named(mounts, scratch)]
    readable = [f'(subpath (param "{name}"))' for name in names]
    system = [f'(subpath "{folder}")' for folder in _SYSTEM] + [f'(literal "{file}")' for file in _FILES]
    writable = [f'(subpath (param "{name}"))' for name in _writable(mounts)]
    runnable = ['(subpath "/bin")', '(subpath "/usr/bin")', *readable] if programs else ['(literal (param "PYTHON"))']
    rules = [
        "(version 1)",
        "(deny default)",
        "(allow process-fork)",
        f"(allow process-exec {' '.join(_without_scratch(runnable))})",
        "(allow signal (target same-sandbox))",
        "(allow sysctl-read)",
        '(allow file-read-metadata (literal "/"))',
        *(f'(allow file-read-metadata (path-ancestors (param "{name}")))' for name in names),
        f"(allow file-read* {' '.join([*system, *readable])})",
        '(allow file-write-data (literal "/dev/null"))',
        f"(allow file-write* {' '.join(writable)})",
        # A folder that could be renamed away or made anew could be swapped for another between two looks.
        *(f'(deny file-write-unlink file-write-create (literal (param "{name}")))' for name in _writable(mounts)),
        "(deny network*)",
        "(deny mach-lookup)",
        "(deny appleevent-send)",
    ]
    return "\n".join(rules) + "\n"


def _named(mounts: Mounts, scratch: Path) -> list[tuple[str, Path]]:
    """Every path by the name that rules know it by."""
    own = [(f"OWN_{n}", path) for n, path in enumerate(mounts.own)]
    placed = [(seen.name.upper(), source) for source, seen, _ in mounts.placed]
    return [*own, *placed, ("SCRATCH", scratch)]


def _writable(mounts: Mounts) -> list[str]:
    return [*(seen.name.upper() for _, seen, writable in mounts.placed if writable), "SCRATCH"]


def _without_scratch(rules: list[str]) -> list[str]:
    return [rule for rule in rules if "SCRATCH" not in rule]


def _resolved(path: Path) -> str:
    text = str(path)
    if "\0" in text or os.path.realpath(text) != text:
        raise ValueError(f"not in its resolved spelling: {text!r}")
    return text
