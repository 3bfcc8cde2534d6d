"""Packages are resolved and fetched by the ordinary client that is there: pip of this Python, or uv where it has no pip.

Only built files are taken, so nothing of a package runs while it is fetched, and of a lock only files with the right SHA-256. Of a
person's own settings those count that say how an index is reached; what they say about where and what to install does not.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from counterfoil.catalogue.requirements import Lock, Release, canonical_name
from counterfoil.catalogue.shelf import own_releases
from counterfoil.errors import FetchFailed

_REACHING = frozenset(
    "index-url extra-index-url find-links no-index trusted-host cert client-cert proxy timeout default-timeout retries "
    "keyring-provider cache-dir no-cache-dir".split()
)
_BUILT = ("--only-binary", ":all:")
_NOTHING = "Nothing was kept."
_UNREACHED = re.compile(
    r"connection broken by|error sending request|failed to (?:fetch|connect)|dns error", re.IGNORECASE
)
_HASHES = re.compile(r"DO NOT MATCH THE HASHES|hash mismatch", re.IGNORECASE)
_CONFLICT = re.compile(r"The conflict is caused by:\n((?:[ \t]+\S.*\n)+)")
_ABSENT = re.compile(r"No matching distribution found for (\S+)")


class Client(Protocol):
    """What resolves and fetches."""

    fits_everywhere: bool

    def resolve(self, requires: Iterable[str], wheels: Path | None) -> str:
        """The text of a lock for these requirements; `wheels` is a folder to take files from, and nowhere else.

        Raises:
            FetchFailed: there is none.
        """

    def fetch(self, lock: Lock, into: Path, wheels: Path | None) -> None:
        """Put the packages of a lock into an empty folder.

        Raises:
            FetchFailed: one of them is not to be had, or is another file than the lock says.
        """


def client() -> Client:
    """The client of this Python.

    Raises:
        FetchFailed: there is none.
    """
    if importlib.util.find_spec("pip") is not None:
        return Pip()
    uv = shutil.which("uv")
    if uv is None:
        raise FetchFailed(
            f"{sys.executable} has no pip, and there is no uv.", f"Run: {sys.executable} -m ensurepip, then try again."
        )
    return Uv(uv)


class Pip:
    """pip of this Python; it resolves for this computer's kind of Python."""

    fits_everywhere = False

    def resolve(self, requires: Iterable[str], wheels: Path | None) -> str:
        """See `Client`."""
        with tempfile.TemporaryDirectory(prefix="counterfoil-") as scratch:
            folder = Path(scratch)
            asked, ours = _written(folder / "asked.txt", requires), _written(folder / "ours.txt", _ours())
            self._download(["-c", str(ours), "-r", str(asked)], folder / "files", wheels)
            return Lock(tuple(_release_of(file) for file in sorted((folder / "files").iterdir()))).text()

    def fetch(self, lock: Lock, into: Path, wheels: Path | None) -> None:
        """See `Client`; files are fetched first, then put in place without any settings or network."""
        with tempfile.TemporaryDirectory(prefix="files-", dir=into.parent) as scratch:
            folder = Path(scratch)
            pinned = ["--require-hashes", "--no-deps", "-r", str(_written(folder / "lock.txt", [lock.text()]))]
            self._download(pinned, folder / "files", wheels)
            words = ["install", "--no-index", "--find-links", str(folder / "files"), "--target", str(into)]
            _called(_pip(*words, *_BUILT, *pinned), _pip_environment({}))

    def _download(self, what: list[str], into: Path, wheels: Path | None) -> None:
        words = [*_BUILT, "--dest", str(into), *what]
        if wheels is not None:
            words = ["--no-index", "--find-links", str(wheels), *words]
        into.mkdir()
        _called(_pip("download", *words), _pip_environment({} if wheels else _reaching()))


