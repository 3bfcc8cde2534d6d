"""The agent loop: ask the llm, do what it calls for, tell it what came of it, until it answers.

It is workflow code like any author's, in a branch beneath the call: every answer is a record of kind `llm`, every call of a tool one of
kind `tool`, an effect, a gate, or an agent in a branch of its own. So it is replayed, cancelled and carried on after a crash as a workflow
is, and the runner judges what it asks for as it judges a workflow.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar, overload

from counterfoil.authoring import machine
from counterfoil.authoring.agents import telling
from counterfoil.authoring.agents.definitions import Definition, read_definition
from counterfoil.authoring.agents.paging import cut
from counterfoil.authoring.agents.rules import Note, find_rules
from counterfoil.authoring.agents.skills import Found, find_skills, skills_of_team
from counterfoil.authoring.agents.toolbox import WORDS, Given, Tool, connectors_in, is_call, tools_of
from counterfoil.authoring.agents.turn import Turn
from counterfoil.authoring.answer_shapes import Misfit, schema_of
from counterfoil.authoring.codec import canonical
from counterfoil.authoring.llms import Conversation, LlmAnswer, Said, ToolOffer, ToolResult, read
from counterfoil.authoring.steps import Step
from counterfoil.errors import AgentStopped, LimitReached, LlmFailed, RefusedUse

T = TypeVar("T")
TURNS = 40
DEEPEST = 3  # agents beneath one another
REPAIRS = 3  # answers that do not fit, one after the other
COMPACT_AT = 240_000  # characters of a conversation, about 60,000 tokens
_LONGEST_SUMMARY = 40_000
_RULES = Step(find_rules, title="Read AGENTS.md")
_SKILLS = Step(find_skills, title="Look for skills")


@dataclass(frozen=True, slots=True)
class Job:
    """One agent's work, as its caller describes it. `depth` counts the agents above it."""

    goal: str
    tools: tuple[Given, ...]
    output: Any = str
    instructions: str = ""
    rules: bool = True
    folder: str = ""
    skills: tuple[str, ...] = ()
    name: str = "agent"
    like: str = ""
    budget: Decimal | None = None
    turns: int = TURNS
    route: str | None = None
    most_tokens: int = 4096
    depth: int = 0


@overload
def agent(
    goal: str,
    *,
    tools: Sequence[Given] = ...,
    instructions: str = ...,
    rules: bool = ...,
    folder: str = ...,
    skills: Sequence[str | Path] = ...,
    name: str = ...,
    like: str = ...,
    budget: Decimal | None = ...,
    turns: int = ...,
    route: str | None = ...,
    most_tokens: int = ...,
) -> machine.Durable[str]: ...
@overload
def agent(
    goal: str,
    *,
    output: type[T],
    tools: Sequence[Given] = ...,
    instructions: str = ...,
    rules: bool = ...,
    folder: str = ...,
    skills: Sequence[str | Path] = ...,
    name: str = ...,
    like: str = ...,
    budget: Decimal | None = ...,
    turns: int = ...,
    route: str | None = ...,
    most_tokens: int = ...,
) -> machine.Durable[T]: ...
def agent(
    goal: str,
    *,
    tools: Sequence[Given] = ("files",),
    output: Any = str,
    skills: Sequence[str | Path] = (),
    **more: Any,
) -> machine.Durable[Any]:
    """Let an llm work towards a goal with tools, on the run's copy of the files, and get its answer: text, or a value of the type `output`.

    `tools`: the words read, write, files (both), command, ask, delegate and remember; `connector:NAME` or `connector:NAME/TOOL`; a `@step`;
    a function that is annotated to return an Effect. What it writes stays in the copy until `changes()` is approved; effects are judged as
    anybody's, and those of one turn that need a person are one gate. `rules`: AGENTS.md is read, of `folder` and above and beneath it, and
    the skills of `.counterfoil/skills` are offered. `skills`: more of them, folders of the workspace or absolute ones of the template.
    `like`: an agent of the team (`.counterfoil/agents/NAME.md`). `budget`: US dollars for all llm calls of it and of agents beneath it.
    `turns`: how often the llm may be asked.

    Raises:
        AgentStopped: it came to its last turn, to a limit of spending, or gave no answer that fits; `so_far` is what it said last.
        LlmFailed: no llm answers, and a person chose to go on without one.
    """
    job = Job(goal=goal, tools=tuple(tools), output=output, skills=tuple(str(one) for one in skills), **more)
    return machine.Durable("agent()", functools.partial(_in_branch, job))


