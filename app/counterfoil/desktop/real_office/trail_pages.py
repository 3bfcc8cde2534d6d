"""The trail for people: a page of entries with names instead of principals, and the check of the whole chain."""

from __future__ import annotations

import re
from typing import Any

from counterfoil.desktop.office import TrailPage
from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.words.people import capital, person
from counterfoil.desktop.words.runs import step_name
from counterfoil.store import history
from counterfoil.trail import verify
from counterfoil.views.trail_entries import trail_documents, trail_page

PAGE = 100
_STOPPED = re.compile(r"^(Stopped run \d+ at )([a-z0-9_]+)$")
_EFFECT = re.compile(r"\b[a-z_]+@\d+(?= (?:done|failed|unknown)\b)")


class TrailPages:
    """The trail of one home."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def page(self, query: str, before: int | None) -> TrailPage:
        """Entries newest first, with one more asked for than is shown."""
        with self._access.reading() as conn:
            found = trail_page(conn, query, before, PAGE + 1)
            total = history.trail_length(conn)
        told = tuple(said(entry, self._access.me) for entry in found[:PAGE])
        return TrailPage(entries=told, more=len(found) > PAGE, total=total)

    def check(self) -> tuple[bool, str]:
        """Compute every hash anew, on one moment of the database."""
        with self._access.reading() as conn:
            verdict = verify(conn, self._access.clock.now_us())
        return verdict.ok, verdict.sentence()


def said(entry: dict[str, Any], me: str) -> dict[str, Any]:
    """An entry for a row that names who it was beside the sentence: `Ben approved …` is Approved … there, and who it was is You for Ben."""
    by, summary = str(entry["by"]), str(entry["summary"])
    named = next((name for name in (by, capital(person(by))) if summary.startswith(f"{name} ")), "")
    told = capital(summary[len(named) + 1 :]) if named else summary
    told = _EFFECT.sub(lambda kind: step_name(kind[0]), told)
    return {
        **entry,
        "who": capital(person(by, me)),
        "summary": _STOPPED.sub(lambda at: f"{at[1]}‘{step_name(at[2])}’", told),
    }


def of_run(conn: Any, run_id: str, me: str) -> tuple[dict[str, Any], ...]:
    """Entries about one run, newest first."""
    return tuple(said(entry, me) for entry in reversed(trail_documents(conn, subject=run_id)))
