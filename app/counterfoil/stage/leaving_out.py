"""Which names of a workspace are not copied, and why: data of version control, secrets, keys, and what is Counterfoil's own.

What is left out is always said. A person may have a path copied anyway, or have more left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from counterfoil.places import Home
from counterfoil.policy.boundaries import folded, visible
from counterfoil.policy.file_classes import ACCESS, VERSIONS
from counterfoil.settings.workspace import files_chosen

Why = Literal["versions", "secret", "key", "special", "unreadable", "changing", "deep", "chosen", "ours"]

_OURS = ".counterfoil"  # the settings beside the files, and whatever an apply has under way
_SECRETS = frozenset(".npmrc .htpasswd".split())
_CREDENTIALS = ("client_secret", "client-secret", "service_account", "service-account", "credentials")
_KEYS = "id_"
_KEY_ENDINGS = frozenset({".pem", ".key", ".p12", ".pfx", ".kdbx", ".ppk", ".gpg", ".jks", ".keystore"})
_TOKEN_ENDINGS = frozenset({"token", "json", "txt"})


@dataclass(frozen=True, slots=True)
class Choices:
    """What a person has chosen for a workspace, as paths relative to it: more to leave out, and what to copy anyway. `home` is the path of
    Counterfoil's own data where that lies in it."""

    leave_out: frozenset[str] = frozenset()
    copy_anyway: frozenset[str] = frozenset()
    home: str | None = None

    def why_not(self, path: str, *, is_folder: bool) -> Why | None:
        """Why this path is left out, or None when it is copied."""
        if path in self.leave_out:
            return "chosen"
        if path == self.home:
            return "ours"
        why = why_left_out(path.rpartition("/")[2], is_folder=is_folder)
        return None if why != "ours" and path in self.copy_anyway else why


def choices_of(workspace: Path, home: Home) -> Choices:
    """What is set for a workspace.

    Raises:
        WrongWorkspace: its settings cannot be read.
    """
    data = home.real
    inside = data.relative_to(workspace).as_posix() if data.is_relative_to(workspace) else None
    return Choices(*files_chosen(workspace), inside)


def why_left_out(name: str, *, is_folder: bool) -> Why | None:
    """Why a name is left out wherever it stands, or None. A folder that is left out goes with all that is beneath it."""
    plain = folded(name)
    if plain in VERSIONS.folders:  # as a file, .git points at such a folder
        return "versions"
    if plain.startswith(_OURS):
        return "ours"
    if is_folder:
        return "secret" if plain in ACCESS.folders else None
    stem, dot, ending = plain.rpartition(".")
    if dot + ending in _KEY_ENDINGS:
        return "key"
    if plain in ACCESS.names:
        return "key" if plain.startswith(_KEYS) else "secret"
    if plain in _SECRETS or plain.startswith(".env") or (ending == "json" and plain.startswith(_CREDENTIALS)):
        return "secret"
    return "secret" if ending in _TOKEN_ENDINGS and (stem or ending).endswith("token") else None


def told(paths: Iterable[tuple[str, Why]]) -> list[str]:
    """What was left out as the parts of a sentence: “.git”, “.env”, “2 key files”, “3 parts you chose”. Our own is not told."""
    found: dict[Why, list[str]] = {}
    for path, why in paths:
        found.setdefault(why, []).append(visible(path.rpartition("/")[2]))
    parts: list[str] = []
    for why in ("versions", "secret"):
        names = found.get(why, [])
        parts += [name if names.count(name) == 1 else f"{names.count(name)} × {name}" for name in dict.fromkeys(names)]
    for why, (one, more) in _COUNTED.items():
        if number := len(found.get(why, [])):
            parts.append(one if number == 1 else more.format(f"{number:,}"))
    return parts


_COUNTED: dict[Why, tuple[str, str]] = {
    "key": ("1 key file", "{} key files"),
    "special": ("1 pipe or device", "{} pipes or devices"),
    "unreadable": ("1 part that this account may not read", "{} parts that this account may not read"),
    "changing": ("1 file that never stopped changing", "{} files that never stopped changing"),
    "deep": ("1 part that lies too deep", "{} parts that lie too deep"),
    "chosen": ("1 part you chose", "{} parts you chose"),
}
