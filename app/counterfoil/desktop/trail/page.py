"""The Trail page: sentences newest first, found by words, and [Check the trail] with what it can and cannot prove."""

from __future__ import annotations

from datetime import date

from PySide6.QtCore import QSettings, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest
from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import Changes, Document, Part
from counterfoil.desktop.office import TrailPage as Entries
from counterfoil.desktop.parts.boxes import Banner, Box, Nothing, Pane, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import column, empty, page_head, put, row
from counterfoil.desktop.parts.search import SearchField
from counterfoil.desktop.tables.adapter import TableAdapter
from counterfoil.desktop.tables.table import Table, from_texts
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.tokens import TABLE_ROW
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count, seal, whole_seals
from counterfoil.desktop.words.people import capital, person
from counterfoil.desktop.words.plain import one_line, quoted

COLUMNS = ("when", "who", "what", "seal")
_LIMIT = "Removal of the newest entries shows only against a seal kept elsewhere."
_TYPED = 200  # milliseconds after the last stroke
_REST = 1_000  # milliseconds until entries that follow each other come in again


class TrailPage(Pane):
    """One list."""

    run_wanted = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__("panel")
        self._bridge, self._clock = bridge, clock
        self._entries: list[Document] = []
        self._rows: dict[
            int, tuple[str, str, str, str]
        ] = {}  # what was made of entries; a day later they read otherwise
        self._day: date | None = None
        self._latest, self._newest, self._missed = (
            Latest(),
            True,
            False,
        )  # missed: something has changed since the last look
        self._held: Entries | None = None  # a look that has brought more, while what is there is being read
        self.view: TableView | None = None
        self._settings: QSettings | None = None
        self.check = Button("Check the trail", icon="shield-check", help="Look at every entry and its seal")
        self.check.clicked.connect(self._check)
        self.new = Button("", "link")
        self.new.hide()
        self.new.clicked.connect(self._let_in)
        head = page_head(Label("Trail", "page"), None, self.new, self.check)
        self.search = SearchField("Search the trail")
        self.search.setMaximumWidth(420)
        field = row(margins=(28, 0, 24, 10))
        field.addWidget(self.search, 1)
        field.addStretch(1)
        self._banners = column(gap=8, margins=(28, 0, 24, 8))
        self._list = column(margins=(28, 0, 24, 0))
        held = QWidget()
        self.older = Button("Show older entries", "link")
        self.older.clicked.connect(self._show_older)
        foot = row(margins=(28, 6, 24, 14), gap=12)
        self._total = Label("", "caption")
        put(foot, self.older, None, self._total)
        lines = column(held)
        lines.addLayout(self._list, 1)
        put(lines, foot)
        self.stack = QStackedWidget()
        self._every = Button("Show every entry")
        self.nothing = Nothing(
            "scroll-text", "Nothing has happened yet.", "Every decision, effect and change is kept here.", [self._every]
        )
        for page in (Skeleton(TABLE_ROW, rows=12, inset=28, label="Loading the trail"), held, self.nothing):
            self.stack.addWidget(page)
        self.put(head, field, self._banners)
        self.lines.addWidget(self.stack, 1)
        self._typed = QTimer(self, singleShot=True, interval=_TYPED)
        self._typed.timeout.connect(self._load)
        self._rest = QTimer(self, singleShot=True, interval=_REST)
        self._rest.timeout.connect(self._look)
        self.search.textChanged.connect(self._typed.start)
        self.search.left_down.connect(self._focus_list)
        self._every.clicked.connect(self.search.clear)

    def remember(self, settings: QSettings) -> None:
        """Stand as it was left last time."""
        self._settings = settings

    def choose_workspace(self, path: str | None) -> None:
        """The trail is one for the whole home."""
        self._load()

    def changed(self, changes: Changes) -> None:
        """New entries come in at the top while the newest are shown; where somebody is reading, behind “3 new”."""
        if Part.TRAIL in changes.parts:
            self._missed = True
            if not self._rest.isActive():
                self._look()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._look()

    def find_here(self) -> None:
        """Ctrl+F."""
        self.search.setFocus()
        self.search.selectAll()

    def commands(self) -> list[Command]:
        """Nothing of its own."""
        return []

    def panes(self) -> list[QWidget]:
        """Where F6 goes."""
        return [self.search, *([self.view] if self.view is not None and self.view.isVisible() else [])]

    @Slot()
    def _look(self) -> None:
        """See what has come, if anything has and it would be shown."""
        if self._missed and self._newest and self.isVisible():
            self._missed = False
            self._rest.start()
            query = self.search.text()
            self._latest.take(self._bridge.ask(self, lambda office: office.trail(query, None), self._came))

    def _came(self, page: Entries) -> None:
        if not self._is_read():
            self._arrived(page)
            return
        known = self._entries[0]["seq"] if self._entries else 0
        self._hold(page, sum(entry["seq"] > known for entry in page.entries))

    def _is_read(self) -> bool:
        """Whether somebody is looking at a place in the list, which must not move then."""
        view = self.view
        if view is None or not self._entries:
            return False
        return view.underMouse() or view.hasFocus() or view.verticalScrollBar().value() > 0

    def _hold(self, page: Entries | None, new: int = 0) -> None:
        self._held = page if new else None
        self.new.setVisible(new > 0)
        self.new.say(f"{new} new")

    @Slot()
    def _let_in(self) -> None:
        if self._held is not None:
            self._begun(self._held)

    @Slot()
    def _load(self) -> None:
        query = self.search.text()
        self._newest = True
        self._latest.take(self._bridge.ask(self, lambda office: office.trail(query, None), self._begun))

    @Slot()
    def _show_older(self) -> None:
        if self._entries:
            query, before = self.search.text(), int(self._entries[-1]["seq"])
            self._newest = False
            self._latest.take(self._bridge.ask(self, lambda office: office.trail(query, before), self._older))

    def _begun(self, page: Entries) -> None:
        """These, from the newest on."""
        self._arrived(page)
        if self.view is not None:
            self.view.scrollToTop()

    def _arrived(self, page: Entries) -> None:
        self._hold(None)
        if page.entries and [one["seq"] for one in page.entries] == [one["seq"] for one in self._entries]:
            return
        self._entries = list(page.entries)
        self._show(page)

    def _older(self, page: Entries) -> None:
        self._entries += page.entries
        self._show(page)

    def _show(self, page: Entries) -> None:
        now = self._clock.now_us()
        self.older.setVisible(page.more)
        self._total.setText(count(page.total, "entry"))
        if not self._entries:
            wanted = self.search.text()
            if wanted:
                self._every.show()
                self.nothing.say(f"No entry matches {quoted(wanted)}.")
            else:
                self._every.hide()
                self.nothing.say("Nothing has happened yet.", "Every decision, effect and change is kept here.")
            self.stack.setCurrentIndex(2)
            return
        today = times.local(now).date()
        if today != self._day:
            self._day, self._rows = today, {}
        new = [entry for entry in self._entries if entry["seq"] not in self._rows]
        self._rows |= {entry["seq"]: _row(entry, now) for entry in new}
        table = from_texts(COLUMNS, [self._rows[entry["seq"]] for entry in self._entries], today)
        if self.view is None:
            self.view = self._make_view(table)
        else:
            self.view.adapter.show_table(table)
        self.stack.setCurrentIndex(1)

    def _make_view(self, table: Table) -> TableView:
        """The list, made once; what comes later comes into it, so that its widths, its order and the focus stay."""
        view = TableView(TableAdapter(table), "Trail", window=10_000)
        view.fill_room()
        if self._settings is not None:
            view.remember(self._settings, "trail")
        self._list.addWidget(Box("card", margins=(1, 1, 1, 1)).put(view), 1)
        return view

    @Slot()
    def _check(self) -> None:
        self.check.setEnabled(False)
        self.check.say("Checking every entry…")
        self._bridge.ask(self, lambda office: office.check_trail(), self._checked, slow=True)

    def _checked(self, found: tuple[bool, str]) -> None:
        self.check.setEnabled(True)
        self.check.say("Check the trail")
        sound, sentence = found
        empty(self._banners)
        close = Button("Close", "outline")
        close.clicked.connect(self._close_banner)
        put(self._banners, Banner("ok" if sound else "bad", sentence, [close], detail=_LIMIT))

    @Slot()
    def _close_banner(self) -> None:
        empty(self._banners)

    @Slot()
    def _focus_list(self) -> None:
        if self.view is not None and self.view.isVisible():
            self.view.setFocus()


def _row(entry: Document, now: int) -> tuple[str, str, str, str]:
    at = times.iso_instant(str(entry["at"]))
    who = str(entry.get("who") or capital(person(str(entry["by"]))))
    return (
        times.when(at, now) if at is not None else "",
        who,
        whole_seals(one_line(entry["summary"])),
        seal(str(entry["hash"])),
    )
