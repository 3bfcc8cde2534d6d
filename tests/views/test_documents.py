"""Every document holds exactly the keys of the contract, whatever state its rows are in."""

from typing import Any

import pytest

from counterfoil.facts import AttemptState, DoubtPolicy, GateKind, RunState, Slot, StepKind
from counterfoil.store import gates, records, runs, timers
from counterfoil.store.transactions import Row
from counterfoil.views.gates import gate_document, inbox, inbox_rows
from counterfoil.views.runs import run_detail, run_document, run_documents
from counterfoil.views.trail_entries import trail_documents
from views.rows import IBAN, Office, item, payment_spec, spec

RUN = """run_id number template version workspace title state wait created_at started_at ended_at started_by parameters
    gates result error cost isolation undone silent""".split()
DETAIL = [
    *RUN,
    "steps",
    "effects",
    "checkpoint",
    "files",
    "given",
    "planned_at",
    "start_reason",
    "copy",
    "again_of",
    "note",
]
STEP = "path name ordinal kind state attempts started_at ended_at key summary cost".split()
GATE = """gate_id number run_id kind title asked_at files_as_of due_at on_due digest round consequences plan evidence flags fields who
    state decisions waits_for""".split()
PLAN = "n effect summary target before_digest after_digest bytes risk risk_reason".split()
EVIDENCE = "kind title data source".split()
FIELD = "name type label choices default required".split()
DECISION = "gate_id verdict by on_behalf_of at effective_at digest comment signature".split()
TRAIL = "seq at by kind subject summary before after prev_hash hash".split()

STEP_KINDS = {"step", "effect", "gate", "timer", "llm", "tool", "child"}
STEP_STATES = {"running", "done", "failed", "retrying", "waiting", "unknown", "skipped"}


def detail(office: Office, run_id: str) -> dict[str, Any]:
    """The document of `show RUN`."""
    with office.database.snapshot() as conn:
        return run_detail(conn, office.blobs, office.home, runs.get(conn, run_id))


def waiting_run(office: Office) -> tuple[Row, Row]:
    """A run that read two invoices and asks about a payment file."""
    run = office.run()
    office.claim(run["run_id"])
    office.record(run["run_id"], 0, "read_invoices", ["a", "b"], summary="2 invoices, 1 flagged")
    gate = office.gate(run["run_id"], 1, payment_spec())
    office.move(run["run_id"], RunState.WAITING)
    return run, gate


def test_run_has_the_contracts_keys_in_every_state(office: Office) -> None:
    run, _ = waiting_run(office)
    other = office.run("Another")
    office.claim(other["run_id"])
    office.move(other["run_id"], RunState.DONE, ended_at=office.clock.now_us(), result='{"paid":{"$dec":"1.50"}}')
    with office.database.snapshot() as conn:
        documents = run_documents(conn, office.blobs, runs.page(conn))
    assert [list(document) for document in documents] == [RUN, RUN]
    done, waiting = documents
    assert done["state"] == "done"
    assert done["result"] == {"paid": "1.50"}
    assert done["wait"] is None
    assert waiting["run_id"] == run["run_id"]
    assert waiting["wait"] == {"kind": "gate", "on": waiting["gates"][0]["gate_id"], "until": None}
    assert waiting["parameters"] == {"folder": "."}
    assert waiting["isolation"] == "L0"
    assert waiting["cost"] is None


def test_show_run_adds_steps_effects_checkpoint_and_files(office: Office) -> None:
    run, gate = waiting_run(office)
    document = detail(office, run["run_id"])
    assert list(document) == DETAIL
    assert [list(step) for step in document["steps"]] == [STEP, STEP]
    read, asked = document["steps"]
    assert (read["name"], read["state"], read["summary"], read["key"]) == (
        "read_invoices",
        "done",
        "2 invoices, 1 flagged",
        None,
    )
    assert (asked["name"], asked["kind"], asked["state"], asked["ordinal"]) == ("approve", "gate", "waiting", 1)
    assert f"g-{gate['number']}" in asked["summary"]
    checkpoint = document["checkpoint"]
    assert list(checkpoint) == ["where", "middle", "paid", "resumptions"]
    assert list(checkpoint["where"]) == ["file", "row", "committed_at", "durability", "bytes"]
    assert checkpoint["where"]["file"] == str(office.home.database)
    assert checkpoint["where"]["bytes"] == len('["a","b"]')
    assert checkpoint["middle"] is None
    assert checkpoint["paid"] == {"calls": 0, "answered_from_records": 0, "saved": None, "perhaps_billed": 0}


