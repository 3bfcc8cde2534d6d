"""One connection to a connector's server: made, spoken through and ended by a task of its own.

The protocol's library binds what it opens to the task that opened it, and calls come from many tasks. So one task keeps the connection, and
everybody else asks over it. Nothing is asked without a deadline: a server that hangs over HTTP is noticed by nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from counterfoil import __version__
from counterfoil.connectors.asking import key_of, texts_of
from counterfoil.connectors.declared import Declared
from counterfoil.connectors.definitions import Tool, read_tools
from counterfoil.connectors.sieve import Sieve, Transport, sifted
from counterfoil.connectors.signing_in import tokens_of
from counterfoil.engine.llm_ports import LlmTrouble
from counterfoil.engine.ports import Sample

OPENING = 120.0  # seconds until a server has said what it is
LISTING = 60.0  # seconds for its tools
PAGES = 100  # of one listing
ROUNDS = 10  # in which a server may ask on without a person
_CLOSING = 15.0
# How an error says that nobody knows whether the call was performed; any other is an answer of the server.
_ENDED, _LATE, _REFUSED = -32000, -32001, -1
_NOBODY_KNOWS = frozenset({_ENDED, _LATE, -32600, -32603, -32700})
_LOUD = ("mcp", "client")  # loggers that repeat what a server says
Roots = Callable[[], list[str]]


class LineLost(Exception):
    """The connection is gone, or nothing came in time; whether what was asked has happened is not known."""


class NoLine(Exception):
    """There is no connection: the server does not start, does not answer, or speaks something else."""


class NotReached(NoLine):
    """Not a word was said: there is no such program, no such address, no secret that is needed."""


@dataclass(slots=True)
class Reply:
    """What a call came to: the result as the wire spells it, an error in words, or questions that a person must answer first.

    `state` is what the server wants back with the answers; None in the older protocol, where the call begins anew.
    """

    result: dict[str, Any] | None = None
    error: str = ""
    trouble: str | None = None
    questions: dict[str, dict[str, Any]] = field(default_factory=dict)
    state: str | None = None
    begins_anew: bool = False


@dataclass(slots=True)
class Words:
    """What is known when a call is made: answers of a person by question (`asking.key_of`), each good for one time; the questions that the
    server waits on, and what it wants back with the answers; somebody who answers at once, where there is one."""

    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    questions: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    state: str | None = None
    sample: Sample | None = None
    answering: Callable[[Mapping[str, Any]], dict[str, Any] | None] | None = None

    def said(self, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        """What is to be said to a question; a person is asked again what a server asks again."""
        said = self.answers.pop(key_of(asked), None)
        return said if said is not None or self.answering is None else self.answering(asked)


class Line:
    """A connection. `changed` is set when the server says that its tools are others."""

    def __init__(
        self,
        declared: Declared,
        reach: Callable[[], Transport],
        roots: Roots | None = None,
        patience: float = OPENING,
    ) -> None:
        self.declared = declared
        self.changed = False
        self._reach = reach
        self._roots = roots
        self._patience = patience
        self._sieve = Sieve([*declared.secrets(), *tokens_of(declared.name)])
        self._client: Any = None
        self._keeper: asyncio.Task[None] | None = None
        self._ending = asyncio.Event()
        self._one_at_a_time = asyncio.Lock()
        self._words = Words()
        self._wanted: dict[str, dict[str, Any]] = {}

    @property
    def is_open(self) -> bool:
        """Whether it can be asked."""
        return (
            self._client is not None and not self._sieve.ended and self._keeper is not None and not self._keeper.done()
        )

    @property
    def protocol(self) -> str:
        """The protocol's date that both speak."""
        return str(self._client.session.protocol_version or "") if self._client else ""

    @property
    def server(self) -> str:
        """What the server calls itself, for people; not to be believed."""
        info = self._client.session.server_info if self._client else None
        return f"{info.name} {info.version}".strip()[:120] if info is not None else ""

    # ---------------------------------------------------------------------------------------------- opening and closing

    async def open(self) -> None:
        """Connect.

        Raises:
            NoLine: it could not be; the message says why.
        """
        await asyncio.to_thread(load)
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.ensure_future(self._keep(ready))
        try:
            async with asyncio.timeout(self._patience):
                await asyncio.wait([ready, self._keeper], return_when=asyncio.FIRST_COMPLETED)
                await (ready if ready.done() else self._keeper)
        except TimeoutError:
            await self.close()
            raise NoLine(f"it did not say what it is within {self._patience:g} seconds") from None
        except asyncio.CancelledError:
            await self.close()
            raise

    async def _keep(self, ready: asyncio.Future[None]) -> None:
        from mcp import Client  # lazy: takes most of a second to load
        from mcp.types import Implementation

        hooks: dict[str, Any] = {"elicitation_callback": self._elicited, "message_handler": self._heard}
        if self._roots is not None:
            hooks["list_roots_callback"] = self._listed_roots
        if self.declared.llms:
            hooks["sampling_callback"] = self._sampled
        try:
            async with Client(
                sifted(self._reach(), self._sieve),
                mode=self.declared.era,
                cache=None,
                read_timeout_seconds=max(self._patience, self.declared.seconds),  # calls have deadlines of their own
                client_info=Implementation(name="counterfoil", version=__version__),
                **hooks,
            ) as self._client:
                if not ready.done():
                    ready.set_result(None)
                await self._ending.wait()
        except Exception as problem:  # noqa: BLE001 - a stranger's server breaks in any way
            told = problem if isinstance(problem, NoLine) else NoLine(said_by(problem))
            if ready.done():
                return
            ready.set_exception(told)
        finally:
            self._client = None

    async def close(self) -> None:
        """Say good-bye and end the server."""
        self._ending.set()
        if self._keeper is not None:
            with contextlib.suppress(TimeoutError, NoLine):
                async with asyncio.timeout(_CLOSING):
                    await asyncio.wait([self._keeper])
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)

    # ------------------------------------------------------------------------------------------------------------ asking

    async def tools(self) -> tuple[list[Tool], list[str]]:
        """Its tools as they are now, and a sentence for each that cannot be used.

        Raises:
            LineLost: it did not say.
        """
        from mcp.shared.exceptions import MCPError
        from mcp.types import PaginatedRequestParams

        self.changed = False
        self._sieve.begin()
        cursor: str | None = None
        try:
            async with asyncio.timeout(LISTING):
                for _ in range(PAGES):
                    page = await self._session().list_tools(params=PaginatedRequestParams(cursor=cursor))
                    cursor = page.next_cursor
                    if cursor is None:
                        break
        except (MCPError, TimeoutError, ValueError) as problem:
            raise LineLost(f"it did not say which tools it has ({said_by(problem)})") from problem
        return read_tools(self.declared.name, self.declared.identity, self._sieve.raw)

    async def call(self, tool: str, args: Mapping[str, Any], words: Words, key: str) -> Reply:
        """Call a tool.

        Raises:
            LineLost: nobody knows what became of it.
        """
        words = replace(words, answers=dict(words.answers))
        if self.protocol >= "2026":
            return await self._call(tool, args, words, key)
        async with self._one_at_a_time:  # in the older protocol nothing says which call a question belongs to
            self._words, self._wanted = words, {}
            try:
                reply = await self._call(tool, args, Words(), key)
            finally:
                self._words = Words()
            if self._wanted:
                return Reply(questions=self._wanted, begins_anew=True)
            return reply

    async def _call(self, tool: str, args: Mapping[str, Any], words: Words, key: str) -> Reply:
        state, responses = words.state, await self._responses(words.questions, words)
        for _ in range(ROUNDS):
            reply = await self._asked(tool, args, state, responses, key)
            if reply.state is None:
                return reply
            responses = await self._responses(reply.questions, words)
            if len(responses) < len(reply.questions):
                return reply
            state = reply.state
        raise LineLost(f"it asked on more than {ROUNDS} times")

    async def _responses(self, questions: Mapping[str, dict[str, Any]], words: Words) -> dict[str, Any]:
        """What can be said to questions as things are: which files there are, what an llm says, and what a person has said.

        Raises:
            LineLost: an llm was asked for, and there is none that may answer.
        """
        found: dict[str, Any] = {}
        for key, asked in questions.items():
            if asked["method"] == "roots/list":
                found[key] = {"roots": self._root_facts()}
            elif asked["method"] == "sampling/createMessage":
                found[key] = await self._answered_by_llm(asked["params"], words)
            elif asked["method"] == "elicitation/create" and (said := words.said(asked["params"])) is not None:
                found[key] = said
        return found

    async def _asked(
        self, tool: str, args: Mapping[str, Any], state: str | None, responses: Mapping[str, Any], key: str
    ) -> Reply:
        from mcp.shared.exceptions import MCPError
        from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult, InputRequiredResult
        from pydantic import TypeAdapter, ValidationError

        session, seconds = self._session(), self.declared.seconds
        try:
            given = {"name": tool, "arguments": dict(args), "_meta": {"counterfoil/key": key}}
            given |= {"inputResponses": dict(responses)} if responses else {}
            given |= {"requestState": state} if state else {}
            request = CallToolRequest(params=CallToolRequestParams.model_validate(given))
            adapter: Any = TypeAdapter(CallToolResult | InputRequiredResult)
            async with asyncio.timeout(seconds + 5):
                result = await session.send_request(request, adapter, request_read_timeout_seconds=seconds)
        except TimeoutError as problem:
            raise LineLost(f"it did not answer within {seconds:g} seconds") from problem
        except MCPError as problem:
            if problem.code in _NOBODY_KNOWS or not self.is_open:
                raise LineLost(self._lost(problem.code, said_by(problem))) from problem
            return Reply(error=said_by(problem))
        except ValidationError as problem:
            raise LineLost("its answer makes no sense") from problem
        plain = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        if isinstance(result, InputRequiredResult):
            return Reply(questions=plain.get("inputRequests") or {}, state=plain.get("requestState") or "")
        return Reply(result=plain, trouble=await self._trouble_with(session, tool, result))

    def _lost(self, code: int, words: str) -> str:
        """Why nobody knows what became of a call, as a clause."""
        if self._sieve.ended or code == _ENDED:
            return "it ended in the middle"
        return f"it did not answer within {self.declared.seconds:g} seconds" if code == _LATE else f"it said “{words}”"

    async def _trouble_with(self, session: Any, tool: str, result: Any) -> str | None:
        """What is wrong with an answer that breaks what the tool said of its answers; the call has happened all the same."""
        if result.is_error:
            return None
        try:
            async with asyncio.timeout(LISTING):
                await session.validate_tool_result(tool, result)
        except Exception as problem:  # noqa: BLE001 - a schema of a stranger may break the checker in any way
            return f"What it gave back is not what it says that it gives: {said_by(problem)}"
        return None

    def _session(self) -> Any:
        if self._client is None:
            raise LineLost("it is not there any more")
        return self._client.session

    # ----------------------------------------------------------------------------------------------- what a server asks

    async def _elicited(self, _: Any, asked: Any) -> Any:
        """In the older protocol a question comes in the middle of a call and cannot wait for days: what is not known yet is put off, and
        the call is made again when a person has said it."""
        from mcp.types import ElicitResult

        plain = asked.model_dump(by_alias=True, mode="json", exclude_none=True)
        said = self._words.said(plain)
        if said is None:
            self._wanted[f"q{len(self._wanted) + 1}"] = {"method": "elicitation/create", "params": plain}
            return ElicitResult(action="cancel")
        return ElicitResult.model_validate(said)

    async def _sampled(self, _: Any, asked: Any) -> Any:
        from mcp.types import CreateMessageResult, ErrorData

        plain = asked.model_dump(by_alias=True, mode="json", exclude_none=True)
        try:
            return CreateMessageResult.model_validate(await self._answered_by_llm(plain, self._words))
        except LineLost as problem:
            return ErrorData(code=_REFUSED, message=str(problem))

    async def _answered_by_llm(self, asked: Mapping[str, Any], words: Words) -> dict[str, Any]:
        """An llm's answer to what a server asks, in the run's name.

        Raises:
            LineLost: there is none.
        """
        if words.sample is None or not self.declared.llms:
            raise LineLost("it asked for an llm, and may ask none")
        try:
            said = texts_of(asked)
            text, llm = await words.sample(str(asked.get("systemPrompt") or ""), said, int(asked.get("maxTokens") or 0))
        except (LlmTrouble, ValueError) as problem:
            raise LineLost(f"it asked for an llm, and none answered ({said_by(problem)})") from problem
        return {"role": "assistant", "content": {"type": "text", "text": text}, "model": llm, "stopReason": "endTurn"}

    async def _listed_roots(self, _: Any) -> Any:
        from mcp.types import ListRootsResult

        return ListRootsResult.model_validate({"roots": self._root_facts()})

    def _root_facts(self) -> list[dict[str, str]]:
        return [{"uri": f"file://{folder}", "name": "files"} for folder in (self._roots() if self._roots else [])]

    async def _heard(self, message: Any) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            self.changed = True  # the next call lists anew; servers say it five times in a row


def said_by(problem: BaseException) -> str:
    """What a failure says, as the end of a sentence, on one line."""
    inner = problem
    while isinstance(inner, BaseExceptionGroup):
        inner = inner.exceptions[0]
    words = " ".join(str(inner).split()) or type(inner).__name__
    return words[:300].rstrip(".")


def load() -> None:
    """Load the library beside the loop, and keep what servers say out of our log."""
    importlib.import_module("mcp")
    for name in _LOUD:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
