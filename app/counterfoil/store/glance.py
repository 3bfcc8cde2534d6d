"""The lists of a window that must be there at once.

They are read without what stands behind a spec; what changed is told by counters and newest rows, so that asking ten times a second
costs next to nothing. Columns and states are those of `tables`; a test holds the two together.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from counterfoil.store.quick_look import Fields, QuickLook

LEASE_US = 15_000_000  # how long a lease lasts that is not renewed: `leases.TTL_US`

_GATE = (
    "SELECT g.number, g.gate_id, g.run_id, g.kind, g.title, g.why, g.figure, g.bulk, g.round, g.asked_at, g.due_at, g.digest,"
    " v.title, r.title, r.workspace, p.digest, g.search"
)
_GATE_TABLES = (
    " FROM gate g JOIN run r ON r.run_id = g.run_id JOIN template_version v ON v.digest = r.version"
    " LEFT JOIN reading p ON p.gate_id = g.gate_id AND p.principal = :me"
)
_OPEN_FROM = f"{_GATE}{_GATE_TABLES} WHERE g.state = 'open' AND g.number >= :low"
_OPEN_NUMBERED = f"{_GATE}{_GATE_TABLES} WHERE g.number IN (%s)"
_FIRST_OPEN = (
    "SELECT g.number FROM gate g WHERE g.state = 'open' AND (:workspace IS NULL OR EXISTS"
    " (SELECT 1 FROM run r WHERE r.run_id = g.run_id AND r.workspace = :workspace))"
    " ORDER BY g.due_at IS NULL, g.due_at, g.asked_at LIMIT :limit"
)
# the plus keeps SQLite from sorting every closed gate
_CLOSED = (
    f"{_GATE}, g.state, g.closed_at, m.verdict, m.principal, m.signature{_GATE_TABLES}"
    " LEFT JOIN decision m ON m.gate_id = g.gate_id AND m.voided_at IS NULL"
    " WHERE g.closed_at IS NOT NULL AND +g.state IN ('decided', 'expired', 'withdrawn')"
    " AND (:workspace IS NULL OR r.workspace = :workspace) ORDER BY g.closed_at DESC LIMIT :limit"
)
_RUN = (
    "SELECT r.number, r.run_id, r.title, v.title, r.workspace, r.state, r.started_by, r.created_at, r.started_at, r.ended_at,"
    " r.activity, r.error, substr(r.result, 1, 400), EXISTS (SELECT 1 FROM intent i WHERE i.run_id = r.run_id),"
    " CASE WHEN NOT EXISTS (SELECT 1 FROM undoing u WHERE u.run_id = r.run_id AND u.state = 'done') THEN ''"
    " WHEN EXISTS (SELECT 1 FROM gate g JOIN file_op f ON f.gate_id = g.gate_id WHERE g.run_id = r.run_id AND f.state = 'applied')"
    " THEN 'partly' ELSE 'wholly' END,"
    " (SELECT body FROM notice n WHERE n.kind = 'silent' AND n.subject = r.run_id AND n.closed_at IS NULL),"
    " r.note IS NOT NULL,"
    " (SELECT coalesce(sum(a.charge), 0) || CASE WHEN count(a.charge) < count(*) THEN '+' ELSE '' END"
    " FROM llm_attempt a WHERE a.run_id = r.run_id)"
    " FROM run r JOIN template_version v ON v.digest = r.version"
)
_RUNS_NUMBERED = f"{_RUN} WHERE r.number IN (%s)"
_RUN_NUMBERS = "SELECT r.number FROM run r WHERE r.number < :below"
_OF_WORKSPACE = " AND r.workspace = :workspace"
_IN_STATE = " AND r.state = :state"
# what cannot be told here, letters beyond ASCII and the words of a state, may hold the word
_MAY_HOLD = (
    " AND (instr(lower(r.title), :word) OR r.title GLOB '*[^ -~]*' OR instr('run', :word) OR instr('r-' || r.number, :word)"
    " OR instr(r.run_id, :word) OR r.state IN (SELECT value FROM json_each(:states))"
    " OR r.version IN (SELECT digest FROM template_version WHERE instr(lower(title), :word) OR title GLOB '*[^ -~]*')"
    " OR r.run_id IN (SELECT run_id FROM timer WHERE state = 'pending'))"
)
_OF_TEMPLATE = " AND r.template = :template"
_OF_SCHEDULE = " AND r.schedule_id = :schedule"
_SINCE = " AND r.number >= :low"
_STATES_OF = "SELECT r.state, count(*) FROM run r WHERE r.number < :below"
_AMONG = "SELECT r.number FROM run r WHERE r.number IN (SELECT value FROM json_each(:numbers))"
_NEWEST_FIRST = " ORDER BY r.number DESC LIMIT :limit"
_NEED_CARE = (
    "SELECT r.number FROM gate g JOIN run r ON r.run_id = g.run_id WHERE g.state = 'open' AND g.kind IN ('failure', 'doubt')"
    " AND r.state = 'waiting' AND (:workspace IS NULL OR r.workspace = :workspace)"
    " UNION SELECT number FROM run WHERE state = 'cancelled' AND json_valid(error) AND json_array_length(error, '$.in_doubt') > 0"
    " AND note IS NULL AND (:workspace IS NULL OR +workspace = :workspace) ORDER BY 1 DESC"
)
_CARE_MARKS = (
    "SELECT (SELECT max(number) FROM gate), (SELECT max(closed_at) FROM gate), (SELECT count(*) FROM gate WHERE state = 'open'),"
    " (SELECT count(*) FROM run WHERE state = 'waiting'), (SELECT count(*) FROM run WHERE state = 'cancelled'),"
    " (SELECT count(*) FROM run WHERE note IS NOT NULL)"
)
_OPEN_KINDS = (
    "SELECT run_id, kind FROM gate WHERE run_id IN (SELECT value FROM json_each(:runs)) AND +state = 'open'"
    " ORDER BY asked_at, number"
)
_CHUNK = 500  # numbers in one IN list
_WORKSPACES = (
    "WITH RECURSIVE known(path) AS (SELECT min(workspace) FROM run UNION ALL"
    " SELECT (SELECT min(workspace) FROM run WHERE workspace > path) FROM known WHERE path IS NOT NULL)"
    " SELECT path, (SELECT max(number) FROM run WHERE workspace = path) AS newest FROM known WHERE path IS NOT NULL"
    " ORDER BY newest DESC"
)
_USED = (
    "WITH RECURSIVE known(name) AS (SELECT min(template) FROM run UNION ALL"
    " SELECT (SELECT min(template) FROM run WHERE template > name) FROM known WHERE name IS NOT NULL)"
    " SELECT name, (SELECT created_at FROM run WHERE template = name ORDER BY number DESC LIMIT 1)"
    " FROM known WHERE name IS NOT NULL"
)
_TITLES = (
    "WITH RECURSIVE known(name) AS (SELECT min(template) FROM run UNION ALL"
    " SELECT (SELECT min(template) FROM run WHERE template > name) FROM known WHERE name IS NOT NULL)"
    " SELECT name, coalesce((SELECT title FROM template_version v WHERE v.name = known.name ORDER BY stored_at DESC LIMIT 1), name)"
    " FROM known WHERE name IS NOT NULL ORDER BY 2"
)
_SCHEDULES = (
    "SELECT schedule_id, name FROM schedule s WHERE removed_at IS NULL"
    " OR EXISTS (SELECT 1 FROM run r WHERE r.schedule_id = s.schedule_id) ORDER BY name"
)


class Only:
    """Which runs are wanted: of a template, of a schedule, from a number on; "" and 0 are any."""

    def __init__(self, template: str, schedule: str, low: int) -> None:
        self.text = (_OF_TEMPLATE if template else "") + (_OF_SCHEDULE if schedule else "") + (_SINCE if low else "")
        self.values: dict[str, Any] = {"template": template, "schedule": schedule, "low": low}


class Glance(QuickLook):
    """What the lists of a window are read from."""

    def _numbered(self, text: str, numbers: Sequence[int], values: dict[str, Any]) -> list[Fields]:
        found: list[Fields] = []
        for start in range(0, len(numbers), _CHUNK):
            part = ", ".join(str(int(number)) for number in numbers[start : start + _CHUNK])
            found.extend(self.rows(text % part, values))
        return found

    # ---------------------------------------------------------------------------------------------------------- lists

    def open_numbers(self) -> list[int]:
        """Numbers of open gates, oldest question first; read from an index alone."""
        found = self.rows("SELECT number FROM gate WHERE state = 'open' ORDER BY asked_at, number")
        return [int(row[0]) for row in found]

    def first_open(self, workspace: str | None, limit: int) -> list[int]:
        """Numbers of the open gates that a list shows first: by deadline, those without one last, then the oldest question."""
        return [int(row[0]) for row in self.rows(_FIRST_OPEN, {"workspace": workspace, "limit": limit})]

    def open_gates(self, me: str, numbers: Sequence[int]) -> list[Fields]:
        """What a list shows of these open gates: number, gate_id, run_id, kind, title, why, figure, bulk, round, asked_at, due_at,
        digest, template's title, run's title, workspace, the digest this person has seen, search."""
        if len(numbers) > _CHUNK:
            return self.rows(_OPEN_FROM, {"me": me, "low": min(numbers)})
        return self._numbered(_OPEN_NUMBERED, numbers, {"me": me})

    def closed_gates(self, me: str, workspace: str | None, limit: int) -> list[Fields]:
        """The newest closed gates: columns of `open_gates`, then state, closed_at, verdict, principal, signature."""
        return self.rows(_CLOSED, {"me": me, "workspace": workspace, "limit": limit})

    def read_since(self, me: str, at: int) -> list[Fields]:
        """(gate_id, digest, read_at) of what this person has looked at since."""
        text = "SELECT gate_id, digest, read_at FROM reading WHERE read_at >= :at AND principal = :me"
        return self.rows(text, {"at": at, "me": me})

    def newest_reading(self) -> int:
        """When somebody looked at a gate last; 0 when nobody has."""
        return int(self.value("SELECT max(read_at) FROM reading") or 0)

    def drafts(self, me: str) -> frozenset[str]:
        """Gates at which this person has filled something in."""
        return frozenset(
            str(row[0]) for row in self.rows("SELECT gate_id FROM draft WHERE principal = :me", {"me": me})
        )

    def count_open(self) -> int:
        """How many gates are open."""
        return int(self.value("SELECT count(*) FROM gate WHERE state = 'open'") or 0)

    def paused(self) -> tuple[str, int, str] | None:
        """Who has paused everything, when, and why as JSON; None where nobody has."""
        found = self.rows("SELECT by, at, value FROM standing WHERE name = 'pause'")
        return (str(found[0][0]), int(found[0][1]), str(found[0][2])) if found else None

    def next_firing(self) -> tuple[str, int] | None:
        """The schedule that fires next, by name, and when; None where none will."""
        found = self.rows(
            "SELECT name, next_at FROM schedule WHERE NOT paused AND next_at IS NOT NULL ORDER BY next_at LIMIT 1"
        )
        return (str(found[0][0]), int(found[0][1])) if found else None

    def count_notices(self) -> int:
        """How many notices stand."""
        return int(self.value("SELECT count(*) FROM notice WHERE closed_at IS NULL") or 0)

    def count_runs(self, workspace: str | None) -> tuple[int, int]:
        """How many runs are under way, and how many there are at all."""
        values = {"w": workspace}
        under_way = self.value(
            "SELECT count(*) FROM run WHERE state IN ('ready', 'running') AND (:w IS NULL OR +workspace = :w)", values
        )
        if workspace is None:
            return int(under_way or 0), self.newest_run()
        return int(under_way or 0), int(self.value("SELECT count(*) FROM run WHERE workspace = :w", values) or 0)

    def workspaces(self) -> list[str]:
        """Folders that runs have used, newest first."""
        return [str(row[0]) for row in self.rows(_WORKSPACES)]

    def templates_used(self) -> dict[str, int]:
        """When each template was started last, by name."""
        return {str(row[0]): int(row[1]) for row in self.rows(_USED)}

    def run_numbers(
        self,
        *,
        below: int,
        limit: int,
        workspace: str | None = None,
        state: str = "",
        word: str = "",
        states: Sequence[str] = (),
        only: Only | None = None,
    ) -> list[int]:
        """Numbers of the newest runs below a number, newest first; with a folded `word` those that may hold it: in a title, a number, an
        id, or in what is said of `states`; `only` those of one template, schedule or time."""
        text = _RUN_NUMBERS + (_OF_WORKSPACE if workspace is not None else "") + (_IN_STATE if state else "")
        values = {"below": below, "limit": limit, "workspace": workspace, "state": state, "word": word}
        text += (_MAY_HOLD if word else "") + (only.text if only else "") + _NEWEST_FIRST
        values |= only.values if only else {}
        return [int(row[0]) for row in self.rows(text, {**values, "states": json.dumps(states)})]

    def care_marks(self) -> Fields:
        """What changes when other runs need care, read from indexes alone; the gates themselves are thousands of pages."""
        return self.rows(_CARE_MARKS)[:1]

    def care_numbers(self, workspace: str | None) -> list[int]:
        """Numbers of runs that a person must look after, newest first: they wait for a repair or a doubt, or left something behind."""
        return [int(row[0]) for row in self.rows(_NEED_CARE, {"workspace": workspace})]

    def runs_numbered(self, numbers: Sequence[int]) -> list[Fields]:
        """Runs with these numbers: number, run_id, title, template's title, workspace, state, started_by, created_at, started_at, ended_at,
        activity, error, the result's beginning, whether it began an effect, whether its files were put back ("", partly, wholly),
        the notice of its silence, whether it has a note, and what its llms have cost as counted money (a text; `+` behind it where nobody
        knows the price of all of it)."""
        return self._numbered(_RUNS_NUMBERED, numbers, {})

    def changed_since_they_ended(self) -> tuple[int, int]:
        """How often files of runs were put back, and how many runs have a note: both change what is said of runs that have ended."""
        found = self.rows(
            "SELECT (SELECT count(*) FROM undoing WHERE state = 'done'), (SELECT count(*) FROM run WHERE note IS NOT NULL)"
        )
        return (found[0][0], found[0][1]) if found else (0, 0)

    def open_kinds(self, run_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The kinds of the open gates of these runs, oldest question first."""
        found: dict[str, tuple[str, ...]] = {}
        for run_id, kind in self.rows(_OPEN_KINDS, {"runs": json.dumps(run_ids)}):
            found[run_id] = (*found.get(run_id, ()), str(kind))
        return found

    def runs_in_state(self, state: str) -> int:
        """How many runs are in a state; read from an index alone."""
        return int(self.value("SELECT count(*) FROM run WHERE state = :state", {"state": state}) or 0)

    def states_in(self, workspace: str) -> dict[str, int]:
        """How many runs of a workspace are in each state."""
        text = "SELECT state, count(*) FROM run WHERE workspace = :workspace GROUP BY +state"
        return {str(row[0]): int(row[1]) for row in self.rows(text, {"workspace": workspace})}

    def states_of(self, workspace: str | None, only: Only) -> dict[str, int]:
        """How many of these runs are in each state."""
        text = _STATES_OF + (_OF_WORKSPACE if workspace is not None else "") + only.text + " GROUP BY +r.state"
        values = {"below": self.newest_run() + 1, "workspace": workspace, **only.values}
        return {str(row[0]): int(row[1]) for row in self.rows(text, values)}

    def among(self, numbers: Sequence[int], only: Only) -> set[int]:
        """Which of these runs are of one template, schedule or time."""
        found = self.rows(_AMONG + only.text, {"numbers": json.dumps(list(numbers)), **only.values})
        return {int(row[0]) for row in found}

    def begun_at(self, number: int) -> int:
        """When the run of a number was made; 0 where there is none."""
        return int(self.value("SELECT created_at FROM run WHERE number = :number", {"number": number}) or 0)

    def template_titles(self) -> list[Fields]:
        """(name, title of the newest version) of every template that runs have used."""
        return self.rows(_TITLES)

    def schedules_named(self) -> list[Fields]:
        """(id, name) of every schedule that has started a run, or may."""
        return self.rows(_SCHEDULES)

    def newest_run(self) -> int:
        """The number of the newest run; they are numbered without gaps."""
        return int(self.value("SELECT max(number) FROM run") or 0)

    def timers(self) -> list[Fields]:
        """(run_id, kind, due_at) of every timer that is pending."""
        return self.rows("SELECT run_id, kind, due_at FROM timer WHERE state = 'pending' ORDER BY due_at DESC")

    # ------------------------------------------------------------------------------------------------------ the runner

    def lease(self) -> dict[str, Any] | None:
        """The runner's lease, or None before the first one."""
        found = self.rows("SELECT holder, pid, started_at, renewed_at, expires_at FROM runner")
        names = ("holder", "pid", "started_at", "renewed_at", "expires_at")
        return dict(zip(names, found[0], strict=True)) if found else None

    def last_saved(self) -> int | None:
        """When something was committed last."""
        newest = [
            self.value("SELECT committed_at FROM record ORDER BY row DESC LIMIT 1"),
            self.value("SELECT at FROM trail ORDER BY seq DESC LIMIT 1"),
        ]
        return max((at for at in newest if at is not None), default=None)

    def titles_running(self, limit: int = 3) -> list[str]:
        """Titles of runs that are being advanced."""
        text = "SELECT title FROM run WHERE state = 'running' ORDER BY number DESC LIMIT :limit"
        return [str(row[0]) for row in self.rows(text, {"limit": limit})]

    def isolation(self) -> str:
        """The level that the newest run's hosts had; L0 before the first run."""
        return str(self.value("SELECT isolation FROM run ORDER BY number DESC LIMIT 1") or "")

    # -------------------------------------------------------------------------------------------------- what changed

    def data_version(self) -> int:
        """A number that changes with every commit of another connection; 0 while there is no database."""
        conn = self._conn
        if conn is None:
            conn = self.connection()
        return 0 if conn is None else int(conn.execute("PRAGMA data_version").fetchone()[0])

    def under_way(self) -> list[Fields]:
        """Runs that are being advanced or may be: id, state, fence, activity, wish to cancel, wish to restart."""
        text = "SELECT run_id, state, fence, activity, cancel_by, restart FROM run WHERE state IN ('ready', 'running')"
        return self.rows(text)

    def marks(self, me: str) -> dict[str, Any]:
        """Counters and newest rows by which a change is known: each is an index look-up or a count of living rows."""
        return {name: self.value(text, {"me": me} if ":me" in text else None) for name, text in _MARKS.items()}

    def runs_since(self, record: int, seq: int) -> set[str]:
        """Runs that have records or trail entries newer than these."""
        found = self.rows("SELECT run_id FROM record WHERE row > :record", {"record": record})
        found += self.rows("SELECT subject FROM trail WHERE seq > :seq", {"seq": seq})
        return {str(row[0]) for row in found}


