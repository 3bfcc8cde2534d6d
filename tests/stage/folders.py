"""Folders for tests of the stage, and what they hold: every byte, mode and time of change."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

from counterfoil.stage.leaving_out import Choices
from counterfoil.stage.manifest import Layout, Manifest
from counterfoil.stage.refreshing import Refresh


class Place:
    """A workspace and a stage of it."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.layout = Layout(folder / "stages" / "one")

    def write(self, path: str, data: bytes | str) -> Path:
        """A file of the workspace."""
        file = self.workspace / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data.encode() if isinstance(data, str) else data)
        return file

    def make(
        self,
        choices: Choices | None = None,
        *,
        ours: Mapping[str, bool] | None = None,
        afresh: bool = False,
        tell: Callable[[int, int], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> Manifest:
        """Make the stage, or bring it up to date."""
        before = None if afresh or not self.layout.base.exists() else self.layout.manifest()
        refresh = Refresh(str(self.workspace), self.layout, choices or Choices(), ours, tell=tell, stop=stop)
        return refresh.run(before, 1_000)

    def staged(self) -> dict[str, bytes | str]:
        """What the tree of the stage holds."""
        return held(self.layout.tree)


def held(root: Path) -> dict[str, bytes | str]:
    """Files by path with their bytes; links with their text, folders with "/"."""
    found: dict[str, bytes | str] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            place = Path(folder) / name
            path = place.relative_to(root).as_posix()
            if place.is_symlink():
                found[path] = f"-> {place.readlink()}"
            else:
                found[path] = place.read_bytes() if place.is_file() else "/"
    return found


def fingerprint(root: Path) -> dict[str, tuple[object, ...]]:
    """Everything about a folder that a run must not change: bytes, modes, owners, times of change, inodes, names."""
    found: dict[str, tuple[object, ...]] = {}
    for place in (root, *root.rglob("*")):
        status = place.lstat()
        data = place.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        found[str(place)] = (
            status.st_mode, status.st_uid, status.st_gid, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino,
            status.st_nlink, data,
        )  # fmt: skip
    return found
