"""The clerk's first day: the real window, office and runner on a bare data folder, from the card to the written payment file.

Once by mouse, once by keyboard alone. She holds what is flagged; the file has twelve payments and the control sum she saw; at no time
does a word say that money moved; closing the window during the five seconds leaves the decision standing.
"""

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from counterfoil.clock import SystemClock
from counterfoil.desktop.app import office_opener
from counterfoil.desktop.bridge import ThreadBridge
from counterfoil.desktop.frame.window import Window
from counterfoil.desktop.theme import Theme
from counterfoil.places import Home
from counterfoil.store.glance import Glance

PATIENCE = 120.0  # seconds; the runner, a host and the command line are started on shared cores
CTRL = Qt.KeyboardModifier.ControlModifier
MOVED = re.compile(
    r"\b(?:(?:is|are|was|were|been) (?:now )?(?:paid|transferred)|money (?:was|is) sent)\b", re.IGNORECASE
)


class Clerk:
    """One person at one window."""

    def __init__(self, home: Home, theme: Theme) -> None:
        self.home = home
        self.theme = theme
        self.said: set[str] = set()
        self.open()

    def open(self) -> None:
        """Start the window."""
        settings = QSettings(str(self.home.root / "window.ini"), QSettings.Format.IniFormat)
        self.window = Window(SystemClock(), self.theme, settings)
        self.window.resize(1440, 900)
        self.window.show()
        self.window.activateWindow()
        self.window.begin(ThreadBridge(office_opener(self.home)))

    def close(self) -> None:
        """Close it."""
        self.window.close()
        shiboken6.delete(self.window)

    def until(self, seen: Callable[[], Any], what: str) -> Any:
        """Work and wait until something is seen; what it was."""
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            QCoreApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, int(QEvent.Type.DeferredDelete))
            with contextlib.suppress(AttributeError, IndexError, KeyError):
                found = seen()
                if found:
                    self.listen()
                    return found
            QTest.qWait(20)
        raise AssertionError(f"not seen in time: {what}; on the screen: {sorted(self.said)[-12:]}")

    def listen(self) -> None:
        """Keep everything that is written on the screen now."""
        self.said |= {label.text() for label in self.window.findChildren(QLabel) if label.isVisible()}
        self.said |= {button.text() for button in self.window.findChildren(QPushButton) if button.isVisible()}

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A key, where the focus is."""
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)
        QCoreApplication.processEvents()

    def click(self, widget: QWidget) -> None:
        """The left button."""
        assert widget.isVisible()
        assert widget.isEnabled()
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        QCoreApplication.processEvents()

    def may_undo(self) -> bool:
        """Whether the last decision can be taken back."""
        return bool(self.detail.bar.undo.isVisible())

    def on_the_card(self) -> bool:
        """Whether the keyboard is on the first card's button."""
        first = self.window._first_run
        return first is not None and first.card is not None and first.card.start.hasFocus()

    @property
    def inbox(self) -> Any:
        """The inbox page."""
        return self.window.pages["inbox"]

    @property
    def detail(self) -> Any:
        """The gate that is open."""
        return self.inbox.detail

    def gate(self, kind: str) -> Any:
        """Wait for a gate of a kind that can be decided; its page."""

        def there() -> Any:
            session = self.detail.session
            ready = session is not None and session.reading.kind == kind and session.reading.open
            return (
                self.detail.page
                if ready and not session.guarded(SystemClock().now_us()) and not session.loading
                else None
            )

        return self.until(there, f"a gate of the kind {kind}")


@pytest.fixture
def clerk(qapp: QApplication, theme: Theme, tmp_path: Path) -> Generator[Clerk]:
    """A clerk on a bare data folder; afterwards her runner is ended."""
    made = Clerk(Home(tmp_path / "home"), theme)
    yield made
    if shiboken6.isValid(made.window):
        made.close()
    glance = Glance(made.home)
    lease = glance.lease()
    glance.close()
    if lease is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(lease["pid"], signal.SIGTERM)


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
