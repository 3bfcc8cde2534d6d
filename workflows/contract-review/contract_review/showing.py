"""What a person sees at the stop: each finding beside the words it rests on, with the place where they stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

from contract_review.judging import Review, day_words
from contract_review.papers import Pile
from counterfoil import Evidence, Field, fields, table
from counterfoil.policy.boundaries import visible

WRITTEN = "Written by the llm"
_TOLD = {
    "party": "Party",
    "starts": "Begins",
    "ends": "Ends",
    "notice": "Notice",
    "renewal": "Renews for",
    "law": "Law",
}


def counted(number: int, noun: str) -> str:
    """`1 contract`, `2 contracts`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def title_of(those: Sequence[Review]) -> str:
    """What is asked."""
    findings = sum(len(one.findings) for one in those)
    return f"Enter {counted(len(those), 'contract')} with {counted(findings, 'finding')} in the register"


def figures_of(those: Sequence[Review]) -> dict[str, Any]:
    """The figures above everything else."""
    weights = [finding.weight for one in those for finding in one.findings]
    return {
        "Contracts": len(those),
        "Must change": weights.count("must change"),
        "Look at it": weights.count("look at it"),
        "Without a quotation, left out": sum(one.unproved for one in those),
    }


def flags_of(pile: Pile, those: Sequence[Review], remarks: Sequence[str]) -> list[str]:
    """Sentences on what deserves a look first."""
    flags = [f"Read once more: {one}" for one in remarks[-1:]]
    for one in those:
        flags += [f"{one.contract.name}: {sentence}" for sentence in one.flags]
        if one.unproved:
            flags.append(
                f"{one.contract.name}: {counted(one.unproved, 'statement')} of the llm rested on words that do not stand in it; left out."
            )
    if pile.unread:
        flags.append(
            f"{counted(len(pile.unread), 'file')} {'is' if len(pile.unread) == 1 else 'are'} not reviewed: see “Not reviewed”."
        )
    return [visible(one) for one in flags]


def _told(one: Review) -> dict[str, str]:
    """What it says, by name; of several of a kind each has its number."""
    kinds = Counter(fact.name for fact in one.facts)
    so_far: Counter[str] = Counter()
    told = {}
    for fact in one.facts:
        so_far[fact.name] += 1
        name = _TOLD[fact.name] if kinds[fact.name] == 1 else f"{_TOLD[fact.name]} {so_far[fact.name]}"
        value = day_words(date.fromisoformat(fact.value)) if fact.name in ("starts", "ends") else fact.value
        told[name] = f"{value} · {fact.place}: “{fact.quote}”"
    return told


def evidence_of(pile: Pile, those: Sequence[Review]) -> list[Evidence]:
    """For each contract its facts and findings with quotations, then what was not found, then what was not reviewed."""
    found: list[Evidence] = []
    for one in those:
        name = visible(one.contract.name)
        facts = _told(one)
        if one.notice_by:
            facts["Notice by"] = f"{day_words(one.notice_by)}, worked out from the end and the notice"
        if facts:
            found.append(
                fields(
                    {key: visible(value) for key, value in facts.items()}, title=f"{name}: what it says", source=name
                )
            )
        if one.findings:
            rows = [
                {
                    "Point": finding.point,
                    "Weight": finding.weight,
                    "What the llm says": visible(finding.says),
                    "Words of the contract": visible(finding.quote),
                    "Place": finding.place,
                }
                for finding in one.findings
            ]
            flagged = [at for at, finding in enumerate(one.findings) if finding.weight == "must change"]
            found.append(table(rows, title=f"{name}: findings", flagged=flagged, source=WRITTEN))
    missing = [
        {"Contract": visible(one.contract.name), "Nothing found on": ", ".join(one.missing)}
        for one in those
        if one.missing
    ]
    if missing:
        found.append(table(missing, title="Points without a finding"))
    if pile.unread:
        found.append(table([{"File": visible(one.path), "Why": one.why} for one in pile.unread], title="Not reviewed"))
    return found


def fields_of() -> list[Field]:
    """What a person may fill in."""
    return [
        Field(
            name="wish",
            label="Read once more, and",
            help="For example: also look at who pays for travel. The contracts are put to the llm again.",
            remakes=True,
        )
    ]


def summary_of(done: Sequence[Review]) -> str:
    """What came of it."""
    findings = [finding.weight for one in done for finding in one.findings]
    must = findings.count("must change")
    return f"{counted(len(done), 'contract')} entered with {counted(len(findings), 'finding')}, {must} of which must change."
