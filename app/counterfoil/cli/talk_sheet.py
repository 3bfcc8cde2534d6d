"""A conversation of a run with an llm as lines: who said what, what tools gave, what each answer cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from counterfoil.policy.boundaries import visible

_LONGEST = 400  # characters of one saying
_OUTCOMES = {"denied": " (denied)", "failed": " (failed)", "unknown": " (nobody knows whether it happened)"}


def talk_sheet(talks: list[dict[str, Any]]) -> Iterator[str]:
    """The lines."""
    if not talks:
        yield "No llm was asked in this run."
    for talk in talks:
        yield f"{talk['name']}  (branch {talk['path'] or 'of the workflow itself'})"
        if talk["tools"]:
            yield f"  tools: {', '.join(talk['tools'])}"
        for turn in talk["turns"]:
            yield from _turn(turn, talk["name"])
        yield ""
    sources = talks[0]["sources"] if talks else []
    if sources:
        yield f"Read from outside the team: {', '.join(sources)}"


def _turn(turn: dict[str, Any], name: str) -> Iterator[str]:
    if turn["from_summary"]:
        yield "  … it goes on from a summary"
    for told in turn["told"]:
        who = f"{told['tool']}{_OUTCOMES.get(told['outcome'], '')}" if told["tool"] else "you"
        yield f"  {who}: {_short(told['text'])}"
    if turn["said"] is None:
        yield f"  {name}: (no answer yet)"
        return
    if turn["said"]:
        yield f"  {name}: {_short(turn['said'])}"
    for call in turn["calls"]:
        yield f"  {name} → {call['tool']} {_short(json.dumps(call['args'], ensure_ascii=False))}"
    cost = f", ${turn['cost']['amount']}" if turn["cost"] is not None else ""
    yield f"      {turn['llm']}{cost}"


def _short(text: str) -> str:
    plain = visible(" ".join(text.split()))
    return plain if len(plain) <= _LONGEST else f"{plain[:_LONGEST]}…"
