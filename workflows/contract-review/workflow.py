"""Review contracts: DOCX and PDF go in; findings with the words they rest on, days worked out, and a row in the register come out.

The llm reads and quotes. What it says counts only where its quotation stands in the contract; days and spans are read from those
words and worked out here. A person sees every finding beside the words before anything is entered.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from contract_review.judging import Reading, Review, pieces_of, prompt_of, review_of, system_of
from contract_review.papers import Contract, NoText, Pile, Unread
from contract_review.reading import ENDINGS, contract_of
from contract_review.register import COLUMNS, FINDING_COLUMNS, FINDINGS, REGISTER, finding_rows, reviewed_before, row_of
from contract_review.showing import evidence_of, fields_of, figures_of, flags_of, summary_of, title_of
from counterfoil import (
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
    parallel,
    param,
    report,
    step,
    this_run,
    workflow,
)

LARGEST = 50 * 1024 * 1024  # bytes of one contract
AT_ONCE = 3  # contracts side by side
POINTS = (
    "Liability; Price changes; Termination; Renewal; Confidentiality; Data protection; Payment terms; Subcontractors"
)


class ContractReview(Params):
    folder: Folder = param(label="Folder with contracts", help="Its .docx and .pdf files are read, never changed.")
    points: str = param(
        label="Points to look at",
        help="Separated by semicolons; each is looked for in each contract.",
        default=POINTS,
        remember=True,
    )
    at_most: int = param(label="Contracts in one run", default=20)


@dataclass(frozen=True)
class Receipt:
    """What came of a run; contracts = entered + left_out."""

    summary: str
    contracts: int
    entered: int
    left_out: int
    findings: int
    unread: int


@step(process=True, title="Read the contracts")
def read_pile(folder: str, at_most: int) -> Pile:
    """The contracts that are not in the register yet, each with its passages."""
    door = files()
    seen = set(reviewed_before(door.read(REGISTER))) if door.exists(REGISTER) else set()
    contracts: list[Contract] = []
    unread: list[Unread] = []
    known = 0
    for one in door.list(folder):
        if not one.path.casefold().endswith(ENDINGS) or one.path.rpartition("/")[2].startswith("~$"):
            continue
        try:
            data = door.read(one.path, limit=LARGEST)
            if hashlib.sha256(data).hexdigest() in seen:
                known += 1
                continue
            if len(contracts) >= at_most:
                unread.append(Unread(one.path, "It waits for the next run."))
                continue
            contract = contract_of(one.path, data)
        except (NoText, FileRefused) as problem:
            unread.append(Unread(one.path, str(problem)))
            continue
        seen.add(contract.sha256)
        contracts.append(contract)
    report(f"{len(contracts):,} to review, {known:,} in the register, {len(unread):,} that cannot be read")
    return Pile(contracts, known, unread)


async def review_one(contract: Contract, points: list[str], remarks: list[str]) -> Review | Unread:
    """One contract, piece by piece; one piece that fails fails the contract, because half a review looks like a whole one."""
    readings: list[Reading] = []
    pieces = pieces_of(contract)
    for number, piece in enumerate(pieces, start=1):
        prompt = prompt_of(contract, piece, number, len(pieces))
        try:
            readings.append(await llm(prompt, output=Reading, system=system_of(points, remarks), name="read_contract"))
        except (LlmFailed, LimitReached) as problem:
            return Unread(contract.path, f"No answer of the llm could be used: {problem}")
    return review_of(contract, readings, points)


async def review_all(pile: Pile, points: list[str], remarks: list[str]) -> tuple[list[Review], list[Unread]]:
    """Every contract, a few side by side."""
    found: list[Review | Unread] = []
    for start in range(0, len(pile.contracts), AT_ONCE):
        some = pile.contracts[start : start + AT_ONCE]
        found += await parallel(*(review_one(contract, points, remarks) for contract in some))
    return [one for one in found if isinstance(one, Review)], [one for one in found if isinstance(one, Unread)]


def plan_of(those: list[Review]) -> list[Effect]:
    """For each contract its row, and the rows of its findings with it."""
    run = str(this_run().number)
    plan: list[Effect] = []
    for one in those:
        entered = append_rows(REGISTER, [row_of(one, run)], columns=COLUMNS)
        plan.append(entered)
        if one.findings:
            plan.append(append_rows(FINDINGS, finding_rows(one, run), columns=FINDING_COLUMNS, needs=[entered]))
    return plan


@workflow("contract-review")
async def contract_review(p: ContractReview) -> Receipt:
    points = list(dict.fromkeys(" ".join(point.split()) for point in p.points.split(";") if point.strip()))
    remarks: list[str] = []
    while True:
        pile = await read_pile(p.folder, p.at_most)  # sent back, the folder may be another by now
        reviews, failed = await review_all(pile, points, remarks)
        seen = Pile(pile.contracts, pile.known, [*pile.unread, *failed])
        if not reviews:
            words = f"Nothing to enter: {pile.known:,} in the register already, {len(seen.unread):,} not reviewed."
            return Receipt(words, 0, 0, 0, 0, len(seen.unread))
        try:
            decision = await approve(
                title_of(reviews),
                plan=plan_of(reviews),
                evidence=evidence_of(seen, reviews),
                figures=figures_of(reviews),
                flags=flags_of(seen, reviews, remarks),
                fields=fields_of(),
                partial=True,
                round=len(remarks) + 1,
            )
            await decision.perform()
        except Returned as back:
            remarks.append(str(back.answers.get("wish") or back.comment))
            continue
        entered = {row[1] for effect in decision.plan if effect.args["path"] == REGISTER for row in effect.args["rows"]}
        done = [one for one in reviews if one.contract.path in entered]
        findings = sum(len(one.findings) for one in done)
        return Receipt(summary_of(done), len(reviews), len(done), len(reviews) - len(done), findings, len(seen.unread))
