"""What a workspace's people set, in `.counterfoil/workspace.toml` beside their files: they may edit it by hand, so comments and
order survive when the program writes it.

    [remember.pay-invoices]          # parameters marked `remember`, asked once
    debtor_iban = "DE89370400440532013000"

    [files]                          # of the copy that a run works on: paths relative to the workspace
    leave_out = ["node_modules"]     # more than secrets and version control
    copy_anyway = [".env.example"]   # what would be left out

    [trust]
    foreign = ["Post/**"]            # files that hold words of others, beside mails
    hosts = ["erp.example.org"]      # whose answers are the team's own
    connectors = ["git"]             # the same

    [llms]
    stays = true                     # what runs here ask llms stays on this computer, whatever a route says

The mail account stands there too, in [mail]: `effects/mail_settings.py` reads what it says, and nothing writes it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from counterfoil.errors import WrongWorkspace
from counterfoil.settings.home_file import replace_file

FILE = ".counterfoil/workspace.toml"
_LONGEST = 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Trust:
    """Patterns of files that hold words of others; hosts and connectors whose answers are the team's own."""

    foreign: tuple[str, ...] = ()
    hosts: frozenset[str] = frozenset()
    connectors: frozenset[str] = frozenset()


def remembered(workspace: Path, template: str) -> dict[str, Any]:
    """Parameters kept for a template: name -> plain JSON, with dates, decimals and amounts as texts; checked by the caller.

    Raises:
        WrongWorkspace: the file cannot be read or is broken; the sentence names the line.
    """
    kept = _table(workspace).get("remember", {})
    values = kept.get(template, {}) if isinstance(kept, dict) else None
    if not isinstance(values, dict):
        raise _wrong(
            "‘remember’", "must hold a table for each template", f"Write [remember.{template}] above the values."
        )
    return {name: _plain(value) for name, value in values.items()}


def remember(workspace: Path, template: str, values: Mapping[str, Any]) -> None:
    """Keep parameters (plain JSON with codec tags) for a template; None forgets one, others stay as they are.

    Raises:
        WrongWorkspace: as `remembered`, or the file cannot be written.
    """
    before = _text(workspace)
    known = remembered(workspace, template)
    changed = {name: value for name, value in values.items() if known.get(name) != _plain(_toml(value))}
    if not changed:
        return
    after = _edited(before, template, changed) if known else _appended(before, template, changed)
    _write(workspace, after)


