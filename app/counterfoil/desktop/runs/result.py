"""The other tabs of a run: what came out, which files, and its part of the trail."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any

from PySide6.QtCore import QSettings, Signal
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.gate.facts import Fact
from counterfoil.desktop.gate.facts_grid import FactsGrid
from counterfoil.desktop.gate.files import FileCard, of_plan
from counterfoil.desktop.office import FileRef, RunSeen
from counterfoil.desktop.parts.boxes import Banner, Box, Nothing, Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import empty, put, row
from counterfoil.desktop.parts.portions import Portions
from counterfoil.desktop.tables.adapter import TableAdapter
from counterfoil.desktop.tables.table import from_texts
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import seal, whole_seals
from counterfoil.desktop.words.people import capital, person
from counterfoil.desktop.words.plain import one_line, plain
from counterfoil.desktop.words.values import shown
from counterfoil.facts import given_words

_ENDED = ("done", "cancelled", "failed")
_STATES = {
    "planned": "Approved, not written yet.",
    "rolled_back": "Put back: nothing of it is written.",
    "undone": "Undone: it was put back.",
}


class ResultTab(Pane):
    """What the run gave back, or why it stopped; and with which parameters it was started.

    Signals:
        note_wanted(): a person has found out what became of what was not undone.
    """

    note_wanted = Signal()

    def __init__(self) -> None:
        super().__init__("panel", gap=14, margins=(28, 16, 24, 24))

    def show_run(self, seen: RunSeen, today: date) -> None:
        """Show a run's result."""
        empty(self.lines)
        document = seen.document
        error = document.get("error")
        result = document.get("result")
        if error:
            self.put(_ending(error, seen))
            self._put_note(document.get("note"), seen)
        elif isinstance(result, Mapping) and result.get("verdict") == "rejected":
            who = capital(person(str(result.get("by") or ""), seen.me))
            comment = one_line(result.get("comment") or "")
            self.put(
                Banner("info", f"{who} rejected it. Nothing was written.", detail=f"‘{comment}’" if comment else "")
            )
            result = {}
        if isinstance(result, Mapping) and result.get("summary"):
            self.put(Prose(plain(result["summary"], lines=True), "h2", leading=1.4))
            result = {name: value for name, value in result.items() if name != "summary"}
        if isinstance(result, Mapping):
            named = {name: value for name, value in result.items() if value is not None}
            if named:
                self.put(_facts("Result", named, today))
        elif result is not None:
            self.put(Label("Result", "h2"), Box("card").put(Prose(shown(result, today, lines=True))))
        elif not error:
            said = "This run gave nothing back." if document["state"] in _ENDED else "There is no result yet."
            self.put(Prose(f"{said} {_since(seen)}".strip(), "body2"))
        parameters = document.get("parameters")
        if isinstance(parameters, Mapping) and parameters:
            self.put(_facts("Started with", parameters, today, seen.labels))
        self.put(None)

    def _put_note(self, note: Mapping[str, Any] | None, seen: RunSeen) -> None:
        """What was found out of what is not undone; while nobody has, the way to say it."""
        if note is not None:
            at = times.iso_instant(str(note["at"]))
            when = f", {times.dated(at)}" if at is not None else ""
            said = f"{capital(person(str(note['by']), seen.me))} wrote a note{when}."
            self.put(Banner("quiet", said, detail=f"‘{plain(note['text'])}’"))
        elif seen.document["state"] == "cancelled" and seen.tone == "warn":
            write = Button("Write a note…")
            write.clicked.connect(self.note_wanted)
            self.put(Prose("Find out whether it happened, and note it here. The run needs care until then.", "body2"))
            line = row()
            put(line, write, None)
            self.put(line)


