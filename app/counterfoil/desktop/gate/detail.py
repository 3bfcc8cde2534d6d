"""The right pane of the inbox: loads a gate, keeps what is filled in, commits the decision, counts down, and notices what changes.

A decision leaves here only by a click on the bar or Ctrl+Enter with the focus in this pane, never within 400 ms of a change of gate, and
it names the digest that was on the screen.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.gate import reading as gate_reading
from counterfoil.desktop.gate.allowing import Allowing
from counterfoil.desktop.gate.asking import Asking
from counterfoil.desktop.gate.bar import GateBar
from counterfoil.desktop.gate.keeping import DraftKeeper
from counterfoil.desktop.gate.page import GatePage
from counterfoil.desktop.gate.sending import Sending
from counterfoil.desktop.gate.session import (
    CLOSED,
    READY,
    Primary,
    Session,
    kept_choices,
    may_take_back,
    same_on_screen,
)
from counterfoil.desktop.office import Answer, DecisionMade, GateSeen
from counterfoil.desktop.parts.boxes import Banner, Nothing, Pane, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.keys import bind
from counterfoil.desktop.parts.scroller import Scroller
from counterfoil.desktop.words import gates as words
from counterfoil.desktop.words import times

PATIENCE = 300  # milliseconds before a skeleton stands where nothing is yet
_EMPTY, _WAITING, _PAGE, _BLANK = 0, 1, 2, 3


class GateDetail(Pane):
    """One gate at a time.

    Signals:
        decided(str): a decision on this gate was committed.
        settled(str): it took effect.
        undone(str): it was taken back.
        run_wanted(str): show this run.
        again_wanted(str): start once more what this run was.
        print_wanted(GateSeen): put it on paper.
        gate_wanted(str): go to another gate (a newer round).
    """

    decided = Signal(str)
    settled = Signal(str)
    undone = Signal(str)
    run_wanted = Signal(object)
    again_wanted = Signal(object)
    print_wanted = Signal(object)
    gate_wanted = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__("panel")
        self._bridge, self._clock = bridge, clock
        self._latest = Latest()
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
        self.bar = GateBar(clock)
        self.bar.hide()
        self.lines.addWidget(self.stack, 1)
        self.put(self.bar)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE)
        self._patience.timeout.connect(self._show_skeleton)
        self.draft = DraftKeeper(bridge, self)
        self.sending = Sending(bridge, self)
        self.asking = Asking(self, bridge)
        self.allowing = Allowing(self, bridge)
        self._connect()

    def show_gate(self, gate_id: str, *, focus: bool = False) -> None:
        """Load another gate; `focus` puts the focus on its title when it is there."""
        self._focus_title = focus
        if gate_id == self.gate_id and self.page is not None:
            self.focus_title()
            return
        self.draft.flush()
        self.asking.dismiss()
        self.allowing.dismiss()
        self.gate_id = gate_id
        self.bar.rest()  # what was decided before stands; its time to take it back is shown at its own gate
        if self.stack.currentIndex() == _EMPTY:
            self.stack.setCurrentIndex(_BLANK)
        self._patience.start()
        self._ask()

    @property
    def run_id(self) -> str:
        """The run of the gate that is shown, "" where there is none."""
        return str(self.session.reading.seen.document["run_id"]) if self.session is not None else ""

    def refresh(self) -> None:
        """Something changed in the data folder: look again."""
        if self.gate_id and not self.sending.on_its_way(self.gate_id):
            self._ask()

    def clear(self, title: str = "Choose a gate to see what it asks.", detail: str = "") -> None:
        """No gate is chosen."""
        self.draft.flush()
        self.asking.dismiss()
        self._latest.take(None)
        self._patience.stop()
        self.gate_id = ""
        self.session = None
        self.draft.watch(None)
        self._retire_page()
        self.nothing.say(title, detail)
        self.stack.setCurrentIndex(_EMPTY)
        self.bar.hide()

    def focus_title(self) -> None:
        """Put the focus where reading begins."""
        if self.page is not None:
            self.page.head.title.setFocus(Qt.FocusReason.OtherFocusReason)

    def focus_bar(self) -> None:
        """Ctrl+Enter in the list comes here: it moves the focus and decides nothing."""
        session = self.session
        if session is None or self.page is None:
            return
        primary = session.primary()
        if primary.state == READY:
            self.bar.primary.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.bar.say(f"Ctrl+Enter again: {primary.words}.")
        elif primary.aim:
            self.page.focus_on(primary.aim)
        else:
            self.focus_title()

    @Slot()
    def act(self) -> None:
        """The primary button, or Ctrl+Enter in this pane."""
        session = self.session
        if session is None or not self._idle():
            return
        primary = session.primary()
        if primary.state == READY:
            self._decide(session.answer())
        elif primary.state != CLOSED and self.page is not None:
            self.page.focus_on(primary.aim)

    @Slot()
    def send_back(self) -> None:
        """Open the sheet “What should be different?”."""
        if self.session is not None and self._may_ask():
            self.asking.send_back(self.session)

    @Slot()
    def reject(self) -> None:
        """Open the sheet that asks why not."""
        if self.session is not None and self._may_ask():
            self.asking.reject(self.session)

    @Slot()
    def change(self) -> None:
        """Open the sheet with what may be changed."""
        if self.session is not None and self.session.reading.seen.editable and self._may_ask():
            self.asking.change(self.session)

    def tell(self, sentence: str) -> None:
        """Something was done that is about no answer."""
        self._tell(Banner("info", sentence))

    @Slot()
    def undo(self) -> None:
        """Take the decision back while that is possible."""
        if self.bar.counting:
            self.sending.take_back(self.gate_id)

    def _connect(self) -> None:
        self.bar.acted.connect(self.act)
        self.bar.send_back_wanted.connect(self.send_back)
        self.bar.reject_wanted.connect(self.reject)
        self.bar.change_wanted.connect(self.change)
        self.bar.undo_wanted.connect(self.undo)
        self.bar.settled.connect(self._settled)
        self.sending.kept.connect(self._decided)
        self.sending.undone.connect(self._undone)
        self.sending.refused.connect(self._refused)
        self.asking.given.connect(self._decide)
        self.asking.carried_on.connect(self.decided)
        self.asking.refused.connect(self._refused)
        self.asking.changed.connect(self._changed)
        self.asking.typed.connect(self.draft.keep)
        self.allowing.said.connect(self._tell)
        bind(
            self,
            ("Ctrl+Return", self.act),
            ("Ctrl+Enter", self.act),
            ("Ctrl+B", self.send_back),
            ("Ctrl+E", self.change),
            ("Ctrl+Shift+R", self.reject),
            ("Ctrl+Z", self.undo),
            ("Ctrl+P", self._print),
        )

    def _ask(self) -> None:
        gate_id, today = self.gate_id, times.local(self._clock.now_us()).date()
        self._latest.take(
            self._bridge.ask(
                self, lambda office: gate_reading.read(office.gate(gate_id), today), self._arrived, self._not_there
            )
        )

    def _arrived(self, fresh: gate_reading.Reading) -> None:
        self._patience.stop()
        now, seen = self._clock.now_us(), fresh.seen
        old = self.session
        if old is not None and self.page is not None and old.reading.seen.gate_id == seen.gate_id:
            if same_on_screen(old.reading.seen, seen):
                return
            if old.reading.open and fresh.open and old.reading.digest != fresh.digest:
                self._freeze(old, seen)
                return
        self._build(fresh, now)

    def _build(self, fresh: gate_reading.Reading, now: int) -> None:
        old = self.session
        moved = old is None or old.reading.seen.gate_id != fresh.seen.gate_id
        place = 0 if moved else self.area.verticalScrollBar().value()
        self.session = Session(fresh, now)
        self.session.loading = len(fresh.files) if fresh.open else 0
        if not moved and old is not None:
            kept_choices(old, self.session)
        self.draft.watch(self.session)
        page = GatePage(
            fresh, self.session, self._bridge, self.area, now, times.local(now).date(), guided=self._guides(fresh)
        )
        page.edited.connect(self._edited)
        page.opened.connect(self.draft.keep)
        page.picked.connect(self._picked)
        page.loading.connect(self._loading)
        page.run_wanted.connect(self.run_wanted)
        page.again_wanted.connect(self.again_wanted)
        page.gate_wanted.connect(self.gate_wanted)
        page.print_wanted.connect(self._print)
        page.head.always_wanted.connect(self._always)
        here = QApplication.focusWidget()
        self._focus_title |= self.page is not None and here is not None and self.page.isAncestorOf(here)
        self._retire_page()
        self.page = page
        self.area.setWidget(page)
        self.area.verticalScrollBar().setValue(place)
        self.stack.setCurrentIndex(_PAGE)
        self._show_bar()
        if self._focus_title:
            self._focus_title = False
            self.focus_title()

    def _guides(self, reading: gate_reading.Reading) -> bool:
        return bool(self.guided) and str(reading.seen.document["run_id"]) == self.guided

    def _retire_page(self) -> None:
        if self.page is not None:
            self.page.retire()
            self.page = None

    def _show_bar(self) -> None:
        session = self.session
        if session is None:
            return
        reading = session.reading
        made = may_take_back(reading, self._clock.now_us())
        if made is not None:
            self._show_done(*made)
            return
        trouble = reading.kind in ("doubt", "failure")
        self.bar.setVisible(reading.open and not trouble)
        due = times.iso_instant(str(reading.seen.document.get("due_at")))
        silence = words.silence(due, reading.seen.document.get("on_due"), self._clock.now_us())
        hint = "Nothing has been written yet. " if self.guided and self.guided == self.run_id else ""
        self.bar.show_open(
            silence=f"{hint}{silence}",
            can_decide=reading.open and reading.seen.may_decide,
            can_change=bool(reading.seen.editable),
            can_refuse=not trouble and reading.kind != "budget",
        )
        self.bar.show_primary(session.primary())

    @Slot()
    def _edited(self) -> None:
        if self.session is not None:
            self._show_primary()
            self.draft.keep()

    @Slot(int)
    def _loading(self, left: int) -> None:
        if self.session is not None:
            self.session.loading = left
            self._show_primary()

    def _show_primary(self) -> None:
        """What the button says now; while a decision is on its way it says that."""
        if self.session is not None and not self.sending.on_its_way(self.gate_id):
            self.bar.show_primary(self.session.primary())

    @Slot(object)
    def _decide(self, answer: Answer) -> None:
        self.draft.flush()
        self.bar.show_primary(Primary("Keeping your decision…", CLOSED))
        self.sending.decide(answer)
        self.draft.stood()

    @Slot(object)
    def _decided(self, made: DecisionMade) -> None:
        if made.gate_id != self.gate_id:
            return
        self._show_done(made.verdict, made.effective_at)
        self.focus_title()
        self.decided.emit(made.gate_id)
        self._ask()

    def _show_done(self, verdict: str, until_us: int) -> None:
        self.bar.show()
        self.bar.show_done(verdict, until_us, hint=bool(self.guided) and self.guided == self.run_id)

    @Slot(str, object)
    def _refused(self, gate_id: str, trouble: Trouble) -> None:
        """A decision, or taking it back, was refused; the person may look at another gate by now."""
        if gate_id != self.gate_id:
            self._bridge.troubled.emit(trouble)
            return
        self._say(trouble)
        self._show_bar()
        self._ask()

    @Slot(str)
    def _undone(self, gate_id: str) -> None:
        self.undone.emit(gate_id)
        if gate_id == self.gate_id:
            self.bar.show_open(silence="", can_decide=True, can_change=False, can_refuse=True)
            self._show_primary()  # the decided gate may never have been shown, then nothing is built anew
            self._ask()

    @Slot()
    def _settled(self) -> None:
        self.settled.emit(self.gate_id)
        self._ask()

    @Slot(object)
    def _changed(self, edits: dict[str, dict[str, object]]) -> None:
        if self.session is not None and self.page is not None:
            self.session.edits = edits
            if edits:
                self.page.say(
                    Banner("info", "Changed by you. The changed effect is judged again before it is performed.")
                )
            self._edited()

    @Slot(object)
    def _picked(self, choice: object) -> None:
        """An answer of a doubt or a failure: a sheet follows, except for trying again."""
        session = self.session
        if session is None or not self._idle():
            return
        if choice == "retry":
            self.asking.retry(session)
        else:
            self.asking.trouble(session, str(choice))

    def _freeze(self, old: Session, seen: GateSeen) -> None:
        """It changed while it was open: nothing can be decided until it was looked at again."""
        if old.frozen:
            return
        old.frozen = "changed"
        at = times.clock_time(self._clock.now_us())
        again = Button("Show what changed", "outline", icon="eye")
        again.clicked.connect(self._look_again)
        if self.page is not None:
            self.page.say(Banner("warn", f"This changed at {at}. Look again before you decide.", [again]))
        self.bar.show_primary(old.primary())

    @Slot()
    def _look_again(self) -> None:
        if self.session is not None:
            self.draft.flush()
            self._retire_page()
            self._ask()

    def _not_there(self, trouble: Trouble) -> None:
        self._patience.stop()
        self.clear(trouble.message, trouble.next_step)

    def _say(self, trouble: Trouble) -> None:
        if self.page is not None:
            self.page.say(Banner("bad", trouble.message, detail=trouble.next_step))

    @Slot()
    def _show_skeleton(self) -> None:
        self.stack.setCurrentIndex(_WAITING)
        self.bar.hide()

    def _idle(self) -> bool:
        """Whether an act may begin: nothing is under way, and the gate has stood here long enough to be meant."""
        session = self.session
        if session is None or session.reading.seen.gate_id != self.gate_id:
            return False
        busy = self.asking.busy or self.sending.on_its_way(self.gate_id) or self.bar.counting
        return not busy and not session.guarded(self._clock.now_us())

    def _may_ask(self) -> bool:
        session = self.session
        if session is None or session.reading.kind not in ("approval", "question", "conflict"):
            return False
        return self._idle() and session.reading.open and session.reading.seen.may_decide and not session.frozen

    @Slot()
    def _always(self) -> None:
        self.allowing.propose(self.gate_id)

    @Slot(object)
    def _tell(self, banner: object) -> None:
        if self.page is not None and isinstance(banner, Banner):
            self.page.say(banner)

    @Slot()
    def _print(self) -> None:
        if self.session is not None:
            self.print_wanted.emit(self.session.reading.seen)
