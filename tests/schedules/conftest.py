"""A home with a clock, for tests of routines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from schedules.routines import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "home")
    yield made
    made.database.close()
