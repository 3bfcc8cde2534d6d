"""Mails for people who are away: what has waited for long, gathered, by the account of a workspace. A mail decides nothing.

It is marked as told when the server has taken it, or may have: a person who hears nothing is asked by the next one, one who hears
everything twice stops reading. A mail server may hang for as long as it likes, so this has a thread of its own; that no mail goes out
is a notice, since the log is read by nobody.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Sequence

from counterfoil.authoring.codec import digest
from counterfoil.effects.mail import Mail
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.ports import BadEffect, EffectTrouble, OutcomeUnknown
from counterfoil.errors import CounterfoilError
from counterfoil.facts import NoticeKind
from counterfoil.notifying.timing import ripe, said
from counterfoil.notifying.words import Word, heard, unheard
from counterfoil.places import Home
from counterfoil.settings.notifications import Mailing, notifications
from counterfoil.store import notices, standing
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn

CHANNEL = "mail"
PATIENCE = 20.0  # seconds for one answer of the mail server
AGAIN_US = 900 * 1_000_000  # after a mail that was not taken
_BY = "runner"
_SUBJECT = "home"
_log = logging.getLogger(__name__)


class MailNotices:
    """Sends them; looked at again and again."""

    def __init__(self, database: Database, home: Home, keyring: Keyring | None = None) -> None:
        self._database = database
        self._home = home
        self._keyring = keyring or Keyring(home)
        self._not_before = 0
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Look on a thread of its own, unless the last look is still at it. It is a daemon: a server that hangs does not hold back the end
        of the runner, and a mail that was cut off is not marked as told."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self.look, name="mails", daemon=True)
            self._thread.start()

    def end(self, patience: float) -> None:
        """Wait for a mail that is being sent, so long and no longer (seconds)."""
        if self._thread is not None:
            self._thread.join(patience)

    def look(self) -> bool:
        """Send what is to be sent now; whether a mail was. Blocking, for as long as a mail server takes."""
        try:
            settings = notifications(self._home.root)
            if settings.mail is None:
                self._forget()
                return False
            if self._database.clock.now_us() < self._not_before:
                return False
            now = self._database.clock.now_us()
            with self._database.connect() as conn:
                last = standing.get(conn, standing.MAILED)
                words = unheard(conn, CHANNEL, now)
            chosen = ripe(words, now, last["at"] if last else None, settings, after_us=settings.mail.after * 1_000_000)
            return bool(chosen) and self._send(settings.mail, chosen)
        except (CounterfoilError, EffectTrouble, BadEffect) as problem:
            self._not_before = self._database.clock.now_us() + AGAIN_US
            _log.warning("no mail to people who are away: %s", problem)
            self._tell(f"{problem} It is tried again every {AGAIN_US // 60_000_000} minutes.")
            return False

    def _forget(self) -> None:
        """Nobody is to be mailed any more, so nothing is to be said of it."""
        with self._database.connect() as conn:
            told = any(row["kind"] == NoticeKind.MAIL for row in notices.standing(conn))
        if told:
            self._database.transact(lambda txn: notices.close(txn, NoticeKind.MAIL, _SUBJECT, _BY))

    def _tell(self, why: str) -> None:
        """Put up why no mail goes out. What cannot be written either is in the log already."""
        with contextlib.suppress(CounterfoilError):
            self._database.transact(lambda txn: notices.post(txn, NoticeKind.MAIL, _SUBJECT, {"reason": why}))

    def _send(self, mailing: Mailing, words: Sequence[Word]) -> bool:
        letter = Mail(Blobs(self._home), self._keyring, self._database.clock, PATIENCE)
        lines = [*(f"- {word.text}" for word in words), "", "Open Counterfoil to decide; this mail decides nothing."]
        args = {
            "to": list(mailing.to),
            "cc": [],
            "subject": said(words, hidden=False),
            "body": "\n".join(lines),
            "attachments": [],
        }
        letter.check(args)
        doubt = ""
        try:
            asyncio.run(letter.perform(args, digest("\n".join(word.key for word in words)), mailing.account))
        except OutcomeUnknown as problem:
            doubt = f"Perhaps the last one did not arrive: {problem}"
            _log.warning("perhaps a mail to people who are away was not sent: %s", problem)

        def operation(txn: Txn) -> None:
            heard(txn, CHANNEL, words)
            standing.put(txn, standing.MAILED, len(words), _BY)
            if doubt:
                notices.post(txn, NoticeKind.MAIL, _SUBJECT, {"reason": doubt})
            else:
                notices.close(txn, NoticeKind.MAIL, _SUBJECT, _BY)

        self._database.transact(operation)
        return True
