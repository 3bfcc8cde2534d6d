"""Two windows at one gate, a gate that has just closed, a runner killed in the middle, a runner that hangs: for real, in whole windows."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from cli.note_template import write_template
from counterfoil.desktop.gate_facts import Answer
from counterfoil.desktop.office import RunnerState, RunSeen
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.theme import Theme
from counterfoil.facts import GateState, Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.places import Home
from counterfoil.store import gates
from desktop.real_home import RowsHome, end_runners, set_undo, until
from desktop.real_window import Seat
from house.repository import ROOT
from views.rows import spec


@pytest.fixture
def asked(home: RowsHome) -> RowsHome:
    """A data folder with one open gate."""
    home.ask(home.rows.run()["run_id"], 0, spec(title="Write it"))
    return home


def gate_row(home: RowsHome) -> Any:
    """The one gate."""
    (row,) = gates.find(home.rows.database.reader, "g-1")
    return row


def decisions(home: RowsHome) -> list[Any]:
    """What stands on it."""
    return gates.decisions(home.rows.database.reader, gate_row(home)["gate_id"])


@pytest.fixture
def seats(
    qapp: QApplication, theme: Theme, asked: RowsHome, monkeypatch: pytest.MonkeyPatch
) -> Generator[tuple[Seat, Seat]]:
    """Two windows of one account on one data folder, both with the gate open, neither looking for changes any more."""
    pair = (Seat(asked.rows.home, theme), Seat(asked.rows.home, theme))
    for seat in pair:
        seat.gate("approval")
        monkeypatch.setattr(seat.bridge._quick, "_look", lambda: False)
        over: list[object] = []  # answered by the same worker, so that a look that was under way is over by then
        seat.bridge.ask(seat.window, lambda office: None, over.append)
        seat.until(lambda over=over: over, "no look is under way")  # type: ignore[misc]
    yield pair
    for seat in pair:
        seat.close()


# --------------------------------------------------------------------------------------------------------- two at once


def test_of_two_windows_that_decide_at_once_one_decision_stands_and_the_other_is_told(
    home: RowsHome, seats: tuple[Seat, Seat]
) -> None:
    for seat in seats:
        seat.click(seat.detail.bar.primary)
    for seat in seats:
        seat.until(lambda seat=seat: seat.may_undo() or seat.banners(), "an answer")  # type: ignore[misc]
    (made,) = decisions(home)
    late = next(seat for seat in seats if any("Nothing left to decide." in words for words in seat.banners()))
    said = next(words for words in late.banners() if "Nothing left to decide." in words)
    assert said.startswith("You approved this at ")
    assert made["verdict"] == "approved"
    late.until(lambda: late.detail.session.reading.open is False, "it shows the gate as it is")
    assert gate_row(home)["state"] == GateState.DECIDED


def test_whoever_is_second_is_told_who_decided_and_when(home: RowsHome, seats: tuple[Seat, Seat]) -> None:
    seat = seats[0]
    decide(home.rows.database, home.rows.blobs, "g-1", Wish(Verdict.REJECTED, "user:ben", "wrong period"))
    assert seat.detail.bar.primary.isEnabled()  # it does not know yet
    seat.click(seat.detail.bar.primary)
    seat.until(lambda: any("Ben rejected this" in words for words in seat.banners()), "who and when")
    (said,) = [words for words in seat.banners() if "Ben rejected this" in words]
    assert re.match(r"Ben rejected this (at|yesterday|on \S.*) \d\d:\d\d", said), said
    assert [made["principal"] for made in decisions(home)] == ["user:ben"]
    assert not seat.detail.bar.counting


@pytest.mark.parametrize(
    "state, why, says",
    [
        (GateState.WITHDRAWN, "The run was cancelled by Anna", "so this question was withdrawn."),
        (GateState.EXPIRED, "", "Nobody decided in time"),
        (GateState.SUPERSEDED, "", "newer round"),
    ],
)
def test_a_gate_that_closed_a_second_ago_takes_nothing_and_says_why(
    home: RowsHome, seats: tuple[Seat, Seat], state: GateState, why: str, says: str
) -> None:
    seat = seats[0]
    gate_id = gate_row(home)["gate_id"]
    home.rows.database.transact(lambda txn: gates.close(txn, gate_id, state, why))
    seat.click(seat.detail.bar.primary)
    seat.until(lambda: any(says in words for words in seat.banners()), "why it is closed")
    seat.until(lambda: not seat.detail.bar.primary.isVisible(), "there is nothing to press")
    assert decisions(home) == []
    assert gate_row(home)["state"] == state


DECIDE = """
import json, sys, time
from pathlib import Path
from counterfoil.desktop.gate_facts import Answer
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.errors import CounterfoilError
from counterfoil.places import Home
office = RealOffice(Home(Path(sys.argv[1])))
gate = office.gate(sys.argv[2])
print("ready", flush=True)
sys.stdin.readline()
verdict = sys.argv[3]
try:
    made = office.decide(Answer(sys.argv[2], str(gate.document["digest"]), verdict, "no" if verdict == "rejected" else ""))
    print(json.dumps(["made", made.verdict]), flush=True)
except CounterfoilError as problem:
    print(json.dumps([problem.code, problem.message]), flush=True)
