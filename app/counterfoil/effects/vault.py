"""A file with secrets under a passphrase, for people who chose it: scrypt makes the key, AES-GCM keeps the content.

The passphrase is kept nowhere. Each writing takes a new nonce and replaces the file as a whole; who writes is `alone` from reading on.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any
from uuid import uuid4

from counterfoil.errors import SecretMissing

COST = 2**16  # scrypt's N: 64 MiB and about a quarter of a second
SHORTEST = 8  # characters of a passphrase
_ABOUT = b"counterfoil secrets 1"  # bound to the content, so that no other file is taken for this one


class VaultTrouble(SecretMissing):
    """The file cannot be opened: another passphrase, or it is damaged."""


class Vault:
    """The file. A `key` is what the passphrase comes to for it: 32 bytes."""

    def __init__(self, path: Path, cost: int = COST) -> None:
        self.path = path
        self._cost = cost

    @property
    def exists(self) -> bool:
        """Whether somebody chose to have one."""
        return self.path.is_file()

    def create(self, passphrase: str) -> bytes:
        """Make an empty one; its key."""
        head = {"format": 1, "n": self._cost, "r": 8, "p": 1, "salt": _text(os.urandom(16))}
        key = _key(head, passphrase)
        self._write(head, key, {})
        return key

    def unlocked(self, passphrase: str) -> bytes:
        """The key of a passphrase.

        Raises:
            VaultTrouble: it opens nothing here.
        """
        key = _key(self._read()[0], passphrase)
        self.values(key)
        return key

    def values(self, key: bytes) -> dict[str, str]:
        """What is kept, by name.

        Raises:
            VaultTrouble: the key does not open it.
        """
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        head, sealed = self._read()
        try:
            text = AESGCM(key).decrypt(_bytes(sealed["nonce"]), _bytes(sealed["data"]), _bound(head))
        except (InvalidTag, ValueError) as problem:
            raise VaultTrouble(
                "The passphrase does not open the file with secrets, or the file was changed.",
                f"Try again, or restore {self.path.name} from a backup.",
            ) from problem
        found: dict[str, str] = json.loads(text)
        return found

    def put(self, key: bytes, name: str, value: str | None) -> None:
        """Keep a value, or none of this name any more.

        Raises:
            VaultTrouble: the key does not open it.
        """
        values = {**self.values(key), **({} if value is None else {name: value})}
        if value is None:
            values.pop(name, None)
        self._write(self._read()[0], key, values)

    def _read(self) -> tuple[dict[str, Any], dict[str, Any]]:
        try:
            kept = json.loads(self.path.read_bytes())
            return kept["head"], kept["sealed"]
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise VaultTrouble(
                f"The file with secrets {self.path.name} cannot be read.", "Restore it from a backup, or remove it."
            ) from problem

    def _write(self, head: dict[str, Any], key: bytes, values: dict[str, str]) -> None:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(12)
        data = AESGCM(key).encrypt(nonce, json.dumps(values).encode(), _bound(head))
        private_json(self.path, {"head": head, "sealed": {"nonce": _text(nonce), "data": _text(data)}})


def private_json(path: Path, value: object) -> None:
    """Write a file that only this account can read, whole or not at all."""
    staged = path.with_name(f"{path.name}.{uuid4().hex}.part")  # two writers never share one
    handle = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        json.dump(value, out)
        out.flush()
        os.fsync(out.fileno())
    staged.replace(path)


def _key(head: dict[str, Any], passphrase: str) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    try:
        n, r, p, salt = int(head["n"]), int(head["r"]), int(head["p"]), _bytes(head["salt"])
        if head["format"] != 1 or not 2**10 <= n <= 2**20 or not 1 <= r <= 16 or not 1 <= p <= 4:
            raise ValueError("a cost of no file of ours")
        return Scrypt(salt=salt, length=32, n=n, r=r, p=p).derive(passphrase.encode("utf-8"))
    except (KeyError, TypeError, ValueError) as problem:
        raise VaultTrouble("The file with secrets is damaged.", "Restore it from a backup, or remove it.") from problem


def _bound(head: dict[str, Any]) -> bytes:
    return _ABOUT + json.dumps(head, sort_keys=True).encode()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text, validate=True)
