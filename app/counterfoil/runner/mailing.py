"""Mails for people who are away: what has waited for long, gathered, by the account of a workspace. A mail decides nothing.

It is marked as told when the server has taken it, or may have: a person who hears nothing is asked by the next one, one who hears
everything twice stops reading.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from counterfoil.authoring.codec import digest
from counterfoil.effects.mail import Mail
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.ports import BadEffect, EffectTrouble, OutcomeUnknown
from counterfoil.errors import CounterfoilError
from counterfoil.notifying.timing import ripe, said
from counterfoil.notifying.words import Word, heard, unheard
from counterfoil.places import Home
from counterfoil.settings.notifications import Mailing, notifications
from counterfoil.store import standing
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn

CHANNEL = "mail"
PATIENCE = 20.0  # seconds for one answer of the mail server
AGAIN_US = 900 * 1_000_000  # after a mail that was not taken
_BY = "runner"
_log = logging.getLogger(__name__)


class MailNotices:
    """Sends them; looked at again and again."""

    def __init__(self, database: Database, home: Home, keyring: Keyring | None = None) -> None:
        self._database = database
        self._home = home
        self._keyring = keyring or Keyring(home)
        self._not_before = 0

    def look(self) -> bool:
        """Send what is to be sent now; whether a mail was. Blocking, for as long as a mail server takes."""
        try:
            settings = notifications(self._home.root)
            if settings.mail is None or self._database.clock.now_us() < self._not_before:
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
            return False

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
        try:
            asyncio.run(letter.perform(args, digest("\n".join(word.key for word in words)), mailing.account))
        except OutcomeUnknown as problem:
            _log.warning("perhaps a mail to people who are away was not sent: %s", problem)

        def operation(txn: Txn) -> None:
            heard(txn, CHANNEL, words)
            standing.put(txn, standing.MAILED, len(words), _BY)

        self._database.transact(operation)
        return True
