"""Rules on the command line: given, listed as sentences, proposed from a gate, explained, taken back."""

from cli.speaking import Caller
from counterfoil.facts import Verdict
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.store import trail_rows
from views.rows import Office, item, spec

MOVES = item(1, "move_files@1", {"moves": [["Post/a.eml", "Post/b.eml"]]})


def gate(office: Office, *, approved: bool = False) -> str:
    """A gate that asks whether files in Post/ may be moved."""
    run = office.run()
    row = office.gate(run["run_id"], 0, spec(plan=[MOVES]))
    if approved:
        decide(office.database, office.blobs, row["gate_id"], Wish(Verdict.APPROVED, "user:anna"))
    return f"g-{row['number']}"


def test_a_rule_is_given_listed_and_taken_back(call: Caller, office: Office) -> None:
    given = call(
        "permission", "add", "--effect", "move_files", "--template", "triage-mail", "--path", "Post/**", "--json"
    )
    assert given.code == 0
    assert given.document["sentence"] == "Triage mail may move files in Post/ without asking."
    listed = call("permission", "list")
    assert listed.out.startswith(
        "Files\n  p-1  Triage mail may move files in Post/ without asking.\n       Granted by "
    )
    assert ", never used.\n" in listed.out
    assert "nothing has matched p-1 so far" in listed.err
    assert (
        call(
            "permission", "add", "--effect", "move_files", "--template", "triage-mail", "--path", "Post/**", "--json"
        ).document["number"]
        == 1
    )  # said twice is said once
    assert call("permission", "remove", "p-1", "--json").document["revoked_by"].startswith("user:")
    assert call("permission", "list", "--json").document == []
    (kept,) = call("permission", "list", "--all", "--json").document
    assert "taken back by" in kept["account"]
    assert "was taken back before" in call("permission", "remove", "p-1").out
    entries = [row["kind"] for row in trail_rows.entries(office.database.reader)]
    assert entries.count("permission") == 2
    assert call("trail", "--verify").code == 0


def test_what_is_forbidden_and_asked_about_is_said_as_well(call: Caller, office: Office) -> None:
    assert call("permission", "deny", "--host", "*.evil.test", "--comment", "never").code == 0
    assert (
        call("permission", "add", "--effect", "call", "--connector", "bank", "--ask", "--amount", "100 EUR").code == 0
    )
    sentences = [one["sentence"] for one in call("permission", "list", "--json").document]
    assert sentences == [
        "Every template may never do anything at *.evil.test.",
        "Every template asks before tools are used of the connector bank over 100 EUR (or of an unknown amount).",
    ]


def test_a_gate_proposes_the_narrowest_rule_and_shows_what_it_would_have_covered(call: Caller, office: Office) -> None:
    gate(office, approved=True)
    asked = gate(office)
    proposed = call("permission", "propose", asked)
    assert proposed.out.startswith(
        "Pay invoices may move files directly in Post/ without asking. In the workspace team files.\n"
    )
    assert "It would have covered 1 of the last 1 decisions." in proposed.out
    assert "g-1" in proposed.out
    assert "nothing is given" in proposed.err
    assert call("permission", "list", "--json").document == []
    assert len(call("permission", "propose", asked, "--grant", "--json").document["granted"]) == 1
    (row,) = call("permission", "explain", asked, "--json").document
    assert (row["permission"], row["reason"].startswith("p-1 of ")) == ("allow", True)


def test_wrong_use_has_a_sentence(call: Caller, office: Office) -> None:
    assert call("permission", "add", "--effect", "mail", "--json").error["message"].startswith("Which --to")
    assert call("permission", "remove", "p-9", "--json").error["code"] == "unknown_rule"
    looked = call("permission", "add", "--effect", "call", "--connector", "web", "--tool", "search", "--json")
    assert "Nobody has looked at" in looked.error["message"]
    run = office.run()
    row = office.gate(run["run_id"], 0, spec())
    assert call("permission", "propose", f"g-{row['number']}", "--json").code == 2
