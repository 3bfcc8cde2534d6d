"""What the next firing of a routine lacks is one notice, put up before the firing that it would cost, and gone when it is mended."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest
import tzlocal

from cli.note_template import MANIFEST, write_template
from counterfoil.authoring.codec import canonical, digest
from counterfoil.clock import FakeClock
from counterfoil.connectors import keeping as connectors
from counterfoil.connectors.declared import Declared
from counterfoil.engine.ports import Permission
from counterfoil.facts import DoubtPolicy, NoticeKind, RunState
from counterfoil.inbox import permitting
from counterfoil.inbox.accounts import deciders
from counterfoil.places import Home
from counterfoil.policy.grants import Conditions
from counterfoil.routing import keeping
from counterfoil.runner import outward, preflight
from counterfoil.runner.findings import Finding
from counterfoil.runner.firing import RunStarter
from counterfoil.runner.tending import Tending
from counterfoil.schedules.keeping import Wanted, add, got_it, pause, remove
from counterfoil.schedules.policies import policy_of
from counterfoil.schedules.rules import form_of, rule_of
from counterfoil.schedules.telling import notice_sentences
from counterfoil.store import (
    connector_rows,
    intents,
    llm_routes,
    notices,
    permission_rows,
    runs,
    schedules,
    standing,
    versions,
)
from counterfoil.store.connector_rows import SeenTool
from counterfoil.store.database import Database, open_database
from counterfoil.store.llm_routes import NewEntry
from counterfoil.store.transactions import Row, Txn

MONDAY = rule_of({"kind": "weekly", "days": ["MO"], "time": "07:00"})


class Place:
    """A home with a routine for Monday 07:00 UTC in a folder that has the template `note`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "files"
        self.folder.mkdir()
        self.template = write_template(self.folder)
        self.clock = FakeClock(datetime(2026, 11, 30, 5, 59, tzinfo=UTC))
        self.home = Home(folder / "home").create()
        self.database: Database = open_database(self.home, self.clock)
        wanted = Wanted("Weekly", "note", str(self.folder), MONDAY, "UTC", policy_of({}), {"text": "hello"})
        self.database.transact(lambda txn: add(txn, wanted, "user:anna"))
        self.tending = Tending(self.database, self.home, RunStarter(self.database, self.home))

    @property
    def row(self) -> Row:
        """The routine."""
        (row,) = schedules.living(self.database.reader)
        return row

    def at(self, hour: int, minute: int, *, day: int = 30) -> None:
        """Set the clock on Monday, and look."""
        there = datetime(2026, 11, day, hour, minute, tzinfo=UTC)
        self.clock.advance(there - datetime.fromtimestamp(self.clock.now_us() / 1e6, UTC))
        self.tending.look()

    def told(self) -> list[str]:
        """What is said of the routine."""
        return notice_sentences(self.database.reader)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    made = Place(tmp_path)
    yield made
    made.database.close()


def test_what_is_missing_is_told_on_the_day_before_and_gone_when_it_is_mended(place: Place) -> None:
    away = place.folder.rename(place.folder.with_name("elsewhere"))
    place.at(6, 59, day=29)
    assert place.told() == []
    place.at(7, 1, day=29)
    (said,) = place.told()
    assert said.startswith("‘Weekly’ cannot run as things are: ")
    place.at(6, 2)
    assert len(place.told()) == 1
    away.rename(place.folder)
    place.at(6, 3)
    assert place.told() == []


def test_a_parameter_an_account_and_a_secret_are_looked_at_before(place: Place) -> None:
    text = MANIFEST.replace('["write_file"]', '["write_file", "mail"]')
    (place.template / "template.toml").write_text(text)
    place.at(6, 1)
    assert "Mail needs an account" in place.told()[0]
    account = '[mail]\nhost = "smtp.example.org"\nuser = "anna"\nfrom = "anna@example.org"\nsecret = "smtp"\n'
    (place.folder / ".counterfoil/workspace.toml").write_text(account)
    place.at(6, 2)
    assert place.told() == [
        (
            "‘Weekly’ cannot run as things are: The secret “smtp” is not in the keyring. "
            "Store it with: counterfoil secret set smtp"
        )
    ]
    (place.home.root / "secrets.json").write_text('{"names": ["smtp"]}')
    place.at(6, 3)
    assert place.told() == []
    place.database.transact(lambda txn: schedules.change(txn, place.row, "user:anna", "Changed", parameters="{}"))
    place.at(6, 4)
    assert "Text (text) is missing" in place.told()[0]


