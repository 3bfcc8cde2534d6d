"""What a gate asks and what its one button therefore says: reading a document, filling it in, deciding. No window."""

import dataclasses
from datetime import date
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from counterfoil.desktop.gate.allowing import may_be_allowed
from counterfoil.desktop.gate.arguments import facts_of
from counterfoil.desktop.gate.carrying import carry_over
from counterfoil.desktop.gate.head import leaves_by, state_banner
from counterfoil.desktop.gate.reading import Reading, read
from counterfoil.desktop.gate.session import CLOSED, GUARD_US, READY, WAITING, Session
from counterfoil.desktop.gate_facts import Draft
from counterfoil.desktop.words.gates import closed
from counterfoil.desktop.words.traces import own_lines
from desktop import figures
from desktop.figures import ME, NEW, NOW, OLD, seen

TODAY = date(2026, 11, 30)


def session(document: dict[str, Any], **more: Any) -> Session:
    return Session(read(seen(document, **more), TODAY), NOW)


@pytest.fixture
def reading() -> Reading:
    return read(seen(figures.exceptions()), TODAY)


def test_rows_that_need_an_answer_carry_their_evidence(reading: Reading) -> None:
    brightwater, quinta = reading.answers
    assert brightwater.title == "Brightwater Logistics Ltd BW-7741 · €9,112.50"
    assert brightwater.flag == "Account changed since 12 Nov."
    assert brightwater.help == figures.ADVICE
    assert [(fact.value.replace(" ", ""), fact.mark) for fact in brightwater.facts] == [(OLD, "−"), (NEW, "+")]
    assert brightwater.facts[0].source.startswith("vendors.csv")
    assert brightwater.reasoned == {"pay", "reject"}
    assert [fact.name for fact in quinta.facts] == ["Net", "VAT", "Net + VAT", "Invoice says", "From", "File"]


def test_what_stands_in_the_rows_is_no_section_again(reading: Reading) -> None:
    assert [section.title for section in reading.sections] == ["Checks", "Sources"]
    assert reading.flags == ()
    assert reading.form == ()


def test_a_sentence_about_the_whole_gate_stands_above_rows_that_keep_theirs() -> None:
    gate, counted = figures.exceptions(), "2 of these invoices are already in run 12, waiting for Anna."
    gate["flags"] = [counted, "1. Already in run 12.", "2. Wrong sum."]
    apart = read(seen(gate), TODAY)
    assert apart.flags == (counted,)
    assert [row.flag for row in apart.answers] == ["Already in run 12.", "Wrong sum."]
    gate["flags"] = [counted, *figures.FLAGS]
    assert read(seen(gate), TODAY).flags == tuple(gate["flags"]), "which belong to rows is not known"


def test_the_batch_can_hold_rows_of_its_table() -> None:
    batch = read(seen(figures.batch(), bodies=figures.BODIES), TODAY)
    assert (batch.hold, batch.held_table) == ("hold", "evidence-1")
    assert [(section.title, section.count) for section in batch.sections] == [
        ("Payments", 12),
        ("Checks", 112),
        ("Files", 15),
        ("Sources", 2),
    ]
    assert len(batch.flags) == 1


def test_what_leaves_the_house_comes_first() -> None:
    mail = read(seen(figures.credit_note(), bodies=(figures.MAIL_BODY,)), TODAY)
    assert mail.effects_first == (
        "If you approve: 1 mail is sent to accounts@ardenhale.example. It cannot be taken back.",
    )
    assert mail.sections[0].title == "What is sent"


def test_nothing_is_chosen_by_itself() -> None:
    fresh = session(figures.exceptions())
    assert fresh.primary().words == "Answer 2 rows first"
    assert fresh.primary().state == WAITING
    assert fresh.primary().aim == "1"


