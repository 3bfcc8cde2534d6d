"""What the engine needs from rooms above it, as protocols: performing effects, judging permission, calling the tools of connectors.

The desk never imports a vendor and never knows how a file is written; it knows when, whether, and that it is recorded.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from counterfoil.facts import DoubtPolicy, FailureClass, Risk
from counterfoil.store.transactions import Row

ROOT = "."  # what a base calls the workspace's folder itself; no path of a file is spelled so


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """One effect as a person sees it. Digests are SHA-256 of the file's bytes before and after, None where there is no file.

    `base` is what of the world the approval is bound to (for files `{path: sha256 or None}`, and
    which folder ROOT is); it is sealed with the body. `risk_reason`
    says why it is not normal, as a sentence, where the risk alone does not; what runs later is approved only when confirmed by itself.
    """

    effect: str
    summary: str
    target: str
    risk: Risk
    before_digest: str | None = None
    after_digest: str | None = None
    bytes: int | None = None
    base: dict[str, str | None] = field(default_factory=dict)
    risk_reason: str | None = None


class Permission(StrEnum):
    """What policy says of an effect that no approval covers."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A permission with the sentence that explains it, and the id of the person's rule that decided, where one did. `warning` is what
    whoever is asked has to know besides."""

    permission: Permission
    reason: str
    rule: str | None = None
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around an effect that is judged: the template that wants it, the `rules` of people that are in force (rows), what the
    run has read from outside the team; of a connector's tool what a person says that it does (`reads`, `changes`, `sends`, `spends`, or
    nothing), and its definition that somebody has looked at; `done`, sentences, what the run that is done again has done just so."""

    template: str = ""
    rules: Sequence[Row] = ()
    sources: Sequence[str] = ()
    does: str = ""
    pin: str = ""
    done: Sequence[str] = ()


class Finding(StrEnum):
    """What looking an effect up has shown."""

    HAPPENED = "happened"
    NOT_HAPPENED = "not_happened"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """A finding, with the outcome (plain JSON) when it happened."""

    finding: Finding
    outcome: Any = None


