"""What happens to the files of a gate's plan while it is open: the bar freezes until what changed in them was looked at."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.gate.files import FileAsked, FileCard
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import put
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count, joined
from counterfoil.desktop.words.plain import one_line
from counterfoil.previews.preview import FileSeen, Touched

_LOOKS = 2_000  # milliseconds between two looks at the folder
_SHOWN, _NAMED = 12, 3  # files in the sheet; names in the sentence
_WIDE = 760
SIDES = ("When this was asked", "Now")
NOTHING_YET = (
    "Nothing has been written. If you approve it as it is, you are asked about this first; sent back, it is made anew."
)


class Shown(Protocol):
    """The pane with the gate."""

    gate_id: str
    session: Session | None


class Meanwhile(QObject, OneSheet[Sheet]):
    """For the gate that a pane shows.

    Signals:
        touched(str): files of its plan were changed; the sentence that says so.
        looked(): what changed was shown, and is not asked about again.
    """

    touched = Signal(str)
    looked = Signal()

    def __init__(self, over: QWidget, shown: Shown, bridge: Bridge, clock: Clock) -> None:
        """`over` and `shown` are the same thing: where the sheet opens, and what is watched."""
        super().__init__(over)
        self._over, self._shown, self._bridge, self._clock = over, shown, bridge, clock
        self._latest = Latest()
        self._known: frozenset[tuple[str, str | None]] = frozenset()  # what was looked at already
        self._found: tuple[Touched, ...] = ()
        self._looks = QTimer(self, interval=_LOOKS)
        self._looks.timeout.connect(self.look)

    def watch(self, session: Session) -> None:
        """A gate is on the screen: from now on its files are looked at, where its plan has any and it can still be decided."""
        self.leave()
        if session.reading.open and session.reading.files and session.reading.kind == "approval":
            self._looks.start()

    def leave(self) -> None:
        """Another gate comes."""
        self._latest.take(None)
        self._looks.stop()
        self._known, self._found = frozenset(), ()
        self.close_sheet()

    @Slot()
    def look(self) -> None:
        """Ask whether files of the plan were changed."""
        session, gate_id = self._shown.session, self._shown.gate_id
        if session is None or session.frozen or not self._over.isVisible():
            return
        self._latest.take(
            self._bridge.ask(self, lambda office: office.touched_since(gate_id), self._seen, _unseen, slow=True)
        )

    @Slot()
    def show_changes(self) -> None:
        """Each file as it was when the gate was asked, and as it is now; after that the bar goes on."""
        gate_id, today = self._shown.gate_id, times.local(self._clock.now_us()).date()
        sheet = Sheet("What changed in the folder", self._over, width=_WIDE)
        put(sheet.body, Prose(NOTHING_YET, "body"))
        for one in self._found[:_SHOWN]:
            put(sheet.body, FileCard(_asked(gate_id, one), one.path, self._bridge, today))
        if len(self._found) > _SHOWN:
            put(sheet.body, Prose(f"And {count(len(self._found) - _SHOWN, 'more file')}.", "small"))
        close = Button("Go on deciding", "outline")
        close.clicked.connect(sheet.dismiss)
        put(sheet.foot, close, None)
        self.open_sheet(sheet, close)

    def _seen(self, found: tuple[Touched, ...]) -> None:
        session = self._shown.session
        marks = frozenset((one.path, one.sha) for one in found)
        if session is None or session.frozen or marks <= self._known:
            return
        self._found = found
        session.frozen = "files"
        self.touched.emit(sentence(found, self._clock.now_us()))

    def _sheet_closed(self) -> None:
        super()._sheet_closed()
        session = self._shown.session
        self._known = frozenset((one.path, one.sha) for one in self._found)
        if session is not None and session.frozen == "files":
            session.frozen = ""
            self.looked.emit()


def sentence(found: Sequence[Touched], now_us: int) -> str:
    """When which files changed, and how."""
    at = times.clock_time(max((one.at_us for one in found if one.at_us is not None), default=now_us))
    gone = [one_line(one.path) for one in found if one.sha is None]
    saved = [one_line(one.path) for one in found if one.sha is not None]
    said = [f"{_named(saved)} {'was' if len(saved) == 1 else 'were'} saved by someone else"] if saved else []
    said += [f"{_named(gone)} {'is' if len(gone) == 1 else 'are'} gone"] if gone else []
    return f"This changed at {at}: {joined(said)}. Look again before you decide."


def _named(paths: list[str]) -> str:
    if len(paths) <= _NAMED:
        return joined(paths)
    return joined([*paths[:_NAMED], count(len(paths) - _NAMED, "other file")])


def _asked(gate_id: str, one: Touched) -> FileAsked:
    path = one.path

    def change(office: Office) -> FileSeen:
        return office.compare_since(gate_id, path)

    return FileAsked(
        change,
        lambda office, after, page: office.picture_since(gate_id, path, after=after, page=page),
        sides=SIDES,
        words=functools.partial(_what, one),
    )


def _what(one: Touched, _seen: FileSeen) -> str:
    return "It is gone." if one.sha is None else "It is another one than when this was asked."


def _unseen(_trouble: Trouble) -> None:
    """Looked at again soon; approving holds everything against the folder anyway."""
