"""What Ctrl+K offers, as plain objects: found by the words typed, best first. No Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

KEYS = (
    ("Ctrl+K", "Go anywhere, do anything"),
    ("Ctrl+F", "Find on this page"),
    ("F6 · Shift+F6", "Next · previous pane"),
    ("Ctrl+1 … 6", "Inbox, Runs, Templates, Schedules, Connectors, Trail"),
    ("Ctrl+,", "Settings"),
    ("Ctrl+Shift+W", "Workspace"),
    ("↑ ↓ Home End", "In a list"),
    ("Enter", "From the list into the gate"),
    ("Alt+↓ · Alt+↑", "Next · previous gate from anywhere"),
    ("Ctrl+Enter", "The primary act, with the focus in this gate; from the list it only moves the focus"),
    ("Ctrl+B", "Send back"),
    ("Ctrl+E", "Change what may be changed"),
    ("Ctrl+Shift+R", "Reject"),
    ("Ctrl+Z", "Take a decision back, while it counts down"),
    ("Ctrl+↓ · Ctrl+↑", "Next · previous row that needs an answer"),
    ("1 2 3", "Choose, in a row that needs an answer"),
    (
        "Space",
        "Look at a row, a file, a step or a template; in a list read on beside it; hold a payment; switch a schedule",
    ),
    ("Ctrl+C", "Copy rows, in full"),
    ("F4", "Choose a day from the calendar, in a field for a date"),
    ("Ctrl+P", "Save the gate as PDF"),
    ("Esc", "Close what is on top; keeps the draft, never decides"),
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
