"""Putting back what a run did to files, as the window asks for it: what it would come to, the wish, and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from counterfoil.desktop.real_office.access import Access, run_row
from counterfoil.desktop.run_facts import UndoFile, Undoing, UndoLook
from counterfoil.desktop.words.numbers import count, joined
from counterfoil.desktop.words.people import person
from counterfoil.desktop.words.plain import one_line
from counterfoil.errors import CounterfoilError
from counterfoil.inbox.hinting import hint
from counterfoil.inbox.undoing import ask_to_undo
from counterfoil.store import undoings
from counterfoil.store.transactions import Connection
from counterfoil.views import undoing
from counterfoil.views.undoing import undo_view

_BUSY = "Its files are being put back already."
_SAYS = {
    "reverts": ("becomes what it was", "become what they were"),
    "returns": ("comes back", "come back"),
    "moves": ("moves back", "move back"),
    "goes": ("is removed: it was not there before", "are removed: they were not there before"),
}


class UndoPages:
    """Undoing runs of one home."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def look(self, run_id: str) -> UndoLook:
        """What putting its files back would come to."""
        access = self._access
        with access.reading() as conn:
            row = run_row(conn, run_id)
            newest = self.of_run(conn, run_id)
            if newest is not None and newest.state == "asked":
                return UndoLook(_BUSY)
            view = undo_view(conn, access.home, row, access.clock.now_us())
        if view.refusal:
            return UndoLook(_in_the_window(view.refusal))
        stuck, can = view.stuck, [file for file in view.files if not file.why]
        files = tuple(
            UndoFile(one_line(file.path), _will(file), file.why, file.path if file.met else "")
            for file in (*stuck, *can)
        )
        return UndoLook(files=files, words=(view.sentence,) if stuck else _told(can, view.folders), can=len(can))

    def ask(self, run_id: str, reason: str, *, rest: bool) -> str:
        """Commit the wish, and wake whoever carries it out."""
        access = self._access
        with access.reading() as conn:
            run_row(conn, run_id)
        only = ["."] if rest else []
        try:
            with access.telling():
                wish = ask_to_undo(access.database, access.home, run_id, access.me, only=only, comment=reason)
        except CounterfoilError as problem:
            if "counterfoil" in problem.next_step:
                problem.next_step = ""
            problem.message = _in_the_window(problem.message)
            raise
        hint(access.home)
        return f"{count(len(undoing.paths_of(wish)), 'file')} will be put back in a moment."

    def newest(self, run_id: str) -> Undoing | None:
        """What has become of the newest wish."""
        with self._access.reading() as conn:
            return self.of_run(conn, run_id)

    def of_run(self, conn: Connection, run_id: str) -> Undoing | None:
        """The same, in a moment that is open already."""
        wishes = undoings.of_run(conn, run_id)
        if not wishes:
            return None
        wish = wishes[-1]
        words = str(wish["message"] or "")
        if wish["state"] == "asked":
            words = f"Putting back {count(len(undoing.paths_of(wish)), 'file')}…"
        by = person(wish["by"], self._access.me)
        return Undoing(wish["state"], words, by, one_line(wish["comment"]), wish["ended_at"])


def _will(file: undoing.UndoFile) -> str:
    """What becomes of one file, in words for its row."""
    if file.does == "moves":
        return f"Moves back from {one_line(file.now or '')}"
    return {
        "reverts": "Becomes what it was",
        "returns": "Comes back",
        "goes": "Is removed: it was not there before",
    }[file.does]


def _told(files: Sequence[undoing.UndoFile], folders: Sequence[str]) -> tuple[str, ...]:
    """All files that go back, counted by what becomes of them."""
    found = Counter(file.does for file in files)
    parts = [f"{count(found[does], 'file')} {_SAYS[does][found[does] != 1]}" for does in _SAYS if found[does]]
    if len(folders) == 1:
        made = ("1 folder that the run made is removed, where nothing else is in it.",)
    else:
        made = (f"{count(len(folders), 'folder')} that the run made are removed, where nothing else is in them.",)
    return (f"{joined(parts)}.", *(made if folders else ()))


def _in_the_window(words: str) -> str:
    """Runs go by their bare number here."""
    return words.replace("Run r-", "Run ").replace("run r-", "run ")
