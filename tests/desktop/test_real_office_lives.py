"""The main job through the office, with a real runner in the background: from the sample to the written file, and over kills."""

import os
import re
import signal
from collections.abc import Generator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from cli.note_template import write_template
from counterfoil.desktop.gate_facts import Answer, Draft, GateSeen
from counterfoil.desktop.office import Part, RunnerState, Tab
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.run_facts import Undoing
from counterfoil.errors import UndoRefused
from desktop.real_home import LivingHome, until


@pytest.fixture
def living(tmp_path: Path) -> Generator[LivingHome]:
    """A home whose decisions can be taken back for one second."""
    made = LivingHome(tmp_path, undo_seconds=1)
    yield made
    made.close()


def holding_everything(gate: GateSeen) -> dict[str, Any]:
    """Every row that needs an answer is held."""
    return {str(field["name"]): "hold" for field in gate.document["fields"] if str(field["name"]).startswith("choice.")}


def test_the_sample_from_the_card_to_the_written_file(living: LivingHome) -> None:
    office = living.office
    run_id = office.start_sample()
    (workspace,) = office.workspaces()
    assert re.fullmatch(r"Sample, \d{1,2} \w{3}", workspace.name)
    first = living.gate_of(run_id)
    assert office.runner().state is RunnerState.RUNNING
    assert (first.document["kind"], first.run_number) == ("question", 1)
    assert first.run_state in ("running", "waiting")  # the gate is there a moment before the run lets go
    assert first.story[0].endswith("Started by you")
    assert any("Read invoices: 17 invoices" in line for line in first.story)
    assert first.workspace == workspace.path

    answers = holding_everything(first)
    made = office.decide(Answer(first.gate_id, str(first.document["digest"]), "answered", values=answers))
    office.void(made.gate_id)
    assert [row.gate_id for row in office.inbox(Tab.FOR_ME, None)] == [first.gate_id]
    office.decide(Answer(first.gate_id, str(first.document["digest"]), "answered", values=answers))
    second = living.gate_of(run_id, but=first.gate_id)
    assert second.document["title"] == "Write payment file for 12 invoices"
    assert ("Total", {"amount": "41208.90", "currency": "EUR"}) in second.figures
    assert any("You answered" in line for line in second.story)

    kinds = [office.file_of_gate(second.gate_id, n) for n in range(1, len(second.bodies) + 1)]
    assert [seen.op for seen in kinds] == ["write", "append", "append", "move"]
    written, ledger, vendors, moved = kinds
    assert written.before is None
    assert written.after is not None
    assert sum(map(Decimal, re.findall(r"<InstdAmt Ccy=\"EUR\">([0-9.]+)<", written.after))) == Decimal("41208.90")
    assert ledger.preview is not None
    assert len(ledger.preview.tables[0].added) == len(moved.moves) == 12
    assert (vendors.before is None, vendors.after is None) == (False, False)

    office.decide(Answer(second.gate_id, str(second.document["digest"]), "approved"))
    done = living.follow(run_id, lambda progress: progress.state == "done", "the run ends")
    assert done.words == "Done"
    assert "Nothing was sent to a bank." in done.result["summary"]
    assert next(Path(done.folder).iterdir()).read_text() == written.after
    after = office.gate(second.gate_id)
    assert [entry.state for entry in after.after] == ["done"] * 4
    assert all("done once" in entry.words for entry in after.after)
    seen = office.run(run_id)
    assert (seen.words, seen.tone) == ("Done", "ok")
    shown = office.file_of_gate(seen.files[0].gate_id, seen.files[0].n)
    assert (seen.files[0].state, shown.path, shown.after) == ("applied", written.path, written.after)
    assert {step["title"] for step in seen.document["steps"]} >= {"Read invoices", "Make the payment file"}
    assert [row.closed for row in office.inbox(Tab.DECIDED, None)] == ["Approved by you", "Answered by you"]
    sound, sentence = office.check_trail()
    assert sound, sentence
    page = office.page(second.workspace, "invoices/RE-26-2204.pdf", 1)  # it lies in archive/ by now
    assert page.pages == 1

    assert seen.may_undo
    assert done.may_undo
    look = office.look_at_undo(run_id)
    assert (look.refusal, look.can) == ("", 15)
    assert look.words == (
        "1 file becomes what it was, 12 files move back and 2 files are removed: they were not there before.",
        "2 folders that the run made are removed, where nothing else is in them.",
    )
    note = Path(second.workspace, "ledger.csv")
    ledger_then = note.read_bytes()
    note.write_bytes(ledger_then + b"mine\n")
    look = office.look_at_undo(run_id)
    assert look.can == 14
    assert re.fullmatch(r"ledger\.csv was changed at \d\d:\d\d\. The other 14 files can be put back\.", look.words[0])
    assert [file.met for file in look.files if file.why] == ["ledger.csv"]
    compared = office.compare_undo(run_id, "ledger.csv")
    assert (compared.before, compared.after) == (ledger_then.decode(), note.read_text())
    with pytest.raises(UndoRefused, match="Nothing was put back") as refused:
        office.undo_run(run_id, "wrong month", rest=False)
    assert refused.value.next_step == ""
    note.write_bytes(ledger_then)
    office.changes()  # everything up to here has been seen
    assert office.undo_run(run_id, "wrong month", rest=False) == "15 files will be put back in a moment."

    def put_back() -> Undoing | None:
        found = office.undoing(run_id)
        return found if found is not None and found.state != "asked" else None

    seen_by_the_pages = office.changes()
    assert seen_by_the_pages is not None
    assert Part.RUNS in seen_by_the_pages.parts
    assert run_id in seen_by_the_pages.runs
    undoing = until(put_back, "the files are back")
    assert (undoing.state, undoing.words, undoing.by, undoing.reason) == (
        "done",
        "15 files are put back.",
        "you",
        "wrong month",
    )
    assert not note.exists()
    seen = office.run(run_id)
    assert (seen.words, seen.tone, seen.may_undo) == ("Done, then undone", "quiet", False)
    assert {file.state for file in seen.files} == {"undone"}
    assert [row.words for row in office.runs(None, wanted="undone").rows] == ["Done, then undone"]
    assert office.look_at_undo(run_id).refusal.startswith("Run 1 was undone by ")
    assert "Asked to put back 15 files of run 1: wrong month" in str(
        office.trail("wrong month", None).entries[0]["summary"]
    )


