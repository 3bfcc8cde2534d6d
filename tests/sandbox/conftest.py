"""Rooms at both levels that this computer can have; a level it has not is skipped with its reason."""

import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from counterfoil.places import Home
from counterfoil.sandbox import bwrap
from counterfoil.sandbox.levels import Measured
from counterfoil.sandbox.probing import measured
from sandbox.rooms import Room

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Only Linux has walls so far."""
    if sys.platform != "linux":
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=f"level L0: isolation for {sys.platform} was never run"))


def _room(folder: Path, level: str) -> Room:
    found: Measured = measured(Home(folder / "home").create(), afresh=True)
    room = Room(folder, found)
    if room.level != level:
        room.close()
        pytest.skip(f"level {level} cannot be had, only {found.code}: {found.why}")
    return room


@pytest.fixture(scope="module")
def isolated(tmp_path_factory: pytest.TempPathFactory) -> Generator[Room]:
    """A room whose hosts are isolated (L3)."""
    room = _room(tmp_path_factory.mktemp("isolated"), "L3")
    yield room
    room.close()


@pytest.fixture(scope="module")
def _restricted(tmp_path_factory: pytest.TempPathFactory) -> Generator[Room]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bwrap, "PROGRAM", Path("/nonexistent/bwrap"))
        room = _room(tmp_path_factory.mktemp("restricted"), "L2")
    yield room
    room.close()


@pytest.fixture
def restricted(_restricted: Room, monkeypatch: pytest.MonkeyPatch) -> Room:
    """A room whose hosts are restricted (L2), because there is no bubblewrap."""
    monkeypatch.setattr(bwrap, "PROGRAM", Path("/nonexistent/bwrap"))
    return _restricted


@pytest.fixture(params=["isolated", "restricted"])
def room(request: pytest.FixtureRequest) -> Room:
    """Each of the rooms."""
    found: Room = request.getfixturevalue(request.param)
    return found