"""


def test_of_four_processes_that_decide_at_once_one_decides(asked: RowsHome) -> None:
    gate_id = str(gate_row(asked)["gate_id"])
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "app")}
    verdicts = ("approved", "rejected", "approved", "rejected")
    processes = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", DECIDE, str(asked.rows.home.root), gate_id, verdict],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        )
        for verdict in verdicts
    ]  # fmt: skip
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    said = [json.loads(process.communicate()[0]) for process in processes]
    made = [words for code, words in said if code == "made"]
    assert sorted(code for code, _ in said) == ["already_decided"] * 3 + ["made"]
    (row,) = decisions(asked)
    assert [row["verdict"]] == made
    for code, words in said:
        if code == "already_decided":
            assert words.startswith(f"You {made[0]} this at ")
            assert words.endswith("Nothing left to decide.")


# ------------------------------------------------------------------------------------------------------ with a runner


class Living:
    """A window, and a run of the template `note` that waits at its approval, on a real runner."""

    def __init__(self, folder: Path, theme: Theme) -> None:
        self.home = Home(folder / "home").create()
        set_undo(self.home, 1)
        self.workspace = folder / "files"
        self.workspace.mkdir()
        template = write_template(self.workspace)
        office = RealOffice(self.home)
        self.run_id = office.start_run(str(template), str(self.workspace), {"text": "hello"})
        until(lambda: office.progress(self.run_id).gate_id, "the run asks")
        office.close()
        self.seat = Seat(self.home, theme)

    def line(self) -> str:
        """What the runner line says."""
        return self.seat.window.sidebar.runner._face.accessibleName()

    def pid(self) -> int:
        """The runner's process."""
        pid = self.seat.window.runner.pid
        assert pid is not None
        return pid

    def seen(self) -> RunSeen:
        """The run, asked by another connection."""
        office = RealOffice(self.home)
        found = office.run(self.run_id)
        office.close()
        return found

    def decided(self, what: str) -> None:
        """Wait until the window says that the decision stands."""
        said = "You approved this"
        self.seat.until(lambda: self.seat.may_undo() or any(said in words for words in self.seat.banners()), what)

    def restart(self) -> None:
        """Press [Restart] once the window says that the runner gives no sign of life."""
        start = self.seat.window.sidebar.runner.start
        self.seat.until(lambda: self.line().startswith("Runner: No sign of life since "), "no sign of life")
        assert start.isVisible()
        assert start.text().strip() == "Restart"
        self.seat.click(start)
        self.seat.until(lambda: self.line().startswith("Runner: Running"), "it runs again")

    def ends_once(self) -> None:
        """The run goes on to its end, and everything happened once."""
        self.seat.until(lambda: self.seen().document["state"] == "done", "the run ends")
        document = self.seen().document
        assert (self.workspace / "note.txt").read_text() == "HELLO"
        (effect,) = document["effects"]
        assert effect["state"] == "done"
        office = RealOffice(self.home)
        sound, sentence = office.check_trail()
        decided = [one for one in office.trail("", None).entries if one["kind"] == "decision"]
        office.close()
        assert sound, sentence
        assert len(decided) == 1


@pytest.fixture
def living(qapp: QApplication, theme: Theme, tmp_path: Path) -> Generator[Living]:
    made = Living(tmp_path, theme)
    yield made
    made.seat.close()
    end_runners()


@pytest.mark.parametrize("moment", [-0.02, 0.0, 0.02, 1.05], ids=["before", "with", "after", "as-it-takes-effect"])
def test_a_runner_killed_while_a_decision_is_given_loses_nothing_and_goes_on_once(
    living: Living, moment: float
) -> None:
    seat = living.seat
    seat.gate("approval")
    pid = living.pid()
    killer = threading.Timer(max(moment, 0), os.kill, (pid, signal.SIGKILL))
    if moment < 0:
        os.kill(pid, signal.SIGKILL)
        time.sleep(-moment)
    else:
        killer.start()
    seat.click(seat.detail.bar.primary)
    living.decided("the decision is kept, whatever became of the runner")
    if moment >= 0:
        killer.join()
    living.restart()
    living.ends_once()


def test_a_runner_that_hangs_shows_no_sign_of_life_and_can_be_restarted(living: Living) -> None:
    seat = living.seat
    seat.gate("approval")
    pid = living.pid()
    os.kill(pid, signal.SIGSTOP)
    seat.click(seat.detail.bar.primary)
    living.decided("decisions are kept while the runner hangs")
    living.restart()
    assert living.pid() != pid
    assert not _lives(pid)  # it could have woken in the middle of an effect
    living.ends_once()


def _lives(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def test_the_line_says_off_when_the_runner_was_ended_properly(living: Living) -> None:
    seat = living.seat
    seat.gate("approval")
    os.kill(living.pid(), signal.SIGTERM)
    seat.until(lambda: living.line() == "Runner: Off. Nothing starts or goes on.", "it is off")
    assert seat.window.sidebar.runner.start.text().strip() == "Start"
    assert seat.window.runner.state is RunnerState.OFF
    office = RealOffice(living.home)
    gate = office.gate(seat.detail.gate_id)
    office.decide(Answer(gate.gate_id, str(gate.document["digest"]), "approved"))
    office.close()
    seat.click(seat.window.sidebar.runner.start)
    living.ends_once()
