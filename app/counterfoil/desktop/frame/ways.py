"""The ways from one page to another, and what Ctrl+K does: pages know nothing of each other, so the frame takes people across."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QObject, Slot

from counterfoil.desktop.commands import Command
from counterfoil.desktop.office import RunSeen
from counterfoil.desktop.run_facts import AgainOf

FIRST_TEMPLATE = "pay-invoices"
MONDAYS = "every Monday at 07:00"


class Frame(Protocol):
    """What the window can do."""

    pages: dict[str, Any]

    def show_page(self, key: object) -> None:
        """Go to a page."""

    def show_run(self, run_id: object) -> None:
        """Show one run."""

    def show_gate(self, gate_id: object) -> None:
        """Show one gate."""

    def choose_workspace(self, path: object) -> None:
        """Show one workspace, or all."""

    def pause_everything(self) -> None:
        """Ask whether everything is to be paused."""

    def resume_everything(self) -> None:
        """Let everything go on."""

    def choose_look(self, mode: str) -> None:
        """Light, dark, or as the system has it."""


class Ways(QObject):
    """Connects pages to each other by way of the frame."""

    def __init__(self, window: QObject, frame: Frame) -> None:
        """`window` and `frame` are the same thing: whose child this is, and what it can do."""
        super().__init__(window)
        self._frame = frame

    def introduce(self, name: str, page: Any) -> None:
        """A page was made."""
        frame = self._frame
        match name:
            case "inbox":
                page.run_wanted.connect(frame.show_run)
                page.undo_wanted.connect(self.undo_run)
                page.again_wanted.connect(self.run_again)
            case "runs":
                page.gate_wanted.connect(frame.show_gate)
                page.templates_wanted.connect(self.to_templates)
                page.form_wanted.connect(self.change_and_run)
                page.started.connect(self.run_started)
                page.schedule_wanted.connect(self.schedule_run)
            case "templates":
                page.run_started.connect(self.run_started)
                page.schedule_wanted.connect(self.write_schedule)
            case "connectors":
                page.run_wanted.connect(frame.show_run)
            case "settings":
                page.look_chosen.connect(frame.choose_look)
            case "schedules":
                page.run_wanted.connect(frame.show_run)
                page.gate_wanted.connect(frame.show_gate)

    @Slot(object)
    def do(self, command: object) -> None:
        """What was chosen in the palette."""
        if isinstance(command, Command):
            acts: dict[str, Callable[[str], object]] = {
                "page": self._frame.show_page,
                "gate": self._frame.show_gate,
                "run": self._frame.show_run,
                "checkpoint": self.show_plug,
                "aside": self._set_aside,
                "template": self._open_template,
                "view": self._show_view,
                "schedule": self.show_schedule,
                "trust": self._show_trust,
                "setting": self._show_setting,
                "new-schedule": self._new_schedule,
                "pause": lambda _: self._frame.pause_everything(),
                "resume": lambda _: self._frame.resume_everything(),
                "workspace": lambda path: self._frame.choose_workspace(path or None),
                "look": self._frame.choose_look,
            }
            acts[command.act](command.what)

    @Slot(object)
    def show_plug(self, run_id: object) -> None:
        """The checkpoint of a run."""
        self._to("runs").show_run(str(run_id), tab="checkpoint")

    @Slot(object)
    def undo_run(self, run_id: object) -> None:
        """The sheet that puts the files of a run back."""
        self._to("runs").undo_run(str(run_id))

    @Slot(object)
    def run_started(self, run_id: object) -> None:
        """A run was started by hand: show it; its first question comes into the inbox."""
        self._frame.pages["inbox"].follow(str(run_id))
        self._frame.show_run(run_id)

    @Slot(object)
    def run_again(self, document: object) -> None:
        """From a gate: its run, with the question how it is run again."""
        if isinstance(document, dict):
            self._to("runs").run_again(str(document["run_id"]))

    @Slot(object, object)
    def change_and_run(self, document: object, again: object) -> None:
        """From a run: the form of its template with its parameters."""
        if isinstance(document, dict) and isinstance(again, AgainOf):
            given = (document["template"], document["parameters"], document["workspace"])
            self._to("templates").open_named(*given, again=again)

    @Slot(object)
    def schedule_run(self, document: object) -> None:
        """From a run: the same template with the same parameters, by a rule from now on."""
        if isinstance(document, dict):
            self._to("schedules").write_named(document["template"], document["workspace"], document["parameters"])

    @Slot(object)
    def schedule_mondays(self, seen: object) -> None:
        """From the first result: the same every Monday, as far as it goes; nothing is kept before somebody has saved it."""
        if isinstance(seen, RunSeen):
            run = seen.document
            self._to("schedules").write_named(run["template"], run["workspace"], run["parameters"], MONDAYS)

    @Slot(object)
    def write_schedule(self, wanted: object) -> None:
        """From a template's form: its folder, the workspace and what is filled in."""
        if isinstance(wanted, tuple):
            self._to("schedules").write_for(*wanted)

    @Slot()
    def own_folder(self) -> None:
        """From the first card: choose a folder, then the form of the template that ran the sample."""
        templates = self._to("templates")
        templates.open_named(FIRST_TEMPLATE)
        templates.choose_folder()

    @Slot()
    def to_templates(self) -> None:
        """The gallery."""
        self._frame.show_page("templates")

    def _to(self, name: str) -> Any:
        self._frame.show_page(name)
        return self._frame.pages[name]

    def _set_aside(self, way: str) -> None:
        self._to("inbox").set_aside(way)

    def _open_template(self, path: str) -> None:
        self._to("templates").open_template(path)

    def _show_view(self, name: str) -> None:
        self._to("runs").show_view(name)

    @Slot(object)
    def show_schedule(self, schedule_id: object) -> None:
        """One schedule, or the page where none is named."""
        page = self._to("schedules")
        if schedule_id:
            page.show_schedule(str(schedule_id))

    def _show_trust(self, tab: str) -> None:
        self._to("connectors").show_tab(tab)

    @Slot()
    def show_space(self) -> None:
        """What the data folder holds, and how much that is."""
        self._show_setting("storage")

    def _show_setting(self, tab: str) -> None:
        self._to("settings").show_tab(tab)

    def _new_schedule(self, _nothing: str) -> None:
        self._to("schedules").new_schedule()
