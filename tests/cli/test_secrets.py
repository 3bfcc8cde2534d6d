"""Secrets: never an argument, never shown, and nothing kept where there is no keyring."""

import io
from collections.abc import Generator

import keyring
import keyring.backend
import keyring.backends.fail
import pytest

from cli.speaking import Caller, Said
from views.rows import Office


class Drawer(keyring.backend.KeyringBackend):
    """A keyring in memory."""

    priority = 1

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get(username)

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[username]


@pytest.fixture
def drawer() -> Generator[Drawer]:
    """The keyring of this test."""
    before = keyring.get_keyring()
    drawer = Drawer()
    keyring.set_keyring(drawer)
    yield drawer
    keyring.set_keyring(before)


def test_value_comes_from_stdin(call: Caller, drawer: Drawer, office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hunter2\n"))
    kept = call("secret", "set", "smtp", "--json")
    assert (kept.code, kept.document) == (0, {"name": "smtp", "kept": True, "place": "keyring"})
    assert drawer.kept == {"smtp": "hunter2"}
    assert call("secret", "list", "--json").document == [{"name": "smtp", "place": "keyring"}]
    assert call("secret", "list").out == "smtp\n"
    assert call("secret", "remove", "smtp", "--json").document == {"name": "smtp", "removed": True}
    assert call("secret", "list", "--json").document == []
    assert call("secret", "remove", "smtp", "--json").error["code"] == "secret_missing"
    found = [file for file in office.home.root.rglob("*") if file.is_file() and b"hunter2" in file.read_bytes()]
    assert found == []


def test_value_as_an_argument_is_refused_and_not_repeated(call: Caller, drawer: Drawer) -> None:
    refused = call("secret", "set", "smtp", "hunter2", "--json")
    assert (refused.code, refused.error["code"]) == (2, "wrong_use")
    assert "hunter2" not in refused.out + refused.err
    assert drawer.kept == {}


def test_without_a_keyring_nothing_is_kept(call: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hunter2\n"))
    refused = call("secret", "set", "smtp", "--json")
    assert (refused.code, refused.error["code"]) == (1, "secret_missing")
    assert "hunter2" not in refused.out + refused.err
    assert call("secret", "list", "--json").document == []


def test_other_places_are_chosen_by_a_person(
    call: Caller, drawer: Drawer, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyring.set_keyring(keyring.backends.fail.Keyring())  # type: ignore[no-untyped-call]

    def said(*words: str, typed: str = "hunter2") -> Said:
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{typed}\n"))
        return call("secret", *words, "--json")

    refused = said("set", "smtp").error
    assert refused["code"] == "secret_missing"
    assert all(way in refused["next"] for way in ("COUNTERFOIL_SECRET_", "--session", "secret vault"))
    assert said("vault", typed="short").error["code"] == "wrong_use"
    assert said("vault", typed="four words and more").document == {"made": True}
    assert said("set", "smtp").document["place"] == "file"
    monkeypatch.setenv("COUNTERFOIL_SECRET_BANK_KEY", "hunter3")
    assert said("list").document == [{"name": "bank-key", "place": "environment"}, {"name": "smtp", "place": "file"}]
    assert said("set", "bank-key").error["code"] == "wrong_use"
    assert said("remove", "bank-key").error["code"] == "wrong_use"
    rungs = {one["place"]: one for one in said("where").document}
    assert list(rungs) == ["environment", "keyring", "session", "file"]
    assert (rungs["keyring"]["usable"], rungs["file"]["usable"], rungs["file"]["names"]) == (False, True, ["smtp"])
    found = [file for file in office.home.root.rglob("*") if file.is_file() and b"hunter" in file.read_bytes()]
    assert found == []
