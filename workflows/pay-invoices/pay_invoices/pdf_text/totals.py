"""The proof of the figures: net + tax = gross, to the cent, out of amounts that labels name; and what is due out of the gross amount.

Nothing is computed that is not also written, but for the sum of the taxes of several rates. Two answers are no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import combinations

from pay_invoices.invoices import TaxRow
from pay_invoices.pdf_text.labels import is_item_head
from pay_invoices.pdf_text.rates import RateRow, rate_rows
from pay_invoices.pdf_text.sayings import Saying
from pay_invoices.pdf_text.search import Named, Reading
from pay_invoices.pdf_text.shortfall import amount_told, in_parts, is_offered_discount, taken_off
from pay_invoices.pdf_text.tokens import Amount, currency_of
from pay_invoices.pdf_text.vocabulary import STRONG, WEAK

_ZERO = Decimal(0)
_CENT = Decimal("0.01")
_Choices = dict[Decimal, list[tuple[RateRow, ...]]]  # rows by the sum of their taxes
_CAPITAL = re.compile(r"\b\w*(?:kapitaal|[kc]apital[eio]?)\b")  # of the company, which stands in the foot of a letter
_BELOW = 120  # points under the total in which an amount may change what is due


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a figure is not proved, as a part of a sentence, and the amount or the words that the doubt is about."""

    why: str
    about: Amount | Saying | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """Amounts of which net + taxes = gross; no taxes where nothing is taxed."""

    net: Named
    taxes: tuple[Amount, ...]
    rows: tuple[RateRow, ...]
    gross: Named
    trust: int

    @property
    def tax(self) -> Decimal:
        """The taxes added up."""
        return sum((amount.value for amount in self.taxes), _ZERO)

    @property
    def values(self) -> tuple[Decimal, Decimal, Decimal]:
        """Net, tax, gross."""
        return self.net.amount.value, self.tax, self.gross.amount.value


@dataclass(slots=True)
class Totals:
    """What is proved; what is not has a doubt under "gross" (then nothing is proved) or "due"."""

    sign: str = ""
    proof: Proof | None = None
    due: Amount | None = None
    prepaid: Decimal | None = None
    rounding: Decimal | None = None
    rows: list[TaxRow] = field(default_factory=list)
    doubts: dict[str, Doubt] = field(default_factory=dict)
    claimed: list[Named] = field(
        default_factory=list
    )  # what labels call the total or the amount due, the plainest first


def totals_of(reading: Reading, *, untaxed: bool) -> Totals:
    """The totals of a document; the decimal sign is the one by which they can be proved.

    Args:
        reading: its labels and amounts.
        untaxed: whether the document says that no tax is charged.
    """
    found = [_totals(reading, sign, untaxed=untaxed) for sign in (",", ".")]
    proved = [totals for totals in found if totals.proof is not None]
    if len(proved) == 1:
        return proved[0]
    if proved:
        return Totals(doubts={"gross": Doubt("sums hold both with a comma and with a point as decimal sign")})
    return max(found, key=lambda totals: sum(one.level for one in totals.claimed))


def _totals(reading: Reading, sign: str, *, untaxed: bool) -> Totals:
    named = [one for one in reading.named if one.amount.sign == sign]
    totals = Totals(sign, claimed=_claimed(named))
    choices = _choices(rate_rows(reading, sign))
    proofs = _proofs(named, choices, untaxed=untaxed)
    if not proofs:
        totals.doubts["gross"] = _unproved(named, totals.claimed)
        return totals
    # The rows of a tax table prove themselves too: a total with its name to the left comes before them, then the highest.
    proof = max(proofs, key=lambda one: (not one.gross.above, abs(one.gross.amount.value), one.trust))
    doubt = _contradiction(reading, named, proof, proofs)
    if doubt is not None:
        totals.doubts["gross"] = doubt
        return totals
    totals.proof = proof
    totals.rows = _tax_rows(proof, choices)
    _settle(reading, named, proof, totals)
    return totals


