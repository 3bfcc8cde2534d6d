"""The office's quick looks on real databases: inbox, counts, runs, what changed, drafts and read marks, and the line a list shows."""

import contextlib
import dataclasses
import json
import sqlite3
import subprocess
import sys
from collections.abc import Generator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from counterfoil.authoring.codec import to_plain
from counterfoil.desktop.gate.head import state_banner
from counterfoil.desktop.gate.reading import read
from counterfoil.desktop.gate_facts import Answer, Draft
from counterfoil.desktop.inbox.rows import matches
from counterfoil.desktop.office import Part, RunnerState, Tab
from counterfoil.desktop.real_office import inbox_rows, run_rows
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.real_office.run_rows import _stopped, waiting
from counterfoil.desktop.run_facts import Narrow
from counterfoil.desktop.runs.rows import look
from counterfoil.desktop.theme import Theme
from counterfoil.engine.gate_lines import line_of
from counterfoil.errors import (
    AlreadyDecided,
    Declined,
    GateClosed,
    NewerDatabase,
    StaleDigest,
    StoreTrouble,
    UnknownGate,
    UnknownRun,
    WrongAnswer,
)
from counterfoil.facts import DoubtPolicy, GateKind, GateState, Money, RunState, Slot, Verdict
from counterfoil.inbox.accounts import account
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.places import Home
from counterfoil.store import gates, leases, runs, schema
from counterfoil.store.glance import LEASE_US
from desktop.real_home import RowsHome
from house.repository import ROOT
from views.rows import payment_spec, spec

ME = account()


@pytest.fixture
def home(tmp_path: Path) -> Generator[RowsHome]:
    """A home of the test's own."""
    made = RowsHome(tmp_path)
    yield made
    made.close()


def test_an_empty_data_folder_has_an_office(tmp_path: Path) -> None:
    office = RealOffice(Home(tmp_path / "nothing"))
    assert (office.inbox(Tab.FOR_ME, None), office.runs(None).rows, office.workspaces()) == ((), (), ())
    assert (office.counts(None).for_me, office.counts(None).runs) == (0, 0)
    assert office.runner().state is RunnerState.OFF
    assert office.changes() is None
    assert not (tmp_path / "nothing").exists()
    office.close()


