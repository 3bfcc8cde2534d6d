"""Packages come by the real client, from a folder of files made here, and nothing half-done is ever left."""

import contextlib
import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from catalogue.wheels import make_wheel
from counterfoil.catalogue import fetching, shelf
from counterfoil.catalogue.fetching import Client, Pip, Uv, client
from counterfoil.catalogue.requirements import Lock, lock_of_text
from counterfoil.catalogue.shelf import Shelf
from counterfoil.errors import FetchFailed, PackagesMissing
from counterfoil.places import Home

CLIENTS = ["pip", pytest.param("uv", marks=pytest.mark.skipif(not shutil.which("uv"), reason="there is no uv here"))]


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """Two packages, one of which needs the other."""
    folder = tmp_path / "wheels"
    make_wheel(folder, "tinyone", "1.2", {"tinyone/__init__.py": "from tinytwo import Y\n"}, needs=["tinytwo>=1"])
    make_wheel(folder, "tinytwo", "2.0", {"tinytwo.py": "Y = 7\n"})
    return folder


@pytest.fixture(params=CLIENTS)
def asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Client:
    """Each client that may be there; uv would know from its cache what a file was before it was changed."""
    monkeypatch.setenv("UV_NO_CACHE", "1")
    return Pip() if request.param == "pip" else Uv(shutil.which("uv") or "")


def locked(asked: Client, wheels: Path, *requires: str) -> Lock:
    """A lock made for requirements, read back."""
    return lock_of_text(Path("tiny"), asked.resolve(requires, wheels))


def test_resolved_pinned_and_put_in_place(asked: Client, wheels: Path, tmp_path: Path) -> None:
    lock = locked(asked, wheels, "tinyone>=1")
    assert [release.pin for release in lock.releases] == ["tinyone==1.2", "tinytwo==2.0"]
    kept = Shelf(Home(tmp_path / "home"))
    assert kept.keep(lock, lambda into: asked.fetch(lock, into, wheels))
    folder = kept.find(lock, "tiny", "")
    assert folder == tmp_path / "home/packages" / lock.digest
    assert not kept.keep(lock, lambda _: pytest.fail("what is here is not fetched again"))
    assert (folder / "tinytwo.py").read_text() == "Y = 7\n"
    assert list(folder.glob("__pycache__/tinytwo*.pyc")), "a folder nobody may write is compiled beforehand"
    assert [entry.name for entry in folder.parent.iterdir()] == [folder.name]


def test_another_file_than_the_lock_says_is_refused(asked: Client, wheels: Path, tmp_path: Path) -> None:
    lock = locked(asked, wheels, "tinytwo")
    make_wheel(wheels, "tinytwo", "2.0", {"tinytwo.py": "Y = 'evil'\n"})
    kept = Shelf(Home(tmp_path / "home"))
    with pytest.raises(
        FetchFailed, match=r"is another one than the lock says \(its SHA-256 differs\)\. Nothing was kept"
    ):
        kept.keep(lock, lambda into: asked.fetch(lock, into, wheels))
    assert list((tmp_path / "home/packages").iterdir()) == []
    with pytest.raises(PackagesMissing, match=r"not on this computer: tinytwo 2\.0\. Run that"):
        kept.find(lock, "tiny", "Run that.")


def test_what_is_not_there_is_said(wheels: Path) -> None:
    with pytest.raises(FetchFailed, match=r"no built file of tinythree>=1 for this kind of Python\. Nothing was kept"):
        Pip().resolve(["tinythree>=1"], wheels)


def test_code_that_would_be_built_is_never_run(wheels: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    source = tmp_path / "tinysource-1"
    source.mkdir()
    (source / "setup.py").write_text(
        f"open({str(ran)!r}, 'w')\nfrom setuptools import setup\nsetup(name='tinysource')\n"
    )
    shutil.make_archive(str(wheels / "tinysource-1"), "gztar", tmp_path, source.name)
    with pytest.raises(FetchFailed, match="no built file of tinysource"):
        Pip().resolve(["tinysource"], wheels)
    assert not ran.exists()


def test_releases_that_do_not_go_together(wheels: Path) -> None:
    make_wheel(wheels, "tinytwo", "0.5", {"tinytwo.py": ""})
    with pytest.raises(FetchFailed, match=r"no releases go together: .*tinyone 1\.2 depends on tinytwo>=1"):
        Pip().resolve(["tinyone", "tinytwo<1"], wheels)


def test_an_index_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("INDEX_URL", "https://127.0.0.1:9/simple"), ("RETRIES", "1"), ("CONFIG_FILE", os.devnull)):
        monkeypatch.setenv(f"PIP_{name}", value)
    for name in ("EXTRA_INDEX_URL", "FIND_LINKS", "NO_INDEX"):
        monkeypatch.delenv(f"PIP_{name}", raising=False)
    with pytest.raises(FetchFailed, match=r"the package index cannot be reached\. Nothing was kept\. .*--wheels DIR"):
        Pip().resolve(["tinyone"], None)


