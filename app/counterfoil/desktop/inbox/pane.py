"""The list's pane: title, search, tabs, the list itself, and what stands there when nothing waits."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QStackedWidget

from counterfoil.clock import Clock
from counterfoil.desktop.inbox.adapter import InboxAdapter
from counterfoil.desktop.inbox.rows import InboxList
from counterfoil.desktop.inbox.view import InboxView
from counterfoil.desktop.office import Counts, InboxRow, RunnerSeen, RunnerState, Tab
from counterfoil.desktop.parts.boxes import Nothing, Pane, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import page_head, put, row
from counterfoil.desktop.parts.search import SearchField
from counterfoil.desktop.parts.segmented import Segmented
from counterfoil.desktop.schedules.notices import NoticeCards
from counterfoil.desktop.tokens import INBOX_ROW
from counterfoil.desktop.words.numbers import number
from counterfoil.desktop.words.plain import quoted
from counterfoil.desktop.words.schedules import next_firing

TINT = 600  # milliseconds that a changed row is tinted
_TABS = (
    (Tab.FOR_ME, "For me"),
    (Tab.FOR_OTHERS, "For others"),
    (Tab.SNOOZED, "Snoozed"),
    (Tab.DECIDED, "Decided"),
)


class InboxPane(Pane):
    """Holds the list and what it shows; it asks nobody, its page gives it rows.

    Signals:
        tab_changed(Tab), gate_shown(str), entered(), several(list): as the person moves.
        start_wanted(): the runner is off and should start.
    """

    tab_changed = Signal(object)
    gate_shown = Signal(str)
    entered = Signal()
    several = Signal(list)
    start_wanted = Signal()

    def __init__(self, clock: Clock) -> None:
        super().__init__("app")
        self._clock = clock
        self._runner_off = False
        self._ahead: tuple[str, int | None] = ("", None)  # which schedule fires next, and when
        self._started = False  # before the first answer nothing is said about what waits
        self._runs = 0
        self.list = InboxList()
        self.adapter = InboxAdapter(self)
        self.view = InboxView(self.adapter)
        self.search = SearchField("Search title, supplier, file, amount")
        self.tabs = Segmented([(str(tab), words, "") for tab, words in _TABS], name="Which gates", wraps=True)
        self.tabs.choose(str(Tab.FOR_ME))
        for tab in (Tab.FOR_OTHERS, Tab.SNOOZED):
            self.tabs.segments[str(tab)].hide()
        self.notices = NoticeCards(narrow=True)
        self.new = Button("", "link")
        self.new.hide()
        self._start = Button("Start", "primary", icon="play", name="Start the runner")
        self._other_tab = Button("Search decided ones too", "link")
        self.nothing = Nothing("inbox", "Nothing waits for you.", buttons=[self._start, self._other_tab])
        self.stack = QStackedWidget()
        for page in (Skeleton(INBOX_ROW, label="Loading the inbox"), self.view, self.nothing):
            self.stack.addWidget(page)
        self._lay_out()
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(TINT)
        self._connect()

    def show_counts(self, counts: Counts) -> None:
        """The numbers on the tabs; For others and Snoozed are there while they hold something."""
        self._runs = counts.runs
        self.tabs.segments[str(Tab.FOR_ME)].set_badge(number(counts.for_me) if counts.for_me else "")
        for tab, held in ((Tab.FOR_OTHERS, counts.for_others), (Tab.SNOOZED, counts.snoozed)):
            segment = self.tabs.segments[str(tab)]
            segment.set_badge(number(held) if held else "")
            segment.setVisible(held > 0 or self.list.tab == tab)

    def show_runner(self, seen: RunnerSeen) -> None:
        """Whether an empty list may fill by itself."""
        off = seen.state in (RunnerState.OFF, RunnerState.SILENT) and self._runs > 0
        ahead = (seen.next_name, seen.next_at)
        if (off, ahead) != (self._runner_off, self._ahead):
            self._runner_off, self._ahead = off, ahead
            self._refresh()

    def start(self, rows: tuple[InboxRow, ...], tab: Tab, *, whole: bool = True) -> None:
        """Show a tab from the start, or its first rows."""
        self.list.start(rows, tab, whole=whole)
        self._started = True
        self._refresh()

    def merge(self, rows: tuple[InboxRow, ...], keep: str) -> None:
        """Take a fresh look in without moving what is looked at."""
        in_use = self.view.underMouse() or self.view.hasFocus()
        changed = self.list.merge(rows, in_use=in_use, keep=keep)
        self._refresh(changed)
        if changed:
            self._settle.start()

    def say_over(self, gate_id: str, words: str) -> None:
        """What the row of the gate that is looked at says should it leave the list undecided."""
        self.list.say_over(gate_id, words)
        self._refresh()

    def tick(self) -> None:
        """A minute has passed: ages and deadlines are said anew."""
        self._refresh()

    @Slot()
    def focus_list(self) -> None:
        """Put the focus into the list."""
        self.view.setFocus()
        if not self.view.current_gate():
            self.view.step(forward=True)

    def _lay_out(self) -> None:
        title = Label("Inbox", "page")
        head = page_head(title, None, self.new, list_pane=True)
        field = row(margins=(16, 0, 16, 10))
        put(field, self.search)
        tabs = row(margins=(16, 0, 16, 8))
        put(tabs, self.tabs, None)
        self.put(head, self.notices, field, tabs)
        self.lines.addWidget(self.stack, 1)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._searched)
        self.search.left_down.connect(self.focus_list)
        self.tabs.picked.connect(self._tab_picked)
        self.new.clicked.connect(self._let_in)
        self.view.shown.connect(self.gate_shown)
        self.view.entered.connect(self.entered)
        self.view.several.connect(self.several)
        self._settle.timeout.connect(self.adapter.settle)
        self._start.clicked.connect(self.start_wanted)
        self._other_tab.clicked.connect(self._search_decided)
        self.adapter.modelAboutToBeReset.connect(self._remember)
        self.adapter.modelReset.connect(self._restore)
        self._remembered = ""

    def _refresh(self, changed: set[str] | None = None) -> None:
        if not self._started:
            return
        entries = self.list.entries(self._clock.now_us())
        self.adapter.show_entries(entries, self._clock.now_us(), changed)
        held = self.list.held_back
        self.new.setVisible(held > 0)
        self.new.say(f"{held} new")
        self.stack.setCurrentIndex(1 if entries else 2)
        if not entries:
            self._say_nothing()

    def _say_nothing(self) -> None:
        self._start.setVisible(self._runner_off and not self.list.wanted and self.list.tab == Tab.FOR_ME)
        self._other_tab.setVisible(bool(self.list.wanted) and self.list.tab != Tab.DECIDED)
        if self.list.wanted:
            self.nothing.say(f"No gate matches {quoted(self.list.wanted)}.")
        elif self.list.tab == Tab.DECIDED:
            self.nothing.say("Nothing was decided yet.", "What you decide is kept here, exactly as you saw it.")
        elif self.list.tab == Tab.FOR_OTHERS:
            self.nothing.say("Nothing waits for others.")
        elif self.list.tab == Tab.SNOOZED:
            self.nothing.say("Nothing is snoozed.", "What you snooze comes back to For me by itself.")
        elif self._runner_off:
            self.nothing.say("Nothing waits for you, but the runner is off, so nothing new can arrive.")
        else:
            ahead = next_firing(*self._ahead, self._clock.now_us())
            self.nothing.say("Nothing waits for you.", ahead or "A run that needs a decision shows up here by itself.")

    @Slot(str)
    def _searched(self, text: str) -> None:
        self.list.wanted = text
        self._refresh()

    @Slot()
    def _search_decided(self) -> None:
        self.tabs.choose(str(Tab.DECIDED))
        self.tab_changed.emit(Tab.DECIDED)

    @Slot(str)
    def _tab_picked(self, key: str) -> None:
        self.tab_changed.emit(Tab(key))

    @Slot()
    def _let_in(self) -> None:
        self.list.let_in()
        self._refresh()

    @Slot()
    def _remember(self) -> None:
        self._remembered = self.view.current_gate()

    @Slot()
    def _restore(self) -> None:
        if self._remembered:
            self.view.blockSignals(True)
            self.view.select(self._remembered)
            self.view.blockSignals(False)

    def select(self, gate_id: str) -> bool:
        """Make a gate current, letting new ones in where it is among them; where it is in no row, no other row is marked."""
        if self.adapter.row_of(gate_id) < 0 and self.list.row(gate_id) is not None:
            self.list.let_in()
            self._refresh()
        there = self.view.select(gate_id)
        if not there:
            self.view.selectionModel().clear()
        return there
