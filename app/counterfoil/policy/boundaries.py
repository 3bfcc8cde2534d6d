"""Which names an effect may ever touch. One function says it for policy and for the catalogue of effects alike.

Comparing spellings would miss `.GIT`, `.ｇit` or `.g<zero width>it`, which some file systems take for `.git`; so names are folded
first, at every depth, whether or not such a file exists.
"""

from __future__ import annotations

import os
import unicodedata
from pathlib import PurePosixPath

LONGEST_PATH = 1024  # bytes; well under what every file system takes
LONGEST_NAME = 240  # bytes; leaves room for the ending of a temporary file beside it

_RESERVED = frozenset({".git", "git~1", ".counterfoil", ".ssh", ".gnupg"})
# Files that other programs run or obey later on: the change is more than its bytes.
_RUNS_LATER = frozenset(
    """
    .bashrc .bash_profile .profile .zshrc .envrc .gitattributes .gitmodules .mcp.json .pre-commit-config.yaml
    makefile package.json setup.py pyproject.toml conftest.py sitecustomize.py usercustomize.py dockerfile justfile
    claude.md agents.md
    """.split()
)
_RUNS_LATER_FOLDERS = frozenset({".vscode", ".idea", ".devcontainer", ".husky", ".github", ".gitlab", ".config"})
_RUNS_LATER_ENDINGS = frozenset(
    ".desktop .service .timer .pth .sh .bash .zsh .ps1 .bat .cmd .vbs .js .py .pl .rb .exe .scr .com .lnk .url".split()
)


def trouble_with(path: object) -> str | None:
    """Why no effect may touch this path, as one sentence; None where it lies beneath the workspace and is nobody's own.

    A good path is relative, with `/` between its names, in its one spelling (no `.`, no empty name).
    """
    if not isinstance(path, str) or not path:
        return "A path is text, relative to the workspace."
    if "\x00" in path:
        return f"The path “{visible(path)}” holds a NUL."
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or "\\" in path or ":" in parts[0]:
        return f"The path “{visible(path)}” does not lie beneath the workspace."
    if "" in parts or "." in parts:
        return f"The path “{visible(path)}” is not in its plain form."
    try:
        sizes = [len(os.fsencode(part)) for part in parts]
    except UnicodeEncodeError:
        return f"The path “{visible(path)}” cannot be written as a file name."
    if max(sizes) > LONGEST_NAME or sum(sizes) + len(sizes) > LONGEST_PATH:
        return f"The path “{visible(path[:60])}…” is longer than file systems take."
    reserved = next((part for part in parts if folded(part) in _RESERVED), None)
    if reserved is not None:
        return f"The path “{visible(path)}” goes into “{visible(reserved)}”, which no effect may touch."
    return None


def runs_later(path: str) -> bool:
    """Whether other programs run a file of this name, or obey it."""
    name = PurePosixPath(folded(path))
    if name.name in _RUNS_LATER or name.name.startswith(".env") or name.suffix in _RUNS_LATER_ENDINGS:
        return True
    return not _RUNS_LATER_FOLDERS.isdisjoint(name.parts)


def folded(name: str) -> str:
    """A name as the most forgiving file system reads it: compatibility forms, case, invisible signs, trailing dots and streams."""
    plain = unicodedata.normalize("NFKC", name)
    plain = "".join(sign for sign in plain if unicodedata.category(sign) != "Cf")
    return unicodedata.normalize("NFKC", plain.casefold()).split(":")[0].strip().rstrip(". ")


def visible(text: str) -> str:
    """A text for people, in which signs that hide or reorder others (control, bidi, zero width, undecodable) are spelled out."""
    return "".join(sign if _is_plain(sign) else f"\\u{ord(sign):04x}" for sign in text)


def _is_plain(sign: str) -> bool:
    return unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
