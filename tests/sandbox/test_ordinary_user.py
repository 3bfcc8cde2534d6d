"""The tests of this room are run as an ordinary user as well."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from sandbox.rooms import APP

HERE = Path(__file__).parent
NOBODY = 65534
ALSO = (  # abuses of what the runner itself does in the folder
    "effects/test_races.py",
    "effects/test_devices.py::test_undoing_across_devices_is_whole_whatever_is_killed",
    "effects/test_devices.py::test_undoing_on_a_full_disk_is_whole_or_not_at_all",
)


def _folder(prefix: list[str]) -> Path:
    """A folder of that user's own: in memory where the other tests' are, if it comes in there; most of the time goes to the disk."""
    for place in (tempfile.gettempdir(), "/tmp"):
        folder = Path(place) / f"counterfoil-nobody-{os.getpid()}"
        folder.mkdir(mode=0o700)
        try:
            os.chown(folder, NOBODY, NOBODY)
            came_in = subprocess.run([*prefix, "test", "-w", folder], capture_output=True, check=False).returncode == 0
        except OSError:
            came_in = False
        if came_in:
            return folder
        folder.rmdir()
    pytest.skip("level L3: this root cannot become another user; run the tests as one")


def _as_nobody(folder: Path) -> dict[str, str]:
    packages = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    return {
        "HOME": str(folder),
        "PATH": "/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(APP), *packages]),
    }


def _interpreter(prefix: list[str], environment: dict[str, str]) -> str | None:
    """A Python that an ordinary user can start and that has our packages."""
    asked = (
        "import sys, pytest, sqlalchemy, lxml, counterfoil.runner.running; sys.exit(sys.version_info[:2] != (%d, %d))"
    )
    for python in (sys.executable, "/usr/bin/python3"):
        command = [*prefix, python, "-c", asked % sys.version_info[:2]]
        if subprocess.run(command, env=environment, cwd="/", capture_output=True, check=False).returncode == 0:
            return python
    return None


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="level of an ordinary user: these tests run as one already"
)
def test_the_same_as_an_ordinary_user() -> None:
    prefix = [
        "setpriv",
        f"--reuid={NOBODY}",
        f"--regid={NOBODY}",
        "--clear-groups",
        "env",
    ]  # env: started by setpriv itself, it has rights that it would not have
    folder = _folder(prefix)
    environment = _as_nobody(folder)
    try:
        python = _interpreter(prefix, environment)
        if python is None:
            pytest.skip(
                "level L3: no Python here that an ordinary user can start with our packages; run the tests as one"
            )
        tests = [
            *prefix,
            python,
            "-m",
            "pytest",
            str(HERE),
            *(str(HERE.parent / name) for name in ALSO),
            "-q",
            "-p",
            "no:cacheprovider",
            "--basetemp",
            str(folder / "t"),
        ]
        done = subprocess.run(tests, env=environment, cwd=HERE.parents[1], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-8000:]
        assert " passed" in done.stdout
    finally:
        subprocess.run(["rm", "-rf", str(folder)], check=True)
