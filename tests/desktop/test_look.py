"""Tokens, fonts and icons: contrast of every pair that is used, fonts that are there, icons that are used and exist."""

import gc
import re

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QFontInfo, QFontMetrics
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from counterfoil.desktop import icons, tokens
from counterfoil.desktop.parts.boxes import Skeleton
from counterfoil.desktop.stylesheet import stylesheet
from counterfoil.desktop.theme import Theme, current, font
from counterfoil.places import bundled
from house.repository import PACKAGE


@pytest.mark.parametrize("look", [tokens.LIGHT, tokens.DARK], ids=lambda look: look.name)
@pytest.mark.parametrize("pair", tokens.USED_PAIRS, ids=lambda pair: f"{pair[0]} on {pair[1]}")
def test_text_can_be_read(look: tokens.Tokens, pair: tuple[str, str]) -> None:
    assert contrast(getattr(look, pair[0]), getattr(look, pair[1])) >= 4.5


@pytest.mark.parametrize("look", [tokens.LIGHT, tokens.DARK], ids=lambda look: look.name)
def test_edges_of_fields_and_focus_can_be_seen(look: tokens.Tokens) -> None:
    assert contrast(look.border_input, look.panel) >= 3
    assert contrast(look.focus, look.panel) >= 3


def test_contrast_is_what_the_standard_says() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("look", [tokens.LIGHT, tokens.DARK], ids=lambda look: look.name)
def test_style_sheet_names_known_tokens_and_no_fonts(look: tokens.Tokens) -> None:
    text = stylesheet(look)
    assert "@" not in text
    assert "font" not in text  # a font here would override every setFont


def test_bundled_fonts_are_used(theme: Theme) -> None:
    assert QFontInfo(font()).family() == "Inter"
    assert QFontInfo(font(12, mono=True)).family() == "JetBrains Mono"
    assert QFontInfo(font(13, 600)).weight() == 600


def test_figures_are_equally_wide(theme: Theme) -> None:
    metrics = QFontMetrics(font(13, figures=True))
    assert {metrics.horizontalAdvance(digit * 4) for digit in "0123456789"} == {metrics.horizontalAdvance("0000")}


def test_look_changes_at_once_and_back(theme: Theme, qapp: QApplication) -> None:
    theme.choose("dark")
    try:
        assert current() is tokens.DARK
        assert tokens.DARK.panel in qapp.styleSheet()
    finally:
        theme.choose("light")
    assert current() is tokens.LIGHT


class Wasteful(QWidget):
    """Makes enough rubbish for a collection whenever its look changes."""

    being_told = False

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self.being_told = True
        super().changeEvent(event)
        self.rubbish: list[list[int]] = [[] for _ in range(2 * gc.get_threshold()[0])]
        self.being_told = False


def test_no_widget_is_freed_while_qt_tells_all_of_a_new_look(theme: Theme, qtbot: QtBot) -> None:
    """Qt holds plain pointers to all widgets then: one that is collected in the middle ends the program."""
    told = Wasteful()
    qtbot.addWidget(told)
    told.show()
    collected: list[str] = []

    def note(phase: str, _: dict[str, int]) -> None:
        if told.being_told:
            collected.append(phase)

    gc.enable()
    gc.collect()
    gc.callbacks.append(note)
    try:
        theme.choose("dark")
    finally:
        gc.callbacks.remove(note)
        gc.disable()
        theme.choose("light")
    assert told.rubbish
    assert collected == []


def icon_names() -> set[str]:
    """Names of icons in the code: they are literals everywhere, in calls, tables and arguments."""
    there = {file.stem for file in (bundled("resources") / "icons").glob("*.svg")}
    code = "".join(file.read_text() for file in (PACKAGE / "desktop").rglob("*.py"))
    return {name for name in there if re.search(rf'"{re.escape(name)}"', code)}


def test_every_icon_is_used_and_can_be_drawn(theme: Theme) -> None:
    there = {file.stem for file in (bundled("resources") / "icons").glob("*.svg")}
    assert there - icon_names() == set()
    for name in there:
        image = icons.pixmap(name, "#123456", 16, 2.0).toImage()
        assert image.width() == 32
        assert any(image.pixelColor(x, y).alpha() for x in range(32) for y in range(32)), name


def test_icons_are_drawn_once() -> None:
    assert icons.pixmap("check", "#000000") is icons.pixmap("check", "#000000")


def test_resources_name_their_origin_and_licence() -> None:
    sources = (bundled("resources") / "SOURCES.md").read_text()
    assert "OFL" in sources
    assert "ISC" in sources
    for name in ("fonts/OFL-Inter.txt", "fonts/OFL-JetBrainsMono.txt", "icons/LICENSE-lucide.txt"):
        assert (bundled("resources") / name).read_text().strip()
        assert name.rpartition("/")[2] in sources


def test_rows_that_stand_for_long_say_what_is_waited_for(qtbot: QtBot, theme: Theme) -> None:
    rows = Skeleton(44, rows=3, label="Loading the run")
    qtbot.addWidget(rows)
    rows.resize(400, 132)
    rows.show()
    bare = rows.grab().toImage()
    assert rows._long.isActive()
    rows._long.timeout.emit()  # three seconds are over
    assert rows.grab().toImage() != bare
    rows.hide()
    assert not rows._long.isActive()
    rows.show()
    assert rows.grab().toImage() == bare  # it waits anew


def contrast(front: str, back: str) -> float:
    """Contrast ratio of two colours as WCAG 2 defines it, 1 to 21."""
    lighter, darker = sorted((luminance(front), luminance(back)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance of #RRGGBB, 0 to 1."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
