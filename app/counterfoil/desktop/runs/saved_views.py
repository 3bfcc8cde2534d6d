"""Views of the list of runs that a person has named: which state, which words, of what. They stand in a menu beside the title and in
Ctrl+K."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from PySide6.QtCore import QPoint, QSettings, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from counterfoil.desktop.gate.sheets import WordsSheet
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.keys import keyless
from counterfoil.desktop.run_facts import EVERY, Narrow
from counterfoil.desktop.runs.narrowing import narrow_words
from counterfoil.desktop.theme import font
from counterfoil.desktop.words.plain import one_line, quoted, tip
from counterfoil.desktop.words.runs import CHIPS
from counterfoil.facts import as_sentence

_KEY = "runs/views"
_MOST = 40  # views; more than anybody finds again
_PARTS = ("name", "chip", "words")
_CHIP_WORDS = dict(CHIPS)


@dataclass(frozen=True, slots=True)
class SavedView:
    """A name, the chip that is chosen, the words that are looked for, and to what the list is narrowed."""

    name: str
    chip: str
    words: str
    narrow: Narrow = EVERY

    def shows(self, now: SavedView) -> bool:
        """Whether it is what the list shows now."""
        return replace(now, name=self.name) == self


def suggested(view: SavedView, narrowed: Sequence[str]) -> str:
    """A name to begin with: what is shown, in words; `narrowed` says to what."""
    parts = [one_line(view.words), "" if view.chip == "all" else _CHIP_WORDS[view.chip], *narrowed]
    return ", ".join(part for part in parts if part)


def read_views(kept: object) -> list[SavedView]:
    """Views as they were kept; what cannot be read is left out, since nothing depends on it."""
    try:
        found: Any = json.loads(str(kept))
    except ValueError:
        return []
    views = []
    for entry in found if isinstance(found, list) else []:
        view = _read(entry) if isinstance(entry, dict) else None
        if view is not None:
            views.append(view)
    return views[:_MOST]


def _read(entry: dict[str, Any]) -> SavedView | None:
    kept = entry.get("narrow") or {}
    if not isinstance(kept, dict):
        return None
    name, chip, words = (entry.get(key, "") for key in _PARTS)
    template, schedule, days = kept.get("template", ""), kept.get("schedule", ""), kept.get("days", 0)
    workspace = kept.get("workspace", "")
    texts = all(isinstance(part, str) for part in (name, chip, words, template, schedule, workspace))
    if not texts or not isinstance(days, int) or days < 0 or not name or chip not in _CHIP_WORDS:
        return None
    return SavedView(name, chip, words, Narrow(template, schedule, days, workspace))


class ViewsButton(Button):
    """Opens the menu of saved views.

    Signals:
        view_chosen(SavedView): show this one.
        save_wanted(SavedView): what is shown is to get a name; the view carries the one that is suggested.
    """

    view_chosen = Signal(object)
    save_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__("", "icon", icon="bookmark", name="Saved views")
        self.saved: list[SavedView] = []
        self._settings: QSettings | None = None

    def remember(self, settings: QSettings) -> None:
        """The views of last time; changes are kept there."""
        self._settings = settings
        self.saved = read_views(settings.value(_KEY, "[]"))

    def named(self, name: str) -> SavedView | None:
        """The view of a name."""
        return next((view for view in self.saved if view.name == name), None)

    def keep(self, view: SavedView) -> None:
        """Save a view; one of the same name is replaced in its place, the oldest goes when there are too many."""
        if self.named(view.name) is None:
            self.saved = [*self.saved, view][-_MOST:]
        else:
            self.saved = [view if one.name == view.name else one for one in self.saved]
        self._write()

    def remove(self, name: str) -> None:
        """Take a view away; no run is touched."""
        self.saved = [view for view in self.saved if view.name != name]
        self._write()

    def open_menu(self, now: SavedView, narrowed: Sequence[str]) -> None:
        """The views there are, and what can be done with what is shown now."""
        menu = QMenu(self)
        menu.setFont(font())
        menu.setToolTipsVisible(True)
        for view in self.saved:
            action = self._entry(menu, one_line(view.name), ("show", view))
            action.setCheckable(True)
            action.setChecked(view.shows(now))
            action.setToolTip(tip(suggested(view, narrow_words(view.narrow, (), (), ())) or _CHIP_WORDS["all"]))
        if self.saved:
            menu.addSeparator()
        shown = next((view for view in self.saved if view.shows(now)), None)
        if shown is not None:
            self._entry(menu, f"Remove {quoted(shown.name)}", ("remove", shown))
        elif now == SavedView("", "all", ""):
            self._entry(menu, "Choose a state, search or narrow, then save it here", None).setEnabled(False)
        else:
            view = replace(now, name=suggested(now, narrowed))
            self._entry(menu, "Save this view…", ("save", view))
        menu.triggered.connect(self._triggered)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))

    def _entry(self, menu: QMenu, words: str, data: object) -> QAction:
        action = QAction(keyless(words), menu)
        action.setData(data)
        menu.addAction(action)
        return action

    @Slot(QAction)
    def _triggered(self, action: QAction) -> None:
        act, view = action.data()
        if act == "show":
            self.view_chosen.emit(view)
        elif act == "save":
            self.save_wanted.emit(view)
        else:
            self.remove(view.name)

    def _write(self) -> None:
        if self._settings is not None:
            self._settings.setValue(_KEY, json.dumps([asdict(view) for view in self.saved]))


def name_sheet(over: QWidget, view: SavedView) -> WordsSheet:
    """What is it called?"""
    return WordsSheet(
        over,
        "Save this view",
        question="What is it called?",
        follows=as_sentence(f"It shows runs as the list does now: {view.name}")
        + " It stays in this window's menu and in Ctrl+K.",
        button="Save this view",
        missing="Give it a name first",
        text=view.name,
        one_line=True,
        leave="Leave it",
    )
