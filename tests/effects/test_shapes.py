"""Bodies come from a host that may be hostile: each is an effect of the catalogue, or BadEffect and nothing else."""

import base64
import contextlib
import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil.authoring.effect_values import (
    Effect,
    LookUp,
    append_rows,
    delete_files,
    http,
    mail,
    make_folders,
    move_files,
    secret,
    write_file,
)
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import BadEffect, Effects
from counterfoil.store.blobs import Blobs

BIG = bytes(range(256)) * 300  # over the limit for bytes within a body

GOOD = {
    "write": write_file("payments/r-12.xml", "<a/>"),
    "append": append_rows("ledger.csv", [{"a": "1", "b": None}], columns=["a", "b"]),
    "append nothing": append_rows("ledger.csv", [], columns=["a"]),
    "move": move_files([("in/a.xml", "archive/a.xml"), ("in/b\udcff.xml", "archive/b\udcff.xml")]),
    "move at once": move_files([("a", "b"), ("b", "c"), ("c", "a")]),
    "delete": delete_files(["in/a.xml", "in"]),
    "make": make_folders(["reports/2026", "reports/2027"]),
    "program": write_file("run.sh", "#!/bin/sh", executable=True),
    "mail": mail(
        ["a@b.example"], "Subject", "Line\nline", cc=["Anna Ü <anna@b.example>"], attachments=[("a.pdf", b"x")]
    ),
    "http": http("POST", "https://api.example:8443/a?b=c%20d", json={"a": [1, None, True, 1.5]}, keyed=True),
    "http data": http("PUT", "http://[::1]:80/x", data=b"x", headers={"X-A": "b", "Authorization": secret("bank")}),
    "http get": http("GET", "https://api.example", reconcile=LookUp("https://api.example/find?k={key}")),
}


def test_catalogue_is_what_the_engine_asks_for(catalogue: EffectCatalogue) -> None:
    port: Effects = catalogue
    assert port.is_file(GOOD["write"].body)
    assert not port.is_file(GOOD["mail"].body)


@pytest.mark.parametrize("effect", GOOD.values(), ids=GOOD)
def test_what_the_door_makes_is_accepted(catalogue: EffectCatalogue, effect: Effect) -> None:
    catalogue.check(effect.body)


def test_long_bytes_are_accepted_once_they_were_handed_over(catalogue: EffectCatalogue, blobs: Blobs) -> None:
    effect = write_file("a.bin", BIG)
    with pytest.raises(BadEffect, match="never handed over"):
        catalogue.check(effect.body)
    blobs.put(BIG)
    catalogue.check(effect.body)
    short = copy.deepcopy(effect.body)
    short["args"]["data"]["size"] -= 1
    with pytest.raises(BadEffect, match="were handed over"):
        catalogue.check(short)


Change = Callable[[dict[str, Any]], object]


def put(name: str, value: object) -> Change:
    """A change of one argument."""
    return lambda args: args.__setitem__(name, value)


