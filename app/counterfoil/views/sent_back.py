"""What is said before and after a question is sent back: what its run will do, as far as its template's code says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from counterfoil.facts import Slot

if TYPE_CHECKING:
    from counterfoil.store.transactions import Row

_WORDS = {
    "again": "The run keeps its work and asks again.",
    "goes_on": "The run keeps its work, and its workflow goes on with what you say.",
    "stops": "Its workflow does not foresee this: the run keeps its work, stops here and needs repair.",
    "": "The run keeps its work. Whether it asks again, its workflow decides.",
}


def what_follows(manifest: Mapping[str, Any], gate: Row) -> str:
    """The sentence for a gate of a template version, from the version's manifest and the gate's row.

    A question in a branch may be an agent's, and one in the middle of an effect is not the workflow's: of these nothing is known.
    """
    plain = not gate["path"] and gate["slot"] in (Slot.OUTCOME, Slot.CONFLICT)
    known = manifest.get("sent_back") if plain else None
    return _WORDS[(known or {}).get(gate["kind"], "")]