def test_the_first_look_and_the_first_gate_import_neither_sqlalchemy_nor_qt(home: RowsHome) -> None:
    home.ask(home.rows.run()["run_id"], 0, payment_spec())
    code = (
        "import sys; from pathlib import Path; from counterfoil.places import Home\n"
        "from counterfoil.desktop.real_office.office import open_real; from counterfoil.desktop.office import Tab\n"
        "office = open_real(Home(Path(sys.argv[1]))); office.inbox(Tab.FOR_ME, None); office.counts(None); office.runner()\n"
        "office.runs(None); office.changes()\n"
        "assert office.gate(office.inbox(Tab.FOR_ME, None)[0].gate_id).document\n"
        "print([name for name in ('sqlalchemy', 'PySide6', 'pydantic', 'asyncio') if name in sys.modules])"
    )
    told = subprocess.run(
        [sys.executable, "-P", "-c", code, str(home.rows.home.root)],
        capture_output=True, text=True, check=True, env={"PYTHONPATH": str(ROOT / "app"), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert told.stdout.strip() == "[]"


def test_constants_of_quick_looks_are_those_of_the_store() -> None:
    assert leases.TTL_US == LEASE_US


def test_an_older_database_is_brought_up_to_date_before_anybody_looks(home: RowsHome) -> None:
    run = home.rows.run()
    home.ask(run["run_id"], 0, spec(title="Kept"))
    home.close()
    with contextlib.closing(sqlite3.connect(home.rows.home.database)) as conn:
        conn.execute(f"PRAGMA user_version={schema.SCHEMA - 1}")
    office = RealOffice(home.rows.home)
    assert [row.title for row in office.inbox(Tab.FOR_ME, None)] == ["Kept"]
    assert office.counts(None).runs == 1
    office.close()


def test_a_database_of_somebody_else_is_refused(tmp_path: Path, home: RowsHome) -> None:
    newer = sqlite3.connect(home.rows.home.database)
    newer.execute(f"PRAGMA user_version={schema.SCHEMA + 1}")
    newer.commit()
    newer.close()
    with pytest.raises(NewerDatabase):
        RealOffice(home.rows.home)
    other = Home(tmp_path / "other")
    other.root.mkdir()
    stranger = sqlite3.connect(other.database)
    stranger.execute("CREATE TABLE x (y)")
    stranger.commit()
    stranger.close()
    with pytest.raises(StoreTrouble, match="another program"):
        RealOffice(other)


# ------------------------------------------------------------------------------------------------------------ the inbox


def test_a_gate_is_listed_with_why_its_figure_and_what_finds_it(home: RowsHome) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, payment_spec())
    (row,) = home.office.inbox(Tab.FOR_ME, None)
    assert (row.gate_id, row.number, row.kind, row.template) == (gate["gate_id"], 1, "approval", "Supplier payments")
    assert row.why == "Account changed since 12 Nov."
    assert (row.figure_label, row.figure) == ("Total", {"amount": "15521.22", "currency": "EUR"})
    assert row.unread
    assert row.bulk == "has something that needs a closer look"
    for wanted in ("1320", "1,320.00", "brightwater", "r-1.xml", "in/a.xml", "Supplier payments", "g-1"):
        assert matches(row, wanted), wanted
    assert not matches(row, "donau")
    assert home.office.counts(None).for_me == 1


def test_reading_and_drafts_show_in_the_row_and_survive(home: RowsHome) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, payment_spec())
    office, gate_id = home.office, gate["gate_id"]
    assert office.inbox(Tab.FOR_ME, None)[0].unread
    office.mark_read(gate_id, gate["digest"])
    assert not office.inbox(Tab.FOR_ME, None)[0].unread
    words = {"stop": "wrong folder"}
    draft = Draft({"hold": ["1"]}, held=(1,), comment="wait", words=words, opened=("files",), seen=gate["digest"])
    office.save_draft(gate_id, draft)
    assert office.inbox(Tab.FOR_ME, None)[0].draft
    again = RealOffice(home.rows.home)
    assert again.gate(gate_id).draft == draft
    assert not again.inbox(Tab.FOR_ME, None)[0].unread
    again.close()
    office.save_draft(gate_id, Draft(opened=("files", "story"), seen=gate["digest"]))
    assert not office.inbox(Tab.FOR_ME, None)[0].draft
    assert office.gate(gate_id).draft == Draft(opened=("files", "story"))


def test_what_is_kept_already_is_not_written_again(home: RowsHome) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, payment_spec())
    office, draft = home.office, Draft(comment="wait", opened=("files",), seen=gate["digest"])
    office.mark_read(gate["gate_id"], gate["digest"])
    office.save_draft(gate["gate_id"], draft)
    assert office.changes() is not None
    office.mark_read(gate["gate_id"], gate["digest"])
    office.save_draft(gate["gate_id"], draft)
    assert office.changes() is None


def test_a_gate_that_changed_is_unread_again_and_not_for_bulk(home: RowsHome) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, spec(title="Write it"), nth=2)
    (row,) = home.office.inbox(Tab.FOR_ME, None)
    assert (row.unread, row.bulk) == (True, "changed since it was first asked")
    home.office.mark_read(gate["gate_id"], gate["digest"])
    (row,) = home.office.inbox(Tab.FOR_ME, None)
    assert (row.unread, row.bulk) == (False, "")


def test_the_tab_of_decided_ones_says_how_each_ended(home: RowsHome) -> None:
    run = home.rows.run()
    mine = home.ask(run["run_id"], 0, spec(title="Mine"))
    bens = home.ask(run["run_id"], 1, spec(title="Ben's"))
    gone = home.ask(run["run_id"], 2, spec(title="Gone"))
    database, blobs = home.rows.database, home.rows.blobs
    decide(database, blobs, mine["gate_id"], Wish(Verdict.APPROVED, ME))
    decide(database, blobs, bens["gate_id"], Wish(Verdict.REJECTED, "user:ben", "wrong period"))
    database.transact(lambda txn: gates.close(txn, gone["gate_id"], GateState.WITHDRAWN, "The run ended"))
    assert home.office.inbox(Tab.FOR_ME, None) == ()
    assert [(row.title, row.closed) for row in home.office.inbox(Tab.DECIDED, None)] == [
        ("Gone", "Withdrawn"),
        ("Ben's", "Rejected by Ben"),
        ("Mine", "Approved by you"),
    ]
    assert home.office.inbox(Tab.DECIDED, "/elsewhere") == ()
    assert home.office.inbox(Tab.FOR_OTHERS, None) == ()


