"""A mail as the other modules see it: who, when, what it says, what hangs on it, and what is odd about it."""

from __future__ import annotations

from dataclasses import dataclass, field

LONGEST_TEXT = 12_000  # characters of a mail that an llm and a person get to see


@dataclass(frozen=True)
class Attachment:
    """What hangs on a mail: its name, its kind by its content, its size in bytes."""

    name: str
    kind: str
    size: int


@dataclass(frozen=True)
class Mail:
    """One mail. `key` tells it from others: made of its Message-ID and of what it says, since an id alone is a sender's to choose.
    `sent` is ISO text in UTC, or empty. `automatic` says why nobody waits for an answer, empty for a mail of a person. `odd` are sentences
    about what deserves a look."""

    path: str
    key: str
    message_id: str
    sent: str
    sender: str
    sender_name: str
    answer_to: str
    subject: str
    text: str
    cut: bool = False
    automatic: str = ""
    attachments: list[Attachment] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The file's name alone."""
        return self.path.rpartition("/")[2]

    @property
    def who(self) -> str:
        """The sender as people say it."""
        return self.sender_name or self.sender or "nobody named"


@dataclass(frozen=True)
class Unread:
    """A file that is no mail, or none that can be read, and why."""

    path: str
    why: str


@dataclass(frozen=True)
class Box:
    """What lies in the folder: mails to sort, how many were sorted before, and what was left alone."""

    mails: list[Mail]
    known: int
    unread: list[Unread]
    more: int  # mails beyond what one run takes
