"""Everything the page of one gate reads, by the driver alone as in `glance`: the first gate waits for no import of SQLAlchemy.

Columns and states are those of `tables`; a test holds the two together.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from counterfoil.store.glance import Glance

Row = dict[str, Any]
_LOOKED_AT, _MOST_RECENT = (
    2_000,
    200,
)  # newest decisions among which those of other runs are looked for, and how many of those
_RECORD_LINES = (
    "SELECT path, ordinal, kind, name, outcome, summary, started_at, committed_at, origin,"
    " CASE WHEN outcome != 'ok' AND NOT payload_blob THEN payload END AS failure"
    " FROM record WHERE run_id = :run_id ORDER BY row"
)
_EARLIER_ROUNDS = (
    "SELECT d.principal, d.verdict, d.comment, d.answers, d.at, g.kind, r.number AS run_number"
    " FROM decision d JOIN gate g ON g.gate_id = d.gate_id JOIN run r ON r.run_id = g.run_id"
    " WHERE g.run_id = :run_id AND g.slot = :slot AND g.kind = :kind AND g.number < :number AND d.voided_at IS NULL"
    " AND (g.title = :title OR (g.path = :path AND (g.ordinal = :ordinal OR d.verdict = 'returned'))) ORDER BY d.row DESC"
)
# few rows first, so that the rest is looked up by keys, whatever the planner thinks
_ELSEWHERE = """
    WITH recent AS MATERIALIZED (
        SELECT row, gate_id, principal, verdict, comment, answers, at FROM decision
        WHERE row > (SELECT coalesce(max(row), 0) FROM decision) - :looked_at
        AND (verdict IN ('rejected', 'returned') OR (verdict = 'answered' AND :kind = 'question')) AND voided_at IS NULL
        ORDER BY row DESC LIMIT :most
    )
    SELECT d.principal, d.verdict, d.comment, d.answers, d.at, g.kind, r.number AS run_number
    FROM recent d CROSS JOIN gate g ON g.gate_id = d.gate_id CROSS JOIN run r ON r.run_id = g.run_id
    WHERE g.title = :title AND g.kind = :kind AND r.run_id != :run_id AND r.template = :template AND r.workspace = :workspace
    ORDER BY d.row DESC LIMIT 3
