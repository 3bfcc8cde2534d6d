"""What the Schedules page has the office do; what comes of it is told by signals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.office import Office
from counterfoil.desktop.schedule_facts import Act, FiringSeen, NoticeSeen
from counterfoil.desktop.words.people import OPENING

if TYPE_CHECKING:
    from counterfoil.desktop.template_facts import TemplateCard


class ScheduleActs(QObject):
    """Acts on schedules, firings and notices.

    Signals:
        under_way(str): an act that takes a while has begun.
        told(str): it is done, as the office says it.
        started(str): a run was started beside a rule; its id.
        seen(): a notice is put away.
        failed(Trouble): it is not done.
    """

    under_way = Signal(str)
    told = Signal(str)
    started = Signal(str)
    seen = Signal()
    failed = Signal(object)

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge

    def act(self, act: Act, schedule_id: str) -> None:
        """Pause, resume or remove one."""
        self._bridge.ask(self, lambda office: office.schedules.act(schedule_id, act), self.told.emit, self.failed.emit)

    @Slot(str)
    def remove(self, schedule_id: str) -> None:
        """Take one away."""
        self.act("remove", schedule_id)

    def skip(self, schedule_id: str, due_at: int, reason: str) -> None:
        """Leave out a firing."""
        self._bridge.ask(
            self, lambda office: office.schedules.skip(schedule_id, due_at, reason), self.told.emit, self.failed.emit
        )

    @Slot(object)
    def sign_in(self, name: object) -> None:
        """Sign in to a connector, in the browser."""
        wanted = str(name)
        self.under_way.emit(OPENING)
        self._bridge.ask(self, lambda office: office.trust.sign_in(wanted), self.told.emit, self.failed.emit, slow=True)

    def run(self, schedule_id: str, due_at: int | None = None) -> None:
        """Run one beside its rule, now or for a firing that did not run."""
        self.under_way.emit("Starting a run…")
        self._bridge.ask(
            self,
            lambda office: _beside(office, schedule_id, due_at),
            self.started.emit,
            self.failed.emit,
            slow=True,
        )

    @Slot(object)
    def run_missed(self, firing: object) -> None:
        """Run what did not run, or the newest of several."""
        if isinstance(firing, FiringSeen):
            self.run(firing.schedule_id, firing.until or firing.due_at)

    def start_at_login(self, *, start: bool) -> None:
        """Have the runner start with the computer, or not."""
        self._bridge.ask(
            self,
            lambda office: office.schedules.start_at_login(start=start),
            self.told.emit,
            self.failed.emit,
            slow=True,
        )

    @Slot(object)
    def got_it(self, notice: object) -> None:
        """Put a notice away."""
        if isinstance(notice, NoticeSeen):
            kind, subject = notice.kind, notice.schedule_id
            self._bridge.ask(
                self, lambda office: office.schedules.got_it(kind, subject), self._put_away, self.failed.emit
            )

    def find_template(self, name: str, workspace: str, found: Callable[[str], None]) -> None:
        """The path of the template that goes by a name in a workspace; "" when none does."""

        def pick(cards: tuple[TemplateCard, ...]) -> None:
            found(next((card.path for card in cards if card.name == name), ""))

        self._bridge.ask(self, lambda office: office.templates(workspace or None), pick, self.failed.emit)

    def _put_away(self, _nothing: object) -> None:
        self.seen.emit()


def _beside(office: Office, schedule_id: str, due_at: int | None) -> str:
    """With a runner to carry it on; the run's id."""
    run_id = office.schedules.run(schedule_id, due_at)
    office.start_runner()  # where none lives: nobody else would go on with the run
    return run_id
