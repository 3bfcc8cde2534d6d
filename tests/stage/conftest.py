"""Copies and differences are made on a disk."""

from pathlib import Path

import pytest


@pytest.fixture
def tmp_path(disk: Path) -> Path:
    """A folder of the test's own, on the disk."""
    return disk