_MARKS = {
    "record": "SELECT max(row) FROM record",
    "attempt": "SELECT max(row) FROM attempt",
    "trail": "SELECT max(seq) FROM trail",
    "run": "SELECT max(number) FROM run",
    "waiting": "SELECT count(*) FROM run WHERE state = 'waiting'",
    "gate": "SELECT max(number) FROM gate",
    "open": "SELECT count(*) FROM gate WHERE state = 'open'",
    "closed": "SELECT max(closed_at) FROM gate",
    "decision": "SELECT max(row) FROM decision",
    "read": "SELECT max(read_at) FROM reading",
    "drafts": "SELECT group_concat(gate_id) FROM draft WHERE principal = :me",
    "snooze": "SELECT group_concat(gate_id || until) FROM snooze WHERE principal = :me",
    "giving": "SELECT count(*) || ':' || coalesce(max(given_at), 0) FROM giving",
    "version": "SELECT count(*) FROM template_version",
    "schedule": "SELECT group_concat(rev || ':' || coalesce(next_at, 0)) FROM schedule",
    "notice": "SELECT count(*) || ':' || max(row) || ':' || total(closed_at) FROM notice",
    "told": "SELECT group_concat(body) FROM notice WHERE closed_at IS NULL",
    "standing": "SELECT group_concat(name || ':' || at) FROM standing",
    "undoing": "SELECT count(*) || ' ' || coalesce(max(ended_at), 0) FROM undoing",
    "llm": "SELECT max(row) FROM llm_attempt",
    "lease": "SELECT holder || ' ' || renewed_at || ' ' || expires_at FROM runner",
}
