"""Secrets: kept by the keyring and by nothing else, and a keyring that does not keep them is told apart from one that does."""

import contextlib
import json
import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.backends import fail, null
from keyring.errors import InitError, KeyringLocked

from counterfoil.cli.logs import RedactedFormatter
from counterfoil.effects.secrets import SERVICE, Keyring, KeyringUnusable
from counterfoil.effects.session_memory import NoSessionMemory
from counterfoil.effects.vault import Vault, VaultTrouble
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
            answered.wait(60)
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


# ------------------------------------------------------------------------------------------------------------ the ladder

PHRASE = "four words and more"


@pytest.fixture
def ladder(home: Home, memory_keyring: MemoryKeyring) -> Generator[Callable[[], Keyring]]:
    """A system without a keyring, seen by one process after the other; what it keeps for the session goes with the test."""
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    made: list[Keyring] = []

    def process() -> Keyring:
        made.append(Keyring(home, vault=Vault(home.root / "secrets.vault", cost=2**10)))
        return made[-1]

    yield process
    for name in ("vault key", "bank"):
        with contextlib.suppress(NoSessionMemory):
            process()._session.remove(name)


def has_session(keyring: Keyring) -> bool:
    return next(rung.usable for rung in keyring.ladder() if rung.place == "session")


def test_the_environment_goes_first_and_is_not_changed(
    secrets: Keyring, memory_keyring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets.set("smtp-password", "older")
    monkeypatch.setenv("COUNTERFOIL_SECRET_SMTP_PASSWORD", VALUE)
    assert secrets.get("smtp-password") == VALUE
    assert secrets.places() == {"smtp-password": "environment"}
    with pytest.raises(WrongUse, match="stands in the environment"):
        secrets.set("smtp-password", "x")
    monkeypatch.delenv("COUNTERFOIL_SECRET_SMTP_PASSWORD")
    assert secrets.get("smtp-password") == "older"


def test_what_is_kept_for_a_session_is_in_no_file_and_another_process_finds_it(ladder: Any, home: Home) -> None:
    if not has_session(ladder()):
        pytest.skip("the kernel keeps nothing for a session here")
    ladder().set("bank", VALUE, "session")
    assert ladder().places() == {"bank": "session"}
    assert ladder().get("bank") == VALUE
    assert VALUE.encode() not in everything_in(home.root)
    ladder()._session.remove("bank")
    with pytest.raises(SecretMissing, match="a session that is over"):
        ladder().get("bank")


def test_a_secret_moves_out_of_a_keyring_that_is_gone(
    secrets: Keyring, memory_keyring: MemoryKeyring, home: Home
) -> None:
    secrets.set("bank", "older")
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    moved = Keyring(home, vault=Vault(home.root / "secrets.vault", cost=2**10))
    moved.make_vault(PHRASE)
    moved.set("bank", VALUE, "file")
    assert moved.places() == {"bank": "file"}
    assert moved.get("bank") == VALUE


def test_a_file_under_a_passphrase_opens_with_it_and_with_nothing_else(
    ladder: Any, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = ladder()
    with pytest.raises(SecretMissing, match="There is no file"):
        first.set("bank", VALUE, "file")
    first.make_vault(PHRASE)
    first.set("bank", VALUE)
    assert first.places() == {"bank": "file"}  # there is no keyring, and somebody chose the file
    first._session.remove("vault key")
    with pytest.raises(SecretMissing, match="is locked"):
        ladder().get("bank")
    with pytest.raises(VaultTrouble, match="does not open"):
        ladder().unlock("four words and less")
    monkeypatch.setenv("COUNTERFOIL_PASSPHRASE", PHRASE)
    assert ladder().get("bank") == VALUE
    kept = everything_in(home.root)
    assert VALUE.encode() not in kept
    assert PHRASE.encode() not in kept
    assert (home.root / "secrets.vault").stat().st_mode & 0o777 == 0o600


def test_a_file_that_was_changed_is_told(ladder: Any, home: Home) -> None:
    made = ladder()
    made.make_vault(PHRASE)
    made.set("bank", VALUE)
    place = home.root / "secrets.vault"
    plain = json.loads(place.read_bytes())
    plain["head"]["p"] = 2
    place.write_text(json.dumps(plain))
    with pytest.raises(VaultTrouble):
        made.get("bank")
    place.write_text("{}")
    with pytest.raises(VaultTrouble, match="cannot be read"):
        made.get("bank")


KEEPS = """
import sys
from pathlib import Path
from counterfoil.effects.secrets import Keyring
from counterfoil.effects.vault import Vault
from counterfoil.places import Home
home = Home(Path(sys.argv[1]))
kept = Keyring(home, vault=Vault(home.root / "secrets.vault", cost=2**10))
kept.names()
print("ready", flush=True)
sys.stdin.readline()
for n in range(8):
    kept.set(f"{sys.argv[2]}-{n}", "of " + sys.argv[2], "file")
"""


def test_two_processes_that_keep_secrets_at_once_lose_none(
    ladder: Any, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COUNTERFOIL_PASSPHRASE", PHRASE)
    made = ladder()
    made.make_vault(PHRASE)
    words = [sys.executable, "-c", KEEPS, str(home.root)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    both = [subprocess.Popen([*words, who], **pipes) for who in ("anna", "ben")]  # type: ignore[call-overload]
    for one in both:
        assert one.stdout.readline() == "ready\n"
    for one in both:
        one.stdin.write("go\n")
        one.stdin.flush()
    assert [one.communicate()[0] == "" and one.returncode for one in both] == [0, 0]
    names = sorted(f"{who}-{n}" for who in ("anna", "ben") for n in range(8))
    assert made.names() == names
    assert {name: ladder().get(name) for name in names} == {name: f"of {name[:-2]}" for name in names}


def test_a_secret_that_was_handed_out_is_in_no_log(secrets: Keyring, memory_keyring: MemoryKeyring, home: Home) -> None:
    secrets.set("bank", VALUE)
    secrets.get("bank")
    formatter = RedactedFormatter("%(message)s")
    try:
        raise ValueError(f"refused {VALUE}")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 0, "sent %s", (VALUE,), sys.exc_info())
    assert VALUE not in formatter.format(record)
    assert "sent [secret bank]" in formatter.format(record)


REAL = """
import sys, time
from pathlib import Path
from counterfoil.effects.secrets import Keyring
from counterfoil.places import Home
keyring = Keyring(Home(Path(sys.argv[1])).create(), patience=20)
for _ in range(200):  # the daemon is on its way
    rung = keyring.ladder()[1]
    if rung.usable:
        break
    time.sleep(0.1)
assert rung.usable, rung
keyring.set("bank", "correct horse 7")
assert keyring.places() == {"bank": "keyring"}
assert keyring.get("bank") == "correct horse 7"
keyring.remove("bank")
assert keyring.names() == []
print("kept")
"""


def test_a_real_keyring_keeps_and_forgets(tmp_path: Path) -> None:
    if shutil.which("gnome-keyring-daemon") is None or shutil.which("dbus-run-session") is None:
        pytest.skip("gnome-keyring or dbus is not installed")
    script = 'printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1; exec "$0" -c "$1" "$2"'
    command = ["dbus-run-session", "--", "sh", "-c", script, sys.executable, REAL, str(tmp_path / "data")]
    (tmp_path / "account").mkdir()
    given = {
        **os.environ,
        "HOME": str(tmp_path / "account"),
        "XDG_RUNTIME_DIR": str(tmp_path / "account"),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.SecretService.Keyring",  # the tests' own keeps nothing
    }
    said = subprocess.run(command, capture_output=True, text=True, check=False, env=given, timeout=120)
    assert (said.returncode, said.stdout.strip()) == (0, "kept"), said.stderr
