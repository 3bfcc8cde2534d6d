"""Requests to a real server on loopback: what it receives, what each answer means, and what is known when there is none."""

import asyncio
import base64
import json
from collections.abc import Generator
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from counterfoil.authoring.effect_values import Effect, LookUp, http, secret
from counterfoil.clock import FakeClock
from counterfoil.effects.answers import LARGEST_TEXT
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.effects.requests import Http
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.ports import EffectTrouble, Finding, OutcomeUnknown
from counterfoil.facts import DoubtPolicy, FailureClass, Money
from counterfoil.store.blobs import Blobs
from effects.conftest import MemoryKeyring
from effects.web_server import HANG_UP, SILENCE, Said, WebServer

TOKEN = "Bearer t0p-s3cret/x"


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Generator[WebServer]:
    """A server, and no proxy between it and us."""
    monkeypatch.setenv("NO_PROXY", "*")
    server = WebServer()
    yield server
    server.close()


def send(catalogue: EffectCatalogue, effect: Effect, key: str = "run-1/0/3") -> Any:
    catalogue.check(effect.body)
    return asyncio.run(catalogue.perform(effect.body, key, "workspace"))


def test_request_arrives_with_its_key(catalogue: EffectCatalogue, web: WebServer) -> None:
    web.says["/orders"] = Said(201, {"X-Order": "7", "Set-Cookie": "session=1"}, "angelegt ü".encode())
    values = {
        "amount": Decimal("12.50"),
        "total": Money(Decimal("3.10"), "EUR"),
        "on": date(2026, 11, 30),
        "for": timedelta(seconds=90),
        "data": b"\x00\xff",
        "by": {1: "one"},
        "list": [None, True, "ü"],
    }
    outcome = send(catalogue, http("POST", f"{web.url}/orders?a=b%20c", json=values, headers={"X-A": "b"}))
    assert outcome["status"] == 201
    assert outcome["text"] == "angelegt ü"
    assert outcome["headers"]["x-order"] == "7"
    assert "set-cookie" not in outcome["headers"]
    assert outcome["truncated"] is False
    (request,) = web.heard
    assert (request.method, request.path) == ("POST", "/orders?a=b%20c")
    assert json.loads(request.body) == {
        "amount": "12.50",
        "total": {"amount": "3.10", "currency": "EUR"},
        "on": "2026-11-30",
        "for": 90,
        "data": base64.b64encode(b"\x00\xff").decode(),
        "by": {"1": "one"},
        "list": [None, True, "ü"],
    }
    assert {name: request.headers[name] for name in ("idempotency-key", "x-a", "content-type", "user-agent")} == {
        "idempotency-key": "run-1/0/3",
        "x-a": "b",
        "content-type": "application/json",
        "user-agent": "counterfoil",
    }


def test_long_bytes_are_sent_from_the_blobs(catalogue: EffectCatalogue, blobs: Blobs, web: WebServer) -> None:
    web.says["/up"] = Said(204)
    data = bytes(range(256)) * 1000
    effect = http("PUT", f"{web.url}/up", data=data, headers={"content-type": "text/plain"})
    blobs.put(data)
    assert send(catalogue, effect)["status"] == 204
    assert web.heard[0].body == data
    assert web.heard[0].headers["content-type"] == "text/plain"


def test_secret_goes_out_and_never_comes_back(
    catalogue: EffectCatalogue, web: WebServer, memory_keyring: MemoryKeyring, secrets: Keyring
) -> None:
    secrets.set("bank", TOKEN)
    effect = http("GET", f"{web.url}/echo", headers={"Authorization": secret("bank")})
    web.says["/echo"] = Said(200, {"X-Echo": f"got {TOKEN}"}, f"you sent {TOKEN}!".encode())
    outcome = send(catalogue, effect)
    assert web.heard[0].headers["authorization"] == TOKEN
    assert outcome["text"] == "you sent [secret bank]!"
    assert outcome["headers"]["x-echo"] == "got [secret bank]"
    web.says["/echo"] = Said(200, {}, f"token {TOKEN.split()[1]} is fine".encode())
    assert send(catalogue, effect)["text"] == "token [secret bank] is fine"
    web.says["/echo"] = Said(403, {}, f"no {TOKEN}".encode())
    with pytest.raises(EffectTrouble) as told:
        send(catalogue, effect)
    assert TOKEN not in str(told.value)
    assert "[secret bank]" in str(told.value)
    assert TOKEN not in json.dumps(effect.body)


