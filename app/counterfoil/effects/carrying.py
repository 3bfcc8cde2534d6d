"""A file goes from one name to another as it is: a move, a deletion (into the undo store), and the way back out of it.

It is renamed onto a name that is free, and looked at again after that; between devices it is copied, synced, and then removed. Where our
own file is, is told by its inode, which a rename leaves alone; of a copy the note has the inode before it takes its name. So two files
with the same bytes are never mistaken for each other, even while they change places.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass

from counterfoil.effects.beneath import Blocked, Seen, hash_of, open_file, rename_new, write_all
from counterfoil.effects.changes import ContentLost, Raced, Site, Stand, new_file, sha_in, unlink, what_is_odd


@dataclass(frozen=True, slots=True)
class Spot:
    """A name in the folder, or a slot of the store of that name."""

    path: str
    store: str | None = None

    def look(self, site: Site) -> Seen | None:
        """The file there; None where there is none, or something else."""
        try:
            return site.ground.look(self.path) if self.store is None else site.store(self.store).look(self.path)
        except Blocked:
            return None

    @contextlib.contextmanager
    def opened(self, site: Site, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """The open folder that holds it, and the name."""
        ground = site.ground if self.store is None else site.store(self.store).ground
        with ground.folder_of(self.path, make=make) as (folder, name):
            yield folder, name


@dataclass(frozen=True, slots=True)
class Move:
    """A file goes to a name that is free; `mark` is its own in the set."""

    path: str
    target: str
    sha: str
    mark: str

    @property
    def does(self) -> str:
        """What a note calls it."""
        return "move"

    @property
    def paths(self) -> list[str]:
        """Both names."""
        return [self.path, self.target]

    @property
    def folders(self) -> list[str]:
        """Where it goes."""
        return [self.target.rpartition("/")[0]]

    def begin(self, site: Site) -> None:
        """Nothing: what it is shows at both names."""

    def stand(self, site: Site) -> Stand:
        """By the digests at both names."""
        source, target = site.ground.look(self.path), site.ground.look(self.target)
        if target is None and source is not None and source.sha == self.sha:
            return Stand.BEFORE
        if target is not None and target.sha == self.sha:
            return Stand.AFTER if source is None else Stand.PARTLY
        return Stand.FOREIGN

    def odd(self, site: Site) -> tuple[str, str]:
        """The name at either end that is in the way."""
        try:
            source, target = site.ground.look(self.path), site.ground.look(self.target)
        except Blocked as problem:
            return problem.path, problem.reason
        except OSError:
            return what_is_odd(site, self.path)
        if source is not None and source.sha == self.sha:
            return self.target, "exists already, and moving never overwrites"
        if source is None and target is not None:
            return self.target, "changed since it was approved"
        return what_is_odd(site, self.path)

    def do(self, site: Site) -> None:
        """Rename without replacing."""
        carry(site, Spot(self.path), Spot(self.target), self.sha, self.mark)

    def put_back(self, site: Site) -> None:
        """The same, the other way round."""
        carry(site, Spot(self.target), Spot(self.path), self.sha, f"-{self.mark}")

    def tidy(self, site: Site) -> None:
        """Clear half copies; where both names hold our file, carry the move on to its end."""
        tidy_carried(site, (Spot(self.path), Spot(self.target)), self.sha, self.mark)


@dataclass(frozen=True, slots=True)
class Journey:
    """A file on its way through a store: out of `source`, into a slot, and out of it to `target`.

    `source` is None for a file that lies in the slot from the start, `target` for one that ends there. `retaken`: another change of the
    set puts something at the source.
    """

    source: str | None
    target: str | None
    slot: Spot
    sha: str
    mark: str
    retaken: bool = False

    def where(self, site: Site) -> tuple[str, Seen | None]:
        """`source`, `slot` or `target` with the file there, or `lost` where it is none of the three."""
        ours = _inodes(site, self.mark)
        places: list[tuple[str, Spot, list[list[int]]]] = [("slot", self.slot, [])]
        if self.target is not None and ours:
            places.insert(0, ("target", Spot(self.target), ours))
        if self.source is not None:
            places.append(("source", Spot(self.source), ours if self.retaken else []))
        for word, spot, known in places:
            seen = spot.look(site)
            # With no inode known it is ours by its bytes alone.
            if seen is not None and seen.sha == self.sha and (not known or [seen.device, seen.inode] in known):
                return word, seen
        return "lost", None


@dataclass(frozen=True, slots=True)
class SetAside:
    """The first half of a journey: a file goes into its slot."""

    journey: Journey

    @property
    def does(self) -> str:
        """What a note calls it."""
        return "leave"

    @property
    def path(self) -> str:
        """The name that becomes free."""
        return self.journey.source or ""

    @property
    def paths(self) -> list[str]:
        """That name."""
        return [self.path]

    @property
    def folders(self) -> list[str]:
        """None."""
        return []

    def begin(self, site: Site) -> None:
        """Its inode tells later where it is."""
        with Spot(self.path).opened(site) as (folder, name):
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        site.note.sources[self.journey.mark] = [status.st_dev, status.st_ino]

    def stand(self, site: Site) -> Stand:
        """Done once the file is in its slot or beyond it; what lies at the name since then is not its business."""
        where, seen = self.journey.where(site)
        if seen is None:
            return Stand.FOREIGN
        if where != "source":
            return Stand.AFTER
        return Stand.BEFORE if seen.names == 1 else Stand.FOREIGN

    def odd(self, site: Site) -> tuple[str, str]:
        """The file."""
        seen = Spot(self.path).look(site)
        if seen is not None and seen.sha == self.journey.sha and seen.names > 1:
            return self.path, "has more than one name (hard links) by now"
        return what_is_odd(site, self.path)

    def do(self, site: Site) -> None:
        """Rename it into the store, then look whether it was the file that was approved."""
        carry(site, Spot(self.path), self.journey.slot, self.journey.sha, self.journey.mark)

    def put_back(self, site: Site) -> None:
        """Out of the store again."""
        carry(site, self.journey.slot, Spot(self.path), self.journey.sha, f"-{self.journey.mark}")

    def tidy(self, site: Site) -> None:
        """Carry on what was half done."""
        tidy_carried(site, (Spot(self.path), self.journey.slot), self.journey.sha, self.journey.mark)


@dataclass(frozen=True, slots=True)
class BringBack:
    """The second half of a journey: a file comes out of its slot. `vacated`: what lies at the name leaves it in the same set."""

    journey: Journey
    vacated: bool = False

    @property
    def does(self) -> str:
        """What a note calls it."""
        return "arrive"

    @property
    def path(self) -> str:
        """The name that it takes."""
        return self.journey.target or ""

    @property
    def paths(self) -> list[str]:
        """That name."""
        return [self.path]

    @property
    def folders(self) -> list[str]:
        """Where it goes."""
        return [self.path.rpartition("/")[0]]

    def begin(self, site: Site) -> None:
        """Its inode tells later where it is; a file that is set aside in the same set has noted it."""
        if self.journey.source is None:
            kept = self.journey.slot.look(site)
            if kept is None or kept.sha != self.journey.sha:
                raise ContentLost(self.path)
            site.note.sources[self.journey.mark] = [kept.device, kept.inode]

    def stand(self, site: Site) -> Stand:
        """Done once the file is at its target; before that the name must be free, or become so."""
        where, seen = self.journey.where(site)
        if where == "target":
            return Stand.AFTER
        if seen is None:
            return Stand.FOREIGN
        return Stand.BEFORE if self.vacated or site.ground.look(self.path) is None else Stand.FOREIGN

    def odd(self, site: Site) -> tuple[str, str]:
        """The name that is taken, or the file that is gone."""
        if self.journey.where(site)[1] is None:
            return what_is_odd(site, self.journey.source or self.path)
        return self.path, "exists already, and moving never overwrites"

    def do(self, site: Site) -> None:
        """Rename it out of the store onto a name that is free."""
        carry(site, self.journey.slot, Spot(self.path), self.journey.sha, f"{self.journey.mark}>")

    def put_back(self, site: Site) -> None:
        """Into the store again."""
        carry(site, Spot(self.path), self.journey.slot, self.journey.sha, f"-{self.journey.mark}>")

    def tidy(self, site: Site) -> None:
        """Carry on what was half done."""
        tidy_carried(site, (self.journey.slot, Spot(self.path)), self.journey.sha, f"{self.journey.mark}>")


def _inodes(site: Site, mark: str) -> list[list[int]]:
    """Device and inode of a carried file, as it was and as it was copied; none before its set has begun."""
    first = site.note.sources.get(mark)
    if first is None:
        return []
    marks = (mark, f"-{mark}", f"{mark}>", f"-{mark}>")
    return [first, *(site.note.copies[one] for one in marks if one in site.note.copies)]


# ---------------------------------------------------------------------------------------------------------------- acts


def carry(site: Site, source: Spot, target: Spot, sha: str, mark: str) -> None:
    """Take a file to a name that is free, if it holds what is expected: seen after it was renamed, and given back where not.

    Raises:
        Raced: it is something else, or gone, or the name is taken.
    """
    with source.opened(site) as (from_folder, name), target.opened(site, make=target.store is None) as (folder, new):
        try:
            rename_new(from_folder, name, folder, new)
        except (FileExistsError, FileNotFoundError) as problem:
            raise Raced((target if isinstance(problem, FileExistsError) else source).path) from problem
        except OSError as problem:
            if problem.errno != errno.EXDEV:
                raise
            _copy_over(site, (source, target), (from_folder, name, folder, new), sha, mark)
        else:
            if sha_in(folder, new) != sha:
                with contextlib.suppress(FileExistsError):
                    rename_new(folder, new, from_folder, name)
                raise Raced(source.path)


def _copy_over(site: Site, spots: tuple[Spot, Spot], names: tuple[int, str, int, str], sha: str, mark: str) -> None:
    """Between devices: copy, sync, take the name, sync that, remove the source. A crash leaves at least one of the two."""
    (source, target), (from_folder, name, folder, new) = spots, names
    part = site.temporary(target.path, "part")
    unlink(folder, part)
    try:
        with new_file(folder, part) as handle:
            if copy_file(from_folder, name, source.path, handle) != sha:
                raise Raced(source.path)
            status = os.fstat(handle)
        site.note.copies[mark] = [status.st_dev, status.st_ino]
        site.undo.keep_note(site.note)
        rename_new(folder, part, folder, new)
    except FileExistsError as problem:
        unlink(folder, part)
        raise Raced(target.path) from problem
    except BaseException:
        unlink(folder, part)
        raise
    os.fsync(folder)
    try:
        remove(site, source, sha)
    except Raced:
        remove(site, target, sha)
        raise


def remove(site: Site, spot: Spot, expected: str) -> None:
    """Remove a file that holds what is expected: first out of its name, then seen again, then gone.

    Raises:
        Raced: it is something else, or gone.
    """
    removed = site.temporary(spot.path, "old")
    with spot.opened(site) as (folder, name):
        try:
            rename_new(folder, name, folder, removed)
        except FileNotFoundError as problem:
            raise Raced(spot.path) from problem
        if sha_in(folder, removed) != expected:
            with contextlib.suppress(FileExistsError):
                rename_new(folder, removed, folder, name)
            raise Raced(spot.path)
        os.unlink(removed, dir_fd=folder)


def tidy_carried(site: Site, spots: tuple[Spot, Spot], sha: str, mark: str) -> None:
    """After a crash: clear half copies; where both names hold our file, carry it on to where it was going."""
    for spot in spots:
        with contextlib.suppress(FileNotFoundError, Blocked), spot.opened(site) as (folder, name):
            unlink(folder, site.temporary(spot.path, "part"))
            with contextlib.suppress(FileNotFoundError, FileExistsError):
                rename_new(folder, site.temporary(spot.path, "old"), folder, name)
    there, back = spots, (spots[1], spots[0])
    for (source, target), copied in ((there, mark), (back, f"-{mark}")):
        _finish(site, source, target, sha, copied)


def _finish(site: Site, source: Spot, target: Spot, sha: str, mark: str) -> None:
    """Remove the source of a file whose target is in place, if both are ours."""
    left, arrived = source.look(site), target.look(site)
    if left is None or arrived is None or {left.sha, arrived.sha} != {sha}:
        return
    known = _inodes(site, mark.strip("->"))
    if known and [left.device, left.inode] not in known:
        return  # somebody else's file with the same bytes, or that of another change of the set
    if (arrived.device, arrived.inode) in (
        (left.device, left.inode),  # a second name of the same file, where renaming had to be done in two acts
        tuple(site.note.copies.get(mark, ())),
    ):
        with target.opened(site) as (folder, _):
            os.fsync(folder)
        remove(site, source, sha)


def copy_file(folder: int, name: str, path: str, into: int) -> str:
    """Copy bytes, group, permission bits and times of a file, synced; the SHA-256 of what was copied."""
    handle = open_file(folder, name, path)
    try:
        sha, _ = hash_of(handle, lambda piece: write_all(into, piece))
        status = os.fstat(handle)
    finally:
        os.close(handle)
    with contextlib.suppress(PermissionError):  # somebody else's group stays theirs
        os.fchown(into, -1, status.st_gid)
    os.fchmod(into, status.st_mode & 0o777)
    os.utime(into, ns=(status.st_atime_ns, status.st_mtime_ns))
    os.fsync(into)
    return sha
