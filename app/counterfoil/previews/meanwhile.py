"""Files that the plan of an open gate begins with and that are not any more what they were when it was asked.

Only files that were touched since are read; approving holds the whole plan against the folder again, whatever is found here.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from counterfoil.authoring.file_door import FileRefused, Files
from counterfoil.authoring.file_view import View
from counterfoil.errors import WrongUse
from counterfoil.policy.boundaries import visible
from counterfoil.previews.preview import Touched
from counterfoil.previews.showing import LARGEST, Loaded, Side, seen_of

_SHA = 64  # hex digits; what else a base names (a folder, which folder the workspace is) is no file
_SLACK_US = 5_000_000  # a file system's clock may lag behind
_GONE = "As it was then is not kept."

Spec = Mapping[str, Any]
Mark = tuple[int, int, int, int]


class Meanwhile:
    """Looks at the files of plans; remembers what it has read of those that were touched."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, str], tuple[Mark, str | None]] = {}

    def touched(self, spec: Spec, workspace: str, asked_us: int) -> tuple[Touched, ...]:
        """Every file of a gate's plan that is another one by now, in the order of the plan. Blocking."""
        base = {path: was for item in spec.get("plan") or () for path, was in (item.get("base") or {}).items()}
        files = {path: was for path, was in base.items() if was is None or len(was) == _SHA}
        return tuple(self._look(files, workspace, asked_us - _SLACK_US))

    def _look(self, files: Mapping[str, str | None], workspace: str, since_us: int) -> Iterator[Touched]:
        view = View(Path(workspace))
        for path, was in files.items():
            try:
                status = view.status(path)
            except FileRefused:  # approving says why
                continue
            if status is None:
                if was is not None:
                    yield Touched(path, None)
                continue
            at_us = max(status.st_mtime_ns, status.st_ctime_ns) // 1000
            if not stat.S_ISREG(status.st_mode) or (was is not None and at_us < since_us):
                continue
            mark = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
            sha = self._sha(workspace, path, mark)
            if sha is not None and sha != was:
                yield Touched(path, sha, min(at_us, status.st_mtime_ns // 1000) if was is not None else at_us)

    def _sha(self, workspace: str, path: str, mark: Mark) -> str | None:
        """None where it cannot be read now: it is looked at again."""
        known = self._read.get((workspace, path))
        if known is not None and known[0] == mark:
            return known[1]
        try:
            sha = hashlib.sha256(Files(workspace).read(path, limit=LARGEST)).hexdigest()
        except FileRefused:
            return None
        self._read[workspace, path] = mark, sha
        return sha


def load_meanwhile(spec: Spec, copy: Path, workspace: str, path: str) -> Loaded:
    """Both sides of a file that was touched: as it was when the gate was asked, where the run's `copy` of it still holds that, and now.

    Raises:
        WrongUse: it is no file of the gate's plan.
    """
    bases = [item["base"] for item in spec.get("plan") or () if path in (item.get("base") or {})]
    if not bases:
        raise WrongUse(f"{visible(path)} is no file of this plan.")
    before, after = _then(copy, path, bases[0][path]), _now(workspace, path)
    return Loaded(seen_of(path, before, after, op="write"), path, before, after)


def _then(copy: Path, path: str, sha: str | None) -> Side:
    if sha is None:
        return Side(None)
    try:
        side = Side.of(Files(copy).read(path, limit=LARGEST))
    except FileRefused:
        return Side(None, _GONE, sha=sha)
    return side if side.sha == sha else Side(None, _GONE, sha=sha)


def _now(workspace: str, path: str) -> Side:
    try:
        return Side.of(Files(workspace).read(path, limit=LARGEST))
    except FileRefused as problem:
        return Side(None, f"It cannot be shown as it is now: {problem.reason}")
