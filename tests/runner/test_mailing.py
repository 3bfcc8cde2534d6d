"""What people hear and when; and the mail to those who are away, through a real server on loopback."""

from __future__ import annotations

import email
import email.policy
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import pytest

from counterfoil.errors import WrongUse
from counterfoil.facts import GateKind, GateState, NoticeKind, RunState
from counterfoil.notifying.timing import is_quiet, ripe, said
from counterfoil.notifying.words import heard, unheard
from counterfoil.runner.mailing import MailNotices
from counterfoil.schedules.keeping import Wanted, add
from counterfoil.schedules.policies import policy_of
from counterfoil.schedules.rules import rule_of
from counterfoil.settings.notifications import Notifications, notifications
from counterfoil.store import gates, notices, runs
from counterfoil.store.transactions import Txn
from effects.post_office import PostOffice
from schedules.routines import bare_run
from views.rows import Office, make_office, spec

MINUTE = 60 * 1_000_000


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = make_office(tmp_path)
    yield made
    made.database.close()


@pytest.fixture
def post() -> Iterator[PostOffice]:
    made = PostOffice()
    yield made
    made.close()


def asked(office: Office, title: str, kind: GateKind = GateKind.APPROVAL, due: timedelta | None = None) -> str:
    """A gate that is open; its id."""
    run = office.run()
    due_us = office.clock.now_us() + due // timedelta(microseconds=1) if due else None
    return str(office.gate(run["run_id"], 0, spec(kind, title=title), due_at=due_us)["gate_id"])


def texts(office: Office, channel: str = "desktop") -> list[str]:
    """What there is to hear."""
    return [word.text for word in unheard(office.database.reader, channel, office.clock.now_us())]


def test_each_thing_is_heard_once_per_channel(office: Office) -> None:
    asked(office, "Write payment file for 14 invoices")
    asked(office, "Needs repair: read the invoices", GateKind.FAILURE)
    entry = {"schedule": "Weekly report", "reason": "The folder is gone."}
    office.database.transact(lambda txn: notices.post(txn, NoticeKind.NOT_READY, "s1", entry))
    assert texts(office) == [
        "Needs you: Write payment file for 14 invoices",
        "Stopped: Supplier payments, step 1",
        "‘Weekly report’ cannot run as things are: The folder is gone.",
    ]
    words = unheard(office.database.reader, "desktop", office.clock.now_us())
    assert [word.hidden for word in words] == [
        "Needs you: an approval",
        "Stopped: a run needs repair",
        "Something about a schedule",
    ]
    assert (said(words, hidden=False), said(words[:1], hidden=True)) == (
        "2 things need you, 1 more to know",
        "Needs you: an approval",
    )
    office.database.transact(lambda txn: heard(txn, "desktop", words))
    assert texts(office) == []
    assert len(texts(office, "mail")) == 3


def test_a_deadline_within_the_hour_is_told_again_and_waits_for_nobody(office: Office) -> None:
    asked(office, "Write payment file", due=timedelta(minutes=90))
    now = office.clock.now_us()
    first = unheard(office.database.reader, "desktop", now)
    assert first[0].text.startswith("Needs you: Write payment file, by ")
    office.database.transact(lambda txn: heard(txn, "desktop", first))
    later = now + 45 * MINUTE
    (near,) = unheard(office.database.reader, "desktop", later)
    assert (near.urgent, near.text.partition(", by ")[0]) == (True, "Needs you: Write payment file")
    night = Notifications(quiet=(time(0, 0), time(23, 59, 59)))
    asked(office, "Another one")
    words = unheard(office.database.reader, "desktop", later)
    assert [word.key for word in ripe(words, later, None, night)] == [near.key]


def test_what_did_not_run_is_told_in_one_line(office: Office) -> None:
    def away(*lines: tuple[str, int, int]) -> None:
        told = [{"schedule": name, "missed": missed, "ran_late": late} for name, missed, late in lines]
        body = {"schedules": told, "since": "2026-11-27T17:10:00.000Z", "until": "2026-11-30T08:12:00.000Z"}
        office.database.transact(lambda txn: notices.post(txn, NoticeKind.AWAY, "home", body))

    away(("Weekly report", 1, 0))
    assert texts(office) == ["Did not run: Weekly report (computer was off)"]
    away(("Weekly report", 1, 0), ("Daily list", 2, 1), ("Invoices", 0, 1))
    assert texts(office)[0].split(". ") == [
        "Did not run: Weekly report (computer was off)",
        "Ran late, some did not: Daily list (computer was off)",
        "Ran late: Invoices (computer was off)",
    ]
    held = {"schedule": "Payments", "skipped": 3, "reason": "the last one is still open: run 12 waits at g-82"}
    office.database.transact(lambda txn: notices.post(txn, NoticeKind.HELD_UP, "s2", held))
    assert texts(office)[1] == "Did not run: Payments, 3 times in a row (the last one is still open)"


