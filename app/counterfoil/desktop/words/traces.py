"""A traceback for who wrote the template: the lines of their own files, innermost last, each with its place."""

from __future__ import annotations

import re

_FRAME = re.compile(r'  File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>.+)')
_FOREIGN = ("/site-packages/", "/lib/python", "<frozen ", "/counterfoil/")
_MOST = 6


def own_lines(trace: str) -> list[str]:
    """`workflow.py:26, read_statement: lines = …`, of the author's files only; [] where none is among them."""
    lines = trace.splitlines()
    told = []
    for at, line in enumerate(lines):
        found = _FRAME.fullmatch(line)
        if found is None or any(part in found["file"].replace("\\", "/") for part in _FOREIGN):
            continue
        code = lines[at + 1].strip() if at + 1 < len(lines) and not lines[at + 1].startswith("  File ") else ""
        place = f"{found['file'].replace(chr(92), '/').rpartition('/')[2]}:{found['line']}, {found['name']}"
        told.append(f"{place}: {code}" if code else place)
    return told[-_MOST:]
