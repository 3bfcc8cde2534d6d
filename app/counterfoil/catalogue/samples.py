"""The sample that the main job comes with: copied into a folder that holds nothing yet, so that a first run touches nobody's files."""

from __future__ import annotations

import shutil
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

from counterfoil.catalogue.finding import find_template
from counterfoil.errors import WrongWorkspace
from counterfoil.places import Home, followed

TEMPLATE = "pay-invoices"
FOLDER = "demo"  # in the data folder: where copies lie unless another place is named


def copy_sample(home: Home, into: Path | None = None) -> Path:
    """Copy the sample workspace; its folder.

    Raises:
        WrongWorkspace: the folder named is not empty, or cannot be written.
        WrongUse: nothing can be called that.
    """
    sample = find_template(TEMPLATE, home.root, home) / "sample"
    place = followed(into) if into is not None else _next_folder(home.root / FOLDER)
    try:
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise WrongWorkspace(f"{place} is not empty.", "Name a folder that is, or is not there yet: --into DIR")
        # contents only: a read-only sample must not make a read-only copy
        shutil.copytree(sample, place, dirs_exist_ok=True, copy_function=shutil.copyfile)
    except OSError as problem:
        raise WrongWorkspace(
            f"the sample cannot be copied to {place}: {problem.strerror}.", "Name another folder: --into DIR"
        ) from problem
    return place


def sample_parameters(today: date) -> dict[str, Any]:
    """What the sample is paid with: an invented company with a published example account, which is no supplier's."""
    return {
        "folder": "invoices",
        "debtor_name": "Larkfield Trading GmbH",
        "debtor_iban": "DE75512108001245126199",
        "pay_on": (today + timedelta(days=1)).isoformat(),
    }


def today_here() -> date:
    """The day in this computer's zone."""
    return datetime.now().astimezone().date()


def _next_folder(parent: Path) -> Path:
    day = today_here().isoformat()
    n = 1
    while (parent / f"{day}-{n}").exists():
        n += 1
    return parent / f"{day}-{n}"
