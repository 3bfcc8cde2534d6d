"""The right pane of the inbox: loads a gate, shows it, keeps what is filled in, and notices what changes. `deciding` decides."""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.gate.carrying import carry_over
from counterfoil.desktop.gate.deciding import Deciding
from counterfoil.desktop.gate.differences import Differences
from counterfoil.desktop.gate.files import first_of
from counterfoil.desktop.gate.keeping import DraftKeeper
from counterfoil.desktop.gate.looking import Looked, look
from counterfoil.desktop.gate.meanwhile import NOTHING_YET, Meanwhile
from counterfoil.desktop.gate.page import GatePage
from counterfoil.desktop.gate.reading import Reading
from counterfoil.desktop.gate.row_sheet import RowSheet
from counterfoil.desktop.gate.session import Session, same_on_screen
from counterfoil.desktop.office import Changes, Part
from counterfoil.desktop.parts.boxes import Banner, Nothing, Pane, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.keys import bind
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.scroller import Scroller
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.tables.table import Line, Table
from counterfoil.desktop.words import gates as words
from counterfoil.desktop.words import times

PATIENCE = 300  # milliseconds before a skeleton stands where nothing is yet
_EMPTY, _WAITING, _PAGE, _BLANK = 0, 1, 2, 3


class GateDetail(Pane, OneSheet[RowSheet]):
    """One gate at a time.

    Signals:
        decided(str): a decision on this gate was committed.
        settled(str): it took effect.
        undone(str): it was taken back.
        run_wanted(str): show this run.
        undo_wanted(str): put the files of this run back.
        again_wanted(str): start once more what this run was.
        print_wanted(GateSeen): put it on paper.
        gate_wanted(str): go to another gate (a newer round).
        stands(GateSeen): it is on the screen as it is now.
    """

    decided = Signal(str)
    settled = Signal(str)
    undone = Signal(str)
    run_wanted = Signal(object)
    undo_wanted = Signal(object)
    again_wanted = Signal(object)
    print_wanted = Signal(object)
    gate_wanted = Signal(object)
    stands = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__("panel")
        self._bridge, self._clock = bridge, clock
        self._latest = Latest()
        self._looked: Looked | None = None
        self._of_files: Banner | None = None
        self._again: list[str] = []  # rows whose answers were not kept when the gate changed
        self.gate_id = ""
        self.guided = ""  # the run whose gates carry the hints of the first run
        self.session: Session | None = None
        self.page: GatePage | None = None
        self._focus_title = False
        self.area = Scroller()
        self.nothing = Nothing("inbox", "Choose a gate to see what it asks.")
        self.stack = QStackedWidget()
        for page in (self.nothing, Skeleton(56, rows=9, inset=28, label="Loading the gate"), self.area, QWidget()):
            self.stack.addWidget(page)
        self.draft = DraftKeeper(bridge, self)
        self.deciding = Deciding(self, self, bridge, clock)
        self.deciding.late.undo_wanted.connect(self.undo_wanted)
        self.bar = self.deciding.bar
        self.meanwhile = Meanwhile(self, self, bridge, clock)
        self.lines.addWidget(self.stack, 1)
        self.put(self.bar)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE)
        self._patience.timeout.connect(self._show_skeleton)
        self._connect()

    def show_gate(self, gate_id: str, *, focus: bool = False) -> None:
        """Load another gate; `focus` puts the focus on its title when it is there."""
        if gate_id == self.gate_id and self.page is not None:
            self.focus_title()
            return
        self._focus_title = focus
        self.draft.flush()
        self.deciding.leave()
        self.gate_id = gate_id
        if self.stack.currentIndex() == _EMPTY:
            self.stack.setCurrentIndex(_BLANK)
        self._patience.start()
        self.look()
        self.area.viewport()  # the binding makes its classes when they are first asked for: here, not in the frame that builds the page

    @property
    def is_guided(self) -> bool:
        """Whether its gate carries the hints of the first run."""
        return bool(self.guided) and self.guided == self.run_id

    @property
    def run_id(self) -> str:
        """The run of the gate that is shown, "" where there is none."""
        return str(self.session.reading.seen.document["run_id"]) if self.session is not None else ""

    def refresh(self) -> None:
        """Something changed in the data folder: look again."""
        if self.gate_id and not self.deciding.sending.on_its_way(self.gate_id):
            self.look()

    def carried_on(self, changes: Changes) -> bool:
        """Whether something was done in the run of a gate that is decided: what became of its effects stands on its page."""
        decided = self.session is not None and not self.session.reading.open
        return decided and Part.RUNS in changes.parts and (not changes.runs or self.run_id in changes.runs)

    def clear(self, title: str = "Choose a gate to see what it asks.", detail: str = "") -> None:
        """No gate is chosen."""
        self.draft.flush()
        self.deciding.dismiss()
        self._latest.take(None)
        self._patience.stop()
        self.gate_id = ""
        self.session = self._looked = None
        self.meanwhile.leave()
        self.draft.watch(None)
        self._retire_page()
        self.nothing.say(title, detail)
        self.stack.setCurrentIndex(_EMPTY)
        self.bar.hide()

    def focus_title(self) -> None:
        """Put the focus where reading begins."""
        if self.page is not None:
            self.page.head.title.setFocus(Qt.FocusReason.OtherFocusReason)

    def tell(self, sentence: str) -> None:
        """Something was done that is about no answer."""
        self.deciding.tell(Banner("info", sentence))

    def look(self, *, had: Reading | None = None) -> None:
        """Ask for the gate once more; `had` is what somebody had before them, to be compared with what is there now."""
        gate_id, today, shown = self.gate_id, times.local(self._clock.now_us()).date(), self._looked
        self._latest.take(
            self._bridge.ask(
                self, lambda office: look(office, gate_id, today, shown, had=had), self._arrived, self._not_there
            )
        )

    def _connect(self) -> None:
        acts = self.deciding
        acts.decided.connect(self.decided)
        acts.settled.connect(self.settled)
        acts.undone.connect(self.undone)
        acts.aside.print_wanted.connect(self._print)
        self.meanwhile.touched.connect(self._touched)
        self.meanwhile.looked.connect(self._looked_at_files)
        bind(
            self,
            ("Ctrl+Return", acts.act),
            ("Ctrl+Enter", acts.act),
            ("Ctrl+B", acts.send_back),
            ("Ctrl+E", acts.change),
            ("Ctrl+Shift+R", acts.reject),
            ("Ctrl+Z", acts.undo),
            ("Ctrl+P", self._print),
        )

    def _arrived(self, looked: Looked) -> None:
        self._patience.stop()
        fresh, old = looked.reading, self.session
        if old is not None and self.page is not None and old.reading.seen.gate_id == fresh.seen.gate_id:
            if same_on_screen(old.reading.seen, fresh.seen):
                return
            if old.reading.open and fresh.open and old.reading.digest != fresh.digest:
                self._freeze(old)
                return
        self._build(looked, self._clock.now_us())

    def _build(self, looked: Looked, now: int) -> None:
        fresh, old = looked.reading, self.session
        moved = old is None or old.reading.seen.gate_id != fresh.seen.gate_id
        place = 0 if moved else self.area.verticalScrollBar().value()
        self.session = Session(fresh, now)
        self.session.loading = len(first_of(fresh)) if fresh.open else 0
        self._carry(looked, old, now)
        self._looked = looked
        self.draft.watch(self.session)
        self.draft.keep()
        self.meanwhile.watch(self.session)
        today = times.local(now).date()
        page = GatePage(fresh, self.session, self._bridge, self.area, now, today, guided=self.is_guided)
        if looked.earlier is not None and fresh.open:
            since = words.took_the_place(looked.earlier.seen.document, fresh.seen.me, now)
            page.mark(Differences(since, looked.parts, self._again, self, today))
        self._introduce(page)
        self.deciding.late.go_on(page)
        here = QApplication.focusWidget()
        self._focus_title |= self.page is not None and here is not None and self.page.isAncestorOf(here)
        aim = self.page.aim_of(here) if self.page is not None and not moved else ""
        self._retire_page()
        self.page = page
        self.area.setWidget(page)
        self.deciding.asking.go_on(self.session)
        for sheet in self.findChildren(Sheet):
            sheet.go_back_to(page.head.title)
        self.area.verticalScrollBar().setValue(place)
        self.stack.setCurrentIndex(_PAGE)
        self.deciding.show_bar()
        self.stands.emit(fresh.seen)
        if self._focus_title:
            self._focus_title = False
            self.focus_title()
        if aim:
            page.focus_on(aim)

    def _introduce(self, page: GatePage) -> None:
        page.edited.connect(self._edited)
        page.opened.connect(self.draft.keep)
        page.picked.connect(self.deciding.pick)
        page.loading.connect(self._loading)
        page.run_wanted.connect(self.run_wanted)
        page.again_wanted.connect(self.again_wanted)
        page.gate_wanted.connect(self.gate_wanted)
        page.print_wanted.connect(self._print)
        page.looked_at.connect(self._look_at_row)
        page.head.always_wanted.connect(self.deciding.always)
        page.head.more_wanted.connect(self.deciding.aside.open_menu)
        page.set_aside.connect(self.deciding.aside.do)

    def _carry(self, looked: Looked, old: Session | None, now: int) -> None:
        """Answers are kept where the gate was open before, or where it took the place of one that changed; else those of the draft are
        there already."""
        fresh, session, earlier = looked.reading, self.session, looked.earlier
        same = old is not None and old.reading.seen.gate_id == fresh.seen.gate_id
        if not (same and old is not None and old.reading.digest == fresh.digest):
            self._again = []
        if session is None:
            return
        if same and old is not None:
            session.opened = set(old.opened)
        if not fresh.open:
            return
        if same and old is not None and old.reading.open:
            self._again = carry_over(old, session) or self._again
        elif earlier is not None and str(earlier.seen.document["state"]) == "superseded" and fresh.seen.draft.empty:
            is_here = old is not None and old.reading.seen.gate_id == earlier.seen.gate_id
            before = old if is_here and old is not None else Session(earlier, now)
            self._again = carry_over(before, session)

    def _retire_page(self) -> None:
        self.close_sheet()
        if self.page is not None:
            self.page.retire()
            self.page = None

    @Slot(object)
    def _look_at_row(self, row: tuple[str, Table, Line]) -> None:
        """Space, Enter or a double click on a row of evidence: all of it, and where it comes from."""
        if self.session is None or self.sheet is not None:
            return
        reading = self.session.reading
        sources = next((one.entry.get("data") or () for one in reading.sections if one.kind == "sources"), ())
        self.open_sheet(RowSheet(self, *row, sources, reading.seen.workspace, self._bridge))

    @Slot()
    def _edited(self) -> None:
        if self.session is not None:
            self.deciding.show_primary()
            self.draft.keep()

    @Slot(int)
    def _loading(self, left: int) -> None:
        if self.session is not None:
            self.session.loading = left
            self.deciding.show_primary()

    def _freeze(self, old: Session) -> None:
        """It changed while it was open: nothing can be decided until it was looked at again."""
        if old.frozen:
            return
        old.frozen = "changed"
        at = times.clock_time(self._clock.now_us())
        again = Button("Show what changed", "outline", icon="eye")
        again.clicked.connect(self._look_again)
        if self.page is not None:
            self.page.say(Banner("warn", f"This changed at {at}. Look again before you decide.", [again]))
        self.deciding.show_bar()

    @Slot(str)
    def _touched(self, sentence: str) -> None:
        """Files of its plan changed in the folder: nothing can be decided until that was looked at."""
        session, page = self.session, self.page
        if session is None or page is None:
            return
        show = Button("Show what changed", "outline", icon="eye")
        show.clicked.connect(self.meanwhile.show_changes)
        self._of_files = Banner("warn", sentence, [show])
        page.say(self._of_files)
        self.deciding.show_bar()

    @Slot()
    def _looked_at_files(self) -> None:
        """It was looked at: what follows is said in the place of the question."""
        session, page = self.session, self.page
        if self._of_files is not None and shiboken6.isValid(self._of_files):
            self._of_files.hide()
        if session is not None and page is not None:
            page.say(Banner("info", f"The folder has changed since this was asked. {NOTHING_YET}"))
            self.deciding.show_bar()

    @Slot()
    def _look_again(self) -> None:
        """Show what is asked now, with what is different."""
        if self.session is not None:
            self.draft.flush()
            self._retire_page()
            self.look(had=self.session.reading)

    def _not_there(self, trouble: Trouble) -> None:
        self._patience.stop()
        self.clear(trouble.message, trouble.next_step)

    @Slot()
    def _show_skeleton(self) -> None:
        self.stack.setCurrentIndex(_WAITING)
        self.bar.hide()

    @Slot()
    def _print(self) -> None:
        if self.session is not None:
            self.print_wanted.emit(self.session.reading.seen)
