"""The locks bind: every release by hash, no address, everything that pyproject.toml asks for, one release in both."""

import re
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from house.repository import ROOT

LOCKS = {"run": ROOT / "packaging/requirements.lock", "dev": ROOT / "packaging/requirements-dev.lock"}
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def locked(which: str) -> dict[str, tuple[Requirement, int]]:
    """Requirement and number of hashes by canonical name."""
    entries = LOCKS[which].read_text().replace("\\\n", " ").splitlines()
    found: dict[str, tuple[Requirement, int]] = {}
    for entry in entries:
        requirement = Requirement(entry.split("--hash", maxsplit=1)[0].strip())
        found[canonicalize_name(requirement.name)] = (requirement, len(HASH.findall(entry)))
    assert len(found) == len(entries), "one release of each package, whatever the platform"
    return found


def project() -> dict[str, Any]:
    """The [project] table."""
    table: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return table


@pytest.mark.parametrize("which", LOCKS)
def test_every_release_is_exact_and_has_hashes(which: str) -> None:
    for name, (requirement, hashes) in locked(which).items():
        assert re.fullmatch(r"==[^,*]+", str(requirement.specifier)), name
        assert hashes > 0, name


@pytest.mark.parametrize("which", LOCKS)
def test_no_address_is_in_a_lock(which: str) -> None:
    assert re.findall(r"://|--(?:extra-)?index|--find-links|file:|#", LOCKS[which].read_text()) == []


@pytest.mark.parametrize("which", LOCKS)
def test_lock_meets_the_project(which: str) -> None:
    asked = project()["dependencies"] + (project()["optional-dependencies"]["dev"] if which == "dev" else [])
    pins = locked(which)
    for requirement in map(Requirement, asked):
        pinned = next(iter(pins[canonicalize_name(requirement.name)][0].specifier)).version
        assert requirement.specifier.contains(pinned), f"{requirement} but {pinned} is locked: run packaging/lock"


def test_tests_run_on_what_is_shipped() -> None:
    run, dev = locked("run"), locked("dev")
    assert {name: str(entry[0].specifier) for name, entry in run.items()} == {
        name: str(dev[name][0].specifier) for name in run
    }
