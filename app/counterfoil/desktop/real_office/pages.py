"""Pages of documents as pictures: read through the file door, made in a confined child, the last few kept."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections import OrderedDict
from typing import Any

from counterfoil.authoring.file_door import FileRefused, Files
from counterfoil.desktop.office import PageSeen
from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.real_office.calls import environment
from counterfoil.errors import CounterfoilError
from counterfoil.store import history

PATIENCE = 20.0  # seconds
_KEPT = 12  # pictures, of some hundred KB each
_LARGEST_PICTURE = 40_000_000  # bytes
_MAKER = "counterfoil.desktop.page_maker"
_PNG = b"\x89PNG\r\n\x1a\n"


class NoPage(CounterfoilError):
    """A page cannot be shown as a picture."""

    code = "no_page"


class Pages:
    """Pictures of pages, by what the document holds."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._made: OrderedDict[tuple[str, int], PageSeen] = OrderedDict()

    def page(self, workspace: str, path: str, page: int) -> PageSeen:
        """A page of a document in a workspace, from 1.

        Raises:
            NoPage: the file is not there, is no PDF, or its page could not be made.
        """
        data = self._read(workspace, path)
        key = (hashlib.sha256(data).hexdigest(), page)
        if key in self._made:
            self._made.move_to_end(key)
            return self._made[key]
        seen = make_page(data, page, path)
        self._made[key] = seen
        while len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return seen

    def _read(self, workspace: str, path: str) -> bytes:
        try:
            return Files(workspace).read(path)
        except FileRefused as problem:
            with self._access.reading() as conn:
                moved = history.moved_to(conn, workspace, path)
            if moved is None:
                raise NoPage(f"{path} cannot be shown. {problem.reason}", "Look into its folder.") from problem
        try:
            return Files(workspace).read(moved)
        except FileRefused as problem:
            raise NoPage(f"{path} was moved to {moved}. {problem.reason}", "Look into its folder.") from problem


def make_page(data: bytes, page: int, path: str) -> PageSeen:
    """Have a picture made in a child that may do nothing else.

    Raises:
        NoPage: with the sentence that says why not.
    """
    if b"%PDF-" not in data[:1024]:
        raise NoPage(f"{path} is no PDF, so there is no page to show.", "Open it in its folder.")
    command = [sys.executable, "-P", "-m", _MAKER, str(page)]
    try:
        done = subprocess.run(
            command, input=data, capture_output=True, timeout=PATIENCE, check=False, env=_bare(environment())
        )
    except subprocess.TimeoutExpired as problem:
        raise NoPage(
            f"Page {page} of {path} took longer than {PATIENCE:.0f} s, so it was given up.", "Open it in its folder."
        ) from problem
    line, _, picture = done.stdout.partition(b"\n")
    head = _head(line)
    if "problem" in head:
        raise NoPage(f"{path} cannot be shown. {head['problem']}", "Open it in its folder.")
    if not head or not picture.startswith(_PNG) or len(picture) > _LARGEST_PICTURE:
        raise NoPage(f"Page {page} of {path} could not be made into a picture.", "Open it in its folder.")
    return PageSeen(picture, head["width"], head["height"], page, int(head["pages"]))


def _bare(full: dict[str, str]) -> dict[str, str]:
    """What the child gets of an environment: where the program is, and nothing of the person's."""
    return {name: full[name] for name in ("PATH", "PYTHONPATH", "PYTHONUTF8", "SYSTEMROOT") if name in full}


def _head(line: bytes) -> dict[str, Any]:
    """What the child says of its picture; nothing where it says anything else."""
    try:
        head = json.loads(line)
        if "problem" in head:
            return {"problem": str(head["problem"])}
        return {"width": float(head["width"]), "height": float(head["height"]), "pages": int(head["pages"])}
    except (ValueError, KeyError, TypeError):
        return {}
