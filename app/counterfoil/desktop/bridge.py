"""Between the window and its office: questions go to worker threads, answers come back on the window's own thread.

A question is a plain function of an Office. Nothing here waits: `ask` returns at once, and an answer whose asker is gone or has asked
anew is dropped. The workers have a connection each, so a slow document never holds up the inbox. Signals with lambdas as slots leak
and nested loops are never spun, so answers travel through a queue and one argument-free signal to a slot of this object.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal, Slot

from counterfoil.desktop.office import Changes, Office
from counterfoil.errors import CounterfoilError
from counterfoil.facts import as_sentence

T = TypeVar("T")
ACTIVE, HIDDEN = 0.04, 0.5  # seconds between two looks for changes
CALM, LATEST = (
    0.15,
    0.5,
)  # seconds without a quick question after which a slow one begins, and after which it begins anyhow
BUSY = 0.1  # seconds after a look that found some: what changes all the time is shown ten times a second
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What went wrong, where, and what to do next."""

    message: str
    next_step: str
    code: str


class Ticket:
    """A question that is under way; `drop` when its answer is not wanted any more."""

    __slots__ = ("_done", "_failed", "_owner", "_question", "dropped")

    def __init__(
        self,
        owner: QObject,
        question: Callable[[Office], Any],
        done: Callable[[Any], None],
        failed: Callable[[Trouble], None],
    ) -> None:
        self._owner = owner
        self._question = question
        self._done = done
        self._failed = failed
        self.dropped = False

    def drop(self) -> None:
        """Its answer will not be delivered."""
        self.dropped = True

    def perform(self, office: Office) -> Callable[[], None]:
        """Ask, on a worker; how to deliver the answer, on the window's thread."""
        try:
            answer = self._question(office)
        except CounterfoilError as problem:
            trouble = Trouble(problem.message, problem.next_step, problem.code)
            return lambda: self._deliver(self._failed, trouble)
        except Exception as problem:  # noqa: BLE001 - a bug in one question must not end the worker
            odd = _odd(problem)
            return lambda: self._deliver(self._failed, odd)
        return lambda: self._deliver(self._done, answer)

    def fail(self, trouble: Trouble) -> Callable[[], None]:
        """There is no office to ask; how to deliver that."""
        return lambda: self._deliver(self._failed, trouble)

    def _deliver(self, to: Callable[[Any], None], what: Any) -> None:
        if not self.dropped and shiboken6.isValid(self._owner):
            to(what)


class Latest:
    """Keeps a page from being overtaken: a new question drops the one before."""

    __slots__ = ("_ticket",)

    def __init__(self) -> None:
        self._ticket: Ticket | None = None

    def take(self, ticket: Ticket | None) -> None:
        """This is the question that counts now."""
        if self._ticket is not None:
            self._ticket.drop()
        self._ticket = ticket


class Bridge(QObject):
    """The threading policy; a subclass says where a question is performed.

    Signals:
        changed(Changes): something in the data folder changed.
        reached(Trouble | None): looking for changes began to fail, or goes on again.
        troubled(Trouble): a question failed whose asker did not say what to do then.
    """

    changed = Signal(object)
    reached = Signal(object)
    troubled = Signal(object)
    _arrived = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._answers: deque[Callable[[], None]] = deque()
        self._asked_at = 0.0  # when somebody asked something that is shown at once
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def ask(
        self,
        owner: QObject,
        question: Callable[[Office], T],
        done: Callable[[T], None],
        failed: Callable[[Trouble], None] | None = None,
        *,
        slow: bool = False,
    ) -> Ticket:
        """Put a question; `done` or `failed` is called later on this thread while `owner` lives. `slow`: it may take a while."""
        ticket = Ticket(owner, question, done, failed or self.troubled.emit)
        if not slow:
            self._asked_at = time.monotonic()
        self._submit(ticket, slow)
        return ticket

    @property
    def calm(self) -> bool:
        """Whether nobody has asked anything quick for a moment, so that no answer is about to be shown."""
        return time.monotonic() - self._asked_at >= LATEST

    def do(self, owner: QObject, act: Callable[[Office], Any]) -> None:
        """Do something whose answer nobody waits for; trouble is shown by the frame."""
        self.ask(owner, act, _nothing)

    def set_pace(self, seconds: float) -> None:
        """How often to look for changes."""

    def close(self) -> None:
        """Stop asking."""

    def _submit(self, ticket: Ticket, slow: bool) -> None:
        """Have it performed somewhere, then `arrive` with how to deliver it."""
        raise TypeError("a bridge needs to say where questions are performed")

    def arrive(self, deliver: Callable[[], None]) -> None:
        """An answer is there; safe from any thread."""
        self._answers.append(deliver)
        self._arrived.emit()

    def tell(self, changes: Changes) -> None:
        """Something changed; safe from any thread."""
        self.arrive(lambda: self.changed.emit(changes))

    def lose(self, trouble: Trouble | None) -> None:
        """The data folder cannot be looked at, or can be again; safe from any thread."""
        self.arrive(lambda: self.reached.emit(trouble))

    @Slot()
    def _deliver(self) -> None:
        while self._answers:
            self._answers.popleft()()


