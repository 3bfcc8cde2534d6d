"""What there is to hear of gates, deadlines and notices: one sentence each, told once per channel, whatever restarts."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from counterfoil.clock import from_us
from counterfoil.facts import GateKind, NoticeKind, as_sentence
from counterfoil.schedules.policies import read_policy
from counterfoil.schedules.telling import told
from counterfoil.store import asides, gates, handled, history, notices, runs, schedules
from counterfoil.store.transactions import Connection, Row, Txn
from counterfoil.views.numbering import step_number

NEAR_US = 3600 * 1_000_000  # before a deadline, a reminder that no quiet hours hold back
DAY_US = 86_400 * 1_000_000  # so long a deadline that has passed is still worth a word
MOST = 200  # open gates that are looked at; who has more looks at the inbox
_KINDS = {
    GateKind.APPROVAL: "an approval",
    GateKind.QUESTION: "a question",
    GateKind.DOUBT: "a doubt",
    GateKind.CONFLICT: "changed files",
    GateKind.BUDGET: "a spending limit",
}

_HIDDEN = {NoticeKind.MAIL: "A mail did not go out", NoticeKind.SILENT: "No news from a run"}


@dataclass(frozen=True, slots=True)
class Word:
    """One thing to hear. `key` is what it is told once by; `text` the sentence, `hidden` the same without titles and names, for a screen
    that others see; `urgent`: quiet hours do not hold it back; `gate_id` or `run_id` what a click opens, or ""; `since` the instant it is
    about."""

    key: str
    text: str
    hidden: str
    since: int
    urgent: bool = False
    gate_id: str = ""
    run_id: str = ""


def unheard(conn: Connection, channel: str, now_us: int, me: str | None = None) -> list[Word]:
    """What this channel has not told yet, the oldest first; of each schedule what its people want to hear. A channel of one person, `me`,
    is silent about what waits for others; what somebody has snoozed is not told before it is back, or its deadline is near."""
    tell = _wishes(conn)
    asked = [row for row in gates.inbox_page(conn, limit=MOST) if _is_wanted(tell.get(row["schedule_id"]), row["kind"])]
    found = _of_gates(conn, asked, now_us, me)
    # that no mail goes out is told by every other channel
    standing = [
        row for row in notices.standing(conn) if row["kind"] != channel and tell.get(_schedule_of(row)) != "nothing"
    ]
    found += [_of_notice(row) for row in standing]
    expired = gates.expired_since(conn, now_us - DAY_US)
    found += [_of_expired(row, now_us) for row in expired if tell.get(row["schedule_id"]) != "nothing"]
    wanted = [schedule_id for schedule_id, wish in tell.items() if wish == "done"]
    found += [_of_done(row) for row in runs.done_since(conn, wanted, now_us - DAY_US)]
    known = handled.among(conn, channel, [word.key for word in found])
    fresh = sorted((word for word in found if word.key not in known), key=lambda word: word.since)
    return [word if word.text else _stopped(conn, word) for word in fresh]


def _stopped(conn: Connection, word: Word) -> Word:
    """`Stopped: Triage mail, step 3`: read for what is new alone."""
    gate = gates.get(conn, word.gate_id)
    number = step_number(gate, history.record_lines(conn, gate["run_id"]))
    title = runs.get(conn, gate["run_id"])["title"]
    return replace(word, text=f"Stopped: {title}{f', step {number}' if number else ''}")


def _wishes(conn: Connection) -> dict[str, str]:
    """What people want to hear of schedules, where they said something else than that it needs somebody or fails."""
    policies = {
        row["schedule_id"]: read_policy(row["policy"]) for row in schedules.living(conn) if "tell" in row["policy"]
    }
    return {schedule_id: policy.tell for schedule_id, policy in policies.items()}


def _schedule_of(row: Row) -> str:
    """The schedule that a notice is about, or whose run it is about; else what it is about."""
    is_of_run = row["kind"] == NoticeKind.SILENT
    return str(notices.body_of(row)["schedule_id"] if is_of_run else row["subject"])


def _is_wanted(wish: str | None, kind: str) -> bool:
    if wish == "failures":
        return kind in (GateKind.FAILURE, GateKind.DOUBT)
    return wish != "nothing"


def heard(txn: Txn, channel: str, words: Iterable[Word]) -> None:
    """These have been told by this channel, and are not again."""
    for word in words:
        handled.take(txn, channel, word.key)


def _of_gates(conn: Connection, rows: list[Row], now_us: int, me: str | None) -> list[Word]:
    snoozed = asides.snoozed(conn, me)
    given = asides.givings(conn, [row["gate_id"] for row in rows])
    found = []
    for row in rows:
        to, until = given.get(row["gate_id"]), snoozed.get(row["gate_id"])
        if to is not None and me not in (None, to["asked"]):
            continue
        back = until is None or until <= now_us
        found += [_since(word, to, until) for word in _of_gate(row, now_us) if back or word.urgent]
    return found


def _since(word: Word, given: Row | None, until: int | None) -> Word:
    """A gate that has come back, or was given to somebody, is told once more."""
    if word.urgent:
        return word
    if until is not None:
        return replace(word, key=f"{word.key}:{until}", since=until)
    if given is not None and given["asked"] != given["given_by"]:
        return replace(word, key=f"{word.key}:{given['given_at']}", since=int(given["given_at"]))
    return word


def _of_gate(row: Row, now_us: int) -> list[Word]:
    by = f", by {_at(row['due_at'], now_us)}" if row["due_at"] else ""
    gate_id, since, near = str(row["gate_id"]), int(row["asked_at"]), bool(row["due_at"])
    near = near and 0 < int(row["due_at"]) - now_us <= NEAR_US
    if row["kind"] == GateKind.FAILURE and not near:
        return [Word(f"gate:{gate_id}", "", "Stopped: a run needs repair", since, gate_id=gate_id)]
    text, hidden = f"Needs you: {row['title']}{by}", f"Needs you: {_KINDS.get(GateKind(row['kind']), 'a decision')}{by}"
    return [Word(f"{'due' if near else 'gate'}:{gate_id}", text, hidden, since, urgent=near, gate_id=gate_id)]


def _of_done(row: Row) -> Word:
    told = json.loads(row["result"]) if row["result"] else None
    summary = f": {told['summary']}" if isinstance(told, dict) and isinstance(told.get("summary"), str) else ""
    return Word(f"done:{row['run_id']}", f"Done: {row['title']}{summary}", "Done: a run", int(row["ended_at"]))


def _of_expired(row: Row, now_us: int) -> Word:
    at = _at(row["due_at"] or row["closed_at"], now_us)
    text = as_sentence(f"Nobody decided by {at}: {row['title']}") + " Nothing of it was written or sent."
    return Word(
        f"expired:{row['gate_id']}", text, f"Nobody decided by {at}", int(row["closed_at"]), gate_id=str(row["gate_id"])
    )


def _of_notice(row: Row) -> Word:
    body = notices.body_of(row)
    text = _of_absence(body) if row["kind"] == NoticeKind.AWAY else " ".join(told(row["kind"], body))
    if row["kind"] == NoticeKind.HELD_UP:
        why = str(body["reason"]).partition(": run ")[0]
        text = f"Did not run: {body['schedule']}, {body['skipped']} times in a row ({why})"
    hidden = _HIDDEN.get(NoticeKind(row["kind"]), "Something about a schedule")
    run_id = str(row["subject"]) if row["kind"] == NoticeKind.SILENT else ""
    return Word(f"notice:{row['row']}", text, hidden, int(row["at"]), run_id=run_id)


def _of_absence(body: dict[str, Any]) -> str:
    """What did not run while nobody was there, and what ran late: one line for all of it."""
    why = "computer was off" if body.get("since") else "nobody was there"
    missed = [one["schedule"] for one in body["schedules"] if one["missed"] and not one["ran_late"]]
    some = [one["schedule"] for one in body["schedules"] if one["missed"] and one["ran_late"]]
    late = [one["schedule"] for one in body["schedules"] if one["ran_late"] and not one["missed"]]
    parts = (("Did not run", missed), ("Ran late, some did not", some), ("Ran late", late))
    return ". ".join(f"{words}: {', '.join(names)} ({why})" for words, names in parts if names)


def _at(us: int, now_us: int) -> str:
    """A deadline on this computer's clock: `16:00` today, else with its day."""
    local, today = from_us(us).astimezone(), from_us(now_us).astimezone().date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%a} {local.day} {local:%b %H:%M}"
