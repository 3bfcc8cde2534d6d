"""Tidy a folder: copies are put aside, wrong endings and names are put right, after a person has seen every change. Nothing is deleted.

Looking and proposing are one step; the stop for a person stands in the body, where one can read it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from counterfoil import (
    Decision,
    Effect,
    FileRefused,
    Files,
    FilesChanged,
    Folder,
    Params,
    Returned,
    approve,
    files,
    move_files,
    param,
    report,
    step,
    workflow,
)
from tidy_folder.looking import Looked, look_at
from tidy_folder.memory import Memory
from tidy_folder.proposals import PUT_ASIDE, Change, Group, Names, Proposal, Wishes, propose
from tidy_folder.showing import evidence_of, fields_of, figures_of, flags_of, summary_of, title_of
from tidy_folder.walking import UNREADABLE, Alone, Ground, walk

LARGEST = 50 * 1024 * 1024  # bytes of a file that is read as a whole


class TidyFolder(Params):
    folder: Folder = param(label="Folder to tidy", help="It is gone through with all folders in it.")
    names: Literal["day and supplier", "day", "keep the names"] = param(
        label="New names",
        help="What stands before the old name of a document or a picture.",
        default="day and supplier",
    )
    duplicates: Literal["put aside", "leave"] = param(
        label="Files with the same content", help="One of them stays in any case.", default="put aside"
    )
    quarantine: str = param(
        label="Put aside into", help="A folder beneath the workspace; nothing is deleted.", default="quarantine"
    )


@dataclass(frozen=True)
class Receipt:
    """What came of a run; files = renamed + put_aside + held + not_approved + fine + left_alone of those looked at."""

    summary: str
    files: int
    renamed: int
    put_aside: int
    held: int
    not_approved: int
    fine: int
    left_alone: int


@step(process=True, title="Look through the folder")
def look_through(wishes: Wishes, held: list[str]) -> Proposal:
    """Every file with its kind, day and supplier, and what is proposed for it."""
    door = files()
    ground = walk(door, wishes.folder, wishes.quarantine)
    sizes = Counter(one.size for one in ground.files)
    seen: list[Looked] = []
    for number, one in enumerate(ground.files, start=1):
        if number % 50 == 1:
            report(f"Looking at {number:,} of {len(ground.files):,}")
        try:
            data = door.read(one.path, limit=LARGEST)
        except FileRefused as problem:
            ground.alone.append(Alone(one.path, UNREADABLE, problem.reason))
            continue
        shared = sizes[one.size] > 1
        seen.append(look_at(one.path, data, one.size, one.changed_at, root=wishes.folder, shared=shared))
    found = propose(seen, ground.alone, ground.folders, _put_aside(door, wishes), wishes, held, cut=ground.cut)
    report(f"{len(found.changes):,} changes, {len(found.alone):,} left alone")
    return found


def _put_aside(door: Files, wishes: Wishes) -> list[str]:
    """What lies in the quarantine folder already."""
    if not door.is_folder(wishes.quarantine):
        return [wishes.quarantine] if door.exists(wishes.quarantine) else []
    there: Ground = walk(door, wishes.quarantine, "")
    return [*(one.path for one in there.files), *(other.path for other in there.alone)]


def wishes_of(p: TidyFolder) -> Wishes:
    """The parameters in the form that steps take."""
    folder = "" if p.folder in (".", "") else p.folder.strip("/")
    quarantine = "/".join(part for part in p.quarantine.strip().split("/") if part not in ("", "."))
    return Wishes(folder, quarantine, Names(p.names), p.duplicates == "put aside")


def trouble_with(wishes: Wishes) -> str | None:
    """Why these wishes cannot be followed, a sentence; None where they can."""
    aside = wishes.quarantine
    if not aside or ".." in aside.split("/") or aside.startswith(".") or "\\" in aside or ":" in aside:
        return f"“{aside}” cannot be the folder that files are put aside into: name one beneath the workspace."
    if not wishes.folder or f"{wishes.folder}/".startswith(f"{aside}/"):
        return (
            None
            if not wishes.folder
            else f"“{aside}” holds the folder that is tidied; name another one to put files aside into."
        )
    return None


def plan_of(found: Proposal) -> list[tuple[Group, Effect]]:
    """One effect for each group, so that each can be left out."""
    groups: dict[Group, list[Change]] = {}
    for change in found.changes:
        groups.setdefault(change.group, []).append(change)
    return [
        (group, move_files((change.path, change.target) for change in changes)) for group, changes in groups.items()
    ]


async def asked(found: Proposal, wishes: Wishes, memory: Memory, number: int) -> Decision:
    """The whole proposal before a person."""
    return await approve(
        title_of(found),
        plan=[effect for _, effect in plan_of(found)],
        evidence=evidence_of(found, wishes),
        figures=figures_of(found),
        flags=flags_of(found, memory.notes),
        fields=fields_of(found),
        partial=True,
        round=number,
    )


def receipt(found: Proposal, wishes: Wishes, done: list[tuple[str, str]]) -> Receipt:
    """What came of it, in figures that add up to the files looked at."""
    moved = {path for path, _ in done}
    aside = sum(change.path in moved and change.group in PUT_ASIDE for change in found.changes)
    renamed = len(moved) - aside
    left_out = len(found.changes) - len(moved) + found.more
    rest = found.files - len(found.changes) - len(found.held) - found.more - found.fine
    summary = summary_of(found, wishes, renamed, aside)
    return Receipt(summary, found.files, renamed, aside, len(found.held), left_out, found.fine, rest)


@workflow("tidy-folder")
async def tidy_folder(p: TidyFolder) -> Receipt:
    memory = Memory()
    wishes = wishes_of(p)
    if trouble := trouble_with(wishes):
        return Receipt(f"{trouble} Nothing was changed.", 0, 0, 0, 0, 0, 0, 0)
    number = 0  # of the round
    while True:
        found = await look_through(wishes, memory.held)
        if not found.changes:
            return receipt(found, wishes, [])
        number += 1
        try:
            decision = await asked(found, wishes, memory, number)
            outcomes = await decision.perform(on_conflict="raise")
        except Returned as back:
            memory.returned(found, back.answers, back.by, back.comment)
        except FilesChanged as changed:
            memory.changed(changed.paths)
        else:
            return receipt(found, wishes, [(move[0], move[1]) for outcome in outcomes for move in outcome["moved"]])
