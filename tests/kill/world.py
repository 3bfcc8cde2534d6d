"""One run in a home of its own, killed and carried on; what is in the middle; what is true in the end."""

import json
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from counterfoil import trail
from counterfoil.errors import AlreadyDecided, GateClosed
from counterfoil.facts import ENDED, GateKind, GateState, RunState, Slot, Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.inbox.hinting import hint
from counterfoil.places import Home
from counterfoil.store import gates, intents, records, runs, timers
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database, open_database
from counterfoil.store.transactions import Row
from kill.outside import Outside
from kill.processes import Nursery, Process, children_of, command_of, state_of, until

T = TypeVar("T")
Position = tuple[int, ...]
PERSON = "user:anna"
TEMPORARY = ".counterfoil-"  # how file effects name what lies beside a file while it changes


@dataclass(frozen=True)
class Ending:
    """How a run ended, in words that are equal for equal ends."""

    state: str
    result: str
    records: dict[Position, tuple[str, ...]]
    files: dict[str, bytes]
    outside: tuple[tuple[str, str], ...]


class Origin(Protocol):
    """What a world comes from; `marks` says under which name a step speaks outside, by its position."""

    nursery: Nursery
    outside: Outside
    expected: Ending | None
    marks: Mapping[Position, str]


@dataclass
class Moment:
    """What is in the middle: the kinds of what comes next, intents without a record, gates that wait or were just answered."""

    state: str
    next: set[str] = field(default_factory=set)
    intents: list[Row] = field(default_factory=list)
    gates: list[Row] = field(default_factory=list)
    performing: bool = False

    @property
    def kind(self) -> str:
        """effect, gate or step; "" where none of them is in the middle.

        A step counts only where it was seen to begin; an effect where its intent is committed and its record is not; a gate from
        its row to its record.
        """
        doubted = any(gate["slot"] == Slot.DOUBT for gate in self.gates)
        if self.intents and not doubted and self.state == RunState.RUNNING:
            return "effect"
        if self.state == RunState.RUNNING and self.performing:
            return "step"
        return "gate" if self.gates else ""


