"""What the values of a choice are called on buttons and in forms, and their colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from counterfoil.desktop.words.people import capital
from counterfoil.desktop.words.plain import one_line
from counterfoil.desktop.words.values import shown
from counterfoil.store.llm_money import words

ALLOW, REFUSE = "allow", "refuse"  # what is said of one file that runs later
APPROVE, LEAVE = "approve", "leave"  # of one item of a plan that is approved item by item
# Nothing is paid by answering, so the word is never Pay.
_CHOICES = {"pay": "Include", "include": "Include", "hold": "Hold", "reject": "Reject", "yes": "Yes", "no": "No"}
_CHOICES |= {ALLOW: "Allow", REFUSE: "Do not allow", APPROVE: "Approve", LEAVE: "Leave out"}
_CHOICES |= {"keep": "Keep the folder's", "use": "Use the run's", "both": "Keep both"}
_FILES = {"use": "Use the run's", "keep": "Keep the folder's", "both": "Keep both"}  # as the button counts them
_TONES = {"pay": "ok", "include": "ok", "yes": "ok", "hold": "warn", "reject": "bad", "no": "bad"}
_TONES |= {ALLOW: "warn", REFUSE: "bad", APPROVE: "ok", LEAVE: "warn"}
_ORDER = ("Include", "Hold", "Reject")


def choice_words(value: str) -> str:
    """What a choice is called: Include, Hold, Reject, else its own word."""
    return _CHOICES.get(value) or capital(one_line(value.replace("_", " ")))


def spending_choices(about: Mapping[str, Any]) -> dict[str, str]:
    """What the answers of a spending gate are called; one names what it lets through."""
    called = {"go_on": "Go on", "finish": "Finish here", "stop": "Stop this run"}
    if about.get("why") == "limit":
        need = str(about["need"])
        amount = f"{int(need):,} tokens" if about["in_tokens"] else words(Decimal(need))
        called |= {"raise_once": f"Allow {amount} once", "raise": "Raise the limit"}
    return called


def given(field: Mapping[str, Any], value: Any, called: Mapping[str, str], today: date) -> str:
    """What was filled in, in the words of its form: `called` has better ones for some choices."""
    values = value if isinstance(value, list) else [value]
    if not field.get("choices") or any(isinstance(one, Mapping) for one in values):
        return shown(value, today)
    return ", ".join(called.get(str(one)) or choice_words(str(one)) for one in values)


def choice_tone(value: str) -> str:
    """ok, warn, bad or none."""
    return _TONES.get(value, "")


def counted_files(values: Iterable[str]) -> str:
    """`Use the run's for 1, keep 1`: what the answers about changed files come to."""
    counts = Counter(values)
    given = [choice for choice in _FILES if counts[choice]]
    if len(given) == 1:
        return _FILES[given[0]]
    said = {"use": "use the run's for {}", "keep": "keep {}", "both": "both of {}"}
    told = ", ".join(said[choice].format(counts[choice]) for choice in given)
    return f"{told[:1].upper()}{told[1:]}"


def counted_choices(values: Iterable[str]) -> str:
    """`Include 1, hold 2`: what an answer comes to."""
    counts = Counter(choice_words(value) for value in values)
    order = [*_ORDER, *(word for word in counts if word not in _ORDER)]
    parts = [f"{word} {counts[word]}" for word in order if counts[word]]
    told = ", ".join(part if at == 0 else part[:1].lower() + part[1:] for at, part in enumerate(parts))
    return told or "Answer"
