"""The tools of an agent: what each is called, which arguments it takes, and what a call of it becomes.

A call becomes a step on the run's copy of the files, an effect, a question to a person, or an agent beneath this one. Arguments are checked
against the annotations before anything is done; an llm may write anything.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import posixpath
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from counterfoil.authoring.agents import document_tools, file_tools, sheet_tools
from counterfoil.authoring.agents.paging import Refused, cut
from counterfoil.authoring.agents.skill_files import COPIED_TO
from counterfoil.authoring.agents.skills import Skill, load_skill
from counterfoil.authoring.answer_shapes import read_answer, schema_of
from counterfoil.authoring.effect_values import Effect, command, remember, tool_call
from counterfoil.authoring.file_view import FileRefused, spelled
from counterfoil.authoring.llms import ToolOffer
from counterfoil.authoring.parameters import File, Folder
from counterfoil.authoring.reporting import report
from counterfoil.authoring.steps import Step
from counterfoil.errors import RefusedUse
from counterfoil.facts import StepKind

Given = str | Step[..., Any] | Callable[..., Effect]
CONNECTOR = "connector:"
MOST_SAID = 4_000  # characters of what a server says of its tool
_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. Of `step`, `make` (an effect) and `own` (what the loop itself does) one is set; `read` checks the arguments of a call."""

    offer: ToolOffer
    read: Callable[[dict[str, Any]], dict[str, Any]]
    step: Step[..., Any] | None = None
    make: Callable[..., Effect] | None = None
    own: Literal["", "ask", "delegate"] = ""


def tool_of(function: Callable[..., Any], **how: Any) -> Tool:
    """A tool whose arguments are those of a function."""
    name = getattr(function, "name", function.__name__)
    plain = function.plain if isinstance(function, Step) else function
    arguments = _arguments(name, plain)
    words = inspect.cleandoc(plain.__doc__ or name.replace("_", " "))
    offer = ToolOffer(name, " ".join(words.split("\n\nRaises:")[0].split()), schema_of(arguments))

    def read(given: dict[str, Any]) -> dict[str, Any]:
        made = read_answer(given, arguments)
        return {field.name: getattr(made, field.name) for field in dataclasses.fields(arguments)}

    return Tool(offer, read, **how)


def _arguments(name: str, plain: Callable[..., Any]) -> type[Any]:
    hints = {name: str if hint in (File, Folder) else hint for name, hint in typing.get_type_hints(plain).items()}
    fields: list[Any] = []
    for parameter in inspect.signature(plain).parameters.values():
        if parameter.name not in hints or parameter.kind not in (
            parameter.POSITIONAL_OR_KEYWORD,
            parameter.KEYWORD_ONLY,
        ):
            raise RefusedUse(f"the tool {name} needs an annotation for each argument; ‘{parameter.name}’ has none")
        default = dataclasses.MISSING if parameter.default is parameter.empty else parameter.default
        if isinstance(default, (list, dict, set)):
            raise RefusedUse(f"the tool {name}: the default of ‘{parameter.name}’ must be a tuple or None")
        fields.append((parameter.name, hints[parameter.name], dataclasses.field(default=default)))
    return dataclasses.make_dataclass(f"{name}_arguments", fields, frozen=True, kw_only=True)


def _telling(function: Callable[..., str], *, process: bool = False) -> Tool:
    """A function of ours as a step: what it refuses is recorded as a failure, with a sentence for the agent."""

    @functools.wraps(function)
    def told(*args: Any, **given: Any) -> str:
        about = next((value for value in (*args, *given.values()) if isinstance(value, str) and value), "")
        if about:
            report(about[:120])
        try:
            return function(*args, **given)
        except FileRefused as refused:
            raise Refused(f"“{refused.path}”: {refused.reason}") from refused

    step: Step[..., Any] = Step(told, process=process, on_failure="raise", kind=StepKind.TOOL)
    return tool_of(function, step=step)


# ------------------------------------------------------------------------------------------------------------ built in


