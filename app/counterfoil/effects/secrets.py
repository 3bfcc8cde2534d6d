"""Secrets are kept by the keyring of the operating system, and nowhere else: never in the database, a record, a message or a file.

What the home keeps is the list of names, because keyrings cannot be asked for one. A keyring that is chosen proves nothing (one without
an unlocked daemon fails only when it is used), so every value is read back after it was stored, and every call has a time limit,
because a keyring may put up a prompt that nobody sees.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from counterfoil.errors import CounterfoilError, SecretMissing, WrongUse
from counterfoil.places import Home

T = TypeVar("T")
SERVICE = "counterfoil"
LONGEST_VALUE = 2000  # characters; the Windows keyring takes no more
PATIENCE = 60.0  # seconds that a keyring may take, a prompt included
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NO_KEYRING = (
    "Start it from a desktop session, or install one (on Debian: apt-get install gnome-keyring dbus, then run the runner under "
    "dbus-run-session with the keyring unlocked). Secrets are never written to a file instead."
)


class KeyringUnusable(SecretMissing):
    """There is no keyring that keeps secrets, or it is locked."""


class Backend(Protocol):
    """The part of a keyring backend that is used here."""

    def get_password(self, service: str, username: str) -> str | None:
        """The value, or None."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a value."""

    def delete_password(self, service: str, username: str) -> None:
        """Remove a value."""


class Keyring:
    """The secrets of this account, by name."""

    def __init__(self, home: Home, patience: float = PATIENCE) -> None:
        self._names_file = home.root / "secrets.json"
        self._patience = patience

    def set(self, name: str, value: str) -> None:
        """Keep a secret; one of the same name is replaced.

        Raises:
            WrongUse: the name or the value cannot be kept.
            KeyringUnusable: no keyring took it.
        """
        _check_name(name)
        if not value or len(value) > LONGEST_VALUE or any(ord(sign) < 32 or ord(sign) == 127 for sign in value):
            raise WrongUse(
                f"The value of the secret “{name}” is not one line of 1 to {LONGEST_VALUE} characters.",
                "Give the value without line breaks.",
            )
        self._ask(lambda keyring: keyring.set_password(SERVICE, name, value))
        if self._ask(lambda keyring: keyring.get_password(SERVICE, name)) != value:
            raise KeyringUnusable("The keyring took the secret and does not give it back.", _NO_KEYRING)
        self._keep_names({*self.names(), name})

    def get(self, name: str) -> str:
        """The value of a secret; blocking, so call it in a thread.

        Raises:
            SecretMissing: there is none of that name, or no usable keyring.
        """
        found = self._ask(lambda keyring: keyring.get_password(SERVICE, name)) if _NAME.fullmatch(name) else None
        if not found:
            raise SecretMissing(
                f"The secret “{name}” is not in the keyring.", f"Store it with: counterfoil secret set {name}"
            )
        return found

    def remove(self, name: str) -> None:
        """Remove a secret.

        Raises:
            SecretMissing: there is none of that name, or no usable keyring.
        """
        _check_name(name)
        held = self._ask(lambda keyring: keyring.get_password(SERVICE, name)) is not None
        if held:
            self._ask(lambda keyring: keyring.delete_password(SERVICE, name))
        names = set(self.names())
        self._keep_names(names - {name})
        if not held and name not in names:
            raise SecretMissing(f"There is no secret “{name}”.", "counterfoil secret list shows the names there are.")

    def names(self) -> list[str]:
        """The names of the secrets that were stored through this home, sorted; the keyring is not asked."""
        try:
            names = json.loads(self._names_file.read_bytes())["names"]
        except FileNotFoundError:
            return []
        except (ValueError, KeyError, TypeError) as problem:
            raise CounterfoilError(
                f"The list of secret names {self._names_file.name} cannot be read.",
                "Remove it and store the secrets again.",
            ) from problem
        return sorted(str(name) for name in names)

    def _keep_names(self, names: Iterable[str]) -> None:
        staged = self._names_file.with_suffix(".part")
        handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump({"names": sorted(names)}, out)
            out.flush()
            os.fsync(out.fileno())
        staged.replace(self._names_file)

    def _ask(self, question: Callable[[Backend], T]) -> T:
        """Ask the keyring in a thread of its own, and give up when it does not answer."""
        answers: list[T] = []
        problems: list[Exception] = []

        def run() -> None:
            try:
                answers.append(question(_backend()))
            except Exception as problem:  # noqa: BLE001 - a backend raises whatever its system gives it
                problems.append(problem)

        asking = threading.Thread(target=run, name="keyring", daemon=True)
        asking.start()
        asking.join(self._patience)
        if problems:
            raise _told(problems[0])
        if not answers:
            raise KeyringUnusable(
                f"The keyring did not answer within {self._patience:g} seconds.", "Unlock it, then try again."
            )
        return answers[0]


def _backend() -> Backend:
    import keyring  # lazy: choosing a backend looks at every installed package

    chosen = keyring.get_keyring()
    for backend in (chosen, *getattr(chosen, "backends", ())):
        if type(backend).__module__.startswith("keyrings.alt"):
            raise KeyringUnusable(
                "The only keyring here keeps secrets in a readable file, so it is not used.", _NO_KEYRING
            )
    return chosen


def _told(problem: Exception) -> CounterfoilError:
    """A backend's failure as a sentence; its own words are left out, because they may hold what was asked."""
    if isinstance(problem, CounterfoilError):
        return problem
    kind = type(problem).__name__
    if kind == "NoKeyringError":
        return KeyringUnusable("There is no keyring on this system that could keep a secret.", _NO_KEYRING)
    return KeyringUnusable(
        f"The keyring refused ({kind}).", "Unlock it, or start it from a desktop session, then try again."
    )


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise WrongUse(
            f"“{name[:80]}” cannot be the name of a secret.",
            "Use letters, digits, dots, dashes and underscores, 64 at most, for example smtp-password.",
        )
