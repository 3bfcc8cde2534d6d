"""The page from which a template is run: the form left, “What will happen” right, checks while typing, one primary button."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.gate.facts import Fact
from counterfoil.desktop.gate.facts_grid import FactsGrid
from counterfoil.desktop.parts.boxes import Banner, Box, Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import FieldEditor
from counterfoil.desktop.parts.labels import Chip, Icon, Label, Prose
from counterfoil.desktop.parts.layouts import Flow, column, empty, put, row
from counterfoil.desktop.parts.scroller import Scroller
from counterfoil.desktop.protection.asking import Act, ProtectionAsking
from counterfoil.desktop.protection.badge import shield
from counterfoil.desktop.run_facts import AgainOf
from counterfoil.desktop.template_facts import TemplateSeen
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.plain import one_line, plain
from counterfoil.policy import protection

_TYPED = 250  # milliseconds after the last stroke until the values are checked
_NARROW = 760
_STOPS = "It stops and asks before anything is written."


class RunForm(Pane):
    """One template's form.

    Signals:
        back_wanted(): to the gallery.
        folder_wanted(): choose another workspace folder.
        started(str): a run was started; its id.
        schedule_wanted(tuple): run it by a rule: the template's folder, the workspace, what is filled in.
    """

    back_wanted = Signal()
    folder_wanted = Signal()
    started = Signal(object)
    schedule_wanted = Signal(object)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("panel")
        self._bridge = bridge
        self._latest = Latest()
        self._seen: TemplateSeen | None = None
        self._workspace = ""
        self._again: AgainOf | None = None
        self._problems: dict[str, str] = {}
        self._tried = False
        self._starting = False
        self._judged = False  # what is filled in was looked at
        self._wanted = False  # Run was pressed before what was typed last was looked at
        self.fields: list[FieldEditor] = []
        self._touched: set[str] = set()
        self._lay_out()
        self.asking = ProtectionAsking(self, bridge)
        self._typed = QTimer(self)
        self._typed.setSingleShot(True)
        self._typed.setInterval(_TYPED)
        self._typed.timeout.connect(self._check)

    def _lay_out(self) -> None:
        head = row(gap=8, margins=(17, 16, 24, 4))
        back = Button("Templates", "quiet", icon="arrow-left", name="Back to all templates")
        back.clicked.connect(self.back_wanted)
        put(head, back, None)
        self.put(head)
        area = Scroller()
        page = Pane("panel", gap=6, margins=(28, 4, 24, 28))
        page.setMaximumWidth(1060)
        self.title = Label("", "title", wrap=True)
        self.about = Prose("", "body2")
        self._banners = column(gap=8)
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._columns.setSpacing(28)
        left, right = QWidget(), QWidget()
        self._left = column(left, gap=16)
        self._right = column(right, gap=12)
        for side, share in ((left, 3), (right, 2)):
            side.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # as wide for every template
            self._columns.addWidget(side, share)
        page.put(self.title, self.about, 6, self._banners, 6, self._columns, None)
        area.setWidget(page)
        self.lines.addWidget(area, 1)
        bar = Box("bar", margins=(28, 12, 24, 12))
        line = row(gap=12)
        self.run = Button("Run", "primary", icon="play")
        self.run.clicked.connect(self._run)
        self.note = Label("", "small", wrap=True)
        self.schedule = Button(
            "Schedule…", icon="calendar-clock", help="Run it by itself, such as every Monday at 07:00"
        )
        self.schedule.clicked.connect(self._schedule)
        put(line, self.run, self.schedule)
        line.addWidget(self.note, 1)
        bar.put(line)
        self.put(bar)

    def show_template(
        self,
        seen: TemplateSeen,
        workspace: str,
        values: Mapping[str, Any] | None = None,
        again: AgainOf | None = None,
    ) -> None:
        """Show a template with what the workspace remembers, or with the values of an earlier run; `again`: that run is done again."""
        self._seen, self._workspace, self._again = seen, workspace, again
        self._problems, self._tried, self._judged, self._wanted = {}, False, False, False
        self._touched.clear()
        self.title.setText(one_line(seen.card.title))
        self.about.say(plain(seen.description, lines=True))
        for layout in (self._banners, self._left, self._right):
            empty(layout)
        if again is not None:
            words = f"Run {again.number} again. Change what is to be different."
            put(self._banners, Banner("quiet", words, detail=f"‘{one_line(again.reason)}’" if again.reason else ""))
        self._put_workspace(workspace)
        given = dict(values) if values is not None else dict(seen.remembered)
        self.fields = []
        for entry in seen.fields:
            editor = FieldEditor(entry, root=workspace)
            name = editor.name
            editor.fill(given.get(name, entry.get("default")))
            editor.set_remembered(values is None and name in seen.remembered)
            editor.edited.connect(self._edited)
            self.fields.append(editor)
            put(self._left, editor)
        self._left.addStretch(1)
        self._put_will(seen)
        self._show_button()
        self._check()
        if self.fields:
            empty_ones = [editor for editor in self.fields if not editor.text()]
            (empty_ones or self.fields)[0].focus()

    def values(self) -> dict[str, Any]:
        """What is filled in; a field left empty is not there."""
        return {editor.name: editor.text() for editor in self.fields if editor.text() not in ("", [])}

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        down = self.width() < _NARROW
        self._columns.setDirection(QBoxLayout.Direction.TopToBottom if down else QBoxLayout.Direction.LeftToRight)

    def _put_workspace(self, workspace: str) -> None:
        box = Box("quiet", gap=4, margins=(14, 10, 12, 10))
        other = Button("Another folder…" if workspace else "Choose a folder…", icon="folder")
        other.clicked.connect(self.folder_wanted)
        line = row(gap=10)
        put(line, Label("In the folder", "small"), None, other)
        box.put(line, Prose(plain(workspace or "No folder chosen yet"), "medium"))  # a path has the whole width
        put(self._left, box)

    def _put_will(self, seen: TemplateSeen) -> None:
        box = Box("card", gap=10)
        box.put(
            Label("What will happen", "h2"),
            FactsGrid([Fact(plain(name), plain(words)) for name, words in seen.will]),
        )
        put(self._right, box)
        level = Box("quiet", gap=4, margins=(14, 10, 14, 10))
        level.put(
            _shield(seen.isolation),
            Prose(protection.beside_badge(seen.isolation), "small"),
        )
        if seen.raising:
            level.put(Prose(plain(seen.raising, lines=True), "small"))
        put(self._right, level)
        chips = QWidget()
        flow = Flow(chips, gap=6, line_gap=6)
        for words in seen.card.chips:
            flow.addWidget(Chip(words, "ok" if words == "No llm needed" else "plain"))
        put(self._right, chips)
        self._right.addStretch(1)

    @Slot(str)
    def _edited(self, name: str) -> None:
        self._touched.add(name)
        self._wanted = False
        self._typed.start()

    @Slot()
    def _check(self) -> None:
        self._typed.stop()
        seen, workspace, values = self._seen, self._workspace, self.values()
        if seen is not None:
            path = seen.card.path
            ticket = self._bridge.ask(
                self, lambda office: office.check_parameters(path, workspace, values), self._checked, self._failed
            )
            self._latest.take(ticket)

    def _checked(self, problems: dict[str, str]) -> None:
        self._problems, self._judged = problems, True
        for editor in self.fields:
            shown = self._tried or editor.name in self._touched or bool(editor.text())
            editor.say_problem(problems.get(editor.name, "") if shown else "")
        self._show_button()
        wanted, self._wanted = self._wanted, False
        if wanted:
            self._run()

    def _show_button(self) -> None:
        missing, seen = len(self._problems), self._seen
        self.run.setEnabled(not self._starting and self._judged)
        if self._starting:
            self.run.say("Starting…")
            self.note.setText("")
        elif not self._judged:
            self.run.say("Looking at the fields…")
            self.note.setText("")
        elif not self._workspace:
            self.run.say("Choose a folder first")
            self.note.setText("")
        elif missing:
            self.run.say(f"Fill in {count(missing, 'field')} first")
            self.note.setText("")
        else:
            self.run.say("Run")
            asks = seen is None or seen.asks
            self.note.setText(_STOPS if asks else "It asks nobody, unless a rule says otherwise.")
        self.run.set_kind("outline" if missing or not self._workspace else "primary", "play")

    @Slot()
    def _run(self) -> None:
        """Start it; with something missing, go there instead."""
        self._tried = True
        if not self._workspace:
            self.folder_wanted.emit()
            return
        if self._typed.isActive():
            self._wanted = True
            self._check()
            return
        wrong = [editor for editor in self.fields if editor.name in self._problems]
        if wrong or self._problems:
            self._checked(self._problems)
            if wrong:
                wrong[0].focus()
            return
        seen, workspace, values, again = self._seen, self._workspace, self.values(), self._again
        if seen is not None:
            self._starting = True
            self._show_button()
            path = seen.card.path
            self.asking.attempt(
                Act(
                    folder=PurePath(workspace).name,
                    question=lambda office, agreed: office.start_run(path, workspace, values, agreed, again),
                    done=self._started,
                    failed=self._failed,
                    left=self._left_it,
                )
            )

    @Slot()
    def _schedule(self) -> None:
        if self._seen is not None:
            self.schedule_wanted.emit((self._seen.card.path, self._workspace, self.values()))

    def _started(self, run_id: str) -> None:
        self._starting = False
        self._show_button()
        self.started.emit(run_id)

    def _left_it(self) -> None:
        """A person did not agree to less protection: nothing was started."""
        self._starting = False
        self._show_button()

    def _failed(self, trouble: Trouble) -> None:
        self._starting, self._judged = False, True  # whoever runs it now is told again
        self._wanted = False
        self._show_button()
        empty(self._banners)
        put(self._banners, Banner("bad", trouble.message, detail=trouble.next_step))


def _shield(mark: str) -> QBoxLayout:
    line = row(gap=8)
    put(line, Icon(shield(mark), "text2"), Label(f"Protected: {protection.badge(mark)}", "small_strong"), None)
    return line