def test_answers_are_counted_and_reasons_asked_for() -> None:
    filled = session(figures.exceptions())
    filled.choose("1", "reject")
    assert len(filled.open_rows()) == 2
    assert (filled.primary().words, filled.primary().aim) == ("Answer 2 rows first", "reason.1")
    filled.choose("1", "hold")
    assert filled.primary().words == "Answer 1 row first"
    filled.choose("2", "reject")
    assert (filled.primary().words, filled.primary().aim) == ("Give 1 reason first", "reason.2")
    filled.fill("reason.2", "wrong total")
    primary = filled.primary()
    assert (primary.words, primary.state, primary.verdict) == ("Hold 1, reject 1", READY, "answered")
    answer = filled.answer()
    assert answer.values == {"choice.1": "hold", "choice.2": "reject", "reason.2": "wrong total"}
    assert answer.digest == filled.reading.digest


def test_a_blank_reason_is_none() -> None:
    filled = session(figures.exceptions())
    filled.choose("1", "pay")
    filled.choose("2", "hold")
    filled.fill("reason.1", "   ")
    assert filled.primary().state == WAITING


def test_approving_names_what_it_covers() -> None:
    batch = session(figures.batch(), bodies=figures.BODIES)
    assert batch.primary().words == "Approve 3 files, 12 moves"
    assert batch.answer().verdict == "approved"
    assert batch.answer().only is None


def test_held_rows_send_the_batch_back() -> None:
    batch = session(figures.batch(), bodies=figures.BODIES)
    batch.held = (2, 5)
    assert batch.primary().words == "Hold 2 rows, ask again"
    answer = batch.answer()
    assert (answer.verdict, answer.values["hold"]) == ("returned", [2, 5])
    assert answer.comment == "Hold row 2 and row 5."  # sending back needs a reason, and the held rows are it


def test_files_that_still_load_are_said() -> None:
    batch = session(figures.batch(), bodies=figures.BODIES)
    batch.loading = 2
    assert batch.primary().words == "Loading 2 files…"
    assert batch.primary().state == CLOSED


def test_who_may_not_decide_reads_why() -> None:
    barred = session(figures.batch(), may_decide=False, why_not="Only Ben or Carla can approve")
    assert barred.primary().words == "Only Ben or Carla can approve"


def test_a_gate_that_is_closed_takes_nothing() -> None:
    assert session(figures.batch() | {"state": "withdrawn"}).primary().state == CLOSED


def test_required_fields_of_a_question() -> None:
    asked = session(figures.question())
    assert (asked.primary().words, asked.primary().aim) == ("Fill in 1 field first", "cost_centre")
    asked.fill("cost_centre", "Sales")
    assert asked.primary().words == "Give this answer"
    assert asked.answer().values == {"cost_centre": "Sales"}


@pytest.mark.parametrize("choice", ["happened", "not_happened", "stop"])
def test_a_doubt_has_no_button_of_its_own_and_no_default(choice: str) -> None:
    doubt = session(figures.doubt(), about=figures.DOUBT_ABOUT)
    assert doubt.reading.form == ()
    assert doubt.primary().state == CLOSED
    answer = doubt.chosen(choice, comment="looked it up")
    assert (answer.verdict, answer.values["choice"]) == ("answered", choice)


def test_a_bar_takes_nothing_right_after_its_gate_changed() -> None:
    fresh = session(figures.batch())
    assert fresh.guarded(NOW + GUARD_US - 1)
    assert not fresh.guarded(NOW + GUARD_US)


def test_a_draft_comes_back_as_it_was() -> None:
    filled = session(figures.exceptions())
    filled.choose("1", "hold")
    filled.comment = "ask Ben"
    again = Session(read(seen(figures.exceptions(), draft=filled.draft()), TODAY), NOW)
    assert again.values == {"choice.1": "hold"}
    assert again.comment == "ask Ben"
    assert not filled.draft().empty
    assert Draft().empty


def test_a_draft_of_fields_that_are_gone_is_dropped() -> None:
    assert session(figures.question(), draft=Draft(values={"choice.9": "pay"})).values == {}


