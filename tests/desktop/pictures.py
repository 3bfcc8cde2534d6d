"""Pictures of every page and state: `python tests/desktop/pictures.py OUT --home DIR --look dark --size 1100x700 --scale 2 --only PARTS`.

With --composed states are made up that nobody comes to in a minute: the runner's five, long names, other scripts, a broken trail.
Without --home a data folder is lived through first (a minute); with it, one that an earlier call made there is used again.
"""

import argparse
import json
import os
import sys
import tempfile
from itertools import chain
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[2] / "app")]


def main() -> int:
    """Make the pictures."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("out", type=Path)
    words.add_argument("--home", type=Path)
    words.add_argument("--look", choices=("light", "dark"), default="light")
    words.add_argument("--size", default="1440x900")
    words.add_argument("--scale", default="1")
    words.add_argument("--only", default="")
    words.add_argument("--bare", action="store_true", help="the first run on a bare data folder instead")
    words.add_argument("--composed", action="store_true", help="states that a fake office makes up")
    given = words.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ["QT_SCALE_FACTOR"] = given.scale
    from PySide6.QtWidgets import QApplication

    from counterfoil.desktop.theme import Theme
    from counterfoil.places import Home
    from desktop.lived_home import LivedHome
    from desktop.scenes import Visitor, picture, walk, walk_bare

    given.out.mkdir(parents=True, exist_ok=True)
    application = QApplication([])
    theme = Theme(application)
    theme.choose(given.look)
    width, _, height = given.size.partition("x")
    if given.composed:
        return _composed(given.out, theme, (int(width), int(height)), given.only)
    place = given.home or Path(tempfile.mkdtemp())
    lived = LivedHome(place)
    try:
        if given.bare:
            visitor = Visitor(Home(Path(tempfile.mkdtemp()) / "home"), theme, (int(width), int(height)))
            scenes = walk_bare(visitor)
        else:
            known = place / "runs.json"
            if known.exists():
                lived.runs = json.loads(known.read_text())
            else:
                lived.make()
                known.write_text(json.dumps(lived.runs))
            visitor = Visitor(lived.home, theme, (int(width), int(height)))
            visitor.begin()
            visitor.settle(0.5)
            visitor.window.start_runner()
            visitor.settle(4)
            scenes = walk(visitor, lived, given.only)
        for name in scenes:
            picture(visitor, name, given.out)
        visitor.close()
    finally:
        lived.end()
    return 0


def _composed(out: Path, theme: Any, size: tuple[int, int], only: str) -> int:
    """Pictures of what a fake office answers."""
    from PySide6.QtCore import QSettings
    from PySide6.QtTest import QTest

    from counterfoil.desktop.frame.window import Window
    from desktop import composed_gates, composed_scenes
    from desktop.composed_scenes import Composed, hints, menus
    from desktop.conftest import Stopped
    from desktop.fake_bridge import FakeBridge
    from desktop.fake_office import FakeOffice

    office = FakeOffice()
    bridge = FakeBridge(office)
    settings = QSettings(str(Path(tempfile.mkdtemp()) / "window.ini"), QSettings.Format.IniFormat)
    window = Window(Stopped(office), theme, settings)
    window.resize(*size)
    window.show()
    window.activateWindow()
    window.begin(bridge)

    def settle(seconds: float = 0.4) -> None:
        QTest.qWait(int(seconds * 1_000))

    settle(0.5)
    desk = Composed(window, office, bridge, settle)
    for name in chain(composed_gates.walk(desk, only), composed_scenes.walk(desk, only)):
        kind, _, called = name.rpartition(" ")
        shown: list[Any] = menus(window) if kind == "MENU" else hints() if kind == "HINT" else []
        (shown[0] if shown else window).grab().save(str(out / f"{kind.casefold()}{called}.png"))
        for menu in menus(window):
            menu.close()
    window.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
