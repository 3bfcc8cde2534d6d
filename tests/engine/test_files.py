"""File effects through the engine, with the real hands: one apply set per gate, asked again when the folder has changed (engine.md 25).

What the hands do to files is tested in tests/effects; here it is when they are asked to, over crashes and answers.
"""

import os
from typing import Any

import pytest

from counterfoil import (
    FilesChanged,
    NotApproved,
    Rejected,
    append_rows,
    approve,
    ask,
    first,
    move_files,
    parallel,
    workflow,
    write_file,
)
from counterfoil.facts import RunState
from counterfoil.store import file_ops, intents
from counterfoil.store.transactions import Connection, Row
from counterfoil.testing import Crashed
from engine.doing import Nothing
from engine.power_cut import PowerCut

POINTS = [
    ("after_claim", 1), ("after_blob", 1), ("after_intent", 1), ("after_journal", 1), ("after_each_file", 1),
    ("after_each_file", 2), ("after_each_file", 3), ("after_perform", 1), ("after_outcome", 1), ("after_intent", 2),
    ("after_perform", 2), ("after_outcome", 3),
]  # fmt: skip


@workflow("books")
async def books(p: Nothing) -> Any:
    plan = [
        write_file("out/payment.xml", b"<xml/>"),
        append_rows("ledger.csv", [{"id": "1", "state": "exported"}], columns=["id", "state"]),
        move_files([("in/a.xml", "archive/a.xml")]),
    ]
    decision = await approve("Write the books", plan=plan)
    return await decision.perform()


def furnish(office: PowerCut) -> None:
    """The team's folder before the run."""
    (office.workspace / "in").mkdir()
    (office.workspace / "in/a.xml").write_bytes(b"<invoice/>")
    (office.workspace / "ledger.csv").write_bytes(b"id,state\r\n0,exported\r\n")


def books_are_written(office: PowerCut) -> None:
    """Everything that was approved is there, once."""
    assert (office.workspace / "out/payment.xml").read_bytes() == b"<xml/>"
    assert (office.workspace / "ledger.csv").read_bytes().count(b"exported") == 2
    assert (office.workspace / "archive/a.xml").read_bytes() == b"<invoice/>"
    assert not (office.workspace / "in/a.xml").exists()


def test_the_files_of_a_gate_are_one_set(office: PowerCut) -> None:
    furnish(office)
    office.start(books)
    assert office.advance() == RunState.WAITING
    office.approve()
    assert office.advance() == RunState.DONE
    books_are_written(office)
    ops = file_ops.of_run(office.database.reader, office.run_id)
    assert {row["state"] for row in ops} == {"applied"}
    assert [row["name"] for row in office.records()] == ["approve", "write_file@1", "append_rows@1", "move_files@1"]


@pytest.mark.parametrize("point, visit", POINTS)
def test_a_set_is_carried_on_from_its_journal_after_a_crash(office: PowerCut, point: str, visit: int) -> None:
    furnish(office)
    office.start(books)
    office.advance()
    office.approve()
    office.crash_at(point, visit)
    with pytest.raises(Crashed):
        office.advance()
    assert office.advance() == RunState.DONE
    books_are_written(office)
    assert office.gates() == []


def test_a_set_of_many_items_is_read_once(office: PowerCut, monkeypatch: pytest.MonkeyPatch) -> None:
    furnish(office)
    office.start(books)
    office.advance()
    office.approve()
    read: list[str] = []
    of_gate = file_ops.of_gate

    def counted(conn: Connection, gate_id: str) -> list[Row]:
        read.append(gate_id)
        return of_gate(conn, gate_id)

    monkeypatch.setattr(file_ops, "of_gate", counted)
    assert office.advance() == RunState.DONE
    assert len(read) <= 2  # before the journal is written, and with it; the other items answer from their own rows
    books_are_written(office)


def test_items_of_one_set_may_be_awaited_side_by_side(office: PowerCut) -> None:
    async def one(effect: Any) -> Any:
        return await effect

    @workflow("side-by-side")
    async def flow(p: Nothing) -> Any:
        decision = await approve("Write", plan=[write_file(f"{n}.txt", str(n)) for n in range(6)])
        return await parallel(*[one(effect) for effect in decision.plan])

    office.start(flow)
    office.advance()
    office.approve()
    assert office.advance() == RunState.DONE
    assert sorted(file.name for file in office.workspace.iterdir()) == [f"{n}.txt" for n in range(6)]
    assert len(file_ops.of_run(office.database.reader, office.run_id)) == 6


def test_a_folder_that_changed_since_the_approval_is_put_before_a_person_again(office: PowerCut) -> None:
    furnish(office)
    office.start(books)
    office.advance()
    office.approve()
    (office.workspace / "ledger.csv").write_bytes(b"id,state\r\n0,exported\r\n5,exported by hand\r\n")
    assert office.advance() == RunState.WAITING
    assert not (office.workspace / "out").exists()  # nothing was written
    gate = office.gate()
    assert (gate["kind"], gate["why"]) == ("conflict", "ledger.csv is not as it was approved")
    office.wake()
    assert office.advance() == RunState.WAITING
    assert len(office.gates()) == 1
    office.answer(choice="use")
    assert office.advance() == RunState.DONE
    assert (office.workspace / "ledger.csv").read_bytes().splitlines()[-2:] == [b"5,exported by hand", b"1,exported"]
    assert office.ended_clean()


