"""Reading .eml files that nobody vouches for: a header may be missing, doubled, misspelled or made to deceive; none of it stops a run."""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator
from datetime import UTC
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from email.utils import getaddresses, parsedate_to_datetime

from lxml import etree, html

from counterfoil.policy.boundaries import visible
from triage_mail.kinds import kind_of, runs
from triage_mail.mails import LONGEST_TEXT, Attachment, Mail

_BLANKS = re.compile(r"[ \t\u00a0\u200b-\u200f\u2060\ufeff]+")
_BREAKING = ("br", "p", "div", "tr", "li", "h1", "h2", "h3")
_GAPS = re.compile(r"\n{3,}")
_BOUNCES = re.compile(r"^(mailer-daemon|postmaster)@", re.IGNORECASE)
_NOBODY = re.compile(r"^(no-?reply|do-?not-?reply|donotreply|nicht-?antworten|ne-?pas-?repondre)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"[^\s@<>\"]+@[^\s@<>\"]+\.[^\s@<>\"]+")
_FAILED = re.compile(r"\b(spf|dkim|dmarc)\s*=\s*(fail|softfail|permerror)\b", re.IGNORECASE)
_ORDERS = re.compile(
    r"(ignore|disregard|forget)\s+(all\s+|any\s+|the\s+|your\s+)*(previous|prior|above|earlier)\s+(instructions|rules|prompts?)"
    r"|\b(system prompt|you are an? (ai|assistant|language model)|as an ai\b)"
    r"|ignorier\w*\s+(alle\s+)?(bisherigen|vorherigen)\s+(anweisungen|regeln)",
    re.IGNORECASE,
)


class NoMail(Exception):
    """The bytes are no mail; the message says why, as a sentence."""


def mail_of(path: str, data: bytes) -> Mail:
    """The mail that a file holds.

    Raises:
        NoMail: it has none of the headers that make a mail, and nothing to read.
    """
    message = _parsed(data)
    if not any(_header(message, name) for name in ("From", "To", "Subject", "Date", "Received", "Message-ID")):
        raise NoMail("It has no header of a mail.")
    (sender_name, sender), answer_to = _sender(message), _answer_to(message)
    text, attachments = _contents(message)
    plain = _tidied(text)
    message_id, subject = _line(_header(message, "Message-ID")).strip("<> "), _line(_header(message, "Subject"))
    automatic = _automatic(message, sender)
    found = Mail(
        path=path,
        key=hashlib.sha256("\n".join((message_id, sender, subject, plain, repr(attachments))).encode()).hexdigest()[
            :32
        ],
        message_id=message_id,
        sent=_sent(message),
        sender=sender,
        sender_name=sender_name,
        answer_to=answer_to or sender,
        subject=subject,
        text=plain[:LONGEST_TEXT],
        cut=len(plain) > LONGEST_TEXT,
        automatic=automatic,
        attachments=attachments,
    )
    found.odd.extend(_oddities(message, found))
    return found


def _parsed(data: bytes) -> EmailMessage:
    found = message_from_bytes(data, policy=modern)
    if not isinstance(found, EmailMessage):
        raise NoMail("It cannot be read as a mail.")
    return found


def _header(message: EmailMessage, name: str) -> str:
    """A header's text; one that breaks the rules is read as it stands, and one that cannot be read at all is none."""
    with contextlib.suppress(Exception):  # the parser raises whatever a broken header makes it meet
        return str(message.get(name, "") or "")
    with contextlib.suppress(Exception):
        return next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    return ""


def _line(text: str) -> str:
    return " ".join(_storable(text).split())[:300]


def _storable(text: str) -> str:
    """Without half signs and control signs, which no screen and no record takes."""
    whole = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(sign for sign in whole if sign in "\n\t" or not (ord(sign) < 32 or 127 <= ord(sign) < 160))


def _tidied(text: str) -> str:
    lines = (
        _BLANKS.sub(" ", line).strip() for line in _storable(text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    )
    return _GAPS.sub("\n\n", "\n".join(lines)).strip()


def _sender(message: EmailMessage) -> tuple[str, str]:
    return _first_address(_header(message, "From")) or _first_address(_header(message, "Sender")) or ("", "")


def _answer_to(message: EmailMessage) -> str:
    found = _first_address(_header(message, "Reply-To"))
    return found[1] if found else ""


def _first_address(text: str) -> tuple[str, str] | None:
    with contextlib.suppress(Exception):  # as above
        for name, address in getaddresses([text]):
            if _ADDRESS.fullmatch(address):
                return _line(name), _line(address)
    found = _ADDRESS.search(text)
    return ("", _line(found[0])) if found else None


def _sent(message: EmailMessage) -> str:
    with contextlib.suppress(Exception):  # as above
        day = parsedate_to_datetime(_header(message, "Date"))
        return (day if day.tzinfo else day.replace(tzinfo=UTC)).astimezone(UTC).isoformat(timespec="minutes")
    return ""


# -------------------------------------------------------------------------------------------------------------- contents


def _contents(message: EmailMessage) -> tuple[str, list[Attachment]]:
    """The text to read, and what hangs on the mail. Of text and HTML the text is taken, where there is any."""
    plain: list[str] = []
    marked: list[str] = []
    attachments: list[Attachment] = []
    for part in _parts(message):
        kind, name = part.get_content_type(), _name_of(part)
        if name or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            data = _bytes_of(part)
            attachments.append(Attachment(name or "without a name", kind_of(name, data), len(data)))
        elif kind == "text/html":
            marked.append(_text_of(part))
        else:
            plain.append(_text_of(part))
    text = "\n\n".join(filter(str.strip, plain)) or "\n\n".join(_words_of(one) for one in marked)
    return text, attachments


def _parts(message: EmailMessage) -> Iterator[EmailMessage]:
    """The leaves of a mail, a mail within it as one leaf."""
    if message.get_content_type() == "message/rfc822" or not message.is_multipart():
        yield message
        return
    for part in message.iter_parts():
        if isinstance(part, EmailMessage):
            yield from _parts(part)


def _name_of(part: EmailMessage) -> str:
    with contextlib.suppress(Exception):  # as above
        return visible(_line(part.get_filename() or ""))
    return ""


def _bytes_of(part: EmailMessage) -> bytes:
    if part.get_content_type() == "message/rfc822":
        with contextlib.suppress(Exception):  # as above
            return b"".join(bytes(one) for one in part.iter_parts())
    with contextlib.suppress(Exception):
        found = part.get_payload(decode=True)
        return found if isinstance(found, bytes) else b""
    return b""


def _text_of(part: EmailMessage) -> str:
    data = _bytes_of(part)
    named = part.get_content_charset() or "utf-8"
    for charset in (named, "utf-8"):
        with contextlib.suppress(LookupError, ValueError):
            return data.decode(charset)
    return data.decode("cp1252", "replace")


def _words_of(marked: str) -> str:
    """What a person would read of HTML, without scripts, styles and what is hidden."""
    try:
        root = html.document_fromstring(marked)
    except (etree.LxmlError, ValueError):
        return re.sub(r"<[^>]*>", " ", marked)
    etree.strip_elements(root, "script", "style", "head", with_tail=False)
    for one in list(root.iter("*")):  # without comments
        tail = one.tail or ""
        if "display:none" in "".join((one.get("style") or "").split()).lower():
            one.clear()
        one.tail = f"\n{tail}" if one.tag in _BREAKING else tail
    return "".join(map(str, root.itertext()))


# ----------------------------------------------------------------------------------------------------------------- rules


def _automatic(message: EmailMessage, sender: str) -> str:
    """Why nobody waits for an answer; empty where somebody may."""
    submitted = _header(message, "Auto-Submitted").strip().lower()
    if message.get_content_type() == "multipart/report" or _BOUNCES.match(sender):
        return "It reports on the delivery of another mail."
    if (submitted and submitted != "no") or _header(message, "X-Autoreply") or _header(message, "X-Autorespond"):
        return "It was answered by a program."
    if _header(message, "List-Id") or _header(message, "Precedence").strip().lower() in ("bulk", "list", "junk"):
        return "It went to a list."
    return "Its sender takes no answers." if _NOBODY.match(sender) else ""


def _oddities(message: EmailMessage, mail: Mail) -> list[str]:
    """Sentences on what deserves a look; what a mail says of itself proves nothing, so they judge nobody."""
    found: list[str] = []
    if not mail.sender:
        found.append("It names no sender that one could answer.")
    elif mail.answer_to and _house(mail.answer_to) != _house(mail.sender):
        found.append(f"Answers would go to {mail.answer_to}, and it came from {mail.sender}.")
    shown = _ADDRESS.search(mail.sender_name)
    if shown and shown[0].lower() != mail.sender.lower():
        found.append(f"It shows {shown[0]} as its sender and comes from {mail.sender}.")
    failed = _FAILED.findall(_header(message, "Authentication-Results"))
    if failed:
        found.append(
            f"The receiving server could not prove its sender ({', '.join(sorted({way.upper() for way, _ in failed}))})."
        )
    found += [f"“{one.name}” is {one.kind}." for one in mail.attachments if runs(one.kind)]
    if _ORDERS.search(mail.text):
        found.append("It gives orders to a program that would read it. They are text and nothing else.")
    if mail.cut:
        found.append(f"Only its first {LONGEST_TEXT:,} characters were read.")
    return found


def _house(address: str) -> str:
    return address.rpartition("@")[2].lower()
