"""What the other side of an effect asks of an llm, answered in the run's name: by its route, within its limits, each request with its row.

Such a request is no record of the run: what came of the effect is. Its rows stand below the effect's identity, which has no branches, so
that money is counted where it was spent and a crash leaves a request without an end, as anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.engine.desk_llms import NO_LLM
from counterfoil.engine.holding import Hold, Identity
from counterfoil.engine.llm_book import RequestBook
from counterfoil.engine.llm_ports import Heard, LlmRequest, LlmTrouble, Told
from counterfoil.facts import LlmEnd
from counterfoil.store import llm_calls
from counterfoil.store.llm_budgets import Reached
from counterfoil.store.llm_calls import AttemptEnd
from counterfoil.store.transactions import Txn

MOST_TOKENS = 4096  # of one answer
MOST_ASKED = 20  # requests of one effect


class Sampler:
    """Asks llms for the other side of one effect."""

    def __init__(self, hold: Hold, identity: Identity, key: str) -> None:
        self._hold = hold
        self._path = f"{identity[0]}/{identity[1]}/0" if identity[0] else f"{identity[1]}/0"
        self._key = key
        self._next: int | None = None

    async def __call__(self, system: str, said: Sequence[tuple[str, str]], most_tokens: int) -> tuple[str, str]:
        """The answer to a conversation, (role, text) in order, and which llm gave it.

        Raises:
            LlmTrouble: there is none; the message says why.
        """
        hold = self._hold
        if hold.powers.llms is None:
            raise LlmTrouble(NO_LLM, passing=False)
        n = self._take()
        identity = (self._path, n)
        history = [Heard(text, (), None) if role == "assistant" else Told(text) for role, text in said]
        request = LlmRequest(
            hold.run_id,
            hold.workspace,
            None,
            system,
            (),
            None,
            max(1, min(most_tokens, MOST_TOKENS)),
            history,
            key=f"{self._key}/{n}",
        )
        try:
            reply = await hold.powers.llms.ask(request, RequestBook(hold, identity, unlimited=False))
        except Reached as reached:
            raise LlmTrouble("The run may spend no more on llms.", passing=False) from reached
        how = AttemptEnd(LlmEnd.OK, reply.end.charge, reply.end.tokens, reply.end.told)

        def operation(txn: Txn) -> None:
            llm_calls.end(txn, hold.run_id, *identity, reply.n, how)

        await hold.do(operation, late=True)
        return reply.text, reply.llm

    def _take(self) -> int:
        """The next number that no request of this effect has had, in this try or one before."""
        if self._next is None:
            rows = llm_calls.attempts(self._hold.powers.database.reader, self._hold.run_id)
            self._next = max((row["ordinal"] + 1 for row in rows if row["path"] == self._path), default=0)
        if self._next >= MOST_ASKED:
            raise LlmTrouble(f"It has asked llms {MOST_ASKED} times for one call, and is asked no more.", passing=False)
        self._next += 1
        return self._next - 1
