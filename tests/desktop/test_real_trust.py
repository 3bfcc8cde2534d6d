"""Connectors, routes, permissions and memory of a real data folder; acts are done by the command line, and a server really starts."""

import re
import sys
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from counterfoil import Params, llm, workflow
from counterfoil.clock import FakeClock, SystemClock
from counterfoil.desktop.real_office import calls, trust
from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.real_office.calls import call
from counterfoil.desktop.real_office.trust import TrustDesk
from counterfoil.desktop.template_facts import TemplateCard
from counterfoil.desktop.trust_facts import LinkDraft
from counterfoil.errors import CounterfoilError
from counterfoil.facts import LlmEnd
from counterfoil.places import Home
from counterfoil.store import fact_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database
from counterfoil.store.llm_tables import llm_attempt
from counterfoil.testing import Harness

CARDS = [
    TemplateCard("a", "a", "A", "", "bundled", chips=("No llm needed",)),
    TemplateCard("b", "b", "B", "", "bundled"),
]
SERVERS = Path(__file__).resolve().parents[1] / "connectors/servers"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").create()


@pytest.fixture
def desk(home: Home) -> Generator[TrustDesk]:
    database = open_database(home, SystemClock())
    yield TrustDesk(Access(home, database, Blobs(home), SystemClock(), "user:anna"), lambda: CARDS)
    database.close()


