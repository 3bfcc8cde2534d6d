"""The office of a data folder. Lists, counts, the runner line and changes come from quick looks; what needs SQLAlchemy is loaded when it is
first asked for, in the thread that asks, so that the first page does not wait for it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from counterfoil.clock import Clock, SystemClock
from counterfoil.desktop import gate_facts, run_facts
from counterfoil.desktop import office as facts
from counterfoil.desktop.gate_facts import Person
from counterfoil.desktop.news_facts import News
from counterfoil.desktop.real_office.asides import Asides
from counterfoil.desktop.real_office.gates import Gates
from counterfoil.desktop.real_office.inbox_rows import InboxRows
from counterfoil.desktop.real_office.pulse import Pulse
from counterfoil.desktop.real_office.run_rows import RunRows
from counterfoil.desktop.real_office.runner_line import RunnerLine
from counterfoil.desktop.real_office.workspace_names import name_of
from counterfoil.desktop.run_facts import EVERY, Narrow, Plug, StepKept
from counterfoil.desktop.schedule_facts import Schedules
from counterfoil.desktop.settings_facts import Settings
from counterfoil.desktop.template_facts import FolderFacts, TemplateCard, TemplateSeen
from counterfoil.desktop.trust_facts import Trust
from counterfoil.inbox.accounts import account
from counterfoil.places import Home
from counterfoil.policy.protection import NOTHING, Consent, Told, told
from counterfoil.previews.preview import FileSeen, Touched
from counterfoil.store.glance import Glance

if TYPE_CHECKING:
    from counterfoil.desktop.real_office.rooms import Rooms

_HERE = "counterfoil.desktop.real_office"
_ROOMS = f"{_HERE}.rooms"
_ANSWERED_BY = {
    "runs": "run_pages",
    "templates": "templates",
    "schedules": "schedule_pages",
    "connectors": "trust",
    "trail": "trail_pages",
    "settings": "settings_pages",
}
_GATE_BACK = facts.Changes(frozenset({facts.Part.INBOX}))
_RUNNER_TURNED = facts.Changes(frozenset({facts.Part.RUNNER}))


class RealOffice:
    """One thread's way to a data folder; see `desktop.office.Office` for what each method promises."""

    def __init__(self, home: Home, clock: Clock | None = None) -> None:
        self._home = home
        self._clock = clock or SystemClock()
        self._me = account()
        self._glance = Glance(home)
        self._pulse = Pulse(self._glance, self._me)
        self._asides = Asides(self._glance, self._clock, self._me)
        self._inbox = InboxRows(self._glance, self._me, self._asides)
        self._gates = Gates(home, self._glance, self._clock, self._me)
        self._runs = RunRows(self._glance, self._clock, self._me)
        self._runner = RunnerLine(home, self._glance, self._clock)
        self._opened: Rooms | None = None
        if self._glance.connection() is None and home.database.exists():
            self._open_rooms()  # an older version wrote it: it is brought up to date before anybody looks
        self._pulse.begin()

    @property
    def _rooms(self) -> Rooms:
        """Everything that quick looks cannot do; the database is made when there is none."""
        return self._opened or self._open_rooms()

    def _open_rooms(self) -> Rooms:
        opened: Rooms = importlib.import_module(_ROOMS).Rooms(self._home, self._clock, self._me)
        self._opened = opened
        return opened

    # ------------------------------------------------------------------------------------------------------- the frame

    def changes(self) -> facts.Changes | None:
        """What changed since the last call."""
        found = self._pulse.look()
        turned = _GATE_BACK if self._asides.turned() else None
        turned = _RUNNER_TURNED if turned is None and found is None and self._runner.turned() else turned
        if found is None or turned is None:
            return found or turned
        return facts.Changes(found.parts | turned.parts, found.runs)

    def close(self) -> None:
        """Let go of every connection."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None
        self._glance.close()

    def workspaces(self) -> tuple[facts.Workspace, ...]:
        """Those that runs have used, newest first."""
        return tuple(facts.Workspace(path, name_of(path, self._home)) for path in self._glance.workspaces())

    def counts(self, workspace: str | None) -> facts.Counts:
        """The numbers of the frame."""
        under_way, runs = self._glance.count_runs(workspace)
        for_me, for_others, snoozed = self._inbox.counts(workspace)
        return facts.Counts(
            for_me=for_me,
            for_others=for_others,
            snoozed=snoozed,
            running=under_way,
            runs=runs,
            notices=self._glance.count_notices(),
        )

    def runner(self) -> facts.RunnerSeen:
        """How the runner does."""
        return self._runner.seen()

    def start_runner(self) -> None:
        """Start it in the background."""
        self._runner.start()

    def news(self, *, looking: bool) -> News | None:
        """What to tell a person who is elsewhere."""
        return self._rooms.news.news(looking=looking)

    def pause_everything(self, *, on: bool) -> None:
        """Let nothing start or go on, or take that back."""
        self._rooms.pause_everything(on=on)

    # ---------------------------------------------------------------------------------------------------------- gates

    def inbox(self, tab: facts.Tab, workspace: str | None, most: int | None = None) -> tuple[facts.InboxRow, ...]:
        """The rows of a tab."""
        if tab is facts.Tab.DECIDED:
            return self._inbox.decided(workspace, most)
        if tab is facts.Tab.FOR_ME and most is not None:
            return self._inbox.first(workspace, most)
        return self._inbox.open_ones(tab, workspace)

    def read_ahead(self) -> bool:
        """Read some more open gates."""
        return self._inbox.warm()

    def load_ahead(self, page: str) -> None:
        """Import what answers the questions of a page."""
        importlib.import_module(_ROOMS)
        importlib.import_module(f"{_HERE}.{_ANSWERED_BY[page]}")

    def gate(self, gate_id: str) -> gate_facts.GateSeen:
        """One gate."""
        return self._gates.gate(gate_id)

    def file_of_gate(self, gate_id: str, n: int) -> FileSeen:
        """What a plan's file effect does."""
        return self._rooms.files.of_gate(gate_id, n)

    def picture_of_gate(self, gate_id: str, n: int, *, after: bool, page: int) -> gate_facts.PageSeen:
        """A page of a file before or after."""
        return self._rooms.files.picture(gate_id, n, after=after, page=page)

    def touched_since(self, gate_id: str) -> tuple[Touched, ...]:
        """Files of a gate's plan that changed since it was asked."""
        return self._rooms.files.touched(gate_id)

    def compare_since(self, gate_id: str, path: str) -> FileSeen:
        """One of them, then and now."""
        return self._rooms.files.meanwhile(gate_id, path)

    def picture_since(self, gate_id: str, path: str, *, after: bool, page: int) -> gate_facts.PageSeen:
        """A page of one of its sides."""
        return self._rooms.files.picture_meanwhile(gate_id, path, after=after, page=page)

    def picture_of_undo(self, run_id: str, path: str, *, after: bool, page: int) -> gate_facts.PageSeen:
        """A page of a file that is compared."""
        return self._rooms.files.picture_since(run_id, path, after=after, page=page)

    def page(self, workspace: str, path: str, page: int) -> gate_facts.PageSeen:
        """A page of a document as a picture."""
        return self._rooms.pages.page(workspace, path, page)

    def save_draft(self, gate_id: str, draft: gate_facts.Draft) -> None:
        """Keep what was filled in so far."""
        self._rooms.decisions.save_draft(gate_id, draft)

    def mark_read(self, gate_id: str, digest: str) -> None:
        """It was on the screen."""
        self._rooms.decisions.mark_read(gate_id, digest)

    def decide(self, answer: gate_facts.Answer) -> gate_facts.DecisionMade:
        """Commit a decision."""
        return self._rooms.decisions.decide(answer)

    def void(self, gate_id: str) -> None:
        """Take the decision back."""
        self._rooms.decisions.void(gate_id)

    def snooze(self, gate_id: str, until: int) -> None:
        """Put a gate off."""
        self._rooms.setting_aside.snooze(gate_id, until)

    def wake(self, gate_id: str) -> None:
        """See it again."""
        self._rooms.setting_aside.wake(gate_id)

    def people(self, gate_id: str) -> tuple[Person, ...]:
        """Who it can be given to."""
        return self._rooms.setting_aside.people(gate_id)

    def give(self, gate_id: str, principal: str, why: str) -> None:
        """Let it wait for somebody."""
        self._rooms.setting_aside.give(gate_id, principal, why)

    def take(self, gate_id: str) -> None:
        """Let it wait for oneself."""
        self._rooms.setting_aside.take(gate_id)

    # ----------------------------------------------------------------------------------------------------------- runs

    def runs(
        self, workspace: str | None, chip: str = "all", wanted: str = "", most: int = 200, narrow: Narrow = EVERY
    ) -> facts.RunsLook:
        """Runs, newest first."""
        place = narrow.workspace or workspace
        seen = self._runs.look(place, chip, wanted, most, replace(narrow, workspace=""))
        return replace(seen, workspaces=tuple((one.path, one.name) for one in self.workspaces()))

    def run(self, run_id: str) -> facts.RunSeen:
        """One run."""
        return self._rooms.runs.run(run_id)

    def step_kept(self, run_id: str, path: str, ordinal: int, page: int) -> StepKept:
        """What is kept of one step."""
        return self._rooms.runs.step(run_id, path, ordinal, page)

    def progress(self, run_id: str) -> facts.Progress:
        """How far it is."""
        return self._rooms.runs.progress(run_id)

    def cancel_run(self, run_id: str, reason: str) -> str:
        """Stop a run."""
        return self._rooms.runs.cancel(run_id, reason)

    def note_run(self, run_id: str, text: str) -> str:
        """Keep a note on a run."""
        return self._rooms.runs.note(run_id, text)

    def wait_longer(self, run_id: str) -> str:
        """Wait for a silent step."""
        return self._rooms.runs.wait_longer(run_id)

    def restart_step(self, run_id: str) -> str:
        """Have a silent step begin anew, by the runner that it needs."""
        said = self._rooms.runs.restart(run_id)
        self._runner.start()
        return said

    def look_at_undo(self, run_id: str) -> run_facts.UndoLook:
        """What putting its files back would come to."""
        return self._rooms.undoing.look(run_id)

    def compare_undo(self, run_id: str, path: str) -> FileSeen:
        """A file as the run left it, and as it is now."""
        return self._rooms.files.since(run_id, path)

    def undo_run(self, run_id: str, reason: str, *, rest: bool) -> str:
        """Have its files put back, by the runner that it needs."""
        said = self._rooms.undoing.ask(run_id, reason, rest=rest)
        self._runner.start()
        return said

    def look_at_fork(self, run_id: str, step: int, *, again: bool) -> run_facts.ForkLook:
        """What going on from a step would come to."""
        return self._rooms.again.look(run_id, step, again=again)

    def fork_run(self, run_id: str, step: int, reason: str, agreed: Consent = NOTHING, *, again: bool) -> str:
        """Go on from a step in a new run, by the runner that it needs."""
        made = self._rooms.again.fork(run_id, step, reason, agreed, again=again)
        self._runner.start()
        return made

    def start_again(self, run_id: str, reason: str, agreed: Consent = NOTHING) -> str:
        """Start the same with the same parameters, and the runner that it needs."""
        made = self._rooms.again.start(run_id, reason, agreed)
        self._runner.start()
        return made

    def undoing(self, run_id: str) -> run_facts.Undoing | None:
        """What has become of the newest wish."""
        return self._rooms.undoing.newest(run_id)

    def look_at_evidence(self, run_id: str) -> run_facts.EvidenceLook:
        """What a pack of evidence of it would hold."""
        return self._rooms.evidence.look(run_id)

    def export_evidence(self, run_id: str, path: str) -> run_facts.EvidenceMade:
        """Write that pack."""
        return self._rooms.evidence.export(run_id, path)

    def pull_the_plug(self, run_id: str) -> Plug:
        """End the runner and this run's processes the hard way, and start the runner again."""
        return self._rooms.plug.pull(run_id, self._runner)

    def after_the_plug(self, run_id: str, ended_at: int) -> Plug:
        """What has happened since."""
        return self._rooms.plug.after(run_id, ended_at)

    # ------------------------------------------------------------------------------------------------------ templates

    def templates(self, workspace: str | None) -> tuple[TemplateCard, ...]:
        """The gallery."""
        return self._rooms.templates.cards(workspace, self._glance.templates_used())

    def template(self, path: str, workspace: str, agreed: Consent = NOTHING) -> TemplateSeen:
        """One template."""
        return self._rooms.templates.template(path, workspace, self._glance.templates_used(), agreed)

    def check_parameters(self, path: str, workspace: str, values: Mapping[str, Any]) -> dict[str, str]:
        """A sentence per field that is not as it must be."""
        return self._rooms.templates.problems(path, workspace, values)

    def start_run(
        self,
        path: str,
        workspace: str,
        values: Mapping[str, Any],
        agreed: Consent = NOTHING,
        again: run_facts.AgainOf | None = None,
    ) -> str:
        """Start a run, and the runner that it needs."""
        run_id = self._rooms.templates.start(path, workspace, values, agreed, again)
        self._runner.start()
        return run_id

    def try_again(self, run_id: str, agreed: Consent = NOTHING) -> None:
        """Let a run that stopped for want of protection go on."""
        self._rooms.runs.try_again(run_id, agreed)

    def protection(self) -> Told | None:
        """What was measured last."""
        return told(self._home)

    def start_sample(self) -> str:
        """Copy the sample workspace and start a run on it."""
        self._runner.start()
        return self._rooms.templates.start_sample()

    def measure_folder(self, path: str) -> FolderFacts:
        """Look at a folder."""
        return self._rooms.measure(path)

    def leave_out(self, path: str, parts: Sequence[str]) -> FolderFacts:
        """Copy less of a folder from now on."""
        return self._rooms.leave_out(path, parts)

    # ------------------------------------------------------------------------------------------------------- routines

    @property
    def schedules(self) -> Schedules:
        """Routines, and what became of their firings."""
        return self._rooms.schedules

    # -------------------------------------------------------------------------------------------------- what is trusted

    @property
    def trust(self) -> Trust:
        """Connectors, routes, permissions, memory."""
        return self._rooms.trust

    # ------------------------------------------------------------------------------------------------------ the trail

    def trail(self, query: str, before: int | None) -> facts.TrailPage:
        """Entries, newest first."""
        return self._rooms.trail.page(query, before)

    def check_trail(self) -> tuple[bool, str]:
        """Whether the chain holds."""
        return self._rooms.trail.check()

    @property
    def settings(self) -> Settings:
        """What is set for the whole home."""
        return self._rooms.settings


def open_real(home: Home) -> RealOffice:
    """An office for the thread that calls this."""
    return RealOffice(home)
