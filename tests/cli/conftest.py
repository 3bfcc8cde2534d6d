"""An office, and the program called on its home."""

from collections.abc import Generator
from pathlib import Path

import pytest

from cli.speaking import Caller, caller
from views.rows import Office, make_office


@pytest.fixture
def office(tmp_path: Path) -> Generator[Office]:
    """A home of the test's own, with rows as the engine writes them."""
    office = make_office(tmp_path)
    yield office
    office.database.close()


@pytest.fixture
def call(office: Office, capsys: pytest.CaptureFixture[str]) -> Caller:
    """The program on the office's home."""
    return caller(capsys, office.home.root)
