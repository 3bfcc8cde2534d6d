"""Readable names for specification identifiers (BT-24). The parts of the URN count, not the whole: new editions appear every year,
and an unknown extension of EN 16931 is still an EN 16931 invoice."""

from __future__ import annotations

import re

MINIMUM = "MINIMUM"
BASIC_WL = "BASIC WL"
XRECHNUNG_EXTENSION = "XRechnung extension"

_EN = r"urn:cen\.eu:en16931:2017"
# The first that matches the whole identifier, case folded, names the profile.
_NAMES = (
    (r"urn:(factur-x\.eu:1p0|zugferd\.de:2p0):minimum", MINIMUM),
    (r"urn:(factur-x\.eu:1p0|zugferd\.de:2p0):basicwl", BASIC_WL),
    (_EN + r"#compliant#urn:(factur-x\.eu:1p0|zugferd\.de:2p0):basic", "BASIC"),
    (_EN + r"#conformant#urn:(factur-x\.eu:1p0|zugferd\.de:2p0):extended", "EXTENDED"),
    (_EN + r"#compliant#urn:(xoev-de|xeinkauf\.de):kosit:.*#conformant#urn:.*extension.*", XRECHNUNG_EXTENSION),
    (_EN + r"#compliant#urn:(xoev-de|xeinkauf\.de):kosit:.*", "XRechnung"),
    (_EN + r"#compliant#urn:fdc:peppol\.eu:2017:poacc:(billing|selfbilling).*", "Peppol BIS"),
    (_EN, "EN 16931"),
    (_EN + r"#.*", "EN 16931 with an extension"),
    (r"urn:ferd:crossindustrydocument:invoice:1p0:basic", "ZUGFeRD 1 BASIC"),
    (r"urn:ferd:crossindustrydocument:invoice:1p0:comfort", "ZUGFeRD 1 COMFORT"),
    (r"urn:ferd:crossindustrydocument:invoice:1p0:extended", "ZUGFeRD 1 EXTENDED"),
)
_PATTERNS = tuple((re.compile(pattern), name) for pattern, name in _NAMES)


def profile_name(identifier: str) -> str:
    """The profile's name, "" for an identifier that names none."""
    folded = identifier.casefold()
    return next((name for pattern, name in _PATTERNS if pattern.fullmatch(folded)), "")
