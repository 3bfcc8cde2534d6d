"""Quick looks at what stands beside open gates, by the driver alone as in `glance`: who has snoozed them, whom they were given to.

Columns are those of `tables`; a test holds the two together.
"""

from __future__ import annotations

from typing import Any

from counterfoil.store.glance import Glance
from counterfoil.store.quick_look import Fields

_SNOOZED = (
    "SELECT g.number, s.until FROM snooze s JOIN gate g ON g.gate_id = s.gate_id"
    " WHERE s.principal = :me AND s.until > :now AND g.state = 'open'"
)
_GIVEN = "SELECT g.number, h.asked, h.given_by, g.run_id FROM giving h JOIN gate g ON g.gate_id = h.gate_id WHERE g.state = 'open'"

_PRINCIPALS = "SELECT principal FROM decision UNION SELECT started_by FROM run UNION SELECT asked FROM giving"


def snoozed(glance: Glance, me: str, now_us: int) -> dict[int, int]:
    """Numbers of open gates that this person does not want to see yet, and until when."""
    return {int(row[0]): int(row[1]) for row in glance.rows(_SNOOZED, {"me": me, "now": now_us})}


def given(glance: Glance) -> list[Fields]:
    """(number, asked, given_by, run_id) of every open gate that waits for one person."""
    return glance.rows(_GIVEN)


def principals(glance: Glance) -> set[str]:
    """Everybody who has decided something, started a run, or was given a gate."""
    return {str(row[0]) for row in glance.rows(_PRINCIPALS)}


def snoozed_until(glance: Glance, gate_id: str, me: str) -> int | None:
    """Until when this person has snoozed a gate; None where they have not."""
    text = "SELECT until FROM snooze WHERE gate_id = :gate_id AND principal = :me"
    found: int | None = glance.value(text, {"gate_id": gate_id, "me": me})
    return found


def giving(glance: Glance, gate_id: str) -> dict[str, Any] | None:
    """The row that says whom a gate waits for; None where it waits for anybody."""
    found = glance.dicts("SELECT * FROM giving WHERE gate_id = :gate_id", {"gate_id": gate_id})
    return found[0] if found else None
