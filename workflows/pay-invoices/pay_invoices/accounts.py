"""Account numbers: what an IBAN must fulfil before money may go there, and how people see it.

Only length, format and mod-97 are judged. National check digits are left alone: published example accounts and several real banks
fail them, and a bank refuses a wrong one anyway.
"""

from __future__ import annotations

import re
from functools import lru_cache

# Countries of the SEPA scheme by IBAN prefix (EPC409-09); territories such as Guadeloupe or Jersey use their country's prefix.
SEPA = frozenset(
    """AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS
    SE SI SK SM VA""".split()
)
_BIC = re.compile(r"[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}")


@lru_cache(maxsize=4096)
def iban_problem(iban: str) -> str:
    """What is wrong with an IBAN in upper case without blanks, as a sentence; "" when nothing is."""
    if not iban:
        return "No IBAN is given."
    if not _IBAN.fullmatch(iban):
        return f"“{iban[:40]}” is not an IBAN."
    # Lazy: 80 ms, and a folder without invoices needs none of it.
    from schwifty import IBAN, exceptions

    try:
        IBAN(iban, validate_bban=False)
    except exceptions.InvalidCountryCode:
        return f"No country uses IBANs that begin with {iban[:2]}."
    except exceptions.InvalidLength:
        return f"The IBAN {grouped(iban)} has the wrong length for {iban[:2]}."
    except exceptions.InvalidChecksumDigits:
        return f"The IBAN {grouped(iban)} has a wrong check digit: one character is mistyped."
    except exceptions.SchwiftyException:
        return f"The IBAN {grouped(iban)} is not built as {iban[:2]} builds them."
    return ""


def in_sepa(iban: str) -> bool:
    """Whether a euro credit transfer can reach the account's country."""
    return iban[:2] in SEPA


def grouped(iban: str) -> str:
    """An IBAN in groups of four, never cut: GB94 BARC 1020 1530 0934 59."""
    return " ".join(iban[start : start + 4] for start in range(0, len(iban), 4))


def valid_bic(bic: str) -> bool:
    """Whether a BIC has the form of ISO 9362."""
    return bool(_BIC.fullmatch(bic))
