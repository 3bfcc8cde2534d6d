"""The book of one call's requests to llms: each has its row before it leaves the house, and its end when it came to none."""

from __future__ import annotations

from counterfoil.engine import killpoints
from counterfoil.engine.holding import Hold, Identity
from counterfoil.store import llm_budgets, llm_calls, runs
from counterfoil.store.llm_calls import AttemptEnd, NewAttempt
from counterfoil.store.transactions import Txn


class RequestBook:
    """The rows of one call's requests. `unlimited`: a person has let this call go over a limit."""

    def __init__(self, hold: Hold, identity: Identity, *, unlimited: bool) -> None:
        self._hold = hold
        self._identity = identity
        self._unlimited = unlimited

    async def begin(self, new: NewAttempt) -> int:
        """Commit the row of a request before it is made, with what is reserved for it; its number.

        Raises:
            Reached: it would go over a limit.
        """
        hold = self._hold
        hold.refuse_over(self._identity)

        def operation(txn: Txn) -> int:
            if not self._unlimited:
                llm_budgets.refuse_over(txn, runs.get(txn.conn, hold.run_id), self._identity[0], new)
            return llm_calls.begin(txn, hold.run_id, *self._identity, new)

        n = await hold.do(operation)
        hold.hearing.heard(self._identity)
        killpoints.reach("after_intent")
        return n

    async def end(self, n: int, how: AttemptEnd) -> None:
        """Commit how a request ended that gave no whole answer."""
        hold = self._hold
        await hold.do(lambda txn: llm_calls.end(txn, hold.run_id, *self._identity, n, how), late=True)

    def say(self, text: str) -> None:
        """Show a line of progress."""
        self._hold.hearing.heard(self._identity)
        self._hold.say(text)
