"""`snooze` and `give`: what is said, what stands in the lists, and what is refused."""

from cli.speaking import Caller
from counterfoil.facts import RunState
from counterfoil.inbox.accounts import account
from views.rows import Office, payment_spec

ME = account()


def asked(office: Office) -> None:
    """A run that waits at g-1."""
    run = office.run()
    office.claim(run["run_id"])
    office.gate(run["run_id"], 0, payment_spec())
    office.move(run["run_id"], RunState.WAITING)


def test_a_gate_is_put_off_and_woken_and_every_list_says_so(office: Office, call: Caller) -> None:
    asked(office)
    said = call("snooze", "g-1", "--until", "2h")
    assert (said.code, said.out.startswith("g-1 is snoozed until ")) == (0, True)
    (gate,) = call("inbox", "--json").document
    assert gate["snoozed_until"] == call("show", "g-1", "--json").document["snoozed_until"] is not None
    assert gate["waits_for"] is None
    assert "snoozed until " in call("inbox").out
    assert "snoozed until " in call("show", "g-1").out
    told = call("snooze", "g-1", "--wake", "--json").document
    assert told == {"gate_id": gate["gate_id"], "snoozed_until": None}
    assert call("snooze", "g-1", "--wake").out == "g-1 was not snoozed.\n"
    assert "snoozed" not in call("inbox").out
    assert call("trail", "--json").document[-1]["kind"] == "run_started"


def test_a_gate_is_given_and_taken_and_the_trail_keeps_both(office: Office, call: Caller) -> None:
    asked(office)
    asked(office)
    call("approve", "g-2", "--as", "ben")  # who has decided something here is known from then on
    assert call("give", "g-1", "--take", "--as", "ben").code == 0
    told = call("give", "g-1", "--to", "Ben", "--json").error
    assert "waits for Ben already" in told["message"]
    assert call("give", "g-1", "--take").out == "g-1 waits for you. Nothing was decided.\n"
    document = call("give", "g-1", "--to", "Ben", "--comment", "You know them.", "--json").document
    assert (document["waits_for"], document["by"], document["comment"]) == ("user:ben", ME, "You know them.")
    assert "given to Ben by you" in call("inbox").out
    assert "Given to Ben by you: “You know them.”" in call("show", "g-1").out
    assert "Waiting for Ben" in call("runs").out
    assert "Waits for Ben in" in call("show", "r-1").out
    assert "(given to Ben by you)" in call("show", "r-1").out
    refused = call("approve", "g-1")
    assert refused.code == 1
    assert "This waits for Ben. Nothing was changed. Take it first: counterfoil give g-1 --take" in refused.err
    kinds = [entry["kind"] for entry in call("trail", "--json").document if entry["kind"].startswith("gate_")]
    assert sorted(kinds) == ["gate_given", "gate_taken", "gate_taken"]


def test_what_cannot_be_is_said_with_what_to_do(office: Office, call: Caller) -> None:
    asked(office)
    for words, code, said in (
        (("snooze", "g-1"), 2, "Say until when, or --wake."),
        (("snooze", "g-1", "--until", "soon"), 2, "‘soon’ is no time. Write 2h, 16:00"),
        (("snooze", "g-1", "--until", "2020-01-01"), 2, "is past. Nothing was changed."),
        (("snooze", "g-9", "--until", "2h"), 2, "There is no gate ‘g-9’."),
        (("give", "g-1"), 2, "Say to whom, or --take."),
        (("give", "g-1", "--to", "nobody at all"), 2, "Nobody called ‘nobody at all’ is known here."),
        (("give", "g-1", "--to", ""), 2, "Nobody called ‘’ is known here."),
    ):
        told = call(*words)
        assert (told.code, said in told.err) == (code, True), told.err
    assert call("approve", "g-1").code == 0
    for late in (("snooze", "g-1", "--until", "2h"), ("give", "g-1", "--take")):
        told = call(*late)
        assert (told.code, "was decided by" in told.err) == (1, True), told.err
