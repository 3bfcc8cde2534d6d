"""The words for files that give no invoice: one code, one reason, one next step each.

The states are kept apart because different people mend them: a zero-byte file is copied again, a picture goes back to the
supplier, a locked file goes to whoever manages the folder. Text that stands in the file never enters these sentences unquoted.
"""

from __future__ import annotations

import unicodedata

from counterfoil.policy.boundaries import LONGEST_NAME, LONGEST_PATH
from pay_invoices.invoices import Unreadable

_ASK = "Ask the supplier for an e-invoice (XRechnung, Factur-X or Peppol BIS), or enter it by hand."
_NUMBER = 4  # bytes of the number that a name gets which is taken in the archive
_AGAIN = "Copy or download it again, then run again."

# Codes are recorded: a code may be added, never renamed. {detail} is filled in where one is known.
CODES: dict[str, tuple[str, str]] = {
    "empty_file": ("The file holds nothing: 0 bytes.", _AGAIN),
    "too_large": (
        "The file is too large to be an invoice{detail}.",
        "Ask the supplier for one without large attachments, or take the file out of the folder.",
    ),
    "broken_xml": ("The XML is broken{detail}.", f"It may have been cut off: {_AGAIN[0].lower()}{_AGAIN[1:]}"),
    "hostile_xml": (
        "The XML declares a document type or entities, which no invoice needs and attacks use.",
        "Do not open it elsewhere; ask the supplier whether they sent it.",
    ),
    "too_deep": (
        "The XML is nested more than 200 levels deep, which no invoice is.",
        "Do not open it elsewhere; ask the supplier whether they sent it.",
    ),
    "unknown_xml": ("The XML is no invoice this template knows{detail}.", _ASK),
    "draft_xml": ("The XML follows a draft from before ZUGFeRD 1.0, which never became a standard.", _ASK),
    "fatturapa": (
        "This is a FatturaPA, the Italian national format; only EN 16931 invoices are read.",
        "Ask the supplier for the same invoice as Peppol BIS or Factur-X, or enter it by hand.",
    ),
    "encrypted_pdf": ("The PDF is locked with a password.", "Ask the supplier for one without a password."),
    "damaged_pdf": ("The PDF is damaged and cannot be opened.", _AGAIN),
    "plain_pdf": (
        "The PDF holds no invoice data and no text, only pictures of pages.",
        "Ask the supplier for an e-invoice, or hold it and enter it by hand.",
    ),
    "no_invoice": (
        "The PDF holds no invoice data, and its pages do not read as an invoice.",
        "Look at the file; if it is an invoice, ask the supplier for an e-invoice, or hold it and enter it by hand.",
    ),
    "too_many_pages": (
        "The PDF has more pages than are read{detail}; up to 200 are.",
        "Ask the supplier for the invoice alone, or take the file out of the folder.",
    ),
    "too_slow": (
        "The PDF takes longer to read than the 20 seconds a document is given.",
        "Do not open it elsewhere before you asked the supplier; ask for an e-invoice, or enter it by hand.",
    ),
    "broken_attachment": (
        "The PDF holds invoice data that is broken{detail}.",
        "Send it back to the supplier: their program wrote it wrongly.",
    ),
    "contradicting_attachments": (
        "The PDF holds {detail} that contradict each other.",
        "Send it back to the supplier and ask which one counts.",
    ),
    "picture": ("The file is a picture.", _ASK),
    "office_file": ("The file is a zip archive or an Office document.", f"Take the invoice out of it first. {_ASK}"),
    "mail": ("The file is a mail.", "Save its attachments into the folder, then run again."),
    "other_file": ("The file is neither XML nor PDF.", _ASK),
    "bad_name": (
        "The file's name is not valid text{detail}.",
        "Rename it with plain letters and digits, then run again.",
    ),
    "deceptive_name": (
        "The file's name holds invisible characters that change how it reads.",
        "Look at what kind of file it is, rename it, then run again.",
    ),
    "long_name": (
        "The file's name is too long for it to be moved to the archive.",
        "Give it a shorter name, then run again.",
    ),
    "link": (
        "It is a link, and links are not followed.",
        "Put the file itself into the folder, then run again.",
    ),
    "vanished": (
        "The file was there when the folder was listed and gone when it was read.",
        "If it was moved on purpose there is nothing to do; else put it back and run again.",
    ),
    "changing": (
        "The file changed while it was being read.",
        "Run again when nobody is saving it.",
    ),
    "no_permission": ("This account may not read the file.", "Give this account access to it, then run again."),
    "not_opened": ("The file cannot be opened{detail}.", "Look at the file in the folder, then run again."),
}


_DOOR_WORDS = (
    ("link", "link"),
    ("not there", "vanished"),
    ("may not read", "no_permission"),
    ("changed while", "changing"),
)


def unreadable(file: str, code: str, detail: str = "", *, sha256: str = "") -> Unreadable:
    """The refusal of one file; `file` becomes text that every record and screen can hold.

    Raises:
        KeyError: no such code.
    """
    reason, advice = CODES[code]
    return Unreadable(safe_name(file), code, reason.replace("{detail}", detail), advice, sha256)


def refused(file: str, sentence: str) -> Unreadable:
    """The refusal of a file that could not even be opened, from the sentence the file door gave.

    The door says why in words; the code is found by them and falls back to "not_opened", which keeps the sentence.
    """
    said = sentence.casefold()
    for words, code in _DOOR_WORDS:
        if words in said:
            return unreadable(file, code)
    if "files up to" in said:
        return unreadable(file, "too_large", f" ({sentence.strip('. ')})")
    return unreadable(file, "not_opened", f": {sentence.strip().rstrip('.')}")


def safe_name(name: str) -> str:
    """A file name as text that can be stored and read: undecodable bytes, control and direction characters are spelled out."""
    text = name.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(f"\\u{ord(letter):04x}" if _hides(letter) else letter for letter in text)


def name_trouble(file: str) -> Unreadable | None:
    """What is wrong with a file's name, or None; decomposed and right-to-left names are fine, and long ones that an effect may touch.

    `file` is relative to the workspace, undecodable bytes kept as lone surrogates (os.fsdecode).
    """
    try:
        file.encode("utf-8")
    except UnicodeEncodeError:
        return unreadable(file, "bad_name", ": its bytes are not UTF-8")
    if any(_hides(letter) for letter in file):
        return unreadable(file, "deceptive_name")
    longest = max(len(part.encode()) for part in file.split("/"))
    if longest > LONGEST_NAME - _NUMBER or len(file.encode()) >= LONGEST_PATH:
        return unreadable(file, "long_name")
    return None


def _hides(letter: str) -> bool:
    """Controls, and the embeddings, overrides and isolates that turn "gpj.exe" into "exe.jpg" on the screen."""
    return unicodedata.category(letter) == "Cc" or "\u202a" <= letter <= "\u202e" or "\u2066" <= letter <= "\u2069"
