"""What a schedule that is being written still lacks before it can be saved: the first thing, and how the button says it."""

from __future__ import annotations

from typing import Literal, NamedTuple

from counterfoil.desktop.schedule_facts import DraftSeen, ScheduleDraft
from counterfoil.desktop.words.numbers import count

Place = Literal["template", "folder", "rule", "zone", "name", "spend", "fields"]


class Lack(NamedTuple):
    """Where something is missing, and what is to be done there first."""

    where: Place
    words: str


def lacking(draft: ScheduleDraft, seen: DraftSeen) -> Lack | None:
    """The first thing that is missing in what is filled in, as it was last judged; None when it can be saved."""
    if not draft.template:
        return Lack("template", "Choose a template first")
    if not draft.workspace:
        return Lack("folder", "Choose a folder first")
    if not draft.rule or seen.where == "rule":
        return Lack("rule", "Say when it runs first")
    if seen.where == "zone":
        return Lack("zone", "Choose a zone first")
    if not draft.name or seen.name:
        return Lack("name", "Give it a name first" if not draft.name else "Give it another name first")
    if seen.spend:
        return Lack("spend", "Say what it may spend first")
    if seen.fields:
        return Lack("fields", f"Fill in {count(len(seen.fields), 'field')} first")
    return None
