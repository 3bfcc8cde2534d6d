"""`inbox`, `runs`, `show`, `trail`: documents for scripts, and pages on which no identifier is ever cut."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from cli.speaking import Caller
from counterfoil.cli import call as call_module
from counterfoil.facts import GateKind, RunState, Slot
from counterfoil.store import tables
from counterfoil.views.evidence_check import check
from views.rows import IBAN, Office, item, payment_spec, spec


def waiting(office: Office) -> None:
    """One run at a gate."""
    run = office.run(parameters={"folder": "invoices"})
    office.claim(run["run_id"])
    office.record(run["run_id"], 0, "read_invoices", [], summary="2 invoices, 1 flagged")
    office.gate(run["run_id"], 1, payment_spec())
    office.move(run["run_id"], RunState.WAITING)


def test_inbox(call: Caller, office: Office) -> None:
    assert call("inbox", "--json").document == []
    assert call("inbox").err == "counterfoil: nothing waits for you.\n"
    waiting(office)
    (gate,) = call("inbox", "--json").document
    assert gate["title"] == "Write payment file for 2 invoices"
    page = call("inbox")
    assert page.out.splitlines()[0].split() == ["gate", "title", "run", "asked", "until"]
    assert "g-1" in page.out
    assert "r-1 Supplier payments" in page.out
    assert page.err == "counterfoil: see one with: counterfoil show g-1\n"


def test_what_became_of_what_was_not_undone_is_noted(call: Caller, office: Office) -> None:
    run_id = office.run()["run_id"]
    assert call("note", "r-1", "--comment", "It went out.").code == 1
    office.claim(run_id)
    error = '{"kind":"cancelled","message":"Cancelled by Ben","in_doubt":[{"effect":"mail@1","key":"k"}]}'
    office.move(run_id, RunState.CANCELLED, ended_at=1, error=error)
    assert "A note needs words." in call("note", "r-1").err
    assert call("show", "r-1", "--json").document["note"] is None
    for words in ("It went out.", "It went out twice."):
        assert call("note", "r-1", "--comment", words).code == 0
    assert call("show", "r-1", "--json").document["note"]["text"] == "It went out twice."
    first, last = [entry for entry in call("trail", "--json").document if entry["kind"] == "run_noted"]
    assert (first["before"], last["before"]) == (None, {"note": "It went out."})
    assert "It went out twice." in call("show", "r-1").out


def test_inbox_of_a_workspace(call: Caller, office: Office) -> None:
    waiting(office)
    assert len(call("inbox", "--workspace", office.workspace, "--json").document) == 1
    assert call("inbox", "--workspace", str(office.home.root), "--json").document == []


def test_show_gate_shows_everything_whole(call: Caller, office: Office) -> None:
    waiting(office)
    page = call("show", "g-1").out
    lines = page.splitlines()
    assert lines[0] == "g-1  Write payment file for 2 invoices"
    assert IBAN in page
    assert "DE89 3704 0044 0532 0130 00" in page
    assert "  Total  €15,521.22" in lines
    assert "  ! Account changed since 12 Nov." in lines
    assert "Note (from Mail from Brightwater.eml)" in lines
    assert "  | line one" in lines
    assert "payments/r-1.xml" in page
    assert "--set hold=…  Rows to hold back (list[integer], makes the plan anew and asks again)" in page
    assert "No deadline. It waits until you decide." in lines
    assert "  counterfoil approve g-1" in lines
    # flagged rows first, amounts to the right
    payments = lines[lines.index("Payments") + 1 :]
    assert payments[1].split()[:2] == ["!", "Arden"]
    assert payments[1].index("€14,201.22") + len("€14,201.22") == payments[2].index("€1,320.00") + len("€1,320.00")


def test_narrow_terminal_breaks_rows_and_cuts_nothing(
    call: Caller, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting(office)
    monkeypatch.setattr(call_module.Call, "width", property(lambda _: 40))
    page = call("show", "g-1").out
    assert IBAN in page
    assert "payments/r-1.xml" in page
    assert "…," not in page


def test_show_run(call: Caller, office: Office) -> None:
    waiting(office)
    document = call("show", "r-1", "--json").document
    assert document["steps"][0]["summary"] == "2 invoices, 1 flagged"
    page = call("show", "r-1").out
    assert "Waiting for you" in page
    assert "No isolation on this system. Workflow code would run as you. (L0)" in page
    assert "2 invoices, 1 flagged" in page
    assert "g-1  Write payment file for 2 invoices" in page
    assert "Nobody: this run makes no paid calls." in page


def test_show_by_id_and_its_beginning(call: Caller, office: Office) -> None:
    waiting(office)
    gate = call("inbox", "--json").document[0]
    assert call("show", gate["gate_id"], "--json").document["gate_id"] == gate["gate_id"]
    assert call("show", gate["gate_id"][:8], "--json").document["gate_id"] == gate["gate_id"]
    assert call("show", gate["run_id"][:8], "--json").document["run_id"] == gate["run_id"]
    assert call("show", gate["run_id"][:5], "--json").error["code"] == "unknown_run"


def test_every_kind_of_gate_has_a_page(call: Caller, office: Office) -> None:
    run_id = office.run()["run_id"]
    choice = {
        "name": "choice",
        "type": "choice",
        "label": "What now?",
        "choices": ["retry", "stop"],
        "help": "",
        "default": None,
        "required": True,
        "remember": False,
        "remakes": False,
    }
    odd = {"kind": "hologram@7", "title": "Odd", "data": {"a": [1]}, "source": None}
    doubt = {"effect": "mail@1", "key": "k9", "began_us": 1, "facts": [], "how": "Look in Sent items."}
    failure = {"why": "failed", "step": "read", "error": {"message": "no column"}, "attempts": 1}
    office.gate(run_id, 0, spec(GateKind.QUESTION, title="Which period?", evidence=[odd]))
    office.gate(run_id, 1, spec(GateKind.DOUBT, title="Did this happen? 1 mail", about=doubt), Slot.DOUBT)
    office.gate(
        run_id, 2, spec(GateKind.FAILURE, title="Needs repair: read", fields=[choice], about=failure), Slot.FAILURE
    )
    office.gate(run_id, 3, spec(plan=[item(1, "mail@1", {"to": ["a@b.example"], "cc": []}, risk="sends")]))
    listing = call("inbox").out
    assert "Question: Which period?" in listing
    assert listing.count("Needs repair") == listing.count("Did this happen?") == 1
    assert "| a: 1" in call("show", "g-1").out
    assert "Look in Sent items." in call("show", "g-2").out
    assert "counterfoil answer g-3 --set choice=…" in call("show", "g-3").out
    assert "1 mail is sent to a@b.example. It cannot be taken back." in call("show", "g-4").out


def test_foreign_text_cannot_rewrite_the_screen(call: Caller, office: Office) -> None:
    run_id = office.run(title="\x1b[2Jevil\u202egnp.exe")["run_id"]
    office.gate(
        run_id, 0, spec(evidence=[{"kind": "text@1", "title": "T", "data": "a\x1b]0;x\x07b", "source": "x\nfake"}])
    )
    for words in (["inbox"], ["runs"], ["show", "g-1"], ["show", "r-1"], ["trail"]):
        page = call(*words).out
        assert "\x1b" not in page
        assert "\u202e" not in page
        assert "\x07" not in page
    assert "\\x1b[2Jevil\\u202egnp.exe" in call("runs").out


def test_runs(call: Caller, office: Office) -> None:
    assert call("runs").err == "counterfoil: no runs here. Start one: counterfoil run TEMPLATE\n"
    waiting(office)
    done = office.run("Second")
    office.claim(done["run_id"])
    office.move(done["run_id"], RunState.DONE, ended_at=office.clock.now_us())
    assert [run["number"] for run in call("runs", "--json").document] == [2, 1]
    assert [run["number"] for run in call("runs", "--state", "waiting", "--json").document] == [1]
    assert [run["number"] for run in call("runs", "--limit", "1", "--json").document] == [2]
    page = call("runs", "--limit", "1")
    assert "r-2" in page.out
    assert "the newest 1 run is shown; --limit N shows more." in page.err


def test_trail(call: Caller, office: Office) -> None:
    assert call("trail").err == "counterfoil: the trail is empty: nothing was done yet.\n"
    waiting(office)
    assert [entry["kind"] for entry in call("trail", "--json").document] == ["template", "run_started"]
    assert "Started “Supplier payments” as run 1" in call("trail").out
    assert [entry["seq"] for entry in call("trail", "--run", "r-1", "--json").document] == [2]
    sound = call("trail", "--verify")
    assert sound.code == 0
    assert "None changed, removed or out of order." in sound.out
    assert "Removal of the newest entries shows only against a seal kept elsewhere." in sound.out
    assert call("trail", "--verify", "--json").document["ok"] is True


def test_altered_trail_is_refused(call: Caller, office: Office) -> None:
    waiting(office)
    office.database.transact(
        lambda txn: txn.do(sa.update(tables.trail).where(tables.trail.c.seq == 1).values(by="eve"))
    )
    told = call("trail", "--verify", "--json")
    assert told.code == 1
    assert told.document["ok"] is False
    assert told.document["broken"][0].startswith("Entry 1 (")


def test_evidence_is_listed_then_written_and_checked(call: Caller, office: Office, tmp_path: Path) -> None:
    waiting(office)
    target = tmp_path / "run 1.zip"
    listed = call("trail", "--evidence", "r-1")
    assert "records.jsonl" in listed.out
    assert listed.err == "counterfoil: nothing was written; to export it: add --out FILE.zip\n"
    told = call("trail", "--evidence", "r-1", "--out", str(target), "--json").document
    assert list(told) == ["run_id", "file", "seal", "bytes", "members", "gone", "damaged"]
    assert (told["file"], told["gone"]) == (str(target), ["b" * 64]), "the code of this template is not kept"
    assert [list(one) for one in told["members"]] == [["name", "means", "bytes"]] * len(told["members"])
    assert check(target)[0].endswith(f"Seal of this pack: {told['seal']}")
    assert ", evidence of run 1." in call("trail", "--verify").out, (
        "the seal of the newest entry is kept elsewhere since"
    )
    again = call("trail", "--evidence", "r-1", "--out", str(target))
    assert (again.code, again.err) == (
        1, f"counterfoil: {target} is there already. Nothing was exported. Choose another name.\n",
    )  # fmt: skip
    assert call("trail", "--out", "x.zip").code == 2
    assert call("trail", "--evidence", "r-9", "--out", "x.zip").code == 2
