"""What the Settings page may ask and do, and the facts it is handed. A part of `office`, with the same rules for threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

TABS = (
    ("general", "General"),
    ("notifications", "Notifications"),
    ("background", "Background"),
    ("storage", "Storage"),
    ("health", "Health"),
)


@dataclass(frozen=True, slots=True)
class GeneralSeen:
    """Seconds in which a decision can be taken back; the badge's word of what was measured last, what it means and how to raise it, all ""
    before anything was."""

    undo_seconds: int
    badge: str = ""
    sentence: str = ""
    raising: str = ""


@dataclass(frozen=True, slots=True)
class NoticesSeen:
    """`quiet` are two times of day as they are typed, both "" where there are no quiet hours; `digest` and `mail_after` in minutes; nobody
    is mailed where `mail_to` is empty."""

    quiet: tuple[str, str] = ("", "")
    digest: int = 15
    hide: bool = True
    mail_to: tuple[str, ...] = ()
    mail_account: str = ""
    mail_after: int = 30


@dataclass(frozen=True, slots=True)
class BackgroundSeen:
    """Whether the runner starts at login, what is to be said of that, the file that the system reads, and the runner's log with its size in
    bytes. `stale`: it would start another program than this one."""

    starts: bool
    words: str
    file: str
    log: str
    log_size: int = 0
    stale: bool = False


@dataclass(frozen=True, slots=True)
class PartSeen:
    """A part of the data folder and its size in bytes."""

    name: str
    means: str
    size: int


@dataclass(frozen=True, slots=True)
class StorageSeen:
    """The data folder, its parts, and the room on its disk in bytes."""

    root: str
    parts: tuple[PartSeen, ...]
    free: int
    disk: int

    @property
    def total(self) -> int:
        """Bytes of all parts."""
        return sum(part.size for part in self.parts)


@dataclass(frozen=True, slots=True)
class CheckSeen:
    """One line of the list that `counterfoil doctor` gives; `state` is ok, warn or bad, `next_step` "" where nothing is to be done."""

    what: str
    state: str
    means: str
    next_step: str = ""


@dataclass(frozen=True, slots=True)
class HealthSeen:
    """The list, and the text that may be given away: without names, contents and secrets."""

    checks: tuple[CheckSeen, ...]
    support: str


class Settings(Protocol):
    """What is set for the whole home. Every method may raise a CounterfoilError; one that sets something says what holds now."""

    def general(self) -> GeneralSeen:
        """What stands under General."""

    def notices(self) -> NoticesSeen:
        """How people hear of things."""

    def background(self) -> BackgroundSeen:
        """What goes on without a window."""

    def storage(self) -> StorageSeen:
        """What the data folder holds; every file in it is looked at."""

    def health(self) -> HealthSeen:
        """Check everything anew, which takes seconds."""

    def set_undo(self, typed: str) -> str:
        """Seconds in which a decision can be taken back."""

    def set_quiet(self, begin: str, end: str) -> str:
        """Quiet hours; two empty texts for none."""

    def set_digest(self, typed: str) -> str:
        """Minutes between two messages at the least."""

    def set_hide(self, *, on: bool) -> str:
        """Whether notices keep titles and names to themselves."""

    def set_mail(self, to: str, account: str, after: str) -> str:
        """Who is mailed, by which workspace's account, about what has waited for so many minutes; nobody where `to` is empty."""

    def start_at_login(self, *, on: bool) -> str:
        """Have the runner start at login, or no more."""


class Settled(Protocol):
    """What an office adds to its own methods for this page."""

    @property
    def settings(self) -> Settings:
        """What is set for the whole home."""
