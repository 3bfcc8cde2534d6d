"""Everything shipped may be distributed with an Apache-2.0 program: no GPL and no AGPL without another choice."""

import importlib.metadata
import re

import pytest

from house.test_locks import locked

STRICT = re.compile(r"(?<![A-Za-z])A?GPL|(?<!lesser )general public licen[cs]e|affero", re.IGNORECASE)


def choices(name: str) -> list[str]:
    """The licences that a package offers to choose from, as its installed metadata say."""
    about = importlib.metadata.metadata(name)
    classifiers = [
        line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or [] if line.startswith("License")
    ]
    first_line = "".join(about.get_all("License") or []).strip().splitlines()[:1]
    stated = [about["License-Expression"]] if "License-Expression" in about else classifiers or first_line
    return [choice for text in stated for choice in re.split(r"\s+OR\s+", text) if choice]


@pytest.mark.parametrize("name", locked("run"))
def test_licence_allows_distribution(name: str) -> None:
    try:
        offered = choices(name)
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("not for this platform or this Python")
    assert any(not STRICT.search(choice) for choice in offered), offered or "no licence is stated"


def test_strict_licences_are_recognised() -> None:
    strict = [
        "GPL-3.0-only",
        "GNU Affero General Public License v3",
        "AGPL-3.0",
        "GNU General Public License v2 or later (GPLv2+)",
    ]
    fine = ["LGPL-3.0-only", "GNU Lesser General Public License v2 (LGPLv2)", "Apache-2.0", "MIT"]
    assert [bool(STRICT.search(licence)) for licence in strict + fine] == [True] * len(strict) + [False] * len(fine)
