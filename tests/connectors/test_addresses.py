"""Connectors at an address: over HTTP, signed in or not, renewed, ended in the middle of a run."""

import asyncio
import json
import time
import webbrowser
from collections.abc import Generator
from typing import Any

import httpx2
import pytest

from cli.speaking import caller
from connectors.counter import Counter, Drawer, body
from connectors.house import House
from connectors.test_runs import calling, harness
from counterfoil.connectors import keeping
from counterfoil.connectors.declared import Declared
from counterfoil.connectors.signing_in import Granted
from counterfoil.connectors.supervising import SignedOut, sign_in_here
from counterfoil.engine.ports import EffectTrouble, InputNeeded, OutcomeUnknown
from counterfoil.facts import RunState, Slot
from counterfoil.views.connectors import trouble_with

SEND = body("send", {"to": "ben"})


@pytest.fixture
def house() -> Generator[House]:
    """A house with a locked door."""
    found = House()
    yield found
    found.close()


def at(house: House, **more: Any) -> Declared:
    """The connector of a house."""
    return Declared(name="desk", url=house.url, **{"seconds": 90.0, **more})


def sign_in(counter: Counter, house: House) -> None:
    """Somebody signs in: a browser is sent to the page and follows where it leads."""

    async def browse(address: str) -> None:
        async def follow() -> None:
            async with httpx2.AsyncClient(follow_redirects=True) as browser:
                page = await browser.get(address)
            assert "You can close this page" in page.text

        browsing.append(asyncio.ensure_future(follow()))

    async def both() -> None:
        await sign_in_here(at(house), counter.home, counter.keyring, browse)
        await asyncio.gather(*browsing)

    browsing: list[asyncio.Future[None]] = []
    counter.run(both())


def test_an_address_without_a_door(counter: Counter, house: House) -> None:
    house.locked = False
    counter.add(at(house))
    assert counter.perform(SEND)["text"] == "sent to ben"
    assert json.loads(counter.row()["health"])["server"] == "House 1"


def test_a_header_with_a_secret_opens_and_is_never_shown(counter: Counter, house: House, drawer: Drawer) -> None:
    counter.keyring.set("desk-key", "Bearer let-me-in-please")
    house.valid = {"let-me-in-please"}
    counter.add(at(house, headers={"Authorization": {"$secret": "desk-key"}}))
    found = counter.perform(body("send", {"to": "let-me-in-please"}))
    assert found["text"] == "sent to [secret desk-key]"


def test_a_run_waits_at_a_gate_until_somebody_has_signed_in_and_goes_on_there(
    counter: Counter, house: House, drawer: Drawer
) -> None:
    house.locked = False
    counter.add(at(house))
    house.locked = True
    room = harness(counter)
    room.start(calling)
    room.advance()
    room.approve()
    assert room.advance() is RunState.WAITING
    gate = room.gate()
    assert (gate["slot"], gate["title"]) == (Slot.INPUT, "Sign in to desk before it goes on")
    assert "counterfoil connector sign-in desk" in json.dumps(room.spec(gate))
    room.answer(gate, done=True)
    assert room.advance() is RunState.WAITING  # nobody has: it asks again
    assert room.gate()["round"] == 2
    sign_in(counter, house)
    room.answer(done=True)
    assert room.advance() is RunState.DONE
    assert house.performed == ["ben@b.example"]
    room.close()


def test_what_was_granted_lies_in_the_keyring_and_is_renewed(
    counter: Counter, house: House, drawer: Drawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in(counter, house)
    counter.add(at(house))
    assert counter.perform(SEND)["text"] == "sent to ben"
    assert all(len(value) <= 2000 for value in drawer.kept.values())
    granted = Granted("desk", counter.keyring)
    tokens = counter.run(granted.get_tokens())
    assert tokens.access_token in house.valid
    with monkeypatch.context() as patch:  # as if it had been granted long ago
        patch.setattr(time, "time", lambda: 0.0)
        counter.run(granted.set_tokens(tokens))
    house.valid = set()
    counter.restart()
    assert counter.perform(SEND)["text"] == "sent to ben"
    assert (house.refreshed, counter.run(granted.get_tokens()).access_token in house.valid) == (1, True)
    raw = counter.home.database.read_bytes() + counter.home.database.with_name("counterfoil.db-wal").read_bytes()
    assert b"token-" not in raw
    counter.run(granted.forget())
    assert drawer.kept == {}


def test_what_was_granted_and_ends_in_the_middle_asks_to_sign_in_again(
    counter: Counter, house: House, drawer: Drawer
) -> None:
    sign_in(counter, house)
    counter.add(at(house))
    house.valid = set()
    with pytest.raises(InputNeeded, match="Sign in to desk before it goes on"):
        counter.perform(SEND)
    assert house.performed == []
    counter.restart()
    with pytest.raises(EffectTrouble, match="desk wants somebody to sign in: counterfoil connector sign-in desk"):
        counter.run(counter.connectors.tools(["desk"]))
    with pytest.raises(SignedOut):
        counter.run(counter.connectors.look(at(house)))
    told = trouble_with(counter.database.reader, "desk")
    assert told == ("The sign-in to “desk” has ended.", "Sign in: counterfoil connector sign-in desk")
    counter.database.transact(lambda txn: keeping.note_signed_in(txn, "desk", "user:anna"))
    assert trouble_with(counter.database.reader, "desk") == ("", "")


def test_a_house_that_is_gone_was_not_asked(counter: Counter) -> None:
    house = House(locked=False)
    counter.add(at(house))
    house.close()
    for _ in range(2):  # known not to have happened, so it is tried again and never a doubt
        with pytest.raises(EffectTrouble, match=r"desk (does not start|cannot be reached)"):
            counter.perform(SEND)


def test_an_answer_without_an_end_over_http(counter: Counter, house: House) -> None:
    house.locked = False
    counter.add(at(house))
    house.huge = True
    with pytest.raises(OutcomeUnknown):
        counter.perform(SEND)


def test_signing_in_on_the_command_line(
    counter: Counter, house: House, drawer: Drawer, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages: list[str] = []

    def browse(page: str) -> bool:
        pages.append(httpx2.get(page, follow_redirects=True).text)
        return True

    monkeypatch.setattr(webbrowser, "open", browse)
    call = caller(capsys, counter.home.root)
    assert call("connector", "add", "desk", "--url", house.url).code == 0
    closed = call("connector", "test", "desk")
    assert (closed.code, "desk wants somebody to sign in: counterfoil connector sign-in desk" in closed.err) == (
        1,
        True,
    )
    signed = call("connector", "sign-in", "desk")
    assert (signed.code, "You are signed in to desk." in signed.err) == (0, True)
    assert "You can close this page" in pages[0]
    assert call("connector", "on", "desk").code == 0
    assert call("connector", "remove", "desk").code == 0
    assert drawer.kept == {}
    call("connector", "add", "desk", "--", "x")
    assert "is a program of this computer" in call("connector", "sign-in", "desk").err
