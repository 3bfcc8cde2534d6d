"""A home, a workspace and the catalogue of effects on both; a keyring that lives as long as the test."""

from collections.abc import Generator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

from counterfoil.clock import FakeClock
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.effects.secrets import Keyring
from counterfoil.places import Home
from counterfoil.store.blobs import Blobs


class MemoryKeyring(KeyringBackend):
    """keyring's own extension point, with a dictionary behind it."""

    priority = 1

    def __init__(self) -> None:  # the backend's own reads settings from the environment
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError(username)


@pytest.fixture
def tmp_path(disk: Path) -> Path:
    """What a plan does to files is done on a disk."""
    return disk


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty data folder."""
    return Home(tmp_path / "home").create()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty folder of the team."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def blobs(home: Home) -> Blobs:
    """The blobs of the home."""
    return Blobs(home)


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands."""
    return FakeClock()


@pytest.fixture
def memory_keyring() -> Generator[MemoryKeyring]:
    """The keyring of this process is a dictionary."""
    before = keyring.get_keyring()
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


@pytest.fixture
def secrets(home: Home) -> Keyring:
    """The secrets as effects and the command line see them."""
    return Keyring(home)


@pytest.fixture
def catalogue(home: Home, blobs: Blobs, secrets: Keyring, clock: FakeClock) -> EffectCatalogue:
    """Every effect there is."""
    return EffectCatalogue(home, blobs, secrets, clock)
