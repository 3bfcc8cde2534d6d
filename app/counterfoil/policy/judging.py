"""What may happen with an effect that no approval covers: the defaults without a rule (contract.md, 6), and the rules of people.

Rules are a table, not a ladder: every rule that has something to say is heard. Any deny denies; else the narrowest rule wins,
and of equally narrow ones the stricter. What sends or spends asks in a run that has read from outside the team, whatever the rules say.
The reason says which rule decided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import SplitResult, urlsplit

from counterfoil.engine.ports import Around, Judgement, Permission
from counterfoil.facts import person
from counterfoil.policy import grants, tainting
from counterfoil.policy.boundaries import trouble_with, visible
from counterfoil.policy.file_classes import never_changed
from counterfoil.policy.grant_words import sentence
from counterfoil.policy.reaching import FILES, only_reads, reach_of
from counterfoil.store.transactions import Row

NOTHING_AROUND = Around()
_STRICTNESS = {Permission.ALLOW: 0, Permission.ASK: 1, Permission.DENY: 2}


@dataclass(frozen=True, slots=True)
class Case:
    """What is judged: the final body, and the manifest of the template that wants it."""

    kind: str
    args: dict[str, Any]
    manifest: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """`says` answers a case or passes; of two answers the one with more `width` speaks of less and goes first."""

    width: int
    says: Callable[[Case], Judgement | None]


class Rules:
    """The policy: the defaults, and what people said."""

    def __init__(self, more: Sequence[Rule] = ()) -> None:
        self._rules = (*_DEFAULTS, *more)

    def judge(
        self, body: dict[str, Any], workspace: str, manifest: dict[str, Any], around: Around = NOTHING_AROUND
    ) -> Judgement:
        """What may happen with an effect that no approval covers; the reason is a sentence for people."""
        said = self._decided(body, workspace, manifest, around)
        if said.permission is not Permission.DENY and around.done:
            said = _done_already(said, body, around)
        if not around.sources or said.permission is Permission.DENY:
            return said
        warning = tainting.warning(around.sources)
        asks = said.permission is Permission.ALLOW and tainting.sends(reach_of(body), around.does, around.sources)
        if asks:
            said = _ask(f"{warning} From then on what sends or spends asks, whatever the rules say.")
        return replace(said, warning=" ".join(filter(None, [said.warning, warning])))

    def _decided(self, body: dict[str, Any], workspace: str, manifest: dict[str, Any], around: Around) -> Judgement:
        case = Case(str(body["kind"]), body["args"], manifest)
        heard = [(rule.width, said) for rule in self._rules if (said := rule.says(case)) is not None]
        if not heard:
            return _deny(f"The effect “{visible(case.kind)}” is in no rule, so nothing allows it.")
        outdated = ""
        if around.rules:
            reach = reach_of(body)
            reach = replace(reach, pin=reach.pin or around.pin)
            for given in around.rules:
                verdict, rule = Permission(given["verdict"]), grants.read(given["conditions"])
                if grants.covers(verdict, rule, reach, workspace, around.template):
                    heard.append((grants.width(rule), _by_rule(given, verdict, rule)))
                elif grants.fits_but_for_its_pin(verdict, rule, reach, workspace, around.template):
                    outdated = f" p-{given['number']} allowed it as the tool was; it has changed since."
        denials = [said for _, said in heard if said.permission is Permission.DENY]
        if denials:
            return denials[0]
        winner = max(heard, key=lambda one: (one[0], _STRICTNESS[one[1].permission]))[1]
        return replace(winner, reason=winner.reason + outdated)


def _done_already(said: Judgement, body: dict[str, Any], around: Around) -> Judgement:
    """What a run that is done again has done just so is done once more only where a person says so; reading is not."""
    if only_reads(reach_of(body), around.does):
        return said
    warning = " ".join(around.done)
    if said.permission is Permission.ALLOW:
        said = _ask(f"{warning} It is done once more only after somebody approved it.")
    return replace(said, warning=warning)


def _by_rule(given: Row, verdict: Permission, rule: grants.Conditions) -> Judgement:
    """What a person's rule says, with its number, so that it is found and taken back."""
    who = person(given["granted_by"])
    return Judgement(verdict, f"p-{given['number']} of {who}: {sentence(verdict, rule)}", given["permission_id"])


def _allow(reason: str) -> Judgement:
    return Judgement(Permission.ALLOW, reason)


def _ask(reason: str) -> Judgement:
    return Judgement(Permission.ASK, reason)


def _deny(reason: str) -> Judgement:
    return Judgement(Permission.DENY, reason)


# ------------------------------------------------------------------------------------------------------------- defaults