def test_who_would_be_asked_is_said_and_that_nobody_would_hear_of_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def approver() -> Finding:
        starter = RunStarter(place.database, place.home)
        starter.prepare([place.row])
        return preflight.look(place.database, place.home, starter, place.row)[-1]

    monkeypatch.setattr(preflight, "deciders", lambda _: ["anna"])
    assert str(approver()) == "It stops and asks once: Anna can decide. Nobody is mailed while it waits."
    monkeypatch.setattr(preflight, "deciders", lambda _: [])
    place.at(6, 1)
    assert "It stops and asks once, and nobody would hear of it: the account that holds" in place.told()[0]
    mail = f'[notifications.mail]\nto = ["ben@example.org"]\naccount = "{place.folder}"\n'
    (place.home.root / "settings.toml").write_text(mail)
    place.at(6, 2)
    assert place.told() == []
    assert "who holds the data folder can decide. Mailed to ben@example.org when it waits." in str(approver())


def test_a_rule_that_forbids_it_and_a_missing_llm_are_told_before(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outward, "_unreached", lambda _: "")  # no test talks to a vendor
    place.at(6, 1)
    assert place.told() == []
    narrow = Conditions(effect="write_file", path=("archive/*",))
    place.database.transact(lambda txn: permitting.grant(txn, Permission.DENY, narrow, "user:anna"))
    place.at(6, 7)
    assert place.told() == []
    whole = Conditions(effect="write_file", template="note")
    place.database.transact(lambda txn: permitting.grant(txn, Permission.DENY, whole, "user:anna"))
    place.at(6, 13)
    assert "A rule forbids what it does: p-2 of Anna: Note may never write files." in place.told()[0]
    given = permission_rows.living(place.database.reader)
    place.database.transact(
        lambda txn: [permission_rows.revoke(txn, one["permission_id"], "user:anna") for one in given]
    )
    (place.template / "template.toml").write_text(
        MANIFEST.replace("works_without_llm = true", "works_without_llm = false")
    )
    place.at(6, 14)
    assert "No llm is set up. Add one: counterfoil route add" in place.told()[0]
    entry = NewEntry("openai", "https://api.openai.com/v1", "gpt-5-mini", "secret:openai", None, "unknown", None, None)

    def route(txn: Txn) -> None:
        llm_routes.put_route(txn, llm_routes.DEFAULT, stays=False, by="user:anna")
        llm_routes.add_entry(txn, llm_routes.DEFAULT, entry)

    place.database.transact(route)
    place.at(6, 15)
    assert "The key of openai gpt-5-mini is not here (secret:openai)." in place.told()[0]
    (place.home.root / "secrets.json").write_text('{"names": ["openai"]}')
    place.at(6, 16)
    assert place.told() == []


def test_accounts_of_services_decide_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    pwd = pytest.importorskip("pwd")
    owner = pwd.getpwuid(place.home.root.stat().st_uid)
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_name=owner.pw_name, pw_shell="/bin/bash"))
    assert deciders(place.home) == [owner.pw_name]
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_name="svc", pw_shell="/usr/sbin/nologin"))
    assert deciders(place.home) == []


def test_free_days_that_end_are_told_before(place: Place) -> None:
    def know(sources: list[str], days: list[str]) -> list[str]:
        rule = json.dumps({**form_of(MONDAY), "holidays": days, "holidays_of": sources})
        place.database.transact(lambda txn: schedules.change(txn, place.row, "user:anna", "Changed", rule=rule))
        place.tending.look()
        return place.told()

    assert know(["DE-BY"], ["2026-12-24", "2027-01-01"]) == []
    assert know(["DE-BY", "own.csv"], ["2026-11-01", "2026-12-24"]) == [
        (
            "The free days that ‘Weekly’ knows of (DE-BY, own.csv) end on 2026-12-24. "
            "Copy them anew: counterfoil schedule change Weekly --holidays DE-BY --holidays own.csv"
        )
    ]
    assert know(["2026-12-24"], ["2026-12-24"]) == []


