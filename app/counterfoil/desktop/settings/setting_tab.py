"""What the tabs share: fields that are kept when they are left, each with what came of it beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QBoxLayout, QWidget

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.boxes import Box, Nothing
from counterfoil.desktop.parts.form import FieldEditor, as_text
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.loaded_tab import LoadedTab
from counterfoil.desktop.words.plain import plain


class SettingTab(LoadedTab):
    """Cards that are made once; looking again changes what stands in them, but nothing that a person is typing."""

    def __init__(self, bridge: Bridge, loading: str) -> None:
        nothing = Nothing("settings", "What is set cannot be read.", "What to do about it stands above.")
        super().__init__(bridge, nothing, loading)
        self._kept: dict[FieldEditor, Any] = {}

    def made(self) -> bool:
        """Whether there are cards already."""
        return self.cards.count() > 0

    def show_kept(self, editor: FieldEditor, value: Any) -> None:
        """What is kept; a field that holds something else, or is being typed in, stays as it is."""
        if editor not in self._kept or editor.text() == self._kept[editor]:
            editor.fill(as_text(value))
        self._kept[editor] = editor.text()

    def has_changed(self, editor: FieldEditor) -> bool:
        """Whether a person has put something else there than what is kept."""
        return bool(editor.text() != self._kept.get(editor))

    def keep(self, editor: FieldEditor, act: Callable[[Office], str], *beside: FieldEditor) -> None:
        """Do what a field says, and tell beside it what came of it; `beside` are fields that are kept with it."""
        texts = {one: one.text() for one in (editor, *beside)}

        def kept(sentence: str) -> None:
            self._kept.update(texts)
            for one in beside:
                one.say_problem("")
            editor.say_kept(plain(sentence))
            self.load()

        def refused(trouble: Trouble) -> None:
            editor.say_problem(plain(f"{trouble.message} {trouble.next_step}".strip()))

        self.bridge.ask(self, act, kept, refused)


def card(title: str, words: str, *things: QWidget | QBoxLayout) -> Box:
    """A card with its title, a quieter sentence, and what can be set."""
    made = Box("card", gap=10)
    made.put(Label(title, "h2"))
    if words:
        made.put(Prose(words, "small"))
    return made.put(*things)


def field(name: str, kind: str, label: str, words: str, choices: Sequence[str] = ()) -> Mapping[str, Any]:
    """A field as a form wants it."""
    made = {"name": name, "type": kind, "label": label, "help": words, "required": kind != "boolean"}
    return {**made, "choices": list(choices)} if choices else made
