"""Checking the trail finds one altered byte, and says where; what cannot be found is said too."""

import pytest
import sqlalchemy as sa

from counterfoil.clock import from_us
from counterfoil.facts import Verdict as Verdict_
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.store import records, tables
from counterfoil.store.blobs import Blobs
from counterfoil.trail import LIMIT, Verdict, verify
from views.rows import Office, payment_spec


def busy(office: Office) -> str:
    """A home in which two runs have records and the trail has noted a head of the first."""
    first, second = (str(office.run(title)["run_id"]) for title in ("One", "Two"))
    for ordinal in range(3):
        office.record(first, ordinal, f"step_{ordinal}", ordinal)
        office.record(second, ordinal, f"step_{ordinal}", ordinal)
    with office.database.snapshot() as conn:
        head = records.head(conn, first)
    office.note("claim", first, {"head": head})
    office.note("claim", second, {"head": second})
    return first


def check(office: Office) -> Verdict:
    """The verdict on a snapshot."""
    with office.database.snapshot() as conn:
        return verify(conn)


def change(office: Office, statement: sa.Executable) -> None:
    """Alter a row behind the program's back."""
    office.database.transact(lambda txn: txn.do(statement))


def test_sound_trail(office: Office) -> None:
    busy(office)
    verdict = check(office)
    assert verdict.ok
    assert (verdict.entries, verdict.runs, verdict.records) == (5, 2, 6)
    assert verdict.sentence().startswith("5 entries, 30 Nov 2026")
    assert "None changed, removed or out of order." in verdict.sentence()
    assert verdict.seal != "0" * 64
    assert "seal kept elsewhere" in LIMIT


def test_days_are_told_as_people_say_them_where_it_is_known_when_it_is_read(office: Office) -> None:
    busy(office)
    with office.database.snapshot() as conn:
        now = office.clock.now_us()
        verdict = verify(conn, now)
    assert " to today " in verdict.sentence()
    year = 365 * 86_400_000_000
    assert verdict.when(now - year).split()[2] == str(from_us(now - year).year)
    assert len(verdict.when(now - 40 * 86_400_000_000).split()) == 3  # `21 Oct 08:00`: of this year


def test_empty_trail(office: Office) -> None:
    assert check(office).sentence() == "The trail is empty: nothing was done yet."


@pytest.mark.parametrize("column, value", [("summary", "x"), ("by", "user:eve"), ("after", "{}"), ("at", 1)])
def test_altered_entry_is_named(office: Office, column: str, value: object) -> None:
    busy(office)
    change(office, sa.update(tables.trail).where(tables.trail.c.seq == 3).values({column: value}))
    verdict = check(office)
    assert not verdict.ok
    assert verdict.sentence().startswith("Entry 3 (")
    assert verdict.sentence().endswith("does not match its seal. Everything before it is sound.")


def test_removed_entry_is_noticed(office: Office) -> None:
    busy(office)
    change(office, sa.delete(tables.trail).where(tables.trail.c.seq == 2))
    assert check(office).sentence().startswith("Entry 3 (")


def test_altered_record_is_named(office: Office) -> None:
    first = busy(office)
    change(
        office,
        sa.update(tables.record)
        .where(tables.record.c.run_id == first, tables.record.c.ordinal == 1)
        .values(payload="7"),
    )
    (broken,) = check(office).broken
    assert f"of run {first[:8]}" in broken
    assert "step_1" in broken


def test_removed_newest_records_show_against_a_head_of_the_trail(office: Office) -> None:
    first = busy(office)
    change(office, sa.delete(tables.record).where(tables.record.c.run_id == first, tables.record.c.ordinal == 2))
    assert check(office).broken == [f"Records of run {first[:8]} that the trail has sealed are gone."]
    change(office, sa.delete(tables.record).where(tables.record.c.run_id == first))
    assert check(office).broken == [f"Records of run {first[:8]} that the trail has sealed are gone."]


def test_an_altered_or_removed_decision_is_noticed(office: Office) -> None:
    gate = office.gate(office.run()["run_id"], 0, payment_spec())
    decide(office.database, Blobs(office.home), gate["gate_id"], Wish(Verdict_.REJECTED, "user:anna", comment="no"))
    assert check(office).ok
    change(office, sa.update(tables.decision).values(verdict="approved"))
    (broken,) = check(office).broken
    assert f"gate g-{gate['number']}" in broken
    change(office, sa.delete(tables.decision))
    assert check(office).sentence() == "The trail has sealed 1 decision that is gone."
