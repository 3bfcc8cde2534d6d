"""The inbox page: list at the left, gate at the right, and the rules between them.

Moving in the list shows a gate and decides nothing. When the next gate of the same run opens after a decision, it comes by itself, unless
the person has gone elsewhere.
"""

from __future__ import annotations

from PySide6.QtCore import QSettings, Qt, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest
from counterfoil.desktop.commands import Command
from counterfoil.desktop.gate.detail import GateDetail
from counterfoil.desktop.gate.setting_aside import PRINT
from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.inbox.bulk import BulkPanel
from counterfoil.desktop.inbox.pane import InboxPane
from counterfoil.desktop.office import Changes, Counts, InboxRow, Part, RunnerSeen, RunSeen, Tab
from counterfoil.desktop.parts.keys import bind
from counterfoil.desktop.parts.layouts import row
from counterfoil.desktop.parts.panes import ListAndDetail
from counterfoil.desktop.parts.reading_on import read_on
from counterfoil.desktop.words import asides
from counterfoil.desktop.words.gates import ENDED
from counterfoil.desktop.words.plain import one_line

_DETAIL, _BULK, _WELCOME = 0, 1, 2
FIRST = 60  # rows that are shown before the rest is read


class InboxPage(QWidget):
    """List and detail.

    Signals:
        run_wanted(str), undo_wanted(str), again_wanted(dict), print_wanted(GateSeen), start_wanted(): for the frame.
    """

    run_wanted = Signal(object)
    undo_wanted = Signal(object)
    again_wanted = Signal(object)
    print_wanted = Signal(object)
    start_wanted = Signal()
    loaded = Signal()

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__()
        self._bridge, self._clock = bridge, clock
        self._latest = Latest()
        self._reading = Latest()
        self._workspace: str | None = None
        self._following = ""  # run whose next gate comes by itself
        self._first = True
        self._tab = Tab.FOR_ME
        self._begins = True  # the next rows are another list than the one that is shown
        self._merging = False  # rows come and go, and nobody selects anything
        self._stale = False  # something has changed while another page was shown
        self.pane = InboxPane(clock)
        self.detail = GateDetail(bridge, clock)
        self.bulk = BulkPanel(bridge, clock)
        self.right = QStackedWidget()
        self.right.addWidget(self.detail)
        self.right.addWidget(self.bulk)
        self.panels = ListAndDetail(self.pane, self.right, self)
        row(self).addWidget(self.panels)
        self._connect()

    def welcome(self, card: QWidget | None) -> None:
        """Show the card of the first run in place of a gate, with the focus if the gate had it, or take it away."""
        focus = QApplication.focusWidget()
        here = focus is not None and self.right.isAncestorOf(focus)
        while self.right.count() > _WELCOME:
            gone = self.right.widget(_WELCOME)
            if gone is not None:
                self.right.removeWidget(gone)
                gone.deleteLater()
        if card is not None:
            self.detail.clear()
            self.right.addWidget(card)
            self.right.setCurrentIndex(_WELCOME)
            if here:
                card.setFocus(Qt.FocusReason.OtherFocusReason)
            self._load()
        else:
            self.right.setCurrentIndex(_DETAIL)

    def choose_workspace(self, path: str | None) -> None:
        """Show one workspace, or all."""
        self._workspace = path
        self.detail.clear()
        self._load(start=True)

    def changed(self, changes: Changes) -> None:
        """Look again where it concerns this page."""
        asked = Part.INBOX in changes.parts
        if not asked and not self.detail.carried_on(changes):
            return
        if not self.isVisible() and not self._following:
            self._stale = True
            return
        if asked and self.pane.list.whole:  # else the rest is on its way, and this with it
            self._load()
        self.detail.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._stale = False
            self._load()
            self.detail.refresh()

    def show_counts(self, counts: Counts) -> None:
        """The numbers on the tabs."""
        self.pane.show_counts(counts)

    def show_runner(self, seen: RunnerSeen) -> None:
        """Whether an empty list may fill, and whether what is decided is carried on."""
        self.pane.show_runner(seen)
        self.detail.bar.show_runner(seen)

    def go_to_gate(self, gate_id: str) -> None:
        """Show a gate wherever it is."""
        self.pane.select(gate_id)
        self.right.setCurrentIndex(_DETAIL)
        self.detail.show_gate(gate_id, focus=True)

    def guide(self, run_id: str) -> None:
        """Show the three hints of the first run on the gates of this run; "" ends that."""
        self.detail.guided = run_id

    def follows(self, run_id: str) -> bool:
        """Whether the person is still with this run: its gate is on the screen, or none is."""
        if self.right.currentIndex() != _DETAIL:
            return self.right.currentIndex() == _WELCOME
        return self.detail.run_id in ("", run_id)

    def follow(self, run_id: str) -> None:
        """Let the next gate of this run come by itself."""
        self._following = run_id

    def find_here(self) -> None:
        """Ctrl+F."""
        self.pane.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.pane.search.selectAll()

    def commands(self) -> list[Command]:
        """Gates of the list, and the checkpoint of the run whose gate is open."""
        rows = [entry for entry in self.pane.adapter.entries if isinstance(entry, InboxRow)][:200]
        made = [Command("gate", one_line(row.title), row.gate_id, f"gate g-{row.number}") for row in rows]
        if self.detail.run_id:
            ways = [(key, called) for key, called in self.detail.deciding.aside.ways() if key != PRINT]
            made += [Command("aside", called, key, "the gate that is open") for key, called in ways]
            made.append(Command("checkpoint", "Show the checkpoint", self.detail.run_id, "of the gate that is open"))
        return made

    def panes(self) -> list[QWidget]:
        """Where F6 goes, in order."""
        title = self.detail.page.head.title if self.detail.page is not None else self.detail
        return [self.pane.view, title]

    def remember(self, settings: QSettings) -> None:
        """Stand as it was left last time."""
        self.panels.remember(settings, "inbox/list")

    def flush(self) -> None:
        """Keep what is filled in before the window goes."""
        self.detail.draft.flush()

    def _connect(self) -> None:
        self.pane.tab_changed.connect(self._tab_changed)
        self.pane.gate_shown.connect(self._shown)
        self.pane.entered.connect(self._entered)
        self.pane.view.reading.connect(self._read_beside)
        self.pane.several.connect(self._several)
        self.pane.start_wanted.connect(self.start_wanted)
        self.detail.run_wanted.connect(self.run_wanted)
        self.detail.undo_wanted.connect(self.undo_wanted)
        self.detail.again_wanted.connect(self._again)
        self.detail.print_wanted.connect(self.print_wanted)
        self.detail.gate_wanted.connect(self.go_to_gate)
        self.detail.decided.connect(self._decided)
        self.detail.undone.connect(self._undone)
        self.detail.stands.connect(self._stands)
        self.bulk.decided.connect(self._reload)
        bind(self.pane, ("Ctrl+Return", self._knock), ("Ctrl+Enter", self._knock))
        bind(self, ("Alt+Down", self._next), ("Alt+Up", self._before), repeats=True)

    def _load(self, *, start: bool = False) -> None:
        """Ask for the chosen tab; a fresh look never takes the place of a start that is still on its way."""
        tab, workspace = self._tab, self._workspace
        self._begins = self._begins or start
        most = FIRST if self._begins else None
        done = self._started if self._begins else self._merged
        self._latest.take(self._bridge.ask(self, lambda office: office.inbox(tab, workspace, most), done))

    def _started(self, rows: tuple[InboxRow, ...]) -> None:
        self._begins = False
        whole = len(rows) < FIRST
        self.pane.start(rows, self._tab, whole=whole)
        if not rows and self.right.currentIndex() == _DETAIL:
            self.detail.clear("Nothing is open.", "")
        elif rows and self.right.currentIndex() == _DETAIL and not self.detail.gate_id:
            self._open_first()
        self._mark_shown()
        if self._first:
            self._first = False
            self.pane.view.setFocus(Qt.FocusReason.OtherFocusReason)
            self.loaded.emit()
        if not whole:
            self._read_on(more=True)

    def _open_first(self) -> None:
        """The first gate, or the one that was open in another tab and stands here, too."""
        current = self.pane.view.current_gate()
        if current:
            self._shown(current)
        else:
            self.pane.view.step(forward=True)

    def _read_on(self, more: bool) -> None:
        """The rest of the list, a portion at a time, so that what a person asks meanwhile is not kept waiting."""
        if more:
            self._reading.take(self._bridge.ask(self, lambda office: office.read_ahead(), self._read_on))
        else:
            self._load()

    def _merged(self, rows: tuple[InboxRow, ...]) -> None:
        self._merging = True
        self.pane.merge(rows, keep=self.detail.gate_id)
        self._merging = False
        self._mark_shown()
        if rows and not self.detail.gate_id:
            self.detail.clear()  # it no longer says that nothing is open
        if not self._following:
            return
        newer = self.pane.list.of_run(self._following, but=self.detail.gate_id)
        if newer is not None and not newer.closed and self.detail.gate_id != newer.gate_id:
            self._following = ""
            self.go_to_gate(newer.gate_id)

    def _mark_shown(self) -> None:
        """The gate that is open is the current row, also when it was there before its row."""
        if self.detail.gate_id and not self.pane.view.current_gate():
            self.pane.view.select(self.detail.gate_id)

    @Slot(object)
    def _tab_changed(self, tab: Tab) -> None:
        self._following = ""
        self.detail.clear()
        self._tab = tab
        self._load(start=True)

    @Slot(str)
    def _shown(self, gate_id: str) -> None:
        if gate_id != self.detail.gate_id:
            self._following = ""
            self.right.setCurrentIndex(_DETAIL)
            self.detail.show_gate(gate_id)

    @Slot(bool)
    def _read_beside(self, back: bool) -> None:
        read_on(self.right, back=back)

    @Slot()
    def _entered(self) -> None:
        self.right.setCurrentIndex(_DETAIL)
        self.detail.focus_title()

    @Slot(list)
    def _several(self, ids: list[str]) -> None:
        if self._merging and self.bulk.stands:
            return  # what was done with several takes them out of the list
        rows = [found for found in map(self.pane.list.row, ids) if found is not None]
        if len(rows) > 1:
            self.bulk.show_rows(rows)
            self.right.setCurrentIndex(_BULK)
        elif self.right.currentIndex() == _BULK:
            self.right.setCurrentIndex(_DETAIL)

    @Slot()
    def _knock(self) -> None:
        """Ctrl+Enter in the list never decides: it moves the focus to what comes next."""
        if self.right.currentIndex() == _DETAIL:
            self.detail.deciding.focus_bar()

    @Slot()
    def _next(self) -> None:
        self.pane.view.step(forward=True)

    @Slot()
    def _before(self) -> None:
        self.pane.view.step(forward=False)

    @Slot(str)
    def _decided(self, gate_id: str) -> None:
        decided = self.pane.list.row(gate_id)
        if decided is not None:
            self._following = decided.run_id

    @Slot(object)
    def _stands(self, seen: GateSeen) -> None:
        """Why the gate that stands here may leave the list."""
        said = asides.set_aside(seen.document, seen.me, seen.asleep_until, self._clock.now_us())
        state = str(seen.document["state"])
        self.pane.say_over(seen.gate_id, said if state == "open" else ENDED.get(state, ""))

    def set_aside(self, way: str) -> None:
        """What Ctrl+K offers for the gate that is open."""
        self.right.setCurrentIndex(_DETAIL)
        self.detail.deciding.aside.do(way)

    @Slot(str)
    def _undone(self, _gate_id: str) -> None:
        self._following = ""

    @Slot(object)
    def _again(self, run_id: object) -> None:
        self._bridge.ask(self, lambda office: office.run(str(run_id)), self._again_known)

    def _again_known(self, seen: RunSeen) -> None:
        self.again_wanted.emit(seen.document)

    @Slot()
    def _reload(self) -> None:
        self._load()
