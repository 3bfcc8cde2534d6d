"""AGENTS.md: what a team wants whoever works in a folder to know. Notes, never permissions; of several the nearest to a file counts."""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.authoring.agents.paging import cut
from counterfoil.authoring.file_door import files
from counterfoil.authoring.reporting import report

FILE = "AGENTS.md"
MOST_FILES = 20
_LONGEST = 16_000  # characters of one
_LONGEST_OF_ALL = 64_000
_LONGEST_BYTES = 1024 * 1024
_DEEPEST = 6  # folders in one another that are looked into
_MOST_FOLDERS = 2000


@dataclass(frozen=True, slots=True)
class Note:
    """The words of one AGENTS.md: `folder` is where it lies, "" the workspace itself."""

    folder: str
    text: str


def find_rules(folder: str = "") -> list[Note]:
    """The AGENTS.md of a folder of the workspace: those above it, its own, and those beneath it; outer ones first. One where strangers
    leave files is theirs, not the team's, and is left away."""
    door = files()
    above = ["", *("/".join(folder.split("/")[:n]) for n in range(1, folder.count("/") + 2))] if folder else [""]
    places = [place for place in above[:-1] if door.exists(f"{place}/{FILE}".lstrip("/"))]
    todo = [above[-1]]
    for place in todo:  # grows meanwhile: folder after folder, outer ones first
        if len(places) >= MOST_FILES:
            break
        if door.exists(f"{place}/{FILE}".lstrip("/")):
            places.append(place)
        if place.count("/") < _DEEPEST and len(todo) < _MOST_FOLDERS:
            todo += [one.path for one in door.left_out(place) if one.kind == "folder" and not _is_hidden(one.path)]
    theirs = [f"{place}/{FILE}" for place in places if door.is_foreign(f"{place}/{FILE}".lstrip("/"))]
    if theirs:
        report(f"Not followed, because it holds words of others: {', '.join(theirs)}"[:300])
    own = (place for place in places if f"{place}/{FILE}" not in theirs)
    return [note for place in own if (note := _read(place)) is not None]


def in_words(notes: list[Note]) -> str:
    """All of them as a part of what an agent is told at its start."""
    if not notes:
        return ""
    parts = [
        f"For {f'files in “{note.folder}”' if note.folder else 'the whole workspace'}:\n{note.text}" for note in notes
    ]
    heading = "What the team has written down for whoever works here (AGENTS.md). The nearest to a file counts most."
    return cut("\n\n".join([heading, *parts]), _LONGEST_OF_ALL)


def _read(place: str) -> Note | None:
    path = f"{place}/{FILE}".lstrip("/")
    text = files().read(path, limit=_LONGEST_BYTES).decode("utf-8-sig", "replace").strip()
    return Note(place, cut(text, _LONGEST)) if text else None


def _is_hidden(path: str) -> bool:
    return path.rpartition("/")[2].startswith(".")
