"""What `doctor` found, as a text that may be given away: without names of people, folders and files, without contents and secrets."""

from __future__ import annotations

import getpass
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.clock import from_us
from counterfoil.places import Home

# Checks that speak of this computer alone; of every other one no more is told than its state.
_SPEAKS = frozenset(
    {"Program", "Data folder", "Database", "Runner", "Keyring", "Protection", "Window", "Disk", "Undo", "Templates",
     "Start at login", "Time zones"}
)  # fmt: skip
_STATES = {"ok": "fine", "warn": "look at this", "bad": "not in order"}
# A folder's name may hold spaces; the last name ends at one, unless the whole stands in quotes.
_QUOTED = re.compile(r"(?<=[‘“\"'])(?:~|<home>)?(?:[A-Za-z]:)?[\\/][^‘’“”\"'\n]+(?=[’”\"'])")
_PATH = re.compile(
    r"(?<![\w.~<>/-])(?:~|<home>)?(?:[A-Za-z]:)?[\\/]+(?:[^\\/\s,;:‘’“”\"'][^\\/\n,;:‘’“”\"']*[\\/]+)*[^\\/\s,;:‘’“”\"']+"
)
_SYSTEM = ("/usr/", "/bin/", "/sbin/", "/lib", "/etc/", "/proc/", "/sys/")
LEFT_OUT = "Left out: names of people, folders and files; what documents, runs and decisions say; values of settings; secrets; logs."


def support_text(checks: Sequence[Mapping[str, Any]], home: Home, now_us: int) -> str:
    """The text; `checks` as `doctor --json` gives them."""
    lines = [f"Counterfoil, for support, {from_us(now_us):%Y-%m-%d %H:%M} UTC", ""]
    for check in checks:
        means = f" {_bare(str(check['means']), home)}" if check["what"] in _SPEAKS else ""
        lines.append(f"{check['what']}: {_STATES[check['state']]}.{means}")
    return "\n".join([*lines, "", LEFT_OUT, ""])


def _bare(text: str, home: Home) -> str:
    """A sentence without what tells whose computer it is."""
    for place, name in ((home.root, "<data folder>"), (home.real, "<data folder>"), (Path.home(), "<home>")):
        if len(str(place)) > 1:
            text = text.replace(str(place), name)
    text = _PATH.sub(_place, _QUOTED.sub(_place, text))
    account = _account()
    return re.sub(rf"(?<!\w){re.escape(account)}(?!\w)", "<account>", text) if account else text


def _place(found: re.Match[str]) -> str:
    """A path as it may be told: the system's own by itself."""
    return found[0] if found[0].startswith(_SYSTEM) and " " not in found[0] else "<path>"


def _account() -> str:
    """The account's name, where it is nobody's word for something else."""
    try:
        name = getpass.getuser()
    except (OSError, KeyError):
        return ""
    return "" if name == "root" else name
