"""One request on the wire, by the vendors' formats of pydantic-ai: its own loop, retries and fallbacks are not used.

A stream that ended is not an answer that ended: the library takes a cut one for whole, so what says how it ended is looked for here. The
library is imported at the first request, in a thread, because that takes seconds.
"""

from __future__ import annotations

import asyncio
import functools
import json
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from counterfoil.engine.llm_ports import Heard, LlmRequest, Told
from counterfoil.routing import wire_faults
from counterfoil.routing.entries import Entry
from counterfoil.routing.faults import Failed, Fault

if TYPE_CHECKING:
    from pydantic_ai import messages
    from pydantic_ai.models import Model as Adapter

FIRST_EVENT = 120.0  # seconds until an answer has to begin
SILENCE = 90.0  # seconds between two pieces of it
WHOLE = 900.0  # seconds for all of it
PARTIAL = 4000  # characters of a cut answer that are kept
TOOL = "answer"  # the tool by which some llms are made to answer in a schema
_FINISH = {"stop": "stop", "length": "length", "content_filter": "filter", "tool_call": "calls"}


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a request may take, in seconds."""

    first_event: float = FIRST_EVENT
    silence: float = SILENCE
    whole: float = WHOLE


@dataclass(frozen=True, slots=True)
class Answered:
    """A whole answer. `kept` is it as it is sent back in later turns, `counted` the library's account of tokens (None: not told)."""

    text: str
    calls: tuple[tuple[str, str, str], ...]
    finish: str
    kept: str
    counted: Any
    usage: dict[str, int]
    told: dict[str, Any] = field(default_factory=dict)


async def send(
    entry: Entry, key: str | None, request: LlmRequest, deadlines: Deadlines, say: Callable[[int], None]
) -> Answered | Failed:
    """Make one request; `say` hears how many characters have come."""
    await asyncio.to_thread(load)
    import httpx2

    partial: list[str] = []
    # Nothing but this address: no proxy on the way to this computer, and no redirect anywhere.
    async with httpx2.AsyncClient(verify=_trust(), trust_env=not entry.stays, follow_redirects=False) as client:
        try:
            response = await _stream(_adapter(entry, key, client), entry, request, deadlines, partial, say)
        except Exception as problem:  # noqa: BLE001 - whatever a library raises is a request that failed
            return wire_faults.failed(problem, "".join(partial)[:PARTIAL])
    return _read(response, entry)


@functools.cache
def load() -> None:
    """Import what is needed, which takes seconds the first time; blocking."""
    import pydantic_ai.direct
    import pydantic_ai.models.anthropic
    import pydantic_ai.models.openai  # noqa: F401 - loaded for those who use it below


@functools.cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()


def _adapter(entry: Entry, key: str | None, client: Any) -> Adapter:
    if entry.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        made = AnthropicProvider(base_url=entry.address, api_key=key or "none", http_client=client)
        return AnthropicModel(entry.llm, provider=made)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=entry.address, api_key=key or "none", http_client=client)
    return OpenAIChatModel(entry.llm, provider=provider)


async def _stream(
    adapter: Adapter,
    entry: Entry,
    request: LlmRequest,
    deadlines: Deadlines,
    partial: list[str],
    say: Callable[[int], None],
) -> messages.ModelResponse:
    from pydantic_ai import direct

    parameters, system = _parameters(entry, request)
    said = adapter.prepare_messages(_messages(request.history, system), parameters)
    come = 0
    async with direct.model_request_stream(
        adapter, said, model_settings=_settings(entry, request, deadlines), model_request_parameters=parameters
    ) as stream:
        async for event in stream:
            text = getattr(getattr(event, "delta", None), "content_delta", None)
            text = text or getattr(getattr(event, "part", None), "content", None)
            if isinstance(text, str):
                partial.append(text)
                come += len(text)
                say(come)
        return stream.get()


def _settings(entry: Entry, request: LlmRequest, deadlines: Deadlines) -> Any:
    settings: dict[str, Any] = {
        "max_tokens": request.most_tokens,
        "max_retries": 0,  # each request is a row, so nobody but us makes one
        "timeout": deadlines.silence,
        "first_event_timeout": deadlines.first_event,
        "request_timeout": deadlines.whole,
    }
    if request.output is not None and entry.provider in ("ollama", "llamacpp"):
        settings["extra_body"] = {"response_format": {"type": "json_object", "schema": request.output}}
    return settings


