"""What a schedule's template wants to know each time, as fields in the editor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal, Slot

from counterfoil.desktop.parts.boxes import Pane
from counterfoil.desktop.parts.form import FieldEditor
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import empty, put
from counterfoil.desktop.template_facts import TemplateSeen
from counterfoil.desktop.words.plain import quoted

_DATE_HELP = "A date, or words that count from the planned day: planned day + 3 business days, start of last week, end of this month."


class TemplateFields(Pane):
    """The fields of one template, none at first.

    Signals:
        edited(): a person has changed one.
    """

    edited = Signal()

    def __init__(self) -> None:
        super().__init__("panel", gap=16)
        self.editors: list[FieldEditor] = []
        self._touched: set[str] = set()

    def clear(self) -> None:
        """No template."""
        empty(self.lines)
        self.editors = []

    def forget(self) -> None:
        """Another schedule is written: nobody has touched a field of it."""
        self.clear()
        self._touched.clear()

    def show_template(self, seen: TemplateSeen, given: Mapping[str, Any], root: str) -> None:
        """The fields of this one, filled with what is given; `root` is the folder that paths are looked up in."""
        self.clear()
        if seen.fields:
            self.put(Label(f"What {quoted(seen.card.title)} wants to know each time", "h2", wrap=True))
        for entry in seen.fields:
            helped = {**entry, "help": _date_help(entry)} if entry["type"] == "date" else entry
            editor = FieldEditor(helped, root=root)
            editor.fill(given.get(editor.name, entry.get("default")))
            editor.edited.connect(self._touch)
            self.editors.append(editor)
            put(self.lines, editor)

    def values(self) -> dict[str, Any]:
        """What is filled in, by name."""
        return {editor.name: editor.text() for editor in self.editors if editor.text() not in ("", [])}

    def say_problems(self, problems: Mapping[str, str], *, every: bool) -> None:
        """What is wrong, by name; with `every`, of fields too that nobody has been to."""
        for editor in self.editors:
            shown = every or editor.name in self._touched or bool(editor.text())
            editor.say_problem(problems.get(editor.name, "") if shown else "")

    def focus_wrong(self, problems: Mapping[str, str]) -> None:
        """Go to the first field that has a problem, or to the first."""
        wrong = [editor for editor in self.editors if editor.name in problems] or self.editors
        if wrong:
            wrong[0].focus()

    @Slot(str)
    def _touch(self, name: str) -> None:
        self._touched.add(name)
        self.edited.emit()


def _date_help(entry: Mapping[str, Any]) -> str:
    said = str(entry.get("help") or "")
    return f"{said.rstrip('.')}. {_DATE_HELP}" if said else _DATE_HELP
