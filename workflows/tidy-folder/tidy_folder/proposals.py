"""From what was seen to what is proposed: duplicates and disguised files are put aside, the others get the names and endings they
should have. Every new name is free whatever else of the proposal is done, so any part of it can be left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from tidy_folder.kinds import CSV, TEXT, Kind, Nature, disguised, ending_of, fits
from tidy_folder.looking import Looked
from tidy_folder.names import deceives, fits_in, key_of, new_stem, numbered, safe
from tidy_folder.walking import NAME, OBEYED, Alone

MOST_CHANGES = 5_000  # in one run; what is more comes in the next
_MOST_NUMBERS = 9_999
UNKNOWN, EMPTY, PROGRAM, TOO_LONG, GOES_WITH = (
    "Its kind is not known",
    "Empty",
    "Program",
    "Its new name would be too long",
    "Goes with a file that is left alone",
)


class Group(StrEnum):
    """What is done to a file, in the order in which it is shown."""

    DISGUISED = "Put aside: not what it seems"
    ENDING = "Wrong ending"
    UNCLEAR = "Name reads differently"
    COLLISION = "Names collide"
    DUPLICATE = "Put aside: duplicate"
    RENAME = "New name"
    BY_TIME = "New name, day by the file's time"


FLAGGED = (Group.DISGUISED, Group.ENDING, Group.UNCLEAR, Group.COLLISION)
PUT_ASIDE = (Group.DISGUISED, Group.DUPLICATE)


class Names(StrEnum):
    """What new names are made of."""

    BOTH = "day and supplier"
    DAY = "day"
    KEEP = "keep the names"


@dataclass(frozen=True, slots=True)
class Change:
    """One move: the number of its row, its group, both paths (relative to the workspace), and why, with where it is known from."""

    n: int
    group: Group
    path: str
    target: str
    why: str


@dataclass(frozen=True, slots=True)
class Twin:
    """Two files of the same content: the one that is kept, the other, their size in bytes, their SHA-256."""

    kept: str
    other: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """Everything that one look at a folder came to; `files` = changed + held + fine + left alone of those looked at."""

    changes: list[Change]
    twins: list[Twin]
    held: list[Change]
    alone: list[Alone]
    files: int
    fine: int
    more: int
    cut: bool


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the person who started the run wants: the folder, where things are put aside, names, and whether duplicates are put aside."""

    folder: str
    quarantine: str
    names: Names
    put_duplicates_aside: bool


@dataclass(slots=True)
class _Taken:
    """Names that are not free: keys of paths; `files` of those that no folder can be made of."""

    keys: set[str] = field(default_factory=set)
    files: set[str] = field(default_factory=set)

    def add(self, path: str, *, is_file: bool = True) -> None:
        key = key_of(path)
        self.keys.add(key)
        if is_file:
            self.files.add(key)

    def free(self, path: str) -> tuple[str, int] | None:
        """A path like this one that is free, taken from now on, and its number; None where there is none, or it is too long."""
        above = key_of(path).split("/")[:-1]
        if any("/".join(above[:deep]) in self.files for deep in range(1, len(above) + 1)):
            return None
        stem, ending = _parts(path)
        for number in range(1, _MOST_NUMBERS):
            found = f"{numbered(stem, number)}{ending}"
            if key_of(found) not in self.keys:
                break
        else:
            return None
        if not fits_in(found):
            return None
        self.add(found)
        return found, number


def propose(
    seen: Sequence[Looked],
    alone: Sequence[Alone],
    folders: Iterable[str],
    put_aside: Iterable[str],
    wishes: Wishes,
    held: Iterable[str],
    *,
    cut: bool = False,
) -> Proposal:
    """What is proposed for a folder.

    Args:
        seen: the files that were looked at.
        alone: what is left alone already.
        folders: those that were gone through.
        put_aside: what lies in the quarantine folder.
        wishes: what is wanted.
        held: files that somebody does not want changed; they are told, with what would have been done.
        cut: whether there was more than is looked at.
    """
    work = _Work(seen, alone, folders, put_aside, wishes)
    order = {group: place for place, group in enumerate(Group)}
    found = sorted(work.changes(), key=lambda change: (order[change.group], change.path))
    kept_back = set(held)
    wanted = [change for change in found if change.path not in kept_back]
    shown = [replace(change, n=n) for n, change in enumerate(wanted[:MOST_CHANGES], 1)]
    back = [
        replace(change, n=n) for n, change in enumerate((one for one in found if one.path in kept_back), len(shown) + 1)
    ]
    fine = len(seen) - len(found) - len(work.left)
    return Proposal(shown, work.twins, back, work.alone, len(seen), fine, len(wanted) - len(shown), cut)