def test_a_connector_is_looked_at_switched_on_and_off(home: Home, desk: TrustDesk) -> None:
    packages = [f"--code={entry}" for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages")]
    call(
        home,
        "connector",
        "add",
        "post",
        f"--code={SERVERS}",
        *packages,
        "--",
        sys.executable,
        str(SERVERS / "honest.py"),
    )
    [seen] = desk.connectors()
    assert (seen.on, seen.health, seen.tone, seen.where) == (
        False,
        "Nobody has looked at it yet.",
        "quiet",
        "Isolated here",
    )
    said = desk.test_connector("post")
    [seen] = desk.connectors()
    assert said == f"post: Answers. {len(seen.tools)} tools."
    assert re.match(r"Switched off\. Answers\. Checked (today|yesterday) ", seen.health)
    assert seen.changed
    assert all(
        one.sentence.endswith("It asks again until you look.") and one.after.startswith("{") for one in seen.changed
    )
    assert desk.switch_connector("post", on=True) == "post is on now."
    desk.accept_tools("post")
    [seen] = desk.connectors()
    assert (seen.on, seen.tone, seen.changed) == (True, "ok", ())
    desk.switch_connector("post", on=False)
    assert not desk.connectors()[0].on


def test_a_connector_that_does_not_start_says_so(home: Home, desk: TrustDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    call(home, "connector", "add", "gone", "--", "/no/such/program")
    with pytest.raises(CounterfoilError, match="does not start"):
        desk.test_connector("gone")
    assert "Does not start: there is no such program here: /no/such/program" in desk.connectors()[0].health
    monkeypatch.setattr(trust, "_SOON", calls.PATIENCE)  # a loaded machine needs longer to say no
    with pytest.raises(CounterfoilError, match="“gone” is a program of this computer, so nobody signs in to it"):
        desk.sign_in("gone")
    assert not desk.connectors()[0].signed_out


def test_permissions_are_sentences_and_can_be_taken_back(home: Home, desk: TrustDesk, tmp_path: Path) -> None:
    call(home, "permission", "add", "--effect", "move_files", "--template", "triage-mail", "--path", "Post/**")
    call(home, "permission", "deny", "--effect", "mail", "--workspace", str(tmp_path))
    rules = {one.group: one for one in desk.permissions(None)}
    assert rules["Files"].sentence == "Triage mail may move files in Post/ without asking."
    assert rules["Files"].trouble == "Nothing it speaks of has been asked for so far."
    assert rules["Sending"].trouble == ""
    assert [one.group for one in desk.permissions("/elsewhere")] == ["Files"]
    assert desk.take_back(rules["Files"].rule_id) == "Taken back. It asks from now on."
    assert [one.group for one in desk.permissions(None)] == ["Sending"]


def test_a_route_is_set_up_ordered_pinned_and_taken_apart(home: Home, desk: TrustDesk) -> None:
    assert desk.routes().routes == ()
    assert desk.routes().without == "1 of 2 templates do not need one."
    desk.add_link(LinkDraft("default", "compatible", "tiny", "http://127.0.0.1:9/v1"))
    call(home, "route", "add", "gpt-5-mini", "--provider", "openai", "--key", "env:OPENAI_API_KEY")
    [route] = desk.routes().routes
    assert [(one.llm, one.key) for one in route.links] == [
        ("tiny", "Needs no key."),
        ("gpt-5-mini", "Key in the environment variable OPENAI_API_KEY."),
    ]
    assert "out per million tokens; about $" in route.links[-1].price
    assert " per contract and about $" in route.links[-1].price
    assert desk.routes().spend is None, "nothing was spent, so there is no talk of money"
    desk.order_route("default", ("2", "1"))
    desk.pin_route("default", stays=True)
    [route] = desk.routes().routes
    assert ([one.llm for one in route.links], route.stays) == (["gpt-5-mini", "tiny"], True)
    desk.remove_link("default", "1")
    assert desk.test_route("default").startswith("0 of 1 llm answer. ")
    desk.remove_link("default", "1")
    assert desk.routes().routes == ()


class NoParams(Params):
    """None."""


@workflow("asks-twice")
async def asks_twice(_: NoParams) -> list[str]:
    return [await llm("One?"), await llm("Two?")]


def test_what_may_have_been_billed_without_an_answer_is_said_beside_what_was_spent(
    home: Home, desk: TrustDesk, tmp_path: Path
) -> None:
    (tmp_path / "ws").mkdir()
    harness = Harness(tmp_path / "ws", home=home.root, llms=["a", "b"], clock=FakeClock(datetime.now(UTC)))
    harness.start(asks_twice)
    harness.advance()
    desk.add_link(LinkDraft("default", "compatible", "tiny", "http://127.0.0.1:9/v1"))
    spend = desk.routes().spend
    assert spend is not None
    assert spend.perhaps == ""
    lost = {"end": str(LlmEnd.UNKNOWN)}
    harness.database.transact(
        lambda txn: txn.do(sa.update(llm_attempt).where(llm_attempt.c.ordinal == 0).values(**lost))
    )
    harness.close()
    spend = desk.routes().spend
    assert spend is not None
    assert spend.perhaps.startswith("1 call may have been billed without an answer (at most $")


def test_a_key_that_no_keyring_takes_adds_nothing(desk: TrustDesk) -> None:
    with pytest.raises(CounterfoilError):
        desk.add_link(LinkDraft("default", "anthropic", "claude-sonnet-5", secret="sk-canary"))
    assert desk.routes().routes == ()


@workflow("a-run")
async def a_run(_: NoParams) -> str:
    return "done"


def test_a_fact_tells_its_source_and_is_forgotten(home: Home, desk: TrustDesk, tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    harness = Harness(tmp_path / "ws", home=home.root)
    run_id = harness.start(a_run)
    new = fact_rows.NewFact("k", str(harness.workspace), "Pays on Fridays.", "a.eml", '["a.eml"]', run_id, "user:anna")
    harness.database.transact(lambda txn: fact_rows.keep(txn, new))
    harness.close()
    [seen] = desk.memory(str(harness.workspace))
    assert (seen.text, seen.source) == ("Pays on Fridays.", "From a.eml, run 1. It was proposed after reading a.eml.")
    assert re.match(r"Accepted by you (today|yesterday) ", seen.accepted)
    assert desk.memory("/elsewhere") == ()
    desk.forget(seen.fact_id)
    assert desk.memory(None) == ()
