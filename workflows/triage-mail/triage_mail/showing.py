"""What a person sees at the stop: each mail with its place and the words that speak for it, each draft as it would be sent."""

from __future__ import annotations

from collections import Counter
from typing import Any

from counterfoil import Evidence, Field, table, text
from counterfoil.policy.boundaries import visible
from triage_mail.mails import Box
from triage_mail.sorting import AUTOMATIC, UNSORTED, URGENT, Sorted

_MOST_DRAFTS = 40  # as texts beside the table; each is among the files in any case
WRITTEN = "Written by the llm"


def counted(number: int, noun: str, nouns: str = "") -> str:
    """`1 mail`, `2 mails`."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def title_of(those: list[Sorted]) -> str:
    """What is asked."""
    drafts = sum(bool(one.answer) for one in those)
    mails = counted(len(those), "mail")
    return f"Sort {mails} and keep {counted(drafts, 'draft')}" if drafts else f"Sort {mails}"


def figures_of(those: list[Sorted]) -> dict[str, Any]:
    """The figures above everything else."""
    return {
        "Mails": len(those),
        "For today": sum(one.urgency == URGENT for one in those),
        "Answers drafted": sum(bool(one.answer) for one in those),
        "By rule": sum(one.by == "a rule" for one in those),
    }


def flags_of(box: Box, those: list[Sorted], remarks: list[str]) -> list[str]:
    """Sentences on what deserves a look first."""
    flags = [f"Answers were drafted anew: {one}" for one in remarks[-1:]]
    flags += [f"{one.mail.name}: {sentence}" for one in those for sentence in [*one.mail.odd, *one.odd]]
    if box.unread:
        flags.append(f"{counted(len(box.unread), 'file')} could not be read as a mail and stay where they are.")
    if box.more:
        flags.append(f"{counted(box.more, 'more mail')} wait for the next run.")
    return [visible(one) for one in flags]


def evidence_of(box: Box, those: list[Sorted], places: dict[str, str]) -> list[Evidence]:
    """The mails, the words they are judged by, the drafts, and what was left alone."""
    rows = [
        {
            "Mail": visible(one.mail.name),
            "From": visible(one.mail.who),
            "Subject": visible(one.mail.subject),
            "Is": one.kind,
            "Urgency": one.urgency,
            "Attachments": ", ".join(f"{visible(part.name)} ({part.kind})" for part in one.mail.attachments),
            "Goes to": places.get(one.mail.path, "stays"),
        }
        for one in those
    ]
    flagged = [at for at, one in enumerate(those) if one.urgency == URGENT or one.kind == UNSORTED]
    found = [table(rows, title="Mails", flagged=flagged)]
    asked = [one for one in those if one.kind not in (AUTOMATIC, UNSORTED)]
    if asked:
        found.append(
            table(
                [{"Mail": visible(one.mail.name), "What it asks for": visible(one.asks)} for one in asked],
                title="What they ask for",
                source=WRITTEN,
            )
        )
        quoted = [{"Mail": visible(one.mail.name), "Its words": visible(one.quote)} for one in asked if one.quote]
        found.append(
            table(
                quoted,
                title="The words that speak for it",
                columns=["Mail", "Its words"],
                source="Quoted from the mails",
            )
        )
    drafted = [one for one in those if one.answer]
    found += [
        text(one.answer, title=f"Answer to {visible(one.mail.who)}: {visible(one.mail.subject)}", source=WRITTEN)
        for one in drafted[:_MOST_DRAFTS]
    ]
    if box.unread:
        found.append(table([{"File": visible(one.path), "Why": one.why} for one in box.unread], title="Left alone"))
    return found


def fields_of(those: list[Sorted]) -> list[Field]:
    """What a person may fill in."""
    if not any(one.answer for one in those):
        return []
    return [
        Field(
            name="wish",
            label="Draft the answers otherwise",
            help="For example: shorter, and with a date for a call. The mails are put to the llm once more.",
            remakes=True,
        )
    ]


def summary_of(done: list[Sorted], drafts: int) -> str:
    """What came of it, in one sentence or two."""
    kinds = Counter(one.kind for one in done)
    each = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    return f"{counted(len(done), 'mail')} sorted: {each}. {counted(drafts, 'answer')} drafted, none sent."
