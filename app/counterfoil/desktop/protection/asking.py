"""Acts that may be refused for want of protection: the refusal is put before a person, and the act is tried again with what they agree to.

Closing the sheet agrees to nothing, and nothing is remembered here: what was agreed to is kept by what the act commits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.protection.sheet import ProtectionSheet
from counterfoil.errors import LessProtection, NotIsolated
from counterfoil.policy.protection import NONE, NOTHING, Consent, Told

_ASKED = {NotIsolated.code, LessProtection.code}
_MOST = 3  # questions about one act: nothing left, a fall, and a level that fell once more meanwhile


@dataclass(frozen=True, slots=True)
class Act:
    """What is tried in a folder of a name, and what follows; `left` where a person does not agree."""

    folder: str
    question: Callable[[Office, Consent], Any]
    done: Callable[[Any], None]
    failed: Callable[[Trouble], None]
    left: Callable[[], None]


class ProtectionAsking(QObject, OneSheet[ProtectionSheet]):
    """The acts of one page, one at a time."""

    def __init__(self, over: QWidget, bridge: Bridge) -> None:
        super().__init__(over)
        self._over, self._bridge = over, bridge
        self._act: Act | None = None
        self._gone: Act | None = None  # was on its way when the page went on to something else
        self._agreed = NOTHING
        self._times = 0

    @property
    def busy(self) -> bool:
        """Whether an act is under way or asked about."""
        return self._act is not None

    def attempt(self, act: Act) -> None:
        """Try it as it is."""
        self.close_sheet()
        self._act, self._agreed, self._times = act, NOTHING, 0
        self._try(act)

    def leave(self) -> None:
        """The page shows something else: what is on its way is done or refused, and nothing more is asked about it."""
        self.close_sheet()
        self._act, self._gone = None, self._act

    def _try(self, act: Act) -> None:
        agreed = self._agreed
        done, refused = functools.partial(self._done, act), functools.partial(self._refused, act)
        self._bridge.ask(self, lambda office: act.question(office, agreed), done, refused)

    def _done(self, act: Act, found: Any) -> None:
        if act is self._act:
            self._act = None
            act.done(found)

    def _refused(self, act: Act, trouble: Trouble) -> None:
        self._times += 1
        if act is not self._act:
            if act is self._gone and trouble.code not in _ASKED:
                self._bridge.troubled.emit(trouble)
            return
        if trouble.code not in _ASKED or self._times > _MOST or not self._over.isVisible():
            self._failed(act, trouble)
            return
        ask, failed = functools.partial(self._ask, act, trouble), functools.partial(self._failed, act)
        self._bridge.ask(self, lambda office: office.protection(), ask, failed)

    def _failed(self, act: Act, trouble: Trouble) -> None:
        self._act = None
        act.failed(trouble)

    def _ask(self, act: Act, trouble: Trouble, told: Told | None) -> None:
        if act is self._act:
            sheet = ProtectionSheet(self._over, trouble, told or Told(NONE.code), act.folder)
            sheet.agreed.connect(self._given)
            self.open_sheet(sheet, sheet.name)

    @Slot(object)
    def _given(self, given: Consent) -> None:
        self.sheet = None  # it closes now, and that is no refusal
        before = self._agreed
        self._agreed = replace(before, level=given.level or before.level, folder=given.folder or before.folder)
        if self._act is not None:
            self._try(self._act)

    def _sheet_closed(self) -> None:
        act, self.sheet = self._act if self.sheet is not None else None, None
        if act is not None:
            self._act = None
            act.left()
