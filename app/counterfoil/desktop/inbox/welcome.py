"""The first run: one card that offers the sample, shows it being read, and says what came of it. No wizard, no account, no tour."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QProgressBar, QWidget

from counterfoil.clock import SystemClock
from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.office import Progress
from counterfoil.desktop.parts.boxes import Banner, Box, Pane, Rule
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import Flow, column, empty, put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.run_facts import Undoing
from counterfoil.desktop.runs.undo_sheet import UndoSheet
from counterfoil.desktop.words.plain import one_line
from counterfoil.desktop.words.runs import result_sentences
from counterfoil.policy import protection

WIDTH = 520
SAMPLES = 17  # files in the bundled sample, as the progress will count them
_LOOK = 200  # milliseconds between two looks at the progress


class WelcomeCard(Pane, OneSheet[UndoSheet]):
    """Offer, progress, result.

    Signals:
        gate_ready(str): the sample's gate is open; its id.
        started(str): the sample runs; its run id.
        starting(bool): the runner is being started for it, or that did not come off.
        own_folder_wanted(), mondays_wanted(str), run_wanted(str), plug_wanted(str): the next steps.
    """

    gate_ready = Signal(object)
    started = Signal(object)
    starting = Signal(bool)
    own_folder_wanted = Signal()
    run_wanted = Signal(object)
    plug_wanted = Signal(object)
    mondays_wanted = Signal(object)

    def __init__(self, bridge: Bridge, *, isolation: str) -> None:
        super().__init__("panel", margins=(24, 24, 24, 24))
        self._bridge = bridge
        self._isolation = isolation
        self.run_id = ""
        self.offers = True  # nothing was begun from here yet, nor tried
        self._folder = ""
        self.card = Box("card", gap=10, margins=(28, 26, 28, 22))
        self.card.setFixedWidth(WIDTH)
        self.setFocusProxy(self.card)
        line = row()
        put(line, None, self.card, None)
        self.put(None, line, None, None)
        self._looks = QTimer(self)
        self._looks.setInterval(_LOOK)
        self._looks.timeout.connect(self._look)
        self._undo_looks = QTimer(self)
        self._undo_looks.setInterval(_LOOK)
        self._undo_looks.timeout.connect(self._look_at_undoing)
        self._undo_rest = False  # only what can go back was asked for
        self._ask_again = True
        self.offer()

    def offer(self) -> None:
        """What can be done first."""
        self._clear()
        self._level = Label("", "caption")
        self.start = Button("Check the sample invoices", "primary")
        self.start.clicked.connect(self._start)
        self.own = Button("Use my own folder…", icon="folder")
        self.own.clicked.connect(self.own_folder_wanted)
        keys = row(gap=8, margins=(0, 8, 0, 4))
        put(keys, self.start, self.own, None)
        self.card.put(
            Label("Approve your first run", "title"),
            Prose(
                f"{SAMPLES} sample invoices are ready. Counterfoil reads and checks them, then stops and asks you. "
                "No account, no key. Nothing leaves this computer.",
                "body2",
            ),
            keys,
            self._level,
        )
        self.show_protection(self._isolation)
        self.card.setAccessibleName("Approve your first run")

    def show_protection(self, isolation: str) -> None:
        """What was measured; before anything was, when it will be."""
        self._isolation = isolation
        if shiboken6.isValid(self._level):
            known = f"Protected: {protection.badge(isolation)}"
            self._level.setText(known if isolation else "Protected: measured when the first run starts")
            self._level.setToolTip(protection.sentence(isolation))

    def show_progress(self, progress: Progress) -> None:
        """How far the reading is."""
        self.offers = False
        self._clear()
        words = (
            f"Reading {progress.done} of {progress.total}"
            if progress.total
            else one_line(progress.words) or "Starting…"
        )
        bar = QProgressBar()
        bar.setTextVisible(False)
        bar.setRange(0, max(progress.total, 0))
        bar.setValue(progress.done)
        bar.setAccessibleName(words)
        self.card.put(Label(words, "title"), bar)
        for name, problem in progress.last[-3:]:
            line = row(gap=8)
            put(line, Icon("triangle-alert" if problem else "check", "warn" if problem else "ok", 14))
            said = f"{one_line(name)}: {one_line(problem)}" if problem else one_line(name)
            line.addWidget(Prose(said, "small"), 1)
            self.card.put(line)
        self.card.put(Label("Nothing has been written yet.", "caption"))
        self.card.setAccessibleName(words)

    def show_result(self, progress: Progress, folder: str = "") -> None:
        """What came of it, and how to go on."""
        self.offers = False
        self._looks.stop()
        self._folder = folder
        self._clear()
        head, *rest = result_sentences(progress)
        good = progress.state == "done" and not progress.problem
        line = row(gap=10)
        line.addWidget(
            Icon("circle-check" if good else "info", "ok" if good else "text2", 20), 0, Qt.AlignmentFlag.AlignTop
        )
        texts = column(gap=4)
        put(texts, Prose(head, "h2", leading=1.35), *[Prose(sentence, "body2") for sentence in rest])
        line.addLayout(texts, 1)
        self.card.put(line)
        self._put_next_steps(may_undo=progress.may_undo)
        self.card.setAccessibleName(head)

    def _clear(self) -> None:
        """Take everything out of the card; the keyboard stays with it."""
        focus = QApplication.focusWidget()
        if focus is not None and self.card.isAncestorOf(focus):
            self.card.setFocus(Qt.FocusReason.OtherFocusReason)
        empty(self.card.lines)

    def _put_next_steps(self, *, may_undo: bool) -> None:
        """Where to look, and how to go on."""
        keys = row(gap=8, margins=(0, 6, 0, 6))
        if self._folder:
            opener = Button("Open folder", icon="folder-open")
            opener.clicked.connect(self._open_folder)
            put(keys, opener)
        steps = Button("See every step", icon="list", key=self.run_id)
        steps.chosen.connect(self.run_wanted)
        put(keys, steps)
        if may_undo:
            undo = Button("Undo…", icon="undo-2", help="Put back what this run did to files; you see it first")
            undo.clicked.connect(self._undo)
            put(keys, undo)
        put(keys, None)
        more = QWidget()
        ways = Flow(more, gap=16)
        own = Button("Use your own folder", "link")
        own.clicked.connect(self.own_folder_wanted)
        plug = Button("Pull the plug and watch it carry on", "link", key=self.run_id)
        plug.chosen.connect(self.plug_wanted)
        mondays = Button("Run it every Monday", "link", key=self.run_id)
        mondays.chosen.connect(self.mondays_wanted)
        for way in (own, mondays, plug):
            ways.addWidget(way)
        self.card.put(keys, Rule(), Label("Make it yours", "small_strong"), more)

    @Slot()
    def _undo(self) -> None:
        if self.sheet is None:
            sheet = UndoSheet(self, self._bridge, self.run_id, SystemClock(), sent=False)
            sheet.given.connect(self._undo_wanted)
            self.open_sheet(sheet)

    @Slot(str, bool)
    def _undo_wanted(self, reason: str, rest: bool) -> None:
        run_id = self.run_id
        self._undo_rest = rest
        self._bridge.ask(
            self,
            lambda office: office.undo_run(run_id, reason, rest=rest),
            self._undo_begun,
            self._not_undone,
            slow=True,
        )

    def _undo_begun(self, sentence: str) -> None:
        self._say_undoing(Undoing("asked", sentence, ""))
        self._undo_looks.start()

    def _not_undone(self, trouble: Trouble) -> None:
        self._undo_looks.stop()
        self.card.put(Banner("bad", trouble.message, detail=trouble.next_step))

    @Slot()
    def _look_at_undoing(self) -> None:
        run_id = self.run_id
        self._bridge.ask(self, lambda office: office.undoing(run_id), self._say_undoing, self._not_undone)

    def _say_undoing(self, undoing: Undoing | None) -> None:
        """What has become of putting back; the card says it in the place of its result."""
        if undoing is None:
            return
        if undoing.state != "asked":
            self._undo_looks.stop()
        self._clear()
        refused = undoing.state == "refused"
        line = row(gap=10)
        mark = Icon("triangle-alert", "warn", 20) if refused else Icon("undo-2", "text2", 20)
        line.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        texts = column(gap=4)
        put(texts, Prose(undoing.words, "h2", leading=1.35))
        if undoing.state == "done" and not self._undo_rest:
            put(texts, Prose("The folder is as it was before this run.", "body2"))
        line.addLayout(texts, 1)
        self.card.put(line)
        if undoing.state != "asked":
            self._put_next_steps(may_undo=refused)
        self.card.setAccessibleName(undoing.words)

    @Slot()
    def _start(self) -> None:
        self.show_progress(Progress("", "ready", "Starting…"))
        self.starting.emit(True)
        self._bridge.ask(self, lambda office: office.start_sample(), self._started, self._failed)

    def _started(self, run_id: str) -> None:
        self.run_id = run_id
        self.started.emit(run_id)
        self._ask_again = True
        self._looks.start()
        self._look()

    def _failed(self, trouble: Trouble) -> None:
        self._looks.stop()
        self.starting.emit(False)
        self.offer()
        self.card.put(Banner("bad", trouble.message, detail=trouble.next_step))

    @Slot()
    def _look(self) -> None:
        run_id = self.run_id
        if run_id and self._ask_again:
            self._ask_again = False
            self._bridge.ask(self, lambda office: office.progress(run_id), self._progressed, self._failed)

    def _progressed(self, progress: Progress) -> None:
        self._ask_again = True
        if progress.gate_id is not None:
            self._looks.stop()
            self.gate_ready.emit(progress.gate_id)
        elif progress.state in ("done", "failed", "cancelled"):
            self.show_result(progress, progress.folder)
        else:
            self.show_progress(progress)

    @Slot()
    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(self._folder))
