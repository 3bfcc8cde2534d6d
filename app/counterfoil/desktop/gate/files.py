"""Files of a plan: per file what changes for a person first, then the whole file, then the raw difference."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QVBoxLayout

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate import file_bodies
from counterfoil.desktop.gate.evidence import SectionBox
from counterfoil.desktop.gate.pictures import SIDES, Ask, BeforeAfter
from counterfoil.desktop.gate.reading import Reading, Section
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.boxes import Banner, Box, Rule, Skeleton
from counterfoil.desktop.parts.labels import Icon, Prose
from counterfoil.desktop.parts.layouts import column, empty, put, row
from counterfoil.desktop.parts.portions import AT_FIRST, Portions
from counterfoil.desktop.parts.segmented import Segmented
from counterfoil.desktop.words.numbers import count, size, whole_sizes
from counterfoil.desktop.words.plain import plain
from counterfoil.previews.preview import FileSeen

_CHANGES, _WHOLE, _RAW = "changes", "whole", "raw"
_LISTED = {"move": "file moves", "delete": "file is deleted, and kept for 30 days", "make": "folder is made"}
_MANY = {"move": "files move", "delete": "files are deleted, and kept for 30 days", "make": "folders are made"}


@dataclass(frozen=True, slots=True)
class FileAsked:
    """How a card asks for its file: the change, and a page of one of its sides; what the sides are called, and the words below its name."""

    change: Callable[[Office], FileSeen]
    picture: Ask
    sides: tuple[str, str] = SIDES
    words: Callable[[FileSeen], str] | None = None  # else what happens to it


def of_plan(gate_id: str, n: int) -> FileAsked:
    """Item `n` of a gate's plan."""
    return FileAsked(
        lambda office: office.file_of_gate(gate_id, n),
        lambda office, after, page: office.picture_of_gate(gate_id, n, after=after, page=page),
    )


