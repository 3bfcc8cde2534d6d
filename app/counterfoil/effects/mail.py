"""`mail@1`: one mail through the workspace's SMTP account.

SMTP has no way to ask later whether a mail was taken, so the exchange is split where certainty ends: until the server has accepted every
recipient nothing was sent and a failure is a failure; once the text is on its way, no answer means that nobody knows.
"""

from __future__ import annotations

import asyncio
import contextlib
import mimetypes
import re
import smtplib
import ssl
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from hashlib import sha256
from typing import Any

from counterfoil.clock import Clock, from_us
from counterfoil.effects import shapes
from counterfoil.effects.addresses import MailAddress, address_of
from counterfoil.effects.imagining import refusal
from counterfoil.effects.mail_settings import MailSettings, read_settings
from counterfoil.effects.redacting import Redactor
from counterfoil.effects.secrets import Keyring
from counterfoil.effects.sentences import others, shortened
from counterfoil.engine.ports import (
    NO_MOMENT,
    BadEffect,
    EffectTrouble,
    Finding,
    Moment,
    OutcomeUnknown,
    PlanEntry,
    Reconciled,
)
from counterfoil.errors import SecretMissing
from counterfoil.facts import DoubtPolicy, FailureClass, Risk
from counterfoil.policy.boundaries import visible
from counterfoil.store.blobs import Blobs

LARGEST_MAIL = 25 * 1024 * 1024  # bytes of text and attachments; few servers take more
PATIENCE = 60.0  # seconds for one answer of the server
_GO_ON = 354


