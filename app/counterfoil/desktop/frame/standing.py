"""Notices on top of the inbox: what was missed while this computer was off, what cannot run, and what is silent. They are read only where
there are any, and off the lane that gates come by."""

from __future__ import annotations

import functools
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.office import Changes, Counts, Part
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.parts.silent_rows import restart_sheet
from counterfoil.desktop.run_facts import Silent
from counterfoil.desktop.schedule_facts import NoticeSeen, SchedulesSeen
from counterfoil.desktop.schedules.acts import ScheduleActs
from counterfoil.desktop.schedules.sheets import SkippedSheet, skip_sheet


class Standing(QObject, OneSheet[Sheet]):
    """Keeps the cards of the inbox true.

    Signals:
        run_started(str): one that was skipped runs after all.
    """

    run_started = Signal(object)

    def __init__(self, bridge: Bridge, inbox: Any, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge, self._inbox = bridge, inbox
        self._latest = Latest()
        self._count = 0
        self._acts = ScheduleActs(bridge, self)
        self._acts.under_way.connect(inbox.pane.notices.say)
        self._acts.told.connect(self._said)
        self._acts.started.connect(self._started)
        self._acts.seen.connect(self._look)
        self._acts.failed.connect(self._refused)
        inbox.pane.notices.got_it.connect(self._acts.got_it)
        inbox.pane.notices.skipped_wanted.connect(self._choose_skipped)
        inbox.pane.notices.sign_in_wanted.connect(self._acts.sign_in)
        inbox.pane.notices.skip_wanted.connect(self._skip)
        inbox.pane.notices.wait_wanted.connect(self._wait)
        inbox.pane.notices.restart_wanted.connect(self._ask_restart)

    def show_counts(self, counts: Counts) -> None:
        """How many stand now."""
        if counts.notices or self._count:
            self._count = counts.notices
            self._look()

    def changed(self, changes: Changes) -> None:
        """The words of one may have changed."""
        if Part.SCHEDULES in changes.parts and self._count:
            self._look()

    @Slot()
    def _look(self) -> None:
        self._latest.take(self._bridge.ask(self, lambda office: office.schedules.look(None), self._arrived, slow=True))

    def _arrived(self, seen: SchedulesSeen) -> None:
        self._inbox.pane.notices.show_notices(seen.notices)

    @Slot(object)
    def _skip(self, notice: object) -> None:
        if isinstance(notice, NoticeSeen) and notice.due_at is not None and self.sheet is None:
            sheet = skip_sheet(self._inbox, notice.skip)
            sheet.given.connect(functools.partial(self._acts.skip, notice.schedule_id, notice.due_at))
            self.open_sheet(sheet, sheet.editor)

    @Slot(object)
    def _wait(self, silent: object) -> None:
        if isinstance(silent, Silent):
            run_id = silent.run_id
            self._bridge.ask(self, lambda office: office.wait_longer(run_id), self._said, self._refused)

    @Slot(object)
    def _ask_restart(self, silent: object) -> None:
        if isinstance(silent, Silent) and self.sheet is None:
            sheet = restart_sheet(self._inbox, silent)
            sheet.given.connect(self._restart)
            self.open_sheet(sheet)

    @Slot(str)
    def _restart(self, run_id: str) -> None:
        self._bridge.ask(self, lambda office: office.restart_step(run_id), self._said, self._refused)

    @Slot(str)
    def _said(self, sentence: str) -> None:
        self._inbox.pane.notices.say(sentence)
        self._look()

    @Slot(object)
    def _refused(self, trouble: Trouble) -> None:
        self._inbox.pane.notices.say(f"{trouble.message} {trouble.next_step}".strip())
        self._look()

    @Slot(object)
    def _choose_skipped(self, notice: object) -> None:
        if isinstance(notice, NoticeSeen) and self.sheet is None:
            sheet = SkippedSheet(self._inbox, notice.missed)
            sheet.given.connect(self._run_skipped)
            self.open_sheet(sheet)

    @Slot()
    def _run_skipped(self) -> None:
        sheet = self.sender()
        if isinstance(sheet, SkippedSheet):
            self._acts.run_missed(sheet.chosen)

    @Slot(str)
    def _started(self, run_id: str) -> None:
        self._inbox.pane.notices.say("")
        self.run_started.emit(run_id)
