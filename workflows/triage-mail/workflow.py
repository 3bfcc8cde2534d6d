"""Sort the mail: each mail of a folder gets a place and, where one is due, a drafted answer. A person sees all of it; nothing is sent.

The mails are text to be judged. Whatever they say, the llm can only fill in five fields, and what it fills in is held against the mail.
"""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil import (
    Decision,
    Effect,
    FileRefused,
    Folder,
    LimitReached,
    LlmFailed,
    Params,
    Returned,
    append_rows,
    approve,
    files,
    llm,
    move_files,
    parallel,
    param,
    report,
    step,
    this_run,
    workflow,
    write_file,
)
from counterfoil.clock import from_us
from triage_mail.drafts import draft_of
from triage_mail.ledger import COLUMNS, LEDGER, keys_in, row_of
from triage_mail.mails import Box, Mail, Unread
from triage_mail.places import places_for
from triage_mail.reading import NoMail, mail_of
from triage_mail.showing import evidence_of, fields_of, figures_of, flags_of, summary_of, title_of
from triage_mail.sorting import Sorted, Verdict, by_rule, judged, prompt_of, system_of, unsorted

LARGEST = 30 * 1024 * 1024  # bytes of one mail
AT_ONCE = 4  # calls side by side


class TriageMail(Params):
    folder: Folder = param(
        label="Folder with mails", help="Its .eml files are sorted; folders within it are left alone."
    )
    notes: str = param(
        label="Notes for the answers",
        help="What the team does, opening hours, who is responsible for what. The llm may use it, and nothing else, as a fact.",
        default="",
        remember=True,
    )
    sign: str = param(label="Answers are signed", default="Your team", remember=True)
    at_most: int = param(label="Mails in one run", default=50)


@dataclass(frozen=True)
class Receipt:
    """What came of a run; mails = sorted + left_out."""

    summary: str
    mails: int
    sorted: int
    left_out: int
    drafts: int
    unread: int


@step(process=True, title="Read the mails")
def read_box(folder: str, at_most: int) -> Box:
    """The mails that no earlier run has sorted, each read as far as it can be."""
    door = files()
    seen = set(keys_in(door.read(LEDGER))) if door.exists(LEDGER) else set()
    mails: list[Mail] = []
    unread: list[Unread] = []
    known = more = 0
    for one in door.list(folder):
        if not one.path.casefold().endswith(".eml"):
            continue
        try:
            mail = mail_of(one.path, door.read(one.path, limit=LARGEST))
        except (NoMail, FileRefused) as problem:
            unread.append(Unread(one.path, str(problem)))
            continue
        if mail.key in seen:
            known += 1
        elif len(mails) >= at_most:
            more += 1
        else:
            seen.add(mail.key)
            mails.append(mail)
    report(f"{len(mails):,} to sort, {known:,} sorted before, {len(unread):,} that are no mails")
    return Box(mails, known, unread, more)


@step(title="Write the drafts")
def make_drafts(those: list[Sorted], at: float) -> list[bytes]:
    """The bytes of each draft; empty where none is due."""
    return [draft_of(one, at) if one.answer else b"" for one in those]


async def sort_one(mail: Mail, p: TriageMail, remarks: list[str]) -> Sorted:
    """One mail, by rule or by the llm."""
    found = by_rule(mail)
    if found is not None:
        return found
    try:
        verdict = await llm(
            prompt_of(mail), output=Verdict, system=system_of(p.notes, p.sign, remarks), name="sort_mail"
        )
    except (LlmFailed, LimitReached) as problem:
        return unsorted(mail, f"No answer of the llm could be used: {problem}")
    return judged(mail, verdict, p.notes)


async def sort_all(mails: list[Mail], p: TriageMail, remarks: list[str]) -> list[Sorted]:
    """All mails, a few side by side; the urgent ones first."""
    found: list[Sorted] = []
    for start in range(0, len(mails), AT_ONCE):
        found += await parallel(*(sort_one(mail, p, remarks) for mail in mails[start : start + AT_ONCE]))
    order = {"today": 0, "this week": 1, "no hurry": 2}
    return sorted(found, key=lambda one: order[one.urgency])


def plan_of(those: list[Sorted], drafts: list[bytes], places: dict[str, str]) -> list[Effect]:
    """For each mail: its draft, its place, and the row that keeps it from being sorted again."""
    run = str(this_run().number)
    plan: list[Effect] = []
    for one, draft in zip(those, drafts, strict=True):
        if one.mail.path not in places:
            continue
        target = places[one.mail.path]
        moved = move_files([(one.mail.path, target)])
        plan.append(moved)
        path = ""
        if draft:
            path = places[f"draft of {one.mail.path}"]
            plan.append(write_file(path, draft, needs=[moved]))
        plan.append(append_rows(LEDGER, [row_of(one, run, target, path)], columns=COLUMNS, needs=[moved]))
    return plan


async def approve_sorting(
    box: Box, those: list[Sorted], drafts: list[bytes], p: TriageMail, taken: list[str], remarks: list[str]
) -> Decision:
    """The stop: each mail can be left out."""
    places = places_for(those, p.folder, taken)
    return await approve(
        title_of(those),
        plan=plan_of(those, drafts, places),
        evidence=evidence_of(box, those, places),
        figures=figures_of(those),
        flags=flags_of(box, those, remarks),
        fields=fields_of(those),
        partial=True,
        round=len(remarks) + 1,
    )


@step(title="Look which names are taken")
def names_taken(folder: str) -> list[str]:
    """Every file beneath the folder and among the drafts."""
    door = files()
    return [
        one.path
        for place in (folder, "Drafts")
        if place in ("", ".") or door.is_folder(place)
        for one in door.walk(place)
    ]


@workflow("triage-mail")
async def triage_mail(p: TriageMail) -> Receipt:
    remarks: list[str] = []
    while True:
        box = await read_box(p.folder, p.at_most)  # sent back, the folder may be another by now
        if not box.mails:
            words = f"No new mail: {box.known:,} were sorted before, {len(box.unread):,} could not be read."
            return Receipt(words, 0, 0, 0, 0, len(box.unread))
        those = await sort_all(box.mails, p, remarks)
        drafts = await make_drafts(those, from_us(this_run().created_us).timestamp())
        try:
            decision = await approve_sorting(box, those, drafts, p, await names_taken(p.folder), remarks)
            await decision.perform()
        except Returned as back:
            remarks.append(str(back.answers.get("wish") or back.comment))
            continue
        moved = {move[0] for effect in decision.plan if effect.kind == "move_files@1" for move in effect.args["moves"]}
        written = sum(effect.kind == "write_file@1" for effect in decision.plan)
        done = [one for one in those if one.mail.path in moved]
        return Receipt(
            summary_of(done, written), len(those), len(done), len(those) - len(done), written, len(box.unread)
        )
