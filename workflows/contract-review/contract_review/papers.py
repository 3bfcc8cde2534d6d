"""A contract as passages: pieces of the text in force, each with the place where a person finds it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Passage:
    """A piece of text and its place: “paragraph 12”, “table 2, row 3”, “header”, “page 4”."""

    place: str
    text: str


@dataclass(frozen=True)
class Contract:
    """What one file says. `inserted` and `deleted` are tracked changes that nobody has accepted: the first are counted as text, the second
    are not. `notes` are sentences on what deserves a look."""

    path: str
    sha256: str
    passages: list[Passage]
    inserted: int = 0
    deleted: int = 0
    comments: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The file's name alone."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Unread:
    """A file without words that can be reviewed, and why."""

    path: str
    why: str


@dataclass(frozen=True)
class Pile:
    """What lies in the folder."""

    contracts: list[Contract]
    known: int
    unread: list[Unread]


class NoText(Exception):
    """There is nothing to read in a file; the message says why, as a sentence."""