class World:
    """A home, a workspace and one run. It belongs to the thread that made it."""

    def __init__(self, job: "Origin", home: Path, workspace: Path, run_id: str) -> None:
        self.job = job
        self.home = Home(home)
        self.workspace = workspace
        self.run_id = run_id
        self.database: Database = open_database(self.home)
        self.blobs = Blobs(self.home)
        self.nursery = job.nursery
        self.outside = job.outside
        self.expected = job.expected
        self.runner: Process | None = None
        self._version = 0
        self._noted: list[tuple[int, set[str]]] = []
        self._said = b""
        self.aside = home.parent / "site-packages"  # what a host sees without it being of the run
        self.aside.mkdir()
        os.mkfifo(self.aside / ".marks")
        self._marks = os.open(self.aside / ".marks", os.O_RDWR | os.O_NONBLOCK)  # never at its end, nobody waits for us
        self._raw = sqlite3.connect(self.home.database, isolation_level=None, timeout=30)

    def close(self) -> None:
        """End what runs and let go of the database."""
        if self.runner is not None:
            self.runner.signal(signal.SIGCONT)
            self.runner.kill()
        os.close(self._marks)
        self._raw.close()
        self.database.close()

    # ------------------------------------------------------------------------------------------------------ processes

    def start(self, *, kill: str = "", cold: bool = False, **more: Any) -> Process:
        """A runner for this home; the one before must have ended."""
        if cold:
            self.runner = self.nursery.command(self.home.root, "runner", kill=kill, aside=self.aside)
        else:
            self.runner = self.nursery.start("run", self.home.root, kill=kill, aside=str(self.aside), **more)
        return self.runner

    @contextmanager
    def held_still(self, process: Process) -> Iterator[None]:
        """Stop a process while one looks and strikes, so that what is seen is what is hit."""
        process.signal(signal.SIGSTOP)
        until(lambda: not process.alive() or state_of(process.pid) == "T", "a stopped process stands still")
        try:
            yield
        finally:
            process.signal(signal.SIGCONT)

    def hosts(self) -> list[int]:
        """The pids of the runner's hosts."""
        return children_of(self.runner.pid) if self.runner is not None else []

    # --------------------------------------------------------------------------------------------------------- looking

    def row(self) -> Row:
        """The run's row."""
        return runs.get(self.database.reader, self.run_id)

    def has_ended(self) -> bool:
        """Whether the run has ended."""
        return RunState(self.row()["state"]) in ENDED

    def rows(self) -> dict[str, int]:
        """How many rows of this run there are, by table."""
        tables = ("record", "intent", "gate", "attempt", "timer")
        count = "SELECT count(*) FROM {} WHERE run_id = ?"
        return {table: self._raw.execute(count.format(table), (self.run_id,)).fetchone()[0] for table in tables}

    def open_gates(self) -> list[Row]:
        """The run's open gates."""
        return gates.open_of_runs(self.database.reader, [self.run_id])

    def spec(self, gate: Row) -> dict[str, Any]:
        """What a gate shows."""
        spec: dict[str, Any] = json.loads(self.blobs.text(gate["spec"], gate["spec_blob"]))
        return spec

    def news(self) -> bool:
        """Whether anybody has committed anything since this was asked last."""
        version = self._raw.execute("PRAGMA data_version").fetchone()[0]
        known, self._version = self._version, version
        return bool(known != version)

    def moment(self) -> Moment:
        """What is in the middle now."""
        with self.database.snapshot() as conn:
            state = str(runs.get(conn, self.run_id)["state"])
            done = {position(row) for row in records.of_run(conn, self.run_id)}
            waiting = [
                gate
                for gate in gates.of_run(conn, self.run_id)
                if gate["state"] in (GateState.OPEN, GateState.DECIDED) and gate["taken_at"] is None
            ]
            moment = Moment(state, gates=waiting, intents=intents.open_ones(conn, self.run_id))
        if self.expected is not None:
            left = [place for place in self.expected.records if place not in done]
            moment.next = {self.expected.records[place][0] for place in frontier(left)}
        moment.performing = "step" in moment.next and self._step_is_performed()
        return moment

    def _step_is_performed(self) -> bool:
        """Whether a step has begun and not ended, by what it says itself or by the forked child it is performed in."""
        begun = [line[2:] for line in self.marks() if line.startswith("+ ")]
        ended = [line[2:] for line in self.marks() if line.startswith("- ")]
        forked = any(len(beneath(host)) > 1 for host in self.hosts())
        return forked or (bool(begun) and begun[-1] not in ended)

    def note_records(self) -> None:
        """Remember which steps are recorded now, and what they have said outside so far."""
        done = {position(row) for row in records.of_run(self.database.reader, self.run_id)}
        self._noted.append(
            (len(self.marks()), {f"+ {name}" for place, name in self.job.marks.items() if place in done})
        )

    def performed_again(self) -> list[str]:
        """Steps that were begun once more after they had been recorded."""
        marks = self.marks()
        return [line for start, recorded in self._noted for line in marks[start:] if line in recorded]

    def marks(self) -> list[str]:
        """What the steps say outside of the engine."""
        with suppress(BlockingIOError):
            while more := os.read(self._marks, 65_536):
                self._said += more
        return self._said.decode("ascii").splitlines()

    # -------------------------------------------------------------------------------------------------------- deciding

    def decide(self, gate: Row, *, tell: bool = True) -> None:
        """Decide one gate as the same person would every time; a runner is told, or not."""
        try:
            decide(self.database, self.blobs, gate["gate_id"], self.wish(gate))
        except (GateClosed, AlreadyDecided):
            return  # superseded while we looked at it; the newer round is open
        if tell:
            hint(self.home)

    def decide_all(self, *, tell: bool = True) -> None:
        """Decide every open gate."""
        for gate in self.open_gates():
            self.decide(gate, tell=tell)

    def until(self, look: Callable[[], T], *, decide: bool = False, tell: bool = True) -> T:
        """Look until something is seen; meanwhile runs are hurried, and gates decided if they are to be."""

        def act() -> T:
            self.hurry()
            if decide:
                self.decide_all(tell=tell)
            return look()

        return until(act, self.told)

    def wish(self, gate: Row) -> Wish:
        """The decision: doubts are answered from what the outside holds, plans are sent back once where they can be."""
        spec = self.spec(gate)
        kind = GateKind(spec["kind"])
        if kind is GateKind.DOUBT:
            return self._truth(spec["about"]["key"])
        if kind is GateKind.FAILURE:
            if spec["about"]["why"] != "set_aside":
                raise AssertionError(f"{spec['title']}: {spec['about']['error']}")
            return Wish(Verdict.ANSWERED, PERSON, answers={"choice": "retry"})
        if kind is GateKind.QUESTION:
            return Wish(Verdict.ANSWERED, PERSON, answers=_answers(spec["fields"]))
        if spec["round"] == 1 and any(asked["name"] == "hold" for asked in spec["fields"]):
            return Wish(Verdict.RETURNED, PERSON, comment="The second can wait", answers={"hold": [2]})
        return Wish(Verdict.APPROVED, PERSON, comment="Fine")

    def _truth(self, key: str) -> Wish:
        self.outside.settle()
        happened = bool(self.outside.entries({key}))
        answers = {"choice": "happened" if happened else "not_happened", "result": "seen outside" if happened else None}
        return Wish(Verdict.ANSWERED, PERSON, answers=answers)

    # ---------------------------------------------------------------------------------------------------- by our hands

    def write(self, statement: str, *values: Any) -> int:
        """Change rows as an accident would; how many."""
        return self._raw.execute(statement, values).rowcount

    def hurry(self) -> None:
        """Let a run that was put back with a pause go on at once, so that a test need not wait."""
        now = self.database.clock.now_us()
        if self.write("UPDATE run SET ready_at = ? WHERE state = 'ready' AND ready_at > ?", now, now + 100_000):
            hint(self.home)

    # ------------------------------------------------------------------------------------------------------- to the end

    def play(self, process: Process, *, settled: bool = False) -> bool:
        """Decide whatever is asked until the run has ended (True) or the process has (False).

        With `settled` a gate is decided only when the run holds nothing any more, so that the same run takes the same way every time.
        """

        def look() -> str | None:
            if not process.alive():
                return "run" if self.has_ended() else "process"
            if self.news():
                if self.has_ended():
                    return "run"
                self.hurry()
                if not settled or self.row()["state"] == RunState.WAITING:
                    self.decide_all()
            return None

        return until(look, lambda: f"the run ends; {self.told()}") == "run"

    def told(self) -> str:
        """Where things are, for a test that fails."""
        return (
            f"home {self.home.root}, run {self.row()['state']}, gates {[gate['title'] for gate in self.open_gates()]}"
        )

    def ending(self) -> Ending:
        """How the run ended, after checking what must hold at every end."""
        self.outside.settle()
        with self.database.snapshot() as conn:
            run = runs.get(conn, self.run_id)
            rows = records.of_run(conn, self.run_id)
            assert run["state"] == RunState.DONE, f"{run['error']} {self.told()}"
            assert len({position(row) for row in rows}) == len(rows), "an identity has two records"
            assert not intents.open_ones(conn, self.run_id), "an effect was begun and has no record"
            assert not self.open_gates(), "a gate is still open"
            assert not timers.pending(conn, self.run_id), "a timer is still set"
            verdict = trail.verify(conn)
            assert verdict.ok, verdict.broken
            keys = {row["key"] for row in rows if row["key"]}
        return Ending(
            run["state"],
            run["result"],
            {position(row): _record(row) for row in rows},
            files_of(self.workspace),
            tuple(sorted((entry.place, entry.said) for entry in self.outside.entries(keys))),
        )


