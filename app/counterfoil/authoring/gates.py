"""Stopping for a person: `approve` a plan, `ask` a question. Forgetting to look at the answer cannot mean yes:
`approve` returns only when it was approved and raises otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

from counterfoil.authoring import machine
from counterfoil.authoring.codec import canonical, decoder_for, to_plain
from counterfoil.authoring.effect_values import Effect, Seal, from_body
from counterfoil.authoring.evidence import Evidence
from counterfoil.authoring.own_changes import Changes
from counterfoil.authoring.parameters import Field, annotation_of
from counterfoil.errors import Expired, Rejected, Returned
from counterfoil.facts import person


@dataclass(frozen=True, slots=True)
class Decision:
    """An approval: who gave it, what was filled in, and the effects exactly as they were sealed."""

    by: str
    comment: str
    answers: dict[str, Any]
    plan: list[Effect] = field(default_factory=list)

    @machine.durable
    async def perform(self, *, on_conflict: Literal["ask", "raise"] = "ask") -> list[Any]:
        """Perform what was approved, in order, and nothing else; the outcomes in that order.

        Where files are not what they were when it was approved, nothing is written. `"ask"` asks a person what shall become of each:
        what is left as it is in the folder stands in the outcome as `"kept"`, what goes to another name as `"beside"`. `"raise"` leaves
        it to the workflow.

        Raises:
            Rejected, Returned: a person answered so when asked again.
            FilesChanged: files changed, with `on_conflict="raise"`; the approval is void.
        """
        branch = machine.require("decision.perform()")
        return await branch.machine.perform(branch, self.plan, on_conflict)


class Answers(dict[str, Any]):
    """What a person filled in, by field name and in the fields' types; `by` is who, `comment` what was said beside it."""

    def __init__(self, values: dict[str, Any], by: str, comment: str) -> None:
        super().__init__(values)
        self.by = by
        self.comment = comment


@machine.durable
async def approve(
    title: str,
    *,
    plan: Sequence[Effect] = (),
    evidence: Sequence[Evidence] = (),
    flags: Sequence[str] = (),
    fields: Sequence[Field] = (),
    figures: dict[str, Any] | None = None,
    claims: Sequence[str] = (),
    partial: bool = False,
    expires_after: timedelta | None = None,
    round: int = 1,  # noqa: A002 - the contract's word
) -> Decision:
    """Put a plan before a person and wait, for as long as it takes, at no cost.

    `claims` names things that may be approved in one run only (an invoice's key): of two open gates with the same claim one can be
    approved. `partial=True` lets single effects be left out. `expires_after`: without a decision by then nothing happens and Expired is
    raised; without it the gate waits for ever. `flags` are sentences that need a look first.

    Raises:
        Rejected: a person said no.
        Returned: a person wants it done differently; fields marked `remakes` come back in its `answers`.
        Expired: the author set a time and nobody decided.
    """
    branch = machine.require("approve()")
    blobs: dict[str, bytes] = {}
    shown = [*evidence, *(plan.evidence if isinstance(plan, Changes) else ())]
    spec = {
        "kind": "approval",
        "title": title,
        "plan": [_plan_item(effect, plan) for effect in plan],
        "evidence": [piece.to_json(blobs) for piece in shown],
        "flags": list(flags),
        "fields": [entry.to_json() for entry in fields],
        "figures": _figures(figures or {}, blobs),
        "claims": list(claims),
        "partial": partial,
        "round": round,
        "expires_for": expires_after // timedelta(microseconds=1) if expires_after else None,
    }
    for effect in plan:
        blobs.update(effect.blobs)
    ordinal = branch.next_ordinal
    answer = await branch.machine.gate(branch, "approve", {"spec": spec, "blobs": blobs})
    answers = _decode_answers(fields, answer["answers"])
    _raise_unless_approved(answer, answers)
    return Decision(
        by=answer["by"],
        comment=answer["comment"],
        answers=answers,
        plan=_sealed(plan, answer, branch.path, ordinal),
    )


@machine.durable
async def ask(
    question: str,
    form: Sequence[Field],
    *,
    evidence: Sequence[Evidence] = (),
    flags: Sequence[str] = (),
    figures: dict[str, Any] | None = None,
) -> Answers:
    """Ask a person to fill in a form and wait; the answers by field name, in the fields' types, and whose they are.

    Raises:
        Rejected: a person refused to answer.
        Returned: a person sent the question back.
    """
    branch = machine.require("ask()")
    blobs: dict[str, bytes] = {}
    spec = {
        "kind": "question",
        "title": question,
        "plan": [],
        "evidence": [piece.to_json(blobs) for piece in evidence],
        "flags": list(flags),
        "fields": [entry.to_json() for entry in form],
        "figures": _figures(figures or {}, blobs),
        "claims": [],
        "partial": False,
        "round": 1,
        "expires_for": None,
    }
    answer = await branch.machine.gate(branch, "ask", {"spec": spec, "blobs": blobs})
    answers = _decode_answers(form, answer["answers"])
    _raise_unless_approved(answer, answers)
    return Answers(answers, answer["by"], answer["comment"])


@machine.durable
async def claimed_elsewhere(keys: Sequence[str]) -> dict[str, str]:
    """Which of these claims another run holds, in an open gate or an approved one: key -> a sentence naming that run."""
    branch = machine.require("claimed_elsewhere()")
    found = await branch.machine.lookup(branch, "claims", list(keys))
    return {str(key): str(sentence) for key, sentence in found.items()}


def _figures(figures: dict[str, Any], blobs: dict[str, bytes]) -> list[list[Any]]:
    return [[name, to_plain(value, blobs)] for name, value in figures.items()]


def _plan_item(effect: Effect, plan: Sequence[Effect]) -> dict[str, Any]:
    needs = [index + 1 for index, other in enumerate(plan) if any(other is needed for needed in effect.needs)]
    return {"body": effect.body, "needs": needs, "editable": list(effect.editable)}


def _decode_answers(fields: Sequence[Field], answers: dict[str, Any]) -> dict[str, Any]:
    kinds = {entry.name: entry.type for entry in fields}
    return {
        name: decoder_for(annotation_of(kinds[name]))(value) for name, value in answers.items() if value is not None
    }


def _raise_unless_approved(answer: dict[str, Any], answers: dict[str, Any]) -> None:
    verdict = answer["verdict"]
    if verdict == "rejected":
        raise Rejected(answer["comment"], answer["by"])
    if verdict == "returned":
        raise Returned(answer["comment"], answer["by"], answers)
    if verdict == "expired":
        raise Expired("nobody decided in time")


def _sealed(plan: Sequence[Effect], answer: dict[str, Any], path: str, ordinal: int) -> list[Effect]:
    """Effects of the sealed bodies; originals approved unchanged are sealed too, the others are marked as left out."""
    by = person(answer["by"])
    approved: list[Effect] = []
    for effect in plan:
        effect.leave_out(f"{by} left this out of the approval")
    for item in answer["items"]:
        seal = Seal(path, ordinal, item["n"])
        effect = from_body(item["body"]).sealed(seal)
        approved.append(effect)
        original = plan[item["n"] - 1]
        if canonical(original.body) == canonical(item["body"]):
            original.sealed(seal)
        else:
            original.leave_out(f"{by} changed this before approving: await decision.plan instead")
    return approved
