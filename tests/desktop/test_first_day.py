"""The clerk's first day: the real window, office and runner on a bare data folder, from the card to the written payment file.

Once by mouse, once by keyboard alone. She holds what is flagged; the file has twelve payments and the control sum she saw; at no time
does a word say that money moved; closing the window during the five seconds leaves the decision standing.
"""

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from counterfoil.desktop.theme import Theme
from counterfoil.places import Home
from desktop.real_home import end_runners
from desktop.real_window import CTRL, Seat

MOVED = re.compile(
    r"\b(?:(?:is|are|was|were|been) (?:now )?(?:paid|transferred)|money (?:was|is) sent)\b", re.IGNORECASE
)


class Clerk(Seat):
    """One person at one window."""

    def on_the_card(self) -> bool:
        """Whether the keyboard is on the first card's button."""
        first = self.window._first_run
        return first is not None and first.card is not None and first.card.start.hasFocus()


@pytest.fixture
def clerk(qapp: QApplication, theme: Theme, tmp_path: Path) -> Generator[Clerk]:
    """A clerk on a bare data folder; afterwards her runner is ended."""
    made = Clerk(Home(tmp_path / "home"), theme)
    yield made
    made.close()
    end_runners()


def payment_file(clerk: Clerk) -> str:
    """The one payment file that lies in the sample's folder."""
    found = list((clerk.home.root / "demo").glob("*/payments/*.xml"))
    assert len(found) == 1
    return found[0].read_text(encoding="utf-8")


def test_first_day_by_mouse(clerk: Clerk) -> None:
    card = clerk.until(lambda: clerk.window._first_run.card, "the first card")  # type: ignore[union-attr]
    clerk.click(card.start)
    page = clerk.gate("question")
    bar = clerk.detail.bar
    rows = page.answers.rows
    assert bar.primary.accessibleName() == "Answer 2 rows first"
    for row in rows:
        if not row.answer.default:
            clerk.click(row.choice.segments["hold"])
    assert bar.primary.accessibleName() == f"Hold {len(rows)}"
    clerk.click(bar.primary)
    clerk.until(clerk.may_undo, "the time to take it back")
    page = clerk.gate("approval")
    assert ("Total", "€41,208.90") in page.reading.figures
    clerk.click(clerk.detail.bar.primary)
    result = clerk.until(lambda: clerk.window._first_run.card, "the result")  # type: ignore[union-attr]
    assert "is written: 12 payments, €41,208.90" in result.card.accessibleName()
    written = payment_file(clerk)
    assert "<CtrlSum>41208.90</CtrlSum>" in written
    assert written.count("<CdtTrfTxInf>") == 12
    clerk.listen()
    assert [text for text in clerk.said if MOVED.search(text)] == []


def test_first_day_by_keyboard_and_a_window_closed_too_soon(clerk: Clerk) -> None:
    clerk.until(clerk.on_the_card, "the focus on the first card")
    clerk.press(Qt.Key.Key_Space)
    clerk.gate("question")
    clerk.press(Qt.Key.Key_Return, CTRL)  # to the first open answer
    clerk.press(Qt.Key.Key_2)
    clerk.press(Qt.Key.Key_Down, CTRL)
    clerk.press(Qt.Key.Key_2)
    clerk.press(Qt.Key.Key_Return, CTRL)
    clerk.until(clerk.may_undo, "the time to take it back")
    clerk.gate("approval")
    clerk.press(Qt.Key.Key_Return, CTRL)
    clerk.until(clerk.may_undo, "the time to take it back")
    clerk.close()  # during the five seconds: the decision stands
    clerk.open()
    row = clerk.until(lambda: _run_row(clerk), "the run that is done")
    assert row.words == "Done"
    assert payment_file(clerk).count("<CdtTrfTxInf>") == 12


def _run_row(clerk: Clerk) -> Any:
    """The one run, once it is done."""
    clerk.window.show_page("runs")
    rows = clerk.window.pages["runs"].adapter.rows
    return rows[0] if rows and rows[0].state == "done" else None