class Uv:
    """uv; its locks are for every computer."""

    fits_everywhere = True

    def __init__(self, program: str) -> None:
        self._program = program

    def resolve(self, requires: Iterable[str], wheels: Path | None) -> str:
        """See `Client`."""
        with tempfile.TemporaryDirectory(prefix="counterfoil-") as scratch:
            folder = Path(scratch)
            asked, ours = _written(folder / "asked.txt", requires), _written(folder / "ours.txt", _ours())
            words = "--universal --generate-hashes --no-header --no-annotate --no-emit-index-url --no-emit-find-links"
            target = folder / "lock.txt"
            self._call(
                "compile", str(asked), "-c", str(ours), *words.split(), "--output-file", str(target), wheels=wheels
            )
            return target.read_text(encoding="utf-8")

    def fetch(self, lock: Lock, into: Path, wheels: Path | None) -> None:
        """See `Client`."""
        with tempfile.TemporaryDirectory(prefix="counterfoil-") as scratch:
            pinned = _written(Path(scratch) / "lock.txt", [lock.text()])
            words = ["--target", str(into), "--require-hashes", "--no-deps", "--compile-bytecode", "-r", str(pinned)]
            self._call("install", *words, wheels=wheels)

    def _call(self, *words: str, wheels: Path | None) -> None:
        source = ["--no-config", "--no-index", "--find-links", str(wheels)] if wheels else []
        command = [self._program, "pip", *words, "--quiet", "--python", sys.executable, *_BUILT, *source]
        _called(command, {**os.environ, "NO_COLOR": "1"})


def _ours() -> list[str]:
    """What Counterfoil brings goes first when a template imports, so a template gets no other release of it."""
    return [f"{name}=={version}" for name, version in own_releases().items() if name not in ("counterfoil", "pip")]


def _written(file: Path, lines: Iterable[str]) -> Path:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def _release_of(file: Path) -> Release:
    from packaging.utils import parse_wheel_filename

    name, version, *_ = parse_wheel_filename(file.name)
    return Release(canonical_name(name), str(version), "", (hashlib.sha256(file.read_bytes()).hexdigest(),), 0)


def _pip(*words: str) -> list[str]:
    return [sys.executable, "-I", "-m", "pip", *words]


def _pip_environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The environment without any setting of pip's but these."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("PIP_")}
    fixed = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INPUT": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "NO_COLOR": "1"}
    return {**kept, **fixed, **{f"PIP_{name.upper().replace('-', '_')}": value for name, value in settings.items()}}


def _reaching() -> dict[str, str]:
    """This person's settings of pip that say how an index is reached; those of the environment go before those of files."""
    listed = subprocess.run(
        _pip("config", "list"), stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    found: dict[str, str] = {}
    lines = [line.partition("=") for line in listed.stdout.splitlines()]
    for section in ("global", "download", ":env:"):
        for key, _, value in lines:
            where, _, name = key.rpartition(".")
            if where == section and name in _REACHING:
                found[name] = " ".join(_plain(value).split())
    return found


def _plain(value: str) -> str:
    try:
        return str(ast.literal_eval(value))
    except (ValueError, SyntaxError):
        return value


def _called(command: list[str], environment: Mapping[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix="counterfoil-") as nowhere:  # a folder in which no settings lie
        done = subprocess.run(
            command,
            env=environment,
            cwd=nowhere,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    if done.returncode:
        raise _why(done.stdout + done.stderr)


def _why(said: str) -> FetchFailed:
    """What went wrong, out of the client's own words."""
    if _HASHES.search(said):
        whose = re.search(r"^\s+(\S+==\S+)", said.partition("tampered")[2], re.MULTILINE)
        what = f"a file for {whose[1]}" if whose else "a file"
        return FetchFailed(
            f"{what} is another one than the lock says (its SHA-256 differs). {_NOTHING}",
            "Somebody changed the file or the lock: ask whoever keeps the template.",
        )
    if _UNREACHED.search(said):
        return FetchFailed(
            f"the package index cannot be reached. {_NOTHING}",
            "Try again when this computer is online, or name a folder with the files: --wheels DIR.",
        )
    conflict = _CONFLICT.search(said)
    if conflict:
        causes = conflict[1].replace("The user requested (constraint)", "Counterfoil brings").splitlines()
        told = ", ".join(cause.strip() for cause in causes)
        return FetchFailed(f"no releases go together: {told}. {_NOTHING}", "Require releases that do.")
    absent = _ABSENT.search(said)
    if absent:
        return FetchFailed(
            f"there is no built file of {absent[1]} for this kind of Python. {_NOTHING}",
            "Check its name and releases in template.toml; packages that would have to be built here are not taken.",
        )
    errors = [
        line.strip() for line in said.splitlines() if line.lower().lstrip(" ×").startswith(("error", "no solution"))
    ]
    last = (errors or said.strip().splitlines() or ["it said nothing"])[-1]
    return FetchFailed(f"packages cannot be fetched: {last[:400]}. {_NOTHING}", "Mend that, then try again.")
