"""How facts read on a screen: instants near and far, money, people, sizes, states. No text here comes from a document.

Values come as plain JSON with codec tags, so that a decimal is known from a text and money keeps its currency.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from counterfoil import facts
from counterfoil.authoring.periods import Period
from counterfoil.clock import from_us
from counterfoil.inbox.accounts import account
from counterfoil.views.silences import silence_in_state

_SIGNS = {"EUR": "€", "GBP": "£", "USD": "$"}
_AMOUNT = re.compile(r"-?(?:[€£$]|[A-Z]{3} )-?[0-9][0-9,]*(?:\.[0-9]+)?")  # an amount that was made text already
_PERIOD = re.compile(r"\d{4}-\d{2}-\d{2}/\d{4}-\d{2}-\d{2}")
_UNDONE = {"wholly": "then undone", "partly": "then partly undone"}
_TITLES = {
    "question": "Question",
    "doubt": "Did this happen?",
    "failure": "Needs repair",
    "conflict": "Files changed",
    "budget": "Spending limit",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A value as text; figures stand to the right, and some of them are money."""

    text: str
    figure: bool = False
    money: bool = False


def cell(plain: Any) -> Cell:
    """A plain value (codec tags or the contract's form) as a cell; nothing is cut."""
    if plain is None:
        return Cell("")
    if isinstance(plain, bool):
        return Cell("yes" if plain else "no")
    if isinstance(plain, int | float):
        return Cell(str(plain), figure=True)
    if isinstance(plain, list):
        return Cell(", ".join(cell(item).text for item in plain))
    if not isinstance(plain, dict):
        amount = _AMOUNT.fullmatch(str(plain)) is not None
        if _PERIOD.fullmatch(str(plain)):
            return Cell(Period(plain).words)
        return Cell(str(plain), figure=amount, money=amount)
    return _tagged(plain)


def _tagged(plain: dict[str, Any]) -> Cell:
    if {"amount", "currency"} <= plain.keys():
        return Cell(money(cell(plain["amount"]).text, plain["currency"]), figure=True, money=True)
    for tag, rule in _TAGS.items():
        if tag in plain:
            return rule(plain)
    return Cell(", ".join(f"{name}: {cell(item).text}" for name, item in plain.items() if name != "$type"))


_TAGS: dict[str, Callable[[dict[str, Any]], Cell]] = {
    "$dec": lambda plain: Cell(str(plain["$dec"]), figure=True),
    "$at": lambda plain: Cell(clock(datetime.fromisoformat(plain["$at"]))),
    "$date": lambda plain: Cell(str(plain["$date"])),
    "$span": lambda plain: Cell(str(timedelta(microseconds=plain["$span"])), figure=True),
    "$path": lambda plain: Cell(str(plain["$path"])),
    "$bytes": lambda _: Cell("bytes"),
    "$blob": lambda plain: Cell(f"bytes, {size(plain['size'])}"),
    "$secret": lambda plain: Cell(f"●● {plain['$secret']}"),
    "$map": lambda plain: Cell(", ".join(f"{cell(key).text}: {cell(item).text}" for key, item in plain["$map"])),
}


def money(amount: str, currency: str) -> str:
    """An amount with its currency: `€14,201.22`, `SEK 3,400.00`."""
    try:
        number = f"{Decimal(amount):,f}"
    except ArithmeticError:
        number = amount
    sign = _SIGNS.get(currency)
    if sign is None:
        return f"{currency} {number}"
    return f"-{sign}{number[1:]}" if number.startswith("-") else f"{sign}{number}"


def size(count: int | None) -> str:
    """So many bytes, readable: `812 B`, `4.1 kB`, `1.3 MB`."""
    if count is None:
        return ""
    number, unit = float(count), "B"
    for larger in ("kB", "MB", "GB"):
        if number < 1000:
            break
        number, unit = number / 1000, larger
    return f"{count} B" if unit == "B" else f"{number:.1f} {unit}"


def clock(at: datetime | str | int | None, now: datetime | None = None) -> str:
    """An instant in this computer's zone: `08:41` today, else `30 Nov 08:41`, with the year where it is another."""
    if at is None:
        return ""
    if isinstance(at, int):
        at = from_us(at)
    if isinstance(at, str):
        at = datetime.fromisoformat(at)
    local = at.astimezone()
    today = (now or datetime.now().astimezone()).astimezone()
    if local.date() == today.date():
        return f"{local:%H:%M}"
    return f"{day(local.date(), today.date())} {local:%H:%M}"


def day(on: date, today: date) -> str:
    """A day: `30 Nov`, with the year where it is another than today's."""
    return f"{on.day} {on:%b}" + ("" if on.year == today.year else f" {on.year}")


def took(began: str | None, ended: str | None) -> str:
    """How long something took, from two instants of a document: `41 s`, `2 h 10 min`."""
    if began is None or ended is None:
        return ""
    seconds = (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds()
    if seconds < 1:
        return f"{max(round(seconds * 1000), 0)} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = int(seconds // 60)
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def person(principal: str) -> str:
    """`you` for one's own account, else the name that `facts.person` gives."""
    return "you" if principal == account() else facts.person(principal)


def handed(asked: str, by: str) -> str:
    """Whom a gate waits for and since whose word: `given to Ben by you`, `taken by Carla`."""
    return f"taken by {person(asked)}" if asked == by else f"given to {person(asked)} by {person(by)}"


def run_state(run: dict[str, Any], steps: list[dict[str, Any]] | None = None) -> str:
    """A run's state (experience 1.10), from its document."""
    said, undone = _state(run, steps), run.get("undone")
    return f"{said}, {_UNDONE[undone]}" if undone else said


def step_words(name: str) -> str:
    """A step in people's words: `read_invoices` is read invoices, `write_file@1` is write file."""
    return name.partition("@")[0].replace("_", " ")


def waited_for(gates: list[dict[str, Any]]) -> str:
    """`you`, unless every gate waits for somebody else."""
    asked = [gate["waits_for"]["who"] if gate.get("waits_for") else account() for gate in gates]
    return "you" if account() in asked else " and ".join(sorted({person(principal) for principal in asked}))


def _state(run: dict[str, Any], steps: list[dict[str, Any]] | None) -> str:
    state, wait = run["state"], run["wait"]
    if state == "ready":
        return "Starting" if run["started_at"] is None else "Carries on"
    if run.get("silent"):
        return silence_in_state(run["silent"])
    if state == "running":
        busy = next((step["name"] or step["summary"] for step in steps or [] if step["state"] == "running"), None)
        return f"Running: {step_words(busy)}" if busy else "Running"
    if state == "waiting":
        if wait and wait["kind"] == "timer":
            return f"Waiting until {clock(wait['until'])}"
        return f"Waiting for {waited_for(run['gates'])}" if run["gates"] else "Waiting"
    if state == "failed":
        reason = (run["error"] or {}).get("message")
        return f"Stopped: {reason}" if reason else "Stopped"
    result = run["result"]
    if state == "done" and isinstance(result, dict) and result.get("verdict") == "rejected":
        return "Rejected"
    return {"done": "Done", "cancelled": "Cancelled"}[state]


def gate_title(gate: dict[str, Any]) -> str:
    """A gate's title with the word for its kind before it (experience 1.11); an approval has no label."""
    label, title = _TITLES.get(gate["kind"], ""), str(gate["title"])
    return f"{label}: {title}" if label and not title.startswith(label) else title


def seal(digest: str) -> str:
    """A digest as it is compared by eye: `3f9a 2c71`."""
    return f"{digest[:4]} {digest[4:8]}"


def counted(number: int, one: str, many: str) -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many}"
