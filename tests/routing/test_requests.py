"""Requests on the wire, against llmock: what is taken for an answer, what a fault costs, and who is asked next."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from counterfoil.engine.llm_ports import Heard, LlmTrouble, Told
from counterfoil.facts import LlmEnd
from counterfoil.routing import local, prices, trying, wire
from counterfoil.routing.breakers import Breakers
from counterfoil.routing.entries import entry_from
from counterfoil.routing.faults import RULES, Fault
from counterfoil.routing.wire import Deadlines
from counterfoil.store import llm_routes
from counterfoil.store.llm_money import words
from routing.conftest import CALLED, KEY, LOOK, Ways

BOTH = pytest.mark.parametrize("vendor", ["openai", "anthropic"])


@BOTH
def test_an_answer_comes_with_its_usage_its_price_and_what_is_sent_back_later(ways: Ways, vendor: str) -> None:
    ways.route(getattr(ways, vendor)())
    ways.server.reply("Good morning.")
    reply = ways.ask()
    assert (reply.text, reply.finish, reply.calls) == ("Good morning.", "stop", ())
    assert reply.usage["output"] > 0
    assert reply.cost is not None
    assert reply.cost > 0
    assert reply.end.end == LlmEnd.OK
    assert (reply.end.charge, reply.end.told["usage"]) == (prices.Price(reply.cost, "").units, reply.usage)
    (begun,) = ways.rows.begun
    assert (begun.charge or 0) >= (reply.end.charge or 0), "less was reserved than it came to"
    assert begun.asked["priced"].startswith("genai-prices")
    assert reply.end.response is not None
    ways.server.reply("Indeed.")
    again = ways.ask(history=[Told("Hello."), Heard(reply.text, (), reply.end.response), Told("And?")])
    assert again.text == "Indeed."
    assert KEY not in str(ways.rows.begun) + str(reply)


@BOTH
def test_calls_of_tools_come_as_they_are_and_a_broken_one_is_marked(ways: Ways, vendor: str) -> None:
    ways.route(getattr(ways, vendor)())
    ways.server.call_tool("look", {"what": "x"})
    reply = ways.ask(tools=[LOOK])
    ((_, tool, args),) = reply.calls
    assert (tool, args, reply.finish) == ("look", '{"what": "x"}', "calls")
    ways.server.break_tool_call()
    ((_, _, broken),) = ways.ask(tools=[LOOK]).calls
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        json.loads(broken)


@BOTH
def test_a_history_is_sent_though_a_call_is_open_and_one_cannot_be_read(ways: Ways, vendor: str) -> None:
    """Vendors refuse a history with a call that has no outcome; a kept answer of one vendor goes to the other."""
    other = ways.anthropic() if vendor == "openai" else ways.openai()
    ways.route(other)
    ways.server.call_tool("look", {"what": "x"})
    kept = ways.ask(tools=[LOOK])
    ways.route(getattr(ways, vendor)(), name="other")
    history = [
        Told("Hello."),
        Heard("", kept.calls, kept.end.response),
        Told("it is there", kept.calls[0][0], "look"),
        CALLED,
        Told("no", "c1", "look", "denied"),
        Told("Go on."),
    ]
    ways.server.reply("Well.")
    assert ways.ask(tools=[LOOK], history=history, route="other").text == "Well."


class TestCut:
    """A stream that ended is no answer that ended."""

    @BOTH
    @pytest.mark.parametrize("tools", [[], [LOOK]], ids=["in a text", "in a call"])
    def test_a_stream_that_ends_early_and_cleanly_is_no_answer(self, ways: Ways, vendor: str, tools: Any) -> None:
        ways.route(getattr(ways, vendor)())
        ways.server.truncate(after_chunks=2)
        reply = ways.ask(tools=tools)
        assert ways.rows.words == ["cut", "open"]
        assert reply.n == 2
        assert ways.rows.ends[1].charge is None, "what may have been billed stays reserved"
        assert ways.sent == 2
        ways.server.assert_resilient(strict=True)

    @BOTH
    def test_a_dropped_connection_and_a_broken_chunk_may_have_been_billed(self, ways: Ways, vendor: str) -> None:
        ways.route(
            getattr(ways, vendor)(),
            getattr(ways, vendor)(llm="gpt-4o" if vendor == "openai" else "claude-haiku-4-5-20251001"),
        )
        ways.server.disconnect(after_chunks=3).corrupt(after_chunks=4)
        ways.ask()
        assert len(ways.rows.words) > 1
        assert set(ways.rows.words[:-1]) <= {"cut", "unknown"}
        assert ways.sent == len(ways.rows.begun)

    def test_a_stalled_stream_ends_at_its_deadline(self, ways: Ways) -> None:
        ways.deadlines = Deadlines(first_event=60, silence=2, whole=120)  # the second answer has to come in time, too
        ways.route(ways.openai())
        ways.server.stall(after_chunks=2, seconds=8)
        ways.ask()
        assert ways.rows.words[-1] == "open"
        assert set(ways.rows.words[:-1]) <= {"cut", "unknown"}


# status -> how each request ends until the second llm answers, and whether the first is asked again
STATUS = {
    503: ["rejected", "rejected", "rejected", "open"],
    529: ["rejected", "rejected", "rejected", "open"],
    500: ["rejected", "rejected", "open"],
    402: ["rejected", "open"],
    404: ["rejected", "open"],
    429: ["rejected", "rejected", "open"],
}


@pytest.mark.parametrize("status", STATUS)
def test_after_a_refusal_that_concerns_one_llm_the_next_is_asked(ways: Ways, status: int) -> None:
    ways.route(ways.openai(), ways.openai("gpt-4o"))
    ways.server.fail(status, times=None, model="gpt-4o-mini", retry_after=0.1)
    reply = ways.ask()
    assert reply.llm == "compatible gpt-4o"
    assert ways.rows.words == STATUS[status]
    assert [end.charge for end in ways.rows.ends.values()] == [0] * (len(ways.rows.words) - 1)
    assert ways.sent == len(ways.rows.begun)
    ways.server.assert_resilient()


@pytest.mark.parametrize("status", [400, 401, 403, 422])
def test_what_the_next_llm_cannot_mend_is_told_at_once(ways: Ways, status: int) -> None:
    ways.route(ways.openai(), ways.openai("gpt-4o"))
    ways.server.fail(status, times=None)
    with pytest.raises(LlmTrouble, match=r"No llm answered\. compatible gpt-4o-mini") as told:
        ways.ask()
    assert not told.value.passing
    assert (ways.rows.words, ways.sent) == (["rejected"], 1)
    ways.server.assert_resilient(strict=True)


def test_a_long_wait_is_left_to_the_desk(ways: Ways) -> None:
    ways.route(ways.openai())
    ways.server.fail(429, retry_after=40)
    with pytest.raises(LlmTrouble) as told:
        ways.ask()
    assert (told.value.passing, told.value.retry_after) == (True, 40)
    with pytest.raises(LlmTrouble, match="left alone for 40 s"):
        ways.ask()
    assert ways.sent == 1, "the llm was asked before it may be"


@pytest.mark.parametrize("status", [402, 401, 404])
def test_what_does_not_pass_by_itself_rests_until_a_person_says_to_try_again(ways: Ways, status: int) -> None:
    ways.route(ways.openai())
    ways.server.fail(status)
    with pytest.raises(LlmTrouble):
        ways.ask()
    with pytest.raises(LlmTrouble, match="compatible gpt-4o-mini is left alone: ") as told:
        ways.ask()
    assert (told.value.passing, told.value.retry_after) == (False, None), "a run would wait for it in silence"
    assert ways.sent == 1
    assert ways.ask(pressed=True).llm == "compatible gpt-4o-mini", "topped up, and said so"
    assert ways.ask().n == 3, "and nobody else is told to wait any more"


def test_nobody_there_is_not_sent_and_costs_nothing(ways: Ways) -> None:
    ways.route(ways.openai(address="http://127.0.0.1:9/v1"), ways.openai())
    assert ways.ask().n == 3
    assert ways.rows.words == ["not_sent", "not_sent", "open"]


def test_a_request_that_is_too_long_goes_to_a_larger_window_and_never_to_a_smaller_one(ways: Ways) -> None:
    ways.route(ways.openai(window=8000), ways.openai("small", window=4000), ways.openai("gpt-4o", window=90_000))
    ways.server.fail(400, code="context_length_exceeded", message="This model's maximum context length was exceeded.")
    assert ways.ask().llm == "compatible gpt-4o"
    assert [begun.llm for begun in ways.rows.begun] == ["gpt-4o-mini", "gpt-4o"]
    assert ways.breakers.closed_until((ways.server.base_url("openai"), "gpt-4o-mini", "secret:one")) is None


def test_what_fits_nowhere_is_not_sent_and_the_workflow_hears_of_it(ways: Ways) -> None:
    ways.route(ways.openai(window=1000))
    with pytest.raises(LlmTrouble, match="takes 1,000 tokens at most") as told:
        ways.ask("word " * 2000)
    assert told.value.too_long
    assert (ways.rows.begun, ways.sent) == ([], 0)


class TestStays:
    """What stays on this computer stays there, whatever else stands in the chain."""

    def test_a_route_that_stays_asks_loopback_addresses_only(self, ways: Ways) -> None:
        ways.route(ways.openai(address="https://api.example.com/v1"), ways.openai("local", priced="local"), stays=True)
        assert ways.ask().llm == "compatible local"
        assert [begun.llm for begun in ways.rows.begun] == ["local"]

    @pytest.mark.parametrize(
        "address", ["https://api.example.com/v1", "http://127.0.0.1.example.com/v1", "http://10.0.0.1/v1"]
    )
    def test_without_one_it_fails_closed(self, ways: Ways, address: str) -> None:
        ways.route(ways.openai(address=address), stays=True)
        with pytest.raises(
            LlmTrouble, match=r"stays on this computer, and none of the llms of its route is here\. Nothing was sent"
        ):
            ways.ask()
        assert ways.rows.begun == []

    def test_a_workspace_may_say_so_for_every_route(self, ways: Ways, tmp_path: Path) -> None:
        (tmp_path / ".counterfoil").mkdir()
        settings = tmp_path / ".counterfoil" / "workspace.toml"
        settings.write_text("[llms]\nstays = true\n", encoding="utf-8")
        ways.route(ways.openai(address="https://api.example.com/v1"), name="away")
        ways.route(ways.openai(address="https://api.example.com/v1"), ways.openai("local"))
        with pytest.raises(LlmTrouble, match="What this workspace asks stays on this computer"):
            ways.ask(route="away", workspace=str(tmp_path))
        assert ways.ask(workspace=str(tmp_path)).llm == "compatible local"
        settings.write_text("[llms]\nstays = 5\n", encoding="utf-8")
        with pytest.raises(LlmTrouble, match="may leave this computer is not known"):
            ways.ask(workspace=str(tmp_path))

    def test_no_proxy_stands_on_the_way_to_this_computer(self, ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        ways.route(ways.openai(), stays=True)
        ways.ask()
        assert ways.sent == 1


class TestKeys:
    """Keys are named in rows and never held there."""

    def test_a_key_in_the_environment_is_used_and_shown_as_such(
        self, ways: Ways, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ways.route(ways.openai(key="env:SOME_KEY"))
        with pytest.raises(LlmTrouble, match="environment variable SOME_KEY is not set"):
            ways.ask()
        assert ways.rows.begun == []
        monkeypatch.setenv("SOME_KEY", "sk-from-env")
        ways.ask()
        assert ways.rows.begun[0].asked["key"] == "env:SOME_KEY"

    def test_a_vendor_that_repeats_the_key_does_not_get_it_into_a_row(self, ways: Ways) -> None:
        ways.route(ways.openai())
        ways.server.fail(401, message=f"Incorrect API key provided: {KEY}")
        with pytest.raises(LlmTrouble) as told:
            ways.ask()
        assert "[key]" in str(told.value)
        assert KEY not in str(told.value) + str(ways.rows.ends)


def test_an_unknown_price_is_not_zero(ways: Ways) -> None:
    ways.route(ways.openai("nobody-knows-it"), ways.openai("own", priced="set", price_in="2", price_out="10"))
    reply = ways.ask()
    assert (reply.cost, reply.end.charge, ways.rows.begun[0].charge) == (None, None, None)
    assert reply.end.tokens == sum(reply.usage.values())
    assert ways.rows.begun[0].tokens > 0
    assert words(None) == "no price known"
    assert words(Decimal("0.00123")) == "$0.0013"


@pytest.mark.parametrize("vendor", ["openai", "anthropic", "compatible"])
def test_an_answer_in_a_schema_is_asked_for_as_the_vendor_does_it(ways: Ways, vendor: str) -> None:
    schema = {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}
    entry = ways.anthropic() if vendor == "anthropic" else ways.openai(provider=vendor)
    ways.route(entry)
    if vendor == "compatible":
        ways.server.reply('{"kind": "fee"}')
    reply = ways.ask(output=schema)
    assert '"kind"' in reply.text
    assert (reply.calls, reply.finish) == ((), "stop")


def test_every_fault_has_a_rule_and_the_breaker_opens_after_three(ways: Ways) -> None:
    assert set(RULES) == set(Fault)
    ways.route(ways.openai())
    ways.server.fail(503, times=None, retry_after=0.1)
    with pytest.raises(LlmTrouble) as told:
        ways.ask()
    assert told.value.passing
    with pytest.raises(LlmTrouble, match="left alone"):
        ways.ask()
    assert ways.sent == 3


def test_deadlines_are_said() -> None:
    assert (wire.FIRST_EVENT, wire.SILENCE, wire.WHOLE) == (120, 90, 900)


def test_an_llm_is_tried_out_and_what_is_wrong_is_said_without_the_key(ways: Ways) -> None:
    ways.route(ways.openai(), ways.openai(address="http://127.0.0.1:9/v1"))
    good, gone = (entry_from(row) for row in llm_routes.entries(ways.database.reader, llm_routes.DEFAULT))
    tried = trying.try_out(good, lambda _: KEY)
    assert (tried.well, tried.words) == (True, "It answers.")
    assert tried.cost is not None
    assert not trying.try_out(gone, lambda _: KEY).well
    ways.server.fail(401, message=f"no such key {KEY}")
    assert trying.try_out(good, lambda _: KEY).words == "no such key [key]"


def test_a_server_on_this_computer_is_found_when_somebody_looks(ways: Ways) -> None:
    assert local.look({"ollama": "http://127.0.0.1:9/v1"}) == []
    (found,) = local.look({"ollama": ways.server.base_url("openai"), "llamacpp": "http://127.0.0.1:9/v1"})
    assert found.provider == "ollama"
    assert found.llms


def test_a_try_after_a_rest_that_comes_to_nothing_gives_way_to_another() -> None:
    now = [0.0]
    breakers = Breakers(lambda: now[0])
    for _ in range(3):
        breakers.strike("one", "overloaded")
    assert breakers.closed_until("one") == (30.0, "overloaded", True)
    now[0] = 31.0
    assert breakers.closed_until("one") is None, "one may try"
    assert breakers.closed_until("one") is not None, "and one alone"
    now[0] = 62.0  # nobody heard how that try ended
    assert breakers.closed_until("one") is None