async def _in_branch(job: Job) -> Any:
    """Do a job in a branch of its own, beneath the call."""
    if job.turns < 1 or not job.goal.strip():
        raise RefusedUse("an agent needs a goal and at least one turn")
    branch = machine.require("agent()")
    return (await branch.machine.parallel(branch, [_work(job)]))[0]


async def _work(job: Job) -> Any:
    job, tools, system = await _prepared(job)
    return await _Agent(job, tools, system).run()


async def _prepared(job: Job) -> tuple[Job, dict[str, Tool], str]:
    """What the agent is given at its start; each look is a record, so that it is given the same after a crash."""
    branch = machine.require("agent()")
    known = await branch.machine.lookup(branch, "agents", [])
    written = dict(known["agents"])
    if job.like:
        if job.like not in written:
            there = f"; there are {', '.join(written)}" if written else ""
            raise RefusedUse(f"there is no agent {job.like}: write .counterfoil/agents/{job.like}.md{there}")
        job = _as_defined(job, read_definition(job.like, written[job.like]))
    notes: list[Note] = await _RULES(job.folder) if job.rules else []
    given: Found = await _SKILLS(list(job.skills)) if job.skills else Found([], [])
    kept, texts = skills_of_team(known.get("skills", ()) if job.rules else ())
    found, texts = given.joined(kept), {name: texts[name] for name in texts if name not in given.names}
    connectors = connectors_in(job.tools)
    offered = await branch.machine.lookup(branch, "tools", connectors) if connectors else []
    if job.depth >= DEEPEST:
        job = replace(job, tools=tuple(one for one in job.tools if one != "delegate"))
    tools = tools_of(job.tools, offered, found.skills, texts)
    team = [read_definition(name, text) for name, text in written.items()] if "delegate" in tools else []
    system, tools = await _as_noted(tools, telling.system_of(job.instructions, notes, found, known["facts"], team))
    return job, tools, system


async def _as_noted(tools: dict[str, Tool], system: str) -> tuple[str, dict[str, Tool]]:
    """What the agent is told and offered, as a record: a run that waits is not offered what a newer program says of the same tools."""

    def note_tools() -> list[list[str]]:
        offers = [tool.offer for tool in tools.values()]
        return [[system], *([one.name, one.description, canonical(one.parameters), one.pin] for one in offers)]

    (first, *noted) = await Step(note_tools, title="Note what the agent is offered")()
    made = [ToolOffer(name, words, json.loads(parameters), pin) for name, words, parameters, pin in noted]
    return first[0], {one.name: replace(tools[one.name], offer=one) for one in made if one.name in tools}


def _as_defined(job: Job, defined: Definition) -> Job:
    """A job as one of the team's agents does it. It never has more tools than its caller gives."""
    _refuse_unknown(defined)
    tools = (
        job.tools
        if defined.tools is None
        else tuple(one for one in _spelled(defined.tools) if one in _spelled(job.tools))
    )
    instructions = "\n\n".join(part for part in (defined.instructions, job.instructions) if part)
    return replace(
        job,
        tools=tools,
        instructions=instructions,
        skills=tuple(dict.fromkeys((*job.skills, *defined.skills))),
        route=job.route or defined.route,
        turns=min(job.turns, defined.turns or job.turns),
    )


def _refuse_unknown(defined: Definition) -> None:
    """A word that names no tools is told; left away in silence, the agent would lack them."""
    strange = [one for one in defined.tools or () if one not in WORDS and not is_call(one)]
    if strange:
        there = ", ".join(WORDS)
        raise RefusedUse(f".counterfoil/agents/{defined.name}.md wants the tools “{strange[0]}”; there are {there}")


