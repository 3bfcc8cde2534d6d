"""Where source and target lie on different devices, a move is a copy that was synced and a removal, with the same promises."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MAY_MOUNT = (
    shutil.which("unshare") is not None
    and subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False).returncode == 0
)
RUN = "import pathlib, sys; from effects.across_devices import run; print(run(pathlib.Path(sys.argv[1]), apart=sys.argv[2] == 'apart'))"
may_mount = pytest.mark.skipif(
    not MAY_MOUNT, reason="level of this account: it may not mount anything, not even for itself"
)


def _apart(*words: str) -> str:
    """What a Python says that is alone with what it mounts."""
    ran = subprocess.run(
        ["unshare", "-Urm", sys.executable, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@may_mount
@pytest.mark.parametrize("where", ["within", "apart"])
def test_sets_across_devices_are_whole_whatever_is_killed(tmp_path: Path, where: str) -> None:
    assert int(_apart("-c", RUN, str(tmp_path), where)) > 40


@may_mount
@pytest.mark.parametrize("mounted", ["archive", "."])
def test_undoing_across_devices_is_whole_whatever_is_killed(tmp_path: Path, mounted: str) -> None:
    assert int(_apart("-m", "effects.undo_apart", "across", str(tmp_path), mounted)) > 8


@may_mount
def test_undoing_on_a_full_disk_is_whole_or_not_at_all(tmp_path: Path) -> None:
    """A file system that really has no room, with more of it at each try."""
    refused, room = map(int, _apart("-m", "effects.undo_apart", "full", str(tmp_path)).split())
    assert refused == room
