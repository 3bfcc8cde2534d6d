"""Who acts: the operating system's account, as a principal. Until keys exist this is all that is known of a person."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

from counterfoil.places import Home

_NO_SIGN_IN = ("nologin", "false", "true", "sync")  # programs that stand in the place of a shell
_PEOPLE = 1000  # accounts of people are numbered from here on; those below are the system's own


def account() -> str:
    """The principal of whoever runs this program."""
    try:
        return f"user:{getpass.getuser()}"
    except (OSError, KeyError):  # an account without a name, as in some containers
        return f"user:{os.getuid()}"


def deciders(home: Home) -> list[str]:
    """Who may decide what the runs of a data folder ask, by name: whoever its folder belongs to, since nobody else can open it. Nobody
    where that account cannot sign in, as the account of a service."""
    try:
        import pwd  # not on Windows

        owner = pwd.getpwuid(home.root.stat().st_uid)
    except (ImportError, OSError, KeyError):
        return [account().removeprefix("user:")]
    return [owner.pw_name] if _signs_in(owner.pw_shell) else []


def owner(home: Home) -> str:
    """The principal to whom a question goes that nobody else is able to answer: whose data folder it is, else who runs this program."""
    names = deciders(home)
    return f"user:{names[0]}" if names else account()


def accounts() -> list[str]:
    """Names of the accounts of this computer that people sign in with; none where the system does not tell."""
    try:
        import pwd  # not on Windows
    except ImportError:
        return []
    return sorted(entry.pw_name for entry in pwd.getpwall() if entry.pw_uid >= _PEOPLE and _signs_in(entry.pw_shell))


def _signs_in(shell: str) -> bool:
    return Path(shell).name not in _NO_SIGN_IN
