"""`schedule`: added, previewed, paused, skipped, run beside the rule; and a real runner that turns its instants into runs."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from cli.note_template import write_template
from cli.speaking import Caller, Said
from counterfoil.facts import NoticeKind
from counterfoil.inbox.hinting import hint
from counterfoil.schedules import keeping
from counterfoil.schedules.rules import rule_of
from counterfoil.store import notices, standing
from counterfoil.store.database import open_database
from counterfoil.store.transactions import Txn
from house.repository import ROOT
from runner.real_runner import PATIENCE, until
from views.rows import Office

BERLIN = ("--zone", "Europe/Berlin")
GRACE = 12  # seconds; a loaded machine starts later than at once


class Desk:
    """The program on a workspace that knows the template `note`."""

    def __init__(self, call: Caller, workspace: Path) -> None:
        self.call = call
        self.workspace = str(workspace)

    def add(self, name: str, *words: str) -> Said:
        """Keep a schedule of the template."""
        return self.call("schedule", "add", name, "note", "--workspace", self.workspace, "--set", "text=hello", *words)

    def log(self, name: str) -> list[dict[str, Any]]:
        """What became of each instant, the newest first."""
        found: list[dict[str, Any]] = self.call("schedule", "log", name, "--json").document
        return found


@pytest.fixture
def desk(call: Caller, tmp_path: Path) -> Desk:
    workspace = tmp_path / "files"
    workspace.mkdir()
    write_template(workspace)
    return Desk(call, workspace)


def test_a_schedule_says_back_what_it_understood_and_when_it_is_next(desk: Desk) -> None:
    added = desk.add("Weekly", "--rule", "Mondays at 9", *BERLIN)
    assert (added.code, added.err) == (
        0,
        "counterfoil: the runner is off; the schedule is kept and fires when it runs: counterfoil runner\n",
    )
    lines = added.out.splitlines()
    assert lines[0] == "Weekly: runs note every Monday at 09:00, Europe/Berlin time"
    assert len(lines) == 6
    assert all(line.strip().startswith("Mon") and " 09:00 " in line for line in lines[1:])
    listed = desk.call("schedule", "list", "--json")
    assert listed.err == "counterfoil: the runner is off; no schedule fires until it runs: counterfoil runner\n"
    desk.call("runner", "pause")
    assert desk.call("schedule", "list").err.endswith(" No schedule fires until: counterfoil runner resume\n")
    (kept,) = listed.document
    assert (kept["name"], kept["words"], kept["zone"]) == ("Weekly", "every Monday at 09:00", "Europe/Berlin")
    assert kept["parameters"] == {"text": "hello"}
    assert datetime.fromisoformat(kept["next_at"]) > datetime.now(UTC)


@pytest.mark.parametrize(
    "words, message, advice",
    [
        (["--rule", "Mondays at 9", "--zone", "Berln"], "Unknown zone ‘Berln’.", "Europe/Berlin?"),
        (["--rule", "every so often", *BERLIN], "“every so often” is not understood as a rule.", "Write it like"),
        (["--cron", "0 9 31 2 *", *BERLIN], "This rule cannot be used: ‘0 9 31 2 *’: no month in it has such a day.", ""),
        (["--rule", "daily at 9", "--until", "2020-01-01", *BERLIN], "This rule has no firing in the next 12 years.", "It ended"),
        (["--every", "5s", *BERLIN], "This rule cannot be used: seconds", ""),
        (["--every", "soon", *BERLIN], "--every soon is no span of time.", "15m"),
        (BERLIN, "The rule is given in no way.", "--rule TEXT"),
        (["--every", "1h", "--cron", "0 9 * * *", *BERLIN], "The rule is given in several ways.", "Give it once"),
        (["--rule-json", "[1]", *BERLIN], "--rule-json holds no JSON object.", ""),
        (["--rule", "daily at 9", "--missed", "perhaps", *BERLIN], "missed: ", ""),
        (["--rule", "daily at 9", "--gap", "jump", *BERLIN], "This rule cannot be used: gap", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_and_nothing_is_kept(
    desk: Desk, words: list[str], message: str, advice: str
) -> None:
    refused = desk.add("Weekly", *words, "--json")
    assert refused.code == 2
    assert refused.document["error"]["message"].startswith(message)
    assert advice in (refused.document["error"]["next"] or "")
    assert desk.call("schedule", "list", "--json").document == []


def test_parameters_are_checked_when_a_schedule_is_kept(desk: Desk) -> None:
    refused = desk.call("schedule", "add", "Weekly", "note", "--workspace", desk.workspace, "--every", "1h", *BERLIN)
    assert refused.code == 2
    assert "Text (text) is missing" in refused.err
    assert desk.call("schedule", "list", "--json").document == []


def test_dates_in_words_are_kept_as_words_and_read_on_the_planned_day(desk: Desk) -> None:
    workflow = Path(desk.workspace) / ".counterfoil/templates/note/workflow.py"
    text = workflow.read_text().replace("from datetime import timedelta", "from datetime import date, timedelta")
    workflow.write_text(text.replace("    copies: int", "    pay_on: date = param(check='not_past')\n    copies: int"))
    assert desk.add("Weekly", "--every", "1h", *BERLIN, "--set", "pay_on=planned day - 1 day").code == 2
    assert desk.add("Weekly", "--every", "1h", *BERLIN, "--set", "pay_on=planned day + 2 days").code == 0
    (kept,) = desk.call("schedule", "list", "--json").document
    assert kept["parameters"] == {"pay_on": "planned day + 2 days", "text": "hello"}
    run = desk.call("schedule", "run", "Weekly", "--json").document
    today = datetime.now(ZoneInfo("Europe/Berlin")).date()
    assert run["parameters"]["pay_on"] in {(today + timedelta(days=n)).isoformat() for n in (1, 2)}  # midnight may pass


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12"])  # one of them has another day than this computer
def test_a_day_that_may_not_be_past_is_held_against_the_day_of_the_zone(desk: Desk, zone: str) -> None:
    workflow = Path(desk.workspace) / ".counterfoil/templates/note/workflow.py"
    text = workflow.read_text().replace("from datetime import timedelta", "from datetime import date, timedelta")
    workflow.write_text(text.replace("    copies: int", "    pay_on: date = param(check='not_past')\n    copies: int"))
    assert desk.add("Weekly", "--every", "1h", "--zone", zone, "--set", "pay_on=planned day - 1 day").code == 2
    assert desk.add("Weekly", "--every", "1h", "--zone", zone, "--set", "pay_on=planned day").code == 0


def test_holidays_are_copied_into_the_rule_and_a_firing_on_one_is_moved(desk: Desk) -> None:
    added = desk.add(
        "Weekly",
        "--cron",
        "0 9 * * 5",
        *BERLIN,
        "--holidays",
        "DE-BY",
        "--holidays",
        "2026-12-24",
        "--on-holiday",
        "next",
    )
    assert added.code == 0
    (kept,) = desk.call("schedule", "list", "--json").document
    assert kept["rule"]["holidays_of"] == ["DE-BY", "2026-12-24"]
    assert {"2026-12-24", "2027-01-06"} <= set(kept["rule"]["holidays"])
    words = ("schedule", "preview", "Weekly", "--from", "2026-12-31", "--count", "1", "--json")
    assert desk.call(*words).document == [
        {
            "due_at": "2027-01-04T08:00:00.000Z",
            "local": "2027-01-04T09:00+01:00",
            "note": "moved from Fri 1 Jan, a holiday",
        }
    ]


def test_a_schedule_is_changed_part_by_part_and_the_trail_keeps_what_it_said(desk: Desk) -> None:
    desk.add("Weekly", "--rule", "Mondays at 9", *BERLIN, "--overlap", "queue")
    change = ("schedule", "change", "Weekly", "--json")
    moved = desk.call(*change, "--rule", "Fridays at 18:00", "--missed", "all", "--missed-most", "3")
    assert (moved.code, moved.document["words"]) == (0, "every Friday at 18:00")
    assert moved.document["policy"] == {"overlap": "queue", "missed": "all", "missed_most": 3}
    kept = desk.call(*change, "--set", "text=goodbye", "--on-holiday", "next", "--holidays", "DE").document
    assert (kept["parameters"], kept["words"]) == (
        {"text": "goodbye"}, "every Friday at 18:00, on a holiday in DE the next working day",
    )  # fmt: skip
    nothing = desk.call(*change, "--set", "text=goodbye")
    assert (nothing.code, nothing.document["error"]["message"]) == (2, "‘Weekly’ says that already.")
    assert desk.call(*change, "--set", "txt=x").code == 2
    assert desk.call(*change, "--name", "Fridays").document["name"] == "Fridays"
    entries = [one for one in desk.call("trail", "--json").document if one["kind"] == "schedule"]
    said = [one["before"]["rule"] for one in entries if one["before"] and "rule" in one["before"]]
    assert {"kind": "weekly", "days": ["MO"], "time": ["09:00:00"]} in said


def test_what_each_run_may_spend_is_kept_with_it_changed_and_taken_back(desk: Desk) -> None:
    def limits() -> list[tuple[str, str]]:
        found = desk.call("route", "limit", "--json").document
        return [(one["scope"], one["most"]["amount"]) for one in found if one["subject"]]

    rule = ("--rule", "Mondays at 9", *BERLIN)
    refused = desk.add("Weekly", *rule, "--spend", "lots")
    assert (refused.code, "‘lots’ is no amount. Write US dollars, for example 2.50, or none." in refused.err) == (
        2,
        True,
    )
    assert desk.call("schedule", "list", "--json").document == []
    kept = desk.add("Weekly", *rule, "--spend", "1.50")
    assert "  llms may cost at most $1.50 each time" in kept.out.splitlines()
    assert limits() == [("run", "1.5")]
    change = ("schedule", "change", "Weekly", "--spend")
    assert desk.call(*change, "2").code == 0
    assert limits() == [("run", "2")]
    assert "‘Weekly’ says that already." in desk.call(*change, "2").err
    assert "Weekly" in desk.call("route", "limit").out
    desk.call("route", "limit", "run", "3", "--schedule", "Weekly")
    assert limits() == [("run", "3")]
    assert desk.call(*change, "none").code == 0
    assert limits() == []


def test_a_watched_folder_and_the_end_of_another_run_are_kept_and_said(desk: Desk) -> None:
    workflow = Path(desk.workspace) / ".counterfoil/templates/note/workflow.py"
    text = workflow.read_text().replace("import Money,", "import File, Money,")
    workflow.write_text(
        text.replace("    copies: int", "    papers: list[File] = param(label='Papers')\n    copies: int")
    )
    (Path(desk.workspace) / "Inbox").mkdir()
    (Path(desk.workspace) / "Inbox/new.pdf").write_text("x")
    added = desk.add("Intake", "--watch", "Inbox/", "--pattern", "*.pdf", "--settle", "1m")
    assert (added.code, added.out) == (0, "Intake: runs note when new files *.pdf have come into Inbox\n")
    (kept,) = desk.call("schedule", "list", "--json").document
    assert kept["rule"] == {"kind": "folder", "path": "Inbox", "pattern": "*.pdf", "settle": 60, "into": "papers"}
    assert "when it happens" in desk.call("schedule", "list").out
    assert "has no list of files ‘text’" in desk.add("Other", "--watch", "Inbox", "--into", "text").err
    by_hand = desk.call("schedule", "run", "Intake", "--json")
    assert (by_hand.code, "Papers (papers) is missing" in by_hand.document["error"]["message"]) == (1, True)
    after = desk.add("Then", "--after", "pay-invoices", "--set", "papers=Inbox/new.pdf", "--json")
    assert after.document["words"] == "when a run of pay-invoices is done"
    assert desk.call("schedule", "preview", "Then").err == "counterfoil: nobody knows beforehand.\n"
    assert desk.call("schedule", "change", "Intake", "--settle", "2m", "--json").document["rule"]["settle"] == 120


@pytest.mark.parametrize(
    "words, said",
    [
        (["--rule", "every year on 29 February at 09:00"], "29 Feb comes every four years. Next: 2028."),
        (["--rule", "every day at 02:30"], "02:30 does not exist on 28 March in Berlin: it will run at 03:30."),
        (["--rule", "every day at 02:30", "--gap", "skip"], "02:30 does not exist on 28 March in Berlin: it will not run that day."),
        (["--cron", "0 2 * * *"], "02:00 does not exist on 28 March in Berlin: it will run at 03:00."),
    ],
)  # fmt: skip
def test_what_is_unusual_is_said_on_the_command_line_as_in_the_window(desk: Desk, words: list[str], said: str) -> None:
    seen = desk.call("schedule", "preview", *words, *BERLIN, "--from", "2026-11-30")
    assert (seen.code, seen.err) == (0, f"counterfoil: {said}\n")
    if words[1] == "every year on 29 February at 09:00":  # the others depend on the year it is now
        assert "29 Feb comes every four years." in desk.add("Weekly", *words, *BERLIN).err
        (kept,) = desk.call("schedule", "list", "--json").document
        due = datetime.fromisoformat(kept["next_at"]).astimezone(ZoneInfo("Europe/Berlin"))
        year = "" if due.year == datetime.now(due.tzinfo).year else f"{due.year} "
        assert f"29 Feb {year}09:00" in desk.call("schedule", "list").out


def test_names_are_unique_and_unknown_ones_get_a_suggestion(desk: Desk) -> None:
    desk.add("Weekly", "--every", "1h", *BERLIN)
    again = desk.add("Weekly", "--every", "2h", *BERLIN)
    assert (again.code, "There is a schedule ‘Weekly’ already." in again.err) == (2, True)
    unknown = desk.call("schedule", "log", "Wekly")
    assert (unknown.code, unknown.err) == (2, "counterfoil: No schedule ‘Wekly’. Did you mean ‘Weekly’?\n")


def test_a_preview_needs_no_schedule_and_shows_what_is_unusual(desk: Desk) -> None:
    words = (
        "schedule",
        "preview",
        "--cron",
        "30 2 * * *",
        *BERLIN,
        "--from",
        "2027-03-27T12:00",
        "--count",
        "2",
        "--json",
    )
    assert desk.call(*words).document == [
        {
            "due_at": "2027-03-28T01:30:00.000Z",
            "local": "2027-03-28T03:30+02:00",
            "note": "02:30 does not exist that day: 03:30",
        },
        {"due_at": "2027-03-29T00:30:00.000Z", "local": "2027-03-29T02:30+02:00", "note": None},
    ]
    desk.add("Weekly", "--rule", "Mondays at 9", *BERLIN)
    named = desk.call("schedule", "preview", "Weekly", "--from", "2026-12-01", "--count", "1", "--json").document
    assert named == [{"due_at": "2026-12-07T08:00:00.000Z", "local": "2026-12-07T09:00+01:00", "note": None}]


def test_pausing_resuming_skipping_and_removing_are_told_and_kept_in_the_trail(desk: Desk) -> None:
    desk.add("Weekly", "--rule", "Mondays at 9", *BERLIN)
    first = desk.call("schedule", "list", "--json").document[0]["next_at"]
    assert desk.call("schedule", "pause", "Weekly").code == 0
    assert desk.call("schedule", "pause", "Weekly").code == 2
    assert desk.call("schedule", "list", "--json").document[0]["next_at"] is None
    assert desk.call("schedule", "resume", "Weekly").code == 0
    assert desk.call("schedule", "list", "--json").document[0]["next_at"] == first
    assert desk.call("schedule", "skip-next", "Weekly", "--comment", "a holiday").code == 0
    planned, skipped = desk.log("Weekly")
    assert (planned["state"], skipped["state"]) == ("planned", "skipped")
    assert skipped["reason"].startswith("skipped by ")
    assert skipped["reason"].endswith(": a holiday")
    assert planned["due_at"] > skipped["due_at"] == first
    assert desk.call("schedule", "remove", "Weekly").code == 0
    assert desk.call("schedule", "list", "--json").document == []
    kinds = [entry["kind"] for entry in desk.call("trail", "--json").document]
    assert kinds.count("schedule") == 5
    assert desk.call("trail", "--verify").code == 0


def test_run_now_stands_beside_the_grid_and_overlap_holds_for_it_too(desk: Desk) -> None:
    desk.add("Weekly", "--rule", "Mondays at 9", *BERLIN)
    before = desk.call("schedule", "list", "--json").document[0]["next_at"]
    started = desk.call("schedule", "run", "Weekly", "--json")
    assert (started.code, started.document["state"], started.document["started_by"]) == (0, "ready", "schedule:Weekly")
    assert desk.call("schedule", "list", "--json").document[0]["next_at"] == before
    again = desk.call("schedule", "run", "Weekly")
    assert (again.code, "‘Weekly’ cannot start now: the last one is still open" in again.err) == (1, True)
    assert [entry["reason"] for entry in desk.log("Weekly")] == [None, "started by hand"]


def test_what_cannot_run_and_what_was_missed_is_said_until_it_is_seen(desk: Desk, office: Office) -> None:
    desk.add("Weekly", "--rule", "Mondays at 9", *BERLIN)

    def post(txn: Txn) -> None:
        notices.post(txn, NoticeKind.NOT_READY, "s1", {"schedule": "Weekly", "reason": "The folder is gone."})
        entry = {"schedule": "Weekly", "ran_late": 1, "missed": 2, "at": txn.now_us}
        notices.post(txn, NoticeKind.AWAY, "home", {"schedules": [entry]})

    office.database.transact(post)
    cannot = "counterfoil: ‘Weekly’ cannot run as things are: The folder is gone.\n"
    away = "counterfoil: While nobody was there: ‘Weekly’ ran late and 2 did not run. Nothing ran twice.\n"
    off = "counterfoil: the runner is off; no schedule fires until it runs: counterfoil runner\n"
    assert desk.call("schedule", "list").err == cannot + away + off
    assert desk.call("inbox").err == cannot + away + "counterfoil: nothing waits for you.\n"
    assert desk.call("schedule", "got-it", "--json").document == {"closed": 1}
    assert desk.call("schedule", "list").err == cannot + off
    assert desk.call("schedule", "got-it", "--json").document == {"closed": 0}


@pytest.fixture
def runner(office: Office) -> Iterator[subprocess.Popen[bytes]]:
    """A real runner on the home, once it runs: on a loaded machine its start takes longer than a firing may be late."""
    process = subprocess.Popen(
        [sys.executable, "-m", "counterfoil", "--home", str(office.home.root), "runner"],
        env={**os.environ, "PYTHONPATH": str(ROOT / "app")},
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    assert b"the runner is running" in process.stderr.readline()
    yield process
    process.send_signal(signal.SIGCONT)
    process.terminate()
    process.communicate(timeout=PATIENCE)


def _fire_in(office: Office, names: Sequence[str], *seconds: int) -> None:
    """Let schedules fire so many seconds from now, in a zone where no midnight is near. One transaction: on a loaded machine a command
    may take longer than that."""
    zone = "UTC" if 1 < datetime.now(UTC).hour < 22 else "Etc/GMT+6"
    database = open_database(office.home)

    def operation(txn: Txn) -> None:
        now = datetime.now(ZoneInfo(zone))
        at = [(now + timedelta(seconds=n)).strftime("%H:%M:%S") for n in seconds]
        rule = rule_of({"kind": "weekly", "days": ["MO", "TU", "WE", "TH", "FR", "SA", "SU"], "time": at})
        for name in names:
            row = keeping.find(txn.conn, name)
            wanted = dataclasses.replace(keeping.wanted_of(row), rule=rule, zone=zone)
            keeping.change(txn, row, wanted, "user:anna")

    database.transact(operation)
    database.close()
    hint(office.home)


def test_a_real_runner_turns_an_instant_into_a_run_that_waits(
    desk: Desk, office: Office, runner: subprocess.Popen[bytes]
) -> None:
    assert desk.add("Soon", "--rule", "every year on 1 March at 09:00").code == 0
    _fire_in(office, ["Soon"], 2)
    until(lambda: any(run["gates"] for run in desk.call("runs", "--json").document), "its run waits for an answer")
    (run,) = desk.call("runs", "--json").document
    assert (run["started_by"], run["title"], run["state"]) == ("schedule:Soon", "Note hello", "waiting")
    assert [(one["state"], one["run_id"]) for one in desk.log("Soon")][1:] == [("started", run["run_id"])]


def test_a_runner_that_was_stopped_over_two_firings_does_what_each_policy_says(
    desk: Desk, office: Office, runner: subprocess.Popen[bytes]
) -> None:
    names = ("latest", "none", "all")
    for missed in names:
        words = ("--rule", "every year on 1 March at 09:00", "--set", "end=nothing", "--overlap", "allow")
        assert desk.add(missed, *words, "--grace", f"{GRACE}s", "--missed", missed).code == 0
    _fire_in(office, names, 2)  # on time
    until(lambda: all(_states(desk, name) == ["started"] for name in names), "each has fired")
    _fire_in(office, names, 5, 6, 7)
    runner.send_signal(
        signal.SIGSTOP
    )  # before they come, and after what was written: it may be stopped in a transaction
    last = datetime.now(UTC) + timedelta(seconds=7 + GRACE)
    until(lambda: datetime.now(UTC) > last, "the last one is late")
    runner.send_signal(signal.SIGCONT)
    until(lambda: all(len(_states(desk, name)) == 4 for name in names), "each instant has a row")
    assert _states(desk, "latest") == ["started", "missed", "missed", "started"]
    assert _states(desk, "none") == ["started", "missed", "missed", "missed"]
    assert _states(desk, "all").count("started") >= 2  # as many as may be open at once
    assert {one["reason"] for one in desk.log("none")[1:4]} == {"this computer was asleep"}


def test_no_schedule_starts_by_a_clock_that_jumped_before_somebody_says_that_it_is_right(
    desk: Desk, office: Office
) -> None:
    assert desk.add("Weekly", "--rule", "every year on 1 March at 09:00").code == 0
    assert desk.call("runner", "--until-idle").code == 0  # it knows the clock now
    office.database.transact(_three_days_ago)
    _fire_in(office, ["Weekly"], 1)
    due = datetime.now(UTC) + timedelta(seconds=2)
    until(lambda: datetime.now(UTC) > due, "it is due")
    assert desk.call("runner", "--until-idle").code == 0
    assert _states(desk, "Weekly") == []
    assert "This computer's clock went from " in desk.call("schedule", "list").err
    assert desk.call("schedule", "got-it").code == 0
    assert desk.call("runner", "--until-idle").code == 3  # its run waits for an answer
    assert _states(desk, "Weekly") == ["started"]


def _three_days_ago(txn: Txn) -> None:
    """Let the clock that was known have been three days behind."""
    known = standing.value_of(standing.get(txn.conn, standing.CLOCK))
    standing.put(txn, standing.CLOCK, {**known, "began": known["began"] - 3 * 86_400_000_000}, "runner")


def _states(desk: Desk, name: str) -> list[str]:
    """What became of the instants that have come, the oldest first."""
    return [one["state"] for one in reversed(desk.log(name)) if one["state"] != "planned"]


def test_what_the_next_firing_needs_can_be_asked_before(desk: Desk) -> None:
    desk.add("Weekly", "--rule", "Mondays at 9", *BERLIN)
    ready = desk.call("schedule", "ready", "Weekly")
    assert (ready.code, {line[:7].strip() for line in ready.out.splitlines()}) == (0, {"ok"})
    asked = ("schedule", "ready", "--template", "note", "--workspace", desk.workspace, "--json")
    (lacking,) = [one for one in desk.call(*asked).document if not one["holds"]]
    assert (lacking["check"], lacking["words"]) == ("parameters", "Text (text) is missing.")
    assert lacking["next_step"] == "Give it, for example --set text=Brightwater."
    assert desk.call("schedule", "ready").code == 2


def test_until_idle_takes_what_has_come_and_what_follows_from_it(desk: Desk) -> None:
    inbox = Path(desk.workspace) / "Inbox"
    inbox.mkdir()
    desk.add("Intake", "--set", "end=nothing", "--watch", "Inbox", "--settle", "1s", "--zone", "UTC")
    assert desk.add("Lost", "--rule", "after lunch", "--zone", "UTC").code == 2
    other = Path(desk.workspace) / ".counterfoil/templates/follow"
    shutil.copytree(other.with_name("note"), other)
    for name in ("template.toml", "workflow.py"):
        (other / name).write_text((other / name).read_text().replace('"note"', '"follow"'))
    follow = ("schedule", "add", "Follow", "./follow/", "--rule", "when a run of note is done", "--zone", "UTC")
    with contextlib.chdir(other.parent):
        added = desk.call(*follow, "--workspace", desk.workspace, "--set", "text=hello", "--set", "end=nothing")
    assert added.out == "Follow: runs follow when a run of note is done\n"
    (inbox / "a.txt").write_text("new")
    assert desk.call("runner", "--until-idle").code == 0
    why = [[one["reason"].partition("; ")[0] for one in desk.log(name)] for name in ("Intake", "Follow")]
    assert why == [["1 new file in Inbox"], ["after run 1 of note"]]
    shown = desk.call("show", "r-1")
    assert ": 1 new file in Inbox" in shown.out.splitlines()[1]
