"""Starting the runner when a person logs in: a systemd user unit, a launchd agent, or a file in the Startup folder.

The texts are made here by builders that touch nothing; what is written and called is told step by step.
"""

from __future__ import annotations

import hashlib
import os
import plistlib
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from counterfoil.errors import StartAtLoginTrouble
from counterfoil.places import Home, find_home

_PACKAGES = Path(__file__).resolve().parents[2]
_PATIENCE = 30.0  # seconds for one call of the system's own tool


@dataclass(frozen=True, slots=True)
class Start:
    """What is to be started: the command, and the import path it needs beside Python's own ("" for an installed program)."""

    command: tuple[str, ...]
    import_path: str = ""


def runner_command(home: Home) -> list[str]:
    """How the runner of a home is called by this very program; it asks a runner that lives to hand over."""
    return [sys.executable, "-P", "-m", "counterfoil", "--home", str(home.root), "runner", "--take-over"]


def start_of(home: Home) -> Start:
    """How the runner of a home is started at login."""
    command = runner_command(home)
    if sys.platform == "win32":
        quiet = Path(command[0]).with_name("pythonw.exe")
        command = [str(quiet) if quiet.exists() else command[0], *command[1:], "--keep-up"]
    installed = Path(sysconfig.get_path("purelib")).resolve() == _PACKAGES
    return Start(tuple(command), "" if installed else str(_PACKAGES))


# -------------------------------------------------------------------------------------------------------------- texts


def systemd_unit(start: Start, title: str) -> str:
    """The text of a user unit: started at login, again after a crash with growing pauses, ended in an orderly way."""
    path = f'Environment="PYTHONPATH={_escaped(start.import_path)}"\n' if start.import_path else ""
    return f"""[Unit]
Description={title.replace("%", "%%")}
StartLimitIntervalSec=0

[Service]
ExecStart={" ".join(f'"{_escaped(word)}"' for word in start.command)}
{path}Environment="PYTHONUTF8=1"
Restart=on-failure
RestartSec=2
RestartSteps=5
RestartMaxDelaySec=60
TimeoutStopSec=30
KillMode=mixed

[Install]
WantedBy=default.target
"""


def _escaped(word: str) -> str:
    """A word between quotes in a unit: its own quotes and backslashes, and what systemd would fill in."""
    return word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")


def launchd_agent(start: Start, label: str, log: str) -> str:
    """The text of an agent: started at login, again after a crash, no sooner than ten seconds after the last start."""
    environment = {"PYTHONUTF8": "1", **({"PYTHONPATH": start.import_path} if start.import_path else {})}
    agent = {
        "Label": label,
        "ProgramArguments": list(start.command),
        "EnvironmentVariables": environment,
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ExitTimeOut": 30,
        "ProcessType": "Background",
        "StandardErrorPath": log,
    }
    return plistlib.dumps(agent, sort_keys=False).decode("utf-8")


def startup_file(start: Start) -> str:
    """The text of a file in the Startup folder: the runner without a window, which restarts itself after a crash."""
    words = " ".join(f'"{word.replace("%", "%%")}"' for word in start.command)
    path = f'set "PYTHONPATH={start.import_path.replace("%", "%%")}"\r\n' if start.import_path else ""
    return f'@echo off\r\nchcp 65001 >nul\r\n{path}set "PYTHONUTF8=1"\r\nstart "" /b {words}\r\n'


# -------------------------------------------------------------------------------------------------------------- doing


