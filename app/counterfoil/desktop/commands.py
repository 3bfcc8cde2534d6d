"""What Ctrl+K offers, as plain objects: found by the words typed, best first. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

KEYS = (
    ("Ctrl+K", "go anywhere, do anything"),
    ("Ctrl+F", "find on this page"),
    ("F6 · Shift+F6", "next · previous pane"),
    ("Ctrl+1 … 6", "Inbox, Runs, Templates, Schedules, Connectors, Trail"),
    ("Ctrl+,", "settings"),
    ("Ctrl+Shift+W", "workspace"),
    ("↑ ↓ Home End", "in a list"),
    ("Enter", "from the list into the gate"),
    ("Alt+↓ · Alt+↑", "next · previous gate from anywhere"),
    ("Ctrl+Enter", "the primary act, with the focus in this gate; from the list it only moves the focus"),
    ("Ctrl+B", "send back"),
    ("Ctrl+E", "change what may be changed"),
    ("Ctrl+Shift+R", "reject"),
    ("Ctrl+Z", "take a decision back, while it counts down"),
    ("Ctrl+↓ · Ctrl+↑", "next · previous row that needs an answer"),
    ("1 2 3", "choose, in a row that needs an answer"),
    (
        "Space",
        "look at a row, a file, a step or a template; in a list read on beside it; hold a payment; switch a schedule",
    ),
    ("Ctrl+C", "copy rows, in full"),
    ("F4", "choose a day from the calendar, in a field for a date"),
    ("Ctrl+P", "save the gate as PDF"),
    ("Esc", "closes what is on top, keeps the draft, never decides"),
)
_MOST = 12


@dataclass(frozen=True, slots=True)
class Command:
    """`act` names what is done, `what` to which; `hint` stands at the right."""

    act: str
    title: str
    what: str = ""
    hint: str = ""


def keys() -> list[Command]:
    """Every key, for `?`."""
    return [Command("none", does, hint=key) for key, does in KEYS]


def found(commands: Iterable[Command], typed: str) -> list[Command]:
    """Commands that contain every typed word, those that begin with the first one first; `?` lists the keys."""
    text = typed.casefold().strip()
    if text == "?":
        return keys()
    words = text.split()
    kept = [command for command in commands if all(word in _searched(command) for word in words)]
    kept.sort(key=lambda command: _rank(command, words))
    return kept[:_MOST]


def _searched(command: Command) -> str:
    return f"{command.title} {command.hint}".casefold()


def _rank(command: Command, words: Sequence[str]) -> int:
    title = command.title.casefold()
    if not words or title.startswith(words[0]):
        return 0
    return 1 if f" {words[0]}" in title else 2
