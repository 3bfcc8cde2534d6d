"""A rule as the sentence that people read, and what it protects."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from counterfoil.authoring import patterns
from counterfoil.engine.ports import Permission
from counterfoil.facts import FILE_EFFECTS, as_sentence
from counterfoil.policy.boundaries import visible
from counterfoil.policy.grants import FILES, Conditions

GROUPS = ("Files", "Sending", "Spending", "Programs")
_VERBS = {
    "": ("do anything", "anything is done"),
    FILES: ("change files", "files are changed"),
    "write_file": ("write files", "files are written"),
    "append_rows": ("add rows to tables", "rows are added to tables"),
    "move_files": ("move files", "files are moved"),
    "delete_files": ("delete files", "files are deleted"),
    "make_folders": ("make folders", "folders are made"),
    "mail": ("send mail", "mail is sent"),
    "http": ("send requests", "requests are sent"),
    "call": ("use tools", "tools are used"),
    "command": ("run programs", "programs are run"),
}


def sentence(verdict: Permission, rule: Conditions) -> str:
    """`Triage mail may move files in Post/ without asking.`"""
    who = template_words(rule.template) or "Every template"
    act, passive = _VERBS[rule.effect]
    detail = _detail(rule, allows=verdict is Permission.ALLOW)
    where = as_sentence(f" In the workspace {visible(PurePath(rule.workspace).name)}") if rule.workspace else ""
    said = {
        Permission.ALLOW: f"{who} may {act}{detail} without asking.",
        Permission.ASK: as_sentence(f"{who} asks before {passive}{detail}"),
        Permission.DENY: as_sentence(f"{who} may never {act}{detail}"),
    }
    return said[verdict] + where


def group_of(rule: Conditions) -> str:
    """What a rule protects: one of GROUPS."""
    if rule.amount is not None:
        return "Spending"
    if rule.effect == "command" or rule.command:
        return "Programs"
    if rule.effect in (FILES, *FILE_EFFECTS) or rule.path:
        return "Files"
    return "Sending"


def template_words(template: str) -> str:
    """A template's name as the beginning of a sentence: `triage-mail` is `Triage mail`."""
    words = visible(template).replace("-", " ")
    return words[:1].upper() + words[1:]


def _detail(rule: Conditions, *, allows: bool) -> str:
    parts: list[str] = []
    if rule.connector or rule.tool:
        tool = "" if rule.tool in ("", "*") else f" ‘{visible(rule.tool)}’"
        parts.append(f"{tool} of the connector {visible(rule.connector)}" if rule.connector else f" named{tool}")
    if rule.method:
        parts.append(f" ({visible(rule.method)})")
    if rule.command:
        parts.append(f": {visible(rule.command)}")
    if rule.path:
        parts.append(f" {_listed([_path(pattern) for pattern in rule.path])}")
    if rule.to:
        parts.append(" to anybody" if "*" in rule.to else f" to {_listed(rule.to)}")
    if rule.host:
        parts.append(" at any host" if "*" in rule.host else f" at {_listed(rule.host)}")
    if rule.secret:
        parts.append(f" with the secret {_listed([f'‘{name}’' for name in rule.secret])}")
    parts += [f" where {visible(name)} is ‘{visible(wanted)}’" for name, wanted in sorted(rule.args.items())]
    if rule.amount is not None:
        parts.append(f" up to {rule.amount}" if allows else f" over {rule.amount} (or of an unknown amount)")
    return "".join(parts)


def _listed(names: Sequence[str]) -> str:
    shown = [visible(name) for name in names]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _path(pattern: str) -> str:
    if pattern == "**":
        return "anywhere in the workspace"
    for ending, words in (("**", "in"), ("*", "directly in")):
        folder = pattern.removesuffix(ending)
        if folder.endswith("/") and not patterns.is_open(folder):
            return f"{words} {folder}"
    return f"named {pattern}"
