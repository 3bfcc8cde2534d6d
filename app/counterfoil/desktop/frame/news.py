"""What a person is told while the window is not in front: one notice at once, then what comes within 15 minutes together. No Qt.

A gate needs somebody; a schedule did not run; a run has stopped. What is done is not told. A deadline under an hour away waits for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from counterfoil.desktop.office import InboxRow
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.plain import one_line

REST_US = 15 * times.MINUTE


@dataclass(frozen=True, slots=True)
class News:
    """One thing to tell: `page` and `what` say where a click leads, `urgent` that it waits for nothing."""

    title: str
    words: str = ""
    page: str = "inbox"
    what: str = ""
    urgent: bool = False


class Gathering:
    """Lets the first news through, holds the next ones back, and tells them together."""

    def __init__(self) -> None:
        self._told_at: int | None = None
        self._held: list[News] = []

    def take(self, news: Iterable[News], now_us: int) -> list[News]:
        """What is to be told now, of these and of what was held."""
        fresh = list(news)
        now = [one for one in fresh if one.urgent]
        self._held += [one for one in fresh if not one.urgent]
        rested = self._told_at is None or now_us - self._told_at >= REST_US
        if self._held and rested:
            now.append(digest(self._held))
            self._held = []
        if now:
            self._told_at = now_us
        return now

    def forget(self) -> None:
        """The person is looking: what was held is on the screen."""
        self._held.clear()


def digest(held: list[News]) -> News:
    """Several as one; one as itself."""
    if len(held) == 1:
        return held[0]
    listed = "; ".join(one.title for one in held[:3])
    more = f"; and {len(held) - 3} more" if len(held) > 3 else ""
    pages = {one.page for one in held}
    return News(f"{count(len(held), 'thing')} for you", f"{listed}{more}", pages.pop() if len(pages) == 1 else "inbox")


def of_gates(before: Mapping[str, str], rows: Iterable[InboxRow], now_us: int) -> list[News]:
    """Gates that were not there, or that ask about something else than before. `before` holds digests by id."""
    return [_of_gate(row, now_us) for row in rows if before.get(row.gate_id) != row.digest]


def _of_gate(row: InboxRow, now_us: int) -> News:
    by = f", by {times.in_sentence(times.when(row.due_at, now_us))}" if row.due_at else ""
    soon = row.due_at is not None and row.due_at - now_us < times.HOUR
    if row.kind == "failure":
        return News(f"Stopped: {one_line(row.title)}", one_line(row.template), "inbox", row.gate_id, soon)
    return News(f"Needs you: {one_line(row.title)}{by}", one_line(row.template), "inbox", row.gate_id, soon)