def _parameters(entry: Entry, request: LlmRequest) -> tuple[Any, str]:
    """The library's parameters, and the system text: an answer in a schema is asked for as the vendor does it best."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    tools = [
        ToolDefinition(name=tool.name, description=tool.description, parameters_json_schema=tool.parameters)
        for tool in request.tools
    ]
    system, schema = request.system, request.output
    if schema is None:
        return ModelRequestParameters(function_tools=tools), system
    if entry.provider in ("openai", "openrouter"):
        made = OutputObjectDefinition(json_schema=schema, name=TOOL, strict=None)
        return ModelRequestParameters(function_tools=tools, output_mode="native", output_object=made), system
    if entry.provider == "anthropic":
        answer = ToolDefinition(name=TOOL, description="Give the answer.", parameters_json_schema=schema, kind="output")
        made_up = ModelRequestParameters(
            function_tools=tools, output_mode="tool", output_tools=[answer], allow_text_output=bool(tools)
        )
        return made_up, system
    words = f"Answer with nothing but one JSON value that fits this schema: {json.dumps(schema, ensure_ascii=False)}"
    return ModelRequestParameters(function_tools=tools), f"{system}\n\n{words}".strip()


# ------------------------------------------------------------------------------------------------------------- history


def _messages(history: Sequence[Heard | Told], system: str) -> list[messages.ModelMessage]:
    """The conversation in the library's words. A call without an outcome gets one: vendors refuse a history in which one is open."""
    from pydantic_ai import messages

    made: list[messages.ModelMessage] = []
    waiting: dict[str, str] = {}
    parts: list[Any] = []

    def close() -> None:
        parts[:0] = [
            messages.ToolReturnPart(tool, "The outcome of this call is not known.", tool_call_id=id_)
            for id_, tool in waiting.items()
        ]
        waiting.clear()
        if parts:
            made.append(messages.ModelRequest(parts=list(parts), instructions=system or None))
            parts.clear()

    for message in history:
        if isinstance(message, Heard):
            close()
            made.append(_heard(message))
            waiting.update({id_: tool for id_, tool, _ in message.calls})
        elif message.call is None:
            parts.append(messages.UserPromptPart(message.text))
        else:
            waiting.pop(message.call, None)
            parts.append(messages.ToolReturnPart(message.tool, _outcome(message), tool_call_id=message.call))
    close()
    return made


def _outcome(message: Told) -> str:
    words = {"denied": "Denied: ", "failed": "Failed: ", "unknown": "Nobody knows how this ended: "}
    return words.get(message.outcome, "") + message.text


def _heard(heard: Heard) -> messages.ModelResponse:
    from pydantic_ai import messages

    if heard.kept is not None:
        (response,) = messages.ModelMessagesTypeAdapter.validate_json(heard.kept)
        if isinstance(response, messages.ModelResponse):
            for part in response.parts:
                if isinstance(part, messages.ToolCallPart) and _object_in(part.args) is None:
                    part.args = "{}"  # what cannot be read is not said again
            return response
    parts: list[Any] = [messages.TextPart(heard.text)] if heard.text else []
    parts += [messages.ToolCallPart(tool, args, tool_call_id=id_) for id_, tool, args in heard.calls]
    return messages.ModelResponse(parts=parts)


def _object_in(args: Any) -> dict[str, Any] | None:
    """The arguments of a call; None where they are no JSON object."""
    if not isinstance(args, str) or not args:
        return args or {}
    try:
        plain = json.loads(args)
    except ValueError:
        return None
    return plain if isinstance(plain, dict) else None


# ------------------------------------------------------------------------------------------------------------- reading


def _read(response: messages.ModelResponse, entry: Entry) -> Answered | Failed:
    from pydantic_ai import messages

    details = response.provider_details or {}
    told = {
        "reported": response.model_name,
        "response_id": response.provider_response_id,
        "finish_raw": details.get("finish_reason"),
        "usage_raw": _usage_raw(response),
    }
    if response.state != "complete" or details.get("finish_reason") is None or response.finish_reason == "error":
        text = "".join(part.content for part in response.parts if isinstance(part, messages.TextPart))
        return Failed(Fault.CUT, f"{entry.name} began an answer and did not end it.", partial=text[:PARTIAL], told=told)
    text, calls = "", []
    for part in response.parts:
        if isinstance(part, messages.TextPart):
            text += part.content
        elif isinstance(part, messages.ToolCallPart):
            args = part.args if isinstance(part.args, str) else json.dumps(part.args or {}, ensure_ascii=False)
            if part.tool_name == TOOL and entry.provider == "anthropic":
                text = args  # the answer came by the tool that stands for it
            else:
                calls.append((part.tool_call_id, part.tool_name, args or "{}"))
    known = not response.usage.unmeasured_requests and bool(response.usage.input_tokens)
    finish = _FINISH.get(response.finish_reason or "stop", "stop")
    kept = messages.ModelMessagesTypeAdapter.dump_json([response]).decode()
    return Answered(
        text,
        tuple(calls),
        "calls" if calls and finish != "length" else "stop" if finish == "calls" else finish,
        kept,
        response.usage if known else None,
        _usage(response) if known else {},
        told,
    )


def _usage_raw(response: messages.ModelResponse) -> dict[str, Any]:
    return {name: value for name, value in vars(response.usage).items() if value and name != "cost"}


def _usage(response: messages.ModelResponse) -> dict[str, int]:
    usage = response.usage
    named = {
        "input": usage.input_tokens,
        "output": usage.output_tokens,
        "cache_read": usage.cache_read_tokens,
        "cache_write": usage.cache_write_tokens,
    }
    return {name: count for name, count in named.items() if count or name in ("input", "output")}
