"""Files of unknown content on their way into the blobs: named by what was copied, synced before they are there, gone unless wanted."""

import hashlib
import os
from pathlib import Path

import pytest

from counterfoil.places import Home
from counterfoil.store import intake as room
from counterfoil.store.blobs import Blobs
from counterfoil.store.intake import Intake, TooLarge


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    """Blobs of an empty home."""
    return Blobs(Home(tmp_path / "home").create())


def take(intake: Intake, file: Path, limit: int = 10**9) -> tuple[str, int]:
    handle = os.open(file, os.O_RDONLY)
    try:
        return intake.take(handle, limit)
    finally:
        os.close(handle)


def test_what_is_kept_becomes_a_blob_and_the_rest_is_gone(blobs: Blobs, tmp_path: Path) -> None:
    wanted = []
    with Intake(blobs) as intake:
        for number in range(60):
            file = tmp_path / str(number)
            file.write_bytes(b"x" * number)
            sha, size = take(intake, file)
            assert (sha, size) == (hashlib.sha256(b"x" * number).hexdigest(), number)
            if number % 2:
                intake.keep(sha)
                wanted.append((sha, number))
        intake.settle()
    assert all(blobs.get(sha) == b"x" * number for sha, number in wanted)
    assert sum(1 for file in blobs.root.rglob("*") if file.is_file()) == len(wanted)


def test_every_file_is_synced_before_it_takes_its_name(
    blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    really = os.replace

    def named(one: Path, other: Path) -> None:
        done.append("name")
        really(one, other)

    monkeypatch.setattr(os, "fsync", lambda handle: done.append("sync"))
    monkeypatch.setattr(os, "replace", named)
    monkeypatch.setattr(room, "sync_folder", lambda folder: done.append("folder"))
    with Intake(blobs) as intake:
        for number in range(5):
            (tmp_path / "a").write_text(str(number))
            intake.keep(take(intake, tmp_path / "a")[0])
        intake.settle()
    assert done[:10] == ["sync"] * 5 + ["name"] * 5
    assert set(done[10:]) == {"folder"}


def test_a_sync_that_fails_leaves_no_blob(blobs: Blobs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "a").write_text("a")
    monkeypatch.setattr(os, "fsync", full)
    with Intake(blobs) as intake:
        intake.keep(take(intake, tmp_path / "a")[0])
        with pytest.raises(OSError, match="No space left"):
            intake.settle()
    assert list(blobs.root.iterdir()) == []


def test_more_than_may_be_taken_in_is_refused(blobs: Blobs, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 100)
    with Intake(blobs) as intake, pytest.raises(TooLarge):
        take(intake, tmp_path / "a", limit=99)
    assert list(blobs.root.iterdir()) == []
