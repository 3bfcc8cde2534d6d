"""An office for every test of the views."""

from collections.abc import Generator
from pathlib import Path

import pytest

from views.rows import Office, make_office


@pytest.fixture
def office(tmp_path: Path) -> Generator[Office]:
    """A home of the test's own."""
    office = make_office(tmp_path)
    yield office
    office.database.close()
