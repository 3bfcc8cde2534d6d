"""Which sheet opens for what, and the decision that comes out of it. One sheet at a time; closing one decides nothing."""

from __future__ import annotations

import functools
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.gate.file_sheet import OtherFileSheet
from counterfoil.desktop.gate.reading import plan_words
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.gate.sheets import ChangeSheet, WordsSheet, reject_sheet, send_back_sheet, stop_sheet
from counterfoil.desktop.gate.trouble import is_mail, title_of
from counterfoil.desktop.gate_facts import Answer
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.protection.asking import Act, ProtectionAsking

_WHY = "skip why"  # what a draft calls the reason beside a value
_TROUBLE_BUTTONS = (("It happened", "It went out"), ("Do it once", "Send it once"))


class Asking(QObject, OneSheet[Sheet]):
    """Opens the sheets of one pane.

    Signals:
        given(Answer): a sheet's button was pressed.
        changed(dict): edits by plan number.
        typed(): something was typed that is kept.
        carried_on(str): the run of this gate goes on with the protection there is.
        refused(str, Trouble): it does not.
    """

    given = Signal(object)
    changed = Signal(object)
    typed = Signal()
    carried_on = Signal(str)
    refused = Signal(str, object)

    def __init__(self, over: QWidget, bridge: Bridge) -> None:
        super().__init__(over)
        self._over = over
        self.protection = ProtectionAsking(over, bridge)
        self._session: Session | None = None
        self._choice = ""

    def dismiss(self) -> None:
        """Close what is open, keeping what was typed."""
        self.close_sheet()
        self.protection.leave()

    def go_on(self, session: Session) -> None:
        """The pane has looked again while a sheet is open: what is typed from now on is kept there, where it still asks the same."""
        before = self._session
        if before is not None and before.reading.seen.gate_id == session.reading.seen.gate_id:
            self._session = session if before.reading.digest == session.reading.digest else before

    @property
    def busy(self) -> bool:
        """Whether something is asked."""
        return self.sheet is not None or self.protection.busy

    def retry(self, session: Session) -> None:
        """Trying again needs no word. For want of protection an answer alone is no leave: the run's own retry asks for that."""
        seen = session.reading.seen
        if seen.about.get("why") != "protection":
            self.given.emit(session.chosen("retry"))
            return
        run_id = str(seen.document["run_id"])
        self.protection.attempt(
            Act(
                folder=PurePath(seen.workspace).name,
                question=lambda office, agreed: office.try_again(run_id, agreed),
                done=functools.partial(self._carried_on, seen.gate_id),
                failed=functools.partial(self.refused.emit, seen.gate_id),
                left=_nothing,
            )
        )

    def _carried_on(self, gate_id: str, _none: object) -> None:
        self.carried_on.emit(gate_id)

    def send_back(self, session: Session) -> None:
        """What should be different?"""
        self._open_words(
            session, send_back_sheet(self._over, session.comment, session.reading.seen.sent_back), "returned"
        )

    def reject(self, session: Session) -> None:
        """Why not?"""
        follows = next((line for line in session.reading.consequences if line.startswith("If you reject")), "")
        sheet = reject_sheet(
            self._over,
            session.comment,
            what=plan_words(session.reading),
            follows=follows or "The run ends as Rejected.",
        )
        self._open_words(session, sheet, "rejected")

    def change(self, session: Session) -> None:
        """What the author lets people change."""
        bodies = dict(enumerate(session.reading.seen.bodies, 1))
        sheet = ChangeSheet(self._over, session.reading.seen.editable, bodies, session.edits, session.words)
        sheet.changed.connect(self.changed)
        sheet.typed.connect(self._changing)
        self._open(session, sheet)

    def other_file(self, session: Session) -> None:
        """Which file takes the place of which."""
        seen = session.reading.seen
        sheet = OtherFileSheet(self._over, seen.about["files"], seen.workspace, session.words.get("file", ""))
        self._choice = "file"
        sheet.typed.connect(self._typed)
        sheet.given.connect(self._file_given)
        self._open(session, sheet)

    def trouble(self, session: Session, choice: str) -> None:
        """The word that an answer to a doubt or a failure needs."""
        sheet = self._trouble_sheet(choice, session)
        self._open_words(session, sheet, choice)

    def _trouble_sheet(self, choice: str, session: Session) -> WordsSheet:
        about, text = session.reading.seen.about, session.words.get(choice, "")
        if choice == "stop":
            return stop_sheet(self._over, "this run", text)
        if choice == "skip":
            question = "Which value should it go on with?"
            follows = "The run goes on without this step. The value and the reason are kept with your name."
            return WordsSheet(
                self._over,
                title_of(choice, about),
                question=question,
                follows=follows,
                button="Go on with this value",
                missing="Give a value first",
                text=text,
                why=session.words.get(_WHY, ""),
            )
        sends = choice == "not_happened"
        return WordsSheet(
            self._over,
            title_of(choice, about),
            question="How do you know?",
            follows="It is done once more, now, with the same key."
            if sends
            else "It counts as done and is not tried again.",
            button=_TROUBLE_BUTTONS[sends][is_mail(about)],
            missing="Say how you know first",
            text=text,
            one_line=True,
        )

    def _open_words(self, session: Session, sheet: WordsSheet, choice: str) -> None:
        self._choice = choice
        sheet.typed.connect(self._typed)
        sheet.given.connect(self._given)
        self._open(session, sheet)

    def _open(self, session: Session, sheet: Sheet) -> None:
        self._session = session
        self.open_sheet(sheet, sheet.editor if isinstance(sheet, WordsSheet) else None)

    @Slot(str)
    def _given(self, text: str) -> None:
        session = self._session
        if session is not None:
            self.given.emit(_answer(session, self._choice, text))

    @Slot(str, str)
    def _file_given(self, file: str, place: str) -> None:
        if self._session is not None:
            self.given.emit(self._session.with_file(file, place))

    @Slot(str)
    def _typed(self, text: str) -> None:
        """One reason serves sending back and rejecting; what a doubt or a failure asks has words of its own."""
        if self._session is None:
            return
        if self._choice in ("returned", "rejected"):
            self._session.comment = text
        else:
            self._session.type(self._choice, text)
            if isinstance(self.sheet, WordsSheet) and self.sheet.why is not None:
                self._session.type(_WHY, self.sheet.reason())
        self.typed.emit()

    @Slot(str, str)
    def _changing(self, place: str, text: str) -> None:
        if self._session is not None:
            self._session.type(place, text)
            self.typed.emit()


def _nothing() -> None:
    """Left alone, a gate stays open."""


def _answer(session: Session, choice: str, text: str) -> Answer:
    made: dict[str, Any] = {"returned": session.sent_back, "rejected": session.rejection}
    if choice in made:
        answer: Answer = made[choice](text)
        return answer
    if choice == "skip":
        return session.chosen(choice, result=text, comment=session.words.get(_WHY, ""))
    return session.chosen(choice, comment=text)
