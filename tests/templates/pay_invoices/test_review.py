"""The judgement of a folder: what can be paid, what a person must decide, what was settled before; every document exactly once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pay_invoices.duplicates import claim_key
from pay_invoices.invoices import Invoice, Unreadable
from pay_invoices.ledgers import EXPORTED, REJECTED, LedgerRow, VendorRow
from pay_invoices.problems import KINDS
from pay_invoices.reasons import day_shown
from pay_invoices.refusals import unreadable
from pay_invoices.review import InvoiceException, Review, claims_of, review
from pay_invoices.settlement import (
    Choices,
    archive_moves,
    batch,
    exported_rows,
    nothing_new,
    read_choices,
    rejected_rows,
    vendor_rows,
)
from templates.pay_invoices.cii_papers import cii_xml
from templates.pay_invoices.orders import IBAN, OTHER_IBAN, SELLER, TODAY, invoice, priced

AT = "2026-12-03T08:55:12Z"
VENDOR = VendorRow(SELLER.name, SELLER.vat_id, IBAN, date(2025, 1, 8), date(2026, 10, 5), "A-88", "3", 2)
MOVED = replace(VENDOR, iban=OTHER_IBAN)


def judge(
    *documents: Invoice | Unreadable,
    ledger: list[LedgerRow] | None = None,
    vendors: list[VendorRow] | None = None,
    elsewhere: dict[str, str] | None = None,
    today: date = TODAY,
    own_iban: str = "",
) -> Review:
    vendors = [VENDOR] if vendors is None else vendors
    return review(list(documents), ledger or [], vendors, elsewhere or {}, today, own_iban)


def only(found: Review) -> InvoiceException:
    assert found.payable == []
    assert len(found.exceptions) == 1
    return found.exceptions[0]


def exported(found: Review, run: str = "12") -> list[LedgerRow]:
    rows = exported_rows(found.payable, run=run, folder="invoices", payment_file=f"payments/{run}.xml", at=AT)
    return [replace(row, line=line) for line, row in enumerate(rows, 2)]


def test_a_clean_invoice_is_paid_as_it_says() -> None:
    found = judge(invoice())
    assert found.exceptions == []
    row = found.payable[0]
    assert (row.n, row.iban, row.amount, row.warnings, row.k, row.reason) == (1, IBAN, Decimal("369.00"), [], 0, "")
    assert (found.documents, found.total, found.claims) == (1, Decimal("369.00"), [claim_key(row.invoice)])


def test_an_empty_folder_is_a_result() -> None:
    found = judge()
    assert (found.documents, found.payable, found.exceptions, found.total) == (0, [], [], Decimal(0))
    assert nothing_new(found, [], "invoices") == "Nothing to do: 0 files."


UNPAYABLE: dict[str, Callable[[], Invoice]] = {
    "credit_note": lambda: invoice(type_code="381"),
    "not_payable_type": lambda: invoice(type_code="751"),
    "foreign_currency": lambda: invoice(currency="SEK"),
    "unclear_currency": lambda: replace(invoice(), currency=""),
    "nothing_due": lambda: invoice(prepaid=Decimal("369.00")),
    "unpayable_amount": lambda: replace(invoice(), due=Decimal("369.001")),
    "incomplete": lambda: replace(invoice(), number=""),
    "direct_debit": lambda: invoice(means="59"),
    "card": lambda: invoice(means="48", iban=""),
    "missing_iban": lambda: invoice(iban=""),
    "invalid_iban": lambda: invoice(iban="IE28AIBK93115212345678"),
    "outside_sepa": lambda: invoice(iban="TR330006100519786457841326"),
}


@pytest.mark.parametrize("kind", UNPAYABLE)
def test_nobody_can_pay_what_must_not_be_paid(kind: str) -> None:
    found = judge(UNPAYABLE[kind](), vendors=[])
    one = only(found)
    assert (one.kind, one.can_pay, one.k) == (kind, False, 1)
    assert one.reason.endswith(".")
    assert one.advice.endswith(".")
    with pytest.raises(ValueError, match="cannot be paid"):
        batch(found, {1: "because"})


@pytest.mark.parametrize("code", ["325", "999", ""])
def test_types_that_are_no_demand_are_not_paid(code: str) -> None:
    assert only(judge(replace(invoice(), type_code=code))).kind == "not_payable_type"


@pytest.mark.parametrize("code", ["380", "384", "386", "389", "326", "875", "877"])
def test_types_that_are_a_demand_are_paid(code: str) -> None:
    assert len(judge(invoice(type_code=code)).payable) == 1


def test_more_than_a_transfer_can_carry_is_not_paid() -> None:
    assert only(judge(replace(invoice(), due=Decimal("1000000000.00")))).kind == "unpayable_amount"


def test_only_what_is_still_due_is_paid() -> None:
    found = judge(invoice(prepaid=Decimal("69.00")))
    assert found.payable[0].amount == Decimal("300.00")


JUDGED: dict[str, Callable[[], Invoice]] = {
    "broken_sum": lambda: invoice(stated={"gross": Decimal("396.00")}),
    "broken_tax": lambda: invoice(stated={"tax": Decimal("68.00")}),
    "odd_field": lambda: replace(invoice(), issue_date=None),
}


@pytest.mark.parametrize("kind", JUDGED)
def test_a_person_may_pay_what_only_looks_wrong(kind: str) -> None:
    found = judge(JUDGED[kind]())
    one = only(found)
    assert (one.kind, one.can_pay) == (kind, True)
    rows = batch(found, {1: "Consent with the supplier by phone"})
    assert [(row.n, row.k, row.amount, row.reason) for row in rows] == [
        (1, 1, one.amount, "Consent with the supplier by phone")
    ]
    for reason in ("", "  "):
        with pytest.raises(ValueError, match="needs a reason"):
            batch(found, {1: reason})


def test_a_broken_sum_shows_both_figures() -> None:
    one = only(judge(invoice(stated={"gross": Decimal("396.00")})))
    assert [(fact.label, fact.old, fact.new, fact.old_source) for fact in one.facts] == [
        ("Gross amount: Net + tax.", "€369.00", "€396.00", "computed")
    ]


def test_a_changed_account_shows_old_and_new_and_where_each_stands() -> None:
    one = only(judge(invoice(), vendors=[MOVED]))
    assert (one.kind, one.can_pay, one.iban) == ("changed_account", True, IBAN)
    assert one.reason == "The account of “Arden & Hale Ltd” changed since 5 Oct 2026."
    account = one.facts[0]
    assert (account.old, account.new) == ("DE89 3704 0044 0532 0130 00", "IE29 AIBK 9311 5212 3456 78")
    assert account.old_source == "vendors.csv, line 2"
    assert account.new_source == "invoices/a.xml, field PayeeFinancialAccount/ID"


def test_an_account_used_before_the_last_one_is_a_change_too() -> None:
    older = replace(VENDOR, last_used=date(2026, 1, 1))
    one = only(judge(invoice(), vendors=[older, MOVED]))
    assert "back to one used before" in one.reason


def test_the_ledger_knows_accounts_as_well() -> None:
    ledger = exported(judge(invoice(number="A-99", iban=OTHER_IBAN), vendors=[]))
    one = only(judge(invoice(), ledger=ledger, vendors=[]))
    assert (one.kind, one.facts[0].old_source) == ("changed_account", "ledger.csv, line 2")


def test_a_borrowed_name_with_another_id_does_not_pass_for_a_first_payment() -> None:
    stranger = invoice(seller=replace(SELLER, vat_id="IE0000000X", company_id=""), iban=OTHER_IBAN)
    assert only(judge(stranger)).kind == "changed_account"


def test_a_supplier_never_paid_says_so() -> None:
    found = judge(invoice(), vendors=[])
    assert [(notice.kind, notice.text) for notice in found.payable[0].warnings] == [
        ("first_payment", "No earlier payment to compare with.")
    ]


def test_overdue_is_a_warning_from_the_day_after() -> None:
    assert judge(invoice(), today=date(2026, 12, 2)).payable[0].warnings == []
    texts = [judge(invoice(), today=day).payable[0].warnings[0].text for day in (date(2026, 12, 3), date(2026, 12, 5))]
    assert texts == ["Due on 2 Dec 2026: 1 day late.", "Due on 2 Dec 2026: 3 days late."]


def test_of_several_accounts_the_known_one_is_used() -> None:
    row = judge(invoice(iban=OTHER_IBAN, other_ibans=(IBAN,))).payable[0]
    assert (row.iban, row.warnings[0].kind) == (IBAN, "several_accounts")
    assert "IE29 AIBK 9311 5212 3456 78 is used" in row.warnings[0].text


def test_other_warnings() -> None:
    shared = replace(VENDOR, supplier="Somebody Else", supplier_id="DE1")
    found = judge(invoice(payee="Factor Bank", type_code="384", profile="urn:x"), vendors=[VENDOR, shared])
    assert [notice.kind for notice in found.payable[0].warnings] == [
        "shared_account",
        "other_payee",
        "correction",
        "unknown_profile",
    ]


def test_your_own_account_is_no_place_to_pay_to() -> None:
    one = only(judge(invoice(), vendors=[], own_iban=IBAN))
    assert (one.kind, one.can_pay) == ("own_account", False)
    assert (one.facts[0].old, one.facts[0].old_source) == ("IE29 AIBK 9311 5212 3456 78", "your account")
    # Pages name the buyer's account, too: another one beside it is the supplier's.
    row = judge(invoice(other_ibans=(OTHER_IBAN,)), vendors=[], own_iban=IBAN).payable[0]
    assert row.iban == OTHER_IBAN


def test_the_same_amount_under_another_number_is_a_warning_on_both() -> None:
    found = judge(invoice("a", number="A-1"), invoice("b", number="A-2"), invoice("c", number="A-3", issued=TODAY))
    texts = [[notice.text for notice in row.warnings if notice.kind == "alike"] for row in found.payable]
    assert texts[0] == [
        "Same supplier and amount as “A-2” of the same day, other number.",
        "Same supplier and amount as “A-3”, other number.",
    ]
    assert [len(told) for told in texts] == [2, 2, 2]
    apart = judge(invoice("a", number="A-1"), invoice("b", number="A-2", items=priced("1.00")))
    assert [row.warnings for row in apart.payable] == [[], []]


def test_the_same_amount_and_day_exported_before_is_a_warning() -> None:
    ledger = exported(judge(invoice()))
    told = [notice.text for notice in judge(invoice(number="A-101"), ledger=ledger).payable[0].warnings]
    assert told == ["Same supplier, amount and day as “A-100”, exported in run 12."]
    assert judge(invoice(number="A-101", issued=TODAY), ledger=ledger).payable[0].warnings == []


def test_what_a_person_pays_all_the_same_keeps_its_warnings() -> None:
    found = judge(invoice(), vendors=[MOVED])
    (row,) = batch(found, {1: "Called them"})
    assert [notice.text for notice in row.warnings] == [
        "Account changed: DE89 3704 0044 0532 0130 00 → IE29 AIBK 9311 5212 3456 78."
    ]


def test_the_same_invoice_in_two_forms_is_paid_once() -> None:
    found = judge(invoice("invoices/b.xml"), invoice("invoices/a.xml", cii_xml))
    assert [row.invoice.file for row in found.payable] == ["invoices/a.xml"]
    one = found.exceptions[0]
    assert (one.kind, one.can_pay, one.files) == ("same_invoice", False, ["invoices/b.xml"])
    assert "invoices/a.xml" in one.reason


def test_forms_that_name_two_accounts_are_paid_neither() -> None:
    found = judge(invoice("invoices/b.xml", iban=OTHER_IBAN), invoice("invoices/a.xml", cii_xml))
    assert found.payable == []
    assert [(one.kind, one.can_pay) for one in found.exceptions] == [("same_invoice", False), ("forms_disagree", False)]
    assert [fact.label for fact in found.exceptions[1].facts] == ["Account"]


def test_a_number_used_twice_is_put_to_a_person_on_both_sides() -> None:
    found = judge(invoice("invoices/a.xml"), invoice("invoices/b.xml", items=priced("999.00")))
    assert [(one.kind, one.can_pay) for one in found.exceptions] == [("number_reused", True)] * 2


def test_an_invoice_that_is_credited_here_is_put_to_a_person() -> None:
    note = invoice("invoices/c.xml", type_code="381", number="C-1", items=priced("10.00"), preceding="A-100")
    found = judge(invoice(), note)
    assert [one.kind for one in found.exceptions] == ["credited", "credit_note"]
    assert "“C-1” over €10.00" in found.exceptions[0].reason
    assert "“A-100”" in found.exceptions[1].reason


def test_an_invoice_in_another_open_gate_cannot_be_paid() -> None:
    held = {claim_key(invoice()): "Already in run 12, waiting for Anna."}
    one = only(judge(invoice(), elsewhere=held))
    assert (one.kind, one.can_pay, one.reason) == ("in_other_run", False, "Already in run 12, waiting for Anna.")
    assert claims_of([invoice(), invoice("b", cii_xml), unreadable("c", "empty_file")]) == list(held)


def test_an_exported_invoice_names_its_run_in_whatever_form_it_comes_back() -> None:
    ledger = exported(judge(invoice()))
    found = judge(invoice("invoices/new.xml", cii_xml), ledger=ledger)
    assert (found.payable, found.exceptions) == ([], [])
    assert found.exported[0].sentence == "Exported on 3 Dec 2026 in payments/12.xml, run 12."
    assert (found.exported[0].run, found.exported[0].file) == ("12", "invoices/new.xml")


def test_an_exported_number_with_another_amount_is_a_number_used_twice() -> None:
    one = only(judge(invoice(items=priced("5.00")), ledger=exported(judge(invoice()))))
    assert (one.kind, one.facts[0].old, one.facts[0].old_source) == (
        "number_reused",
        "€369.00",
        "ledger.csv, line 2, run 12",
    )


def test_a_correction_of_an_exported_invoice_is_put_to_a_person() -> None:
    correction = invoice("invoices/k.xml", number="A-100-K", type_code="384", preceding="A-100")
    one = only(judge(correction, ledger=exported(judge(invoice()))))
    assert (one.kind, one.can_pay) == ("correction", True)
    assert "which was exported in run 12" in one.reason


def test_a_rejected_file_is_not_asked_about_again_but_the_invoice_is() -> None:
    broken = invoice(stated={"gross": Decimal("396.00")})
    first = judge(broken, unreadable("invoices/x.png", "picture", sha256="cd" * 32))
    rows = rejected_rows(first.exceptions, {1: "Wrong total", 2: "Not ours"}, run="12", folder="invoices", at=AT)
    assert [(row.state, row.reason, row.file) for row in rows] == [
        (REJECTED, "Wrong total", "invoices/a.xml"),
        (REJECTED, "Not ours", "invoices/x.png"),
    ]
    again = judge(broken, unreadable("invoices/x.png", "picture", sha256="cd" * 32), ledger=rows)
    assert [one.sentence for one in again.rejected] == [
        "Rejected on 3 Dec 2026 in run 12: “Wrong total”.",
        "Rejected on 3 Dec 2026 in run 12: “Not ours”.",
    ]
    other_form = invoice("invoices/b.xml", cii_xml, stated={"gross": Decimal("396.00")})
    assert only(judge(other_form, ledger=rows)).kinds == ["rejected_before", "broken_sum"]


def test_rejecting_a_copy_leaves_its_original_alone() -> None:
    documents = [invoice("invoices/b.xml"), invoice("invoices/a.xml", cii_xml)]
    first = judge(*documents)
    rows = rejected_rows(first.exceptions, {1: "Twice"}, run="12", folder="invoices", at=AT)
    again = judge(*documents, ledger=rows)
    assert [row.invoice.file for row in again.payable] == ["invoices/a.xml"]
    assert [one.file for one in again.rejected] == ["invoices/b.xml"]


def test_several_problems_are_one_exception_and_one_unpayable_makes_it_unpayable() -> None:
    one = only(judge(invoice(stated={"gross": Decimal("396.00")}), vendors=[MOVED]))
    assert (one.kinds, one.can_pay) == (["changed_account", "broken_sum"], True)
    assert one.reason == "The account of “Arden & Hale Ltd” changed since 5 Oct 2026. The sums do not add up."
    both = only(judge(invoice(stated={"gross": Decimal("396.00")}, currency="SEK"), vendors=[MOVED]))
    assert (both.kind, both.can_pay) == ("foreign_currency", False)


def test_exceptions_a_person_can_decide_come_first() -> None:
    found = judge(
        unreadable("invoices/x.png", "picture"),
        invoice("invoices/c.xml", number="C-9", type_code="381"),
        invoice("invoices/b.xml", number="B-9", stated={"gross": Decimal("396.00")}),
    )
    assert [(one.k, one.kind) for one in found.exceptions] == [(1, "broken_sum"), (2, "unreadable"), (3, "credit_note")]


def test_kinds_are_recorded_and_never_renamed() -> None:
    assert KINDS == (
        "unreadable", "same_file", "same_invoice", "incomplete", "unproved", "page_disagrees", "credit_note", "not_payable_type",
        "unclear_currency", "foreign_currency", "nothing_due", "unpayable_amount", "in_other_run", "forms_disagree",
        "already_paid", "direct_debit", "card", "missing_iban", "invalid_iban", "several_accounts", "outside_sepa",
        "own_account",
        "changed_account", "number_reused", "correction", "credited", "rejected_before", "broken_sum", "broken_tax",
        "broken_line", "odd_field",
    )  # fmt: skip


def test_choices_are_read_from_the_answers() -> None:
    found = judge(
        invoice("invoices/b.xml", number="B-9", stated={"gross": Decimal("396.00")}),
        invoice("invoices/d.xml", number="D-9", stated={"gross": Decimal("396.00")}),
        invoice("invoices/c.xml", number="C-9", type_code="381"),
    )
    assert [one.choices for one in found.exceptions] == [["pay", "hold", "reject"]] * 2 + [["hold", "reject"]]
    assert read_choices(found.exceptions, {}) == Choices({}, {}, [1, 2, 3])
    answers = {
        "choice.1": "pay",
        "reason.1": " Confirmed ",
        "choice.3": "reject",
        "reason.3": "Settled",
        "choice.2": None,
    }
    assert read_choices(found.exceptions, answers) == Choices({1: "Confirmed"}, {3: "Settled"}, [2])
    with pytest.raises(ValueError, match=r"choice\.3 is “pay”; exception 3 can be: hold, reject\."):
        read_choices(found.exceptions, {"choice.3": "pay", "reason.3": "x"})
    with pytest.raises(ValueError, match=r"reason\.1 is missing"):
        read_choices(found.exceptions, {"choice.1": "reject"})


def test_rows_keep_their_numbers_when_others_are_held() -> None:
    found = judge(*(invoice(f"invoices/{n}.xml", number=f"N-{n}") for n in range(1, 5)))
    assert [row.n for row in batch(found, {}, [2, 4])] == [1, 3]
    with pytest.raises(ValueError, match="no row 9"):
        batch(found, {}, [9])
    with pytest.raises(ValueError, match="no exception 1"):
        batch(found, {1: "x"})


def test_a_second_run_over_a_finished_folder_names_the_first() -> None:
    documents = [invoice(f"invoices/{n}.xml", number=f"N-{n}") for n in range(14)]
    ledger = exported(judge(*documents), run="1")
    assert nothing_new(judge(ledger=ledger), ledger, "invoices") == "Nothing new: 14 of 14 exported in run 1."
    left_behind = judge(*documents, ledger=ledger)
    assert (len(left_behind.exported), left_behind.payable) == (14, [])
    assert nothing_new(left_behind, ledger, "invoices") == "Nothing new: 14 of 14 exported in run 1."
    assert nothing_new(judge(documents[0]), ledger, "invoices") == ""
    more = [*ledger, *exported(judge(invoice()), run="3"), replace(ledger[0], state=REJECTED)]
    assert (
        nothing_new(judge(ledger=more), more, "invoices") == "Nothing new: 15 of 16 exported in runs 1, 3, 1 rejected."
    )
    assert nothing_new(left_behind, [], "elsewhere") == "Nothing new: 14 of 14 files were settled before."


def test_vendor_rows_keep_the_first_day_and_one_row_per_account() -> None:
    found = judge(invoice("a", number="1"), invoice("b", number="2"))
    rows = vendor_rows(found.payable, [VENDOR], run="12", used_on=date(2026, 12, 3))
    assert [(row.iban, row.first_used, row.last_used, row.invoice, row.run) for row in rows] == [
        (IBAN, date(2025, 1, 8), date(2026, 12, 3), "2", "12")
    ]
    fresh = vendor_rows(found.payable, [], run="12", used_on=date(2026, 12, 3))
    assert fresh[0].first_used == date(2026, 12, 3)


def test_ledger_rows_say_what_was_written() -> None:
    row = exported(judge(invoice(prepaid=Decimal("69.00"))))[0]
    assert (row.state, row.amount, row.gross, row.iban) == (EXPORTED, Decimal("300.00"), Decimal("369.00"), IBAN)
    assert (row.payment_file, row.end_to_end_id, row.run, row.at) == ("payments/12.xml", "R12-1-A-100", "12", AT)


def test_moves_never_land_on_a_file_that_is_there() -> None:
    found = judge(
        invoice("invoices/a.xml", number="1"), invoice("more/A.xml", number="2"), invoice("invoices/b", number="3")
    )
    assert archive_moves(found.payable, ["archive/b", "archive/b-2"]) == [
        ("invoices/a.xml", "archive/a.xml"),
        ("more/A.xml", "archive/A-2.xml"),
        ("invoices/b", "archive/b-3"),
    ]


def test_months_do_not_follow_the_process() -> None:
    assert [day_shown(date(2026, month, 1))[2:5] for month in (3, 5, 10, 12)] == ["Mar", "May", "Oct", "Dec"]


MIXED: list[Invoice | Unreadable] = [
    invoice("invoices/1.xml"),
    invoice("invoices/2.xml", cii_xml),
    invoice("invoices/3.xml", number="N-3", type_code="381"),
    invoice("invoices/4.xml", number="N-4", currency="SEK"),
    invoice("invoices/5.xml", number="N-5", items=priced("7.00")),
    invoice("invoices/6.xml", number="N-5", items=priced("8.00")),
    unreadable("invoices/7.png", "picture"),
    invoice("invoices/8.xml", number="N-8"),
]


@given(st.permutations(MIXED))
def test_every_document_comes_out_exactly_once_in_any_order(documents: list[Invoice | Unreadable]) -> None:
    ledger = exported(judge(MIXED[-1]))
    found = judge(*documents, ledger=ledger)
    files = [row.invoice.file for row in found.payable] + [file for one in found.exceptions for file in one.files]
    files += [one.file for one in [*found.exported, *found.rejected]]
    assert sorted(files) == [one.file for one in MIXED]
    assert found == judge(*MIXED, ledger=ledger)
