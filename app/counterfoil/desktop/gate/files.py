"""Files of a plan: per file what changes for a person first, then the whole file, then the raw difference."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate.evidence import SectionBox
from counterfoil.desktop.gate.reading import Reading, Section
from counterfoil.desktop.office import FileSeen
from counterfoil.desktop.parts.boxes import Banner, Box, Rule, Skeleton
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import column, empty, put, row
from counterfoil.desktop.parts.segmented import Segmented
from counterfoil.desktop.tables.adapter import TableAdapter
from counterfoil.desktop.tables.diff_view import DiffView
from counterfoil.desktop.tables.differences import compare
from counterfoil.desktop.tables.table import from_texts
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.theme import font
from counterfoil.desktop.words.numbers import count, size
from counterfoil.desktop.words.plain import plain

_CHANGES, _WHOLE, _RAW = "changes", "whole", "raw"
_SHOWN = 200_000  # signs of a file shown in the window
_LISTED = {
    "delete": lambda n: (
        "1 file is deleted, and kept for 30 days" if n == 1 else f"{n:,} files are deleted, and kept for 30 days"
    ),
    "make": lambda n: "1 folder is made" if n == 1 else f"{n:,} folders are made",
}


class FileCard(Box):
    """One file. Its content comes later; until then rows of the right height stand there."""

    def __init__(self, seen: FileSeen | None, title: str, today: date) -> None:
        super().__init__("card", gap=0, margins=(1, 1, 1, 1))
        self._today = today
        self._seen = seen
        title = plain(title)
        head = row(gap=10, margins=(14, 9, 10, 9))
        self._mark = Icon("file-diff", "text2")
        put(head, self._mark)
        texts = column(gap=0)
        self._title = Prose(title, "medium")
        self._words = Prose("", "small")
        put(texts, self._title, self._words)
        head.addLayout(texts, 1)
        self._tabs = Segmented(
            [(_CHANGES, "Changes", ""), (_WHOLE, "Whole file", ""), (_RAW, "Raw", "")], name=f"How to show {title}"
        )
        self._tabs.choose(_CHANGES)
        self._tabs.picked.connect(self._show)
        self._tabs.hide()
        put(head, self._tabs)
        self._body = column(margins=(0, 0, 0, 0))
        self.put(head, Rule(), self._body)
        if seen is None:
            put(self._body, Skeleton(38, rows=2, inset=14, label=f"Loading {title}"))
        else:
            self.fill(seen)

    def fill(self, seen: FileSeen) -> None:
        """The content is there."""
        self._seen = seen
        self._title.say(plain(f"{seen.path} → {seen.target}" if seen.op == "move" else seen.path))
        self._words.say(describe(seen))
        self._mark.show_icon("file-diff" if seen.op in ("write", "append") else "folder-open", "text2")
        texts = seen.after is not None and seen.op in ("write", "append")
        self._tabs.setVisible(texts)
        self._show(_CHANGES)
        self.setAccessibleName(plain(f"{seen.path}: {describe(seen)}"))

    def fail(self, trouble: Trouble) -> None:
        """It cannot be read."""
        empty(self._body)
        line = row(margins=(13, 12, 13, 12))
        put(line, Banner("bad", trouble.message, detail=trouble.next_step))
        put(self._body, line)

    @Slot(str)
    def _show(self, which: str) -> None:
        empty(self._body)
        seen = self._seen
        if seen is None:
            return
        if which == _CHANGES:
            put(self._body, _changes(seen, self._today))
        elif which == _WHOLE:
            put(self._body, _page(seen.after or "", plain(f"{seen.path}, whole")))
        else:
            put(self._body, DiffView(compare(seen.before, seen.after), plain(f"{seen.path}, differences")))


class FilesSection(SectionBox):
    """Every file of the plan.

    Signals:
        loading(int): how many files are still to come.
    """

    loading = Signal(int)

    def __init__(self, section: Section, reading: Reading, bridge: Bridge, today: date) -> None:
        super().__init__(section)
        self._cards: dict[int, FileCard] = {}
        self._left = len(reading.files)
        for n in reading.files:
            title = _target(reading.seen.bodies[n - 1])
            card = FileCard(None, title, today)
            self._cards[n] = card
            put(self.lines, card)
            asked = _Asked(self, n, reading.seen.gate_id)
            bridge.ask(self, asked.question, asked.done, asked.failed, slow=True)

    def arrived(self, n: int, seen: FileSeen) -> None:
        """One file is there."""
        self._cards[n].fill(seen)
        self._one_less()

    def failed(self, n: int, trouble: Trouble) -> None:
        """One file cannot be shown; that does not hold up the decision, since its seal stands."""
        self._cards[n].fail(trouble)
        self._one_less()

    def _one_less(self) -> None:
        self._left -= 1
        self.loading.emit(self._left)


class _Asked:
    """One question about one file, so that no slot needs a lambda."""

    def __init__(self, section: FilesSection, n: int, gate_id: str) -> None:
        self._section, self._n, self._gate_id = section, n, gate_id

    def question(self, office: Any) -> FileSeen:
        seen: FileSeen = office.file_of_gate(self._gate_id, self._n)
        return seen

    def done(self, seen: FileSeen) -> None:
        self._section.arrived(self._n, seen)

    def failed(self, trouble: Trouble) -> None:
        self._section.failed(self._n, trouble)


def describe(seen: FileSeen) -> str:
    """What happens to a file, in a few words."""
    if seen.op == "move":
        return "1 file moves" if len(seen.changes) == 1 else f"{len(seen.changes):,} files move"
    if seen.op in _LISTED:
        return _LISTED[seen.op](len(seen.changes))
    was = f"{size(seen.bytes_before)} before, " if seen.bytes_before is not None else ""
    now = f"{size(seen.bytes_after)} {'after' if was else ''}".strip() if seen.bytes_after is not None else ""
    sizes = f" · {was}{now}" if now else ""
    if seen.added:
        return f"{count(len(seen.added), 'row')} added at the end{sizes}"
    return f"{'new file' if seen.before is None and seen.bytes_before is None else 'replaced'}{sizes}"


def _changes(seen: FileSeen, today: date) -> QWidget:
    held = QWidget()
    lines = column(held)
    if seen.note:
        said = row(margins=(14, 10, 14, 6))
        put(said, Prose(plain(seen.note), "small"))
        put(lines, said)
    if seen.op == "move":
        pairs = [(source, target) for source, _, target in seen.changes]
        moves = TableView(TableAdapter(from_texts(("from", "to"), pairs, today)), plain(f"{seen.path}, moves"))
        put(lines, moves.captioned())
    elif seen.op in _LISTED:
        names = TableView(TableAdapter(from_texts(("name",), [(one,) for one, _, _ in seen.changes], today)), seen.path)
        put(lines, names.captioned())
    elif seen.added:
        added = TableView(TableAdapter(from_texts(seen.columns, seen.added, today)), plain(f"{seen.path}, rows added"))
        put(lines, added.captioned())
    elif seen.changes:
        table = from_texts(("field", "before", "after"), seen.changes, today)
        put(lines, TableView(TableAdapter(table), plain(f"{seen.path}, changes")))
    elif seen.before is None and seen.bytes_before is None and seen.after is not None:
        said = row(margins=(14, 10, 14, 12))
        put(
            said,
            Prose(
                f"A new file of {count(len(seen.after.splitlines()), 'line')}. Its content is under Whole file.",
                "small",
            ),
        )
        put(lines, said)
    elif seen.after is not None:
        put(lines, DiffView(compare(seen.before, seen.after), plain(f"{seen.path}, differences")))
    else:
        said = row(margins=(14, 10, 14, 12))
        put(said, Label("This file is no text, so only its size and seal are shown.", "small", wrap=True))
        put(lines, said)
    return held


def _page(text: str, name: str) -> QWidget:
    page = QPlainTextEdit(plain(text[:_SHOWN], lines=True))
    page.setReadOnly(True)
    page.setProperty("bare", True)
    page.setTabChangesFocus(True)
    page.setFont(font(12, mono=True))
    page.setAccessibleName(name)
    page.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    page.setFrameShape(QPlainTextEdit.Shape.NoFrame)
    page.setFixedHeight(300)
    return page


def _target(body: Mapping[str, Any]) -> str:
    args = body["args"]
    if "path" in args:
        return str(args["path"])
    if "paths" in args:
        return str(args["paths"][0]) if len(args["paths"]) == 1 else f"{args['paths'][0].rpartition('/')[0]}/"
    moves = args.get("moves") or [["", ""]]
    return f"{moves[0][0].rpartition('/')[0]}/"
