"""The door through which steps read files tells what it leaves out."""

import os
from pathlib import Path

import pytest

from counterfoil import FileRefused, Files


def test_what_is_not_listed_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "invoices"
    (folder / "old").mkdir(parents=True)
    (folder / "a.xml").touch()
    (folder / ".hidden.xml").touch()
    (folder / "link").symlink_to("a.xml")
    os.mkfifo(folder / "pipe")
    (tmp_path / ".counterfoil").mkdir()
    door = Files(tmp_path)
    assert [entry.path for entry in door.list("invoices")] == ["invoices/a.xml", "invoices/link"]
    assert [(one.path, one.kind) for one in door.left_out("invoices")] == [
        ("invoices/.hidden.xml", "hidden file"),
        ("invoices/old", "folder"),
        ("invoices/pipe", "special file"),
    ]
    assert [(one.path, one.kind) for one in door.left_out()] == [("invoices", "folder")]
    with pytest.raises(FileRefused, match="not there"):
        door.left_out("gone")