def test_gate_has_the_contracts_keys(office: Office) -> None:
    _, gate = waiting_run(office)
    with office.database.snapshot() as conn:
        document = gate_document(conn, office.blobs, gate)
    assert list(document) == GATE
    assert [list(entry) for entry in document["plan"]] == [PLAN] * 3
    assert [list(entry) for entry in document["evidence"]] == [EVIDENCE] * 2
    assert [list(entry) for entry in document["fields"]] == [FIELD]
    assert document["who"] == {"needs": 1, "from": [], "not": [], "given": []}
    assert document["decisions"] == []
    assert [entry["kind"] for entry in document["evidence"]] == ["table", "text"]
    row = document["evidence"][0]["data"]["rows"][0]
    assert row == ["Brightwater Ltd", IBAN, {"amount": "1320.00", "currency": "EUR"}, "2026-12-01"]


def test_gate_in_a_blob_reads_the_same(office: Office) -> None:
    run = office.run()
    whole = payment_spec()
    whole["evidence"][1]["data"] = "x" * 70_000
    gate = office.gate(run["run_id"], 0, whole)
    assert gate["spec_blob"]
    with office.database.snapshot() as conn:
        document = inbox(conn, office.blobs)[0]
    assert document["evidence"][1]["data"] == "x" * 70_000


def test_decision_and_who_gave_it(office: Office) -> None:
    _, gate = waiting_run(office)
    at = office.clock.now_us()
    office.database.transact(lambda txn: gates.decide(txn, gate["gate_id"], gate["digest"], "approved"))
    office.database.transact(
        lambda txn: gates.add_decision(
            txn,
            gate_id=gate["gate_id"],
            principal="user:ben",
            verdict="approved",
            answers="{}",
            comment="fine",
            at=at,
            effective_at=at + 5_000_000,
            digest=gate["digest"],
            signature="account",
            on_behalf_of=None,
        )
    )
    with office.database.snapshot() as conn:
        document = gate_document(conn, office.blobs, gates.get(conn, gate["gate_id"]))
        assert inbox(conn, office.blobs) == []
    (decision,) = document["decisions"]
    assert list(decision) == DECISION
    assert decision["effective_at"] > decision["at"]
    assert document["who"]["given"] == ["user:ben"]
    assert document["state"] == "decided"


def test_inbox_rows_are_light_and_in_pages(office: Office) -> None:
    run = office.run()
    for ordinal in range(5):
        office.gate(run["run_id"], ordinal, spec(title=f"Question {ordinal}"))
    with office.database.snapshot() as conn:
        page = inbox_rows(conn, limit=2, offset=2)
        whole = inbox(conn, office.blobs)
    assert [row["title"] for row in page] == ["Question 2", "Question 3"]
    assert "spec" not in page[0]
    assert [gate["title"] for gate in whole] == [f"Question {ordinal}" for ordinal in range(5)]


def test_trail_entry(office: Office) -> None:
    run, _ = waiting_run(office)
    with office.database.snapshot() as conn:
        entries = trail_documents(conn)
        about_run = trail_documents(conn, subject=run["run_id"])
    assert [list(entry) for entry in entries] == [TRAIL] * len(entries)
    assert entries[-1]["after"]["template"] == "pay-invoices"
    assert entries[-1]["prev_hash"] == entries[-2]["hash"]
    assert [entry["kind"] for entry in about_run] == ["run_started"]


