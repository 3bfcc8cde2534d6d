"""What pages may ask and what they may do: one protocol and the facts it hands out.

Every method may wait for a disk, so none is ever called on the thread of the window; `desktop.bridge` sees to that. Documents are
the plain dictionaries of the command line's contract; what the contract does not hold stands beside them, typed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from counterfoil.desktop.gate_facts import Answer, DecisionMade, Draft, GateSeen, PageSeen, SetsAside
from counterfoil.desktop.news_facts import Tells
from counterfoil.desktop.run_facts import EVERY, AgainOf, Choices, Narrow, RunActs, Silent, StepKept, Undoing
from counterfoil.desktop.schedule_facts import Schedules
from counterfoil.desktop.settings_facts import Settled
from counterfoil.desktop.template_facts import FolderFacts, TemplateCard, TemplateSeen
from counterfoil.desktop.trust_facts import Trusts
from counterfoil.policy.protection import NOTHING, Consent, Told
from counterfoil.previews.preview import FileSeen, Touched

Document = Mapping[str, Any]


class Part(StrEnum):
    """What may have changed."""

    INBOX = "inbox"
    RUNS = "runs"
    RUNNER = "runner"
    TEMPLATES = "templates"
    SCHEDULES = "schedules"
    TRUST = "trust"
    TRAIL = "trail"


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed since the last look; `runs` are the ids of touched runs, empty where that is not known."""

    parts: frozenset[Part]
    runs: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder of the team."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers that stand in more than one place, counted once."""

    for_me: int = 0
    for_others: int = 0
    snoozed: int = 0
    running: int = 0
    runs: int = 0
    notices: int = 0  # what is told of schedules


class RunnerState(StrEnum):
    """How the background process does."""

    OFF = "off"
    STARTING = "starting"
    RUNNING = "running"
    SILENT = "silent"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RunnerSeen:
    """The runner line. Instants in microseconds; `doing` is the title of what it works on."""

    state: RunnerState
    since: int | None = None
    last_saved: int | None = None
    last_sign: int | None = None
    doing: tuple[str, ...] = ()
    pid: int | None = None
    log: str = ""
    trouble: str = ""
    isolation: str = ""  # "" before any level was measured
    paused_by: str = ""  # who has paused everything, "" where nobody has
    paused_at: int | None = None
    paused_why: str = ""  # what the program says of a pause of its own
    next_name: str = ""  # the schedule that fires next, "" where none will
    next_at: int | None = None


class Tab(StrEnum):
    """The inbox's tabs that can work."""

    FOR_ME = "for_me"
    FOR_OTHERS = "for_others"
    SNOOZED = "snoozed"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A gate in the list. `why` is the second line; `figure` a plain value of the contract; `closed` says how it ended."""

    gate_id: str
    number: int
    run_id: str
    kind: str
    title: str
    why: str
    template: str
    workspace: str
    asked_at: int
    digest: str
    figure: Any = None
    figure_label: str = ""
    due_at: int | None = None
    unread: bool = False
    draft: bool = False
    needed: int = 1
    given: int = 0
    closed: str = ""
    closed_at: int | None = None
    verdict: str = ""
    bulk: str = ""  # why it cannot be decided together with others; "" when it can
    search: str = ""  # casefolded text that search looks through
    asleep_until: int | None = None  # snoozed by this person
    handed: str = ""  # whom it was given to and by whom, in words
    others: bool = False  # it waits for somebody else

    @property
    def alone(self) -> str:
        """Why it is decided by itself, "" where it can be decided with others: what a person has filled in is not passed over."""
        filled_in = "you have filled something in" if self.draft else ""
        return self.bulk or ("it is decided" if self.closed else filled_in)


@dataclass(frozen=True, slots=True)
class FileRef:
    """An item of an approved plan that touches files: what it is called, and whether it is planned, applied or rolled back."""

    gate_id: str
    n: int
    title: str
    state: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in the list. `words` is the state for people, `tone` its colour."""

    run_id: str
    number: int
    title: str
    template: str
    workspace: str
    state: str
    words: str
    tone: str
    started_by: str
    created_at: int
    started_at: int | None = None
    ended_at: int | None = None
    care: str = ""
    by: str = ""  # who started it, in words
    cost: str = ""  # what its llms have cost; "" where nothing was asked of one that has a price


@dataclass(frozen=True, slots=True)
class RunsLook:
    """The first rows of a list of runs, how many stand behind each chip, and whether there are more rows."""

    rows: tuple[RunRow, ...]
    counts: Mapping[str, int]
    more: bool = False
    templates: Choices = ()  # to which the list may be narrowed
    schedules: Choices = ()
    workspaces: Choices = ()


