"""The first run from the card to the written file: it shows the gate when it opens, and the result when the run is done.

It only leads while the person follows: whoever looks at another gate or page is never pulled back.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.inbox.welcome import WelcomeCard
from counterfoil.desktop.office import Changes, Counts, Part, Progress, RunnerSeen, Workspace

_ENDED = ("done", "failed", "cancelled")


class FirstRun(QObject):
    """Between the welcome card, the inbox and the rest of the window.

    Signals:
        run_wanted(str), plug_wanted(str), own_folder_wanted(), schedule_wanted(RunSeen): for the frame.
        starting(bool): the runner is being started for the sample, or that did not come off.
    """

    run_wanted = Signal(object)
    plug_wanted = Signal(object)
    own_folder_wanted = Signal()
    schedule_wanted = Signal(object)
    starting = Signal(bool)

    def __init__(self, bridge: Bridge, inbox: Any, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge, self._inbox = bridge, inbox
        self._run_id = ""
        self._workspaces: tuple[Workspace, ...] = ()
        self._isolation = ""
        self.card: WelcomeCard | None = None

    def show_runner(self, seen: RunnerSeen) -> None:
        """What the card says about protection."""
        self._isolation = seen.isolation
        if self.card is not None:
            self.card.show_protection(seen.isolation)

    def show_counts(self, counts: Counts, *, everywhere: bool = True) -> None:
        """Nothing has ever run in any workspace: offer the sample, until something has."""
        never = counts.runs == 0 and counts.for_me == 0
        if everywhere and never and self.card is None:
            self._make_card().start.setFocus()
        elif everywhere and not never and self.card is not None and self.card.offers:
            self.card = None
            self._inbox.welcome(None)

    def changed(self, changes: Changes) -> None:
        """See whether the run that is followed has come to its end."""
        if self._run_id and changes.parts & {Part.RUNS, Part.INBOX}:
            run_id = self._run_id
            self._bridge.ask(self, lambda office: office.progress(run_id), self._progressed)

    def _make_card(self) -> WelcomeCard:
        card = WelcomeCard(self._bridge, isolation=self._isolation)
        card.started.connect(self._started)
        card.starting.connect(self.starting)
        card.gate_ready.connect(self._gate_ready)
        card.run_wanted.connect(self.run_wanted)
        card.plug_wanted.connect(self.plug_wanted)
        card.own_folder_wanted.connect(self.own_folder_wanted)
        card.mondays_wanted.connect(self._schedule)
        self.card = card
        self._inbox.welcome(card)
        return card

    @Slot(object)
    def _started(self, run_id: object) -> None:
        self._run_id = str(run_id)

    @Slot(object)
    def _schedule(self, run_id: object) -> None:
        self._bridge.ask(self, lambda office: office.run(str(run_id)), self.schedule_wanted.emit)

    @Slot(object)
    def _gate_ready(self, gate_id: object) -> None:
        self.card = None
        self._inbox.welcome(None)
        self._inbox.guide(self._run_id)
        self._inbox.go_to_gate(str(gate_id))

    def _progressed(self, progress: Progress) -> None:
        if progress.run_id != self._run_id or progress.state not in _ENDED:
            return
        self._run_id = ""
        if self._inbox.follows(progress.run_id):
            self._inbox.guide("")
            card = self._make_card()
            card.run_id = progress.run_id
            card.show_result(progress, progress.folder)