@pytest.mark.parametrize("value", ["ü-secret", "tab\tsecret"])
def test_secret_that_no_header_can_carry_is_not_quoted(
    catalogue: EffectCatalogue, web: WebServer, memory_keyring: MemoryKeyring, value: str
) -> None:
    memory_keyring.set_password("counterfoil", "bank", value)
    with pytest.raises(EffectTrouble, match="“bank” holds signs that no header can carry") as told:
        send(catalogue, http("GET", f"{web.url}/", headers={"X-Key": secret("bank")}))
    assert "secret" not in str(told.value).replace("The secret", "")
    assert web.heard == []


def test_missing_secret_is_named(catalogue: EffectCatalogue, web: WebServer, memory_keyring: MemoryKeyring) -> None:
    with pytest.raises(EffectTrouble, match="counterfoil secret set bank") as told:
        send(catalogue, http("GET", f"{web.url}/", headers={"X-Key": secret("bank")}))
    assert told.value.failure_class is FailureClass.STRUCTURAL
    assert web.heard == []


def test_long_answer_is_cut(catalogue: EffectCatalogue, web: WebServer) -> None:
    web.says["/long"] = Said(200, {}, b"x" * (LARGEST_TEXT + 5000))
    outcome = send(catalogue, http("GET", f"{web.url}/long"))
    assert (len(outcome["text"]), outcome["truncated"]) == (LARGEST_TEXT, True)


@pytest.mark.parametrize("charset", ["latin-1", "no-such-charset"])
def test_answer_in_another_encoding_is_text(catalogue: EffectCatalogue, web: WebServer, charset: str) -> None:
    web.says["/x"] = Said(200, {"Content-Type": f"text/plain; charset={charset}"}, b"gr\xfcn")
    assert send(catalogue, http("GET", f"{web.url}/x"))["text"] in ("grün", "gr\ufffdn")


TRANSIENT, STRUCTURAL, DOUBT = FailureClass.TRANSIENT, FailureClass.STRUCTURAL, None


@pytest.mark.parametrize(
    "said, post, put",
    [
        (Said(400, {}, b"bad"), STRUCTURAL, STRUCTURAL),
        (Said(401), STRUCTURAL, STRUCTURAL),
        (Said(404), STRUCTURAL, STRUCTURAL),
        (Said(409), STRUCTURAL, STRUCTURAL),
        (Said(408), TRANSIENT, TRANSIENT),
        (Said(429), TRANSIENT, TRANSIENT),
        (Said(503), TRANSIENT, TRANSIENT),
        (Said(500), DOUBT, TRANSIENT),
        (Said(502), DOUBT, TRANSIENT),
        (Said(504), DOUBT, TRANSIENT),
        (Said(501), STRUCTURAL, STRUCTURAL),
        (Said(301, {"Location": "/y"}), DOUBT, STRUCTURAL),
        (Said(302, {"Location": "/y"}), DOUBT, STRUCTURAL),
        (Said(307, {"Location": "/y"}), STRUCTURAL, STRUCTURAL),
        (Said(308, {"Location": "/y"}), STRUCTURAL, STRUCTURAL),
        (HANG_UP, DOUBT, TRANSIENT),
        (SILENCE, DOUBT, TRANSIENT),
        (Said(200, {}, b"half", cut=True), DOUBT, TRANSIENT),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Said) else "",
)
def test_what_is_not_taken_is_told_apart(
    blobs: Blobs,
    secrets: Keyring,
    clock: FakeClock,
    web: WebServer,
    said: Said,
    post: FailureClass | None,
    put: FailureClass | None,
) -> None:
    """An unkeyed POST is a doubt where it may have happened; what may be repeated is tried again; nothing is guessed."""
    web.says["/x"] = said
    hand = Http(blobs, secrets, clock, patience=1 if said is SILENCE else 60)
    for effect, expected in (
        (http("POST", f"{web.url}/x?token=t", json={}), post),
        (http("PUT", f"{web.url}/x", json={}), put),
        (http("GET", f"{web.url}/x"), put),
        (http("POST", f"{web.url}/x", json={}, keyed=True), put),
    ):
        with pytest.raises((EffectTrouble, OutcomeUnknown)) as told:
            asyncio.run(hand.perform(effect.args, "key", "workspace"))
        assert getattr(told.value, "failure_class", None) is expected, effect
        assert str(told.value).startswith(f"{effect.args['method']} 127.0.0.1:")
        assert "token" not in str(told.value)
        assert told.value.__cause__ is None
    assert len(web.heard) == 4  # nobody followed a redirect or tried again by himself


@pytest.mark.parametrize("status", [200, 202, 204, 303, 304])
def test_what_is_taken_is_the_outcome(catalogue: EffectCatalogue, web: WebServer, status: int) -> None:
    web.says["/x"] = Said(status, {"Location": f"{web.url}/y"})
    assert send(catalogue, http("POST", f"{web.url}/x", json={}))["status"] == status


