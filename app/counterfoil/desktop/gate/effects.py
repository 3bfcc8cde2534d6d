"""Effects of a plan that are no files: what exactly leaves the house, in full."""

from __future__ import annotations

import functools
from datetime import date

from counterfoil.desktop.gate.arguments import facts_of
from counterfoil.desktop.gate.evidence import READ, SectionBox, long_text
from counterfoil.desktop.gate.facts_grid import FactsGrid
from counterfoil.desktop.gate.reading import Reading, Section
from counterfoil.desktop.office import Document
from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import put
from counterfoil.desktop.parts.portions import Portions


def effects_box(section: Section, reading: Reading, today: date) -> SectionBox:
    """A card for each."""
    box = SectionBox(section)
    plan = enumerate(reading.seen.document.get("plan") or (), 1)
    others = [(n, entry) for n, entry in plan if n not in reading.files]
    put(box.lines, Portions([functools.partial(_card, reading, today, n, entry) for n, entry in others], "effect"))
    return box


def _card(reading: Reading, today: date, n: int, entry: Document) -> Box:
    card = Box("card", gap=6)
    card.put(Prose(str(entry.get("summary") or entry.get("effect")), "medium"))
    if n <= len(reading.seen.bodies):
        facts = facts_of(reading.seen.bodies[n - 1]["args"], today)
        card.put(FactsGrid([fact for fact in facts if len(fact.value) <= READ]))
        for fact in facts:
            if len(fact.value) > READ:
                card.put(Label(fact.name, "small_strong"), long_text(fact.value, fact.name, ""))
    return card
