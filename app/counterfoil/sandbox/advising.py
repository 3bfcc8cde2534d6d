"""What to do about a level that is lower than it could be: one sentence, and where it helps the text of a profile to load.

Nothing is changed by this program itself: whoever administers the computer decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_RESTRICTION = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
_SIGNS = ("namespace", "uid map", "RTM_NEWADDR", "Permission denied", "Operation not permitted")
# For the one program that asks for user namespaces, not for all; written for version 4 of the language, which knows them.
PROFILE = """\
abi <abi/4.0>,
include <tunables/global>

profile counterfoil-bwrap /usr/bin/bwrap flags=(unconfined) {
  userns,
}
"""


@dataclass(frozen=True, slots=True)
class Advice:
    """The next step, and a profile's text where one has to be loaded for it."""

    next_step: str
    profile: str = ""


INSTALL = Advice(
    "Install bubblewrap with the package tool of your system (apt-get, dnf and pacman call it bubblewrap), then run: counterfoil doctor"
)
KERNEL = Advice("It takes a Linux kernel with user namespaces or Landlock, on x86_64 or aarch64.")
OTHER_SYSTEM = Advice("Use Linux for templates you do not trust.")
_APPARMOR = Advice(
    "AppArmor keeps user namespaces from /usr/bin/bwrap. Let an administrator save the profile below as "
    "/etc/apparmor.d/counterfoil-bwrap and load it: apparmor_parser -r /etc/apparmor.d/counterfoil-bwrap. The stricter "
    "bwrap-userns-restrict of the package apparmor-profiles does as well.",
    PROFILE,
)
_NAMESPACES = Advice(
    "Let an administrator allow user namespaces: in a container by its runtime, else by user.max_user_namespaces."
)


def advice_on(why: str) -> Advice:
    """What to do about the reason that bubblewrap or the self-test gave."""
    if not any(sign in why for sign in _SIGNS):
        return KERNEL
    return _APPARMOR if _is_restricted() else _NAMESPACES


def _is_restricted() -> bool:
    try:
        return _RESTRICTION.read_text(encoding="ascii").strip() == "1"
    except (OSError, ValueError):
        return False
