"""Checking the trail: every hash is computed anew, of the home's chain and of each run's chain of records.

The honest limit: removal of the newest entries cannot be seen from the rows alone, except that a run's newest record must not lie
before the head that the home's chain noted for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from counterfoil.authoring.codec import canonical
from counterfoil.clock import from_us
from counterfoil.store import gates, records, trail_rows
from counterfoil.store.transactions import Connection, Row

LIMIT = (
    "Removal of the newest entries shows only against a seal kept elsewhere. "
    "Keep the seal below somewhere else to be able to show it."
)

_SAYS_NOTHING = {"comment": "", "answers": {}}  # as an approval by rules, whose entry tells neither


@dataclass(slots=True)
class Verdict:
    """What a check found. `broken` names the first row of each chain that does not match its seal."""

    entries: int = 0
    runs: int = 0
    records: int = 0
    first_us: int | None = None
    last_us: int | None = None
    seal: str = trail_rows.START
    broken: list[str] = field(default_factory=list)
    kept: tuple[int, int] | None = None  # when evidence was last exported, which holds a seal, and of which run
    now_us: int | None = None  # when it is read, where that is known: days are then told as people say them

    @property
    def ok(self) -> bool:
        """Whether every chain holds."""
        return not self.broken

    def sentence(self) -> str:
        """The result in one line, instants in this computer's zone."""
        if self.broken:
            return self.broken[0]
        if self.first_us is None or self.last_us is None:
            return "The trail is empty: nothing was done yet."
        span = f"{self.when(self.first_us)} to {self.when(self.last_us)}"
        return (
            f"{_counted(self.entries, 'entry', 'entries')}, {span}. None changed, removed or out of order. "
            f"{_counted(self.records, 'record', 'records')} of {_counted(self.runs, 'run', 'runs')} checked too.{self._kept()}"
        )

    def _kept(self) -> str:
        return f" Last kept elsewhere: {self.when(self.kept[0])}, evidence of run {self.kept[1]}." if self.kept else ""

    def when(self, us: int) -> str:
        """An instant in this computer's zone: `today 09:14`, `3 Jan 08:00`, with the year unless it is this one."""
        at, now = _local(us), None if self.now_us is None else _local(self.now_us)
        if now is not None and at.date() == now.date():
            return f"today {at:%H:%M}"
        return f"{at.day} {at:%b}{'' if now is not None and at.year == now.year else f' {at.year}'} {at:%H:%M}"


def verify(conn: Connection, now_us: int | None = None) -> Verdict:
    """Check the whole trail of a home, row by row, without holding it; call it on one snapshot."""
    verdict = Verdict(now_us=now_us)
    sealed: set[str] = set()
    heads = _check_home(conn, verdict, sealed)
    _check_runs(conn, verdict, heads)
    _check_decisions(conn, verdict, sealed)
    return verdict


def _check_home(conn: Connection, verdict: Verdict, sealed: set[str]) -> dict[str, set[str]]:
    """The home's chain; gives the record heads it noted, by run, and puts what it says of decisions into `sealed`."""
    heads: dict[str, set[str]] = {}
    exports: dict[str, tuple[int, int]] = {}
    intact = True
    for row in trail_rows.stream(conn):
        verdict.entries += 1
        if verdict.first_us is None:
            verdict.first_us = row["at"]
        verdict.last_us = row["at"]
        if intact and not _entry_holds(row, verdict):
            verdict.broken.append(_entry_broken(row, verdict))
            intact = False
        verdict.seal = row["hash"]
        if row["kind"] == "decision":
            told = {**_SAYS_NOTHING, **_told(row)}
            sealed.add(_decided(row["by"], told, canonical(told.get("answers"))))
        if row["kind"] == "evidence":
            _note_export(row, exports)
        head = trail_rows.head_in(row)
        if head is not None:
            heads.setdefault(row["subject"], set()).add(head)
    verdict.kept = next(reversed(exports.values()), None)
    return heads


def _note_export(row: Row, exports: dict[str, tuple[int, int]]) -> None:
    """Take up when and of which run a pack was exported, by its seal; one that did not come to its place holds nothing."""
    told = _told(row)
    exports.pop(str(told.get("seal")), None)
    if isinstance(number := told.get("run"), int) and told.get("placed") is not False:
        exports[str(told.get("seal"))] = (row["at"], number)


def _told(entry: Row) -> dict[str, Any]:
    """What an entry tells, whatever somebody may have made of it."""
    try:
        told = json.loads(entry["after"] or "{}")
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _entry_holds(row: Row, verdict: Verdict) -> bool:
    follows = row["seq"] == verdict.entries and row["prev_hash"] == verdict.seal
    return bool(follows and trail_rows.entry_hash(row) == row["hash"])


def _entry_broken(row: Row, verdict: Verdict) -> str:
    return (
        f"Entry {row['seq']:,} ({verdict.when(row['at'])}, {row['summary']}) does not match its seal. "
        "Everything before it is sound."
    )


def _check_runs(conn: Connection, verdict: Verdict, heads: dict[str, set[str]]) -> None:
    run_id, before, intact = "", "", True
    for row in records.stream(conn):
        if row["run_id"] != run_id:
            _check_heads(verdict, run_id, heads, intact)
            run_id = before = row["run_id"]
            intact = True
            verdict.runs += 1
        verdict.records += 1
        if intact and records.record_hash(before, row) != row["hash"]:
            verdict.broken.append(
                f"Record {row['row']:,} of run {run_id[:8]} ({verdict.when(row['committed_at'])}, {row['name']}) "
                "does not match its seal. Every record of that run before it is sound."
            )
            intact = False
        before = row["hash"]
        heads.get(run_id, set()).discard(before)
    _check_heads(verdict, run_id, heads, intact)
    for missing in sorted(run for run, left in heads.items() if left - {run}):
        verdict.broken.append(f"Records of run {missing[:8]} that the trail has sealed are gone.")


def _check_decisions(conn: Connection, verdict: Verdict, sealed: set[str]) -> None:
    """Every decision must be the one that the trail tells of, and none of those may be missing."""
    left = set(sealed)
    for row in gates.stream_decisions(conn):
        told = {**row, "gate": row["gate_id"]}
        seen = _decided(row["principal"], told, row["answers"])
        if seen not in sealed:
            verdict.broken.append(
                f"The decision on gate g-{row['number']} ({verdict.when(row['at'])}, {row['verdict']}) is not what the trail says."
            )
        left.discard(seen)
    if left and not verdict.broken:
        verdict.broken.append(
            f"The trail has sealed {_counted(len(left), 'decision that is', 'decisions that are')} gone."
        )


def _decided(by: str, told: Mapping[str, Any], answers: str) -> str:
    """Everything about a decision that must not change, as one text."""
    return canonical([by, *(told.get(name) for name in ("gate", "verdict", "digest", "comment")), answers])


def _check_heads(verdict: Verdict, run_id: str, heads: dict[str, set[str]], intact: bool) -> None:
    """A head the home's chain noted must be a record of its run."""
    left = heads.pop(run_id, set()) - {run_id}
    if left and intact:
        verdict.broken.append(f"Records of run {run_id[:8]} that the trail has sealed are gone.")


def _local(us: int) -> datetime:
    return from_us(us).astimezone()


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
