"""Which folders can be worked in at all: not Counterfoil's own, not the system's, not the whole disk."""

from __future__ import annotations

import os
from pathlib import Path

from counterfoil.errors import WrongWorkspace
from counterfoil.places import Home
from counterfoil.policy.boundaries import visible

_SYSTEM = ("/proc", "/sys", "/dev", "/run")
_MEMORY = "/dev/shm"  # noqa: S108 - memory that people may work in


def why_not(root: Path, home: Home) -> str:
    """Why a folder cannot be worked in, as a sentence with what to do; "" where it can. `root` is free of links."""
    shown = visible(str(root))
    if not root.is_dir():
        return f"{shown} is a file. Choose the folder it lies in."
    if not os.access(root, os.R_OK | os.X_OK):
        return f"This account may not look into {shown}."
    data = home.real
    if root == data or (root.is_relative_to(data) and not root.is_relative_to(data / "demo")):
        return "This is Counterfoil's own data folder. Choose the folder your files lie in."
    if data.is_relative_to(root):
        return f"{shown} holds Counterfoil's own data. Choose a folder for one kind of work, like the one your invoices come into."
    if root == Path(root.anchor):
        return "This is the whole disk. Choose a folder for one kind of work."
    if any(root.is_relative_to(folder) for folder in _SYSTEM) and not root.is_relative_to(_MEMORY):
        return f"{shown} belongs to the system. Choose another folder."
    return ""


def refuse(root: Path, home: Home) -> None:
    """Refuse a folder that cannot be worked in.

    Raises:
        WrongWorkspace: it is one.
    """
    why = why_not(root, home)
    if why:
        raise WrongWorkspace(why)
