"""What an effect reaches, read from its final body: what rules of people are held against."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlsplit

from counterfoil.facts import Money

FILES: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "write_file": lambda args: [args["path"]],
    "append_rows": lambda args: [args["path"]],
    "move_files": lambda args: [path for move in args["moves"] for path in move],
    "delete_files": lambda args: args["paths"],
    "make_folders": lambda args: args["paths"],
}


@dataclass(frozen=True, slots=True)
class Reach:
    """What an effect reaches. `effect` is its kind without the version; `command` a program and its arguments as a shell reads them,
    `given` what stands for its standard input behind them, since that may be a program as well."""

    effect: str
    args: dict[str, Any] = field(repr=False)
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    method: str = ""
    recipients: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    connector: str = ""
    tool: str = ""
    pin: str = ""
    command: str = ""
    given: str = ""
    amounts: tuple[Money, ...] = ()


def _input(args: dict[str, Any]) -> str:
    text = str(args.get("given") or "")
    return f" < input {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:24]}" if text else ""


def reach_of(body: dict[str, Any]) -> Reach:
    """What a body of the catalogue, or a command, reaches."""
    effect, args = str(body["kind"]).partition("@")[0], body["args"]
    common: dict[str, Any] = {"effect": effect, "args": args, "amounts": tuple(_amounts(args))}
    match effect:
        case "mail":
            return Reach(**common, recipients=tuple(str(one).strip().lower() for one in [*args["to"], *args["cc"]]))
        case "http":
            asked = [args["url"], *filter(None, [args.get("reconcile")])]
            named = tuple(str(value["$secret"]) for value in args["headers"].values() if isinstance(value, dict))
            return Reach(**common, hosts=tuple(map(_host, asked)), method=str(args["method"]), secrets=named)
        case "call":
            inner = args.get("args")
            given = {**common, "args": inner if isinstance(inner, dict) else {}}
            connector, tool, pin = (str(args.get(name) or "") for name in ("connector", "tool", "pin"))
            return Reach(**given, connector=connector, tool=tool, pin=pin)
        case "command":
            pin = str((args.get("skill") or {}).get("sha256") or "")
            return Reach(**common, command=shlex.join(map(str, args["argv"])), given=_input(args), pin=pin)
        case _:
            return Reach(**common, paths=tuple(FILES[effect](args)) if effect in FILES else ())


def only_reads(reach: Reach, does: str) -> bool:
    """Whether an effect changes nothing outside its run. `does`: what a person says that a connector's tool does."""
    match reach.effect:
        case "http":
            return reach.method == "GET"
        case "call":
            return does == "reads"
        case effect:
            return effect == "command"  # it works on a copy of its own


def _host(url: str) -> str:
    """`api.example`, with its port where it names one."""
    parts = urlsplit(url)
    host = (parts.hostname or "").lower()
    return host if parts.port is None else f"{host}:{parts.port}"


def _amounts(value: Any) -> Iterator[Money]:
    """Every amount of money in arguments, at whatever depth; a bare number may be one as well, so it counts as more than any limit."""
    if isinstance(value, list):
        for part in value:
            yield from _amounts(part)
    elif isinstance(value, dict):
        money = _money(value)
        if money is not None:
            yield money
        else:
            for part in value.values():
                yield from _amounts(part)
    elif not isinstance(value, bool) and _is_number(value):
        yield Money(Decimal("Infinity"), "")


def _is_number(value: Any) -> bool:
    try:
        return value is not None and Decimal(str(value).strip()) is not None
    except InvalidOperation:
        return False


def _money(value: dict[str, Any]) -> Money | None:
    if set(value) - {"$type"} != {"amount", "currency"}:
        return None
    amount = value["amount"]["$dec"] if isinstance(value["amount"], dict) else value["amount"]
    try:
        return Money(Decimal(str(amount)), str(value["currency"]))
    except InvalidOperation:
        return None
