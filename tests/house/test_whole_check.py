"""packaging/test with stand-ins for its tools: it ends with 0 only if all stages passed, and says last which did not."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from house.repository import ROOT

TOOLS = ("python", "ruff", "mypy", "lint-imports", "pytest")


def whole_check(folder: Path, *arguments: str, fails: str = "") -> subprocess.CompletedProcess[str]:
    """Run it where a tool whose words hold `fails` ends with 7, and all others with 0."""
    (folder / "packaging").mkdir()
    (folder / "tests/benchmarks").mkdir(parents=True)
    shutil.copy(ROOT / "packaging/test", folder / "packaging/test")
    (folder / "packaging/setup.sh").write_text("prepare() { :; }\n")
    (folder / ".venv/bin").mkdir(parents=True)
    for tool in TOOLS:
        script = folder / ".venv/bin" / tool
        words = f"*{fails!r}*) exit 7;;" if fails else ""
        script.write_text(f'#!/bin/sh\necho "did {tool} $*"\ncase "{tool} $*" in {words} *) exit 0;; esac\n')
        script.chmod(0o755)
    command = [str(folder / "packaging/test"), *arguments]
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_it_ends_well_when_all_passes(tmp_path: Path) -> None:
    done = whole_check(tmp_path)
    assert done.returncode == 0, done.stderr
    assert {line.split()[1] for line in done.stdout.splitlines() if line.startswith("did ")} == set(TOOLS)
    assert "failed" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "fails, stage",
    [
        ("ruff check", "lint"),
        ("mypy", "types"),
        ("pytest -s tests/benchmarks", "benchmarks"),
        ("pytest -n", "tests"),
        ("pytest -s tests/kill", "kill"),
    ],
)
def test_it_says_last_what_failed(tmp_path: Path, fails: str, stage: str) -> None:
    done = whole_check(tmp_path, fails=fails)
    assert done.returncode == 7
    assert done.stdout.splitlines()[-1].startswith(f"== failed: {stage}")


def test_arguments_go_to_the_tests_alone(tmp_path: Path) -> None:
    done = whole_check(tmp_path, "tests/engine", "-q")
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if "pytest" in line] == ["did pytest tests/engine -q"]
