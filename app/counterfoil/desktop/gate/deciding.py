"""From the bar to the decision: what its buttons and keys may do now, the sheets, the commit, and the time to take it back.

A decision leaves here only by a click on the bar or Ctrl+Enter with the focus in its pane, never within 400 ms of a change of gate, and
it names the digest that was on the screen.
"""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate.allowing import Allowing
from counterfoil.desktop.gate.asking import Asking
from counterfoil.desktop.gate.bar import GateBar
from counterfoil.desktop.gate.keeping import DraftKeeper
from counterfoil.desktop.gate.page import GatePage
from counterfoil.desktop.gate.sending import Sending
from counterfoil.desktop.gate.session import CLOSED, READY, Primary, Session, may_take_back
from counterfoil.desktop.gate.setting_aside import SettingAside
from counterfoil.desktop.gate.too_late import TooLate
from counterfoil.desktop.gate_facts import Answer, DecisionMade
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.words import gates as words
from counterfoil.desktop.words import times
from counterfoil.desktop.words.asides import waits_for
from counterfoil.desktop.words.people import person
from counterfoil.errors import DiskFull


class Shown(Protocol):
    """The pane with the gate that is decided."""

    gate_id: str
    session: Session | None
    page: GatePage | None
    draft: DraftKeeper

    @property
    def is_guided(self) -> bool:
        """Whether its gate carries the hints of the first run."""

    def look(self) -> None:
        """Ask for the gate once more."""

    def focus_title(self) -> None:
        """Put the focus where reading begins."""


