"""Starting: the window is on the screen before anything heavy is imported; a second start and a missing display are handled."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

import counterfoil.desktop
from counterfoil.desktop.frame.single import SingleWindow, name_of, raise_other
from counterfoil.places import Home
from house.repository import ROOT

BUDGET = 3.0  # seconds on a busy computer with two cores; alone it is well below one

SHOW = """
import json, sys, time
begun = time.perf_counter()
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication
from counterfoil.clock import SystemClock
from counterfoil.desktop.frame.window import Window
from counterfoil.desktop.theme import Theme
application = QApplication([])
theme = Theme(application)
window = Window(SystemClock(), theme, QSettings(sys.argv[2], QSettings.Format.IniFormat))
window.show()
told = {}
def after_the_first_paint():
    told["seconds"] = time.perf_counter() - begun
    told["heavy"] = sorted({name.split(".")[0] for name in sys.modules} & {"sqlalchemy", "alembic", "pydantic", "lxml", "asyncio", "typer"})
    told["pages"] = sorted(name for name in sys.modules if name.startswith("counterfoil.desktop.") and name.endswith(".page"))
    application.quit()
QTimer.singleShot(0, after_the_first_paint)
application.exec()
print(json.dumps(told))
"""


def test_window_is_there_before_anything_heavy(tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-c", SHOW, str(ROOT / "app"), str(tmp_path / "window.ini")]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    seen = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)
    assert seen["heavy"] == []
    assert [name for name in seen["pages"] if "inbox" not in name] == []
    assert seen["seconds"] < BUDGET
    print(f"window shown after {seen['seconds'] * 1000:.0f} ms")


def test_second_start_asks_the_first_to_show_itself(qtbot: QtBot, tmp_path: Path) -> None:
    home = Home(tmp_path)
    assert not raise_other(home)
    first = SingleWindow(home)
    with qtbot.waitSignal(first.asked, timeout=2000):
        assert raise_other(home)
    first.close()
    QCoreApplication.processEvents()
    assert not raise_other(home)


def test_each_data_folder_has_a_window_of_its_own(tmp_path: Path) -> None:
    assert name_of(Home(tmp_path / "a")) != name_of(Home(tmp_path / "b"))


def test_a_missing_display_is_said_with_the_way_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert counterfoil.desktop.main(Home(tmp_path)) == 1
    assert "counterfoil inbox" in capsys.readouterr().err


def test_missing_libraries_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def missing(name: str) -> None:
        raise ImportError("libGL.so.1: cannot open shared object file")

    monkeypatch.setattr(importlib, "import_module", missing)
    assert counterfoil.desktop.main(Home(tmp_path)) == 1
    told = capsys.readouterr().err
    assert "libGL.so.1" in told
    assert "sudo apt install libgl1" in told


def test_importing_the_room_needs_no_qt() -> None:
    code = "import sys; sys.path.insert(0, sys.argv[1]); import counterfoil.desktop; print('PySide6' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(ROOT / "app")], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "False"
