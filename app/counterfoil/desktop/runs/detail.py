"""One run: header with what can be done, and its tabs. The result comes first when the run is done."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSettings, Qt, Signal, Slot
from PySide6.QtWidgets import QScrollArea, QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.gate.sheets import note_sheet, stop_sheet
from counterfoil.desktop.office import Office, RunSeen
from counterfoil.desktop.parts.boxes import Banner, Pane, Rule, Skeleton
from counterfoil.desktop.parts.layouts import put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.scroller import Scroller
from counterfoil.desktop.parts.segmented import Segmented
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.parts.silent_rows import restart_sheet
from counterfoil.desktop.parts.tabs import Tabs
from counterfoil.desktop.runs.checkpoint import CheckpointTab
from counterfoil.desktop.runs.evidence_sheet import EvidenceSheet
from counterfoil.desktop.runs.head import RunHead
from counterfoil.desktop.runs.no_run import NoRun
from counterfoil.desktop.runs.result import FilesTab, ResultTab, TrailTab, given_lines
from counterfoil.desktop.runs.running_again import RunningAgain
from counterfoil.desktop.runs.silent_step import SilentStep
from counterfoil.desktop.runs.step_sheet import StepSheet
from counterfoil.desktop.runs.steps import StepLine, lines
from counterfoil.desktop.runs.steps_view import StepsAdapter, StepsView
from counterfoil.desktop.runs.talk import TalkTab
from counterfoil.desktop.runs.undo_sheet import UndoSheet, has_sent
from counterfoil.desktop.tokens import STEP_ROW
from counterfoil.desktop.words import times

_TABS = (
    ("steps", "Steps"),
    ("files", "Files"),
    ("result", "Result"),
    ("checkpoint", "Checkpoint"),
    ("trail", "Trail"),
    ("talk", "Conversation"),
)
_ENDED = ("done", "failed", "cancelled")


class RunDetail(Pane, OneSheet[Sheet]):
    """The right pane of the Runs page.

    Signals:
        gate_wanted(str): go to the question this run waits for.
        form_wanted(dict, AgainOf): start it again with other parameters than those of this run's document.
        started(str): it was started again; the new run's id.
        schedule_wanted(dict): run it by a rule with them.
    """

    gate_wanted = Signal(object)
    form_wanted = Signal(object, object)
    started = Signal(object)
    schedule_wanted = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__("panel")
        self._bridge, self._clock = bridge, clock
        self._latest = Latest()
        self.run_id = ""
        self._seen: RunSeen | None = None
        self._open: set[str] = set()
        self._asks_undo = False
        self._ask_again = False  # as soon as the run is there
        self.running_again = RunningAgain(self, bridge)
        self.running_again.started.connect(self.started)
        self.running_again.form_wanted.connect(self.form_wanted)
        self.running_again.failed.connect(self._failed)
        self.nothing = NoRun()
        self.nothing.export_wanted.connect(self._export)
        self.steps_adapter = StepsAdapter(self)
        self.steps = StepsView(self.steps_adapter)
        self.steps.folded.connect(self._folded)
        self.steps.opened.connect(self._show_kept)
        self._made: dict[str, QWidget] = {}
        self._settings: QSettings | None = None
        self._lay_out()

    @functools.cached_property
    def checkpoint(self) -> CheckpointTab:
        """The four questions. As the other tabs it is made when somebody looks, so that the page is there sooner."""
        return CheckpointTab(self._bridge, self)

    @functools.cached_property
    def talk(self) -> TalkTab:
        """What was said with llms."""
        return TalkTab(self._bridge)

    @functools.cached_property
    def result(self) -> ResultTab:
        """What came out."""
        tab = ResultTab()
        tab.note_wanted.connect(self._note)
        return tab

    @functools.cached_property
    def files(self) -> FilesTab:
        """What was written."""
        return FilesTab(self._bridge)

    @functools.cached_property
    def trail(self) -> TrailTab:
        """Its entries."""
        made = TrailTab()
        if self._settings is not None:
            made.remember(self._settings)
        return made

    def remember(self, settings: QSettings) -> None:
        """Keep the widths of the trail's columns."""
        self._settings = settings

    def show_run(self, run_id: str, *, tab: str = "") -> None:
        """Load a run."""
        if run_id != self.run_id:
            self.run_id = run_id
            self._seen = None
            self._dismiss()
            self._open.clear()
            if "talk" in self._made:
                self.talk.clear()
            self._wanted_tab = tab
            self.stack.setCurrentIndex(1)
        elif tab:
            self._wanted_tab = tab  # it may still be on its way
            self._go_to(tab)
        self.refresh()

    def ask_undo(self) -> None:
        """Open the sheet that puts its files back, as soon as the run is there."""
        self._asks_undo = self._seen is None
        if self._seen is not None:
            self._undo()

    def refresh(self) -> None:
        """Look again."""
        run_id = self.run_id
        if run_id:
            self._latest.take(self._bridge.ask(self, lambda office: office.run(run_id), self._arrived, self._not_there))

    def clear(self, words: str = "Choose a run to see its steps.") -> None:
        """No run is chosen."""
        self._dismiss()
        self.run_id = ""
        self._latest.take(None)
        self.nothing.say(words)
        self.stack.setCurrentIndex(0)

    def _dismiss(self) -> None:
        """A sheet is about the run it was opened for, and about no other."""
        self._ask_again = False
        self.running_again.asking.leave()
        self.close_sheet()
        if "checkpoint" in self._made:
            self.checkpoint.close_sheet()

    def run_again(self, run_id: str) -> None:
        """Show a run and ask how it is run again."""
        self.show_run(run_id)
        self._ask_again = self._seen is None
        self._again()

    def focus_title(self) -> None:
        """Where reading begins."""
        self.title.setFocus(Qt.FocusReason.OtherFocusReason)

    def _lay_out(self) -> None:
        self.stack = QStackedWidget()
        self.lines.addWidget(self.stack, 1)  # before it is full, which is cheaper
        page = Pane("panel")
        self.head = head = RunHead()
        self.title, self.path, self.chip, self.protected = head.title, head.path, head.chip, head.protected
        self.to_gate, self.again, self.undo = head.to_gate, head.again, head.undo
        self.schedule, self.stop = head.schedule, head.stop
        self.to_gate.clicked.connect(self._to_gate)
        self.again.clicked.connect(self._again)
        self.undo.clicked.connect(self._undo)
        self.schedule.clicked.connect(self._schedule)
        self.stop.clicked.connect(self._stop)
        tabs = row(margins=(16, 0, 24, 0))
        self.tabs = Tabs(_TABS, "Parts of this run")
        self.tabs.picked.connect(self._go_to)
        self.exact = Segmented((("plain", "Plain", ""), ("exact", "Exact", "")), name="How steps are shown")
        self.exact.choose("plain")
        self.exact.picked.connect(self._show_steps)
        put(tabs, self.tabs, None, self.exact)
        self.bodies = QStackedWidget()
        steps = Pane("panel", margins=(20, 8, 0, 8))
        self._silent = SilentStep()
        self._silent.longer_wanted.connect(self._wait_longer)
        self._silent.restart_wanted.connect(self._restart)
        steps.put(self._silent)
        steps.lines.addWidget(self.steps, 1)
        self._made["steps"] = steps
        self.bodies.addWidget(steps)
        page.put(self.head, tabs, Rule())
        page.lines.addWidget(self.bodies, 1)
        for layer in (self.nothing, Skeleton(STEP_ROW, rows=10, inset=28, label="Loading the run"), page):
            self.stack.addWidget(layer)
        self._wanted_tab = ""

    def _arrived(self, seen: RunSeen) -> None:
        first = self._seen is None
        if self._seen == seen:
            return
        self._seen = seen
        document, now = seen.document, self._clock.now_us()
        self.head.show_run(seen, now)
        for tab in self._made:
            self._fill(tab, seen)
        self.tabs.setTabVisible(self.tabs.count() - 1, any(step["kind"] == "llm" for step in document["steps"]))
        self.stack.setCurrentIndex(2)
        if self._asks_undo:
            self._asks_undo = False
            self._undo()
        if first:
            ended = document["state"] in _ENDED
            self._go_to(self._wanted_tab or ("result" if ended else "steps"))
        if self._ask_again:
            self._ask_again = False
            self._again()

    def _fill(self, tab: str, seen: RunSeen) -> None:
        """Have a tab show a run."""
        document, today = seen.document, times.local(self._clock.now_us()).date()
        match tab:
            case "steps":
                self._show_steps()
            case "files":
                given = given_lines(seen, self._clock.now_us())
                self.files.show_files(seen.files, today, ended=document["state"] in _ENDED, given=given)
            case "result":
                self.result.show_run(seen, today)
            case "checkpoint":
                self.checkpoint.show_run(document)
            case "trail":
                self.trail.show_entries(seen.trail, today)
            case _ if self.tabs.chosen == "talk":  # what was said is read when somebody looks
                self.talk.show_run(str(document["run_id"]))

    def _body(self, tab: str) -> QWidget:
        """What stands below a tab, made when it is first looked at."""
        if tab not in self._made:
            self._made[tab] = _scrolled(getattr(self, tab))
            self.bodies.addWidget(self._made[tab])
            if self._seen is not None and tab != "talk":
                self._fill(tab, self._seen)
        return self._made[tab]

    @Slot()
    def _show_steps(self) -> None:
        if self._seen is not None:
            self._silent.show_silent(self._seen.silent)
            exact = self.exact.chosen == "exact"
            self.steps_adapter.show_lines(lines(self._seen.document, self._open), exact=exact)

    @Slot()
    def _wait_longer(self) -> None:
        run_id = self.run_id
        self._act(run_id, lambda office: office.wait_longer(run_id))

    @Slot()
    def _restart(self) -> None:
        if self.sheet is None and self._seen is not None and self._seen.silent is not None:
            sheet = restart_sheet(self, self._seen.silent)
            sheet.given.connect(self._restarted)
            self.open_sheet(sheet)

    @Slot(str)
    def _restarted(self, run_id: str) -> None:
        self._act(run_id, lambda office: office.restart_step(run_id))

    @Slot(str)
    def _folded(self, group: str) -> None:
        self._open ^= {group}
        self._show_steps()

    @Slot(object)
    def _show_kept(self, line: object) -> None:
        if self.sheet is None and isinstance(line, StepLine):
            self.open_sheet(StepSheet(self, self._bridge, self.run_id, line))

    @Slot(str)
    def _go_to(self, tab: str) -> None:
        if tab == "talk" and not self.tabs.isTabVisible(self.tabs.count() - 1):
            tab = "steps"
        self.tabs.choose(tab)
        self.bodies.setCurrentWidget(self._body(tab))
        self.exact.setVisible(tab == "steps")
        if tab == "talk" and self._seen is not None:
            self.talk.show_run(self.run_id)

    @Slot()
    def _to_gate(self) -> None:
        gates: list[Any] = list(self._seen.document.get("gates") or ()) if self._seen is not None else []
        if gates:
            self.gate_wanted.emit(gates[0]["gate_id"])

    @Slot()
    def _again(self) -> None:
        if self.sheet is None and self._seen is not None:
            sheet = self.running_again.sheet_for(self._seen.document)
            self.open_sheet(sheet, sheet.how.first())

    @Slot()
    def _schedule(self) -> None:
        if self._seen is not None:
            self.schedule_wanted.emit(self._seen.document)

    @Slot()
    def _stop(self) -> None:
        if self.sheet is None and self._seen is not None:
            sheet = stop_sheet(self, f"run {self._seen.document['number']}", leave="Let it run")
            sheet.given.connect(self._stopped)
            self.open_sheet(sheet, sheet.editor)

    @Slot(str)
    def _stopped(self, reason: str) -> None:
        run_id = self.run_id
        self._act(run_id, lambda office: office.cancel_run(run_id, reason))

    @Slot()
    def _note(self) -> None:
        if self.sheet is None and self._seen is not None:
            sheet = note_sheet(self, self._seen.document["number"])
            sheet.given.connect(self._noted)
            self.open_sheet(sheet, sheet.editor)

    @Slot(str)
    def _noted(self, text: str) -> None:
        run_id = self.run_id
        self._act(run_id, lambda office: office.note_run(run_id, text))

    @Slot()
    def _undo(self) -> None:
        if self.sheet is None and self._seen is not None:
            sheet = UndoSheet(self, self._bridge, self.run_id, self._clock, sent=has_sent(self._seen.document))
            sheet.given.connect(self._undo_wanted)
            self.open_sheet(sheet)

    @Slot(str, bool)
    def _undo_wanted(self, reason: str, rest: bool) -> None:
        run_id = self.run_id
        self._act(run_id, lambda office: office.undo_run(run_id, reason, rest=rest), slow=True)

    def _act(self, run_id: str, act: Callable[[Office], str], *, slow: bool = False) -> None:
        """Do something to a run; what came of it is told on its page, or over the page where another run is shown by then."""
        told, failed = functools.partial(self._told, run_id), functools.partial(self._failed, run_id)
        self._bridge.ask(self, act, told, failed, slow=slow)

    def _told(self, run_id: str, sentence: str) -> None:
        if run_id == self.run_id:
            self.head.tell(Banner("info", sentence))
            self.refresh()

    def _failed(self, run_id: str, trouble: Trouble) -> None:
        if run_id == self.run_id:
            self.head.tell(Banner("bad", trouble.message, detail=trouble.next_step))
        else:
            self._bridge.troubled.emit(trouble)

    def _not_there(self, trouble: Trouble) -> None:
        self.nothing.tell(trouble, self.run_id)
        self.run_id = ""
        self.stack.setCurrentIndex(0)

    @Slot(str)
    def _export(self, run_id: str) -> None:
        if self.sheet is None:
            self.open_sheet(EvidenceSheet(self, self._bridge, run_id))


def _scrolled(body: QWidget) -> QScrollArea:
    area = Scroller()
    area.setWidget(body)
    return area