class FilesTab(Pane):
    """Files that people gave this run, and those that it wrote, moved or deleted, before and after."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("panel", gap=10, margins=(28, 16, 24, 24))
        self._bridge = bridge
        self._shown: tuple[bool | str | FileRef, ...] | None = None

    def show_files(
        self, files: Sequence[FileRef], today: date, *, ended: bool = False, given: Sequence[str] = ()
    ) -> None:
        """Show them; what stands here already is not asked for again. `ended`: the run will write no more; `given` are sentences."""
        if self._shown == (ended, *given, *files):
            return
        self._shown = (ended, *given, *files)
        empty(self.lines)
        for sentence in given:
            self.put(
                Banner(
                    "quiet", sentence, detail="It is in this run's own copy. The file in your folder stays as it is."
                )
            )
        if not files and not given:
            over = ("No files.", "This run ended without writing, moving or deleting any.")
            so_far = ("No files yet.", "Files appear here once an approval lets them be written.")
            self.put(Nothing("file", *(over if ended else so_far)))
            return
        self.put(Portions([functools.partial(self._card, file, today) for file in files], "file", gap=10), None)

    def _card(self, file: FileRef, today: date) -> QWidget:
        card = FileCard(of_plan(file.gate_id, file.n), file.title, self._bridge, today)
        said = _STATES.get(file.state)
        if not said:
            return card
        both = Pane("panel", gap=10).put(Prose(said, "caption"), card)
        both.setFocusProxy(card)
        return both


class TrailTab(Pane):
    """This run's entries of the trail, newest first."""

    def __init__(self) -> None:
        super().__init__("panel", gap=10, margins=(28, 16, 24, 24))
        self._shown: tuple[Any, ...] = ()
        self._settings: QSettings | None = None

    def remember(self, settings: QSettings) -> None:
        """Keep the widths of the columns."""
        self._settings = settings

    def show_entries(self, entries: Sequence[Mapping[str, Any]], today: date) -> None:
        """Show them."""
        key = tuple(entry["seq"] for entry in entries)
        if key == self._shown and self.lines.count():
            return
        self._shown = key
        empty(self.lines)
        if not entries:
            self.put(Nothing("scroll-text", "No entries yet."))
            return
        table = TableView(
            TableAdapter(from_texts(("when", "who", "what", "seal"), entry_rows(entries), today)), "Trail of this run"
        )
        if self._settings is not None:
            table.remember(self._settings, "runs/trail")
        self.put(Box("card", margins=(1, 1, 1, 1)).put(table), None)


def entry_rows(entries: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, str, str]]:
    """Entries as rows of texts: time, person, sentence, seal."""
    rows = []
    for entry in entries:
        at = times.iso_instant(str(entry["at"]))
        who = str(entry.get("who") or capital(person(str(entry["by"]))))
        rows.append(
            (
                times.clock_exact(at) if at is not None else "",
                who,
                whole_seals(one_line(entry["summary"])),
                seal(str(entry["hash"])),
            )
        )
    return rows


def given_lines(seen: RunSeen, now_us: int) -> list[str]:
    """Who gave which file in place of which, and when."""
    told = []
    for one in seen.document.get("given") or ():
        at = times.iso_instant(str(one["at"])) or now_us
        words = given_words({**one, "in_place_of": one["path"]})
        told.append(
            f"{capital(person(str(one['by']), seen.me))} gave {plain(words)}, {times.in_sentence(times.when(at, now_us))}."
        )
    return told


def _ending(error: Mapping[str, Any], seen: RunSeen) -> Banner:
    """Why it ended without a result; the command line's next step is none here."""
    message = plain(error.get("message") or "")
    if seen.me and message == f"Cancelled by {person(seen.me)}":
        why = _reason_to_stop(seen)
        message = (
            f"You cancelled it{f': ‘{why}’' if why else ''}. What was done stays; nothing more is written or sent."
        )
    told = message in seen.words or error.get("kind") == "stopped"
    detail = message if not told else _stays(seen) if seen.document["state"] == "failed" else ""
    return Banner("quiet" if seen.tone == "quiet" else "bad", seen.words, detail=detail)


def _stays(seen: RunSeen) -> str:
    """What a run that stopped leaves, and how to go on."""
    kept = any(step["state"] == "done" for step in seen.document.get("steps") or ())
    stays = "What was done stays; nothing more is written or sent."
    return f"{stays} ‘Run again…’ can go on from a step." if kept else f"{stays} ‘Run again…’ starts it anew."


def _reason_to_stop(seen: RunSeen) -> str:
    """What a person gave as the reason, which the trail keeps; "" where there was none."""
    asked = (entry.get("after") or {} for entry in seen.trail if entry.get("kind") == "cancel_asked")
    return one_line(next(asked, {}).get("reason") or "")


def _facts(
    title: str, values: Mapping[str, Any], today: date, labels: Mapping[str, str] = MappingProxyType({})
) -> QWidget:
    held = Box("card", gap=10)
    ordered = sorted(values, key=list(labels).index) if labels and set(values) <= set(labels) else list(values)
    named = [(labels.get(name) or capital(plain(name.replace("_", " "))), values[name]) for name in ordered]
    facts = [Fact(name, shown(value, today, lines=True)) for name, value in named]
    held.put(Label(title, "h2"), FactsGrid(facts))
    return held


def _since(seen: RunSeen) -> str:
    """What it does instead, as a sentence: “It is waiting for you.”, “It carries on.”; nothing of a run that has ended."""
    if seen.document["state"] in _ENDED:
        return ""
    words = seen.words.rstrip(".")
    first = words.partition(" ")[0].rstrip(":")
    if first in ("Running", "Starting", "Waiting", "Trying"):
        return f"It is {words[:1].lower()}{words[1:]}."
    return "It carries on." if first == "Carries" else f"{words}."
