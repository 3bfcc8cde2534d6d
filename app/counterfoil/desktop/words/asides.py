"""What is said of gates that were put off or given to somebody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from counterfoil.desktop.words import times
from counterfoil.desktop.words.people import person


def handed(asked: str, by: str, me: str) -> str:
    """`Given to Ben by you`, `Taken by Carla`; "" where one has taken it oneself."""
    if asked == by:
        return "" if asked == me else f"Taken by {person(asked, me)}"
    return f"Given to {person(asked, me)} by {person(by, me)}"


def until(us: int, now_us: int) -> str:
    """`Snoozed until tomorrow 08:00`."""
    return f"Snoozed until {times.in_sentence(times.when(us, now_us))}"


def waits_for(document: Mapping[str, Any], me: str) -> str:
    """Who else a gate waits for, in a principal; "" where it waits for oneself or for anybody."""
    given = document.get("waits_for") or {}
    asked = str(given.get("who") or "")
    return "" if asked in ("", me) else asked


def told(document: Mapping[str, Any], me: str, now_us: int) -> tuple[str, str]:
    """What the page of a gate says of whom it was given to: a sentence, and the reason in words of whoever gave it."""
    given = document.get("waits_for") or {}
    said = handed(str(given.get("who") or ""), str(given.get("by") or ""), me) if given else ""
    at = times.iso_instant(str(given.get("at")))
    when = f", {times.in_sentence(times.when(at, now_us))}" if at is not None else ""
    return (f"{said}{when}." if said else ""), str(given.get("comment") or "")


def set_aside(document: Mapping[str, Any], me: str, asleep_until: int | None, now_us: int) -> str:
    """In a row: why an open gate is not for oneself now; "" where it is."""
    elsewhere = waits_for(document, me)
    if elsewhere:
        given = document["waits_for"]
        return handed(str(given["who"]), str(given["by"]), me)
    return until(asleep_until, now_us) if asleep_until is not None else ""


def back(us: int, now_us: int) -> str:
    """The heading of gates that come back on a day: `Back today`, `Back Mon`."""
    return f"Back {times.in_sentence(times.day(times.local(us).date(), times.local(now_us).date()))}"