def test_a_second_run_on_the_same_folder_and_rows_that_are_held(living: LivingHome) -> None:
    office = living.office
    run_id = office.start_sample()
    first = living.gate_of(run_id)
    office.decide(Answer(first.gate_id, str(first.document["digest"]), "answered", values=holding_everything(first)))
    batch = living.gate_of(run_id, but=first.gate_id)
    office.decide(Answer(batch.gate_id, str(batch.document["digest"]), "returned", values={"hold": (1, 2)}))
    again = living.gate_of(run_id, but=batch.gate_id)
    assert again.document["title"] == "Write payment file for 10 invoices"
    assert again.prior[0].startswith("You sent this back")
    assert office.gate(batch.gate_id).successor == again.gate_id
    office.decide(Answer(again.gate_id, str(again.document["digest"]), "rejected", "wrong period"))
    done = living.follow(run_id, lambda progress: progress.state == "done", "the run ends")
    assert done.words == "Done, rejected: nothing was written"
    (card,) = [card for card in office.templates(None) if card.name == "pay-invoices"]
    seen = office.template(card.path, again.workspace)
    values = {**seen.remembered, "folder": "invoices"}
    assert office.check_parameters(card.path, again.workspace, values) == {}
    second = office.start_run(card.path, again.workspace, values)
    fresh = living.gate_of(second)
    assert fresh.run_number == 2
    assert office.cancel_run(second, "wrong folder").startswith("Stopped.")
    assert office.runs(None).rows[0].words == "Cancelled"
    assert "wrong folder" in str(office.trail("wrong folder", None).entries[0]["summary"])
    closed = office.gate(fresh.gate_id)
    assert closed.document["state"] == "withdrawn"


def test_the_draft_and_the_gate_survive_a_runner_that_is_killed(living: LivingHome) -> None:
    office = living.office
    run_id = office.start_sample()
    gate = living.gate_of(run_id)
    draft = Draft(values={"choice.1": "hold"}, comment="later", seen=str(gate.document["digest"]))
    office.save_draft(gate.gate_id, draft)
    pid = office.runner().pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    until(lambda: office.runner().state is not RunnerState.RUNNING, "the window sees that it is gone")
    again = RealOffice(living.home)
    assert again.gate(gate.gate_id).draft == draft
    again.close()


def test_the_plug_is_pulled_for_real(living: LivingHome, tmp_path: Path) -> None:
    office = living.office
    run_id = office.start_sample()
    gate = living.gate_of(run_id)
    before = office.runner()
    plug = office.pull_the_plug(run_id)
    assert plug.trouble == ""
    assert before.pid is not None
    assert not Path(f"/proc/{before.pid}").exists() or "Z" in Path(f"/proc/{before.pid}/stat").read_text()
    back = until(lambda: _back(office, run_id, plug.ended_at), "the runner is back")
    assert (back.steps_repeated, back.effects_repeated) == (0, 0)
    assert office.runner().pid != before.pid
    office.decide(Answer(gate.gate_id, str(gate.document["digest"]), "answered", values=holding_everything(gate)))
    living.gate_of(run_id, but=gate.gate_id)
    later = office.after_the_plug(run_id, plug.ended_at)
    assert later.step == "ask"
    assert (later.steps_repeated, later.effects_repeated) == (0, 0)


def _back(office: RealOffice, run_id: str, ended_at: int) -> Any:
    plug = office.after_the_plug(run_id, ended_at)
    return plug if plug.back_at is not None else None


def test_without_a_runner_there_is_nothing_to_pull_and_a_step_that_stops_needs_repair(
    living: LivingHome, tmp_path: Path
) -> None:
    office = living.office
    workspace = tmp_path / "files"
    workspace.mkdir()
    folder = write_template(workspace)
    run_id = office.start_run(str(folder), str(workspace), {"text": "hello", "end": "fail"})
    gate = living.gate_of(run_id)
    (row,) = office.inbox(Tab.FOR_ME, None)
    assert (row.kind, row.bulk) == ("failure", "needs an answer of its own")
    assert "there is no ink" in row.why
    assert gate.about["error"]["message"] == "there is no ink"
    assert gate.about["kept"] == 0
    until(lambda: office.runs(None).rows[0].care == "Needs repair", "its run waits, too")
    pid = office.runner().pid
    assert pid is not None
    os.kill(pid, signal.SIGTERM)
    until(lambda: office.runner().state is RunnerState.OFF, "the runner ends")
    plug = office.pull_the_plug(run_id)
    assert plug.trouble == "The runner was off, so there was nothing to end. It starts now."
    until(lambda: office.runner().state is RunnerState.RUNNING, "the runner starts")
    office.decide(Answer(gate.gate_id, str(gate.document["digest"]), "answered", values={"choice": "stop"}))
    ended = living.follow(run_id, lambda progress: progress.state == "failed", "the run ends")
    assert ended.words.startswith("Stopped at ‘")
    changes = office.changes()
    assert changes is not None
    assert Part.RUNS in changes.parts
