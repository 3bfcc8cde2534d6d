"""What kill tests share: the nursery of warm processes, the outside, the jobs with their undisturbed ends, and the tally."""

import sys
from collections.abc import Generator

import pytest

from kill.jobs import Errands, Job, MainJob
from kill.outside import Outside
from kill.processes import Nursery
from kill.tally import Tally

TALLY = Tally()
_ran: list[str] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Stopping and looking into processes is done the way Linux does it."""
    if sys.platform != "linux":
        for item in items:
            if "nursery" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.skip(reason="processes are watched through /proc"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The one line."""
    if _ran:
        terminalreporter.write_line(TALLY.line())


@pytest.fixture(scope="session")
def tally() -> Tally:
    """What kills have hit in this session."""
    _ran.append("tally")
    return TALLY


@pytest.fixture(scope="session")
def nursery() -> Generator[Nursery]:
    """Where warm processes come from."""
    made = Nursery()
    yield made
    made.close()


@pytest.fixture(scope="session")
def outside() -> Generator[Outside]:
    """The ledger and the mailbox."""
    made = Outside(TALLY.seed)
    yield made
    made.close()
    assert not made.problems


@pytest.fixture(scope="session")
def main_job(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, outside: Outside) -> Job:
    """Supplier payments on the whole sample."""
    return _watched(MainJob(tmp_path_factory.mktemp("kill") / "main", nursery, outside))


@pytest.fixture(scope="session")
def small_job(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, outside: Outside) -> Job:
    """Supplier payments on four files."""
    return _watched(MainJob(tmp_path_factory.mktemp("kill") / "small", nursery, outside, few=True))


@pytest.fixture(scope="session")
def errands(tmp_path_factory: pytest.TempPathFactory, nursery: Nursery, outside: Outside) -> Job:
    """The template with every kind of effect."""
    return _watched(Errands(tmp_path_factory.mktemp("kill") / "errands", nursery, outside))


def _watched(job: Job) -> Job:
    job.watch()
    return job
