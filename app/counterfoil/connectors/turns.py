"""What is learned of one call on its way, far below where it was made: told by a context variable, so never of another call's.

The protocol's library sends each message in the context of who asked. Two calls share a connection, and what happens to one of them must
not be believed of the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class Turn:
    """One call. `signed_out`: it was refused because nobody has signed in; `unsent`: nothing of it has left this computer."""

    signed_out: bool = False
    unsent: bool = False


_turn: ContextVar[Turn | None] = ContextVar("connector_turn", default=None)


@contextmanager
def taking() -> Iterator[Turn]:
    """Take a turn: what is learned until the end of this block is learned of it."""
    turn = Turn()
    token = _turn.set(turn)
    try:
        yield turn
    finally:
        _turn.reset(token)


def note_signed_out() -> None:
    """This call was refused because nobody has signed in."""
    turn = _turn.get()
    if turn is not None:
        turn.signed_out = True


def note_unsent() -> None:
    """Nothing of this call has left."""
    turn = _turn.get()
    if turn is not None:
        turn.unsent = True