@dataclass(frozen=True, slots=True)
class PlanStep:
    """One thing that the agent means to do."""

    what: str
    state: Literal["open", "doing", "done", "dropped"] = "open"


def set_plan(steps: list[PlanStep]) -> str:
    """Write down how you mean to go about it, and how far you are: people read it. Give all the steps each time, those that are
    done as well."""
    if not steps:
        raise Refused("A plan has at least one step.")
    done = sum(step.state == "done" for step in steps)
    now = next((step.what for step in steps if step.state == "doing"), "")
    report(f"{done} of {len(steps)} done{f': {now}' if now else ''}")
    return f"The plan is noted: {done} of {len(steps)} done."


def ask_person(question: str, choices: list[str] | None = None) -> str:
    """Ask the person you work for. Only for what you can neither find out nor decide by yourself: they may answer tomorrow. With `choices`
    they choose one."""
    raise NotImplementedError  # the loop asks


def delegate(goal: str, to: str = "") -> str:
    """Give a part of the work to an agent of its own, which sees the same files and none of what was said here, so say all it must know.
    Several in one turn work side by side. `to` names one of the team's agents, where there are any. You get its answer."""
    raise NotImplementedError  # the loop does it


def run_command(argv: list[str], folder: str = ".", given: str = "", seconds: int = 120) -> Effect:
    """Run a program on your copy of the files, in a sandbox without a network: `argv` are its words, the first the program; no shell reads
    them. `given` is its standard input. You get its exit status and what it wrote; files that it changed are changed in your copy."""
    return command(argv, folder=folder, given=given, seconds=seconds, editable=("argv",))


def propose_fact(fact: str, source: str) -> Effect:
    """Propose one fact about this team's work that will count in later runs, in one plain sentence, and say where it stands (a file and a
    place in it, or who said so). A person decides whether it is kept."""
    return remember(" ".join(fact.split()), " ".join(source.split()), editable=("fact",))


READ = tuple(
    [_telling(one) for one in (file_tools.list_files, file_tools.read_file, file_tools.search_files)]
    + [_telling(sheet_tools.read_cells, process=True), _telling(document_tools.read_document, process=True)]
)
WRITE = tuple(
    [_telling(one) for one in (file_tools.write_file, file_tools.edit_file)]
    + [_telling(sheet_tools.write_cells, process=True)]
    + [_telling(one) for one in (file_tools.move_file, file_tools.remove_file)]
)
PLAN = _telling(set_plan)
_COMMAND = tool_of(run_command, make=run_command)
WORDS: Mapping[str, tuple[Tool, ...]] = {
    "read": READ,
    "write": WRITE,
    "files": READ + WRITE,
    "command": (_COMMAND,),
    "remember": (tool_of(propose_fact, make=propose_fact),),
    "ask": (tool_of(ask_person, own="ask"),),
    "delegate": (tool_of(delegate, own="delegate"),),
}


# ----------------------------------------------------------------------------------------------------------- the tools


def connectors_in(given: Sequence[Given]) -> list[str]:
    """The connectors that are named among the tools."""
    named = [one.removeprefix(CONNECTOR).partition("/")[0] for one in given if isinstance(one, str) and is_call(one)]
    return list(dict.fromkeys(named))


def tools_of(
    given: Sequence[Given],
    offered: Sequence[dict[str, Any]],
    skills: Sequence[Skill],
    texts: Mapping[str, Mapping[str, str]],
) -> dict[str, Tool]:
    """The tools by name; `offered` is what connectors have, `texts` are those of skills that lie in no folder here.

    Raises:
        RefusedUse: a word that names no tool, something that is no tool, or two tools of one name.
    """
    found = [PLAN]
    for one in given:
        found += _tools(one, offered)
    if skills:
        found.append(_skill_tool({skill.name: skill for skill in skills}, texts))
    with_scripts = {skill.name: skill for skill in skills if skill.sha256 and skill.files}
    if with_scripts:
        found = [_script_tool(with_scripts) if tool is _COMMAND else tool for tool in found]
    made: dict[str, Tool] = {}
    for tool in found:
        if made.setdefault(tool.offer.name, tool) is not tool:
            raise RefusedUse(f"two tools are called {tool.offer.name}; give one of them another name")
    return made