def _spelled(tools: Sequence[Given]) -> list[Given]:
    """Words that stand for others, written out."""
    return [word for one in tools for word in (("read", "write") if one == "files" else (one,))]


class _Agent:
    """One agent at work."""

    def __init__(self, job: Job, tools: dict[str, Tool], system: str) -> None:
        self._job = job
        self._turn = Turn(job.name, job.goal, tools, self._begin)
        self._talk = Conversation(
            system=system,
            tools=[tool.offer for tool in tools.values()],
            output=None if job.output is str else schema_of(job.output),
            route=job.route,
            name=job.name,
            most_tokens=job.most_tokens,
            budget=job.budget,
        )
        self._said = 0  # characters since the conversation was opened
        self._last = ""

    async def run(self) -> Any:
        """Turn after turn, until there is an answer that fits."""
        messages: list[Said | ToolResult] = [Said(self._job.goal)]
        repairs = 0
        for left in range(self._job.turns - 1, -1, -1):
            if not left and self._job.turns > 1:
                messages.append(Said(telling.last_turn(self._job.turns)))
            answer = await self._say(messages)
            if answer.calls:
                if left:
                    messages = await self._done(answer)
                continue
            try:
                return self._read(answer)
            except Misfit as problem:
                repairs += 1
                if repairs > REPAIRS:
                    raise AgentStopped(f"{self._job.name}: no answer fits: {problem}", self._last) from problem
                messages = [Said(str(problem))]
        raise AgentStopped(f"{self._job.name}: {self._job.turns} turns were not enough", self._last)

    async def _done(self, answer: LlmAnswer) -> list[Said | ToolResult]:
        """What came of the calls of an answer; a conversation that is getting long goes on from a summary of it."""
        results: list[Said | ToolResult] = [*await self._turn.results(answer)]
        if self._said + sum(_length(one) for one in results) < COMPACT_AT:
            return results
        summary = await self._say([*results, Said(telling.SUMMARISE)])
        words = cut(summary.text or self._last, _LONGEST_SUMMARY)
        self._talk.compacted(f"{self._job.goal}\n\nWhat has been done so far, in your own words:\n{words}")
        self._said = 0
        return [Said(telling.CARRY_ON)]

    async def _say(self, messages: Sequence[Said | ToolResult]) -> LlmAnswer:
        try:
            answer = await self._talk.say(*messages)
        except LimitReached as problem:
            raise AgentStopped(f"{self._job.name}: {problem}", self._last) from problem
        self._said += sum(_length(one) for one in messages) + len(answer.text)
        self._said += sum(len(str(call.args)) for call in answer.calls)
        self._last = answer.text or self._last
        return answer

    def _read(self, answer: LlmAnswer) -> Any:
        """The value of an answer without calls.

        Raises:
            Misfit: it does not fit; its words are told to the llm.
            LlmFailed: the llm refused.
        """
        if answer.finish == "length":
            raise Misfit(telling.CUT_OFF)
        if self._job.output is str and not answer.text.strip():
            raise Misfit(telling.EMPTY)
        try:
            return read(answer, self._job.output)
        except Misfit as problem:
            raise Misfit(
                f"That answer cannot be used: {problem}. Answer again, with nothing but what was asked for."
            ) from problem

    async def _begin(self, goal: str, to: str) -> tuple[str, str]:
        """Let an agent beneath this one do a part; what it says and how that counts. Its stop is a result like any other."""
        below = replace(
            self._job,
            goal=goal,
            output=str,
            like=to,
            name=to or f"{self._job.name}_{self._job.depth + 1}",
            depth=self._job.depth + 1,
            instructions="" if to else self._job.instructions,
        )
        try:
            return str(await _work(below)), "ok"
        except AgentStopped as stopped:
            so_far = f" What it said last: {stopped.so_far}" if stopped.so_far else ""
            return f"It stopped before its end: {stopped}.{so_far}", "failed"
        except (LlmFailed, RefusedUse) as problem:
            return f"It could not work: {problem}", "failed"


def _length(message: Said | ToolResult) -> int:
    return len(message.text)
