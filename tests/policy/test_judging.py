"""The defaults without a rule (contract.md, 6), each with its sentence."""

from typing import Any

import pytest

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
from counterfoil.engine.ports import Judgement, Permission
from counterfoil.policy.judging import Rule, Rules

HOSTS = {"hosts": ["api.example", "Rates.example:8443"]}


def judge(effect: Effect, manifest: dict[str, Any] | None = None, rules: Rules | None = None) -> Judgement:
    return (rules or Rules()).judge(effect.body, "workspace", manifest or {})


@pytest.mark.parametrize(
    "effect, words",
    [
        (write_file("a.txt", "x"), "Files"),
        (append_rows("a.csv", [], columns=["a"]), "Files"),
        (move_files([("a", "b")]), "Files"),
        (delete_files(["a"]), "Files"),
        (make_folders(["a"]), "Files"),
        (mail("a@b.example", "Hello", "x"), "mail"),
        (http("POST", "https://api.example/x", json={}), "POST"),
        (http("HEAD", "https://api.example/x"), "HEAD"),
        (http("GET", "https://other.example/x"), "other.example"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.kind,
)
def test_what_leaves_a_trace_asks(effect: Effect, words: str) -> None:
    judgement = judge(effect, HOSTS)
    assert judgement.permission is Permission.ASK
    assert words in judgement.reason
    assert judgement.reason.endswith(".")


@pytest.mark.parametrize("url", ["https://api.example/a?b=c", "http://API.example:81/", "https://rates.example:8443/x"])
def test_declared_hosts_may_be_read(url: str) -> None:
    judgement = judge(http("GET", url), HOSTS)
    assert judgement.permission is Permission.ALLOW
    assert "declares" in judgement.reason


@pytest.mark.parametrize(
    "url",
    [
        "https://rates.example/x",
        "https://api.example.evil.example/",
        "https://evil.example/api.example",
        "https://xapi.example/",
        "https://api.example./",
    ],
)
def test_hosts_that_only_look_declared_ask(url: str) -> None:
    assert judge(http("GET", url), HOSTS).permission is Permission.ASK


def test_look_up_elsewhere_asks() -> None:
    there = http("GET", "https://api.example/", reconcile=LookUp("https://evil.example/{key}"))
    here = http("GET", "https://api.example/", reconcile=LookUp("https://api.example/{key}"))
    assert judge(there, HOSTS).permission is Permission.ASK
    assert judge(here, HOSTS).permission is Permission.ALLOW


def test_secret_is_not_sent_on_the_word_of_a_manifest() -> None:
    judgement = judge(http("GET", "https://api.example/", headers={"Authorization": secret("bank")}), HOSTS)
    assert judgement.permission is Permission.ASK
    assert "“bank”" in judgement.reason


@pytest.mark.parametrize("path", ["/etc/passwd", "../x", ".git/hooks/pre-commit", ".counterfoil/workspace.toml"])
def test_outside_the_workspace_is_denied(path: str) -> None:
    for body in (
        {"kind": "write_file@1", "args": {"path": path, "data": {"$bytes": ""}}},
        {"kind": "append_rows@1", "args": {"path": path, "columns": ["a"], "rows": []}},
        {"kind": "move_files@1", "args": {"moves": [["a", "b"], [path, "c"]]}},
        {"kind": "move_files@1", "args": {"moves": [["a", path]]}},
        {"kind": "delete_files@1", "args": {"paths": ["a", path]}},
        {"kind": "make_folders@1", "args": {"paths": [path]}},
    ):
        assert Rules().judge(body, "workspace", {}).permission is Permission.DENY


def test_unknown_kind_is_denied() -> None:
    judgement = Rules().judge({"kind": "format_disk@1", "args": {}}, "workspace", {})
    assert judgement.permission is Permission.DENY
    assert "format_disk@1" in judgement.reason


@pytest.mark.parametrize("mark", ["http", "http@1"])
def test_always_gate_overrides_every_allowance(mark: str) -> None:
    allowing = Rules([Rule(500, lambda case: Judgement(Permission.ALLOW, "Somebody granted it."))])
    effect = http("GET", "https://api.example/")
    assert judge(effect, HOSTS, allowing).permission is Permission.ALLOW
    assert judge(effect, {**HOSTS, "always_gate": [mark]}, allowing).permission is Permission.ASK
    assert judge(effect, {**HOSTS, "always_gate": ["mail"]}, allowing).permission is Permission.ALLOW


def test_any_denial_denies_and_the_narrowest_rule_wins() -> None:
    allow = Rule(5, lambda case: Judgement(Permission.ALLOW, "Granted."))
    ask = Rule(5, lambda case: Judgement(Permission.ASK, "Ask."))
    deny = Rule(1, lambda case: Judgement(Permission.DENY, "Forbidden."))
    effect = write_file("a.txt", "x")
    assert judge(effect, rules=Rules([allow])).reason == "Granted."
    assert judge(effect, rules=Rules([allow, ask])).reason == "Ask."
    assert judge(effect, {"always_gate": ["write_file"]}, Rules([allow, deny])).reason == "Forbidden."


@pytest.mark.parametrize(
    "manifest", [{"hosts": None, "always_gate": None}, {"hosts": "api.example"}, {"hosts": [None, 7]}]
)
def test_manifest_of_another_shape_allows_nothing(manifest: dict[str, Any]) -> None:
    assert judge(http("GET", "https://api.example/"), manifest).permission is Permission.ASK