def _paths_of(case: Case) -> list[str] | None:
    """The paths that an effect on files names; None for one on something else."""
    paths = FILES.get(case.kind.removesuffix("@1"))
    return paths(case.args) if paths is not None and case.kind.endswith("@1") else None


def _beneath_the_workspace(case: Case) -> Judgement | None:
    paths = _paths_of(case) or []
    trouble = next(filter(None, map(trouble_with, paths)), None) or next(filter(None, map(never_changed, paths)), None)
    return _deny(trouble) if trouble else None


def _files_ask(case: Case) -> Judgement | None:
    if _paths_of(case) is None:
        return None
    return _ask("Files of the workspace change only after somebody approved it.")


def _mail_asks(case: Case) -> Judgement | None:
    if case.kind != "mail@1":
        return None
    return _ask("A mail leaves the house and cannot be taken back, so somebody has to approve it.")


def _requests_ask(case: Case) -> Judgement | None:
    if case.kind != "http@1":
        return None
    where = _host(case.args["url"]).hostname or ""
    if case.args["method"] != "GET":
        return _ask(
            f"A {case.args['method']} request can change something at {visible(where)}, so somebody has to approve it."
        )
    return _ask(f"The template does not declare the host {visible(where)}, so somebody has to approve it.")


def _declared_hosts_may_be_read(case: Case) -> Judgement | None:
    if case.kind != "http@1" or case.args["method"] != "GET":
        return None
    asked = [case.args["url"], *filter(None, [case.args.get("reconcile")])]
    declared = [str(host).lower() for host in _listed(case.manifest, "hosts")]
    if not all(_is_declared(_host(url), declared) for url in asked):
        return None
    return _allow(f"The template declares that it reads from {visible(_host(asked[0]).hostname or '')}.")


def _secrets_ask(case: Case) -> Judgement | None:
    """Secrets are the person's and a manifest is the author's, so a declared host alone does not get one."""
    if case.kind != "http@1":
        return None
    named = [value["$secret"] for value in case.args["headers"].values() if isinstance(value, dict)]
    if not named:
        return None
    where = visible(_host(case.args["url"]).hostname or "")
    return _ask(f"The secret “{visible(str(named[0]))}” is sent to {where}, so somebody has to approve it.")


def _calls_ask(case: Case) -> Judgement | None:
    if case.kind != "call@1":
        return None
    what = visible(f"‘{case.args['tool']}’ of the connector {case.args['connector']}")
    return _ask(f"Nobody has said that {what} only reads, so somebody has to approve it.")


def _facts_ask(case: Case) -> Judgement | None:
    """What later runs are told is accepted by a person, each time."""
    return _ask("A fact is remembered only when somebody accepts it.") if case.kind == "remember@1" else None


def _commands_ask(case: Case) -> Judgement | None:
    return _ask("A program is run only after somebody approved it.") if case.kind == "command@1" else None


def _always_gated(case: Case) -> Judgement | None:
    """A template may tie its own hands; no rule that allows unties them."""
    marked = {str(kind).partition("@")[0] for kind in _listed(case.manifest, "always_gate")}
    if case.kind.partition("@")[0] not in marked:
        return None
    return _ask(f"The template asks before every {visible(case.kind.partition('@')[0])}, whatever the rules say.")


def _not_asked_for(case: Case) -> Judgement | None:
    """A template does what its manifest asks for and nothing else; without a list (in a test) nothing is held against it."""
    kind = case.kind.partition("@")[0]
    if "permissions" not in case.manifest or kind in _listed(case.manifest, "permissions"):
        return None
    return _deny(f"The template does not ask for ‘{visible(kind)}’: add it to permissions in template.toml.")


def _listed(manifest: dict[str, Any], key: str) -> list[Any]:
    found = manifest.get(key)
    return found if isinstance(found, list) else []


def _host(url: str) -> SplitResult:
    return urlsplit(url)


def _is_declared(url: SplitResult, declared: list[str]) -> bool:
    """`api.example` stands for every port of it, `api.example:8443` for that one."""
    host = (url.hostname or "").lower()
    return bool(host) and (host in declared or f"{host}:{url.port}" in declared)


_DEFAULTS = (
    Rule(0, _beneath_the_workspace),
    Rule(0, _files_ask),
    Rule(0, _mail_asks),
    Rule(0, _requests_ask),
    Rule(1, _declared_hosts_may_be_read),
    Rule(2, _secrets_ask),
    Rule(0, _calls_ask),
    Rule(0, _commands_ask),
    Rule(1, _not_asked_for),
    Rule(1000, _facts_ask),  # above every rule that people can write
    Rule(1000, _always_gated),
)
