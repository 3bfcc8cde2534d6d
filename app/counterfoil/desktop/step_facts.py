"""What is kept of one step, as its sheet shows it: what it was given, what it gave back, and each try."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepKept:
    """`given` is the effect as it was performed, `value` what the step gave back; both are JSON for people, "" where there is none.
    `tries` are sentences, `origin` says where the value comes from, if not from the step alone. Of a long value one page is here."""

    given: str = ""
    value: str = ""
    tries: tuple[str, ...] = ()
    origin: str = ""
    page: int = 1
    pages: int = 1
