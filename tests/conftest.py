"""Noise fails, and no test touches what belongs to the person who runs it.

Warnings are errors and Qt's messages fail by pyproject.toml; here the third kind of noise, log records, is made to fail
too. A test that provokes one on purpose says so: `@pytest.mark.expects_log("part of the message")`.
"""

import contextlib
import importlib.util
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")

# Shared cores make every deadline a coin toss; speed is judged in tests/benchmarks. The same examples each time, so that the check judges a
# change and not luck; with COUNTERFOIL_SEARCH=1 others are looked for.
settings.register_profile(
    "counterfoil",
    deadline=None,
    print_blob=True,
    derandomize="COUNTERFOIL_SEARCH" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("counterfoil")


# Begun first, so that at the end no worker is left alone with one of them.
_LONGEST = frozenset(
    {"test_ordinary_user.py", "test_clock_changes.py", "test_five_thousand.py", "test_setup.py", "test_rounds.py"}
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that take longest come first."""
    items.sort(key=lambda item: item.path.name not in _LONGEST)


@pytest.fixture(autouse=True, scope="session")
def foreign_home(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """A test that forgets to name a home gets an empty one, never the home of whoever runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COUNTERFOIL_HOME", str(tmp_path_factory.mktemp("home")))
        # Where nothing confines code, as in some containers, it may run in the folders of these tests.
        patch.setenv("COUNTERFOIL_UNPROTECTED", str(tmp_path_factory.getbasetemp()))
        yield


@pytest.fixture(autouse=True, scope="session")
def fresh_databases(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Every new home of a test gets a copy of what the migrations made once in this process: making it anew takes most of a short test."""
    if importlib.util.find_spec("counterfoil") is None:  # this file is being tried by itself
        yield
        return
    from counterfoil.store import migrating

    upgrade, folder = migrating._upgrade, tmp_path_factory.mktemp("databases")

    def upgraded(path: Path, wanted: int, application: int) -> None:
        if path.exists():  # an older one is brought up to date for real
            upgrade(path, wanted, application)
            return
        made = folder / f"{wanted}-{application}.db"
        if not made.exists():
            upgrade(made, wanted, application)
        shutil.copyfile(made, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrating, "_upgrade", upgraded)
        yield


@pytest.fixture(autouse=True, scope="module")
def forgotten_secrets() -> Generator[None]:
    """What one file's tests have had in their hands is struck out of no other's texts: which files share a process is chance."""
    yield
    redacting = sys.modules.get("counterfoil.effects.redacting")
    if redacting is not None:
        redacting.KNOWN._values, redacting.KNOWN._redact = {}, redacting.Redactor({})


@pytest.fixture
def disk() -> Generator[Path]:
    """An empty folder on the disk: packaging/test keeps the others in memory, and file systems differ."""
    place = "/var/tmp" if Path("/var/tmp").is_dir() else None
    with tempfile.TemporaryDirectory(prefix="counterfoil-", dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


class _Listener(logging.Handler):
    """Keeps the records that a person would have seen."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(f"{record.levelname} {record.name}: {record.getMessage()}")


@contextlib.contextmanager
def _quiet(item: pytest.Item) -> Generator[list[str]]:
    """Fails when something was logged that the test's marks do not announce; gives what was logged."""
    listener = _Listener()
    logging.getLogger().addHandler(listener)
    try:
        yield listener.messages
    finally:
        logging.getLogger().removeHandler(listener)
    announced = _announced(item)
    noise = [said for said in listener.messages if not any(text in said for text in announced)]
    if noise:
        pytest.fail("logged, and nobody expected it:\n  " + "\n  ".join(noise), pytrace=False)


def _announced(item: pytest.Item) -> list[str]:
    return [str(mark.args[0]) for mark in item.iter_markers("expects_log")]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    with _quiet(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with _quiet(item) as messages:
        result = yield
    missing = [text for text in _announced(item) if not any(text in said for said in messages)]
    if missing:
        pytest.fail("expected to be logged, and was not:\n  " + "\n  ".join(missing), pytrace=False)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    with _quiet(item):
        return (yield)