"""
_NEWEST_AT = (
    "SELECT gate_id, number FROM gate WHERE run_id = :run_id AND path = :path AND ordinal = :ordinal AND slot = :slot"
    " ORDER BY number DESC LIMIT 1"
)
_BEFORE = (
    "SELECT g.gate_id, g.state, g.ordinal, (SELECT d.verdict FROM decision d WHERE d.gate_id = g.gate_id"
    " AND d.voided_at IS NULL ORDER BY d.row DESC LIMIT 1) AS verdict FROM gate g"
    " WHERE g.run_id = :run_id AND g.path = :path AND g.slot = :slot AND g.kind = :kind AND g.number < :number"
    " ORDER BY g.number DESC LIMIT 1"
)


class GateGlance:
    """Rows of a gate and of what stands around it, as dicts by column."""

    def __init__(self, glance: Glance) -> None:
        self._glance = glance

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Reads that all see the same moment."""
        self._glance.rows("BEGIN")
        try:
            yield
        finally:
            self._glance.rows("ROLLBACK")

    def gate(self, gate_id: str) -> Row | None:
        """A gate's row, or None."""
        return self._first("SELECT * FROM gate WHERE gate_id = :gate_id", gate_id=gate_id)

    def run(self, run_id: str) -> Row | None:
        """A run's row, or None."""
        return self._first("SELECT * FROM run WHERE run_id = :run_id", run_id=run_id)

    def version(self, digest: str) -> Row | None:
        """Title and manifest of a template version, or None."""
        return self._first("SELECT title, manifest FROM template_version WHERE digest = :digest", digest=digest)

    def record_lines(self, run_id: str) -> list[Row]:
        """Every record of a run in commit order without its value; `failure` is that of one that did not end well."""
        return self._all(_RECORD_LINES, run_id=run_id)

    def opened(self, gate_id: str, me: str) -> str | None:
        """The parts of a gate that a person has had in view, as JSON; None where it was not looked at."""
        text = "SELECT opened FROM reading WHERE gate_id = :gate_id AND principal = :me"
        return self._glance.value(text, {"gate_id": gate_id, "me": me})  # type: ignore[no-any-return]

    def draft(self, gate_id: str, me: str) -> str | None:
        """What a person has filled in, as JSON, or None."""
        text = "SELECT body FROM draft WHERE gate_id = :gate_id AND principal = :me"
        return self._glance.value(text, {"gate_id": gate_id, "me": me})  # type: ignore[no-any-return]

    def sources(self, run_id: str) -> tuple[str, ...]:
        """What a run has read from outside the team, in the order of reading."""
        text = "SELECT source FROM run_source WHERE run_id = :run_id ORDER BY at, source"
        return tuple(str(row["source"]) for row in self._all(text, run_id=run_id))

    def decisions(self, gate_id: str) -> list[Row]:
        """Decisions on a gate that stand, oldest first."""
        text = "SELECT * FROM decision WHERE gate_id = :gate_id AND voided_at IS NULL ORDER BY row"
        return self._all(text, gate_id=gate_id)

    def gates_of_run(self, run_id: str) -> list[Row]:
        """Id, number and title of every gate of a run, oldest first."""
        return self._all(
            "SELECT gate_id, number, title FROM gate WHERE run_id = :run_id ORDER BY number", run_id=run_id
        )

    def open_conflicts(self, run_id: str) -> list[Row]:
        """Where in a run open gates ask about files that changed: path and ordinal of the effect that was put back."""
        text = "SELECT path, ordinal FROM gate WHERE run_id = :run_id AND slot = 'conflict' AND state = 'open'"
        return self._all(text, run_id=run_id)

    def newest_at(self, gate: Row) -> Row | None:
        """Id and number of the newest gate that stands where this one stands."""
        return self._first(_NEWEST_AT, **{key: gate[key] for key in ("run_id", "path", "ordinal", "slot")})

    def before(self, gate: Row) -> str:
        """The gate that this one took the place of: its last round, which was sent back or whose question changed; "" where none was."""
        found = self._first(_BEFORE, **{key: gate[key] for key in ("run_id", "path", "slot", "kind", "number")})
        if found is None:
            return ""
        changed = found["state"] == "superseded" and found["ordinal"] == gate["ordinal"]
        return str(found["gate_id"]) if changed or found["verdict"] == "returned" else ""

    def sealed(self, gate_id: str) -> set[int]:
        """Numbers of the plan items of a gate that were sealed."""
        return {int(row["n"]) for row in self._all("SELECT n FROM seal WHERE gate_id = :gate_id", gate_id=gate_id)}

    def intents(self, gate: Row) -> list[Row]:
        """Place, plan number and instant of every effect that was begun under a gate."""
        text = "SELECT path, ordinal, item, committed_at FROM intent WHERE run_id = :run_id AND gate_id = :gate_id"
        return self._all(text, run_id=gate["run_id"], gate_id=gate["gate_id"])

    def carried_on(self, run_id: str, until_us: int) -> list[Row]:
        """Instant and facts (JSON) of every claim of a run until then, oldest first, as the trail tells them."""
        text = (
            "SELECT at, after FROM trail WHERE subject = :run_id AND kind = 'claim' AND at <= :until AND after IS NOT NULL"
            " ORDER BY seq"
        )
        return self._all(text, run_id=run_id, until=until_us)

    def earlier_rounds(self, gate: Row) -> list[Row]:
        """Decisions that stand on earlier gates at the same place of the same run, or of the same title there, newest first."""
        keys = ("run_id", "path", "slot", "kind", "number", "ordinal", "title")
        return self._all(_EARLIER_ROUNDS, **{key: gate[key] for key in keys})

    def elsewhere(self, run: Row, gate: Row) -> list[Row]:
        """Decisions of other runs of the same template and workspace that refused what a gate asks, or answered it where it is a question,
        newest three first."""
        keys = ("run_id", "template", "workspace")
        bounds = {"looked_at": _LOOKED_AT, "most": _MOST_RECENT}
        asked = {"title": gate["title"], "kind": gate["kind"]}
        return self._all(_ELSEWHERE, **asked, **bounds, **{key: run[key] for key in keys})

    def _first(self, text: str, **values: Any) -> Row | None:
        found = self._all(text, **values)
        return found[0] if found else None

    def _all(self, text: str, **values: Any) -> list[Row]:
        return self._glance.dicts(text, values)
