"""The state machines, walked at random against the real store: only the arrows of `facts` are taken (DESIGN 2)."""

import functools
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from counterfoil.clock import FakeClock
from counterfoil.facts import ENDED, RUN_ARROWS, GateKind, GateState, RunState, Slot
from counterfoil.places import Home
from counterfoil.store import gates, runs
from counterfoil.store.database import Database, open_database
from store.conftest import new_run

STATES = st.sampled_from(list(RunState))


@functools.cache
def _blank() -> bytes:
    with TemporaryDirectory() as folder:
        home = Home(Path(folder))
        open_database(home, FakeClock()).close()
        return home.database.read_bytes()


def fresh_database(folder: Path) -> Database:
    """A database in a folder, without making its tables anew."""
    home = Home(folder).create()
    home.database.write_bytes(_blank())
    return open_database(home, FakeClock())


class Runs(RuleBasedStateMachine):
    """A run in the database and the state it must be in."""

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.database: Database = fresh_database(Path(self.folder.name))
        self.run_id = self.database.transact(new_run)
        self.state = RunState.READY
        self.fence = 0

    @rule(wanted=STATES)
    def move(self, wanted: RunState) -> None:
        """Any arrow is tried; the database takes those that there are."""
        changes: dict[str, Any] = {"ready_at": 5} if wanted is RunState.READY else {}
        taken = self.database.transact(lambda txn: runs.move(txn, self.run_id, wanted, **changes))
        assert taken == (wanted in RUN_ARROWS[self.state])
        self.state = wanted if taken else self.state

    @rule()
    def claim(self) -> None:
        """A claim takes a ready run and nothing else, and raises its fence."""
        row = self.database.transact(lambda txn: runs.claim(txn, self.run_id))
        assert (row is not None) == (self.state is RunState.READY)
        if row is not None:
            self.state, self.fence = RunState.RUNNING, self.fence + 1
            assert row["fence"] == self.fence

    @rule(at=st.integers(1, 10**15))
    def make_ready(self, at: int) -> None:
        """Ready again, or earlier; never out of an end."""
        before = self._row()
        taken = self.database.transact(lambda txn: runs.make_ready(txn, self.run_id, at))
        assert taken == (self.state in (RunState.RUNNING, RunState.WAITING))
        if self.state is RunState.READY:
            assert self._row()["ready_at"] == min(before["ready_at"], at)
        self.state = RunState.READY if taken else self.state

    @rule(fence=st.integers(0, 9))
    def write_as(self, fence: int) -> None:
        """Only the holder of a running run writes."""
        allowed = self.state is RunState.RUNNING and fence == self.fence
        try:
            self.database.transact(lambda txn: runs.check_fence(txn, self.run_id, fence))
        except runs.Stale:
            assert not allowed
        else:
            assert allowed

    @invariant()
    def the_row_says_so(self) -> None:
        if hasattr(self, "database"):
            row = self._row()
            assert (row["state"], row["fence"]) == (self.state, self.fence)
            claimable = runs.claimable(self.database.reader, 2**62, 5)
            assert claimable == ([self.run_id] if self.state is RunState.READY else [])

    def _row(self) -> Any:
        return runs.get(self.database.reader, self.run_id)

    def teardown(self) -> None:
        if hasattr(self, "database"):
            self.database.close()
            self.folder.cleanup()


Runs.TestCase.settings = settings(max_examples=25, stateful_step_count=25)
TestRuns = Runs.TestCase


def test_an_end_has_no_arrow() -> None:
    assert {state for state, targets in RUN_ARROWS.items() if not targets} == ENDED
    assert set(RUN_ARROWS) == set(RunState)


class Gates(RuleBasedStateMachine):
    """One place at which gates stand, one after the other."""

    @initialize()
    def begin(self) -> None:
        self.folder = TemporaryDirectory()
        self.database: Database = fresh_database(Path(self.folder.name))
        self.run_id = self.database.transact(new_run)
        self.gate_id = ""
        self.state: GateState | None = None
        self.taken = False

    @rule()
    def open(self) -> None:
        """A second open gate at one place is refused by the database."""
        new = gates.NewGate(
            self.run_id, "", 0, Slot.OUTCOME, GateKind.APPROVAL, "Pay", "{}", spec_blob=False, asked_digest="0" * 64, digest="a" * 64
        )  # fmt: skip
        if self.state is GateState.OPEN:
            with pytest.raises(sa.exc.IntegrityError):
                self.database.transact(lambda txn: gates.open_gate(txn, new))
            return
        self.gate_id = self.database.transact(lambda txn: gates.open_gate(txn, new))["gate_id"]
        self.state, self.taken = GateState.OPEN, False

    @rule(digest=st.sampled_from(["a" * 64, "b" * 64]))
    def decide(self, digest: str) -> None:
        """Compare-and-set on state and digest."""
        if self.state is None:
            return
        taken = self.database.transact(lambda txn: gates.decide(txn, self.gate_id, digest, "decided"))
        assert taken == (self.state is GateState.OPEN and digest == "a" * 64)
        self.state = GateState.DECIDED if taken else self.state

    @rule(state=st.sampled_from([GateState.WITHDRAWN, GateState.EXPIRED, GateState.SUPERSEDED]))
    def close(self, state: GateState) -> None:
        """An open gate ends in one of three ways."""
        if self.state is None:
            return
        taken = self.database.transact(lambda txn: gates.close(txn, self.gate_id, state, "over"))
        assert taken == (self.state is GateState.OPEN)
        self.state = state if taken else self.state

    @rule()
    def take(self) -> None:
        """The run takes a decision up."""
        if self.state is GateState.DECIDED:
            self.database.transact(lambda txn: gates.take(txn, self.gate_id))
            self.taken = True

    @rule()
    def reopen(self) -> None:
        """A decision that was not taken up can be taken back."""
        if self.state is None or (self.state is GateState.DECIDED and self.taken):
            return
        self.database.transact(lambda txn: gates.reopen(txn, self.gate_id))
        self.state = GateState.OPEN if self.state is GateState.DECIDED else self.state

    @invariant()
    def the_row_says_so(self) -> None:
        if getattr(self, "state", None) is not None:
            assert gates.get(self.database.reader, self.gate_id)["state"] == self.state
            assert gates.count_open(self.database.reader, self.run_id) == (self.state is GateState.OPEN)

    def teardown(self) -> None:
        if hasattr(self, "database"):
            self.database.close()
            self.folder.cleanup()


Gates.TestCase.settings = settings(max_examples=20, stateful_step_count=20)
TestGates = Gates.TestCase
