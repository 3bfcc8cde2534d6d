"""The jobs that are killed: what a run starts from, and how it ends when nobody disturbs it."""

import json
import shutil
import sqlite3
import threading
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.catalogue.parameters import check_values
from counterfoil.effects.beneath import Beneath
from counterfoil.engine.ports import ROOT
from counterfoil.facts import RunState
from counterfoil.places import Home, bundled
from counterfoil.runner.starting import keep_version, start_run
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database
from kill.outside import Outside
from kill.processes import HERE, Nursery
from kill.world import PERSON, Ending, Position, World

NEVER = "after_record:1000000"  # visits are counted only where one of them is wanted


class Job:
    """A template with a workspace and parameters. Every world starts from a copy of a seed.

    `late` names points that a run passes only after its last gate; worlds for them may start there, from a seed of their own.
    """

    late: frozenset[str] = frozenset()
    marks: Mapping[Position, str] = {}

    def __init__(self, root: Path, nursery: Nursery, outside: Outside, template: Path) -> None:
        self.root = root
        self.name = template.name
        self.template = template
        self.nursery = nursery
        self.outside = outside
        self.expected: Ending | None = None
        self.visits: dict[str, int] = {}
        self._count = 0
        self._lock = threading.Lock()
        (root / "seed").mkdir(parents=True)
        self.plant(root / "seed")

    def furnish(self, workspace: Path) -> None:
        """Put what the job works on into an empty workspace."""

    def parameters(self) -> dict[str, Any]:
        """What the run is started with."""
        return {}

    def plant(self, seed: Path) -> None:
        """Make the seed: a workspace, and a home in which the template is kept."""
        self.furnish(seed / "workspace")
        home = Home(seed / "home")
        with closing(open_database(home)) as database:
            keep_version(database, home, self.template, PERSON)

    def commit(self, home: Path, workspace: Path) -> str:
        """Commit a ready run; its id."""
        with closing(open_database(Home(home))) as database:
            row = start_run(
                database,
                Home(home),
                template=self.template,
                workspace=workspace,
                parameters=lambda schema: check_values(schema, self.parameters(), workspace=workspace, what=self.name),
                started_by=PERSON,
            )
            return str(row["run_id"])

    def world(self, *, late: bool = False) -> World:
        """A fresh world with a run that is ready, or waits at its last gate."""
        seed = self.root / ("late" if late else "seed")
        with self._lock:
            self._count += 1
            place = self.root / f"world-{self._count}"
        shutil.copytree(seed, place)
        run_id = self.begin(place / "home", place / "workspace")
        return World(self, place / "home", place / "workspace", run_id)

    def begin(self, home: Path, workspace: Path) -> str:
        """The run of a world, made in its copy of the seed; its id."""
        return self.commit(home, workspace)

    def watch(self) -> None:
        """Let one run go undisturbed, and keep how it ends and how often it passes each point."""
        self.visits, self.expected = self._watched()

    def _watched(self, *, late: bool = False) -> tuple[dict[str, int], Ending]:
        world = self.world(late=late)
        seen = world.home.root / "visits.json"
        try:
            runner = world.start(kill=NEVER, visits=str(seen))
            assert world.play(runner, settled=True), "an undisturbed runner ended by itself"
            assert runner.end() == 0
            return json.loads(seen.read_text(encoding="utf-8")), world.ending()
        finally:
            world.close()


