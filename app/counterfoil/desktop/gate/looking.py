"""One look at a gate, away from the window's thread: the gate taken apart, and what differs from what it took the place of. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from counterfoil.desktop.gate.difference import Part, between
from counterfoil.desktop.gate.reading import Reading, read
from counterfoil.desktop.office import Office


@dataclass(frozen=True, slots=True)
class Looked:
    """A gate, what was before it (the round that it followed, or what somebody had before them), and the differences."""

    reading: Reading
    earlier: Reading | None = None
    parts: tuple[Part, ...] = ()


def look(office: Office, gate_id: str, today: date, shown: Looked | None, *, had: Reading | None = None) -> Looked:
    """Ask for a gate. `shown` is what is on the screen and is compared no second time; `had` is what somebody had before them there."""
    fresh = read(office.gate(gate_id), today)
    if had is not None:
        return Looked(fresh, had, between(had, fresh, today))
    if shown is not None and shown.reading.seen.gate_id == gate_id and shown.reading.digest == fresh.digest:
        return Looked(fresh, shown.earlier, shown.parts)
    if not fresh.seen.earlier:
        return Looked(fresh)
    earlier = read(office.gate(fresh.seen.earlier), today)
    return Looked(fresh, earlier, between(earlier, fresh, today))
