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


@pytest.mark.skipif(not MAY_MOUNT, reason="level of this account: it may not mount anything, not even for itself")
@pytest.mark.parametrize("where", ["within", "apart"])
def test_sets_across_devices_are_whole_whatever_is_killed(tmp_path: Path, where: str) -> None:
    ran = subprocess.run(
        ["unshare", "-Urm", sys.executable, "-c", RUN, str(tmp_path), where],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) > 40