def test_a_silent_step_is_heard_of_unless_its_schedule_says_nothing(office: Office) -> None:
    step = {"path": "", "ordinal": 0, "name": "read", "title": "Read contracts", "kind": "step", "limit": 600.0}
    body = {"run": 1, "title": "Contract review", "steps": [{**step, "since": "", "minutes": 10}], "schedule_id": None}
    run = office.run("Contract review")
    office.database.transact(lambda txn: notices.post(txn, NoticeKind.SILENT, run["run_id"], body))
    (word,) = unheard(office.database.reader, "desktop", office.clock.now_us())
    assert word.text == "No news from ‘Read contracts’ for 10 min: Contract review, run 1."
    assert (word.hidden, word.run_id) == ("No news from a run", run["run_id"])
    mondays = rule_of({"kind": "weekly", "days": ["MO"], "time": "07:00"})
    quiet = Wanted("Quiet", "report", "/w", mondays, "UTC", policy_of({"tell": "nothing"}), {})
    row = office.database.transact(lambda txn: add(txn, quiet, "user:anna"))
    its = {**body, "schedule_id": row["schedule_id"]}
    office.database.transact(lambda txn: notices.post(txn, NoticeKind.SILENT, run["run_id"], its))
    assert texts(office) == []


def test_a_deadline_that_has_passed_is_told(office: Office) -> None:
    gate_id = asked(office, "Write payment file", due=timedelta(minutes=10))
    office.clock.advance(timedelta(minutes=11))
    assert office.database.transact(lambda txn: gates.close(txn, gate_id, GateState.EXPIRED, "Nobody decided in time"))
    (word,) = unheard(office.database.reader, "desktop", office.clock.now_us())
    assert word.text.startswith("Nobody decided by ")
    assert word.text.endswith(": Write payment file. Nothing of it was written or sent.")
    assert (word.hidden[:17], word.gate_id) == ("Nobody decided by", gate_id)
    office.clock.advance(timedelta(days=2))
    assert texts(office) == []


def test_of_each_schedule_people_hear_what_they_asked_for(office: Office) -> None:
    def heard_of(tell: str) -> list[str]:
        mondays = rule_of({"kind": "weekly", "days": ["MO"], "time": "07:00"})
        wanted = Wanted(tell, "report", "/w", mondays, "UTC", policy_of({"tell": tell}), {})
        row = office.database.transact(lambda txn: add(txn, wanted, "user:anna"))
        made = [office.database.transact(lambda txn: bare_run(txn, row, txn.now_us)) for _ in range(3)]
        office.gate(made[0]["run_id"], 0, spec(GateKind.APPROVAL, title=f"{tell} asks"))
        office.gate(made[1]["run_id"], 0, spec(GateKind.FAILURE, title=f"{tell} fails"))

        def end(txn: Txn) -> None:
            runs.move(txn, made[2]["run_id"], RunState.RUNNING)
            runs.move(
                txn, made[2]["run_id"], RunState.DONE, ended_at=txn.now_us, result='{"summary": "It is written."}'
            )
            notices.post(
                txn, NoticeKind.NOT_READY, row["schedule_id"], {"schedule": tell, "reason": "The folder is gone."}
            )

        office.database.transact(end)
        return sorted(text.partition(":")[0] for text in texts(office) if tell in text)

    assert heard_of("needs") == ["Needs you", "Stopped", "‘needs’ cannot run as things are"]
    assert heard_of("done") == ["Done", "Needs you", "Stopped", "‘done’ cannot run as things are"]
    assert "Done: done: It is written." in texts(office)
    assert heard_of("failures") == ["Stopped", "‘failures’ cannot run as things are"]
    assert heard_of("nothing") == []


