"""Starting at login: the texts that systems read, what is written and called, and what is said of it."""

from __future__ import annotations

import plistlib
import stat
import sys
from pathlib import Path

import pytest

from counterfoil.errors import StartAtLoginTrouble
from counterfoil.places import Home
from counterfoil.runner.at_login import AtLogin, Start, launchd_agent, start_of, startup_file, systemd_unit

START = Start(
    ("/opt/a b/python", "-P", "-m", "counterfoil", "--home", '/data/anna/100% "mine" $x', "runner", "--take-over")
)
UNIT = r"""[Unit]
Description=Counterfoil
StartLimitIntervalSec=0

[Service]
ExecStart="/opt/a b/python" "-P" "-m" "counterfoil" "--home" "/data/anna/100%% \"mine\" $$x" "runner" "--take-over"
Environment="PYTHONUTF8=1"
Restart=on-failure
RestartSec=2
RestartSteps=5
RestartMaxDelaySec=60
TimeoutStopSec=30
KillMode=mixed

[Install]
WantedBy=default.target
"""


def test_a_unit_for_systemd() -> None:
    assert systemd_unit(START, "Counterfoil") == UNIT
    assert "Description=The runner of /100%%h\n" in systemd_unit(START, "The runner of /100%h")
    assert 'Environment="PYTHONPATH=/src/100%%"\n' in systemd_unit(Start(("x",), "/src/100%"), "Counterfoil")


def test_an_agent_for_launchd() -> None:
    text = launchd_agent(Start(START.command, "/src"), "counterfoil-runner", "/logs/runner.log")
    assert plistlib.loads(text.encode()) == {
        "Label": "counterfoil-runner",
        "ProgramArguments": list(START.command),
        "EnvironmentVariables": {"PYTHONUTF8": "1", "PYTHONPATH": "/src"},
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ExitTimeOut": 30,
        "ProcessType": "Background",
        "StandardErrorPath": "/logs/runner.log",
    }


def test_a_file_for_the_startup_folder() -> None:
    start = Start(
        (r"C:\Program Files\Python\pythonw.exe", "-m", "counterfoil", "--home", r"C:\Users\Anna\100%"), r"C:\src"
    )
    assert startup_file(start) == (
        '@echo off\r\nchcp 65001 >nul\r\nset "PYTHONPATH=C:\\src"\r\nset "PYTHONUTF8=1"\r\n'
        'start "" /b "C:\\Program Files\\Python\\pythonw.exe" "-m" "counterfoil" "--home" "C:\\Users\\Anna\\100%%"\r\n'
    )


def test_what_is_started_is_this_very_program(tmp_path: Path) -> None:
    start = start_of(Home(tmp_path))
    assert start.command[0] == sys.executable
    assert start.command[-4:] == ("--home", str(tmp_path), "runner", "--take-over")
    assert (Path(start.import_path) / "counterfoil/__init__.py").is_file()


@pytest.mark.parametrize(
    "system, place",
    [
        ("linux", ".config/systemd/user/{name}.service"),
        ("darwin", "Library/LaunchAgents/{name}.plist"),
        ("win32", "AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup/{name}.cmd"),
    ],
)
def test_where_each_system_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str, place: str) -> None:
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    made = AtLogin(Home(tmp_path / "home"), system, tmp_path)
    assert made.file == tmp_path / place.format(name=made.name)
    assert made.name.startswith("counterfoil-runner-")  # not this account's own home
    assert made.name != AtLogin(Home(tmp_path / "other"), system, tmp_path).name


class Tools:
    """A folder of tools that note how they were called and end as they are told to."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder / "tools"
        self.folder.mkdir()
        self.calls = folder / "calls.txt"
        monkeypatch.setenv("PATH", str(self.folder))
        monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)

    def put(self, name: str, fails_on: str = "nothing") -> None:
        """A tool; it refuses calls that have a word in them."""
        tool = self.folder / name
        tool.write_text(
            f'#!/bin/sh\necho "{name} $*" >>"{self.calls}"\n'
            f'case "$*" in *{fails_on}*) echo "no bus for this person." >&2; exit 1;; esac\n'
        )
        tool.chmod(tool.stat().st_mode | stat.S_IXUSR)

    def called(self) -> list[str]:
        """Every call so far."""
        return self.calls.read_text().splitlines() if self.calls.exists() else []


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tools:
    return Tools(tmp_path, monkeypatch)


def test_installing_and_removing_on_linux(tools: Tools, tmp_path: Path) -> None:
    tools.put("systemctl")
    home = Home(tmp_path / "home").create()
    made = AtLogin(home, "linux", tmp_path)
    made.install()
    assert made.file.read_text() == made.text()
    unit = made.file.name
    assert tools.called() == [
        "systemctl --user daemon-reload", f"systemctl --user enable {unit}", f"systemctl --user restart {unit}",
    ]  # fmt: skip
    assert made.did == [f"Wrote {made.file}.", "It starts at each login of this account.", "It started now."]
    assert made.active() is True
    again = AtLogin(home, "linux", tmp_path)
    assert again.remove() is True
    assert not made.file.exists()
    assert again.did == ["It was stopped, and starts at login no more.", f"Removed {made.file}."]
    assert AtLogin(home, "linux", tmp_path).remove() is False


@pytest.mark.parametrize("system, tool", [("linux", "systemctl"), ("darwin", "launchctl")])
def test_what_the_system_refuses_leaves_nothing(tools: Tools, tmp_path: Path, system: str, tool: str) -> None:
    tools.put(tool, fails_on="runner")
    made = AtLogin(Home(tmp_path / "home").create(), system, tmp_path)
    with pytest.raises(StartAtLoginTrouble, match=r"failed: no bus for this person. Nothing was set up"):
        made.install()
    assert not made.file.exists()


def test_without_the_systems_tool_it_is_said_that_nothing_starts_it(tools: Tools, tmp_path: Path) -> None:
    made = AtLogin(Home(tmp_path / "home").create(), "linux", tmp_path)
    made.install()
    assert made.did == [
        f"Wrote {made.file}.",
        "There is no systemctl on this computer, so nothing starts it: counterfoil runner",
    ]
    assert made.active() is None


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "Library").write_text("a file where a folder must be")
    with pytest.raises(StartAtLoginTrouble, match="cannot be written"):
        AtLogin(Home(tmp_path / "home").create(), "darwin", tmp_path).install()
