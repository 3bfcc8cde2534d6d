"""Who acts: the operating system's account, as a principal. Until keys exist this is all that is known of a person."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

from counterfoil.places import Home

_NO_SIGN_IN = ("nologin", "false", "true", "sync")  # programs that stand in the place of a shell


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
    return [] if Path(owner.pw_shell).name in _NO_SIGN_IN else [owner.pw_name]