def test_messages_are_gathered_and_quiet_hours_go_over_midnight(office: Office) -> None:
    asked(office, "One")
    now = office.clock.now_us()
    words = unheard(office.database.reader, "desktop", now)
    usual = Notifications()
    assert ripe(words, now, None, usual) == words
    assert ripe(words, now, now - 14 * MINUTE, usual) == []
    assert ripe(words, now, now - 15 * MINUTE, usual) == words
    assert ripe(words, now, None, usual, after_us=30 * MINUTE) == []
    here = datetime(2026, 11, 30, 12, tzinfo=UTC).astimezone()
    at = [int(here.replace(hour=hour).timestamp()) * 1_000_000 for hour in (17, 18, 23, 6, 7)]
    over = Notifications(quiet=(time(18), time(7)))
    assert [is_quiet(one, over) for one in at] == [False, True, True, True, False]


@pytest.mark.parametrize(
    "text",
    [
        'quiet = "evening"',
        "digest = -1",
        "digest = true",
        "[notifications.mail]\nto = []\naccount = 'x'",
        "[notifications.mail]\nto = ['a@b']",
        "==",
    ],
)
def test_settings_that_cannot_be_meant_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "settings.toml").write_text(f"[notifications]\n{text}\n")
    with pytest.raises(WrongUse, match=r"settings\.toml"):
        notifications(tmp_path)


def set_up(office: Office, port: int, *, after: int = 30) -> MailNotices:
    """An account, and somebody who is away."""
    folder = Path(office.workspace) / ".counterfoil"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "workspace.toml").write_text(
        f'[mail]\nhost = "127.0.0.1"\nport = {port}\ntls = "none"\nfrom = "clerk@b.example"\n'
    )
    (office.home.root / "settings.toml").write_text(
        f"[notifications.mail]\nto = ['anna@b.example']\naccount = '{office.workspace}'\nafter = {after}\n"
    )
    return MailNotices(office.database, office.home)


def test_what_has_waited_is_mailed_once_to_people_who_are_away(office: Office, post: PostOffice) -> None:
    mails = set_up(office, post.port)
    asked(office, "Write payment file for 14 invoices")
    assert mails.look() is False
    office.clock.advance(timedelta(minutes=31))
    assert mails.look() is True
    assert MailNotices(office.database, office.home).look() is False  # after a restart, too
    ((sender, people, data),) = post.mails
    letter = email.message_from_bytes(data, policy=email.policy.default)
    assert (sender, people, letter["Subject"]) == (
        "FROM:<clerk@b.example>",
        ["TO:<anna@b.example>"],
        "Needs you: Write payment file for 14 invoices",
    )
    body = letter.get_body()
    assert body is not None
    assert "this mail decides nothing." in body.get_content()


@pytest.mark.expects_log("no mail to people who are away")
def test_a_mail_that_was_refused_is_tried_again_later(office: Office, post: PostOffice) -> None:
    mails = set_up(office, post.port, after=0)
    post.says["RCPT"] = "451 not now"
    asked(office, "Write payment file")
    assert mails.look() is False
    (told,) = texts(office)[1:]
    assert told.startswith("People who are away get no mail: ")
    assert "451" in told
    assert len(texts(office, "mail")) == 1, "a mail does not tell that there are none"
    post.says.clear()
    assert mails.look() is False  # not at once
    office.clock.advance(timedelta(minutes=16))
    assert mails.look() is True
    assert len(post.mails) == 1
    assert len(texts(office)) == 1, "what is mended is not said any more"


@pytest.mark.expects_log("no mail to people who are away")
def test_nobody_waits_for_a_mail_server_that_says_nothing(office: Office, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        mails = set_up(office, silent.getsockname()[1], after=0)
        asked(office, "Write payment file")
        mails.begin()
        mails.begin()
        conversation, _ = silent.accept()
        with conversation:
            assert [one.name for one in threading.enumerate()].count("mails") == 1
            mails.end(0.01)
            assert "mails" in [one.name for one in threading.enumerate()]
        mails.end(60)
    assert "mails" not in [one.name for one in threading.enumerate()]
    assert "People who are away get no mail: " in texts(office)[-1]
    (office.home.root / "settings.toml").write_text("")
    assert mails.look() is False
    assert len(texts(office)) == 1


def test_without_an_address_nothing_is_sent(office: Office) -> None:
    asked(office, "Write payment file")
    assert MailNotices(office.database, office.home).look() is False
