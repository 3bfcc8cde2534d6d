"""The set-up of packaging/start, run for real in a scratch checkout, on machines whose package tools are stand-ins.

The scratch checkout has an empty lock, so that no package registry is needed; everything else is the shipped script.
"""

import fcntl
import os
import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from house.repository import ROOT

SCRIPTS = ["packaging/setup.sh", "packaging/start", "packaging/test", "packaging/lock"]
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PLAIN_TOOLS = """
    sh env id uname sed sort grep cksum mktemp rm cat dirname mkdir chmod flock sleep
"""
ECHO = """
import os, sys
print(os.getcwd(), sys.argv[1:], os.path.exists("json.py"))
import json
"""
FIRST_SIX = """
    libGL.so.1 libEGL.so.1 libdbus-1.so.3 libxkbcommon.so.0 libfontconfig.so.1 libglib-2.0.so.0
""".split()
XCB = """
    libxcb-cursor.so.0 libxcb-icccm.so.4 libxcb-keysyms.so.1 libxcb-shape.so.0 libxcb-xkb.so.1 libxkbcommon-x11.so.0
""".split()

pytestmark = pytest.mark.skipif(not CERTIFICATES.exists(), reason="the stand-ins play on a Debian or its kin")


@dataclass
class Machine:
    """A checkout and the commands that exist around it."""

    checkout: Path
    bin: Path

    def has(self, name: str, script: str) -> None:
        """Give the machine a command; the script is sh."""
        command = self.bin / name
        command.unlink(missing_ok=True)
        command.write_text(f"#!/bin/sh\n{script}\n")
        command.chmod(0o755)

    def has_libraries(self, *names: str) -> None:
        """Make these, and only these, known to the dynamic linker."""
        lines = "".join(f"\\t{name} (libc6,x86-64) => /usr/lib/{name}\\n" for name in names)
        self.has("ldconfig", f"printf '{lines}'")

    def start(self, *arguments: str, where: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run packaging/start as a person would."""
        return subprocess.run(
            [str(self.checkout / "packaging/start"), *arguments],
            cwd=where or self.checkout,
            env={"PATH": str(self.bin), "HOME": str(self.checkout), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


def make_machine(folder: Path) -> Machine:
    """A machine with Python and Qt's libraries, and with no package tool."""
    machine = Machine(folder / "a checkout's", folder / "bin")
    (machine.checkout / "app/counterfoil").mkdir(parents=True)
    (machine.checkout / "app/counterfoil/__init__.py").write_text("")
    (machine.checkout / "app/counterfoil/__main__.py").write_text(ECHO)
    (machine.checkout / "packaging").mkdir()
    for script in SCRIPTS:
        shutil.copy(ROOT / script, machine.checkout / script)
    (machine.checkout / "packaging/requirements.lock").write_text("\n")
    machine.bin.mkdir()
    for tool in PLAIN_TOOLS.split():
        found = shutil.which(tool)
        if found:
            (machine.bin / tool).symlink_to(found)
    machine.has("python3", f'exec {sys.executable} "$@"')
    machine.has("id", "echo 0")
    machine.has_libraries(*FIRST_SIX, *XCB)
    return machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine of the test's own, not set up yet."""
    return make_machine(tmp_path)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """A machine that is set up; making an environment takes seconds, so tests share this one and leave it set up."""
    machine = make_machine(tmp_path_factory.mktemp("prepared"))
    first = machine.start("--version")
    assert first.returncode == 0, first.stderr
    assert "making .venv with Python 3." in first.stderr
    return machine


@pytest.mark.parametrize("script", [*SCRIPTS, ".ci/run"])
def test_scripts_parse(script: str) -> None:
    shell = "bash" if script == ".ci/run" else shutil.which("dash") or "sh"
    subprocess.run([shell, "-n", str(ROOT / script)], check=True)


@pytest.mark.parametrize("script", ["packaging/start", "packaging/test", "packaging/lock", ".ci/run"])
def test_commands_are_executable(script: str) -> None:
    assert (ROOT / script).stat().st_mode & stat.S_IXUSR


@pytest.mark.parametrize("command", ["start", "test", "setup"])
def test_windows_has_its_twins(command: str) -> None:
    assert (ROOT / f"packaging/{command}.cmd").read_text().startswith("@echo off")


def test_ci_does_what_anybody_can_do() -> None:
    commands = [line for line in (ROOT / ".ci/run").read_text().splitlines() if line and not line.startswith("#")]
    assert commands[-1] == "exec packaging/test"
    assert len(commands) == 3


def test_second_start_says_nothing_and_keeps_folder_and_arguments(prepared: Machine, tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('a file of the workspace passed for a module')")
    again = prepared.start("show", "two words", where=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout == f"{tmp_path} ['show', 'two words'] True\n"


def test_command_in_the_environment_works_from_anywhere(prepared: Machine, tmp_path: Path) -> None:
    command = [str(prepared.checkout / ".venv/bin/counterfoil"), "inbox"]
    assert subprocess.check_output(command, cwd=tmp_path, text=True) == f"{tmp_path} ['inbox'] False\n"


@pytest.mark.parametrize("change", ["lock", "interrupted", "broken", "foreign"])
def test_set_up_is_mended(prepared: Machine, change: str) -> None:
    environment = prepared.checkout / ".venv"
    keepsake = environment / "keepsake"
    keepsake.touch()
    match change:
        case "lock":
            (prepared.checkout / "packaging/requirements.lock").write_text("# changed\n")
        case "interrupted":
            (environment / ".unfinished").touch()
        case "broken":
            (environment / "bin/python").unlink()
            (environment / "bin/python").symlink_to("/nowhere/python3")
        case "foreign":
            (environment / ".prepared-start").unlink()
    mended = prepared.start("x")
    assert mended.returncode == 0, mended.stderr
    assert "set-up complete" in mended.stderr
    assert mended.stdout == f"{prepared.checkout} ['x'] False\n"
    # What still works is filled up; what cannot be trusted is made anew.
    assert keepsake.exists() == (change in {"lock", "foreign"})
    assert prepared.start("x").stderr == ""


def test_debian_installs_what_is_missing_and_says_so_before(machine: Machine, tmp_path: Path) -> None:
    machine.has_libraries(*FIRST_SIX[1:], *XCB)
    machine.has("apt-get", f'echo "$DEBIAN_FRONTEND: $*" >>"{tmp_path}/calls"; exit 7')
    tried = machine.start()
    assert tried.returncode == 1
    assert "installing system packages with apt-get: libgl1\n" in tried.stderr
    assert "apt-get update failed" in tried.stderr
    assert (tmp_path / "calls").read_text().startswith("noninteractive: -qq")
    assert not (machine.checkout / ".venv").exists()


def test_debian_without_root_or_sudo_names_the_command(machine: Machine, tmp_path: Path) -> None:
    machine.has("id", "echo 1000")
    machine.has("apt-get", f'touch "{tmp_path}/called"')
    machine.has_libraries(*FIRST_SIX[2:], *XCB)
    refused = machine.start()
    assert refused.returncode == 1
    assert "apt-get update && apt-get install -y --no-install-recommends libegl1 libgl1\n" in refused.stderr
    assert not (tmp_path / "called").exists()


def test_debian_uses_sudo_where_there_is_one(machine: Machine, tmp_path: Path) -> None:
    machine.has("id", "echo 1000")
    machine.has("sudo", f'echo "$*" >>"{tmp_path}/calls"')
    machine.has("apt-get", "exit 99")
    machine.has_libraries(*FIRST_SIX, *XCB[1:])
    assert machine.start("x").returncode == 0
    update, install = (tmp_path / "calls").read_text().splitlines()
    assert update.startswith("env DEBIAN_FRONTEND=noninteractive")
    assert update.endswith(" update")
    assert install.endswith(" install -y --no-install-recommends libxcb-cursor0")


@pytest.mark.parametrize(
    "tool, command",
    [
        ("dnf", "sudo dnf install python3.13 libglvnd-glx"),
        ("pacman", "sudo pacman -S --needed python libglvnd"),
        ("", "Python 3.11 or newer with venv libGL.so.1"),
    ],
)
def test_elsewhere_the_exact_command_is_named(machine: Machine, tool: str, command: str) -> None:
    (machine.bin / "python3").unlink()
    machine.has_libraries(*FIRST_SIX[1:], *XCB)
    if tool:
        machine.has(tool, "exit 99")
    refused = machine.start()
    assert refused.returncode == 1
    assert refused.stderr.splitlines()[-1] == f"  {command}"
    assert refused.stdout == ""


def test_macos_names_brew(machine: Machine) -> None:
    (machine.bin / "python3").unlink()
    machine.has("uname", "echo Darwin")
    assert machine.start().stderr.splitlines()[-1] == "  brew install python@3.13"


def test_old_python_is_not_enough(machine: Machine) -> None:
    machine.has("python3", 'case $1 in -V) echo "Python 3.9.2" ;; *) exit 1 ;; esac')
    machine.has("apt-get", "exit 0")
    refused = machine.start()
    assert refused.returncode == 1
    assert "needs Python 3.11 or newer, and this system's own is 3.9.2" in refused.stderr


def test_two_set_ups_at_once_take_turns(machine: Machine) -> None:
    command = [str(machine.checkout / "packaging/start"), "x"]
    environment = {"PATH": str(machine.bin), "HOME": os.environ.get("HOME", "/")}
    with (machine.checkout / "packaging/setup.sh").open() as third:
        fcntl.flock(third, fcntl.LOCK_EX)  # so that neither is done before the other has come
        both = [
            subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(2)
        ]
        for process in both:
            assert process.stderr is not None
            assert "waiting for it" in process.stderr.readline()
    said = [process.communicate()[1] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert sorted("making .venv" in text for text in said) == [False, True]
