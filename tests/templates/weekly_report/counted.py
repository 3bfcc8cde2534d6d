"""Counting a folder in a test: files by name -> what the report knows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from counterfoil import Files, Period
from weekly_report.figures import TOTAL
from weekly_report.reading import Count, count_folder

WEEK = Period("2026-11-23/2026-11-29")


def counted(
    folder: Path, files: Mapping[str, bytes], *, answers: Mapping[str, str] | None = None, left_out: Sequence[str] = ()
) -> Count:
    """What these files say about the week from 23 to 29 November 2026; `answers` by the kind of the question."""
    for name, data in files.items():
        (folder / name).write_bytes(data)
    found = count_folder(Files(folder), "", WEEK, {}, left_out, lambda _: None)
    given: dict[str, str] = {}
    while answers and (asked := [one for one in found.questions if one.kind in answers and one.key not in given]):
        given |= {one.key: answers[one.kind] for one in asked}
        found = count_folder(Files(folder), "", WEEK, given, left_out, lambda _: None)
    return found


def totals(count: Count) -> dict[str, str]:
    """The totals: currency -> amount."""
    return {one.currency: f"{one.amount:f}" for one in count.figures if one.kind == TOTAL}


def dropped(count: Count) -> dict[int, str]:
    """Why rows were dropped, by row."""
    return {one.row: one.why for one in count.dropped}


def left_out(count: Count) -> dict[str, str]:
    """Why tables were left out, by the name of their sheet or else of the file."""
    return {one.sheet or one.file: one.left_out for one in count.sheets if one.left_out}


def asked(count: Count) -> list[tuple[str, list[str]]]:
    """The questions: kind and choices."""
    return [(one.kind, one.choices) for one in count.questions]
