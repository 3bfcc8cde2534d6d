"""Finding a quotation again: what is said to stand in a contract counts only where it really stands there."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

from contract_review.papers import Contract

SHORTEST, LONGEST = 12, 800  # signs of a quotation
_SAME = str.maketrans(
    {
        "’": "'", "‘": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "–": "-", "—": "-", "‑": "-", "−": "-", "\u00ad": None, "\u200b": None,
    }
)  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A quotation as the contract spells it, and where it begins."""

    place: str
    offset: int  # signs from the beginning of that place
    text: str


class Searchable:
    """A contract made ready for finding quotations in it."""

    def __init__(self, contract: Contract) -> None:
        self._passages = contract.passages
        self._plain: list[str] = []
        self._at: list[tuple[int, int]] = []  # for each sign of the joined plain text: passage, offset in it
        for number, passage in enumerate(contract.passages):
            for offset, sign in enumerate(passage.text):
                for one in _plain(sign):
                    self._plain.append(one)
                    self._at.append((number, offset))
        self._joined = "".join(self._plain)

    def find(self, quote: str) -> Found | None:
        """Where a quotation stands, word for word; blanks, case and the forms of quotation marks and dashes aside."""
        plain = _plain(quote)
        if not SHORTEST <= len(" ".join(quote.split())) <= LONGEST or not plain:
            return None
        start = self._joined.find(plain)
        if start < 0:
            return None
        (first, begin), (last, end) = self._at[start], self._at[start + len(plain) - 1]
        passage = self._passages[first]
        text = passage.text[begin : end + 1] if first == last else self._across(first, begin, last, end)
        return Found(passage.place, begin, text)

    def _across(self, first: int, begin: int, last: int, end: int) -> str:
        between = [one.text for one in self._passages[first + 1 : last]]
        return " ".join([self._passages[first].text[begin:], *between, self._passages[last].text[: end + 1]])


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).translate(_SAME).split()).casefold()
