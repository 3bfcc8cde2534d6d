"""A form out of field objects of the contract: one editor per type, help below, the problem beside what it is about.

Editors give text, as the command line does; what it means is judged where the types are known, never here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeySequence, QShortcut
from PySide6.QtWidgets import QCheckBox, QComboBox, QFileDialog, QLabel, QLineEdit, QPlainTextEdit, QWidget

from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.combo import Combo
from counterfoil.desktop.parts.day_picker import DayPicker
from counterfoil.desktop.parts.labels import Chip, Label, Prose, repolish, role_font
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.parts.segmented import Segmented
from counterfoil.desktop.parts.tick import Tick
from counterfoil.desktop.theme import font
from counterfoil.desktop.words.choices import choice_words
from counterfoil.desktop.words.numbers import is_money, joined
from counterfoil.desktop.words.plain import plain

_ONE_LINE = 180  # pixels that a field's name has anywhere
_FEW = 4  # so many choices stand side by side
_SHORT, _SHORT_WIDTH = frozenset({"date", "instant", "money", "decimal", "integer", "period", "time"}), 220
_HINTS = {
    "date": "2026-12-31",
    "instant": "2026-12-31T09:00:00Z",
    "money": "10000 EUR",
    "decimal": "0.00",
    "integer": "0",
    "period": "last week",
    "time": "18:00",
}


class LineEdit(QLineEdit):
    """One line with a name."""

    def __init__(self, name: str, hint: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setFont(font(13, figures=True))


class TextBox(QPlainTextEdit):
    """Several lines with a name; Tab goes on, it is not typed."""

    def __init__(self, name: str, hint: str = "", *, height: int = 88) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(hint)
        self.setTabChangesFocus(True)
        self.setFixedHeight(height)
        self.setFont(font(13))


class Ticks(QWidget):
    """Any number of a few choices.

    Signals:
        changed(): a person ticked or unticked one.
    """

    changed = Signal()

    def __init__(self, choices: Sequence[tuple[str, str]], name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        lines = column(self, gap=4)
        self._boxes: dict[str, QCheckBox] = {}
        for key, words in choices:
            box = Tick(words)
            box.setAccessibleDescription(name)
            box.clicked.connect(self.changed)
            self._boxes[key] = box
            put(lines, box)

    def ticked(self) -> list[str]:
        """What is ticked, in the order of the choices."""
        return [key for key, box in self._boxes.items() if box.isChecked()]

    def tick(self, keys: Sequence[str]) -> None:
        """Show these as ticked."""
        for key, box in self._boxes.items():
            box.setChecked(key in keys)


class FieldEditor(QWidget):
    """A label, an editor, and below it the help or what is wrong.

    Signals:
        edited(str): a person changed it; carries the field's name.
        finished(str): a person left a line, or pressed Enter in it.
    """

    edited = Signal(str)
    finished = Signal(str)

    def __init__(self, field: Mapping[str, Any], *, root: str = "", called: Mapping[str, str] | None = None) -> None:
        """`root` is the workspace that folders and files are chosen in; `called` has better words for some choices."""
        super().__init__()
        self._called = called or {}
        self.field = field
        self.name = str(field["name"])
        self._type = str(field["type"])
        self._root = root
        self._help = plain(field.get("help") or "", lines=True)
        words = plain(field.get("label") or self.name.replace("_", " "))
        self._label = words[:1].upper() + words[1:]
        lines = column(self, gap=4)
        self._editor = self._make_editor()
        if not isinstance(self._editor, Tick):
            head = row(gap=8)
            label = _label(self._label)
            label.setBuddy(self._editor)
            self.remembered = Chip("from last time")
            self.remembered.hide()
            optional = Label(_when_needed(field), "caption")
            put(head, label, optional, None, self.remembered)
            put(lines, head)
        line = row(gap=8)
        put(line, self._editor)
        if self._type in ("folder", "file"):
            browse = Button("Choose…", icon="folder-open", name=f"Choose {self._label.lower()}…")
            browse.clicked.connect(self._browse)
            put(line, browse)
        elif self._type == "date" and isinstance(self._editor, LineEdit):
            pick = Button("", "icon", icon="calendar", name=f"Choose {self._label.lower()} from a calendar (F4)")
            pick.clicked.connect(self._pick)
            key = QShortcut(QKeySequence("F4"), self._editor)  # as in every field that opens a list
            key.setContext(Qt.ShortcutContext.WidgetShortcut)
            key.activated.connect(self._pick)
            put(line, pick, None)
        elif isinstance(self._editor, Segmented) or self._type in _SHORT:
            put(line, None)
        put(lines, line)
        self._note = Prose(self._help, "small", tone="text3")
        put(lines, self._note)
        self._note.setVisible(bool(self._help))

    def text(self) -> Any:
        """What is filled in, as text; a list of texts for lists; "" for nothing."""
        editor = self._editor
        if isinstance(editor, QLineEdit):
            written = editor.text().strip()
            return _split(written) if self._type.startswith("list[") else written
        if isinstance(editor, QPlainTextEdit):
            return [line.strip() for line in editor.toPlainText().splitlines() if line.strip()]
        if isinstance(editor, Ticks):
            return editor.ticked()
        if isinstance(editor, QCheckBox):
            return "true" if editor.isChecked() else "false"
        if isinstance(editor, Segmented):
            return editor.chosen
        return str(editor.currentData()) if isinstance(editor, QComboBox) and editor.currentIndex() > 0 else ""

    def fill(self, value: Any) -> None:
        """Show a value without saying that a person changed it."""
        self._editor.blockSignals(True)
        editor = self._editor
        if isinstance(editor, QLineEdit):
            editor.setText(as_text(value))
            editor.setCursorPosition(0)  # what is longer than the field is read from its beginning
        elif isinstance(editor, QPlainTextEdit):
            editor.setPlainText("\n".join(map(as_text, value if isinstance(value, list) else [])))
        elif isinstance(editor, Ticks):
            editor.tick([as_text(one) for one in value] if isinstance(value, list | tuple) else [])
        elif isinstance(editor, QCheckBox):
            editor.setChecked(value in (True, "true"))
        elif isinstance(editor, Segmented):
            editor.choose(as_text(value))
        elif isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(0, editor.findData(as_text(value))))
        self._editor.blockSignals(False)

    def say_problem(self, problem: str) -> None:
        """What is wrong with it; "" puts the help back."""
        self._note.set_tone("bad" if problem else "text3")
        self._note.say(problem or self._help)
        self._note.setVisible(bool(problem or self._help))
        self._editor.setAccessibleDescription(problem or self._help)
        tone = "bad" if problem else ""
        if self._editor.property("tone") != tone:
            self._editor.setProperty("tone", tone)
            repolish(self._editor)

    def say_kept(self, words: str, tone: str = "ok") -> None:
        """What came of it, where its help stands."""
        self.say_problem("")
        self._note.set_tone(tone)
        self._note.say(words)
        self._note.setVisible(bool(words))
        self._editor.setAccessibleDescription(words)

    def focus(self) -> None:
        """Go there."""
        target = self._editor.first() if isinstance(self._editor, Segmented) else self._editor
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_remembered(self, shown: bool) -> None:
        """Whether the value is from last time."""
        if not isinstance(self._editor, Tick):
            self.remembered.setVisible(shown)

    def _make_editor(self) -> QWidget:
        choices = [str(choice) for choice in self.field.get("choices") or ()]  # answered as they are, shown made safe
        if self._type == "boolean" and self.field.get("required") and self.field.get("default") is None:
            both = Segmented([("true", "Yes", ""), ("false", "No", "")], name=self._label, numbered=True)
            both.picked.connect(self._edited)  # a tick that is missing would be no answer
            return both
        if self._type == "boolean":
            box = Tick(self._label)
            box.toggled.connect(self._edited)
            return box
        if choices and self._type.startswith("list["):
            ticks = Ticks([(choice, plain(self._called.get(choice, choice))) for choice in choices], self._label)
            ticks.changed.connect(self._edited)
            return ticks
        if choices and len(choices) <= _FEW:
            options = [(choice, self._called.get(choice) or choice_words(choice), "") for choice in choices]
            segments = Segmented(options, name=self._label, numbered=True)
            segments.picked.connect(self._edited)
            return segments
        if choices:
            combo = Combo(self._label)
            combo.addItem("Choose…")
            for choice in choices:
                combo.addItem(choice_words(choice), choice)
            combo.currentIndexChanged.connect(self._edited)
            return combo
        if self._type == "list[text]":
            box_of_lines = TextBox(self._label, "one per line")
            box_of_lines.textChanged.connect(self._edited)
            return box_of_lines
        hint = "1, 2, 3" if self._type.startswith("list[") else _HINTS.get(self._type, "")
        line = LineEdit(self._label, hint)
        if self._type in _SHORT:
            line.setFixedWidth(_SHORT_WIDTH)
        line.textEdited.connect(self._edited)
        line.editingFinished.connect(self._finished)
        return line

    @Slot()
    def _edited(self) -> None:
        self.set_remembered(False)
        self.edited.emit(self.name)

    @Slot()
    def _finished(self) -> None:
        self.finished.emit(self.name)

    @Slot()
    def _pick(self) -> None:
        picker = DayPicker(f"Choose {self._label.lower()}", str(self.text()), self)
        picker.picked.connect(self._picked)
        picker.open_below(self._editor)

    @Slot(str)
    def _picked(self, day: str) -> None:
        self.fill(day)
        self.focus()
        self._edited()

    @Slot()
    def _browse(self) -> None:
        dialog = QFileDialog(self, f"Choose {self._label.lower()}", self._root)
        if self._type == "folder":
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly, on=True)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self._browsed)
        dialog.open()

    @Slot(str)
    def _browsed(self, path: str) -> None:
        self.fill(relative(path, self._root))
        self._edited()


def _when_needed(field: Mapping[str, Any]) -> str:
    """Beside the label: whether it may be left out, or for which choice it is needed."""
    if field.get("required"):
        return ""
    values = [str(value) for chosen in (field.get("required_when") or {}).values() for value in chosen]
    return f"needed for {joined([choice_words(value) for value in values], 'or')}" if values else "optional"


def relative(path: str, root: str) -> str:
    """A chosen path as a parameter wants it: relative to the workspace where it lies in it."""
    base = root.rstrip("/\\")
    if base and path == base:
        return "."
    return path[len(base) + 1 :] if base and path.startswith((f"{base}/", f"{base}\\")) else path


def _label(words: str) -> QLabel:
    """A field's name; a long one breaks where the room ends, and not before."""
    is_short = QFontMetrics(role_font("small_strong")).horizontalAdvance(words) < _ONE_LINE
    return Label(words, "small_strong") if is_short else Prose(words, "small_strong")


def as_text(value: Any) -> str:
    """A plain value of the contract as a person would type it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping) and is_money(value):
        return f"{value['amount']} {value['currency']}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(as_text, value))
    return str(value)


def _split(written: str) -> list[str]:
    return [part for part in written.replace(",", " ").split() if part]
