"""Mail addresses as effects may use them: one per text, plain ASCII, with or without a name before it.

Lists, groups, comments and quoted oddities are refused, so what a person reads is the one place where the mail goes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from counterfoil.effects import shapes
from counterfoil.engine.ports import BadEffect
from counterfoil.policy.boundaries import visible

_SPEC = (
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?"
)
_ADDRESS = re.compile(rf"""(?:"?(?P<name>[^"<>@,;:\\]*?)"?\s*<(?P<named>{_SPEC})>|(?P<bare>{_SPEC}))""")


@dataclass(frozen=True, slots=True)
class MailAddress:
    """A display name, often empty, and the address itself."""

    name: str
    spec: str


def address_of(value: object, what: str) -> MailAddress:
    """The address that a text holds.

    Raises:
        BadEffect: it holds none, or more than one.
    """
    given = shapes.text(value, what, longest=320, empty=False)
    found = _ADDRESS.fullmatch(given.strip())
    spec = (found["named"] or found["bare"]) if found else ""
    if found is None or ".." in spec or len(spec.split("@")[0]) > 64:
        raise BadEffect(f"{what} “{visible(given[:80])}” is not one mail address, like anna@example.org.")
    return MailAddress((found["name"] or "").strip(), spec)