def _steps_of_everything(office: Office) -> str:
    run_id = str(office.run()["run_id"])
    office.claim(run_id)
    office.record(run_id, 0, "read", [])
    office.record(run_id, 0, "left", None, path="1/0")
    office.record(run_id, 0, "right", None, path="1/1", outcome="failed", attempts=3)
    office.record(run_id, 2, "first", 0, kind=StepKind.RACE)
    office.record(run_id, 3, "claims", {}, kind=StepKind.LOOKUP)
    office.record(run_id, 4, "sleep", None, kind=StepKind.TIMER)
    office.record(run_id, 5, "mail@1", {"message": "no such address"}, kind=StepKind.EFFECT, outcome="failed", key="k")
    office.failed_attempt(run_id, 6, "post", "refused")
    office.database.transact(lambda txn: timers.set_timer(txn, run_id, "", 6, "retry", txn.now_us + 10_000_000))
    office.intent(run_id, 7, "mail@1", DoubtPolicy.ASK)
    office.attempt(run_id, 7, "mail@1", AttemptState.UNKNOWN, kind=StepKind.EFFECT)
    office.database.transact(lambda txn: timers.set_timer(txn, run_id, "", 8, "sleep", txn.now_us + 10_000_000))
    office.gate(run_id, 9, spec(plan=[item(1, "http@1", {"method": "POST", "url": "https://a.example/x"})]), Slot.GATE)
    return run_id


def test_steps_of_every_kind_and_state(office: Office) -> None:
    run_id = _steps_of_everything(office)
    office.move(run_id, RunState.WAITING)
    steps = detail(office, run_id)["steps"]
    assert {step["kind"] for step in steps} <= STEP_KINDS
    assert {step["state"] for step in steps} <= STEP_STATES
    assert [(step["path"], step["ordinal"], step["kind"], step["state"]) for step in steps] == [
        ("", 0, "step", "done"),
        ("1/0", 0, "step", "done"),
        ("1/1", 0, "step", "failed"),
        ("", 2, "step", "done"),
        ("", 3, "step", "done"),
        ("", 4, "timer", "done"),
        ("", 5, "effect", "failed"),
        ("", 6, "step", "retrying"),
        ("", 7, "effect", "unknown"),
        ("", 8, "timer", "waiting"),
        ("", 9, "effect", "waiting"),
    ]
    assert steps[6]["summary"] == "no such address"
    assert (steps[7]["summary"], steps[7]["attempts"]) == ("refused", 1)
    assert steps[8]["key"] == "key-7"
    assert steps[10]["name"] == "http@1"


@pytest.mark.parametrize(
    "policy, words",
    [
        (DoubtPolicy.ASK, "You would be asked whether “mail@1” happened"),
        (DoubtPolicy.RECONCILE, "“mail@1” would be looked up first"),
        (DoubtPolicy.RETRY, "“mail@1” would be tried again with the same key"),
    ],
)
def test_middle_says_what_would_happen_to_an_effect(office: Office, policy: DoubtPolicy, words: str) -> None:
    run_id = office.run()["run_id"]
    office.claim(run_id)
    office.intent(run_id, 0, "mail@1", policy)
    middle = detail(office, run_id)["checkpoint"]["middle"]
    assert list(middle) == ["step", "policy", "would"]
    assert (middle["step"], middle["policy"]) == ("mail@1", policy)
    assert middle["would"].startswith(words)


def test_middle_of_a_set_of_files_has_the_words_of_its_plan(office: Office) -> None:
    run, gate = waiting_run(office)
    office.intent(run["run_id"], 2, "write_file@1", DoubtPolicy.RETRY, gate["gate_id"], 1)
    middle = detail(office, run["run_id"])["checkpoint"]["middle"]
    assert middle["would"].startswith("“write_file@1” would be carried on from its journal: each file is compared")


def test_middle_of_a_pure_step(office: Office) -> None:
    run_id = office.run()["run_id"]
    office.claim(run_id)
    office.record(run_id, 0, "read", [])
    office.database.transact(lambda txn: runs.set_activity(txn, run_id, "9 of 14 read"))
    document = detail(office, run_id)
    assert [step["state"] for step in document["steps"]] == ["done", "running"]
    assert (
        document["checkpoint"]["middle"]["would"]
        == "The step at “9 of 14 read” would start again. 1 step before it stays."
    )


