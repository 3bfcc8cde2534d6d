"""Days and spans in the words of a contract, and the arithmetic on them: figures are worked out here, never by an llm."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january januar jänner janvier jan", "february februar février fevrier feb", "march märz maerz mars mar",
            "april avril apr", "may mai", "june juni juin jun", "july juli juillet jul", "august août aout aug",
            "september septembre sep sept", "october oktober octobre oct okt", "november novembre nov",
            "december dezember décembre decembre dec dez",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_NUMBERS = {
    name.casefold(): number
    for number, names in enumerate(
        (
            "one ein eine einem einer einen un une", "two zwei deux", "three drei trois", "four vier quatre",
            "five fünf cinq", "six sechs", "seven sieben sept", "eight acht huit", "nine neun neuf", "ten zehn dix",
            "eleven elf onze", "twelve zwölf douze",
        ),
        start=1,
    )
    for name in names.split()
} | {
    name.casefold(): number
    for number, names in (
        (14, "fourteen vierzehn quatorze"), (18, "eighteen achtzehn"), (24, "twenty-four vierundzwanzig"), (30, "thirty dreißig trente"),
        (36, "thirty-six sechsunddreißig"), (45, "forty-five"), (48, "forty-eight"), (60, "sixty sechzig soixante"), (90, "ninety neunzig"),
    )
    for name in names.split()
}  # fmt: skip
_UNITS = {
    "day": r"(?:days?|tage?n?|jours?)",
    "week": r"(?:weeks?|wochen?|semaines?)",
    "month": r"(?:months?|monate?n?s?|mois)",
    "year": r"(?:years?|jahre?n?s?|ans?|années?)",
}
_NAMED = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY_FORMS = (
    (re.compile(r"\b(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})\b"), False),
    (
        re.compile(
            rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s*(?:of\s+)?(?P<n>{_NAMED})\.?,?\s+(?P<y>\d{{4}})\b",
            re.IGNORECASE,
        ),
        True,
    ),
    (re.compile(rf"\b(?P<n>{_NAMED})\.?\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})\b", re.IGNORECASE), True),
    (re.compile(r"\b(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})\b"), False),
)
_WORD = "|".join(sorted(_NUMBERS, key=len, reverse=True))
# A number that is part of a longer one ("twenty-five", "1.5", "one hundred") is none of ours: it would be read too small.
_SPAN = re.compile(
    rf"(?<![\w.,-])(?:(?P<digits>\d{{1,3}})|(?P<word>{_WORD}))(?![\w.,-]*\d)(?:\s*\(\s*(?P<twin>\d{{1,3}}|{_WORD})\s*\))?"
    r"(?:\s+|-)(?:(?:calendar|full|volle|vollen|kalender)\s+)?(?:"
    + "|".join(f"(?P<{unit}>{pattern})" for unit, pattern in _UNITS.items())
    + r")\b",
    re.IGNORECASE,
)


_TENS = re.compile(
    r"\b(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|vingt|trente|quarante|cinquante|soixante|cent)\s+$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Span:
    """A span of time as a contract counts it: whole days, weeks, months or years."""

    number: int
    unit: str

    def __str__(self) -> str:
        return f"{self.number} {self.unit}{'' if self.number == 1 else 's'}"


def days_in(text: str) -> list[date]:
    """Every day that is written out; 03/04/2026 is none, because nobody knows which month it is."""
    found: list[tuple[int, date]] = []
    for pattern, named in _DAY_FORMS:
        for match in pattern.finditer(text):
            month = _MONTHS[match["n"].casefold()] if named else int(match["m"])
            try:
                found.append((match.start(), date(int(match["y"]), month, int(match["d"]))))
            except ValueError:
                continue
    return [day for _, day in sorted(found)]


def spans_in(text: str) -> list[Span]:
    """Every span that is written out; “three (6) months” contradicts itself and is none."""
    found = []
    text = text.replace("ß", "ss")  # as the names of numbers are folded
    for match in _SPAN.finditer(text):
        if _TENS.search(text, 0, match.start()):
            continue
        number = int(match["digits"]) if match["digits"] else _NUMBERS[match["word"].casefold()]
        twin = match["twin"]
        if twin and (int(twin) if twin.isdigit() else _NUMBERS[twin.casefold()]) != number:
            continue
        unit = next(unit for unit in _UNITS if match[unit])
        if number:
            found.append(Span(number, unit))
    return found


def before(day: date, span: Span) -> date:
    """The day a span before another: a month before 31 March is the last day of February."""
    if span.unit in ("day", "week"):
        return day - timedelta(days=span.number * (7 if span.unit == "week" else 1))
    months = day.year * 12 + day.month - 1 - span.number * (12 if span.unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
