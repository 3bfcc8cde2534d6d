"""What people said in this run, kept by invoice and not by number, so that it survives another look at the folder.

A look may find files gone, new or changed. An answer holds as long as the facts it was given on; a document that somebody held or
rejected never comes back into the payment by itself, whatever else has become of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from counterfoil.facts import person
from pay_invoices.invoices import Pile, money_shown
from pay_invoices.reasons import day_shown
from pay_invoices.review import InvoiceException, PayRow, Review, document_key
from pay_invoices.settlement import batch, number_of, read_choices

HELD, REJECTED, SET_ASIDE = "Held", "Rejected", "Set aside"


@dataclass(frozen=True, slots=True)
class Answer:
    """What was chosen for an exception, why, by whom, and the facts it was chosen on."""

    choice: str
    reason: str
    by: str
    facts: str


@dataclass(frozen=True, slots=True)
class Kept:
    """A row that somebody keeps out of the payment."""

    by: str
    why: str


@dataclass(frozen=True, slots=True)
class Omitted:
    """A document that is not in the payment file: in which state, by whom and why; `again` says that it may be taken in again."""

    n: int
    supplier: str
    number: str
    amount: str
    state: str
    by: str
    why: str
    files: list[str]
    again: bool


class Memory:
    """The answers, the rows that are held, and what is to be told at the next gate."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._answers: dict[str, Answer] = {}
        self._held: dict[str, Kept] = {}
        self._files: dict[str, str] | None = None

    def looked(self, documents: Pile, review: Review) -> None:
        """Note what has become of the files since the look before."""
        now = {document.file: document.sha256 for document in documents.documents}
        before, self._files = self._files, now
        if before is None:
            return
        left = payments_shown(len(self.rows(review)))
        self._tell([file for file in before if file not in now], "is gone", "are gone", f"; {left} remain")
        self._tell([file for file in now if file not in before], "is new", "are new", "")
        self._tell([file for file in now if file in before and before[file] != now[file]], "changed", "changed", "")

    def unanswered(self, review: Review) -> list[InvoiceException]:
        """The exceptions nobody answered yet, or whose facts are others now; numbered anew, from 1."""
        asked = [one for one in review.exceptions if self._answer(one) is None]
        return [replace(one, k=k) for k, one in enumerate(asked, 1)]

    def answered(self, asked: list[InvoiceException], answers: Mapping[str, Any], by: str) -> None:
        """Keep the answers of the question about these exceptions."""
        choices = read_choices(asked, answers)
        for one in asked:
            choice = "pay" if one.k in choices.pay else "reject" if one.k in choices.reject else "hold"
            reason = choices.pay.get(one.k) or choices.reject.get(one.k) or str(answers.get(f"reason.{one.k}") or "")
            self._answers[one.key] = Answer(choice, reason.strip(), by, facts_of(one))

    def rows(self, review: Review) -> list[PayRow]:
        """What is paid as things stand."""
        pay = {one.k: answer.reason for one, answer in self._with(review, "pay")}
        return [row for row in batch(review, pay) if row.claim not in self._held and self._stopped(row) is None]

    def reject(self, review: Review) -> dict[int, str]:
        """The exceptions that are rejected: number (k) -> reason."""
        return {one.k: answer.reason for one, answer in self._with(review, "reject")}

    def omitted(self, review: Review) -> list[Omitted]:
        """Every document of the folder that is open and not in the payment, by row number."""
        found = [self._omitted_row(row) for row in review.payable]
        found += [self._omitted_exception(one, number_of(review, one)) for one in review.exceptions]
        return [one for one in found if one is not None]

    def returned(self, by: str, comment: str, answers: Mapping[str, Any], review: Review) -> None:
        """A person sent the batch back: hold rows, take others in again, or only look again."""
        rows, out = {row.n: row for row in self.rows(review)}, {one.n: one for one in self.omitted(review)}
        hold = [rows[n] for n in _numbers(answers.get("hold")) if n in rows]
        include = [out[n] for n in _numbers(answers.get("include")) if n in out and out[n].again]
        who, said = person(by), f": “{comment}”" if comment else ""
        for row in hold:
            self._held[row.claim] = Kept(who, comment)
        for one in include:
            self._take_in(review, one.n)
        if hold:
            self.notes.append(
                f"{who} holds {_listed([f'{one.invoice.seller} {one.invoice.number}' for one in hold])}{said}."
            )
        if include:
            names = [f"{one.supplier} {one.number}".strip() or one.files[0] for one in include]
            self.notes.append(f"{who} takes {_listed(names)} in again{said}.")
        if not hold and not include:
            self.notes.append(f"Sent back by {who}{said}.")

    def changed(self, paths: Sequence[str], by: str) -> None:
        """Files were not what was approved, so nothing was written."""
        self.notes.append(f"{_listed(paths)} changed since {person(by)} approved; nothing was written.")

    def moved(self, asked: date, pay_on: date) -> None:
        """The day of payment has passed, so the bank is asked for another one."""
        note = f"{day_shown(asked)} has passed: the bank is asked to pay on {day_shown(pay_on)}."
        self.notes = [*(one for one in self.notes if not one.startswith(f"{day_shown(asked)} has passed")), note]

    def _answer(self, one: InvoiceException) -> Answer | None:
        answer = self._answers.get(one.key)
        return answer if answer is not None and answer.facts == facts_of(one) else None

    def _with(self, review: Review, choice: str) -> Iterable[tuple[InvoiceException, Answer]]:
        for one in review.exceptions:
            answer = self._answer(one)
            if answer is not None and answer.choice == choice:
                yield one, answer

    def _stopped(self, row: PayRow) -> Answer | None:
        """The answer that keeps out a row that was an exception when it was asked about and is none any more."""
        if row.k:
            return None
        for key in (row.claim, document_key(row.invoice.file, row.invoice.sha256)):
            answer = self._answers.get(key)
            if answer is not None and answer.choice != "pay":
                return answer
        return None

    def _take_in(self, review: Review, n: int) -> None:
        """Forget what keeps a row out; an exception is then asked about anew."""
        row = next((row for row in review.payable if row.n == n), None)
        if row is not None:
            keys = [row.claim, document_key(row.invoice.file, row.invoice.sha256)]
        else:
            one = next(one for one in review.exceptions if number_of(review, one) == n)
            was_held, answer = self._held.pop(one.key, None), self._answer(one)
            keys = [] if was_held is not None and answer is not None and answer.choice == "pay" else [one.key]
        for key in keys:
            self._held.pop(key, None)
            self._answers.pop(key, None)

    def _omitted_row(self, row: PayRow) -> Omitted | None:
        kept, answer = self._held.get(row.claim), self._stopped(row)
        if kept is None and answer is None:
            return None
        by, why = (kept.by, kept.why) if kept is not None else ("", "")
        if kept is None and answer is not None:
            was = "Rejected" if answer.choice == "reject" else "Held"
            by, why = person(answer.by), _joined(f"{was} when it needed an answer.", answer.reason)
        amount = money_shown(row.amount, "EUR")
        return Omitted(
            row.n, row.invoice.seller, row.invoice.number, amount, HELD, by, why, [row.invoice.file], again=True
        )

    def _omitted_exception(self, one: InvoiceException, n: int) -> Omitted | None:
        answer, kept = self._answer(one), self._held.get(one.key)
        by, said, again = (person(answer.by), answer.reason, True) if answer is not None else ("", "", False)
        if answer is None or answer.choice == "hold":
            state, again = (HELD if one.can_pay else SET_ASIDE), one.can_pay and answer is not None
            by = by if one.can_pay or said else ""  # what nobody can pay is set aside by itself
        elif answer.choice == "reject":
            state = REJECTED
        elif kept is not None:
            state, by, said = HELD, kept.by, kept.why
        else:
            return None
        amount = money_shown(one.amount, one.currency) if one.amount is not None else ""
        return Omitted(n, one.supplier, one.number, amount, state, by, _joined(one.reason, said), one.files, again)

    def _tell(self, files: Sequence[str], one: str, more: str, tail: str) -> None:
        if files:
            self.notes.append(f"{_listed(files)} {one if len(files) == 1 else more}{tail}.")


def facts_of(one: InvoiceException) -> str:
    """What an answer was given on: other words mean that it is asked again."""
    # Which gate another run has reached is no reason to ask again.
    said = "" if one.kind == "in_other_run" else one.reason
    facts = [f"{fact.label}: {fact.old} / {fact.new}" for fact in one.facts]
    return "\n".join([*one.kinds, said, str(one.amount), one.currency, one.iban, one.sha256, *facts])


def payments_shown(count: int) -> str:
    """A number of payments in words."""
    return f"{count} payment" if count == 1 else f"{count} payments"


def _numbers(given: object) -> list[int]:
    return [int(number) for number in given] if isinstance(given, Sequence) and not isinstance(given, str) else []


def _listed(names: Sequence[str]) -> str:
    """Up to three names, and how many more."""
    if len(names) > 3:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _joined(reason: str, said: str) -> str:
    return f"{reason} “{said}”".strip() if said else reason
