"""The Schedules page: list at the left, the chosen schedule and the calendar at the right; the editor in their place."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QSettings, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import Changes, Part
from counterfoil.desktop.parts.boxes import Banner, Nothing, Pane, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import column, empty, page_head, put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.panes import ListAndDetail
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.schedule_facts import NoticeSeen, ScheduleDraft, ScheduleKept, SchedulesSeen
from counterfoil.desktop.schedules.acts import ScheduleActs
from counterfoil.desktop.schedules.calendar import CalendarPane
from counterfoil.desktop.schedules.editor import ScheduleEditor
from counterfoil.desktop.schedules.head import ScheduleHead
from counterfoil.desktop.schedules.list_view import ROW, SchedulesAdapter, SchedulesView
from counterfoil.desktop.schedules.notices import NoticeCards
from counterfoil.desktop.schedules.sheets import SkippedSheet, login_sheet, remove_sheet, skip_sheet
from counterfoil.desktop.words.plain import one_line, quoted

_LOADING, _NOTHING, _PAGE, _EDITOR = 0, 1, 2, 3


class SchedulesPage(QWidget, OneSheet[Sheet]):
    """All schedules, or one that is written.

    Signals:
        run_wanted(str), gate_wanted(str): show a run, or its question.
    """

    run_wanted = Signal(object)
    gate_wanted = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__()
        self._bridge, self._clock = bridge, clock
        self._latest = Latest()
        self._workspace: str | None = None
        self._seen = SchedulesSeen()
        self._stale = False
        self._to_show = ""
        self.adapter = SchedulesAdapter(self)
        self.view = SchedulesView(self.adapter)
        self.head = ScheduleHead()
        self.calendar = CalendarPane(bridge, clock)
        self.notices = NoticeCards()
        self.acts = ScheduleActs(bridge, self)
        self.new = Button("New…", "primary", name="New schedule…")
        self._start = Button("New schedule…", "primary", icon="calendar-clock")
        self.nothing = Nothing(
            "calendar-clock",
            "No schedules yet.",
            "A schedule runs a template by itself, such as every Monday at 07:00. Each firing runs once, or says why not.",
            buttons=[self._start],
        )
        self._lay_out()
        self._connect()

    @functools.cached_property
    def editor(self) -> ScheduleEditor:
        """Where schedules are written: made when the first one is, since it is half of what the page costs."""
        made = ScheduleEditor(self._bridge)
        made.left.connect(self._leave_editor)
        made.kept.connect(self._kept)
        self.stack.addWidget(made)
        return made

    # ------------------------------------------------------------------------------------------------------- the frame

    def choose_workspace(self, path: str | None) -> None:
        """Show one workspace, or all."""
        self._workspace = path
        self._load()
        self.calendar.choose_workspace(path)

    def changed(self, changes: Changes) -> None:
        """Look again where it concerns this page, if it is shown."""
        if not changes.parts & {Part.SCHEDULES, Part.RUNS}:
            return
        if not self.isVisible():
            self._stale = True
            return
        self._load()
        self.calendar.load()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._stale = False
            self._load()
            self.calendar.load()

    def remember(self, settings: QSettings) -> None:
        """The list is as wide as it was left."""
        self.panels.remember(settings, "schedules/list")

    def find_here(self) -> None:
        """Ctrl+F."""
        self.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def commands(self) -> list[Command]:
        """Schedules of the list, and a new one."""
        made = [Command("schedule", one_line(row.name), row.schedule_id, "schedule") for row in self.adapter.rows]
        return [*made, Command("new-schedule", "New schedule…")]

    def panes(self) -> list[QWidget]:
        """Where F6 goes, in order."""
        if self.stack.currentIndex() == _EDITOR:
            return [self.editor.rule, self.editor.save]
        return [self.view, self.calendar.view] if self.stack.currentIndex() == _PAGE else [self._start]

    # ---------------------------------------------------------------------------------------------------------- showing

    def show_schedule(self, schedule_id: str) -> None:
        """Show one schedule."""
        self._to_show = schedule_id
        self.stack.setCurrentIndex(_PAGE if self.adapter.rows else _LOADING)
        self._load()

    @Slot()
    def new_schedule(self) -> None:
        """Write a new one."""
        self.write_for("", self._workspace or "", {})

    def write_for(self, template: str, workspace: str, values: Mapping[str, Any], rule: str = "") -> None:
        """Write a new one for a template's folder, with what is filled in already."""
        draft = ScheduleDraft(template=template, workspace=workspace, rule=rule, zone=self._seen.zone, values=values)
        self.editor.open(draft, self._seen.zone)
        self.stack.setCurrentIndex(_EDITOR)
        self.editor.focus()

    def write_named(self, name: str, workspace: str, values: Mapping[str, Any], rule: str = "") -> None:
        """The same for the template that goes by a name there."""

        def found(path: str) -> None:
            self.write_for(path, workspace, values, rule)

        self.acts.find_template(name, workspace, found)

    @Slot()
    def _load(self) -> None:
        workspace = self._workspace
        self._latest.take(
            self._bridge.ask(self, lambda office: office.schedules.look(workspace), self._arrived, self._failed)
        )

    def _arrived(self, seen: SchedulesSeen) -> None:
        self._seen = seen
        current = self.view.current()
        wanted = self._to_show or (current.schedule_id if current is not None else "")
        self.adapter.show_rows(seen.rows, self._clock.now_us())
        self.notices.show_notices([notice for notice in seen.notices if notice.silent is None])
        if self.stack.currentIndex() == _EDITOR:
            self.editor.know_zone(seen.zone)
        if seen.rows and not self.view.select(wanted):
            self.view.setCurrentIndex(self.adapter.index(0))
        if wanted and self.adapter.row_of(wanted) >= 0:
            self._to_show = ""
        self._show_current()
        if self.stack.currentIndex() != _EDITOR:
            self.stack.setCurrentIndex(_PAGE if seen.rows else _NOTHING)
        elsewhere = seen.total and not seen.rows
        self.nothing.say(
            "No schedules in this workspace." if elsewhere else "No schedules yet.",
            "A schedule runs a template by itself, such as every Monday at 07:00. Each firing runs once, or says why not.",
        )

    @Slot()
    def _show_current(self) -> None:
        row = self.view.current()
        if row is not None:
            self.head.show_schedule(row, self._clock.now_us())
            self.calendar.choose_schedule(row.schedule_id)

    def _lay_out(self) -> None:
        left = Pane("app")
        left.put(page_head(Label("Schedules", "page"), None, self.new, list_pane=True))
        left.lines.addWidget(self.view, 1)
        right = Pane("panel")
        self._banners = column(gap=8, margins=(28, 0, 24, 0))
        right.put(self.notices, self.head, self._banners, 8)
        right.lines.addWidget(self.calendar, 1)
        self.stack = QStackedWidget(self)
        self.panels = ListAndDetail(left, right, self.stack)
        self._over = right
        bare = Pane("panel")
        self._bare_banners = column(gap=8, margins=(28, 0, 24, 0))
        bare.put(page_head(Label("Schedules", "page"), None), self._bare_banners)
        bare.lines.addWidget(self.nothing, 1)
        for page in (Skeleton(ROW, label="Loading schedules"), bare, self.panels):
            self.stack.addWidget(page)
        row(self).addWidget(self.stack)

    def _connect(self) -> None:
        self.new.clicked.connect(self.new_schedule)
        self._start.clicked.connect(self.new_schedule)
        self.view.shown.connect(self._show_current)
        self.view.entered.connect(self._to_calendar)
        self.view.switched.connect(self._switch)
        self.head.run_wanted.connect(self._run_now)
        self.head.missed_wanted.connect(self.acts.run_missed)
        self.head.switch_wanted.connect(self._switch_shown)
        self.head.skip_wanted.connect(self._skip)
        self.head.change_wanted.connect(self._change)
        self.head.remove_wanted.connect(self._remove)
        self.head.gate_wanted.connect(self.gate_wanted)
        self.head.held_wanted.connect(self.run_wanted)
        self.notices.gate_wanted.connect(self.gate_wanted)
        self.calendar.run_missed.connect(self.acts.run_missed)
        self.calendar.run_wanted.connect(self.run_wanted)
        self.calendar.gate_wanted.connect(self.gate_wanted)
        self.notices.got_it.connect(self.acts.got_it)
        self.notices.schedule_wanted.connect(self._to_schedule)
        self.notices.skipped_wanted.connect(self._choose_skipped)
        self.notices.sign_in_wanted.connect(self.acts.sign_in)
        self.notices.skip_wanted.connect(self._skip_told)
        self.acts.under_way.connect(self._under_way)
        self.acts.told.connect(self._told)
        self.acts.started.connect(self._started)
        self.acts.seen.connect(self._load)
        self.acts.failed.connect(self._failed)

    # ------------------------------------------------------------------------------------------------------------- acts

    @Slot(str)
    def _switch(self, schedule_id: str) -> None:
        row = next((one for one in self.adapter.rows if one.schedule_id == schedule_id), None)
        if row is not None:
            self.acts.act("resume" if row.paused else "pause", schedule_id)

    @Slot()
    def _switch_shown(self) -> None:
        if self.head.shown is not None:
            self._switch(self.head.shown.schedule_id)

    @Slot()
    def _skip(self) -> None:
        shown = self.head.shown
        if shown is not None and shown.next_at is not None:
            self._ask_to_skip(self.head.skip.text().strip().rstrip("…"), shown.schedule_id, shown.next_at)

    @Slot(object)
    def _skip_told(self, notice: object) -> None:
        if isinstance(notice, NoticeSeen) and notice.due_at is not None:
            self._ask_to_skip(notice.skip, notice.schedule_id, notice.due_at)

    def _ask_to_skip(self, what: str, schedule_id: str, due_at: int) -> None:
        if self.sheet is None:
            sheet = skip_sheet(self._over, what)
            sheet.given.connect(functools.partial(self.acts.skip, schedule_id, due_at))
            self.open_sheet(sheet, sheet.editor)

    @Slot()
    def _run_now(self) -> None:
        if self.head.shown is not None:
            self.acts.run(self.head.shown.schedule_id)

    @Slot(object)
    def _choose_skipped(self, notice: object) -> None:
        if isinstance(notice, NoticeSeen) and self.sheet is None:
            sheet = SkippedSheet(self._over, notice.missed)
            sheet.given.connect(self._run_skipped)
            self.open_sheet(sheet)

    @Slot()
    def _run_skipped(self) -> None:
        sheet = self.sender()
        if isinstance(sheet, SkippedSheet):
            self.acts.run_missed(sheet.chosen)

    @Slot(str)
    def _started(self, run_id: str) -> None:
        show = Button("Show its run", key=run_id)
        show.chosen.connect(self.run_wanted)
        self._tell("info", "A run is started beside the rule. Its next firing stays.", show)

    @Slot()
    def _remove(self) -> None:
        shown = self.head.shown
        if shown is not None and self.sheet is None:
            sheet = remove_sheet(self._over, shown)
            sheet.given.connect(self.acts.remove)
            self.open_sheet(sheet)

    @Slot()
    def _change(self) -> None:
        if self.head.shown is not None:
            schedule_id = self.head.shown.schedule_id
            self._bridge.ask(self, lambda office: office.schedules.draft_of(schedule_id), self._write, self._failed)

    def _write(self, draft: ScheduleDraft) -> None:
        self.editor.open(draft, self._seen.zone)
        self.stack.setCurrentIndex(_EDITOR)
        self.editor.focus()

    @Slot()
    def _leave_editor(self) -> None:
        self.stack.setCurrentIndex(_PAGE if self.adapter.rows else _NOTHING)
        (self.view if self.adapter.rows else self._start).setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _kept(self, kept: object) -> None:
        if isinstance(kept, ScheduleKept):
            self.stack.setCurrentIndex(_LOADING)
            self.show_schedule(kept.schedule_id)
            if kept.lacking:
                self._tell("warn", f"Saved and paused: {kept.lacking}", detail="Resume it when that is mended.")
            else:
                self._tell("ok", f"{quoted(kept.name)} is kept.")
            self.calendar.load()
            if kept.ask_login and self.sheet is None:
                sheet = login_sheet(self)
                sheet.given.connect(self._start_at_login)
                sheet.declined.connect(self._not_at_login)
                self.open_sheet(sheet)

    @Slot()
    def _start_at_login(self) -> None:
        self.acts.start_at_login(start=True)

    @Slot()
    def _not_at_login(self) -> None:
        self.acts.start_at_login(start=False)

    @Slot(object)
    def _to_schedule(self, schedule_id: object) -> None:
        self.view.select(str(schedule_id))

    @Slot()
    def _to_calendar(self) -> None:
        self.calendar.view.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(str)
    def _under_way(self, sentence: str) -> None:
        self._tell("info", sentence, brief=True)

    @Slot(str)
    def _told(self, sentence: str) -> None:
        self._tell("info", sentence)
        self._load()
        self.calendar.load()

    @Slot(object)
    def _failed(self, trouble: Trouble) -> None:
        self._tell("bad", trouble.message, detail=trouble.next_step)
        if self.stack.currentIndex() == _LOADING:
            self.stack.setCurrentIndex(_NOTHING)

    def _tell(self, tone: str, words: str, *buttons: Button, detail: str = "", brief: bool = False) -> None:
        """One banner at a time, closed by the person or by the next one; a `brief` one is followed by another."""
        self._close_banner()
        close = Button("Close")
        close.clicked.connect(self._close_banner)
        lines = self._banners if self.adapter.rows else self._bare_banners
        put(lines, Banner(tone, words, [*buttons, *([] if brief else [close])], detail=detail))

    @Slot()
    def _close_banner(self) -> None:
        for layout in (self._banners, self._bare_banners):
            empty(layout)
