"""The sections below the answers, one builder per kind of evidence. What the window does not know is shown as labelled text: a gate
can always be decided."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.gate.arguments import facts_of
from counterfoil.desktop.gate.facts import Fact
from counterfoil.desktop.gate.facts_grid import FactsGrid
from counterfoil.desktop.gate.reading import Section, mark_of
from counterfoil.desktop.parts.boxes import Box, Quote
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.parts.search import SearchField
from counterfoil.desktop.parts.text_page import TextPage
from counterfoil.desktop.tables.adapter import TableAdapter
from counterfoil.desktop.tables.diff_view import DiffView
from counterfoil.desktop.tables.table import RESULT, Table
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count, number
from counterfoil.desktop.words.plain import one_line, plain
from counterfoil.desktop.words.traces import own_lines
from counterfoil.desktop.words.values import shown
from counterfoil.previews.texts import unified

_LONG_TITLE = 380  # pixels up to which a title keeps one line
_FILTERED = 10  # tables longer than this get a field to filter by
READ = 3000  # signs up to which a text is shown as prose
_SHOWN = 200_000  # signs of a text that are shown at all
_GOES_ON = "↪ "
_LINE = 2_000  # signs of a line; a longer one takes a tenth of a second to lay out


class SectionBox(QWidget):
    """A titled part of the page; `anchor` is what the index goes to."""

    def __init__(self, section: Section) -> None:
        super().__init__()
        self.section = section
        self.lines = column(self, gap=8)
        self.head = row(gap=8)
        self.title = Label(section.title, "h2")
        long = QFontMetrics(self.title.font()).horizontalAdvance(section.title) > _LONG_TITLE
        self.title.setWordWrap(long)
        self.head.addWidget(self.title, 1000 if long else 0)  # before the stretch: it breaks where the room ends
        if section.count is not None:
            put(self.head, Label(number(section.count), "body2"))
        self.head.addStretch(1)
        put(self.lines, self.head)
        self.setAccessibleName(section.title)


class TableSection(SectionBox):
    """A table with its filter and copying.

    Signals:
        held_changed(tuple): numbers of the held rows.
        looked_at(tuple): a row is to be shown whole; the part's title, its table and the line.
    """

    held_changed = Signal(object)
    looked_at = Signal(object)

    def __init__(self, section: Section, *, holdable: bool, held: tuple[int, ...]) -> None:
        super().__init__(section)
        table = section.table or Table((), ())
        self.adapter = TableAdapter(table, holdable=holdable)
        self.adapter.hold(held)
        self.adapter.held_changed.connect(self._held)
        self.table = TableView(self.adapter, section.title)
        self.table.opened.connect(self._opened)
        if len(table.lines) > _FILTERED:
            field = SearchField(f"Filter {section.title.lower()}")
            field.setPlaceholderText("Filter")
            field.setFixedWidth(190)
            field.textChanged.connect(self.adapter.wanted)
            put(self.head, field)
        copy = Button("", "icon", icon="copy", name=f"Copy {section.title.lower()} (all rows, in full)")
        copy.clicked.connect(self.table.copy_rows)
        put(self.head, copy)
        card = Box("card", gap=0, margins=(1, 1, 1, 1))
        card.put(self.table.captioned())
        put(self.lines, card)
        passed = table.count_of(RESULT, "Passed")
        if passed:
            self.adapter.hide_rows("Passed")
            more = Button(
                f"Show {count(passed, 'check')} that passed" if passed > 1 else "Show the check that passed", "link"
            )
            more.clicked.connect(self._show_all)
            put(self.lines, more)
        self._card = card
        self._nothing = Label("Every check passed." if passed else "This table has no rows.", "body2")
        if not self.adapter.lines:
            card.hide()
            self.lines.insertWidget(1, self._nothing)
        if source := one_line(section.entry.get("source") or ""):
            put(self.lines, Label(_whose(source), "caption", wrap=True))

    @Slot()
    def _show_all(self) -> None:
        """Passed checks are folded to their count until they are asked for."""
        self.adapter.hide_rows("")
        self._card.show()
        self._nothing.hide()
        button = self.sender()
        if isinstance(button, Button):
            button.hide()

    @Slot(int)
    def _opened(self, number: int) -> None:
        line = next((one for one in self.adapter.lines if one.number == number), None)
        if line is not None:
            self.looked_at.emit((self.section.title, self.adapter.table, line))

    @Slot()
    def _held(self) -> None:
        self.held_changed.emit(self.adapter.held)


class TraceBox(Box):
    """What went wrong in the author's lines; the whole traceback unfolds."""

    def __init__(self, trace: str, own: Sequence[str], kind: str, tries: int) -> None:
        super().__init__("card", gap=8)
        self._trace = trace
        tried = f" after {count(tries, 'try')}" if tries > 1 else ""
        self.put(Prose(f"{kind or 'It stopped'}{tried}{', raised here:' if own else '.'}", "small"))
        for line in own:
            self.put(Prose(line, "mono"))
        self.more = Button("Show the whole traceback", "link", icon="chevron-right")
        self.more.clicked.connect(self._unfold)
        line_of_more = row()
        put(line_of_more, self.more, None)
        self.put(line_of_more)

    @Slot()
    def _unfold(self) -> None:
        self.more.hide()
        self.put(long_text(self._trace, "Traceback", ""))


