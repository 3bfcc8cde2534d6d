"""A step that has said nothing for its limit: what is shown of it, waiting for it, and having it begin anew."""

from __future__ import annotations

from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.run_facts import Silent
from counterfoil.desktop.words.plain import one_line
from counterfoil.facts import RunState
from counterfoil.inbox.hinting import hint
from counterfoil.inbox.restarting import restart_step, silent_steps, wait_longer
from counterfoil.store.database import translated
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.restarting import restart_follows
from counterfoil.views.silences import silence


def seen(conn: Connection, row: Row) -> Silent | None:
    """What of a run has said nothing for its limit, None where nothing has."""
    steps = silent_steps(conn, row["run_id"])
    if row["state"] != RunState.RUNNING or not steps:
        return None
    follows = tuple(one_line(sentence) for sentence in restart_follows(conn, row["run_id"], steps))
    return Silent(row["run_id"], f"{one_line(silence(steps))}.", follows, asked=row["restart"] is not None)


def wait(access: Access, run_id: str) -> str:
    """Wait for what is silent; what follows, in one sentence.

    Raises:
        Declined: there is news of it by now.
    """
    access.write(lambda txn: wait_longer(txn, run_id, access.me))
    hint(access.home)
    return "It has its whole time again, from now on."


def restart(access: Access, run_id: str) -> str:
    """Have what is silent begin anew; what follows, in one sentence.

    Raises:
        Declined: there is news of it by now.
    """
    with translated():
        row = restart_step(access.database, run_id, access.me, silent_only=True)
    hint(access.home)
    return f"Run {row['number']} begins its step anew now. The steps before it stay."
