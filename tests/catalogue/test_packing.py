"""A version is its content: the same files give the same digest and archive anywhere, and nothing gets out of the archive
that did not go in."""

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest

from catalogue.conftest import MakeTemplate
from counterfoil.catalogue import packing
from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.packing import digest_of, pack, read_code, unpack
from counterfoil.errors import Damaged

EXTRA = {
    "README.md": "# Tiny",
    "rows/__init__.py": "",
    "rows/total.py": "x = 1\n",
    "rows/schema.xsd": "<schema/>",
    "rows/tests/__init__.py": "",
    "sample/a.xml": "<a/>",
    "tests/test_a.py": "",
    "__pycache__/workflow.cpython-311.pyc": "",
    "rows/__pycache__/total.cpython-311.pyc": "",
    ".git/config": "",
    ".env": "KEY=1",
    "rows/.hidden": "",
}


def zipped(files: dict[str, bytes], mode: int = stat.S_IFREG | 0o644) -> bytes:
    """An archive as somebody else might make it."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, data)
    return target.getvalue()


def test_code_is_kept_and_the_rest_is_not(template: MakeTemplate) -> None:
    kept = ["README.md", "rows/__init__.py", "rows/schema.xsd", "rows/tests/__init__.py", "rows/total.py"]
    assert list(read_code(template(files=EXTRA))) == sorted([*kept, "template.toml", "workflow.py"])


def test_same_content_same_version(template: MakeTemplate, tmp_path: Path) -> None:
    one, two = template(files=EXTRA), template(files=EXTRA, parent=tmp_path / "elsewhere")
    os.utime(two / "workflow.py", (1, 1))
    (two / "workflow.py").chmod(0o755)
    (two / "sample/a.xml").write_text("<b/>")
    assert pack(one) == pack(two)
    (two / "rows/total.py").rename(two / "rows/totals.py")
    assert pack(one)[0] != pack(two)[0]


def test_pinned_digest() -> None:
    """Digests are persisted: another way to compute them would make every kept version unknown."""
    files = {"template.toml": b"a", "workflow.py": b"b"}
    assert digest_of(files) == "7e6663f495d2cf68a2cebf1c22dd0ea46add8adb7714df1e2d632b23f0d8f62a"


def test_there_and_back(template: MakeTemplate, tmp_path: Path) -> None:
    folder = template(files=EXTRA)
    digest, archive = pack(folder)
    versions = tmp_path / "versions"
    made = unpack(archive, digest, versions)
    assert made == versions / digest
    assert read_code(made) == read_code(folder)
    before = (made / "workflow.py").stat().st_ino
    assert unpack(archive, digest, versions) == made
    assert (made / "workflow.py").stat().st_ino == before, "what is there as it must be is left alone"
    assert [entry.name for entry in versions.iterdir()] == [digest]


@pytest.mark.parametrize("change", ["edited", "added", "removed"])
def test_a_changed_version_is_made_anew(template: MakeTemplate, tmp_path: Path, change: str) -> None:
    folder = template()
    digest, archive = pack(folder)
    made = unpack(archive, digest, tmp_path / "versions")
    if change == "removed":
        (made / "workflow.py").unlink()
    else:
        (made / ("workflow.py" if change == "edited" else "more.py")).write_text("x = 2\n")
    assert read_code(unpack(archive, digest, tmp_path / "versions")) == read_code(folder)


def test_of_two_processes_that_unpack_one_version_the_second_leaves_that_of_the_first(
    template: MakeTemplate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host may be copying it already."""
    digest, archive = pack(template())
    first: list[int] = []

    def meanwhile(files: dict[str, bytes], folder: Path) -> None:
        monkeypatch.undo()
        first.append((unpack(archive, digest, tmp_path / "versions") / "workflow.py").stat().st_ino)
        packing.write_files(files, folder)

    monkeypatch.setattr(packing, "write_files", meanwhile)
    made = unpack(archive, digest, tmp_path / "versions")
    assert [(made / "workflow.py").stat().st_ino] == first


def test_bytecode_beside_the_code_changes_nothing(template: MakeTemplate, tmp_path: Path) -> None:
    digest, archive = pack(template())
    made = unpack(archive, digest, tmp_path / "versions")
    (made / "__pycache__").mkdir()
    (made / "__pycache__/workflow.cpython-311.pyc").write_bytes(b"x")
    unpack(archive, digest, tmp_path / "versions")
    assert (made / "__pycache__").is_dir()


@pytest.mark.parametrize(
    "name", ["../out.py", "/out.py", "a/../../out.py", "a\\..\\out.py", "C:out.py", "a//b.py", "./a.py", "a\n.py"]
)
def test_nothing_is_written_outside(tmp_path: Path, name: str) -> None:
    files = {name: b"x"}
    with pytest.raises(Damaged, match="it holds"):
        unpack(zipped(files), digest_of(files), tmp_path / "versions")
    assert list(tmp_path.iterdir()) == []


def test_links_and_doubles_in_an_archive(tmp_path: Path) -> None:
    files = {"workflow.py": b"/etc/passwd"}
    with pytest.raises(Damaged, match="it holds"):
        unpack(zipped(files, stat.S_IFLNK | 0o777), digest_of(files), tmp_path / "versions")
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.py", b"x")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.py", b"y")
    with pytest.raises(Damaged, match="it holds"):
        unpack(target.getvalue(), digest_of({"a.py": b"y"}), tmp_path / "versions")


def test_archives_that_are_not_what_they_should_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"workflow.py": b"x" * 4096}
    digest, archive = digest_of(files), zipped(files)
    versions = tmp_path / "versions"
    with pytest.raises(Damaged, match="does not match its digest"):
        unpack(zipped({"workflow.py": b"y"}), digest, versions)
    with pytest.raises(Damaged, match="cannot be unpacked"):
        unpack(b"no zip", digest, versions)
    with pytest.raises(Damaged, match="cannot be unpacked"):
        unpack(archive[:2000] + b"\1" * 100 + archive[2100:], digest, versions)
    with pytest.raises(Damaged, match="is no digest"):
        unpack(archive, "../" + digest, versions)
    monkeypatch.setattr(packing, "LARGEST", 1000)
    with pytest.raises(Damaged, match="too large"):
        unpack(archive, digest, versions)


def test_links_in_a_template_are_refused(template: MakeTemplate, tmp_path: Path) -> None:
    folder = template()
    (tmp_path / "outside.py").write_text("x = 1\n")
    (folder / "rows.py").symlink_to(tmp_path / "outside.py")
    with pytest.raises(BrokenFile, match=r"tiny/rows\.py: it is a link"):
        pack(folder)
    (folder / "rows.py").unlink()
    (folder / "rows").symlink_to(tmp_path)
    with pytest.raises(BrokenFile, match=r"tiny/rows: it is a link"):
        pack(folder)


def test_odd_files_are_refused(template: MakeTemplate, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = template()
    os.mkfifo(folder / "pipe")
    with pytest.raises(BrokenFile, match="it is no regular file"):
        pack(folder)
    (folder / "pipe").unlink()
    odd = os.fsencode(folder) + b"/odd\xff.py"
    Path(os.fsdecode(odd)).write_text("")
    with pytest.raises(BrokenFile, match=r"odd\\udcff\.py: its name does not work"):
        pack(folder)
    Path(os.fsdecode(odd)).unlink()
    (folder / "data.bin").write_bytes(b"x" * 2000)
    monkeypatch.setattr(packing, "LARGEST", 2000)
    with pytest.raises(BrokenFile, match="the code is larger than"):
        pack(folder)
