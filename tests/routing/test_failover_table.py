"""What follows when an llm does not answer, event by event: how the request is counted, who is asked next, and who is left alone.

Most events are played by llmock in test_requests; here are those that it does not play.
"""

import asyncio
import json
from typing import Any

import pytest

from counterfoil.engine.llm_ports import Heard, LlmReply, LlmTrouble, Told
from counterfoil.facts import LlmEnd
from counterfoil.routing import asking
from counterfoil.routing.asking import Router
from counterfoil.routing.entries import entry_from
from counterfoil.routing.faults import RULES, Fault
from counterfoil.store import llm_routes
from counterfoil.store.llm_calls import NewAttempt
from routing.canned import Canned, serving
from routing.conftest import KEY, Rows, Ways, request

# event -> how a request that ended so is counted, whether the next llm is asked, whether it counts against this one, whether it passes
TABLE = {
    Fault.NOT_REACHED: (LlmEnd.NOT_SENT, True, True, True),
    Fault.RATE: (LlmEnd.REJECTED, True, False, True),
    Fault.QUOTA: (LlmEnd.REJECTED, True, False, False),
    Fault.OVERLOADED: (LlmEnd.REJECTED, True, True, True),
    Fault.SERVER: (LlmEnd.REJECTED, True, True, True),
    Fault.LOST: (LlmEnd.UNKNOWN, True, True, True),
    Fault.CUT: (LlmEnd.CUT, True, True, True),
    Fault.TOO_LONG: (LlmEnd.REJECTED, True, False, False),
    Fault.REFUSED: (LlmEnd.REJECTED, False, False, False),
    Fault.KEY: (LlmEnd.REJECTED, False, False, False),
    Fault.NO_KEY: (LlmEnd.NOT_SENT, False, False, False),
    Fault.NO_SUCH_LLM: (LlmEnd.REJECTED, True, False, False),
}
OVERLOADED = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
BEGUN = (
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],'
    '"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}}}\n\n'
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Half an"}}\n\n'
)


def stream(*texts: str, finish: str | None = "stop") -> Canned:
    """An answer in OpenAI's format."""
    pieces = [_piece({"content": text}, None) for text in texts]
    return Canned("".join([*pieces, _piece({}, finish), "data: [DONE]\n\n"]))