@pytest.mark.parametrize("point", ["after_claim", "after_intent", "after_journal", "after_each_file"])
def test_a_fresh_approval_outlives_a_crash(office: PowerCut, point: str) -> None:
    furnish(office)
    office.start(books)
    office.advance()
    office.approve()
    (office.workspace / "ledger.csv").write_bytes(b"id,state\r\n5,exported\r\n")
    office.advance()
    office.answer(choice="use")
    office.crash_at(point)
    with pytest.raises(Crashed):
        office.advance()
    assert office.advance() == RunState.DONE
    books_are_written(office)


def test_a_fresh_approval_that_is_refused_writes_nothing(office: PowerCut) -> None:
    @workflow("careful")
    async def careful(p: Nothing) -> Any:
        decision = await approve("Write", plan=[write_file("a.txt", "a"), write_file("b.txt", "b")])
        try:
            return await decision.perform()
        except Rejected as no:
            return f"{no.by} said {no.comment}"

    office.start(careful)
    office.advance()
    office.approve()
    (office.workspace / "b.txt").write_text("somebody else's")
    office.advance()
    office.reject("leave it")
    assert office.advance() == RunState.DONE
    assert office.result() == "user:test said leave it"
    assert [file.name for file in office.workspace.iterdir()] == ["b.txt"]
    assert intents.open_ones(office.database.reader, office.run_id) == []


def test_a_workflow_may_look_again_by_itself(office: PowerCut) -> None:
    @workflow("looking")
    async def looking(p: Nothing) -> Any:
        for _ in range(2):
            decision = await approve("Write", plan=[write_file("a.txt", "a")])
            try:
                await decision.perform(on_conflict="raise")
            except FilesChanged as changed:
                await ask(f"Changed: {', '.join(changed.paths)}", [])
                continue
            return "written"
        return "given up"

    office.start(looking)
    office.advance()
    office.approve()
    (office.workspace / "a.txt").write_text("somebody else's")
    office.advance()
    assert office.gate()["title"] == "Changed: a.txt"
    office.answer()
    office.advance()
    office.approve()
    assert office.advance() == RunState.DONE
    assert office.result() == "written"


def test_a_file_is_never_written_without_a_gate(office: PowerCut) -> None:
    """Whatever a rule allows: files change only as the apply set of an approval."""

    @workflow("bold")
    async def bold(p: Nothing) -> Any:
        try:
            return await write_file("a.txt", "a")
        except NotApproved as problem:
            return str(problem)

    office.start(bold)
    assert office.advance() == RunState.WAITING
    assert list(office.workspace.iterdir()) == []
    office.approve()
    assert office.advance() == RunState.DONE
    assert (office.workspace / "a.txt").read_text() == "a"


@pytest.mark.parametrize(
    "point, written",
    [("after_intent", None), ("after_blob", None), ("after_journal", True), ("after_each_file", True)],
)
def test_a_set_of_a_loser_that_a_crash_cut_off_is_whole_or_not_begun(
    office: PowerCut, point: str, *, written: bool | None
) -> None:
    """Without a journal it depends on which branch is heard first whether it begins (None); half of it is never there."""
    furnish(office)

    async def nothing() -> str:
        return "nothing"

    async def performing(decision: Any) -> Any:
        return await decision.perform()

    @workflow("race")
    async def flow(p: Nothing) -> Any:
        plan = [write_file("out/payment.xml", b"<xml/>"), move_files([("in/a.xml", "archive/a.xml")])]
        decision = await approve("Write", plan=plan)
        return (await first(nothing(), performing(decision)))[1]

    office.start(flow)
    office.advance()
    office.approve()
    office.crash_at(point)
    with pytest.raises(Crashed):
        office.advance()
    assert office.advance() == RunState.DONE
    if written is None:
        written = (office.workspace / "out/payment.xml").exists()
    assert (office.workspace / "out/payment.xml").exists() == written
    assert (office.workspace / "archive/a.xml").exists() == written
    assert (office.workspace / "in/a.xml").exists() != written
    assert office.ended_clean()


def test_names_that_are_no_utf8_are_moved_like_any_other(office: PowerCut) -> None:
    name = os.fsdecode(b"Rechnung-\xe4\xff.xml")
    (office.workspace / "in").mkdir()
    (office.workspace / "in" / name).write_bytes(b"x")

    @workflow("odd-names")
    async def flow(p: Nothing) -> Any:
        decision = await approve(f"Move {name}", plan=[move_files([(f"in/{name}", f"archive/{name}")])])
        return await decision.perform()

    office.start(flow)
    assert office.advance() == RunState.WAITING
    office.approve()
    assert office.advance() == RunState.DONE
    assert (office.workspace / "archive" / name).read_bytes() == b"x"
