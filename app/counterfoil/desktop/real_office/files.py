"""Files of a plan before and after, as the window asks for them: the data folder is read at one moment, then they are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterfoil.desktop.gate_facts import PageSeen
from counterfoil.desktop.office import FileRef
from counterfoil.desktop.real_office.access import Access, gate_row, run_row
from counterfoil.desktop.real_office.pages import NoPage, make_page, make_picture
from counterfoil.facts import GateState
from counterfoil.previews import showing
from counterfoil.previews.meanwhile import Meanwhile, load_meanwhile
from counterfoil.previews.preview import FileSeen, Touched
from counterfoil.previews.since import load_since
from counterfoil.stage.manifest import layout_of
from counterfoil.store import file_ops
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.asked import spec_of


class GateFiles:
    """Files that gates and runs touch."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._files = showing.PlanFiles(access.home, access.blobs)
        self._meanwhile = Meanwhile()
        self._watched: tuple[tuple[str, str], Mapping[str, Any]] = ("", ""), {}

    def of_gate(self, gate_id: str, n: int) -> FileSeen:
        """What item `n` of a gate's plan does to its file.

        Raises:
            WrongUse: the item is no effect on files.
        """
        return self._files.compared(self._loaded(gate_id, n))

    def picture(self, gate_id: str, n: int, *, after: bool, page: int) -> PageSeen:
        """A page of the file before or after, as a picture; of a picture there is one page.

        Raises:
            NoPage: there is none, with the reason.
        """
        return _picture(self._loaded(gate_id, n), "will be" if after else "was", after=after, page=page)

    def since(self, run_id: str, path: str) -> FileSeen:
        """A file of a run that changed since: as the run left it, or as it would come back, and as it is now.

        Raises:
            WrongUse: there is nothing to compare.
        """
        return self._files.compared(self._loaded_since(run_id, path))

    def picture_since(self, run_id: str, path: str, *, after: bool, page: int) -> PageSeen:
        """A page of one of its sides.

        Raises:
            NoPage: there is none, with the reason.
        """
        return _picture(self._loaded_since(run_id, path), "is now" if after else "was", after=after, page=page)

    def touched(self, gate_id: str) -> tuple[Touched, ...]:
        """Files of a gate's plan that changed since it was asked; none of one that is open no more."""
        with self._access.reading() as conn:
            row = gate_row(conn, gate_id)
            workspace = str(run_row(conn, row["run_id"])["workspace"])
        if row["state"] != GateState.OPEN:
            return ()
        return self._meanwhile.touched(self._bases_of(row), workspace, int(row["asked_at"]))

    def _bases_of(self, row: Row) -> Mapping[str, Any]:
        """What the plan begins with, as its spec has it; the newest is kept, since it is looked at every two seconds and may be long."""
        asked = str(row["gate_id"]), str(row["digest"])
        if self._watched[0] != asked:
            plan = spec_of(self._access.blobs, row).get("plan") or ()
            self._watched = asked, {"plan": [{"base": item.get("base")} for item in plan]}
        return self._watched[1]

    def meanwhile(self, gate_id: str, path: str) -> FileSeen:
        """One of them, as it was when the gate was asked and as it is now.

        Raises:
            WrongUse: it is no file of the gate's plan.
        """
        return self._files.compared(self._loaded_meanwhile(gate_id, path))

    def picture_meanwhile(self, gate_id: str, path: str, *, after: bool, page: int) -> PageSeen:
        """A page of one of its sides.

        Raises:
            NoPage: there is none, with the reason.
        """
        return _picture(self._loaded_meanwhile(gate_id, path), "is now" if after else "was", after=after, page=page)

    def of_run(self, conn: Connection, run: Row) -> tuple[FileRef, ...]:
        """Everything a run's approved sets do, item by item, in order."""
        found: dict[tuple[str, int], list[Row]] = {}
        for op in file_ops.of_run(conn, run["run_id"]):
            found.setdefault((op["gate_id"], op["n"]), []).append(op)
        return tuple(FileRef(gate_id, n, _called(ops), ops[0]["state"]) for (gate_id, n), ops in found.items())

    def _loaded(self, gate_id: str, n: int) -> showing.Loaded:
        with self._access.reading() as conn:
            row = gate_row(conn, gate_id)
            return self._files.load(conn, row, run_row(conn, row["run_id"])["workspace"], n)

    def _loaded_meanwhile(self, gate_id: str, path: str) -> showing.Loaded:
        access = self._access
        with access.reading() as conn:
            row = gate_row(conn, gate_id)
            workspace = str(run_row(conn, row["run_id"])["workspace"])
        copy = layout_of(access.home, row["run_id"]).tree
        return load_meanwhile(spec_of(access.blobs, row), copy, workspace, path)

    def _loaded_since(self, run_id: str, path: str) -> showing.Loaded:
        access = self._access
        with access.reading() as conn:
            return load_since(conn, access.home, access.blobs, run_row(conn, run_id), path)


def _picture(loaded: showing.Loaded, words: str, *, after: bool, page: int) -> PageSeen:
    side = loaded.after if after else loaded.before
    if side is None or side.data is None:
        raise NoPage(f"{loaded.seen.path} cannot be shown as it {words}.", "")
    if b"%PDF-" in side.data[:1024]:
        return make_page(side.data, page, loaded.seen.path)
    return make_picture(side.data, loaded.seen.path)


def _called(ops: list[Row]) -> str:
    """What an item is called before its content is there: its file, or the folder of its first one."""
    path, _ = file_ops.places(ops[0])
    return path if len(ops) == 1 else f"{path.rpartition('/')[0]}/"
