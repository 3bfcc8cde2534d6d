"""The error tree. Its first cut is whose world went wrong: the user's (CounterfoilError), the author's workflow
(WorkflowError), or control flow that no author may swallow (ControlFlow, a BaseException).

A CounterfoilError carries a pinned code, one sentence that says what is wrong and where, and the next step.
Standard library only: the author's door imports this module.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """“Did you mean ‘pay-invoices’?” where a known name is near, else nothing."""
    import difflib  # lazy: the author's door must cost nothing to open

    by_lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(given.lower(), by_lower, n=1, cutoff=0.6)
    return f"Did you mean ‘{by_lower[near[0]]}’?" if near else ""


class CounterfoilError(Exception):
    """Something in the user's world is not as it must be."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.message} {self.next_step}".strip()


class WrongUse(CounterfoilError):
    """The command or a value given with it is not usable."""

    code = "wrong_use"
    exit_code = 2


class WrongParameter(WrongUse):
    """A parameter is unknown, missing or not of its type."""

    code = "wrong_parameter"


class UnknownTemplate(WrongUse):
    """No template goes by that name."""

    code = "unknown_template"


class BrokenTemplate(WrongUse):
    """The template's folder cannot be used as it is."""

    code = "broken_template"


class PackagesMissing(BrokenTemplate):
    """The packages that a template requires are not on this computer, or cannot be used there."""

    code = "packages_missing"


class UnknownGate(WrongUse):
    """No gate goes by that id."""

    code = "unknown_gate"


class UnknownRun(WrongUse):
    """No run goes by that id."""

    code = "unknown_run"


class UnknownSchedule(WrongUse):
    """No schedule goes by that name."""

    code = "unknown_schedule"


class UnknownRule(WrongUse):
    """There is no rule of that number or id."""

    code = "unknown_rule"


class UnknownFact(WrongUse):
    """Nothing of that number is remembered."""

    code = "unknown_fact"


class WrongRule(WrongUse):
    """A schedule's rule, zone or policy cannot be used."""

    code = "wrong_rule"


class NotReady(CounterfoilError):
    """A firing could not become a run; the message is the reason that its row keeps."""

    code = "not_ready"


class NotNow(CounterfoilError):
    """A firing that a person asked for cannot be; nothing was started."""

    code = "not_now"


class WrongWorkspace(WrongUse):
    """The workspace folder cannot be used."""

    code = "wrong_workspace"


class TooMuch(WrongWorkspace):
    """A workspace holds more than a run copies; `parts` are the names that it would help to leave out, largest first."""

    def __init__(self, message: str, next_step: str = "", parts: tuple[str, ...] = ()) -> None:
        super().__init__(message, next_step)
        self.parts = parts


class WrongAnswer(WrongUse):
    """The decision does not fit what the gate asks."""

    code = "wrong_answer"


class Declined(CounterfoilError):
    """It was refused, and nothing was changed."""

    code = "refused"


class GateClosed(Declined):
    """The gate takes no decision any more."""

    code = "gate_closed"


class AlreadyDecided(GateClosed):
    """Somebody decided before."""

    code = "already_decided"


class StaleDigest(Declined):
    """What was seen is not what the gate shows now."""

    code = "stale_digest"


class NeedsConfirmation(Declined):
    """The plan touches files that run later, and not each of them was confirmed by itself."""

    code = "needs_confirmation"


class ClaimedElsewhere(Declined):
    """Something in the gate was approved in another run."""

    code = "claimed_elsewhere"


class NothingToUndo(Declined):
    """There is nothing of the run to put back: it changed no files, was undone, has not ended, or what it displaced is kept no longer."""

    code = "nothing_to_undo"


class UndoRefused(Declined):
    """A file cannot be put back as it was; nothing was."""

    code = "undo_refused"


class NotExported(CounterfoilError):
    """A pack could not be written; nothing of it is there."""

    code = "not_exported"


class NotAllowed(Declined):
    """This principal may not do that."""

    code = "not_allowed"


class NotIsolated(Declined):
    """Nothing on this computer confines the code, and nobody allowed it to run all the same."""

    code = "not_isolated"


class LessProtection(Declined):
    """There is less protection than the last time, and nobody agreed to that."""

    code = "less_protection"


class RunEnded(Declined):
    """The run has ended, so there is nothing left to do on it."""

    code = "run_ended"


