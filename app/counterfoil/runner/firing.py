"""What makes runs of routines: the template as it is then, its parameters checked anew, one run in the firing's transaction."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil import __version__
from counterfoil.authoring.codec import canonical
from counterfoil.catalogue.finding import find_template
from counterfoil.catalogue.manifest import title_of_run
from counterfoil.catalogue.parameters import check_values, with_remembered
from counterfoil.clock import from_us
from counterfoil.errors import CounterfoilError, NotReady
from counterfoil.places import Home
from counterfoil.runner.consent import refuse_unasked
from counterfoil.runner.starting import keep_version
from counterfoil.sandbox.probing import measured
from counterfoil.schedules.planned import resolved
from counterfoil.schedules.rules import zone_of
from counterfoil.schedules.scanning import Starter
from counterfoil.settings.workspace import remembered
from counterfoil.store import runs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn


class RunStarter:
    """Makes runs of routines. `prepare` looks at their templates first, since that may take a while and needs no transaction."""

    def __init__(self, database: Database, home: Home) -> None:
        self._database = database
        self._home = home
        self._versions: dict[str, Row | CounterfoilError] = {}

    def prepare(self, rows: Sequence[Row]) -> None:
        """Keep the present version of each routine's template; what is wrong with one is told when it is to start. Blocking."""
        self._versions = {row["schedule_id"]: self._version(row) for row in rows}

    def _version(self, row: Row) -> Row | CounterfoilError:
        try:
            workspace = Path(row["workspace"])
            folder = find_template(row["template"], workspace, self._home)
            refuse_unasked(self._database, self._home, folder, workspace)
            return keep_version(self._database, self._home, folder, f"schedule:{row['name']}")
        except CounterfoilError as problem:
            return problem

    def __call__(self, txn: Txn, schedule: Row, planned_us: int) -> Row:
        """The run of a firing.

        Raises:
            NotReady: the folder, the template or a parameter is not as it must be.
        """
        return runs.create(txn, self.new_run(schedule, planned_us))

    def given(self, values: Mapping[str, Any]) -> Starter:
        """A starter whose runs get these parameters beside those of their routine."""
        return lambda txn, schedule, planned_us: runs.create(txn, self.new_run(schedule, planned_us, values))

    def trouble_with_template(self, schedule: Row) -> CounterfoilError | None:
        """Why the template of a routine that was prepared for cannot be used; None where it can."""
        version = self._versions[schedule["schedule_id"]]
        return version if isinstance(version, CounterfoilError) else None

    def manifest_of(self, schedule: Row) -> dict[str, Any]:
        """The manifest of the template of a routine that was prepared for; {} where it cannot be used."""
        version = self._versions[schedule["schedule_id"]]
        found: dict[str, Any] = {} if isinstance(version, CounterfoilError) else json.loads(version["manifest"])
        return found

    def new_run(
        self, schedule: Row, planned_us: int, more: Mapping[str, Any] | None = None, *, before_files: bool = False
    ) -> runs.NewRun:
        """The run as it would be. `before_files`: what a watched folder will give is not there yet, so it is not asked for.

        Raises:
            NotReady: the folder, the template or a parameter is not as it must be.
        """
        workspace = Path(schedule["workspace"])
        version = self._versions[schedule["schedule_id"]]
        if isinstance(version, CounterfoilError):
            raise NotReady(version.message, version.next_step)
        if not workspace.is_dir():
            raise NotReady(f"The folder {workspace} is not there.")
        planned = from_us(planned_us).astimezone(zone_of(schedule["zone"]))
        into = json.loads(schedule["rule"]).get("into") if before_files else None
        schema = [field for field in json.loads(version["parameters"]) if not into or field["name"] != into]
        given = {**resolved(schema, json.loads(schedule["parameters"]), planned.date()), **(more or {})}
        try:
            known = with_remembered(schema, given, remembered(workspace, version["name"]), today=planned.date())
            values = check_values(
                schema, known, workspace=workspace, what=f"schedule ‘{schedule['name']}’", today=planned.date()
            )
        except CounterfoilError as problem:
            raise NotReady(problem.message, problem.next_step) from problem
        manifest = json.loads(version["manifest"])
        return runs.NewRun(
            template=version["name"],
            version=version["digest"],
            workspace=str(workspace),
            title=title_of_run(manifest["run_title"] or version["title"], values),
            parameters=canonical(values),
            started_by=f"schedule:{schedule['name']}",
            program=__version__,
            isolation=measured(self._home).mark,
            schedule_id=schedule["schedule_id"],
            planned_at=planned_us,
        )
