"""The runner line at the foot of the sidebar: a sign, a word and a time; a click says more and offers what can be done."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFontMetrics, QMoveEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy

from counterfoil.clock import Clock
from counterfoil.desktop import icons
from counterfoil.desktop.office import RunnerSeen, RunnerState
from counterfoil.desktop.parts.boxes import Pane, Popover
from counterfoil.desktop.parts.buttons import Button, Pressed
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import column, empty, put, row
from counterfoil.desktop.tables.fitting import stacked
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.tokens import SIDEBAR
from counterfoil.desktop.words import times
from counterfoil.desktop.words.people import capital, person
from counterfoil.desktop.words.plain import one_line
from counterfoil.desktop.words.schedules import next_firing
from counterfoil.facts import as_sentence

_HEAD = 18  # pixels of a line
_BESIDE = 30  # pixels left and right of the words
_AROUND = _BESIDE + 24  # and of the margins of the sidebar
_SECOND_CLICK = 1_000  # milliseconds after Start in which a click was meant for it: by then the line lies where it lay


def words_of(seen: RunnerSeen) -> tuple[str, str]:
    """What the line says: a word and a second line."""
    if seen.paused_by:
        at = f" at {times.clock_time(seen.paused_at)}" if seen.paused_at else ""
        copied = "Paused: this folder was copied or restored"
        return (
            copied if seen.paused_why else f"Paused by {person(seen.paused_by)}{at}",
            "" if seen.state == RunnerState.RUNNING else "The runner is off.",
        )
    match seen.state:
        case RunnerState.RUNNING:
            return (
                "Running",
                f"Last saved {times.clock_seconds(seen.last_saved)}" if seen.last_saved else "Nothing saved yet",
            )
        case RunnerState.STARTING:
            return "Starting…", ""
        case RunnerState.UNKNOWN:
            return "Not known", "The data folder is closed."
        case RunnerState.SILENT:
            at = times.clock_time(seen.last_sign) if seen.last_sign else "a while ago"
            return f"No sign of life since {at}", ""
        case _:
            return "Off", "Nothing starts or goes on."


class RunnerLine(Pane):
    """The line and its popover.

    Signals:
        start_wanted(): start or restart it.
        pause_wanted(), resume_wanted(): hold everything, or let it go on.
    """

    start_wanted = Signal()
    pause_wanted = Signal()
    resume_wanted = Signal()

    def __init__(self, clock: Clock) -> None:
        super().__init__("sidebar", gap=6, margins=(8, 0, 8, 0))
        self._clock = clock
        self._seen = RunnerSeen(RunnerState.STARTING)
        self._face = _Face()
        self._face.clicked.connect(self._clicked)
        self.start = Button("Start", icon="play", name="Start the runner")
        self.start.clicked.connect(self._start)
        self.start.hide()
        self.resume = Button("Resume", icon="play", name="Let everything go on")
        self.resume.clicked.connect(self._resume)
        self.resume.hide()
        self.put(self._face, self.start, self.resume)
        self._popover: Popover | None = None
        self._told: list[str] = []
        self._pressed = QTimer(self, singleShot=True, interval=_SECOND_CLICK)
        self.tick()

    def show_runner(self, seen: RunnerSeen) -> None:
        """How it does."""
        self._seen = seen
        self.tick()

    def tick(self) -> None:
        """Say it for the present."""
        head, tail = words_of(self._seen)
        paused = bool(self._seen.paused_by)
        self._face.say(self._seen.state, head, tail, paused=paused)
        self.resume.setVisible(paused)
        off = self._seen.state in (RunnerState.OFF, RunnerState.SILENT) and not paused
        self.start.setVisible(off)
        self.start.say("Restart" if self._seen.state == RunnerState.SILENT else "Start", "Start the runner")
        self._tell()

    @Slot()
    def _start(self) -> None:
        self._pressed.start()
        self.start_wanted.emit()

    @Slot()
    def _resume(self) -> None:
        self._pressed.start()
        self.resume_wanted.emit()

    @Slot()
    def _clicked(self) -> None:
        if not self._pressed.isActive():
            self._toggle()

    @Slot()
    def _toggle(self) -> None:
        if self._popover is not None:
            self._popover.hide()
            self._popover.deleteLater()
            self._popover = None
            self._face.setFocus()
            return
        window = self.window()
        box = Popover(window, width=320)
        box.closed.connect(self._toggle)
        self._told = []
        self._words = column(gap=box.lines.spacing())
        box.put(self._words)
        line = row(gap=8, margins=(0, 6, 0, 0))
        close = Button("Close", "outline")
        close.clicked.connect(self._toggle)
        self._hold = Button("Pause everything…", icon="pause")
        self._hold.clicked.connect(self._pause)
        put(line, self._hold, None, close)
        box.put(line)
        self._popover = box
        self._tell()
        box.show()
        box.raise_()
        close.setFocus()

    def _tell(self) -> None:
        """What the popover says is what is so now, also while it is open."""
        told = self._sentences()
        if self._popover is None or told == self._told:
            return
        self._told = told
        empty(self._words)
        put(self._words, *[Prose(sentence, "body") for sentence in told])
        self._hold.setVisible(not self._seen.paused_by)
        self._place()

    def _place(self) -> None:
        """The popover stands above the line, wherever that stands."""
        box = self._popover
        if box is not None:
            high = max(box.lines.totalHeightForWidth(box.width()), box.lines.totalSizeHint().height())
            box.setFixedHeight(high)
            box.move(self.mapTo(self.window(), QPoint(12, -high - 8)))

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._place()

    @Slot()
    def _pause(self) -> None:
        self._toggle()
        self.pause_wanted.emit()

    def _sentences(self) -> list[str]:
        seen, now = self._seen, self._clock.now_us()
        said = []
        if seen.paused_by and seen.paused_at:
            at = times.in_sentence(times.when(seen.paused_at, now))
            by = capital(person(seen.paused_by))
            said.append(f"{by} paused everything, {at}. Decisions can be given, and wait.")
            said.append(one_line(seen.paused_why))
        if seen.state == RunnerState.STARTING:
            said.append("The runner is starting. What waits goes on as soon as it is there.")
        if seen.state == RunnerState.UNKNOWN:
            said.append("Whether it runs is not known while the data folder cannot be read.")
        if seen.state == RunnerState.OFF:
            said.append(
                "The runner is off. Nothing starts or goes on; decisions are kept and take effect when it starts."
            )
        if seen.state == RunnerState.SILENT:
            said.append(f"{words_of(seen)[0]}. Nothing goes on until it is restarted; what is kept stays kept.")
        elif seen.since is not None:
            said.append(f"Running since {times.in_sentence(times.when(seen.since, now))}, process {seen.pid}.")
        if seen.state == RunnerState.RUNNING:
            said.extend(f"It works on ‘{one_line(title)}’." for title in seen.doing)
            said.extend([] if seen.doing else ["It waits for something to do."])
            said.append("" if seen.paused_by else next_firing(seen.next_name, seen.next_at, now))
        if seen.trouble:
            said.append(one_line(seen.trouble))
        if seen.log:
            said.append(f"Its log: {one_line(seen.log)}")
        return [sentence for sentence in said if sentence]


class _Face(Pressed):
    """The painted line; a button, so that it can be reached and pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "switcher")
        self._state, self._head, self._tail, self._paused = RunnerState.STARTING, "", "", False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def say(self, state: RunnerState, head: str, tail: str, *, paused: bool = False) -> None:
        if (state, head, tail, paused) != (self._state, self._head, self._tail, self._paused):
            self._state, self._head, self._tail, self._paused = state, head, tail, paused
            self.setAccessibleName(f"Runner: {as_sentence(head)} {tail}".strip())
            self.setToolTip("What the runner does")
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        more = (len(self._lines(SIDEBAR - _AROUND)) - 1) * _HEAD
        return QSize(180, (46 if self._tail else 32) + more)

    def _lines(self, room: int) -> tuple[str, ...]:
        """What it says in as many lines as that needs: whoever paused everything is named whole."""
        return stacked(self._head, room, 3, QFontMetrics(font(12, 500)).horizontalAdvance)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        tokens = current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        heads = self._lines(self.width() - _BESIDE)
        top = 4.0 if self._tail else (self.height() - len(heads) * _HEAD) / 2
        middle = top + 10
        if self._paused:
            ratio = self.devicePixelRatioF()
            painter.drawPixmap(8, round(middle - 7), icons.pixmap("pause", tokens.warn, 14, ratio))
        else:
            _paint_sign(painter, self._state, middle)
        painter.setFont(font(12, 500))
        painter.setPen(colour(tokens.bad if self._state == RunnerState.SILENT else tokens.text))
        side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        line = QRectF(27, top, self.width() - _BESIDE, 20)
        for text in heads:
            painter.drawText(line, side, text)
            line.translate(0, _HEAD)
        painter.setFont(font(12, figures=True))
        painter.setPen(colour(tokens.text3))
        painter.drawText(QRectF(27, line.top() + 1, self.width() - _BESIDE, 18), side, self._tail)
        painter.end()


def _paint_sign(painter: QPainter, state: RunnerState, middle: float) -> None:
    """● running, ◐ starting, ○ off, ! silent: told apart by shape before colour."""
    tokens = current()
    box = QRectF(11, middle - 4, 8, 8)
    if state == RunnerState.RUNNING:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour(tokens.ok))
        painter.drawEllipse(box)
    elif state == RunnerState.SILENT:
        painter.setFont(font(13, 600))
        painter.setPen(colour(tokens.bad))
        painter.drawText(box.adjusted(-2, -4, 2, 4), Qt.AlignmentFlag.AlignCenter, "!")
    else:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour(tokens.text3), 1.5))
        painter.drawEllipse(box)
        if state == RunnerState.STARTING:
            painter.setBrush(colour(tokens.text3))
            painter.drawPie(box, 90 * 16, 180 * 16)
