"""Looking at what a schedule needs while it is written: once it has rested, and only where something has changed that this depends on."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.schedule_facts import DraftSeen, ReadySeen, ScheduleDraft
from counterfoil.desktop.schedules.ahead import ReadyBox

_RESTED = 600  # milliseconds after the last change until it is looked at, which is a process of its own


class Readiness(QObject):
    """Fills the box “Ready?”."""

    def __init__(self, bridge: Bridge, box: ReadyBox) -> None:
        super().__init__(box)
        self._bridge, self._box = bridge, box
        self._latest = Latest()
        self._draft = ScheduleDraft()
        self._about: object = None  # what was looked at last
        self.rested = QTimer(self, singleShot=True, interval=_RESTED)
        self.rested.timeout.connect(self._ask)

    def forget(self) -> None:
        """Another schedule is written."""
        self._about = None
        self._box.show_ready(())

    def look(self, draft: ScheduleDraft, seen: DraftSeen) -> None:
        """Look at this one as it was judged, unless that was done."""
        self._draft = draft
        began_by = "" if seen.ahead else seen.said  # such as a folder, which is looked into
        about = (draft.template, draft.workspace, sorted(draft.values.items()), began_by)
        if not draft.template or not draft.workspace or seen.where == "zone" or about == self._about:
            return
        self._about = about
        self._box.show_looking()
        self.rested.start()

    def again(self, draft: ScheduleDraft, seen: DraftSeen) -> None:
        """Look at it whether or not it has changed."""
        self._about = None
        self.look(draft, seen)

    @Slot()
    def _ask(self) -> None:
        draft = self._draft
        self._latest.take(
            self._bridge.ask(
                self, lambda office: office.schedules.ready(draft), self._looked, self._not_looked, slow=True
            )
        )

    def _looked(self, found: tuple[ReadySeen, ...]) -> None:
        self._box.show_ready(found, folder=not self._draft.schedule_id)

    def _not_looked(self, trouble: Trouble) -> None:
        self._box.show_ready((ReadySeen("look", False, trouble.message, trouble.next_step),))
