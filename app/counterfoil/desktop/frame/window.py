"""The window: sidebar and pages, the keys that work everywhere, and what is told to whom when something changes.

It is on the screen before a page is loaded: until then rows of the right height stand in its place.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

from PySide6.QtCore import QEvent, QSettings, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QMainWindow, QStackedWidget

from counterfoil.clock import Clock
from counterfoil.desktop import icons
from counterfoil.desktop.bridge import ACTIVE, HIDDEN, Bridge, Trouble
from counterfoil.desktop.frame import pages
from counterfoil.desktop.frame.anywhere import Anywhere
from counterfoil.desktop.frame.first_run import FirstRun
from counterfoil.desktop.frame.herald import Herald
from counterfoil.desktop.frame.keys import FrameKeys
from counterfoil.desktop.frame.paper import save_as_pdf
from counterfoil.desktop.frame.pausing import Pausing
from counterfoil.desktop.frame.sidebar import Sidebar
from counterfoil.desktop.frame.standing import Standing
from counterfoil.desktop.frame.trouble import Notices, Shut
from counterfoil.desktop.frame.ways import Ways
from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.office import Changes, Counts, Part, RunnerSeen, RunnerState, Workspace
from counterfoil.desktop.parts.boxes import Pane, Rule, Skeleton
from counterfoil.desktop.parts.focus import FocusRing
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.parts.panes import ListAndDetail
from counterfoil.desktop.theme import Theme
from counterfoil.desktop.tokens import INBOX_ROW, LEAST, WINDOW
from counterfoil.desktop.words import times

_SECOND = 1000  # milliseconds
_TITLE_BAR = 32  # what a window manager adds above, about
_REMEMBERING = ("inbox", "runs", "schedules", "trail", "settings")  # pages that stand as they were left


class Window(QMainWindow):
    """One window for one data folder."""

    def __init__(self, clock: Clock, theme: Theme, settings: QSettings) -> None:
        super().__init__()
        self._clock, self._theme, self._settings = clock, theme, settings
        self._bridge: Bridge | None = None
        self._workspace: str | None = None
        self._current = "inbox"
        self._minute = 0
        self._known = False  # whether the data folder has answered once
        self.pages: dict[str, Any] = {}
        self._first_run: FirstRun | None = None
        self._standing: Standing | None = None
        self._pausing: Pausing | None = None
        self.herald: Herald | None = None
        self._ways = Ways(self, self)
        self.anywhere = Anywhere(self, self)
        self.anywhere.chosen.connect(self._ways.do)
        self.workspaces: tuple[Workspace, ...] = ()
        self.counts = Counts()
        self.runner = RunnerSeen(RunnerState.STARTING)
        self.setWindowTitle("Counterfoil")
        self.setWindowIcon(icons.app_icon())
        self.setMinimumSize(*LEAST)
        room = self.screen().availableGeometry().size() - QSize(0, _TITLE_BAR)
        self.resize(QSize(*WINDOW).boundedTo(room))
        self.sidebar = Sidebar(clock)
        self.stack = QStackedWidget()
        self._skeleton = _skeleton(settings)
        self._shut = Shut()
        self._is_shut = False
        self.notices = Notices()
        self.notices.space_wanted.connect(self._ways.show_space)
        self._lay_out()
        self._ring = FocusRing(self)
        self._ticks = QTimer(self)
        self._ticks.setInterval(_SECOND)
        self._ticks.timeout.connect(self._tick)
        self._ahead = pages.Ahead(clock, self.stack, self)
        self._keys = FrameKeys(self, self)

    def _lay_out(self) -> None:
        self.stack.addWidget(self._skeleton)
        self.stack.addWidget(self._shut)
        right = column()
        put(right, self.notices)
        right.addWidget(self.stack, 1)
        ground = Pane("app")
        line = row()
        put(line, self.sidebar, Rule(down=True))
        line.addLayout(right, 1)
        ground.lines.addLayout(line)
        self.setCentralWidget(ground)
        self.sidebar.show_page("inbox")
        self.sidebar.page_wanted.connect(self.show_page)
        self.sidebar.workspace_chosen.connect(self.choose_workspace)
        self.sidebar.look_chosen.connect(self.choose_look)
        self.sidebar.runner.start_wanted.connect(self.start_runner)
        self.sidebar.runner.pause_wanted.connect(self.pause_everything)
        self.sidebar.runner.resume_wanted.connect(self.resume_everything)
        self._shut.again.connect(self._look_again)

    def begin(self, bridge: Bridge) -> None:
        """The window is on the screen: load the first page and start to look."""
        self._bridge = self._ahead.bridge = bridge
        self._pausing = Pausing(bridge, self.stack, self)
        self._pausing.done.connect(self._runner_asked)
        bridge.changed.connect(self._changed)
        bridge.troubled.connect(self._troubled)
        bridge.reached.connect(self._reached)
        self.show_page("inbox")
        self._ask_frame(frozenset(Part))
        self._ticks.start()

    @Slot(object)
    def show_page(self, key: object) -> None:
        """Go to a page; it asks its first question when it is first wanted."""
        name = str(key)
        if self._bridge is None:
            return
        if name not in self.pages:
            page: Any = self._ahead.page(name, self._bridge)
            self.pages[name] = page
            if name in _REMEMBERING:
                page.remember(self._settings)
            if name == "inbox":
                self._introduce_inbox(page, self._bridge)
            self._ways.introduce(name, page)
            page.choose_workspace(self._workspace)
        self._current = name
        self.stack.setCurrentWidget(self._shut if self._is_shut else self.pages[name])
        self.sidebar.show_page(name)

    @property
    def shown(self) -> Any:
        """The page in front, None before the first one."""
        return self.pages.get(self._current)

    @Slot(object)
    def choose_workspace(self, path: object) -> None:
        """Show one workspace, or all."""
        self._workspace = str(path) if path is not None else None
        self.sidebar.switcher.show_current(self._workspace, self._theme.mode)
        for page in self.pages.values():
            page.choose_workspace(self._workspace)
        self._ask_frame(frozenset({Part.INBOX}))

    @Slot()
    def start_runner(self) -> None:
        """Start it in the background."""
        if self._bridge is not None:
            self._show_runner(RunnerSeen(RunnerState.STARTING))
            self._bridge.ask(self, lambda office: office.start_runner(), self._runner_asked, self._not_started)

    @Slot()
    def pause_everything(self) -> None:
        """Ask whether everything is to be paused."""
        if self._pausing is not None:
            self._pausing.ask(self.runner)

    @Slot()
    def resume_everything(self) -> None:
        """Let everything go on."""
        if self._pausing is not None:
            self._pausing.resume()

    @Slot(object)
    def show_run(self, run_id: object) -> None:
        """Show one run on the Runs page."""
        self.show_page("runs")
        self.pages["runs"].show_run(str(run_id))

    @Slot(object)
    def show_gate(self, gate_id: object) -> None:
        """Show one gate in the inbox."""
        self.show_page("inbox")
        self.pages["inbox"].go_to_gate(str(gate_id))

    @Slot()
    def open_palette(self) -> None:
        """Ctrl+K; once more closes it."""
        self.anywhere.toggle()

    def raise_again(self) -> None:
        """A second start: this window comes to the front."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange and self._bridge is not None:
            self._bridge.set_pace(HIDDEN if self.isMinimized() else ACTIVE)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closing stops nothing: drafts are kept, decisions stand, the runner goes on."""
        inbox = self.pages.get("inbox")
        if inbox is not None:
            inbox.flush()
        self._settings.setValue("window/size", self.size())
        self._settings.sync()
        self._ticks.stop()
        self.hide()  # what is still being written is waited for, but nobody has to watch that
        if self._bridge is not None:
            self._bridge.close()
        super().closeEvent(event)

    def _introduce_inbox(self, page: Any, bridge: Bridge) -> None:
        """Connect the inbox, which has the first card and shows the frame's numbers, too."""
        self._first_run = FirstRun(bridge, page, self)
        self._first_run.run_wanted.connect(self.show_run)
        self._first_run.starting.connect(self._starts)
        self._first_run.plug_wanted.connect(self._ways.show_plug)
        self._first_run.own_folder_wanted.connect(self._ways.own_folder)
        self._first_run.schedule_wanted.connect(self._ways.schedule_mondays)
        self._standing = Standing(bridge, page, self)
        self._standing.run_started.connect(self.show_run)
        self.herald = Herald(bridge, self._clock, self, self)
        self.herald.resume_wanted.connect(self.resume_everything)
        self.herald.quit_wanted.connect(self.close)
        page.loaded.connect(self.herald.begin)
        page.pane.notices.schedule_wanted.connect(self._ways.show_schedule)
        page.pane.notices.run_wanted.connect(self.show_run)
        page.pane.notices.gate_wanted.connect(self.show_gate)
        page.loaded.connect(self._ahead.start)
        page.print_wanted.connect(self._print)
        page.detail.decided.connect(self.notices.has_room)
        page.detail.draft.kept_again.connect(self.notices.has_room)
        page.start_wanted.connect(self.start_runner)
        page.show_counts(self.counts)
        page.show_runner(self.runner)

    @Slot(object)
    def _print(self, seen: object) -> None:
        if isinstance(seen, GateSeen) and self._bridge is not None:
            save_as_pdf(self, seen, self._bridge, self._clock.now_us(), self.pages["inbox"].detail.tell)

    def _ask_frame(self, parts: frozenset[Part]) -> None:
        bridge, workspace = self._bridge, self._workspace
        if bridge is None:
            return
        if parts & {Part.INBOX, Part.RUNS, Part.SCHEDULES}:
            show = functools.partial(self._show_counts, workspace)
            bridge.ask(self, lambda office: office.counts(workspace), show, self._missed)
        if parts & {Part.RUNNER, Part.RUNS, Part.SCHEDULES}:
            bridge.ask(self, lambda office: office.runner(), self._show_runner)
        if Part.RUNS in parts:
            bridge.ask(self, lambda office: office.workspaces(), self._show_workspaces)

    def _missed(self, trouble: Trouble) -> None:
        """The first question of all failed: nothing is known, so nothing is shown as if it were."""
        if self._known:
            self._troubled(trouble)
            return
        self._is_shut = True
        self.notices.dismiss()
        self._shut.say_trouble(trouble)
        self.stack.setCurrentWidget(self._shut)
        self._show_runner(RunnerSeen(RunnerState.UNKNOWN))

    @Slot()
    def _look_again(self) -> None:
        self._ask_frame(frozenset(Part))

    def _open(self) -> None:
        """The data folder can be used after all."""
        self._is_shut = False
        self.show_page(self._current)
        for page in self.pages.values():
            page.choose_workspace(self._workspace)

    def _show_counts(self, workspace: str | None, counts: Counts) -> None:
        """Show what was counted of a workspace, unless another one was chosen since: its own numbers are on their way."""
        self._known = True
        if self._is_shut:
            self._open()
        if workspace != self._workspace:
            return
        self.counts = counts
        self.sidebar.show_counts(counts)
        self.setWindowTitle(f"Counterfoil ({counts.for_me:,})" if counts.for_me else "Counterfoil")
        inbox = self.pages.get("inbox")
        if inbox is not None:
            inbox.show_counts(counts)
        if self._first_run is not None:
            self._first_run.show_counts(counts, everywhere=workspace is None)
        if self._standing is not None:
            self._standing.show_counts(counts)
        if self.herald is not None:
            self.herald.show_counts(counts)

    def _show_runner(self, seen: RunnerSeen) -> None:
        self.runner = seen
        self.sidebar.runner.show_runner(seen)
        if self.herald is not None:
            self.herald.show_runner(seen)
        inbox = self.pages.get("inbox")
        if inbox is not None:
            inbox.show_runner(seen)
        if self._first_run is not None:
            self._first_run.show_runner(seen)

    @Slot(bool)
    def _starts(self, really: bool) -> None:
        """The sample starts the runner: the line says so at once, not “Off” beside a card that says “Starting…”."""
        if not really:
            self._ask_frame(frozenset({Part.RUNNER}))
        elif self.runner.state is RunnerState.OFF:
            self._show_runner(dataclasses.replace(self.runner, state=RunnerState.STARTING))

    def _not_started(self, trouble: Trouble) -> None:
        """Why not; and the line no longer says that it starts."""
        self._troubled(trouble)
        self._ask_frame(frozenset({Part.RUNNER}))

    @Slot()
    def _runner_asked(self, _nothing: object = None) -> None:
        self._ask_frame(frozenset({Part.RUNNER}))

    def _show_workspaces(self, workspaces: tuple[Workspace, ...]) -> None:
        self.workspaces = workspaces
        self.sidebar.switcher.show_workspaces(workspaces)

    @Slot(object)
    def _changed(self, changes: Changes) -> None:
        shown = self.shown
        if shown is not None:
            shown.changed(changes)  # first, since somebody looks at it
        self._ask_frame(changes.parts)
        for page in self.pages.values():
            if page is not shown:
                page.changed(changes)
        if self._first_run is not None:
            self._first_run.changed(changes)
        if self._standing is not None:
            self._standing.changed(changes)
        if self.herald is not None:
            self.herald.changed(changes)

    @Slot(object)
    def _troubled(self, trouble: Trouble) -> None:
        """A question failed and its page did not say what to do then: one banner over the page, closed by the person."""
        if not self._is_shut:
            self.notices.tell(trouble)

    @Slot(object)
    def _reached(self, trouble: Trouble | None) -> None:
        self.notices.reach(trouble)
        if trouble is None:
            self._ask_frame(frozenset(Part))

    @Slot()
    def _tick(self) -> None:
        self.sidebar.runner.tick()
        minute = self._clock.now_us() // times.MINUTE
        if minute != self._minute:
            self._minute = minute
            inbox = self.pages.get("inbox")
            if inbox is not None:
                inbox.pane.tick()

    @Slot(str)
    def choose_look(self, mode: str) -> None:
        """Light, dark, or as the system has it."""
        self._theme.choose(mode)
        self._settings.setValue("look", mode)
        self.sidebar.switcher.show_current(self._workspace, mode)
        if "settings" in self.pages:
            self.pages["settings"].show_look(mode)


def _skeleton(settings: QSettings) -> ListAndDetail:
    """What stands in the place of the first page until it is there, with the line where that page has it."""
    list_side = Pane("app", margins=(0, 132, 0, 0))
    list_side.put(Skeleton(INBOX_ROW, label="Loading the inbox"))
    detail = Pane("panel", margins=(0, 24, 0, 0))
    detail.put(Skeleton(56, rows=8, inset=28, label="Loading"))
    held = ListAndDetail(list_side, detail)
    held.remember(settings, "inbox/list")
    return held
