"""Secrets, by name, on a ladder of places. What is asked for is looked for in the environment, then where it was put: the keyring of the
operating system, the memory of this session, or a file under a passphrase that somebody chose. Nowhere is one kept in the clear, and
nothing is put into a lower place unless a person says so.

What the home keeps is the list of names, because keyrings cannot be asked for one. A keyring that is chosen proves nothing (one without
an unlocked daemon fails only when it is used), so every value is read back after it was stored, and every call has a time limit,
because a keyring may put up a prompt that nobody sees.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from counterfoil.effects.redacting import KNOWN
from counterfoil.effects.session_memory import NoSessionMemory, SessionMemory
from counterfoil.effects.vault import SHORTEST, Vault, private_json
from counterfoil.errors import CounterfoilError, SecretMissing, WrongUse
from counterfoil.places import Home, alone

T = TypeVar("T")
SERVICE = "counterfoil"
LONGEST_VALUE = 2000  # characters; the Windows keyring takes no more
PATIENCE = 60.0  # seconds that a keyring may take, a prompt included
PREFIX = "COUNTERFOIL_SECRET_"  # of variables that hold a secret each
PASSPHRASE = "COUNTERFOIL_PASSPHRASE"  # noqa: S105 - the name of a variable; it opens the file for a process that nobody can be asked by
KEYRING, SESSION, FILE, ENVIRONMENT = "keyring", "session", "file", "environment"
_VAULT_KEY = "vault key"  # no name of a secret has a blank
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_NO_KEYRING = (
    "Start it from a desktop session, or install one (on Debian: apt-get install gnome-keyring dbus, then run the runner under "
    "dbus-run-session with the keyring unlocked). Or give it in another way: in the environment as "
    f"{PREFIX}NAME, for this session with secret set --session, or in a file under a passphrase with secret vault. "
    "It is never kept in the clear instead."
)


@dataclass(frozen=True, slots=True)
class Rung:
    """One place of the ladder: whether it can be used, in words how it is, and the names of secrets that lie there."""

    place: str
    usable: bool
    words: str
    names: tuple[str, ...] = ()


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

    def __init__(self, home: Home, patience: float = PATIENCE, vault: Vault | None = None) -> None:
        self._names_file = home.root / "secrets.json"
        self._lock = home.root / "secrets.lock"  # of the names and of the file under a passphrase
        self._patience = patience
        self._session = SessionMemory(hashlib.sha256(str(home.root).encode()).hexdigest()[:16])
        self._vault = vault or Vault(home.root / "secrets.vault")
        self._key: bytes | None = None

    def set(self, name: str, value: str, place: str = "") -> None:
        """Keep a secret; one of the same name is replaced. It lies in the keyring, where that is not usable in the file that
        somebody chose, or in the `place` that is asked for.

        Raises:
            WrongUse: the name or the value cannot be kept, or the environment holds one of this name.
            KeyringUnusable: no place took it.
        """
        _check_name(name)
        if not value or len(value) > LONGEST_VALUE or any(ord(sign) < 32 or ord(sign) == 127 for sign in value):
            raise WrongUse(
                f"The value of the secret “{name}” is not one line of 1 to {LONGEST_VALUE} characters.",
                "Give the value without line breaks.",
            )
        if os.environ.get(variable(name)):
            raise WrongUse(
                f"The secret “{name}” stands in the environment, which goes first and is not changed from here.",
                f"Take {variable(name)} away, or change it there.",
            )
        with alone(self._lock):
            before = self.places().get(name)
            kept = self._put(name, value, place)
            self._keep_places({**self.places(), name: kept})
            if before not in (None, kept):
                with contextlib.suppress(SecretMissing):  # where it lay cannot be used now, and is not asked any more
                    self._drop(name, str(before))

    def _put(self, name: str, value: str, place: str) -> str:
        if place == SESSION:
            with _as_ours("This system keeps nothing in memory for a session."):
                self._session.set(name, value)
        elif place == FILE:
            self._vault.put(self._vault_key(), name, value)
        else:
            try:
                self._put_into_keyring(name, value)
            except KeyringUnusable:
                if place == KEYRING or not self._vault.exists:
                    raise
                return self._put(name, value, FILE)
        return place or KEYRING

    def _put_into_keyring(self, name: str, value: str) -> None:
        self._ask(lambda keyring: keyring.set_password(SERVICE, name, value))
        if self._ask(lambda keyring: keyring.get_password(SERVICE, name)) != value:
            raise KeyringUnusable("The keyring took the secret and does not give it back.", _NO_KEYRING)

    def get(self, name: str) -> str:
        """The value of a secret; blocking, so call it in a thread.

        Raises:
            SecretMissing: there is none of that name, or the place where it lies cannot be used.
        """
        if not _NAME.fullmatch(name):
            raise _missing(name)
        value = os.environ.get(variable(name)) or self._find(name, self.places().get(name, KEYRING))
        if not value:
            raise _missing(name)
        KNOWN.add(name, value)
        return value

    def _find(self, name: str, place: str) -> str | None:
        if place == SESSION:
            with _as_ours("The memory of this session cannot be asked."):
                found = self._session.get(name)
            if found is None:
                raise SecretMissing(
                    f"The secret “{name}” was kept for a session that is over.",
                    f"Keep it again: counterfoil secret set {name}",
                )
            return found
        if place == FILE:
            return self._vault.values(self._vault_key()).get(name)
        return self._ask(lambda keyring: keyring.get_password(SERVICE, name))

    def remove(self, name: str) -> None:
        """Remove a secret.

        Raises:
            SecretMissing: there is none of that name, or the place where it lies cannot be used.
        """
        _check_name(name)
        with alone(self._lock):
            places = self.places()
            held = self._drop(name, places.get(name, KEYRING))
            self._keep_places({other: place for other, place in places.items() if other != name})
        if not held and name not in places:
            raise SecretMissing(f"There is no secret “{name}”.", "counterfoil secret list shows the names there are.")

    def _drop(self, name: str, place: str) -> bool:
        """Take a secret out of a place; whether it was there."""
        if place == SESSION:
            with _as_ours("The memory of this session cannot be asked."):
                held = self._session.get(name) is not None
                self._session.remove(name)
            return held
        if place == FILE:
            held = name in self._vault.values(self._vault_key())
            self._vault.put(self._vault_key(), name, None)
            return held
        if self._ask(lambda keyring: keyring.get_password(SERVICE, name)) is None:
            return False
        self._ask(lambda keyring: keyring.delete_password(SERVICE, name))
        return True

    def names(self) -> list[str]:
        """The names of the secrets there are, sorted: those stored through this home and those in the environment. No place is asked."""
        return sorted(self.places())

    def places(self) -> dict[str, str]:
        """Where each secret lies, by name; what the environment holds goes first.

        Raises:
            CounterfoilError: the list of names is damaged.
        """
        return {**self._kept_places(), **dict.fromkeys(_of_environment(self._kept_places()), ENVIRONMENT)}

    def _kept_places(self) -> dict[str, str]:
        try:
            kept = json.loads(self._names_file.read_bytes())
            places = kept.get("places", {})
            return {str(name): str(places.get(name, KEYRING)) for name in kept["names"]}
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise CounterfoilError(
                f"The list of secret names {self._names_file.name} cannot be read.",
                "Remove it and store the secrets again.",
            ) from problem

    def _keep_places(self, places: Mapping[str, str]) -> None:
        kept = {name: place for name, place in places.items() if place != ENVIRONMENT}
        elsewhere = {name: place for name, place in kept.items() if place != KEYRING}
        plain: dict[str, Any] = {"names": sorted(kept)}
        private_json(self._names_file, {**plain, "places": elsewhere} if elsewhere else plain)

    # ---------------------------------------------------------------------------------------------------------- the ladder

    def ladder(self) -> list[Rung]:
        """Every place in the order in which it is used, tried out by writing, reading and deleting an entry. Blocking."""
        places = self.places()
        lying = {place: tuple(sorted(name for name, at in places.items() if at == place)) for place in places.values()}
        return [
            Rung(ENVIRONMENT, True, f"Variables {PREFIX}NAME; read only.", lying.get(ENVIRONMENT, ())),
            self._tried(KEYRING, self._probe_keyring, "The keyring of the operating system.", lying.get(KEYRING, ())),
            self._tried(
                SESSION, self._probe_session, "The memory of this session, until it ends.", lying.get(SESSION, ())
            ),
            Rung(FILE, self._vault.exists, self._file_words(), lying.get(FILE, ())),
        ]

    def _tried(self, place: str, probe: Callable[[], None], words: str, names: tuple[str, ...]) -> Rung:
        try:
            probe()
        except CounterfoilError as problem:
            return Rung(place, False, f"{words} {problem.message}", names)
        return Rung(place, True, words, names)

    def _probe_keyring(self) -> None:
        name, value = f"probe-{secrets.token_hex(8)}", secrets.token_hex(8)
        self._put_into_keyring(name, value)
        self._ask(lambda keyring: keyring.delete_password(SERVICE, name))

    def _probe_session(self) -> None:
        with _as_ours("This system keeps nothing in memory for a session."):
            self._session.set("probe of it", "x")
            self._session.remove("probe of it")

    def _file_words(self) -> str:
        if not self._vault.exists:
            return "A file under a passphrase: nobody has chosen to have one (counterfoil secret vault)."
        try:
            self._vault_key()
        except SecretMissing as locked:
            return f"A file under a passphrase. {locked.message}"
        return "A file under a passphrase. It is open."

    def make_vault(self, passphrase: str) -> None:
        """Have a file under a passphrase from now on, and open it for this session.

        Raises:
            WrongUse: there is one already, or the passphrase is too short.
        """
        if len(passphrase) < SHORTEST:
            raise WrongUse(
                f"A passphrase has {SHORTEST} characters or more.",
                "Several words are easier to keep in mind than signs.",
            )
        with alone(self._lock):
            if self._vault.exists:
                name = self._vault.path.name
                raise WrongUse(f"There is a file with secrets already: {name}.", "Open it: counterfoil secret unlock")
            self._opened(self._vault.create(passphrase))

    def unlock(self, passphrase: str) -> bool:
        """Open the file for this session; False where only this process can have it open, because nothing is kept in memory here.

        Raises:
            SecretMissing: there is no such file, or the passphrase opens nothing.
        """
        return self._opened(self._vault.unlocked(passphrase))

    def _opened(self, key: bytes) -> bool:
        self._key = key
        try:
            self._session.set(_VAULT_KEY, base64.b64encode(key).decode("ascii"))
        except NoSessionMemory:
            return False
        return True

    def _vault_key(self) -> bytes:
        if not self._vault.exists:
            raise SecretMissing("There is no file with secrets.", "Have one: counterfoil secret vault")
        if self._key is None:
            self._key = self._key_of_session() or self._key_of_environment()
        return self._key

    def _key_of_session(self) -> bytes | None:
        try:
            kept = self._session.get(_VAULT_KEY)
        except NoSessionMemory:
            return None
        return base64.b64decode(kept) if kept else None

    def _key_of_environment(self) -> bytes:
        passphrase = os.environ.get(PASSPHRASE)
        if not passphrase:
            raise SecretMissing(
                "The file with secrets is locked.",
                f"Open it for this session: counterfoil secret unlock. Or start the runner with {PASSPHRASE} set.",
            )
        return self._vault.unlocked(passphrase)

    # ------------------------------------------------------------------------------------------------------------ asking

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


def variable(name: str) -> str:
    """The variable of the environment that holds a secret: `smtp-password` stands in COUNTERFOIL_SECRET_SMTP_PASSWORD."""
    return PREFIX + re.sub(r"[^A-Z0-9]", "_", name.upper())


def _of_environment(known: Mapping[str, str]) -> list[str]:
    """Names of the secrets in the environment: as they are known here, else made from the variable."""
    found = [name for name in known if os.environ.get(variable(name))]
    named = {variable(name) for name in found}
    others = [one for one, value in os.environ.items() if one.startswith(PREFIX) and value and one not in named]
    return found + [one.removeprefix(PREFIX).lower().replace("_", "-") for one in others if one != PREFIX]


@contextlib.contextmanager
def _as_ours(words: str) -> Iterator[None]:
    try:
        yield
    except NoSessionMemory as problem:
        raise KeyringUnusable(f"{words} ({problem.strerror or problem})", _NO_KEYRING) from problem


def _missing(name: str) -> SecretMissing:
    return SecretMissing(f"The secret “{name}” is not in the keyring.", f"Store it with: counterfoil secret set {name}")


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
