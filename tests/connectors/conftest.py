"""Only Linux has walls for servers so far."""

import sys
from collections.abc import Generator
from pathlib import Path

import keyring
import pytest

from connectors.counter import Counter, Drawer
from counterfoil.effects.redacting import KNOWN, Redactor


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A server of others is started only where it can be confined."""
    if sys.platform != "linux":
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=f"isolation for {sys.platform} was never run"))


@pytest.fixture(scope="module")
def _counter(tmp_path_factory: pytest.TempPathFactory) -> Generator[Counter]:
    found = Counter(tmp_path_factory.mktemp("counter"))
    yield found
    found.close()


@pytest.fixture(autouse=True)
def _no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that starts slowly on a busy machine is not taken for one of the older protocol."""
    monkeypatch.setattr("mcp.client.session.DISCOVER_TIMEOUT_SECONDS", 100.0)


@pytest.fixture(autouse=True)
def _knows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Secrets of other tests of this process are taken out of nothing here."""
    monkeypatch.setattr(KNOWN, "_values", {})
    monkeypatch.setattr(KNOWN, "_redact", Redactor({}))


@pytest.fixture
def counter(_counter: Counter) -> Generator[Counter]:
    """A home in which there is no connector yet."""
    yield _counter
    _counter.clear()


@pytest.fixture
def drawer() -> Generator[Drawer]:
    """The keyring of this test."""
    before = keyring.get_keyring()
    drawer = Drawer()
    keyring.set_keyring(drawer)
    yield drawer
    keyring.set_keyring(before)
