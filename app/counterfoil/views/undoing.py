"""Whether what a run did to files can be put back, file by file, with the sentence that says why not."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from counterfoil.authoring.file_view import FileRefused, open_beneath
from counterfoil.clock import from_us
from counterfoil.facts import ENDED, as_sentence, person
from counterfoil.places import Home
from counterfoil.policy.boundaries import visible
from counterfoil.store import file_ops, undoings
from counterfoil.store.originals import store_places
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.undo_plan import Piece, UndoPlan, Unit, undo_plan

KEPT_FOR_US = 30 * 86_400 * 1_000_000  # how long what a set displaced is kept
_NAMED = 3  # files that a sentence names one by one
_CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class UndoFile:
    """One file of a run. `does` is what undoing means for it: reverts (gets back the bytes it had), returns (was deleted), moves (from
    `now`), goes (was not there before). `why` is the sentence that says why it cannot be put back, "" where it can; `together` are
    the files that go back only along with it, and `held` says that it is one of them that cannot. `met` is true where another file
    lies where the run left this one, or where it would go back to, so that both can be compared."""

    path: str
    does: str
    now: str | None
    why: str
    together: tuple[str, ...] = ()
    held: bool = False
    met: bool = False


@dataclass(frozen=True, slots=True)
class UndoView:
    """What undoing a run would come to. `refusal` is the sentence that says why there is nothing to undo, "" where there is; `folders`
    are those that the run made."""

    refusal: str
    files: tuple[UndoFile, ...] = ()
    folders: tuple[str, ...] = ()

    @property
    def can(self) -> list[str]:
        """The files that can be put back."""
        return [file.path for file in self.files if not file.why]

    @property
    def sentence(self) -> str:
        """All of it in one or two sentences."""
        stuck = self.stuck
        if self.refusal or not stuck:
            return self.refusal or f"{_files(len(self.files))} can be put back."
        told = [file.why for file in stuck[:_NAMED]]
        if len(stuck) > _NAMED:
            told.append(f"{len(stuck) - _NAMED:,} more cannot be put back either.")
        rest = len(self.can)
        told.append(f"The other {_files(rest)} can be put back." if rest else "Nothing can be put back.")
        return " ".join(told)

    @property
    def stuck(self) -> list[UndoFile]:
        """The files that cannot be put back, those first that are the reason."""
        return sorted((file for file in self.files if file.why), key=lambda file: file.held)


def undo_view(conn: Connection, home: Home, run: Row, now_us: int) -> UndoView:
    """Look at the files of a run as they are now; blocking, since each is read to its end."""
    refusal = why_not(conn, run, now_us)
    if not refusal and not Path(run["workspace"]).is_dir():
        refusal = f"The folder {visible(run['workspace'])} is not there. Bring it back first, then undo the run."
    if refusal:
        return UndoView(refusal)
    plan = undo_plan(conn, home, run["run_id"])
    if not plan.units:
        return UndoView(f"Run r-{run['number']} changed no files, so there is nothing to undo.")
    judge = _Judge(conn, home, run, plan)
    return UndoView("", tuple(file for unit in plan.units for file in judge.unit(unit)), plan.made)


def why_not(conn: Connection, run: Row, now_us: int) -> str:
    """The sentence that says why nothing of a run can be undone whatever its files are; "" where something may be."""
    name = f"Run r-{run['number']}"
    rows = [row for row in file_ops.of_run(conn, run["run_id"]) if row["state"] in ("applied", "undone")]
    if not rows:
        return f"{name} changed no files, so there is nothing to undo."
    wishes = undoings.of_run(conn, run["run_id"])
    if all(row["state"] == "undone" for row in rows):
        last = next((wish for wish in reversed(wishes) if wish["state"] == "done"), None)
        by = f" by {person(last['by'])} at {_at(last['ended_at'])}" if last is not None else ""
        return f"{name} was undone{by}. Nothing is left to put back."
    applied = max(row["applied_at"] or 0 for row in rows)
    if applied < now_us - KEPT_FOR_US:
        until = _day(applied + KEPT_FOR_US)
        return f"{name} changed its files on {_day(applied)}; what they were was kept for 30 days, until {until}."
    if run["state"] not in ENDED:
        return f"{name} has not ended. Stop it first, then undo it."
    return ""


def _does(piece: Piece) -> str:
    if piece.back is None:
        return "goes"
    if piece.now is None:
        return "returns"
    return "reverts" if piece.now == piece.back else "moves"


class _Judge:
    """The files of one run, looked at one by one."""

    def __init__(self, conn: Connection, home: Home, run: Row, plan: UndoPlan) -> None:
        self._conn, self._home, self._run = conn, home, run
        self._made = set(plan.made)
        self._workspace = str(run["workspace"])
        rows = file_ops.of_run(conn, run["run_id"])
        self._applied_us = max((row["applied_at"] or 0 for row in rows), default=0)

    def unit(self, unit: Unit) -> list[UndoFile]:
        """Its files; where one of them cannot go back, none of them can."""
        told = [self._piece(piece, unit) for piece in unit.pieces]
        odd = next((piece.path for piece, (why, _) in zip(unit.pieces, told, strict=True) if why), None)
        files = []
        for piece, (why, met) in zip(unit.pieces, told, strict=True):
            others = tuple(path for path in unit.paths if path != piece.path)
            held = odd is not None and not why
            because = (
                as_sentence(f"{visible(piece.path)} goes back only along with {visible(str(odd))}") if held else why
            )
            files.append(UndoFile(piece.path, _does(piece), piece.now, because, others, held, met))
        return files

    def _piece(self, piece: Piece, unit: Unit) -> tuple[str, bool]:
        """Why it cannot go back, "" where it can; and whether that is another file, which can be compared."""
        if piece.now is not None:
            seen = look(self._workspace, piece.now)
            if not isinstance(seen, tuple):
                return f"{visible(piece.now)} {seen}.", False
            if seen[0] != piece.sha:
                return f"{visible(piece.now)} was changed {self._by(piece.now, seen)}.", True
        if piece.kept is not None and not self._is_kept(piece):
            return f"What {visible(piece.path)} held before is not kept any more.", False
        leaving = {one.now for one in unit.pieces}
        if piece.back is not None and piece.back not in leaving and piece.back not in self._made:
            there = look(self._workspace, piece.back)
            if there != _GONE:
                return f"Something else is at {visible(piece.back)} by now.", isinstance(there, tuple)
        return "", False

    def _is_kept(self, piece: Piece) -> bool:
        if piece.kept is None:
            return False
        kept, places = piece.kept, store_places(self._home, self._workspace, piece.kept.gate_id)
        found = (look(str(folder), kept.slot) for folder in places)
        return next((seen[0] == kept.sha for seen in found if isinstance(seen, tuple)), False)

    def _by(self, path: str, seen: tuple[str, int]) -> str:
        """When, and by which run where that is known. A file system does not tell which person it was."""
        later = file_ops.later_on(self._conn, self._workspace, path, seen[0], self._applied_us)
        if later is not None and later["run_number"] != self._run["number"]:
            return f"by run r-{later['run_number']} at {_at(later['applied_at'])}"
        return f"at {_at(seen[1])}"


_GONE = "is gone"


def look(root: str, path: str) -> tuple[str, int] | str:
    """SHA-256 and time of change (UTC microseconds) of a file beneath a folder, no link followed; else a clause that says what is there."""
    try:
        handle = open_beneath(Path(root), path.split("/"), os.O_RDONLY)
    except FileNotFoundError:
        return _GONE
    except (OSError, FileRefused):
        return _GONE if _is_missing(root, path) else "is something else by now, or may not be read"
    seen = hashlib.sha256()
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return "is something else by now, or may not be read"
        while piece := os.read(handle, _CHUNK):
            seen.update(piece)
    except OSError:
        return "is something else by now, or may not be read"
    finally:
        os.close(handle)
    return seen.hexdigest(), status.st_mtime_ns // 1000


def _is_missing(root: str, path: str) -> bool:
    """Whether a folder on the way is a file, so that nothing can be at the path."""
    above = Path(root, path).parent
    return above != Path(root) and above.is_file() and not above.is_symlink()


def chosen(view: UndoView, only: Sequence[str]) -> tuple[list[str], str]:
    """The files that `only` names, and the sentence that says why that cannot be done. A folder stands for what of it can go back; "."
    for all of it."""
    if not only:
        return ([], view.sentence) if view.stuck else (view.can, "")
    found: dict[str, None] = {}
    for name in only:
        wanted = name.rstrip("/") or "."
        file = next((one for one in view.files if one.path == wanted), None)
        if file is not None and file.why:
            return [], file.why
        inside = [one for one in view.can if wanted == "." or one.startswith(f"{wanted}/")]
        if file is None and not inside:
            return [], f"The run has nothing at {visible(name)} that can be put back."
        for path in inside if file is None else [file.path, *file.together]:
            found[path] = None
    together = [(path, file.together) for file in view.files for path in [file.path] if path in found]
    for _, more in together:
        found.update(dict.fromkeys(more))
    return list(found), ""


def paths_of(wish: Row) -> list[str]:
    """The files that a wish is about."""
    found: list[str] = json.loads(wish["paths"])
    return found


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"


def _at(us: int) -> str:
    return f"{from_us(us).astimezone():%H:%M}"


def _day(us: int) -> str:
    local = from_us(us).astimezone()
    return f"{local.day} {local:%b %Y}"
