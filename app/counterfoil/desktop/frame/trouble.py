"""Trouble that belongs to no page: banners over the page, and what stands in its place while the data folder cannot be used."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Trouble
from counterfoil.desktop.parts.boxes import Banner, Nothing
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.words.plain import plain
from counterfoil.errors import DiskFull, StoreTrouble


class Notices(QWidget):
    """At most two banners: what went wrong last, closed by the person, and that the data folder is out of reach, which goes by itself.

    Signals:
        space_wanted(): show what takes space on a disk that is full.
    """

    space_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._lines = column(self)
        self._told: QWidget | None = None
        self._away: QWidget | None = None
        self._told_words = self._away_words = self._code = ""

    def tell(self, trouble: Trouble) -> None:
        """A question failed whose page did not say what to do then."""
        if trouble.message == self._away_words:
            return  # it is said already
        self.dismiss()
        self._told_words, self._code = trouble.message, trouble.code
        close = Button("Close", "outline")
        close.clicked.connect(self.dismiss)
        buttons = [close]
        if trouble.code == DiskFull.code:
            space = Button("Show what takes space", "outline")
            space.clicked.connect(self.space_wanted)
            buttons = [space, close]
        self._told = self._put(
            Banner("bad", plain(trouble.message), buttons, detail=plain(trouble.next_step, lines=True))
        )

    @Slot()
    def has_room(self) -> None:
        """A decision or a draft was kept, so the disk is full no more, and nobody else has the database."""
        if self._code in (DiskFull.code, StoreTrouble.code):
            self.dismiss()

    def reach(self, trouble: Trouble | None) -> None:
        """The data folder cannot be looked at any more, or can be again."""
        if self._away is not None:
            self._away.deleteLater()
            self._away = None
        self._away_words = trouble.message if trouble is not None else ""
        if trouble is not None:
            if self._told_words == trouble.message:
                self.dismiss()
            detail = f"What is shown may be out of date. {plain(trouble.next_step)}".strip()
            self._away = self._put(Banner("bad", plain(trouble.message), detail=detail))

    @Slot()
    def dismiss(self) -> None:
        """The person has read it."""
        if self._told is not None:
            self._told.deleteLater()
            self._told = None
        self._told_words = self._code = ""

    def _put(self, banner: Banner) -> QWidget:
        held = QWidget(self)
        put(row(held, margins=(16, 12, 16, 4)), banner)
        self._lines.addWidget(held)
        held.show()
        return held


class Shut(Nothing):
    """Nothing is claimed about what waits or runs while nobody can look.

    Signals:
        again(): the person wants it tried again.
    """

    again = Signal()

    def __init__(self) -> None:
        self._try = Button("Try again", "primary", icon="repeat")
        super().__init__("triangle-alert", "", " ", [self._try])
        self._try.clicked.connect(self._pressed)

    def say_trouble(self, trouble: Trouble) -> None:
        """Why not, and what can be done."""
        self.say(plain(trouble.message), plain(trouble.next_step))
        self._try.setEnabled(True)
        self._try.say("Try again")

    @Slot()
    def _pressed(self) -> None:
        self._try.setEnabled(False)
        self._try.say("Looking again…")
        self.again.emit()
