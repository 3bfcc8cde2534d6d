"""The manifest of a stage: what is written can be read back, names of any bytes included, and what is damaged says so."""

import os

import pytest

from counterfoil.errors import Damaged
from counterfoil.stage.manifest import Entry, LeftOut, Manifest

ODD = os.fsdecode(b"rechnung-\xff\xfe.pdf")


def manifest() -> Manifest:
    entries = [
        Entry("a", "folder", 0, 1, 2, 3, 0o755),
        Entry(f"a/{ODD}", "file", 5, 10**18, 10**18 + 1, 4, 0o644, "0" * 64, None, 9, 8),
        Entry("a/\nb ", "link", 0, 1, 2, 5, 0o777, None, ODD),
    ]
    return Manifest(1, 2, 3, {entry.path: entry for entry in entries}, (LeftOut(".git", "versions"),))


def test_what_is_written_is_read_back() -> None:
    assert Manifest.from_json(manifest().to_json()) == manifest()


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"form":2}', manifest().to_json()[:-3]])
def test_what_is_no_manifest_is_damage(text: str) -> None:
    with pytest.raises(Damaged, match="cannot be read"):
        Manifest.from_json(text)
