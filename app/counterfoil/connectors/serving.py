"""Being a server of the protocol ourselves, on the streams of this process: a closed list of offers, and nothing else can be asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from counterfoil import __version__
from counterfoil.errors import CounterfoilError
from counterfoil.policy.boundaries import visible

LONGEST = 100_000  # characters of one answer


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool that is offered: `parameters` is the JSON schema of its arguments, `answer` blocks and gives plain JSON or raises."""

    name: str
    description: str
    parameters: dict[str, Any]
    answer: Callable[[dict[str, Any]], Any]
    reads_only: bool = False


def serve(offers: Sequence[Offer], instructions: str) -> None:
    """Serve these on stdin and stdout until stdin ends. Blocking."""
    asyncio.run(_serve({offer.name: offer for offer in offers}, instructions))


async def _serve(offers: dict[str, Offer], instructions: str) -> None:
    import mcp_types as types
    from mcp.server.lowlevel.server import NotificationOptions, Server
    from mcp.server.stdio import stdio_server

    async def listed(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=one.name,
                    description=one.description,
                    input_schema=one.parameters,
                    annotations=types.ToolAnnotations(read_only_hint=one.reads_only, destructive_hint=False),
                )
                for one in offers.values()
            ]
        )

    async def called(_: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        text, good = await _answered(offers.get(asked.name), asked.name, asked.arguments or {})
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=not good)

    server: Server[Any] = Server(
        "counterfoil", version=__version__, instructions=instructions, on_list_tools=listed, on_call_tool=called
    )
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options(NotificationOptions()))


async def _answered(offer: Offer | None, name: str, args: dict[str, Any]) -> tuple[str, bool]:
    """The text of an answer, and whether it is none of trouble."""
    if offer is None:
        return f"There is no tool “{visible(name[:60])}”.", False
    wrong = _misfit(offer.parameters, args)
    if wrong:
        return wrong, False
    try:
        plain = await asyncio.to_thread(offer.answer, args)
    except CounterfoilError as problem:
        return str(problem), False
    return json.dumps(plain, ensure_ascii=False)[:LONGEST], True


def _misfit(schema: dict[str, Any], args: dict[str, Any]) -> str:
    """Why arguments do not fit a schema of ours, which knows texts and objects; empty where they do."""
    known = schema["properties"]
    strange = next((name for name in args if name not in known), None)
    if strange is not None:
        return f"There is no argument “{visible(strange[:60])}”; there are: {', '.join(known)}."
    lacking = next((name for name in schema.get("required", ()) if name not in args), None)
    if lacking is not None:
        return f"The argument “{lacking}” is missing."
    kinds: dict[str, type] = {"string": str, "object": dict}
    wrong = next((name for name, value in args.items() if not isinstance(value, kinds[known[name]["type"]])), None)
    return f"The argument “{wrong}” is no {known[wrong]['type']}." if wrong is not None else ""
