"""`.counterfoil/workspace.toml`: what is remembered for a template; a person's comments survive."""

import os
from pathlib import Path

import pytest

from counterfoil.errors import WrongWorkspace
from counterfoil.settings.workspace import FILE, remember, remembered

VALUES = {
    "debtor_iban": "DE89370400440532013000",
    "pay_on": {"$date": "2026-11-30"},
    "limit": {"$type": "Money", "amount": {"$dec": "10.50"}, "currency": "EUR"},
    "factor": {"$dec": "1.50"},
    "rows": [1, 2],
    "urgent": True,
}
PLAIN = {
    "debtor_iban": "DE89370400440532013000",
    "pay_on": "2026-11-30",
    "limit": "10.50 EUR",
    "factor": "1.50",
    "rows": [1, 2],
    "urgent": True,
}


def written(workspace: Path, text: str) -> Path:
    path = workspace / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_nothing_is_remembered_before(tmp_path: Path) -> None:
    assert remembered(tmp_path, "pay-invoices") == {}
    assert list(tmp_path.iterdir()) == []


def test_there_and_back(tmp_path: Path) -> None:
    remember(tmp_path, "pay-invoices", VALUES)
    assert remembered(tmp_path, "pay-invoices") == PLAIN
    assert remembered(tmp_path, "weekly-report") == {}
    assert [entry.name for entry in (tmp_path / ".counterfoil").iterdir()] == ["workspace.toml"]
    remember(tmp_path, "pay-invoices", {"rows": None, "urgent": False})
    assert remembered(tmp_path, "pay-invoices") == {k: v for k, v in PLAIN.items() if k != "rows"} | {"urgent": False}


def test_the_same_again_writes_nothing(tmp_path: Path) -> None:
    remember(tmp_path, "pay-invoices", VALUES)
    before = (tmp_path / FILE).stat().st_ino
    remember(tmp_path, "pay-invoices", VALUES)
    assert (tmp_path / FILE).stat().st_ino == before


def test_comments_and_order_survive(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "# our settings\n[remember.pay-invoices]\n# the account at the savings bank\n"
        "debtor_iban = \"old\"   # from Anna\nrate = 1.50\n\n# the relay in the cellar\n[mail]\nhost = 'relay'\n",
    )
    path.chmod(0o600)
    remember(tmp_path, "pay-invoices", {"debtor_iban": "new"})
    remember(tmp_path, "weekly-report", {"week": 48})
    assert path.read_text() == (
        "# our settings\n[remember.pay-invoices]\n# the account at the savings bank\n"
        "debtor_iban = \"new\"   # from Anna\nrate = 1.50\n\n# the relay in the cellar\n[mail]\nhost = 'relay'\n\n"
        "[remember.weekly-report]\nweek = 48\n"
    )
    assert remembered(tmp_path, "pay-invoices") == {"debtor_iban": "new", "rate": "1.50"}
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "remember = {pay = {a = 'x'}}\n",
        "remember = {other = {a = 'x'}}\n",
        "remember.pay.a = 1\n",
        "[remember.pay]\n",
        "[remember]\npay = {a = 1}\n",
        "[remember.a]\nx=1\n[mail]\nhost='h'\n[remember.b]\ny=2\n",
        "\ufeff[remember.pay]\r\na = 1\r\n",
    ],
)
def test_every_way_to_write_it(tmp_path: Path, text: str) -> None:
    written(tmp_path, text)
    remember(tmp_path, "pay", {"a": "new", "b": 2})
    assert remembered(tmp_path, "pay") == {"a": "new", "b": 2}


@pytest.mark.parametrize(
    "text,expected",
    [
        ("a = 1\nb = [\n", "line 3: invalid value. Mend the line"),
        ("a = 1\na = 2\n", "line 2: cannot overwrite a value. Mend the line"),
        ("remember = 3\n", "‘remember’ must hold a table for each template. Write [remember.pay] above the values."),
        ("[remember]\npay = 3\n", "‘remember’ must hold a table for each template."),
    ],
)
def test_a_broken_file_is_named_and_left_alone(tmp_path: Path, text: str, expected: str) -> None:
    path = written(tmp_path, text)
    for act in (lambda: remembered(tmp_path, "pay"), lambda: remember(tmp_path, "pay", {"a": 1})):
        with pytest.raises(WrongWorkspace) as caught:
            act()
        assert expected in str(caught.value)
        assert caught.value.exit_code == 2
    assert path.read_text() == text


def test_bytes_and_links_that_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "")
    path.write_bytes(b"a = 1\nb = '\xff'\n")
    with pytest.raises(WrongWorkspace, match="line 2: it is not UTF-8 text"):
        remembered(tmp_path, "pay")
    path.write_bytes(b"#" * (1024 * 1024 + 1))
    with pytest.raises(WrongWorkspace, match="larger than 1 MiB"):
        remembered(tmp_path, "pay")
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WrongWorkspace, match="is a link"):
        remember(tmp_path, "pay", {"a": 1})
    assert not (tmp_path / "elsewhere").exists()


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(tmp_path, "pay", {"a": 1})
    before = (tmp_path / FILE).read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WrongWorkspace, match="cannot be written: No space left on device"):
        remember(tmp_path, "pay", {"a": 2})
    assert (tmp_path / FILE).read_bytes() == before
    assert [entry.name for entry in (tmp_path / ".counterfoil").iterdir()] == ["workspace.toml"]
