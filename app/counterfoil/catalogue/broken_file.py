"""What is wrong in one file of a template, with the line: an error that stops somebody, or a finding that a check lists."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from counterfoil.errors import BrokenTemplate

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing a check found: path beneath the template, line from 1 (0 where none is to blame), what, why, and what to write
    instead. A warning can be lived with."""

    file: str
    line: int
    what: str
    why: str
    instead: str
    level: Level = "error"


class BrokenFile(BrokenTemplate):
    """A file of a template cannot be used; `file` is its path beneath the template, `line` counts from 1 where one is to blame."""

    def __init__(self, folder: Path, file: str, line: int | None, what: str, next_step: str) -> None:
        place = f"{folder.name}/{file}".rstrip("/")
        super().__init__(f"{place}{f' line {line}' if line else ''}: {what}", next_step)
        self.file = file
        self.line = line
        self.what = what

    def finding(self, why: str = "The template cannot be loaded like this.") -> Finding:
        """The same as one entry of a check."""
        return Finding(self.file, self.line or 0, self.what, why, self.next_step)
