"""What people are told where no run is there to ask: the standing notices as sentences. Cheap to load: each look at the inbox says them."""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import Any

from counterfoil.facts import NoticeKind, as_sentence
from counterfoil.inbox.pausing import pause_sentence
from counterfoil.store import notices
from counterfoil.store.transactions import Connection
from counterfoil.views.silences import silence


def notice_sentences(conn: Connection) -> list[str]:
    """The standing notices as sentences, oldest first; before them, that everything is paused."""
    paused = pause_sentence(conn)
    said = [f"{paused} Nothing starts until: counterfoil runner resume"] if paused else []
    for row in notices.standing(conn):
        said += told(row["kind"], notices.body_of(row))
        if row["kind"] == NoticeKind.CLOCK:  # a window has a button for it
            said[-1] += " It is right: counterfoil schedule got-it"
        if row["kind"] == NoticeKind.SILENT:
            number = notices.body_of(row)["run"]
            said[-1] += f" Wait: counterfoil wait r-{number}. Restart this step: counterfoil restart r-{number}"
    return said


def told(kind: str, body: dict[str, Any]) -> list[str]:
    """What one notice says."""
    match kind:
        case NoticeKind.NOT_READY:
            return [f"‘{body['schedule']}’ cannot run as things are: {body['reason']}"]
        case NoticeKind.HELD_UP:
            return [as_sentence(f"‘{body['schedule']}’ was skipped {body['skipped']} times in a row: {body['reason']}")]
        case NoticeKind.NOTHING:
            since = datetime.fromisoformat(body["since"]).astimezone()
            when = f"since {since.day} {since:%b}, {body['times']} times"
            return [f"‘{body['schedule']}’ found nothing {when}. Right folder?"]
        case NoticeKind.ZONE:
            names = ", ".join(f"‘{name}’" for name in body["schedules"])
            return [
                f"This computer's zone is {body['now']} now; {names} keep {body['before']} time. "
                "To follow: counterfoil schedule change NAME --zone " + body["now"]
            ]
        case NoticeKind.CLOCK | NoticeKind.SILENT:
            return [_clock(body) if kind == NoticeKind.CLOCK else _silent(body)]
        case NoticeKind.MAIL:
            return [f"People who are away get no mail: {body['reason']}"]
        case NoticeKind.HOLIDAYS:
            again = f"counterfoil schedule change {shlex.quote(body['schedule'])} {body['options']}"
            end = f"The free days that ‘{body['schedule']}’ knows of ({body['whose']}) end on {body['until']}."
            return [f"{end} Copy them anew: {again}"]
        case _:
            return [_away(body)]


def _silent(body: dict[str, Any]) -> str:
    return f"{silence(body['steps'])}: {body['title']}, run {body['run']}."


def _clock(body: dict[str, Any]) -> str:
    jumped = (datetime.fromisoformat(body[edge]).astimezone() for edge in ("before", "now"))
    before, now = (f"{at:%a} {at.day} {at:%b %Y %H:%M}" for at in jumped)
    said = f"This computer's clock went from {before} to {now} at once."
    return f"{said} No schedule starts until somebody says that this is right, or it is put back."


def _away(body: dict[str, Any]) -> str:
    """The card of what happened while nobody was there."""
    span = [datetime.fromisoformat(body[edge]).astimezone() for edge in ("since", "until") if body.get(edge)]
    when = f"this computer was off ({span[0]:%a %H:%M} – {span[1]:%a %H:%M})" if len(span) == 2 else "nobody was there"
    lines = "; ".join(_away_of(one) for one in body["schedules"])
    return f"While {when}: {lines}. Nothing ran twice."


def _away_of(one: dict[str, Any]) -> str:
    ran, missed = one["ran_late"], one["missed"]
    late = f"ran late, {datetime.fromisoformat(one['ran_at']).astimezone():%H:%M}" if one.get("ran_at") else "ran late"
    parts = [late if ran == 1 else f"{ran} ran late"] if ran else []
    parts += [f"{missed} did not run"] if missed else []
    return f"‘{one['schedule']}’ {' and '.join(parts) or 'missed nothing'}"
