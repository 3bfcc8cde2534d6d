"""A path if it holds a slash, else a name: the workspace's templates before the home's before the bundled ones."""

from pathlib import Path

import pytest

from catalogue.conftest import MakeTemplate
from counterfoil import places
from counterfoil.catalogue.finding import find_template, list_templates
from counterfoil.errors import UnknownTemplate


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "team"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> places.Home:
    return places.Home(tmp_path / "home")


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The bundled templates of these tests."""
    folder = tmp_path / "bundled"
    monkeypatch.setattr(places, "bundled", lambda kind: folder if kind == "workflows" else tmp_path / "none")
    return folder


def test_the_nearest_folder_wins(template: MakeTemplate, workspace: Path, home: places.Home, bundled: Path) -> None:
    at_bundled = template("pay-invoices", parent=bundled)
    assert find_template("pay-invoices", workspace, home) == at_bundled
    at_home = template("pay-invoices", parent=home.templates)
    assert find_template("pay-invoices", workspace, home) == at_home
    own = template("pay-invoices", parent=workspace / ".counterfoil/templates")
    assert find_template("pay-invoices", workspace, home) == own
    template("weekly-report", parent=bundled)
    listed = list_templates(workspace, home)
    assert [(entry.name, entry.origin, entry.folder) for entry in listed] == [
        ("pay-invoices", "workspace", own),
        ("weekly-report", "bundled", bundled / "weekly-report"),
    ]


def test_broken_ones_are_listed_with_what_is_wrong(
    template: MakeTemplate, workspace: Path, home: places.Home, bundled: Path
) -> None:
    template("broken", parent=bundled, manifest="nme = 1\n")
    template(".hidden", parent=bundled)
    (bundled / "no-template").mkdir()
    [entry] = list_templates(workspace, home)
    assert entry.manifest is None
    assert "unknown key ‘nme’. Did you mean ‘name’?" in str(entry.error)


def test_names_nobody_has(template: MakeTemplate, workspace: Path, home: places.Home, bundled: Path) -> None:
    template("pay-invoices", parent=bundled)
    with pytest.raises(UnknownTemplate) as caught:
        find_template("pay-invoice", workspace, home)
    assert str(caught.value) == "no template ‘pay-invoice’. Did you mean ‘pay-invoices’?"
    assert caught.value.exit_code == 2
    for odd in ("..", ".", "", "zzz"):
        with pytest.raises(UnknownTemplate, match="template list"):
            find_template(odd, workspace, home)


def test_paths(
    template: MakeTemplate, workspace: Path, home: places.Home, bundled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = template("mine", parent=workspace)
    monkeypatch.chdir(workspace)
    assert find_template("./mine", workspace, home) == folder.resolve()
    assert find_template(f"{folder}/", workspace, home) == folder.resolve()
    assert find_template("./mine/workflow.py", workspace, home) == folder.resolve()
    with pytest.raises(UnknownTemplate, match=r"no folder ‘\./gone’"):
        find_template("./gone", workspace, home)
    (workspace / "empty").mkdir()
    with pytest.raises(UnknownTemplate, match=r"no template\.toml in ‘\./empty’"):
        find_template("./empty", workspace, home)
    with pytest.raises(UnknownTemplate, match=r"Write \./mine for the folder that lies here"):
        find_template("mine", workspace, home)


def test_the_sample_of_the_readme_is_found_by_path(home: places.Home, workspace: Path) -> None:
    samples = Path(__file__).parents[1] / "samples/templates"
    assert find_template(f"{samples}/hello-approval", workspace, home).name == "hello-approval"