class FileCard(Box):
    """What happens to files. Its content is asked for; until it comes rows of the right height stand there.

    Signals:
        settled(): it is there, or cannot be shown.
    """

    settled = Signal()

    def __init__(self, asked: FileAsked, title: str, bridge: Bridge, today: date) -> None:
        super().__init__("card", gap=0, margins=(1, 1, 1, 1))
        self._asked = asked
        self._bridge, self._today = bridge, today
        self._seen: FileSeen | None = None
        title = plain(title)
        head = row(gap=10, margins=(10, 9, 10, 9))
        self._mark = Icon("file-diff", "text2")
        put(head, self._mark)
        texts = column(gap=0)
        self._title = Prose(title, "medium")
        self._words = Prose("", "small")
        put(texts, self._title, self._words)
        head.addLayout(texts, 1)
        self._tabs: Segmented | None = None
        self._tab_room = row()
        head.addLayout(self._tab_room)
        self._body: QVBoxLayout = column()
        self._rule = Rule()
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.put(head, self._rule, self._body)
        put(self._body, Skeleton(38, rows=2, inset=10, label=f"Loading {title}"))
        bridge.ask(self, asked.change, self.fill, self.fail, slow=True)

    def fill(self, seen: FileSeen) -> None:
        """The content is there."""
        self._seen = seen
        self._title.say(plain(seen.path if seen.target in ("", seen.path) else f"{seen.path} → {seen.target}"))
        words = (self._asked.words or describe)(seen)
        self._words.say(whole_sizes(words))
        self._mark.show_icon("file-diff" if seen.op in ("write", "append") else "folder-open", "text2")
        self._offer(seen)
        self._show(_CHANGES)
        self.setAccessibleName(f"{plain(seen.path)}: {words}")
        self.settled.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space shows the whole file where there is one, and Space or Esc what changes in it again."""
        tabs = self._tabs
        whole = tabs is not None and tabs.chosen == _WHOLE
        if tabs is not None and event.key() == Qt.Key.Key_Space and _WHOLE in tabs.segments:
            self._turn_to(tabs, _CHANGES if whole else _WHOLE)
        elif tabs is not None and event.key() == Qt.Key.Key_Escape and whole:
            self._turn_to(tabs, _CHANGES)
        else:
            super().keyPressEvent(event)

    def _turn_to(self, tabs: Segmented, which: str) -> None:
        tabs.choose(which)
        self._show(which)

    def fail(self, trouble: Trouble) -> None:
        """It cannot be read; that does not hold up the decision, since its seal stands."""
        empty(self._body)
        line = row(margins=(10, 12, 10, 12))
        put(line, Banner("bad", trouble.message, detail=trouble.next_step))
        put(self._body, line)
        self.settled.emit()

    def _offer(self, seen: FileSeen) -> None:
        """The tabs that have something to show."""
        if seen.op not in ("write", "append"):
            return
        whole = [(_WHOLE, "Whole file", "")] if seen.after else []
        self._tabs = Segmented([(_CHANGES, "Changes", ""), *whole, (_RAW, "Raw", "")], name=f"How to show {seen.path}")
        self._tabs.choose(_CHANGES)
        self._tabs.picked.connect(self._show)
        put(self._tab_room, self._tabs)

    @Slot(str)
    def _show(self, which: str) -> None:
        empty(self._body)
        seen = self._seen
        if seen is None:
            return
        if file_bodies.is_told_by_its_head(seen):
            self._rule.hide()
            return
        if which == _WHOLE:
            put(self._body, file_bodies.whole(seen))
        elif which == _RAW:
            put(self._body, file_bodies.raw(seen, self._asked.sides))
        else:
            put(self._body, file_bodies.changes(seen, self._today))
            if seen.preview is not None and seen.preview.kind in ("pages", "picture"):
                sized, asked = seen.preview.kind == "picture", self._asked
                pages = BeforeAfter(asked.picture, _pages(seen), self._bridge, sized=sized, sides=asked.sides)
                put(self._body, pages)


class FilesSection(SectionBox):
    """Every file of the plan.

    Signals:
        loading(int): how many of the first files are still to come; more of them are shown when somebody asks.
    """

    loading = Signal(int)

    def __init__(self, section: Section, reading: Reading, bridge: Bridge, today: date) -> None:
        super().__init__(section)
        self._reading, self._bridge, self._today = reading, bridge, today
        self._left = len(first_of(reading))
        self.portions = Portions([functools.partial(self._card, n) for n in reading.files], "file")
        put(self.lines, self.portions)

    def _card(self, n: int) -> FileCard:
        reading = self._reading
        card = FileCard(
            of_plan(reading.seen.gate_id, n), _target(reading.seen.bodies[n - 1]), self._bridge, self._today
        )
        if n in first_of(reading):
            card.settled.connect(self._one_less)
        return card

    @Slot()
    def _one_less(self) -> None:
        self._left -= 1
        self.loading.emit(self._left)


def first_of(reading: Reading) -> Sequence[int]:
    """Items of a plan whose files are there before it can be decided: those that are shown without asking for more."""
    return reading.files[:AT_FIRST]


def describe(seen: FileSeen) -> str:
    """What happens to a file, in a few words."""
    if seen.op in _LISTED:
        many = len(seen.moves) or len(seen.names)
        if seen.moves and all(PurePosixPath(old).parent == PurePosixPath(new).parent for old, new in seen.moves):
            return "1 file gets another name" if many == 1 else f"{many:,} files get other names"
        return f"1 {_LISTED[seen.op]}" if many == 1 else f"{many:,} {_MANY[seen.op]}"
    was = f"{size(seen.bytes_before)} before, " if seen.bytes_before is not None else ""
    now = f"{size(seen.bytes_after)} {'after' if was else ''}".strip() if seen.bytes_after is not None else ""
    sizes = f" · {was}{now}" if now else ""
    new = seen.bytes_before is None and seen.sha_before is None
    if seen.op == "append" and not new and seen.preview is not None and seen.preview.tables:
        table = seen.preview.tables[0]
        return f"{count(len(table.added) + table.more, 'row')} added at the end{sizes}"
    program = "" if seen.executable is None else f" · {'can be started as a' if seen.executable else 'is no'} program"
    return f"{'New file' if new else 'Replaced'}{sizes}{program}"


def _pages(seen: FileSeen) -> tuple[int | None, int | None]:
    """How many pages there are before and after; a picture is one."""
    if seen.preview is None:
        return None, None
    before, after = seen.preview.pages
    if seen.preview.kind == "picture":
        return None if seen.sha_before is None else 1, 1
    return before, after


def _target(body: Mapping[str, Any]) -> str:
    args = body["args"]
    if "path" in args:
        return str(args["path"])
    paths = args.get("paths") or [pair[0] for pair in args.get("moves") or [["", ""]]]
    return str(paths[0]) if len(paths) == 1 else f"{str(paths[0]).rpartition('/')[0]}/"