@pytest.mark.parametrize(
    "given, seconds",
    [
        ("120", 120.0),
        ("Mon, 30 Nov 2026 08:56:00 GMT", 60.0),
        ("Mon, 30 Nov 2020 08:56:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
    ],
)
def test_retry_after_is_passed_on(
    catalogue: EffectCatalogue, web: WebServer, given: str, seconds: float | None
) -> None:
    web.says["/x"] = Said(429, {"Retry-After": given})
    with pytest.raises(EffectTrouble) as told:
        send(catalogue, http("GET", f"{web.url}/x"))
    assert told.value.retry_after == pytest.approx(seconds, abs=0.01)


def test_nobody_listens(catalogue: EffectCatalogue, web: WebServer) -> None:
    web.close()
    with pytest.raises(EffectTrouble, match="could not be sent") as told:
        send(catalogue, http("POST", f"{web.url}/x", json={}))
    assert told.value.failure_class is FailureClass.TRANSIENT


@pytest.mark.parametrize(
    "effect, policy",
    [
        (
            http("POST", "https://api.example/", keyed=True, reconcile=LookUp("https://api.example/{key}")),
            DoubtPolicy.RETRY,
        ),
        (http("POST", "https://api.example/", reconcile=LookUp("https://api.example/{key}")), DoubtPolicy.RECONCILE),
        (http("PUT", "https://api.example/", reconcile=LookUp("https://api.example/{key}")), DoubtPolicy.RECONCILE),
        (http("GET", "https://api.example/"), DoubtPolicy.RETRY),
        (http("HEAD", "https://api.example/"), DoubtPolicy.RETRY),
        (http("PUT", "https://api.example/"), DoubtPolicy.RETRY),
        (http("DELETE", "https://api.example/"), DoubtPolicy.RETRY),
        (http("PATCH", "https://api.example/"), DoubtPolicy.ASK),
        (http("POST", "https://api.example/"), DoubtPolicy.ASK),
    ],
)
def test_doubt_policy_comes_from_the_method_and_what_the_author_states(
    catalogue: EffectCatalogue, effect: Effect, policy: DoubtPolicy
) -> None:
    catalogue.check(effect.body)
    assert catalogue.policy(effect.body) is policy


@pytest.mark.parametrize(
    "said, finding",
    [
        (Said(200, {}, b"order 7"), Finding.HAPPENED),
        (Said(404), Finding.NOT_HAPPENED),
        (Said(410), Finding.UNKNOWN),
        (Said(500), Finding.UNKNOWN),
        (Said(302, {"Location": "/"}), Finding.UNKNOWN),
        (HANG_UP, Finding.UNKNOWN),
    ],
    ids=lambda value: str(value.status) if isinstance(value, Said) else "",
)
def test_looking_up_says_whether_it_happened(
    catalogue: EffectCatalogue, web: WebServer, said: Said, finding: Finding
) -> None:
    web.says["/find/run-1%2F0%2F3"] = said
    effect = http("POST", f"{web.url}/orders", json={}, reconcile=LookUp(f"{web.url}/find/{{key}}"))
    found = asyncio.run(catalogue.reconcile(effect.body, "run-1/0/3", "workspace"))
    assert found.finding is finding
    assert (found.outcome or {}).get("text") == ("order 7" if finding is Finding.HAPPENED else None)
    assert [(request.method, request.path) for request in web.heard] == [("GET", "/find/run-1%2F0%2F3")]


def test_looking_up_sends_secrets_only_where_the_effect_went(
    catalogue: EffectCatalogue, web: WebServer, memory_keyring: MemoryKeyring, secrets: Keyring
) -> None:
    secrets.set("bank", TOKEN)
    web.says["/find"] = Said(200)
    there = f"{web.url}/find?k={{key}}"
    for target in (f"{web.url}/orders", web.url.replace("127.0.0.1", "localhost") + "/orders"):
        effect = http(
            "POST",
            target,
            json={},
            headers={"Authorization": secret("bank"), "Content-Type": "text/x"},
            reconcile=LookUp(there),
        )
        found = asyncio.run(catalogue.reconcile(effect.body, "k", "workspace"))
        assert found.finding is Finding.HAPPENED
    assert [request.headers.get("authorization") for request in web.heard] == [TOKEN, None]
    assert all("content-type" not in request.headers for request in web.heard)


def test_nothing_to_look_up_stays_unknown(catalogue: EffectCatalogue, workspace: Path) -> None:
    found = asyncio.run(catalogue.reconcile(http("POST", "https://api.example/", json={}).body, "k", str(workspace)))
    assert found.finding is Finding.UNKNOWN
