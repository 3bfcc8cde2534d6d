"""Where an author's verb finds the machine that is running it, and what that machine must be able to do.

Verbs know nothing of sessions, frames or databases: they find the current branch in a context variable and hand over. Outside a
run there is no branch; steps then simply run, everything else is refused with advice.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, ParamSpec, Protocol, TypeVar

from counterfoil.authoring.overlay import Overlay
from counterfoil.errors import Cancelled, RefusedUse

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a workflow may know about its own run: `run_id` 32 hex, `number` per home, `created_us` UTC microseconds."""

    run_id: str
    number: int
    template: str
    version: str
    workspace: str
    created_us: int


@dataclass(slots=True)
class Branch:
    """One line of execution inside a run; the root has the path "", a child of `parallel` "<ordinal>/<index>" appended. `overlay` is what
    the step that runs in it writes."""

    machine: Machine
    path: str
    at_us: int
    task: object = None
    next_ordinal: int = 0
    draws: int = 0
    in_step: bool = False
    overlay: Overlay | None = None
    lost: bool = False
    pending: dict[object, str] = field(default_factory=dict)

    def refuse_forgotten(self) -> None:
        """Raise RefusedUse where a durable call was made and never awaited: forgetting must not look like having done it."""
        if self.pending:
            what = next(iter(self.pending.values()))
            raise RefusedUse(f"{what} was called but never awaited; write `await` before it")


def root_of(path: str, ordinal: int) -> int:
    """The ordinal in the root branch of what stands at an identity: its own, or that of the step it lies beneath."""
    return int(path.partition("/")[0]) if path else ordinal


class Machine(Protocol):
    """What stands behind the verbs: the session of a host or of the Harness."""

    run: RunFacts
    seed: str

    async def step(self, branch: Branch, step: Any, arguments: dict[str, Any]) -> Any:
        """Perform a step until it is recorded, or answer from its record."""

    async def effect(self, branch: Branch, effect: Any) -> Any:
        """Ask the runner to perform one effect."""

    async def perform(self, branch: Branch, effects: Sequence[Any], on_conflict: str) -> list[Any]:
        """Ask the runner to perform effects in order, as one plan."""

    async def gate(self, branch: Branch, name: str, spec: dict[str, Any]) -> dict[str, Any]:
        """Open a gate and wait for its decision."""

    async def sleep(self, branch: Branch, for_us: int | None, until_us: int | None) -> None:
        """Wait on a timer row."""

    async def lookup(self, branch: Branch, what: str, keys: Sequence[str]) -> Any:
        """Ask the runner what other runs hold."""

    async def llm(self, branch: Branch, name: str, asked: dict[str, Any], args_digest: str) -> dict[str, Any]:
        """Ask an llm for the next turn of a conversation; its answer as plain JSON."""

    async def parallel(self, branch: Branch, awaitables: Sequence[Awaitable[Any]]) -> list[Any]:
        """Run branches side by side and settle them all."""

    async def first(self, branch: Branch, awaitables: Sequence[Awaitable[Any]]) -> tuple[int, Any]:
        """Run branches side by side until one has ended; which one is recorded."""

    def check(self, branch: Branch, what: str) -> None:
        """Refuse a durable call that cannot be replayed."""

    def report(self, branch: Branch, text: str) -> None:
        """Say in one line what the running step has achieved."""


_current: contextvars.ContextVar[Branch | None] = contextvars.ContextVar("counterfoil_branch", default=None)


def current() -> Branch | None:
    """The branch that is executing, or None outside a run."""
    return _current.get()


def enter(branch: Branch | None) -> contextvars.Token[Branch | None]:
    """Make a branch the current one for this context."""
    return _current.set(branch)


def require(what: str) -> Branch:
    """The current branch, for a verb that has no meaning elsewhere.

    Raises:
        RefusedUse: there is no run, the call stands inside a step, or it was made from a raw task or thread.
    """
    branch = _current.get()
    if branch is None:
        raise RefusedUse(
            f"{what} needs a run: start the workflow with `counterfoil run`, or in a test with counterfoil.testing.Harness"
        )
    if branch.in_step:
        raise RefusedUse(f"{what} cannot stand inside a step: await it in the workflow body, between steps")
    if branch.lost:
        raise Cancelled(f"{what} comes too late: this branch has lost its race")
    branch.machine.check(branch, what)
    return branch


class Durable(Generic[R]):
    """A call that is made when it is awaited. One that never is fails its branch at the end."""

    __slots__ = ("_begin", "_pending")

    def __init__(self, what: str, begin: Callable[[], Coroutine[Any, Any, R]]) -> None:
        self._begin = begin
        branch = _current.get()
        self._pending: dict[object, str] = {}
        if branch is not None and not branch.in_step:
            self._pending = branch.pending
            self._pending[self] = what

    def forget(self) -> None:
        """It will not be awaited, and that is right: its branch has lost a race."""
        self._pending.pop(self, None)

    def __await__(self) -> Generator[Any, None, R]:
        self.forget()
        return self._begin().__await__()


def durable(function: Callable[P, Coroutine[Any, Any, R]]) -> Callable[P, Durable[R]]:
    """Make a verb's coroutine function one whose calls must not be forgotten."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Durable[R]:
        return Durable(f"{function.__name__}()", functools.partial(function, *args, **kwargs))

    return call
