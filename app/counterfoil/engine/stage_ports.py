"""What the engine needs of the private copies of a run's files, as protocols; `stage` has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from counterfoil.store.stage_rows import KeptChange, StagedChange


@dataclass(frozen=True, slots=True)
class Sight:
    """When the files of a stage were taken (UTC microseconds), how many and how much they are, and what was left out and why."""

    taken_us: int
    files: int
    octets: int
    left_out: Sequence[tuple[str, str]] = ()


class Unfitting(Exception):
    """What a try has left is nothing that an honest step can leave; the message says in what."""


class TooMuchWritten(Exception):
    """A step has written more than a stage may hold; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class CopyChanges:
    """What a run has made of its copy of the workspace.

    `plan` are bodies of effects that would make the workspace the same; every `$blob` in them is kept, `sizes` has its length by SHA-256.
    `left` are paths of what is not among them, as people read them, with a sentence that says why.
    """

    plan: list[dict[str, Any]]
    left: list[tuple[str, str]]
    sizes: dict[str, int]


class Copies(Protocol):
    """Runs' private copies of their workspaces."""

    def changes(self, run_id: str, workspace: str, given: Mapping[str, str]) -> CopyChanges:
        """What a run has changed in its copy; nothing for a run that has none. `given` are files that people gave, by path with SHA-256:
        as long as they lie there as they were given, they are no change. Blocking, so call it in a thread.

        Raises:
            CounterfoilError: it is too much to be compared.
        """


class Stage(Protocol):
    """One run's private copy of its workspace's files. Everything here blocks, so it is called in a thread, one call at a time.

    What may be raised besides what is said: WrongWorkspace where the workspace cannot be read or holds too much, DiskFull where there is no
    room, Stopped where the caller's `stop` says so.
    """

    @property
    def root(self) -> str:
        """The folder that steps read."""

    @property
    def overlays(self) -> str:
        """The folder in which the tries of steps write."""

    @property
    def sight(self) -> Sight:
        """When the files were taken, and what of the workspace is among them."""

    def replaceable(self, paths: Sequence[str]) -> list[str]:
        """Those of some paths at which a person may put another file: a file of the workspace's, or nothing where one could lie."""

    def refresh(self, kept: Sequence[KeptChange]) -> None:
        """Take over what has changed in the workspace and was not changed by the run (`kept`)."""

    def collect(self, token: str) -> list[StagedChange]:
        """What a try has written, its bytes kept as blobs. Raises Unfitting where no honest try leaves that, and
        TooMuchWritten."""

    def merge(self, kept: Sequence[KeptChange]) -> None:
        """Bring recorded changes into the files that steps read; doing it again changes nothing."""

    def discard(self, token: str) -> None:
        """Drop what a try has written."""

    def lend(self, slot: Path) -> None:
        """Put the files into the slot of an isolated host (`files/tree`), whose steps write there as well (`work`)."""

    def take_back(self) -> None:
        """The host is gone: the files come back to their own place."""

    def take_over(self, written: Mapping[str, str | None], kept: Sequence[KeptChange]) -> list[int]:
        """Approved effects have brought these paths of the workspace to these digests (None: nothing is there, or a folder). The stage
        has them from now on as well, and as its base; the rows of changes that are thereby in the workspace."""


class Stages(Protocol):
    """Where the runs' private copies lie."""

    def open(
        self,
        run_id: str,
        workspace: str,
        kept: Sequence[KeptChange],
        *,
        taken_us: int | None,
        since_us: int | None,
        tell: Callable[[int, int], None],
        stop: Callable[[], bool],
    ) -> Stage:
        """The stage of a run that nobody else holds: made if it is not there, put right if a crash left it in the middle, brought up to
        date with the workspace if its files were taken before `since_us`. `taken_us` is when they were last found to be up to date. `tell`
        hears how many of how many files are copied. Blocking.

        Raises:
            WrongWorkspace, DiskFull, Stopped: as of Stage.
        """

    def of_runs(self) -> list[str]:
        """The runs that have one."""

    def remove(self, run_id: str) -> None:
        """The run has ended; nothing to do where there is no stage."""