def test_on_the_day_before_it_is_looked_at_once_an_hour_and_never_for_what_comes_and_goes(place: Place) -> None:
    def needs_llm() -> None:
        text = MANIFEST.replace("works_without_llm = true", "works_without_llm = false")
        (place.template / "template.toml").write_text(text)
        new = NewEntry("compatible", "http://127.0.0.1:9/v1", "tiny", None, None, "table")  # where nothing listens
        place.database.transact(lambda txn: keeping.add(txn, "default", new, "user:anna"))

    place.at(18, 0, day=29)
    away = place.folder.rename(place.folder.with_name("elsewhere"))
    place.at(18, 30, day=29)
    assert place.told() == []
    place.at(19, 1, day=29)
    assert len(place.told()) == 1
    away.rename(place.folder)
    needs_llm()
    place.at(19, 2, day=29)
    assert place.told() == []
    place.at(6, 1)
    assert "No llm of the route can be reached." in place.told()[0]


def test_one_look_takes_a_few_of_the_day_ahead_and_all_of_the_hour(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def look(database: Database, home: Home, starter: RunStarter, row: Row, *, is_near: bool) -> list[Finding]:
        looked.append(row["name"])
        return []

    monkeypatch.setattr(preflight, "look", look)
    rule = rule_of({"kind": "weekly", "days": ["MO"], "time": "20:00"})
    for name in "abcdefg":
        wanted = Wanted(name, "note", str(place.folder), rule, "UTC", policy_of({}), {})
        place.database.transact(lambda txn, wanted=wanted: add(txn, wanted, "user:anna"))  # type: ignore[misc]
    place.at(6, 30)
    assert sorted(looked) == ["Weekly", "a", "b", "c", "d", "e"]
    place.at(6, 31)
    assert sorted(looked[6:]) == ["f", "g"]
    place.at(6, 32)
    assert len(looked) == 8


def test_a_removed_routine_says_nothing_and_a_paused_one_only_while_it_lacks_something(place: Place) -> None:
    shutil.move(place.folder, place.folder.with_name("elsewhere"))
    place.at(6, 1)
    place.database.transact(lambda txn: pause(txn, place.row, "user:anna"))
    place.at(6, 2)
    assert len(place.told()) == 1
    place.database.transact(lambda txn: remove(txn, place.row, "user:anna"))
    assert place.told() == []


def test_another_zone_of_this_computer_is_asked_about_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    here = ["UTC"]
    monkeypatch.setattr(tzlocal, "get_localzone_name", lambda: here[0])
    place.tending.look()
    assert place.told() == []
    here[0] = "Asia/Tokyo"
    place.tending.look()
    assert place.told() == [
        (
            "This computer's zone is Asia/Tokyo now; ‘Weekly’ keep UTC time. "
            "To follow: counterfoil schedule change NAME --zone Asia/Tokyo"
        )
    ]
    assert place.database.transact(lambda txn: got_it(txn, "user:anna")) == 1
    place.tending.look()
    assert place.told() == []
    assert standing.value_of(standing.get(place.database.reader, standing.ZONE)) == "Asia/Tokyo"
    assert notices.newest(place.database.reader, NoticeKind.ZONE, "home") is not None


def said_of(place: Place, check: str) -> list[Finding]:
    """What is found of one thing."""
    starter = RunStarter(place.database, place.home)
    starter.prepare([place.row])
    return [found for found in preflight.look(place.database, place.home, starter, place.row) if found.check == check]


def test_an_llm_is_reached_and_priced_and_something_is_left_for_it(place: Place) -> None:
    assert said_of(place, "reach") == said_of(place, "budget") == []
    (place.template / "template.toml").write_text(
        MANIFEST.replace("works_without_llm = true", "works_without_llm = false")
    )
    assert said_of(place, "reach") == []  # there is none
    with socket.create_server(("127.0.0.1", 0)) as listening:
        at = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        new = NewEntry("compatible", at, "tiny", None, None, "table")
        place.database.transact(lambda txn: keeping.add(txn, "default", new, "user:anna"))
        (there,) = said_of(place, "reach")
        assert there.holds
        assert there.words.startswith("compatible tiny can be reached.")
    (gone,) = said_of(place, "reach")
    assert (gone.holds, "No llm of the route can be reached" in gone.words) == (False, True)
    assert "may be spent on llms" in said_of(place, "budget")[0].words
    place.database.transact(lambda txn: keeping.limit(txn, "day", "", Decimal(0), None, "user:anna"))
    assert not said_of(place, "budget")[0].holds


def test_the_connectors_of_its_template_are_there_on_well_and_looked_at(place: Place) -> None:
    assert said_of(place, "connectors") == []
    (place.template / "template.toml").write_text(MANIFEST + 'connectors = ["desk"]\n')
    by, desk = "user:anna", Declared(name="desk", argv=("desk-server",))
    definition = {"inputSchema": {"type": "object"}}

    def steps(txn: Txn, *acts: Callable[[Txn], object]) -> None:
        for act in acts:
            act(txn)

    def said(*acts: Callable[[Txn], object]) -> str:
        place.database.transact(lambda txn: steps(txn, *acts))
        (found,) = said_of(place, "connectors")
        return f"{found.holds}: {found}"

    assert said() == "False: There is no connector “desk”. Add it: counterfoil connector add"
    assert "The connector “desk” is off." in said(lambda txn: connectors.add(txn, desk, by))
    well = said(
        lambda txn: connector_rows.see(txn, "desk", [SeenTool("send", "a", definition)]),
        lambda txn: connector_rows.set_health(txn, "desk", {"ok": True, "words": "Answers."}),
        lambda txn: connectors.switch(txn, "desk", by, on=True),
    )
    assert well == "True: The connectors it uses answer: desk."
    changed = said(lambda txn: connector_rows.see(txn, "desk", [SeenTool("send", "b", definition)]))
    assert changed.startswith("False: 1 tools of the connector “desk” have changed or are new")
    gone = said(lambda txn: connector_rows.set_health(txn, "desk", {"ok": False, "words": "It ended."}))
    assert gone.startswith("False: The connector “desk” did not answer last: It ended.")


def test_what_the_last_run_did_is_held_against_the_rules_of_now(place: Place) -> None:
    assert said_of(place, "last_run") == []
    rule = Conditions(effect="write_file", path=("note.txt",))
    row = place.database.transact(lambda txn: permitting.grant(txn, Permission.ALLOW, rule, "user:anna"))
    body = canonical({"kind": "write_file@1", "args": {"path": "note.txt", "data": {"$bytes": "eA=="}}})

    def last_run(txn: Txn) -> None:
        versions.add(
            txn, "user:anna", digest="a" * 64, name="note", title="Note", manifest="{}", parameters="[]", source="b" * 64,
            origin="bundled", program="0.1.0",
        )  # fmt: skip
        run = runs.create(txn, runs.NewRun("note", "a" * 64, str(place.folder), "Note", "{}", "user:anna", "0.1.0"))
        new = intents.NewIntent(
            run["run_id"], "", 0, "write_file@1", body, False, digest(body), "key", DoubtPolicy.RETRY, None, None
        )
        intents.add(txn, new)
        permission_rows.note_use(txn, run["run_id"], "", 0, row["permission_id"])
        runs.claim(txn, run["run_id"])
        runs.move(txn, run["run_id"], RunState.DONE, ended_at=txn.now_us)

    place.database.transact(last_run)
    assert said_of(place, "last_run")[0].words == "Rules allow and ask as they did for the last run."
    place.database.transact(lambda txn: permitting.take_back(txn, row, "user:anna"))
    assert said_of(place, "last_run")[0].words.startswith("It would ask where the last run had a rule")
    deny = Conditions(path=("*.txt",))
    place.database.transact(lambda txn: permitting.grant(txn, Permission.DENY, deny, "user:anna"))
    (denied,) = said_of(place, "last_run")
    assert not denied.holds
    assert denied.words.startswith("What the last run did is forbidden now: p-2 of Anna:")