def test_one_workspace_is_counted_and_listed_alone(home: RowsHome) -> None:
    first = home.rows.run()
    home.ask(first["run_id"], 0, spec(title="Here"))
    here, home.rows.workspace = home.rows.workspace, "/srv/Sales"
    second = home.rows.run()
    home.ask(second["run_id"], 0, spec(title="There"))
    office = home.office
    assert [place.name for place in office.workspaces()] == ["Sales", "team files"]
    assert [row.title for row in office.inbox(Tab.FOR_ME, here)] == ["Here"]
    assert (office.counts(None).for_me, office.counts(here).for_me) == (2, 1)
    assert (office.counts(None).runs, office.counts("/srv/Sales").runs) == (2, 1)
    assert [row.title for row in office.runs(here).rows] == [first["title"]]


def test_the_first_rows_are_those_that_the_list_shows_first(home: RowsHome, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox_rows, "_PORTION", 2)
    run = home.rows.run()
    due = {4: 900, 2: 800}
    gates = [home.ask(run["run_id"], n, spec(title=f"Gate {n}"), due_at=due.get(n)) for n in range(6)]
    office = home.office
    for most in (0, 1, 2, 3, 5):
        assert [row.title for row in office.inbox(Tab.FOR_ME, None, most)] == [
            f"Gate {n}" for n in (2, 4, 0, 1, 3)[:most]
        ]
    assert office.inbox(Tab.FOR_ME, "/srv/Nobody", 5) == ()
    office.mark_read(gates[2]["gate_id"], gates[2]["digest"])  # between the first rows and the rest
    while office.read_ahead():
        pass
    whole = office.inbox(Tab.FOR_ME, None)
    assert [row.title for row in whole] == [f"Gate {n}" for n in range(6)]
    assert [row.unread for row in whole] == [True, True, False, True, True, True]
    assert office.inbox(Tab.FOR_ME, None) is whole  # nothing new is the same answer


# ------------------------------------------------------------------------------------------------------- why, in a line


@pytest.mark.parametrize(
    "parts, why",
    [
        ({"flags": ["2. Sums differ."]}, "Sums differ."),
        (
            {"flags": ["Account changed: GB94 BARC 59 → GB29 NWBK 6016 1331 9268 19. Seen."]},
            "Account changed: GB94 BARC 59 → GB29 NWBK 6016 1331 9268 19. Seen.",
        ),
        (
            {"flags": ["Account " + "GB29 NWBK 6016 1331 9268 19 " * 20]},
            "Account" + " GB29 NWBK 6016 1331 9268 19" * 10 + " GB29 NWBK …",
        ),
        ({"flags": ["One.", "Two.", "Three."]}, "One. And 2 more."),
        ({"kind": "question", "title": "Which?"}, "It goes on with your answer."),
        ({"kind": "doubt", "about": {"effect": "mail@1"}}, "No answer came. It has not been tried again."),
        ({"kind": "failure", "about": {"error": {"message": "The column is missing\nmore"}}}, "The column is missing"),
        ({"kind": "conflict", "about": {"paths": ["ledger.csv"]}}, "ledger.csv is not as it was approved"),
        ({"kind": "conflict", "about": {"paths": ["a", "b", "c"]}}, "a, b and 1 more are not as they were approved"),
        ({"kind": "conflict", "about": {"paths": []}}, "Another folder is in its place"),
        ({}, "Nothing is written or sent by it"),
    ],
)
def test_why_a_gate_asks(parts: dict[str, object], why: str) -> None:
    kind = GateKind(str(parts.pop("kind", "approval")))
    assert line_of(spec(kind, **parts)).why == why


