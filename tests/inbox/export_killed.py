"""Exports the evidence of a run again and again, each time killed one line later, and looks at what is left; run as a script.

Arguments: a home with one run that has ended, and an empty folder. Prints how many kills there were.
"""

import itertools
import json
import os
import shutil
import signal
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import counterfoil.inbox.exporting
from counterfoil import trail
from counterfoil.inbox import exports_under_way
from counterfoil.inbox.exporting import export_evidence
from counterfoil.places import Home
from counterfoil.store import runs, standing, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database

FILES = {counterfoil.inbox.exporting.__file__, exports_under_way.__file__}
STEPS = {"export_evidence", "clear_away", "give_up"}  # what these call is a transaction, or all alike


class Place:
    """A home that is put back before each kill, and the folder that packs go to."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home = Home(home)
        self.target = folder / "out" / "run.zip"
        self._saved = folder / "saved"

    def save(self) -> None:
        """Keep home and folder as they are for `put_back`."""
        shutil.rmtree(self._saved, ignore_errors=True)
        self._saved.mkdir()
        self.target.parent.mkdir(exist_ok=True)
        for file in self._database_files():
            shutil.copy(file, self._saved)
        shutil.copytree(self.target.parent, self._saved / "out")

    def put_back(self) -> None:
        """Let all be as it was saved."""
        for file in self._database_files():
            file.unlink()
        for file in self._saved.glob("counterfoil.db*"):
            shutil.copy(file, self.home.root)
        shutil.rmtree(self.target.parent)
        shutil.copytree(self._saved / "out", self.target.parent)

    def _database_files(self) -> list[Path]:
        return sorted(self.home.root.glob("counterfoil.db*"))


def killed(job: Callable[[], None], line: int) -> bool:
    """Do a job in a process that is killed at this line of it; False where it had fewer."""
    pid = os.fork()
    if pid == 0:
        _trace(line)
        job()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def _trace(line: int) -> None:
    left = itertools.count(line - 1, -1)

    def follow(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in FILES or frame.f_code.co_name not in STEPS:
            return None
        if event == "line" and next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return follow

    sys.settrace(follow)


def look(place: Place) -> tuple[bool, bool]:
    """Whether there is a pack, and whether the trail has its export; what is left is cleared away and looked at once more."""
    database = Database(place.home)
    told = _told(database)
    there = place.target.exists()
    if there:
        with zipfile.ZipFile(place.target) as pack:
            assert [one["seal"] for one in told] == [pack.read("seal.txt").decode().strip()]
    exports_under_way.clear_away(database)
    assert os.listdir(place.target.parent) == ["run.zip"] * there
    assert standing.get(database.reader, standing.EXPORTS) is None
    expected = [True] if there else [True, False] if told else []
    assert [one.get("placed", True) for one in _told(database)] == expected
    verdict = trail.verify(database.reader)
    assert verdict.ok
    assert (verdict.kept is not None) == there
    database.close()
    return there, bool(told)


def _told(database: Database) -> list[dict[str, Any]]:
    return [json.loads(row["after"]) for row in trail_rows.entries(database.reader) if row["kind"] == "evidence"]


def main(place: Place) -> int:
    """Kill exporting and clearing away at each of their lines."""

    def export() -> None:
        database = Database(place.home)
        run = runs.page(database.reader, limit=1)[0]["run_id"]
        export_evidence(database, Blobs(place.home), place.home, run, place.target, "user:anna")

    place.save()
    seen: dict[tuple[bool, bool], int] = {}
    for line in itertools.count(1):
        place.put_back()
        if not killed(export, line):
            break
        if (ended := look(place)) not in seen:
            seen[ended] = line
    assert sorted(seen) == [(False, False), (False, True), (True, True)]
    assert look(place) == (True, True), "the last one was not killed"

    place.put_back()
    assert killed(export, seen[False, True])
    place.save()
    for again in itertools.count(1):
        place.put_back()
        if not killed(lambda: exports_under_way.clear_away(Database(place.home)), again):
            break
        _look_again(place)
    print(line - 1, again - 1)
    return 0


def _look_again(place: Place) -> None:
    database = Database(place.home)
    exports_under_way.clear_away(database)
    assert os.listdir(place.target.parent) == []
    assert [one.get("placed", True) for one in _told(database)] == [True, False]
    database.close()


if __name__ == "__main__":
    sys.exit(main(Place(Path(sys.argv[1]), Path(sys.argv[2]))))
