"""What a workspace's people set, in `.counterfoil/workspace.toml` beside their files: they may edit it by hand, so comments and
order survive when the program writes it.

    [remember.pay-invoices]          # parameters marked `remember`, asked once
    debtor_iban = "DE89370400440532013000"

    [mail]                           # the SMTP account of mail(...)
    host = "smtp.example.org"
    port = 587                       # optional: 465 for tls, 587 for starttls, 25 for none
    security = "starttls"            # starttls, tls or none
    user = "accounts@example.org"    # optional: without it nobody signs in
    sender = "Accounts <accounts@example.org>"
    secret = "smtp"                  # the password's name in the keyring: `counterfoil secret set smtp`
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from counterfoil.errors import WrongWorkspace, did_you_mean

FILE = ".counterfoil/workspace.toml"
_PORTS = {"starttls": 587, "tls": 465, "none": 25}
_LONGEST = 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class MailAccount:
    """The SMTP account of a workspace; `secret` is the name of its password in the keyring, empty where nobody signs in."""

    host: str
    port: int
    security: str
    user: str
    sender: str
    secret: str


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


def mail_account(workspace: Path) -> MailAccount | None:
    """The workspace's mail account, or None where none is set.

    Raises:
        WrongWorkspace: as `remembered`, or [mail] is incomplete, or holds what it cannot hold.
    """
    table = _table(workspace).get("mail")
    if table is None:
        return None
    if not isinstance(table, dict):
        raise _wrong("‘mail’", "must be a table", "Write [mail] with host and sender below it.")
    known = ("host", "port", "security", "user", "sender", "secret")
    for key in table:
        if key not in known:
            raise _wrong(f"[mail] ‘{key}’", "is unknown", did_you_mean(key, known) or f"Known: {', '.join(known)}.")
    security = table.get("security", "starttls")
    if security not in _PORTS:
        raise _wrong("[mail] security", f"cannot be {security!r}", f"Use one of: {', '.join(_PORTS)}.")
    port = table.get("port", _PORTS[security])
    if not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65536:
        raise _wrong("[mail] port", f"cannot be {port!r}", "Write a number, like 587.")
    account = MailAccount(
        host=_word(table, "host"),
        port=port,
        security=security,
        user=_word(table, "user", ""),
        sender=_word(table, "sender"),
        secret=_word(table, "secret", ""),
    )
    if account.user and not account.secret:
        raise _wrong("[mail] secret", "is missing", 'Write secret = "smtp" and run `counterfoil secret set smtp`.')
    return account


def _word(table: Mapping[str, Any], key: str, default: str | None = None) -> str:
    value = table.get(key, default)
    if value is None:
        raise _wrong(f"[mail] {key}", "is missing", f'Write {key} = "…".')
    if not isinstance(value, str) or not value.isprintable() or (default is None and not value.strip()):
        raise _wrong(f"[mail] {key}", "must be one line of text", f'Write {key} = "…".')
    return value.strip()


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
        path.parent.mkdir(exist_ok=True)
        handle, scratch = tempfile.mkstemp(prefix=".workspace-", suffix=".toml", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as target:
                target.write(text)
                target.flush()
                os.fsync(target.fileno())
            Path(scratch).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
            Path(scratch).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(scratch).unlink()
            raise
    except OSError as problem:
        what = f"{path} cannot be written: {problem.strerror}."
        raise WrongWorkspace(what, "Allow this account to write there.") from problem
