"""How well a host is confined, told honestly: the level is stored with every run and shown before one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """A level of isolation: its code, the badge's word, and the sentence behind it."""

    code: str
    badge: str
    sentence: str


NONE = Level(
    "L0",
    "None",
    "No isolation: workflow code runs as you, in a process of its own. Nothing keeps it from "
    "what you can reach: your files, the network, this program's own data.",
)


def measured() -> Level:
    """The level that hosts have on this computer."""
    return NONE