def _tools(one: Given, offered: Sequence[dict[str, Any]]) -> Sequence[Tool]:
    if isinstance(one, str) and is_call(one):
        connector, _, only = one.removeprefix(CONNECTOR).partition("/")
        found = [
            _call_tool(offer) for offer in offered if offer["connector"] == connector and only in ("", offer["tool"])
        ]
        if not found:
            raise RefusedUse(f"the connector {connector} has no tool{f' “{only}”' if only else 's'}")
        return found
    if isinstance(one, str):
        if one not in WORDS:
            raise RefusedUse(f"there are no tools “{one}”; there are {', '.join(WORDS)}, and {CONNECTOR}NAME")
        return WORDS[one]
    if isinstance(one, Step):
        # A failure goes to the agent, which may try another way; a person is asked where the author's body would ask one.
        step: Step[..., Any] = Step(
            one.plain,
            retries=one.retries,
            process=one.process,
            on_failure="raise",
            timeout=one.timeout,
            kind=StepKind.TOOL,
        )
        return [tool_of(step, step=step)]
    if typing.get_type_hints(one).get("return") is Effect:
        return [tool_of(one, make=one)]
    raise RefusedUse(f"{one!r} is no tool: give a word, a @step, or a function that is annotated to return an Effect")


def is_call(one: str) -> bool:
    """Whether a word names tools of a connector."""
    return one.startswith(CONNECTOR)


def _call_tool(offer: dict[str, Any]) -> Tool:
    """A tool of a connector: the call stands for the definition that was seen at the start, and no other."""

    def make(**args: Any) -> Effect:
        return tool_call(offer["connector"], offer["tool"], args, pin=offer["pin"], editable=("args",))

    said = cut(offer["description"] or offer["title"] or offer["tool"], MOST_SAID)
    words = f"{said} (tool of the connector {offer['connector']})"
    made = ToolOffer(offer["name"][:_LONGEST_NAME], words, offer["parameters"], offer["pin"])
    return Tool(made, dict, make=make)


def _skill_tool(skills: Mapping[str, Skill], texts: Mapping[str, Mapping[str, str]]) -> Tool:
    """Skills are loaded by name; which are there was recorded when the agent began."""

    def read_skill(name: str, part: str = "", first_line: int = 1) -> str:
        """Load a skill before you do what it is for; `part` names a file of it, where its words point to one."""
        if name not in skills:
            raise Refused(f"There is no skill “{name}”; there are {', '.join(skills)}.")
        return load_skill(skills[name], part, first_line, texts.get(name))

    return _telling(read_skill)


def _script_tool(skills: Mapping[str, Skill]) -> Tool:
    """Commands that may be scripts of skills: their files lie beside the run's then, for this command alone."""

    def make(argv: list[str], folder: str = ".", given: str = "", seconds: int = 120, skill: str = "") -> Effect:
        if not skill:
            return run_command(argv, folder, given, seconds)
        if skill not in skills:
            raise RefusedUse(f"there is no skill “{skill}” with scripts; there are {', '.join(skills)}")
        one = skills[skill]
        place = posixpath.relpath(f"{COPIED_TO}/{skill}", spelled(folder) or ".")
        words = [f"{place}/{word}" if word in one.files else word for word in argv]
        of = {"name": skill, "of": one.of, "folder": one.within, "sha256": one.sha256}
        return command(words, folder=folder, given=given, seconds=seconds, skill=of, editable=("argv",))

    make.__doc__ = (
        f"{run_command.__doc__} `skill` names the skill whose script it is; words that name files of it, such as scripts/check.py, stand"
        " for those files."
    )
    make.__name__ = run_command.__name__
    return tool_of(make, make=make)