def test_resumptions_come_from_the_trail(office: Office) -> None:
    run_id = office.run()["run_id"]
    after = {
        "reason": "an answer came",
        "from_step": 3,
        "reran": ["http@1"],
        "compensated": [],
        "doubts": [],
        "fence": 2,
    }
    office.note("claim", run_id, after)
    office.note("gate", run_id, {"gate": "x"})
    (resumption,) = detail(office, run_id)["checkpoint"]["resumptions"]
    assert list(resumption) == ["at", "reason", "from_step", "reran", "compensated", "doubts"]
    assert (resumption["from_step"], resumption["reran"], resumption["doubts"]) == (3, ["http@1"], [])


def test_effects_under_an_approval_have_its_words(office: Office) -> None:
    run, gate = waiting_run(office)
    office.intent(run["run_id"], 2, "write_file@1", DoubtPolicy.RECONCILE, gate["gate_id"], 1)
    office.record(
        run["run_id"], 2, "write_file@1", {"path": "x"}, kind=StepKind.EFFECT, key="key-2", origin="looked up"
    )
    document = detail(office, run["run_id"])
    (effect,) = document["effects"]
    assert (effect["state"], effect["gate_id"], effect["item"]) == ("done", gate["gate_id"], 1)
    assert effect["summary"] == "write_file@1"
    assert effect["outcome"] == {"path": "x"}
    assert effect["origin"] == "looked up"


def test_stopped_run_names_the_next_step(office: Office) -> None:
    run_id = office.run()["run_id"]
    office.claim(run_id)
    error = '{"kind":"cancelled","message":"Cancelled by user:ben","in_doubt":[{"effect":"mail@1","key":"k"}]}'
    office.move(run_id, RunState.CANCELLED, ended_at=office.clock.now_us(), error=error)
    with office.database.snapshot() as conn:
        document = run_document(conn, office.blobs, runs.get(conn, run_id))
    assert list(document["error"]) == ["kind", "message", "step", "next"]
    assert document["error"]["message"] == "Cancelled by user:ben; whether it happened is not known of: mail"
    assert "counterfoil show r-1" in document["error"]["next"]


def test_long_result_is_read_from_its_blob(office: Office) -> None:
    run_id = office.run()["run_id"]
    office.claim(run_id)
    sha, in_blob = office.blobs.keep_text('{"text":"' + "x" * 70_000 + '"}')
    assert in_blob
    office.move(run_id, RunState.DONE, ended_at=1, result=f'{{"$blob_text":"{sha}"}}')
    with office.database.snapshot() as conn:
        document = run_document(conn, office.blobs, runs.get(conn, run_id))
    assert document["result"] == {"text": "x" * 70_000}


def test_size_counts_bytes_in_rows_and_blobs(office: Office) -> None:
    run_id = office.run()["run_id"]
    office.record(run_id, 0, "umlaut", "ä")
    with office.database.snapshot() as conn:
        assert records.size(conn, run_id) == len('"ä"'.encode())


def test_doubt_and_failure_show_what_is_known(office: Office) -> None:
    run_id = office.run()["run_id"]
    doubt = spec(
        GateKind.DOUBT,
        title="Did this happen? 1 mail to accounts",
        about={"effect": "mail@1", "key": "k1", "began_us": office.clock.now_us(), "facts": [["to", ["a@b.example"]]], "how": "Look."},
    )  # fmt: skip
    error = {"type": "KeyError", "message": "'Amount'", "traceback": "Traceback…"}
    failure = spec(
        GateKind.FAILURE,
        title="Needs repair: read",
        about={"why": "failed", "step": "read", "error": error, "attempts": 3},
    )
    office.gate(run_id, 0, doubt, Slot.DOUBT)
    office.gate(run_id, 1, failure, Slot.FAILURE)
    with office.database.snapshot() as conn:
        asked, broken = inbox(conn, office.blobs)
    assert dict(asked["evidence"][0]["data"])["to"] == ["a@b.example"]
    assert dict(asked["evidence"][0]["data"])["Key"] == "k1"
    assert dict(broken["evidence"][0]["data"])["Tries"] == 3
    assert broken["evidence"][1] == {"kind": "text", "title": "Traceback", "data": "Traceback…", "source": "Python"}
    assert any("retry" in sentence for sentence in broken["consequences"])
    assert any("not_happened" in sentence for sentence in asked["consequences"])