class _Work:
    def __init__(
        self,
        seen: Sequence[Looked],
        alone: Sequence[Alone],
        folders: Iterable[str],
        put_aside: Iterable[str],
        wishes: Wishes,
    ) -> None:
        self.twins: list[Twin] = []
        self.alone = list(alone)
        self.left: set[str] = set()  # of the files looked at
        self._seen = sorted(seen, key=lambda one: one.path)
        self._wishes = wishes
        self._taken = _Taken()
        for one in self._seen:
            self._taken.add(one.path)
        for other in alone:
            self._taken.add(other.path)
        for folder in folders:
            self._taken.add(folder, is_file=False)
        for path in put_aside:
            self._taken.add(path)
        self._alone_stems = {_stem_path(other.path): other.path for other in alone if other.why in (NAME, OBEYED)}

    def changes(self) -> Iterator[Change]:
        """Every change, in no order."""
        rest: list[Looked] = []
        for one in self._seen:
            if one.known is not None and disguised(one.known, ending_of(one.path)):
                kind = one.known.title
                yield from self._aside(
                    one, Group.DISGUISED, f"it is a {kind}, and its name says .{ending_of(one.path)}"
                )
            else:
                rest.append(one)
        rest = list(self._without_twins(rest))
        yield from (change for change in self._copies)
        yield from self._renamed(rest)

    def _without_twins(self, files: Sequence[Looked]) -> Iterator[Looked]:
        """The files without the copies of others; those become changes where they are put aside."""
        self._copies: list[Change] = []
        same: dict[str, list[Looked]] = defaultdict(list)
        for one in files:
            if one.sha256 and (one.known is None or one.known.nature is not Nature.ACTIVE):
                same[one.sha256].append(one)
        copies: set[str] = set()
        for twins in same.values():
            kept, *others = sorted(twins, key=_seniority)
            for other in others:
                self.twins.append(Twin(kept.path, other.path, other.size, other.sha256))
                if self._wishes.put_duplicates_aside:
                    copies.add(other.path)
                    why = f"the same content as {_beneath(kept.path, self._wishes.folder)}, which is kept"
                    self._copies += self._aside(other, Group.DUPLICATE, why)
        yield from (one for one in files if one.path not in copies)

    def _aside(self, one: Looked, group: Group, why: str) -> Iterator[Change]:
        """Move a file into the quarantine folder, at the path it had."""
        target = f"{self._wishes.quarantine}/{_beneath(one.path, self._wishes.folder)}"
        if not fits_in(target):
            target = f"{self._wishes.quarantine}/{one.path.rpartition('/')[2]}"
        free = self._taken.free(target)
        if free is None:
            self._leave(one, TOO_LONG)
        else:
            yield Change(0, group, one.path, free[0], why)

    def _renamed(self, files: Sequence[Looked]) -> Iterator[Change]:
        """New names and endings; files that differ by their endings alone go together."""
        together: dict[str, list[Looked]] = defaultdict(list)
        for one in files:
            together[_stem_path(one.path)].append(one)
        names: set[str] = set()
        for stem, members in together.items():
            with_alone = self._alone_stems.get(stem)
            lead = _lead(members)
            wanted = self._wanted_stem(lead) if lead is not None and with_alone is None else None
            for one in members:
                change = self._new_name(one, wanted, lead, names)
                if change is not None:
                    yield change
                elif with_alone is not None and lead is one and self._wanted_stem(one) != _stem(one.path):
                    self._leave(one, GOES_WITH, f"with {with_alone.rpartition('/')[2]}")
                elif why := _why_alone(one):
                    self._leave(one, why, one.kind if why == PROGRAM else "")

    def _new_name(self, one: Looked, wanted: str | None, lead: Looked | None, names: set[str]) -> Change | None:
        """The change of one file; None where its name is fine as it is, or it is left alone. `names` are the keys of those that stay."""
        known, ending = one.known, ending_of(one.path)
        if one.size == 0 or (known is not None and known.nature is Nature.ACTIVE) or (known is None and lead is None):
            return None
        stem = wanted if wanted is not None else _stem(one.path)
        group, why = self._reason(one, lead)
        new_ending = _right_ending(known, ending) if known is not None else ending
        if deceives(one.path.rpartition("/")[2]):
            group, stem, why = Group.UNCLEAR, safe(stem), "its name holds signs that change how it reads"
        if new_ending != ending:
            said = f"says .{ending}" if ending else "has no ending"
            group, why = Group.ENDING, f"it is a {one.kind}, and its name {said}"
        target = _path(one.path, stem, new_ending, keep=one.path.rpartition("/")[2].rpartition(".")[2])
        if target.casefold() == one.path.casefold():
            key = key_of(one.path)
            if key not in names or known is None:
                names.add(key)
                return None
            group, why = Group.COLLISION, "another file's name differs from it in capitals or form alone"
        free = self._taken.free(target)
        if free is None:
            self._leave(one, TOO_LONG)
            return None
        path, number = free
        if number > 1 and group not in (Group.ENDING, Group.UNCLEAR):
            group = Group.COLLISION
            why = f"{why}; {target.rpartition('/')[2]} is taken, so it gets a number"
        return Change(0, group, one.path, path, why)

    @property
    def _with_supplier(self) -> bool:
        return self._wishes.names is Names.BOTH

    def _reason(self, one: Looked, lead: Looked | None) -> tuple[Group, str]:
        """The group and the reason of a new stem."""
        told = lead or one
        group = Group.BY_TIME if told.weak else Group.RENAME
        if one is not told:
            return group, f"goes with {told.path.rpartition('/')[2]}"
        supplier = f"supplier from {told.supplier_from}" if self._with_supplier and told.supplier else ""
        return group, "; ".join(part for part in (f"day from {told.day_from}", supplier) if part)

    def _wanted_stem(self, one: Looked) -> str:
        stem = _stem(one.path)
        if self._wishes.names is Names.KEEP:
            return stem
        return new_stem(stem, one.day, one.supplier if self._with_supplier else "")

    def _leave(self, one: Looked, why: str, more: str = "") -> None:
        if one.path not in self.left:
            self.alone.append(Alone(one.path, why, more))
            self.left.add(one.path)