class ThreadBridge(Bridge):
    """Two workers: one answers quick questions and looks for changes, one takes what may be slow. They share one interpreter, so the slow
    one waits for a moment in which a person asks nothing quick: who steps through gates waits for no file of those passed by."""

    def __init__(self, open_office: Callable[[], Office]) -> None:
        super().__init__()
        self._quick = _Lane("window-quick", open_office, self)
        self._slow = _Lane("window-slow", open_office, self, behind=self._quick)

    def _submit(self, ticket: Ticket, slow: bool) -> None:
        (self._slow if slow else self._quick).put(ticket)

    def set_pace(self, seconds: float) -> None:
        """How often to look for changes."""
        self._quick.pace = seconds

    def close(self) -> None:
        """Finish what was asked, then end both workers."""
        for lane in (self._quick, self._slow):
            lane.put(None)
        for lane in (self._quick, self._slow):
            lane.join()


class _Lane:
    """One worker thread with an office of its own, opened when the first question comes."""

    def __init__(
        self, name: str, open_office: Callable[[], Office], bridge: Bridge, *, behind: _Lane | None = None
    ) -> None:
        """`behind` is the lane that goes first; the one behind nobody looks for changes."""
        self._questions: queue.SimpleQueue[Ticket | None] = queue.SimpleQueue()
        self._open = open_office
        self._bridge = bridge
        self._behind = behind
        self._watches = behind is None
        self._asked_at = -CALM  # when it was asked something last
        self._office: Office | None = None
        self.pace = ACTIVE
        self._lost = ""  # why looking for changes fails, "" while it does not
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._started = False

    def put(self, ticket: Ticket | None) -> None:
        if not self._started:
            if ticket is None:
                return
            self._started = True
            self._thread.start()
        self._asked_at = time.monotonic()
        self._questions.put(ticket)

    def join(self) -> None:
        if self._started:
            self._thread.join(timeout=5)

    def _work(self) -> None:
        due = time.monotonic() + self.pace
        while True:
            try:
                ticket = self._questions.get(timeout=max(due - time.monotonic(), 0) if self._watches else None)
            except queue.Empty:
                ticket = None
            else:
                if ticket is None:
                    break
                self._answer(ticket)
            if self._watches and time.monotonic() >= due:
                changed = self._look()
                due = time.monotonic() + (max(self.pace, BUSY) if changed else self.pace)
        if self._office is not None:
            self._office.close()

    def _give_way(self, ahead: _Lane) -> None:
        """Wait until the other lane was asked nothing for a moment."""
        latest = time.monotonic() + LATEST
        while (now := time.monotonic()) < min(ahead._asked_at + CALM, latest):
            time.sleep(min(ahead._asked_at + CALM, latest) - now)

    def _answer(self, ticket: Ticket) -> None:
        if self._behind is not None:
            self._give_way(self._behind)
        if ticket.dropped:
            return
        try:
            if self._office is None:
                self._office = self._open()
        except CounterfoilError as problem:
            self._bridge.arrive(ticket.fail(Trouble(problem.message, problem.next_step, problem.code)))
            return
        except Exception as problem:  # noqa: BLE001 - as in a question
            self._bridge.arrive(ticket.fail(_odd(problem)))
            return
        self._bridge.arrive(ticket.perform(self._office))

    def _look(self) -> bool:
        """Whether something has changed, or cannot be looked at."""
        if self._office is None:
            return False
        try:
            changes = self._office.changes()
        except CounterfoilError as problem:
            return self._miss(Trouble(problem.message, problem.next_step, problem.code))
        except Exception as problem:  # noqa: BLE001 - as in a question
            return self._miss(
                Trouble(as_sentence(f"Looking for changes failed: {problem}"), "Run: counterfoil doctor", "bug")
            )
        if self._lost:
            self._lost = ""
            self._bridge.lose(None)
        if changes is not None:
            self._bridge.tell(changes)
        return changes is not None

    def _miss(self, trouble: Trouble) -> bool:
        """Told once, not ten times a second."""
        if trouble.message != self._lost:
            self._lost = trouble.message
            self._bridge.lose(trouble)
        return True


def _odd(problem: Exception) -> Trouble:
    """A fault of this program, kept in the log."""
    _log.error("a question of the window failed", exc_info=problem)
    words = as_sentence(f"The window could not do that: {problem}")
    return Trouble(words, "Nothing was changed. Try again; if it stays, run: counterfoil doctor", "bug")


def _nothing(_answer: object) -> None:
    """An answer that nobody waits for."""