def test_changed_rows_are_answered_anew_and_the_others_kept() -> None:
    old = session(figures.exceptions())
    old.choose("1", "hold")
    old.choose("2", "hold")
    changed = figures.exceptions()
    changed["evidence"][2]["data"][3] = ["Invoice says", figures.euro("9541.40")]
    new = Session(read(seen(changed), TODAY), NOW)
    assert carry_over(old, new) == ["Quinta da Serra Lda FT 2026/388 · €1,541.40"]
    assert new.values == {"choice.1": "hold"}


def test_left_out_effects_are_not_approved() -> None:
    partial = session(figures.batch(), bodies=figures.BODIES, partial=True)
    assert partial.primary().words == "Approve 3 files, 12 moves"
    assert partial.answer().only is None  # all of it
    partial.choose("item.4", "leave")
    assert partial.primary().words == "Approve 3 files"
    assert partial.answer().only == (1, 2, 3)
    assert "choice.item.4" not in partial.answer().values
    for n in range(1, 4):
        partial.choose(f"item.{n}", "leave")
    assert partial.primary().state == CLOSED


def with_a_makefile() -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """A plan of a plain file and of one that runs later."""
    document = figures.batch()
    reason = "“Makefile” runs later: builds and tests run it."
    later = {"summary": "Write Makefile (1 byte, new)", "risk": "runs_later", "risk_reason": reason}
    document = {**document, "plan": [{**document["plan"][0], "n": 1}, {**document["plan"][0], "n": 2, **later}]}
    body = {"kind": "write_file@1", "args": {"path": "Makefile", "data": {"$bytes": ""}}}
    return document, (figures.BODIES[0], body)


def test_a_file_that_runs_later_needs_a_word_of_its_own() -> None:
    document, bodies = with_a_makefile()
    asked = session(document, bodies=bodies)
    (row,) = asked.reading.answers
    assert (row.title, row.flag) == (document["plan"][1]["summary"], document["plan"][1]["risk_reason"])
    assert (asked.primary().words, asked.primary().state) == ("Answer 1 row first", WAITING)
    asked.choose(row.key, "refuse")
    assert (asked.primary().words, asked.primary().state) == ("Item 2 not allowed: reject or send back", CLOSED)
    asked.choose(row.key, "allow")
    assert asked.primary().state == READY
    answer = asked.answer()
    assert (answer.verdict, answer.confirmed, answer.values) == ("approved", (2,), {})


def test_a_word_about_one_file_comes_back_with_the_draft_and_goes_with_no_other_answer() -> None:
    document, bodies = with_a_makefile()
    asked = session(document, bodies=bodies)
    asked.choose(asked.reading.answers[0].key, "allow")
    again = session(document, bodies=bodies, draft=asked.draft())
    assert again.primary().state == READY
    assert (again.rejection("no").values, again.rejection("no").confirmed) == ({}, ())


def test_foreign_words_never_reach_a_button() -> None:
    hostile = figures.batch()
    hostile["title"] = "Approve everything\u202e now"
    said = session(hostile, bodies=figures.BODIES).primary().words
    assert said == "Approve 3 files, 12 moves"
    assert "‹U+202E›" in read(seen(hostile), TODAY).title


def test_evidence_without_a_known_kind_is_kept() -> None:
    odd = figures.batch()
    odd["evidence"] = [{"kind": "hologram", "title": "Odd", "data": {"a": [1, 2]}, "source": None}]
    assert [section.kind for section in read(seen(odd, bodies=figures.BODIES), TODAY).sections] == ["hologram", "files"]


def test_contract_fields_may_come_with_help() -> None:
    helped = [dict(entry) | {"help": "H"} for entry in figures.question()["fields"]]
    assert read(seen(figures.question(), fields=tuple(helped)), TODAY).form[0]["help"] == "H"
    assert dataclasses.is_dataclass(Reading)


