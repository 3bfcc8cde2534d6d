"""A template arrives whole or not at all, from a folder or a zip that nobody vouches for, and what it takes the place of comes back
when anything fails."""

import io
import zipfile
from pathlib import Path

import pytest

from catalogue.conftest import MANIFEST, MakeTemplate
from counterfoil.catalogue.adding import arriving
from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.packing import pack, read_code
from counterfoil.errors import Declined, UnknownTemplate

EXTRA = {"rows/__init__.py": "", "sample/a.csv": "1\n", "README.md": "# Tiny", ".git/config": "", ".env": "KEY=1"}


def zipped(folder: Path, files: dict[str, bytes], top: str = "") -> Path:
    """A zip of these files."""
    archive = folder / "tiny.zip"
    with zipfile.ZipFile(archive, "w") as target:
        if top:
            target.mkdir(top)
        for name, data in files.items():
            target.writestr(f"{top}/{name}" if top else name, data)
    return archive


def names(folder: Path) -> list[str]:
    """Everything beneath a folder, hidden or not."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("how", ["folder", "zip", "zip of a folder"])
def test_a_template_takes_its_place(template: MakeTemplate, tmp_path: Path, how: str) -> None:
    folder, templates = template(files=EXTRA), tmp_path / "home"
    files = read_code(folder, whole=True)
    source = {
        "folder": folder,
        "zip": zipped(tmp_path, {**files, "__pycache__/x.pyc": b""}),
        "zip of a folder": zipped(tmp_path, files, "tiny-main"),
    }[how]
    with arriving(source, templates, replace=False) as arrival:
        assert (arrival.manifest.name, arrival.version, arrival.there) == ("tiny", pack(folder)[0], None)
        assert not (templates / "tiny").exists()
        arrival.take_place()
    assert read_code(templates / "tiny", whole=True) == files
    assert names(templates)[0] == "tiny", "nothing is left beside it"
    with arriving(source, templates, replace=False) as again:
        assert again.same
        again.take_place()
    assert names(templates)[0] == "tiny"


def test_a_folder_of_another_name_is_called_as_its_manifest_says(template: MakeTemplate, tmp_path: Path) -> None:
    folder = template()
    moved = folder.rename(tmp_path / "tiny-1.0")
    with arriving(moved, tmp_path / "home", replace=False) as arrival:
        arrival.take_place()
    assert (tmp_path / "home/tiny/workflow.py").is_file()


def test_what_is_there_is_replaced_only_when_asked_and_comes_back(template: MakeTemplate, tmp_path: Path) -> None:
    one, templates = template(files=EXTRA), tmp_path / "home"
    with arriving(one, templates, replace=False) as arrival:
        arrival.take_place()
    before = read_code(templates / "tiny", whole=True)
    two = template(files={"README.md": "# Another"}, parent=tmp_path / "elsewhere")
    with (
        pytest.raises(Declined, match=r"another one\. Nothing was changed\. .*--replace"),
        arriving(two, templates, replace=False),
    ):
        pytest.fail("it is not asked for")
    with arriving(two, templates, replace=True) as arrival:
        arrival.take_place()
        assert (templates / "tiny/README.md").read_text() == "# Another"
        arrival.put_back()
    assert read_code(templates / "tiny", whole=True) == before
    with arriving(two, templates, replace=True) as arrival:
        assert arrival.there == pack(one)[0]
        arrival.take_place()
    assert read_code(templates / "tiny", whole=True) == read_code(two, whole=True)
    assert {name.partition("/")[0] for name in names(templates)} == {"tiny"}


def test_killed_while_taking_its_place(template: MakeTemplate, tmp_path: Path) -> None:
    folder, templates = template(), tmp_path / "home"
    cut_off = templates / ".arriving-x"
    cut_off.mkdir(parents=True)
    template(files={"README.md": "old"}, parent=cut_off).rename(cut_off / "tiny.before")
    with pytest.raises(Declined), arriving(folder, templates, replace=False):
        pass
    assert (templates / "tiny/README.md").read_text() == "old"
    assert not cut_off.exists()


def test_one_that_lies_in_its_place_is_left_there(template: MakeTemplate, tmp_path: Path) -> None:
    folder = template(parent=tmp_path / "home")
    inode = folder.stat().st_ino
    with arriving(folder, tmp_path / "home", replace=False) as arrival:
        assert arrival.same
        arrival.take_place()
    assert folder.stat().st_ino == inode


@pytest.mark.parametrize(
    "entries, said",
    [
        ({"../workflow.py": b""}, "it holds '../workflow.py'"),
        ({"/template.toml": b""}, "it holds '/template.toml'"),
        ({"a\\b": b""}, "it holds"),
        ({"a": b"", "b": b""}, "there is no such file in the archive"),
        ({}, "there is no such file in the archive"),
        ({"template.toml": MANIFEST.replace("{name}", "tiny").encode()}, "there is no workflow.py beside it"),
    ],
)
def test_archives_that_are_no_templates(tmp_path: Path, entries: dict[str, bytes], said: str) -> None:
    archive = zipped(tmp_path, entries)
    with pytest.raises(BrokenFile, match=said), arriving(archive, tmp_path / "home", replace=False):
        pytest.fail("it is none")
    assert not (tmp_path / "home").exists()


def test_files_that_are_no_archives(tmp_path: Path) -> None:
    with (
        pytest.raises(UnknownTemplate, match="no folder and no archive"),
        arriving(tmp_path / "gone.zip", tmp_path / "home", replace=False),
    ):
        pass
    (tmp_path / "text.zip").write_text("no zip")
    with (
        pytest.raises(BrokenFile, match="no zip of a template"),
        arriving(tmp_path / "text.zip", tmp_path / "home", replace=False),
    ):
        pass


def test_a_zip_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterfoil.catalogue.adding.LARGEST_WHOLE", 1000)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("template.toml", b" " * 5000)
    (tmp_path / "bomb.zip").write_bytes(target.getvalue())
    with (
        pytest.raises(BrokenFile, match="it is too large"),
        arriving(tmp_path / "bomb.zip", tmp_path / "home", replace=False),
    ):
        pass


def test_modules_of_a_bundled_template_are_kept_with_those_that_use_it(template: MakeTemplate) -> None:
    manifest = MANIFEST.replace("run_title", 'uses = ["pay-invoices"]\nrun_title')
    plain, folder = template("plain"), template(manifest=manifest)
    assert pack(plain)[0] != pack(folder)[0]
    with zipfile.ZipFile(io.BytesIO(pack(folder)[1])) as archive:
        inside = archive.namelist()
    assert "pay_invoices/reading.py" in inside
    assert "pay_invoices/pdf_text/invoice.py" in inside
    assert [name for name in inside if "/" not in name] == ["template.toml", "workflow.py"], "its own, nobody else's"


def test_what_cannot_be_used_is_said_with_its_line(template: MakeTemplate) -> None:
    wrong = template(manifest=MANIFEST.replace("run_title", 'uses = ["pay-invoice"]\nrun_title'))
    with pytest.raises(BrokenFile, match=r"line 7: no bundled template ‘pay-invoice’\. Did you mean ‘pay-invoices’\?"):
        pack(wrong)
    hides = template(
        "hides",
        {"pay_invoices/__init__.py": ""},
        manifest=MANIFEST.replace("run_title", 'uses = ["pay-invoices"]\nrun_title'),
    )
    with pytest.raises(BrokenFile, match="it has a pay_invoices of its own, and uses that of pay-invoices"):
        pack(hides)
