"""The Harness with a crash as total as a power cut: nothing is committed and nothing is performed after it."""

import asyncio
import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from counterfoil.clock import FakeClock
from counterfoil.engine import killpoints
from counterfoil.engine.holding import Powers
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.facts import RunState
from counterfoil.places import Home
from counterfoil.store import intents, runs, timers
from counterfoil.store.database import Database, open_database
from counterfoil.store.transactions import Txn
from counterfoil.store.writer import Writer
from counterfoil.testing import Crashed, Harness, _abandon
from engine.ledger import ByWord, Ledger

T = TypeVar("T")


class _Writer(Writer):
    """A writer that takes nothing any more once the power is gone."""

    def __init__(self, database: Database, harness: "PowerCut") -> None:
        super().__init__(database)
        self._harness = harness

    def submit(
        self, operation: Callable[[Txn], T], *, run_id: str | None = None, fence: int = 0, durable: bool = True
    ) -> asyncio.Future[T]:
        if self._harness.dark:
            raise Crashed
        return super().submit(operation, run_id=run_id, fence=fence, durable=durable)


class _Outside:
    """Effects that do nothing any more once the power is gone."""

    def __init__(self, effects: Any, harness: "PowerCut") -> None:
        self._effects = effects
        self._harness = harness

    def __getattr__(self, name: str) -> Any:
        if self._harness.dark:
            raise Crashed
        return getattr(self._effects, name)


class PowerCut(Harness):
    """As the Harness. `dark` from a crash to the next advance; `commits` of the last one."""

    def __init__(
        self, workspace: Path, *, home: Path, effects: Any = None, policy: Any = None, llms: Any = None
    ) -> None:
        super().__init__(workspace, home=home, effects=effects, policy=policy, llms=llms)
        self.dark = False
        self.syncs = 0
        self._loop: WorkflowLoop | None = None

    def crash_at(self, point: str, visit: int = 1) -> None:
        """Cut the power at the n-th visit, from now on, of a named point."""
        killpoints.disarm()
        killpoints.arm(point, visit, self._cut)

    def _cut(self, name: str) -> None:
        self.dark = True
        if self._loop is not None and self._loop.is_running():
            self._loop.call_soon_threadsafe(self._loop.stop)
        raise Crashed(name)

    def advance(self) -> RunState:
        """Advance the run until it ends or waits; its state.

        Raises:
            Crashed: the point of `crash_at` was reached; call again to carry on.
        """
        assert self._workflow is not None
        self.dark = False
        loop = self._loop = WorkflowLoop()
        loop.set_exception_handler(_quiet)
        writer = _Writer(self.database, self)
        effects: Any = _Outside(self._effects, self)
        powers = Powers(
            self.database, writer, self.blobs, self.clock, effects, self._policy, self._stages, llms=self.llms
        )
        state = None
        try:
            with contextlib.suppress(Crashed):
                state = loop.run_until_complete(self._advance(powers, self._workflow))
        except RuntimeError:
            if not self.dark:
                raise
        finally:
            killpoints.disarm()
            _abandon(loop)
            writer.close()
            self.syncs = writer.syncs
            loop.close()
        if self.dark or state is None:
            self._after_crash()
            raise Crashed
        return state

    def wake(self) -> None:
        """Make the waiting run ready though nothing has changed, as a hint that was not needed does."""
        self.database.transact(lambda txn: runs.make_ready(txn, self.run_id))

    def finish(self) -> RunState:
        """Advance until the run has ended or waits for a person, over every crash and timer."""
        while True:
            try:
                return self.advance()
            except Crashed:
                continue

    def ended_clean(self) -> bool:
        """Whether nothing of the run is left open: no gate, no timer, no effect without an outcome."""
        conn = self.database.reader
        left = [*self.gates(), *timers.pending(conn, self.run_id), *intents.open_ones(conn, self.run_id)]
        return not left

    @property
    def ledger(self) -> Ledger:
        """The outside world."""
        assert isinstance(self._effects, Ledger)
        return self._effects


def _quiet(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A power cut leaves nobody to look at what was interrupted."""
    if not isinstance(context.get("exception"), Crashed):
        loop.default_exception_handler(context)


def blank_home(folder: Path) -> Home:
    """A home with a fresh database, to be copied by tests that need one each."""
    home = Home(folder).create()
    open_database(home, FakeClock()).close()
    return home


def power_cut(folder: Path, blank: Home, llms: Any = None) -> PowerCut:
    """A harness on a copy of a blank home, with a ledger outside."""
    home = Home(folder / "home").create()
    shutil.copy(blank.database, home.database)
    workspace = folder / "workspace"
    workspace.mkdir()
    return PowerCut(workspace, home=home.root, effects=Ledger(folder / "ledger.txt"), policy=ByWord(), llms=llms)
