"""Starting: the window is on the screen before anything heavy is imported; a second start and a missing display are handled."""

import importlib
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import pytest

import counterfoil.desktop
from counterfoil.desktop.frame.single import name_of, raise_other
from counterfoil.places import Home
from house.repository import ROOT

PATIENCE = 60.0  # seconds; processes are started on shared cores


MINIMISED = """
import sys
import tempfile
from pathlib import Path
from PySide6.QtCore import QTimer
from counterfoil.desktop import app
from counterfoil.places import Home

class Window(app.Window):
    def begin(self, bridge):
        super().begin(bridge)
        self.showMinimized()
        print("minimised", flush=True)
        self.watch = QTimer(self, interval=20)
        self.watch.timeout.connect(self.look)
        self.watch.start()

    def look(self):
        if not self.isMinimized():
            print("in front", flush=True)
            self.watch.stop()

app.Window = Window
sys.exit(app.run(Home(Path(sys.argv[1]))))
"""

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
    print(f"window shown after {seen['seconds'] * 1000:.0f} ms")  # how soon is a row of the benchmark


class Started:
    """The program's window in a process of its own, without a screen."""

    def __init__(self, home: Path, *code: str) -> None:
        command = [sys.executable, "-P", *(code or ("-m", "counterfoil.desktop")), str(home)]
        self.process = subprocess.Popen(
            command,
            env=environment(QT_QPA_PLATFORM="offscreen"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ended(self, seconds: float = PATIENCE) -> tuple[int, str]:
        """Its exit code and what it said."""
        err = self.process.communicate(timeout=seconds)[1]
        return self.process.returncode, err

    def interrupt(self) -> int:
        """Ctrl+C in its terminal; its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.ended()[0]


def environment(**more: str) -> dict[str, str]:
    """What a started process sees: no display but what is said here."""
    left_out = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return {**kept, "PYTHONPATH": str(ROOT / "app"), **more}


@pytest.fixture
def begun() -> Generator[list[Started]]:
    """Windows that a test has started; what is left of them is ended."""
    windows: list[Started] = []
    yield windows
    for window in windows:
        if window.process.poll() is None:
            window.process.kill()
        if window.process.stdout is not None and not window.process.stdout.closed:
            window.process.communicate()


def test_days_and_months_are_named_in_the_language_of_the_window() -> None:
    code = "import locale; from counterfoil.desktop import app; it = app._application(); print(locale.setlocale(locale.LC_TIME))"
    told = environment(QT_QPA_PLATFORM="offscreen", LC_ALL="C.UTF-8")  # a German system names de_DE.UTF-8 here
    command = [sys.executable, "-P", "-c", code]
    assert subprocess.run(command, check=True, capture_output=True, text=True, env=told).stdout == "C\n"


def until_listening(home: Path) -> None:
    """Wait until a window of this data folder answers second starts."""
    end = time.monotonic() + PATIENCE
    while not raise_other(Home(home)):
        assert time.monotonic() < end


def test_a_second_start_raises_the_window_of_the_first(tmp_path: Path, begun: list[Started]) -> None:
    first = Started(tmp_path, "-c", MINIMISED)
    begun.append(first)
    assert first.process.stdout is not None
    assert first.process.stdout.readline() == "minimised\n"
    second = Started(tmp_path)
    begun.append(second)
    assert second.ended() == (0, "counterfoil: the window is open already and comes to the front.\n")
    assert first.process.stdout.readline() == "in front\n"
    assert first.process.poll() is None
    assert first.interrupt() == 0


def test_of_two_starts_at_once_one_is_the_window(tmp_path: Path, begun: list[Started]) -> None:
    begun += [Started(tmp_path) for _ in range(3)]
    end = time.monotonic() + PATIENCE
    while sum(one.process.poll() is None for one in begun) > 1:
        assert time.monotonic() < end
        time.sleep(0.05)
    until_listening(tmp_path)
    ended = [one for one in begun if one.process.poll() is not None]
    assert [one.process.returncode for one in ended] == [0, 0]


def test_a_window_that_was_killed_does_not_stand_in_the_way(tmp_path: Path, begun: list[Started]) -> None:
    first = Started(tmp_path)
    begun.append(first)
    until_listening(tmp_path)
    first.process.kill()
    first.ended()
    second = Started(tmp_path)
    begun.append(second)
    until_listening(tmp_path)
    assert second.process.poll() is None
    assert second.interrupt() == 0


READ_ONLY = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from counterfoil.desktop.frame.single import SingleWindow
from counterfoil.places import Home
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
application = QCoreApplication([])
print(SingleWindow(Home(Path(sys.argv[1]))).first)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="rights are told otherwise there")
def test_what_a_killed_window_left_in_a_folder_that_cannot_be_written_is_no_window() -> None:
    with tempfile.TemporaryDirectory() as place:
        Path(place).chmod(0o755)
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        run = Home(Path(place)).run
        run.mkdir()
        (run / "window.lock").write_text(f"{ended.pid}\npython3\n{platform.node()}\n\n\n")
        run.chmod(0o555)  # asked by another account where this one may do everything
        done = subprocess.run(
            [sys.executable, "-P", "-c", READ_ONLY, place],
            capture_output=True, text=True, check=True, env=environment(),
        )  # fmt: skip
        run.chmod(0o755)
    assert done.stdout == "True\n"


def test_a_window_that_hangs_is_said_to_hang(tmp_path: Path, begun: list[Started]) -> None:
    first = Started(tmp_path)
    begun.append(first)
    until_listening(tmp_path)
    first.process.send_signal(signal.SIGSTOP)
    second = Started(tmp_path)
    begun.append(second)
    code, said = second.ended()
    assert code == 1
    assert "does not answer" in said
    assert "nothing is lost" in said


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


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there is always a display")
@pytest.mark.parametrize(
    "shown, reason",
    [
        ({}, ""),
        ({"DISPLAY": ":7997"}, "could not connect to display :7997"),
        ({"QT_QPA_PLATFORM": "nonsense"}, "nonsense"),
    ],
)
def test_where_nothing_can_be_drawn_the_command_says_so_and_offers_the_terminal(
    tmp_path: Path, shown: dict[str, str], reason: str
) -> None:
    command = [sys.executable, "-P", "-m", "counterfoil", "--home", str(tmp_path / "home")]
    done = subprocess.run(command, env=environment(**shown), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("counterfoil: there is no display to show the window on")
    assert reason in line
    assert line.endswith("Work in the terminal: counterfoil inbox")
    assert not (tmp_path / "home").exists()


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