def _claimed(named: list[Named]) -> list[Named]:
    claims = [one for one in named if one.role in ("gross", "due")]
    return sorted(claims, key=lambda one: (-one.level, -abs(one.amount.value)))


def _unproved(named: list[Named], claimed: list[Named]) -> Doubt:
    if not claimed:
        return Doubt("no total is named")
    roles = {one.role for one in named}
    if "net" not in roles or "tax" not in roles:
        return Doubt("no net amount and tax are named by which it could be proved", claimed[0].amount)
    return Doubt("no net amount and tax on the pages add up to it", claimed[0].amount)


def _proofs(named: list[Named], choices: _Choices, *, untaxed: bool) -> list[Proof]:
    """Every named net and gross amount between which a named tax, or taxes of several rates, make up the difference."""
    nets = _plainest(one for one in named if one.role == "net")
    # One of several amounts under a head is a part of the total, unless its own line names it.
    grosses = _plainest(one for one in named if one.role in ("gross", "due") and (one.level > 1 or not one.above))
    taxes = _plainest(one for one in named if one.role == "tax")
    totals = {one.amount.box for one in named if one.role in ("gross", "due")}
    proofs: list[Proof] = []
    for gross in grosses.values():
        for net in nets.values():
            tax, trust = gross.amount.value - net.amount.value, net.level + gross.level
            if tax == 0 and net.amount.box in totals:
                continue  # "Total" names a net and a gross amount, which proves nothing by itself
            if tax in taxes and _plausible(net.amount.value, tax):
                proofs.append(Proof(net, (taxes[tax].amount,), (), gross, trust + taxes[tax].level))
            elif tax == 0 and untaxed:
                proofs.append(Proof(net, (), (), gross, trust))
            elif _plausible(net.amount.value, tax) and (rows := _parts(tax, net.amount.value, choices)):
                proofs.append(Proof(net, tuple(row.tax for row in rows), rows, gross, trust + WEAK))
    taxed = {proof.gross.amount.value for proof in proofs if proof.tax != 0}
    return [proof for proof in proofs if proof.tax != 0 or proof.gross.amount.value not in taxed]


def _plausible(net: Decimal, tax: Decimal) -> bool:
    """No rate in Europe is higher than 27 per cent; a tax is rounded to the cent."""
    return tax == 0 or (net * tax > 0 and abs(tax) - _CENT / 2 < Decimal("0.28") * abs(net))


def _plainest(named: Iterable[Named]) -> dict[Decimal, Named]:
    """Each amount with its plainest name."""
    found: dict[Decimal, Named] = {}
    for one in named:
        value = one.amount.value
        if value not in found or found[value].level < one.level:
            found[value] = one
    return found


def _choices(rows: list[RateRow]) -> _Choices:
    """Every choice of up to four rows of different rates, by the sum of their taxes."""
    different = list({(row.rate, row.basis_value, row.tax.value): row for row in rows}.values())[:12]
    found: dict[Decimal, list[tuple[RateRow, ...]]] = {}
    for count in (1, 2, 3, 4):
        for chosen in combinations(different, count):
            if len({row.rate for row in chosen}) == count:
                found.setdefault(sum((row.tax.value for row in chosen), _ZERO), []).append(chosen)
    return found


def _parts(tax: Decimal, net: Decimal, choices: _Choices) -> tuple[RateRow, ...]:
    """Rows whose taxes add up to the tax, and what they tax to the net amount where both are written."""
    for chosen in choices.get(tax, ()):
        bases = [row.basis_value for row in chosen if row.basis_value is not None]
        if len(bases) < len(chosen) or sum(bases) == net:
            return chosen
    return ()