def _seniority(one: Looked) -> tuple[object, ...]:
    """Of files with the same content the one changed longest ago is kept, then the one that lies less deep, then the shorter name."""
    return one.changed, one.path.count("/"), len(one.path), one.path


def _lead(members: Sequence[Looked]) -> Looked | None:
    """The file whose day and supplier count for those that go together: one that tells more goes before one that tells less."""
    dated = [one for one in members if one.day is not None and one.size]
    return min(dated, key=lambda one: (one.weak, not one.supplier, one.path), default=None)


def _why_alone(one: Looked) -> str:
    if one.size == 0:
        return EMPTY
    if one.known is None:
        return UNKNOWN
    return PROGRAM if one.known.nature is Nature.ACTIVE else ""


def _right_ending(kind: Kind, ending: str) -> str:
    """The ending that a kind should have: its own one stays, whichever of them it is."""
    if fits(kind, ending) or (not ending and kind in (TEXT, CSV)):
        return ending
    return kind.endings[0]


def _path(path: str, stem: str, ending: str, *, keep: str) -> str:
    """A path with another stem and ending; an ending that is right is written as it was."""
    folder = path.rpartition("/")[0]
    if ending == keep.lower():
        ending = keep
    name = f"{stem}.{ending}" if ending else stem
    return f"{folder}/{name}" if folder else name


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    ending = ending_of(name)
    return name[: -len(ending) - 1] if ending else name


def _stem_path(path: str) -> str:
    return f"{path.rpartition('/')[0]}/{_stem(path)}"


def _parts(path: str) -> tuple[str, str]:
    """A path before its ending, and the ending with its dot."""
    name = path.rpartition("/")[2]
    ending = ending_of(name)
    return (path[: -len(ending) - 1], path[-len(ending) - 1 :]) if ending else (path, "")


def _beneath(path: str, folder: str) -> str:
    return path.removeprefix(f"{folder}/") if folder else path
