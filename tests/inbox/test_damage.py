"""A run that cannot be read says so, and where; lists and the inbox go on."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa

from counterfoil import approve, ask, text, workflow
from counterfoil.errors import Damaged, RunDamaged
from counterfoil.facts import Verdict
from counterfoil.store import gates, runs, tables
from counterfoil.views import runs as views
from counterfoil.views.gates import inbox
from counterfoil.views.runs import run_detail, run_documents
from engine.doing import Nothing, asking
from engine.power_cut import PowerCut


@workflow("acts")
async def acts(p: Nothing) -> Any:
    decision = await approve("Pay", plan=[asking("a")], evidence=[text("x" * 70_000, title="Long")])
    await decision.perform()
    return "x" * 70_000


@workflow("asks")
async def asks(p: Nothing) -> Any:
    return await ask("Why?", [], evidence=[text("y" * 70_000, title="Long")])


@pytest.fixture
def lived(harness: PowerCut) -> PowerCut:
    """Run 1 has acted and is done; runs 2 and 3 wait."""
    harness.start(acts)
    harness.advance()
    harness.approve()
    harness.advance()
    for _ in range(2):
        harness.start(asks)
        harness.advance()
    return harness


def damage(lived: PowerCut, table: sa.Table, where: Any, **values: Any) -> None:
    lived.database.transact(lambda txn: txn.do(sa.update(table).where(where).values(**values)))


def detail(lived: PowerCut, number: int) -> Any:
    conn = lived.database.reader
    row = next(row for row in runs.page(conn) if row["number"] == number)
    return run_detail(conn, lived.blobs, lived.home, row)


def test_a_damaged_record_is_named_by_its_row_and_other_runs_are_counted(lived: PowerCut) -> None:
    record = tables.record.c
    row = lived.database.reader.execute(sa.select(record.row).where(record.kind == "effect")).scalar_one()
    damage(lived, tables.record, record.row == row, payload="{not json")
    with pytest.raises(RunDamaged) as told:
        detail(lived, 1)
    assert told.value.message == f"Run 1 cannot be read (row {row}). 2 other runs are fine."
    assert told.value.next_step == "Export what is readable: counterfoil trail --evidence r-1 --out FILE.zip"
    assert detail(lived, 2)["number"] == 2


def test_a_record_that_does_not_match_its_seal_is_not_counted_as_fine(lived: PowerCut) -> None:
    record = tables.record.c
    effect = lived.database.reader.execute(sa.select(record.row).where(record.kind == "effect")).scalar_one()
    damage(lived, tables.record, record.row == effect, payload="{not json")
    lived.answer()
    lived.advance()
    damage(lived, tables.record, sa.and_(record.kind == "gate", record.row > effect), payload="{}")
    with pytest.raises(RunDamaged, match=r"\(row \d+\)\. 1 of 2 other runs are fine\."):
        detail(lived, 1)


@pytest.mark.parametrize("how", ["gone", "flipped"])
def test_a_damaged_result_leaves_the_list_whole(lived: PowerCut, how: str) -> None:
    conn = lived.database.reader
    rows = list(reversed(runs.page(conn)))
    kept = lived.blobs.path(json.loads(rows[0]["result"])["$blob_text"])
    if how == "gone":
        kept.unlink()
    else:
        kept.write_bytes(b"?" + kept.read_bytes()[1:])
    first, *others = run_documents(conn, lived.blobs, rows)
    assert first["result"] is None
    assert first["error"]["message"].startswith("What was kept of this run cannot be read: the kept content ")
    assert [len(one["gates"]) for one in others] == [1, 1]
    with pytest.raises(RunDamaged, match=r"^Run 1 cannot be read: the kept content .*\. 2 other runs are fine\."):
        detail(lived, 1)


def test_a_gate_whose_question_is_damaged_leaves_the_inbox_whole_and_is_not_decided(lived: PowerCut) -> None:
    conn = lived.database.reader
    gate, _ = gates.inbox_page(conn)
    row = gates.get(conn, gate["gate_id"])
    lived.blobs.path(row["spec"]).write_bytes(b"?")
    bad, good = inbox(conn, lived.blobs)
    assert (bad["gate_id"], bad["plan"], bad["consequences"]) == (gate["gate_id"], [], [])
    assert bad["flags"][0].startswith("What this shows cannot be read, so it cannot be decided: the kept content ")
    assert good["evidence"][0]["title"] == "Long"
    assert len(run_documents(conn, lived.blobs, runs.page(conn))) == 3
    with pytest.raises(Damaged):
        lived.decide(Verdict.ANSWERED, row)
    assert gates.get(conn, gate["gate_id"])["state"] == "open"


def test_a_fault_of_this_program_is_not_called_damage(lived: PowerCut, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: object) -> None:
        raise KeyError("nothing")

    monkeypatch.setattr(views, "steps_of", fault)
    with pytest.raises(KeyError):
        detail(lived, 1)
