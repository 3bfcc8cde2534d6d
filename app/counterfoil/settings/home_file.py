"""`settings.toml` of the data folder: read as a table, and edited so that a person's comments and order survive."""

from __future__ import annotations

import contextlib
import os
import tempfile
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterfoil.errors import WrongUse

FILE = "settings.toml"
_MEND = "Mend the file, or move it aside."


def table(root: Path, name: str) -> dict[str, Any]:
    """One table of the file, empty where there is none; `root` is the data folder.

    Raises:
        WrongUse: the file cannot be read, or holds something else there.
    """
    return table_in(text_of(root), name, root / FILE)


def table_in(text: str, name: str, path: Path) -> dict[str, Any]:
    """The same of a text that is or will be the file.

    Raises:
        WrongUse: it is no TOML, or holds something else there.
    """
    try:
        found = tomllib.loads(text).get(name, {})
    except tomllib.TOMLDecodeError as problem:
        raise WrongUse(f"{path} cannot be read: {problem}.", _MEND) from problem
    if not isinstance(found, dict):
        raise WrongUse(f"{path}: {name} must be a table.", f"Write [{name}] above its values.")
    return found


def text_of(root: Path) -> str:
    """The whole file, "" where there is none.

    Raises:
        WrongUse: it cannot be read.
    """
    path = root / FILE
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as problem:
        raise WrongUse(f"{path} cannot be read: {problem}.", _MEND) from problem


def edited(text: str, name: str, values: Mapping[str, Any]) -> str:
    """The file with other values in one table; None takes a value away."""
    import tomlkit

    document = tomlkit.parse(text)
    kept = document.setdefault(name, tomlkit.table())
    for key, value in values.items():
        if value is None:
            kept.pop(key, None)
        else:
            kept[key] = value
    return tomlkit.dumps(document)


def replace_file(path: Path, text: str, prefix: str) -> None:
    """Replace a file whole or not at all, keeping who may read it.

    Raises:
        OSError: it cannot be written; the file is as it was.
    """
    path.parent.mkdir(exist_ok=True)
    handle, scratch = tempfile.mkstemp(prefix=prefix, suffix=path.suffix, dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as target:
            target.write(text)
            target.flush()
            os.fsync(target.fileno())
        Path(scratch).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        Path(scratch).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(scratch).unlink()
        raise
