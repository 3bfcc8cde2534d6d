"""The SMTP account of a workspace: `[mail]` in `.counterfoil/workspace.toml`, with the password's name instead of the password."""

from __future__ import annotations

import ipaddress
import tomllib
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.file_door import FileRefused, Files
from counterfoil.effects.addresses import address_of
from counterfoil.effects.imagining import refusal
from counterfoil.engine.ports import BadEffect

FILE = ".counterfoil/workspace.toml"
_PORTS = {"starttls": 587, "tls": 465, "none": 25}
_NAMES = {"host": str, "port": int, "tls": str, "user": str, "from": str, "secret": str}
_EXAMPLE = 'host = "smtp.example.org", tls = "starttls", user = "…", from = "…", secret = "smtp-password"'


@dataclass(frozen=True, slots=True)
class MailSettings:
    """`tls` is starttls, tls or none; `sender` may carry a display name; `secret` names the password in the keyring."""

    host: str
    port: int
    tls: str
    user: str
    sender: str
    secret: str


def read_settings(workspace: str) -> MailSettings:
    """The account.

    Raises:
        EffectTrouble: there is none, or it cannot be used; the sentence says what to write.
    """
    try:
        table = tomllib.loads(Files(workspace).read(FILE, limit=1024 * 1024).decode("utf-8")).get("mail")
    except FileRefused as problem:
        raise refusal(f"Mail needs an account: add to {FILE} a section [mail] with {_EXAMPLE}.") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise refusal(f"{FILE} cannot be read: {problem}.") from problem
    if not isinstance(table, dict):
        raise refusal(f"Mail needs an account: add to {FILE} a section [mail] with {_EXAMPLE}.")
    return _checked(table)


def _checked(table: dict[str, Any]) -> MailSettings:
    for name, value in table.items():
        if name not in _NAMES or not isinstance(value, _NAMES[name]) or isinstance(value, bool):
            raise refusal(f"{FILE}: [mail] has no setting “{name}” of that type; it takes {', '.join(_NAMES)}.")
    tls = table.get("tls", "starttls")
    host, sender = table.get("host", ""), table.get("from", "")
    user, secret = table.get("user", ""), table.get("secret", "")
    port = table.get("port", _PORTS.get(tls, 0))
    if tls not in _PORTS:
        raise refusal(f"{FILE}: [mail] tls is “{tls}”, not starttls, tls or none.")
    if not host or not sender or not 0 < port < 65536:
        raise refusal(f"{FILE}: [mail] needs a host, a port between 1 and 65535 and a from address.")
    if tls == "none" and not is_loopback(host):
        raise refusal(
            f"{FILE}: [mail] tls = “none” would send mail and password readable to {host}; use starttls or tls."
        )
    if bool(user) != bool(secret):
        raise refusal(f"{FILE}: [mail] needs user and secret together, or neither.")
    try:
        address_of(sender, "The from address")
    except BadEffect as problem:
        raise refusal(f"{FILE}: [mail] {problem}") from problem
    return MailSettings(host, port, tls, user, sender, secret)


def is_loopback(host: str) -> bool:
    """Whether a name can only be this computer."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"
