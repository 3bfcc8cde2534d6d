"""The Runs page: chips and list at the left, one run at the right."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSettings, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QButtonGroup, QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest
from counterfoil.desktop.commands import Command
from counterfoil.desktop.gate.sheets import WordsSheet
from counterfoil.desktop.office import Changes, Part, RunsLook
from counterfoil.desktop.parts.boxes import Nothing, Pane, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import Flow, page_head, put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.panes import ListAndDetail
from counterfoil.desktop.parts.reading_on import read_on
from counterfoil.desktop.parts.search import SearchField
from counterfoil.desktop.parts.segmented import Segment
from counterfoil.desktop.run_facts import EVERY
from counterfoil.desktop.runs.detail import RunDetail
from counterfoil.desktop.runs.list_view import ROW, RunsAdapter, RunsView
from counterfoil.desktop.runs.narrowing import Narrowing
from counterfoil.desktop.runs.saved_views import SavedView, ViewsButton, name_sheet
from counterfoil.desktop.words.numbers import number
from counterfoil.desktop.words.plain import one_line, quoted
from counterfoil.desktop.words.runs import CHIPS

_PORTION = 200  # runs that are read at a time
_TYPED = 150  # milliseconds after the last stroke


class RunsPage(QWidget, OneSheet[WordsSheet]):
    """List and run.

    Signals:
        gate_wanted(str), templates_wanted(), schedule_wanted(dict): for the frame.
        form_wanted(dict, AgainOf), started(str): as of the detail.
    """

    gate_wanted = Signal(object)
    templates_wanted = Signal()
    form_wanted = Signal(object, object)
    started = Signal(object)
    schedule_wanted = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__()
        self._bridge, self._clock = bridge, clock
        self._latest = Latest()
        self._workspace: str | None = None
        self._most, self._runs, self._new = (
            _PORTION,
            0,
            0,
        )  # how many are wanted, there are at all, have come in above what is looked at
        self._anew = True  # another list is wanted than is shown
        self._stale = False  # something has changed while another page was shown
        self._chip = "all"
        self._to_show = ""
        self.adapter = RunsAdapter(self)
        self.view = RunsView(self.adapter)
        self.detail = RunDetail(bridge, clock)
        self.search = SearchField("Search runs")
        self.new = Button("", "link")
        self.new.hide()
        self.new.clicked.connect(self.view.scrollToTop)
        self.views = ViewsButton()
        self.views.clicked.connect(self._open_views)
        self.views.view_chosen.connect(self._view_chosen)
        self.views.save_wanted.connect(self._save_view)
        self.chips: dict[str, Segment] = {}
        self.narrowing = Narrowing()
        self.narrowing.narrowed.connect(self._load_anew)
        self._group = QButtonGroup(self)
        self._templates = Button("Templates", "primary", icon="layout-grid")
        self._templates.clicked.connect(self.templates_wanted)
        self._every = Button("Show every run")
        self._every.clicked.connect(self._show_every)
        self.nothing = Nothing("play", "No runs yet. Start one from Templates.", buttons=[self._templates, self._every])
        self.stack = QStackedWidget()
        for page in (Skeleton(ROW, label="Loading runs"), self.view, self.nothing):
            self.stack.addWidget(page)
        self._lay_out()
        self._typed = QTimer(self, singleShot=True, interval=_TYPED)
        self._typed.timeout.connect(self._load_anew)
        self.search.textChanged.connect(self._typed.start)
        self.search.left_down.connect(self._focus_list)
        self.view.shown.connect(self._shown)
        self.view.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.adapter.more_wanted.connect(self._load_more)
        self.view.entered.connect(self.detail.focus_title)
        self.detail.gate_wanted.connect(self.gate_wanted)
        self.detail.form_wanted.connect(self.form_wanted)
        self.detail.started.connect(self.started)
        self.detail.schedule_wanted.connect(self.schedule_wanted)

    def choose_workspace(self, path: str | None) -> None:
        """Show one workspace, or all."""
        self._workspace = path
        self.narrowing.choose(replace(self.narrowing.narrow, workspace=""))
        self._load_anew()

    def changed(self, changes: Changes) -> None:
        """Look again where it concerns this page, if it is shown."""
        if not changes.parts & {Part.RUNS, Part.INBOX}:
            return
        if not self.isVisible():
            self._stale = True
            return
        self._load()
        if not changes.runs or self.detail.run_id in changes.runs:
            self.detail.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._stale = False
            self._load()
            self.detail.refresh()

    def undo_run(self, run_id: str) -> None:
        """Show one run, and the sheet that puts its files back as soon as it is there."""
        self.show_run(run_id)
        self.detail.ask_undo()

    def show_run(self, run_id: str, tab: str = "") -> None:
        """Show one run, whatever the chips say."""
        self._to_show = run_id
        self.detail.show_run(run_id, tab=tab)
        if self.adapter.row_of(run_id) >= 0:
            self._to_show = ""
            self.view.select(run_id)

    def run_again(self, run_id: str) -> None:
        """Show one run and ask how it is run again."""
        self.show_run(run_id)
        self.detail.run_again(run_id)

    def find_here(self) -> None:
        """Ctrl+F."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def commands(self) -> list[Command]:
        """Runs of the list, and the checkpoint of the one that is shown."""
        made = [Command("run", one_line(row.title), row.run_id, f"run {row.number}") for row in self.adapter.rows[:200]]
        made.extend(Command("view", one_line(view.name), view.name, "saved view of runs") for view in self.views.saved)
        if self.detail.run_id:
            made.append(Command("checkpoint", "Show the checkpoint", self.detail.run_id, "of the run that is shown"))
        return made

    def panes(self) -> list[QWidget]:
        """Where F6 goes, in order."""
        return [self.view, self.detail.tabs]

    def remember(self, settings: QSettings) -> None:
        """Stand as it was left last time, with the views that were saved."""
        self.panels.remember(settings, "runs/list")
        self.detail.remember(settings)
        self.views.remember(settings)

    def show_view(self, name: str) -> None:
        """A saved view: its chip and its words."""
        view = self.views.named(name)
        if view is not None:
            self.search.setText(view.words)
            self.narrowing.choose(view.narrow)
            self.chips[view.chip].show()
            self.chips[view.chip].setChecked(True)
            self._load_anew()

    def _lay_out(self) -> None:
        self.view.reading.connect(self._read_beside)
        left = Pane("app")
        head = page_head(Label("Runs", "page"), None, self.new, self.views, list_pane=True)
        field = row(margins=(16, 0, 16, 8))
        put(field, self.search)
        held = QWidget()
        flow = Flow(held, gap=2, line_gap=2)
        for key, words in CHIPS:
            chip = Segment(words, key, "", height=26)
            chip.setAccessibleDescription("Which runs are shown")
            chip.toggled.connect(self._chip_toggled)
            self.chips[key] = chip
            self._group.addButton(chip)
            flow.addWidget(chip)
        self.chips["all"].setChecked(True)
        chips = row(margins=(14, 0, 14, 6))
        put(chips, held)
        narrow = row(margins=(16, 0, 16, 8))
        put(narrow, self.narrowing)
        left.put(head, field, chips, narrow)
        left.lines.addWidget(self.stack, 1)
        self.panels = ListAndDetail(left, self.detail, self)
        row(self).addWidget(self.panels)

    @Slot()
    def _load_anew(self) -> None:
        """Something else is wanted: from the newest on."""
        self._most, self._anew = _PORTION, True
        self._load()

    @Slot()
    def _load_more(self) -> None:
        self._most = self.adapter.rowCount() + _PORTION
        self._load()

    def _load(self) -> None:
        workspace, chip, wanted, most = self._workspace, self._chip, self.search.text(), self._most
        narrow = self.narrowing.narrow
        slow = bool(wanted) or narrow.on  # what nothing holds is looked for in every run
        ask = self._bridge.ask(
            self, lambda office: office.runs(workspace, chip, wanted, most, narrow), self._arrived, slow=slow
        )
        self._latest.take(ask)

    def _arrived(self, seen: RunsLook) -> None:
        if not self.narrowing.narrow.on:
            self._runs = seen.counts["all"]
        several = seen.workspaces if self._workspace is None else ()
        self.narrowing.offer(seen.templates, seen.schedules, several)
        for key, chip in self.chips.items():
            found = seen.counts[key]
            chip.set_badge(number(found) if found and key != "all" else "")
            chip.setVisible(key in ("all", self._chip) or found > 0)
        self._show(seen)

    def _show(self, seen: RunsLook) -> None:
        current = self.view.current_run() or self.detail.run_id
        above = self.view.show_rows(seen.rows, self._clock.now_us(), more=seen.more, anew=self._anew)
        self._new = 0 if self._anew else self._new + above
        anew, self._anew = self._anew, False
        self._say_new()
        self.stack.setCurrentIndex(1 if seen.rows else 2)
        if not seen.rows:
            self._say_nothing()
        target = self._to_show or current
        if seen.rows and (not target or (anew and self._left(seen, target))):
            self.view.setCurrentIndex(self.adapter.index(0))
        elif target and self.view.current_run() != target:
            self.view.select(target)
        if self._to_show and self.view.current_run() == self._to_show:
            self._to_show = ""

    def _left(self, seen: RunsLook, run_id: str) -> bool:
        """Whether a person has chosen a list that does not hold the run that is shown; who types words still reads it."""
        whole = not seen.more and not self._to_show and not self.search.hasFocus()
        return whole and all(row.run_id != run_id for row in seen.rows)

    def _say_nothing(self) -> None:
        wanted = self.search.text()
        self._templates.setVisible(not self._runs)
        self._every.setVisible(bool(self._runs))
        if not self._runs:
            self.nothing.say("No runs yet. Start one from Templates.")
            self.detail.clear("What a run does, writes and gives back stands here.")
        else:
            among = f" among those of {', '.join(self.narrowing.words())}" if self.narrowing.narrow.on else ""
            said = f"No run matches {quoted(wanted)}{among}." if wanted else f"No run is in this state{among}."
            self.nothing.say(said)

    @Slot()
    def _show_every(self) -> None:
        """Nothing is looked for any more."""
        self.search.clear()
        self.narrowing.choose(EVERY)
        self.chips["all"].show()
        self.chips["all"].setChecked(True)
        self._load_anew()
        self.search.setFocus(Qt.FocusReason.OtherFocusReason)

    def _say_new(self) -> None:
        self.new.setVisible(self._new > 0)
        self.new.say(f"{self._new} new")

    @Slot(int)
    def _scrolled(self, value: int) -> None:
        if value == 0 and self._new:
            self._new = 0
            self._say_new()

    @Slot(bool)
    def _read_beside(self, back: bool) -> None:
        read_on(self.detail, back=back)

    @Slot(str)
    def _shown(self, run_id: str) -> None:
        if run_id != self.detail.run_id:
            self.detail.show_run(run_id)

    @Slot(bool)
    def _chip_toggled(self, checked: bool) -> None:
        chip = self.sender()
        if checked and isinstance(chip, Segment) and chip.key != self._chip:
            self._chip = chip.key
            self._load_anew()

    @Slot()
    def _focus_list(self) -> None:
        self.view.setFocus()

    @Slot()
    def _open_views(self) -> None:
        self.views.open_menu(self._view(), self.narrowing.words())

    @Slot(object)
    def _view_chosen(self, view: object) -> None:
        if isinstance(view, SavedView):
            self.show_view(view.name)

    @Slot(object)
    def _save_view(self, view: object) -> None:
        if self.sheet is None and isinstance(view, SavedView):
            sheet = name_sheet(self.detail, view)
            sheet.given.connect(self._view_named)
            self.open_sheet(sheet, sheet.editor)

    @Slot(str)
    def _view_named(self, name: str) -> None:
        self.views.keep(self._view(name))

    def _view(self, name: str = "") -> SavedView:
        """What the list shows now."""
        return SavedView(name, self._chip, self.search.text().strip(), self.narrowing.narrow)