def test_what_leaves_the_house_is_said_first_and_only_money_is_a_figure() -> None:
    plan = payment_spec()["plan"]
    mail = {"body": {"kind": "mail@1", "args": {"to": ["a@b.example"], "cc": [], "subject": "Hello"}}, "needs": []}
    made = line_of(
        spec(plan=[*plan, mail], figures=[["Rows", 12], ["Sum", to_plain(Money(Decimal("5.50"), "SEK"), {})]])
    )
    assert made.why == "Sends 1 mail, writes 2 files, moves 2 files"
    assert json.loads(made.figure or "") == ["Sum", {"amount": "5.50", "currency": "SEK"}]
    assert "a@b.example" in made.search
    assert line_of(spec(figures=[["Rows", 12]])).figure is None


def test_search_keeps_to_its_size_whatever_a_table_holds() -> None:
    rows = [[f"Supplier {number}", "x" * 5000, number] for number in range(20_000)]
    table = {"columns": ["a", "b", "c"], "rows": rows, "total": None, "flagged": []}
    made = line_of(spec(evidence=[{"kind": "table@1", "title": "T", "data": table, "source": None}]))
    assert len(made.search) <= 64 * 1024
    assert "supplier 999" in made.search
    assert "xxxxxx" not in made.search


# ------------------------------------------------------------------------------------------------------------ deciding


def test_a_decision_can_be_taken_back_and_the_draft_is_still_there(home: RowsHome) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, spec(title="Write it"))
    home.office.save_draft(gate["gate_id"], Draft(comment="fine", seen=gate["digest"]))
    made = home.office.decide(Answer(gate["gate_id"], gate["digest"], "approved", "fine"))
    assert made.effective_at - home.rows.clock.now_us() > 4_000_000
    assert home.office.inbox(Tab.FOR_ME, None) == ()
    home.office.void(gate["gate_id"])
    (row,) = home.office.inbox(Tab.FOR_ME, None)
    assert row.draft
    home.office.decide(Answer(gate["gate_id"], gate["digest"], "approved"))
    home.rows.clock.advance(timedelta(seconds=6))
    with pytest.raises(GateClosed, match="Too late"):
        home.office.void(gate["gate_id"])


def test_two_windows_decide_at_once_and_the_second_is_told_who_was_first(home: RowsHome) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, spec(title="Write it"))
    decide(home.rows.database, home.rows.blobs, gate["gate_id"], Wish(Verdict.APPROVED, "user:ben"))
    with pytest.raises(AlreadyDecided, match=r"Ben approved this at \d\d:\d\d\. Nothing left to decide\.") as refused:
        home.office.decide(Answer(gate["gate_id"], gate["digest"], "rejected", "no"))
    assert refused.value.next_step == ""


def test_a_decision_given_in_anothers_name_is_marked_in_the_window(home: RowsHome, theme: Theme) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, spec(title="Write it"))
    wish = Wish(Verdict.APPROVED, "user:ben", signature="unverified", entered_by=ME)
    decide(home.rows.database, home.rows.blobs, gate["gate_id"], wish)
    office = home.office
    assert office.inbox(Tab.DECIDED, None)[0].closed == "Approved by Ben (unverified)"
    with pytest.raises(
        AlreadyDecided, match=r"Ben approved this at \d\d:\d\d \(unverified\)\. Nothing left to decide\."
    ):
        office.decide(Answer(gate["gate_id"], gate["digest"], "approved"))
    reading = read(office.gate(gate["gate_id"]), date(2026, 11, 30))
    banner = state_banner(reading, home.rows.clock.now_us())
    assert banner is not None
    assert "(unverified)" in banner.words.text()
    (entry,) = [entry for entry in office.trail("", None).entries if entry["kind"] == "decision"]
    assert entry["after"]["entered_by"] == ME
    assert str(entry["summary"]).startswith("Approved “Write it”")
    assert "(unverified). Entered by " in str(entry["summary"])