def build(section: Section, today: date) -> SectionBox:
    """The widget of a section that needs nobody else; tables, files and sources are made by their own classes."""
    box = SectionBox(section)
    put(box.lines, _BUILDERS.get(section.kind, _unknown)(section, today))
    return box


def _fields(section: Section, today: date) -> QWidget:
    pairs = _pairs(section.entry.get("data"))
    facts = [Fact(plain(name), shown(value, today), mark=mark_of(plain(name))) for name, value in pairs]
    if not facts:
        return _unknown(section, today)
    box = Box("card").put(FactsGrid(facts))
    if source := one_line(section.entry.get("source") or ""):
        box.put(Label(_whose(source), "caption", wrap=True))
    return box


def _text(section: Section, _today: date) -> QWidget:
    text = plain(section.entry.get("data") or "", lines=True)
    source = one_line(section.entry.get("source") or "")
    if len(text) > READ:
        return long_text(text, section.title, source)
    return Quote(text, _whose(source)) if source else Box("card").put(Prose(text))


def _whose(source: str) -> str:
    return source if source.startswith(("Written by", "Quoted from")) else f"Quoted from {source}"


def long_text(text: str, title: str, source: str) -> QWidget:
    """A text that is too long to stand in the page: scrolled in itself, with whose it is below."""
    box = Box("quote", gap=2, margins=(4, 4, 1, 8))
    shown = _folded(text[:_SHOWN])
    box.put(TextPage(shown, title))
    if len(text) > _SHOWN:
        box.put(Label(f"The first {_SHOWN:,} of {len(text):,} signs. The whole is in the file.", "caption", wrap=True))
    if len(shown) > len(text[:_SHOWN]):
        box.put(
            Label(f"Lines of more than {_LINE:,} signs go on below, after “{_GOES_ON.strip()}”.", "caption", wrap=True)
        )
    if source:
        line = row(margins=(14, 0, 14, 0))
        put(line, Label(_whose(source), "caption", wrap=True))
        box.put(line)
    return box


def _folded(text: str) -> str:
    """Lines that are too long go on below; a sign that stands nowhere else says so."""
    return "\n".join(
        f"\n{_GOES_ON}".join(line[at : at + _LINE] for at in range(0, len(line), _LINE)) if len(line) > _LINE else line
        for line in text.split("\n")
    )


def _known(section: Section, today: date) -> QWidget:
    """A doubt: when it began, what it was given, and the key it went out with."""
    about = section.entry
    began = about.get("began_at")
    facts = (
        [Fact("Began", f"{times.date_words(times.local(began).date(), today)} {times.clock_seconds(began)}")]
        if began
        else []
    )
    facts += facts_of(dict(about.get("facts") or ()), today)
    facts += [Fact("Key", plain(about["key"]))] if about.get("key") else []
    return Box("card").put(FactsGrid(facts)) if facts else _unknown(section, today)


def _trace(section: Section, _today: date) -> QWidget:
    """A failure: the author's own lines, and the rest when it is asked for."""
    error = section.entry.get("error") or {}
    trace = plain(error.get("traceback") or "", lines=True)
    return TraceBox(trace, own_lines(trace), one_line(error.get("type") or ""), int(section.entry.get("attempts") or 0))


def _diff(section: Section, today: date) -> QWidget:
    data = section.entry.get("data")
    if not isinstance(data, str):
        return _unknown(section, today)
    return Box("card", gap=0, margins=(1, 6, 1, 6)).put(DiffView(unified(data), section.title))


def _story(section: Section, _today: date) -> QWidget:
    box = Box("card", gap=6)
    lines: Sequence[str] = section.entry.get("lines") or ()
    for line in lines[:7]:
        box.put(Prose(plain(line), "body2"))
    return box


def _unknown(section: Section, _today: date) -> QWidget:
    """Anything else: its plain data, indented, whole."""
    text = plain(json.dumps(section.entry.get("data"), indent=2, ensure_ascii=False, default=str), lines=True)
    label = f"This evidence is of the kind ‘{plain(section.kind)}’, which this version does not know. It is shown as it came."
    held = Box("card", gap=8)
    held.put(Prose(label, "small"), long_text(text, section.title, one_line(section.entry.get("source") or "")))
    return held


def _pairs(data: Any) -> list[tuple[Any, Any]]:
    if not isinstance(data, Sequence) or isinstance(data, str):
        return []
    pairs = [(one[0], one[1]) for one in data if isinstance(one, Sequence) and len(one) == 2]
    return pairs if len(pairs) == len(data) else []


_BUILDERS: dict[str, Callable[[Section, date], QWidget]] = {
    "fields": _fields,
    "text": _text,
    "diff": _diff,
    "known": _known,
    "trace": _trace,
    "story": _story,
}
