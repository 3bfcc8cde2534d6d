"""The scrolled page of one gate. It is put together in small portions, so that no frame waits for a long table."""

from __future__ import annotations

import functools
from datetime import date

from PySide6.QtCore import QPoint, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QScrollArea, QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.gate.answers import NeedsAnswer
from counterfoil.desktop.gate.differences import Differences
from counterfoil.desktop.gate.effects import effects_box
from counterfoil.desktop.gate.evidence import SectionBox, TableSection, build
from counterfoil.desktop.gate.facts import Fact
from counterfoil.desktop.gate.facts_grid import FactsGrid
from counterfoil.desktop.gate.files import FilesSection
from counterfoil.desktop.gate.head import GateHead, state_banner
from counterfoil.desktop.gate.index_bar import HEIGHT, IndexBar
from counterfoil.desktop.gate.reading import Reading, Section
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.gate.signing_in import DONE, SigningIn, wanted_by
from counterfoil.desktop.gate.sources import SourcesSection
from counterfoil.desktop.gate.trouble import TroublePanel
from counterfoil.desktop.parts.boxes import Banner, Box, Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import FieldEditor
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.words import asides
from counterfoil.desktop.words import gates as words
from counterfoil.desktop.words.choices import given
from counterfoil.desktop.words.plain import one_line, plain
from counterfoil.policy.tainting import named, warning

MARGIN, WIDEST = 28, 1000
_AFTER_ICONS = {
    "done": ("circle-check", "ok"),
    "failed": ("circle-x", "bad"),
    "unknown": ("circle-question-mark", "warn"),
}


