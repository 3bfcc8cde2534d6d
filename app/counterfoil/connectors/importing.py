"""Connectors from files of other programs: `mcpServers` as many write it, and the `servers` of an editor's `mcp.json`.

What comes in is off, and its secrets go into the keyring: a value that looks like one is never kept in the clear.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from counterfoil.connectors.declared import Declared, Given, checked
from counterfoil.errors import WrongUse
from counterfoil.policy.boundaries import visible
from counterfoil.sandbox import bwrap

LARGEST = 1024 * 1024  # bytes of a file
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASS|PWD|CREDENTIAL|AUTH|COOKIE|BEARER|\bPAT\b|_PAT\b", re.IGNORECASE)
_SECRET_VALUE = re.compile(
    r"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+/_=.-]{20,}|(sk|ghp|gho|xox[abp]|glpat)[-_]\S+|\S*:\S*@\S*"
)
_ASKED = re.compile(r"\$\{(?:input|env):([A-Za-z0-9_.-]+)\}")
_FOLDER = re.compile(r"\$\{(?:workspaceFolder|workspaceRoot|PWD)\}")
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
_FETCHERS = ("npx", "uvx", "bunx", "pnpx", "pipx", "docker")


@dataclass(slots=True)
class Found:
    """One connector of a file: what is declared, the values that go into the keyring by name, and sentences about what was left out or
    has to be done."""

    declared: Declared
    secrets: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_file(path: Path) -> tuple[list[Found], list[str]]:
    """The connectors of a file, and a sentence for each that cannot be one.

    Raises:
        WrongUse: the file holds none.
    """
    try:
        text = path.read_bytes()[: LARGEST + 1].decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise WrongUse(f"The file {path.name} cannot be read: {_cause(problem)}.", "Name a file of JSON.") from problem
    servers = _servers(_json(path, text)) if len(text) <= LARGEST else None
    if servers is None:
        raise WrongUse(
            f"The file {path.name} holds no connectors.", "They stand in it under “mcpServers”, or under “servers”."
        )
    found: list[Found] = []
    left_out: list[str] = []
    taken: set[str] = set()
    for name, entry in servers.items():
        try:
            one = _found(_free(name, taken), name, entry)
        except WrongUse as problem:
            left_out.append(f"“{visible(name[:60])}” is left out: {problem.message}")
        else:
            taken.add(one.declared.name)
            found.append(one)
    return found, left_out


def _cause(problem: Exception) -> str:
    return (problem.strerror or str(problem)).lower() if isinstance(problem, OSError) else "it is no text in UTF-8"


def _json(path: Path, text: str) -> Any:
    """JSON, with the comments and last commas that editors allow in it."""
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    try:
        return json.loads(_COMMA.sub(r"\1", _COMMENT.sub(r"\1", text)))
    except (ValueError, RecursionError) as problem:
        where = f" in line {problem.lineno}" if isinstance(problem, json.JSONDecodeError) else ""
        raise WrongUse(
            f"The file {path.name} is no JSON{where}.", "Name the file as the other program keeps it."
        ) from problem


def _servers(plain: Any) -> dict[str, Any] | None:
    for key in ("mcpServers", "servers"):
        found = plain.get(key) if isinstance(plain, dict) else None
        if isinstance(found, dict):
            return {str(name): entry for name, entry in found.items()}
    inner = plain.get("mcp") if isinstance(plain, dict) else None
    return _servers(inner) if isinstance(inner, dict) else None


def _free(name: str, taken: set[str]) -> str:
    """A name for it: what it is called, in small letters, digits and dashes."""
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:36].strip("-") or "connector"
    return next(one for one in (plain, *(f"{plain}-{n}" for n in range(2, 1000))) if one not in taken)


def _found(name: str, title: str, entry: Any) -> Found:
    if not isinstance(entry, dict):
        raise WrongUse("it is no description of one.")
    if isinstance(entry.get("command"), str):
        return _program(name, title, entry)
    if isinstance(entry.get("url"), str):
        return _address(name, title, entry)
    raise WrongUse("it has neither a command nor an address.")


def _program(name: str, title: str, entry: Mapping[str, Any]) -> Found:
    given = entry.get("args") or []
    if not isinstance(given, list) or not all(isinstance(word, str | int | float) for word in given):
        raise WrongUse("its arguments are no list of words.")
    words = [str(entry["command"]), *map(str, given)]
    notes: list[str] = []
    sees_files = any(_FOLDER.search(word) for word in words)
    argv = [_FOLDER.sub(str(bwrap.JOB), word) for word in words]
    if any(_is_secret(word) for word in argv[1:]):
        raise WrongUse(
            "there is what looks like a key among its arguments, which are shown and kept. Give it as a setting (env) instead."
        )
    asked = [found[1] for word in argv for found in _ASKED.finditer(word)]
    if asked:
        raise WrongUse(f"it wants {visible(asked[0])} among its arguments, where every program could read it.")
    if Path(argv[0]).name in _FETCHERS:
        notes.append(
            f"‘{Path(argv[0]).name}’ fetches a program each time, and in its sandbox there is no network: install the program and "
            "add the connector with it."
        )
    secrets: dict[str, str] = {}
    settings = _kept(name, _table(entry, "env"), secrets, notes)
    program, code = program_of(argv[0])
    declared = Declared(
        name=name,
        title=visible(title)[:80],
        argv=(program, *argv[1:]),
        code=code,
        settings=settings,
        stage="read" if sees_files else "",
    )
    return Found(checked(declared), secrets, notes)


def _address(name: str, title: str, entry: Mapping[str, Any]) -> Found:
    if entry.get("type") == "sse":
        raise WrongUse("it speaks a form of the protocol that is out of use (sse).")
    secrets: dict[str, str] = {}
    notes: list[str] = []
    headers = _kept(name, _table(entry, "headers"), secrets, notes)
    if _ASKED.search(entry["url"]):
        raise WrongUse("its address holds something that is asked for, and addresses are shown.")
    if any(_is_secret(value) for _, value in parse_qsl(urlsplit(entry["url"]).query)):
        raise WrongUse(
            "there is what looks like a key in its address, and addresses are shown. Give it as a header instead."
        )
    declared = Declared(name=name, title=visible(title)[:80], url=entry["url"], headers=headers)
    return Found(checked(declared), secrets, notes)


def _table(entry: Mapping[str, Any], key: str) -> dict[str, str]:
    found = entry.get(key) or {}
    if not isinstance(found, dict) or not all(isinstance(value, str | int | float) for value in found.values()):
        raise WrongUse(f"its {key} is no table of texts.")
    return {str(word): str(value) for word, value in found.items()}


def _kept(name: str, table: Mapping[str, str], secrets: dict[str, str], notes: list[str]) -> dict[str, Given]:
    """The values that are kept: those that look like secrets by the names under which they go into the keyring."""
    kept: dict[str, Given] = {}
    for word, value in table.items():
        secret = f"{name}-{re.sub(r'[^A-Za-z0-9._-]+', '-', word)}"[:64]
        if _ASKED.search(value):
            kept[word] = {"$secret": secret}
            notes.append(f"It is asked for {visible(word)}: counterfoil secret set {secret}")
        elif _SECRET_NAME.search(word) or _SECRET_VALUE.fullmatch(value):
            kept[word] = {"$secret": secret}
            secrets[secret] = value
        else:
            kept[word] = value
    return kept


def _is_secret(word: str) -> bool:
    """Whether an argument, or what stands behind its `=`, looks like a key; a path is none."""
    value = word.partition("=")[2] or word
    return os.sep not in value and "/" not in value and _SECRET_VALUE.fullmatch(value) is not None


def program_of(word: str) -> tuple[str, tuple[str, ...]]:
    """A program's path, and the folders that it needs to be able to read beside the system's: its virtual environment, or its own."""
    found = shutil.which(word)
    if found is None:
        return word, ()
    path = Path(found).absolute()
    if path.is_relative_to("/usr"):
        return str(path), ()
    home = path.parent.parent
    if (home / "pyvenv.cfg").is_file():
        return str(path), (str(home),)
    return str(path), (str(path.resolve().parent), str(path.parent)) if path.is_symlink() else (str(path.parent),)
