"""What the database itself holds: one record per identity, one intent, one open gate, one decision per person; chains; blobs (DESIGN 4)."""

import hashlib
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil.clock import FakeClock
from counterfoil.errors import Damaged
from counterfoil.facts import (
    INLINE_LIMIT,
    AttemptState,
    DoubtPolicy,
    GateKind,
    GateState,
    Outcome,
    RunState,
    Slot,
    StepKind,
)
from counterfoil.places import Home
from counterfoil.store import blob_rows, gates, intents, leases, records, runs, seals, timers, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn
from counterfoil.trail import verify
from store.conftest import new_run, scalar

REFUSED = (sa.exc.IntegrityError, sqlite3.IntegrityError)


def record(run_id: str, ordinal: int = 0, payload: str = "1") -> records.NewRecord:
    return records.NewRecord(run_id, "", ordinal, StepKind.STEP, "one", "0" * 64, Outcome.OK, payload)


def gate(run_id: str, ordinal: int = 0) -> gates.NewGate:
    return gates.NewGate(
        run_id, "", ordinal, Slot.OUTCOME, GateKind.APPROVAL, "Pay", "{}", spec_blob=False, asked_digest="0" * 64, digest="a" * 64
    )  # fmt: skip


def decision(gate_id: str, principal: str) -> dict[str, Any]:
    return {
        "gate_id": gate_id, "principal": principal, "verdict": "approved", "answers": "{}", "comment": "", "at": 1,
        "effective_at": 1, "digest": "a" * 64, "signature": "account",
    }  # fmt: skip


# ------------------------------------------------------------------------------------------------------------ invariants


def test_one_record_per_identity(database: Database, run_id: str) -> None:
    database.transact(lambda txn: records.append(txn, record(run_id)))
    with pytest.raises(REFUSED):
        database.transact(lambda txn: records.append(txn, record(run_id, payload="2")))


def test_one_intent_per_identity(database: Database, run_id: str) -> None:
    new = intents.NewIntent(
        run_id, "", 0, "mail@1", "{}", body_blob=False, digest="0" * 64, key="k", policy=DoubtPolicy.ASK, gate_id=None, item=None
    )  # fmt: skip
    database.transact(lambda txn: intents.add(txn, new))
    with pytest.raises(REFUSED):
        database.transact(lambda txn: intents.add(txn, new))
    assert [row["key"] for row in intents.open_ones(database.reader, run_id)] == ["k"]
    database.transact(lambda txn: records.append(txn, record(run_id)))
    assert intents.open_ones(database.reader, run_id) == []


def test_one_open_gate_per_place_and_one_living_decision_per_person(database: Database, run_id: str) -> None:
    gate_id = database.transact(lambda txn: gates.open_gate(txn, gate(run_id)))["gate_id"]
    with pytest.raises(REFUSED):
        database.transact(lambda txn: gates.open_gate(txn, gate(run_id)))
    database.transact(lambda txn: gates.open_gate(txn, gate(run_id, 1)))
    database.transact(lambda txn: gates.add_decision(txn, **decision(gate_id, "user:anna")))
    with pytest.raises(REFUSED):
        database.transact(lambda txn: gates.add_decision(txn, **decision(gate_id, "user:anna")))
    database.transact(lambda txn: gates.add_decision(txn, **decision(gate_id, "user:ben")))
    row = gates.decisions(database.reader, gate_id)[0]["row"]
    database.transact(lambda txn: gates.void_decision(txn, row))
    database.transact(lambda txn: gates.add_decision(txn, **decision(gate_id, "user:anna")))
    assert [made["principal"] for made in gates.decisions(database.reader, gate_id)] == ["user:ben", "user:anna"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE run SET state = 'paused'",
        "UPDATE gate SET state = 'lost'",
        "UPDATE record SET outcome = 'maybe'",
        "UPDATE attempt SET state = 'so so'",
        "INSERT INTO attempt SELECT row + 100, 'no such run', path, ordinal, n, kind, name, state, 0, 0, '', '', '', 0 FROM attempt",
        "UPDATE runner SET one = 2",
    ],
)
def test_the_database_refuses_what_no_state_allows(database: Database, run_id: str, change: str) -> None:
    def prepare(txn: Txn) -> None:
        gates.open_gate(txn, gate(run_id))
        records.append(txn, record(run_id))
        records.note_attempt(txn, run_id, "", 0, kind=StepKind.STEP, name="one", state=AttemptState.FAILED)
        leases.take(txn, "holder", 1, previous_is_dead=False)

    database.transact(prepare)
    with pytest.raises(sa.exc.IntegrityError):
        database.transact(lambda txn: txn.conn.exec_driver_sql(change))


def test_an_item_is_spent_once(database: Database, run_id: str) -> None:
    gate_id = database.transact(lambda txn: gates.open_gate(txn, gate(run_id)))["gate_id"]
    database.transact(lambda txn: seals.add(txn, gate_id, [(1, "{}", "{}", "d")]))
    assert database.transact(lambda txn: seals.spend(txn, gate_id, 1, "", 5))
    assert not database.transact(lambda txn: seals.spend(txn, gate_id, 1, "", 6))
    assert not database.transact(lambda txn: seals.spend(txn, gate_id, 2, "", 6))