def test_a_decision_on_something_else_or_too_late_is_refused_in_the_windows_words(home: RowsHome) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, spec(title="Write it"))
    with pytest.raises(StaleDigest, match="This changed while you looked at it"):
        home.office.decide(Answer(gate["gate_id"], "0" * 64, "approved"))
    with pytest.raises(WrongAnswer) as refused:
        home.office.decide(Answer(gate["gate_id"], gate["digest"], "rejected"))
    assert "--" not in str(refused.value)
    home.rows.database.transact(lambda txn: gates.close(txn, gate["gate_id"], GateState.WITHDRAWN, "The run ended"))
    with pytest.raises(GateClosed, match=r"The run ended\. Nothing was decided"):
        home.office.decide(Answer(gate["gate_id"], gate["digest"], "approved"))
    with pytest.raises(UnknownGate):
        home.office.gate("f" * 32)
    with pytest.raises(UnknownRun):
        home.office.run("f" * 32)


def test_holding_rows_sends_back_without_a_reason_and_in_the_fields_type(home: RowsHome) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, payment_spec())
    made = home.office.decide(Answer(gate["gate_id"], gate["digest"], "returned", values={"hold": [1, 2]}))
    assert made.verdict == "returned"
    (decision,) = home.office.gate(gate["gate_id"]).document["decisions"]
    assert decision["verdict"] == "returned"
    kept = gates.decisions(home.rows.database.reader, gate["gate_id"])[0]
    assert json.loads(kept["answers"])["hold"] == [1, 2]


def test_a_round_knows_the_one_it_took_the_place_of(home: RowsHome) -> None:
    run = home.rows.run()
    first = home.ask(run["run_id"], 0, spec(title="Write it"))
    assert home.office.gate(first["gate_id"]).earlier == ""
    home.office.decide(Answer(first["gate_id"], first["digest"], "returned", "wrong period"))
    second = home.ask(run["run_id"], 1, spec(title="Write it anew"))
    assert home.office.gate(second["gate_id"]).earlier == first["gate_id"]
    home.rows.database.transact(lambda txn: gates.close(txn, second["gate_id"], GateState.SUPERSEDED, "It changed"))
    third = home.ask(run["run_id"], 1, spec(title="Write it once more"))
    assert home.office.gate(third["gate_id"]).earlier == second["gate_id"]
    home.office.decide(Answer(third["gate_id"], third["digest"], "approved"))
    other = home.ask(run["run_id"], 2, spec(title="Something else"))
    assert home.office.gate(other["gate_id"]).earlier == ""


def test_which_parts_were_in_view_goes_into_the_trail(home: RowsHome) -> None:
    run = home.rows.run()
    gate = home.ask(run["run_id"], 0, spec(title="Write it"))
    home.office.save_draft(gate["gate_id"], Draft(opened=("story", "files"), seen=gate["digest"]))
    home.office.decide(Answer(gate["gate_id"], gate["digest"], "approved"))
    (entry,) = [entry for entry in home.office.trail("approved", None).entries if entry["kind"] == "decision"]
    assert entry["after"]["opened"] == ["files", "story"]
    assert str(entry["summary"]).startswith("Approved “Write it”")


# --------------------------------------------------------------------------------------------------------- what changed


def test_changes_name_their_parts_and_runs(home: RowsHome) -> None:
    office, rows = home.office, home.rows
    assert office.changes() is None
    run = rows.run()
    found = office.changes()
    assert found is not None
    assert {Part.RUNS, Part.TEMPLATES, Part.TRAIL} <= found.parts
    assert Part.INBOX not in found.parts
    assert run["run_id"] in found.runs
    rows.claim(run["run_id"])
    found = office.changes()
    assert found is not None
    assert found.parts == {Part.RUNS, Part.RUNNER}
    assert found.runs == {run["run_id"]}
    rows.record(run["run_id"], 0, "read_invoices", summary="2 invoices")
    found = office.changes()
    assert found is not None
    assert Part.RUNS in found.parts
    assert found.runs == {run["run_id"]}
    home.ask(run["run_id"], 1, spec(title="Write it"))
    found = office.changes()
    assert found is not None
    assert Part.INBOX in found.parts
    rows.database.transact(lambda txn: leases.take(txn, "a", 1, previous_is_dead=True))
    found = office.changes()
    assert found is not None
    assert found.parts == {Part.RUNNER}
    assert office.changes() is None


