"""`route`: llms are set up by names, keys never come near the command line, and money is said as it is."""

import pytest
import sqlalchemy as sa

from cli.speaking import Caller
from counterfoil.facts import LlmEnd, RunState, StepKind
from counterfoil.store import llm_calls
from counterfoil.store.llm_calls import AttemptEnd, NewAttempt
from counterfoil.store.llm_money import UNIT
from counterfoil.store.tables import run as run_table
from counterfoil.store.transactions import Txn
from counterfoil.views.llms import estimate_of, spending_document
from views.rows import Office

HERE = ("--address", "http://127.0.0.1:9/v1")


def test_without_an_llm_the_next_step_is_said(call: Caller) -> None:
    assert "Add one: counterfoil route add" in call("route", "list").out
    assert call("--json", "route", "list").document == []


def test_llms_are_added_ordered_pinned_and_taken_out(call: Caller) -> None:
    assert call("route", "add", "gpt-5-mini", "--provider", "openai", "--key", "env:SOME_KEY").code == 0
    call("route", "add", "qwen3", "--provider", "ollama")
    call("route", "add", "own", *HERE, "--price-in", "0.15", "--price-out", "0.6", "--window", "8000")
    (route,) = call("--json", "route", "list").document
    assert [(one["place"], one["llm"], one["priced"], one["key"]) for one in route["llms"]] == [
        (1, "gpt-5-mini", "table", "env:SOME_KEY"), (2, "qwen3", "local", None), (3, "own", "set", None),
    ]  # fmt: skip
    assert call("route", "order", "default", "3", "1", "2").out.splitlines()[0] == "1. compatible own"
    assert call("--json", "route", "pin", "default").document["stays"] is True
    left = call("--json", "route", "remove", "default", "2").document["llms"]
    assert [(one["place"], one["llm"]) for one in left] == [(1, "own"), (2, "qwen3")]
    listed = call("route", "list").out
    assert "default · stays on this computer" in listed
    assert "$0.15 in, $0.6 out per million tokens" in listed
    assert [one["kind"] for one in call("--json", "trail").document].count("route") == 6