@dataclass(slots=True)
class AtLogin:
    """The start at login of one home on one kind of system. `did` are the sentences of what was done so far."""

    home: Home
    system: str = sys.platform
    person: Path = field(default_factory=Path.home)
    did: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name it goes by; a home other than this account's own has its mark in it."""
        own = find_home(None).root == self.home.root and "COUNTERFOIL_HOME" not in os.environ
        mark = "" if own else f"-{hashlib.sha256(str(self.home.root).encode()).hexdigest()[:8]}"
        return f"counterfoil-runner{mark}"

    @property
    def file(self) -> Path:
        """The file that the system reads."""
        if self.system == "win32":
            startup = "Microsoft/Windows/Start Menu/Programs/Startup"
            return Path(os.environ.get("APPDATA") or self.person / "AppData/Roaming") / startup / f"{self.name}.cmd"
        if self.system == "darwin":
            return self.person / "Library/LaunchAgents" / f"{self.name}.plist"
        config = Path(os.environ.get("XDG_CONFIG_HOME") or self.person / ".config")
        return config / "systemd/user" / f"{self.name}.service"

    def text(self) -> str:
        """What the file holds."""
        start = start_of(self.home)
        if self.system == "win32":
            return startup_file(start)
        if self.system == "darwin":
            return launchd_agent(start, self.name, str(self.home.logs / "runner.log"))
        return systemd_unit(start, f"Counterfoil, the runner of {self.home.root}")

    def current(self) -> bool:
        """Whether the file is there and starts this very program."""
        if not self.file.exists():
            return False
        kept = self.file.read_text(encoding="utf-8", errors="replace")
        return kept == self.text().replace("\r\n", "\n")

    def install(self) -> None:
        """Write the file, and have the system start the runner now and at each login. Blocking.

        Raises:
            StartAtLoginTrouble: it could not be; nothing is left of it.
        """
        before = self.file.read_bytes() if self.file.exists() else None
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            self.file.write_text(self.text(), encoding="utf-8", newline="")
        except OSError as problem:
            raise StartAtLoginTrouble(
                f"{self.file} cannot be written: {problem.strerror}.", "Allow this account to write there."
            ) from problem
        self.did.append(f"Wrote {self.file}.")
        try:
            self._switch_on()
        except StartAtLoginTrouble:
            if before is None:
                self.file.unlink(missing_ok=True)
            else:
                self.file.write_bytes(before)
            raise

    def _switch_on(self) -> None:
        if self.system == "win32":
            self.did.append("It starts at the next login.")
        elif self.system == "darwin":
            self._tell_system(["launchctl", "load", "-w", str(self.file)], "It starts at each login, and started now.")
        else:
            unit = self.file.name
            self._tell_system(["systemctl", "--user", "daemon-reload"], "")
            self._tell_system(["systemctl", "--user", "enable", unit], "It starts at each login of this account.")
            self._tell_system(["systemctl", "--user", "restart", unit], "It started now.")

    def remove(self) -> bool:
        """Take it out again; a runner that it started ends in an orderly way. False where there was none. Blocking.

        Raises:
            StartAtLoginTrouble: the file could not be removed.
        """
        if not self.file.exists():
            return False
        if self.system == "darwin":
            self._tell_system(["launchctl", "unload", "-w", str(self.file)], "It was stopped.", strict=False)
        elif self.system != "win32":
            done = "It was stopped, and starts at login no more."
            self._tell_system(["systemctl", "--user", "disable", "--now", self.file.name], done, strict=False)
        try:
            self.file.unlink()
        except OSError as problem:
            raise StartAtLoginTrouble(
                f"{self.file} cannot be removed: {problem.strerror}.", "Remove it by hand."
            ) from problem
        self.did.append(f"Removed {self.file}.")
        if self.system not in ("win32", "darwin"):
            self._tell_system(["systemctl", "--user", "daemon-reload"], "", strict=False)
        return True

    def active(self) -> bool | None:
        """Whether the system runs it now; None where the system does not tell."""
        if self.system in ("win32", "darwin") or shutil.which("systemctl") is None:
            return None
        return _called(["systemctl", "--user", "is-active", "--quiet", self.file.name])[0] == 0

    def _tell_system(self, command: Sequence[str], done: str, *, strict: bool = True) -> None:
        """Call the system's tool where there is one, and say what came of it.

        Raises:
            StartAtLoginTrouble: it refused.
        """
        if shutil.which(command[0]) is None:
            missing = f"There is no {command[0]} on this computer, so nothing starts it: counterfoil runner"
            if missing not in self.did:
                self.did.append(missing)
            return
        code, said = _called(command)
        if code == 0:
            self.did += [done] if done else []
        elif strict:
            raise StartAtLoginTrouble(
                f"{' '.join(command)} failed: {said or f'it ended with {code}'}. Nothing was set up.",
                "Where nobody is logged in at a desktop there may be no such place; start it yourself: counterfoil runner",
            )
        else:
            self.did.append(f"{' '.join(command)} failed: {said or f'it ended with {code}'}.")


def _called(command: Sequence[str]) -> tuple[int, str]:
    """Exit code and the last line that a tool said."""
    try:
        done = subprocess.run(
            list(command), capture_output=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        return 1, str(problem)
    lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
    return done.returncode, lines[-1].rstrip(".") if lines else ""
