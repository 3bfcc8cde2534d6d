"""What people set about notices, in `settings.toml` of the data folder:

[notifications]
quiet = "18:00-07:00"            # nothing then but deadlines within the hour
digest = 15                      # minutes between two messages at the least
hide = true                      # titles and names stay off screens that others see

[notifications.mail]             # for people who are away
to = ["anna@example.org"]
account = "/path/to/a/workspace" # whose [mail] account sends it
after = 30                       # minutes that something has waited
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Any

from counterfoil.errors import WrongUse
from counterfoil.settings.home_file import FILE, table

TABLE = "notifications"


@dataclass(frozen=True, slots=True)
class Mailing:
    """Who is written to, from which workspace's account, once something has waited for `after` seconds."""

    to: tuple[str, ...]
    account: str
    after: int = 1800


@dataclass(frozen=True, slots=True)
class Notifications:
    """`quiet` begins and ends on this computer's clock; `digest` in seconds."""

    quiet: tuple[time, time] | None = None
    digest: int = 900
    hide: bool = True
    mail: Mailing | None = None


def notifications(root: Path) -> Notifications:
    """What is set; `root` is the data folder.

    Raises:
        WrongUse: the file cannot be read, or holds something else there.
    """
    return notifications_in(table(root, TABLE), root / FILE)


def notifications_in(kept: dict[str, Any], path: Path) -> Notifications:
    """The same of a table [notifications].

    Raises:
        WrongUse: it holds something else there.
    """
    try:
        mail = kept.get("mail")
        return Notifications(
            quiet=_hours(kept["quiet"]) if "quiet" in kept else None,
            digest=60 * _number(kept, "digest", 15, 24 * 60),
            hide=bool(kept.get("hide", True)),
            mail=None if mail is None else _mailing(mail),
        )
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        raise WrongUse(
            f"{path}: [notifications] cannot be used: {problem}.",
            'Such as quiet = "18:00-07:00", digest = 15, and below [notifications.mail] to, account and after.',
        ) from problem


def _hours(text: str) -> tuple[time, time]:
    begin, _, end = text.partition("-")
    return time.fromisoformat(begin.strip()), time.fromisoformat(end.strip())


def _number(table: dict[str, Any], name: str, usual: int, most: int) -> int:
    found = table.get(name, usual)
    if not isinstance(found, int) or isinstance(found, bool) or not 0 <= found <= most:
        raise ValueError(f"{name} must be a number of minutes from 0 to {most}")
    return found


def _mailing(table: dict[str, Any]) -> Mailing:
    to = table["to"] if isinstance(table["to"], list) else [table["to"]]
    if not to or not all(isinstance(one, str) and "@" in one for one in to):
        raise ValueError("to must be a list of addresses")
    return Mailing(tuple(to), str(table["account"]), 60 * _number(table, "after", 30, 7 * 24 * 60))
