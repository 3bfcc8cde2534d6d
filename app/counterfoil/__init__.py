"""Counterfoil: durable approvals. This is the author's door: re-exports only, standard library only.

A name is fetched from its module when it is first used, so that the window and the command line, which enter here and need none of them,
pay for none.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterfoil.authoring.agents.loop import agent
    from counterfoil.authoring.branching import first, parallel
    from counterfoil.authoring.codec import Secret, Unrecordable
    from counterfoil.authoring.effect_values import (
        Effect,
        LookUp,
        append_rows,
        call,
        command,
        delete_files,
        http,
        mail,
        make_folders,
        move_files,
        remember,
        secret,
        write_file,
    )
    from counterfoil.authoring.evidence import Evidence, fields, file, table, text
    from counterfoil.authoring.file_door import FileFacts, FileRefused, Files, LeftOut, files
    from counterfoil.authoring.foreign import foreign
    from counterfoil.authoring.foreseeing import would_ask
    from counterfoil.authoring.gates import Answers, Decision, approve, ask, claimed_elsewhere
    from counterfoil.authoring.llms import Conversation, LlmAnswer, Said, ToolCall, ToolOffer, ToolResult, llm
    from counterfoil.authoring.machine import RunFacts
    from counterfoil.authoring.own_changes import Changes, LeftAlone, changes
    from counterfoil.authoring.parameters import Field, File, Folder, Params, param
    from counterfoil.authoring.periods import Period
    from counterfoil.authoring.reporting import report, this_run
    from counterfoil.authoring.steps import Step, step
    from counterfoil.authoring.timing import now, random, sleep, sleep_until, uuid
    from counterfoil.authoring.workflows import Workflow, workflow
    from counterfoil.errors import (
        AgentStopped,
        Cancelled,
        ConversationTooLong,
        EffectFailed,
        Expired,
        FilesChanged,
        LimitReached,
        LlmFailed,
        NotApproved,
        RefusedUse,
        Rejected,
        Returned,
        StepFailed,
        WorkflowError,
    )
    from counterfoil.facts import Money

__version__ = "0.1.0"

_HOMES = {
    "authoring.agents.loop": "agent",
    "authoring.branching": "first parallel",
    "authoring.codec": "Secret Unrecordable",
    "authoring.effect_values": "Effect LookUp append_rows call command delete_files http mail make_folders move_files remember secret"
    " write_file",
    "authoring.evidence": "Evidence fields file table text",
    "authoring.file_door": "FileFacts FileRefused Files LeftOut files",
    "authoring.foreign": "foreign",
    "authoring.foreseeing": "would_ask",
    "authoring.gates": "Answers Decision approve ask claimed_elsewhere",
    "authoring.llms": "Conversation LlmAnswer Said ToolCall ToolOffer ToolResult llm",
    "authoring.machine": "RunFacts",
    "authoring.own_changes": "Changes LeftAlone changes",
    "authoring.parameters": "Field File Folder Params param",
    "authoring.periods": "Period",
    "authoring.reporting": "report this_run",
    "authoring.steps": "Step step",
    "authoring.timing": "now random sleep sleep_until uuid",
    "authoring.workflows": "Workflow workflow",
    "errors": "AgentStopped Cancelled ConversationTooLong EffectFailed Expired FilesChanged LimitReached LlmFailed"
    " NotApproved RefusedUse Rejected Returned StepFailed WorkflowError",
    "facts": "Money",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "AgentStopped",
    "Answers",
    "Cancelled",
    "Changes",
    "Conversation",
    "ConversationTooLong",
    "Decision",
    "Effect",
    "EffectFailed",
    "Evidence",
    "Expired",
    "Field",
    "File",
    "FileFacts",
    "FileRefused",
    "Files",
    "FilesChanged",
    "Folder",
    "LeftAlone",
    "LeftOut",
    "LimitReached",
    "LlmAnswer",
    "LlmFailed",
    "LookUp",
    "Money",
    "NotApproved",
    "Params",
    "Period",
    "RefusedUse",
    "Rejected",
    "Returned",
    "RunFacts",
    "Said",
    "Secret",
    "Step",
    "StepFailed",
    "ToolCall",
    "ToolOffer",
    "ToolResult",
    "Unrecordable",
    "Workflow",
    "WorkflowError",
    "agent",
    "append_rows",
    "approve",
    "ask",
    "call",
    "changes",
    "claimed_elsewhere",
    "command",
    "delete_files",
    "fields",
    "file",
    "files",
    "first",
    "foreign",
    "http",
    "llm",
    "mail",
    "make_folders",
    "move_files",
    "now",
    "parallel",
    "param",
    "random",
    "remember",
    "report",
    "secret",
    "sleep",
    "sleep_until",
    "step",
    "table",
    "text",
    "this_run",
    "uuid",
    "workflow",
    "would_ask",
    "write_file",
]


def __getattr__(name: str) -> object:
    """A name of the door that was not used yet."""
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """What may be imported, used or not."""
    return sorted({*globals(), *__all__})