def _contradiction(reading: Reading, named: list[Named], proof: Proof, proofs: list[Proof]) -> Doubt | None:
    """What on the pages speaks against the highest sum that could be proved."""
    net, tax, gross = proof.values
    rivals = [one for one in proofs if one.gross.amount.value == gross and one.values != proof.values]
    if rivals:
        return Doubt("more than one net amount and tax add up to it", proof.gross.amount)
    explained = {gross, net, *_parts_of(gross, proofs)}
    for other in proofs:
        if other.tax != 0 and other.gross.amount.value not in explained:
            return Doubt(f"the pages also prove {other.gross.amount.text} as a total", proof.gross.amount)
    plain = [one for one in named if one.level == STRONG and not one.above and one.amount.value != 0]
    for one in plain:
        if one.role == "gross" and one.amount.value not in explained:
            return Doubt(f"the pages also name {one.amount.text} as the total", proof.gross.amount)
    nets = [one.amount for one in plain if one.role == "net"]
    if nets and net not in {amount.value for amount in nets}:
        return Doubt(f"the pages also name {nets[0].text} as the net amount", nets[0])
    taxes = [one.amount for one in plain if one.role == "tax"]
    written = {amount.value for amount in taxes}
    if taxes and tax not in (*written, sum(written)) and not {amount.value for amount in proof.taxes} <= written:
        return Doubt(f"the pages also name {taxes[0].text} as the tax", taxes[0])
    due = {one.amount.value for one in plain if one.role == "due"}
    others = [
        amount.value
        for amount in reading.all_amounts
        if amount.sign == proof.gross.amount.sign and not _CAPITAL.search(amount.cell.plain)
    ]
    if proof.gross.level < STRONG and any(abs(value) > abs(gross) for value in others if value not in due):
        return Doubt("it is not plainly named and larger amounts stand on the pages", proof.gross.amount)
    return None


def _parts_of(gross: Decimal, proofs: list[Proof]) -> set[Decimal]:
    """Other totals that are proved and say nothing against it: rows of a tax table, and sections that add up to it."""
    rows = {one.gross.amount.value for one in proofs if one.gross.above}
    sections = {one.gross.amount.value for one in proofs if not one.gross.above and one.gross.amount.value != gross}
    return rows | sections if sum(sections) == gross else rows


def _tax_rows(proof: Proof, choices: _Choices) -> list[TaxRow]:
    net, tax, _ = proof.values
    chosen = proof.rows or _parts(tax, net, choices)
    if len(chosen) == 1 and chosen[0].basis_value is None:
        expected = net * chosen[0].rate / 100
        return [TaxRow("S", chosen[0].rate, net, tax)] if abs(expected - tax) <= _CENT else []
    return [TaxRow("S" if row.rate else "", row.rate, row.basis_value, row.tax.value) for row in chosen]


def _settle(reading: Reading, named: list[Named], proof: Proof, totals: Totals) -> None:
    """What is due: the gross amount, or what is written as due when the deductions that lead there are written too."""
    gross = proof.gross.amount
    prepaid = _different(one for one in named if one.role == "prepaid" and one.level > 1 and one.amount.value != 0)
    rounding = _different(one for one in named if one.role == "rounding" and one.level > 1 and one.amount.value != 0)
    dues = _different(one for one in named if one.role == "due" and one.level > 1)
    others = [amount for amount in dues if amount.value != gross.value]
    if len(others) > 1:
        totals.doubts["due"] = Doubt("the pages name several amounts as due", others[0])
    elif others:
        _deducted(gross, others[0], prepaid, rounding, totals)
    elif not dues and reading.unread:
        words = reading.unread[0].cell.text
        totals.doubts["due"] = Doubt(f"the amount beside “{words[:40]}” cannot be read", gross)
    elif prepaid or rounding:
        totals.doubts["due"] = Doubt(
            "something was paid or rounded, and what remains is not named", (prepaid + rounding)[0]
        )
    elif (stray := _stray(reading, named, proof)) is not None:
        totals.doubts["due"] = Doubt("an amount stands under the total whose meaning is unknown", stray)
    elif (parts := in_parts(reading)) is not None:
        totals.doubts["due"] = Doubt("it may be paid in parts", parts)
    elif (told := amount_told(reading, gross, _explained(named, proof))) is not None:
        totals.doubts["due"] = Doubt("the pages tell of another amount", told)
    elif (less := taken_off(reading)) is not None:
        totals.doubts["due"] = Doubt("something may be taken off, and what remains is not named", less)
    else:
        totals.due = dues[0] if dues else gross