def test_a_persons_settings_change_nothing_but_the_way(
    monkeypatch: pytest.MonkeyPatch, wheels: Path, tmp_path: Path
) -> None:
    """Constraints, folders and file kinds of somebody's own pip settings would give them other packages than the lock's."""
    settings = tmp_path / "pip.conf"
    (tmp_path / "constraints.txt").write_text("tinytwo==1.0\n")
    settings.write_text(
        f"[global]\nfind-links = {wheels}\nno-index = true\nconstraint = {tmp_path / 'constraints.txt'}\n"
        "no-binary = :all:\nrequire-virtualenv = true\n[install]\nuser = true\nprefix = /nowhere\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "target"))
    monkeypatch.setenv("PIP_REQUIREMENT", str(tmp_path / "nowhere.txt"))
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    lock = lock_of_text(Path("tiny"), Pip().resolve(["tinyone"], None))
    assert [release.pin for release in lock.releases] == ["tinyone==1.2", "tinytwo==2.0"]
    kept = Shelf(Home(tmp_path / "home"))
    kept.keep(lock, lambda into: Pip().fetch(lock, into, None))
    assert kept.find(lock, "tiny", "") is not None
    assert not (tmp_path / "target").exists()


def test_without_any_client_the_way_to_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(FetchFailed, match=r"has no pip, and there is no uv\. Run: .* -m ensurepip"):
        client()
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/uv")
    assert isinstance(client(), Uv)


@pytest.mark.parametrize("change", ["edited", "removed", "added", "linked"])
def test_packages_that_were_changed_are_refused_and_mended(wheels: Path, tmp_path: Path, change: str) -> None:
    home, lock = Home(tmp_path / "home"), locked(Pip(), wheels, "tinytwo")
    kept = Shelf(home)
    kept.keep(lock, lambda into: Pip().fetch(lock, into, wheels))
    folder = kept.find(lock, "tiny", "")
    assert folder is not None
    module = folder / "tinytwo.py"
    before = module.stat()
    match change:
        case "edited":
            module.write_text("Y = 8\n")
            os.utime(module, ns=(before.st_atime_ns, before.st_mtime_ns))
        case "removed":
            module.unlink()
        case "added":
            (folder / "json.py").write_text("")
        case "linked":
            (folder / "more.py").symlink_to(module)
    with pytest.raises(PackagesMissing, match=r"not as they were put on this computer\. Run that"):
        kept.find(lock, "tiny", "Run that.")
    assert kept.keep(lock, lambda into: Pip().fetch(lock, into, wheels))
    assert module.read_text() == "Y = 7\n"
    assert kept.find(lock, "tiny", "") == folder
    assert [entry.name for entry in folder.parent.iterdir()] == [folder.name]


def test_packages_that_another_process_put_there_meanwhile_are_left(wheels: Path, tmp_path: Path) -> None:
    home, lock = Home(tmp_path / "home"), locked(Pip(), wheels, "tinytwo")
    first: list[int] = []

    def fill(into: Path) -> None:
        (into / "tinytwo.py").write_text("Y = 7\n")

    def meanwhile(into: Path) -> None:
        Shelf(home).keep(lock, fill)
        first.append((home.packages / lock.digest).stat().st_ino)
        fill(into)

    Shelf(home).keep(lock, meanwhile)
    assert [(home.packages / lock.digest).stat().st_ino] == first


def test_what_counterfoil_brings_goes_first_or_is_refused(wheels: Path, tmp_path: Path) -> None:
    ours = importlib.import_module("lxml").__version__
    make_wheel(wheels, "tinythree", "1", {"tinythree.py": ""}, needs=["lxml<1"])
    make_wheel(wheels, "lxml", "0.9", {"lxml/__init__.py": ""})
    with pytest.raises(FetchFailed, match=rf"no releases go together: .*Counterfoil brings lxml=={ours}"):
        Pip().resolve(["tinythree"], wheels)
    # A lock that was made elsewhere.
    lines = [f"{pin} --hash=sha256:{sha}" for pin, sha in (("tinythree==1", "0" * 64), ("lxml==0.9", "1" * 64))]
    lock = lock_of_text(Path("tiny"), "\n".join(lines))

    def fill(into: Path) -> None:
        for wheel in ("tinythree-1", "lxml-0.9"):
            shutil.unpack_archive(wheels / f"{wheel}-py3-none-any.whl", into, "zip")

    with pytest.raises(PackagesMissing, match=rf"tinythree needs lxml<1, and Counterfoil brings lxml {ours}"):
        Shelf(Home(tmp_path / "home")).keep(lock, fill)
    assert shelf.clash(tmp_path, ["lxml<1"]) == (
        f"the template needs lxml<1, and Counterfoil brings lxml {ours}, which goes first."
    )


def test_a_fetch_that_is_cut_off_leaves_nothing(wheels: Path, tmp_path: Path) -> None:
    home, lock = Home(tmp_path / "home"), locked(Pip(), wheels, "tinytwo")

    def cut_off(into: Path) -> None:
        (into / "tinytwo.py").write_text("Y")
        raise KeyboardInterrupt

    with contextlib.suppress(KeyboardInterrupt):
        Shelf(home).keep(lock, cut_off)
    assert list(home.packages.iterdir()) == []
    old = home.packages / f"{shelf._FILLING}x"
    old.mkdir()
    os.utime(old, (1, 1))
    Shelf(home).keep(lock, lambda into: Pip().fetch(lock, into, wheels))
    assert [entry.name for entry in home.packages.iterdir()] == [lock.digest]
    contents = json.loads((home.packages / lock.digest / ".contents.json").read_bytes())
    assert "tinytwo.py" in contents


def test_the_clients_words_become_sentences() -> None:
    assert str(fetching._why("ERROR: [Errno 28] No space left on device")).startswith(
        "packages cannot be fetched: ERROR: [Errno 28] No space left on device. Nothing was kept."
    )
    assert "it said nothing" in str(fetching._why(""))
    assert sys.executable in fetching._pip("x")
