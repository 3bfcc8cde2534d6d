"""Caps by the system (L4): asked of the service manager, believed only when the kernel shows them. There is none on most build
machines, so a stand-in starts the command and a tree of files stands for the kernel's groups."""

from pathlib import Path

import pytest

from counterfoil.places import Home
from counterfoil.policy.protection import CAPPED, ISOLATED
from counterfoil.sandbox import probing, scopes
from sandbox.rooms import Room

STAND_IN = '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
CAPS = {"memory.max": "2147483648", "memory.swap.max": "0", "pids.max": "256"}


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A service manager that starts commands and caps nothing."""
    program = tmp_path / "systemd-run"
    program.write_text(STAND_IN)
    program.chmod(0o755)
    monkeypatch.setattr(scopes, "PROGRAM", program)
    monkeypatch.setattr(scopes, "trouble", lambda: None)
    monkeypatch.setattr(probing, "_known", {})
    return program


def test_where_it_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert scopes.trouble({}) == "there is no service manager for this account"
    monkeypatch.setattr(scopes, "PROGRAM", tmp_path)
    assert scopes.trouble({"XDG_RUNTIME_DIR": "/run/user/1000"}) == "there is no service manager for this account"
    monkeypatch.setattr(scopes, "PROGRAM", Path(__file__))
    monkeypatch.setattr(scopes, "TREE", tmp_path)
    assert scopes.trouble({"XDG_RUNTIME_DIR": "/run/user/1000"}) == "this system has no unified control groups"
    (tmp_path / "cgroup.controllers").touch()
    assert scopes.trouble({"XDG_RUNTIME_DIR": "/run/user/1000"}) is None


def test_what_is_asked() -> None:
    assert scopes.words() == [
        "/usr/bin/systemd-run", "--user", "--scope", "--collect", "--quiet", "-p", "MemoryMax=2147483648",
        "-p", "MemorySwapMax=0", "-p", "TasksMax=256", "-p", "CPUWeight=50", "--",
    ]  # fmt: skip
    given = {"XDG_RUNTIME_DIR": "/run/user/1", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x", "SECRET": "hunter2"}
    assert set(scopes.environment(given)) == {"XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"}


def test_what_the_kernel_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scopes, "TREE", tmp_path / "tree")
    proc, group = tmp_path / "7", tmp_path / "tree/user.slice/run-x.scope"
    proc.mkdir()
    assert scopes.wrong_with(7, tmp_path) == ["its control group cannot be read"]
    (proc / "cgroup").write_text("4:memory:/\n")
    assert scopes.wrong_with(7, tmp_path) == ["it has no control group"]
    (proc / "cgroup").write_text("4:memory:/\n0::/user.slice/run-x.scope\n")
    assert len(scopes.wrong_with(7, tmp_path)) == 3
    group.mkdir(parents=True)
    for name, value in CAPS.items():
        (group / name).write_text(f"{value}\n")
    assert scopes.wrong_with(7, tmp_path) == []
    (group / "memory.max").write_text("max\n")
    assert scopes.wrong_with(7, tmp_path) == ["its memory.max is not capped"]


@pytest.mark.usefixtures("isolated", "manager")
def test_caps_that_nobody_sees_are_not_claimed(tmp_path: Path) -> None:
    """The stand-in caps nothing, so the level stays what it was."""
    assert probing.measured(Home(tmp_path / "home").create(), afresh=True).level is ISOLATED


@pytest.mark.usefixtures("isolated", "manager")
def test_a_run_with_caps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/hunter2")
    monkeypatch.setattr(scopes, "wrong_with", lambda _: [])
    found = probing.measured(Home(tmp_path / "home").create(), afresh=True)
    assert found.level is CAPPED
    room = Room(tmp_path, found)
    seen = room.inside("found = [dict(os.environ), refusal(text, '/proc/1/environ')]")
    assert "hunter2" not in str(seen)
    room.close()


@pytest.mark.usefixtures("isolated", "manager")
def test_a_host_whose_caps_fell_away_gets_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[list[str]] = [[]]
    monkeypatch.setattr(scopes, "wrong_with", lambda _: answers.pop(0) if answers else ["its memory.max is not capped"])
    found = probing.measured(Home(tmp_path / "home").create(), afresh=True)
    assert found.level is CAPPED
    answers.extend([[], []])
    room = Room(tmp_path, found)
    run_id = room.start("found = 1")
    answers.clear()
    assert room.advance(run_id)["state"] == "waiting"
    assert "memory.max is not capped" in room.asked(run_id)
    room.close()
