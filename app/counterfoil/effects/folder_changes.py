"""Folders in an apply set: made from the outside in, removed from the inside out, and removed only when they are empty."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass

from counterfoil.effects.beneath import Blocked
from counterfoil.effects.changes import Raced, Site, Stand
from counterfoil.policy.boundaries import visible


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """A folder is there, a new one with these permission bits. `vacated`: what has the name leaves it in the same set."""

    path: str
    vacated: bool = False
    mode: int | None = None

    @property
    def does(self) -> str:
        """What a note calls it."""
        return "mkdir"

    @property
    def paths(self) -> list[str]:
        """The folder."""
        return [self.path]

    @property
    def folders(self) -> list[str]:
        """The folder itself: what the set has made is noted, and removed again with it."""
        return [self.path]

    def begin(self, site: Site) -> None:
        """Nothing: the note tells which folders were missing."""

    def tidy(self, site: Site) -> None:
        """Nothing is ever half made."""

    def stand(self, site: Site) -> Stand:
        """By what has the name."""
        if site.ground.is_folder(self.path):
            return Stand.AFTER
        if self.vacated:
            return Stand.BEFORE
        try:
            seen = site.ground.look(self.path)
        except Blocked:
            return Stand.FOREIGN
        return Stand.BEFORE if seen is None else Stand.FOREIGN

    def odd(self, site: Site) -> tuple[str, str]:
        """What has the name."""
        try:
            site.ground.look(self.path)
        except Blocked as problem:
            return problem.path, problem.reason
        return self.path, "is a file by now, no folder"

    def do(self, site: Site) -> None:
        """Make it, and what is missing above it."""
        try:
            site.ground.make_folder(self.path, self.mode)
        except FileExistsError as problem:
            raise Raced(self.path) from problem

    def put_back(self, site: Site) -> None:
        """Nothing: folders that the set has made are removed when everything in them was put back."""


@dataclass(frozen=True, slots=True)
class RemoveFolder:
    """A folder is gone. `leaving` are the names in it that leave it in the same set; `retaken`: a file of the set gets its name."""

    path: str
    leaving: frozenset[str]
    retaken: bool = False

    @property
    def does(self) -> str:
        """What a note calls it."""
        return "rmdir"

    @property
    def paths(self) -> list[str]:
        """The folder."""
        return [self.path]

    @property
    def folders(self) -> list[str]:
        """None."""
        return []

    def begin(self, site: Site) -> None:
        """Its permission bits, for the way back."""
        with site.ground.folder_of(self.path) as (folder, name):
            mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        site.note.modes[self.path] = stat.S_IMODE(mode)

    def tidy(self, site: Site) -> None:
        """Nothing is ever half removed."""

    def stand(self, site: Site) -> Stand:
        """Gone is gone, whoever did it; one that holds more than what leaves it was not approved to go."""
        if not site.ground.is_folder(self.path):
            if self.retaken:
                return Stand.AFTER
            return Stand.AFTER if site.ground.look(self.path) is None else Stand.FOREIGN
        return Stand.FOREIGN if self._strange(site) else Stand.BEFORE

    def _strange(self, site: Site) -> list[str]:
        return sorted(set(site.ground.names_in(self.path)) - self.leaving)

    def odd(self, site: Site) -> tuple[str, str]:
        """What has come into it."""
        try:
            strange = self._strange(site)
        except (Blocked, FileNotFoundError):
            return self.path, "is no folder any more"
        return (
            self.path,
            f"holds “{visible(strange[0])}”, which was not there when it was approved" if strange else "changed",
        )

    def do(self, site: Site) -> None:
        """Remove it, empty as it is by now."""
        try:
            site.ground.remove_folder(self.path)
        except FileNotFoundError:
            return
        except OSError as problem:
            if site.ground.is_folder(self.path) and site.ground.names_in(self.path):
                raise Raced(self.path) from problem
            raise

    def put_back(self, site: Site) -> None:
        """Make it again, with the permission bits it had."""
        site.ground.make_folder(self.path, site.note.modes.get(self.path))
