"""Where a mail and its draft go: names that no other file has."""

from __future__ import annotations

from counterfoil.policy.boundaries import folded
from triage_mail.sorting import FOLDERS, Sorted

DRAFTS = "Drafts"


def places_for(those: list[Sorted], folder: str, taken: list[str]) -> dict[str, str]:
    """By path of a mail where it goes, by `draft of PATH` where its draft goes; mails that are not sorted have no place."""
    used = {folded(path) for path in taken}
    home = "" if folder in ("", ".") else folder.strip("/") + "/"
    found: dict[str, str] = {}
    for one in those:
        if one.kind not in FOLDERS:
            continue
        found[one.mail.path] = _free(f"{home}{FOLDERS[one.kind]}/{one.mail.name}", used)
        if one.answer:
            found[f"draft of {one.mail.path}"] = _free(f"{DRAFTS}/Re {one.mail.name}", used)
    return found


def _free(path: str, used: set[str]) -> str:
    stem, dot, ending = path.rpartition(".")
    tried, number = path, 1
    while folded(tried) in used:
        number += 1
        tried = f"{stem} ({number}){dot}{ending}"
    used.add(folded(tried))
    return tried