def test_a_database_that_appears_changes_everything(tmp_path: Path) -> None:
    office = RealOffice(Home(tmp_path / "home"))
    assert office.changes() is None
    made = RowsHome(tmp_path)
    found = office.changes()
    assert found is not None
    assert found.parts == set(Part)
    office.close()
    made.close()


# ----------------------------------------------------------------------------------------------------------------- runs


def test_runs_say_where_they_stand(home: RowsHome) -> None:
    rows, office = home.rows, home.office
    ids = [
        rows.run(title)["run_id"] for title in ("ready", "waits", "rejected", "acted", "idle", "stopped", "doubtful")
    ]
    for run_id in ids[1:]:
        rows.claim(run_id)
    rows.move(ids[1], RunState.WAITING)
    home.ask(
        ids[1], 0, spec(GateKind.FAILURE, title="Needs repair", about={"why": "failed", "error": {}}), Slot.FAILURE
    )
    rows.move(ids[2], RunState.DONE, ended_at=1, result='{"by":"user:ben","comment":"","verdict":"rejected"}')
    rows.intent(ids[3], 0, "write_file@1", DoubtPolicy.RECONCILE)
    rows.move(ids[3], RunState.DONE, ended_at=1, result="{}")
    rows.move(ids[4], RunState.DONE, ended_at=1, result="{}")
    rows.move(ids[5], RunState.FAILED, ended_at=1, error='{"message": "no\\nink"}')
    error = json.dumps({"message": "Cancelled", "in_doubt": [{"effect": "mail@1", "key": "k"}]})
    rows.move(ids[6], RunState.CANCELLED, ended_at=1, error=error)
    found = {row.title: (row.words, row.tone, row.care) for row in office.runs(None).rows}
    assert [row.number for row in office.runs(None).rows] == [7, 6, 5, 4, 3, 2, 1]
    assert found == {
        "ready": ("Starting", "info", ""),
        "waits": ("Waiting for you", "warn", "Needs repair"),
        "rejected": ("Done, rejected: nothing was written", "quiet", ""),
        "acted": ("Done", "ok", ""),
        "idle": ("Done, nothing was written or sent", "quiet", ""),
        "stopped": ("Stopped: no ink", "bad", ""),
        "doubtful": ("Cancelled, 1 thing not undone", "warn", "Perhaps it happened: Send mail"),
    }
    assert office.runs(None).counts["care"] == 2
    for run_id, words in ((ids[5], "It is nothing."), (ids[6], " ")):
        with pytest.raises(Declined):
            office.note_run(run_id, words)
    assert office.note_run(ids[6], "It lies in Sent items.") == "Your note is kept. This run needs no more care."
    assert office.runs(None).counts["care"] == 1
    noted = office.runs(None).rows[0]
    assert (noted.words, noted.tone, noted.care) == ("Cancelled, 1 thing not undone", "quiet", "")
    assert office.run(ids[6]).document["note"]["text"] == "It lies in Sent items."


def test_the_reason_of_a_person_stands_as_that_persons_words() -> None:
    given = {"kind": "stopped", "message": "The bank sends it on Monday", "step": "read_statement"}
    assert _stopped(given) == "Stopped: ‘The bank sends it on Monday’"
    assert _stopped({**given, "message": "Anna stopped the run at read_statement."}) == "Stopped at ‘Read statement’"
    assert _stopped({"kind": "error", "message": "no ink"}) == "Stopped: no ink"


def test_a_run_is_looked_at_again_until_it_has_ended(home: RowsHome) -> None:
    rows, office = home.rows, home.office
    run = rows.run()
    assert [row.words for row in office.runs(None).rows] == ["Starting"]
    rows.claim(run["run_id"])
    rows.database.transact(lambda txn: runs.set_activity(txn, run["run_id"], "Reading 9 of 14"))
    assert [row.words for row in office.runs(None).rows] == ["Running: Reading 9 of 14"]
    rows.move(run["run_id"], RunState.DONE, ended_at=5, result="{}")
    assert [(row.state, row.ended_at) for row in office.runs(None).rows] == [("done", 5)]