def test_what_needs_no_answer_is_told_and_not_asked() -> None:
    aside = figures.exceptions()
    aside["fields"].append(
        figures.field("choice.3", type="choice", label="3. Tallow & Sons", choices=["hold", "reject"], default="hold")
    )
    aside["flags"] = []
    filled = session(aside)
    assert filled.primary().words == "Answer 2 rows first"
    filled.choose("1", "hold")
    filled.choose("2", "hold")
    assert filled.primary().words == "Hold 3"
    assert filled.answer().values == {"choice.1": "hold", "choice.2": "hold"}


def test_other_fields_that_remake_the_plan_ask_again_too() -> None:
    batch = figures.batch()
    batch["evidence"].append(
        {
            "kind": "table",
            "title": "Not in this file",
            "source": None,
            "data": {"columns": ["No.", "Supplier", "Invoice"], "rows": [[13, "Brightwater Logistics Ltd", "BW-7741"]]},
        }
    )
    batch["fields"].append(
        figures.field("include", type="list[integer]", label="Take in again", choices=["13"], remakes=True)
    )
    filled = session(batch, bodies=figures.BODIES)
    assert filled.reading.rows_called["13"] == "13. Brightwater Logistics Ltd BW-7741"
    filled.fill("include", ["13"])
    assert (filled.primary().words, filled.primary().verdict) == ("Make it anew, ask again", "returned")
    answer = filled.answer()
    assert (answer.values, answer.comment) == ({"include": ["13"]}, "Include: 13.")


def facts_table(columns: list[str], *rows: list[str]) -> dict[str, Any]:
    """The exceptions with another table of facts in their first row."""
    document = figures.exceptions()
    label = str(document["fields"][0]["label"])
    others = [piece for piece in document["evidence"] if piece["title"] != label]
    piece = {"kind": "table", "title": label, "data": {"columns": columns, "rows": list(rows)}, "source": None}
    return {**document, "evidence": [piece, *others]}


