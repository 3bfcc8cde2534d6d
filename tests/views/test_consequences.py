"""What deciding does is said from the plan: sending first, names whole, nothing promised that does not happen."""

from typing import Any

from counterfoil.facts import GateKind
from counterfoil.views.consequences import consequences
from views.rows import item, payment_spec, spec


def test_files_and_moves_in_one_sentence() -> None:
    assert consequences(payment_spec()) == [
        "If you approve: 2 files are written (payments/r-1.xml, ledger.csv), 2 files move to archive/. Nothing is sent.",
        "If you reject: nothing is written; the run ends as Rejected, unless its workflow goes another way.",
    ]


def test_sending_comes_first_and_cannot_be_taken_back() -> None:
    mail = {"to": ["accounts@ardenhale.example"], "cc": ["a@b.example"], "subject": "s", "body": "b", "attachments": []}
    told = consequences(spec(plan=[item(1, "write_file@1", {"path": "a.txt"}), item(2, "mail@1", mail, risk="sends")]))
    assert told[0] == (
        "If you approve: 1 mail is sent to accounts@ardenhale.example and a@b.example. It cannot be taken back."
    )
    assert told[1] == "Also: 1 file is written (a.txt)."
    assert told[2].startswith("If you reject: nothing is written or sent;")


def test_request_is_named_with_its_address() -> None:
    told = consequences(
        spec(plan=[item(1, "http@1", {"method": "POST", "url": "https://bank.example/orders"}, risk="sends")])
    )
    assert told[0] == "If you approve: 1 request is sent: POST https://bank.example/orders. It cannot be taken back."


def test_replacing_says_so() -> None:
    told = consequences(spec(plan=[item(1, "write_file@1", {"path": "a.txt"}, before_digest="0" * 64)]))
    assert "a.txt exists and is replaced; the old content is kept for undoing." in told


def test_many_names_become_folders_and_none_is_cut() -> None:
    plan = [item(n, "write_file@1", {"path": f"out/{n}/file.txt"}) for n in range(1, 13)]
    told = consequences(spec(plan=plan))[0]
    assert told.startswith("If you approve: 12 files are written (in out/1/, out/10/")
    assert "…" not in told


def test_new_names_are_told_from_moves_and_many_folders_are_counted() -> None:
    renamed = [[f"in/{n}/a.txt", f"in/{n}/b.txt"] for n in range(20)]
    away = [[f"in/{n}/c.txt", f"aside/{n}/c.txt"] for n in range(1_200)]
    told = consequences(spec(plan=[item(1, "move_files@1", {"moves": [*renamed, *away]})]))[0]
    assert told == ("If you approve: 20 files get other names, 1,200 files move to 1,200 folders. Nothing is sent.")
    one = consequences(spec(plan=[item(1, "move_files@1", {"moves": [["a.txt", "b.txt"]]})]))[0]
    assert one == "If you approve: 1 file gets another name. Nothing is sent."


def test_approval_without_a_plan_covers_nothing() -> None:
    assert "covers no effect" in consequences(spec())[0]


def test_other_kinds_say_what_each_answer_does() -> None:
    question = consequences(spec(GateKind.QUESTION))
    doubt = consequences(spec(GateKind.DOUBT, about={"effect": "mail@1"}))
    failure = consequences(spec(GateKind.FAILURE, about={"why": "failed", "step": "read", "error": {}}))
    whole = consequences(spec(GateKind.FAILURE, about={"why": "set_aside", "step": None, "error": {}}))
    mismatch = consequences(
        spec(GateKind.FAILURE, about={"why": "mismatch", "step": "b", "asked": "b", "recorded": "a", "error": {}})
    )
    assert question[0].startswith("If you answer")
    assert [sentence.split(":")[0] for sentence in doubt[1:]] == [
        "If you answer happened",
        "If you answer not_happened",
        "If you answer stop",
    ]
    assert any("skip" in sentence for sentence in failure)
    assert not any("skip" in sentence for sentence in whole)
    assert any("“a” is kept" in sentence for sentence in mismatch)


def conflict(*choices: str, beside: str = "") -> dict[str, Any]:
    """What a gate knows of one file that changed."""
    made = {"both": {"file": {"path": beside}}} if beside else {}
    files = [{"path": "ledger.csv", "choices": choices, "parts": [[2, {}]], "made": made}] if choices else []
    return {"why": "conflict", "files": files, "is_another": not choices, "approved": {"title": "Write both"}}


def test_what_each_answer_does_with_a_file_that_changed() -> None:
    plan = [item(1, "write_file@1", {"path": "a"}), item(2, "append_rows@1", {"path": "ledger.csv"})]
    told = consequences(
        spec(GateKind.CONFLICT, plan=plan, about=conflict("keep", "use", "both", beside="ledger (run 1).csv"))
    )
    assert told == [
        "“Write both” was approved before that. What is not as it was approved is asked about here.",
        "If you keep the folder's: that file stays as it is, and what the run would do with it is left out.",
        "If you use the run's: it is done on the file as it is now, which is kept for undoing.",
        "If you keep both: the run's goes beside it, as ledger (run 1).csv.",
        "1 other item of the plan is done as approved.",
    ]
    assert not any(
        "both" in line for line in consequences(spec(GateKind.CONFLICT, plan=plan, about=conflict("keep", "use")))[1:]
    )


def test_another_folder_is_told() -> None:
    told = consequences(spec(GateKind.CONFLICT, about=conflict()))
    assert told[0] == "The folder at this place is not the one that was looked at: it was moved, restored or swapped."
    assert told[-1] == "If you use the run's: what was approved is done in the folder that is there now."


def test_what_is_deleted_is_told_first_and_that_it_is_kept() -> None:
    told = consequences(
        spec(
            plan=[
                item(1, "make_folders@1", {"paths": ["a", "b"]}),
                item(2, "delete_files@1", {"paths": ["old.txt"]}, risk="destroys"),
            ]
        )
    )
    assert told[0] == "If you approve: 1 file is deleted (old.txt), 2 folders are made (a, b). Nothing is sent."
    assert told[1] == "What is deleted is kept for undoing for 30 days."


def test_mails_of_one_plan_are_told_together() -> None:
    plan = [
        item(n, "mail@1", {"to": [f"{name}@b.example"], "cc": [], "subject": "s", "body": "b"}, risk="sends")
        for n, name in enumerate(("anna", "ben", "anna"), 1)
    ]
    told = consequences(spec(plan=plan))
    assert told[0] == (
        "If you approve: 3 mails are sent to anna@b.example and ben@b.example. They cannot be taken back."
    )


def test_a_fact_is_counted_and_its_words_stay_out_of_our_sentence() -> None:
    plan = [item(1, "remember@1", {"fact": "Pay to another account.", "source": "a.eml"}, summary="Remember: Pay.")]
    assert consequences(spec(plan=plan))[0] == (
        "If you approve: 1 fact is kept for later runs until someone takes it back. Nothing is sent."
    )


def test_a_call_is_counted_and_named() -> None:
    call = {"connector": "desk", "tool": "send", "args": {}}
    told = consequences(spec(plan=[item(1, "call@1", call, risk="sends", summary="desk: send, to ben@b.example")]))
    assert told[0] == "If you approve: 1 call is made: desk: send, to ben@b.example. It cannot be taken back."
