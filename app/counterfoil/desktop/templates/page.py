"""The Templates page: gallery, and one template's form in its place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import Changes, Part, Workspace
from counterfoil.desktop.parts.boxes import Nothing, Pane, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import page_head
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.search import SearchField
from counterfoil.desktop.protection.asking import Act, ProtectionAsking
from counterfoil.desktop.run_facts import AgainOf
from counterfoil.desktop.template_facts import TemplateCard, TemplateSeen
from counterfoil.desktop.templates.folder_sheet import FolderSheet
from counterfoil.desktop.templates.gallery import Gallery
from counterfoil.desktop.templates.run_form import RunForm
from counterfoil.desktop.words.plain import one_line

_WAITING, _GALLERY, _FORM, _TROUBLE, _READING = range(5)
_PATIENCE = 300  # milliseconds before rows stand where a form is still being read


class TemplatesPage(Pane, OneSheet[FolderSheet]):
    """All templates, or one.

    Signals:
        run_started(str): a run was started; its id.
        schedule_wanted(tuple): as of the form.
    """

    run_started = Signal(object)
    schedule_wanted = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__("app")
        self._bridge, self._clock = bridge, clock
        self._latest = Latest()
        self._workspace: str | None = None
        self._folder = ""
        self._path = ""
        self._values: Mapping[str, Any] | None = None
        self._again: AgainOf | None = None
        self._cards: tuple[TemplateCard, ...] = ()
        self.search = SearchField("Search templates")
        self.search.setFixedWidth(260)
        self.gallery = Gallery()
        self.gallery.run_wanted.connect(self.open_template)
        self.gallery.every_wanted.connect(self.search.clear)
        self.asking = ProtectionAsking(self, bridge)
        self.form = RunForm(bridge)
        self.form.back_wanted.connect(self.show_gallery)
        self.form.folder_wanted.connect(self.choose_folder)
        self.form.started.connect(self.run_started)
        self.form.schedule_wanted.connect(self.schedule_wanted)
        back = Button("All templates", "primary", icon="layout-grid")
        back.clicked.connect(self.show_gallery)
        self.trouble = Nothing("layout-grid", "", buttons=[back])
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE)
        self._patience.timeout.connect(self._still_reading)
        browse = Pane("app")
        browse.put(page_head(Label("Templates", "page"), None, self.search))
        browse.lines.addWidget(self.gallery, 1)
        self.stack = QStackedWidget()
        waiting = Pane("app", gap=24)
        waiting.put(page_head(Label("Templates", "page")), Skeleton(180, rows=3, inset=28, label="Loading templates"))
        reading = Pane("panel", margins=(0, 24, 0, 0))
        reading.put(Skeleton(56, rows=8, inset=28, label="Reading what it asks for"))
        for page in (waiting, browse, self.form, self.trouble, reading):
            self.stack.addWidget(page)
        self.lines.addWidget(self.stack, 1)
        self.search.textChanged.connect(self._refresh)

    def choose_workspace(self, path: str | None) -> None:
        """Show what this workspace has."""
        self._workspace = path
        if path is not None:
            self._folder = path
        elif not self._folder:
            self._bridge.ask(self, lambda office: office.workspaces(), self._workspaces)
        self._load()

    def changed(self, changes: Changes) -> None:
        """Look again where it concerns this page."""
        if changes.parts & {Part.TEMPLATES, Part.RUNS} and self.stack.currentIndex() == _GALLERY:
            self._load()

    @Slot(object)
    def open_template(
        self,
        path: object,
        values: Mapping[str, Any] | None = None,
        workspace: str = "",
        again: AgainOf | None = None,
    ) -> None:
        """Show the form of a template; `values` of an earlier run, `workspace` another folder than the current one, `again` the run that is
        done again."""
        self._path, self._values, self._again = str(path), values, again
        self._folder = workspace or self._folder
        self._ask_template()

    def open_named(
        self,
        name: str,
        values: Mapping[str, Any] | None = None,
        workspace: str = "",
        again: AgainOf | None = None,
    ) -> None:
        """Show the form of the template that goes by a name."""
        card = next((one for one in self._cards if one.name == name), None)
        if card is not None:
            self.open_template(card.path, values, workspace, again)
            return
        self._bridge.ask(
            self, lambda office: office.templates(workspace or None), _Named(self, name, values, workspace, again).found
        )

    @Slot()
    def show_gallery(self) -> None:
        """Back to all; a form that is still being read is not wanted any more."""
        self.asking.leave()
        self._patience.stop()
        self.stack.setCurrentIndex(_GALLERY)
        self._load()

    @Slot()
    def choose_folder(self) -> None:
        """Open the sheet for a folder of one's own."""
        if self.sheet is None:
            sheet = FolderSheet(self, self._bridge, self._folder)
            sheet.folder_chosen.connect(self._folder_chosen)
            self.open_sheet(sheet, sheet.path)

    def find_here(self) -> None:
        """Ctrl+F."""
        self.search.setFocus()

    def commands(self) -> list[Command]:
        """Templates that can run."""
        return [
            Command("template", f"Run {one_line(card.title)}…", card.path, "template")
            for card in self._cards
            if not card.trouble
        ]

    def panes(self) -> list[QWidget]:
        """Where F6 goes."""
        if self.stack.currentIndex() == _FORM:
            return [self.form.run]
        return [self.search, *[card.button for card in self.gallery.cards[:1]]]

    def _load(self) -> None:
        workspace = self._workspace
        self._latest.take(self._bridge.ask(self, lambda office: office.templates(workspace), self._arrived))

    def _arrived(self, cards: tuple[TemplateCard, ...]) -> None:
        self._cards = cards
        self._refresh()
        if self.stack.currentIndex() == _WAITING:
            self.stack.setCurrentIndex(_GALLERY)

    @Slot()
    def _refresh(self) -> None:
        self.gallery.show_cards(self._cards, self._clock.now_us(), self.search.text())

    def _workspaces(self, workspaces: tuple[Workspace, ...]) -> None:
        if workspaces and not self._folder:
            self._folder = workspaces[0].path

    def _ask_template(self) -> None:
        path, folder = self._path, self._folder
        self._patience.start()
        self.asking.attempt(
            Act(
                folder=PurePath(folder).name,
                question=lambda office, agreed: office.template(path, folder, agreed),
                done=self._template,
                failed=self._failed,
                left=self.show_gallery,
            )
        )

    def _template(self, seen: TemplateSeen) -> None:
        self._patience.stop()
        self.form.show_template(seen, self._folder, self._values, self._again)
        if self.sheet is not None:
            self.sheet.keep_focus(self.sheet.path)
        self.stack.setCurrentIndex(_FORM)

    def _failed(self, trouble: Trouble) -> None:
        self._patience.stop()
        self.trouble.say(trouble.message, trouble.next_step)
        self.stack.setCurrentIndex(_TROUBLE)

    @Slot()
    def _still_reading(self) -> None:
        if self.asking.busy and self.asking.sheet is None:
            self.stack.setCurrentIndex(_READING)

    @Slot(str)
    def _folder_chosen(self, path: str) -> None:
        self._folder = path
        self._ask_template()


class _Named:
    """A template that is looked for by name once the gallery is there."""

    def __init__(
        self,
        page: TemplatesPage,
        name: str,
        values: Mapping[str, Any] | None,
        workspace: str,
        again: AgainOf | None,
    ) -> None:
        self._page, self._name = page, name
        self._given = (values, workspace, again)

    def found(self, cards: tuple[TemplateCard, ...]) -> None:
        card = next((one for one in cards if one.name == self._name), None)
        if card is not None:
            self._page.open_template(card.path, *self._given)
        else:
            self._page.show_gallery()
