"""Rounds of pay-invoices: what people say is kept by invoice, and every round looks again on what is there now."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from counterfoil import Folder
from counterfoil.catalogue.loading import load_workflow
from counterfoil.errors import ClaimedElsewhere, WrongAnswer
from counterfoil.testing import Crashed, Harness
from pay_invoices.ledgers import VENDOR_COLUMNS, VendorRow, table_bytes, vendor_cells
from templates.pay_invoices.orders import IBAN, OTHER_IBAN, SELLER, paper, priced
from templates.pay_invoices.papers import ubl_xml

TEMPLATE = Path(__file__).resolve().parents[3] / "workflows/pay-invoices"
OWN = "DE75512108001245126199"
KNOWN = VendorRow(SELLER.name, SELLER.vat_id, IBAN, date(2025, 1, 8), date(2026, 10, 5), "A-88", "3")
BROKEN: dict[str, Any] = {"stated": {"gross": Decimal("777.77")}}
BRIGHT = replace(SELLER, name="Brightwater Logistics Ltd", vat_id="GB999999973", company_id="")
BRIGHT_OLD = VendorRow(BRIGHT.name, BRIGHT.vat_id, "GB94BARC10201530093459", None, date(2026, 11, 12), "BW-1", "2")


class Desk:
    """A workspace with a folder of invoices, and runs on it that share one home."""

    def __init__(self, root: Path) -> None:
        self.workspace = root / "team"
        self.folder = self.workspace / "invoices"
        self.folder.mkdir(parents=True)
        self.vendors(KNOWN, BRIGHT_OLD)
        self._home = root / "home"
        self._open: list[Harness] = []

    def vendors(self, *rows: VendorRow) -> None:
        """Write the vendor ledger anew."""
        table = table_bytes(VENDOR_COLUMNS, [vendor_cells(row) for row in rows])
        (self.workspace / "vendors.csv").write_bytes(table)

    def put(self, number: str, net: str = "", **changes: Any) -> Path:
        """An invoice in the folder, called like its number."""
        items = {"items": priced(net)} if net else {}
        path = self.folder / f"{number}.xml"
        path.write_bytes(ubl_xml(paper(**{"number": number, **items, **changes})))
        return path

    def run(self, **parameters: Any) -> Harness:
        """A run that has not begun."""
        harness = Harness(self.workspace, home=self._home)
        self._open.append(harness)
        given = {"folder": Folder("invoices"), "debtor_name": "Larkfield Trading GmbH", "debtor_iban": OWN}
        harness.start(load_workflow(TEMPLATE, "pay-invoices"), **{**given, "pay_on": date(2026, 12, 2), **parameters})
        return harness

    def begun(self, **parameters: Any) -> Harness:
        """A run at its first stop."""
        harness = self.run(**parameters)
        assert harness.advance() == "waiting"
        return harness

    def ledger(self) -> dict[str, dict[str, str]]:
        """The rows of the ledger by invoice number, or by file where there is none."""
        path = self.workspace / "ledger.csv"
        if not path.exists():
            return {}
        with path.open(encoding="utf-8", newline="") as source:
            return {row["number"] or row["file"]: row for row in csv.DictReader(source)}

    def close(self) -> None:
        """Let go of every run's database."""
        for harness in self._open:
            harness.close()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Four clean invoices of one supplier: rows 1 to 4."""
    made = Desk(tmp_path)
    for number, net in (("N-1", "10.00"), ("N-2", "20.00"), ("N-3", "30.00"), ("N-4", "40.00")):
        made.put(number, net)
    yield made
    made.close()


def evidence(run: Harness, title: str) -> list[dict[str, Any]]:
    """The rows of a table at the open gate; none where it is not there."""
    pieces = [piece for piece in run.spec()["evidence"] if piece["title"] == title and piece["kind"] == "table@1"]
    return [dict(zip(piece["data"]["columns"], row, strict=True)) for piece in pieces for row in piece["data"]["rows"]]


def paid(run: Harness) -> list[str]:
    """The invoice numbers of the payments at the open gate."""
    return [row["Invoice"] for row in evidence(run, "Payments")]


def choices_of(run: Harness) -> dict[str, list[str] | None]:
    """The fields of the open gate and what may be chosen in them."""
    return {field["name"]: field["choices"] for field in run.spec()["fields"]}


def account(run: Harness) -> str:
    """The sentence that accounts for every file."""
    pieces = [piece["data"] for piece in run.spec()["evidence"] if piece["title"] == "What lies in the folder"]
    return str(pieces[0])


def answer(run: Harness, **given: str) -> None:
    """Answer the question; `choice_1="pay"` is its field choice.1."""
    answers: dict[str, Any] = {name.replace("_", "."): value for name, value in given.items()}
    run.answer(**answers)


def finish(run: Harness) -> dict[str, Any]:
    """Approve what is asked, and the result, whose figures add up."""
    run.approve()
    assert run.advance() == "done", run.spec()["title"]
    result: dict[str, Any] = run.result()
    parts = ("exported", "held", "rejected", "settled_before")
    assert result["files"] == sum(result[part] for part in parts)
    return result


ANSWERS = ("pay", "hold", "reject")


@pytest.mark.parametrize("first", ANSWERS)
@pytest.mark.parametrize("second", ANSWERS)
def test_exceptions_answered_in_every_combination(desk: Desk, first: str, second: str) -> None:
    desk.put("B-1", "51.00", **BROKEN)
    desk.put("B-2", "52.00", **BROKEN)
    run = desk.begun()
    assert run.spec()["title"] == "2 invoices need your answer before payment"
    answer(run, choice_1=first, reason_1="One", choice_2=second, reason_2="Two")
    assert run.advance() == "waiting"
    chosen = {"B-1": first, "B-2": second}
    pay = [number for number, choice in chosen.items() if choice == "pay"]
    assert sorted(paid(run)) == sorted(["N-1", "N-2", "N-3", "N-4", *pay])
    told = {row["Invoice"]: (row["State"], row["By"]) for row in evidence(run, "Not in this file")}
    states = {"hold": "Held", "reject": "Rejected"}
    assert told == {number: (states[choice], "Test") for number, choice in chosen.items() if choice != "pay"}
    result = finish(run)
    counts = [list(chosen.values()).count(choice) for choice in ANSWERS]
    assert [result["exported"] - 4, result["held"], result["rejected"]] == counts
    written = {number: row["state"] for number, row in desk.ledger().items() if number.startswith("B")}
    states = {"pay": "exported", "reject": "rejected"}
    assert written == {number: states[choice] for number, choice in chosen.items() if choice != "hold"}


def test_only_rejections_are_recorded_without_a_payment_file(desk: Desk) -> None:
    for file in desk.folder.iterdir():
        file.unlink()
    desk.put("B-1", "51.00", **BROKEN)
    run = desk.begun()
    answer(run, choice_1="reject", reason_1="Not ours")
    assert run.advance() == "waiting"
    assert run.spec()["title"] == "Record 1 rejection in ledger.csv"
    assert choices_of(run) == {"include": ["1"]}
    assert finish(run)["payment_file"] is None
    assert desk.ledger()["B-1"]["reason"] == "Not ours"


def test_a_held_row_stays_in_sight_and_can_be_taken_in_again(desk: Desk) -> None:
    run = desk.begun()
    assert choices_of(run) == {"hold": ["1", "2", "3", "4"]}
    run.send_back("They sent it twice", hold=[3])
    assert run.advance() == "waiting"
    assert paid(run) == ["N-1", "N-2", "N-4"]
    (left,) = evidence(run, "Not in this file")
    assert (left["No."], left["Invoice"], left["State"], left["By"], left["Why"]) == (
        3,
        "N-3",
        "Held",
        "Test",
        "They sent it twice",
    )
    assert choices_of(run) == {"hold": ["1", "2", "4"], "include": ["3"]}
    assert run.spec()["flags"][0] == f"Test holds {SELLER.name} N-3: “They sent it twice”."
    # Approving with a list that makes the plan anew is a way to send it back.
    assert run.approve(hold=[1], include=[3]).verdict == "returned"
    assert run.advance() == "waiting"
    assert paid(run) == ["N-2", "N-3", "N-4"]
    assert run.spec()["round"] == 3
    result = finish(run)
    assert (result["exported"], result["held"], result["total"]["amount"]) == (3, 1, {"$dec": "90.00"})


def test_a_row_that_is_not_there_is_refused_at_once(desk: Desk) -> None:
    run = desk.begun()
    with pytest.raises(WrongAnswer, match="There is no ‘99’"):
        run.send_back("no", hold=[99])
    with pytest.raises(WrongAnswer, match="include"):
        run.send_back("no", include=[1])
    assert run.gate()["state"] == "open"


def test_sent_back_with_a_comment_only_looks_again(desk: Desk) -> None:
    run = desk.begun()
    desk.put("N-5", "50.00")
    run.send_back("One is still missing")
    assert run.advance() == "waiting"
    assert paid(run) == ["N-1", "N-2", "N-3", "N-4", "N-5"]
    assert run.spec()["flags"][:2] == ["Sent back by Test: “One is still missing”.", "invoices/N-5.xml is new."]
    assert finish(run)["exported"] == 5


def test_a_question_that_is_sent_back_is_asked_again(desk: Desk) -> None:
    desk.put("B-1", "51.00", **BROKEN)
    run = desk.begun()
    (desk.folder / "B-1.xml").unlink()
    run.send_back("I took it out")
    assert run.advance() == "waiting"
    assert run.spec()["kind"] == "approval"
    assert run.spec()["flags"][:2] == [
        "Sent back by Test: “I took it out”.",
        "invoices/B-1.xml is gone; 4 payments remain.",
    ]


def test_a_file_that_vanishes_between_the_stops_is_not_in_the_next(desk: Desk) -> None:
    desk.put("B-1", "51.00", **BROKEN)
    run = desk.begun()
    (desk.folder / "N-2.xml").unlink()
    run.answer()
    assert run.advance() == "waiting"
    assert paid(run) == ["N-1", "N-3", "N-4"]
    assert run.spec()["flags"][0] == "invoices/N-2.xml is gone; 3 payments remain."
    assert account(run) == "4 files = 3 ready + 1 to look at + 0 exported before + 0 rejected before."
    assert finish(run)["exported"] == 3


def test_a_file_that_vanishes_after_the_approval_voids_it(desk: Desk) -> None:
    run = desk.begun()
    run.approve()
    (desk.folder / "N-2.xml").unlink()
    assert run.advance() == "waiting"
    assert run.spec()["flags"][:2] == [
        "invoices/N-2.xml changed since Test approved; nothing was written.",
        "invoices/N-2.xml is gone; 3 payments remain.",
    ]
    assert not (desk.workspace / "payments").exists()
    assert finish(run)["exported"] == 3
    assert sorted(desk.ledger()) == ["N-1", "N-3", "N-4"]


def test_a_vendor_ledger_that_changed_after_the_approval_is_judged_anew(desk: Desk) -> None:
    run = desk.begun()
    run.send_back("wait", hold=[4])
    assert run.advance() == "waiting"
    run.approve()
    desk.vendors(replace(KNOWN, iban=OTHER_IBAN))
    assert run.advance() == "waiting"
    assert run.spec()["kind"] == "question"
    assert run.spec()["title"] == "4 invoices need your answer before payment"
    assert "vendors.csv changed since Test approved; nothing was written." in run.spec()["flags"]
    assert desk.ledger() == {}
    chosen = {f"choice_{k}": "pay" for k in range(1, 5)}
    answer(run, **chosen, **{f"reason_{k}": "Called them" for k in range(1, 5)})
    assert run.advance() == "waiting"
    assert paid(run) == ["N-1", "N-2", "N-3"]  # what was held stays held
    assert finish(run)["exported"] == 3


def test_an_answer_is_not_asked_for_again_unless_its_facts_changed(desk: Desk) -> None:
    desk.put("B-1", "51.00", **BROKEN)
    desk.put("B-2", "52.00", **BROKEN)
    run = desk.begun()
    answer(run, choice_1="pay", reason_1="Consent")
    assert run.advance() == "waiting"
    run.send_back("look again")
    assert run.advance() == "waiting"
    assert (run.spec()["kind"], "B-1" in paid(run)) == ("approval", True)
    desk.put("B-1", "51.00", stated={"gross": Decimal("777.77")}, iban=OTHER_IBAN)
    run.send_back("look again")
    assert run.advance() == "waiting"
    assert run.spec()["title"] == "1 invoice needs your answer before payment"
    assert choices_of(run)["choice.1"] == ["pay", "hold", "reject"]
    assert [row["Invoice"] for row in evidence(run, "Decided already")] == ["B-2"]
    run.answer()
    assert run.advance() == "waiting"
    assert "B-1" not in paid(run)


def test_a_rejected_one_that_is_taken_in_again_is_asked_about_anew(desk: Desk) -> None:
    desk.put("B-1", "51.00", **BROKEN)
    run = desk.begun()
    answer(run, choice_1="reject", reason_1="Wrong")
    assert run.advance() == "waiting"
    assert run.spec()["title"] == "Write payment file for 4 invoices and record 1 rejection"
    run.approve(include=[5])
    assert run.advance() == "waiting"
    assert run.spec()["kind"] == "question"
    answer(run, choice_1="pay", reason_1="Right after all")
    assert run.advance() == "waiting"
    run.approve(hold=[5])  # what was chosen to be paid can be held, and comes back without a question
    assert run.advance() == "waiting"
    assert "B-1" not in paid(run)
    run.approve(include=[5])
    assert run.advance() == "waiting"
    assert "B-1" in paid(run)
    assert finish(run)["exported"] == 5


def test_what_was_rejected_never_comes_back_by_itself(desk: Desk) -> None:
    desk.put("B-1", "60.00", seller=BRIGHT, iban="GB29NWBK60161331926819")
    run = desk.begun()
    answer(run, choice_1="reject", reason_1="A fraud")
    assert run.advance() == "waiting"
    desk.vendors(KNOWN)  # without the old account nothing stands against it any more
    run.send_back("look again")
    assert run.advance() == "waiting"
    assert "B-1" not in paid(run)
    (left,) = evidence(run, "Not in this file")
    assert (left["State"], left["By"], left["Why"]) == ("Held", "Test", "Rejected when it needed an answer. “A fraud”")
    run.approve(include=[left["No."]])
    assert run.advance() == "waiting"
    assert "B-1" in paid(run)


def test_a_changed_account_that_is_paid_is_told_first(desk: Desk) -> None:
    desk.put("BW-7741", "9112.50", seller=BRIGHT, iban="GB29NWBK60161331926819", due_on=date(2026, 11, 1))
    run = desk.begun()
    answer(run, choice_1="pay", reason_1="Called their office")
    assert run.advance() == "waiting"
    told = "Account changed: GB94 BARC 1020 1530 0934 59 → GB29 NWBK 6016 1331 9268 19."
    flags = run.spec()["flags"]
    assert flags[0] == f"Brightwater Logistics Ltd BW-7741: {told} Included because: “Called their office”."
    row = next(row for row in evidence(run, "Payments") if row["Invoice"] == "BW-7741")
    assert row["Warnings"] == f"{told}; Due on 1 Nov 2026: 31 days late."
    assert row["Reason"] == "Called their office"


def test_rows_and_moves_are_shown_as_they_are_written(desk: Desk) -> None:
    (desk.workspace / "archive").mkdir()
    (desk.workspace / "archive/N-1.xml").touch()
    desk.put("B-1", "51.00", **BROKEN)
    run = desk.begun()
    answer(run, choice_1="reject", reason_1="Wrong")
    assert run.advance() == "waiting"
    moves = evidence(run, "Files moved")
    assert moves[0] == {"From": "invoices/N-1.xml", "To": "archive/N-1-2.xml", "Note": "renamed: the name is taken"}
    assert [row["Note"] for row in moves[1:]] == ["", "", ""]
    assert [(row["State"], row["Number"]) for row in evidence(run, "Rows for the ledger")] == [
        ("exported", "N-1"), ("exported", "N-2"), ("exported", "N-3"), ("exported", "N-4"), ("rejected", "B-1"),
    ]  # fmt: skip
    assert [row["Iban"] for row in evidence(run, "Rows for the vendor ledger")] == [IBAN]
    run.tick(timedelta(days=1))
    finish(run)
    assert (desk.workspace / "archive/N-1-2.xml").exists()
    assert {row["at"] for row in desk.ledger().values()} == {"2026-11-30"}


def test_a_second_run_finds_nothing_new_and_accounts_for_every_file(desk: Desk) -> None:
    desk.put("B-1", "51.00", **BROKEN)
    (desk.folder / "later").mkdir()
    os.mkfifo(desk.folder / "pipe")
    first = desk.begun()
    assert account(first).endswith("; not read: 1 sub-folder, 1 pipe or device.")
    assert [row["Name"] for row in evidence(first, "Not read")] == ["invoices/later", "invoices/pipe"]
    answer(first, choice_1="reject", reason_1="Wrong")
    first.advance()
    finish(first)
    desk.put("N-1", "10.00")  # it comes back
    second = desk.run()
    assert second.advance() == "done"
    assert second.result()["summary"] == (
        "Nothing new: 4 of 5 exported in run 1, 1 rejected. "
        "2 files = 0 ready + 0 to look at + 1 exported before (run 1) + 1 rejected before (run 1); "
        "not read: 1 sub-folder, 1 pipe or device."
    )
    assert second.result()["settled_before"] == 2
    desk.put("N-9", "9.00")
    third = desk.begun()
    assert account(third).startswith("3 files = 1 ready + 0 to look at + 1 exported before (run 1) + 1 rejected")
    assert [row["Invoice"] for row in evidence(third, "Settled before")] == ["N-1", "B-1"]


def test_a_second_run_cannot_take_what_waits_in_the_first(desk: Desk) -> None:
    first = desk.begun()
    second = desk.begun()
    assert second.spec()["title"] == "4 files are set aside before payment"
    assert second.spec()["flags"][:2] == [
        "4 of these invoices are already in run 1, waiting for you. They are held and cannot be included until that gate is closed.",
        "1. Already in run 1, waiting for you.",
    ]
    second.answer()
    assert second.advance() == "done"
    assert second.result()["summary"].startswith("Everything is held. Nothing was written. 4 files = 0 ready + 4")
    assert finish(first)["exported"] == 4


def test_of_two_open_gates_on_one_folder_one_can_be_approved(desk: Desk) -> None:
    second = desk.run()
    second.crash_at("after_record", 3)  # it has looked for claims, and found none
    with pytest.raises(Crashed):
        second.advance()
    first = desk.begun()
    assert second.advance() == "waiting"
    assert paid(first) == paid(second) == ["N-1", "N-2", "N-3", "N-4"]
    assert finish(first)["exported"] == 4
    with pytest.raises(ClaimedElsewhere):
        second.approve()
    second.send_back("They are in the other run")
    assert second.advance() == "done"
    assert second.result()["summary"].startswith("Nothing new: 4 of 4 exported in run")
    assert "are gone" in second.result()["summary"]
    assert len(desk.ledger()) == 4


def test_what_another_run_let_go_is_held_until_somebody_takes_it_in(desk: Desk) -> None:
    first = desk.begun()
    desk.put("N-9", "90.00")
    second = desk.begun()
    second.answer()
    assert second.advance() == "waiting"
    assert paid(second) == ["N-9"]
    assert second.spec()["flags"][0].startswith(
        "4 of these invoices are already in run 1, waiting for you. They are held"
    )
    first.reject("Not today")
    first.advance()
    second.send_back("The other run was rejected")
    assert second.advance() == "waiting"
    assert paid(second) == ["N-9"]
    assert choices_of(second)["include"] == ["1", "2", "3", "4"]
    second.approve(include=[1, 2, 3, 4])
    assert second.advance() == "waiting"
    assert finish(second)["exported"] == 5


def test_an_invoice_that_names_your_own_account_is_not_paid(desk: Desk) -> None:
    desk.put("O-1", "70.00", iban=OWN)
    desk.put("O-2", "71.00", iban=OWN, other_ibans=(IBAN,))
    run = desk.begun(debtor_iban="de75 5121 0800 1245 1261 99")
    assert run.spec()["title"] == "1 file is set aside before payment"
    assert run.spec()["flags"][0].startswith("1. The account it names is your own, the one that is paid from.")
    run.answer()
    assert run.advance() == "waiting"
    accounts = {row["Invoice"]: row["Account"] for row in evidence(run, "Payments")}
    assert accounts["O-2"] == "IE29 AIBK 9311 5212 3456 78"
    assert "O-1" not in accounts


def test_a_day_of_payment_that_passes_while_the_gate_waits_is_moved_and_asked_again(desk: Desk) -> None:
    run = desk.begun()
    run.tick(timedelta(days=5))
    run.approve()
    assert run.advance() == "waiting"
    assert dict(run.spec()["figures"])["Pay on"] == {"$date": "2026-12-05"}
    assert run.spec()["flags"] == [
        "2 Dec 2026 has passed: the bank is asked to pay on 5 Dec 2026.",
        "4 payments are due before 5 Dec 2026: €100.00.",
        "5 Dec 2026 is a Saturday: banks execute on 7 Dec 2026.",
    ]
    finish(run)
    (written,) = (desk.workspace / "payments").iterdir()
    assert b"<Dt>2026-12-05</Dt>" in written.read_bytes()


def test_a_day_that_no_bank_takes_ends_the_run_in_words(desk: Desk) -> None:
    run = desk.run(pay_on=date(2028, 1, 1))
    assert run.advance() == "done"
    assert "more than a year away" in run.result()["summary"]
    assert desk.ledger() == {}


def test_everything_held_ends_without_a_word_to_the_ledger(desk: Desk) -> None:
    run = desk.begun()
    run.send_back("Not now", hold=[1, 2, 3, 4])
    assert run.advance() == "done"
    assert run.result()["summary"].startswith("Everything is held. Nothing was written.")
    assert (run.result()["held"], desk.ledger()) == (4, {})


def test_the_tables_themselves_are_no_invoices(desk: Desk) -> None:
    for file in desk.folder.iterdir():
        file.rename(desk.workspace / file.name)
    desk.folder.rmdir()
    run = desk.begun(folder=Folder("."))
    assert paid(run) == ["N-1", "N-2", "N-3", "N-4"]
    assert finish(run)["files"] == 4


def carried_through(run: Harness, desk: Desk) -> None:
    """Every kind of round once, each decided when the run waits."""
    steps: list[Callable[[], object]] = [
        lambda: answer(run, choice_1="pay", reason_1="Consent"),
        lambda: run.send_back("wait", hold=[2]),
        run.approve,
    ]
    state = ""
    while state != "done":
        try:
            state = run.advance()
        except Crashed:
            continue
        if state == "waiting":
            steps.pop(0)()
            if not steps:
                desk.vendors(KNOWN, replace(KNOWN, supplier="Another", supplier_id="X", iban=OTHER_IBAN))
                steps.append(run.approve)


@pytest.mark.parametrize("visit", [2, 6, 9, 13, 17, 20, 24])
def test_killed_in_any_round_it_ends_the_same(tmp_path: Path, visit: int) -> None:
    endings = []
    for name, at in (("calm", 0), ("killed", visit)):
        desk = Desk(tmp_path / name)
        for number, net in (("N-1", "10.00"), ("N-2", "20.00")):
            desk.put(number, net)
        desk.put("B-1", "51.00", **BROKEN)
        run = desk.run()
        if at:
            run.crash_at("after_record", at)
        carried_through(run, desk)
        kinds = sorted((row["path"], row["ordinal"], row["kind"], row["name"]) for row in run.records())
        endings.append((run.result(), desk.ledger(), kinds))
        desk.close()
    assert endings[0] == endings[1]
    assert endings[0][0]["exported"] == 2