class FetchFailed(CounterfoilError):
    """Packages could not be fetched; nothing was kept."""

    code = "fetch_failed"


class NoAnswer(CounterfoilError):
    """A connector does not answer; nothing was changed."""

    code = "no_answer"


class TooMuchChanged(CounterfoilError):
    """A run's copy of its workspace holds more than is looked through."""

    code = "too_much_changed"


class RunnerTrouble(CounterfoilError):
    """The runner is off, or another one holds the lease."""

    code = "runner"


class EverythingPaused(CounterfoilError):
    """Somebody has paused everything, so it cannot be waited for; nothing was lost."""

    code = "paused"


class StartAtLoginTrouble(CounterfoilError):
    """The runner could not be set up to start at login, or not be taken out again; the message says what was undone."""

    code = "start_at_login"


class StoreTrouble(CounterfoilError):
    """The database cannot be used."""

    code = "store"


class NewerDatabase(StoreTrouble):
    """The database was written by a newer version."""

    code = "newer_database"


class DiskFull(StoreTrouble):
    """There is no room to record anything, so nothing is accepted."""

    code = "disk_full"


class Damaged(StoreTrouble):
    """A row or blob does not match its digest."""

    code = "damaged"


class RunDamaged(Damaged):
    """Something that was kept of one run cannot be read; others can."""

    code = "run_damaged"


class SecretMissing(CounterfoilError):
    """A secret that is needed is not in the keyring."""

    code = "secret_missing"


class Stopped(Exception):
    """Something long was stopped in the middle because whoever asked for it does not want it any more; nothing of it is used."""


class WorkflowError(Exception):
    """What an author may catch in a workflow."""


class StepFailed(WorkflowError):
    """A step with on_failure="raise", or a decided skip, ended without a value."""


class EffectFailed(WorkflowError):
    """An effect was tried and ended in a known failure."""


class LlmFailed(WorkflowError):
    """No llm gave an answer that can be used."""


class ConversationTooLong(LlmFailed):
    """What was said so far fits no llm of the route: go on with a summary of it (`Conversation.compacted`)."""


class LimitReached(WorkflowError):
    """A limit of spending or of repeating was reached, and a person chose to finish with what there is."""


class AgentStopped(WorkflowError):
    """An agent ended without an answer that fits: its last turn, a limit of spending, or answers that do not fit.

    `so_far` is what it said last; what it has written is in the run's copy of the files.
    """

    def __init__(self, message: str, so_far: str = "") -> None:
        super().__init__(message)
        self.so_far = so_far


class FilesChanged(EffectFailed):
    """Files are not what the approval was sealed to: nothing of the plan was written, and the approval is void.

    Raised by `await decision.perform(on_conflict="raise")`; look again and ask anew. `paths` names the files.
    """

    def __init__(self, message: str, paths: list[str]) -> None:
        super().__init__(message)
        self.paths = paths


class NotApproved(WorkflowError):
    """An effect was left out of an approval, or changed in it."""


class Rejected(WorkflowError):
    """A person said no; uncaught, the run ends done with that verdict."""

    def __init__(self, comment: str = "", by: str = "") -> None:
        super().__init__(comment)
        self.comment = comment
        self.by = by


class Returned(WorkflowError):
    """A person sent it back to be done differently; `answers` holds declared fields that were filled in."""

    def __init__(self, comment: str = "", by: str = "", answers: dict[str, object] | None = None) -> None:
        super().__init__(comment)
        self.comment = comment
        self.by = by
        self.answers = answers or {}


class Expired(WorkflowError):
    """Nobody decided in time."""


class RefusedUse(WorkflowError):
    """A workflow did something that cannot be replayed; the message says what to write instead."""


class ControlFlow(BaseException):
    """Never caught by `except Exception`: an author's handler must not swallow it."""


class Cancelled(ControlFlow):
    """The run was cancelled; let it pass, `finally` blocks run."""


class Mismatch(ControlFlow):
    """Replay met a record that the workflow did not ask for."""

    def __init__(self, message: str, path: str, ordinal: int, recorded: str, asked: str) -> None:
        super().__init__(message)
        self.path = path
        self.ordinal = ordinal
        self.recorded = recorded
        self.asked = asked


class Closed(ControlFlow):
    """The runner ended this session; the host goes away and the run carries on later."""