class Deciding(QObject):
    """For the gate that a pane shows.

    Signals:
        decided(str): a decision on this gate was committed.
        settled(str): it took effect.
        undone(str): it was taken back.
    """

    decided = Signal(str)
    settled = Signal(str)
    undone = Signal(str)

    def __init__(self, over: QWidget, shown: Shown, bridge: Bridge, clock: Clock) -> None:
        """`over` and `shown` are the same thing: where sheets open, and what is decided there."""
        super().__init__(over)
        self._over, self._shown, self._bridge, self._clock = over, shown, bridge, clock
        self.bar = GateBar(clock)
        self.bar.hide()
        self.sending = Sending(bridge, self)
        self.asking = Asking(over, bridge)
        self.allowing = Allowing(over, bridge)
        self.aside = SettingAside(over, shown, bridge, clock)
        self.late = TooLate(bridge, self)
        self._connect()

    def leave(self) -> None:
        """Another gate comes: what was decided before stands; its time to take it back is shown at its own gate."""
        self.dismiss()
        self.bar.rest()

    def dismiss(self) -> None:
        """Close the sheets, keeping what was typed."""
        self.asking.dismiss()
        self.allowing.dismiss()
        self.aside.close_sheet()

    def focus_bar(self) -> None:
        """Ctrl+Enter in the list comes here: it moves the focus and decides nothing."""
        session, page = self._shown.session, self._shown.page
        if session is None or page is None:
            return
        primary = session.primary()
        if self.bar.put_off:
            self.bar.undo.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif primary.state == READY:
            self.bar.primary.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.bar.say(f"Ctrl+Enter again: {primary.words}.")
        elif primary.aim:
            page.focus_on(primary.aim)
        else:
            self._shown.focus_title()

    @Slot()
    def act(self) -> None:
        """The primary button, or Ctrl+Enter in the pane."""
        session, page = self._shown.session, self._shown.page
        if session is None or not self._idle():
            return
        primary = session.primary()
        if primary.state == READY:
            self._decide(session.answer())
        elif primary.state != CLOSED and page is not None:
            page.focus_on(primary.aim)

    @Slot()
    def send_back(self) -> None:
        """Open the sheet “What should be different?”."""
        session = self._shown.session
        if session is not None and self._may_ask():
            self.asking.send_back(session)

    @Slot()
    def reject(self) -> None:
        """Open the sheet that asks why not."""
        session = self._shown.session
        if session is not None and self._may_ask():
            self.asking.reject(session)

    @Slot()
    def change(self) -> None:
        """Open the sheet with what may be changed."""
        session = self._shown.session
        if session is not None and session.reading.seen.editable and self._may_ask():
            self.asking.change(session)

    @Slot()
    def always(self) -> None:
        """Look for rules that would have spared this gate."""
        self.allowing.propose(self._shown.gate_id)

    @Slot()
    def undo(self) -> None:
        """Take the decision back while that is possible; or see again what was just snoozed."""
        if self.bar.put_off:
            self.bar.put_off = False
            self.aside.wake()
        elif self.bar.counting:
            self.sending.take_back(self._shown.gate_id)

    @Slot(object)
    def pick(self, choice: object) -> None:
        """An answer of a doubt or a failure: a sheet follows, except for trying again."""
        session = self._shown.session
        if session is None or not self._idle():
            return
        if choice == "retry":
            self.asking.retry(session)
        elif choice == "file":
            self.asking.other_file(session)
        else:
            self.asking.trouble(session, str(choice))

    def show_bar(self) -> None:
        """The bar as the gate stands: decided lately, or what can be done."""
        session = self._shown.session
        if session is None:
            return
        reading = session.reading
        made = may_take_back(reading, self._clock.now_us())
        if self.bar.put_off and reading.seen.asleep_until is not None:
            return
        if made is not None:
            self._show_done(*made)
            return
        trouble = reading.kind in ("doubt", "failure")
        self.bar.setVisible(reading.open and not trouble)
        due = times.iso_instant(str(reading.seen.document.get("due_at")))
        asked = waits_for(reading.seen.document, reading.seen.me)
        who = person(asked) if asked else ""
        sends = bool(reading.effects_first)
        silence = words.silence(due, reading.seen.document.get("on_due"), self._clock.now_us(), who, sends=sends)
        hint = "Nothing has been written yet. " if self._shown.is_guided else ""
        self.bar.show_open(
            silence=f"{hint}{silence}",
            can_decide=reading.open and reading.seen.may_decide and not session.frozen,
            can_change=bool(reading.seen.editable),
            can_refuse=not trouble and reading.kind != "budget",
        )
        self.bar.show_primary(session.primary())

    def show_primary(self) -> None:
        """What the button says now; while a decision is on its way it says that."""
        session = self._shown.session
        if session is not None and not self.sending.on_its_way(self._shown.gate_id):
            self.bar.show_primary(session.primary())

    @Slot(object)
    def tell(self, banner: object) -> None:
        """Put it above the gate."""
        if self._shown.page is not None and isinstance(banner, Banner):
            self._shown.page.say(banner)

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
        self.sending.late.connect(self._too_late)
        self.late.said.connect(self._say_late)
        self.asking.given.connect(self._decide)
        self.asking.carried_on.connect(self.decided)
        self.asking.refused.connect(self._refused)
        self.asking.changed.connect(self._changed)
        self.asking.typed.connect(self._typed)
        self.allowing.said.connect(self.tell)
        self.bar.more_wanted.connect(self._more)
        self.aside.put_off.connect(self.bar.show_put_off)
        self.aside.refused.connect(self._refused)

    @Slot()
    def _more(self) -> None:
        self.aside.open_menu(self.bar.more)

    @Slot()
    def _typed(self) -> None:
        self._shown.draft.keep()

    @Slot(object)
    def _decide(self, answer: Answer) -> None:
        self._shown.draft.flush()
        if self.bar.primary.hasFocus():
            self._shown.focus_title()  # it is off now: else the keyboard would stand on whichever button comes next
        self.bar.show_primary(Primary("Keeping your decision…", CLOSED))
        self.sending.decide(answer)
        self._shown.draft.stood()

    @Slot(object)
    def _decided(self, made: DecisionMade) -> None:
        if made.gate_id != self._shown.gate_id:
            return
        self._show_done(made.verdict, made.effective_at)
        self._shown.focus_title()
        self.decided.emit(made.gate_id)
        self._shown.look()

    def _show_done(self, verdict: str, until_us: int) -> None:
        self.bar.show()
        self.bar.show_done(verdict, until_us, hint=self._shown.is_guided)

    @Slot(str, object)
    def _refused(self, gate_id: str, trouble: Trouble) -> None:
        """A decision, or taking it back, was refused; the person may look at another gate by now."""
        if gate_id != self._shown.gate_id:
            self._bridge.troubled.emit(trouble)
            return
        if trouble.code == DiskFull.code:
            self._bridge.troubled.emit(trouble)  # the frame has the way to what takes space
        else:
            self.tell(Banner("bad", trouble.message, detail=trouble.next_step))
        self.show_bar()
        self._shown.look()

    @Slot(str, object)
    def _too_late(self, gate_id: str, trouble: Trouble) -> None:
        session = self._shown.session
        if session is None or gate_id != self._shown.gate_id:
            self._bridge.troubled.emit(trouble)
            return
        self.late.tell(gate_id, str(session.reading.seen.document["run_id"]), trouble)
        self.show_bar()
        self._shown.look()

    @Slot(str, object, object)
    def _say_late(self, gate_id: str, banner: Banner, trouble: Trouble) -> None:
        session, page = self._shown.session, self._shown.page
        if session is None or page is None or session.reading.seen.gate_id != gate_id:
            self._bridge.troubled.emit(trouble)
        else:
            self.late.stand(gate_id, page, banner)

    @Slot(str)
    def _undone(self, gate_id: str) -> None:
        self.undone.emit(gate_id)
        if gate_id == self._shown.gate_id:
            self._leave_undo()
            self.bar.show_open(silence="", can_decide=True, can_change=False, can_refuse=True)
            self.show_primary()  # the decided gate may never have been shown, then nothing is built anew
            self._shown.look()

    @Slot()
    def _settled(self) -> None:
        self._leave_undo()
        self.settled.emit(self._shown.gate_id)
        self._shown.look()

    def _leave_undo(self) -> None:
        """Its button goes: the keyboard is led to where reading begins, not on to whichever button comes next."""
        if self.bar.undo.hasFocus():
            self._shown.focus_title()

    @Slot(object)
    def _changed(self, edits: dict[str, dict[str, object]]) -> None:
        session = self._shown.session
        if session is None or self._shown.page is None:
            return
        session.edits = edits
        if edits:
            self.tell(Banner("info", "Changed by you. The changed effect is judged again before it is performed."))
        self.show_primary()
        self._shown.draft.keep()

    def _idle(self) -> bool:
        """Whether an act may begin: nothing is under way or lies over the gate, and it has stood here long enough to be meant."""
        session, gate_id = self._shown.session, self._shown.gate_id
        if session is None or session.reading.seen.gate_id != gate_id:
            return False
        busy = self.asking.busy or self.sending.on_its_way(gate_id) or self.bar.counting
        busy = busy or self.bar.put_off  # its button is not there: what is snoozed is woken first
        busy = busy or any(not sheet.isHidden() for sheet in self._over.findChildren(Sheet))
        return not busy and not session.guarded(self._clock.now_us())

    def _may_ask(self) -> bool:
        session = self._shown.session
        if session is None or session.reading.kind not in ("approval", "question", "conflict"):
            return False
        return self._idle() and session.reading.open and session.reading.seen.may_decide and not session.frozen
