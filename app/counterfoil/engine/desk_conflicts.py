"""Files that are not what an approval was sealed to: nothing was written, and a person is asked what shall become of each."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine import conflicts, file_sets
from counterfoil.engine.conflicts import Performed
from counterfoil.engine.desk_gates import GateDesk, blank_spec
from counterfoil.engine.effect_values import Asked
from counterfoil.engine.holding import Hold
from counterfoil.engine.ports import Comparison
from counterfoil.facts import GateKind, Slot
from counterfoil.store import gates
from counterfoil.store.transactions import Row

_NOTHING = "Nothing has been written."


async def ask(hold: Hold, gate_desk: GateDesk, asked: Asked) -> bool:
    """Open the gate “Files changed” of a set; False where everything is as it was approved after all.

    Raises:
        EffectTrouble: the folder cannot be read.
    """
    reader = hold.powers.database.reader
    items = file_sets.items_of(reader, hold, asked.identity)
    flat = [(item.n, body, item.base) for item in items for body in item.bodies]
    found = await asyncio.to_thread(hold.powers.effects.compare, flat, hold.workspace, f"run {hold.number}")
    if not found.files and not found.is_another:
        return False
    anchor = file_sets.anchor_of(reader, hold, asked.identity)
    spec = _spec(hold, items, found, anchor)
    await gate_desk.open(asked.identity, Slot.CONFLICT, spec, asked_digest=digest(canonical(spec["about"])))
    return True


def _spec(hold: Hold, items: Sequence[Performed], found: Comparison, anchor: Row) -> dict[str, Any]:
    before = json.loads(hold.powers.blobs.text(anchor["spec"], anchor["spec_blob"]))
    about = conflicts.about_of(found, items, anchor["gate_id"])
    decided = gates.decisions(hold.powers.database.reader, anchor["gate_id"])
    about["approved"] = {"title": anchor["title"], "by": decided[-1]["principal"], "at": decided[-1]["at"]}
    sealed = {item.n for item in items}
    return blank_spec(
        GateKind.CONFLICT,
        title_of(found),
        plan=[_item(item, about) for item in before["plan"] if item["n"] in sealed],
        fields=conflicts.fields_of(about),
        evidence=before["evidence"],
        figures=before["figures"],
        about=about,
    )


def title_of(found: Comparison) -> str:
    """What the gate says first."""
    number = len(found.files)
    if not number:
        return f"Your folder is another one than the one that was approved. {_NOTHING}"
    return f"{number} {'file' if number == 1 else 'files'} changed in your folder. {_NOTHING}"


def _item(item: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    """A plan item as the first gate showed it, with what using the run's would come to now."""
    shown = dict(item)
    for file in about["files"]:
        mine = [n for n, _ in file["parts"] if n == item["n"]]
        made = file["made"].get(conflicts.USE)
        if mine and made is not None:
            shown["base"] = {**shown["base"], **made["base"]}
            if made["file"] is not None and shown["after_digest"] is not None:
                shown["before_digest"] = made["base"].get(file["path"])
                shown["after_digest"], shown["bytes"] = made["file"]["sha256"], made["file"]["size"]
    return shown
