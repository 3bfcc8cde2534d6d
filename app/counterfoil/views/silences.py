"""Silence in one line, cheap to load: every list of runs says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any


def silence(steps: Sequence[Mapping[str, Any]]) -> str:
    """“No news from ‘Read contracts’ for 10 min”, with how many more; after an hour since when. `steps` are those of a notice, the
    longest silent first."""
    longest, *others = steps
    whom = f"‘{longest['title']}’" if longest["title"] else "the workflow between its steps"
    more = f" and {len(others)} more" if others else ""
    return f"No news from {whom}{more} {_span(longest)}"


def silence_in_state(steps: Sequence[Mapping[str, Any]]) -> str:
    """The same behind a run's state: `Running: Read contracts, no news for 10 min`."""
    longest, *others = steps
    more = f" and {len(others)} more" if others else ""
    title = f": {longest['title']}{more}" if longest["title"] else ""
    return f"Running{title}, no news {_span(longest)}"


def _span(step: Mapping[str, Any]) -> str:
    if step["minutes"] is None:
        since = datetime.fromisoformat(step["since"]).astimezone()
        return f"since {since:%a %H:%M}"
    return f"for {step['minutes'] or 'under 1'} min"
