"""What a person sees at the stop: every change before and after with its reason, what is left alone and why, and the rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from counterfoil import Evidence, Field, fields, table
from counterfoil.policy.boundaries import visible
from tidy_folder.proposals import FLAGGED, MOST_CHANGES, PUT_ASIDE, Change, Group, Proposal, Twin, Wishes
from tidy_folder.walking import Alone

_MOST_ALONE = 1_000  # rows that are told one by one; the others are counted

RULES = {
    "Same content": "Files with the same SHA-256. Kept is the one changed longest ago, then the one that lies less deep, then the "
    "shorter name. The others move to the quarantine folder; nothing is deleted.",
    "Not what it seems": "A file that runs something when it is opened and carries the ending of one that does not moves to the "
    "quarantine folder. Any other file with a wrong ending gets the right one.",
    "Day": "The first that is there: a day at the beginning of the name, invoice data or the words of an invoice, the mail's Date, "
    "the picture's own data, a day elsewhere in the name, the file's properties, the file's time.",
    "Supplier": "The seller of an invoice, the sender of a mail, else the innermost folder with a name that says something.",
    "Names that collide": "The later one gets a number: “name (2)”. Names count as the same when they differ in capitals or form alone.",
    "Files that go together": "Files that differ in their endings alone get the same new name.",
    "Left alone": "Hidden files, links, pipes, programs, files whose kind is not known, empty files, projects (a folder with .git, "
    "package.json, pyproject.toml and their kin), saved web pages, and what other programs run or obey.",
}


def title_of(found: Proposal) -> str:
    """What is asked."""
    aside = sum(change.group in PUT_ASIDE for change in found.changes)
    renamed = len(found.changes) - aside
    parts = []
    if renamed:
        parts.append(f"rename {_counted(renamed)}")
    if aside:
        parts.append(f"put {aside:,} aside" if renamed else f"put {_counted(aside)} aside")
    said = " and ".join(parts)
    return f"{said[:1].upper()}{said[1:]}"


def figures_of(found: Proposal) -> dict[str, Any]:
    """Key figures."""
    aside = sum(change.group in PUT_ASIDE for change in found.changes)
    return {
        "New names": len(found.changes) - aside,
        "Put aside": aside,
        "Fine as they are": found.fine,
        "Left alone": len(found.alone),
    }


def flags_of(found: Proposal, notes: Sequence[str]) -> list[str]:
    """Sentences on what deserves a look first."""
    counts = Counter(change.group for change in found.changes)
    flags = [*notes]
    said = {
        Group.DISGUISED: (
            "{n} is not what it seems and moves to quarantine",
            "{n} are not what they seem and move to quarantine",
        ),
        Group.ENDING: ("{n} has a wrong ending", "{n} have wrong endings"),
        Group.UNCLEAR: (
            "{n} has a name that reads differently than it is",
            "{n} have names that read differently than they are",
        ),
        Group.COLLISION: ("{n} gets a number, since its name is taken", "{n} get numbers, since their names are taken"),
        Group.BY_TIME: (
            "The day of {n} is the file's time alone: after copying it is the day of the copy",
            "The days of {n} are the files' times alone: after copying they are the days of the copy",
        ),
    }
    for group, (one, many) in said.items():
        if number := counts[group]:
            flags.append(f"{(one if number == 1 else many).replace('{n}', _counted(number))}.")
    if found.more:
        flags.append(f"{found.more:,} more changes are left for the next run; one run proposes {MOST_CHANGES:,}.")
    if found.cut:
        flags.append("There are more files than are looked at in one run; the others are not touched.")
    return flags


def evidence_of(found: Proposal, wishes: Wishes) -> list[Evidence]:
    """The changes, copies, what is held and what is left alone, and the rules."""
    rows = [_row(change, wishes) for change in found.changes]
    flagged = [place for place, change in enumerate(found.changes) if change.group in FLAGGED]
    pieces = [table(rows, title="Changes", flagged=flagged)]
    if found.held:
        pieces.append(table([_row(change, wishes) for change in found.held], title="Held"))
    if found.twins:
        pieces.append(table([_twin_row(one, wishes) for one in found.twins], title="Files with the same content"))
    if found.alone:
        counts = Counter(other.why for other in found.alone)
        pieces.append(fields(dict(counts.most_common()), title="Left alone, counted"))
        told = [_alone_row(other, wishes) for other in found.alone[:_MOST_ALONE]]
        title = "Left alone" if len(told) == len(found.alone) else f"Left alone: the first {_MOST_ALONE:,}"
        pieces.append(table(told, title=title))
    pieces.append(fields(RULES, title="The rules"))
    return pieces


def summary_of(found: Proposal, wishes: Wishes, renamed: int, aside: int) -> str:
    """What came of a run, in a sentence or two."""
    if not renamed and not aside:
        return f"Nothing to tidy: {_counted(found.files)} looked at, {found.fine:,} fine as they are."
    parts = []
    if renamed:
        parts.append("1 file has a new name" if renamed == 1 else f"{renamed:,} files have new names")
    if aside:
        lie = "lies" if aside == 1 else "lie"
        parts.append(
            f"{aside:,} {lie} in {wishes.quarantine}/"
            if renamed
            else f"{_counted(aside)} {lie} in {wishes.quarantine}/"
        )
    return f"{', '.join(parts)}. Nothing was deleted."


def fields_of(found: Proposal) -> list[Field]:
    """What a person may fill in; both lists make the proposal anew and ask again."""
    asked = [_rows_field("hold", "Hold these rows", "Row numbers to leave as they are.", found.changes)]
    if found.held:
        help_ = "Rows of “Held” to take in again."
        asked.append(_rows_field("include", "Take these rows in again", help_, found.held))
    return asked


def _rows_field(name: str, label: str, help_: str, rows: Sequence[Change]) -> Field:
    choices = [str(change.n) for change in rows]
    return Field(name=name, type="list[integer]", label=label, help=help_, choices=choices, remakes=True)


def _row(change: Change, wishes: Wishes) -> dict[str, Any]:
    after = change.target if change.group in PUT_ASIDE else _beneath(change.target, wishes)
    return {
        "No.": change.n,
        "What": str(change.group),
        "Before": visible(_beneath(change.path, wishes)),
        "After": visible(after),
        "Why": visible(change.why),
    }


def _twin_row(one: Twin, wishes: Wishes) -> dict[str, Any]:
    return {
        "Kept": visible(_beneath(one.kept, wishes)),
        "Copy": visible(_beneath(one.other, wishes)),
        "Bytes": one.size,
        "SHA-256": one.sha256,
    }


def _alone_row(other: Alone, wishes: Wishes) -> dict[str, Any]:
    return {"Why": other.why, "Path": visible(_beneath(other.path, wishes)), "More": visible(other.more)}


def _beneath(path: str, wishes: Wishes) -> str:
    return path.removeprefix(f"{wishes.folder}/") if wishes.folder else path


def _counted(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"