class GatePage(Pane):
    """Head, answers, parts, people, seal.

    Signals:
        edited(): something was filled in.
        picked(str): an answer of a doubt or a failure.
        run_wanted(str), print_wanted(): from the head.
        again_wanted(str): start once more what this run was.
        gate_wanted(str): go to another gate (a newer round).
        set_aside(str): wake it, or take it.
        loading(int): files that are still to come.
        opened(): another part came into view.
        looked_at(tuple): a row of evidence is to be shown whole.
    """

    edited = Signal()
    picked = Signal(object)
    run_wanted = Signal(object)
    again_wanted = Signal(object)
    gate_wanted = Signal(object)
    print_wanted = Signal()
    set_aside = Signal(object)
    loading = Signal(int)
    opened = Signal()
    looked_at = Signal(object)

    def __init__(
        self,
        reading: Reading,
        session: Session,
        bridge: Bridge,
        scroll: QScrollArea,
        now_us: int,
        today: date,
        *,
        guided: bool = False,
    ) -> None:
        super().__init__("panel", margins=(MARGIN, 16, MARGIN, 28))
        self.reading, self.session = reading, session
        self._bridge, self._scroll, self._now, self._today = bridge, scroll, now_us, today
        self._guided = guided
        self.setMaximumWidth(WIDEST)
        self.head = GateHead(reading, now_us)
        self.head.run_wanted.connect(self.run_wanted)
        self.head.print_wanted.connect(self.print_wanted)
        self.banners = column(gap=10)
        self.put(self.head, self.banners)
        self.answers: NeedsAnswer | None = None
        self.trouble: TroublePanel | None = None
        self.signing_in: SigningIn | None = None
        self.form: list[FieldEditor] = []
        self.boxes: dict[str, SectionBox] = {}
        self.index: IndexBar | None = None
        self.differences: Differences | None = None
        self._put_banners()
        self._put_answers()
        self._parts = column(gap=26)
        indexed = len(reading.sections) > 1
        if indexed:
            self._put_index()
        self.put(10 if indexed else 22, self._parts)
        self._foot = column(gap=6, margins=(0, 26, 0, 0))
        self.put(self._foot, None)
        self._seal = Label("", "caption")
        self._to_build: list[Section] = list(reading.sections)
        self._answering = len(reading.answers) > 2
        scroll.verticalScrollBar().valueChanged.connect(self._look)
        self._next = QTimer(self, singleShot=True, interval=0)  # ours, so that it ends with this page
        self._next.timeout.connect(self._build_next)
        self._next.start()

    def retire(self) -> None:
        """Another page takes its place."""
        self._to_build.clear()
        self._answering = False
        self._next.stop()
        if self.differences is not None:
            self.differences.close_sheet()
        self._scroll.verticalScrollBar().valueChanged.disconnect(self._look)
        if self.index is not None:
            self.index.retire()
            self.index = None

    def aim_of(self, here: QWidget | None) -> str:
        """What is being filled in where the focus is: a row, a reason, a field; "" elsewhere."""
        if here is None:
            return ""
        rows = self.answers.rows if self.answers is not None else []
        aims = [box.aim_of(here) for box in rows if box.isAncestorOf(here)]
        return next(iter([*aims, *(editor.name for editor in self.form if editor.isAncestorOf(here))]), "")

    def focus_on(self, aim: str) -> None:
        """Go to what is missing: a row, a reason, a field."""
        if self.answers is not None and self.answers.focus_on(aim):
            self._scroll.ensureWidgetVisible(self.answers, 0, 60)
            return
        for editor in self.form:
            if editor.name == aim:
                editor.focus()
                self._scroll.ensureWidgetVisible(editor, 0, 60)
                return

    @Slot(object)
    def go_to(self, key: object) -> None:
        """Bring a part to the top, below the index."""
        box = self.boxes.get(str(key))
        if box is None:
            return
        top = box.mapTo(self, QPoint(0, 0)).y()
        self._scroll.verticalScrollBar().setValue(top - HEIGHT - 10)
        box.title.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def say(self, banner: Banner) -> None:
        """Put a banner above everything else."""
        self.banners.insertWidget(0, banner)
        self._scroll.verticalScrollBar().setValue(0)

    def mark(self, differences: Differences) -> None:
        """Put what is different below the banners."""
        self.differences = differences
        self.banners.addWidget(differences)
        self.banners.setContentsMargins(0, 12, 0, 0)

    def _put_banners(self) -> None:
        seen = self.reading.seen
        for banner in self._set_aside_banners() if self.reading.open else ():
            put(self.banners, banner)
        ended = state_banner(self.reading, self._now, self._ways_on())
        if ended is not None:
            put(self.banners, ended)
        if seen.successor and str(seen.document["state"]) == "decided":
            put(self.banners, Banner("info", "A newer round followed this one.", [self._to_successor(seen.successor)]))
        if seen.after:
            put(self.banners, self._aftermath())
        if seen.foreign:
            read = words.has_read(named(seen.foreign), len(seen.foreign))
            put(self.banners, Banner("info", f"{read} Sending and spending ask, whatever the rules say."))
        told = warning(seen.foreign) if seen.foreign else ""  # said by the banner above
        if flags := [flag for flag in self.reading.flags if flag != told]:
            first, *others = flags
            put(self.banners, Banner("warn", first, more=others))
        if self.banners.count():
            self.banners.setContentsMargins(0, 12, 0, 0)

    def _set_aside_banners(self) -> list[Banner]:
        """That it is snoozed, or waits for somebody; with the way back."""
        seen, made = self.reading.seen, []
        if seen.asleep_until is not None:
            wake = Button("Wake now", key="wake", icon="clock", help="Put it back into For me")
            wake.chosen.connect(self.set_aside)
            said = f"{asides.until(seen.asleep_until, self._now)}. Then it is back in For me by itself."
            made.append(Banner("info", said, [wake]))
        said, why = asides.told(seen.document, seen.me, self._now)
        if said:
            take = Button("Take it", key="take", icon="hand", help="It waits for you from then on")
            take.chosen.connect(self.set_aside)
            keys = [take] if asides.waits_for(seen.document, seen.me) else []
            made.append(Banner("info", said, keys, detail=f"‘{one_line(why)}’" if why else ""))
        return made

    def _ways_on(self) -> list[Button]:
        """To the round that took its place; where nobody decided in time, to starting the run once more."""
        seen = self.reading.seen
        state = str(seen.document["state"])
        if state == "superseded" and seen.successor:
            return [self._to_successor(seen.successor)]
        if state != "expired":
            return []
        again = Button(
            "Run again…",
            icon="repeat",
            key=str(seen.document["run_id"]),
            help="Start the same template; you can change what it is started with",
        )
        again.chosen.connect(self.again_wanted)
        return [again]

    def _to_successor(self, gate_id: str) -> Button:
        go = Button("Go to it", icon="arrow-right", key=gate_id)
        go.chosen.connect(self.gate_wanted)
        return go

    def _aftermath(self) -> QWidget:
        box = Box("quiet", gap=4, margins=(14, 10, 14, 10))
        for entry in self.reading.seen.after:
            line = row(gap=8)
            name, tone = _AFTER_ICONS.get(entry.state, ("circle-dashed", "text3"))
            mark = column(margins=(0, 3, 0, 0))
            put(mark, Icon(name, tone, 14), None)
            put(line, mark)
            line.addWidget(Prose(entry.words, "body2"), 1)
            box.put(line)
        box.setAccessibleName("What then happened")
        return box

    def _put_answers(self) -> None:
        if self.reading.kind in ("doubt", "failure"):
            self.trouble = TroublePanel(self.reading)
            self.trouble.picked.connect(self.picked)
            self.trouble.spared.connect(functools.partial(self.session.fill, "leave_out"))
            self.put(16, self.trouble)
        if self.reading.answers:
            self.answers = NeedsAnswer(self.reading, self.session, guided=self._guided)
            self.answers.edited.connect(self.edited)
            self.answers.setEnabled(self.reading.open and self.reading.seen.may_decide)
            self.put(16, self.answers)
        wanted = wanted_by(self.reading.seen) if self.reading.open and self.reading.seen.may_decide else ""
        if wanted:
            self.signing_in = SigningIn(wanted, self._bridge)
            self.signing_in.signed_in.connect(self._signed_in)
            self.put(16, self.signing_in)
        if self.reading.asked is not None:
            self.put(16, build(self.reading.asked, self._today))
        if self.reading.form and not self.reading.open:
            self._put_given()
        elif self.reading.form:
            box = Box("card", gap=14, margins=(16, 14, 16, 16))
            for entry in self.reading.form:
                called = {**self.reading.rows_called, **self.reading.choices_called}
                editor = FieldEditor(entry, root=self.reading.seen.workspace, called=called)
                editor.fill(self.session.values.get(editor.name, entry.get("default")))
                editor.edited.connect(self._field_edited)
                editor.setEnabled(self.reading.open and self.reading.seen.may_decide)
                self.form.append(editor)
                box.put(editor)
            self.put(16, box)
            self._show_limit()

    def _put_given(self) -> None:
        """What was filled in before it was closed; nothing is asked any more."""
        values = self.session.values
        filled = [entry for entry in self.reading.form if values.get(str(entry["name"])) not in (None, "", [])]
        called = {**self.reading.rows_called, **self.reading.choices_called}
        facts = [
            Fact(
                plain(entry.get("label") or entry["name"]),
                given(entry, values[str(entry["name"])], called, self._today),
            )
            for entry in filled
        ]
        if facts:
            self.put(16, Box("card", gap=8).put(Label("Filled in", "h2"), FactsGrid(facts)))

    def _put_index(self) -> None:
        place = QWidget()
        place.setFixedHeight(HEIGHT)
        self.put(8, place)
        parts = [(section.key, section.title, section.count) for section in self.reading.sections]
        self.index = IndexBar(parts, self._scroll, place)
        self.index.wanted.connect(self.go_to)

    @Slot()
    def _signed_in(self) -> None:
        """That somebody has signed in is filled in; the call goes on when a person says so."""
        for editor in self.form:
            if editor.name == DONE:
                editor.fill(True)
                self._field_edited(DONE)

    @Slot(str)
    def _field_edited(self, name: str) -> None:
        editor = next(one for one in self.form if one.name == name)
        self.session.fill(name, editor.text())
        self._show_limit()
        self.edited.emit()

    def _show_limit(self) -> None:
        """A new limit is asked for where the limit is raised, and nowhere else."""
        for editor in self.form:
            if self.reading.kind == "budget" and editor.name == "most":
                editor.setVisible(self.session.values.get("choice") == "raise")

    @Slot()
    def _build_next(self) -> None:
        if self.answers is not None and self._answering:
            self._answering = self.answers.build_some()
            self._next.start()
            return
        if not self._to_build:
            self._finish()
            return
        section = self._to_build.pop(0)
        box = self._box_of(section)
        self.boxes[section.key] = box
        put(self._parts, box)
        self._next.start()

    def _box_of(self, section: Section) -> SectionBox:
        reading = self.reading
        if section.kind == "table":
            holdable = section.key == reading.held_table and reading.open
            made = TableSection(section, holdable=holdable, held=self.session.held)
            made.held_changed.connect(self._held)
            made.looked_at.connect(self.looked_at)
            return made
        if section.kind == "files":
            files = FilesSection(section, reading, self._bridge, self._today)
            files.loading.connect(self.loading)
            return files
        if section.kind == "sources":
            return SourcesSection(section, reading.seen.workspace, self._bridge)
        if section.kind == "effects":
            return effects_box(section, reading, self._today)
        if section.kind == "story":
            entry = {"lines": reading.seen.story}
            return build(Section(section.key, section.title, section.kind, None, entry), self._today)
        return build(section, self._today)

    @Slot(object)
    def _held(self, numbers: tuple[int, ...]) -> None:
        self.session.held = numbers
        self.edited.emit()

    def _finish(self) -> None:
        seen = self.reading.seen
        for sentence in seen.prior:
            put(self._foot, Prose(sentence, "small"))
        people = words.people_line(seen.document.get("who") or {}, seen.me)
        put(self._foot, Prose(f"{people} {seen.why_owner}".strip(), "small"), self._seal)
        self._look()

    @Slot()
    def _look(self) -> None:
        """Which parts have been in view; said in the seal line, kept in the draft, never a nag."""
        if not self._scroll.viewport().isAncestorOf(self):
            return
        view = self._scroll.viewport().height()
        before = len(self.session.opened)
        for key, box in self.boxes.items():
            top = box.mapTo(self._scroll.viewport(), QPoint(0, 0)).y()
            if box.isVisible() and top < view - 60 and top + box.height() > 0:
                self.session.opened.add(key)
        parts = len(self.reading.sections)
        opened = len(self.session.opened & {section.key for section in self.reading.sections})
        self._seal.setText(words.seal_line(self.reading.digest, opened, parts))
        if len(self.session.opened) != before:
            self.opened.emit()
