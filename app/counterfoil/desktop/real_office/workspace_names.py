"""What a workspace is called: as its folder, or as what it is where it is a copy of the sample."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from counterfoil.desktop.words.times import date_words
from counterfoil.places import Home


def name_of(path: str, home: Home) -> str:
    """The name of a folder; a copy of the sample, which is named by its day and a number, is called “Sample, 3 Dec”."""
    folder = Path(path)
    if folder.parent != home.root / "demo":
        return folder.name or path
    day, _, number = folder.name.rpartition("-")
    shown = _day(day)
    if not shown:
        return folder.name
    return f"Sample, {shown}" if number == "1" else f"Sample, {shown} ({number})"


def _day(text: str) -> str:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return ""
    return date_words(day, day)
