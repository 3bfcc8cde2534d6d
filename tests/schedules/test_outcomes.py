"""What came of the runs of a routine: firings that could not be used say so, five of them ask once, and usage is counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from counterfoil.authoring.codec import canonical
from counterfoil.facts import DoubtPolicy, NoticeKind, RunState
from counterfoil.schedules.documents import log_documents, schedule_document
from counterfoil.schedules.keeping import got_it
from counterfoil.schedules.outcomes import ask_about_nothing, usage_document
from counterfoil.schedules.scanning import scan
from counterfoil.schedules.telling import notice_sentences
from counterfoil.store import intents, notices, runs, schedules
from counterfoil.store.transactions import Txn
from schedules.routines import Desk, bare_run

HOURLY = {"kind": "interval", "seconds": 3600, "anchor_utc": "2026-01-01T00:00:00Z"}
FIRST = datetime(2026, 11, 27, 18, 0, 1, tzinfo=UTC)


def fire(desk: Desk, kept: str, hour: int, summary: str = "0 of 0 files.", *, acts: bool = False) -> None:
    """Let one instant start a run that ends at once; one that acts has begun an effect."""
    desk.at(FIRST + timedelta(hours=hour))
    (run_id,) = desk.scan(kept).started

    def operation(txn: Txn) -> None:
        runs.move(txn, run_id, RunState.RUNNING, started_at=txn.now_us)
        if acts:
            body = {
                "run_id": run_id,
                "path": "",
                "ordinal": 0,
                "kind": "write_file@1",
                "body": "{}",
                "body_blob": False,
            }
            more = {"digest": "d" * 64, "key": "k" * 64, "policy": DoubtPolicy.RETRY, "gate_id": None, "item": None}
            intents.add(txn, intents.NewIntent(**body, **more))  # type: ignore[arg-type]  # two halves of one row
        done = {"ended_at": txn.now_us + 2_000_000, "result": canonical({"summary": summary})}
        runs.move(txn, run_id, RunState.DONE, **done)
        ask_about_nothing(txn, schedules.get(txn.conn, kept))

    desk.database.transact(operation)


def asked(desk: Desk) -> list[str]:
    """What is asked about routines."""
    return notice_sentences(desk.database.reader)


def test_a_firing_that_its_run_could_not_use_says_why(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY)
    fire(desk, kept, 0, acts=True)
    fire(desk, kept, 1, "sales.xlsx was locked by Excel, tried until 07:30.")
    row = schedules.get(desk.database.reader, kept)
    _, locked, acted = log_documents(desk.database.reader, row, 9)
    assert (locked["state"], locked["reason"]) == ("started", "sales.xlsx was locked by Excel, tried until 07:30")
    assert (acted["state"], acted["reason"]) == ("started", None)
    assert schedule_document(desk.database.reader, row)["last"]["reason"] == locked["reason"]


def test_a_run_that_stopped_or_was_cancelled_says_so_too(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY)
    desk.at(FIRST)
    (run_id,) = desk.scan(kept).started

    def cancel(txn: Txn) -> None:
        error = canonical({"kind": "cancelled", "message": "Cancelled by Anna"})
        runs.move(txn, run_id, RunState.CANCELLED, ended_at=txn.now_us, error=error)

    desk.database.transact(cancel)
    _, last = log_documents(desk.database.reader, schedules.get(desk.database.reader, kept), 9)
    assert last["reason"] == "Cancelled by Anna"


def test_five_firings_with_nothing_to_do_ask_once_until_one_has(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY)
    for hour in range(4):
        fire(desk, kept, hour)
    assert asked(desk) == []
    fire(desk, kept, 4)
    assert asked(desk) == ["‘weekly’ found nothing since 27 Nov, 5 times. Right folder?"]
    assert desk.database.transact(lambda txn: got_it(txn, "user:anna")) == 1
    fire(desk, kept, 5)
    assert asked(desk) == []
    fire(desk, kept, 6, acts=True)
    for hour in range(7, 12):
        fire(desk, kept, hour)
    assert len(asked(desk)) == 1
    fire(desk, kept, 12, acts=True)
    assert asked(desk) == []


def test_usage_counts_what_became_of_firings_and_the_time_of_runs(desk: Desk) -> None:
    kept = desk.add(rule=HOURLY, policy={"missed": "none"})
    fire(desk, kept, 0)
    fire(desk, kept, 1, acts=True)
    desk.at(FIRST + timedelta(hours=3, minutes=30))
    desk.scan(kept)
    found = usage_document(desk.database.reader, schedules.get(desk.database.reader, kept))
    assert {name: found[name] for name in ("started", "missed", "nothing_to_do", "failed", "open")} == {
        "started": 2, "missed": 2, "nothing_to_do": 1, "failed": 0, "open": 0,
    }  # fmt: skip
    assert 3.9 <= found["seconds"] <= 4.1


def test_one_card_says_since_when_nobody_looked_and_what_was_done(desk: Desk) -> None:
    kept, other = desk.add(rule=HOURLY), desk.add("backup", rule=HOURLY, policy={"missed": "none"})
    asleep = desk.clock.now_us()
    desk.at(FIRST + timedelta(hours=14, minutes=30))
    desk.database.transact(lambda txn: scan(txn, kept, bare_run, asleep))
    desk.database.transact(lambda txn: scan(txn, other, bare_run, asleep))
    (card,) = notices.standing(desk.database.reader)
    body = notices.body_of(card)
    assert (card["kind"], body["since"][:16], body["until"][:16]) == (
        NoticeKind.AWAY,
        "2026-11-27T17:00",
        "2026-11-28T08:30",
    )
    assert [(one["schedule"], len(one["ran"]), len(one["not_run"])) for one in body["schedules"]] == [
        ("weekly", 1, 14), ("backup", 0, 15),
    ]  # fmt: skip
    (said,) = asked(desk)
    assert said.endswith(" and 14 did not run; ‘backup’ 15 did not run. Nothing ran twice.")
    assert said.startswith("While this computer was off (Fri ")