@dataclass(frozen=True, slots=True)
class FileOp:
    """One file or folder of an apply set. `op` is write, append, move, delete, mkdir or rmdir; `before` is the SHA-256 the file must
    have now (None: absent), `after` the one it gets.

    Of a write or an append `content` are the whole new bytes where they are not kept as a blob yet, `size` is how many, `executable`
    whether the file becomes a program (None: as it is). For a move `target` is where it goes and `after` equals `before`. Undoing knows
    `restore`, whose `target` is a gate and a slot of its store, and gives a folder the permission bits `mode`.
    """

    n: int
    op: str
    path: str
    target: str | None
    before: str | None
    after: str | None
    content: bytes | None = field(repr=False, default=None)
    executable: bool | None = None
    size: int | None = None
    mode: int | None = None

    @property
    def plain(self) -> list[object]:
        """What it does, as it counts for the name of its set (`store.originals.set_of`)."""
        return [self.n, self.op, self.path, self.target, self.before, self.after, self.executable]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One thing of a set that is not as it was approved, and what may become of it.

    `path` names it, `why` is a clause about it, `before` the SHA-256 it was approved on. `now` is the file that is there (`sha256`, `size`,
    `changed_us`), None where there is none. `does` says in words what the run would do. `parts` are the effects, by item number, that would
    do it and nothing else. `choices` are the answers that are possible, `made` what each of them other than "keep" comes to.
    """

    path: str
    why: str
    before: str | None
    now: dict[str, Any] | None
    does: str
    parts: tuple[tuple[int, dict[str, Any]], ...]
    choices: tuple[str, ...]
    made: dict[str, Remade] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Remade:
    """What an answer comes to: effects by item number in the place of the parts, what of the folder they are bound to, the file that comes
    out (`path`, `sha256`, `size`; None where it is not one file)."""

    bodies: tuple[tuple[int, dict[str, Any]], ...]
    base: dict[str, str | None]
    file: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """A set held against the folder as it is: which folder it is now, whether that is another one, and what changed in it."""

    root: str
    is_another: bool
    files: tuple[ChangedFile, ...]


class BadEffect(Exception):
    """The body is no effect of the catalogue, or its arguments are not of its shape."""


class EffectTrouble(Exception):
    """An effect ended in a known failure; `retry_after` in seconds where the other side named one."""

    def __init__(self, message: str, failure_class: FailureClass, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.failure_class = failure_class
        self.retry_after = retry_after


class OutcomeUnknown(Exception):
    """An effect was begun and no answer came, so it may have happened: neither a failure nor a success.

    The desk leaves the intent open and follows the effect's doubt policy: look it up where that is possible, else put it to a
    person. It never tries again by itself. The message is one sentence for that person.
    """


Sample = Callable[[str, Sequence[tuple[str, str]], int], Awaitable[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Moment:
    """What an effect may need to know of where it is performed: the run's folder of files, if there is one; what of the world its approval
    is bound to. Where it has asked a person something (InputNeeded): what it kept, what was filled in (plain, by field), `by` whom.

    `sample` asks an llm in the run's name: a system text, a conversation as (role, text), the most tokens; the answer, and whose it is. It
    raises LlmTrouble where there is none.
    """

    stage: str | None = None
    base: Mapping[str, str | None] = field(default_factory=dict)
    state: Any = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    declined: bool = False
    by: str = ""
    sample: Sample | None = None


NO_MOMENT = Moment()


class InputNeeded(Exception):
    """The other side asks a person something before it goes on. `state` is kept with the gate and comes back in the Moment of the next
    try; fields, evidence and flags are as of a gate. `why`: it has `asked` something, somebody is `signed_out`, or what is called has
    `changed`."""

    def __init__(
        self,
        title: str,
        *,
        fields: list[dict[str, Any]],
        evidence: list[dict[str, Any]],
        flags: list[str],
        state: dict[str, Any],
        why: str = "asked",
    ) -> None:
        super().__init__(title)
        self.fields, self.evidence, self.flags, self.state, self.why = fields, evidence, flags, state, why


class Conflict(Exception):
    """Files are not what the approval was sealed to; nothing was written. `paths` names them."""

    def __init__(self, message: str, paths: Sequence[str]) -> None:
        super().__init__(message)
        self.paths = list(paths)


class Effects(Protocol):
    """The catalogue of effects and the hands that perform them."""

    def check(self, body: dict[str, Any]) -> None:
        """Raise BadEffect unless the body is an effect of the catalogue with arguments of its shape."""

    def policy(self, body: dict[str, Any]) -> DoubtPolicy:
        """What to do with an intent of this effect that has no outcome."""

    def is_file(self, body: dict[str, Any]) -> bool:
        """Whether it belongs to the apply set of its gate."""

    def prepare(self, body: dict[str, Any], workspace: str) -> PlanEntry:
        """Look at the world as it is and say what the effect would do; blocking, so call it in a thread."""

    def prepare_plan(self, bodies: Sequence[dict[str, Any]], workspace: str) -> list[PlanEntry]:
        """As `prepare`, for a whole plan: each item on top of those before it. Raises EffectTrouble where that cannot be."""

    async def perform(self, body: dict[str, Any], key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        """Do it; the outcome as plain JSON. Raises EffectTrouble where it is known not to have happened, InputNeeded where a person is
        asked first."""

    async def reconcile(self, body: dict[str, Any], key: str, workspace: str) -> Reconciled:
        """Ask the outside whether it happened."""

    def file_ops(
        self, items: Sequence[tuple[int, dict[str, Any], dict[str, str | None]]], workspace: str
    ) -> list[FileOp]:
        """The journal of an apply set: items are (number, body, sealed base). Raises Conflict where a base does not hold."""

    def compare(
        self, items: Sequence[tuple[int, dict[str, Any], dict[str, str | None]]], workspace: str, mark: str
    ) -> Comparison:
        """What of an apply set is not as its approval was sealed to; `mark` goes into the name of a file that is put beside another.

        Blocking. Raises EffectTrouble where the folder itself cannot be read.
        """

    def apply_files(self, ops: Sequence[FileOp], workspace: str, undo: str, root: str | None = None) -> dict[int, Any]:
        """Apply a whole set, or what is left of it after a crash; outcomes (plain JSON) by item number.

        Each file changes atomically (temporary file, fsync, rename; fsync of the folder). An op whose file already is what it must
        become counts as done. Raises Conflict where a file is neither before nor after, with everything of the set put back, and where
        the workspace is another folder than `root` names. Originals go into the store `undo`. Blocking, so call it in a thread.
        """

    def outcomes(self, ops: Sequence[FileOp]) -> dict[int, Any]:
        """The outcomes (plain JSON) by item number of a set that was applied before; reads nothing."""


class Connectors(Protocol):
    """Programs and addresses of others whose tools can be called (`call@1`)."""

    async def tools(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """The tools of connectors as they are now: `connector`, `tool`, `name` (unique among all, 64 characters at most), `title`,
        `description`, `parameters` (JSON schema), `pin`.

        Raises:
            EffectTrouble: one of the connectors is not there, is off, or does not answer.
        """

    async def close(self) -> None:
        """End what is open; it is opened again when something is asked."""


class Policy(Protocol):
    """Who may do what, on the final arguments."""

    def judge(self, body: dict[str, Any], workspace: str, manifest: dict[str, Any], around: Around) -> Judgement:
        """What may happen with an effect that no approval covers."""
