"""Answers as drafts: .eml files that a mail program opens ready to be sent, and that nobody has sent."""

from __future__ import annotations

from email.errors import MessageError
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate

from triage_mail.sorting import Sorted


def draft_of(one: Sorted, at: float) -> bytes:
    """The draft's bytes; the same answer at the same time (`at`, seconds since 1970) gives the same bytes. To whom it goes is the mail's to
    say, never the llm's."""
    draft = EmailMessage(policy=SMTP)
    draft["To"] = _header(one.mail.answer_to)
    draft["Subject"] = _header(_re(one.mail.subject))
    draft["Date"] = formatdate(at)
    draft["X-Unsent"] = "1"
    if "@" in one.mail.message_id:
        for name in ("In-Reply-To", "References"):
            draft[name] = f"<{_header(one.mail.message_id)}>"
    draft.set_content(one.answer + "\n\n" + quoted(one), cte="quoted-printable")
    try:
        return draft.as_bytes()
    except (MessageError, UnicodeError):
        return draft.as_bytes(policy=SMTP.clone(utf8=True))


def quoted(one: Sorted) -> str:
    """The mail below its answer, as people are used to it."""
    head = f"{one.mail.who} wrote{f' on {one.mail.sent[:10]}' if one.mail.sent else ''}:"
    return "\n".join([head, *(f"> {line}" for line in one.mail.text.splitlines())])


def _re(subject: str) -> str:
    return subject if subject[:3].casefold() in ("re:", "aw:") else f"Re: {subject}".strip()


def _header(text: str) -> str:
    """One line without control signs: a subject must not become a header of its own."""
    return " ".join(text.split())
