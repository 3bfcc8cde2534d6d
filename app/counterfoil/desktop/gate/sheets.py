"""The sheets of a gate: send back, reject, change, and the answers of a doubt or a failure that need a word. Each repeats what follows."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.boxes import Box, Quote
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import LineEdit, TextBox, as_text
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import put
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.words.plain import plain
from counterfoil.desktop.words.runs import step_name

_KINDS = 3  # of effects that a button beside another one counts in the smallest window


class WordsSheet(Sheet):
    """Asks for one text, and where that is no reason itself for a reason as well (`why`), then acts.

    Signals:
        typed(str): at every stroke, so that it can be kept.
        given(str): the text, when the button is pressed.
    """

    typed = Signal(str)
    given = Signal(str)

    def __init__(
        self,
        over: QWidget,
        title: str,
        *,
        question: str,
        follows: str,
        button: str,
        missing: str = "Give a reason first",
        kind: str = "primary",
        needed: bool = True,
        text: str = "",
        one_line: bool = False,
        leave: str = "Keep open",
        why: str | None = None,
    ) -> None:
        super().__init__(title, over)
        self.why = None if why is None else LineEdit("Why?")
        self._needed = needed
        self.body.addWidget(Label(question, "small_strong", wrap=True))
        self.editor: LineEdit | TextBox = LineEdit(question) if one_line else TextBox(question, height=120)
        if isinstance(self.editor, LineEdit):
            self.editor.setText(text)
            self.editor.textEdited.connect(self._edited)
        else:
            self.editor.setPlainText(text)
            self.editor.moveCursor(QTextCursor.MoveOperation.End)  # one goes on with what was kept
            self.editor.textChanged.connect(self._edited)
        self.body.addWidget(self.editor)
        if self.why is not None:
            self.why.setText(why)
            self.why.textEdited.connect(self._edited)
            put(self.body, Label("Why?", "small_strong"), self.why)
        self.body.addWidget(Box("quiet").put(Prose(follows, "body2")))
        self.act = Button(button, kind)
        self.act.clicked.connect(self._act)
        cancel = Button(leave, "quiet")
        cancel.clicked.connect(self.dismiss)
        put(self.foot, self.act, None, cancel)
        self._label, self._missing = button, missing
        self._edited()

    def text(self) -> str:
        """What was typed."""
        return _text_of(self.editor).strip()

    def reason(self) -> str:
        """The reason that stands beside the text; "" where none is asked for."""
        return "" if self.why is None else self.why.text().strip()

    @Slot()
    def _edited(self) -> None:
        there = bool(self.text()) or not self._needed
        able = there and (self.why is None or bool(self.reason()))
        self.act.setEnabled(able)
        self.act.say(self._label if able else "Give a reason first" if there else self._missing)
        self.typed.emit(self.text())

    @Slot()
    def _act(self) -> None:
        text = self.text()
        self.dismiss()
        self.given.emit(text)


def send_back_sheet(over: QWidget, text: str, follows: str) -> WordsSheet:
    """What should be different? `follows` says what the run will do."""
    return WordsSheet(
        over,
        "Send back",
        question="What should be different?",
        follows=follows,
        button="Send back",
        missing="Say what to change first",
        text=text,
    )


def reject_sheet(over: QWidget, text: str, *, what: str, follows: str) -> WordsSheet:
    """Why not? `what` is counted: 3 files, 12 moves; of more kinds than the button has room for it says that it is all of it."""
    counted = what if len(what.split(", ")) <= _KINDS else "all of it"
    return WordsSheet(
        over,
        "Reject",
        question="Why not?",
        follows=follows,
        button=f"Reject {counted}" if counted else "Reject",
        kind="danger",
        text=text,
    )


def stop_sheet(over: QWidget, run: str, text: str = "", leave: str = "Keep open") -> WordsSheet:
    """Stop a run, with a reason that is kept."""
    return WordsSheet(
        over,
        f"Stop {run}",
        question="Why?",
        follows="Nothing more is written or sent. What was done stays, and stays listed. Its open questions are withdrawn.",
        button="Stop this run",
        kind="danger",
        text=text,
        one_line=True,
        leave=leave,
    )


def note_sheet(over: QWidget, number: int) -> WordsSheet:
    """What was found out of a run of which not everything was undone."""
    return WordsSheet(
        over,
        f"Write a note on run {number}",
        question="What did you find out?",
        follows="The note stays with the run and in the Trail. The run needs no more care then. Nothing else changes.",
        button="Keep the note",
        missing="Write the note first",
        leave="Leave it",
    )


def _called(body: Mapping[str, Any], n: int) -> str:
    """An effect of several that can be changed: the mail to whom, else its name and number."""
    to = body["args"].get("to")
    return f"{n}. Mail to {plain(as_text(to))}" if to else f"{n}. {step_name(str(body['kind']))}"


class ChangeSheet(Sheet):
    """Change what the author lets people change: old value beside new.

    Signals:
        changed(dict): edits by plan number: {"1": {"subject": "…"}}.
        typed(str, str): in which place, and what stands there, at every stroke; "" once it is kept, or left as it was.
    """

    changed = Signal(object)
    typed = Signal(str, str)

    def __init__(
        self,
        over: QWidget,
        editable: Mapping[int, tuple[str, ...]],
        bodies: Mapping[int, Mapping[str, Any]],
        edits: Mapping[str, Mapping[str, Any]],
        words: Mapping[str, str],
    ) -> None:
        super().__init__("Change before approving", over)
        self._words = words
        self._fields: list[tuple[int, str, Any, LineEdit | TextBox]] = []
        for n, names in editable.items():
            args = bodies[n]["args"]
            if len(editable) > 1:
                self.body.addWidget(Label(_called(bodies[n], n), "h2", wrap=True))
            for name in names:
                old = args.get(name)
                now = edits.get(str(n), {}).get(name, old)
                self._add(n, name, old, now)
        keep = Button("Keep these changes", "primary", icon="check")
        keep.clicked.connect(self._keep)
        cancel = Button("Leave as it was", "quiet")
        cancel.clicked.connect(self._leave)
        put(self.foot, keep, None, cancel)

    def _add(self, n: int, name: str, old: Any, now: Any) -> None:
        title = plain(name.replace("_", " "))
        title = f"{title[:1].upper()}{title[1:]}"
        if self._fields:
            self.body.addSpacing(8)
        self.body.addWidget(Label(title, "small_strong"))
        self.body.addWidget(Quote(plain(as_text(old), lines=True), "As it was asked"))
        place = _place(n, name)
        text = self._words.get(place, as_text(now))
        editor: LineEdit | TextBox
        if isinstance(old, str) and ("\n" in old or len(old) > 80):
            editor = TextBox(f"New {title}", height=160)
            editor.setPlainText(text)
            editor.textChanged.connect(functools.partial(self._typed, place, editor))
        else:
            editor = LineEdit(f"New {title}")
            editor.setText(text)
            editor.textEdited.connect(functools.partial(self._typed, place, editor))
        self.body.addWidget(editor)
        self._fields.append((n, name, old, editor))

    @Slot()
    def _keep(self) -> None:
        edits: dict[str, dict[str, Any]] = {}
        for n, name, old, editor in self._fields:
            text = _text_of(editor)
            value: Any = [part.strip() for part in text.split(",") if part.strip()] if isinstance(old, list) else text
            if value != old:
                edits.setdefault(str(n), {})[name] = value
        self._leave()
        self.changed.emit(edits)

    @Slot()
    def _leave(self) -> None:
        """What was typed has become an edit, or is not wanted."""
        for n, name, _old, _editor in self._fields:
            self.typed.emit(_place(n, name), "")
        self.dismiss()

    def _typed(self, place: str, editor: LineEdit | TextBox, *_text: str) -> None:
        self.typed.emit(place, _text_of(editor))


def _place(n: int, name: str) -> str:
    """What a draft calls the text of one field that is being changed."""
    return f"change {n} {name}"


def _text_of(editor: LineEdit | TextBox) -> str:
    return editor.text() if isinstance(editor, LineEdit) else editor.toPlainText()
