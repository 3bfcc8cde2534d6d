"""Structured creditor references: what a payee's computer matches a payment by, if it arrives in the field made for it."""

from __future__ import annotations

import re

_RF = re.compile(r"RF[0-9]{2}[A-Z0-9]{1,21}")
_MARKED = re.compile(r"(\+{3}|\*{3})\s*([0-9]{3})\s*/\s*([0-9]{4})\s*/\s*([0-9]{5})\s*\1")
BELGIAN = "BBA"  # the issuer by which banks know the Belgian scheme


def creditor_reference(text: str, iban: str = "") -> tuple[str, str]:
    """(bare reference, issuer) of a text that is a valid structured reference and nothing else; ("", "") of any other.

    ISO 11649 (RF…) has no issuer here. The Belgian one has "BBA": written +++123/4567/89002+++, or as twelve digits where the account
    to pay to is Belgian.
    """
    compact = "".join(text.split()).upper()
    if _RF.fullmatch(compact):
        digits = "".join(str(int(letter, 36)) for letter in compact[4:] + compact[:4])
        return (compact, "") if int(digits) % 97 == 1 else ("", "")
    marked = _MARKED.fullmatch(text.strip())
    digits = "".join(marked.groups()[1:]) if marked else compact.replace("/", "") if iban[:2] == "BE" else ""
    if re.fullmatch(r"[0-9]{12}", digits) and (int(digits[:10]) % 97 or 97) == int(digits[10:]):
        return digits, BELGIAN
    return "", ""
