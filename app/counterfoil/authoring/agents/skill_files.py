"""The files of a skill that does not lie among the run's files: its template has brought it, or it is kept beside the workspace's settings.

They are read whole, no link followed, so that what was looked at and what is run later can be held against each other by one digest.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from counterfoil.authoring.agents.paging import Refused
from counterfoil.authoring.file_view import open_beneath

FOLDER = ".counterfoil/skills"  # of a workspace
COPIED_TO = ".counterfoil-skills"  # where a command finds them
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*\Z")  # of a skill, and of the folder that it is
LONGEST_NAME = 64
MOST_FILES = 200
MOST_BYTES = 20 * 1024 * 1024  # of all files of a skill
_DEEPEST = 8
_LONGEST_TEXT = 256 * 1024  # bytes of a file that is read as text


@dataclass(frozen=True, slots=True)
class SkillFile:
    """One file: its path within the skill, what is in it, and whether it may be run by itself."""

    path: str
    data: bytes
    is_program: bool

    @property
    def text(self) -> str | None:
        """As text; None where it is none, or too long to be read."""
        try:
            return self.data.decode("utf-8-sig") if len(self.data) <= _LONGEST_TEXT else None
        except UnicodeDecodeError:
            return None


def files_of(root: Path, folder: str) -> list[SkillFile]:
    """The regular files of a skill in `folder` beneath `root`, by path; links and hidden files are left away.

    Raises:
        Refused: there are too many, or they are too large.
        OSError, FileRefused: they cannot be read.
    """
    found: list[SkillFile] = []
    left = MOST_BYTES
    for path in sorted(_paths(root / folder)):
        handle = open_beneath(root, [*folder.split("/"), *path.split("/")], os.O_RDONLY)
        with os.fdopen(handle, "rb") as source:
            data = source.read(left + 1)
            is_program = bool(os.fstat(source.fileno()).st_mode & stat.S_IXUSR)
        left -= len(data)
        if left < 0 or len(found) >= MOST_FILES:
            raise Refused(f"it has more than {MOST_FILES} files, or more than {MOST_BYTES // 1024**2} MB.")
        found.append(SkillFile(path, data, is_program))
    return found


def digest_of(files: list[SkillFile]) -> str:
    """One digest of all files, their names and whether they may be run."""
    plain = [[one.path, hashlib.sha256(one.data).hexdigest(), one.is_program] for one in files]
    return hashlib.sha256(json.dumps(plain, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


def put(files: list[SkillFile], place: Path) -> None:
    """Write them into a new folder, which nobody else can reach yet."""
    for one in files:
        target = place / one.path
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.write_bytes(one.data)
        target.chmod(0o700 if one.is_program else 0o600)


def _paths(place: Path) -> list[str]:
    found, todo = list[str](), [""]
    for here in todo:  # grows meanwhile
        with os.scandir(place / here) as listing:
            for item in listing:
                path = f"{here}/{item.name}" if here else item.name
                if item.name.startswith(".") or "\\" in item.name:
                    continue
                if item.is_dir(follow_symlinks=False) and path.count("/") < _DEEPEST:
                    todo.append(path)
                elif item.is_file(follow_symlinks=False):
                    found.append(path)
                if len(found) > MOST_FILES or len(todo) > MOST_FILES:
                    raise Refused(f"it has more than {MOST_FILES} files or folders.")
    return found