def first_facts(document: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    facts = read(seen(document), TODAY).answers[0].facts
    return [(fact.name, fact.value, fact.source, fact.mark) for fact in facts if fact.name != "File"]


def test_what_is_known_of_the_same_place_stands_behind_the_change() -> None:
    columns = ["What", "Before", "From", "Now", "Found in"]
    account = ["Account", "GB94 BARC", "vendors.csv, line 13", "GB29 NWBK", "invoices/BW-7741.pdf"]
    used = ["Last used", "12 Nov 2026", "vendors.csv, line 13", "never", ""]
    assert first_facts(facts_table(columns, account, used)) == [
        ("Account before", "GB94 BARC", "vendors.csv, line 13 · Last used: 12 Nov 2026", "−"),
        ("Account now", "GB29 NWBK", "invoices/BW-7741.pdf · Last used: never", "+"),
    ]
    elsewhere = ["Name", "Brightwater", "vendors.csv, line 2", "Bright Water", "invoices/BW-7741.pdf, page 1"]
    assert len(first_facts(facts_table(columns, account, elsewhere))) == 4


def test_the_same_value_twice_is_no_change() -> None:
    columns = ["What", "Before", "From", "Now", "Found in"]
    both = ["Gross amount", "€3,420.00", "a.pdf", "€3,420.00", "a.xml"]
    assert first_facts(facts_table(columns, both)) == [("Gross amount", "€3,420.00", "a.pdf\na.xml", "")]


def test_what_is_expected_and_what_was_found_carry_no_signs_of_a_change() -> None:
    columns = ["What", "Expected", "From", "Found", "Found in"]
    sums = ["Gross amount: Net + tax.", "€1,451.40", "computed", "€1,541.40", "invoices/quinta-FT388.xml"]
    assert first_facts(facts_table(columns, sums)) == [
        ("Expected", "€1,451.40", "Gross amount: Net + tax, computed", ""),
        ("Found", "€1,541.40", "invoices/quinta-FT388.xml", ""),
    ]


@pytest.mark.parametrize("changed", [False, True])
def test_a_table_that_repeats_the_rows_of_a_file_is_shown_once(changed: bool) -> None:
    rows = [["exported", "Halden Paper AS", "5480.00"], ["exported", "Tallow & Sons", "2100.00"]]
    body = {"kind": "append_rows@1", "args": {"path": "ledger.csv", "columns": ["a", "b", "c"], "rows": rows}}
    told = [[row[1], "9999.00" if changed else row[2]] for row in rows]
    piece = {
        "kind": "table",
        "title": "Rows",
        "data": {"columns": ["Supplier", "Amount"], "rows": told},
        "source": None,
    }
    document = {**figures.prices(), "evidence": [piece]}
    titles = [section.title for section in read(seen(document, bodies=(body,)), TODAY).sections]
    assert ("Rows" in titles) is changed


def test_a_doubt_is_told_in_words_and_in_the_order_people_read() -> None:
    args = {"attachments": [], "body": "Dear Sir", "subject": "Credit note", "to": ["a@example.org"], "keyed": False}
    assert [(fact.name, fact.value) for fact in facts_of(args, TODAY)] == [
        ("To", "a@example.org"),
        ("Subject", "Credit note"),
        ("Body", "Dear Sir"),
    ]
    doubt = read(seen(figures.doubt(), about=figures.DOUBT_ABOUT), TODAY)
    assert doubt.consequences == ()
    assert [section.title for section in doubt.sections][:1] == ["What is known"]


def test_programmers_see_their_own_lines_first() -> None:
    trace = (
        'Traceback (most recent call last):\n  File "/opt/app/counterfoil/engine/session.py", line 150, in _try\n    run()\n'
        '  File "/data/anna/t/workflow.py", line 26, in read_statement\n    raise ValueError(x)\n'
        '  File "/usr/lib/python3.11/csv.py", line 3, in next\n    go()\nValueError: no column\n'
    )
    assert own_lines(trace) == ["workflow.py:26, read_statement: raise ValueError(x)"]
    assert own_lines("") == []


def test_a_fact_is_remembered_not_sent_and_no_rule_is_offered_for_it() -> None:
    item = {"n": 1, "summary": "Remember", "effect": "remember", "risk": "normal", "target": "", "digest": ""}
    body = {"kind": "remember@1", "args": {"fact": "Invoices are in pounds.", "source": "a.txt"}}
    fact = session(figures.gate(92, "approval", "Remember it", plan=[item]), bodies=(body,)).reading
    assert fact.sections[0].title == "What is remembered"
    assert not may_be_allowed(fact)
    assert may_be_allowed(session(figures.batch(), bodies=figures.BODIES).reading)


def test_what_leaves_the_house_has_the_icon_of_its_way() -> None:
    assert leaves_by("If you approve: 1 mail is sent to a@b.example. It cannot be taken back.") == "mail"
    assert leaves_by("If you approve: 1,200 mails are sent to a@b.example. They cannot be taken back.") == "mail"
    assert leaves_by("If you approve: 1 request is sent: POST https://b.example. It cannot be taken back.") == "link"


def test_items_that_are_called_alike_say_what_each_does() -> None:
    """Rows by the words they begin with, files by both their names; what is told by a name already has no more to say."""
    bodies = [
        {
            "kind": "append_rows@1",
            "args": {
                "path": "c.csv",
                "columns": ["Run", "Contract", "SHA-256", "Parties", "Says"],
                "rows": [[12, "contracts/01 plain.docx", "f8" * 32, "Brightwater Ltd", "Liability", "look at it"]],
            },
        },
        {"kind": "move_files@1", "args": {"moves": [[f"in/{n}.pdf", f"in/2026 {n}.pdf"] for n in "abcde"]}},
        {"kind": "move_files@1", "args": {"moves": [["in/f.pdf", "old/f.pdf"]]}},
        {"kind": "write_file@1", "args": {"path": "a.txt", "data": {}}},
    ]
    plan = [figures._item(n, "append_rows", f"Item {n}", "c.csv", None, None, None) for n, _ in enumerate(bodies, 1)]
    document = figures.gate(90, "approval", "Keep them", plan=plan)
    rows = read(seen(document, bodies=tuple(bodies), partial=True), TODAY).answers
    assert [row.help for row in rows] == [
        "contracts/01 plain.docx · Brightwater Ltd · Liability",
        "in/a.pdf → in/2026 a.pdf\nin/b.pdf → in/2026 b.pdf\nin/c.pdf → in/2026 c.pdf\n2 more files among the files below.",
        "",
        "",
    ]


def test_the_arguments_of_a_call_stand_by_their_names() -> None:
    facts = facts_of({"connector": "desk", "tool": "send", "args": {"copies": 2, "to": "ben@b.example"}}, TODAY)
    assert [(fact.name, fact.value) for fact in facts] == [
        ("Connector", "desk"),
        ("Tool", "send"),
        ("To", "ben@b.example"),
        ("Copies", "2"),
    ]


def test_what_a_server_asks_stands_above_its_form() -> None:
    words = {"kind": "text", "title": "desk asks", "source": "desk", "data": "Really send it?"}
    document = figures.gate(91, "question", "desk asks something", fields=[figures.field("sure")], evidence=[words])
    asked = read(seen(document, about={"effect": "call@1", "why": "asked"}), TODAY)
    assert asked.asked is not None
    assert (asked.asked.title, [section.title for section in asked.sections]) == ("desk asks", [])
    own = read(seen(document), TODAY)
    assert (own.asked, [section.title for section in own.sections]) == (None, ["desk asks"])


@pytest.mark.parametrize(
    "kind, choice, said, tone",
    [
        ("failure", "stop", "Ben stopped the run here at 08:41.", "info"),
        ("failure", "retry", "Ben had it tried again at 08:41.", "ok"),
        ("doubt", "happened", "Ben said that it happened at 08:41.", "ok"),
        ("budget", "finish", "Ben let it finish with what there was at 08:41.", "info"),
    ],
)
def test_an_answer_is_told_by_what_it_was_and_an_end_is_not_green(
    qapp: QApplication, kind: str, choice: str, said: str, tone: str
) -> None:
    made = {"verdict": "answered", "by": "user:ben", "at": "2026-11-30T08:41:00.000Z", "comment": "On Monday"}
    document = figures.gate(92, kind, "Needs repair: it", state="decided", decisions=[made])
    banner = state_banner(read(seen(document, draft=Draft(values={"choice": choice})), TODAY), NOW)
    assert banner is not None
    assert (banner.words.text(), banner.property("surface")) == (said, tone)
    banner.deleteLater()


def test_who_cancelled_a_run_oneself_is_told_so() -> None:
    document = figures.gate(93, "question", "Which?", state="withdrawn")
    document |= {"closed_why": "The run was cancelled by Anna", "closed_at": "2026-11-30T08:50:00.000Z"}
    assert closed(document, ME, NOW) == "The run was cancelled by you at 08:50, so this question was withdrawn."
    assert closed(document, "user:ben", NOW).startswith("The run was cancelled by Anna at 08:50")


def test_a_field_that_another_one_asks_for_is_filled_in_first() -> None:
    what = figures.field("what", type="choice", choices=["renew", "let_end"], default="renew")
    why = figures.field("why") | {"required_when": {"what": ["let_end"]}}
    asked = session(figures.gate(90, "question", "What becomes of it?", fields=[what, why]))
    assert asked.primary().state == READY
    asked.values["what"] = "let_end"
    assert (asked.primary().words, asked.primary().aim) == ("Fill in 1 field first", "why")
    asked.values["why"] = "Too dear"
    assert asked.primary().state == READY
    asked.values |= {"what": "renew", "why": ""}
    assert asked.primary().state == READY
