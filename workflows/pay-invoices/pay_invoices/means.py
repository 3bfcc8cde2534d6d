"""Which account an invoice is to be paid to, out of the payment means it names."""

from __future__ import annotations

from dataclasses import dataclass

from lxml.etree import _Element

# UNTDID 4461: the seller collects, so paying would pay twice.
DIRECT_DEBIT = frozenset({"49", "59"})
CARD = frozenset({"48", "54", "55"})
COLLECTED = DIRECT_DEBIT | CARD


@dataclass(frozen=True, slots=True)
class Means:
    """One group of payment means (BG-16): code, account, bank, remittance text, and the element of the account."""

    code: str
    account: str
    bic: str
    reference: str
    place: _Element | None


@dataclass(frozen=True, slots=True)
class Target:
    """Where to pay: code, the first account, the other ones, bank, remittance text, and where the account was found."""

    code: str = ""
    iban: str = ""
    other_ibans: tuple[str, ...] = ()
    bic: str = ""
    reference: str = ""
    place: _Element | None = None


def compact(account: str) -> str:
    """An account as banks store it: upper case without blanks."""
    return "".join(account.split()).upper()


def choose(means: list[Means]) -> Target:
    """The first account of a credit transfer; without one the first means, so that its code can be shown."""
    if not means:
        return Target()
    transfers = [one for one in means if one.account and one.code not in COLLECTED]
    if not transfers:
        return Target(code=means[0].code, reference=means[0].reference)
    first = transfers[0]
    accounts = list(dict.fromkeys(compact(one.account) for one in transfers))
    reference = first.reference or next((one.reference for one in means if one.reference), "")
    return Target(first.code, accounts[0], tuple(accounts[1:]), compact(first.bic), reference, first.place)
