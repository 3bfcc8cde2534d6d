"""What the list of runs and the page of one need to know, and what people do to a run that is there: stopping it, doing it again,
restarting a silent step, putting its files back, pulling the plug; and what each of them comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from counterfoil.policy.protection import NOTHING, Consent
from counterfoil.previews.preview import FileSeen

Choices = tuple[tuple[str, str], ...]  # key and words


@dataclass(frozen=True, slots=True)
class Narrow:
    """To which runs a list is narrowed beside their state and words. `template` by name, all its versions; `schedule` by id; `days` back
    from today, which is 1; `workspace` by its path, whatever the window shows besides. Nothing set narrows nothing."""

    template: str = ""
    schedule: str = ""
    days: int = 0
    workspace: str = ""

    @property
    def on(self) -> bool:
        """Whether it leaves anything out."""
        return self != EVERY


EVERY = Narrow()


@dataclass(frozen=True, slots=True)
class StepKept:
    """What is kept of one step, as its sheet shows it. `given` is the effect as it was performed, `value` what the step gave back; both are
    JSON for people, "" where there is none. `tries` are sentences, `origin` says where the value comes from, if not from the step alone. Of
    a long value one page is here."""

    given: str = ""
    value: str = ""
    tries: tuple[str, ...] = ()
    origin: str = ""
    page: int = 1
    pages: int = 1


@dataclass(frozen=True, slots=True)
class Plug:
    """What the demonstration of pulling the plug has shown so far. Counts are None until the run is back."""

    ended_at: int
    back_at: int | None = None
    step: str = ""
    steps_repeated: int | None = None
    effects_repeated: int | None = None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class UndoFile:
    """A file of a run: what putting it back means for it, and the sentence that says why it cannot be put back ("" where it can). `met` is
    what it is asked for by where another file is there instead, so that both can be compared; "" where there is nothing to compare."""

    path: str
    will: str
    why: str = ""
    met: str = ""


@dataclass(frozen=True, slots=True)
class UndoLook:
    """What putting back the files of a run would come to. `refusal` says why there is nothing to put back, "" where there is; `words`
    all of it in a few sentences; `can` how many files can go back."""

    refusal: str = ""
    files: tuple[UndoFile, ...] = ()
    words: tuple[str, ...] = ()
    can: int = 0


@dataclass(frozen=True, slots=True)
class Undoing:
    """The newest wish to put a run's files back: asked, done or refused; what came of it, who asked, why, and when it ended."""

    state: str
    words: str
    by: str
    reason: str = ""
    ended_at: int | None = None


@dataclass(frozen=True, slots=True)
class Silent:
    """What of a run has said nothing for its limit: `words` the sentence, `follows` what a restart comes to; `asked`: it is asked for and
    on its way."""

    run_id: str
    words: str
    follows: tuple[str, ...] = ()
    asked: bool = False


@dataclass(frozen=True, slots=True)
class AgainOf:
    """A run that is done again, and why."""

    run_id: str
    number: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ForkLook:
    """What going on from a step of a run in a new one would come to, in sentences. `refusal` says why it cannot be, "" where it can, `way`
    what can be done then. `start` is the step, from 1, at which it begins; `kept` how many effects happened and are not repeated."""

    words: tuple[str, ...] = ()
    refusal: str = ""
    way: str = ""
    start: int = 0
    kept: int = 0


@dataclass(frozen=True, slots=True)
class EvidencePart:
    """A part of a pack of evidence, and its size in bytes before it is packed."""

    name: str
    means: str
    size: int


@dataclass(frozen=True, slots=True)
class EvidenceLook:
    """What a pack of a run would hold, its size in bytes before it is packed, what to call the file, and what is not kept any more."""

    parts: tuple[EvidencePart, ...]
    size: int
    name: str
    gone: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceMade:
    """A pack that was written: where, its seal, and its size in bytes."""

    path: str
    seal: str
    size: int


class RunActs(Protocol):
    """The part of an office that acts on runs."""

    def cancel_run(self, run_id: str, reason: str) -> str:
        """Stop a run; the sentence that says what happened."""

    def note_run(self, run_id: str, text: str) -> str:
        """Keep what a person found out of a run of which not everything was undone; the sentence that says what happened."""

    def wait_longer(self, run_id: str) -> str:
        """Wait for a step that is silent; the sentence that says what happened."""

    def restart_step(self, run_id: str) -> str:
        """Have a step that is silent begin anew; the sentence that says what happened."""

    def look_at_undo(self, run_id: str) -> UndoLook:
        """What putting its files back would come to, file by file; each of them is read."""

    def compare_undo(self, run_id: str, path: str) -> FileSeen:
        """A file that cannot be put back, as the run left it (or as it would come back) and as it is now."""

    def undo_run(self, run_id: str, reason: str, *, rest: bool) -> str:
        """Have its files put back, all of them or (`rest`) those that can be; the sentence that says what happens."""

    def look_at_fork(self, run_id: str, step: int, *, again: bool) -> ForkLook:
        """What going on from a step, an ordinal of the root branch, would come to; `again`: what happened before is done again."""

    def fork_run(self, run_id: str, step: int, reason: str, agreed: Consent = NOTHING, *, again: bool) -> str:
        """Go on from a step in a new run; its id."""

    def start_again(self, run_id: str, reason: str, agreed: Consent = NOTHING) -> str:
        """Start the same template with the same parameters; the new run's id."""

    def undoing(self, run_id: str) -> Undoing | None:
        """What has become of the newest wish to put its files back."""

    def look_at_evidence(self, run_id: str) -> EvidenceLook:
        """What a pack of evidence of it would hold."""

    def export_evidence(self, run_id: str, path: str) -> EvidenceMade:
        """Write that pack, in place of what is there."""

    def pull_the_plug(self, run_id: str) -> Plug:
        """End the runner and this run's processes the hard way, and start the runner again."""

    def after_the_plug(self, run_id: str, ended_at: int) -> Plug:
        """What has happened since."""