def test_a_list_of_runs_holds_what_a_search_through_all_of_them_finds(
    home: RowsHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_rows, "_PORTION", 3)
    monkeypatch.setattr(run_rows, "_KEPT", 4)
    rows = home.rows
    here = rows.workspace
    for number, title in enumerate(("Payments, week 48", "Müller & Söhne", "STRASSE 7", "Prices", "Straße 7") * 4):
        rows.workspace = here if number % 3 else "/srv/Sales"
        run_id = rows.run(title)["run_id"]
        rows.claim(run_id)
        match number % 5:
            case 1:
                rows.move(run_id, RunState.WAITING)
                kind = GateKind.DOUBT if number % 2 else GateKind.APPROVAL
                home.ask(run_id, 0, spec(kind, about={"effect": "mail@1"}), Slot.OUTCOME)
            case 2:
                rows.move(run_id, RunState.DONE, ended_at=1, result="{}")
            case 3:
                doubts = [{"effect": "mail@1", "key": "k"}] if number % 2 else []
                error = json.dumps({"message": "Ink", "in_doubt": doubts})
                rows.move(run_id, RunState.CANCELLED, ended_at=1, error=error)
            case 4:
                rows.move(run_id, RunState.FAILED, ended_at=1, error='{"message": "No paper"}')
    office = home.office
    everything = office.runs(None, most=100)
    assert ([row.number for row in everything.rows], everything.more) == (list(range(20, 0, -1)), False)
    for chip in ("all", "care", "running", "waiting", "done", "cancelled"):
        for wanted in (
            "",
            "  ",
            "r-1",
            "RUN 7",
            "strasse",
            "straße 7",
            "söhne",
            "no paper",
            "done, nothing",
            "7",
            "nobody",
        ):
            for most in (1, 3, 100):
                expected = dataclasses.replace(
                    look(everything.rows, chip, wanted, most),
                    templates=everything.templates,
                    workspaces=everything.workspaces,
                )
                assert office.runs(None, chip, wanted, most) == expected, (chip, wanted, most)
        of_folder = [row for row in everything.rows if row.workspace == "/srv/Sales"]
        expected = dataclasses.replace(
            look(of_folder, chip, "", 2), templates=everything.templates, workspaces=everything.workspaces
        )
        assert office.runs("/srv/Sales", chip, "", 2) == expected
        assert office.runs(None, chip, "", 2, Narrow(workspace="/srv/Sales")) == expected


def test_what_a_run_waits_for_without_a_person(home: RowsHome) -> None:
    now = home.rows.clock.now_us()
    assert waiting((), ("retry", now), now)[0].startswith("Trying again today ")
    assert waiting((), ("sleep", now), now)[0].startswith("Waiting until today ")
    assert waiting((), None, now)[0] == "Waiting"
    assert waiting(("approval", "doubt"), None, now) == ("Waiting for you", "warn", "Did this happen?")


def test_runs_are_narrowed_to_a_template_and_to_days(home: RowsHome) -> None:
    first, second = home.rows.run(), home.rows.run()
    office = home.office
    whole = office.runs(None)
    assert [row.run_id for row in whole.rows] == [second["run_id"], first["run_id"]]
    assert [key for key, _ in whole.templates] == [str(first["template"])]
    for narrow in (Narrow(template=str(first["template"])), Narrow(days=1)):
        seen = office.runs(None, narrow=narrow)
        assert (seen.rows, seen.counts) == (whole.rows, whole.counts), narrow
    for narrow in (Narrow(template="another"), Narrow(schedule="s" * 32)):
        seen = office.runs(None, "care", narrow=narrow)
        assert (seen.rows, seen.counts["all"], seen.counts["care"]) == ((), 0, 0), narrow
    home.rows.clock.advance(timedelta(days=2))
    assert office.runs(None, narrow=Narrow(days=1)).counts["all"] == 0
    assert office.runs(None, narrow=Narrow(days=7)).rows == office.runs(None).rows
