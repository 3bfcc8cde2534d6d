"""Secrets: kept by the keyring and by nothing else, and a keyring that does not keep them is told apart from one that does."""

import threading
from pathlib import Path

import keyring
import pytest
from keyring.backends import fail, null
from keyring.errors import InitError, KeyringLocked

from counterfoil.effects.secrets import SERVICE, Keyring, KeyringUnusable
from counterfoil.errors import CounterfoilError, SecretMissing, WrongUse
from counterfoil.places import Home
from effects.conftest import MemoryKeyring

VALUE = "correct horse 7"


def everything_in(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


def test_secret_is_kept_listed_replaced_and_removed(
    secrets: Keyring, memory_keyring: MemoryKeyring, home: Home
) -> None:
    assert secrets.names() == []
    secrets.set("smtp-password", VALUE)
    secrets.set("bank", "other")
    secrets.set("bank", "new")
    assert secrets.names() == ["bank", "smtp-password"]
    assert (secrets.get("smtp-password"), secrets.get("bank")) == (VALUE, "new")
    assert memory_keyring.kept == {(SERVICE, "smtp-password"): VALUE, (SERVICE, "bank"): "new"}
    secrets.remove("bank")
    assert secrets.names() == ["smtp-password"]
    assert memory_keyring.kept == {(SERVICE, "smtp-password"): VALUE}
    assert VALUE.encode() not in everything_in(home.root)


def test_missing_secret_says_how_to_store_it(secrets: Keyring, memory_keyring: MemoryKeyring) -> None:
    with pytest.raises(SecretMissing) as told:
        secrets.get("bank")
    assert str(told.value) == "The secret “bank” is not in the keyring. Store it with: counterfoil secret set bank"
    assert told.value.code == "secret_missing"
    with pytest.raises(SecretMissing, match="counterfoil secret list"):
        secrets.remove("bank")


def test_name_without_a_value_can_be_removed(secrets: Keyring, memory_keyring: MemoryKeyring) -> None:
    secrets.set("bank", VALUE)
    memory_keyring.kept.clear()
    secrets.remove("bank")
    assert secrets.names() == []


@pytest.mark.parametrize("name", ["", "a b", "../a", "a/b", "-x", "ü", "x" * 65, "a\n"])
def test_names_are_plain(secrets: Keyring, memory_keyring: MemoryKeyring, name: str) -> None:
    with pytest.raises(WrongUse, match="cannot be the name of a secret"):
        secrets.set(name, VALUE)
    with pytest.raises(SecretMissing):
        secrets.get(name)
    assert memory_keyring.kept == {}


@pytest.mark.parametrize("value", ["", "two\nlines", "x" * 2001, "\x00"])
def test_values_are_one_line_and_are_not_quoted(secrets: Keyring, memory_keyring: MemoryKeyring, value: str) -> None:
    with pytest.raises(WrongUse) as told:
        secrets.set("bank", value)
    assert not value or value not in str(told.value)
    assert memory_keyring.kept == {}


def test_no_keyring_is_named_and_nothing_is_written(
    secrets: Keyring, memory_keyring: MemoryKeyring, home: Home
) -> None:
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    with pytest.raises(KeyringUnusable) as told:
        secrets.set("bank", VALUE)
    assert told.value.code == "secret_missing"
    assert "There is no keyring on this system" in str(told.value)
    assert "apt-get install gnome-keyring" in told.value.next_step
    assert secrets.names() == []
    assert VALUE.encode() not in everything_in(home.root)
    with pytest.raises(KeyringUnusable):
        secrets.get("bank")


def test_keyring_that_forgets_is_found_out(secrets: Keyring, memory_keyring: MemoryKeyring) -> None:
    keyring.set_keyring(null.Keyring())  # type: ignore[no-untyped-call]
    with pytest.raises(KeyringUnusable, match="does not give it back"):
        secrets.set("bank", VALUE)
    assert secrets.names() == []


@pytest.mark.parametrize("problem", [InitError(VALUE), KeyringLocked(VALUE), OSError(VALUE)])
def test_locked_keyring_is_named_without_its_words(
    secrets: Keyring, memory_keyring: MemoryKeyring, problem: Exception
) -> None:
    class Locked(MemoryKeyring):
        def set_password(self, service: str, username: str, password: str) -> None:
            raise problem

    keyring.set_keyring(Locked())
    with pytest.raises(KeyringUnusable, match="refused") as told:
        secrets.set("bank", VALUE)
    assert "Unlock it" in told.value.next_step
    assert VALUE not in str(told.value)


def test_keyring_that_keeps_a_readable_file_is_not_used(secrets: Keyring, memory_keyring: MemoryKeyring) -> None:
    readable = type("PlaintextKeyring", (MemoryKeyring,), {"__module__": "keyrings.alt.file"})()
    keyring.set_keyring(readable)
    with pytest.raises(KeyringUnusable, match="readable file"):
        secrets.set("bank", VALUE)
    assert readable.kept == {}


def test_prompt_that_nobody_answers_ends(home: Home, memory_keyring: MemoryKeyring) -> None:
    answered = threading.Event()

    class Prompting(MemoryKeyring):
        def get_password(self, service: str, username: str) -> str | None:
            answered.wait(5)
            return None

    keyring.set_keyring(Prompting())
    with pytest.raises(KeyringUnusable, match=r"did not answer within 0\.05 seconds"):
        Keyring(home, patience=0.05).get("bank")
    answered.set()


def test_damaged_list_of_names_is_named(secrets: Keyring, home: Home) -> None:
    (home.root / "secrets.json").write_text("[")
    with pytest.raises(CounterfoilError, match=r"secrets\.json cannot be read"):
        secrets.names()


def test_list_of_names_is_private(secrets: Keyring, memory_keyring: MemoryKeyring, home: Home) -> None:
    secrets.set("bank", VALUE)
    assert (home.root / "secrets.json").stat().st_mode & 0o777 == 0o600
