"""Whoever stands before a window with a watch. Says on stdout, one JSON object a line, when what was painted; lines on stdin are what a
person does: `down`, `page N`, `away` (reads at the right), `frames` (how long was the longest), `rest` (looks away), `close`."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSocketNotifier, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

BEAT_MS = 5  # the watch ticks so often; what is longer than a tick was taken from the window
FRAME_MS = 50
_PAGES = {"1": "inbox", "2": "runs", "3": "templates", "4": "schedules", "5": "connectors", "6": "trail"}


def observe(program: Any, begun: int) -> None:
    """Have the program's window watched from where it begins."""
    ordinary = program.Begin

    def begin(window: Any, bridge: Any) -> Any:
        made = ordinary(window, bridge)
        Observer(window, begun)
        return made

    program.Begin = begin


def say(what: dict[str, object]) -> None:
    """One line for whoever has started this."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Painted(QObject):
    """Tells each time a widget was painted; the paint is over when the event loop turns again."""

    def __init__(self, widget: QWidget, tell: Callable[[], None]) -> None:
        super().__init__(widget)
        self._after = QTimer(self, singleShot=True, interval=0)
        self._after.timeout.connect(tell)
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Paint:
            self._after.start()
        return False


class Observer(QObject):
    """Looks at one window and lives as long as it."""

    def __init__(self, window: Any, begun: int) -> None:
        super().__init__(window)
        self._window, self._begun = window, begun
        self._seen: dict[str, Painted] = {}
        self._told: set[str] = set()
        self._rows: dict[str, list[str]] = {}
        self._went: tuple[str, int] = ("", 0)
        self._first = self._built = ""
        self._gaps: list[tuple[float, float]] = []
        self._last = time.perf_counter(), time.thread_time()
        self._beat = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._beat.timeout.connect(self._tick)
        self._beat.start()
        self._hears = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, self)
        self._hears.activated.connect(self._hear)
        self._see("painted", window.centralWidget(), lambda: self._mark("painted"))

    def _see(self, name: str, widget: QWidget, tell: Callable[[], None]) -> None:
        if name not in self._seen:
            self._seen[name] = Painted(widget, tell)

    def _mark(self, name: str) -> None:
        """The first time that something is so."""
        if name not in self._told:
            self._told.add(name)
            say({"mark": name, "ms": (time.monotonic_ns() - self._begun) / 1e6, "cpu": time.process_time() * 1000})

    def _tick(self) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        self._gaps.append(((wall - self._last[0]) * 1000, (cpu - self._last[1]) * 1000))
        self._last = wall, cpu
        inbox, runs = self._window.pages.get("inbox"), self._window.pages.get("runs")
        if inbox is not None:
            self._see("inbox", inbox.pane.view.viewport(), self._inbox_painted)
            self._look_at_gate(inbox.detail.page)
        if runs is not None:
            self._see("runs", runs.view.viewport(), self._runs_painted)

    def _look_at_gate(self, page: Any) -> None:
        built = page.reading.seen.gate_id if page is not None and not page._to_build else ""
        if built and built == self._built:  # since the last tick, and painted in between
            self._first = self._first or built
            self._mark("gate" if built == self._first else "next gate")
        self._built = built

    def _inbox_painted(self) -> None:
        entries = self._window.pages["inbox"].pane.adapter.entries
        if entries:
            self._mark("rows")
        self._saw("inbox", [getattr(entry, "gate_id", "") for entry in entries[:6]])

    def _runs_painted(self) -> None:
        rows = self._window.pages["runs"].adapter.rows
        if self._went[0] == "runs" and rows:
            self._arrived()
        self._saw("runs", [row.words for row in rows[:6]])

    def _saw(self, name: str, rows: list[str]) -> None:
        if self._rows.get(name) != rows:
            self._rows[name] = rows
            say({"saw": name, "at": time.monotonic_ns(), "rows": rows})

    def _arrived(self) -> None:
        say({"went": self._went[0], "ms": (time.monotonic_ns() - self._went[1]) / 1e6})
        self._went = "", 0

    # ------------------------------------------------------------------------------------------------- what a person does

    def _hear(self) -> None:
        acts: dict[str, Callable[[str], None]] = {
            "down": self._down,
            "page": self._page,
            "away": self._away,
            "frames": self._frames,
            "rest": self._rest,
        }
        for line in os.read(sys.stdin.fileno(), 4096).decode().splitlines() or [
            ""
        ]:  # nothing at all: nobody is there any more
            word, _, what = line.partition(" ")
            acts.get(word, self._close)(what)

    def _down(self, _what: str) -> None:
        QTest.keyClick(self._window.pages["inbox"].pane.view, Qt.Key.Key_Down)

    def _page(self, number: str) -> None:
        self._went = _PAGES[number], time.monotonic_ns()
        QTest.keyClick(self._window, getattr(Qt.Key, f"Key_{number}"), Qt.KeyboardModifier.ControlModifier)
        if self._went[0] in ("inbox", "templates", "schedules", "connectors", "trail"):
            QTimer.singleShot(0, self, self._arrived)

    def _away(self, _what: str) -> None:
        self._window.pages["inbox"].detail.focus_title()

    def _frames(self, _what: str) -> None:
        gaps, self._gaps = self._gaps, []
        over = sum(wall > FRAME_MS for wall, _ in gaps)
        say({"frames": len(gaps), "worst": max(gaps, default=(0, 0)), "over": over})

    def _rest(self, _what: str) -> None:
        self._beat.stop()  # looking costs something, too
        say({"rests": True})

    def _close(self, _what: str) -> None:
        self._window.close()