class MainJob(Job):
    """pay-invoices on its sample, or on a few of its files. Every world carries on the very same run, down to its id and its birth."""

    late = frozenset({"after_intent", "after_perform", "after_outcome", "after_journal", "after_each_file"})
    FEW = ("VF26-01874.pdf", "INV-20931.xml", "T-3310.xml", "quinta-FT388.xml")

    def __init__(self, root: Path, nursery: Nursery, outside: Outside, *, few: bool = False) -> None:
        self._few = few
        super().__init__(root, nursery, outside, bundled("workflows") / "pay-invoices")

    def furnish(self, workspace: Path) -> None:
        sample = self.template / "sample"
        shutil.copytree(sample, workspace)
        if self._few:
            for file in (workspace / "invoices").iterdir():
                if file.name not in self.FEW:
                    file.unlink()

    def parameters(self) -> dict[str, Any]:
        soon = datetime.now(tz=UTC).date() + timedelta(days=7)
        return {
            "folder": "invoices",
            "debtor_name": "Hartmann & Cie",
            "debtor_iban": "DE75512108001245126199",
            "pay_on": soon.isoformat(),
        }

    def plant(self, seed: Path) -> None:
        super().plant(seed)
        self.commit(seed / "home", seed / "workspace")

    def watch(self) -> None:
        super().watch()
        self._plant_late()
        visits, ending = self._watched(late=True)
        assert ending == self.expected
        self.visits.update({point: visits[point] for point in self.late})

    def _plant_late(self) -> None:
        """Take a run to its last gate, and keep that as a seed: what goes before it takes most of the time."""
        last = sum(record[0] == "gate" for record in self.expected.records.values()) if self.expected else 0
        world = self.world()
        try:
            runner = world.start()
            world.until(lambda: _waits_at(world, last))
            assert runner.end() == 0
        finally:
            world.close()
        shutil.copytree(world.home.root.parent, self.root / "late", ignore=shutil.ignore_patterns(world.aside.name))

    def begin(self, home: Path, workspace: Path) -> str:
        with closing(sqlite3.connect(home / "counterfoil.db")) as raw, raw:
            raw.execute("UPDATE run SET workspace = ?", (str(workspace),))
            raw.execute("DELETE FROM standing WHERE name = 'place'")  # a world is no copy that somebody has to look at
            run_id: str = raw.execute("SELECT run_id FROM run").fetchone()[0]
            _bind_to(raw, Blobs(Home(home)), workspace)
        return run_id


def _bind_to(raw: sqlite3.Connection, blobs: Blobs, workspace: Path) -> None:
    """What was asked about the workspace of the seed is asked about this copy of it: a gate is bound to its folder."""
    with Beneath(str(workspace)) as ground:
        identity = ground.identity
    for gate_id, kept, in_blob in raw.execute("SELECT gate_id, spec, spec_blob FROM gate").fetchall():
        spec = json.loads(blobs.text(kept, in_blob))
        for item in spec["plan"]:
            item["base"].update({ROOT: identity} if ROOT in item["base"] else {})
        text = canonical(spec)
        column, is_blob = blobs.keep_text(text)
        new = (column, is_blob, digest(text), gate_id)
        raw.execute("UPDATE gate SET spec = ?, spec_blob = ?, digest = ? WHERE gate_id = ?", new)


def _waits_at(world: World, number: int) -> bool:
    """Whether a run waits at its n-th gate; those before it are decided."""
    asked = world.open_gates()
    if not asked or world.row()["state"] != RunState.WAITING:
        return False
    if world.rows()["gate"] < number:
        world.decide_all()
        return False
    return True


class Errands(Job):
    """The small template with every kind of effect; what happens outside is told apart by the run's keys."""

    marks: Mapping[Position, str] = {
        (0,): "weigh 1",
        (1, 0, 0): "press 2",
        (1, 1, 0): "weigh 3",
        (1, 2, 0): "weigh 4",
        (4,): "press 5",
        (13,): "weigh 6",
    }

    def __init__(self, root: Path, nursery: Nursery, outside: Outside) -> None:
        super().__init__(root, nursery, outside, HERE / "templates" / "errands")

    def furnish(self, workspace: Path) -> None:
        (workspace / "in").mkdir(parents=True)
        (workspace / "in" / "a.txt").write_text("one", encoding="ascii")
        (workspace / "in" / "b.txt").write_text("two", encoding="ascii")
        (workspace / "book.csv").write_text("order,pieces\n1,1\n", encoding="ascii")
        (workspace / ".counterfoil").mkdir()
        (workspace / ".counterfoil" / "workspace.toml").write_text(
            f'[mail]\nhost = "127.0.0.1"\nport = {self.outside.mail_port}\ntls = "none"\nfrom = "shop@example.org"\n',
            encoding="ascii",
        )

    def parameters(self) -> dict[str, Any]:
        return {"ledger": self.outside.url}


class Stuck(Job):
    """Steps that end their process, or hold it, as long as there is a file `hold-1` aside of the run, which is the first."""

    def __init__(self, root: Path, nursery: Nursery, outside: Outside, how: str) -> None:
        self._how = how
        super().__init__(root, nursery, outside, HERE / "templates" / "stuck")

    def furnish(self, workspace: Path) -> None:
        workspace.mkdir()

    def world(self, *, late: bool = False) -> World:
        world = super().world(late=late)
        (world.aside / "hold-1").touch()
        return world

    def parameters(self) -> dict[str, Any]:
        return {"how": self._how}
