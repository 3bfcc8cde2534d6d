"""`memory list|forget` on a home in which a person has accepted a fact."""

from cli.speaking import Caller
from counterfoil.store import fact_rows, trail_rows
from counterfoil.store.fact_rows import NewFact
from views.rows import Office


def accepted(office: Office) -> None:
    """A fact that Anna has accepted, in a run that had read a mail."""
    run = office.run()
    new = NewFact(
        key="a" * 64,
        workspace=run["workspace"],
        fact="Invoices of Tallow are in pounds.",
        source="a.txt, line 1",
        sources='["file Post/a.eml"]',
        run_id=run["run_id"],
        accepted_by="user:anna",
    )
    assert office.database.transact(lambda txn: fact_rows.keep(txn, new)) == 1
    assert office.database.transact(lambda txn: fact_rows.keep(txn, new)) == 1  # kept once under its key


def test_facts_are_listed_with_their_source_and_forgotten(call: Caller, office: Office) -> None:
    assert "Nothing is remembered" in call("memory", "list").out
    accepted(office)
    listed = call("memory", "list").out
    assert listed.startswith("f-1  Invoices of Tallow are in pounds.\n     source: a.txt, line 1; accepted by Anna on ")
    assert "after reading Post/a.eml" in listed
    assert call("memory", "list", "--json").document[0]["accepted_by"] == "user:anna"
    assert "f-1 is forgotten: Invoices of Tallow" in call("memory", "forget", "f-1").out
    assert "was forgotten before by you" in call("memory", "forget", "1").out
    assert call("memory", "list", "--json").document == []
    assert "taken back by you on" in call("memory", "list", "--all").out
    assert [row["kind"] for row in trail_rows.entries(office.database.reader)].count("memory") == 1
    assert call("trail", "--verify").code == 0


def test_what_is_no_fact_is_said(call: Caller, office: Office) -> None:
    unknown = call("memory", "forget", "f-9", "--json")
    assert (unknown.code, unknown.error["code"]) == (2, "unknown_fact")
    assert call("memory", "forget", "Tallow", "--json").error["code"] == "wrong_use"
