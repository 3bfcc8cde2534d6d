"""What people said in this run: answers to questions, files to leave out, remarks, and what is to be told at the next stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.facts import person
from weekly_report.columns import Question, key_of
from weekly_report.figures import TOTAL, Figure
from weekly_report.money import money_shown
from weekly_report.reading import COPIES, Answered, Count
from weekly_report.showing import asked_now

_Totals = dict[str, Figure]  # by currency


class Memory:
    """Answers by the question's key, and what else a person wants of the report."""

    def __init__(self) -> None:
        self.answers: dict[str, str] = {}
        self.left_out: list[str] = []
        self.remarks = ""
        self.notes: list[str] = []
        self.given: list[tuple[Answered, str]] = []  # answers of this run and who gave them, for the next report
        self._forgotten: set[str] = set()
        self._seen: _Totals | None = None

    def known(self, kept: Mapping[str, str]) -> dict[str, str]:
        """Answers for a count: those of earlier reports, and above them those of this run."""
        return {**{key: answer for key, answer in kept.items() if key not in self._forgotten}, **self.answers}

    def answered(self, questions: Sequence[Question], answers: Mapping[str, Any], by: str) -> None:
        """A person answered the questions of one stop."""
        for number, question in enumerate(asked_now(questions), start=1):
            answer = str(answers[f"q{number}"])
            self.answers[question.key] = answer
            if question.kind != COPIES:
                about = Answered(question.kind, question.file, question.columns, question.where, question.text, answer)
                self.given = [one for one in self.given if one[0].text != about.text or one[0].where != about.where]
                self.given.append((about, by))

    def returned(self, count: Count | None, answers: Mapping[str, Any], by: str, comment: str) -> None:
        """A person sent it back: with remarks, without files, to be asked again, or only to look again."""
        who, said = person(by), f": “{comment}”" if comment else ""
        self.notes = [f"{who} sent it back{said}."]
        if "remarks" in answers:
            self.remarks = "" if str(answers["remarks"]).strip() == "-" else str(answers["remarks"])
        out, into = list(map(str, answers.get("leave_out", []))), list(map(str, answers.get("take_in", [])))
        self.left_out = [
            *(name for name in self.left_out if name not in into),
            *(name for name in out if name not in self.left_out),
        ]
        if count is not None:
            for number in answers.get("ask_again", []):
                self._forget(count.used[int(number) - 1])
            self._seen = _totals(count)

    def changed(self, paths: Sequence[str]) -> None:
        """Files were not what was approved, so nothing was written."""
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        self.notes = [f"{paths[0] if paths else 'Something'}{more} changed since it was approved; nothing was written."]

    def told(self, count: Count) -> list[str]:
        """The notes for the next stop, with what is otherwise than at the last one."""
        if self._seen is None:
            return list(self.notes)
        now = _totals(count)
        differences = [
            f"The total was {_shown(self._seen.get(currency), currency)} at the last round and is {_shown(now.get(currency), currency)}."
            for currency in sorted({*now, *self._seen})
            if _amount(now, currency) != _amount(self._seen, currency)
        ]
        return [*self.notes, *(differences or ["The totals are the same as at the last round."])]

    def _forget(self, one: Answered) -> None:
        key = key_of(one.kind, one.file, one.columns)
        self._forgotten.add(key)
        self.answers.pop(key, None)


def _totals(count: Count) -> _Totals:
    return {figure.currency: figure for figure in count.figures if figure.kind == TOTAL}


def _amount(totals: _Totals, currency: str) -> object:
    return totals[currency].amount if currency in totals else None


def _shown(figure: Figure | None, currency: str) -> str:
    return "nothing" if figure is None else f"{money_shown(figure.amount, currency)} from {figure.rows:,} rows"