BAD: dict[str, list[tuple[str, Change]]] = {
    "write": [
        ("outside", put("path", "../x")),
        ("absolute", put("path", "/etc/passwd")),
        ("NUL", put("path", "a\x00")),
        ("path no text", put("path", ["a"])),
        ("text for bytes", put("data", "x")),
        ("no base64", put("data", {"$bytes": "***"})),
        ("too long inline", put("data", {"$bytes": base64.b64encode(BIG * 2).decode()})),
        ("blob no sha", put("data", {"$blob": "../../etc/passwd", "size": 1})),
        ("blob size text", put("data", {"$blob": "0" * 64, "size": "1"})),
        ("blob size true", put("data", {"$blob": "0" * 64, "size": True})),
        ("both", put("data", {"$bytes": "", "$blob": "0" * 64, "size": 0})),
        ("more", put("mode", 0o777)),
        ("less", lambda args: args.pop("data")),
    ],
    "append": [
        ("columns text", put("columns", "ab")),
        ("no columns", put("columns", [])),
        ("twice", put("columns", ["a", "a"])),
        ("number cell", put("rows", [["1", 2]])),
        ("short row", put("rows", [["1"]])),
        ("NUL cell", put("rows", [["1", "\x00"]])),
        ("surrogate cell", put("rows", [["1", "\ud800"]])),
        ("long cell", put("rows", [["1", "x" * 40_000]])),
    ],
    "delete": [
        ("nothing", put("paths", [])),
        ("no list", put("paths", "a")),
        ("twice", put("paths", ["a", "a"])),
        ("outside", put("paths", ["../a"])),
        ("too many", put("paths", [str(n) for n in range(50_001)])),
        ("more", put("recursive", True)),
    ],
    "make": [("twice", put("paths", ["a", "a"])), ("absolute", put("paths", ["/a"]))],
    "program": [("a number", put("executable", 1)), ("nothing", put("executable", None)), ("more", put("mode", 511))],
    "move": [
        ("nothing", put("moves", [])),
        ("one name", put("moves", [["a"]])),
        ("onto itself", put("moves", [["a", "a"]])),
        ("same source", put("moves", [["a", "b"], ["a", "c"]])),
        ("same target", put("moves", [["a", "c"], ["b", "c"]])),
        ("outside", put("moves", [["a", "../b"]])),
    ],
    "mail": [
        ("nobody", put("to", [])),
        ("text", put("to", "a@b.example")),
        ("no address", put("to", ["anna"])),
        ("two in one", put("to", ["a@b.example, c@d.example"])),
        ("line in address", put("to", ["a@b.example\nBcc: c@d.example"])),
        ("group", put("to", ["team:a@b.example;"])),
        ("named twice", put("to", ["c@d.example <a@b.example>"])),
        ("command in address", put("cc", ["<a@b.example> SIZE=1"])),
        ("subject with line", put("subject", "Hello\r\nBcc: c@d.example")),
        ("subject with bare return", put("subject", "Hello\rBcc: c@d.example")),
        ("text with NUL", put("body", "a\x00b")),
        ("attachment with folder", put("attachments", [{"name": "../a", "data": {"$bytes": ""}}])),
        ("attachment with line", put("attachments", [{"name": "a\nb", "data": {"$bytes": ""}}])),
        ("attachment no object", put("attachments", ["a"])),
    ],
    "http": [
        ("method", put("method", "get")),
        ("method list", put("method", ["GET"])),
        ("other scheme", put("url", "file:///etc/passwd")),
        ("no host", put("url", "https:///x")),
        ("user", put("url", "https://api.example@evil.example/")),
        ("blank", put("url", "https://api.example/ x")),
        ("line", put("url", "https://api.example/\r\nX: y")),
        ("backslash", put("url", "https://api.example\\@evil.example/")),
        ("homograph", put("url", "https://аpi.example/")),
        ("port", put("url", "https://api.example:99999/")),
        ("broken address", put("url", "https://[::1/")),
        ("header with line", put("headers", {"X-A": "a\r\nX-B: c"})),
        ("header with umlaut", put("headers", {"X-A": "ü"})),
        ("header name", put("headers", {"X A": "a"})),
        ("header twice", put("headers", {"X-A": "a", "x-a": "b"})),
        ("our header", put("headers", {"idempotency-key": "a"})),
        ("host header", put("headers", {"Host": "evil.example"})),
        ("number header", put("headers", {"X-A": 1})),
        ("secret with more", put("headers", {"X-A": {"$secret": "a", "b": 1}})),
        ("secret in json", put("json", {"a": [{"$secret": "a"}]})),
        ("blob in json", put("json", {"a": {"$blob": "0" * 64, "size": 1}})),
        ("infinite", put("json", [float("inf")])),
        ("both bodies", put("data", {"$bytes": ""})),
        ("keyed", put("keyed", 1)),
        ("no key", put("reconcile", "https://api.example/find")),
        ("key for a host", put("reconcile", "https://{key}.example/find")),
        ("body of a get", put("method", "GET")),
    ],
}


@pytest.mark.parametrize(
    "name, change",
    [pytest.param(name, change, id=f"{name}: {what}") for name, changes in BAD.items() for what, change in changes],
)
def test_anything_else_is_refused(catalogue: EffectCatalogue, name: str, change: Change) -> None:
    body = copy.deepcopy(GOOD[name].body)
    catalogue.check(body)
    change(body["args"])
    with pytest.raises(BadEffect) as refused:
        catalogue.check(body)
    assert "\n" not in str(refused.value)
    assert str(refused.value).endswith(".")


def test_json_of_any_depth_is_refused_without_recursion(catalogue: EffectCatalogue) -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    body = copy.deepcopy(GOOD["http"].body)
    body["args"]["json"] = deep
    with pytest.raises(BadEffect, match="nested"):
        catalogue.check(body)


@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        "write_file@1",
        {},
        {"kind": "write_file@1"},
        {"kind": ["write_file@1"], "args": {}},
        {"kind": "write_file", "args": {}},
        {"kind": "write_file@2", "args": {"path": "a", "data": {"$bytes": ""}}},
        {"kind": "write_file@1", "args": {"path": "a", "data": {"$bytes": ""}}, "approved": True},
        {"kind": "mail@1", "args": None},
    ],
)
def test_bodies_of_no_shape_are_refused(catalogue: EffectCatalogue, body: object) -> None:
    with pytest.raises(BadEffect):
        catalogue.check(body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("$bytes"),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("a $bytes $blob size $secret".split()), inner)
    ),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
@given(data=st.data(), name=st.sampled_from(sorted(GOOD)))
def test_random_arguments_raise_bad_effect_or_nothing(
    catalogue: EffectCatalogue, data: st.DataObject, name: str
) -> None:
    body = copy.deepcopy(GOOD[name].body)
    argument = data.draw(st.sampled_from(sorted(body["args"])))
    body["args"][argument] = data.draw(JSON)
    with contextlib.suppress(BadEffect):
        catalogue.check(body)
        catalogue.policy(body)
        catalogue.is_file(body)
