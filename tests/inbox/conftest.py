"""A run at its gate, for tests of deciding."""

import shutil
from collections.abc import Generator
from pathlib import Path

import pytest

from counterfoil.places import Home
from engine.power_cut import PowerCut, blank_home, power_cut


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with a fresh database; copy it, do not use it."""
    return blank_home(tmp_path_factory.mktemp("blank"))


@pytest.fixture
def harness(tmp_path: Path, blank: Home) -> Generator[PowerCut]:
    """A harness with a ledger outside."""
    made = power_cut(tmp_path, blank)
    yield made
    made.close()
    shutil.rmtree(tmp_path / "home", ignore_errors=True)
