"""A file of the folder as a contract: its passages, and what about it deserves a look before anybody relies on them."""

from __future__ import annotations

import hashlib

from contract_review.docx_text import passages_of as docx_passages
from contract_review.papers import Contract, NoText
from contract_review.pdf_text import passages_of as pdf_passages

ENDINGS = (".docx", ".docm", ".pdf")


def contract_of(path: str, data: bytes) -> Contract:
    """The contract that a file holds, told by its content.

    Raises:
        NoText: there is nothing to read in it.
    """
    sha = hashlib.sha256(data).hexdigest()
    if data.startswith(b"%PDF-"):
        passages, blank = pdf_passages(data)
        notes = []
        if blank:
            pages = ", ".join(map(str, blank[:10]))
            notes.append(
                f"Page {pages} of it has no text, so what stands there was not read."
                if len(blank) == 1
                else f"Pages {pages} of it have no text, so what stands there was not read."
            )
        return Contract(path, sha, passages, notes=notes)
    passages, tracked = docx_passages(data)
    if not passages:
        raise NoText("There is no text in it.")
    notes = []
    if tracked.inserted or tracked.deleted:
        notes.append(
            f"It has tracked changes that nobody has accepted: {tracked.inserted} added, {tracked.deleted} struck out. "
            "What is added was read as text, what is struck out was not."
        )
    if tracked.comments:
        notes.append(
            f"It has {tracked.comments} comment{'s' if tracked.comments != 1 else ''} of somebody, which were not read."
        )
    return Contract(path, sha, passages, tracked.inserted, tracked.deleted, tracked.comments, notes)
