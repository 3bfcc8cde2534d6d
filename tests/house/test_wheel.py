"""A wheel holds the program, its bundled folders and nothing else, and finds them once it is installed."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from house.repository import ROOT

ASK = """
import sys
sys.path.insert(0, sys.argv[1])
from counterfoil.places import bundled
print(bundled("workflows"))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as a release would be."""
    built = WheelBuilder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("wheel")), versions=["standard"])
    return Path(next(iter(built)))


def bundled_files() -> set[str]:
    """What lies in the bundled folders of the checkout."""
    files = (file for kind in ("workflows", "resources") for file in (ROOT / kind).rglob("*") if file.is_file())
    return {file.relative_to(ROOT).as_posix() for file in files if "__pycache__" not in file.parts}


def test_wheel_holds_program_bundles_licence_and_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        about = next(name.split("/")[0] for name in names if name.endswith("/METADATA"))
        commands = archive.read(f"{about}/entry_points.txt").decode()
    assert "counterfoil/__init__.py" in names
    assert {f"counterfoil/_bundled/{name}" for name in bundled_files()} <= names
    assert f"{about}/licenses/LICENSE" in names
    assert "counterfoil = counterfoil.cli:main" in commands
    assert {name.split("/")[0] for name in names} == {"counterfoil", about}
    assert [name for name in names if "__pycache__" in name] == []


def test_installed_program_finds_its_bundles(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "lib/site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    command = [sys.executable, "-I", "-c", ASK, str(site)]
    found = Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())
    assert found == site / "counterfoil/_bundled/workflows"
    assert (found / "pay-invoices/template.toml").is_file()