class Mail:
    """`{"to", "cc", "subject", "body", "attachments": [{"name", "data"}]}`."""

    def __init__(self, blobs: Blobs, keyring: Keyring, clock: Clock, patience: float = PATIENCE) -> None:
        self._blobs = blobs
        self._keyring = keyring
        self._clock = clock
        self._patience = patience

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        given = shapes.exactly(args, ("to", "cc", "subject", "body", "attachments"))
        people = [*shapes.items(given["to"], "The recipients", least=1, most=100)]
        people += shapes.items(given["cc"], "The copies", least=0, most=100)
        for person in people:
            address_of(person, "The address")
        shapes.text(given["subject"], "The subject", longest=500)
        size = len(shapes.text(given["body"], "The text", longest=1_000_000, lines=True))
        for attachment in shapes.items(given["attachments"], "The attachments", least=0, most=50):
            parts = shapes.exactly(attachment, ("name", "data"))
            shapes.name_of(parts["name"], "The attachment's name")
            size += shapes.content_size(parts["data"], "The attachment", self._blobs)
        if size > LARGEST_MAIL:
            raise BadEffect(f"The mail holds more than {LARGEST_MAIL // 2**20} MB.")

    def policy(self, args: dict[str, Any]) -> DoubtPolicy:
        """Nobody can be asked but a person."""
        return DoubtPolicy.ASK

    def entry(self, args: dict[str, Any], workspace: str) -> PlanEntry:
        """`Send a mail to a@b.example: Subject`."""
        people = [*args["to"], *args["cc"]]
        size = len(args["body"].encode())
        size += sum(shapes.size_of(part["data"]) for part in args["attachments"])
        return PlanEntry(
            effect="mail@1",
            summary=f"Send a mail to {others(people, 'other')}: {shortened(args['subject'])}",
            target=visible(", ".join(people)),
            risk=Risk.SENDS,
            bytes=size,
        )

    async def perform(self, args: dict[str, Any], key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        """Send it; `{"message_id", "accepted": [address], "answer"}`."""
        return await asyncio.to_thread(self._send, args, key, workspace)

    async def reconcile(self, args: dict[str, Any], key: str) -> Reconciled:
        """SMTP knows no way to ask."""
        return Reconciled(Finding.UNKNOWN)

    def _send(self, args: dict[str, Any], key: str, workspace: str) -> Any:
        settings = read_settings(workspace)
        password = self._password(settings)
        message = self._message(args, key, settings)
        people = [address_of(person, "The address").spec for person in (*args["to"], *args["cc"])]
        exchange = _Exchange(settings, self._patience, Redactor({settings.secret: password}))
        answer = exchange.send(message, people, password)
        return {"message_id": str(message["Message-ID"]), "accepted": people, "answer": answer}

    def _password(self, settings: MailSettings) -> str:
        if not settings.secret:
            return ""
        try:
            return self._keyring.get(settings.secret)
        except SecretMissing as problem:
            raise refusal(str(problem)) from problem

    def _message(self, args: dict[str, Any], key: str, settings: MailSettings) -> EmailMessage:
        message = EmailMessage(policy=SMTP.clone(cte_type="7bit"))
        message["From"] = _header(address_of(settings.sender, "The from address"))
        message["To"] = tuple(_header(address_of(person, "The address")) for person in args["to"])
        if args["cc"]:
            message["Cc"] = tuple(_header(address_of(person, "The address")) for person in args["cc"])
        message["Subject"] = args["subject"]
        message["Date"] = format_datetime(from_us(self._clock.now_us()))
        message["Message-ID"] = message_id(key)
        message.set_content(args["body"])
        for part in args["attachments"]:
            main, _, sub = _media_type(part["name"]).partition("/")
            data = shapes.content(part["data"], self._blobs)
            message.add_attachment(data, maintype=main, subtype=sub, filename=part["name"])
        return message


def message_id(key: str) -> str:
    """The Message-ID that a mail keeps over every try; keys that no header can carry stand as their digest."""
    plain = (
        key
        if re.fullmatch(r"[A-Za-z0-9]+(?:[._+/=-][A-Za-z0-9]+)*", key) and len(key) < 100
        else sha256(key.encode()).hexdigest()
    )
    return f"<{plain}@counterfoil.local>"


def _media_type(name: str) -> str:
    """By the name's ending; a mail within a mail is sent as plain bytes, so that it need not be well-formed."""
    kind, coding = mimetypes.guess_type(name)
    known = kind is not None and not coding and not kind.startswith(("message/", "multipart/"))
    return str(kind) if known else "application/octet-stream"


def _header(person: MailAddress) -> Address:
    return Address(display_name=person.name, addr_spec=person.spec)


class _Exchange:
    """One conversation with the server."""

    def __init__(self, settings: MailSettings, patience: float, redact: Redactor) -> None:
        self._settings = settings
        self._patience = patience
        self._redact = redact
        self._who = f"the mail server {settings.host}"

    def send(self, message: EmailMessage, people: list[str], password: str) -> str:
        """Everything up to the server's last word; its words."""
        server = self._connected()
        try:
            self._ready(server, password)
            self._address(server, people)
            answer = self._hand_over(server, message.as_bytes())
        finally:
            server.close()
        return answer

    def _connected(self) -> smtplib.SMTP:
        place = (self._settings.host, self._settings.port)
        try:
            if self._settings.tls == "tls":
                return smtplib.SMTP_SSL(*place, timeout=self._patience, context=ssl.create_default_context())
            return smtplib.SMTP(*place, timeout=self._patience)
        except (OSError, smtplib.SMTPException) as problem:
            raise self._failed("could not be reached", problem) from None

    def _ready(self, server: smtplib.SMTP, password: str) -> None:
        try:
            if self._settings.tls == "starttls":
                server.starttls(context=ssl.create_default_context())
            if self._settings.user:
                server.login(self._settings.user, password)
        except (OSError, smtplib.SMTPException) as problem:
            raise self._failed("did not let us in", problem) from None

    def _address(self, server: smtplib.SMTP, people: list[str]) -> None:
        """All recipients or none: a mail that only some get is not the mail that was approved."""
        try:
            server.ehlo_or_helo_if_needed()
            self._accepted(
                "refused the sender", *server.mail(address_of(self._settings.sender, "The from address").spec)
            )
            for person in people:
                self._accepted(f"refused the recipient {person}", *server.rcpt(person))
            code, words = server.docmd("DATA")
        except (OSError, smtplib.SMTPException) as problem:
            raise self._failed("broke off before the mail was sent", problem) from None
        if code != _GO_ON:
            raise self._refused("refused the mail", code, words)

    def _hand_over(self, server: smtplib.SMTP, data: bytes) -> str:
        text = re.sub(rb"(?m)^\.", b"..", data)
        try:
            server.send((text if text.endswith(b"\r\n") else text + b"\r\n") + b".\r\n")
            code, words = server.getreply()
        except (OSError, smtplib.SMTPException) as problem:
            raise OutcomeUnknown(
                f"The mail was handed to {self._who} and no answer came ({_cause(problem)}); look whether it was sent."
            ) from None
        if not (200 <= code < 300 or 400 <= code < 600):
            raise OutcomeUnknown(
                f"The mail was handed to {self._who}, and its answer makes no sense; look whether it was sent."
            )
        self._accepted("refused the mail", code, words)
        with contextlib.suppress(OSError, smtplib.SMTPException):
            server.quit()
        return self._words(code, words)

    def _accepted(self, what: str, code: int, words: bytes) -> None:
        if not 200 <= code < 300:
            raise self._refused(what, code, words)

    def _refused(self, what: str, code: int, words: bytes) -> EffectTrouble:
        passing = 400 <= code < 500 or code < 0
        return EffectTrouble(
            f"No mail was sent: {self._who} {what} ({self._words(code, words)}).",
            FailureClass.TRANSIENT if passing else FailureClass.STRUCTURAL,
        )

    def _failed(self, what: str, problem: Exception) -> EffectTrouble:
        if isinstance(problem, smtplib.SMTPResponseException):
            words = problem.smtp_error if isinstance(problem.smtp_error, bytes) else str(problem.smtp_error).encode()
            return self._refused(what, problem.smtp_code, words)
        lasting = isinstance(problem, ssl.SSLCertVerificationError | smtplib.SMTPNotSupportedError)
        return EffectTrouble(
            f"No mail was sent: {self._who} {what} ({self._redact(_cause(problem))}).",
            FailureClass.STRUCTURAL if lasting else FailureClass.TRANSIENT,
        )

    def _words(self, code: int, words: bytes) -> str:
        return shortened(self._redact(f"{code} {words.decode('utf-8', 'replace')}".strip().replace("\n", " ")), 200)


def _cause(problem: Exception) -> str:
    strerror = problem.strerror if isinstance(problem, OSError) else None
    return (strerror or str(problem) or type(problem).__name__).lower().rstrip(".")
