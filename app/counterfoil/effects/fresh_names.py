"""Names that a set brings into a folder, held against those that are there now: one that some system takes for another is not made.

What an approval was shown had no such name. Somebody may have made one since, in the folder or between two changes of the set.
"""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from counterfoil.effects.beneath import Beneath, Blocked
from counterfoil.policy.boundaries import folded


class FreshNames:
    """The names in folders as they are when first asked for; `leaving` are the paths that go away meanwhile."""

    def __init__(self, ground: Beneath, leaving: Container[str]) -> None:
        self._ground = ground
        self._leaving = leaving
        self._listed: dict[str, _Listing] = {}

    def new_in(self, paths: Iterable[str]) -> list[str]:
        """Of each path the outermost name that is not there yet; what lies beneath it can have no other beside it."""
        found: dict[str, None] = {}
        for path in paths:
            folder = path.rpartition("/")[0]
            missing = self._ground.missing_folders(folder)
            found[missing[0] if missing else path] = None
        return [path for path in found if path.rpartition("/")[2] not in self._listing(path).there]

    def twin(self, path: str) -> str | None:
        """The name beside a path that some system takes for the path's own; None where there is none."""
        name = path.rpartition("/")[2]
        others = self._listing(path).staying.get(folded(name), ())
        return next((other for other in others if other != name), None)

    def _listing(self, path: str) -> _Listing:
        folder = path.rpartition("/")[0]
        if folder not in self._listed:
            found = _Listing()
            with contextlib.suppress(Blocked, FileNotFoundError):
                found.there.update(self._ground.names_in(folder))
            for name in found.there:
                if (f"{folder}/{name}" if folder else name) not in self._leaving:
                    found.staying.setdefault(folded(name), []).append(name)
            self._listed[folder] = found
        return self._listed[folder]


@dataclass(frozen=True, slots=True)
class _Listing:
    """The names in a folder, and of those that stay what the most forgiving system reads."""

    there: set[str] = field(default_factory=set)
    staying: dict[str, list[str]] = field(default_factory=dict)
