"""What this window tells a person who is elsewhere: gathered, held back in quiet hours, told once whatever restarts."""

from __future__ import annotations

from counterfoil.desktop.news_facts import News
from counterfoil.desktop.real_office.access import Access
from counterfoil.notifying.timing import ripe, said
from counterfoil.notifying.words import heard, unheard
from counterfoil.settings.notifications import notifications
from counterfoil.store import standing
from counterfoil.store.transactions import Txn

CHANNEL = "window"


class NewsDesk:
    """The notices of one home, by one window."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def news(self, *, looking: bool) -> News | None:
        """What is to be told now; a person who looks at the window has seen it, and is told nothing.

        Raises:
            WrongUse: the settings of notices cannot be read.
        """
        access = self._access
        now = access.clock.now_us()
        settings = notifications(access.home.root)
        with access.reading() as conn:
            words, last = unheard(conn, CHANNEL, now, access.me), standing.get(conn, standing.TOLD)
        chosen = words if looking else ripe(words, now, last["at"] if last else None, settings)
        if not chosen:
            return None

        def operation(txn: Txn) -> None:
            heard(txn, CHANNEL, chosen)
            if not looking:
                standing.put(txn, standing.TOLD, len(chosen), access.me)

        access.write(operation)
        if looking:
            return None
        about_gates = any(word.gate_id for word in chosen)
        only = chosen[0] if len(chosen) == 1 else None
        line = said(chosen, hidden=settings.hide)
        return News(line, only.gate_id if only else "", about_gates, only.run_id if only else "")
