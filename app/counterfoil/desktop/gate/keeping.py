"""Keeps what a person has looked at, and what is filled in, at every stroke: one writing at a time and then the newest state, so that quick
typing queues nothing up and a process that is ended at any moment has lost no more than the strokes of that moment."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.gate_facts import Draft

AGAIN = 5_000  # milliseconds after which what could not be kept is tried once more
STOOD = 1_000  # milliseconds after which a gate counts as looked at; one that is stepped over does not


class DraftKeeper(QObject):
    """For the gate that is shown.

    Signals:
        kept_again(): after it was told that nothing can be kept, something was.
    """

    kept_again = Signal()

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._session: Session | None = None
        self._kept: Draft | None = None  # what is on disk, or on its way there
        self._standing = QTimer(self, singleShot=True, interval=STOOD)
        self._standing.timeout.connect(self.stood)
        self._writing = self._again = False
        self._troubled = False  # the last writing failed, and that was told
        self._later = QTimer(self, singleShot=True, interval=AGAIN)
        self._later.timeout.connect(self.keep)

    def watch(self, session: Session | None) -> None:
        """What was filled in before is written; from now on this is kept."""
        self.flush()
        self._session = session
        self._kept = session.reading.seen.draft if session is not None else None
        if session is None:
            self._standing.stop()
        else:
            self._standing.start()

    @Slot()
    def stood(self) -> None:
        """It counts as looked at: it was on the screen for a while, or is decided."""
        self._standing.stop()
        if self._session is not None:
            gate_id, digest = self._session.reading.seen.gate_id, self._session.reading.digest
            # that it is not kept concerns nobody, and its trouble must not be taken for that of a decision
            self._bridge.ask(self._bridge, lambda office: office.mark_read(gate_id, digest), _unheard, _unheard)
            self.keep()

    @Slot()
    def keep(self) -> None:
        """Something was filled in."""
        if self._writing:
            self._again = True
            return
        draft = self._unkept()
        if draft is not None and self._session is not None:
            gate_id = self._session.reading.seen.gate_id
            self._writing = True
            self._bridge.ask(self, lambda office: office.save_draft(gate_id, draft), self._written, self._failed)

    @Slot()
    def flush(self) -> None:
        """Write it down now, whatever is still on its way: another gate comes, or the window goes."""
        draft = self._unkept()
        if draft is not None and self._session is not None:
            gate_id = self._session.reading.seen.gate_id
            self._bridge.do(self._bridge, lambda office: office.save_draft(gate_id, draft))

    def _unkept(self) -> Draft | None:
        """What differs from what is kept; None where nothing does."""
        session = self._session
        if session is None or not session.reading.open:
            return None
        draft = session.draft()
        if draft == self._kept or self._only_glimpsed(draft):
            return None
        self._kept = draft
        return draft

    def _only_glimpsed(self, draft: Draft) -> bool:
        """Whether nothing is new but parts that came into view on the way to another gate."""
        kept = self._kept
        return (
            self._standing.isActive()
            and kept is not None
            and replace(draft, opened=kept.opened, seen=kept.seen) == kept
        )

    def _written(self, _nothing: object) -> None:
        self._writing = False
        self._later.stop()
        if self._troubled:
            self._troubled = False
            self.kept_again.emit()
        if self._again:
            self._again = False
            self.keep()

    def _failed(self, trouble: Trouble) -> None:
        """It is tried again with the next stroke, and every few seconds: the disk may have room by then. It is told once."""
        self._kept = None
        self._writing = self._again = False
        self._later.start()
        if not self._troubled:
            self._troubled = True
            self._bridge.troubled.emit(trouble)


def _unheard(_: object) -> None:
    """Nobody waits for it."""
