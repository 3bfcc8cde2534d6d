"""What every reason against paying is made of: a problem with its facts, what an invoice is compared with, how days and places read."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from pay_invoices.duplicates import Sorted
from pay_invoices.history import History
from pay_invoices.invoices import Invoice

_BARE_NAMES = frozenset({"ID", "DateTimeString", "Value"})
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


@dataclass(frozen=True, slots=True)
class Fact:
    """Two values side by side: what was known and what is there now, or with `compared` what is expected and what was found; and where
    each comes from."""

    label: str
    old: str
    new: str
    old_source: str = ""
    new_source: str = ""
    compared: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """One reason: its kind, one sentence what is wrong, one what to do, whether a person may pay all the same.

    `told` is the sentence for a list in which no facts stand beside it; "" where `reason` says it all.
    """

    kind: str
    reason: str
    advice: str
    can_pay: bool
    facts: list[Fact] = field(default_factory=list)
    told: str = ""


@dataclass(frozen=True, slots=True)
class Around:
    """What an invoice is compared with: the tables, the other documents of the folder, other runs, the day of payment, the account
    that is paid from, and what is alike: file -> other invoices of the same supplier over the same amount."""

    history: History
    folder: Sorted
    elsewhere: dict[str, str]
    pay_on: date
    own_iban: str = ""
    alike: dict[str, list[Invoice]] = field(default_factory=dict)

    def accounts_of(self, invoice: Invoice) -> list[str]:
        """The accounts an invoice names, the first one first, without the one that is paid from: pages name the buyer's, too."""
        return [iban for iban in invoice.ibans if iban != self.own_iban]


def day_shown(day: date | None) -> str:
    """A day for people: 12 Nov 2026."""
    # Not strftime: its month names follow the process's locale, and these words are recorded.
    return "an unknown day" if day is None else f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def place(invoice: Invoice, name: str) -> str:
    """Where a field of an invoice stands, for people: file, and the field in the data or the place on the page."""
    path = invoice.path_of(name)
    return f"{invoice.file}, {_field_words(path, invoice.attachment)}" if path else invoice.file


def _field_words(path: str, attachment: str) -> str:
    """`field IBANID in factur-x.xml`: the last name of a path, with the one above it where it says nothing by itself."""
    names = path.removeprefix(f"{attachment}: ").split("/")
    if len(names) < 2:
        return path
    said = "/".join(names[-2:]) if names[-1] in _BARE_NAMES else names[-1]
    return f"field {said} in {attachment}" if attachment else f"field {said}"
