"""What a list shows of a gate, written beside it when it is opened, so that ten thousand rows are listed without reading one spec."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GateLine:
    """`why` it asks, in one line. `figure`: JSON list of label and value, or None. `bulk`: why it cannot be decided together
    with others, "" where it can. `search`: casefolded text that a search looks through."""

    why: str = ""
    figure: str | None = None
    bulk: str = ""
    search: str = ""


NO_LINE = GateLine()
