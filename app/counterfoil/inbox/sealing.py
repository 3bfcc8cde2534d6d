"""What of a plan a decision seals: which items, with which changes, byte for byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.engine import conflicts
from counterfoil.errors import WrongAnswer
from counterfoil.facts import GateKind, Verdict

Sealed = tuple[int, str, str, str]  # number, final body, base, digest of the body


def sealed_items(
    spec: dict[str, Any],
    verdict: Verdict,
    answers: dict[str, Any],
    only: Sequence[int] | None,
    edits: Mapping[int, dict[str, Any]],
) -> list[Sealed]:
    """What a decision makes of the plan; the answer about changed files is a new approval, on these files as they are now.

    Raises:
        WrongAnswer: there is no such item, one needs another, or one may not be changed so.
    """
    if verdict is Verdict.APPROVED:
        return _approved_items(spec, only, edits)
    if verdict is Verdict.ANSWERED and spec["kind"] == GateKind.CONFLICT:
        return [(item.n, item.text, canonical(item.base), item.digest) for item in conflicts.resolved(spec, answers)]
    return []


def _approved_items(
    spec: dict[str, Any], only: Sequence[int] | None, edits: Mapping[int, dict[str, Any]]
) -> list[Sealed]:
    plan = spec["plan"]
    chosen = _chosen(spec, only)
    strange = sorted(set(edits) - chosen)
    if strange:
        raise WrongAnswer(f"There is no item {strange[0]} to change in what is approved.", "Leave the change away.")
    sealed: list[Sealed] = []
    for item in plan:
        if item["n"] not in chosen:
            continue
        missing = [needed for needed in item["needs"] if needed not in chosen]
        if missing:
            raise WrongAnswer(
                f"Item {item['n']} needs item {missing[0]}, which is left out.", f"Add {missing[0]} to --only."
            )
        body = canonical(_edited(item, edits.get(item["n"], {})))
        sealed.append((item["n"], body, canonical(item["base"]), digest(body)))
    return sealed


def _chosen(spec: dict[str, Any], only: Sequence[int] | None) -> set[int]:
    numbers = {item["n"] for item in spec["plan"]}
    if only is None:
        return numbers
    chosen = set(only)
    if numbers and not chosen:
        raise WrongAnswer("Nothing of the plan would be approved.", "To refuse all of it: reject --comment TEXT.")
    if not chosen <= numbers:
        raise WrongAnswer(
            f"There is no item {min(chosen - numbers)}; the plan has items 1 to {len(numbers)}.", "Change --only."
        )
    if chosen != numbers and not spec["partial"]:
        raise WrongAnswer(
            "This plan is approved whole or not at all.", "Leave --only away, or send it back with --comment."
        )
    return chosen


def _edited(item: dict[str, Any], edit: dict[str, Any]) -> dict[str, Any]:
    locked = sorted(set(edit) - set(item["editable"]))
    if locked:
        raise WrongAnswer(f"‘{locked[0]}’ of item {item['n']} cannot be changed here.", "Send it back with --comment.")
    args = item["body"]["args"]
    misfit = next((name for name, value in edit.items() if not _same_kind(value, args.get(name))), None)
    if misfit is not None:
        raise WrongAnswer(
            f"The new ‘{misfit}’ of item {item['n']} is not of the kind of the old one.", "Write it alike."
        )
    return {"kind": item["body"]["kind"], "args": {**item["body"]["args"], **edit}}


def _same_kind(new: Any, old: Any) -> bool:
    """Whether a changed value has the shape of the one before: a text for a text, a list of texts for a list of texts."""
    if type(new) is not type(old):
        return False
    if isinstance(old, list):
        return all(_same_kind(part, old[0] if old else "") for part in new)
    if isinstance(old, dict):
        return new.keys() == old.keys() and all(_same_kind(new[key], old[key]) for key in old)
    return True
