"""What starts a routine beside time: new files in a watched folder, and the end of another run.

A file is taken once it has kept its size and time for a while, and one run gets exactly the files that have settled. What a firing takes
is written in its own transaction, so a restart in the middle takes nothing twice and leaves nothing out.
"""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.catalogue.finding import called
from counterfoil.errors import NotReady, WrongRule
from counterfoil.facts import FiringOrigin, FiringState, NoticeKind, RunState
from counterfoil.schedules.rules import After, Rule, Watch, rule_of
from counterfoil.schedules.scanning import Starter, why_not_now
from counterfoil.store import firings, handled, notices, runs, schedules, standing
from counterfoil.store.database import Database
from counterfoil.store.transactions import Connection, Row, Txn

MOST = 500  # files of one run; more go into the next one
PATIENCE = 10  # settling times that settled files wait for others that still grow
_UNFINISHED = (".part", ".partial", ".crdownload", ".download", ".tmp")
_BY = "runner"


@dataclass(frozen=True, slots=True)
class Arrived:
    """A file of a watched folder: its path from the workspace, and the key by which it is known from another one of that name."""

    path: str
    key: str


def arrived(workspace: Path, rule: Watch) -> list[Arrived]:
    """The files of a watched folder that its pattern takes, by name. Links, hidden files and marks of programs are none.

    Raises:
        NotReady: the folder cannot be looked into.
    """
    found = []
    try:
        with os.scandir(workspace / rule.path) as entries:
            for entry in entries:
                if _is_meant(entry.name, rule.pattern) and entry.is_file(follow_symlinks=False):
                    facts = entry.stat(follow_symlinks=False)
                    path = f"{rule.path}/{entry.name}" if rule.path != "." else entry.name
                    found.append(Arrived(path, f"file:{path}:{facts.st_size}:{facts.st_mtime_ns}"))
    except OSError as problem:
        raise NotReady(f"The folder {workspace / rule.path} cannot be looked into: {problem.strerror}.") from problem
    return sorted(found, key=lambda one: one.path)


def _is_meant(name: str, pattern: str) -> bool:
    own = name.startswith((".", "~$")) or name.lower().endswith(_UNFINISHED)
    return not own and fnmatch.fnmatch(name.lower(), pattern.lower())


def pass_over_present(txn: Txn, row: Row) -> None:
    """What lies in a watched folder when a routine begins is not new."""
    rule = rule_of(json.loads(row["rule"]))
    if isinstance(rule, Watch):
        for one in arrived(Path(row["workspace"]), rule):
            handled.take(txn, row["schedule_id"], one.key)


def refuse_circle(conn: Connection, rule: Rule, template: str, workspace: str, schedule_id: str = "") -> None:
    """Refuse a routine whose runs would, over others or by themselves, start it again.

    Raises:
        WrongRule: it would.
    """
    if not isinstance(rule, After):
        return
    follows: dict[str, set[str]] = {}
    for row in schedules.living(conn):
        other = rule_of(json.loads(row["rule"]))
        if isinstance(other, After) and row["workspace"] == workspace and row["schedule_id"] != schedule_id:
            follows.setdefault(other.template, set()).add(called(row["template"]))
    reached, ahead = set[str](), [called(template)]
    while ahead:
        one = ahead.pop()
        if one == rule.template:
            raise WrongRule(
                f"A run of {called(template)} would start itself again: it ends in what starts it.",
                "Let it follow a template that does not follow from it.",
            )
        if one not in reached:
            reached.add(one)
            ahead += follows.get(one, ())


