"""Who acts: the operating system's account, as a principal. Until keys exist this is all that is known of a person."""

from __future__ import annotations

import getpass
import os


def account() -> str:
    """The principal of whoever runs this program."""
    try:
        return f"user:{getpass.getuser()}"
    except (OSError, KeyError):  # an account without a name, as in some containers
        return f"user:{os.getuid()}"
