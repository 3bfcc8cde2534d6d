"""A file that changed after a run, for people: as the run left it, or as it would come back, against the file that is there now."""

from __future__ import annotations

from pathlib import Path

from counterfoil.authoring.file_door import FileRefused, Files
from counterfoil.errors import Damaged, WrongUse
from counterfoil.places import Home
from counterfoil.policy.boundaries import visible
from counterfoil.previews.showing import LARGEST, Loaded, Side, seen_of
from counterfoil.store.blobs import Blobs
from counterfoil.store.originals import store_places
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.undo_plan import Kept, Piece, undo_plan

LEFT = "Compared: as the run left it, and as it is now."
BACK = "Compared: what would come back, and what is there now."
_MOVED = "The run only moved this file, so what it held then is not kept."
_GONE = "What the run wrote is not kept any more."


def load_since(conn: Connection, home: Home, blobs: Blobs, run: Row, path: str) -> Loaded:
    """Both sides of a file of a run that cannot be put back, since another one is there; `path` is what undoing calls it. Blocking.

    Raises:
        WrongUse: the run has no such file, nothing is there now, or it is as the run left it.
    """
    workspace = str(run["workspace"])
    piece = next(
        (one for unit in undo_plan(conn, home, run["run_id"]).units for one in unit.pieces if one.path == path), None
    )
    if piece is None:
        raise WrongUse(
            f"Run r-{run['number']} did nothing to {visible(path)}.", f"Its files: counterfoil show r-{run['number']}"
        )
    now = _now(workspace, piece.now) if piece.now is not None else None
    if now is not None and now.sha != piece.sha:
        return _loaded(str(piece.now), _left(blobs, piece), now, LEFT)
    if piece.back is None or piece.back == piece.now:
        raise WrongUse(f"{visible(path)} is as run r-{run['number']} left it.", "There is nothing to compare.")
    back = now if piece.kept is None and now is not None else _kept(home, workspace, piece.kept)
    return _loaded(piece.back, back, _now(workspace, piece.back), BACK)


def _loaded(path: str, before: Side, after: Side, words: str) -> Loaded:
    return Loaded(seen_of(path, before, after, op="write", words=words), path, before, after)


def _now(workspace: str, path: str) -> Side:
    """What lies in the folder.

    Raises:
        WrongUse: it is no file that can be read.
    """
    try:
        return Side.of(Files(workspace).read(path, limit=LARGEST))
    except FileRefused as problem:
        raise WrongUse(f"{visible(path)} cannot be compared: {problem.reason}", "") from None


def _left(blobs: Blobs, piece: Piece) -> Side:
    """What the run left: bytes of its own are kept by their digest."""
    sha = str(piece.sha)
    try:
        size = blobs.path(sha).stat().st_size
        return Side.too_large(size, sha) if size > LARGEST else Side.of(blobs.get(sha))
    except (OSError, Damaged):
        moved = piece.kept is None and piece.back is not None
        return Side(None, _MOVED if moved else _GONE, sha=sha)


def _kept(home: Home, workspace: str, kept: Kept | None) -> Side:
    """An original in its store."""
    if kept is not None:
        for folder in store_places(home, workspace, kept.gate_id):
            side = _read(folder / kept.slot, kept.sha)
            if side is not None:
                return side
    return Side(None, _GONE, sha=None if kept is None else kept.sha)


def _read(file: Path, sha: str) -> Side | None:
    try:
        size = file.lstat().st_size
        if file.is_symlink() or size > LARGEST:
            return None if file.is_symlink() else Side.too_large(size, sha)
        side = Side.of(file.read_bytes())
    except OSError:
        return None
    return side if side.sha == sha else None
