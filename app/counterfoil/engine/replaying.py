"""What was recorded, met again in the order of the code: the cursor of a replay.

A record answers the call at its identity only if it is of the same kind, name and arguments. Anything else is a mismatch, found at the
first call that differs: another name, other arguments, a new call where later ones are recorded, an end before every record was met.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from counterfoil.authoring.machine import Branch, RunFacts
from counterfoil.errors import Cancelled, Mismatch, RefusedUse
from counterfoil.facts import Outcome, StepKind

Identity = tuple[str, int]
MOST_CALLS = 10**6  # durable calls of one branch
DEEPEST = 30  # branches within branches
ANY_ARGUMENTS = ""  # the digest of a record that answers whatever the arguments are


@dataclass(slots=True)
class Recorded:
    """A record as a session sees it; `payload` is None while the text lies with the desk."""

    kind: str
    name: str
    args_digest: str
    outcome: str
    payload: str | None
    at_us: int


@dataclass(frozen=True, slots=True)
class Opening:
    """What a session starts from. `held` identities wait at the desk before they are tried; `kept` ones answer despite other arguments.
    The run's `workspace` is the folder that its steps read, `overlays` the one in which they write; `foreign` are patterns of files that
    hold words of others."""

    run: RunFacts
    seed: str
    parameters: str
    records: dict[Identity, Recorded]
    held: frozenset[Identity] = frozenset()
    kept: frozenset[Identity] = frozenset()
    overlays: str = ""
    foreign: tuple[str, ...] = ()


class Replay:
    """The records of one opening, and which of them the workflow has asked for so far."""

    def __init__(self, opening: Opening) -> None:
        self._records = opening.records
        self._kept = opening.kept
        self._met: set[Identity] = set()
        self._high: dict[str, int] = {}  # by branch, the highest ordinal with a record at it or below it
        self._forks: set[Identity] = set()  # identities with records below them
        for path, ordinal in self._records:
            if ordinal > self._high.get(path, -1):
                self._high[path] = ordinal
            for above, at in ancestors(path) if path else ():
                self._high[above] = max(self._high.get(above, -1), at)
                self._forks.add((above, at))

    def take(self, branch: Branch, kind: StepKind, name: str, args_digest: str) -> tuple[Identity, Recorded | None]:
        """The next identity of a branch and its record, if it has one.

        Raises:
            Mismatch: the record there is of something else, or later records exist where this call is new.
            Cancelled: the run was cancelled while it waited here.
        """
        identity = self._next(branch)
        record = self._records.get(identity)
        if record is None:
            self._refuse_new(identity, kind, name)
            return identity, None
        if record.outcome == Outcome.CANCELLED:
            raise Cancelled("the run was cancelled here")
        same_call = record.kind == kind and record.name == name
        same_arguments = record.args_digest in (args_digest, ANY_ARGUMENTS) or identity in self._kept
        if not same_call or not same_arguments:
            what = "with other arguments" if same_call else f"where {record.name} was recorded"
            recorded, asked = f"{record.name} {record.args_digest[:8]}", f"{name} {args_digest[:8]}"
            raise Mismatch(f"{name} was called {what}", *identity, recorded, asked)
        self._met.add(identity)
        branch.at_us = record.at_us
        return identity, record

    def fork(self, branch: Branch) -> int:
        """The ordinal at which a branch goes on side by side.

        Raises:
            Mismatch: something else was recorded there.
        """
        identity = self._next(branch)
        record = self._records.get(identity)
        if record is not None:
            raise Mismatch(f"parallel was called where {record.name} was recorded", *identity, record.name, "parallel")
        return identity[1]

    @staticmethod
    def _next(branch: Branch) -> Identity:
        ordinal = branch.next_ordinal
        if ordinal >= MOST_CALLS:
            raise RefusedUse(f"one branch cannot make more than {MOST_CALLS:,} durable calls; do more in one step")
        branch.next_ordinal += 1
        return branch.path, ordinal

    def _refuse_new(self, identity: Identity, kind: StepKind, name: str) -> None:
        """A call without a record is new work; where work after it is recorded, the code has changed."""
        path, ordinal = identity
        below = identity in self._forks and kind is not StepKind.RACE
        if below or self._high.get(path, -1) > ordinal:
            raise Mismatch(
                f"{name} is new here, but later steps were recorded already",
                path,
                ordinal,
                "steps side by side" if below else "nothing",
                name,
            )
        for above, at in ancestors(path):
            if self._high.get(above, -1) > at or (above, at) in self._records:
                raise Mismatch(
                    f"{name} is new in this branch, but steps after the branch were recorded already",
                    path,
                    ordinal,
                    "nothing",
                    name,
                )

    def pass_over(self, path: str) -> None:
        """A branch has lost its race: its records are met without running it."""
        below = f"{path}/"
        self._met.update(key for key in self._records if key[0] == path or key[0].startswith(below))

    def unmet(self) -> list[tuple[Identity, Recorded]]:
        """Records that the workflow has not asked for, earliest identity first."""
        if len(self._met) >= len(self._records):
            return []
        return sorted((item for item in self._records.items() if item[0] not in self._met), key=lambda item: item[0])


def ancestors(path: str) -> Iterator[Identity]:
    """The identities at which a branch and the branches above it were forked: "0/2/5/1" -> ("0/2", 5), ("", 0)."""
    while path:
        above, at, _ = ("/" + path).rsplit("/", 2)
        path = above.removeprefix("/")
        yield path, int(at)


def child_path(path: str, ordinal: int, index: int) -> str:
    """The path of a child branch.

    Raises:
        RefusedUse: it would lie too deep.
    """
    if path.count("/") // 2 >= DEEPEST:
        raise RefusedUse(f"branches within branches go {DEEPEST} deep; flatten them")
    return f"{path}/{ordinal}/{index}" if path else f"{ordinal}/{index}"