def files_chosen(workspace: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The paths that are left out of a run's copy, and those that are copied although they would be left out.

    Raises:
        WrongWorkspace: as `remembered`.
    """
    table = _table(workspace).get("files", {})
    if not isinstance(table, dict):
        raise _wrong("‘files’", "must be a table", "Write [files] above leave_out and copy_anyway.")
    return _paths(table, "leave_out"), _paths(table, "copy_anyway")


def trust(workspace: Path) -> Trust:
    """Whose words people hold for others', and whose for the team's own.

    Raises:
        WrongWorkspace: as `remembered`.
    """
    table = _table(workspace).get("trust", {})
    found = {}
    for name in ("foreign", "hosts", "connectors"):
        given = table.get(name, []) if isinstance(table, dict) else None
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            raise _wrong(f"‘{name}’ in [trust]", "must be a list of texts", f'Write [trust] and {name} = ["…"].')
        found[name] = tuple(given)
    return Trust(found["foreign"], frozenset(host.lower() for host in found["hosts"]), frozenset(found["connectors"]))


def llms_stay(workspace: Path) -> bool:
    """Whether what runs of this workspace ask llms stays on this computer.

    Raises:
        WrongWorkspace: as `remembered`.
    """
    table = _table(workspace).get("llms", {})
    stays = table.get("stays", False) if isinstance(table, dict) else None
    if not isinstance(stays, bool):
        raise _wrong("‘stays’ in [llms]", "must be true or false", "Write [llms] and stays = true.")
    return stays


def sends_mail(workspace: Path) -> bool:
    """Whether there is a mail account; what it is worth shows when something is sent.

    Raises:
        WrongWorkspace: as `remembered`.
    """
    return isinstance(_table(workspace).get("mail"), dict)


def _paths(table: dict[str, Any], name: str) -> frozenset[str]:
    given = table.get(name, [])
    if not isinstance(given, list) or not all(isinstance(path, str) for path in given):
        raise _wrong(f"‘{name}’ in [files]", "must be a list of paths", f'Write {name} = ["folder/file"].')
    return frozenset(path.strip("/") for path in given)


def leave_out(workspace: Path, paths: Iterable[str]) -> None:
    """Have more paths left out of the copies that runs work on.

    Raises:
        WrongWorkspace: as `remembered`, or the file cannot be written.
    """
    import tomlkit

    chosen = files_chosen(workspace)[0]
    more = [path for path in paths if path not in chosen]
    if not more:
        return
    document = tomlkit.parse(_text(workspace))
    document.setdefault("files", {}).setdefault("leave_out", []).extend(more)
    _write(workspace, tomlkit.dumps(document))


def _appended(text: str, template: str, values: Mapping[str, Any]) -> str:
    """A new table at the end, so that no comment of a person's comes to stand over something else."""
    import tomlkit

    fresh = {name: _toml(value) for name, value in values.items() if value is not None}
    addition = tomlkit.dumps({"remember": {template: fresh}})
    after = f"{text.rstrip()}\n\n{addition}" if text.strip() else addition
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError:  # there is such a table already, or `remember` is written in another way
        return _edited(text, template, values)
    return after


def _edited(text: str, template: str, values: Mapping[str, Any]) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    table = document.setdefault("remember", {}).setdefault(template, {})
    for name, value in values.items():
        if value is None:
            table.pop(name, None)
        else:
            table[name] = _toml(value)
    return tomlkit.dumps(document)


def _wrong(where: str, what: str, next_step: str) -> WrongWorkspace:
    return WrongWorkspace(f"{FILE}: {where} {what}.", next_step)


def _text(workspace: Path) -> str:
    path = workspace / FILE
    for place in (path.parent, path):
        if place.is_symlink():
            raise WrongWorkspace(f"{place} is a link, and links are not followed.", "Put the real one there.")
    try:
        with path.open("rb") as source:
            data = source.read(_LONGEST + 1)
    except FileNotFoundError:
        return ""
    except OSError as problem:
        raise WrongWorkspace(
            f"{path} cannot be read: {problem.strerror}.", "Allow this account to read it."
        ) from problem
    if len(data) > _LONGEST:
        raise WrongWorkspace(f"{path} is larger than 1 MiB.", "Move it aside; a new one is made when it is needed.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise WrongWorkspace(f"{FILE} line {line}: it is not UTF-8 text.", "Save it as UTF-8.") from problem


def _table(workspace: Path) -> dict[str, Any]:
    text = _text(workspace)
    try:
        return tomllib.loads(text, parse_float=str)  # a decimal is kept as it was written
    except tomllib.TOMLDecodeError as problem:
        raise _no_toml(text, str(problem)) from problem


def _no_toml(text: str, said: str) -> WrongWorkspace:
    place = re.search(r"line (\d+)", said)
    line = place[1] if place else text.count("\n") + 1
    what = re.split(r" \(?at (?:line|end)", said)[0].rstrip(".")
    return WrongWorkspace(
        f"{FILE} line {line}: {what[:1].lower()}{what[1:]}.",
        "Mend the line, or move the file aside; nothing was changed.",
    )


def _plain(value: Any) -> Any:
    """What TOML holds, as plain JSON; tomlkit's own kinds become Python's."""
    unwrapped = value.unwrap() if hasattr(value, "unwrap") else value
    if isinstance(unwrapped, list):
        return [_plain(item) for item in unwrapped]
    if isinstance(unwrapped, (date, datetime, time)):
        return unwrapped.isoformat()
    return unwrapped


def _toml(plain: Any) -> Any:
    """A plain JSON value as a person would write it in TOML."""
    match plain:
        case {"$date": str(text)}:
            return date.fromisoformat(text)
        case {"amount": amount, "currency": str(currency)}:
            return f"{_toml(amount)} {currency}"
        case dict():
            return str(next(iter(plain.values()), ""))  # any other codec tag holds one text
        case list():
            return [_toml(item) for item in plain]
    return plain


def _write(workspace: Path, text: str) -> None:
    """Replace the file whole or not at all."""
    path = workspace / FILE
    try:
        replace_file(path, text, ".workspace-")
    except OSError as problem:
        what = f"{path} cannot be written: {problem.strerror}."
        raise WrongWorkspace(what, "Allow this account to write there.") from problem