def _explained(named: list[Named], proof: Proof) -> set[Decimal]:
    """Values that labels name, and those of the proof."""
    return {*proof.values, *(one.amount.value for one in named if one.level > 1)}


def _different(named: Iterable[Named]) -> list[Amount]:
    return list({one.amount.value: one.amount for one in named}.values())


def _deducted(gross: Amount, due: Amount, prepaid: list[Amount], rounding: list[Amount], totals: Totals) -> None:
    paid = sum((abs(amount.value) for amount in prepaid), _ZERO)
    rounded = sum((amount.value for amount in rounding), _ZERO)
    if gross.value - paid + rounded != due.value:
        totals.doubts["due"] = Doubt("what is deducted from the total does not lead to it", due)
        return
    totals.due = due
    totals.prepaid = paid if prepaid else None
    totals.rounding = rounded if rounding else None


def _stray(reading: Reading, named: list[Named], proof: Proof) -> Amount | None:
    """An amount behind the total that no label explains: a payment or deduction in unknown words."""
    gross = proof.gross.amount
    rows = rate_rows(reading, gross.sign)
    explained = {one.amount.box for one in named if not one.above}
    explained |= {amount.box for row in rows for amount in (row.basis, row.tax) if amount}
    on_line: dict[tuple[int, int], set[Decimal]] = {}
    for amount in reading.all_amounts:
        on_line.setdefault((amount.cell.page, amount.cell.line), set()).add(amount.value)
    for amount in reading.all_amounts:
        repeated = len(on_line[amount.cell.page, amount.cell.line] & set(proof.values)) > 1  # a row of sums again
        if proof.gross.above and _right_of(amount, gross) and amount.value not in (0, *proof.values):
            return amount
        meant = amount.box in explained or amount.value in (0, gross.value) or is_offered_discount(amount, gross)
        if not repeated and not meant and _may_change(amount, gross) and not _delivered(reading, amount, gross):
            return amount
    return None


def _right_of(amount: Amount, gross: Amount) -> bool:
    """Whether it ends the row of sums that the total stands in, under a head of its own."""
    same = (amount.cell.page, amount.cell.line) == (gross.cell.page, gross.cell.line)
    return same and amount.box.x0 > gross.box.x0


def _may_change(amount: Amount, gross: Amount) -> bool:
    """Whether an amount may take something from the total: one below zero wherever it follows, any other close under it."""
    page, away = amount.box.page - gross.box.page, amount.box.top - gross.box.top
    if page < 0 or (page == 0 and away <= 0):
        return False
    if amount.value < 0 < gross.value:
        return True
    close = page == 0 and away < _BELOW
    return close and (amount.fills_cell or _ends_row(amount, gross))


def _delivered(reading: Reading, amount: Amount, gross: Amount) -> bool:
    """Whether it stands under the head of what was delivered, on a page that begins with its sums."""
    if amount.value * gross.value < 0 or amount.box.page != gross.box.page:
        return False
    sheet = next(sheet for sheet in reading.sheets if sheet.number == gross.box.page)
    return any(is_item_head(line) for line in sheet.lines[gross.cell.line + 1 : amount.cell.line])


def _ends_row(amount: Amount, gross: Amount) -> bool:
    """A few words and an amount that is no more than the total: "Voucher: 50.00 EUR"."""
    words = amount.cell.words
    name = [word.text for word in words[: amount.first] if not currency_of(word.text)]
    short = len(name) <= 3 or name[-1].endswith(":")
    return amount.last == len(words) and short and abs(amount.value) <= abs(gross.value)
