"""The Conversation tab of a run: what was said between it and its llms, turn by turn, with what each answer cost.

Words of an llm, of tools and of documents stand in bordered blocks with whose they are; nothing of it speaks in the product's voice.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.office import Document
from counterfoil.desktop.parts.boxes import Banner, Nothing, Pane, Quote
from counterfoil.desktop.parts.labels import Chip, Label, Prose
from counterfoil.desktop.parts.layouts import empty, put, row
from counterfoil.desktop.words import times
from counterfoil.desktop.words.gates import has_read
from counterfoil.desktop.words.numbers import count, joined
from counterfoil.desktop.words.plain import one_line, plain

MOST = 40  # turns of a conversation that are shown, the newest
_LONGEST = 2_000  # signs of one saying
_OUTCOMES = {"denied": ", denied", "failed": ", failed", "unknown": ", nobody knows whether it happened"}


class TalkTab(Pane):
    """Conversations below each other."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("panel", gap=10, margins=(28, 16, 24, 24))
        self._bridge = bridge
        self._latest = Latest()
        self._run_id = ""
        self._talks: tuple[Document, ...] = ()

    def show_run(self, run_id: str) -> None:
        """Ask for a run's conversations."""
        self._run_id = run_id
        self._latest.take(
            self._bridge.ask(self, lambda office: office.trust.talk(run_id), self._arrived, self._failed, slow=True)
        )

    def clear(self) -> None:
        """Another run comes."""
        self._talks = ()
        empty(self.lines)

    def _arrived(self, talks: tuple[Document, ...]) -> None:
        if talks == self._talks and talks:
            return
        self._talks = talks
        empty(self.lines)
        if not talks:
            self.put(Nothing("mail", "No llm was asked in this run."))
            return
        sources = talks[0]["sources"]
        if sources:
            self.put(Banner("info", has_read(joined(map(str, sources)), len(sources))))
        for talk in talks:
            self.put(*_parts(talk), 12)
        self.put(None)

    def _failed(self, trouble: Trouble) -> None:
        empty(self.lines)
        self.put(Banner("bad", trouble.message, detail=trouble.next_step), None)


def _parts(talk: Document) -> list[QWidget]:
    turns: Sequence[Document] = talk["turns"]
    name = one_line(talk["name"]).replace("_", " ")
    parts: list[QWidget] = [Label(f"{name[:1].upper()}{name[1:]}", "h2")]
    told = [count(len(turns), "turn"), _cost_of(turns)]
    if talk["tools"]:
        told.append(f"tools: {', '.join(map(one_line, talk['tools']))}")
    parts.append(Prose(" · ".join(filter(None, told)), "small"))
    if len(turns) > MOST:
        parts.append(Prose(f"The newest {MOST} turns. All of them: counterfoil show RUN --talk", "small"))
    for turn in turns[-MOST:]:
        parts += _turn(turn)
    return parts


def _turn(turn: Document) -> list[QWidget]:
    parts: list[QWidget] = []
    if turn["from_summary"]:
        parts.append(Label("It goes on from a summary of what was said before.", "caption"))
    for told in turn["told"]:
        whose = (
            f"Given by the tool {one_line(told['tool'])}{_OUTCOMES.get(told['outcome'], '')}"
            if told["tool"]
            else "Said by the run"
        )
        parts.append(Quote(_cut(told["text"]), whose))
    if turn["said"] is None:
        parts.append(Label("No answer yet.", "caption"))
        return parts
    at = times.iso_instant(str(turn["asked_at"]))
    facts = [one_line(turn["llm"] or ""), _money(turn["cost"]), times.clock_time(at) if at is not None else ""]
    whose = " · ".join(["Written by the llm", *filter(None, facts)])
    if turn["said"]:
        parts.append(Quote(_cut(turn["said"]), whose))
    parts += map(_call, turn["calls"])
    if not turn["said"]:
        parts.append(Label(whose, "caption"))
    return parts


def _call(call: Document) -> QWidget:
    held = QWidget()
    line = row(held, gap=8)
    put(line, Chip(one_line(call["tool"])))
    line.addWidget(Prose(_cut(json.dumps(call["args"], ensure_ascii=False)), "mono"), 1)
    held.setAccessibleName(f"Calls {one_line(call['tool'])}")
    return held


def _cost_of(turns: Sequence[Document]) -> str:
    costs = [Decimal(turn["cost"]["amount"]) for turn in turns if turn["cost"] is not None]
    return f"${sum(costs, Decimal(0)):f}" if costs else ""


def _money(cost: Any) -> str:
    return f"${cost['amount']}" if cost is not None else ""


def _cut(text: str) -> str:
    shown = plain(text, lines=True)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}… ({len(shown):,} signs)"
