"""Pages of documents as pictures: read through the file door, made in a confined child, the last few kept."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from typing import Any

from counterfoil.authoring.file_door import FileRefused, Files
from counterfoil.desktop.gate_facts import PageSeen
from counterfoil.desktop.real_office.access import Access
from counterfoil.errors import CounterfoilError
from counterfoil.previews.confined import NoAnswer, answer_of
from counterfoil.store import history

_KEPT = 12  # pictures, of some hundred KB each
_PAGES, _PICTURES = "counterfoil.previews.page_maker", "counterfoil.desktop.picture_maker"
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
    """Have a picture of a PDF's page made in a child that may do nothing else.

    Raises:
        NoPage: with the sentence that says why not.
    """
    if b"%PDF-" not in data[:1024]:
        raise NoPage(f"{path} is no PDF, so there is no page to show.", "Open it in its folder.")
    return _made(_PAGES, [str(page)], data, page, path)


def make_picture(data: bytes, path: str) -> PageSeen:
    """Have a picture made anew in a child that may do nothing else; its size is in pixels.

    Raises:
        NoPage: with the sentence that says why not.
    """
    return _made(_PICTURES, [], data, 1, path)


def _made(maker: str, arguments: list[str], data: bytes, page: int, path: str) -> PageSeen:
    try:
        answer = answer_of(maker, arguments, data)
    except NoAnswer as problem:
        raise NoPage(f"{path} cannot be shown: {problem}.", "Open it in its folder.") from problem
    line, _, picture = answer.partition(b"\n")
    head = _head(line)
    if "problem" in head:
        raise NoPage(f"{path} cannot be shown. {head['problem']}", "Open it in its folder.")
    if not head or not picture.startswith(_PNG):
        raise NoPage(f"{path} could not be made into a picture.", "Open it in its folder.")
    return PageSeen(picture, head["width"], head["height"], page, int(head["pages"]))


def _head(line: bytes) -> dict[str, Any]:
    """What the child says of its picture; nothing where it says anything else."""
    try:
        head = json.loads(line)
        if "problem" in head:
            return {"problem": str(head["problem"])}
        return {"width": float(head["width"]), "height": float(head["height"]), "pages": int(head["pages"])}
    except (ValueError, KeyError, TypeError):
        return {}
