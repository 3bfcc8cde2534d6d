"""Acts that need the runner's rooms, given to the command line: the window imports nothing that performs effects or runs templates."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from counterfoil import errors
from counterfoil.places import Home
from counterfoil.policy.protection import Consent

PATIENCE = 90.0  # seconds; loading a template may take 60
_PACKAGE_ROOT = str(Path(__file__).resolve().parents[3])
_STARTED: list[
    subprocess.Popen[bytes]
] = []  # runners that this process has started: they are its children until they end


class CallFailed(errors.CounterfoilError):
    """The command line did not answer as it must."""

    code = "error"


def command(home: Home, *words: str) -> list[str]:
    """How this program's command line is called on a home."""
    return [sys.executable, "-P", "-m", "counterfoil", "--home", str(home.root), *words]


def call(home: Home, *words: str, patience: float = PATIENCE, given: str = "") -> Any:
    """Call the command line; the document it answers with. `given` is what it reads from stdin, where others cannot see it.

    Raises:
        CounterfoilError: what it refused, with its own sentence; CallFailed where it gave no answer.
    """
    try:
        done = subprocess.run(
            command(home, "--json", *words),
            capture_output=True,
            timeout=patience,
            check=False,
            input=given.encode(),
            env=environment(),
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise CallFailed(
            f"‘counterfoil {words[0]}’ did not answer: {problem}.", "Try again; if it stays: counterfoil doctor"
        ) from problem
    try:
        document = json.loads(done.stdout)
    except ValueError as problem:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        last = said[-1].removeprefix("counterfoil: ") if said else f"it ended with {done.returncode}"
        raise CallFailed(f"‘counterfoil {words[0]}’ failed: {last}", "Run: counterfoil doctor") from problem
    if isinstance(document, dict) and list(document) == ["error"]:
        raise refused(document["error"])
    return document


def consent(agreed: Consent) -> list[str]:
    """What a person agreed to, as options of a command."""
    words = ["--protection", agreed.level] if agreed.level else []
    return [*words, "--unprotected", agreed.folder] if agreed.folder else words


def again(run_id: str, reason: str) -> list[str]:
    """Which run is done again and why, as options of a command."""
    return ["--again", run_id, f"--comment={reason}"]


def refused(error: Mapping[str, Any]) -> errors.CounterfoilError:
    """An error document as the error it was made of."""
    kinds = {kind.code: kind for kind in reversed(_kinds(errors.CounterfoilError))}
    kind = kinds.get(str(error["code"]), errors.CounterfoilError)
    return kind(str(error["message"]), str(error["next"] or ""))


@contextlib.contextmanager
def json_file(home: Home, values: Mapping[str, Any]) -> Iterator[str]:
    """A file of this account's own that holds values for a call, gone afterwards: they do not stand in a list of processes."""
    home.create()
    handle, name = tempfile.mkstemp(prefix="input-", suffix=".json", dir=home.run)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(values, out, ensure_ascii=False)
        yield name
    finally:
        Path(name).unlink(missing_ok=True)


def start_detached(home: Home, *words: str) -> int:
    """Start the command line so that it outlives this process, its words in the runner's log; its process number."""
    home.create()
    with (home.logs / "runner.log").open("ab") as log:
        return _started(home, words, log).pid


def begin(home: Home, *words: str, patience: float) -> bool:
    """Start what may need minutes of a person, and watch it for a while; whether it is done. It goes on without this process otherwise.

    Raises:
        CallFailed: it ended, and not well, with its last words.
    """
    home.create()
    with tempfile.TemporaryFile() as out:
        process = _started(home, words, out)
        try:
            if process.wait(patience) == 0:
                return True
        except subprocess.TimeoutExpired:
            return False
        out.seek(0)
        said = out.read().decode("utf-8", "replace").strip().splitlines()
    last = said[-1].removeprefix("counterfoil: ") if said else f"it ended with {process.returncode}"
    raise CallFailed(f"{last[:1].upper()}{last[1:]}", "" if said else f"Try it: counterfoil {shlex.join(words)}")


def _started(home: Home, words: Sequence[str], out: IO[bytes]) -> subprocess.Popen[bytes]:
    """The command line in a session of its own, so that it outlives this process; what it says goes to `out`."""
    reap()
    process = subprocess.Popen(
        command(home, *words),
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=out,
        start_new_session=True,
        env=environment(),
        cwd=home.root,
    )
    _STARTED.append(process)
    return process


def reap() -> None:
    """Let go of children that have ended."""
    for process in list(_STARTED):
        if process.poll() is not None:
            with contextlib.suppress(ValueError):  # another thread was first
                _STARTED.remove(process)


def environment() -> dict[str, str]:
    """This process's environment, with the place this program runs from on the import path, so that a checkout finds itself."""
    paths = [_PACKAGE_ROOT, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths)), "PYTHONUTF8": "1"}


def _kinds(kind: type[errors.CounterfoilError]) -> list[type[errors.CounterfoilError]]:
    return [kind, *(found for below in kind.__subclasses__() for found in _kinds(below))]