@pytest.mark.parametrize(
    "words, told",
    [
        (("gpt", "--provider", "opnai"), "Did you mean ‘openai’?"),
        (("gpt",), "Where the compatible server is was not said."),
        (("gpt", "--provider", "openai"), "openai needs a key."),
        (("gpt", "--provider", "openai", "--key", "sk-proj-12345"), "A key is named, never given here"),
        (("gpt", "--address", "http://llm.example.com/v1"), "would be asked without encryption"),
        (("gpt", "--address", "https://me:pw@llm.example.com/v1"), "The address holds a password."),
        (("gpt", "--address", "https://x:99999999/v1"), "The address cannot be read"),
        (("gpt", "--address", "ftp://x"), "is no web address"),
        (("gpt", *HERE, "--price-in", "1"), "One price is missing."),
        (("gpt", *HERE, "--price-in", "cheap", "--price-out", "1"), "‘cheap’ is no price."),
        (("gpt", *HERE, "--window", "0"), "The window has no tokens."),
        (("gpt", *HERE, "--route", "Not A Name"), "cannot be the name of a route"),
        (("", *HERE), "The llm has no name."),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_sentence_and_nothing_is_kept(
    call: Caller, words: tuple[str, ...], told: str
) -> None:
    said = call("route", "add", *words)
    assert said.code == 2
    assert told in said.err
    assert "12345" not in said.err
    assert call("--json", "route", "list").document == []


def test_orders_and_places_that_there_are_not_are_refused(call: Caller) -> None:
    call("route", "add", "a", *HERE)
    for words, told in (
        (("order", "default", "1", "1"), "must name each of the 1 llms once"),
        (("order", "defalt", "1"), "Did you mean ‘default’?"),
        (("remove", "default", "7"), "has no llm at place 7"),
        (("test", "nobody"), "There is no route ‘nobody’."),
    ):
        said = call("route", *words)
        assert (said.code, told in said.err) == (2, True), said.err


def test_a_key_that_is_not_there_is_found_out_by_trying(call: Caller) -> None:
    call("route", "add", "b", *HERE, "--key", "env:NOT_THERE")
    said = call("--json", "route", "test")
    assert said.code == 1
    (tried,) = said.document
    assert not tried["well"]
    assert "environment variable NOT_THERE is not set" in tried["words"]


def test_limits_are_set_and_taken_back(call: Caller, office: Office) -> None:
    unset = call("--json", "route", "limit").document
    assert [(one["scope"], one["most"]["amount"], one["set_by"]) for one in unset] == [
        ("run", "2", None),
        ("day", "20", None),
    ]
    call("route", "limit", "run", "0.5")
    call("route", "limit", "day", "--tokens", "1000")
    call("route", "limit", "workspace", "3", "--workspace", office.workspace)
    found = {one["scope"]: one for one in call("--json", "route", "limit").document}
    assert (found["run"]["most"]["amount"], found["run"]["most_tokens"]) == ("0.5", 1_000_000)
    assert (found["day"]["most"]["amount"], found["day"]["most_tokens"]) == ("20", 1000)
    assert found["workspace"]["subject"] == office.workspace
    assert call("route", "limit", "run", "none").code == 0
    for words in (("run", "none"), ("year", "1"), ("run", "lots"), ("schedule", "1"), ("run",)):
        assert call("route", "limit", *words).code == 2


def paid_run(office: Office, cost: int) -> str:
    """A run with one answer, one request that was lost, and a carry-on after both."""
    run_id = str(office.run()["run_id"])
    office.claim(run_id)

    def operation(txn: Txn) -> None:
        new = NewAttempt("default", "openai", "h", "gpt", tokens=10, charge=cost)
        llm_calls.begin(txn, run_id, "", 0, new)
        llm_calls.leave_open_ones(txn, run_id, "", 0)
        n = llm_calls.begin(txn, run_id, "", 0, new)
        llm_calls.end(txn, run_id, "", 0, n, AttemptEnd(LlmEnd.OK, charge=cost, tokens=9))

    office.database.transact(operation)
    office.record(run_id, 0, "classify", {"text": "x"}, kind=StepKind.LLM)
    return run_id


def test_a_run_says_what_it_paid_and_what_it_did_not_pay_again(call: Caller, office: Office) -> None:
    run_id = paid_run(office, UNIT // 100)
    office.move(run_id, RunState.READY)
    office.claim(run_id)
    office.note("claim", run_id, {"reason": "runner or host had ended"})
    office.note("claim", run_id, {"reason": "an answer came at once"})  # a host that lingered: nothing was replayed
    document = call("--json", "show", run_id).document
    assert document["checkpoint"]["paid"] == {
        "calls": 1, "answered_from_records": 1, "saved": {"amount": "0.01", "currency": "USD"}, "perhaps_billed": 1,
    }  # fmt: skip
    assert document["cost"] == {"amount": "0.02", "currency": "USD"}
    assert (document["steps"][0]["kind"], document["steps"][0]["cost"]) == ("llm", document["cost"])
    shown = call("show", run_id).out
    assert "1 llm call answered. 1 answered from what is kept when it was carried on: $0.01 not spent again." in shown
    assert "1 request may have been billed without an answer." in shown
    spent = spending_document(office.database.reader, office.clock.now_us())
    assert (len(spent), spent[-1]["cost"], spent[0]["cost"]["amount"]) == (31, document["cost"], "0")
    assert call("route", "spent").code == 0


def test_an_estimate_is_a_range_of_what_such_runs_came_to(office: Office) -> None:
    for cost in (UNIT, UNIT // 2):
        office.move(paid_run(office, cost), RunState.DONE)
    assert estimate_of(office.database.reader, "pay-invoices", office.workspace) == {
        "low": {"amount": "1", "currency": "USD"}, "high": {"amount": "2", "currency": "USD"}, "runs": 2,
    }  # fmt: skip
    assert estimate_of(office.database.reader, "another", office.workspace) is None


def test_what_a_document_may_cost_is_said_by_price_then_by_what_runs_came_to(call: Caller, office: Office) -> None:
    def told() -> object:
        (found,) = call("--json", "route", "estimate", "contract-review", "--workspace", office.workspace).document
        return found["words"]

    assert told() is None, "without an llm nothing is said of money"
    call("route", "add", "own", "--address", "http://127.0.0.1:9/v1", "--price-in", "2", "--price-out", "10")
    # 2,500 tokens at $2 and 300 at $10 a million, up to 25,000 and 2,000
    assert told() == "about $0.0080 to $0.07 per contract, by the price of compatible own"
    for cost in (UNIT, 3 * UNIT):
        office.move(paid_run(office, cost), RunState.DONE)
        office.database.transact(lambda txn: txn.do(sa.update(run_table).values(template="contract-review")))
    assert told() == "about $2.00 to $6.00 per contract, as the last 2 such runs did"
    call("route", "add", "here", "--provider", "ollama")
    call("route", "order", "default", "2", "1")
    assert told() is None, "one that costs nothing is asked first"
    assert "contract-review: nothing is known" in call("route", "estimate", "--workspace", office.workspace).out