def test_numbers_count_per_home(database: Database) -> None:
    ids = [database.transact(new_run) for _ in range(3)]
    assert [runs.get(database.reader, run_id)["number"] for run_id in ids] == [1, 2, 3]
    made = [database.transact(lambda txn, r=run_id: gates.open_gate(txn, gate(r)))["number"] for run_id in ids]  # type: ignore[misc]  # bound early
    assert made == [1, 2, 3]


def test_a_timer_is_set_once_unless_anew(database: Database, run_id: str) -> None:
    def set_to(due: int, *, anew: bool = False) -> int:
        return database.transact(lambda txn: timers.set_timer(txn, run_id, "", 0, "retry", due, anew=anew))

    assert (set_to(100), set_to(200), set_to(300, anew=True), set_to(400)) == (100, 100, 300, 300)
    database.transact(lambda txn: timers.end(txn, run_id, "", 0, "retry", "fired"))
    assert timers.pending(database.reader, run_id) == []
    assert set_to(500, anew=True) == 500
    assert [row["due_at"] for row in timers.pending(database.reader, run_id)] == [500]


def test_closing_below_a_branch_spares_its_neighbours(database: Database, run_id: str) -> None:
    """`0/1` is not above `0/10`, whatever a careless comparison of texts says."""

    def prepare(txn: Txn) -> None:
        for path in ("0/1", "0/1/3/0", "0/10", "0/11/0/0", "10/1"):
            new = gates.NewGate(
                run_id, path, 0, Slot.OUTCOME, GateKind.APPROVAL, path, "{}", spec_blob=False, asked_digest="0", digest="a"
            )  # fmt: skip
            gates.open_gate(txn, new)
            timers.set_timer(txn, run_id, path, 1, "sleep", 5)

    database.transact(prepare)
    database.transact(lambda txn: gates.withdraw_below(txn, run_id, "0/1", "lost"))
    database.transact(lambda txn: timers.cancel_below(txn, run_id, "0/1"))
    left = [row["path"] for row in gates.of_run(database.reader, run_id) if row["state"] == GateState.OPEN]
    assert left == ["0/10", "0/11/0/0", "10/1"]
    assert sorted(row["path"] for row in timers.pending(database.reader, run_id)) == ["0/10", "0/11/0/0", "10/1"]


def test_a_lease_has_one_holder_and_a_growing_fence(home: Home) -> None:
    clock = FakeClock()
    database = Database(home, clock)

    def take(holder: str, *, dead: bool = False) -> int | None:
        return database.transact(lambda txn: leases.take(txn, holder, 1, previous_is_dead=dead))

    assert take("a") == 1
    assert take("b") is None
    assert take("b", dead=True) == 2
    assert not database.transact(lambda txn: leases.renew(txn, "a"))
    assert database.transact(lambda txn: leases.renew(txn, "b"))
    clock._us += leases.TTL_US + 1
    assert take("c") == 3
    database.transact(lambda txn: leases.release(txn, "c"))
    assert take("d") == 4
    database.close()


def test_who_is_claimed_first(database: Database) -> None:
    """What was begun comes before what was not, and the oldest first."""
    fresh, begun, later = (database.transact(new_run) for _ in range(3))

    def go_on(txn: Txn) -> None:
        for run_id in (later, begun):
            runs.claim(txn, run_id)
            runs.move(txn, run_id, RunState.WAITING)
        runs.make_ready(txn, begun, 50)
        runs.make_ready(txn, later, 60)

    database.transact(go_on)
    assert runs.claimable(database.reader, 2**60, 9) == [begun, later, fresh]
    assert runs.claimable(database.reader, 55, 9) == [begun]
    assert runs.next_ready_at(database.reader) == 50


# ----------------------------------------------------------------------------------------------------------------- chains


def filled(database: Database) -> str:
    """A home with two runs, records, and a trail that has sealed a head."""
    first, second = (database.transact(new_run) for _ in range(2))
    for ordinal in range(4):
        database.transact(lambda txn, n=ordinal: records.append(txn, record(first, n)))  # type: ignore[misc]  # bound early
        database.transact(lambda txn, n=ordinal: records.append(txn, record(second, n, f'"{n}"')))  # type: ignore[misc]
    head = records.head(database.reader, first)
    database.transact(
        lambda txn: trail_rows.append(
            txn, by="runner", kind="claim", subject=first, summary="carried on", after={"head": head}
        )
    )
    return first


