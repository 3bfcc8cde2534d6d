"""The bar at the foot of a gate: one primary button that counts what it will do, and after the act the time to take it back."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.gate.session import CLOSED, READY, Primary
from counterfoil.desktop.office import RunnerSeen, RunnerState
from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Chip, Icon, Label, Prose
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.tokens import BAR, CONTROL
from counterfoil.desktop.words import gates as words
from counterfoil.desktop.words.numbers import count

_TICK = 200  # milliseconds
_AROUND, _LEAST = 28 + 24 + 16, 150  # margins of the row; pixels that a sentence needs beside buttons
_GIVES = 12  # pixels that the primary button can be narrower than it likes to be, with its words whole


class GateBar(Box):
    """Primary, send back, reject, what silence means; or what was done, with Undo.

    Signals:
        acted(), send_back_wanted(), reject_wanted(), change_wanted(), undo_wanted(), more_wanted(): as the buttons say.
        settled(): the time to take it back is over.
    """

    acted = Signal()
    send_back_wanted = Signal()
    reject_wanted = Signal()
    change_wanted = Signal()
    undo_wanted = Signal()
    more_wanted = Signal()
    settled = Signal()

    def __init__(self, clock: Clock) -> None:
        super().__init__("bar", gap=0, margins=(0, 0, 0, 0))
        self._clock = clock
        self._until = 0
        self._verdict = self._held = ""
        self.put_off = False  # what can be undone is that the gate is snoozed
        self._ready = False
        self._above = row(margins=(28, 8, 24, 0))
        self._short = Prose("", "caption", leading=1.35)
        put(self._above, self._short)
        self.stack = QStackedWidget()
        self._folded = False
        self.put(self._above, self.stack)
        self.primary = Button("", "primary", icon="check")
        self.key = Chip("Ctrl ↵", "key")
        self.change = Button("Change…", icon="pencil", help="Change what may be changed (Ctrl+E)")
        self.send_back = Button("Send back…", icon="undo-2", help="Say what should be different (Ctrl+B)")
        self.reject = Button("Reject…", "danger", help="Say no, with a reason (Ctrl+Shift+R)")
        self.more = Button("", "icon", icon="ellipsis", name="More: snooze, give to somebody, save as PDF")
        self.silence = Prose("", "caption", leading=1.35)
        self.stack.addWidget(self._open_row())
        self.undo = Button("Undo", icon="rotate-ccw", help="Take it back (Ctrl+Z)")
        self.done = Label("", "strong")
        self._done_icon = Icon("circle-check", "ok")
        self.stack.addWidget(self._done_row())
        self._ticks = QTimer(self)
        self._ticks.setInterval(_TICK)
        self._ticks.timeout.connect(self._tick)
        self.primary.clicked.connect(self.acted)
        self.change.clicked.connect(self.change_wanted)
        self.send_back.clicked.connect(self.send_back_wanted)
        self.reject.clicked.connect(self.reject_wanted)
        self.undo.clicked.connect(self.undo_wanted)
        self.more.clicked.connect(self.more_wanted)

    @property
    def counting(self) -> bool:
        """Whether a decision can still be taken back."""
        return self._ticks.isActive()

    def rest(self) -> None:
        """Another gate comes: nothing is counted down any more."""
        self._ticks.stop()
        self._hint.hide()
        self.put_off = False

    def show_put_off(self, said: str) -> None:
        """It is snoozed, and that can be undone while the gate stands here."""
        self._ticks.stop()
        self._hint.hide()
        self.put_off = True
        self.done.setText(said)
        self._done_icon.show_icon("clock", "text2")
        self.undo.show()
        self.stack.setCurrentIndex(1)
        self.show()
        self._fit()

    def show_primary(self, primary: Primary) -> None:
        """What the button says and whether it acts, leads on, or is off."""
        ready = primary.state == READY
        kind = "primary" if ready or primary.state == CLOSED else "outline"
        self.primary.set_kind(kind, "check" if ready else "triangle-alert" if primary.state != CLOSED else "")
        self.primary.say(primary.words)
        self.primary.setEnabled(primary.state != CLOSED)
        self.primary.setAccessibleDescription(
            "" if ready else "Goes to what is missing" if primary.state != CLOSED else "Off"
        )
        self._ready = ready
        self._fit()

    def show_open(self, *, silence: str, can_decide: bool, can_change: bool, can_refuse: bool) -> None:
        """The bar of a gate that waits; `can_refuse`: it can be sent back or rejected, beside being answered."""
        self._ticks.stop()
        self.put_off = False
        self.say(silence)
        for button in (self.send_back, self.reject):
            button.setVisible(can_decide and can_refuse)
        self.change.setVisible(can_decide and can_change)
        self.stack.setCurrentIndex(0)
        self._fit()

    def say(self, silence: str) -> None:
        """What silence means, or what the next key does."""
        self.silence.say(silence)
        self._short.say(silence)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Where two lines beside the buttons are too few for what silence means, it stands above them; where there is no room for More,
        the one at the head of the gate is enough. Where all buttons find no room in one line, the primary one has a line of its own."""
        rest = sum(
            one.sizeHint().width() + 8 for one in (self.change, self.send_back, self.reject) if not one.isHidden()
        )
        taken = rest + self.primary.sizeHint().width()
        self._fold(taken + _AROUND > self.width() + _GIVES)
        taken = rest if self._folded else taken + 8
        more, key = self.more.sizeHint().width() + 8, self.key.sizeHint().width() + 8
        self.more.setVisible(self.width() - taken - _AROUND >= more)
        taken += 0 if self.more.isHidden() else more
        beside = self._ready and not self._folded and self.width() - taken - _AROUND > key
        self.key.setVisible(beside or (self._folded and self._ready))
        room = self.width() - taken - _AROUND - (key if beside else 0)
        narrow = room < _LEAST or self.silence.heightForWidth(room) > 2 * self.silence.minimumSizeHint().height() + 2
        waiting = self.stack.currentIndex() == 0
        self.silence.setVisible(not narrow)
        self._short.setVisible(narrow and waiting)
        self._above.setContentsMargins(28, 8 if narrow and waiting else 0, 24, 0)
        self.stack.setFixedHeight(BAR + 2 + (CONTROL + 8 if self._folded and waiting else 0))

    def _fold(self, folded: bool) -> None:
        """Put the primary button into a line of its own, or beside the others."""
        if folded == self._folded:
            return
        self._folded = folded
        for at, widget in enumerate((self.primary, self.key)):
            (self._lead if folded else self._line).insertWidget(at, widget)

    def show_runner(self, seen: RunnerSeen) -> None:
        """What a decision waits for while no runner carries it on."""
        off = seen.state in (RunnerState.OFF, RunnerState.SILENT)
        self._held = "It waits for the runner" if off else "It waits while all is paused" if seen.paused_by else ""
        if self._verdict and not self.put_off:
            self._say_done()

    def show_done(self, verdict: str, until_us: int, *, hint: bool = False) -> None:
        """Count down until it takes effect; `hint` says what the time is for."""
        seconds = max(0, -(-(until_us - self._clock.now_us()) // 1_000_000))
        self._hint.setText(f"You have {count(seconds, 'second')} to take it back.")
        self._hint.setVisible(hint)
        self._verdict, self._until, self.put_off = verdict, until_us, False
        good = verdict in ("approved", "answered")
        self._done_icon.show_icon(
            "circle-check" if good else "undo-2" if verdict == "returned" else "circle-x", "ok" if good else "text2"
        )
        self.stack.setCurrentIndex(1)
        self._fit()
        self._ticks.start()
        self._tick()

    @Slot()
    def _tick(self) -> None:
        if self._clock.now_us() >= self._until:
            self._ticks.stop()
            self._hint.hide()
            self.settled.emit()
        self._say_done()

    def _say_done(self) -> None:
        """What was done, and what follows."""
        left = max(0, self._until - self._clock.now_us())
        seconds = -(-left // 1_000_000)
        self.done.setText(words.after_the_act(self._verdict, seconds, self._held))
        self.undo.setVisible(left > 0)

    def _open_row(self) -> QWidget:
        held = QWidget()
        lines = column(held, gap=8, margins=(28, 0, 24, 0))
        self._lead, self._line = row(gap=8), row(gap=8)
        self._lead.addStretch(1)
        put(self._line, self.primary, self.key, self.change, self.send_back, 8)
        self._line.addWidget(self.silence, 1, Qt.AlignmentFlag.AlignVCenter)
        self._line.addStretch(0)
        put(self._line, 8, self.reject, self.more)
        put(lines, None, self._lead, self._line, None)
        return held

    def _done_row(self) -> QWidget:
        held = QWidget()
        line = row(held, gap=10, margins=(28, 0, 24, 0))
        self._hint = Label("", "caption")
        put(line, self._done_icon, self.done, 6, self.undo, self._hint, None)
        return held