def _record(row: Row) -> tuple[str, ...]:
    """A record without what differs from run to run: instants, hashes, tries, and the other side's answers."""
    wire = row["name"] in ("http@1", "mail@1")
    return (row["kind"], row["name"], row["args_digest"], row["outcome"], "" if wire else row["payload"])


def _answers(fields: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Counts are twelve; of exceptions the last is rejected and the others are held."""
    names = {entry["name"] for entry in fields}
    if "count" in names:
        return {"count": 12}
    last = max(int(name.partition(".")[2]) for name in names if name.startswith("choice."))
    return {f"choice.{last}": "reject", f"reason.{last}": "Not ours"}


def position(row: Row) -> Position:
    """An identity as numbers that sort as a tree: the path's parts, then the ordinal."""
    return (*(int(part) for part in row["path"].split("/") if part), int(row["ordinal"]))


def frontier(left: Sequence[Position], depth: int = 0) -> list[Position]:
    """Of what is not recorded yet, what comes next: one place in a branch, and one in each branch side by side."""
    if not left:
        return []
    first = min(place[depth] for place in left)
    here = [place for place in left if place[depth] == first]
    if any(len(place) == depth + 1 for place in here):
        return [place for place in here if len(place) == depth + 1]
    branches = {place[depth + 1] for place in here}
    return [
        found
        for branch in sorted(branches)
        for found in frontier([place for place in here if place[depth + 1] == branch], depth + 2)
    ]


def beneath(pid: int) -> list[int]:
    """A host's processes; those that keep its sandbox are none."""
    found = [] if command_of(pid) == "bwrap" else [pid]
    return found + [one for child in children_of(pid) for one in beneath(child)]


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file beneath a folder, what is hidden included."""
    found = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    left = [name for name in found if Path(name).name.startswith(TEMPORARY)]
    assert not left, f"temporary files were left behind: {left}"
    return found