CHANGES = st.one_of(
    st.tuples(
        st.just("record"),
        st.sampled_from(
            [
                "payload = 'forged'", "name = 'other'", "args_digest = 'f'", "outcome = 'failed'", "summary = 'x'", "attempts = 9",
                "key = 'k'", "origin = 'given by nobody'", "committed_at = committed_at - 1", "started_at = 0", "kind = 'gate'",
                "path = '1/1'", "ordinal = ordinal + 50", "payload_blob = 1",
            ]
        ),
        st.integers(1, 8),
    ),
    st.tuples(
        st.just("trail"),
        st.sampled_from(
            [
                "summary = 'x'", "by = 'nobody'", "kind = 'other'", "subject = 'x'", "at = at + 1", "before = '1'", "after = NULL",
                "prev_hash = 'f'", "hash = 'f'", "seq = seq + 100",
            ]
        ),
        st.integers(1, 4),
    ),
)  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(change=CHANGES)
def test_any_change_of_a_record_or_an_entry_shows(database: Database, change: tuple[str, str, int]) -> None:
    if not scalar(database, "SELECT count(*) FROM record"):
        filled(database)
    assert verify(database.reader).ok
    table, what, row = change
    key = "row" if table == "record" else "seq"
    with database.connect() as conn:
        conn.exec_driver_sql("BEGIN")
        before = conn.exec_driver_sql(f"SELECT * FROM {table} WHERE {key} = {row}").fetchone()
        conn.exec_driver_sql(f"UPDATE {table} SET {what} WHERE {key} = {row}")
        after = conn.exec_driver_sql(f"SELECT * FROM {table}").fetchall()
        found = verify(conn)
        conn.exec_driver_sql("ROLLBACK")
    assert before is not None
    assert found.ok == (tuple(before) in [tuple(one) for one in after])


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM record WHERE row = 1",
        "DELETE FROM record WHERE row = 3",
        "DELETE FROM record WHERE ordinal = 3",
        "DELETE FROM record",
        "DELETE FROM trail WHERE seq = 1",
        "DELETE FROM trail WHERE seq = 2",
        "UPDATE record SET row = row + 100 WHERE row = 1",
    ],
)
def test_what_is_removed_or_reordered_shows(database: Database, change: str) -> None:
    filled(database)
    database.transact(lambda txn: txn.conn.exec_driver_sql(change))
    assert not verify(database.reader).ok


def test_a_run_without_records_is_headed_by_its_id(database: Database, run_id: str) -> None:
    assert records.head(database.reader, run_id) == run_id
    assert records.first_broken(run_id, []) is None


# ------------------------------------------------------------------------------------------------------------------ blobs


@pytest.mark.parametrize("size", [0, 1, INLINE_LIMIT, INLINE_LIMIT + 1, 3_000_000])
def test_bytes_come_back_and_are_kept_once(home: Home, size: int) -> None:
    kept = Blobs(home)
    data = os.urandom(size)
    sha = kept.put(data)
    assert sha == hashlib.sha256(data).hexdigest()
    assert kept.put(data) == sha
    assert kept.get(sha) == data
    assert [file.name for file in home.blobs.rglob("*") if file.is_file()] == [sha]


def test_text_is_kept_in_its_row_up_to_64_kib(home: Home) -> None:
    kept = Blobs(home)
    for text in ("", "x" * INLINE_LIMIT, "x" * (INLINE_LIMIT + 1), "\N{EURO SIGN}" * (INLINE_LIMIT // 3 + 1)):
        column, in_blob = kept.keep_text(text)
        assert in_blob == (len(text.encode()) > INLINE_LIMIT)
        assert kept.text(column, in_blob) == text


@pytest.mark.parametrize("how", ["gone", "flipped", "cut"])
def test_damaged_bytes_are_never_handed_out(home: Home, how: str) -> None:
    kept = Blobs(home)
    sha = kept.put(b"x" * 1000)
    path = kept.path(sha)
    if how == "gone":
        path.unlink()
    elif how == "flipped":
        path.write_bytes(b"y" + b"x" * 999)
    else:
        path.write_bytes(b"x" * 999)
    with pytest.raises(Damaged, match=sha[:12]) as told:
        kept.get(sha)
    assert "backup" in told.value.next_step


def test_a_write_that_fails_leaves_nothing_under_the_name(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Blobs(home)

    def fail(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        kept.put(b"x" * 1000)
    assert [file for file in home.blobs.rglob("*") if file.is_file()] == []


def test_bytes_are_synced_before_they_have_their_name(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def noted_fsync(handle: int) -> None:
        done.append("sync")
        fsync(handle)

    def noted_replace(source: str, target: Path) -> None:
        done.append("name")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    Blobs(home).put(b"x" * 1000)
    assert done == ["sync", "name", "sync"]  # the bytes, the name, the folder


def test_the_row_of_a_blob_is_written_once(database: Database) -> None:
    for _ in range(2):
        database.transact(lambda txn: blob_rows.note(txn, "a" * 64, 5))
    assert scalar(database, "SELECT count(*) FROM blob") == 1


def test_the_database_lies_where_only_its_owner_reads(tmp_path: Path) -> None:
    home = Home(tmp_path / "home").create()
    assert home.root.stat().st_mode & 0o077 == 0
    assert home.blobs.stat().st_mode & 0o077 == 0
