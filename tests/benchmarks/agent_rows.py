"""Replaying a long conversation with an llm: its time grows with its turns, not with their square, and nobody is asked again."""

from __future__ import annotations

from statistics import median

from benchmarks.in_process import Office, office_in
from benchmarks.measuring import Ground, Row, number
from benchmarks.templates.measured.workflow import MeasuredParams
from counterfoil import Conversation, Said, ToolCall, ToolOffer, ToolResult, approve, workflow
from counterfoil.engine.llm_ports import LlmRequest
from counterfoil.routing.scripted import ScriptedLlms

TURNS = 300
FOUND = "what was found is a few lines of text. " * 50  # 2 kB, as a page of a file
ALIKE = 1.5  # a turn of the long one may take so many times a turn of the short one
LOOK = ToolOffer("look", "Look something up.", {"type": "object"})


@workflow("measured")
async def talking(p: MeasuredParams) -> None:
    """So many turns with a tool, then a gate: what comes after it begins with a replay of them all."""
    talk = Conversation(system="Look things up.", tools=[LOOK])
    answer = await talk.say(Said("Begin."))
    for _ in range(p.steps - 1):
        answer = await talk.say(*(ToolResult(call.id, call.tool, FOUND) for call in answer.calls))
    await approve("Go on")


def _called(request: LlmRequest) -> ToolCall:
    return ToolCall("", "look", {"n": len(request.history)})


def replay(ground: Ground) -> Row:
    """From the decision after a conversation of 300 turns to the end of the run, beside the same of 100."""
    longest = ground.pick(30, TURNS)
    with office_in(ground, ground.fastest, "agent") as office:
        blocks = [[_replayed(office, turns) for turns in (1, longest // 3, longest)] for _ in range(ground.pick(1, 5))]
    alone, short, long = (median(block[at][0] for block in blocks) for at in range(3))
    a_turn, beside = (max(took - alone, 1e-6) / turns for took, turns in ((long, longest), (short, longest // 3)))
    return Row(
        f"replay an agent of {longest} turns, in process",
        f"{number(long * 1000)} ms, {number(a_turn * 1000)} ms a turn",
        f"a turn at most {ALIKE:g} times one of {longest // 3}",
        f"{number(beside * 1000)} ms a turn of {longest // 3}, {a_turn / beside:.2f} times",
        None if ground.quick else a_turn <= ALIKE * beside,
        counts={"asked again": sum(asked for block in blocks for _, asked in block)},
    )


def _replayed(office: Office, turns: int) -> tuple[float, int]:
    """Seconds of CPU that the replay of a run takes, and how many requests were made in it."""
    (run,) = office.start(steps=turns)
    llms = ScriptedLlms(_called)
    office.advance([run], talking, llms)
    assert len(llms.requests) == turns, office.trouble(run)
    office.approve(run)
    spent = office.advance([run], talking, llms)
    return spent.cpu, len(llms.requests) - turns
