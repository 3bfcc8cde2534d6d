"""Doing the run that is shown again: the sheet, and what is chosen in it. A person may have to agree to less protection on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.protection.asking import Act, ProtectionAsking
from counterfoil.desktop.run_facts import AgainOf
from counterfoil.desktop.runs.again_sheet import AgainSheet
from counterfoil.desktop.words.plain import one_line
from counterfoil.policy.protection import Consent

Document = Mapping[str, Any]


class RunningAgain(QObject):
    """The acts of one page.

    Signals:
        started(str): a run was started; its id.
        form_wanted(Mapping, AgainOf): change its parameters first.
        failed(str, Trouble): it was not started; whose run it would have done again.
    """

    started = Signal(object)
    form_wanted = Signal(object, object)
    failed = Signal(str, object)

    def __init__(self, over: QWidget, bridge: Bridge) -> None:
        super().__init__(over)
        self._over, self._bridge = over, bridge
        self._document: Document = MappingProxyType({})
        self.asking = ProtectionAsking(over, bridge)

    def sheet_for(self, document: Document) -> AgainSheet:
        """What asks how and why; not open yet."""
        self._document = document
        sheet = AgainSheet(self._over, self._bridge, document)
        sheet.same.connect(self._same)
        sheet.changed.connect(self._changed)
        sheet.from_step.connect(self._from_step)
        return sheet

    @Slot(str)
    def _same(self, reason: str) -> None:
        run_id = str(self._document["run_id"])
        self._start(lambda office, agreed: office.start_again(run_id, reason, agreed))

    @Slot(str)
    def _changed(self, reason: str) -> None:
        again = AgainOf(str(self._document["run_id"]), int(self._document["number"]), reason)
        self.form_wanted.emit(self._document, again)

    @Slot(int, bool, str)
    def _from_step(self, step: int, again: bool, reason: str) -> None:
        run_id = str(self._document["run_id"])
        self._start(lambda office, agreed: office.fork_run(run_id, step, reason, agreed, again=again))

    def _start(self, question: Callable[[Office, Consent], str]) -> None:
        run_id = str(self._document["run_id"])

        def failed(trouble: Trouble) -> None:
            self.failed.emit(run_id, trouble)

        folder = PurePath(str(self._document["workspace"])).name
        self.asking.attempt(Act(folder, question, self.started.emit, failed, left=lambda: None))


def again_banner(document: Document) -> Banner:
    """Which run is done again, from where, and why."""
    before = document["again_of"]
    where = "" if before["ordinal"] is None else f", from step {before['ordinal'] + 1}"
    kept = "" if before["ordinal"] is None else " What it did before that is kept and not repeated."
    reason = one_line(before["reason"])
    return Banner("quiet", f"Run {before['number']} again{where}.{kept}", detail=f"‘{reason}’" if reason else "")