def _piece(delta: dict[str, Any], finish: str | None) -> str:
    plain = {
        "id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }  # fmt: skip
    return f"data: {json.dumps(plain)}\n\n"


def test_the_table_is_what_was_agreed() -> None:
    assert {fault: (rule.end, rule.next, rule.strike, rule.passing) for fault, rule in RULES.items()} == TABLE


def test_credits_that_are_gone_are_no_rate_limit_though_a_vendor_says_429(ways: Ways) -> None:
    ways.route(ways.openai(), ways.openai("gpt-4o"))
    ways.server.fail(429, code="insufficient_quota", message="You exceeded your current quota.", model="gpt-4o-mini")
    assert ways.ask().llm == "compatible gpt-4o"
    assert ways.rows.words == ["rejected", "open"], "it was asked once"
    assert ways.ask().llm == "compatible gpt-4o"
    assert [begun.llm for begun in ways.rows.begun] == ["gpt-4o-mini", "gpt-4o", "gpt-4o"]


def test_overloaded_inside_a_stream_is_a_refusal_before_a_word_and_a_cut_after_one(ways: Ways) -> None:
    with serving(Canned(OVERLOADED)) as server:
        ways.route(ways.anthropic(address=server.address), ways.openai())
        assert ways.ask().llm == "compatible gpt-4o-mini"
        assert set(ways.rows.words[:-1]) == {"rejected"}
        assert len(server.asked) == 3, "twice more, then the next"
    ways.rows.begun.clear()
    ways.rows.ends.clear()
    with serving(Canned(BEGUN + OVERLOADED)) as server:
        ways.route(ways.anthropic(address=server.address), ways.openai(), name="cut")
        assert ways.ask(route="cut").llm == "compatible gpt-4o-mini"
        assert set(ways.rows.words[:-1]) == {"cut"}
        assert ways.rows.ends[1].told["partial"] == "Half an"
        assert ways.rows.ends[1].charge is None, "what may have been billed stays reserved"


@pytest.mark.parametrize("finish, told", [("length", "length"), ("content_filter", "filter")])
def test_an_answer_that_was_cut_at_its_limit_or_refused_is_an_answer(ways: Ways, finish: str, told: str) -> None:
    with serving(stream("I ca", finish=finish)) as server:
        ways.route(ways.openai(address=f"{server.address}/v1"), ways.openai())
        reply = ways.ask()
        assert (reply.finish, reply.text, reply.llm) == (told, "I ca", "compatible gpt-4o-mini")
        assert len(server.asked) == 1, "nobody else is asked for a laxer answer"
        assert ways.sent == 0


@pytest.mark.parametrize(
    "answer",
    [
        Canned('{"error": {"message": "upstream is down", "code": 502}}', kind="application/json"),
        Canned("<html>Welcome to the hotel's network</html>", kind="text/html"),
        Canned("", status=307, headers={"Location": "https://elsewhere.example/v1/chat/completions"}),
    ],
    ids=["an error in a good body", "a page of somebody else", "a way elsewhere"],
)
def test_what_is_no_answer_is_none_and_the_next_is_asked(ways: Ways, answer: Canned) -> None:
    with serving(answer) as server:
        ways.route(ways.openai("odd", address=f"{server.address}/v1"), ways.openai())
        assert ways.ask().llm == "compatible gpt-4o-mini"
        assert "open" not in ways.rows.words[:-1]
        assert ways.sent == 1


def test_what_may_have_cost_much_is_put_before_a_person(ways: Ways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "ASK_ABOVE", 0)
    ways.route(ways.openai(), ways.openai("gpt-4o"))
    ways.server.truncate(after_chunks=2)
    with pytest.raises(LlmTrouble, match=r"may have been billed \(up to \$") as told:
        ways.ask()
    assert not told.value.passing
    assert (ways.rows.words, ways.sent) == (["cut"], 1)


def test_who_is_not_wanted_any_more_is_cancelled_and_nobody_else_is_asked(ways: Ways) -> None:
    ways.route(ways.openai(), ways.openai("gpt-4o"))
    ways.server.slow_first_token(3.0)
    router = Router(ways.database, lambda _: KEY, ways.breakers, ways.deadlines)

    class Begun(Rows):
        async def begin(self, new: NewAttempt) -> int:
            asyncio.get_running_loop().call_soon(asked.cancel)
            return await super().begin(new)

    asked: asyncio.Future[LlmReply]
    ways.rows = Begun()

    async def given_up() -> None:
        nonlocal asked
        asked = asyncio.ensure_future(router.ask(request(), ways.rows))
        with pytest.raises(asyncio.CancelledError):
            await asked

    asyncio.run(given_up())
    assert ways.rows.words == ["cancelled"]
    assert ways.rows.ends[1].charge is None, "it may have been billed"


def test_thoughts_that_one_vendor_signed_are_not_sent_to_another(ways: Ways) -> None:
    """And which llm it stands in for is kept with the request."""
    from pydantic_ai import messages

    thought = messages.ThinkingPart("Hm.", signature="signed-by-one", provider_name="anthropic")
    kept = messages.ModelResponse([thought, messages.TextPart("Yes.")], provider_name="anthropic", finish_reason="stop")
    history = [
        Told("Is it?"),
        Heard("Yes.", (), messages.ModelMessagesTypeAdapter.dump_json([kept]).decode()),
        Told("Sure?"),
    ]
    with serving(stream("Sure.")) as server:
        ways.route(ways.anthropic(), ways.openai(address=f"{server.address}/v1"))
        ways.server.fail(529, times=None, retry_after=0.01)
        assert ways.ask(history=history).text == "Sure."
        (sent,) = server.asked
    assert "signed-by-one" not in sent
    assert [message["content"] for message in json.loads(sent)["messages"] if message["role"] == "assistant"]
    assert ways.rows.begun[-1].asked["instead_of"] == "anthropic claude-haiku-4-5"


def test_an_llm_on_this_computer_is_one_by_its_address_alone(ways: Ways) -> None:
    """A provider called local is not here because of its name."""
    ways.route(ways.openai("a", provider="ollama", address="https://ollama.example.com/v1"), ways.openai("b"))
    away, here = (entry_from(row) for row in llm_routes.entries(ways.database.reader, llm_routes.DEFAULT))
    assert (away.stays, here.stays) == (False, True)
