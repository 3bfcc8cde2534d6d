"""The calls of one answer: each becomes what its tool says, and those that need a person are one gate with a verdict per row.

What an llm asks for is done nowhere but here, through the verbs that authors have: the runner judges every effect on its final arguments,
whatever was foreseen. An exception of one call is the result of that call.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterfoil.authoring.agents.paging import cut
from counterfoil.authoring.agents.toolbox import Tool
from counterfoil.authoring.answer_shapes import Misfit
from counterfoil.authoring.branching import parallel
from counterfoil.authoring.codec import Unrecordable, canonical, to_plain
from counterfoil.authoring.effect_values import Effect
from counterfoil.authoring.evidence import Evidence, text
from counterfoil.authoring.foreseeing import foreseen
from counterfoil.authoring.gates import approve, ask
from counterfoil.authoring.llms import LlmAnswer, ToolCall, ToolResult
from counterfoil.authoring.parameters import Field
from counterfoil.errors import RefusedUse, Rejected, Returned, StepFailed, WorkflowError
from counterfoil.facts import person, storable

MOST_CALLS = 32  # of one answer
_LONGEST_QUESTION, _LONGEST_CHOICE, _MOST_CHOICES = 500, 200, 50
_DONE = "done"


@dataclass(slots=True)
class Wanted:
    """One call: its place in the answer, its arguments as they were checked, the effect that it asks for, and what came of it."""

    call: ToolCall
    tool: Tool | None = None
    args: dict[str, Any] = field(default_factory=dict)
    effect: Effect | None = None
    result: ToolResult | None = None

    def end(self, words: str, outcome: str = "ok") -> None:
        """Say what came of it."""
        self.result = ToolResult(self.call.id, self.call.tool, storable(cut(words)), outcome)


class Turn:
    """The calls of an answer of the agent `name`, which works towards `goal`. `begin` starts an agent beneath it: goal and whose, to its
    answer and how that counts."""

    def __init__(
        self, name: str, goal: str, tools: dict[str, Tool], begin: Callable[[str, str], Awaitable[tuple[str, str]]]
    ) -> None:
        self._name = name
        self._goal = goal
        self._tools = tools
        self._begin = begin

    async def results(self, answer: LlmAnswer) -> list[ToolResult]:
        """What came of every call, in their order."""
        wanted = [Wanted(call) for call in answer.calls]
        for n, one in enumerate(wanted):
            if answer.finish == "length":
                one.end("Your answer was cut off, so nothing of it was done. Ask for less at a time.", "failed")
            elif n >= MOST_CALLS:
                one.end(f"Not done: at most {MOST_CALLS} calls at a time.", "failed")
            else:
                self._check(one)
        judged = await self._judged(wanted)
        for one in wanted:
            if one.result is None and one.tool is not None:
                await self._one(one, judged.get(id(one), ""))
        await self._delegate([one for one in wanted if one.result is None and _own(one) == "delegate"])
        asking = [one for one in wanted if one.result is None]
        if asking:
            await self._ask(asking, answer)
        return [one.result for one in wanted if one.result is not None]

    # --------------------------------------------------------------------------------------------------------- before

    def _check(self, one: Wanted) -> None:
        """Whether it can be done at all: nothing is, before its arguments fit."""
        one.tool = self._tools.get(one.call.tool)
        if one.tool is None:
            one.end(f"There is no tool “{one.call.tool}”; you have {', '.join(self._tools)}.", "failed")
            return
        try:
            if not isinstance(one.call.args, dict):
                raise Misfit("the arguments must be an object")
            one.args = one.tool.read(one.call.args)
            if one.tool.make is not None:
                one.effect = one.tool.make(**one.args)
                one.effect.refuse_if_left_out()
        except (Misfit, WorkflowError, RefusedUse, Unrecordable, TypeError, ValueError) as problem:
            one.end(f"Not done, the arguments do not fit: {problem}", "failed")

    async def _judged(self, wanted: Sequence[Wanted]) -> dict[int, str]:
        """Which effects ask a person, by call; those that are denied have their result."""
        effects = [one for one in wanted if one.result is None and one.effect is not None]
        if not effects:
            return {}
        said = await foreseen([one.effect for one in effects if one.effect is not None])
        for one, (word, why) in zip(effects, said, strict=True):
            if word == "deny":
                one.end(f"Denied: {why}", "denied")
        return {id(one): word for one, (word, _) in zip(effects, said, strict=True)}

    # ----------------------------------------------------------------------------------------------------------- doing

    async def _one(self, one: Wanted, judged: str) -> None:
        tool = one.tool
        if tool is not None and tool.step is not None:
            await self._step(one, tool)
        elif one.effect is not None and judged == "allow":
            await self._perform(one, one.effect)

    @staticmethod
    async def _step(one: Wanted, tool: Tool) -> None:
        if tool.step is None:
            return
        try:
            one.end(in_words(await tool.step(**one.args)))
        except StepFailed as problem:
            one.end(str(problem).removeprefix(f"{tool.step.name}: "), "failed")

    @staticmethod
    async def _perform(one: Wanted, effect: Effect, before: str = "") -> None:
        try:
            outcome = await effect
        except (Rejected, Returned) as answer:
            one.end(f"{before}{_refusal(answer)}", "denied")
        except WorkflowError as problem:
            one.end(f"{before}Not done: {problem}", "failed")
        else:
            failed = isinstance(outcome, dict) and outcome.get("failed") is True
            one.end(f"{before}{in_words(outcome)}", "failed" if failed else "ok")

    async def _delegate(self, several: Sequence[Wanted]) -> None:
        """Agents beneath this one, side by side."""
        if several:
            ended = await parallel(*(self._begin(one.args["goal"], one.args["to"]) for one in several))
            for one, (words, outcome) in zip(several, ended, strict=True):
                one.end(words, outcome)

    # ---------------------------------------------------------------------------------------------------------- asking

    async def _ask(self, asking: Sequence[Wanted], answer: LlmAnswer) -> None:
        """One gate for all that needs a person in this turn."""
        plan = [(one, one.effect) for one in asking if one.effect is not None]
        questions = [one for one in asking if one.effect is None]
        form = [_field(n, one) for n, one in enumerate(questions, 1)]
        evidence = [text(self._goal, title="What the agent is to do")]
        if answer.text:
            evidence.append(text(answer.text, title="What the agent says", source=f"the agent {self._name}"))
        try:
            if plan:
                given = await self._approved(plan, form, evidence)
            else:
                title = form[0].label if len(form) == 1 else f"{self._name} asks {len(form)} questions"
                given = dict(await ask(title, form, evidence=evidence))
        except (Rejected, Returned) as no:
            for one in asking:
                one.end(_refusal(no), "denied")
            return
        for asked, one in zip(form, questions, strict=True):
            one.end(str(given.get(asked.name) or "No answer was given."))

    async def _approved(
        self, plan: Sequence[tuple[Wanted, Effect]], form: list[Field], evidence: list[Evidence]
    ) -> dict[str, Any]:
        """Put the calls before a person, a verdict for each, and do what was approved; what was filled in.

        Raises:
            Rejected, Returned: nothing was approved.
        """
        count = len(plan)
        whose = "the agent" if self._name == "agent" else f"the agent ‘{self._name}’"
        title = f"Approve {count} call{'' if count == 1 else 's'} of {whose}"
        effects = [effect for _, effect in plan]
        decision = await approve(title, plan=effects, evidence=evidence, fields=form, partial=count > 1)
        by = person(decision.by)
        sealed = {effect.seal.n: effect for effect in decision.plan if effect.seal is not None}
        for n, (one, asked) in enumerate(plan, 1):
            effect = sealed.get(n)
            if effect is None:
                one.end(f"{by} did not approve it.{_said(decision.comment)}", "denied")
                continue
            before = ""
            if canonical(effect.body) != canonical(asked.body):
                done = cut(json.dumps(effect.args, ensure_ascii=False), 4000)
                before = f"{by} changed this call before approving it; what was done is {done}. As you made it, it is not done.\n"
            await self._perform(one, effect, before)
        return decision.answers


def _own(one: Wanted) -> str:
    return one.tool.own if one.tool is not None else ""


def _refusal(answer: Rejected | Returned) -> str:
    if isinstance(answer, Returned):
        return f"{person(answer.by)} wants it done differently.{_said(answer.comment)}"
    return f"{person(answer.by)} did not approve it.{_said(answer.comment)}"


def _said(comment: str) -> str:
    return f" They say: {comment}" if comment else ""


def _field(n: int, one: Wanted) -> Field:
    choices = [cut(choice, _LONGEST_CHOICE) for choice in one.args["choices"] or ()][:_MOST_CHOICES]
    return Field(
        name=f"answer_{n}",
        type="choice" if choices else "text",
        label=cut(" ".join(one.args["question"].split()), _LONGEST_QUESTION),
        choices=choices or None,
        required=True,
    )


def in_words(value: Any) -> str:
    """What a tool gave, as the agent reads it: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return _DONE
    if isinstance(value, dict) and isinstance(value.get("text"), str) and "data" in value:  # of a connector
        more = f"\n{json.dumps(value['data'], ensure_ascii=False, default=str)}" if value["data"] is not None else ""
        return f"{value['text']}{more}" or _DONE
    return json.dumps(to_plain(value, {}), ensure_ascii=False)
