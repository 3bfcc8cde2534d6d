"""The difference between a run's copy and what was copied, by our own code alone: no tool ever runs on what a sandbox has written.

Folders are opened name by name and entries are looked at without following anything; what nobody has touched is known by inode and time
of change, which a sandbox cannot forge; sizes are judged before anything is opened. What a file held is kept as a blob before anybody
is shown it, and the copy is never read again for it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from counterfoil.errors import TooMuchChanged
from counterfoil.policy.boundaries import folded, trouble_with
from counterfoil.policy.file_classes import Fate, rule_of
from counterfoil.policy.names import trouble_with_name, twin_words, twins
from counterfoil.stage.changed import Change, Diff, Kind, Side, What, blocked_because
from counterfoil.stage.ladder import Ladder
from counterfoil.stage.manifest import Entry, Layout, Manifest
from counterfoil.stage.survey import DEEPEST
from counterfoil.store.blobs import Blobs
from counterfoil.store.intake import Intake, TooLarge

LARGEST = 256 * 1024 * 1024  # bytes of a changed file
LARGEST_SET = 2 * 1024**3  # bytes of all changed files
MOST_ENTRIES = 150_000  # of a copy that is looked through
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_SPECIAL = 0o7000  # setuid, setgid, sticky
_REPOSITORY = frozenset(
    {"head", "objects", "refs"}
)  # a folder with these is a repository to git, whatever it is called
_KINDS: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}


def difference(layout: Layout, manifest: Manifest, blobs: Blobs, given: Mapping[str, str] | None = None) -> Diff:
    """What the tree of a stage holds otherwise than the manifest says; new contents are kept as blobs. Nothing of the run may be alive.

    `given` are files that people gave, by path with SHA-256: one that lies there as it was given is not told.

    Raises:
        TooMuchChanged: there are too many entries, or too many bytes of changed files.
        OSError: the tree itself cannot be read.
    """
    with Ladder(layout.tree) as ladder, Intake(blobs) as intake:
        changes = _without(given or {}, _Walk(ladder, manifest, intake).whole())
        found = Diff(tuple(sorted(_with_moves(changes), key=lambda change: change.path)))
        for change in found.changes:
            if change.after is not None and change.after.sha256 is not None and not change.blocked:
                intake.keep(change.after.sha256)
        intake.settle()
    return found


class _Walk:
    """One look through a tree."""

    def __init__(self, ladder: Ladder, manifest: Manifest, intake: Intake) -> None:
        self._ladder = ladder
        self._entries = manifest.entries
        self._left_out = {one.path for one in manifest.left_out}
        self._beside: dict[str, list[str]] = {}
        for path in self._left_out:
            folder, _, name = path.rpartition("/")
            self._beside.setdefault(folder, []).append(name)
        self._intake = intake
        self._left: dict[str, Entry] = dict(manifest.entries)
        self._changes: list[Change] = []
        self._closed: list[str] = []  # folders that are not looked into
        self._seen = 0
        self._octets = 0

    def whole(self) -> list[Change]:
        """Every change, in no order."""
        todo = [""]
        while todo:
            todo += self._folder(todo.pop())
        self._changes += self._gone()
        return self._changes

    def _folder(self, folder: str) -> list[str]:
        """Look through one folder; those in it that are to be looked into."""
        try:
            handle = self._ladder.at(folder)
            touched, below = self._touched(folder, handle)
        except OSError as problem:
            if not folder:
                raise
            self._block(folder, None, None, f"cannot be looked into ({(problem.strerror or str(problem)).lower()})")
            return []
        odd = self._odd_names(folder, touched)
        for path, status in touched:
            change = self._judged(path, status, odd.get(path, ""), handle)
            if change is None:
                continue
            self._changes.append(change)
            if change.blocked:
                self._closed.append(path)  # whatever it was or is: nothing beneath it is carried out
            elif change.after is not None and change.after.kind == "folder":
                below.append(path)
        return below

    def _touched(self, folder: str, handle: int) -> tuple[list[tuple[str, os.stat_result]], list[str]]:
        """Entries of a folder that may not be as they were, and known folders in it."""
        prefix = f"{folder}/" if folder else ""
        entries, left = self._entries, self._left
        touched: list[tuple[str, os.stat_result]] = []
        below: list[str] = []
        with os.scandir(handle) as listing:
            for item in listing:
                path = prefix + item.name
                try:
                    status = item.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                entry = left.pop(path, None)
                if entry is None:
                    touched.append((path, status))
                elif entry.kind == "folder" and stat.S_ISDIR(status.st_mode):
                    below.append(path)
                elif not _is_untouched(entry, status):
                    touched.append((path, status))
        self._seen += len(touched) + len(below)
        if self._seen > MOST_ENTRIES + len(entries):
            raise TooMuchChanged(
                f"The run's copy holds more than {MOST_ENTRIES:,} new entries, so it is not compared.",
                "Let the run write fewer files, or put them into an archive.",
            )
        if below and below[0].count("/") >= DEEPEST:
            for path in below:
                self._block(path, None, None, f"lies deeper than {DEEPEST} folders in one another")
            below = []
        return touched, below

    def _odd_names(self, folder: str, touched: list[tuple[str, os.stat_result]]) -> dict[str, str]:
        """Why new names of a folder are refused, by path."""
        new = {path.rpartition("/")[2]: path for path, _ in touched if path not in self._entries}
        if not new:
            return {}
        handle = self._ladder.at(folder)
        everything = set(os.listdir(handle))
        found = {new[name]: reason for name in new if (reason := trouble_with_name(name))}
        stays = [*(everything - set(new)), *self._beside.get(folder, ())]
        found |= {new[name]: twin_words(other) for name, other in twins(new, stays).items()}
        if {folded(name) for name in everything} >= _REPOSITORY and {folded(name) for name in new} & _REPOSITORY:
            found |= dict.fromkeys(new.values(), "makes its folder a git repository, and git runs what lies there")
        return found

    # --------------------------------------------------------------------------------------------------------- one entry

    def _judged(self, path: str, status: os.stat_result, odd: str, handle: int) -> Change | None:
        """What one entry comes to; None where it is as it was after all."""
        entry = self._entries.get(path)
        kind: Kind = _KINDS.get(stat.S_IFMT(status.st_mode), "special")
        before = _side_of(entry) if entry is not None else None
        what = _what(before, kind)
        after = Side(kind, size=status.st_size if kind == "file" else 0, executable=_is_program(status))
        if kind == "link":
            after = replace(after, target=os.readlink(path.rpartition("/")[2], dir_fd=handle))
            if before == after:
                return None
        reason = odd or self._refused(path, before, after, status)
        if reason:
            return self._blocked(path, what, before, after, reason)
        if kind == "folder":
            return Change(path, what, before, after)
        return self._file(path, what, before, after, handle)

    def _file(self, path: str, what: What, before: Side | None, after: Side, handle: int) -> Change | None:
        """A file whose name and size are fine: its bytes are taken in."""
        try:
            sha, size = self._taken(path.rpartition("/")[2], handle)
        except TooLarge:
            return self._blocked(path, what, before, after, f"holds more than {LARGEST // 2**20} MB")
        except OSError as problem:
            reason = f"cannot be read ({(problem.strerror or str(problem)).lower()})"
            return self._blocked(path, what, before, after, reason)
        self._octets += size
        if self._octets > LARGEST_SET:
            raise TooMuchChanged(
                f"The changed files of the run's copy hold more than {LARGEST_SET // 2**30} GB, so they are not compared.",
                "Let the run write less, or in several runs.",
            )
        after = replace(after, sha256=sha, size=size)
        if before == after:
            return None
        if before is not None and before.kind == "file" and before.sha256 == sha:
            what = "mode"
        return Change(path, what, before, after)

    def _taken(self, name: str, handle: int) -> tuple[str, int]:
        """SHA-256 and length of a file that was taken in."""
        opened = os.open(name, _FILE, dir_fd=handle)
        try:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise OSError(errno.ESTALE, "it is no file any more")
            return self._intake.take(opened, LARGEST)
        finally:
            os.close(opened)

    def _refused(self, path: str, before: Side | None, after: Side, status: os.stat_result) -> str:
        """Why nothing at this path is carried out, as the end of a sentence; "" where it may be."""
        rules = (
            (after.kind == "special", "is a pipe, a socket or a device"),
            (after.kind == "link", _of_link(path, after.target or "")),
            (before is not None and before.kind == "link", "takes the place of a link, and links are left alone"),
            (after.kind == "file" and status.st_mode & _SPECIAL, "has the right to run as somebody else"),
            (path in self._left_out, "is in your folder already and was not copied, so the run has never seen it"),
            (after.size > LARGEST, f"holds more than {LARGEST // 2**20} MB"),
            (path.count("/") >= DEEPEST, f"lies deeper than {DEEPEST} folders in one another"),
            (trouble_with(path) is not None, "has a path that no effect can write"),
        )
        return _never(path) or next((reason for holds, reason in rules if holds), "")

    def _block(self, path: str, before: Side | None, after: Side | None, reason: str) -> None:
        self._closed.append(path)
        self._changes.append(self._blocked(path, "changed", before, after, reason))

    @staticmethod
    def _blocked(path: str, what: What, before: Side | None, after: Side | None, reason: str) -> Change:
        return Change(path, what, before, after, blocked=blocked_because(path, reason))

    # -------------------------------------------------------------------------------------------------------------- gone

    def _gone(self) -> Iterator[Change]:
        """What was copied and is not there any more; beneath a folder that was not looked into nothing is known to be gone."""
        closed = tuple(f"{folder}/" for folder in self._closed)
        kept: set[str] = set()  # folders that something stays in
        for path in self._left_out:
            kept.update(_above(path))
        gone = (
            {path: entry for path, entry in self._left.items() if not path.startswith(closed)} if closed else self._left
        )
        blocked = {path: reason for path, entry in gone.items() if (reason := _not_removed(path, entry))}
        for path in blocked:
            kept.update(_above(path))
        for path, entry in gone.items():
            if path in blocked:
                yield self._blocked(path, "removed", _side_of(entry), None, blocked[path])
            elif entry.kind != "folder" or path not in kept:
                yield Change(path, "removed", _side_of(entry))


def _is_untouched(entry: Entry, status: os.stat_result) -> bool:
    """Whether nobody has written to the copy of a file since it was made; of links only what they say counts."""
    return (
        entry.kind == "file"
        and entry.copy_inode == status.st_ino
        and entry.copy_ctime_ns == status.st_ctime_ns
        and entry.size == status.st_size
        and stat.S_ISREG(status.st_mode)
        and entry.copy_inode != 0
    )


def _side_of(entry: Entry) -> Side:
    return Side(entry.kind, entry.sha256, entry.size, entry.kind == "file" and bool(entry.mode & 0o111), entry.target)


def _is_program(status: os.stat_result) -> bool:
    return stat.S_ISREG(status.st_mode) and bool(status.st_mode & 0o111)


def _what(before: Side | None, kind: Kind) -> What:
    if before is None:
        return "new"
    return "changed" if before.kind == kind else "type"


def _of_link(path: str, target: str) -> str:
    """Why a link is not made in the workspace."""
    if target.startswith("/"):
        return "is a link to a place outside the workspace"
    depth = path.count("/")
    for name in target.split("/"):
        depth += -1 if name == ".." else name not in ("", ".")
        if depth < 0:
            return "is a link that leads out of the workspace"
    return "is a link, and links are not made in your folder"


def _not_removed(path: str, entry: Entry) -> str:
    """Why something that is gone from the copy stays in the workspace; "" where it goes."""
    if entry.kind == "link":
        return _never(path) or "is a link, and links are left alone"
    return _never(path) or ("" if trouble_with(path) is None else "has a path that no effect can touch")


def _never(path: str) -> str:
    rule = rule_of(path)
    return f"is never changed: {rule.why}" if rule is not None and rule.fate is Fate.NEVER else ""


def _above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _without(given: Mapping[str, str], changes: Sequence[Change]) -> list[Change]:
    """The changes without files that lie there as a person gave them."""
    return [
        change
        for change in changes
        if change.path not in given
        or change.after is None
        or change.blocked
        or change.after.sha256 != given[change.path]
    ]


def _with_moves(changes: list[Change]) -> list[Change]:
    """The changes, with files that are gone here and new there told as moves; an empty file is no evidence of anything."""
    gone: dict[tuple[str, bool], list[Change]] = {}
    for change in changes:
        side = change.before
        if change.what == "removed" and not change.blocked and side is not None and side.sha256 and side.size:
            gone.setdefault((side.sha256, side.executable), []).append(change)
    moved: dict[str, Change] = {}
    new = [change for change in changes if change.what == "new" and not change.blocked and change.after is not None]
    for same_name in (True, False):
        for change in new:
            side = change.after
            if side is None or side.sha256 is None or change.path in moved:
                continue
            sources = gone.get((side.sha256, side.executable), [])
            source = next((one for one in sources if not same_name or _name(one.path) == _name(change.path)), None)
            if source is not None:
                sources.remove(source)
                moved[change.path] = Change(change.path, "moved", source.before, side, source.path)
    taken = {change.source for change in moved.values()}
    rest = [
        change
        for change in changes
        if change.path not in moved and not (change.what == "removed" and change.path in taken)
    ]
    return [*rest, *moved.values()]


def _name(path: str) -> str:
    return path.rpartition("/")[2]
