"""A workflow to be killed while an llm answers: a conversation with a tool, then two questions side by side."""

from counterfoil import Conversation, Params, Said, ToolOffer, ToolResult, llm, parallel, workflow

LOOK = ToolOffer("look", "Look something up.", {"type": "object", "properties": {"what": {"type": "string"}}})


class Asking(Params):
    turns: int


@workflow("asking")
async def asking(p: Asking) -> list[str]:
    talk = Conversation(system="You look things up.", tools=[LOOK], name="talk", most_tokens=200)
    answer = await talk.say(Said("Begin."))
    for n in range(p.turns):
        results: list[Said | ToolResult] = [ToolResult(call.id, call.tool, f"found {n}") for call in answer.calls]
        answer = await talk.say(*(results or [Said(f"And {n}?")]))
    return [answer.text, *await parallel(llm("Two?", name="two"), llm("Three?", name="three"))]
