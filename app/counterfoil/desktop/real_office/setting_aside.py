"""What a person does at a gate instead of deciding it, on the database; refusals in the window's words."""

from __future__ import annotations

from counterfoil.desktop.gate_facts import Person
from counterfoil.desktop.real_office.access import Access, gate_row
from counterfoil.desktop.real_office.decisions import Decisions
from counterfoil.desktop.words.people import capital, person
from counterfoil.inbox import giving, snoozing
from counterfoil.inbox.refusing import rules_here
from counterfoil.policy.approvers import may_not
from counterfoil.views.asked import spec_of


class SettingAside:
    """One person's gates that are not for now, or not for them."""

    def __init__(self, access: Access, decisions: Decisions) -> None:
        self._access, self._refusing = access, decisions.for_the_window

    def snooze(self, gate_id: str, until: int) -> None:
        """Put it off."""
        with self._access.telling(), self._refusing(gate_id):
            snoozing.snooze(self._access.database, gate_id, self._access.me, until)

    def wake(self, gate_id: str) -> None:
        """See it again."""
        with self._access.telling(), self._refusing(gate_id):
            snoozing.wake(self._access.database, gate_id, self._access.me)

    def people(self, gate_id: str) -> tuple[Person, ...]:
        """Who is known here."""
        access = self._access
        with access.reading() as conn:
            row = gate_row(conn, gate_id)
            known = giving.people(conn, access.blobs, row)
            rules = rules_here(conn, access.home, spec_of(access.blobs, row))
        others = [one for one in known if one != access.me]
        return tuple(Person(one, capital(person(one)), may_not(rules, one)) for one in others)

    def give(self, gate_id: str, principal: str, why: str) -> None:
        """Let it wait for somebody."""
        access = self._access
        with access.telling(), self._refusing(gate_id):
            giving.give(access.database, access.blobs, gate_id, giving.Handing(access.me, principal, why))

    def take(self, gate_id: str) -> None:
        """Let it wait for oneself."""
        self.give(gate_id, self._access.me, "")
