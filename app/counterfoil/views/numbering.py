"""Which step of a run something stands at, counted as people count: from 1, in the order of the code. Cheap to load: a gate says it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol


class Placed(Protocol):
    """A row with the identity of a step: `path` and `ordinal`."""

    def __getitem__(self, key: str, /) -> Any: ...


def step_number(row: Placed, done: Iterable[Placed]) -> int | None:
    """Which row of the run's steps a gate is, `done` being the run's records; None for one that concerns the run as a whole."""
    if row["ordinal"] < 0:
        return None
    own = _place(row)
    return 1 + sum(_place(record) < own for record in done)


def _place(row: Placed) -> list[int]:
    """Where a step stands among the others: branches follow the step that opened them."""
    return [*(int(part) for part in row["path"].split("/") if part), int(row["ordinal"])]
