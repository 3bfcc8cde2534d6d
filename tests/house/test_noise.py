"""The guards against noise guard: each kind of it is made in a pytest of its own, and must fail there."""

import shutil
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

HOUSE = Path(__file__).resolve().parents[2]
LOGGING = """
import logging
import pytest

@pytest.mark.expects_log("was skipped")
def test_said():
    logging.getLogger("x").warning("a file was skipped")

@pytest.mark.expects_log("was skipped")
def test_silent():
    pass

def test_quiet():
    logging.getLogger("x").info("all is well")
"""


@pytest.fixture
def inner(pytester: pytest.Pytester) -> pytest.Pytester:
    """A scratch project with this repository's pytest settings and conftest."""
    pytester.mkdir("tests")
    for settings in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(HOUSE / settings, pytester.path / settings)
    return pytester


@pytest.mark.parametrize(
    "noise",
    [
        "import logging; logging.getLogger('x').warning('a file was skipped')",
        "import warnings; warnings.warn('old', DeprecationWarning)",
        "from PySide6.QtCore import qWarning; qWarning('QPainter: not active')",
        "import threading; t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()",
    ],
    ids=["log record", "warning", "Qt message", "thread"],
)
def test_noise_fails(inner: pytest.Pytester, noise: str) -> None:
    (inner.path / "tests/test_noisy.py").write_text(f"def test_noisy():\n    {noise}\n")
    inner.runpytest_subprocess("-q").assert_outcomes(failed=1)


def test_announced_log_record_passes_and_a_missing_one_fails(inner: pytest.Pytester) -> None:
    (inner.path / "tests/test_log.py").write_text(LOGGING)
    result = inner.runpytest_subprocess("-q")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*expected to be logged, and was not:*"])