@dataclass(frozen=True, slots=True)
class RunSeen:
    """A run: the contract's document of `show RUN`, and what the page needs beside it."""

    document: Document
    template: str
    words: str
    tone: str
    files: tuple[FileRef, ...] = ()
    trail: tuple[Document, ...] = ()
    isolation: str = ""  # the mark that the run keeps of its level
    me: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)  # what its template calls its parameters
    may_undo: bool = False  # it has ended, and what its files were is kept
    undoing: Undoing | None = None
    silent: Silent | None = None  # a step has said nothing for its limit


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is, for the card that waits for its gate. `last` holds (name, problem or "")."""

    run_id: str
    state: str
    words: str
    done: int = 0
    total: int = 0
    last: tuple[tuple[str, str], ...] = ()
    gate_id: str | None = None
    result: Any = None
    problem: str = ""
    folder: str = ""
    may_undo: bool = False


@dataclass(frozen=True, slots=True)
class TrailPage:
    """Entries newest first, and whether older ones follow."""

    entries: tuple[Document, ...]
    more: bool
    total: int


class Office(RunActs, Tells, Trusts, Settled, SetsAside, Protocol):
    """One connection to the data folder, used by one thread. Every method may raise a CounterfoilError."""

    def changes(self) -> Changes | None:
        """What changed since the last call; cheap enough to ask ten times a second."""

    @property
    def schedules(self) -> Schedules:
        """Routines, and what became of their firings."""

    def close(self) -> None:
        """Let go of the connection."""

    def workspaces(self) -> tuple[Workspace, ...]:
        """Those that runs have used, newest first."""

    def counts(self, workspace: str | None) -> Counts:
        """The numbers of the frame."""

    def runner(self) -> RunnerSeen:
        """How the runner does."""

    def start_runner(self) -> None:
        """Start it in the background; it says by itself when it lives."""

    def pause_everything(self, *, on: bool) -> None:
        """Let nothing start or go on, or take that back."""

    def inbox(self, tab: Tab, workspace: str | None, most: int | None = None) -> tuple[InboxRow, ...]:
        """The rows of a tab, oldest question first; decided ones newest first. With `most` only so many, those that are shown first."""

    def read_ahead(self) -> bool:
        """Read some more of what the inbox will want; whether there is more to read."""

    def load_ahead(self, page: str) -> None:
        """Load what answers the questions of a page, before it asks the first."""

    def gate(self, gate_id: str) -> GateSeen:
        """One gate, with the draft of this person."""

    def file_of_gate(self, gate_id: str, n: int) -> FileSeen:
        """What a plan's file effect does to its file."""

    def picture_of_gate(self, gate_id: str, n: int, *, after: bool, page: int) -> PageSeen:
        """A page of the file that an item of a plan writes, before or after, as a picture."""

    def touched_since(self, gate_id: str) -> tuple[Touched, ...]:
        """Files of a gate's plan that are not any more what they were when it was asked; those that were touched are read."""

    def compare_since(self, gate_id: str, path: str) -> FileSeen:
        """One of them, as it was when the gate was asked and as it is now."""

    def picture_since(self, gate_id: str, path: str, *, after: bool, page: int) -> PageSeen:
        """A page of one of its sides, as a picture."""

    def picture_of_undo(self, run_id: str, path: str, *, after: bool, page: int) -> PageSeen:
        """A page of a file that is compared before it is put back, as a picture."""

    def page(self, workspace: str, path: str, page: int) -> PageSeen:
        """A page of a document as a picture."""

    def save_draft(self, gate_id: str, draft: Draft) -> None:
        """Keep what was filled in so far."""

    def mark_read(self, gate_id: str, digest: str) -> None:
        """It was on the screen."""

    def decide(self, answer: Answer) -> DecisionMade:
        """Commit a decision; it takes effect after the time for taking it back."""

    def void(self, gate_id: str) -> None:
        """Take the decision back, while that is possible."""

    def runs(
        self, workspace: str | None, chip: str = "all", wanted: str = "", most: int = 200, narrow: Narrow = EVERY
    ) -> RunsLook:
        """The newest runs of a chip (all, care, running, waiting, done, cancelled) that hold the wanted words, `most` of them."""

    def run(self, run_id: str) -> RunSeen:
        """One run."""

    def step_kept(self, run_id: str, path: str, ordinal: int, page: int) -> StepKept:
        """What is kept of one step; of a long value the page from 1."""

    def progress(self, run_id: str) -> Progress:
        """How far it is."""

    def templates(self, workspace: str | None) -> tuple[TemplateCard, ...]:
        """The gallery."""

    def template(self, path: str, workspace: str, agreed: Consent = NOTHING) -> TemplateSeen:
        """One template with what this workspace remembers for it. Reading its form runs its code, in a host."""

    def check_parameters(self, path: str, workspace: str, values: Mapping[str, Any]) -> dict[str, str]:
        """A sentence per field that is not as it must be."""

    def start_run(
        self,
        path: str,
        workspace: str,
        values: Mapping[str, Any],
        agreed: Consent = NOTHING,
        again: AgainOf | None = None,
    ) -> str:
        """Start a run; its id. `again` is the one that it does again, and why."""

    def try_again(self, run_id: str, agreed: Consent = NOTHING) -> None:
        """Let a run that stopped for want of protection go on."""

    def protection(self) -> Told | None:
        """What was measured last on this computer."""

    def start_sample(self) -> str:
        """Copy the sample workspace and start a run on it; the run's id."""

    def measure_folder(self, path: str) -> FolderFacts:
        """Look at a folder, changing nothing."""

    def leave_out(self, path: str, parts: Sequence[str]) -> FolderFacts:
        """Have parts of a folder left out of the copies of runs from now on, and look at it again."""

    def trail(self, query: str, before: int | None) -> TrailPage:
        """Entries older than `before`, newest first."""

    def check_trail(self) -> tuple[bool, str]:
        """Whether the chain holds, and the sentence that says so."""
