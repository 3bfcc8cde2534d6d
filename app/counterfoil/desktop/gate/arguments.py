"""What an effect is given, as facts in the order people read them: to whom, what about, the words, what is attached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from counterfoil.desktop.gate.facts import Fact
from counterfoil.desktop.words.people import capital
from counterfoil.desktop.words.plain import plain
from counterfoil.desktop.words.values import shown

_ORDER = ("to", "cc", "subject", "body", "attachments", "method", "url", "headers", "json", "data")
_NAMES = {"to": "To", "cc": "Copy to", "url": "Address", "json": "Data"}
_NAMES |= {"keyed": "Safe to repeat", "reconcile": "Looked up at"}


def facts_of(args: Mapping[str, Any], today: date) -> list[Fact]:
    """Every argument that is filled in, whole; attachments by name and size."""
    if "connector" in args and isinstance(
        args.get("args"), Mapping
    ):  # the tool's own arguments stand below whose tool it is
        own = {name: value for name, value in args.items() if name != "args"}
        return [*facts_of(own, today), *facts_of(args["args"], today)]
    return [
        Fact(_NAMES.get(name, capital(plain(name.replace("_", " ")))), _said(name, args[name], today))
        for name in _in_order(args)
        if args[name] not in (None, "", [], {}) and args[name] is not False
    ]


def _in_order(names: Iterable[str]) -> list[str]:
    rank = {name: at for at, name in enumerate(_ORDER)}
    return sorted(names, key=lambda name: rank.get(name, len(_ORDER)))


def _said(name: str, value: Any, today: date) -> str:
    if name == "attachments":
        return "\n".join(f"{plain(one['name'])} ({shown(one['data'], today)})" for one in value)
    return shown(value, today, lines=True)