class Triggers:
    """Looks at watched folders and at runs that have ended; remembers how long files have kept still, which a restart may forget."""

    def __init__(
        self,
        database: Database,
        starter: Callable[[Mapping[str, Any]], Starter],
        prepare: Callable[[Sequence[Row]], None],
    ) -> None:
        self._database = database
        self._starter = starter
        self._prepare = prepare
        self._still: dict[tuple[str, str], int] = {}  # (routine, key of a file) -> since when it is the same
        self._settling: dict[tuple[str, str], int] = {}  # and when they will have been for long enough
        self._awaited: set[tuple[str, str]] | None = (
            None  # of them, those that were there at the first look and are yet to settle
        )
        self.again_at: int | None = None  # when the first of those has settled; None while there are none

    def look(self) -> list[str]:
        """Start what there is to start; ids of the runs. Blocking."""
        with self._database.connect() as conn:
            if standing.get(conn, standing.PAUSE) is not None:
                return []
            rows = [row for row in schedules.awake(conn) if _is_trigger(row)]
        self._settling.clear()
        started = [run_id for row in rows for run_id in self._of_one(row)]
        if self._awaited is None:
            self._awaited = set(self._settling)
        self._awaited &= set(
            self._settling
        )  # a file that changes is another one: who writes without end is not waited for
        soon = self._database.clock.now_us() + 1_000_000  # what has settled may wait for others that still grow
        self.again_at = min((max(self._settling[one], soon) for one in self._awaited), default=None)
        return started

    def _of_one(self, row: Row) -> list[str]:
        try:
            rule = rule_of(json.loads(row["rule"]))
            if isinstance(rule, Watch):
                return self._watched(row, rule)
            return self._followed(row, rule) if isinstance(rule, After) else []
        except (NotReady, WrongRule) as problem:
            body = {"schedule": row["name"], "reason": str(problem)}
            self._database.transact(lambda txn: notices.post(txn, NoticeKind.NOT_READY, row["schedule_id"], body))
            return []

    def _watched(self, row: Row, rule: Watch) -> list[str]:
        found = arrived(Path(row["workspace"]), rule)
        with self._database.connect() as conn:
            known = handled.among(conn, row["schedule_id"], [one.key for one in found])
        fresh = [one for one in found if one.key not in known]
        now, settle = self._database.clock.now_us(), rule.settle * 1_000_000
        names = {(row["schedule_id"], one.key): self._still.get((row["schedule_id"], one.key), now) for one in fresh}
        others = {name: at for name, at in self._still.items() if name[0] != row["schedule_id"]}
        self._still = {**others, **names}
        waited = {one: now - names[row["schedule_id"], one.key] for one in fresh}
        settled = [one for one in fresh if waited[one] >= settle]
        grow = len(settled) < len(fresh) and max(waited.values(), default=0) < PATIENCE * settle
        if not settled or grow:
            self._settling |= {name: at + settle for name, at in names.items()}
            return []
        chosen = settled[:MOST]
        values = {rule.into: [one.path for one in chosen]} if rule.into else {}
        count = f"{len(chosen)} new {'file' if len(chosen) == 1 else 'files'} in {rule.path}"
        return self._begin(row, FiringOrigin.FOLDER, now, values, [one.key for one in chosen], count)

    def _followed(self, row: Row, rule: After) -> list[str]:
        started = []
        with self._database.connect() as conn:
            ended = runs.ended_since(conn, rule.template, row["workspace"], int(row["effective_from"]))
            known = handled.among(conn, row["schedule_id"], [f"run:{one['run_id']}" for one in ended])
        for one in ended:
            if f"run:{one['run_id']}" not in known and one["state"] == RunState.DONE:
                words, key = f"after run {one['number']} of {rule.template}", f"run:{one['run_id']}"
                started += self._begin(row, FiringOrigin.RUN, int(one["ended_at"]), {}, [key], words)
        return started

    def _begin(
        self, row: Row, origin: FiringOrigin, planned: int, values: dict[str, Any], keys: Sequence[str], words: str
    ) -> list[str]:
        """One run for what is taken, all in one transaction; nothing where the last run is still open: it is taken later."""
        self._prepare([row])

        def operation(txn: Txn) -> list[str]:
            fresh = schedules.get(txn.conn, row["schedule_id"])
            if fresh["rev"] != row["rev"] or fresh["paused"] or why_not_now(txn, fresh) is not None:
                return []
            if not all(handled.take(txn, row["schedule_id"], key) for key in keys):
                raise _Taken
            run = self._starter(values)(txn, fresh, planned)
            due = planned
            while not firings.settle(txn, fresh, due, FiringState.STARTED, words, run_id=run["run_id"], origin=origin):
                due += 1  # two runs that ended in one microsecond
            notices.close(txn, NoticeKind.NOT_READY, row["schedule_id"], _BY)
            return [run["run_id"]]

        try:
            return self._database.transact(operation)
        except _Taken:
            return []


class _Taken(Exception):
    """Somebody else has taken a part of it meanwhile; nothing was written."""


def _is_trigger(row: Row) -> bool:
    return '"kind": "folder"' in row["rule"] or '"kind": "after"' in row["rule"]
